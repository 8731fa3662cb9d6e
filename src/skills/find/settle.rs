//! Decides between skills of one name, the same way for every verb.

use std::collections::HashMap;

use crate::skills::files::digest::{self, Digest};
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::inventory::Inventory;
use crate::skills::judge::rules::DUPLICATE_NAME;
use crate::skills::judge::verdict::{Judged, Shadow, Unusable, Verdict};
use crate::skills::model::source::{Skill, SkillKind};

/// The rule for different skills of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precedence {
    /// The first one is used, as in the directories of agents.
    First,
    /// A skill that the user named is used. Skills that a search found are refused, because the
    /// user's choice is unclear.
    Named,
}

/// Decides between usable skills of one name. The skills come in order of precedence.
pub fn settle<T>(skills: &mut [Judged<T>], precedence: Precedence) {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::with_capacity(skills.len());
    for (at, judged) in skills.iter().enumerate() {
        if judged.verdict.is_usable() {
            by_name.entry(&judged.skill.name).or_default().push(at);
        }
    }
    let shared: Vec<Vec<usize>> = by_name.into_values().filter(|rivals| rivals.len() > 1).collect();
    for rivals in shared {
        for (at, verdict) in decide(skills, &rivals, precedence) {
            skills[at].verdict = verdict;
        }
    }
}

/// The new verdicts on skills of one name.
fn decide<T>(
    skills: &[Judged<T>],
    rivals: &[usize],
    precedence: Precedence,
) -> Vec<(usize, Verdict)> {
    let skill = |at: usize| &skills[at].skill;
    if precedence == Precedence::First {
        let winner = skill(rivals[0]);
        let collision = format!(
            "name collision: \"{}\" already loaded from {}",
            winner.name,
            winner.file().display()
        );
        return rivals[1..].iter().map(|at| (*at, shadowed(winner, &collision, false))).collect();
    }
    // A nested skill never wins over one that is not nested.
    let rank = |at: usize| (!skill(at).is_named, skill(at).is_nested);
    let best = rivals.iter().map(|at| rank(*at)).min().unwrap_or_default();
    let (first, rest): (Vec<usize>, Vec<usize>) = rivals.iter().partition(|at| rank(**at) == best);
    let digests: HashMap<usize, Option<Digest>> =
        rivals.iter().map(|at| (*at, digest_of(skill(*at)))).collect();
    let is_copy =
        |one: usize, other: usize| digests[&one].is_some() && digests[&one] == digests[&other];
    let winner = first[0];
    let copy = |at: usize| {
        let reason = format!("identical to {}", skill(winner).file().display());
        (at, shadowed(skill(winner), &reason, true))
    };
    let is_settled = first[1..].iter().all(|at| is_copy(*at, winner));
    if !is_settled {
        return first.iter().map(|at| (*at, duplicate(skills, &first, *at))).collect();
    }
    let mut verdicts: Vec<_> = first[1..].iter().map(|at| copy(*at)).collect();
    verdicts.extend(rest.into_iter().map(|at| {
        if is_copy(at, winner) {
            return copy(at);
        }
        let reason = format!("{} has this name", skill(winner).file().display());
        (at, shadowed(skill(winner), &reason, false))
    }));
    verdicts
}

fn shadowed(winner: &Skill, reason: &str, is_identical: bool) -> Verdict {
    Verdict::Shadowed(Shadow { by: winner.file(), reason: reason.to_owned(), is_identical })
}

/// The verdict on one of several different skills of one name.
fn duplicate<T>(skills: &[Judged<T>], rivals: &[usize], at: usize) -> Verdict {
    let others: Vec<String> = rivals
        .iter()
        .filter(|other| **other != at)
        .map(|other| format!("`{}`", skills[*other].skill.source_path()))
        .collect();
    let skill = &skills[at].skill;
    let (name, others) = (&skill.name, others.join(", "));
    Verdict::Invalid(Unusable {
        rule: Some(DUPLICATE_NAME),
        reason: format!("`{name}` is also the name of a different skill: {others}"),
        help: Some(format!("name one of them as the source, such as `{}`", skill.source_path())),
    })
}

/// The digest of the skill as it would be installed; none if it cannot be read.
fn digest_of(skill: &Skill) -> Option<Digest> {
    if let Some(packed) = skill.packed() {
        return packed.digest();
    }
    match skill.kind() {
        SkillKind::Directory => {
            let open = OpenDirectory::open_real(&skill.path).ok()?;
            let inventory = Inventory::of_directory(&open, None);
            digest::of_directory(&open.directory, &inventory).ok()?
        }
        _ => None,
    }
}
