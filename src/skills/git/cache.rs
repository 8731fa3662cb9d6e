//! Repositories that were fetched, below the user's cache directory: bare, shallow, locked while
//! they are worked on, and made anew when they turn out to be broken.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::location::Location;
use super::program::{Failure, Git};
use crate::skills::digest;
use crate::skills::environment::Environment;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::platform::{self, Directory};
use crate::skills::scan::CACHE_TAG;

/// As <https://bford.info/cachedir/> has it, so that backups leave it out.
const CACHE_SIGNATURE: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # Git repositories that `skills` has fetched. All of it may be deleted.\n";
/// How long another run is waited for.
const LOCK_PATIENCE: Duration = Duration::from_secs(300);
const LOCK_TICK: Duration = Duration::from_millis(20);
/// The most that one repository may bring.
const FETCHED_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// What a server says that does not know how to send a single commit.
const NOT_ABLE: [&str; 6] =
    ["not our ref", "unadvertised object", "does not support", "dumb http", "filter", "shallow"];

/// Which part of a repository is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Single commits with their files.
    Commits,
    /// Commits without files, for what happened between two of them.
    History,
}

/// A repository in the cache, locked.
pub(super) struct Cached<'a> {
    git: &'a Git,
    location: &'a Location,
    /// The bare repository.
    pub(super) repository: PathBuf,
    _lock: File,
}

/// Where repositories are kept.
pub(super) fn root(environment: &Environment) -> Result<PathBuf> {
    let set = environment.variable("XDG_CACHE_HOME").map(PathBuf::from);
    let set = set.filter(|path| path.is_absolute());
    let cache = set.or_else(|| environment.home.as_ref().map(|home| home.join(".cache")));
    let cache = cache.ok_or_else(|| {
        Error::new(ErrorKind::Usage, "there is no place for git sources to be kept")
            .help("set HOME or XDG_CACHE_HOME to a directory")
    })?;
    Ok(cache.join("skills"))
}

impl<'a> Cached<'a> {
    /// Waits until nobody else works on the repository.
    pub(super) fn open(
        git: &'a Git,
        root: &Path,
        location: &'a Location,
        part: Part,
    ) -> Result<Self> {
        let parent = root.join("git");
        make_private(root)?;
        make_private(&parent)?;
        let tag = root.join(CACHE_TAG);
        if !tag.exists() {
            fs::write(&tag, CACHE_SIGNATURE).map_err(|error| Error::io("write", &tag, &error))?;
        }
        let hash = digest::of_bytes(location.url.as_bytes())
            .map_err(|error| Error::io("read", &parent, &error))?;
        // For whoever looks into the cache; what tells two repositories apart is the hash.
        let is_plain = |one: &char| one.is_ascii_alphanumeric() || "._-".contains(*one);
        let readable: String = location.name().chars().filter(is_plain).take(40).collect();
        let suffix = if part == Part::History { "-history" } else { "" };
        let name = format!("{readable}-{}{suffix}", &hash[..16]);
        let lock = lock(&parent.join(format!("{name}.lock")))?;
        Ok(Self { git, location, repository: parent.join(format!("{name}.git")), _lock: lock })
    }

    /// Makes the repository, if it is not there, for object names of this length.
    pub(super) fn make(&self, id_length: usize) -> Result<()> {
        if self.repository.join("HEAD").is_file() {
            return Ok(());
        }
        remove(&self.repository)?;
        let format = if id_length == 64 { "sha256" } else { "sha1" };
        let mut command = self.git.command(&self.repository);
        command.args(["init", "--quiet", "--bare", "--template="]);
        command.arg(format!("--object-format={format}"));
        let made = self.git.run(command, &[]);
        made.map(drop).map_err(|failure| failure.about("make a cache for", self.location))
    }

