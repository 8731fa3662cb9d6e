//! Skills in git repositories: fetched with the `git` program into a cache, and read from there
//! without being checked out.
//!
//! A location is what a user writes; `refs` asks a server what a revision means, and this file decides
//! where it ends; `store` fetches commits; `objects` reads them and checks each against its hash;
//! `load` finds the skills in them and reads their files, `choose` takes one by its name. Git is
//! started as `program` says, which also says why it failed, and watched by `watching`.

pub mod changes;
pub mod choose;
pub mod load;
pub mod objects;
pub mod program;
pub mod refs;
pub mod store;
pub mod watching;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::skills::fetch::cache::root as cache_root;
pub use crate::skills::fetch::git::changes::Changes;
use crate::skills::fetch::git::load::LoadFault;
pub use crate::skills::fetch::git::load::WantedFiles;
use crate::skills::fetch::git::objects::Objects;
use crate::skills::fetch::git::program::{GitFailure, GitProgram};
use crate::skills::fetch::git::refs::Refs;
use crate::skills::fetch::git::store::{Cached, Part};
use crate::skills::files::parallel;
use crate::skills::model::bundle::Bundle;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::location::{Commit, Location, is_commit_id, is_hex};
use crate::skills::model::reporter::{Announce, Progress};
use crate::skills::model::request::{Request, RequestedSource};

/// A location and its pinned commit.
type PinnedLocation = (Location, Option<String>);

/// Reads something of a commit from its objects.
type Load<'l, T> = dyn Fn(&mut Objects, &Commit) -> Result<T, LoadFault> + 'l;

/// The references of a server, once fetched.
type RefsAnswer = Arc<OnceLock<Result<Refs>>>;

/// The repositories of one run. Each server is asked once, and each path is read once.
pub struct Repositories {
    environment: Environment,
    announce: Arc<Announce>,
    /// Whether no server is asked.
    is_offline: bool,
    git: OnceLock<GitProgram>,
    /// The references of each server, by address. Each server is asked once, so that a branch means
    /// one commit during a run.
    refs: Mutex<HashMap<String, RefsAnswer>>,
    bundles: Mutex<HashMap<PinnedLocation, Result<Arc<Bundle>>>>,
}

impl fmt::Debug for Repositories {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Repositories").finish_non_exhaustive()
    }
}

impl Default for Repositories {
    fn default() -> Self {
        Self::new(Environment::default(), Arc::new(|_| {}))
    }
}

impl Repositories {
    /// Creates an empty set of repositories.
    pub fn new(environment: Environment, announce: Arc<Announce>) -> Self {
        Self {
            environment,
            announce,
            is_offline: false,
            git: OnceLock::new(),
            refs: Mutex::default(),
            bundles: Mutex::default(),
        }
    }

    /// The same; if `is_offline`, everything comes from the cache.
    pub fn offline(self, is_offline: bool) -> Self {
        Self { is_offline, ..self }
    }

    /// Reads the skills of a location at the pinned commit, else at the current commit of its
    /// revision. A cached commit needs no network.
    pub fn open(&self, location: &Location, pin: Option<&str>) -> Result<Arc<Bundle>> {
        let key = (location.clone(), pin.map(str::to_owned));
        let known = || self.bundles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known().get(&key) {
            return answer.clone();
        }
        let answer = self.ask(location, pin);
        known().insert(key, answer.clone());
        answer
    }

    /// Fetches several locations in parallel. [`Self::open`] returns the results, including errors.
    pub fn prepare(&self, asked: &[(Location, Option<String>)]) {
        if let [_, _, ..] = asked {
            let open = |(location, pin): &(Location, Option<String>)| {
                drop(self.open(location, pin.as_deref()));
            };
            parallel::map_waiting(asked, open);
        }
    }

    fn ask(&self, location: &Location, pin: Option<&str>) -> Result<Arc<Bundle>> {
        self.read(location, pin, &load::load).map(Arc::new)
    }

