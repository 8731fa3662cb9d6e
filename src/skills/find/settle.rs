//! Decides between skills of one name, the same way for every verb.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::skills::files::digest::Digest;
use crate::skills::files::parallel;
use crate::skills::find::{resolve, scan};
use crate::skills::judge::identity;
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::rules::duplicate_name;
use crate::skills::judge::verdict::{Judged, Shadow, Unusable, Verdict};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::inline::duplicate_name;
use crate::skills::model::name::SkillName;
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
    let mut known: HashMap<String, NamedSource> = HashMap::new();
    for source in requests.iter().filter_map(NamedSource::of) {
        match known.get(&source.name) {
            Some(first) if first.collides_with(&source) => {
                if first.is_inline() || source.is_inline() {
                    return Err(inline_twice(requests, &source.name));
                }
                return Err(first.refused_beside(source));
            }
            Some(_) => {}
            None => {
                known.insert(source.name.clone(), source);
            }
        }
    }
    Ok(())
}

/// The error for an inline skill and another skill of one name.
pub fn inline_twice(requests: &[Request], name: &str) -> Error {
    let error = Error::new(ErrorKind::Duplicate, duplicate_name(name));
    let error = error.about(name, Some(SkillKind::Inline.as_str()));
    let written = requests.iter().find_map(|request| match &request.what {
        RequestedSource::Inline(inline) if inline.name.as_str() == name => Some((inline, request)),
        _ => None,
    });
    let place = written.and_then(|(_, request)| request.place.as_deref());
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    let help = format!(
        "the inline skill{place} and another one have this name; change the `name` of the inline \
         skill"
    );
    Error { path: written.map(|(inline, _)| inline.manifest.clone()), ..error }.help(help)
}

/// A request for one skill, as far as it is known before servers are asked.
struct NamedSource {
    name: String,
    /// Whether the name is written beside the source.
    is_renamed: bool,
    /// The real path of the skill, or the source as it is written.
    path: PathBuf,
    what: NamedSkill,
}

enum NamedSkill {
    Known(Skill),
    Missing,
    /// In an archive or on a server. It may be a copy of another one.
    Unread,
}

impl NamedSource {
    /// None if the request may be for several skills.
    fn of(request: &Request) -> Option<Self> {
        let what = match &request.what {
            RequestedSource::Inline(inline) => NamedSkill::Known(Skill::in_manifest(inline)),
            RequestedSource::Path(path) => match resolve::resolve(path) {
                Ok(Source::File(file)) => NamedSkill::Known(Skill::in_file(&file)),
                Ok(Source::Directory(directory)) => {
                    let (skill, open) = scan::open_skill(&directory);
                    // A directory that is not a skill is a collection, unless it has a name.
                    skill.skill_md().or(request.name.as_ref().map(SkillName::as_str))?;
                    let read = |opened: &OpenedSkill<'_>| opened.skill.clone();
                    NamedSkill::Known(opened::open(skill, open.as_ref(), read))
                }
                Ok(_) => NamedSkill::Unread,
                Err(_) => NamedSkill::Missing,
            },
            _ => NamedSkill::Unread,
        };
        let own = request.name.as_ref().map(ToString::to_string);
        let (path, found) = match (&what, &request.what) {
            (NamedSkill::Known(skill), _) => (skill.path.clone(), Some(skill.name.clone())),
            (NamedSkill::Missing, RequestedSource::Path(path)) => {
                let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                (path.clone(), stem)
            }
            _ => (PathBuf::from(request.asked()?), None),
        };
        Some(Self { is_renamed: own.is_some(), name: own.or(found)?, path, what })
    }

    fn is_inline(&self) -> bool {
        matches!(&self.what, NamedSkill::Known(skill) if skill.inline().is_some())
    }

    /// Whether this and another of its name are certainly different skills.
    fn collides_with(&self, other: &Self) -> bool {
        use NamedSkill::{Known, Missing, Unread};
        let is_certain = match (&self.what, &other.what) {
            (Known(one), Known(other)) => !are_same(one, other),
            (Missing, Known(_) | Unread) | (Known(_) | Unread, Missing) => true,
            // Two missing paths may be collections.
            (Missing, Missing) => self.is_renamed && other.is_renamed,
            (Unread, _) | (_, Unread) => self.is_inline() || other.is_inline(),
        };
        self.path != other.path && is_certain
    }

    /// The error for this and another of its name.
    fn refused_beside(&self, other: Self) -> Error {
        let (name, kind) = match &other.what {
            NamedSkill::Known(skill) => (other.name, Some(skill.kind().as_str())),
            NamedSkill::Missing | NamedSkill::Unread => (other.name, None),
        };
        let help = format!(
            "`{}` and `{}` both have this name; leave one of them out",
            self.path.display(),
            other.path.display()
        );
        let error = err!(Duplicate, "Duplicate skill name: {name}");
        error.at(other.path).about(name, kind).help(help)
    }
}

fn are_same(one: &Skill, other: &Skill) -> bool {
    let digests = identity::digests(&[one, other]);
    digests[0].is_some() && digests[0] == digests[1]
}
