//! Decides which skills are copied, which are skipped, and which refuse the whole run.

use std::path::PathBuf;

use crate::skills::judge::rule::{Finding, Rule};
use crate::skills::judge::rules::skill_too_large;
use crate::skills::judge::verdict::{self, Judged, Unusable, Verdict};
use crate::skills::model::source::SkillKind;
use crate::skills::put::install::candidate::Prepared;

/// How to get a skill that is too large.
const RAISE_LIMIT: &str = "use `--max-skill-size` to change the limit";

/// How to treat skills that cannot be used.
#[derive(Debug, Clone, Copy, Default)]
pub struct CopyPolicy {
    /// Refuse the run when anything is skipped.
    pub no_skip: bool,
    /// Refuse the run for every error that `validate` would report.
    pub strict: bool,
    /// Copy nested skills as skills of their own.
    pub nested: bool,
    /// Keep skills of one name in different plugins apart: they do not go into one directory.
    pub by_plugin: bool,
    /// Copy nothing: every skill stays in the prompt.
    pub prompt_only: bool,
    /// The command has a flag for the largest size of a skill.
    pub has_size_flag: bool,
}

/// A skill that is not copied.
#[derive(Debug, Clone)]
pub struct Skipped {
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// The source that names exactly this skill.
    pub source: String,
    /// Why it is skipped.
    pub why: Unusable,
    /// Whether the user or a manifest named this very skill.
    pub is_named: bool,
    /// How it is stored.
    pub stored: SkillKind,
}

/// The decision about all skills.
#[derive(Debug, Default)]
pub struct Choice {
    /// The skills that are copied.
    pub taken: Vec<Judged<Prepared>>,
    /// The skills that are not, each with the reason.
    pub skipped: Vec<Skipped>,
    /// Identical copies of a chosen skill: the copy, and the chosen one.
    pub copies: Vec<(PathBuf, PathBuf)>,
    /// How many nested skills were left out.
    pub nested: usize,
}

impl Choice {
    /// Decides which of the judged skills are copied.
    pub fn of(skills: Vec<Judged<Prepared>>, policy: CopyPolicy) -> Self {
        let mut choice = Self::default();
        for judged in skills {
            let skill = &judged.skill;
            tracing::debug!(skill = skill.name, verdict = judged.verdict.word(), "judged");
            let skipped =
                |rule: Option<&'static Rule>, reason: &str, help: Option<&String>| Skipped {
                    name: skill.name.clone(),
                    path: skill.path.clone(),
                    source: skill.source_path(),
                    why: Unusable { rule, reason: reason.to_owned(), help: help.cloned() },
                    is_named: skill.is_named,
                    stored: skill.kind(),
                };
            if skill.is_nested && !policy.nested {
                if skill.is_named {
                    let help = "use `--nested` to include nested skills";
                    let reason = "it is nested in another skill";
                    choice.skipped.push(skipped(None, reason, Some(&help.to_owned())));
                } else {
                    choice.nested += 1;
                }
                continue;
            }
            match &judged.verdict {
                Verdict::Active | Verdict::Hidden(_) => choice.taken.push(judged),
                Verdict::Shadowed(shadow) if shadow.is_identical() => {
                    choice.copies.push((skill.file(), shadow.by.clone()));
                }
                Verdict::Shadowed(shadow) => {
                    choice.skipped.push(skipped(None, &shadow.reason, None));
                }
                Verdict::Disabled(field) => {
                    let reason = format!("{field} switches it off");
                    choice.skipped.push(skipped(None, &reason, None));
                }
                Verdict::Invalid(unusable) => {
                    // Advice for the author does not help users who install it.
                    let is_large =
                        unusable.rule.is_some_and(|rule| rule.is(&skill_too_large::RULE));
                    let limit = (is_large && policy.has_size_flag).then(|| RAISE_LIMIT.to_owned());
                    let help = limit.as_ref().or(unusable.help.as_ref());
                    choice.skipped.push(skipped(unusable.rule, &unusable.reason, help));
                }
            }
        }
        choice
    }

    /// Leaves out the skills that cannot be used for what was `found` in the files of each. Returns
    /// what was found in the others.
    pub fn leave_out_unsafe(&mut self, found: Vec<Vec<Finding>>) -> Vec<Finding> {
        let mut told = Vec::new();
        let taken = std::mem::take(&mut self.taken);
        for (judged, mut findings) in taken.into_iter().zip(found) {
            let skill = &judged.skill;
            match verdict::in_files(skill, &findings) {
                Some(unusable) => self.skipped.push(Skipped {
                    name: skill.name.clone(),
                    path: skill.path.clone(),
                    source: skill.source_path(),
                    why: unusable,
                    is_named: skill.is_named,
                    stored: skill.kind(),
                }),
                None => {
                    told.append(&mut findings);
                    self.taken.push(judged);
                }
            }
        }
        told
    }

    /// The skipped skills that refuse the whole run: those the user named, or all of them if
    /// nothing may be skipped or nothing is left.
    pub fn refused(&self, policy: CopyPolicy) -> Vec<&Skipped> {
        let all = policy.no_skip || self.taken.is_empty();
        self.skipped.iter().filter(|one| all || one.is_named).collect()
    }
}
