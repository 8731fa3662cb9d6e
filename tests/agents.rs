//! `skills list --agent`: the real agents were run on every tree here, and showed their models
//! exactly these names in this order.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use serde_json::Value;

use crate::harness::Sandbox;

const AGENTS: [&str; 6] = ["claude", "codex", "opencode", "copilot", "gemini", "pi"];
const PROJECT: [&str; 7] = [
    ".claude/skills",
    ".agents/skills",
    ".codex/skills",
    ".opencode/skills",
    ".github/skills",
    ".gemini/skills",
    ".pi/skills",
];
const USER: [&str; 9] = [
    ".claude/skills",
    ".agents/skills",
    ".codex/skills",
    ".config/opencode/skills",
    ".opencode/skill",
    ".copilot/skills",
    ".gemini/skills",
    ".pi/agent/skills",
    ".github/skills",
];

/// The home, relative to the directory of the sandbox.
const HOME: &str = "../home";

fn put(sandbox: &Sandbox, directory: &str, name: &str) {
    put_described(sandbox, directory, name, "D");
}

fn put_described(sandbox: &Sandbox, directory: &str, name: &str, description: &str) {
    let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody\n");
    sandbox.skill(directory, &text);
}

/// One skill in each of the directories, named after it.
fn fill(sandbox: &Sandbox, base: &str, roots: &[&str], prefix: &str) {
    for root in roots {
        let name = format!("{prefix}-{}", root.trim_start_matches('.').replace(['/', '.'], "-"));
        put(sandbox, &format!("{base}/{root}/{name}"), &name);
    }
}

/// A repository as git makes it; some agents look for more than a directory called `.git`.
fn git(sandbox: &Sandbox, directory: &str) {
    sandbox.write(format!("{directory}/.git/HEAD"), "ref: refs/heads/main\n");
}

/// The skills that each agent shows in `directory`, in its order.
fn shown(sandbox: &Sandbox, directory: &str, agents: &[&str]) -> String {
    let mut text = String::new();
    for agent in agents {
        let run = sandbox.run(["-C", directory, "list", "--agent", agent, "--format", "names"]);
        assert_eq!(run.code, 0, "{}", run.all());
        writeln!(text, "{agent}: {}", run.stdout.trim_end().replace('\n', " ")).unwrap();
    }
    text
}

/// The skills that an agent does not show, and why.
fn lost(sandbox: &Sandbox, directory: &str, agent: &str) -> Vec<String> {
    let report =
        sandbox.document(["-C", directory, "list", "--agent", agent, "--format", "json", "-v"]);
    let rows = report["skills"].as_array().unwrap().iter();
    rows.filter(|row| row["status"] != "active")
        .map(|row| {
            let path = row["path"].as_str().unwrap();
            let name = path.rsplit_once("skills/").map_or(path, |(_, rest)| rest);
            format!(
                "{name} {}: {}",
                row["status"].as_str().unwrap(),
                row["reason"].as_str().unwrap()
            )
        })
        .collect()
}

#[test]
fn directories_inside_a_repository() {
    let sandbox = Sandbox::new();
    fill(&sandbox, HOME, &USER, "user");
    fill(&sandbox, "../home/repo", &PROJECT, "top");
    fill(&sandbox, "../home/repo/app", &PROJECT, "app");
    git(&sandbox, "../home/repo");
    insta::assert_snapshot!(shown(&sandbox, "../home/repo/app", &AGENTS));
}

#[test]
fn directories_when_the_home_is_the_current_one() {
    let sandbox = Sandbox::new();
    git(&sandbox, HOME);
    fill(&sandbox, HOME, &USER, "user");
    insta::assert_snapshot!(shown(&sandbox, HOME, &AGENTS));
}

#[test]
fn directories_when_the_repository_starts_at_the_home() {
    let sandbox = Sandbox::new();
    git(&sandbox, HOME);
    fill(&sandbox, HOME, &USER, "user");
    fill(&sandbox, "../home/app", &PROJECT, "app");
    insta::assert_snapshot!(shown(&sandbox, "../home/app", &AGENTS));
}

#[test]
fn order_of_names_and_directories() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    let pairs = [
        ("zz", "alpha"),
        ("mm", "Beta"),
        ("aa", "zeta"),
        ("B", "mid"),
        ("a-b", "a_b"),
        ("a_b", "a-b"),
        ("10", "ten"),
        ("9", "nine"),
        ("_x", "under"),
        ("a.b", "dot"),
    ];
    for (base, prefix) in [(HOME, "u"), (".", "p")] {
        for (directory, name) in pairs {
            for root in [".claude/skills", ".agents/skills"] {
                put(&sandbox, &format!("{base}/{root}/{directory}"), &format!("{prefix}{name}"));
            }
        }
    }
    insta::assert_snapshot!(shown(&sandbox, ".", &AGENTS));
}

