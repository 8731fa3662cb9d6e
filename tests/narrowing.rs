//! `skills validate -`, `--changed`, `--baseline` and `--format gitlab`: less than everything.

use serde_json::Value;

use crate::harness::{Run, Sandbox, good_text, lacks};

const BAD: &str = "---\nname: Bad Name\ndescription: Reads PDFs. Use when asked.\n---\n\nText.\n";

fn with_input(sandbox: &Sandbox, input: impl AsRef<[u8]>, args: &str) -> Run {
    sandbox.write("../input", input);
    sandbox.shell(&format!("\"$SKILLS\" validate - {args} <../input"))
}

#[test]
fn standard_input_is_one_skill_md() {
    let sandbox = Sandbox::new();
    let run = with_input(&sandbox, good_text("pdf"), "--strict");
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 skill checked: no problems\n"));
    let run = with_input(&sandbox, BAD, "--format json");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &report["findings"][0]["path"]), (1, &"-".into()));
    assert_eq!(report["findings"][0]["rule"], "name-format");
    assert_eq!(report["findings"][0]["line"], 2);
    assert_eq!(report["skills"][0]["path"], "-");
    // Other files are not known, so no link is reported as broken.
    let linked = good_text("pdf") + "\n[forms](references/forms.md)\n";
    assert_eq!(with_input(&sandbox, linked, "--strict").code, 0);
}

#[test]
fn hostile_standard_input_gets_findings() {
    let sandbox = Sandbox::new();
    for (input, rule) in [
        (vec![], "missing-frontmatter"),
        (b"\xff\xfe-\0-\0".to_vec(), "not-utf8"),
        (vec![b'-'; 1 << 21], "file-too-large"),
        (b"---\nname: a\x1b[2J\ndescription: x\n---\n".to_vec(), "control-character"),
        ([b"---\n".to_vec(), vec![b'['; 60_000]].concat(), "unclosed-frontmatter"),
    ] {
        let run = with_input(&sandbox, input, "");
        assert_eq!(run.code, 1, "{rule}: {}", run.all());
        assert!(run.stdout.contains(&format!("[{rule}]")), "{rule}: {}", run.stdout);
        assert!(!run.all().contains('\u{1b}'));
    }
}

#[test]
fn standard_input_stands_alone_and_is_not_repaired() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    for args in ["pdf", "--fix", "--diff", "--watch", "--changed"] {
        let run = with_input(&sandbox, good_text("pdf"), args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args}");
        assert!(run.stderr.contains("`-` cannot be used with"), "{args}: {}", run.stderr);
    }
    sandbox.good_skill("-");
    assert_eq!(sandbox.run(["validate", "./-"]).code, 1, "a directory of that name can be named");
}

/// A repository with two skills on `main`, and a branch.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/kept");
    sandbox.good_skill("skills/gone");
    sandbox.good_skill("skills/edited");
    sandbox.write(".gitignore", "ignored/\n");
    git(&sandbox, "init -q -b main .");
    git(&sandbox, "add .");
    git(&sandbox, "commit -qm first");
    git(&sandbox, "checkout -qb topic");
    sandbox
}

#[track_caller]
fn git(sandbox: &Sandbox, line: &str) {
    let identity = "-c user.name=n -c user.email=n@example.com";
    let run = sandbox.shell(&format!("git {identity} {line}"));
    assert_eq!(run.code, 0, "{line}: {}", run.all());
}

