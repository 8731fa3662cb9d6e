//! The origin of a skill to install.

use std::path::{Path, PathBuf};

use super::candidate::Candidate;
use crate::skills::files::digest::Digest;
use crate::skills::find::record::{InstallRecord, in_project};
use crate::skills::model::address::Address;
use crate::skills::model::location::{Commit, Location};
use crate::skills::model::source::SkillStorage;

impl Candidate {
    /// The commit it comes from.
    pub fn commit(&self) -> Option<&str> {
        self.origin().map(|commit| commit.id.as_str())
    }

    /// The same, with the repository of its files or of its manifest.
    pub fn origin(&self) -> Option<&Commit> {
        match &self.skill.storage {
            SkillStorage::Packed(packed) => packed.bundle.commit(),
            SkillStorage::Inline(inline) => inline.commit.as_ref(),
            SkillStorage::Directory(_) | SkillStorage::File => None,
        }
    }

    /// The digest of the artifact it came in.
    pub fn artifact(&self) -> Option<Digest> {
        let packed = self.skill.packed()?;
        packed.bundle.artifact(&packed.root).map(|artifact| artifact.digest)
    }

    /// The requested source, as a record in this project has it.
    pub fn recorded_request(&self, project: Option<&Path>) -> Option<String> {
        self.requested.as_deref().map(|requested| in_project(requested, project))
    }

    /// Its origin, as a record in this project has it.
    pub fn recorded_source(&self, project: Option<&Path>) -> String {
        in_project(&self.source().to_string_lossy(), project)
    }

    /// Whether this is a version of the recorded skill from the same place: it was asked for in the
    /// same words, or comes from the same directory, file, archive or repository. So is a copy that
    /// was kept for going back. A skill of another plugin is another skill.
    pub fn is_version_of(&self, record: &InstallRecord, project: Option<&Path>) -> bool {
        let plugins = self.skill.plugin_name().zip(record.plugin.as_deref());
        if self.restores.is_none() && plugins.is_some_and(|(new, old)| new != old) {
            return false;
        }
        if self.restores.is_some()
            || self.requested.is_some() && self.recorded_request(project) == record.requested
        {
            return true;
        }
        if let Some(address) = self.skill.packed().and_then(|packed| packed.bundle.address()) {
            return is_from(record, address);
        }
        match self.origin() {
            Some(commit) => Location::parse(&record.source)
                .is_ok_and(|old| old.is_some_and(|old| old.url == commit.location.url)),
            None => {
                self.source().to_string_lossy() == record.source
                    || self.recorded_source(project) == record.source
            }
        }
    }

    /// Where it comes from: its directory, file, archive or commit, or the manifest that defines
    /// it.
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

/// Whether a recorded skill came from this address, in any version.
fn is_from(record: &InstallRecord, address: &Address) -> bool {
    let texts = [Some(&record.source), record.requested.as_ref()];
    let is_there = |text: &String| matches!(Address::parse(text), Ok(Some(other)) if other.place() == address.place());
    texts.into_iter().flatten().any(is_there)
}
