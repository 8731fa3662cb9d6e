//! `skills remove` and `skills verify`.

use std::fs;

use serde_json::Value;

use crate::install::{SKILLS, sandbox};

#[test]
fn removing_deletes_only_installed_skills() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.home_skill(".claude/skills/mine");
    let dry = sandbox.run(["remove", "pdf", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.all());
    assert!(sandbox.path(SKILLS).join("pdf").exists());
    let refused = sandbox.run(["remove", "pdf", "mine"]);
    assert_eq!(refused.code, 1, "{}", refused.all());
    assert!(refused.stderr.contains("was not installed by `skills`"), "{}", refused.stderr);
    assert!(sandbox.path(SKILLS).join("pdf").exists(), "all or nothing");
    let run = sandbox.run(["remove", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    insta::assert_snapshot!("removed", run.stdout);
    assert!(!sandbox.path(SKILLS).join("pdf").exists());
    let index: Value =
        serde_json::from_str(&sandbox.read(format!("{SKILLS}/.skills-index.json"))).unwrap();
    assert_eq!(index["skills"].as_array().unwrap().len(), 1);

    sandbox.write(format!("{SKILLS}/csv/SKILL.md"), "edited");
    assert_eq!(sandbox.run(["remove", "csv"]).code, 1);
    let report = sandbox.document(["remove", "csv", "mine", "--force", "--format", "json"]);
    assert_eq!(report["skills"].as_array().unwrap().len(), 2);
    assert!(report["skills"][0]["backup"].is_string(), "{report:#}");
    assert!(sandbox.path("../home/.claude/.skills-backup").is_dir());

    // Only the record of a deleted skill is left.
    sandbox.run(["install", "src"]);
    fs::remove_dir_all(sandbox.path(SKILLS).join("csv")).unwrap();
    assert_eq!(sandbox.run(["verify"]).code, 1);
    assert_eq!(sandbox.run(["remove", "csv"]).code, 0);
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
fn verify_names_every_difference() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.home_skill(".claude/skills/mine");
    assert_eq!(sandbox.run(["verify"]).code, 0);
    sandbox.write(format!("{SKILLS}/pdf/SKILL.md"), "changed");
    sandbox.write(format!("{SKILLS}/pdf/extra.txt"), "extra");
    fs::remove_file(sandbox.path(SKILLS).join("pdf/data/notes.txt")).unwrap();
    #[cfg(unix)]
    sandbox.chmod(format!("{SKILLS}/pdf/scripts/run.sh"), 0o644);
    fs::remove_dir_all(sandbox.path(SKILLS).join("csv")).unwrap();
    let run = sandbox.run(["verify", "-v"]);
    assert_eq!(run.code, 1);
    insta::assert_snapshot!("verified", run.stdout);
    let report = sandbox.document(["verify", "--format", "json"]);
    let summary = &report["summary"];
    let number = |key: &str| summary[key].as_u64().unwrap();
    assert_eq!(["skills", "ok", "modified", "missing", "unrecorded"].map(number), [3, 0, 1, 1, 1]);
    let files: Vec<(&str, &str)> = report["skills"][2]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["status"].as_str().unwrap()))
        .collect();
    assert_eq!(
        files,
        [
            ("SKILL.md", "modified"),
            ("data/notes.txt", "missing"),
            ("extra.txt", "extra"),
            ("scripts/run.sh", "modified"),
        ]
    );
    let long = sandbox.run(["list", "--long", "--only", "pdf"]);
    assert!(long.stdout.contains("installed from src/pdf on 2"), "{}", long.stdout);
    assert!(long.stdout.contains(", edited since"), "{}", long.stdout);
    let listed = sandbox.document(["list", "--long", "--format", "json", "--only", "pdf"]);
    assert_eq!(listed["skills"][0]["installed"]["edited"], true);
}

#[test]
fn globs_all_and_every_agent_choose_what_is_removed() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.run(["install", "src", "--agent", "codex"]);
    sandbox.home_skill(".claude/skills/pdf-own");
    let missed = sandbox.run(["remove", "x*"]);
    assert_eq!(missed.code, 1, "{}", missed.all());
    assert!(missed.stderr.contains("no installed skill matches `x*`"), "{}", missed.stderr);
    assert!(missed.stderr.contains("installed there: csv, pdf"), "{}", missed.stderr);
    let run = sandbox.run(["remove", "p?f*"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path(SKILLS).join("pdf-own").exists(), "a glob means installed skills");
    assert!(!sandbox.path(SKILLS).join("pdf").exists());
    assert!(run.stderr.contains("`pdf` is also in `~/.agents/skills`"), "{}", run.stderr);
    let run = sandbox.run(["remove", "csv", "--agent", "all"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!run.stderr.contains("is also in"), "{}", run.stderr);
    assert!(!sandbox.path("../home/.agents/skills/csv").exists());
    let run = sandbox.run(["remove", "--all", "--agent", "codex"]);
    assert!(run.code == 0 && run.stdout.contains("1 removed"), "{}", run.all());
    let run = sandbox.run(["remove", "--all"]);
    assert!(run.code == 0 && run.stdout.contains("nothing to do"), "{}", run.all());
    assert_eq!(sandbox.run(["remove", "pdf", "--all"]).code, 2);
    assert_eq!(sandbox.run(["remove"]).code, 2);
    assert!(sandbox.path(SKILLS).join("pdf-own").exists());
}

#[test]
fn scripts_learn_where_other_copies_are() {
    let sandbox = sandbox();
    sandbox.run(["install", "src", "--agent", "claude", "--agent", "codex", "--agent", "opencode"]);
    sandbox.run(["install", "src", "--dir", "apart"]);
    let report = sandbox.document(["remove", "pdf", "csv", "-n", "--format", "json"]);
    let copies = report["other_copies"].as_array().unwrap();
    let all: Vec<(&str, String)> = copies
        .iter()
        .map(|copy| {
            let path = copy["path"].as_str().unwrap().replace("[DIR]", "");
            (copy["name"].as_str().unwrap(), path)
        })
        .collect();
    let expected = ["pdf", "csv"].map(|name| (name, format!("/home/.agents/skills/{name}")));
    assert!(expected.iter().all(|one| all.contains(one)), "{report:#}");
    assert!(!all.iter().any(|(_, path)| path.contains("/.claude/")), "{report:#}");
    let report = sandbox.document(["remove", "pdf", "--agent", "all", "--format", "json"]);
    assert_eq!(report["other_copies"], serde_json::json!([]), "{report:#}");
    let report = sandbox.document(["install", "src/csv", "--dir", "apart", "--format", "json"]);
    assert_eq!(report.get("other_copies"), None);
}