#[track_caller]
fn checked(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let args = ["validate", "--format", "json"].iter().chain(args);
    let report = sandbox.document(args);
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report}"));
    skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn only_skills_that_changed_are_checked() {
    if lacks(&["git"]) {
        return;
    }
    let sandbox = repository();
    let run = sandbox.run(["validate", "--changed"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "0 skills checked: no problems\n"));
    assert_eq!(run.stderr, "note: 0 of 3 skills differ from `main`\n");
    // Committed, not committed, not even added, and deleted.
    sandbox.write("skills/edited/SKILL.md", good_text("edited") + "More.\n");
    git(&sandbox, "commit -qam edit");
    sandbox.write("skills/kept/notes.txt", "untracked");
    sandbox.good_skill("skills/added");
    sandbox.good_skill("skills/ignored");
    std::fs::remove_dir_all(sandbox.path("skills/gone")).unwrap();
    assert_eq!(checked(&sandbox, &["--changed"]), ["added", "edited", "kept"]);
    assert_eq!(checked(&sandbox, &["--changed", "HEAD"]), ["added", "kept"]);
    assert_eq!(checked(&sandbox, &["skills/kept", "--changed", "main"]), ["kept"]);
    // Commits that only the other branch has are not changes of this one.
    git(&sandbox, "stash -qu");
    git(&sandbox, "checkout -q main");
    sandbox.good_skill("skills/theirs");
    git(&sandbox, "add .");
    git(&sandbox, "commit -qm theirs");
    git(&sandbox, "checkout -q topic");
    assert_eq!(checked(&sandbox, &["--changed", "main"]), ["edited"]);
    // A finding about two skills is kept for the one that changed.
    sandbox.skill("other/edited", &(good_text("edited") + "Other.\n"));
    let report = sandbox.document(["validate", "--changed", "main", "--format", "json"]);
    let rules = crate::harness::rule_ids(&report);
    assert_eq!(rules, ["duplicate-name", "duplicate-name"]);
}

