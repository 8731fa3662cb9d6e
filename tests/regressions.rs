//! Fixed bugs, one test each.

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
        sandbox.run(["validate", "--fix=all", "pdf"]);
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
fn files_are_renamed_and_made_executable_even_if_the_text_has_no_repair() {
    let sandbox = Sandbox::new();
    let skill = ".claude/skills/pdf";
    sandbox.write(format!("{skill}/skill.md"), b"---\nname: pdf\n---\n\xff\n");
    sandbox.write(format!("{skill}/run.sh"), "#!/bin/sh\n");
    sandbox.run(["validate", "--fix=all", skill]);
    assert!(sandbox.path(skill).join("SKILL.md").exists());
    assert_ne!(sandbox.mode(format!("{skill}/run.sh")) & 0o111, 0);
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

#[test]
fn text_behind_a_hash_is_never_cut_off_by_a_repair() {
    let sandbox = Sandbox::new();
    let before = text("pdf", "license: Fix bugs: see issue #12 and all others\n");
    sandbox.skill("pdf", &before);
    let run = sandbox.run(["validate", "--fix", "pdf"]);
    assert_eq!((run.code, sandbox.read("pdf/SKILL.md")), (1, before));
}

#[test]
fn lists_and_mappings_stay_lists_and_mappings() {
    let sandbox = Sandbox::new();
    for value in ["allowed-tools: [Read, @x]", "metadata: {author: @me, team: core}"] {
        let before = text("pdf", &format!("{value}\n"));
        sandbox.skill("pdf", &before);
        sandbox.run(["validate", "--fix", "pdf"]);
        assert_eq!(sandbox.read("pdf/SKILL.md"), before);
    }
}

#[test]
fn every_script_is_made_executable_however_many_there_are() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    for number in 0..130 {
        sandbox.write(format!("pdf/scripts/{number}.sh"), "#!/bin/sh\n");
    }
    let run = sandbox.run(["validate", "--fix=all", "pdf"]);
    assert_eq!(run.stdout, "1 skill checked: no problems\nrepaired 130 findings in 1 skill\n");
}

#[test]
fn a_misspelt_field_is_not_lost_behind_a_hundred_others() {
    let sandbox = Sandbox::new();
    let junk: String = (0..200).map(|number| format!("junk{number}: x\n")).collect();
    sandbox.skill("pdf", &text("pdf", &format!("{junk}licence: MIT\n")));
    let report = sandbox.json(["pdf"]);
    assert_eq!(report["summary"]["warnings"], 1, "{report:#}");
}

#[test]
fn a_repair_cannot_give_orders_to_a_ci_service() {
    let sandbox = Sandbox::new();
    let front = "license: a: b\n---\n::error file=a::forged\n##[error]forged\n";
    sandbox.skill("pdf", &text("pdf", front));
    let run = sandbox.run(["validate", "--diff", "pdf"]);
    assert!(run.stdout.contains("+license: \"a: b\"\n ---\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("forged"), "{}", run.stdout);
    // A repair that cannot be shown is not made.
    let orders = text("pdf", "license: \"##[error]\" a: b\n");
    sandbox.skill("pdf", &orders);
    assert!(sandbox.run(["validate", "--diff", "pdf"]).stdout.starts_with("0 findings"));
    sandbox.run(["validate", "--fix", "pdf"]);
    assert_eq!(sandbox.read("pdf/SKILL.md"), orders);
}

#[test]
fn a_name_in_the_manifest_wins_wherever_it_stands() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("all/review");
    sandbox.write(
        "skills.yaml",
        "skills:\n  - ./all\n  - source: ./all/review\n    name: code-review\n",
    );
    let report = sandbox.json([""; 0]);
    assert_eq!(report["skills"][0]["name"], "code-review", "{report:#}");
    assert_eq!(report["summary"]["errors"], 0, "{report:#}");
}

#[test]
fn a_skill_md_that_leads_nowhere_is_a_finding_however_it_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/notes.md", "x\n");
    sandbox.symlink("nowhere", "pdf/SKILL.md");
    assert_eq!(sandbox.rules_fired(["pdf/SKILL.md"]), ["symlink"]);
    assert_eq!(sandbox.rules_fired(["pdf"]), ["symlink"]);
}

#[test]
fn a_new_skill_has_not_even_a_warning() {
    let sandbox = Sandbox::new();
    for name in ["claude-pdf", "con"] {
        let run = sandbox.run(["init", name]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(!sandbox.path(name).exists());
    }
}

#[test]
fn a_wrong_number_of_threads_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    let run = sandbox.run_with(["validate", "pdf"], |command| {
        command.env("SKILLS_THREADS", "many");
    });
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`SKILLS_THREADS=many` is not a number"), "{}", run.stderr);
}
