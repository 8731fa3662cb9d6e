//! `unsafe-file-name`: file names hold no control or bidirectional characters, no backslash, and are UTF-8.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::finding::Severity;
use crate::skills::unicode::{is_bidirectional, is_control};

pub(super) static RULE: Rule = Rule {
    id: "unsafe-file-name",
    severity: Severity::Error,
    summary: "file names hold no control or bidirectional characters, no backslash, and are UTF-8",
    why: "Such names lie to whoever lists them, and are paths on Windows.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── scripts\\run.sh
",
    ),
    good: Example::Text(
        "\
pdf/
├── SKILL.md
└── scripts/run.sh
",
    ),
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in &subject.inventory.entries {
        let Some(name) = entry.path.file_name() else {
            continue;
        };
        let problem = match name.to_str() {
            None => "is not UTF-8",
            Some(name) if name.contains('\\') => "contains a backslash",
            Some(name) if name.contains(['\n', '\t']) => "contains a control character",
            Some(name) if name.chars().any(is_control) => "contains a control character",
            Some(name) if name.chars().any(is_bidirectional) => "contains a bidirectional control",
            Some(_) => continue,
        };
        report.file(&entry.path, format!("this file name {problem}")).help("rename the file");
    }
}
