//! `skills lock --upgrade` and `skills outdated`: what changed, and by which commits.

use std::fs;

use crate::git::cached;
use crate::harness::{Sandbox, good_text, text};
use crate::lock::{manifest, project, replace};
use crate::origin::Origin;

#[test]
fn outdated_says_what_an_upgrade_brings() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    let run = sandbox.run(["outdated"]);
    assert_eq!(run.stdout, "skills.lock: up to date, 2 sources, 3 skills\n", "{}", run.stderr);
    origin.write("skills/pdf/SKILL.md", good_text("pdf") + "More.\n");
    let middle = origin.commit("Say more \u{1b}[31mabout it");
    origin.skill("skills/new");
    origin.git(&["rm", "--quiet", "-r", "skills/csv"]);
    let last = origin.commit("Add new, drop csv");
    let lock = sandbox.read("skills.lock");
    let run = sandbox.run(["outdated"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let root =
        origin.source("//skills@main").replace(origin.path.to_str().unwrap(), "[DIR]/origin");
    let first = origin.git(&["rev-parse", "v1"]);
    let expected = format!(
        "{root}: {} → {}, 2 commits\n  {}  2026-01-02  Add new, drop csv\n  \
         {}  2026-01-02  Say more ␛[31mabout it\n  removed  csv\n  added    new\n  changed  pdf\n\
         skills.lock: 1 source would change (run `skills lock --upgrade` to update them)\n",
        &first[..12],
        &last[..12],
        &last[..12],
        &middle[..12],
    );
    assert_eq!(run.stdout, expected);
    let report = sandbox.document(["outdated", "--format", "json"]);
    let source = &report["sources"][0];
    assert_eq!((&source["from"], &source["to"]), (&first.into(), &last.clone().into()));
    assert_eq!(source["commits"][1]["commit"], middle);
    assert_eq!(source["skills"][0]["change"], "removed");
    assert_eq!(source["truncated"], false);
    assert_eq!(sandbox.read("skills.lock"), lock, "nothing was written");

    // Without `--upgrade`, a lock does not change.
    sandbox.run(["lock"]);
    assert_eq!(sandbox.read("skills.lock"), lock);
    let run = sandbox.run(["lock", "--upgrade", "--dry-run"]);
    assert!(run.stdout.ends_with("1 source would change (dry run: nothing was written)\n"));
    assert_eq!(sandbox.read("skills.lock"), lock);
    let run = sandbox.run(["lock", "--upgrade"]);
    assert!(run.stdout.ends_with("skills.lock: 1 source changed, 2 sources, 3 skills\n"));
    assert!(sandbox.read("skills.lock").contains(&last));
    assert!(sandbox.run(["outdated"]).stdout.starts_with("skills.lock: up to date"));
}

#[test]
fn outdated_says_the_versions_in_the_front_matter() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    let skill = |name: &str, version: &str| {
        let text = text(name, &format!("version: {version}\n"));
        origin.write(&format!("skills/{name}/SKILL.md"), text);
    };
    skill("pdf", "1.2.3");
    origin.commit("Versions");
    assert_eq!(sandbox.run(["lock", "--upgrade"]).code, 0);
    skill("pdf", "1.3.0");
    skill("csv", "0.1.0");
    skill("new", "3.0.0");
    origin.commit("More versions");
    let run = sandbox.run(["outdated"]);
    let lines = "  changed  csv → 0.1.0\n  added    new → 3.0.0\n  changed  pdf 1.2.3 → 1.3.0\n";
    assert!(run.stdout.contains(lines), "{}", run.all());
    let report = sandbox.document(["outdated", "--format", "json"]);
    let skill = &report["sources"][0]["skills"][2];
    assert_eq!((&skill["from_version"], &skill["to_version"]), (&"1.2.3".into(), &"1.3.0".into()));
}

