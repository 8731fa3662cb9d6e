//! `broken-link`: relative links, and paths in code, lead to files of the skill.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path};

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::files::inventory::Inventory;
use crate::skills::judge::rule::Severity;
use crate::skills::text::link::{self, LinkTarget};

pub(super) static RULE: Rule = Rule {
    id: "broken-link",
    severity: Severity::Warning,
    summary: "relative links, and paths in code, lead to files of the skill",
    why: "An agent that follows a dead link loses a turn, or makes the content up.",
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
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    // What was not seen must not be called missing, and a file skill has no files.
    if !subject.skill.kind.has_directory() || !subject.inventory.is_complete() {
        return;
    }
    let paths = Paths::of(subject.inventory);
    for reference in subject.references {
        if !reference.is_link && !link::looks_like_path(reference.target) {
            continue;
        }
        let LinkTarget::Inside(path) = link::resolve(reference.target) else {
            continue;
        };
        if paths.have(path.as_os_str()) {
            continue;
        }
        if !reference.is_link && !is_own_path(&path, &paths) {
            continue;
        }
        report
            .at(reference.span, format!("`{}` does not exist", path.display()))
            .help("correct the path, or add the file");
    }
}

/// Whether a path in code is surely one of the skill: below one of its directories, or below
/// one that the specification gives to skills. Others may name files of the user's project.
fn is_own_path(path: &Path, paths: &Paths<'_>) -> bool {
    let Some(Component::Normal(first)) = path.components().next() else {
        return false;
    };
    ["scripts", "references", "assets"].iter().any(|known| first == *known) || paths.have(first)
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
        // Comparing a few beats hashing all.
        const FEW: usize = 32;
        if self.inventory.entries.len() <= FEW {
            return self.inventory.entries.iter().any(|entry| entry.path.as_os_str() == path);
        }
        self.many.get_or_init(|| self.inventory.paths()).contains(path)
    }
}
