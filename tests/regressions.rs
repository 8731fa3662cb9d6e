//! Faults that were found once, one test each.

use std::time::{Duration, Instant};

use crate::harness::{Sandbox, good_text, text};

#[test]
fn tools_in_a_block_scalar_are_repaired_without_touching_the_next_line() {
    let sandbox = Sandbox::new();
    for mark in ["|", ">"] {
        sandbox.skill(
            "pdf",
            &text("pdf", &format!("allowed-tools: {mark}\n  Read,\n  Grep\nlicense: MIT\n")),
        );
        sandbox.run(["validate", "--fix", "pdf"]);
        let after = sandbox.read("pdf/SKILL.md");
        assert!(after.contains("allowed-tools: Read Grep\nlicense: MIT\n---\n"), "{after}");
    }
}

#[test]
fn a_finding_about_a_block_scalar_ends_on_its_last_line() {
    let sandbox = Sandbox::new();
    let description = "description: >\n  <b>x</b> Use when asked.\nlicense: MIT\n";
    sandbox.skill("pdf", &format!("---\nname: pdf\n{description}---\n\nRun it.\n"));
    let finding = &sandbox.json(["pdf"])["findings"][0];
    assert_eq!(finding["rule"], "xml-in-description");
    assert_eq!(finding["end_line"], 4, "{finding:#}");
}

#[test]
fn no_tool_is_lost_in_a_repair() {
    let sandbox = Sandbox::new();
    for tools in [
        "\n  - Read\n  - Bash(npm: run)",
        " [[Read], Grep]",
        " [\"My Tool\", Read]",
        " [Bash(a, b)]",
    ] {
        let before = text("pdf", &format!("allowed-tools:{tools}\n"));
        sandbox.skill("pdf", &before);
        sandbox.run(["validate", "--fix", "pdf"]);
        assert_eq!(sandbox.read("pdf/SKILL.md"), before);
    }
}

#[test]
fn an_explicit_key_is_not_made_into_another_one() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "? allowed-tools\n: [Read]\n"));
    let run = sandbox.run(["validate", "--fix", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
}

#[test]
fn every_body_is_judged_in_linear_time() {
    for body in [
        "[](".repeat(40_000),
        "AKIA".repeat(40_000),
        "[x](y.md)\n".repeat(10_000),
        "](x) ".repeat(10_000),
    ] {
        let sandbox = Sandbox::new();
        sandbox.skill("pdf", &(good_text("pdf") + &body));
        let started = Instant::now();
        sandbox.run(["validate", "pdf"]);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", &body[..4]);
    }
}

#[test]
fn a_byte_order_mark_at_the_start_of_the_body_is_hidden_text() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &good_text("pdf").replace("---\n\n#", "---\n\u{feff}#"));
    assert_eq!(sandbox.rules_fired(["pdf"]), ["hidden-unicode"]);
    sandbox.skill(
        "pdf",
        "---\nname: pdf\ndescription: \"\\ufeffExtract. Use when asked.\"\n---\n\nRun it.\n",
    );
    assert_eq!(sandbox.rules_fired(["pdf"]), ["hidden-unicode"]);
}

#[test]
fn files_are_renamed_and_made_executable_whatever_the_text_is() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/skill.md", b"---\nname: pdf\n---\n\xff\n");
    sandbox.write("pdf/run.sh", "#!/bin/sh\n");
    sandbox.run(["validate", "--fix", "pdf"]);
    assert!(sandbox.path("pdf/SKILL.md").exists());
    assert_ne!(sandbox.mode("pdf/run.sh") & 0o111, 0);
}

#[test]
fn a_name_in_the_manifest_settles_a_duplicate() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("a/pdf");
    sandbox.good_skill("b/pdf");
    sandbox.write("skills.yaml", "skills:\n  - a/pdf\n  - source: b/pdf\n    name: pdf-two\n");
    assert_eq!(sandbox.rules_fired([""; 0]), [""; 0]);
}

#[test]
fn a_manifest_with_levels_only_checks_everything_here() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    sandbox.write("skills.yaml", "rules: {unknown-field: off}\n");
    assert_eq!(sandbox.run(["validate"]).code, 0);
}

#[test]
fn a_tab_is_reported_where_it_stands() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "metadata:\n\tstage: beta\n"));
    let finding = &sandbox.json(["pdf"])["findings"][0];
    assert_eq!((finding["line"].as_u64(), finding["column"].as_u64()), (Some(5), Some(1)));
}

#[test]
fn a_quote_that_is_never_closed_is_reported_where_it_opens() {
    let sandbox = Sandbox::new();
    sandbox.skill(
        "pdf",
        "---\nname: pdf\ndescription: \"Extract text. Use when asked.\n---\n\nRun it.\n",
    );
    let finding = &sandbox.json(["pdf"])["findings"][0];
    assert_eq!(finding["message"], "this quote is never closed");
    assert_eq!(finding["line"], 3);
}

#[test]
fn a_description_may_start_with_a_hyphen() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(["init", "pdf", "--description", "- when asked"]).code, 0);
}