#[test]
fn history_that_leads_elsewhere_is_said_to_be_cut() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    origin.skill("skills/new");
    origin.commit("Add new");
    let truncated = || {
        let report = sandbox.document(["outdated", "--format", "json"]);
        let source = &report["sources"][0];
        (source["truncated"].clone(), source["commits"].as_array().unwrap().len())
    };
    assert_eq!(truncated(), (false.into(), 1));
    // The cache has the locked commit, but it is not an ancestor of the new one.
    origin.git(&["checkout", "--quiet", "--orphan", "other"]);
    origin.commit("Another beginning");
    origin.git(&["branch", "--force", "main", "other"]);
    assert_eq!(truncated(), (true.into(), 1));
}

#[test]
fn history_of_very_many_commits_is_said_to_be_cut() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    let add = |number: usize| {
        let mut stream = String::new();
        for number in 0..number {
            stream += "commit refs/heads/main\ncommitter Ann <ann@example.com> 1767323045 +0000\n";
            stream += "data 1\nx\n";
            stream += if number == 0 { "from refs/heads/main^0\n" } else { "" };
        }
        origin.git_with(&["fast-import", "--quiet"], stream.as_bytes());
        let report = sandbox.document(["outdated", "--format", "json"]);
        let source = &report["sources"][0];
        (source["truncated"].clone(), source["commits"].as_array().unwrap().len())
    };
    assert_eq!(add(500), (false.into(), 500));
    assert_eq!(add(400), (true.into(), 500));
}

#[test]
fn history_that_was_rewritten_is_no_obstacle() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    origin.git(&["commit", "--quiet", "--amend", "-m", "Another beginning"]);
    origin.git(&["tag", "-d", "v1"]);
    origin.git(&["reflog", "expire", "--expire=now", "--all"]);
    origin.git(&["gc", "--quiet", "--prune=now"]);
    let run = sandbox.run(["outdated"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("at least 1 commit\n"), "{}", run.stdout);
    // The cache still has the locked commit; without the cache, it is lost.
    assert_eq!(sandbox.run(["install", "--frozen", "--dir", "out"]).code, 0);
    fs::remove_dir_all(sandbox.path("../home/.cache")).unwrap();
    let run = sandbox.run(["install", "--frozen", "--dir", "out"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("has no commit"), "{}", run.stderr);
    assert!(run.stderr.contains("`skills lock --upgrade`"), "{}", run.stderr);
}

#[test]
fn upgrades_can_be_of_one_source() {
    let sandbox = Sandbox::new();
    let Some(one) = Origin::new(&sandbox) else { return };
    let Some(two) = Origin::empty(&sandbox, "two") else { return };
    two.skill("other");
    two.commit("Begin");
    manifest(&sandbox, &[&one.source("//skills@main"), &two.source("@main")]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    one.skill("skills/late");
    let new_one = one.commit("Late");
    two.skill("late-too");
    let new_two = two.commit("Late");
    let run = sandbox.run(["lock", "--upgrade", "othre"]);
    assert!(run.code == 2 && run.stderr.contains("did you mean `other`?"), "{}", run.stderr);
    assert_eq!(sandbox.run(["lock", "--upgrade", "other"]).code, 0);
    let text = sandbox.read("skills.lock");
    assert!(!text.contains(&new_one) && text.contains(&new_two), "{text}");
    assert_eq!(sandbox.run(["lock", "--upgrade", &one.source("//skills@main")]).code, 0);
    assert!(sandbox.read("skills.lock").contains(&new_one));
}

#[test]
fn a_broken_history_costs_only_the_history() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    origin.skill("skills/late");
    origin.commit("Late");
    assert!(sandbox.run(["outdated"]).stdout.contains(", 1 commit\n"));
    let history: Vec<_> = cached(&sandbox)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("history"))
        .collect();
    let [history] = &history[..] else { panic!("{history:?}") };
    for damage in ["config", "HEAD"] {
        fs::write(history.join(damage), "nonsense").unwrap();
        let run = sandbox.run(["outdated"]);
        assert!(run.stdout.contains(", 1 commit\n"), "{damage}: {}", run.all());
    }
    for entry in walkdir::WalkDir::new(history.join("objects")).into_iter().flatten() {
        if entry.file_type().is_file() {
            replace(entry.path(), b"nonsense");
        }
    }
    let run = sandbox.run(["outdated"]);
    assert!(run.stdout.contains(", 1 commit\n"), "{}", run.all());
}
