//! Skills in git repositories: fetched with the `git` program into a cache, and read from there
//! without being checked out.
//!
//! [`location`] is what a user writes; `refs` asks a server what a revision means; `cache` fetches
//! commits; `objects` reads them and checks that each is what its name says; `load` finds the
//! skills in them. `program` is the only place where git is started.

mod cache;
mod history;
mod load;
pub mod location;
mod objects;
mod program;
mod refs;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::skills::bundle::Bundle;
use crate::skills::environment::Environment;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::parallel;
use cache::{Cached, Part};
use load::LoadFault;
use objects::Objects;
use program::{Failure, Git};
use refs::Refs;

pub use history::{Change, History};
pub use location::Location;

/// As much of a commit's name as people are shown.
const SHORT: usize = 12;

/// A commit of a repository, and the path that was named there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The repository and the path.
    pub location: Location,
    /// All of its name.
    pub id: String,
}

impl Commit {
    /// A skill of it, as a source that can be named again.
    #[must_use]
    pub fn source_of(&self, root: &str) -> String {
        self.location.at(root, &self.id).to_string()
    }

    /// As much of its name as people are shown.
    #[must_use]
    pub fn short(&self) -> &str {
        short(&self.id)
    }
}

/// As much of a commit's name as people are shown.
#[must_use]
pub fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

impl fmt::Display for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.location.repository, self.short())
    }
}

/// Told what is fetched, before that takes a while.
pub type Announce = dyn Fn(&Location) + Send + Sync;

/// A location as it is written, and the commit that is pinned.
type Asked = (String, Option<String>);

/// The repositories of one run: each is asked and read once.
pub struct Remotes {
    environment: Environment,
    announce: Box<Announce>,
    git: OnceLock<Git>,
    bundles: Mutex<HashMap<Asked, Result<Arc<Bundle>>>>,
}

impl fmt::Debug for Remotes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Remotes").finish_non_exhaustive()
    }
}

impl Default for Remotes {
    fn default() -> Self {
        Self::new(Environment::default(), Box::new(|_| {}))
    }
}

impl Remotes {
    /// Nothing has been fetched yet.
    #[must_use]
    pub fn new(environment: Environment, announce: Box<Announce>) -> Self {
        Self { environment, announce, git: OnceLock::new(), bundles: Mutex::default() }
    }

    /// Reads the skills of a location: at the commit that is pinned, else at the one that its
    /// revision means now. A commit that is in the cache needs no network.
    ///
    /// # Errors
    /// A server that cannot be reached, a revision or a path that is not there, a repository that
    /// is not what it says.
    pub fn open(&self, location: &Location, pin: Option<&str>) -> Result<Arc<Bundle>> {
        let key = (location.to_string(), pin.map(str::to_owned));
        let known = || self.bundles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known().get(&key) {
            return answer.clone();
        }
        let answer = self.ask(location, pin);
        known().insert(key, answer.clone());
        answer
    }

    /// Asks for several at once, so that servers are waited for together. What comes of it, even
    /// an error, is what [`Self::open`] answers.
    pub fn prepare(&self, asked: &[(Location, Option<String>)]) {
        if let [_, _, ..] = asked {
            let open = |(location, pin): &(Location, Option<String>)| {
                drop(self.open(location, pin.as_deref()));
            };
            parallel::map_waiting(asked, open);
        }
    }

    fn ask(&self, location: &Location, pin: Option<&str>) -> Result<Arc<Bundle>> {
        let git = self.git()?;
        let root = cache::root(&self.environment)?;
        let cached = Cached::open(git, &root, location, Part::Commits)?;
        let id = match pin {
            Some(id) => id.to_owned(),
            None => self.resolve(&cached, location)?,
        };
        let commit = Commit { location: location.clone(), id };
        self.load(&cached, &commit).map(Arc::new)
    }

    /// What was done between two commits of a repository.
    ///
    /// # Errors
    /// A server that cannot be reached.
    pub fn history(&self, location: &Location, old: &str, new: &str) -> Result<History> {
        let git = self.git()?;
        let root = cache::root(&self.environment)?;
        let cached = Cached::open(git, &root, location, Part::History)?;
        history::between(git, &cached, location, old, new)
    }

