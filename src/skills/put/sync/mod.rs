//! Decides what happens to installed skills that their manifest no longer provides.

pub mod news;

use std::path::{Path, PathBuf};

use crate::skills::find::manifest::claims::ManifestClaim;
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::model::error::Result;
use crate::skills::model::location::Location;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::choice::Skipped;
use crate::skills::put::install::verify::{self, State};
use crate::skills::put::install::{Done, SkillOutcome, VersionChange, site};

/// An installed skill that its manifest no longer provides.
#[derive(Debug, Clone)]
pub struct Leftover {
    pub name: SkillName,
    /// Where it is.
    pub path: PathBuf,
    /// What happens to it.
    pub fate: LeftoverFate,
    /// The record of its installation.
    record: InstallRecord,
}

/// What happens to such a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftoverFate {
    /// The manifest no longer names it, so it is removed.
    Dropped,
    /// The manifest no longer names it, but it was edited, so it stays.
    Edited,
    /// Its entry is disabled, or in a collapsed section, so it stays.
    Disabled,
    /// The manifest keeps it in the prompt and copies nothing now, so the copy stays.
    InPrompt,
    /// It cannot be used now, so the copy stays.
    Unusable,
    /// Not every source could be read, so nothing is removed.
    Unknown,
}

impl LeftoverFate {
    /// The word used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Edited => "edited",
            Self::Disabled => "disabled",
            Self::InPrompt => "in_prompt",
            Self::Unusable => "unusable",
            Self::Unknown => "unknown",
        }
    }
}

/// The skills that a manifest provides in one run.
#[derive(Debug, Clone, Copy)]
pub struct Brought<'a> {
    /// The owner that its skills are recorded with.
    pub owner: &'a str,
    /// Its skills.
    pub candidates: &'a [Candidate],
    /// Its skills that are not installed.
    pub skipped: &'a [Skipped],
    /// Its entries.
    pub claims: &'a [ManifestClaim],
    /// Whether it keeps every skill in the prompt, and copies nothing.
    pub prompt_only: bool,
    /// Whether every source could be read.
    pub is_complete: bool,
    /// Whether to remove edited skills, too.
    pub force: bool,
}

/// The skills of this owner in a skills directory that the manifest does not provide, sorted by
/// name.
pub fn leftovers(directory: &Path, brought: &Brought<'_>) -> Result<Vec<Leftover>> {
    let Some((path, opened)) = site::existing_directory(directory)? else { return Ok(Vec::new()) };
    let index = Index::read(&opened, &path)?;
    let mut leftovers = Vec::new();
    for (name, record) in index.records {
        let is_brought = brought.candidates.iter().any(|candidate| candidate.name == name);
        if record.owner.as_deref() != Some(brought.owner) || is_brought {
            continue;
        }
        let is_waiting = |claim: &ManifestClaim| !claim.is_taken && claim.covers(&record);
        let fate = if brought.skipped.iter().any(|skipped| is_of(skipped, &record)) {
            LeftoverFate::Unusable
        } else if brought.claims.iter().any(is_waiting) {
            LeftoverFate::Disabled
        } else if brought.prompt_only && brought.claims.iter().any(|claim| claim.covers(&record)) {
            LeftoverFate::InPrompt
        } else if !brought.is_complete {
            LeftoverFate::Unknown
        } else {
            let verified = verify::compare(&opened, &path, name.as_str(), Some(&record))?;
            match verified.state {
                State::Modified(_) | State::NotADirectory if !brought.force => LeftoverFate::Edited,
                _ => LeftoverFate::Dropped,
            }
        };
        leftovers.push(Leftover { path: path.join(name.as_str()), name, fate, record });
    }
    Ok(leftovers)
}

impl Leftover {
    /// What is reported about it, if it stays.
    pub fn kept(&self) -> Option<SkillOutcome> {
        (self.fate != LeftoverFate::Dropped).then(|| SkillOutcome {
            name: self.name.to_string(),
            folder: None,
            path: self.path.clone(),
            source: self.record.source.clone(),
            kind: self.record.kind.clone(),
            action: Done::Unchanged,
            files: self.record.files.len(),
            bytes: self.record.files.iter().map(|file| file.bytes).sum(),
            digest: Some(self.record.digest),
            backup: None,
            version: VersionChange::default(),
        })
    }
}

/// Whether a skipped skill is the installed one: it has the same name or place.
fn is_of(skipped: &Skipped, record: &InstallRecord) -> bool {
    let place = |text: &str| Location::parse(text).ok().flatten().map(|one| (one.url, one.path));
    skipped.name == record.name
        || match (place(&skipped.source), place(&record.source)) {
            (Some(one), Some(other)) => one == other,
            (None, None) => skipped.source == record.source,
            _ => false,
        }
}