#[test]
fn neighbours_of_one_sort_are_sorted_together_by_copilot() {
    let sandbox = Sandbox::new();
    git(&sandbox, "../home/g");
    let places = [
        ("../home/g/a", ".github/skills"),
        ("../home/g", ".github/skills"),
        ("../home/g/a", ".agents/skills"),
        ("../home/g", ".agents/skills"),
        ("../home/g/a", ".claude/skills"),
        ("../home/g", ".claude/skills"),
        (HOME, ".copilot/skills"),
        (HOME, ".agents/skills"),
    ];
    for (number, (base, root)) in places.into_iter().enumerate() {
        for letter in ["m", "a", "Z"] {
            let name = format!("{letter}{number}");
            put(&sandbox, &format!("{base}/{root}/{name}"), &name);
        }
    }
    insta::assert_snapshot!(shown(&sandbox, "../home/g/a", &["copilot"]), @"copilot: Z0 a0 m0 Z1 a1 m1 Z2 a2 m2 Z3 a3 m3 Z4 a4 m4 Z5 a5 m5 Z6 a6 m6 Z7 a7 m7");
    let near = Sandbox::new();
    git(&near, ".");
    for (root, name) in [(".github", "b"), (".agents", "a"), (".claude", "c")] {
        put(&near, &format!("{root}/skills/{name}"), name);
    }
    assert_eq!(shown(&near, ".", &["copilot"]), "copilot: a b c\n");
}

#[test]
fn one_name_in_many_places() {
    let sandbox = Sandbox::new();
    git(&sandbox, "../home/g");
    for base in [HOME, "../home/g", "../home/g/a"] {
        for root in PROJECT.into_iter().chain([".copilot/skills", ".pi/agent/skills"]) {
            let where_it_is = format!("{} {root}", base.trim_start_matches("../home"));
            put_described(&sandbox, &format!("{base}/{root}/same"), "same", where_it_is.trim());
        }
    }
    let mut text = String::new();
    for agent in AGENTS {
        let args = ["-C", "../home/g/a", "list", "--agent", agent, "--format", "json"];
        let report = sandbox.document(args);
        let rows = report["skills"].as_array().unwrap().iter();
        let rows: Vec<&str> = rows.map(|row| row["description"].as_str().unwrap()).collect();
        // OpenCode's choice is not defined, and the message says so.
        let rows = if agent == "opencode" { vec!["one of them"; rows.len()] } else { rows };
        writeln!(text, "{agent}: {}", rows.join(" | ")).unwrap();
    }
    insta::assert_snapshot!(text);
    let run = sandbox.run(["-C", "../home/g/a", "list", "--agent", "opencode"]);
    assert!(run.stderr.contains("which one OpenCode shows varies"), "{}", run.stderr);
}

#[test]
fn depth_and_skills_inside_skills() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    for root in [".claude/skills", ".agents/skills"] {
        let mut path = root.to_owned();
        for level in 1..9 {
            write!(path, "/g{level}").unwrap();
            put(&sandbox, &format!("{path}/l{level}"), &format!("l{level}"));
        }
        put(&sandbox, &format!("{root}/top"), "top");
        put(&sandbox, &format!("{root}/top/inner"), "inner");
    }
    insta::assert_snapshot!(shown(&sandbox, ".", &AGENTS));
    assert!(
        lost(&sandbox, ".", "claude")
            .contains(&"g1/l1 invalid: Claude looks only one level deep".to_owned())
    );
}

#[test]
fn a_skill_in_the_skills_directory_itself() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    for root in [".claude/skills", ".agents/skills"] {
        put(&sandbox, root, "rooty");
        put(&sandbox, &format!("{root}/other"), "other");
    }
    insta::assert_snapshot!(shown(&sandbox, ".", &AGENTS), @r"
    claude: other
    codex: other rooty
    opencode: other rooty
    copilot: rooty
    gemini: rooty other
    pi: rooty
    ");
    assert_eq!(
        lost(&sandbox, ".", "pi"),
        ["other invalid: a SKILL.md in the skills directory itself hides all others from Pi"]
    );
}

