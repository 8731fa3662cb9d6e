//! `--fix` and `--diff`: repairs that change only the fault.

use std::fs;
use std::path::PathBuf;

use crate::harness::{Sandbox, good_text, rule_ids, text};

/// Repairs one skill and returns its new text; a second run must change nothing.
fn repaired(sandbox: &Sandbox, before: &str) -> String {
    repaired_with(sandbox, before, "--fix")
}

fn repaired_with(sandbox: &Sandbox, before: &str, flag: &str) -> String {
    sandbox.skill("pdf", before);
    sandbox.run(["validate", flag, "pdf"]);
    let once = sandbox.read("pdf/SKILL.md");
    let run = sandbox.run(["validate", flag, "pdf"]);
    assert!(!run.stdout.contains("repaired"), "{}", run.stdout);
    assert_eq!(sandbox.read("pdf/SKILL.md"), once, "a second run changes nothing");
    once
}

#[test]
fn quotes_broken_values_and_changes_nothing_else() {
    let sandbox = Sandbox::new();
    for (before, after) in [
        ("Use when: x", "\"Use when: x\""),
        ("? when asked", "\"? when asked\""),
        ("& when asked", "\"& when asked\""),
        ("Use when asked for:", "\"Use when asked for:\""),
        ("@mention when asked", "\"@mention when asked\""),
        ("`code` when asked", "\"`code` when asked\""),
        ("[a] [b] when asked", "\"[a] [b] when asked\""),
        ("*bold* when asked", "\"*bold* when asked\""),
        ("\"a\" when b: c", "'\"a\" when b: c'"),
        ("it's when: \"x\"", "'it''s when: \"x\"'"),
        ("C:\\x when: y", "'C:\\x when: y'"),
        ("wraps\n  over when: two", "\"wraps\n  over when: two\""),
    ] {
        let whole = |value: &str| {
            format!(
                "---\n# first\nname: pdf # second\nlicense: MIT\ndescription: {value}\n\
                 # third\nmetadata: {{a: b}}\n---\n\n# PDF\n\nRun: it.\n"
            )
        };
        assert_eq!(repaired(&sandbox, &whole(before)), whole(after), "{before}");
        assert_eq!(sandbox.rules_fired(["pdf"]), [""; 0], "{before}");
    }
}

#[test]
fn adds_a_missing_space_and_unindents_a_key_if_the_meaning_is_certain() {
    let sandbox = Sandbox::new();
    for before in [
        "name:pdf\ndescription: Extract text. Use when asked.",
        "name: pdf\ndescription:Extract text. Use when asked.",
        "name:pdf\ndescription:Extract text. Use when asked.",
        "name:\u{a0}pdf\ndescription: Extract text. Use when asked.",
        " name: pdf\ndescription: Extract text. Use when asked.",
        "name: pdf\n  description: Extract text. Use when asked.",
        "name: pdf\n\tdescription: Extract text. Use when asked.",
    ] {
        let after = "name: pdf\ndescription: Extract text. Use when asked.";
        let whole = |fields: &str| format!("---\n{fields}\nlicense: MIT # as is\n---\n\nRun it.\n");
        assert_eq!(repaired(&sandbox, &whole(before)), whole(after), "{before}");
    }
}

#[test]
fn leaves_values_that_some_agent_reads_differently() {
    let sandbox = Sandbox::new();
    for before in [
        // Gemini reads the second line as part of the description.
        "description: Extract text. Use when asked.\n  license: MIT files only.",
        // A second description would replace the first, or make both unreadable.
        "description: Extract text. Use when asked.\ndescription:again",
    ] {
        let before = format!("---\nname: pdf\n{before}\n---\n\nRun it.\n");
        assert_eq!(repaired(&sandbox, &before), before);
    }
}

#[test]
fn carriage_returns_are_kept() {
    let sandbox = Sandbox::new();
    let before = good_text("pdf").replace("Extract", "Extract: all").replace('\n', "\r\n");
    let after = repaired(&sandbox, &before);
    assert_eq!(after.matches("\r\n").count(), before.matches("\r\n").count());
    assert_eq!(after.replace('"', ""), before);
    assert_eq!(sandbox.rules_fired(["pdf"]), [""; 0]);
}

#[test]
fn a_byte_order_mark_is_removed() {
    let sandbox = Sandbox::new();
    let text = good_text("pdf");
    assert_eq!(repaired(&sandbox, &format!("\u{feff}{text}")), text);
}

