//! Finds, reads and judges the skills that are about to be copied, the same way for every verb.

use std::path::{Path, PathBuf};

use crate::skills::files::directory::OpenDirectory;
use crate::skills::find::scan::Scan;
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::validate::{Validation, conclude};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::Skill;
use crate::skills::put::install::candidate::{self, Candidate, CandidateOptions};

/// Skills that were read and judged. Whether they may be copied is not decided yet.
#[derive(Debug)]
pub struct Gathered {
    /// What was found besides the skills.
    pub scan: Scan,
    /// What is wrong with the skills.
    pub validation: Validation,
    /// Names of inline skills with tools, which stay in the prompt.
    pub in_prompt: Vec<String>,
    candidates: Vec<Result<Candidate>>,
}

/// Reads and judges the skills of a selection. Leaves out skills that lie in one of the `existing`
/// skills directories, unless their source lies there too.
///
/// # Errors
/// A source that cannot be read, no skill at all, or a name that is not there.
pub fn gather(
    selection: &Selection,
    existing: &[PathBuf],
    options: &CandidateOptions,
    reporter: &dyn Reporter,
) -> Result<Gathered> {
    let read = |skill: Skill, open: Option<OpenDirectory>| {
        let read = candidate::read(skill, open, options);
        reporter.step();
        read
    };
    let (read, scan) = selection::select(selection, &read)?;
    reporter.finish();
    let roots = if existing.is_empty() { Vec::new() } else { selection.roots() };
    let mut checked: Vec<CheckedSkill> = Vec::new();
    let (mut candidates, mut in_prompt) = (Vec::new(), Vec::new());
    for (judged, candidate) in read {
        let skill = &judged.skill;
        let root = roots.get(skill.source).and_then(Option::as_deref);
        if is_installed_already(skill, root, existing) {
            continue;
        }
        if let Some(inline) = skill.inline.as_ref().filter(|inline| inline.has_tools()) {
            in_prompt.push(inline.name.to_string());
            continue;
        }
        checked.push(judged);
        candidates.push(candidate);
    }
    let validation = conclude(checked, &options.judge);
    Ok(Gathered { scan, validation, in_prompt, candidates })
}

/// Whether a skill was found only because a source holds a directory that skills are copied to.
fn is_installed_already(skill: &Skill, root: Option<&Path>, existing: &[PathBuf]) -> bool {
    existing.iter().any(|directory| {
        skill.path != *directory
            && skill.path.starts_with(directory)
            && !root.is_some_and(|root| root.starts_with(directory))
    })
}

impl Gathered {
    /// Why these skills must not be copied, if so. `done` is the participle of the verb.
    #[must_use]
    pub fn refusal(&self, done: &str) -> Option<Error> {
        if self.validation.has_failed() {
            let broken = self.validation.skills_with(|one| self.validation.fails(one)).len();
            let total = self.validation.skills.len();
            let skills = if total == 1 { "skill" } else { "skills" };
            let message =
                format!("{broken} of {total} {skills} cannot be {done}, so nothing was {done}");
            return Some(Error::new(self.validation.failure(), message));
        }
        let unseen = self.validation.skills.iter().any(|skill| !skill.unseen.is_empty());
        (unseen || !self.scan.unreadable.is_empty()).then(|| {
            let message = format!("not everything could be read, so nothing was {done}");
            Error::new(ErrorKind::Io, message)
        })
    }

    /// The skills that can be copied.
    ///
    /// # Errors
    /// A skill without a name that a directory can have.
    pub fn into_candidates(self) -> Result<Vec<Candidate>> {
        let mut candidates: Vec<Candidate> = self.candidates.into_iter().collect::<Result<_>>()?;
        candidate::attribute(&mut candidates, &self.scan.again);
        Ok(candidates)
    }
}