#[cfg(unix)]
#[test]
fn links_hidden_directories_and_odd_files() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    put(&sandbox, "elsewhere/linked", "linked");
    put(&sandbox, "elsewhere/group/grouped", "grouped");
    sandbox.write("elsewhere/file.md", "---\nname: linked-file\ndescription: D\n---\nBody\n");
    for root in [".claude/skills", ".agents/skills"] {
        for name in ["good", ".hidden", "vis/.deep", ".group/inner", "node_modules/nm", "build"] {
            put(&sandbox, &format!("{root}/{name}"), name.rsplit('/').next().unwrap());
        }
        sandbox.symlink("../../elsewhere/linked", format!("{root}/linked"));
        sandbox.symlink("../../elsewhere/group", format!("{root}/group"));
        sandbox.symlink("../../../elsewhere/file.md", format!("{root}/file/SKILL.md"));
        sandbox.symlink("/nonexistent", format!("{root}/dangling"));
        sandbox.symlink("/nonexistent", format!("{root}/dangling-file/SKILL.md"));
        sandbox.mkdir(format!("{root}/directory/SKILL.md"));
        sandbox.fifo(format!("{root}/pipe/SKILL.md"));
        sandbox.write(format!("{root}/lower/skill.md"), "---\nname: lower\ndescription: D\n---\n");
        sandbox.write(format!("{root}/plain.md"), "---\nname: plain\ndescription: D\n---\n");
    }
    insta::assert_snapshot!(shown(&sandbox, ".", &AGENTS));
    insta::assert_snapshot!(lost(&sandbox, ".", "codex").join("\n"));
}

#[cfg(unix)]
#[test]
fn two_ways_to_one_skill() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    for root in [".claude/skills", ".agents/skills"] {
        put(&sandbox, &format!("../home/{root}/mmm"), "mmm");
        sandbox.symlink("mmm", format!("../home/{root}/aaa"));
        sandbox.symlink("mmm", format!("../home/{root}/zzz"));
        put(&sandbox, &format!("{root}/own"), "own");
    }
    insta::assert_snapshot!(shown(&sandbox, ".", &AGENTS));
}

#[test]
fn ignore_files_and_plain_files_count_for_pi() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    for root in [".agents/skills", ".pi/agent/skills"] {
        for name in ["keep", "old-x", "grp/in", "grp/out", "deep/a/b", "neg-old", "only"] {
            let own = format!("{}-{}", &root[1..3], name.rsplit('/').next().unwrap());
            put(&sandbox, &format!("../home/{root}/{name}"), &own);
        }
        sandbox
            .write(format!("../home/{root}/.gitignore"), "old-*\n/only\ndeep/a\n*-old\n!neg-old\n");
        sandbox.write(format!("../home/{root}/grp/.ignore"), "out/\n");
        let plain = format!("---\nname: {}-plain\ndescription: D\n---\n", &root[1..3]);
        sandbox.write(format!("../home/{root}/plain.md"), plain);
        sandbox.write(format!("../home/{root}/README.md"), "# Read me\n");
    }
    insta::assert_snapshot!(shown(&sandbox, ".", &["pi", "codex"]));
}

#[test]
fn claude_shows_a_second_name_where_it_is_unmistakable() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    let pairs = [
        ("a", "b"),
        ("b", "x"),
        ("c", "x"),
        ("d", "init"),
        ("e", "e"),
        ("f", "F"),
        ("g", "two words"),
    ];
    for (directory, name) in pairs {
        put(&sandbox, &format!(".claude/skills/{directory}"), name);
    }
    put(&sandbox, ".claude/skills/synced", "synced");
    assert_eq!(shown(&sandbox, ".", &["claude"]), "claude: a b (x) c d e f (F) g\n");
}

#[test]
fn a_hidden_skill_keeps_its_name_for_some() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    for root in [".claude/skills", ".agents/skills"] {
        let hidden =
            "---\nname: hs\ndescription: user\ndisable-model-invocation: true\n---\nBody\n";
        sandbox.skill(&format!("../home/{root}/hs"), hidden);
        put(&sandbox, &format!("{root}/hs"), "hs");
        let hidden =
            "---\nname: ph\ndescription: project\ndisable-model-invocation: true\n---\nBody\n";
        sandbox.skill(&format!("{root}/ph"), hidden);
        put(&sandbox, &format!("../home/{root}/ph"), "ph");
    }
    insta::assert_snapshot!(shown(&sandbox, ".", &AGENTS), @r"
    claude: ph hs
    codex: hs ph hs ph
    opencode: hs ph
    copilot: hs
    gemini: ph hs
    pi: hs
    ");
}