#[test]
fn style_is_repaired_only_with_all() {
    let sandbox = Sandbox::new();
    let before = text("pdf", "allowed-tools: [Read, Grep]\n");
    sandbox.skill("pdf", &before);
    sandbox.write("pdf/run.sh", "#!/bin/sh\n");
    sandbox.chmod("pdf/run.sh", 0o644);
    for flag in ["--fix", "--diff"] {
        let run = sandbox.run(["validate", flag, "pdf"]);
        assert!(!run.stdout.contains("allowed-tools"), "{}", run.stdout);
        assert_eq!(sandbox.read("pdf/SKILL.md"), before);
        assert_eq!(sandbox.mode("pdf/run.sh"), 0o644);
    }
    let report = sandbox.json(["pdf"]);
    assert!(report["findings"].as_array().unwrap().iter().all(|one| one["fixable"] == false));
    let run = sandbox.run(["validate", "-v", "pdf"]);
    let hint = "\n2 notes can be repaired with `skills validate --fix=all`\n";
    assert!(run.stdout.contains(hint), "{}", run.stdout);
    let run = sandbox.run(["validate", "--diff=all", "pdf"]);
    assert!(run.stdout.ends_with("2 findings would be repaired in 1 skill\n"), "{}", run.stdout);
    let run = sandbox.run(["validate", "--fix=all", "pdf"]);
    assert_eq!(run.stdout, "1 skill checked: no problems\nrepaired 2 findings in 1 skill\n");
    assert_eq!(sandbox.read("pdf/SKILL.md"), text("pdf", "allowed-tools: Read Grep\n"));
    assert_eq!(sandbox.mode("pdf/run.sh"), 0o755);
}

#[test]
fn a_note_that_the_user_raised_to_a_warning_is_repaired() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "allowed-tools: [Read, Grep]\n"));
    sandbox.run(["validate", "--fix", "--rule", "allowed-tools-format=warning", "pdf"]);
    assert_eq!(sandbox.read("pdf/SKILL.md"), text("pdf", "allowed-tools: Read Grep\n"));
}

#[test]
fn the_only_value_of_fix_and_diff_is_all() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    for flag in ["--fix=some", "--diff=some", "--fix="] {
        let run = sandbox.run(["validate", flag, "pdf"]);
        assert_eq!(run.code, 2, "{flag}: {}", run.all());
    }
}

#[test]
fn a_field_that_lost_its_line_break_is_reported_and_not_swallowed() {
    let sandbox = Sandbox::new();
    for (fields, place) in [
        ("description: 需要时使用。license: Apache-2.0", (3, 20)),
        ("description: Use when: asked.license: MIT", (3, 30)),
        ("description: \"Use when asked.\" license: MIT", (3, 32)),
        ("description: Use when asked.\r\n  Needs: x. license: MIT\r", (4, 13)),
    ] {
        let before = format!("---\nname: pdf\n{fields}\n---\n\nRun it.\n");
        assert_eq!(repaired(&sandbox, &before), before);
        let report = sandbox.json(["pdf"]);
        let mut findings = report["findings"].as_array().unwrap().iter();
        let finding = findings.find(|one| one["rule"] == "invalid-yaml").unwrap();
        assert_eq!(finding["message"], "a line break seems to be missing before `license:`");
        assert_eq!(
            (finding["line"].as_u64(), finding["column"].as_u64()),
            (Some(place.0), Some(place.1))
        );
        assert_eq!(finding["fixable"], false);
    }
    // The front matter has this field, so the word is part of the text.
    let whole = |value: &str| {
        format!("---\nname: pdf\nlicense: MIT\ndescription: {value}\n---\n\nRun it.\n")
    };
    let after = repaired(&sandbox, &whole("Use for a license: x"));
    assert_eq!(after, whole("\"Use for a license: x\""));
}

#[test]
fn tools_become_one_string() {
    let sandbox = Sandbox::new();
    for (before, after) in [
        ("[Read, Grep]", "Read Grep"),
        ("\n  - Read\n  - Bash(git add:*)", "Read Bash(git add:*)"),
        ("Read, Grep,Edit", "Read Grep Edit"),
        ("[\"Bash(a: b)\", Read]", "\"Bash(a: b) Read\""),
    ] {
        let whole = |tools: &str| text("pdf", &format!("allowed-tools: {tools}\nlicense: MIT\n"));
        let before = whole(before).replace(": \n", ":\n");
        assert_eq!(repaired_with(&sandbox, &before, "--fix=all"), whole(after));
        assert_eq!(sandbox.rules_fired(["pdf"]), [""; 0]);
    }
    let commented = text("pdf", "allowed-tools:\n  - Read # to look\n  - Grep\n");
    let after = repaired_with(&sandbox, &commented, "--fix=all");
    assert_eq!(after, commented, "comments are not thrown away");
}

