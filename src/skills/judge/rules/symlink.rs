//! `symlink`: a skill contains no symbolic links.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::files::platform::FileKind;
use crate::skills::judge::rule::Severity;

pub(super) static RULE: Rule = Rule {
    id: "symlink",
    severity: Severity::Error,
    summary: "a skill contains no symbolic links",
    why: "A link can point at a secret of the user who installs the skill, or at nothing. \
        Codex ignores a linked `SKILL.md`. `skills install` refuses links unless \
        `--follow-symlinks` tells it to copy their targets.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── guide.md -> ../../common/guide.md
",
    ),
    good: Example::Text(
        "\
pdf/
├── SKILL.md
└── guide.md
",
    ),
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in &subject.inventory.entries {
        if entry.kind != FileKind::Symlink {
            continue;
        }
        let target = match subject.skill.packed() {
            Some(packed) => packed.link_target(&entry.path),
            None => subject.link_target(&entry.path).unwrap_or_default(),
        };
        report
            .file(&entry.path, format!("symbolic link to `{}`", target.display()))
            .help("replace the link by a copy of what it points to");
    }
}
