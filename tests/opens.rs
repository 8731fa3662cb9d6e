//! Counts how often a run opens each file. No file is read twice.

use std::collections::BTreeMap;
use std::fs;

use crate::harness::Sandbox;
use crate::skips::skip;

const TRACE: &str = "strace -f -qq -y -o trace -e trace=open,openat,openat2";

/// How often each file below the sandbox was opened for reading, by its path there.
fn opened(sandbox: &Sandbox, arguments: &str) -> Option<BTreeMap<String, usize>> {
    if sandbox.shell(&format!("{TRACE} true")).code != 0 {
        skip("strace is missing, or may not trace");
        return None;
    }
    let run = sandbox.shell(&format!("{TRACE} \"$SKILLS\" {arguments}"));
    assert_eq!(run.code, 0, "{arguments}: {}", run.all());
    let trace = fs::read_to_string(sandbox.path("trace")).unwrap();
    let root = format!("{}/", sandbox.path("").canonicalize().unwrap().display());
    let mut counts = BTreeMap::new();
    let is_read = |line: &&str| {
        !["O_DIRECTORY", "O_CREAT", "O_PATH", "O_WRONLY", "O_RDWR"]
            .iter()
            .any(|flag| line.contains(flag))
    };
    for line in trace.lines().filter(is_read) {
        // strace splits a call that another thread interrupts into two lines.
        let path = line.rsplit_once(" = ").and_then(|(_, end)| end.split_once('<'));
        let path = path.and_then(|(_, path)| path.strip_suffix('>')?.strip_prefix(&root));
        if let Some(path) = path {
            *counts.entry(path.to_owned()).or_insert(0) += 1;
        }
    }
    Some(counts)
}

/// How many files of a name were opened, and the highest number of opens of one of them.
fn of(counts: &BTreeMap<String, usize>, below: &str, name: &str) -> (usize, usize) {
    let is_meant = |path: &&String| path.starts_with(below) && path.ends_with(&format!("/{name}"));
    let counts = counts.iter().filter(|(path, _)| is_meant(path)).map(|(_, count)| *count);
    (counts.clone().count(), counts.max().unwrap_or(0))
}

/// A sandbox with a manifest and twenty skills of three files each.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    for number in 0..20 {
        sandbox.good_skill(&format!("src/skill-{number}"));
        sandbox.write(format!("src/skill-{number}/data/table.csv"), format!("{number}"));
        sandbox.write(format!("src/skill-{number}/notes.txt"), "notes");
    }
    let inline = "{ name: greet, title: Greet, description: Greets. Use for greetings., template: Hello, tools: [say] }";
    sandbox.write("skills.yaml", format!("skills:\n  - ./src\n  - inline: {inline}\n"));
    sandbox
}

#[test]
fn a_manifest_is_read_once() {
    let sandbox = sandbox();
    for arguments in
        ["lock", "lock --upgrade", "outdated", "install --dir out", "mount --prompt prompt -- true"]
    {
        let Some(counts) = opened(&sandbox, arguments) else { return };
        assert_eq!(counts.get("skills.yaml"), Some(&1), "{arguments}");
        assert!(counts.get("skills.lock").is_none_or(|count| *count == 1), "{arguments}");
    }
    assert!(sandbox.read("prompt").contains("skills.greet"));
}

#[test]
fn a_skill_is_read_once_to_judge_compare_and_copy_it() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let install = |arguments: &str, once: usize| {
        let counts = opened(&sandbox, &format!("install {arguments}"))?;
        assert_eq!(of(&counts, "src/", "SKILL.md"), (20, 1), "{arguments}");
        for name in ["table.csv", "notes.txt"] {
            assert_eq!(of(&counts, "src/", name), (20, once), "{arguments}: {name}");
        }
        Some(())
    };
    if install("--dir out --frozen --dry-run", 1).is_none() {
        return;
    }
    install("--dir out", 1);
    install("--dir out --frozen", 1);
    for number in 0..20 {
        sandbox.write(format!("src/skill-{number}/data/table.csv"), format!("new {number}"));
    }
    assert_eq!(sandbox.run(["lock"]).code, 0);
    install("--dir out --frozen --force", 1);
    install("--agent claude --agent codex --scope project", 1);
    std::fs::remove_file(sandbox.path("skills.lock")).unwrap();
    install("--dir other", 1);
}

