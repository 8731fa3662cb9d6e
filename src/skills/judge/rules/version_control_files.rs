//! `version-control-files`: no directory inside a skill is a repository.

use crate::skills::files::inventory::is_version_control_name;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

pub static RULE: Rule = Rule {
    id: "version-control-files",
    severity: Severity::Warning,
    summary: "no directory inside a skill is a repository",
    why: "`.git` contains every version of every file, including credentials. It is never \
        installed or packed. A skill that is the root of a repository is fine.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── vendor/
    └── .git/
",
    ),
    good: Example::Text(
        "\
pdf/
├── .git/
└── SKILL.md
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in &subject.inventory.entries {
        // A skill may be the root of its own repository.
        let is_below = entry.name().len() < entry.path.as_os_str().len();
        if is_below && is_version_control_name(entry.name()) {
            report
                .file(&entry.path, "version control data inside the skill")
                .help("delete it; installing and packing leave it out");
        }
    }
}