#[test]
fn the_file_is_renamed_to_its_exact_name_where_a_skill_is_promised() {
    let sandbox = Sandbox::new();
    sandbox.write(".claude/skills/pdf/skill.md", good_text("pdf"));
    sandbox.write(".agents/skills/csv/Skill.MD", good_text("csv"));
    let run = sandbox.run(["validate", "--fix", "."]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(run.stdout, "2 skills checked: no problems\nrepaired 2 findings in 2 skills\n");
    for skill in [".claude/skills/pdf", ".agents/skills/csv"] {
        let names: Vec<_> = fs::read_dir(sandbox.path(skill))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["SKILL.md"]);
        let name = skill.rsplit('/').next().unwrap();
        assert_eq!(sandbox.read(format!("{skill}/SKILL.md")), good_text(name));
    }
    sandbox.write("one/skill.md", good_text("one"));
    sandbox.write("skills.yaml", "skills: [{source: one, name: one}]\n");
    assert_eq!(sandbox.run(["validate", "--fix"]).code, 0);
    assert!(sandbox.path("one/SKILL.md").exists());
}

#[test]
fn a_page_called_skill_md_does_not_become_a_skill() {
    let sandbox = Sandbox::new();
    let page = "# Skill\n\nWhat a skill is, and what it is not.\n";
    for place in ["wiki", "docs/skills", ".claude/skills/group/page", "skills/.claude"] {
        sandbox.write(format!("{place}/skill.md"), page);
    }
    for flag in ["--diff=all", "--fix", "--fix=all"] {
        let run = sandbox.run(["validate", flag, "."]);
        assert!(!run.stdout.contains("rename from"), "{}", run.stdout);
    }
    for place in ["wiki", "docs/skills", ".claude/skills/group/page", "skills/.claude"] {
        assert_eq!(sandbox.read(format!("{place}/skill.md")), page);
        assert!(!sandbox.path(format!("{place}/SKILL.md")).exists());
    }
    let report = sandbox.json(["wiki"]);
    assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{report:#}");
    let finding = &report["findings"][0];
    assert_eq!((&finding["rule"], &finding["fixable"]), (&"skill-md-case".into(), &false.into()));
    assert_eq!(finding["help"], "if it is a skill, rename it: `mv skill.md SKILL.md`");
}

#[test]
fn scripts_become_executable_for_everyone_who_may_read_them() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    for (name, mode) in [("a.py", 0o644), ("b.sh", 0o600), ("c.py", 0o640)] {
        sandbox.write(format!("pdf/scripts/{name}"), "#!/bin/sh\n");
        sandbox.chmod(format!("pdf/scripts/{name}"), mode);
    }
    let run = sandbox.run(["validate", "--fix=all", "pdf"]);
    assert_eq!(run.stdout, "1 skill checked: no problems\nrepaired 3 findings in 1 skill\n");
    assert_eq!(sandbox.mode("pdf/scripts/a.py"), 0o755);
    assert_eq!(sandbox.mode("pdf/scripts/b.sh"), 0o700);
    assert_eq!(sandbox.mode("pdf/scripts/c.py"), 0o750);
}

#[test]
fn the_mode_of_the_file_is_kept_and_nothing_is_left_behind() {
    let sandbox = Sandbox::new();
    for mode in [0o640, 0o600, 0o755] {
        sandbox.skill("pdf", &text("pdf", "compatibility: a: b\n"));
        sandbox.chmod("pdf/SKILL.md", mode);
        assert_eq!(sandbox.run(["validate", "--fix", "pdf"]).code, 0);
        assert_eq!(sandbox.mode("pdf/SKILL.md"), mode);
        assert_eq!(fs::read_dir(sandbox.path("pdf")).unwrap().count(), 1);
    }
}

