//! `skills disable` and `skills enable`.

use std::fs;

use serde_json::Value;

use crate::harness::Sandbox;
use crate::install::{SKILLS, sandbox};

const ROOM: &str = "../home/.claude/.skills-disabled/of-skills";

#[test]
fn a_disabled_skill_is_out_of_sight_and_comes_back_with_its_edits() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(["install", "src"]).code, 0);
    let index = sandbox.read(format!("{SKILLS}/.skills-index.json"));
    sandbox.write(format!("{SKILLS}/pdf/notes.txt"), "edited");
    let dry = sandbox.run(["disable", "pdf", "-n"]);
    assert!(dry.code == 0 && dry.stdout.contains("dry run"), "{}", dry.all());
    assert!(sandbox.path(SKILLS).join("pdf").exists());
    let run = sandbox.run(["disable", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("1 disabled"), "{}", run.stdout);
    assert!(!sandbox.path(SKILLS).join("pdf").exists());
    assert_eq!(sandbox.read(format!("{ROOM}/pdf/notes.txt")), "edited");
    assert_eq!(sandbox.read(format!("{SKILLS}/.skills-index.json")), index, "the record stays");
    // Every verb knows.
    let agents = sandbox.run(["list", "--agent", "claude", "--format", "names"]);
    assert_eq!(agents.stdout, "csv\n");
    let listed = sandbox.document(["list", "--format", "json", "--only", "pdf"]);
    let row = &listed["skills"][0];
    assert_eq!((&row["status"], &row["reason"]), (&"disabled".into(), &"`skills disable`".into()));
    assert!(row["installed"]["source"].is_string(), "{row:#}");
    let card = sandbox.run(["show", "pdf"]);
    assert!(card.code == 0 && card.stdout.starts_with("pdf  disabled\n"), "{}", card.all());
    let verified = sandbox.document(["verify", "--format", "json"]);
    assert_eq!(verified["summary"]["disabled"], 1, "{verified:#}");
    assert_eq!(sandbox.run(["verify"]).code, 0);
    let again = sandbox.run(["install", "src/pdf", "--force"]);
    assert_eq!(again.code, 1, "{}", again.all());
    assert!(again.stderr.contains("use `skills enable pdf` first"), "{}", again.stderr);
    // A second time changes nothing.
    let run = sandbox.run(["disable", "pdf"]);
    assert!(run.code == 0 && run.stdout.contains("1 unchanged"), "{}", run.all());
    let report = sandbox.document(["enable", "pdf", "--format", "json"]);
    assert_eq!(report["skills"][0]["action"], "enabled", "{report:#}");
    assert_eq!(sandbox.read(format!("{SKILLS}/pdf/notes.txt")), "edited");
    assert!(!sandbox.path("../home/.claude/.skills-disabled").exists());
}

#[test]
fn globs_choose_skills_and_unknown_names_are_refused() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.home_skill(".agents/skills/csv-own");
    let run = sandbox.run(["disable", "c*"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path(SKILLS).join("csv").exists());
    assert!(!sandbox.path("../home/.agents/skills/csv-own").exists(), "without an agent, all");
    let lost = sandbox.run(["disable", "x*"]);
    assert!(lost.code == 1 && lost.stderr.contains("no installed skill matches `x*`"));
    let lost = sandbox.run(["enable", "nope"]);
    assert!(lost.code == 1 && lost.stderr.contains("no skill named `nope`"), "{}", lost.stderr);
    assert_eq!(sandbox.run(["enable", "*"]).code, 0);
    assert!(sandbox.path(SKILLS).join("csv").exists());
    assert!(sandbox.path("../home/.agents/skills/csv-own").exists());
}

#[test]
fn a_disabled_skill_can_be_removed_and_stays_disabled_if_it_is_not() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    assert_eq!(sandbox.run(["disable", "pdf", "csv"]).code, 0);
    sandbox.write(format!("{ROOM}/csv/SKILL.md"), "edited");
    let run = sandbox.run(["remove", "csv"]);
    assert!(run.code == 1 && run.stderr.contains("was edited"), "{}", run.all());
    assert!(sandbox.path(ROOM).join("csv").exists());
    let run = sandbox.run(["remove", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path(ROOM).join("pdf").exists() && !sandbox.path(SKILLS).join("pdf").exists());
    assert_eq!(sandbox.run(["remove", "csv", "--force"]).code, 0);
    assert!(!sandbox.path("../home/.claude/.skills-disabled").exists());
}

