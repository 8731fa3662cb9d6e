//! What skills need: read from `compatibility` and from the fields of agents, never guessed, and
//! compared with the machine without running anything.

use serde_json::json;

use crate::harness::{Run, Sandbox, text};

/// The warnings of a run, without the word.
fn warnings(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter_map(|line| line.strip_prefix("warning: ")).collect()
}

/// A directory on PATH with a program that leaves a trace when it is run.
fn with_program(sandbox: &Sandbox, name: &str) -> std::path::PathBuf {
    sandbox.write(format!("bin/{name}"), "#!/bin/sh\ntouch \"$0.was-run\"\n");
    #[cfg(unix)]
    sandbox.chmod(format!("bin/{name}"), 0o755);
    sandbox.path("bin")
}

#[test]
fn install_and_mount_warn_what_this_machine_lacks() {
    let sandbox = Sandbox::repository();
    let needs = "compatibility: Requires `here-tool` 2.0+, `no-such-tool` and internet access\n\
                 metadata: {\"openclaw\": {\"requires\": {\"env\": [\"NO_SUCH_KEY\", \"A_KEY\"]}}}\n";
    sandbox.skill("skills/pdf", &text("pdf", needs));
    let bin = with_program(&sandbox, "here-tool");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let expected = ["`pdf` needs `no-such-tool`, which is not on PATH; needs the variable \
                     `NO_SUCH_KEY`, which is not set; compatibility: Requires `here-tool` 2.0+, \
                     `no-such-tool` and internet access"];
    let mount = ["mount", "skills", "--agent", "claude", "--", "true"];
    for args in [&["install", "skills"][..], &["install", "skills", "--dry-run"], &mount] {
        let run = sandbox.run_with(args, |command| {
            command.env("PATH", &path).env("A_KEY", "1");
        });
        assert_eq!(run.code, 0, "{}", run.all());
        assert_eq!(warnings(&run), expected, "{args:?}");
    }
    assert!(!sandbox.path("bin/here-tool.was-run").exists(), "nothing is run to find out");
    let report = sandbox.document(["install", "skills", "--format", "json"]);
    let names: Vec<_> =
        report["lacking"].as_array().unwrap().iter().map(|one| one["needs"].clone()).collect();
    assert_eq!(
        names,
        [json!(["here-tool"]), json!(["no-such-tool"]), json!(["NO_SUCH_KEY"]), json!(["A_KEY"])]
    );
    assert_eq!(report["lacking"][0]["message"], "needs `here-tool` 2.0+, which is not on PATH");
}

#[test]
fn an_isolated_agent_lacks_what_it_does_not_get() {
    let sandbox = Sandbox::repository();
    let needs = "metadata: {openclaw: {requires: {env: [SECRET_OF_MINE]}}}\n";
    sandbox.skill("skills/pdf", &text("pdf", needs));
    sandbox.write("skills.yaml", "isolation: {}\nskills: [./skills]\n");
    let run = |args: &[&str]| {
        let run = sandbox.run_with(args, |command| {
            command.env("SECRET_OF_MINE", "1").env("ANTHROPIC_API_KEY", "k");
        });
        assert_eq!(run.code, 0, "{}", run.all());
        run
    };
    assert!(warnings(&run(&["mount", "skills", "--agent", "claude", "--", "true"])).is_empty());
    assert_eq!(
        warnings(&run(&["mount", "--agent", "claude", "--", "true"])),
        [
            "nobody has checked whether the command undoes `isolation`: what `true` starts is not \
             known",
            "`pdf` needs the variable `SECRET_OF_MINE`, which is not set",
        ]
    );
}

#[test]
fn systems_and_agents_are_compared_with_those_that_are_meant() {
    let sandbox = Sandbox::repository();
    let foreign = if cfg!(windows) { "Linux" } else { "Windows" };
    sandbox.skill("skills/a", &text("a", &format!("compatibility: {foreign} only\n")));
    sandbox.skill("skills/b", &text("b", "compatibility: Claude Code only\n"));
    sandbox.skill("skills/c", &text("c", "compatibility: Designed for Claude Code\n"));
    let run = sandbox.run(["install", "skills", "--agent", "codex"]);
    let told = warnings(&run);
    assert!(told[0].starts_with(&format!("`a` runs on {foreign}, and this is ")), "{told:?}");
    assert_eq!(
        told[1..],
        ["`b` is only for claude, not for codex; compatibility: Claude Code only"]
    );
    let run = sandbox.run(["install", "skills/b", "--agent", "claude"]);
    assert!(warnings(&run).is_empty(), "{}", run.all());
}

#[test]
fn text_that_is_not_understood_is_quoted_and_no_reason_to_warn() {
    let sandbox = Sandbox::repository();
    for (number, words) in [
        "Optionally uses no-such-tool",
        "Requires either `no-such-tool`, `none-either`",
        "Does not need `no-such-tool`",
        "Requires no-such-package, unless it is Tuesday",
        "Works with any model",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("skill-{number}");
        sandbox
            .skill(&format!("skills/{name}"), &text(&name, &format!("compatibility: {words}\n")));
    }
    let run = sandbox.run(["install", "skills", "-v"]);
    assert_eq!((run.code, warnings(&run).len()), (0, 0), "{}", run.all());
    assert!(run.stderr.contains("note: `skill-4` compatibility: Works with any model\n"));
    let run = sandbox.run(["install", "skills", "--dry-run"]);
    let last = "note: 2 more skills with a compatibility text, shown with -v\n";
    assert!(run.stderr.ends_with(last), "{}", run.stderr);
}

#[test]
fn a_compatibility_that_is_met_is_quoted_on_one_short_line() {
    let sandbox = Sandbox::repository();
    let stated = |words: &str| {
        sandbox.skill("skills/pdf", &text("pdf", &format!("compatibility: {words}\n")));
        let path = with_program(&sandbox, "here-tool");
        let run = sandbox.run_with(["install", "skills"], |command| {
            command.env("PATH", path);
        });
        assert_eq!(run.code, 0, "{}", run.all());
        run.stderr
    };
    assert_eq!(
        stated("Requires here-tool 3.99+"),
        "note: `pdf` compatibility: Requires here-tool 3.99+\n"
    );
    let long = stated(&format!("\"Requires\\n here-tool {}\"", "word ".repeat(90)));
    assert!(long.starts_with("note: `pdf` compatibility: Requires "), "{long}");
    assert!(long.lines().count() == 1 && long.len() < 240, "{long}");
    assert_eq!(stated("''"), "");
    stated("Requires here-tool");
    assert_eq!(sandbox.run(["install", "skills", "-q"]).stderr, "");
}

#[test]
fn hostile_requirements_are_bounded_and_printed_safely() {
    let sandbox = Sandbox::repository();
    let many: Vec<String> = (0..500).map(|number| format!("no-such-{number}")).collect();
    let needs = format!("requires: {{bins: [{}, \"e\\\\u202evil\"]}}\n", many.join(", "));
    sandbox.skill("skills/pdf", &text("pdf", &needs));
    let run = sandbox.run(["install", "skills"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(warnings(&run).len(), 1, "{}", run.stderr);
    assert!(warnings(&run)[0].ends_with("more needs, shown with -v"), "{}", run.stderr);
    let run = sandbox.run(["install", "skills", "-v"]);
    assert!(!run.all().contains('\u{202e}'), "{}", run.all());
}