#[test]
fn several_faults_of_one_skill_are_all_repaired() {
    let sandbox = Sandbox::new();
    let before = "\u{feff}---\nname: pdf\ndescription: Use when: asked\ncompatibility: needs: x\n\
                  license: @mit\nmetadata:\n  a: b: c\nallowed-tools: [Read, Grep]\n---\n\nRun it.\n";
    let skill = ".claude/skills/pdf";
    sandbox.write(format!("{skill}/skill.md"), before);
    sandbox.write(format!("{skill}/run.sh"), "#!/bin/sh\n");
    let run = sandbox.run(["validate", "--fix=all", skill]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(
        sandbox.read(format!("{skill}/SKILL.md")),
        "---\nname: pdf\ndescription: \"Use when: asked\"\ncompatibility: \"needs: x\"\n\
         license: \"@mit\"\nmetadata:\n  a: \"b: c\"\nallowed-tools: Read Grep\n---\n\nRun it.\n"
    );
    assert_eq!(sandbox.rules_fired([skill]), [""; 0]);
    assert_ne!(sandbox.mode(format!("{skill}/run.sh")) & 0o111, 0);
}

#[test]
fn a_skill_with_two_names_is_repaired_once() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "compatibility: a: b\n"));
    sandbox.write(
        "skills.yaml",
        "skills:\n  - {source: pdf, name: one}\n  - {source: pdf, name: two}\n",
    );
    let run = sandbox.run(["validate", "--diff"]);
    assert_eq!(run.stdout.matches("--- a/pdf/SKILL.md").count(), 1, "{}", run.stdout);
    assert!(run.stdout.ends_with("1 finding would be repaired in 1 skill\n"), "{}", run.stdout);
    let run = sandbox.run(["validate", "--fix"]);
    assert!(run.stdout.ends_with("repaired 1 finding in 1 skill\n"), "{}", run.stdout);
}

#[test]
fn a_diff_shows_the_repair_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let before = text("pdf", "compatibility: a: b\n");
    sandbox.write(".claude/skills/pdf/skill.md", &before);
    sandbox.write(".claude/skills/pdf/run.sh", "#!/bin/sh\n");
    sandbox.chmod(".claude/skills/pdf/run.sh", 0o644);
    let run = sandbox.run(["-C", ".claude", "validate", "--diff=all", "skills"]);
    assert_eq!(run.code, 1, "what is wrong is still wrong");
    assert_eq!(
        run.stdout,
        "diff --git a/skills/pdf/skill.md b/skills/pdf/SKILL.md\n\
         rename from skills/pdf/skill.md\n\
         rename to skills/pdf/SKILL.md\n\
         --- a/skills/pdf/skill.md\n\
         +++ b/skills/pdf/SKILL.md\n\
         @@ -1,7 +1,7 @@\n \
         ---\n \
         name: pdf\n \
         description: Extract text from PDF files. Use when the user mentions PDFs.\n\
         -compatibility: a: b\n\
         +compatibility: \"a: b\"\n \
         ---\n \n \
         # Title\n\
         diff --git a/skills/pdf/run.sh b/skills/pdf/run.sh\n\
         old mode 100644\n\
         new mode 100755\n\
         3 findings would be repaired in 1 skill\n"
    );
    assert_eq!(sandbox.read(".claude/skills/pdf/skill.md"), before);
    assert_eq!(sandbox.mode(".claude/skills/pdf/run.sh"), 0o644);
}

#[test]
fn validate_diff_and_fix_report_the_same_number() {
    let sandbox = Sandbox::new();
    sandbox.skill("all/pdf", &text("pdf", "compatibility: a: b\nlicense: @c\n"));
    sandbox.skill("all/csv", &text("csv", "compatibility: a: b\n"));
    let run = sandbox.run(["validate", "all"]);
    assert!(run.stdout.contains("\n2 findings can be repaired with "), "{}", run.stdout);
    let run = sandbox.run(["validate", "--diff", "all"]);
    assert!(run.stdout.ends_with("\n2 findings would be repaired in 2 skills\n"), "{}", run.stdout);
    let run = sandbox.run(["validate", "--fix", "all"]);
    assert_eq!(run.stdout, "2 skills checked: no problems\nrepaired 2 findings in 2 skills\n");
}

#[test]
fn verbose_fix_names_the_changed_files() {
    let sandbox = Sandbox::new();
    sandbox.write(".claude/skills/pdf/skill.md", text("pdf", "compatibility: a: b\n"));
    sandbox.good_skill(".claude/skills/csv");
    sandbox.write(".claude/skills/csv/run.sh", "#!/bin/sh\n");
    let run = sandbox.run(["-C", ".claude", "validate", "--fix=all", "-v", "skills"]);
    assert_eq!(
        run.stdout,
        "2 skills checked: no problems\n\
         made skills/csv/run.sh executable\n\
         repaired skills/pdf/skill.md\n\
         renamed skills/pdf/skill.md to skills/pdf/SKILL.md\n\
         repaired 3 findings in 2 skills\n"
    );
}

