//! `duplicate-name`: no two skills of a run share a name.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::path::Path;

use memchr::memchr_iter;

use super::report::SetReport;
use super::{Check, Example, Rule};
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::rule::Severity;

pub(super) static RULE: Rule = Rule {
    id: "duplicate-name",
    severity: Severity::Error,
    summary: "no two skills of a run share a name",
    why: "Agents keep one of them, and not the same one. Copies of one skill in the directories of \
        different agents, such as `.claude/skills` and `.agents/skills`, are fine.",
    bad: Example::Text(
        "\
team/pdf/SKILL.md       name: pdf
personal/pdf/SKILL.md   name: pdf
",
    ),
    good: Example::Text(
        "\
team/pdf/SKILL.md             name: pdf
personal/pdf-forms/SKILL.md   name: pdf-forms
",
    ),
    fixable: false,
    check: Check::Set(check),
};

fn check(skills: &[CheckedSkill], report: &mut SetReport<'_>) {
    let mut first_by_name: HashMap<(&str, Option<&OsStr>), &CheckedSkill> = HashMap::new();
    for checked in skills {
        let declared = checked.declared.as_ref().filter(|_| !checked.skill.is_renamed);
        let name = declared.map_or(&checked.skill.name, |declared| &declared.name);
        match first_by_name.entry((name, agent_directory(&checked.skill.path))) {
            Entry::Vacant(vacant) => {
                vacant.insert(checked);
            }
            Entry::Occupied(first) => {
                let other = first.get().skill.path.display();
                report.name_of(
                    checked,
                    format!("the name `{name}` is taken by `{other}`"),
                    "rename one of them, or leave one out with `--exclude`".to_owned(),
                );
            }
        }
    }
}

/// `.claude` for a skill somewhere below `.claude/skills`: each agent has its own names.
fn agent_directory(path: &Path) -> Option<&OsStr> {
    // Most paths have no hidden directory, and need not be taken apart.
    let bytes = path.as_os_str().as_encoded_bytes();
    let starts_part = |at: usize| at > 0 && std::path::is_separator(char::from(bytes[at - 1]));
    if !memchr_iter(b'.', bytes).any(starts_part) {
        return None;
    }
    path.ancestors().find_map(|ancestor| {
        let parent = ancestor.parent()?.file_name()?;
        let hidden = parent.as_encoded_bytes().starts_with(b".");
        (ancestor.file_name()? == "skills" && hidden).then_some(parent)
    })
}
