//! One verdict: `list`, `render`, `read`, `install`, `mount`, `pack` and `lock` agree on every skill.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Sandbox, good_text, skip, text};

/// `name status` of each skill that `list` reports.
fn statuses(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let report = sandbox.document([&["list", "--format", "json"], args].concat());
    let word = |skill: &Value, key: &str| skill[key].as_str().unwrap_or("-").to_owned();
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    skills.iter().map(|one| format!("{} {}", word(one, "name"), word(one, "status"))).collect()
}

/// The names in a rendered catalogue.
fn rendered(sandbox: &Sandbox, args: &[&str]) -> BTreeSet<String> {
    let run = sandbox.run([&["render", "--visibility", "summary"], args].concat());
    assert_eq!(run.code, 0, "{}", run.all());
    let names = run.stdout.lines().filter_map(|line| line.trim().strip_prefix("<name>"));
    names.filter_map(|name| name.strip_suffix("</name>")).map(str::to_owned).collect()
}

/// The names that a command installs.
fn installed(sandbox: &Sandbox, args: &[&str]) -> BTreeSet<String> {
    let report = sandbox
        .document([&["install", "--dry-run", "--format", "json", "--dir", "out"], args].concat());
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    skills.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

/// A collection with one skill of every kind.
fn mixed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/plain");
    sandbox.skill("skills/renamed", &good_text("vendor-renamed"));
    sandbox.skill("skills/off", &text("off", "enabled: false\n"));
    sandbox.skill("skills/quiet", &text("quiet", "disable-model-invocation: true\n"));
    sandbox
        .skill("skills/No Name", "---\nname: No Name\ndescription: Use when asked.\n---\n\nGo.\n");
    sandbox.skill("skills/typo", &text("typo", "metadata: wrong\n"));
    sandbox.skill("skills/bidi", &good_text("bidi").replace("PDF", "P\u{202e}DF"));
    sandbox
}