#[test]
fn deleted_skills_are_no_error() {
    if lacks(&["git"]) {
        return;
    }
    let sandbox = repository();
    std::fs::remove_dir_all(sandbox.path("skills")).unwrap();
    let run = sandbox.run(["validate", "--changed"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn a_revision_is_never_an_option_or_a_path() {
    if lacks(&["git"]) {
        return;
    }
    let sandbox = repository();
    for base in ["nope", "--output=pwned", "-p", "HEAD~99", "skills", "a\u{1b}[2Jb", "HEAD..", ""] {
        let run = sandbox.run(["validate", &format!("--changed={base}")]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{base:?}");
        assert!(run.stderr.contains("is not a revision"), "{base:?}: {}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'));
    }
    assert!(!sandbox.path("pwned").exists());
    let run = sandbox.run(["validate", "--changed", "skills"]);
    assert!(run.stderr.contains("write sources before `--changed`"), "{}", run.stderr);
}

#[test]
fn changes_need_a_repository_and_skills_in_it() {
    if lacks(&["git"]) {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    let run = sandbox.run(["validate", "--changed"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`--changed` found no git repository"), "{}", run.stderr);
    git(&sandbox, "init -q -b main .");
    let run = sandbox.run(["validate", "--changed"]);
    assert!(run.stderr.contains("needs a commit"), "{}", run.stderr);
    let sandbox = repository();
    sandbox.good_skill("../outside/pdf");
    let run = sandbox.run(["validate", "../outside", "--changed"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("is not in the repository"), "{}", run.stderr);
}

#[test]
fn programs_that_a_repository_names_do_not_run() {
    if lacks(&["git"]) {
        return;
    }
    let sandbox = repository();
    let run = "touch \"$PWD/pwned\"; cat";
    for key in
        ["core.fsmonitor", "diff.external", "filter.f.clean", "filter.a=b.process", "core.pager"]
    {
        git(&sandbox, &format!("config '{key}' '{run}'"));
    }
    git(&sandbox, "config filter.f.required true");
    sandbox.write(".git/info/attributes", "* filter=f diff=f\n");
    sandbox.write("skills/kept/SKILL.md", good_text("kept") + "Same second.\n");
    assert_eq!(checked(&sandbox, &["--changed"]), ["kept"]);
    assert!(!sandbox.path("pwned").exists());
    assert!(!sandbox.path("skills/pwned").exists());
}

#[test]
fn known_findings_do_not_fail_and_new_ones_do() {
    let sandbox = Sandbox::new();
    sandbox.skill("skills/old", BAD);
    let written = sandbox.run(["validate", "skills", "--write-baseline", "known.json"]);
    assert_eq!(written.code, 0, "{}", written.all());
    assert_eq!(written.stdout, "wrote 1 finding to known.json\n");
    let known = ["validate", "skills", "--baseline", "known.json"];
    let run = sandbox.run(known);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 skill checked: no problems\n"));
    assert_eq!(run.stderr, "note: 1 known finding left out, which the baseline lists\n");
    // Lines move, and the current directory does not matter.
    sandbox.skill("skills/old", &BAD.replace("---\nname", "---\n# why\n# ever\nname"));
    assert_eq!(sandbox.run(known).code, 0);
    assert_eq!(
        sandbox.run(["-C", "skills", "validate", ".", "--baseline", "../known.json"]).code,
        0
    );
    // The same finding in another file is new, and so is a second one in this file.
    sandbox.skill("skills/new", &BAD.replace("Bad Name", "New Name"));
    let run = sandbox.run(known);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("skills/new/SKILL.md"), "{}", run.stdout);
    assert!(!run.stdout.contains("skills/old/SKILL.md"), "{}", run.stdout);
    // Repaired findings are reported, but not for skills that were not checked.
    sandbox.good_skill("skills/old");
    sandbox.good_skill("skills/new");
    let run = sandbox.run(known);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("1 finding of the baseline no longer found"), "{}", run.stderr);
    let run = sandbox.run(["validate", "skills/new", "--baseline", "known.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn a_damaged_baseline_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    sandbox.mkdir("dir");
    for (name, text) in [
        ("empty", ""),
        ("list", "[]"),
        ("future", "{\"version\":2,\"findings\":[]}"),
        ("half", "{\"version\":1,\"findings\":[{\"rule\":"),
        ("types", "{\"version\":1,\"findings\":[{\"rule\":1,\"path\":\"\",\"message\":\"\"}]}"),
        (
            "negative",
            "{\"version\":1,\"findings\":[{\"rule\":\"x\",\"path\":\"\",\"message\":\"\",\"count\":-1}]}",
        ),
        ("escape", "\u{1b}[2J"),
    ] {
        sandbox.write(name, text);
        let run = sandbox.run(["validate", "pdf", "--baseline", name]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}");
        assert!(run.stderr.contains(&format!("`{name}` is not a baseline: ")), "{}", run.stderr);
        assert!(run.stderr.contains("--write-baseline"), "{}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'));
    }
    for name in ["missing", "dir"] {
        let run = sandbox.run(["validate", "pdf", "--baseline", name]);
        assert_eq!(run.code, 2, "{name}");
        assert!(run.stderr.contains(&format!("cannot read `{name}`")), "{}", run.stderr);
    }
    let huge = format!(
        "{{\"version\":1,\"findings\":[{0},{0}]}}",
        "{\"rule\":\"x\",\"path\":\"pdf\",\"message\":\"\",\"count\":18446744073709551615}"
    );
    sandbox.write("huge", huge);
    assert_eq!(sandbox.run(["validate", "pdf", "--baseline", "huge"]).code, 0);
}

#[test]
fn a_gitlab_report_has_a_stable_fingerprint_for_every_finding() {
    let sandbox = Sandbox::new();
    let text = good_text("pdf") + "\n[a](a.md) and [a](a.md)\n";
    sandbox.skill("pdf", &text);
    let report = |sandbox: &Sandbox| -> Vec<Value> {
        let run = sandbox.run(["validate", "pdf", "--format", "gitlab"]);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let before = report(&sandbox);
    assert_eq!(before.len(), 2);
    let first = &before[0];
    assert_eq!(first["check_name"], "broken-link");
    assert_eq!(first["severity"], "minor");
    assert_eq!(first["location"]["path"], "pdf/SKILL.md");
    assert!(first["location"]["lines"]["begin"].as_u64().unwrap() > 4);
    assert!(first["description"].as_str().unwrap().contains("`a.md` does not exist"));
    assert_ne!(first["fingerprint"], before[1]["fingerprint"]);
    sandbox.skill("pdf", &text.replace("\n[a]", "\n\n\n[a]"));
    let after = report(&sandbox);
    assert_eq!(first["fingerprint"], after[0]["fingerprint"]);
    assert_ne!(first["location"], after[0]["location"]);
    sandbox.good_skill("pdf");
    assert_eq!(report(&sandbox), Vec::<Value>::new(), "an empty list clears the report");
}
