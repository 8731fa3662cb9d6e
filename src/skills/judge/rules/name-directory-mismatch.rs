//! `name-directory-mismatch`: the name equals the name of the skill's directory.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::judge::rule::Severity;
use crate::skills::model::name::SkillName;

pub(super) static RULE: Rule = Rule {
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
    good: Example::PLAIN,
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    // A file skill has no directory yet, and a given name makes both agree on install.
    if !subject.skill.kind.has_directory() || subject.skill.is_renamed {
        return;
    }
    let Some((node, name)) = subject.string("name") else { return };
    let directory = subject.skill.folder.as_str();
    if name == directory {
        return;
    }
    let draft =
        report.at(node.span, format!("the name is `{name}`, the directory is `{directory}`"));
    match (SkillName::new(name), SkillName::new(directory)) {
        (_, Ok(directory)) => {
            draft.help(format!("write `name: {directory}`, or rename the directory"))
        }
        (Ok(name), Err(_)) => draft.help(format!("rename the directory to `{name}`")),
        (Err(_), Err(_)) => draft.help("give both one valid name"),
    };
}
