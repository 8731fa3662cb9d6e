//! `nested-skill`: a skill does not contain another skill.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::SKILL_MD;

pub static RULE: Rule = Rule {
    id: "nested-skill",
    severity: Severity::Warning,
    summary: "a skill does not contain another skill",
    why: "Codex and OpenCode list the inner skill separately; the others do not see it.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── forms/
    └── SKILL.md
",
    ),
    good: Example::Text(
        "\
pdf/
└── SKILL.md
pdf-forms/
└── SKILL.md
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in subject.inventory.files() {
        let name = entry.name();
        let nested = name.len() < entry.path.as_os_str().len();
        if nested && name.eq_ignore_ascii_case(SKILL_MD.as_bytes()) {
            report
                .file(&entry.path, "a skill inside a skill")
                .help("move it beside this one, or rename the file to what it describes");
        }
    }
}
