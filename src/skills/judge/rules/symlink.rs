//! `symlink`: a skill holds no symbolic links.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::files::platform::FileKind;
use crate::skills::judge::rule::Severity;

pub(super) static RULE: Rule = Rule {
    id: "symlink",
    severity: Severity::Error,
    summary: "a skill holds no symbolic links",
    why: "A link can point at a secret of whoever installs the skill, or at nothing at all. Codex \
        ignores a linked `SKILL.md`. Installing refuses links unless told to copy their targets.",
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
        let target = match &subject.skill.packed {
            Some(packed) => packed.link_target(&entry.path),
            None => subject.link_target(&entry.path).unwrap_or_default(),
        };
        report
            .file(&entry.path, format!("symbolic link to `{}`", target.display()))
            .help("replace the link by a copy of what it points to");
    }
}
