//! Small models of published repositories: all of them install.

use serde_json::{Value, json};

use crate::harness::{Run, Sandbox, good_text, text};
use crate::origin::Origin;

fn install(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run([&["install", "--dir", "out"], args].concat())
}

fn report(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.document([&["install", "--dir", "out", "--format", "json"], args].concat())
}

/// The names in the directory of installed skills.
fn there(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path("out")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

#[test]
fn a_skill_is_installed_under_the_name_of_its_front_matter() {
    let sandbox = Sandbox::new();
    sandbox.skill("skills/react-best-practices", &good_text("vendor-react-best-practices"));
    sandbox.good_skill("skills/csv");
    let run = install(&sandbox, &["skills"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(there(&sandbox), ["csv", "vendor-react-best-practices"]);
    let line = "react-best-practices → vendor-react-best-practices";
    assert!(run.all().contains(line), "{}", run.all());
    assert!(run.stdout.contains("2 created"), "{}", run.stdout);
    // The copy has the name of its directory, and is the published file.
    let copy = sandbox.read("out/vendor-react-best-practices/SKILL.md");
    assert_eq!(copy, good_text("vendor-react-best-practices"));
    let run = sandbox.run(["validate", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn only_knows_both_names_of_a_skill() {
    for name in ["react-best-practices", "vendor-react-best-practices"] {
        let sandbox = Sandbox::new();
        sandbox.skill("skills/react-best-practices", &good_text("vendor-react-best-practices"));
        sandbox.good_skill("skills/csv");
        let run = install(&sandbox, &["skills", "--only", name]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert_eq!(there(&sandbox), ["vendor-react-best-practices"], "{name}");
        let names = sandbox.run(["list", "skills", "--only", name, "--format", "names"]);
        assert_eq!(names.stdout, "vendor-react-best-practices\n", "{}", names.all());
    }
}

#[cfg(unix)]
#[test]
fn one_bad_skill_of_many_is_skipped_and_named() {
    let sandbox = Sandbox::new();
    for name in ["csv", "pdf", "leaky"] {
        sandbox.good_skill(&format!("skills/{name}"));
    }
    sandbox.symlink("/etc/passwd", "skills/leaky/passwd");
    let report = report(&sandbox, &["skills"]);
    assert_eq!(there(&sandbox), ["csv", "pdf"]);
    let skipped = report["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{report:#}");
    assert_eq!(skipped[0]["name"], "leaky");
    assert_eq!(skipped[0]["rule"], "symlink");
    assert_eq!(skipped[0]["path"], "[DIR]/project/skills/leaky");
    assert!(skipped[0]["reason"].as_str().unwrap().contains("passwd"), "{report:#}");

    let run = install(&sandbox, &["skills"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("2 unchanged, 1 skipped"), "{}", run.stdout);
    assert!(run.stderr.contains("`leaky`") && run.stderr.contains("symlink"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn dry_run_predicts_what_is_skipped() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/csv");
    sandbox.good_skill("skills/leaky");
    sandbox.symlink("/etc/passwd", "skills/leaky/passwd");
    let report = report(&sandbox, &["skills", "--dry-run"]);
    assert_eq!(report["skipped"][0]["name"], "leaky", "{report:#}");
    assert_eq!(report["skills"][0]["name"], "csv", "{report:#}");
    assert!(!sandbox.path("out").exists());
}

#[cfg(unix)]
#[test]
fn no_skip_and_strict_refuse_the_whole_run() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/csv");
    sandbox.good_skill("skills/leaky");
    sandbox.symlink("/etc/passwd", "skills/leaky/passwd");
    for flag in ["--no-skip", "--strict"] {
        let run = install(&sandbox, &["skills", flag]);
        assert_eq!(run.code, 1, "{flag}: {}", run.all());
        assert!(run.stderr.contains("leaky"), "{flag}: {}", run.stderr);
        assert!(!sandbox.path("out/csv").exists(), "{flag}");
    }
}

#[test]
fn strict_refuses_what_breaks_the_specification() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/csv");
    sandbox.skill("skills/react", &good_text("vendor-react"));
    let run = install(&sandbox, &["skills", "--strict"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("name-directory-mismatch"), "{}", run.stderr);
    assert!(there(&sandbox).is_empty());
    let run = install(&sandbox, &["skills", "--strict", "--no-validate"]);
    assert_eq!(run.code, 2, "{}", run.all());
}

#[cfg(unix)]
#[test]
fn a_repository_with_nothing_usable_says_every_reason_and_writes_nothing() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        sandbox.good_skill(&format!("skills/{name}"));
        sandbox.symlink("/etc/passwd", format!("skills/{name}/passwd"));
    }
    let run = install(&sandbox, &["skills"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("`one`") && run.stderr.contains("`two`"), "{}", run.stderr);
    assert!(!sandbox.path("out").exists());
    let run = sandbox.run(["mount", "skills", "--", "true"]);
    assert_eq!(run.code, 125, "{}", run.all());
}

#[test]
fn identical_copies_count_once() {
    let sandbox = Sandbox::new();
    for place in ["skills/pdf", ".claude/skills/pdf", "plugins/x/skills/pdf"] {
        sandbox.good_skill(&format!("repo/{place}"));
        sandbox.write(format!("repo/{place}/scripts/run.sh"), "#!/bin/sh\n");
    }
    let run = install(&sandbox, &["repo"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(there(&sandbox), ["pdf"]);
    assert!(run.stdout.contains("1 created"), "{}", run.stdout);
    assert!(!run.stderr.contains("pdf"), "silent without -v: {}", run.stderr);
    let run = sandbox.run(["-v", "install", "repo", "--dir", "other"]);
    assert!(run.stderr.contains("identical"), "{}", run.stderr);
    for (flags, is_said) in [(&[][..], false), (&["-v"][..], true)] {
        let run = sandbox.run([flags, &["list", "repo"]].concat());
        assert_eq!(run.stderr.contains("identical"), is_said, "{}", run.stderr);
    }
}

#[test]
fn different_skills_of_one_name_are_all_left_out() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("repo/a/review");
    sandbox.skill("repo/b/review", &(good_text("review") + "More.\n"));
    sandbox.good_skill("repo/pdf");
    let report = report(&sandbox, &["repo"]);
    assert_eq!(there(&sandbox), ["pdf"]);
    let skipped = report["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 2, "{report:#}");
    assert!(skipped.iter().all(|one| one["rule"] == "duplicate-name"), "{report:#}");
    let listed = sandbox.document(["list", "repo", "--format", "json"]);
    let of_name = listed["skills"].as_array().unwrap().iter().filter(|one| one["name"] == "review");
    let statuses: Vec<&Value> = of_name.map(|one| &one["status"]).collect();
    assert_eq!(statuses, [&json!("invalid"), &json!("invalid")], "{listed:#}");
    // The message says how to choose one of them, and that works.
    let run = install(&sandbox, &["repo"]);
    assert!(run.stderr.contains("repo/a/review"), "{}", run.stderr);
    let run = install(&sandbox, &["repo/a/review"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(there(&sandbox), ["pdf", "review"]);
}

#[test]
fn two_skills_that_want_one_name_after_renaming_are_duplicates() {
    let sandbox = Sandbox::new();
    sandbox.skill("repo/one", &good_text("review"));
    sandbox.skill("repo/two", &(good_text("review") + "More.\n"));
    sandbox.good_skill("repo/pdf");
    let report = report(&sandbox, &["repo"]);
    let skipped = report["skipped"].as_array().unwrap();
    assert!(skipped.iter().all(|one| one["rule"] == "duplicate-name"), "{report:#}");
    assert_eq!((skipped.len(), there(&sandbox)), (2, vec!["pdf".to_owned()]));
}

#[test]
fn a_newer_version_from_the_same_place_needs_no_flag() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    sandbox.good_skill("skills/csv");
    install(&sandbox, &["skills"]);
    sandbox.skill("skills/pdf", &(good_text("pdf") + "New.\n"));
    let run = install(&sandbox, &["skills"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("1 updated, 1 unchanged"), "{}", run.stdout);
    assert!(sandbox.read("out/pdf/SKILL.md").ends_with("New.\n"));
    let report = report(&sandbox, &["skills"]);
    assert_eq!(report["skills"][1]["action"], "unchanged", "{report:#}");
}

#[test]
fn an_edited_or_foreign_skill_still_needs_force() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    install(&sandbox, &["skills"]);
    sandbox.write("out/pdf/notes.txt", "mine\n");
    sandbox.skill("skills/pdf", &(good_text("pdf") + "New.\n"));
    let run = install(&sandbox, &["skills"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("--force"), "{}", run.stderr);
    assert_eq!(sandbox.read("out/pdf/notes.txt"), "mine\n");
    // Another source is another skill.
    sandbox.skill("elsewhere/csv", &(good_text("csv") + "Other.\n"));
    sandbox.good_skill("skills/csv");
    assert_eq!(install(&sandbox, &["skills/csv"]).code, 0);
    let run = install(&sandbox, &["elsewhere/csv"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("skills/csv"), "names where it came from: {}", run.stderr);
}

#[test]
fn the_record_has_the_requested_source_and_the_commit() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let commit = origin.git(&["rev-parse", "v1"]);
    let run = install(&sandbox, &[&origin.source("@v1")]);
    assert_eq!(run.code, 0, "{}", run.all());
    let index: Value = serde_json::from_str(&sandbox.read("out/.skills-index.json")).unwrap();
    let pdf = index["skills"].as_array().unwrap().iter().find(|one| one["name"] == "pdf").unwrap();
    assert!(pdf["requested"].as_str().unwrap().ends_with("@v1"), "{pdf:#}");
    assert_eq!(pdf["commit"], json!(commit), "{pdf:#}");
    // A branch that moved on is an update.
    let run = install(&sandbox, &[&origin.source("")]);
    assert_eq!(run.code, 0, "{}", run.all());
    origin.write("skills/pdf/more.md", "More.\n");
    origin.commit("more");
    let run = install(&sandbox, &[&origin.source("")]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("1 updated"), "{}", run.all());
}

#[test]
fn nested_skills_are_listed_and_validated_and_installed_on_demand() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("repo/outer");
    sandbox.good_skill("repo/outer/skills/inner");
    sandbox.skill("repo/outer/skills/broken", "---\nname: broken\n---\n\nGo.\n");
    let listed = sandbox.document(["list", "repo", "--format", "json"]);
    let inner = |name: &str| {
        let skills = listed["skills"].as_array().unwrap();
        skills.iter().find(|one| one["name"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(inner("inner")["nested"], json!(true), "{listed:#}");
    assert_eq!(inner("inner")["status"], json!("active"), "{listed:#}");
    assert_eq!(inner("outer")["nested"], json!(false), "{listed:#}");
    let report = sandbox.document(["validate", "repo", "--format", "json"]);
    assert!(
        report["findings"].as_array().unwrap().iter().any(|one| {
            one["rule"] == "missing-description"
                && one["path"].as_str().unwrap().contains("skills/broken")
        }),
        "{report:#}"
    );
    let run = install(&sandbox, &["repo"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(there(&sandbox), ["outer"]);
    assert!(run.stderr.contains("2 nested") && run.stderr.contains("--nested"), "{}", run.stderr);
    assert!(sandbox.path("out/outer/skills/inner/SKILL.md").is_file());
    let run = install(&sandbox, &["repo", "--nested"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(there(&sandbox).contains(&"inner".to_owned()), "{}", run.all());
}

#[test]
fn a_repository_whose_root_is_a_skill_installs_under_its_own_name() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "root-skill") else { return };
    origin.write("SKILL.md", good_text("my-skill"));
    origin.write("references/more.md", "More.\n");
    origin.commit("first");
    let run = install(&sandbox, &[&origin.source("")]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(there(&sandbox), ["my-skill"]);
    assert!(sandbox.path("out/my-skill/references/more.md").is_file());
}

#[test]
fn a_name_that_no_directory_can_have_falls_back_to_the_directory() {
    for name in ["Code Review", "../../evil", "-rf"] {
        let sandbox = Sandbox::new();
        sandbox.skill("skills/code-review", &text(name, ""));
        let run = install(&sandbox, &["skills"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert_eq!(there(&sandbox), ["code-review"]);
        // It is copied as it was published.
        assert_eq!(sandbox.read("out/code-review/SKILL.md"), text(name, ""));
    }
}

#[test]
fn a_skill_that_is_too_large_says_how_to_get_it() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    sandbox.write("pdf/data.csv", "1,2,3\n".repeat(1_000));
    let run = install(&sandbox, &["pdf", "--max-skill-size", "2KiB"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("help: use `--max-skill-size`"), "{}", run.stderr);
    let run = install(&sandbox, &["pdf", "--max-skill-size", "20KiB"]);
    assert_eq!(run.code, 0, "{}", run.all());
}
