//! `version-control-files`: a skill contains no version control directory.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::files::inventory::is_version_control_name;
use crate::skills::judge::rule::Severity;

pub(super) static RULE: Rule = Rule {
    id: "version-control-files",
    severity: Severity::Warning,
    summary: "a skill contains no version control directory",
    why: "`.git` contains every version of every file, including credentials. It is never \
        installed or packed.",
    bad: Example::Text(
        "\
pdf/
├── .git/
└── SKILL.md
",
    ),
    good: Example::Text(
        "\
.git/
pdf/
└── SKILL.md
",
    ),
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in &subject.inventory.entries {
        if is_version_control_name(entry.name()) {
            report
                .file(&entry.path, "version control data inside the skill")
                .help("keep the repository above the skill; this is never installed or packed");
        }
    }
}