    /// Reads something of a commit: the one that is pinned, else the one that the revision means now.
    fn read<T>(&self, location: &Location, pin: Option<&str>, load: &Load<'_, T>) -> Result<T> {
        let git = self.git()?;
        let root = cache_root(&self.environment)?;
        let cached = Cached::open(git, &root, location, Part::Commits, self.announce.as_ref())?;
        let read = || {
            let location = self.reading(&cached, location)?;
            let id = match pin {
                Some(id) => checked(&location, id)?.to_owned(),
                None => self.resolve(&cached, &location)?,
            };
            let commit = Commit { location, id };
            if self.is_offline {
                return self.load_cached(&cached, &commit, load);
            }
            self.load(&cached, &commit, load)
        };
        let read = read();
        cached.settle(read.is_ok());
        read
    }

    /// The commits between two commits of a repository.
    pub fn history(&self, location: &Location, old: &str, new: &str) -> Result<History> {
        let git = self.git()?;
        let (old, new) = (checked(location, old)?, checked(location, new)?);
        let root = cache_root(&self.environment)?;
        let cached = Cached::open(git, &root, location, Part::History, self.announce.as_ref())?;
        if self.is_offline && (cached.find(old).is_none() || cached.find(new).is_none()) {
            return Err(not_cached(&format!("the history of `{}`", location.repository)));
        }
        between(git, &cached, location, old, new)
    }

    fn git(&self) -> Result<&GitProgram> {
        if let Some(git) = self.git.get() {
            return Ok(git);
        }
        let git = GitProgram::new(&self.environment)?;
        Ok(self.git.get_or_init(|| git))
    }

    /// The commit of a revision.
    fn resolve(&self, cached: &Cached<'_>, location: &Location) -> Result<String> {
        let revision = location.revision.as_deref();
        if let Some(id) = location.commit() {
            return Ok(id);
        }
        let answer = self.answer(location);
        let refs = self.refs(&answer, cached, location)?;
        if let Some(id) = refs.find(revision) {
            return Ok(id.to_owned());
        }
        // An abbreviated commit id: only a full clone can resolve it.
        let start = revision.map(str::to_ascii_lowercase);
        if let Some(start) = start.filter(|text| text.len() >= 4 && is_hex(text)) {
            if let Some(id) = cached.find(&start) {
                return Ok(id);
            }
            if self.is_offline {
                return Err(not_cached(&format!("`{location}`")));
            }
            (self.announce)(Progress::Fetching(location));
            cached.fetch_everything(refs.find(None).map_or(40, str::len))?;
            if let Some(id) = cached.find(&start) {
                return Ok(id);
            }
        }
        Err(refs.unknown(location))
    }

