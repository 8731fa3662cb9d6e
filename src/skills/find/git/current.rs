//! What locations mean now, and the files of several places of one commit in one fetch.

use super::cache::{Cached, Part};
use super::load::{self, LoadFault};
use super::objects::Objects;
use super::{Repositories, checked};
use crate::skills::find::announce::Progress;
use crate::skills::find::cache::root as cache_root;
use crate::skills::model::error::Result;
use crate::skills::model::location::{Commit, Location};

impl Repositories {
    /// The commit that a location means now. Each server is asked only once per run.
    pub fn current(&self, location: &Location) -> Result<String> {
        if let Some(id) = location.commit() {
            return Ok(id);
        }
        let root = cache_root(&self.environment)?;
        let cached =
            Cached::open(self.git()?, &root, location, Part::Commits, self.announce.as_ref())?;
        let current =
            self.reading(&cached, location).and_then(|location| self.resolve(&cached, &location));
        cached.settle(false);
        current
    }

    /// Whether a fetched commit lacks the path of a location.
    pub fn lacks_path(&self, location: &Location, id: &str) -> bool {
        let lacks = || -> Result<bool> {
            let git = self.git()?;
            let root = cache_root(&self.environment)?;
            let cached = Cached::open(git, &root, location, Part::Commits, self.announce.as_ref())?;
            let location = self.reading(&cached, location)?;
            let commit = Commit { id: checked(&location, id)?.to_owned(), location };
            Ok(load::lacks_path(&mut Objects::open(git, &cached.repository)?, &commit))
        };
        lacks().unwrap_or(false)
    }

    /// Fetches what several places of one commit need, together. If that fails, [`Self::open`] says
    /// why.
    pub fn fetch_together(&self, places: &[Location], id: &str) {
        if let [first, _, ..] = places
            && !self.is_offline
            && let Err(error) = self.try_together(first, places, id)
        {
            tracing::debug!(%first, message = error.message, "cannot fetch several places at once");
        }
    }

    fn try_together(&self, first: &Location, places: &[Location], id: &str) -> Result<()> {
        let git = self.git()?;
        let root = cache_root(&self.environment)?;
        let cached = Cached::open(git, &root, first, Part::Commits, self.announce.as_ref())?;
        let id = checked(first, id)?;
        cached.make(id.len())?;
        // Once without the commit, once with it.
        for _ in 0..2 {
            let mut missing = Vec::new();
            let mut is_there = true;
            let mut objects = Objects::open(git, &cached.repository)?;
            for place in places {
                let commit = Commit { location: place.clone(), id: id.to_owned() };
                match load::load(&mut objects, &commit) {
                    Err(LoadFault::MissingFiles(ids)) => missing.extend(ids),
                    Err(LoadFault::Missing) => is_there = false,
                    _ => {}
                }
                if !is_there {
                    break;
                }
            }
            drop(objects);
            if is_there && missing.is_empty() {
                break;
            }
            (self.announce)(Progress::Fetching(first));
            if is_there {
                missing.sort_unstable();
                missing.dedup();
                cached.fetch_files(&missing)?;
                break;
            }
            cached.fetch(id)?;
        }
        cached.settle(false);
        Ok(())
    }
}
