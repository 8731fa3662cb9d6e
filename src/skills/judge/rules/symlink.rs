//! `symlink`: no symbolic link leads out of a skill, to nothing, or in a circle.

use std::path::Path;

use crate::skills::files::FileKind;
use crate::skills::files::content::{self, LinkEnd};
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::source::Skill;

pub static RULE: Rule = Rule {
    id: "symlink",
    severity: Severity::Error,
    summary: "no symbolic link leads out of the skill, to nothing, or in a circle",
    why: "A link that leaves the skill can point at a secret of the user who installs it, so \
        `skills install` refuses it unless `--follow-symlinks` finds its target inside the source. \
        A link inside the skill is copied as what it leads to and is only a note; one that \
        leads nowhere is left out. Codex ignores a linked `SKILL.md`.",
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
    failure: ErrorKind::Unsafe,
    check: Check::Skill(check),
    ..Rule::BASE
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
        let target = target.display();
        match end_of(subject.skill, &entry.path) {
            LinkEnd::Inside(_) => {
                let message = format!("symbolic link to `{target}`, inside the skill");
                report.file(&entry.path, message).severity(Severity::Note);
            }
            LinkEnd::Outside => {
                report
                    .file(&entry.path, format!("symbolic link to `{target}`, outside the skill"))
                    .help("replace the link by a copy of what it points to");
            }
            LinkEnd::Nowhere => {
                report
                    .file(&entry.path, format!("symbolic link to `{target}`, which does not exist"))
                    .help("delete the link, or correct it");
            }
            LinkEnd::Loop => {
                report
                    .file(
                        &entry.path,
                        format!("symbolic link to `{target}`, which leads back to it"),
                    )
                    .help("delete the link, or correct it");
            }
        }
    }
}

/// The target of a link of a skill, given by its path below the skill.
pub fn end_of(skill: &Skill, path: &Path) -> LinkEnd {
    match skill.packed() {
        Some(packed) => packed.link_end(path),
        None => content::end_of(&skill.path, path),
    }
}
