//! Fetched repositories in the user's cache directory: bare, shallow, locked while in use, and
//! created again if they are broken.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::skills::fetch::cache;
use crate::skills::fetch::git::program::{GitFailure, GitProgram};
use crate::skills::files::{self, atomic, content, digest};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::location::{Location, is_commit_id, is_hex};
use crate::skills::model::reporter::{Announce, Progress};

/// Maximum size of one fetch.
const FETCHED_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Maximum size of the list of a server's commits.
const REFS_BYTES: u64 = 16 * 1024 * 1024;

/// The name of the remote. The user's settings may contain an `origin`.
const REMOTE: &str = "skills";

/// Which part of a repository is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Single commits with their files.
    Commits,
    /// Commits without files, for the history between two of them.
    History,
}

/// A repository in the cache, locked.
pub struct Cached<'a> {
    git: &'a GitProgram,
    location: &'a Location,
    /// The bare repository.
    pub repository: PathBuf,
    /// The lock; none on a read-only file system.
    _lock: Option<File>,
    /// Whether this run created the repository.
    pub is_new: Cell<bool>,
    /// Whether anything was fetched into the current repository.
    has_fetched: Cell<bool>,
    /// Whether this run created the repository again, so that it contains only what this run
    /// fetched.
    is_anew: Cell<bool>,
    /// Whether to fetch commits with all files.
    fetches_whole: Cell<bool>,
}

impl<'a> Cached<'a> {
    /// Locks the repository, waiting for other runs.
    pub fn open(
        git: &'a GitProgram,
        root: &Path,
        location: &'a Location,
        part: Part,
        announce: &Announce,
    ) -> Result<Self> {
        let parent = root.join(cache::GIT);
        cache::prepare(root)?;
        // Git obeys the configuration in a repository.
        cache::make_private(&parent)?;
        let hash = digest::of_bytes(location.url.as_bytes()).to_string();
        // The name is for people; the hash makes it unique.
        let is_plain = |one: &char| one.is_ascii_alphanumeric() || "._-".contains(*one);
        let readable: String = location.name().chars().filter(is_plain).take(40).collect();
        let suffix = if part == Part::History { "-history" } else { "" };
        let name = format!("{readable}-{}{suffix}", &hash[..16]);
        let lock = cache::lock(&parent.join(format!("{name}.lock")), || {
            announce(Progress::Waiting(location))
        })?;
        Ok(Self {
            git,
            location,
            repository: parent.join(format!("{name}.git")),
            _lock: lock,
            is_new: Cell::new(false),
            has_fetched: Cell::new(false),
            is_anew: Cell::new(false),
            fetches_whole: Cell::new(false),
        })
    }

    /// Whether there is a repository.
    pub fn is_there(&self) -> bool {
        self.repository.join("HEAD").is_file()
    }

    /// The server's refs from the last time it was asked.
    pub fn kept_refs(&self) -> Option<Vec<u8>> {
        let file = files::open_without_following(&self.refs_file()).ok()?;
        content::whole(file, REFS_BYTES).ok()
    }

    /// Keeps the server's refs for runs without a network.
    pub fn keep_refs(&self, answer: &[u8]) {
        if self.kept_refs().as_deref() != Some(answer) {
            // Ignore failures: only `--offline` needs this file.
            let _ = atomic::write(&self.refs_file(), answer);
        }
    }

    fn refs_file(&self) -> PathBuf {
        self.repository.with_extension("refs")
    }

    /// Creates the repository if it is missing, for object ids of this length.
    pub fn make(&self, id_length: usize) -> Result<()> {
        if self.is_there() {
            return Ok(());
        }
        remove(&self.repository)?;
        let mut command = self.git.command(&self.repository);
        command.args(["init", "--quiet", "--bare", "--template="]);
        if id_length == 64 {
            command.arg("--object-format=sha256");
        }
        let made = self.git.run(command, &[]);
        self.is_new.set(true);
        self.is_anew.set(true);
        made.map(drop).map_err(|failure| failure.about("make a cache for", self.location))
    }

    /// Moves a broken repository aside.
    pub fn set_aside(&self) -> Result<()> {
        self.has_fetched.set(false);
        self.is_new.set(false);
        self.is_anew.set(true);
        let aside = self.aside();
        if aside.exists() {
            // Keep the first one that was moved aside: it may contain other commits.
            return remove(&self.repository);
        }
        match fs::rename(&self.repository, &aside) {
            Err(error) if error.kind() != IoErrorKind::NotFound => {
                Err(Error::io("move", &self.repository, &error))
            }
            _ => Ok(()),
        }
    }

    /// Finishes [`Self::set_aside`], also after a killed run. Removes the old repository if a fetch
    /// replaced it, or if its content was read. Otherwise moves it back, because parts of it may
    /// still be intact.
    pub fn settle(&self, was_read: bool) {
        let aside = self.aside();
        if !aside.exists() {
            return;
        }
        if self.has_fetched.get() || was_read {
            let _ = remove(&aside);
        } else if self.is_anew.get() {
            let _ = remove(&self.repository);
            let _ = fs::rename(&aside, &self.repository);
        }
    }

    fn aside(&self) -> PathBuf {
        self.repository.with_extension("broken")
    }

