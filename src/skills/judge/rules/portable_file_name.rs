//! `portable-file-name`: file names work on Windows too.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

pub static RULE: Rule = Rule {
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
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.skill.kind().has_directory()
        && let Some(problem) = problem(&subject.skill.folder)
    {
        report.directory(format!("the skill's name {problem}")).help("choose another name");
    }
    for entry in &subject.inventory.entries {
        let name = entry.name();
        if entry.has_plain_name() && !may_have_problem(name) {
            continue;
        }
        if let Some(problem) = std::str::from_utf8(name).ok().and_then(problem) {
            report.file(&entry.path, format!("this file name {problem}")).help("rename the file");
        }
    }
}

/// Whether a name of letters, digits, `-`, `_` and dots may be one of a device, or ends with a dot.
fn may_have_problem(name: &[u8]) -> bool {
    matches!(
        name,
        [.., b'.'] | [_, _, _] | [_, _, _, _] | [_, _, _, b'.', ..] | [_, _, _, _, b'.', ..]
    )
}

fn problem(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    if is_device(stem.as_bytes()) {
        return Some("is a device on Windows");
    }
    if name.ends_with(['.', ' ']) {
        return Some("ends with a dot or a space, which Windows drops");
    }
    name.bytes()
        .any(|byte| matches!(byte, b'<' | b'>' | b':' | b'"' | b'|' | b'?' | b'*'))
        .then_some("contains a character that Windows does not allow")
}

fn is_device(stem: &[u8]) -> bool {
    let is_one_of = |name: &[u8], devices: &[&str]| {
        devices.iter().any(|device| name.eq_ignore_ascii_case(device.as_bytes()))
    };
    match stem {
        [_, _, _] => is_one_of(stem, &["con", "prn", "aux", "nul"]),
        [name @ .., b'1'..=b'9'] if name.len() == 3 => is_one_of(name, &["com", "lpt"]),
        _ => false,
    }
}