#[test]
fn diff_predicts_how_many_findings_are_left() {
    let sandbox = Sandbox::new();
    let end = "would be left (`skills validate` shows what is wrong)\n";
    sandbox.skill("pdf", &text("other", ""));
    let run = sandbox.run(["validate", "--diff", "pdf"]);
    let expected = format!("0 findings would be repaired in 0 skills, 1 {end}");
    assert_eq!((run.code, run.stdout), (1, expected));
    // The repair reveals a second fault and resolves the finding about agents.
    let skill = ".claude/skills/pdf";
    sandbox.write(format!("{skill}/skill.md"), text("other", "compatibility: a: b\n"));
    let run = sandbox.run(["validate", "--diff", skill]);
    let expected = format!("\n2 findings would be repaired in 1 skill, 1 {end}");
    assert!(run.stdout.ends_with(&expected), "{}", run.stdout);
    sandbox.run(["validate", "--fix", skill]);
    assert_eq!(sandbox.rules_fired([skill]), ["name-directory-mismatch"]);
}

#[test]
fn a_failed_repair_is_not_suggested_again() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "license: a: b\n"));
    // A file size limit of zero stops even root.
    let run = sandbox.shell("trap '' XFSZ; ulimit -f 0; \"$SKILLS\" validate --fix pdf");
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.starts_with("error: cannot write `"), "{}", run.stderr);
    assert!(run.stdout.contains("error[invalid-yaml]"), "{}", run.stdout);
    assert!(!run.stdout.contains("--fix"), "{}", run.stdout);
}

#[test]
fn rules_that_are_off_are_not_repaired() {
    let sandbox = Sandbox::new();
    let before = text("pdf", "allowed-tools: [Read]\n");
    sandbox.skill("pdf", &before);
    sandbox.run(["validate", "--fix=all", "pdf", "--rule", "allowed-tools-format=off"]);
    assert_eq!(sandbox.read("pdf/SKILL.md"), before);
}

#[test]
fn uncertain_repairs_are_not_made() {
    let sandbox = Sandbox::new();
    for before in [
        text("pdf", "license: &anchor x\n"),
        text("pdf", "license: *alias\n"),
        text("pdf", "license: a: b\n  key: value\n"),
        text("pdf", "license: \"open\n"),
        text("pdf", "license: 'it's'\n"),
        text("pdf", "license: \"MIT\",\n"),
        text("pdf", "license: - MIT\n"),
        text("pdf", "compatibility: needs: x # why\n"),
        text("pdf", "compatibility: needs: x   # why\n"),
        text("pdf", "compatibility: “needs: x”\n"),
        text("pdf", "license MIT\n"),
        "# No front matter\n".to_owned(),
    ] {
        assert_eq!(repaired(&sandbox, &before), before);
    }
    sandbox.write("two/SKILL.md", good_text("two"));
    sandbox.write("two/skill.md", "# Another\n");
    sandbox.run(["validate", "--fix", "two"]);
    assert_eq!(sandbox.read("two/skill.md"), "# Another\n");
}

#[test]
fn a_linked_skill_md_is_not_written_through() {
    let sandbox = Sandbox::new();
    let before = text("pdf", "license: a: b\n");
    sandbox.write("common.md", &before);
    sandbox.symlink("../common.md", "pdf/SKILL.md");
    sandbox.good_skill("csv");
    sandbox.run(["validate", "--fix", "pdf", "csv"]);
    assert_eq!(sandbox.read("common.md"), before);
    assert!(sandbox.path("pdf/SKILL.md").is_symlink());
}

#[test]
fn machine_formats_after_a_repair_are_one_document() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "license: a: b\n"));
    let report = sandbox.json(["--fix", "pdf"]);
    assert_eq!(report["findings"], serde_json::json!([]));
}

/// Every file below the directory, with its content.
fn snapshot(sandbox: &Sandbox, directory: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = walkdir::WalkDir::new(sandbox.path(directory))
        .into_iter()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn repairing_the_fixtures_removes_every_fixable_finding_and_adds_no_error() {
    let sandbox = Sandbox::new();
    sandbox.copy_fixture("invalid", "all");
    let before = sandbox.json(["all"]);
    let fixable = |report: &serde_json::Value| {
        report["findings"].as_array().unwrap().iter().filter(|one| one["fixable"] == true).count()
    };
    assert!(fixable(&before) > 20);
    let after = sandbox.json(["all", "--fix"]);
    assert_eq!(fixable(&after), 0, "{after:#}");
    let document = sandbox.document(["rules", "--format", "json"]);
    for rule in document["rules"].as_array().unwrap() {
        let id = rule["id"].as_str().unwrap();
        let count = |report| rule_ids(report).iter().filter(|one| *one == id).count();
        // Front matter that can be read now may show other faults.
        if rule["fixable"] == true || id == "agent-compat" {
            assert!(count(&after) <= count(&before), "{id} got worse");
        }
    }
    let once = snapshot(&sandbox, "all");
    sandbox.json(["all", "--fix"]);
    assert!(once == snapshot(&sandbox, "all"), "a second run changes nothing");
}
