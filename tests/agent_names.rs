//! One list of agents for every command, and lists of names with commas.

use crate::harness::{Sandbox, good_text};

#[test]
fn every_command_knows_the_same_agents() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    for agent in
        ["goose", "letta", "vscode", "openclaw", "cursor", "omp", "claude-code", "oh-my-pi", "Kiro"]
    {
        for args in [
            &["install", "src", "--dry-run", "--agent", agent][..],
            &["verify", "--agent", agent],
            &["list", "--agent", agent],
            &["list", "--source", agent],
            #[cfg(unix)]
            &["mount", "src", "--agent", agent, "--", "true"],
        ] {
            let run = sandbox.run(args);
            assert_eq!(run.code, 0, "{args:?}: {}", run.all());
        }
    }
    for args in [
        &["install", "src", "--agent", "cursr"][..],
        &["list", "--agent", "cursr"],
        &["list", "--source", "cursr"],
        &["mount", "src", "--agent", "cursr"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.all());
        assert!(run.stderr.contains("did you mean `cursor`?"), "{args:?}: {}", run.stderr);
    }
    // How an agent reads skills is known only if it was observed.
    let run = sandbox.run(["validate", "src", "--agent", "cursor"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("how `cursor` reads skills was not observed"), "{}", run.stderr);
}

#[test]
fn the_directories_of_an_agent_are_listed_where_no_more_is_known() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".cursor/skills/theirs");
    sandbox.good_skill(".agents/skills/shared");
    sandbox.home_skill(".claude/skills/other");
    let run = sandbox.run(["list", "--agent", "cursor", "--format", "names"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "shared\ntheirs\n"), "{}", run.all());
    assert_eq!(
        run.stderr,
        "note: how `cursor` reads skills was not observed; these are the skills in its directories\n"
    );
    // Several agents have no common view, so their directories are listed.
    let several = sandbox.run(["list", "--agent", "cursor,claude", "--format", "names"]);
    assert_eq!((several.code, several.stdout.as_str()), (0, "shared\nother\ntheirs\n"));
    assert!(several.stderr.contains("in the directories of these agents"), "{}", several.stderr);
    let all = sandbox.run(["list", "--agent", "all", "--format", "names"]);
    assert_eq!((all.code, all.stdout.as_str()), (0, "shared\nother\n"), "{}", all.all());
}

#[cfg(unix)]
#[test]
fn a_home_for_an_agent_of_which_little_is_known_has_its_directory() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    let line = "cd \"$HOME\"; find . -name SKILL.md; echo \"${GROK_HOME-unset}\"";
    let run = sandbox.run_with(
        ["mount", "src", "--agent", "cursor,grok", "--", "sh", "-c", line],
        |command| {
            command.env("GROK_HOME", "/elsewhere");
        },
    );
    assert_eq!(run.code, 0, "{}", run.all());
    let mut lines: Vec<&str> = run.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["./.cursor/skills/pdf/SKILL.md", "./.grok/skills/pdf/SKILL.md", "unset"]);
    assert!(
        run.stderr.contains("what `cursor` needs besides its skills directory"),
        "{}",
        run.stderr
    );
}

#[test]
fn lists_are_split_at_commas() {
    let sandbox = Sandbox::repository();
    for name in ["a-one", "a-two", "b-one", "c-one"] {
        sandbox.skill(&format!("src/{name}"), &good_text(name));
    }
    let names = |args: &[&str]| {
        let run = sandbox.run([&["list", "src", "--format", "names"], args].concat());
        assert_eq!(run.code, 0, "{args:?}: {}", run.all());
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&["--only", "a-one,b-one"]), "a-one b-one");
    assert_eq!(names(&["--allow", "a-*,c-*"]), "a-one a-two c-one");
    assert_eq!(names(&["--allow", "{a,b}-one"]), "a-one b-one");
    assert_eq!(names(&["--allow", "{a,b}-*,c-one", "--deny", "{a,c}-one,b-*"]), "a-two");
    let run = sandbox.run(["install", "src", "--agent", "claude,codex", "--dry-run"]);
    assert!(
        run.stdout.contains("~/.claude/skills: 4") && run.stdout.contains("~/.agents/skills: 4")
    );
    assert_eq!(sandbox.run(["validate", "src", "--agent", "claude,pi"]).code, 0);
}

#[test]
fn all_stands_for_every_observed_agent() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    let directories = |verb: &[&str]| {
        let run = sandbox.run([verb, &["--agent", "all"]].concat());
        assert_eq!(run.code, 0, "{verb:?}: {}", run.all());
        ["~/.claude/skills: 1", "~/.agents/skills: 1"].map(|one| run.stdout.contains(one))
    };
    assert_eq!(directories(&["install", "src"]), [true, true]);
    assert_eq!(directories(&["verify"]), [true, true]);
    assert_eq!(directories(&["remove", "pdf"]), [true, true]);
    assert_eq!(sandbox.run(["validate", "src", "--agent", "all"]).code, 0);
}

#[test]
fn no_validate_is_not_recommended_where_it_would_not_help() {
    let sandbox = Sandbox::repository();
    sandbox.skill("unsafe", &good_text("unsafe").replace("PDF", "P\u{202e}DF"));
    sandbox.write("Bad_Stem.md", good_text("bad"));
    sandbox.skill("lost", "no front matter\n");
    for source in ["unsafe", "Bad_Stem.md"] {
        let run = sandbox.run(["install", source, "--dir", "out"]);
        assert_eq!(run.code, 1, "{source}: {}", run.all());
        assert!(!run.stderr.contains("--no-validate"), "{source}: {}", run.stderr);
        assert_eq!(sandbox.run(["install", source, "--dir", "out", "--no-validate"]).code, 1);
    }
}