    /// The references of the server of a location, if they were fetched.
    fn answer(&self, location: &Location) -> RefsAnswer {
        let mut known = self.refs.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(location.url.clone()).or_default())
    }

    /// Asks the server once.
    fn refs<'a>(
        &self,
        answer: &'a RefsAnswer,
        cached: &Cached<'_>,
        location: &Location,
    ) -> Result<&'a Refs> {
        let ask = || {
            if self.is_offline {
                let kept = cached.kept_refs().and_then(|answer| Refs::parse(&answer));
                return kept.ok_or_else(|| not_cached(&format!("`{location}`")));
            }
            let asked = Refs::of(self.git()?, &cached.repository, location);
            let (refs, answer) = asked.map_err(|failure| {
                let error = failure.about("reach", location);
                match (cached.kept_refs(), &error.help) {
                    (Some(_), Some(help)) => {
                        let help = format!("{help}\n`--offline` uses what was fetched last");
                        error.help(help)
                    }
                    _ => error,
                }
            })?;
            cached.keep_refs(&answer);
            Ok(refs)
        };
        answer.get_or_init(ask).as_ref().map_err(Clone::clone)
    }

    /// Reads a commit from the cache.
    fn load_cached<T>(
        &self,
        cached: &Cached<'_>,
        commit: &Commit,
        load: &Load<'_, T>,
    ) -> Result<T> {
        if !cached.is_there() {
            return Err(not_cached(&format!("`{commit}`")));
        }
        let mut objects = Objects::open(self.git()?, &cached.repository)?;
        load(&mut objects, commit).map_err(|fault| match fault {
            LoadFault::Failed(error) => error,
            LoadFault::TooLarge => load::too_large(commit),
            LoadFault::Missing | LoadFault::MissingFiles(_) | LoadFault::Damaged => {
                not_cached(&format!("all of `{commit}`"))
            }
        })
    }

    /// Reads a commit, and fetches missing objects. Creates a broken cache again.
    fn load<T>(&self, cached: &Cached<'_>, commit: &Commit, load: &Load<'_, T>) -> Result<T> {
        let git = self.git()?;
        let (mut is_announced, mut was_fetched) = (false, false);
        let mut announce = || {
            if !std::mem::replace(&mut is_announced, true) {
                (self.announce)(Progress::Fetching(&commit.location));
            }
        };
        // At worst: fetch, find it broken, fetch again, fail to fetch files, fetch with all files.
        for _ in 0..6 {
            cached.make(commit.id.len())?;
            let loaded = Objects::open(git, &cached.repository)
                .map_err(LoadFault::Failed)
                .and_then(|mut objects| load(&mut objects, commit));
            match loaded {
                Ok(read) => return Ok(read),
                Err(LoadFault::Failed(error)) => return Err(error),
                Err(LoadFault::TooLarge) => return Err(load::too_large(commit)),
                Err(LoadFault::Missing) if was_fetched && cached.is_new.get() => {
                    return Err(store::gone(&commit.location, &commit.id));
                }
                // Git believes that it has the commit.
                Err(LoadFault::Missing) if was_fetched => {
                    was_fetched = false;
                    cached.set_aside()?;
                }
                Err(LoadFault::Missing) => {
                    announce();
                    cached.fetch(&commit.id)?;
                    was_fetched = true;
                }
                Err(LoadFault::MissingFiles(ids)) => {
                    announce();
                    cached.fetch_files(&ids)?;
                    // The repository may have been moved aside for that.
                    was_fetched = cached.repository.exists();
                }
                Err(LoadFault::Damaged) => {
                    tracing::debug!(%commit, "the cache is broken; creating it again");
                    was_fetched = false;
                    cached.set_aside()?;
                }
            }
        }
        Err(err!(Io, "`{commit}` is damaged, and fetching it again did not help"))
    }
}

/// The error for something that is not in the cache of an offline run.
fn not_cached(what: &str) -> Error {
    err!(Io, "{what} is not in the cache, and `--offline` asks nobody")
        .help("run the command once without `--offline`")
}

/// Checks a commit id before it is used.
fn checked<'a>(location: &Location, id: &'a str) -> Result<&'a str> {
    if is_commit_id(id) {
        return Ok(id);
    }
    Err(err!(Validation, "`{}` cannot have a commit `{id}`", location.repository))
}

// What locations mean now, and the files of several places of one commit in one fetch.

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

// Decides where a revision ends and a path begins, for addresses such as `…/tree/REV/PATH`.

