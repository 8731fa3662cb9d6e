//! `unsafe-file-name`: file names are UTF-8, without control or hidden characters and backslashes.

use std::path::Path;

use memchr::memchr;

use crate::skills::files::inventory::last_part;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::model::error::ErrorKind;
use crate::skills::text::quote::name_problem;
use crate::skills::text::unicode::is_printable_ascii;

pub static RULE: Rule = Rule {
    id: "unsafe-file-name",
    severity: Severity::Error,
    summary: "file names are UTF-8, without control or hidden characters and backslashes",
    why: "Such names look different from what they are, a model reads in them what no person \
        sees, and a backslash separates directories on Windows. Invisible characters that a \
        script or an emoji needs are fine.",
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
    unusable: UnusableIn::Anywhere,
    failure: ErrorKind::Unsafe,
    check: Check::Skill(check),
    ..Rule::BASE
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

fn problem(path: &Path) -> Option<String> {
    // Almost all names are plain, and plain names are safe.
    let name = last_part(path);
    if is_printable_ascii(name) && memchr(b'\\', name).is_none() {
        return None;
    }
    match path.file_name()?.to_str() {
        None => Some("is not UTF-8".to_owned()),
        Some(name) if name.contains('\\') => Some("contains a backslash".to_owned()),
        Some(name) => name_problem(name).map(|what| {
            let article = if what.starts_with(['i', 'u']) { "an" } else { "a" };
            format!("contains {article} {what}")
        }),
    }
}
