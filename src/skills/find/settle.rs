//! Decides between skills of one name, the same way for every verb.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::skills::files::digest::Digest;
use crate::skills::files::parallel;
use crate::skills::find::{resolve, scan};
use crate::skills::judge::identity;
use crate::skills::judge::opened;
use crate::skills::judge::rules::duplicate_name;
use crate::skills::judge::verdict::{Judged, Shadow, Unusable, Verdict};
use crate::skills::model::error::{Result, err};
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::model::source::{Skill, SkillKind, Source};

/// The rule for different skills of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precedence {
    /// The first one is used, as in the directories of agents.
    First,
    /// A skill that the user named is used. Skills that a search found are refused, because the
    /// user's choice is unclear.
    Named,
}

/// Where a name must be unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    /// In each plugin, because agents call its skills `plugin:skill`.
    Plugins,
    /// In one directory that takes all of them.
    Directory,
}

/// Decides between usable skills of one name. The skills come in order of precedence. Only those of
/// one name are compared, on this many threads.
pub fn settle<T>(
    skills: &mut [Judged<T>],
    precedence: Precedence,
    namespace: Namespace,
    threads: usize,
) {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::with_capacity(skills.len());
    for (at, judged) in skills.iter().enumerate() {
        if judged.verdict.is_usable() {
            by_name.entry(&judged.skill.name).or_default().push(at);
        }
    }
    let shared = by_name.into_values().filter(|rivals| rivals.len() > 1);
    let shared: Vec<Vec<usize>> = match namespace {
        Namespace::Plugins => shared.flat_map(|rivals| by_plugin(skills, rivals)).collect(),
        Namespace::Directory => shared.collect(),
    };
    let compared = |rivals: &Vec<usize>| rivals.iter().map(|at| real(&skills[*at].skill)).collect();
    let compared: Vec<Vec<Skill>> = shared.iter().map(compared).collect();
    let digests = parallel::map_long(&compared, threads, |rivals| {
        identity::digests(&rivals.iter().collect::<Vec<_>>())
    });
    for (rivals, digests) in shared.into_iter().zip(digests) {
        let rivals: Vec<Rival> = rivals.into_iter().zip(digests).collect();
        for (at, verdict) in decide(skills, &rivals, precedence) {
            skills[at].verdict = verdict;
        }
    }
}

