//! `broken-link`: relative links and paths lead to files of the skill.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path};

use crate::skills::files::inventory::Inventory;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::markdown::{self, LinkTarget, ReferenceKind, SKILL_DIRECTORIES};

pub static RULE: Rule = Rule {
    id: "broken-link",
    severity: Severity::Warning,
    summary: "relative links and paths lead to files of the skill",
    why: "An agent that follows a dead link loses a turn, or invents the content. A link is a \
        warning. A path in code or running text is a note: it may name a file that the skill \
        creates, or serve as an example.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

See [the forms guide](references/forms.md) and run `scripts/extract.py`.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

See [the specification](https://example.com/pdf) and run `pdftotext`.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    // Do not report files as missing if not all were listed. A file skill has no files.
    if !subject.skill.kind().has_directory() || !subject.inventory.is_complete() {
        return;
    }
    let paths = Paths::of(subject.inventory);
    let mut mentioned = HashSet::new();
    for reference in subject.references {
        // Most name a file of the skill as it is.
        if paths.have(OsStr::new(reference.target)) && markdown::is_plain(reference.target) {
            continue;
        }
        let is_link = reference.kind == ReferenceKind::Link;
        if !is_link && !markdown::looks_like_path(reference.target) {
            continue;
        }
        let LinkTarget::Inside(path) = markdown::resolve(reference.target) else {
            continue;
        };
        if paths.have(path.as_os_str()) {
            continue;
        }
        // One note per file is enough.
        let mut is_new = || is_own_path(&path, &paths) && mentioned.insert(path.clone());
        if !is_link && !is_new() {
            continue;
        }
        let help = match paths.elsewhere(&path) {
            Some(found) => format!("did you mean `{}`?", found.display()),
            None => "correct the path, or add the file".to_owned(),
        };
        report
            .at(reference.span, format!("`{}` does not exist", path.display()))
            .help(help)
            .severity(if is_link { Severity::Warning } else { Severity::Note });
    }
}

/// Whether a path outside a link certainly belongs to the skill: it is below one of its
/// directories, or below one that skills commonly have. Other paths may name files of the user's
/// project.
fn is_own_path(path: &Path, paths: &Paths<'_>) -> bool {
    let Some(Component::Normal(first)) = path.components().next() else {
        return false;
    };
    SKILL_DIRECTORIES.iter().any(|known| first == *known) || paths.have(first)
}

/// The paths of a skill's files, for looking them up.
struct Paths<'a> {
    inventory: &'a Inventory,
    many: OnceCell<HashSet<&'a OsStr>>,
}

impl<'a> Paths<'a> {
    const fn of(inventory: &'a Inventory) -> Self {
        Self { inventory, many: OnceCell::new() }
    }

    fn have(&self, path: &OsStr) -> bool {
        // For a few names, comparing is faster than hashing.
        const FEW: usize = 32;
        if self.inventory.entries.len() <= FEW {
            return self.inventory.entries.iter().any(|entry| entry.path.as_os_str() == path);
        }
        self.many.get_or_init(|| self.inventory.paths()).contains(path)
    }

    /// The only file of the skill with this file's name, in any letter case.
    fn elsewhere(&self, path: &Path) -> Option<&'a Path> {
        let name = path.file_name()?;
        let mut same = self.inventory.files().filter(|entry| {
            entry.path.file_name().is_some_and(|other| other.eq_ignore_ascii_case(name))
        });
        let found = same.next()?;
        same.next().is_none().then_some(found.path.as_path())
    }
}
