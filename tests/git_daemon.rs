//! Skills from a git server: installed, kept current, and left alone while the server is away.

use std::fs;

use crate::daemon::Daemon;
use crate::harness::Sandbox;
use crate::origin::Origin;
use crate::update::states;

const SKILLS: &str = "../home/.claude/skills";

fn change(origin: &Origin, word: &str) -> String {
    let file = origin.path.join("skills/pdf/SKILL.md");
    let text = fs::read_to_string(&file).unwrap();
    origin.write("skills/pdf/SKILL.md", format!("{text}{word}\n"));
    origin.commit(word)
}

#[test]
fn a_server_brings_what_is_new() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let Some(server) = Daemon::serve(&origin) else { return };
    let run = sandbox.run(["install", &server.source("//skills@main")]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.run(["update", "--check"]).code, 0);
    let commit = change(&origin, "More");
    let run = sandbox.run(["update", "--check"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("outdated") && run.stdout.contains("More"), "{}", run.stdout);
    assert!(!sandbox.read(format!("{SKILLS}/pdf/SKILL.md")).ends_with("More\n"));
    assert!(sandbox.run(["outdated"]).stdout.contains("outdated  pdf"));
    let report = sandbox.document(["update", "--format", "json"]);
    let expected = [("csv", "unchanged"), ("pdf", "updated")];
    let expected = expected.map(|(name, state)| (name.to_owned(), state.to_owned()));
    assert_eq!(states(&report), expected, "{report:#}");
    assert_eq!(report["skills"][1]["to"], commit);
    assert!(sandbox.read(format!("{SKILLS}/pdf/SKILL.md")).ends_with("More\n"));
    assert_eq!(sandbox.run(["update", "--check"]).code, 0);
    // A skill that is gone upstream stays until it is pruned.
    origin.git(&["rm", "-r", "--quiet", "skills/csv"]);
    origin.commit("Drop csv");
    let report = sandbox.document(["update", "--format", "json"]);
    assert_eq!(report["skills"][0]["state"], "gone", "{report:#}");
    assert!(sandbox.path(SKILLS).join("csv").exists());
    server.stop();
}

#[test]
fn a_server_that_is_away_is_one_line_and_keeps_nobody_else_waiting() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let Some(other) = Origin::empty(&sandbox, "other") else { return };
    other.skill("zip");
    other.commit("Begin");
    let Some(server) = Daemon::serve(&origin) else { return };
    let Some(steady) = Daemon::serve(&other) else { return };
    for source in [server.source("//skills@main"), steady.source("@main")] {
        let run = sandbox.run(["install", &source]);
        assert_eq!(run.code, 0, "{}", run.all());
    }
    other.write("zip/new.md", "New.\n");
    other.commit("More");
    let before = sandbox.read(format!("{SKILLS}/pdf/SKILL.md"));
    server.stop();
    for flags in [&["update", "--check"][..], &["update"]] {
        let run = sandbox.run(flags);
        assert_eq!(run.code, 2, "{}", run.all());
        let all = run.all();
        assert_eq!(all.matches("cannot reach").count(), 2, "one line a skill: {all}");
        assert!(!all.contains("panicked") && all.lines().count() < 20, "{all}");
    }
    assert_eq!(sandbox.read(format!("{SKILLS}/zip/new.md")), "New.\n", "the others are updated");
    assert_eq!(sandbox.read(format!("{SKILLS}/pdf/SKILL.md")), before);
    assert_eq!(sandbox.run(["verify"]).code, 0);
    // What was fetched is still here.
    let run = sandbox.run(["update", "--offline"]);
    assert_eq!(run.code, 0, "{}", run.all());
    steady.stop();
}
