//! `portable-file-name`: file names work on Windows too.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "portable-file-name",
    severity: Severity::Warning,
    summary: "file names work on Windows too",
    why: "Device names such as `con` or `nul`, a trailing dot or space, and the characters `< > : \
        \" | ? *` cannot be stored there.",
    bad: Example::Text(
        "\
aux/
├── SKILL.md
└── what?.md
",
    ),
    good: Example::Text(
        "\
pdf/
├── SKILL.md
└── what.md
",
    ),
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.skill.kind.has_directory()
        && let Some(problem) = problem(&subject.skill.name())
    {
        report.directory(format!("the skill's name {problem}")).help("choose another name");
    }
    for entry in &subject.inventory.entries {
        let Some(name) = entry.path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if let Some(problem) = problem(name) {
            report.file(&entry.path, format!("this file name {problem}")).help("rename the file");
        }
    }
}

fn problem(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && matches!(rest.as_bytes(), [b'1'..=b'9']))
    };
    if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
    {
        return Some("is a device on Windows");
    }
    if name.ends_with(['.', ' ']) {
        return Some("ends with a dot or a space, which Windows drops");
    }
    name.contains(['<', '>', ':', '"', '|', '?', '*'])
        .then_some("contains a character that Windows does not allow")
}
