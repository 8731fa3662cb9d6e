//! Where a skill that is about to be installed comes from.

use std::path::PathBuf;

use super::candidate::Candidate;
use crate::skills::find::record::InstallRecord;
use crate::skills::model::location::{Commit, Location};
use crate::skills::model::source::SkillStorage;

impl Candidate {
    /// The commit it comes from.
    #[must_use]
    pub fn commit(&self) -> Option<&str> {
        self.origin().map(|commit| commit.id.as_str())
    }

    /// The same, with its repository: that of its files, or of the manifest that holds it.
    #[must_use]
    pub fn origin(&self) -> Option<&Commit> {
        match &self.skill.storage {
            SkillStorage::Packed(packed) => packed.bundle.commit(),
            SkillStorage::Inline(inline) => inline.commit.as_ref(),
            SkillStorage::Directory(_) | SkillStorage::File => None,
        }
    }

    /// Whether it comes from the recorded skill's directory, file, archive or repository.
    #[must_use]
    pub fn is_newer_than(&self, record: &InstallRecord) -> bool {
        match self.origin() {
            Some(commit) => Location::parse(&record.source)
                .is_ok_and(|old| old.is_some_and(|old| old.url == commit.location.url)),
            None => self.source().to_string_lossy() == record.source,
        }
    }

    /// Where it comes from: its directory, file, archive or commit, or the manifest that defines
    /// it.
    #[must_use]
    pub fn source(&self) -> PathBuf {
        match &self.skill.storage {
            SkillStorage::Directory(_) | SkillStorage::File => self.skill.path.clone(),
            SkillStorage::Inline(inline) => match &inline.commit {
                Some(commit) => PathBuf::from(commit.source_of(&commit.location.path)),
                None => inline.manifest.clone(),
            },
            SkillStorage::Packed(packed) => packed.source(),
        }
    }
}
