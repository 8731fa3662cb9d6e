//! `special-file`: a skill contains only files and directories.

use crate::skills::files::FileKind;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::source::SkillKind;

pub static RULE: Rule = Rule {
    id: "special-file",
    severity: Severity::Error,
    summary: "a skill contains only files and directories",
    why: "Reading a named pipe or a device can make an agent hang forever.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── queue     (named pipe)
",
    ),
    good: Example::Text(
        "\
pdf/
└── SKILL.md
",
    ),
    unusable: UnusableIn::Anywhere,
    failure: ErrorKind::Unsafe,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in &subject.inventory.entries {
        if let FileKind::Special(kind) = entry.kind {
            // What a commit names and does not contain can only be added.
            let is_elsewhere = subject.skill.kind() == SkillKind::Git;
            let help = if is_elsewhere { "add its files to the repository" } else { "delete it" };
            report.file(&entry.path, format!("this is {kind}")).help(help);
        }
    }
}