    /// Fetches one commit, without its files if the server supports that.
    pub fn fetch(&self, commit: &str) -> Result<()> {
        self.attempt(commit.len(), &|| {
            let mut options = vec!["--depth=1"];
            if !self.fetches_whole.get() {
                options.push("--filter=blob:none");
            }
            match self.run(&options, &[commit], &[]) {
                Err(failure) if failure.is_inability() => self.run_for_everything(),
                Err(failure) if failure.is_ignorance() => {
                    Err(GitFailure::Ours(gone(self.location, commit)))
                }
                other => other,
            }
        })
    }

    /// Fetches files by their ids. If the server does not support that, moves the repository aside,
    /// and fetches the next commit with all files.
    pub fn fetch_files(&self, ids: &[String]) -> Result<()> {
        let list = ids.join("\n") + "\n";
        match self.run(&["--filter=blob:none", "--stdin"], &[], list.as_bytes()) {
            Err(failure) if failure.is_inability() || failure.is_local() => {
                self.fetches_whole.set(true);
                self.set_aside()
            }
            other => other.map_err(|failure| failure.about("fetch", self.location)),
        }
    }

    /// Fetches the commits before this one, without files.
    pub fn fetch_history(&self, commit: &str, depth: usize) -> Result<()> {
        let depth = format!("--depth={depth}");
        self.attempt(commit.len(), &|| match self.run(&[&depth, "--filter=tree:0"], &[commit], &[])
        {
            Err(failure) if failure.is_inability() => self.run_for_everything(),
            other => other,
        })
    }

    /// Fetches all branches and tags with their history.
    pub fn fetch_everything(&self, id_length: usize) -> Result<()> {
        self.attempt(id_length, &|| self.run_for_everything())
    }

    fn run_for_everything(&self) -> Result<(), GitFailure> {
        let mut options = vec!["--prune"];
        if self.repository.join("shallow").exists() {
            options.push("--unshallow");
        }
        // Under a prefix that no revision can name.
        let wanted = ["+refs/heads/*:refs/got/heads/*", "+refs/tags/*:refs/got/tags/*"];
        self.run(&options, &wanted, &[])
    }

    /// Fetches; if the repository is broken, into a new one.
    fn attempt(&self, id_length: usize, fetch: &dyn Fn() -> Result<(), GitFailure>) -> Result<()> {
        self.make(id_length)?;
        let done = match fetch() {
            Err(failure) if failure.is_local() => {
                self.set_aside()?;
                self.make(id_length)?;
                fetch()
            }
            other => other,
        };
        done.map_err(|failure| failure.about("fetch", self.location))
    }

    /// Fetches `wanted` with these options, which are never from a user.
    fn run(&self, options: &[&str], wanted: &[&str], input: &[u8]) -> Result<(), GitFailure> {
        self.clean();
        let mut command = self.git.remote_command(&self.repository, self.location);
        command.arg("-c").arg(format!("remote.{REMOTE}.url={}", self.location.url));
        // Do not offer existing commits to the server: their files may be missing.
        command.args(["-c", "fetch.negotiationAlgorithm=noop"]);
        command.args(["fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--force"]);
        command.args(options).args(["--end-of-options", REMOTE]).args(wanted);
        let before = self.bytes();
        let still = || {
            if self.bytes().saturating_sub(before) <= FETCHED_BYTES {
                return Ok(());
            }
            Err(err!(TooLarge, "`{}` sends more than 2 GiB", self.location.repository))
        };
        // Git writes into the config that the server has more objects, and would later fetch them
        // one by one. So restore the config.
        let config = self.repository.join("config");
        let text = fs::read(&config);
        let done = self.git.watch(command, input, &still).map(drop);
        if let Ok(text) = text {
            let _ = fs::write(&config, text);
        }
        self.has_fetched.set(self.has_fetched.get() || done.is_ok());
        done
    }

    /// The fetched commit with an id that starts like this.
    pub fn find(&self, start: &str) -> Option<String> {
        if start.is_empty() || !is_hex(start) {
            return None;
        }
        let mut command = self.git.command(&self.repository);
        command.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        command.arg(format!("{start}^{{commit}}"));
        let answer = self.git.run(command, &[]).ok()?;
        Some(String::from_utf8_lossy(&answer).trim().to_owned()).filter(|id| is_commit_id(id))
    }

    /// Removes files that killed runs of git left behind.
    fn clean(&self) {
        let is_left = |name: &str| name.starts_with("tmp_") || name.ends_with(".lock");
        let top = WalkDir::new(&self.repository).max_depth(1);
        let packs = WalkDir::new(self.repository.join("objects/pack")).max_depth(1);
        let refs = WalkDir::new(self.repository.join("refs"));
        for entry in top.into_iter().chain(packs).chain(refs).flatten() {
            if entry.file_type().is_file() && entry.file_name().to_str().is_some_and(is_left) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Size of the fetched files.
    fn bytes(&self) -> u64 {
        let packs = WalkDir::new(self.repository.join("objects/pack")).max_depth(1);
        let size = |entry: walkdir::DirEntry| entry.metadata().map_or(0, |data| data.len());
        packs.into_iter().flatten().map(size).sum()
    }
}

/// The error for a missing commit.
pub fn gone(location: &Location, commit: &str) -> Error {
    err!(NotFound, "`{}` has no commit {commit}", location.repository).help(
        "its history may have been rewritten; use `skills lock --upgrade` to take the current commit",
    )
}

/// Removes a file or directory.
fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(|error| Error::io("remove", path, &error))
}