#[test]
fn a_skill_that_is_there_twice_is_moved_nowhere() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.run(["disable", "pdf"]);
    sandbox.home_skill(".claude/skills/pdf");
    for verb in ["disable", "enable"] {
        let run = sandbox.run([verb, "pdf", "csv"]);
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("both exist"), "{}", run.stderr);
    }
    assert!(sandbox.path(SKILLS).join("csv").exists(), "all or nothing");
    assert!(sandbox.path(ROOM).join("pdf").exists());
}

#[cfg(unix)]
#[test]
fn links_in_place_of_the_room_or_a_skill_are_not_followed() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    fs::create_dir_all(sandbox.path("victim")).unwrap();
    let victim = sandbox.path("victim");
    std::os::unix::fs::symlink(&victim, sandbox.path("../home/.claude/.skills-disabled")).unwrap();
    let run = sandbox.run(["disable", "pdf"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(sandbox.path(SKILLS).join("pdf").exists());
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
    fs::remove_file(sandbox.path("../home/.claude/.skills-disabled")).unwrap();
    std::os::unix::fs::symlink(&victim, sandbox.path(SKILLS).join("linked")).unwrap();
    let run = sandbox.run(["disable", "linked"]);
    assert!(run.code == 1 && run.stderr.contains("a symbolic link"), "{}", run.all());
    // A cloned directory for disabled skills can contain names that are not skills.
    sandbox.write(format!("{ROOM}/\u{1b}[2Jevil/SKILL.md"), "x");
    let run = sandbox.run(["list"]);
    assert!(!run.all().contains('\u{1b}'), "{}", run.all());
    let run = sandbox.run(["enable", "../victim"]);
    assert!(run.code == 2 && run.stderr.contains("not a valid skill name"), "{}", run.all());
}

#[test]
fn a_read_only_skill_stays_read_only() {
    let sandbox = sandbox();
    sandbox.run(["install", "src/pdf", "--read-only"]);
    assert_eq!(sandbox.run(["disable", "pdf"]).code, 0);
    assert_eq!(sandbox.run(["enable", "pdf"]).code, 0);
    assert_eq!(sandbox.run(["verify"]).code, 0);
    let mode = sandbox.path(SKILLS).join("pdf").metadata().unwrap().permissions();
    assert!(mode.readonly());
}

/// Killed at any system call, the skill is enabled or disabled, and whole.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_loses_nothing() {
    if crate::harness::lacks(&["strace"]) {
        return;
    }
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.good_skill("other");
    let whole = sandbox.read(format!("{SKILLS}/pdf/SKILL.md"));
    for number in 1..40 {
        for verb in ["disable", "enable"] {
            let trace = format!(
                "strace -f -o /dev/null -e inject=renameat2,mkdirat,unlinkat,fsync:signal=KILL:when={number} \
                 $SKILLS {verb} pdf csv"
            );
            sandbox.shell(&trace);
            for name in ["pdf", "csv"] {
                let here = sandbox.path(SKILLS).join(name).join("SKILL.md");
                let away = sandbox.path(ROOM).join(name).join("SKILL.md");
                assert!(here.exists() != away.exists(), "{verb} {number} {name}");
            }
            // Any run cleans up first, and then all of them are here, or all of them are away.
            let run = sandbox.run(["install", "other", "-q"]);
            assert_eq!(run.code, 0, "{verb} {number}: {}", run.all());
            let here = |name: &str| sandbox.path(SKILLS).join(name).exists();
            assert_eq!(here("pdf"), here("csv"), "{verb} {number}: half a batch");
            let run = sandbox.run([verb, "pdf", "csv"]);
            assert_eq!(run.code, 0, "{verb} {number}: {}", run.all());
            let left = sandbox.shell("cd ../home/.claude; ls -A; ls -A .skills-disabled/of-skills");
            assert!(!left.stdout.contains("staging"), "{verb} {number}: {}", left.stdout);
            assert_eq!(
                left.stdout.contains(".skills-disabled"),
                verb == "disable",
                "{}",
                left.stdout
            );
        }
    }
    assert_eq!(sandbox.read(format!("{SKILLS}/pdf/SKILL.md")), whole);
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

/// If any system call fails, all skills are where they were, and nothing is left behind.
#[cfg(target_os = "linux")]
#[test]
fn a_failure_moves_nothing() {
    if crate::harness::lacks(&["strace"]) {
        return;
    }
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    let here = |name: &str| sandbox.path(SKILLS).join(name).exists();
    for call in ["mkdirat", "renameat2", "write", "unlinkat"] {
        for number in 1..8 {
            for verb in ["disable", "enable"] {
                let before = (here("pdf"), here("csv"));
                let run = sandbox.shell(&format!(
                    "strace -f -o /dev/null -e inject={call}:error=EIO:when={number} \
                     $SKILLS {verb} pdf csv"
                ));
                let place = format!("{verb}, {call} {number}: {}", run.all());
                let is_printing = call == "write" && run.stderr.contains("standard output");
                match run.code {
                    0 => assert_eq!([here("pdf"), here("csv")], [verb == "enable"; 2], "{place}"),
                    _ if is_printing => {}
                    _ => assert_eq!((here("pdf"), here("csv")), before, "{place}"),
                }
                let again = sandbox.run([verb, "pdf", "csv"]);
                assert_eq!(again.code, 0, "{place}{}", again.all());
                let left = sandbox.shell("cd ../home/.claude; ls -A");
                assert!(!left.stdout.contains("staging"), "{place}{}", left.stdout);
            }
        }
    }
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
fn a_manifest_does_not_enable_a_disabled_skill() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    assert_eq!(sandbox.run(["sync"]).code, 0);
    assert_eq!(sandbox.run(["disable", "pdf"]).code, 0);
    let run = sandbox.run(["sync"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path(ROOM).join("pdf").exists());
    let report: Value = sandbox.document(["sync", "--format", "json"]);
    assert_eq!(report["skills"][0]["action"], "unchanged", "{report:#}");
}

#[test]
fn disabled_copies_are_one_line_of_the_list() {
    let sandbox = sandbox();
    for args in [
        &["install", "src", "--agent", "claude", "--agent", "codex"][..],
        &["disable", "pdf", "--agent", "claude", "--agent", "codex"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{}", run.all());
    }
    let list = |flags: &[&str]| sandbox.run([&["list"], flags].concat()).stdout;
    let lines = |text: &str| text.lines().filter(|line| line.starts_with("pdf")).count();
    let listed = list(&[]);
    assert_eq!(lines(&listed), 1, "{listed}");
    assert!(listed.contains("2 skills in 4 copies: 1 active, 1 disabled"), "{listed}");
    assert_eq!(lines(&list(&["-v"])), 2);
    let json = sandbox.document(["list", "--format", "json", "--only", "pdf"]);
    assert_eq!(json["skills"].as_array().unwrap().len(), 2, "one entry a copy");
    // Copies that differ are two lines.
    sandbox.write(format!("{ROOM}/pdf/notes.txt"), "edited");
    assert_eq!(lines(&list(&[])), 2);
}

#[test]
fn an_update_leaves_disabled_skills_alone() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.run(["disable", "pdf"]);
    sandbox.write("src/pdf/new.md", "New.\n");
    for verb in ["update", "outdated"] {
        let run = sandbox.run([verb]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.stdout.contains("disabled  pdf"), "{}", run.stdout);
        assert!(run.stdout.contains("`skills enable pdf` brings it back"), "{}", run.stdout);
        assert!(!run.stdout.contains("gone"), "{}", run.stdout);
    }
    assert!(!sandbox.path(ROOM).join("pdf/new.md").exists());
    sandbox.run(["enable", "pdf"]);
    assert!(sandbox.run(["update"]).stdout.contains("updated  pdf"));
}
