//! The messages of findings: the cause, once, at the right place.

use serde_json::Value;

use crate::harness::{Sandbox, text};

/// The only finding of a run over `pdf`.
fn only(sandbox: &Sandbox) -> Value {
    let report = sandbox.json(["pdf"]);
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{report:#}");
    findings[0].clone()
}

#[test]
fn an_error_says_which_agents_lose_the_skill_and_nothing_repeats_it() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", "---\nname: pdf\ndescription: Use when: x\n---\n\n# PDF\n\nRun it.\n");
    let finding = only(&sandbox);
    assert_eq!(finding["rule"], "invalid-yaml");
    assert_eq!(finding["agents"], serde_json::json!(["copilot", "pi"]));
    let run = sandbox.run(["validate", "pdf"]);
    let effect = "note: dropped by Copilot and Pi; Claude, Codex, OpenCode and Gemini read it";
    assert!(run.stdout.contains(effect), "{}", run.stdout);
    // With `--agent`, the finding is about that agent.
    let report = sandbox.json(["--agent", "copilot", "pdf"]);
    assert_eq!(report["findings"].as_array().unwrap().len(), 2, "{report:#}");
}

#[test]
fn an_invalid_name_is_reported_once() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("PDF_Tools", ""));
    assert_eq!(only(&sandbox)["rule"], "name-format");
}

#[test]
fn a_merge_conflict_is_called_one() {
    let [ours, middle, other] = ["<", "=", ">"].map(|sign| sign.repeat(7));
    let conflict =
        format!("{ours} HEAD\ndescription: One.\n{middle}\ndescription: Two.\n{other} b\n");
    for text in [
        format!("---\nname: pdf\n{conflict}---\n\n# PDF\n\nRun it.\n"),
        format!("{ours} HEAD\n---\nname: pdf\n---\n{middle}\n{other} b\n"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.skill("pdf", &text);
        let finding = only(&sandbox);
        assert_eq!(finding["message"], "this is an unresolved merge conflict", "{finding:#}");
    }
}

#[test]
fn text_in_a_wrong_encoding_is_called_that() {
    let sandbox = Sandbox::new();
    // UTF-8 that was read as Latin-1 and saved again.
    sandbox.skill("pdf", &(text("pdf", "") + "\nIt\u{e2}\u{80}\u{99}s fine.\n"));
    let message = only(&sandbox)["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "text in a wrong encoding: these characters were `’`, and 1 more");
}

#[test]
fn a_long_block_is_marked_in_its_first_line() {
    let sandbox = Sandbox::new();
    let block = format!(">-\n  {}\n  {}", "a long line ".repeat(60), "another one ".repeat(60));
    sandbox
        .skill("pdf", &format!("---\nname: pdf\ndescription: {block}\n---\n\n# PDF\n\nRun it.\n"));
    let run = sandbox.run(["validate", "pdf"]);
    assert!(run.stdout.contains("4 |   a long line a long line"), "{}", run.stdout);
    assert!(!run.stdout.contains("____"), "{}", run.stdout);
}

#[test]
fn the_cut_of_claude_counts_both_fields() {
    let skill = |when: usize| {
        let sandbox = Sandbox::new();
        let field = format!("when_to_use: {}\n", "w".repeat(when));
        let description = "d".repeat(1_000);
        sandbox.skill(
            "pdf",
            &format!(
                "---\nname: pdf\ndescription: {description}\n{field}---\n\n# PDF\n\nRun it.\n"
            ),
        );
        let report = sandbox.json(["--agent", "claude", "pdf"]);
        let findings = report["findings"].as_array().unwrap();
        findings.iter().any(|one| one["message"].as_str().unwrap().contains("1,536"))
    };
    assert!(!skill(533));
    assert!(skill(534));
}

#[test]
fn names_of_copies_and_of_plugins_do_not_clash() {
    let sandbox = Sandbox::new();
    for place in ["one", "two"] {
        sandbox.skill(&format!("{place}/pdf"), &text("pdf", ""));
    }
    assert_eq!(sandbox.json(["."])["summary"]["errors"], 0);
    // One byte makes them different skills, and both have a finding.
    sandbox.write("two/pdf/notes.md", "x\n");
    let report = sandbox.json(["."]);
    let messages: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        messages,
        ["the name `pdf` is also that of `two/pdf`", "the name `pdf` is also that of `one/pdf`"]
    );
    for place in ["one", "two"] {
        let manifest = format!("{{\"name\": \"{place}\", \"skills\": \"./\"}}\n");
        sandbox.write(format!("{place}/.claude-plugin/plugin.json"), manifest);
    }
    assert_eq!(sandbox.json(["."])["summary"]["errors"], 0);
    // In one plugin, they clash again.
    sandbox.skill("two/skills/pdf", &text("pdf", ""));
    assert_eq!(sandbox.json(["."])["summary"]["errors"], 2);
}

#[test]
fn notes_reach_code_scanning_only_when_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "colour: blue\n"));
    let results = |args: &[&str]| {
        let run = sandbox.run(args);
        let log: Value = serde_json::from_str(&run.stdout).unwrap();
        log["runs"][0]["results"].as_array().unwrap().len()
    };
    assert_eq!(results(&["validate", "--format", "sarif", "pdf"]), 0);
    assert_eq!(results(&["validate", "--format", "sarif", "-v", "pdf"]), 1);
}