#[test]
fn codex_hides_skills_that_its_own_file_disables() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    for (name, policy) in [
        ("shown", "policy:\n  allow_implicit_invocation: true\n"),
        ("withheld", "policy:\n  allow_implicit_invocation: false\n"),
        ("broken", "policy: [\n"),
        ("elsewhere", "policy:\n  products: [chatgpt]\n"),
    ] {
        put(&sandbox, &format!(".agents/skills/{name}"), name);
        sandbox.write(format!(".agents/skills/{name}/agents/openai.yaml"), policy);
    }
    assert_eq!(shown(&sandbox, ".", &["codex"]), "codex: broken shown\n");
    assert!(
        lost(&sandbox, ".", "codex").contains(&"withheld hidden: `agents/openai.yaml`".to_owned())
    );
}

#[test]
fn variables_move_and_switch_directories() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    fill(&sandbox, HOME, &USER, "user");
    let moved = ["skills", "opencode/skills", "skill", ".gemini/skills", ".agents/skills"];
    fill(&sandbox, "moved", &moved, "moved");
    let run = |agent: &str, variables: &[(&str, &str)]| {
        let args = ["list", "--agent", agent, "--format", "names"];
        let run = sandbox.run_with(args, |command| {
            for (name, value) in variables {
                command.env(name, value);
            }
        });
        format!("{agent} {variables:?}: {}\n", run.stdout.trim_end().replace('\n', " "))
    };
    let text = [
        run("claude", &[("CLAUDE_CONFIG_DIR", "moved")]),
        run("codex", &[("CODEX_HOME", "moved")]),
        run("opencode", &[("XDG_CONFIG_HOME", "moved"), ("OPENCODE_CONFIG_DIR", "moved")]),
        run("opencode", &[("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "1")]),
        run("opencode", &[("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1")]),
        run("copilot", &[("COPILOT_HOME", "moved")]),
        run("gemini", &[("GEMINI_CLI_HOME", "moved")]),
        run("pi", &[("PI_CODING_AGENT_DIR", "moved")]),
    ];
    insta::assert_snapshot!(text.concat());
}

#[test]
fn named_directories_stand_for_the_agents_own() {
    let sandbox = Sandbox::repository();
    put(&sandbox, "skills/pdf", "pdf");
    put(&sandbox, "skills/group/nested", "nested");
    sandbox.home_skill(".claude/skills/not-asked");
    let run =
        |agent: &str| sandbox.run(["list", "skills", "--agent", agent, "--format", "names"]).stdout;
    assert_eq!(run("claude"), "pdf\n");
    assert_eq!(run("codex"), "nested\npdf\n");
    // A lost skill is reported.
    sandbox.write("skills/broken/SKILL.md", "no front matter\n");
    let run = sandbox.run(["list", "skills", "--agent", "codex"]);
    let note = "note: Codex does not show 1 more skill here; use `-v` to see why\n";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let run = sandbox.run(["list", "skills", "--agent", "codex", "-v"]);
    assert!(!run.stderr.contains("`-v`"), "{}", run.stderr);
    let run = sandbox.run(["list", "--agent", "cluade"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `claude`?"), "{}", run.stderr);
}

#[test]
fn a_catalogue_that_an_agent_cuts_is_a_warning() {
    let sandbox = Sandbox::repository();
    for number in 0..60 {
        let name = format!("skill-{number}");
        put_described(&sandbox, &format!(".agents/skills/{name}"), &name, &"x".repeat(400));
    }
    let warnings = sandbox.run(["list", "--format", "names"]).stderr;
    assert!(warnings.contains("Claude has room for about 24,000"), "{warnings}");
    assert!(warnings.contains("Codex has room for about 20,000"), "{warnings}");
    let warnings = sandbox.run(["list", "--agent", "codex", "--format", "names"]).stderr;
    assert!(warnings.contains("Codex") && !warnings.contains("Claude"), "{warnings}");
    assert_eq!(sandbox.run(["list", "--agent", "pi", "--format", "names"]).stderr, "");
}

#[cfg(unix)]
#[test]
fn a_skill_that_is_too_deep_on_one_path_is_found_on_another() {
    let sandbox = Sandbox::new();
    git(&sandbox, ".");
    put(&sandbox, ".codex/skills/1/2/3/4/5/6/deep", "deep");
    sandbox.symlink("../../.codex/skills/1/2/3/4/5/6/deep", ".agents/skills/near");
    assert_eq!(shown(&sandbox, ".", &["codex"]), "codex: deep\n");
    assert!(lost(&sandbox, ".", "codex").is_empty());
    // The same for a group that is found too deep before it is found near the root.
    put(&sandbox, ".codex/skills/1/2/3/4/5/6/group/inner", "inner");
    sandbox.symlink("1/2/3/4/5/6/group", ".codex/skills/zz");
    assert_eq!(shown(&sandbox, ".", &["codex"]), "codex: deep inner\n");
    let run = sandbox.run(["list", "--source", "codex", "--format", "names"]);
    assert!(run.stdout.contains("inner") && !run.stderr.contains("inner"), "{}", run.all());
}

#[test]
fn control_characters_in_a_description_are_kept_where_the_agent_keeps_them() {
    let sandbox = Sandbox::repository();
    put_described(&sandbox, ".agents/skills/pdf", "pdf", "Works\u{80} well");
    let run = sandbox.run(["list", "--agent", "pi", "--format", "json"]);
    let list: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(list["skills"][0]["description"], "Works\u{80} well");
    assert_eq!(shown(&sandbox, ".", &["codex"]), "codex: \n");
}

/// What `observed-trees.json` has of a directory, a link, a file or a `SKILL.md`; `trees.mjs` says how.
#[cfg(unix)]
fn grow(path: &Path, entry: &Value) {
    match entry {
        Value::Object(entries) => {
            fs::create_dir_all(path).unwrap();
            entries.iter().for_each(|(name, entry)| grow(&path.join(name), entry));
        }
        Value::Array(skill) => {
            let number = &skill[0];
            let mut lines =
                skill[1].as_str().map(|name| format!("name: {name}\n")).unwrap_or_default();
            match skill.get(2).and_then(Value::as_str) {
                Some("undescribed") => {}
                hidden => {
                    writeln!(lines, "description: T{number}").unwrap();
                    lines += hidden.map_or("", |_| "disable-model-invocation: true\n");
                }
            }
            fs::write(path, format!("---\n{lines}---\nB{number}\n")).unwrap();
        }
        _ => {
            let text = entry.as_str().unwrap();
            match text.strip_prefix("-> ") {
                Some(target) => std::os::unix::fs::symlink(target, path).unwrap(),
                None => fs::write(path, text).unwrap(),
            }
        }
    }
}

/// Where the list of a tree differs from what the agent showed. Of a name that a warning calls
/// uncertain, another skill may be shown.
#[cfg(unix)]
fn tree_difference(sandbox: &Sandbox, cwd: &str, agent: &str, seen: &Value) -> Option<String> {
    let cwd = format!("../{cwd}");
    let run = sandbox.run(["-C", &cwd, "list", "--agent", agent, "-v", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let rows = report["skills"].as_array().unwrap().iter();
    let ours = rows.filter(|row| row["status"] == "active").map(|row| {
        format!("{} {}", row["name"].as_str().unwrap(), row["description"].as_str().unwrap())
    });
    let seen = seen.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned());
    let is_certain = |line: &String| {
        let name = line.rsplit_once(' ').unwrap().0;
        !run.stderr.contains(&format!("several skills are named `{name}`"))
            // Not a description of the tree: the agent's own skill, or an empty one.
            && line[name.len() + 1..].starts_with(['T', 'B'])
    };
    let (ours, seen): (Vec<_>, Vec<_>) =
        (ours.filter(is_certain).collect(), seen.filter(is_certain).collect());
    (ours != seen).then(|| format!("{agent} showed {}\n  not {}", seen.join(", "), ours.join(", ")))
}

#[cfg(unix)]
#[test]
fn random_trees_are_listed_as_the_real_agents_showed_them() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agents/observed-trees.json");
    let trees: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    // An agent that showed nothing usable of a tree is missing there, so its part must not shrink.
    let least = [96, 105, 80, 105, 96, 105];
    for (agent, least) in AGENTS.into_iter().zip(least) {
        let recorded = trees.iter().filter(|tree| tree[agent].is_array()).count();
        assert!(recorded >= least, "{agent} has {recorded} trees of at least {least}");
    }
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let check = || {
        while let Some((number, tree)) = trees.iter().enumerate().nth(next.fetch_add(1, Relaxed)) {
            let sandbox = Sandbox::new();
            grow(&sandbox.path(".."), &tree["tree"]);
            let cwd = tree["cwd"].as_str().unwrap();
            for agent in AGENTS.into_iter().filter(|agent| tree[*agent].is_array()) {
                let difference = tree_difference(&sandbox, cwd, agent, &tree[agent]);
                let difference = difference.map(|text| format!("{number} in {cwd}: {text}"));
                wrong.lock().unwrap().extend(difference);
            }
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(check))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
