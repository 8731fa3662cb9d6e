//! `name-directory-mismatch`: the name equals the name of the skill's directory.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::name::SkillName;

pub static RULE: Rule = Rule {
    id: "name-directory-mismatch",
    severity: Severity::Error,
    summary: "the name equals the name of the skill's directory",
    why: "Claude uses the directory, other agents the name, so the same skill has two names.",
    bad: Example::SkillMd(
        "\
---
name: pdf-tools
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    failure: ErrorKind::InvalidName,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    // A file skill has no directory, and a given name is used for both on install.
    if !subject.skill.kind().has_directory() || subject.skill.is_renamed {
        return;
    }
    let Some((node, name)) = subject.string("name") else { return };
    let directory = subject.skill.folder.as_str();
    if name == directory {
        return;
    }
    // The rules about names report invalid names.
    let Ok(valid) = SkillName::new(name) else { return };
    let help = match SkillName::new(directory) {
        Ok(directory) => format!("write `name: {directory}`, or rename the directory"),
        Err(_) => format!("rename the directory to `{valid}`"),
    };
    report
        .at(node.span, format!("the name is `{name}`, the directory is `{directory}`"))
        .help(help);
}
