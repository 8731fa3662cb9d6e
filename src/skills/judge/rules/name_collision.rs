//! `name-collision`: no two files of a skill are the same file where case or Unicode form is ignored.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use crate::skills::files::inventory::FileEntry;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::model::error::ErrorKind;

pub static RULE: Rule = Rule {
    id: "name-collision",
    severity: Severity::Error,
    summary: "no two files of a skill are the same file where case or Unicode form is ignored",
    why: "On macOS and Windows, the second file silently replaces the first.",
    bad: Example::Text(
        "\
pdf/
├── README.md
├── SKILL.md
└── readme.md
",
    ),
    good: Example::Text(
        "\
pdf/
├── README.md
└── SKILL.md
",
    ),
    unusable: UnusableIn::Anywhere,
    failure: ErrorKind::Unsafe,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if cannot_collide(&subject.inventory.entries) {
        return;
    }
    let mut first_by_key: HashMap<String, &Path> = HashMap::new();
    for entry in &subject.inventory.entries {
        match first_by_key.entry(folded(&entry.path.to_string_lossy())) {
            Entry::Vacant(vacant) => {
                vacant.insert(&entry.path);
            }
            Entry::Occupied(first) => {
                let other = first.get().display();
                report
                    .file(
                        &entry.path,
                        format!("the same file as `{other}` where case or Unicode form is ignored"),
                    )
                    .help("rename one of them");
            }
        }
    }
}

/// Whether there are only a few plain names, which can be compared directly.
fn cannot_collide(entries: &[FileEntry]) -> bool {
    const FEW: usize = 32;
    let plain = |entry: &FileEntry| entry.path.as_os_str().is_ascii();
    entries.len() <= FEW
        && entries.iter().all(plain)
        && entries.iter().enumerate().all(|(index, entry)| {
            let name = entry.path.as_os_str();
            // Most names differ in length.
            let is_same = |other: &FileEntry| {
                other.path.as_os_str().len() == name.len() && name.eq_ignore_ascii_case(&other.path)
            };
            !entries[..index].iter().any(is_same)
        })
}

/// One key for all spellings that some file system treats as equal.
fn folded(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    // Upper case first, so that `ß` and `ss` meet.
    let upper: String = path.nfd().flat_map(char::to_uppercase).collect();
    upper.chars().flat_map(char::to_lowercase).nfc().collect()
}
