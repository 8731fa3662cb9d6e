//! `duplicate-name`: no two different skills of a run share a name.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use memchr::memchr_iter;

use super::report::SetReport;
use super::{Check, Example, Rule};
use crate::skills::files::digest::Digest;
use crate::skills::judge::identity;
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::rule::Severity;
use crate::skills::model::source::Skill;
use crate::skills::text::sorting;

/// How many skills a message names.
const SHOWN: usize = 3;

pub(super) static RULE: Rule = Rule {
    id: "duplicate-name",
    severity: Severity::Error,
    summary: "no two different skills of a run share a name",
    why: "Agents keep one of them, and not the same one. Identical copies are fine. So are skills \
        of two plugins, whose agents name them `plugin:skill`, and skills in the directories of \
        different agents, such as `.claude/skills` and `.agents/skills`.",
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
    let mut by_name: HashMap<(&str, Option<&OsStr>), Vec<usize>> =
        HashMap::with_capacity(skills.len());
    for (at, checked) in skills.iter().enumerate() {
        let key = (name_of(checked), agent_directory(&checked.skill.path));
        by_name.entry(key).or_default().push(at);
    }
    let mut groups: Vec<_> = by_name.into_iter().filter(|(_, members)| members.len() > 1).collect();
    sorting::sort_by(&mut groups, |(_, one), (_, other)| one.cmp(other));
    for ((name, _), members) in groups {
        let namesakes = namesakes(members.iter().map(|at| &skills[*at]));
        let counts = Counts::of(&namesakes);
        for one in &namesakes {
            let clashing = counts.clashing_with(one);
            if clashing == 0 {
                continue;
            }
            let others = namesakes.iter().filter(|other| one.clashes_with(other)).take(SHOWN);
            let named =
                |other: &Namesake<'_>| format!("`{}`", report.relative(&other.checked.skill.path));
            let mut list = others.map(named).collect::<Vec<_>>().join(", ");
            if clashing > SHOWN {
                list += &format!(" and {} more", clashing - SHOWN);
            }
            report.name_of(
                one.checked,
                format!("the name `{name}` is also that of {list}"),
                "rename one of them, or leave one out with `--exclude`".to_owned(),
            );
        }
    }
}

fn name_of(checked: &CheckedSkill) -> &str {
    let declared = checked.declared.as_ref().filter(|_| !checked.skill.is_renamed);
    declared.map_or(&checked.skill.name, |declared| &declared.name)
}

/// One of several skills of one name.
struct Namesake<'a> {
    checked: &'a CheckedSkill,
    /// The plugin it belongs to. Agents call its skill `plugin:skill`.
    plugin: Option<&'a str>,
    /// The digest of its files; none if it cannot be a copy of another.
    digest: Option<Digest>,
}

impl Namesake<'_> {
    fn clashes_with(&self, other: &Self) -> bool {
        let is_itself = std::ptr::eq(self.checked, other.checked);
        let in_two_plugins =
            self.plugin.is_some() && other.plugin.is_some() && self.plugin != other.plugin;
        let is_copy = self.digest.is_some() && self.digest == other.digest;
        !is_itself && !in_two_plugins && !is_copy
    }
}

/// How many skills of one name there are, by plugin and digest, so that not every one has to be
/// compared with every other.
struct Counts<'a> {
    all: usize,
    by_digest: HashMap<Digest, usize>,
    by_plugin: HashMap<Option<&'a str>, usize>,
    by_both: HashMap<(Option<&'a str>, Digest), usize>,
}

impl<'a> Counts<'a> {
    fn of(namesakes: &[Namesake<'a>]) -> Self {
        let (by_digest, by_plugin, by_both) = Default::default();
        let mut counts = Self { all: namesakes.len(), by_digest, by_plugin, by_both };
        for one in namesakes {
            *counts.by_plugin.entry(one.plugin).or_default() += 1;
            if let Some(digest) = one.digest {
                *counts.by_digest.entry(digest).or_default() += 1;
                *counts.by_both.entry((one.plugin, digest)).or_default() += 1;
            }
        }
        counts
    }

    /// How many skills [clash](Namesake::clashes_with) with this one.
    fn clashing_with(&self, one: &Namesake<'_>) -> usize {
        let plugin = |plugin| self.by_plugin.get(&plugin).copied().unwrap_or_default();
        let both =
            |plugin, digest| self.by_both.get(&(plugin, digest)).copied().unwrap_or_default();
        // Itself is one of its copies.
        let (comparable, copies) = match (one.plugin, one.digest) {
            (None, None) => (self.all, 1),
            (None, Some(digest)) => (self.all, self.by_digest[&digest]),
            (Some(_), None) => (plugin(None) + plugin(one.plugin), 1),
            (Some(_), Some(digest)) => {
                (plugin(None) + plugin(one.plugin), both(None, digest) + both(one.plugin, digest))
            }
        };
        comparable - copies
    }
}

/// The skills of one name, with the data to tell whether they conflict. Only such skills are read
/// again.
fn namesakes<'a>(members: impl Iterator<Item = &'a CheckedSkill>) -> Vec<Namesake<'a>> {
    let members: Vec<&CheckedSkill> = members.collect();
    let skills: Vec<&Skill> = members.iter().map(|checked| &checked.skill).collect();
    let digests = identity::digests(&skills);
    let namesake = |(checked, digest): (&'a CheckedSkill, Option<Digest>)| Namesake {
        checked,
        plugin: checked.skill.plugin_name(),
        digest,
    };
    members.into_iter().zip(digests).map(namesake).collect()
}

/// `.claude` for a skill below `.claude/skills`, because each agent has its own names.
fn agent_directory(path: &Path) -> Option<&OsStr> {
    // Most paths have no hidden directory, which saves splitting them.
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