impl Repositories {
    /// Resolves every ambiguous address with the references of its server.
    pub fn decide(&self, requests: &mut [Request]) -> Result<()> {
        let is_open = |request: &&mut Request| matches!(&request.what, RequestedSource::Git(location, _) if location.undecided.is_some());
        let mut open: Vec<&mut Request> = requests.iter_mut().filter(is_open).collect();
        let locations: Vec<Location> =
            open.iter().filter_map(|request| request.location().cloned()).collect();
        let decide = |location: &Location| {
            let root = cache_root(&self.environment)?;
            let cached =
                Cached::open(self.git()?, &root, location, Part::Commits, self.announce.as_ref())?;
            self.reading(&cached, location)
        };
        let decided = parallel::map_waiting(&locations, decide);
        for (request, decided) in open.iter_mut().zip(decided) {
            let location = decided.map_err(|error| match &request.place {
                Some(place) => Error { message: format!("{place}: {}", error.message), ..error },
                None => error,
            })?;
            request.decide(location);
        }
        Ok(())
    }

    /// The reading whose revision the server knows. The longest wins, as on hosting sites. If none
    /// is known, the first part may be an abbreviated commit id.
    pub fn reading(&self, cached: &Cached<'_>, location: &Location) -> Result<Location> {
        if location.undecided.is_none() {
            return Ok(location.clone());
        }
        let answer = self.answer(location);
        let refs = self.refs(&answer, cached, location)?;
        let mut readings = location.readings();
        let shortest = readings.pop();
        let known = readings.into_iter().find(|one| refs.find(one.revision.as_deref()).is_some());
        Ok(known.or(shortest).unwrap_or_else(|| location.clone()))
    }
}

// The commits between two commits of a repository.

/// Maximum commits to list.
const DEPTH: usize = 500;

/// The separator between the fields that git prints.
const SEPARATOR: char = '\u{1f}';

/// The commits between two others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The newest first.
    pub changes: Vec<CommitSummary>,
    /// Whether the list is incomplete: the old commit is not an ancestor of the new one, or too far
    /// back.
    pub is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSummary {
    /// Its full id.
    pub id: String,
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// The commits from the old one to the new one.
pub fn between(
    git: &GitProgram,
    cached: &Cached<'_>,
    location: &Location,
    old: &str,
    new: &str,
) -> Result<History> {
    let read = || log(git, cached, old, new);
    let known = (cached.find(old).is_some() && cached.find(new).is_some()).then(read);
    if let Some(Ok(history)) = known {
        return Ok(history);
    }
    if known.is_some() {
        // It exists but is unreadable.
        cached.set_aside()?;
    }
    let fetched = cached.fetch_history(new, DEPTH + 1);
    cached.settle(false);
    fetched?;
    read().map_err(|failure| failure.about("read", location))
}

fn log(git: &GitProgram, cached: &Cached<'_>, old: &str, new: &str) -> Result<History, GitFailure> {
    let is_known = cached.find(old).is_some();
    let mut command = git.command(&cached.repository);
    command.args(["log", "--no-color", "--no-show-signature", "--date=short"]);
    // Request one more to detect truncation.
    command.arg(format!("--max-count={}", DEPTH + 1));
    command.arg(format!("--format=%H{SEPARATOR}%cd{SEPARATOR}%s"));
    command.args(["--end-of-options", new]);
    if is_known {
        command.arg(format!("^{old}"));
    }
    command.arg("--");
    let answer = git.run(command, &[])?;
    let mut changes: Vec<CommitSummary> =
        String::from_utf8_lossy(&answer).lines().filter_map(change).collect();
    let is_cut = changes.len() > DEPTH || !(is_known && led(git, cached, old, new));
    changes.truncate(DEPTH);
    Ok(History { changes, is_cut })
}

/// Whether the old commit is an ancestor of the new one, as far as the fetched history shows.
fn led(git: &GitProgram, cached: &Cached<'_>, old: &str, new: &str) -> bool {
    let mut command = git.command(&cached.repository);
    command.args(["merge-base", "--is-ancestor", "--end-of-options", old, new]);
    git.run(command, &[]).is_ok()
}

fn change(line: &str) -> Option<CommitSummary> {
    let mut parts = line.splitn(3, SEPARATOR).map(str::to_owned);
    Some(CommitSummary { id: parts.next()?, date: parts.next()?, subject: parts.next()? })
}
