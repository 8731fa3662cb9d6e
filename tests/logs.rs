//! `-vv` logs what a run opened, decided, copied and ran, with times. The log cannot control a
//! terminal and contains no secrets.

use crate::harness::{Run, Sandbox, good_text};
use crate::origin::Origin;

/// The messages of the log, without times and levels.
fn story(run: &Run) -> Vec<String> {
    let message = |line: &str| {
        let (time, rest) = line.trim_start().split_once("s DEBUG ")?;
        time.parse::<f64>().ok()?;
        Some(rest.to_owned())
    };
    run.stderr.lines().filter_map(message).collect()
}

/// Checks that these messages come in this order.
fn assert_in_order(run: &Run, expected: &[&str]) {
    let story = story(run);
    let mut rest = story.iter();
    for message in expected {
        assert!(rest.any(|line| line.starts_with(message)), "{message}: {story:#?}");
    }
}

#[test]
fn installing_is_told_step_by_step() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    sandbox.write("skills.yaml", "skills: [./src, {source: ./other, enabled: false}]\n");
    let run = sandbox.run(["install", "-vv"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_in_order(
        &run,
        &[
            "reading the manifest path=\"skills.yaml\"",
            "decided about an entry of the manifest line=1 is_enabled=true is_collected=true",
            "decided about an entry of the manifest line=1 is_enabled=false",
            "searching source=[DIR]/project/src",
            "opened skill=\"pdf\" path=\"[DIR]/project/src/pdf\"",
            "judged skill=\"pdf\" verdict=\"active\"",
            "copied skill=\"pdf\" files=1",
            "everything is in place",
            "decided skill=\"pdf\" action=\"created\"",
        ],
    );
    assert!(story(&sandbox.run(["install", "-v"])).is_empty());
}

#[test]
fn rendering_is_told() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    let run = sandbox.run(["render", "src", "-vv"]);
    assert_in_order(&run, &["searching", "opened", "rendering skills=1 format=Xml"]);
}

#[cfg(unix)]
#[test]
fn mounting_is_told_without_secrets() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    sandbox.write("../home/.claude/.credentials.json", "hush-login");
    let args =
        ["mount", "src", "-vv", "--agent", "claude", "--", "sh", "-c", "exit 3", "hush-prompt"];
    let run = sandbox.run_with(args, |command| {
        command.env("ANTHROPIC_API_KEY", "hush-key").env("CLAUDE_CONFIG_DIR", "../home/.claude");
    });
    assert_eq!(run.code, 3, "{}", run.all());
    assert_in_order(
        &run,
        &[
            "opened skill=\"pdf\"",
            "making a home path=\"[DIR]/tmp/agent-",
            "decided about the environment set=[\"DISABLE_AUTOUPDATER\", \"HOME\"] removed={",
            "copied skill=\"pdf\"",
            "providing a login agent=\"claude\"",
            "running the command file=",
            "the command has ended code=3",
            "removing the home",
        ],
    );
    assert!(!run.all().contains("hush-"), "{}", run.all());
}

#[test]
fn git_is_told_without_credentials() {
    let sandbox = Sandbox::repository();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let run = sandbox.run(["list", &origin.source("//skills/pdf"), "-vv"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_in_order(
        &run,
        &["running git arguments=", "git has ended status=", "opened skill=\"pdf\""],
    );
    let run = sandbox.run(["list", "git+https://me:hush-password@127.0.0.1:9/r.git", "-vv"]);
    assert!(!run.stderr.contains("hush-password"), "{}", run.all());
}

#[test]
fn names_cannot_steer_a_terminal_through_logs() {
    let sandbox = Sandbox::repository();
    let name = "e\u{1b}]0;title\u{7}\u{202e}vil";
    sandbox.skill(&format!("src/{name}"), &good_text("pdf"));
    let run = sandbox.run(["list", "src", "-vv"]);
    let is_raw = |c: char| matches!(c, '\u{1b}' | '\u{7}' | '\u{202e}');
    assert!(!run.all().contains(is_raw), "{:?}", run.all());
    assert!(story(&run).iter().any(|line| line.starts_with("opened")), "{}", run.stderr);
}
