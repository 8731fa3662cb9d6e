//! `opaque-file`: a skill holds no files that hide code from its readers.

use crate::skills::files::inventory::last_part;
use crate::skills::files::opaque::{self, Opaque};
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, JudgedFile, Rule, Subject};

pub static RULE: Rule = Rule {
    id: "opaque-file",
    severity: Severity::Warning,
    summary: "a skill holds no files that hide code from its readers",
    why: "Nobody can review compiled code, the files in an archive or the macros of a document, but \
        an agent may run them. Files are judged by name, and with `--deep` by their bytes.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── scripts/
    ├── extract.exe
    └── helpers.zip
",
    ),
    good: Example::Text(
        "\
pdf/
├── SKILL.md
└── scripts/
    ├── extract.py
    └── helpers.py
",
    ),
    safety: Some(7),
    check: Check::Safety(check, check_file),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in subject.inventory.files() {
        if let Some(kind) = opaque::by_name(entry.name()) {
            let (message, help) = texts(kind);
            report.file(&entry.path, message).help(help);
        }
    }
}

/// File names are checked with the skill, so this checks only the content.
fn check_file(file: &JudgedFile<'_>, report: &mut Report<'_>) {
    let name = last_part(file.path);
    if opaque::by_name(name).is_none()
        && let Some(kind) = opaque::by_bytes(name, file.bytes)
    {
        let (message, help) = texts(kind);
        report.file(file.path, message).help(help);
    }
}

const fn texts(kind: Opaque) -> (&'static str, &'static str) {
    match kind {
        Opaque::Code => ("compiled code, which no reader can judge", "ship its source instead"),
        Opaque::Archive => {
            ("an archive, whose files no reader sees", "ship the files themselves instead")
        }
        Opaque::Document => {
            ("a document that can run code when it is opened", "save it without macros or scripts")
        }
        Opaque::Objects => (
            "stored objects, which run code when they are loaded",
            "ship the data in a format that cannot, such as JSON",
        ),
    }
}
