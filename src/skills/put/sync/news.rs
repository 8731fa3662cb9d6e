//! Compares the skills of a manifest with the records of installed ones.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::skills::fetch::Remotes;
use crate::skills::fetch::git::History;
use crate::skills::files::digest::{Differences, Tree};
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::model::error::Result;
use crate::skills::model::location::Location;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::copy::Modes;
use crate::skills::put::install::destination::real_path;
use crate::skills::put::install::source_files::Allowance;
use crate::skills::put::install::{InstallOptions, site};
use crate::skills::put::sync::{Leftover, LeftoverFate};

/// The changes in one skill.
#[derive(Debug, Clone, Default)]
pub struct SkillNews {
    /// The files that are new, changed or gone.
    pub files: Differences,
    /// The commits between, if it comes from another commit of the same repository.
    pub history: Option<History>,
}

/// The changes, by the path of each skill.
#[derive(Debug)]
pub struct AllNews<'a> {
    options: &'a InstallOptions,
    remotes: &'a Remotes,
    /// Histories that were asked for already.
    known: HashMap<(String, String, String), Option<History>>,
    /// The changes found so far.
    pub skills: BTreeMap<PathBuf, SkillNews>,
}

impl<'a> AllNews<'a> {
    /// No changes yet.
    pub fn new(options: &'a InstallOptions, remotes: &'a Remotes) -> Self {
        Self { options, remotes, known: HashMap::new(), skills: BTreeMap::new() }
    }

    /// Compares the skills of one skills directory.
    pub fn look(
        &mut self,
        directory: &Path,
        candidates: &[Candidate],
        leftovers: &[Leftover],
    ) -> Result<()> {
        let path = real_path(directory);
        let index = match site::existing_directory(directory)? {
            Some((_, opened)) => Index::read(&opened, &path)?,
            None => Index::default(),
        };
        let allowance = Allowance::new(self.options.max_skill_bytes, self.options.max_total_bytes);
        let modes = Modes::current(self.options.read_only);
        for candidate in candidates {
            let record = index.records.get(&candidate.name);
            let before = record.map(InstallRecord::tree).unwrap_or_default();
            let after = modes.copy_of(candidate.tree(&allowance)?.clone());
            let history = record.and_then(|record| self.history(record, candidate));
            let news = SkillNews { files: before.differences(&after), history };
            self.skills.insert(path.join(candidate.name.as_str()), news);
        }
        for leftover in leftovers.iter().filter(|one| one.fate == LeftoverFate::Dropped) {
            let files = leftover.record.tree().differences(&Tree::default());
            self.skills.insert(leftover.path.clone(), SkillNews { files, history: None });
        }
        Ok(())
    }

    /// The commits between the recorded one and the new one. A server that does not answer does not
    /// stop a sync.
    fn history(&mut self, record: &InstallRecord, candidate: &Candidate) -> Option<History> {
        let (old, new) = (record.commit.as_deref()?, candidate.origin()?);
        let source = Location::parse(&record.source).ok().flatten()?;
        if source.url != new.location.url || old == new.id {
            return None;
        }
        let key = (source.url, old.to_owned(), new.id.clone());
        let ask = || self.remotes.git.history(&new.location, old, &new.id).ok();
        self.known.entry(key).or_insert_with(ask).clone()
    }
}
