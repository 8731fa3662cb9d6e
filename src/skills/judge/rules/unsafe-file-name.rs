//! `unsafe-file-name`: file names are UTF-8, without control or bidirectional characters and backslashes.

use std::path::Path;

use memchr::memchr;

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::files::inventory::last_part;
use crate::skills::judge::rule::Severity;
use crate::skills::text::bytes::is_printable_ascii;
use crate::skills::text::unicode::{is_bidirectional, is_control};

pub(super) static RULE: Rule = Rule {
    id: "unsafe-file-name",
    severity: Severity::Error,
    summary: "file names are UTF-8, without control or bidirectional characters and backslashes",
    why: "Such names look different from what they are, and a backslash separates directories \
        on Windows.",
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
    if let Some(problem) = problem(&subject.skill.path) {
        report.directory(format!("this name {problem}")).help("rename it");
    }
    let others = subject.inventory.entries.iter().filter(|entry| !entry.has_plain_name());
    for entry in others {
        if let Some(problem) = problem(&entry.path) {
            report.file(&entry.path, format!("this file name {problem}")).help("rename the file");
        }
    }
}

fn problem(path: &Path) -> Option<&'static str> {
    // Almost all names are plain, and plain names are safe.
    let name = last_part(path);
    if is_printable_ascii(name) && memchr(b'\\', name).is_none() {
        return None;
    }
    match path.file_name()?.to_str() {
        None => Some("is not UTF-8"),
        Some(name) if name.contains('\\') => Some("contains a backslash"),
        Some(name) if name.contains(['\n', '\t']) || name.chars().any(is_control) => {
            Some("contains a control character")
        }
        Some(name) if name.chars().any(is_bidirectional) => {
            Some("contains a bidirectional control")
        }
        Some(_) => None,
    }
}