#[test]
fn every_verb_goes_by_the_verdict_of_list() {
    let sandbox = mixed();
    assert_eq!(
        statuses(&sandbox, &["skills"]),
        [
            "No Name invalid",
            "bidi invalid",
            "off disabled",
            "plain active",
            "quiet hidden",
            "vendor-renamed active",
            "typo active",
        ]
    );
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let told: BTreeSet<String> = set(&["plain", "typo", "vendor-renamed"]);
    assert_eq!(rendered(&sandbox, &["skills"]), told);
    // A hidden skill is not shown to models, but users can call it.
    let usable: BTreeSet<String> = set(&["plain", "quiet", "typo", "vendor-renamed"]);
    assert_eq!(installed(&sandbox, &["skills"]), usable);

    let home = "ls $HOME/.claude/skills";
    let run = sandbox.run(["mount", "skills", "--", "sh", "-c", home]);
    let mounted: BTreeSet<String> = run.stdout.lines().map(str::to_owned).collect();
    assert_eq!((run.code, mounted), (0, usable.clone()), "{}", run.stderr);

    let run = sandbox.run(["pack", "skills", "-o", "dist"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let packed =
        std::fs::read_dir(sandbox.path("dist")).unwrap().map(|entry| entry.unwrap().path());
    let packed: BTreeSet<String> =
        packed.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(packed, usable);

    sandbox.write("skills.yaml", "version: 1\nskills:\n  - ./skills\n");
    let run = sandbox.run(["lock"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let lock = sandbox.read("skills.lock");
    for name in ["plain", "vendor-renamed"] {
        assert!(lock.contains(name), "{lock}");
    }
    assert!(!lock.contains("bidi") && !lock.contains("No Name"), "{lock}");
}

#[test]
fn list_says_which_rules_an_active_skill_breaks() {
    let sandbox = mixed();
    let report = sandbox.document(["list", "skills", "--format", "json"]);
    let rules = |name: &str| {
        let skills = report["skills"].as_array().unwrap();
        skills.iter().find(|one| one["name"] == name).unwrap()["rules"].clone()
    };
    assert_eq!(rules("plain"), serde_json::json!([]));
    assert_eq!(rules("vendor-renamed"), serde_json::json!(["name-directory-mismatch"]));
    assert_eq!(rules("typo"), serde_json::json!(["metadata-type"]));
    assert_eq!(rules("bidi"), serde_json::json!(["hidden-unicode"]));
}

#[test]
fn a_broken_or_disabled_skill_shadows_nothing() {
    let sandbox = Sandbox::repository();
    // The provider with the highest priority has the broken skill.
    sandbox.skill(".claude/skills/pdf", &good_text("pdf").replace("PDF", "P\u{202e}DF"));
    sandbox.skill(".claude/skills/csv", &text("csv", "enabled: false\n"));
    sandbox.good_skill(".agents/skills/pdf");
    sandbox.good_skill(".agents/skills/csv");
    let listed = statuses(&sandbox, &[]);
    for line in ["pdf invalid", "pdf active", "csv disabled", "csv active"] {
        assert!(listed.iter().any(|one| one == line), "{listed:?}");
    }
    let run = sandbox.run(["render", "--discover"]);
    let run = if run.code == 2 { sandbox.run(["render"]) } else { run };
    assert!(run.stdout.contains(".agents/skills/pdf/SKILL.md"), "{}", run.all());
    assert!(run.stdout.contains(".agents/skills/csv/SKILL.md"), "{}", run.all());
    let run = sandbox.run(["read", "skill://pdf"]);
    assert!(!run.stdout.contains('\u{202e}'), "{}", run.stdout);
}

#[test]
fn list_and_render_take_the_same_skill_of_a_name() {
    let sandbox = Sandbox::repository();
    for provider in [".omp", ".agents", ".claude", ".opencode"] {
        sandbox.good_skill(&format!("{provider}/skills/same"));
    }
    let report = sandbox.document(["list", "--format", "json"]);
    let skills = report["skills"].as_array().unwrap();
    let active: Vec<&Value> = skills.iter().filter(|one| one["status"] == "active").collect();
    assert_eq!(active.len(), 1, "{report:#}");
    let run = sandbox.run(["render"]);
    let path = active[0]["path"].as_str().unwrap();
    assert!(run.stdout.contains(&format!("{path}/SKILL.md")), "{path}\n{}", run.all());
}

#[test]
fn a_named_skill_that_is_not_usable_is_refused() {
    let sandbox = mixed();
    for args in [&["skills/bidi"][..], &["skills", "--only", "bidi"]] {
        let run = sandbox.run([&["install", "--dir", "out"], args].concat());
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("hidden-unicode"), "{}", run.stderr);
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn a_named_skill_that_only_another_agent_loads_is_refused_and_says_which() {
    let sandbox = Sandbox::new();
    // Only Claude reads a file without front matter.
    sandbox.skill("bare", "# Bare\n\nDo it.\n");
    let run = sandbox.run(["install", "bare", "--agent", "codex", "--home", "home"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("Codex") && run.stderr.contains("Claude"), "{}", run.stderr);
    let run = sandbox.run(["install", "bare", "--agent", "claude", "--home", "home"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn duplicates_come_before_what_is_missing_and_that_before_what_is_broken() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("a/pdf");
    sandbox.good_skill("b/pdf");
    sandbox.skill("c/pdf", &(good_text("pdf") + "More.\n"));
    sandbox.skill("broken/pdf", &good_text("pdf").replace("PDF", "P\u{202e}DF"));
    sandbox.skill("bidi", &good_text("bidi").replace("PDF", "P\u{202e}DF"));
    let failure = |sources: &[&str]| {
        let run = sandbox.run([&["install", "--dir", "out"], sources].concat());
        assert!(!sandbox.path("out").exists());
        (run.code, run.stderr.lines().find(|line| line.starts_with("error: ")).unwrap().to_owned())
    };
    let duplicate = (1, "error: Duplicate skill name: pdf".to_owned());
    assert_eq!(failure(&["a/pdf", "./missing", "c/pdf", "bidi"]), duplicate);
    assert_eq!(failure(&["bidi", "a/pdf", "c/pdf"]), duplicate);
    assert_eq!(failure(&["a/pdf", "broken/pdf"]), duplicate);
    assert_eq!(failure(&["a/pdf", "./missing/pdf"]), duplicate);
    assert_eq!(failure(&["--strict", "bidi", "a/pdf", "c/pdf"]), duplicate);
    let missing = "error: cannot read `./missing`: no such file or directory".to_owned();
    assert_eq!(failure(&["bidi", "a/pdf", "b/pdf", "./missing"]), (2, missing.clone()));
    assert_eq!(failure(&["bidi", "./missing", "./missing", "./missing/b", "./x/b"]), (2, missing));
    let (code, message) = failure(&["bidi", "a/pdf", "b/pdf"]);
    assert!(code == 1 && message.contains("`bidi` cannot be installed"), "{message}");
}

#[test]
fn rendering_two_skills_of_one_name_that_were_named_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("a/pdf");
    sandbox.skill("c/pdf", &(good_text("pdf") + "More.\n"));
    for args in [&["render", "a/pdf", "c/pdf"][..], &["render", ".", "--only", "pdf"]] {
        let run = sandbox.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.all());
        assert!(run.stderr.contains("error: Duplicate skill name: pdf\n"), "{}", run.stderr);
    }
    // A search that finds them leaves them out.
    assert_eq!(sandbox.run(["render", "."]).code, 0);
}

#[test]
fn an_agents_view_of_two_skills_of_one_name_that_were_named_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("a/pdf");
    sandbox.good_skill("b/pdf");
    sandbox.skill("c/pdf", &(good_text("pdf") + "More.\n"));
    for sources in ["a/pdf c/pdf", "a c --only pdf", "a/pdf ./missing/pdf"] {
        for agent in ["claude", "codex"] {
            let run = sandbox.run(format!("render {sources} --as {agent}").split(' '));
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.all());
            assert!(run.stderr.contains("error: Duplicate skill name: pdf\n"), "{}", run.stderr);
        }
    }
    for sources in ["a/pdf b/pdf", "a c", "a c --allow pdf"] {
        let run = sandbox.run(format!("render {sources} --as claude").split(' '));
        assert_eq!((run.code, run.stdout.lines().count()), (0, 1), "{sources}: {}", run.all());
    }
}

#[test]
fn every_verb_knows_the_names_that_claude_keeps() {
    for (directory, name, reason) in [
        ("anthropic-skills", "anthropic-skills", "the name `anthropic-skills` is kept"),
        ("other", "anthropic-skills", "the name `anthropic-skills` is kept"),
        ("synced", "synced", "no directory of this name is listed"),
    ] {
        let sandbox = Sandbox::repository();
        sandbox.skill(&format!("s/{directory}"), &good_text(name));
        let source = format!("s/{directory}");
        for args in ["install", "mount", "validate", "list -v", "show"] {
            let mut args: Vec<&str> = args.split(' ').chain([source.as_str()]).collect();
            args.extend((args[0] != "show").then_some(["--agent", "claude"]).into_iter().flatten());
            let run = sandbox.run(&args);
            assert!(run.all().contains(reason), "{args:?}: {}", run.all());
            let code = i32::from(["install", "mount"].contains(&args[0]));
            assert!(directory != name || run.code == code, "{args:?}: {}", run.all());
        }
        sandbox.write("skills.yaml", format!("skills: [./{source}]\n"));
        let run = sandbox.run(["sync", "--agent", "claude"]);
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains(reason), "{}", run.all());
        // Others load it.
        assert_eq!(sandbox.run(["install", &source, "--agent", "codex"]).code, 0);
    }
}

#[test]
fn an_error_about_one_skill_names_it() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/csv");
    sandbox.skill("skills/pdf", "---\nname: pdf\n---\n\nBody\n");
    sandbox.mkdir("here");
    let check = |args: &str, kind: &str| {
        let args = format!("-C here install {args} --dir ../out --format json");
        let report = sandbox.document(args.split(' '));
        let error = &report["error"];
        assert_eq!(error["kind"], kind, "{report:#}");
        let path = error["path"].as_str().unwrap_or_else(|| panic!("{report:#}"));
        assert!(path.starts_with("[DIR]/project/") && path.ends_with("/pdf"), "{path}");
        assert!(!path.contains(".."), "{path}");
        assert_eq!((&error["skill"], &error["skill_kind"]), (&"pdf".into(), &"directory".into()));
        assert_eq!(error["skills_dir"], "[DIR]/project/out", "{report:#}");
    };
    check("--strict ../skills", "validation");
    sandbox.write("skills/pdf/SKILL.md", good_text("pdf").replace("PDF", "P\u{202e}DF"));
    check("../skills/pdf", "validation");
    sandbox.write("skills/pdf/SKILL.md", good_text("pdf"));
    sandbox.skill("other/pdf", &(good_text("pdf") + "More.\n"));
    check("../skills/pdf ../other/pdf", "duplicate");
    assert_eq!(sandbox.run(["install", "other/pdf", "--dir", "out"]).code, 0);
    check("../skills", "conflict");
    let report = sandbox.document(["list", "skills/../../nope", "--format", "json"]);
    assert_eq!(report["error"]["path"], "[DIR]/nope");
}

/// What the error of a run says about one skill: its path, name, kind and skills directory.
fn concerned(sandbox: &Sandbox, line: &str) -> [Option<String>; 4] {
    let report = sandbox.document(line.split(' ').chain(["--format", "json"]));
    let text = |key: &str| report["error"][key].as_str().map(str::to_owned);
    assert!(text("message").is_some(), "{line}: {report:#}");
    ["path", "skill", "skill_kind", "skills_dir"]
        .map(|key| text(key).map(|text| text.replace("[DIR]/project/", "")))
}

#[test]
fn errors_of_every_verb_name_the_skill() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("g/pdf");
    sandbox.good_skill("coll/a/dup");
    sandbox.skill("coll/b/dup", &(good_text("dup") + "More.\n"));
    sandbox.write("skills.yaml", "skills: [{source: ./missing, name: foo}]\n");
    for name in ["edited", "moved"] {
        sandbox.good_skill(&format!("src/{name}"));
        assert_eq!(sandbox.run(["install", &format!("src/{name}"), "--dir", "d"]).code, 0);
        sandbox.write(format!("d/{name}/more.md"), "More.\n");
    }
    assert_eq!(sandbox.run(["disable", "moved", "--dir", "d"]).code, 0);
    let none = "";
    for (line, expected) in [
        ("read pdf/../x g", [none, "pdf", none, none]),
        ("read pdf//etc/passwd g", [none, "pdf", none, none]),
        ("read nope g", [none, "nope", none, none]),
        ("read pdf/none g", ["g/pdf/none", "pdf", "directory", "g"]),
        ("read dup coll", ["coll/a/dup", "dup", "directory", none]),
        ("show nope", [none, "nope", none, none]),
        ("show coll --only dup", ["coll/a/dup", "dup", "directory", none]),
        ("show coll", ["coll/a/dup", "dup", "directory", none]),
        ("list --manifest skills.yaml", ["missing", "foo", none, none]),
        ("install --manifest skills.yaml --dir d", ["missing", "foo", none, "d"]),
        ("remove nope --dir d", ["d/nope", "nope", none, "d"]),
        ("disable nope --dir d", ["d/nope", "nope", none, "d"]),
        ("enable nope --dir d", ["d/nope", "nope", none, "d"]),
        ("update nope --dir d", ["d/nope", "nope", none, "d"]),
        ("verify nope --dir d", [none, "nope", none, "d"]),
        ("remove edited --dir d", ["d/edited", "edited", "directory", "d"]),
        ("remove moved --dir d", [".skills-disabled/of-d/moved", "moved", "directory", "d"]),
        (
            "install src --max-skill-size 9 --only edited --dir n",
            ["src/edited", "edited", "directory", "n"],
        ),
    ] {
        let expected = expected.map(|text| (!text.is_empty()).then(|| text.to_owned()));
        assert_eq!(concerned(&sandbox, line), expected, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn errors_about_a_file_that_cannot_be_read_name_its_skill() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("g/pdf");
    let file = sandbox.write("g/pdf/data.md", "More.\n");
    sandbox.chmod("g/pdf/data.md", 0o000);
    if std::fs::File::open(&file).is_ok() {
        skip("root may read everything");
        return;
    }
    for (verb, directory) in [("install g --dir d", Some("d")), ("mount g", None), ("pack g", None)]
    {
        let [path, skill, kind, found] = concerned(&sandbox, verb);
        assert_eq!(path.as_deref(), Some("g/pdf/data.md"), "{verb}");
        assert_eq!((skill.as_deref(), kind.as_deref()), (Some("pdf"), Some("directory")), "{verb}");
        assert_eq!(found.as_deref(), directory, "{verb}");
    }
    let run = sandbox.run(["validate", "g", "--deep"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("g/pdf/data.md`: permission denied"), "{}", run.stderr);
    sandbox.chmod("g/pdf/SKILL.md", 0o000);
    let [path, skill, ..] = concerned(&sandbox, "validate g");
    assert_eq!((path.as_deref(), skill.as_deref()), (Some("g/pdf/SKILL.md"), Some("pdf")));
}
