//! Inputs exactly at a limit, and one step beyond it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::harness::{Sandbox, good_text, rule_ids};

/// A good `SKILL.md` of exactly this many bytes.
fn text_of(bytes: usize) -> String {
    let mut text = good_text("pdf");
    let line = "Words that fill a line of the body, so that it is not one endless line.\n";
    while text.len() + line.len() <= bytes {
        text.push_str(line);
    }
    text.push_str(&"x".repeat(bytes - text.len()));
    text
}

#[test]
fn a_skill_md_of_one_mebibyte_is_read_and_one_byte_more_is_not() {
    const MOST: usize = 1024 * 1024;
    for (bytes, is_too_large) in [(MOST - 1, false), (MOST, false), (MOST + 1, true)] {
        let sandbox = Sandbox::new();
        sandbox.skill("skills/pdf", &text_of(bytes));
        let rules = rule_ids(&sandbox.json(["skills"]));
        assert_eq!(rules.contains(&"file-too-large".to_owned()), is_too_large, "{bytes}");
        assert_eq!(rules.contains(&"body-too-long".to_owned()), !is_too_large, "{bytes}");
        // The same for copying, and for packing and reading the archive.
        let run = sandbox.run(["install", "skills", "--dir", "out"]);
        assert_eq!(run.code, i32::from(is_too_large), "{bytes}: {}", run.stderr);
        let run = sandbox.run(["list", "skills", "--format", "json"]);
        assert_eq!(run.stdout.contains("\"invalid\""), is_too_large, "{bytes}: {}", run.stdout);
    }
}

/// The messages of one rule.
fn messages(report: &Value, rule: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["rule"] == rule);
    of_rule.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_hundred_findings_of_a_rule_are_shown_and_the_rest_is_counted() {
    for (links, more) in [(99, None), (100, None), (101, Some(1)), (350, Some(250))] {
        let sandbox = Sandbox::new();
        let mut text = good_text("pdf");
        for number in 0..links {
            let _ = writeln!(text, "[a](missing-{number}.md)");
        }
        // Other rules with fewer findings, before and after it in the list of rules.
        text.push_str("\nSee https://pastebin.com/raw/x and [out](../../outside.md).\n");
        sandbox.skill("skills/pdf", &text);
        let report = sandbox.json(["skills"]);
        let shown = messages(&report, "broken-link");
        assert_eq!(shown.len(), links.min(100), "{links}");
        let counted: Vec<&String> =
            shown.iter().filter(|message| message.contains("not shown")).collect();
        match more {
            None => assert!(counted.is_empty(), "{counted:?}"),
            Some(more) => {
                let suffix = format!(" ({more} more like this are not shown)");
                assert!(shown[99].ends_with(&suffix), "{}", shown[99]);
                assert_eq!(counted.len(), 1);
                assert!(shown[99].contains("missing-99.md"), "{}", shown[99]);
            }
        }
        for rule in ["paste-site-link", "link-escapes-skill"] {
            let others = messages(&report, rule);
            assert_eq!(others.len(), 1, "{rule}");
            assert!(!others[0].contains("not shown"), "{rule}");
        }
    }
}

#[test]
#[cfg(unix)]
fn everything_that_can_be_repaired_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    for number in 0..150 {
        sandbox.write(format!("skills/pdf/scripts/{number}.sh"), "#!/bin/sh\n");
        sandbox.chmod(format!("skills/pdf/scripts/{number}.sh"), 0o644);
    }
    let shown = messages(&sandbox.json(["skills"]), "script-not-executable");
    assert_eq!(shown.len(), 150);
    assert!(shown.iter().all(|message| !message.contains("not shown")));
}

#[cfg(unix)]
#[test]
fn paths_are_shown_without_dots() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("s/foo");
    sandbox.mkdir("sub");
    sandbox.mkdir("elsewhere/deep");
    sandbox.symlink("elsewhere/deep", "link");
    sandbox.write("skills.yaml", "skills: [./s]\n");
    for line in [
        "install sub/../s --dir sub/../o",
        "verify --dir sub/../o",
        "verify --dir sub/../nothing",
        "disable foo --dir sub/../o",
        "verify --dir sub/../o",
        "disable foo --dir sub/../o",
        "enable foo --dir sub/../o",
        "update --dir sub/../o",
        "outdated --dir sub/../o",
        "show foo --dir sub/../o",
        "show sub/../s/foo",
        "list --discover --skills-dir sub/../o",
        "read foo --skills-dir sub/../o",
        "remove foo --dir sub/../o",
        "remove foo --dir sub/../o",
        "sync --dir sub/../o",
        "install s --home sub/../h",
        "verify --home sub/../h",
        "remove foo --home sub/../h",
        "pack s/foo -o sub/../foo.skill --force",
        "lock --manifest sub/../skills.yaml",
        "outdated --manifest sub/../skills.yaml",
        "install s --dir link/../o",
        "verify --dir link/../o",
    ] {
        for format in ["human", "json"] {
            let run = sandbox.run(line.split(' ').chain(["--format", format]));
            assert!(!run.all().contains(".."), "{line} --format {format}: {}", run.all());
        }
    }
    let mounted = sandbox.run(["mount", "s", "--home", "sub/../m"]);
    assert_eq!(mounted.stdout, "[DIR]/project/m\n");
    let report = sandbox.document(["verify", "--dir", "link/../o", "--format", "json"]);
    assert_eq!(report["skills_dirs"][0], "[DIR]/project/elsewhere/o");
    assert_eq!(report["skills"][0]["path"], "[DIR]/project/elsewhere/o/foo");
}
