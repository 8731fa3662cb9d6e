//! `duplicate-name`: no two different skills of a run share a name.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use memchr::memchr_iter;

use crate::skills::files::digest::Digest;
use crate::skills::judge::identity;
use crate::skills::judge::rule::{CheckedSkill, SetReport, Severity};
use crate::skills::judge::rules::{Check, Example, Rule};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::source::Skill;

/// How many skills a message names.
const SHOWN: usize = 3;

pub static RULE: Rule = Rule {
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
    failure: ErrorKind::Duplicate,
    check: Check::Set(check),
    ..Rule::BASE
};

fn check(skills: &[CheckedSkill], report: &mut SetReport<'_>) {
    let mut by_name: HashMap<(&str, Option<&OsStr>), Vec<usize>> =
        HashMap::with_capacity(skills.len());
    for (at, checked) in skills.iter().enumerate() {
        let key = (name_of(checked), agent_directory(&checked.skill.path));
        by_name.entry(key).or_default().push(at);
    }
    let mut groups: Vec<_> = by_name.into_iter().filter(|(_, members)| members.len() > 1).collect();
    groups.sort_by(|(_, one), (_, other)| one.cmp(other));
    for ((name, _), members) in groups {
        let members: Vec<&CheckedSkill> = members.into_iter().map(|at| &skills[at]).collect();
        let namesakes = namesakes(&members);
        let rivals = Rivals::among(&namesakes);
        for (at, one) in members.iter().enumerate() {
            let (clashing, first) = rivals.of(&namesakes, at);
            if clashing == 0 {
                continue;
            }
            let named = |at: &usize| format!("`{}`", report.relative(&members[*at].skill.path));
            let mut list = first.iter().map(named).collect::<Vec<_>>().join(", ");
            if clashing > SHOWN {
                list += &format!(" and {} more", clashing - SHOWN);
            }
            report.name_of(
                one,
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

/// What tells whether one of several skills of one name conflicts with another.
#[derive(Clone, Copy)]
struct Namesake<'a> {
    /// The plugin it belongs to. Agents call its skill `plugin:skill`.
    plugin: Option<&'a str>,
    /// The digest of its files; none if it cannot be a copy of another.
    digest: Option<Digest>,
}

/// The skills of one name by plugin. Skills of two plugins do not clash, and neither do copies. Not
/// every skill is compared with every other, because there may be very many.
#[derive(Default)]
struct Rivals<'a> {
    all: RivalGroup,
    by_plugin: HashMap<Option<&'a str>, RivalGroup>,
}

/// Skills of one name that are compared with each other.
#[derive(Default)]
struct RivalGroup {
    count: usize,
    /// How many have each digest.
    copies: HashMap<Digest, usize>,
    /// Positions. Of skills with the same digest, only the first few: a message names no more.
    first: Vec<usize>,
}

impl<'a> Rivals<'a> {
    fn among(namesakes: &[Namesake<'a>]) -> Self {
        let mut rivals = Self::default();
        for (at, one) in namesakes.iter().enumerate() {
            rivals.all.add(at, one.digest);
            rivals.by_plugin.entry(one.plugin).or_default().add(at, one.digest);
        }
        rivals
    }

    /// How many skills clash with the one at this position, and the positions of the first.
    fn of(&self, namesakes: &[Namesake<'_>], at: usize) -> (usize, Vec<usize>) {
        let Namesake { plugin, digest } = namesakes[at];
        let groups = match plugin {
            None => [Some(&self.all), None],
            Some(_) => [None, plugin].map(|plugin| self.by_plugin.get(&plugin)),
        };
        let (mut clashing, mut first) = (0, Vec::new());
        for group in groups.into_iter().flatten() {
            let copies = digest.and_then(|digest| group.copies.get(&digest));
            clashing += group.count - copies.copied().unwrap_or_default();
            let is_other = |other: &&usize| {
                **other != at && (digest.is_none() || namesakes[**other].digest != digest)
            };
            first.extend(group.first.iter().filter(is_other).take(SHOWN));
        }
        first.sort_unstable();
        first.truncate(SHOWN);
        // Without a digest, it was not counted among its copies.
        (clashing - usize::from(digest.is_none()), first)
    }
}

impl RivalGroup {
    fn add(&mut self, at: usize, digest: Option<Digest>) {
        self.count += 1;
        let copies = digest.map_or(0, |digest| {
            let copies = self.copies.entry(digest).or_default();
            *copies += 1;
            *copies
        });
        if copies <= SHOWN {
            self.first.push(at);
        }
    }
}

/// Collects what is needed to compare the skills of one name. Only such skills are read again.
fn namesakes<'a>(members: &[&'a CheckedSkill]) -> Vec<Namesake<'a>> {
    let skills: Vec<&Skill> = members.iter().map(|checked| &checked.skill).collect();
    let digests = identity::digests(&skills).into_iter();
    let namesake = |(skill, digest): (&'a Skill, Option<Digest>)| Namesake {
        plugin: skill.plugin_name(),
        digest,
    };
    skills.into_iter().zip(digests).map(namesake).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::files::digest::of_bytes;

    fn clash(one: Namesake<'_>, other: Namesake<'_>) -> bool {
        let in_two_plugins =
            one.plugin.is_some() && other.plugin.is_some() && one.plugin != other.plugin;
        let is_copy = one.digest.is_some() && one.digest == other.digest;
        !in_two_plugins && !is_copy
    }

    #[test]
    fn rivals_are_those_that_a_comparison_of_every_pair_finds() {
        let digests =
            [None, Some(Digest::from(of_bytes(b"a"))), Some(Digest::from(of_bytes(b"b")))];
        let kinds: Vec<Namesake<'_>> = [None, Some("one"), Some("two")]
            .into_iter()
            .flat_map(|plugin| digests.map(|digest| Namesake { plugin, digest }))
            .collect();
        // Five skills of nine kinds in all orders, and copies that are more than a message names.
        let fives = (0..9_usize.pow(5)).map(|code| {
            (0..5_u32).map(|digit| kinds[code / 9_usize.pow(digit) % 9]).collect::<Vec<_>>()
        });
        let copies = kinds.iter().flat_map(|one| kinds.iter().map(|other| (*one, *other)));
        let copies = copies.map(|(one, other)| [[one; 8], [other; 8]].concat());
        for namesakes in fives.chain(copies) {
            let rivals = Rivals::among(&namesakes);
            for (at, one) in namesakes.iter().enumerate() {
                let others = (0..namesakes.len())
                    .filter(|other| *other != at && clash(*one, namesakes[*other]));
                let others: Vec<usize> = others.collect();
                let first = others[..others.len().min(SHOWN)].to_vec();
                assert_eq!(rivals.of(&namesakes, at), (others.len(), first));
            }
        }
    }
}