#[test]
fn asking_about_one_skill_for_an_agent_touches_no_other() {
    let sandbox = sandbox();
    sandbox.write("src/.gitignore", "skill-3\n");
    for agent in ["claude", "codex", "opencode", "copilot", "gemini", "pi"] {
        for verb in ["list src/skill-2 --agent", "render src/skill-2 --as"] {
            let arguments = format!("{verb} {agent}");
            if sandbox.shell(&format!("{TRACE} true")).code != 0 {
                skip("strace is missing, or may not trace");
                return;
            }
            let trace = "strace -f -qq -y -o trace -e trace=%file,getdents64";
            let run = sandbox.shell(&format!("{trace} \"$SKILLS\" {arguments}"));
            assert_eq!(run.code, 0, "{arguments}: {}", run.all());
            assert!(run.stdout.contains("skill-2"), "{arguments}: {}", run.all());
            let trace = fs::read_to_string(sandbox.path("trace")).unwrap();
            let others = trace.lines().filter(|line| {
                line.contains("/skill-")
                    && !line.contains("/skill-2/")
                    && !line.contains("/skill-2\"")
                    && !line.contains("/skill-2>")
            });
            assert_eq!(others.collect::<Vec<_>>(), [""; 0], "{arguments}");
        }
    }
}

#[test]
fn an_agent_treats_one_skill_as_it_does_among_others() {
    let sandbox = sandbox();
    sandbox.write("src/.gitignore", "skill-3\n");
    sandbox.good_skill("src/.hidden");
    sandbox.good_skill("src/node_modules");
    let row = |source: &str, agent: &str, name: &str| {
        let list = sandbox.document(["list", source, "--agent", agent, "--format", "json", "-v"]);
        let rows = list["skills"].as_array().unwrap().clone();
        let is_it = |row: &serde_json::Value| row["path"].as_str().unwrap().ends_with(name);
        rows.into_iter().find(is_it)
    };
    for agent in ["claude", "codex", "opencode", "copilot", "gemini", "pi"] {
        for name in ["/skill-2", "/skill-3", "/.hidden", "/node_modules"] {
            let alone = row(&format!("src{name}"), agent, name);
            assert_eq!(alone, row("src", agent, name), "{agent} {name}");
            assert!(alone.is_some(), "{agent} {name}");
        }
    }
    // A skill around it hides it from Pi and Copilot.
    sandbox.good_skill("src");
    for agent in ["copilot", "pi"] {
        let alone = row("src/skill-2", agent, "/skill-2").unwrap();
        assert_eq!(alone["status"], "invalid", "{agent}");
    }
}

#[test]
fn the_view_of_an_agent_opens_each_skill_once() {
    let sandbox = Sandbox::repository();
    for number in 0..20 {
        sandbox.good_skill(&format!(".agents/skills/skill-{number}"));
        sandbox.good_skill(&format!(".claude/skills/skill-{number}"));
    }
    for agent in ["claude", "codex", "copilot", "gemini", "opencode", "pi"] {
        for more in ["", "--format json", "-v"] {
            let Some(counts) = opened(&sandbox, &format!("list --agent {agent} {more}")) else {
                return;
            };
            let (skills, most) = of(&counts, ".", "SKILL.md");
            assert!(skills >= 20, "{agent} {more}: {skills}");
            assert_eq!(most, 1, "{agent} {more}");
        }
    }
}

#[test]
fn a_lock_is_compared_while_skills_are_read() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(["lock"]).code, 0);
    for arguments in ["list --frozen", "list --frozen --format json", "render --frozen", "validate"]
    {
        let Some(counts) = opened(&sandbox, arguments) else { return };
        for name in ["SKILL.md", "table.csv", "notes.txt"] {
            assert_eq!(of(&counts, "src/", name), (20, 1), "{arguments}: {name}");
        }
    }
}

#[test]
fn a_card_reads_each_file_once() {
    let sandbox = sandbox();
    let Some(counts) = opened(&sandbox, "show ./src/skill-2") else { return };
    for name in ["SKILL.md", "table.csv", "notes.txt"] {
        assert_eq!(of(&counts, "src/", name), (1, 1), "{name}");
    }
    let Some(counts) = opened(&sandbox, "show src --only skill-2") else { return };
    for name in ["table.csv", "notes.txt"] {
        assert_eq!(of(&counts, "src/", name), (1, 1), "{name}");
    }
}

#[test]
fn a_list_compares_only_skills_that_share_a_name() {
    let sandbox = Sandbox::repository();
    for number in 0..5 {
        for place in [".claude", ".agents"] {
            let name =
                if number == 0 { "shared".to_owned() } else { format!("own-{number}{place}") };
            let name = name.replace('.', "-");
            sandbox.good_skill(&format!("{place}/skills/{name}"));
            sandbox.write(format!("{place}/skills/{name}/notes.txt"), "notes");
        }
    }
    let Some(counts) = opened(&sandbox, "list") else { return };
    assert_eq!(of(&counts, ".", "notes.txt"), (2, 1));
    let shared = counts.iter().filter(|(path, _)| path.ends_with("shared/SKILL.md"));
    assert_eq!(shared.map(|(_, count)| *count).collect::<Vec<_>>(), [2, 2]);
    let others = counts.iter().filter(|(path, _)| path.contains("/own-"));
    assert!(others.clone().count() >= 8 && others.clone().all(|(_, count)| *count == 1));
}
