//! Who owns an installed skill: the manifest that put it there, or else the user. A manifest updates
//! and removes only its own.

use crate::skills::find::record::InstallRecord;
use crate::skills::put::install::InstallOptions;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::plan::Change;

impl InstallOptions {
    /// Whether a skill may replace a recorded one without a flag: it is a newer version from the
    /// same place, or the manifest that installed the other now names this one.
    pub fn updates(&self, record: &InstallRecord, candidate: &Candidate) -> bool {
        match (&self.owner, &record.owner) {
            (Some(own), Some(other)) => own == other,
            _ => candidate.is_version_of(record, self.project.as_deref()),
        }
    }

    /// The other manifest that owns a recorded skill.
    pub fn other_owner(&self, record: &InstallRecord) -> Option<String> {
        record.owner.clone().filter(|owner| self.owner.as_ref() != Some(owner))
    }

    /// Whether an existing skill gets another owner.
    pub fn takes_over(&self, record: Option<&InstallRecord>) -> bool {
        let is_own = record.is_some_and(|record| record.owner == self.owner);
        self.force && self.owner.is_some() && !is_own
    }

    /// The owner of a skill after this change. An existing skill keeps its owner, unless the user
    /// replaces it.
    pub fn owner_after(&self, change: &Change, record: Option<&InstallRecord>) -> Option<String> {
        match change {
            Change::Create => self.owner.clone(),
            _ if self.force => self.owner.clone(),
            _ => record.and_then(|record| record.owner.clone()),
        }
    }

    /// Whether a skill may be removed: a manifest removes only its own.
    pub fn may_remove(&self, record: Option<&InstallRecord>) -> bool {
        self.owner.is_none() || record.is_some_and(|record| record.owner == self.owner)
    }
}