    /// Puts a repository aside that turned out to be broken.
    pub(super) fn set_aside(&self) -> Result<()> {
        let aside = self.aside();
        remove(&aside)?;
        match fs::rename(&self.repository, &aside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("move", &self.repository, &error))
            }
            _ => Ok(()),
        }
    }

    /// Ends what [`Self::set_aside`] began: what was put aside goes when there is a better one. Else
    /// it comes back, for whatever of it may still be whole.
    pub(super) fn settle(&self, is_better: bool) {
        let aside = self.aside();
        if aside.exists() {
            let _ = remove(if is_better { &aside } else { &self.repository });
            let _ = fs::rename(&aside, &self.repository);
        }
    }

    /// Whether one has been put aside.
    pub(super) fn is_aside(&self) -> bool {
        self.aside().exists()
    }

    fn aside(&self) -> PathBuf {
        self.repository.with_extension("broken")
    }

    /// Fetches one commit, without its files where the server can do that.
    pub(super) fn fetch(&self, commit: &str) -> Result<(), Failure> {
        let shallow = self.fetch_with(&["--depth=1", "--filter=blob:none", "origin", commit], &[]);
        match shallow {
            Err(Failure::Refused(words)) if NOT_ABLE.iter().any(|part| words.contains(part)) => {
                self.fetch_everything()
            }
            other => other,
        }
    }

    /// Fetches the last commits before this one, but none of their files.
    pub(super) fn fetch_history(&self, commit: &str, depth: usize) -> Result<(), Failure> {
        let depth = format!("--depth={depth}");
        self.fetch_with(&[&depth, "--filter=tree:0", "origin", commit], &[])
    }

    /// Fetches files by their names.
    pub(super) fn fetch_files(&self, ids: &[String]) -> Result<(), Failure> {
        let list = ids.join("\n") + "\n";
        self.fetch_with(&["--filter=blob:none", "--stdin", "origin"], list.as_bytes())
    }

    /// Fetches all branches and tags with all that led to them.
    pub(super) fn fetch_everything(&self) -> Result<(), Failure> {
        let mut arguments = Vec::new();
        if self.repository.join("shallow").exists() {
            arguments.push("--unshallow");
        }
        arguments.extend(["origin", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
        self.fetch_with(&arguments, &[])
    }

    fn fetch_with(&self, arguments: &[&str], input: &[u8]) -> Result<(), Failure> {
        self.clean();
        let mut command = self.git.remote_command(&self.repository, self.location);
        command.arg("-c").arg(format!("remote.origin.url={}", self.location.url));
        // What is there says nothing about what is missing.
        command.args(["-c", "fetch.negotiationAlgorithm=noop"]);
        command.args(["fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--force"]);
        command.args(arguments);
        let before = self.bytes();
        let still = || {
            if self.bytes().saturating_sub(before) <= FETCHED_BYTES {
                return Ok(());
            }
            let message = format!("`{}` sends more than 2 GiB", self.location.repository);
            Err(Error::new(ErrorKind::TooLarge, message))
        };
        self.git.watch(command, input, &still).map(drop)
    }

    /// The commit that the start of a name means, in what has been fetched.
    pub(super) fn find(&self, start: &str) -> Option<String> {
        let mut command = self.git.command(&self.repository);
        command.args(["rev-parse", "--verify", "--quiet", &format!("{start}^{{commit}}")]);
        let answer = self.git.run(command, &[]).ok()?;
        Some(String::from_utf8_lossy(&answer).trim().to_owned())
    }

    /// Removes what runs of git left that were killed: nobody else can be at work now.
    fn clean(&self) {
        let is_left = |name: &str| name.starts_with("tmp_") || name.ends_with(".lock");
        for directory in ["", "objects", "objects/pack"] {
            for path in files(&self.repository.join(directory)) {
                if path.file_name().and_then(|name| name.to_str()).is_some_and(is_left) {
                    let _ = fs::remove_file(path);
                }
            }
        }
    }

    /// Bytes of what has been fetched.
    fn bytes(&self) -> u64 {
        let size = |path: PathBuf| path.metadata().map_or(0, |data| data.len());
        files(&self.repository.join("objects/pack")).map(size).sum()
    }
}

/// Removes whatever is there.
fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(|error| Error::io("remove", path, &error))
}

fn files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file())
}

/// A directory that is nobody else's: what git finds in a repository, it obeys.
fn make_private(path: &Path) -> Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(|error| Error::io("make", above, &error))?;
    }
    match platform::make_directory(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(Error::io("make", path, &error));
        }
        _ => {}
    }
    let private = Directory::open(path).and_then(|directory| directory.is_private());
    match private {
        Ok(true) => Ok(()),
        Ok(false) => {
            let message = format!("others can write to `{}`, so it is not used", path.display());
            Err(Error::new(ErrorKind::Io, message)
                .at(path)
                .help("set XDG_CACHE_HOME to a directory of your own, or take their rights away"))
        }
        Err(error) => Err(Error::io("read directory", path, &error)),
    }
}

fn lock(path: &Path) -> Result<File> {
    let cannot = |error: &std::io::Error| Error::io("lock", path, error);
    let file = File::options().create(true).append(true).open(path);
    let file = file.map_err(|error| cannot(&error))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(cannot(&error)),
            Err(TryLockError::WouldBlock) if begun.elapsed() > LOCK_PATIENCE => {
                let message = format!("another run has held `{}` for too long", path.display());
                return Err(Error::new(ErrorKind::Io, message).at(path));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_TICK),
        }
    }
}