    fn git(&self) -> Result<&Git> {
        if let Some(git) = self.git.get() {
            return Ok(git);
        }
        let git = Git::new(&self.environment)?;
        Ok(self.git.get_or_init(|| git))
    }

    /// The commit that a revision means.
    fn resolve(&self, cached: &Cached<'_>, location: &Location) -> Result<String> {
        let revision = location.revision.as_deref();
        let is_hex = |text: &str| text.bytes().all(|one| matches!(one, b'0'..=b'9' | b'a'..=b'f'));
        if let Some(id) = revision.filter(|text| matches!(text.len(), 40 | 64) && is_hex(text)) {
            return Ok(id.to_owned());
        }
        let refs = Refs::of(self.git()?, &cached.repository, location)
            .map_err(|failure| failure.about("reach", location))?;
        if let Some(id) = refs.find(revision) {
            return Ok(id.to_owned());
        }
        // The start of a commit's name: nobody but whoever has all of them knows which.
        if let Some(start) = revision.filter(|text| text.len() >= 4 && is_hex(text)) {
            if let Some(id) = cached.find(start) {
                return Ok(id);
            }
            (self.announce)(location);
            cached.make(refs.find(None).map_or(40, str::len))?;
            let fetched = cached.fetch_everything();
            fetched.map_err(|failure| failure.about("fetch", location))?;
            if let Some(id) = cached.find(start) {
                return Ok(id);
            }
        }
        Err(refs.unknown(location))
    }

    /// Reads a commit, and fetches what is missing. A cache that is broken is made anew.
    fn load(&self, cached: &Cached<'_>, commit: &Commit) -> Result<Bundle> {
        let loaded = self.load_or_fetch(cached, commit);
        cached.settle(loaded.is_ok());
        loaded
    }

    fn load_or_fetch(&self, cached: &Cached<'_>, commit: &Commit) -> Result<Bundle> {
        let git = self.git()?;
        let location = &commit.location;
        let fetched = |result: Result<(), Failure>| match result {
            // What is there may be why; whatever it is, it is not there a second time.
            Err(failure) if failure.is_local() && !cached.is_aside() => cached.set_aside(),
            other => other.map_err(|failure| failure.about("fetch", location)),
        };
        let (mut is_announced, mut was_fetched) = (false, false);
        let mut announce = || {
            if !std::mem::replace(&mut is_announced, true) {
                (self.announce)(location);
            }
        };
        // At most: it is broken, it cannot be fetched into, it is fetched, its files are.
        for _ in 0..5 {
            cached.make(commit.id.len())?;
            let loaded = Objects::open(git, &cached.repository)
                .map_err(LoadFault::Failed)
                .and_then(|mut objects| load::load(&mut objects, commit));
            match loaded {
                Ok(bundle) => return Ok(bundle),
                Err(LoadFault::Failed(error)) => return Err(error),
                Err(LoadFault::Missing) if was_fetched => return Err(gone(commit)),
                Err(LoadFault::Missing) => {
                    announce();
                    fetched(cached.fetch(&commit.id))?;
                    was_fetched = cached.repository.exists();
                }
                Err(LoadFault::MissingFiles(ids)) => {
                    announce();
                    fetched(cached.fetch_files(&ids))?;
                }
                Err(LoadFault::Damaged) => {
                    tracing::debug!(%commit, "the cache is broken and is made anew");
                    was_fetched = false;
                    cached.set_aside()?;
                }
            }
        }
        let message = format!("`{commit}` is damaged, and fetching it again did not help");
        Err(Error::new(ErrorKind::Io, message))
    }
}

fn gone(commit: &Commit) -> Error {
    let message = format!("`{}` has no commit {}", commit.location.repository, commit.id);
    Error::new(ErrorKind::NotFound, message).help(
        "its history may have been rewritten; `skills lock --upgrade` takes what is there now",
    )
}