/// Skills of one name that conflict: those of one plugin, or all of them if one is in no plugin.
fn by_plugin<T>(skills: &[Judged<T>], rivals: Vec<usize>) -> Vec<Vec<usize>> {
    let plugin = |at: usize| skills[at].skill.plugin_name();
    if rivals.iter().any(|at| plugin(*at).is_none()) {
        return vec![rivals];
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in rivals {
        match groups.iter_mut().find(|group| plugin(group[0]) == plugin(at)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The place of a skill in the list, and its digest where it may be a copy of another.
type Rival = (usize, Option<Digest>);

/// The skill at its real path: agents find skills through links.
fn real(skill: &Skill) -> Skill {
    let path = match skill.kind() {
        SkillKind::Directory => skill.path.canonicalize().unwrap_or_else(|_| skill.path.clone()),
        _ => skill.path.clone(),
    };
    Skill { path, ..skill.clone() }
}

/// The new verdicts on skills of one name.
fn decide<T>(
    skills: &[Judged<T>],
    rivals: &[Rival],
    precedence: Precedence,
) -> Vec<(usize, Verdict)> {
    let skill = |at: usize| &skills[at].skill;
    // A nested skill never wins over one that is not nested.
    let rank = |at: usize| match precedence {
        Precedence::First => (false, false),
        Precedence::Named => (!skill(at).is_named, skill(at).is_nested),
    };
    let best = rivals.iter().map(|(at, _)| rank(*at)).min().unwrap_or_default();
    let (first, rest): (Vec<Rival>, Vec<Rival>) =
        rivals.iter().partition(|(at, _)| rank(*at) == best);
    let (winner, digest) = first[0];
    let is_copy = |other: Option<Digest>| digest.is_some() && other == digest;
    if precedence == Precedence::Named
        && !first.iter().all(|(at, own)| *at == winner || is_copy(*own))
    {
        let first: Vec<usize> = first.iter().map(|(at, _)| *at).collect();
        return duplicates(skills, &first);
    }
    let order: Vec<Rival> = first.into_iter().chain(rest).collect();
    let by = skill(winner).file();
    // The first skill with each digest.
    let mut known: HashMap<Digest, usize> = digest.map(|own| (own, winner)).into_iter().collect();
    let verdict = |(at, own): &Rival| {
        let (at, twin) = (*at, own.and_then(|own| known.get(&own).copied()));
        own.map(|own| known.entry(own).or_insert(at));
        let copy_of = twin.map(|twin| skill(twin).file());
        let reason = match precedence {
            _ if copy_of.as_ref() == Some(&by) => format!("identical to {}", by.display()),
            Precedence::First => {
                let name = &skill(winner).name;
                format!("name collision: \"{name}\" already loaded from {}", by.display())
            }
            Precedence::Named => format!("{} has this name", by.display()),
        };
        (at, Verdict::Shadowed(Shadow { by: by.clone(), reason, copy_of }))
    };
    order[1..].iter().map(verdict).collect()
}

/// The verdicts on different skills of one name. Each names a few of the others only: with all of
/// them, the text would grow with the square of their number.
fn duplicates<T>(skills: &[Judged<T>], rivals: &[usize]) -> Vec<(usize, Verdict)> {
    const SHOWN: usize = 10;
    let in_plugins = rivals.iter().all(|at| skills[*at].skill.plugin.is_some());
    let shown = |other: &usize| match &skills[*other].skill {
        skill if in_plugins => format!("`{}`", skill.qualified_name()),
        skill => format!("`{}`", skill.source_path()),
    };
    let mut plugins: Vec<&str> =
        rivals.iter().filter_map(|at| skills[*at].skill.plugin_name()).collect();
    plugins.dedup();
    let verdict = |at: &usize| {
        let others = rivals.iter().filter(|other| *other != at).take(SHOWN).map(shown);
        let mut others = others.collect::<Vec<_>>().join(", ");
        if rivals.len() > SHOWN + 1 {
            others += &format!(" and {} more", rivals.len() - SHOWN - 1);
        }
        let skill = &skills[*at].skill;
        let (name, source) = (&skill.name, skill.source_path());
        let help = match plugins.as_slice() {
            [one, other, ..] => format!(
                "choose a plugin, such as `--plugin {one}` or `--plugin {other}`, or name one of the \
                 skills as the source, such as `{source}`"
            ),
            _ => format!("name one of them as the source, such as `{source}`"),
        };
        let unusable = Unusable {
            rule: Some(&duplicate_name::RULE),
            reason: format!("`{name}` is also the name of a different skill: {others}"),
            help: Some(help),
        };
        (*at, Verdict::Invalid(unusable))
    };
    rivals.iter().map(verdict).collect()
}

/// Refuses different skills that were named under one name, when one of the sources is missing: two
/// skills of one name are reported before anything that does not exist.
pub fn refuse_named_together(requests: &[Request]) -> Result<()> {
    let mut known: HashMap<String, (Option<Skill>, PathBuf)> = HashMap::new();
    for request in requests {
        let Some((skill, path)) = named_skill(request) else { continue };
        let own = request.name.as_ref().map(ToString::to_string);
        let stem = || Some(path.file_stem()?.to_string_lossy().into_owned());
        let Some(name) = own.or_else(|| Some(skill.as_ref()?.name.clone())).or_else(stem) else {
            continue;
        };
        match known.get(&name) {
            // Two missing paths may be collections.
            Some((None, _)) if skill.is_none() && request.name.is_none() => {}
            Some((_, first)) if *first == path => {}
            Some((Some(first), _))
                if skill.as_ref().is_some_and(|skill| are_same(first, skill)) => {}
            Some((_, first)) => {
                let help = format!(
                    "`{}` and `{}` both have this name; leave one of them out",
                    first.display(),
                    path.display()
                );
                let error = err!(Duplicate, "Duplicate skill name: {name}").at(path);
                return Err(error.about(name, skill.map(|skill| skill.kind().as_str())).help(help));
            }
            None => {
                known.insert(name, (skill, path));
            }
        }
    }
    Ok(())
}

/// The path that a request names, and the skill there; none for a collection.
fn named_skill(request: &Request) -> Option<(Option<Skill>, PathBuf)> {
    let RequestedSource::Path(path) = &request.what else { return None };
    let skill = match resolve::resolve(path) {
        Ok(Source::File(file)) => Skill::in_file(&file),
        Ok(Source::Directory(directory)) => {
            let (skill, open) = scan::open_skill(&directory);
            skill.skill_md()?;
            opened::open(skill, open.as_ref(), |opened| opened.skill.clone())
        }
        Ok(_) => return None,
        Err(_) => return Some((None, path.clone())),
    };
    let path = skill.path.clone();
    Some((Some(skill), path))
}

fn are_same(one: &Skill, other: &Skill) -> bool {
    let digests = identity::digests(&[one, other]);
    digests[0].is_some() && digests[0] == digests[1]
}
