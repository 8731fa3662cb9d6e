//! `skills install --link`: a link into the working tree, recorded as one.

use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Sandbox, good_text};

/// A sandbox with a skill that is being written.
fn writing() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    sandbox.good_skill("work/pdf");
    let link = sandbox.path("../home/.claude/skills/pdf");
    (sandbox, link)
}

fn record(sandbox: &Sandbox) -> Value {
    let text = sandbox.read("../home/.claude/skills/.skills-index.json");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn an_edit_is_seen_at_once() {
    let (sandbox, link) = writing();
    let run = sandbox.run(["install", "work/pdf", "--link"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("created"), "{}", run.stdout);
    assert!(run.stderr.contains("every edit of a linked skill"), "{}", run.stderr);
    let target = std::fs::read_link(&link).unwrap();
    assert_eq!(target, sandbox.path("work/pdf").canonicalize().unwrap());
    sandbox.write("work/pdf/SKILL.md", good_text("pdf") + "More.\n");
    assert!(std::fs::read_to_string(link.join("SKILL.md")).unwrap().ends_with("More.\n"));
    assert_eq!(record(&sandbox)["skills"][0]["linked"], true);
    // Every verb knows it, edited or not.
    let run = sandbox.run(["verify", "-v"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("linked") && run.stdout.contains("work/pdf"), "{}", run.stdout);
    assert!(sandbox.run(["list", "--agent", "claude"]).stdout.contains("pdf"));
    let run = sandbox.run(["install", "work/pdf", "--link"]);
    assert!(run.stdout.contains("unchanged"), "{}", run.stdout);
}

#[test]
fn removing_takes_the_link_and_nothing_else() {
    let (sandbox, link) = writing();
    sandbox.good_skill("work/csv");
    sandbox.run(["install", "work/pdf", "--link"]);
    sandbox.run(["install", "work/csv"]);
    let run = sandbox.run(["remove", "pdf", "csv", "--dry-run"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(link.symlink_metadata().is_ok());
    let run = sandbox.run(["remove", "pdf", "csv"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(link.symlink_metadata().is_err());
    assert!(sandbox.path("work/pdf/SKILL.md").is_file(), "the working tree is left alone");
    assert!(!sandbox.path("../home/.claude/skills/csv").exists());
    assert_eq!(record(&sandbox)["skills"].as_array().unwrap().len(), 0);
    assert_ne!(sandbox.run(["remove", "pdf"]).code, 0, "it is gone");
}

#[test]
fn a_link_that_leads_nowhere_or_elsewhere_is_reported() {
    let (sandbox, link) = writing();
    sandbox.run(["install", "work/pdf", "--link"]);
    std::fs::rename(sandbox.path("work/pdf"), sandbox.path("work/moved")).unwrap();
    let run = sandbox.run(["verify"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("missing"), "{}", run.stdout);
    std::fs::remove_file(&link).unwrap();
    sandbox.symlink("/", &link);
    let run = sandbox.run(["verify"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("modified"), "{}", run.stdout);
    // It is still a link, and removing it does not touch its target.
    assert_eq!(sandbox.run(["remove", "pdf"]).code, 0);
    assert!(link.symlink_metadata().is_err());
    assert!(sandbox.path("work/moved/SKILL.md").is_file());
}

#[test]
fn what_is_in_the_way_is_left_alone() {
    let (sandbox, link) = writing();
    sandbox.run(["install", "work/pdf"]);
    let run = sandbox.run(["install", "work/pdf", "--link", "--force"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("`skills remove pdf` first"), "{}", run.stderr);
    assert!(link.is_dir() && !link.is_symlink());
    sandbox.run(["remove", "pdf"]);
    // A link that this program did not create.
    sandbox.mkdir("other");
    sandbox.symlink(sandbox.path("other"), &link);
    let run = sandbox.run(["install", "work/pdf", "--link", "--force"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert_eq!(std::fs::read_link(&link).unwrap(), sandbox.path("other"));
    std::fs::remove_file(&link).unwrap();
    // A link of this program to another skill of that name.
    sandbox.run(["install", "work/pdf", "--link"]);
    sandbox.good_skill("new/pdf");
    assert_eq!(sandbox.run(["install", "new/pdf", "--link"]).code, 1);
    assert_eq!(sandbox.run(["install", "new/pdf", "--link", "--force"]).code, 0);
    let target = sandbox.path("new/pdf").canonicalize().unwrap();
    assert_eq!(std::fs::read_link(&link).unwrap(), target);
    // A copy does not replace a link.
    let run = sandbox.run(["install", "new/pdf", "--force"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("`skills remove pdf` removes the link"), "{}", run.stderr);
    assert!(link.is_symlink());
}

#[test]
fn nothing_is_linked_when_one_skill_cannot_be() {
    let (sandbox, _) = writing();
    sandbox.good_skill("work/csv");
    sandbox.write("../home/.claude/skills/pdf", "a file");
    let run = sandbox.run(["install", "work", "--link"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(sandbox.path("../home/.claude/skills/csv").symlink_metadata().is_err());
    let run = sandbox.run(["install", "work/csv", "--link", "--dry-run"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path("../home/.claude/skills/csv").symlink_metadata().is_err());
}

#[test]
fn only_directories_of_this_machine_are_linked() {
    let (sandbox, link) = writing();
    sandbox.run(["pack", "work/pdf", "-o", "pdf.skill"]);
    sandbox.write("note.md", good_text("note"));
    sandbox.write("skills.yaml", "skills:\n  - source: ./work/pdf\n    name: other\n");
    for args in [&["pdf.skill"][..], &["note.md"], &["--manifest", "skills.yaml"]] {
        let run = sandbox.run(["install", "--link"].iter().chain(args));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("cannot be linked"), "{args:?}: {}", run.stderr);
    }
    for flag in ["--frozen", "--read-only", "--follow-symlinks"] {
        let run = sandbox.run(["install", "work/pdf", "--link", flag]);
        assert_eq!(run.code, 2, "{flag}");
        assert!(run.stderr.contains("cannot be used with"), "{flag}: {}", run.stderr);
    }
    let run = sandbox.run(["install", "work/pdf", "--link", "--dir", "work"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(sandbox.path("work/pdf").is_dir() && !sandbox.path("work/pdf").is_symlink());
    assert!(link.symlink_metadata().is_err());
}

#[test]
fn a_frozen_lock_does_not_accept_a_link() {
    let (sandbox, _) = writing();
    sandbox.write("skills.yaml", "skills: [./work]\n");
    assert_eq!(sandbox.run(["lock"]).code, 0);
    sandbox.run(["install", "work/pdf", "--link"]);
    let run = sandbox.run(["verify", "--frozen"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("not-locked"), "{}", run.stdout);
}

#[test]
fn a_hostile_record_makes_nothing_a_link() {
    let (sandbox, link) = writing();
    sandbox.run(["install", "work/pdf"]);
    let index = "../home/.claude/skills/.skills-index.json";
    let text = sandbox.read(index).replace("\"files\": [", "\"linked\": true,\n      \"files\": [");
    sandbox.write(index, text);
    // A directory is never removed like a link.
    assert_eq!(sandbox.run(["remove", "pdf"]).code, 0);
    assert!(!link.exists());
    assert!(sandbox.path("work/pdf/SKILL.md").is_file());
}

#[cfg(unix)]
#[test]
fn a_list_marks_links() {
    let (sandbox, _) = writing();
    sandbox.good_skill("work/csv");
    sandbox.run(["install", "work/pdf", "--link"]);
    sandbox.run(["install", "work/csv"]);
    sandbox.write("work/pdf/SKILL.md", good_text("pdf") + "More.\n");
    let run = sandbox.run(["list"]);
    let line = |name: &str| run.stdout.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(line("pdf").contains("[linked] Extract"), "{}", run.stdout);
    assert!(!line("csv").contains("[linked]"), "{}", run.stdout);
    let report = sandbox.document(["list", "--format", "json"]);
    let linked = |name: &str| {
        let all = report["skills"].as_array().unwrap();
        all.iter().find(|row| row["name"] == name).unwrap()["linked"].clone()
    };
    assert_eq!((linked("pdf"), linked("csv")), (true.into(), false.into()), "{report:#}");
    let long = sandbox.run(["list", "--long", "--only", "pdf"]).stdout;
    assert!(long.contains("linked to work/pdf on 20") && !long.contains("edited"), "{long}");
    // A directory in its place is no link, whatever the record says.
    sandbox.shell("rm ../home/.claude/skills/pdf; cp -r work/pdf ../home/.claude/skills/pdf");
    assert!(!sandbox.run(["list"]).stdout.contains("[linked]"));
}

#[cfg(unix)]
#[test]
fn a_link_can_be_disabled_and_enabled() {
    let (sandbox, link) = writing();
    sandbox.run(["install", "work/pdf", "--link"]);
    let target = std::fs::read_link(&link).unwrap();
    let run = sandbox.run(["disable", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("1 disabled"), "{}", run.stdout);
    assert!(link.symlink_metadata().is_err());
    assert!(sandbox.path("work/pdf/SKILL.md").exists(), "what it leads to stays");
    assert_eq!(sandbox.run(["list", "--agent", "claude", "--format", "names"]).stdout, "");
    let report = sandbox.document(["list", "--format", "json"]);
    let row = &report["skills"][0];
    assert_eq!((&row["status"], &row["linked"]), (&"disabled".into(), &true.into()), "{report:#}");
    assert_eq!(sandbox.run(["verify"]).code, 0);
    let again = sandbox.run(["install", "work/pdf", "--link"]);
    assert!(again.code == 1 && again.stderr.contains("skills enable pdf"), "{}", again.all());
    let run = sandbox.run(["enable", "p*"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(std::fs::read_link(&link).unwrap(), target);
    // A glob finds links, and a disabled link can be removed.
    assert_eq!(sandbox.run(["disable", "p*"]).code, 0);
    let run = sandbox.run(["remove", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(
        link.symlink_metadata().is_err()
            && !sandbox.path("../home/.claude/.skills-disabled").exists()
    );
    assert!(sandbox.path("work/pdf/SKILL.md").exists());
    // Links that others have made stay, and people are told what can be done.
    sandbox.symlink(sandbox.path("work/pdf"), "../home/.claude/skills/pdf");
    let run = sandbox.run(["disable", "pdf"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("is a symbolic link, which cannot be disabled"), "{}", run.stderr);
    assert!(run.stderr.contains("`skills install --link`"), "{}", run.stderr);
    assert!(link.symlink_metadata().is_ok());
}
