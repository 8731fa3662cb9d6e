//! Waits until files below a few paths change: through system notifications where there are any,
//! else by checking the files once a second.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{io, thread};

use crate::skills::files::inventory::{CACHE_TAG, is_skipped};
use crate::skills::files::{self, Notifier};

/// Maximum directories to watch.
pub const MOST_DIRECTORIES: usize = 8_000;

/// Maximum files to check without notifications.
const MOST_FILES: usize = 50_000;

/// How long to wait for more changes: an editor makes several when it saves.
const QUIET: Duration = Duration::from_millis(60);

/// How long to wait at most while changes go on.
const LONGEST: Duration = Duration::from_millis(600);

/// How often to check files without notifications.
const INTERVAL: Duration = Duration::from_secs(1);

/// The longest single wait for a notification.
const FOREVER: Duration = Duration::from_secs(60 * 60);

/// Why a path cannot be watched.
#[derive(Debug)]
pub enum WatchFailure {
    /// There are more directories than are watched.
    TooMany,
    /// The system allows no more.
    SystemLimit,
}

/// Paths that are watched, with everything below them.
pub struct FileWatch<'a> {
    roots: Vec<PathBuf>,
    /// Whether the directory at this path below a root is left out.
    is_excluded: &'a dyn Fn(&Path) -> bool,
    /// Maximum directories.
    most: usize,
    how: WatchMethod,
}

enum WatchMethod {
    /// The system tells.
    Told(Notifier),
    /// Files are checked; this is their last state.
    Looked(BTreeMap<PathBuf, FileState>),
}

/// Differs after a file has changed.
type FileState = (u64, Option<SystemTime>, bool);

impl<'a> FileWatch<'a> {
    /// Starts to watch.
    pub fn begin(
        roots: Vec<PathBuf>,
        is_excluded: &'a dyn Fn(&Path) -> bool,
    ) -> Result<Self, WatchFailure> {
        Self::begin_with(roots, is_excluded, MOST_DIRECTORIES)
    }

    /// The same with at most this many directories.
    pub fn begin_with(
        roots: Vec<PathBuf>,
        is_excluded: &'a dyn Fn(&Path) -> bool,
        most: usize,
    ) -> Result<Self, WatchFailure> {
        let how = match Notifier::new() {
            Some(notifier) => WatchMethod::Told(notifier),
            None => WatchMethod::Looked(BTreeMap::new()),
        };
        let mut watch = Self { roots, is_excluded, most, how };
        watch.refresh()?;
        Ok(watch)
    }

    /// Watches these paths from now on, and directories that have appeared.
    pub fn follow(&mut self, roots: Vec<PathBuf>) -> Result<(), WatchFailure> {
        self.roots = roots;
        self.refresh()
    }

    /// When a watched directory, or a file that is a root itself, was changed last.
    pub fn newest(&self) -> Option<SystemTime> {
        let directories = self.directories().unwrap_or_default();
        let modified = |path: &PathBuf| path.metadata().and_then(|one| one.modified()).ok();
        directories.iter().chain(&self.roots).filter_map(modified).max()
    }

    fn refresh(&mut self) -> Result<(), WatchFailure> {
        let directories = self.directories()?;
        match &mut self.how {
            WatchMethod::Told(notifier) => {
                for directory in directories {
                    match notifier.add(&directory) {
                        Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                            return Err(WatchFailure::SystemLimit);
                        }
                        // The code that reads the files reports missing and unreadable ones.
                        _ => {}
                    }
                }
            }
            WatchMethod::Looked(before) => *before = look(&directories)?,
        }
        Ok(())
    }

    /// Waits for a change, and then until it is quiet.
    pub fn wait(&mut self) -> Result<(), WatchFailure> {
        match &self.how {
            WatchMethod::Told(notifier) => {
                while !notifier.wait(FOREVER) {}
                let start = Instant::now();
                while start.elapsed() < LONGEST && notifier.wait(QUIET) {}
            }
            WatchMethod::Looked(before) => loop {
                thread::sleep(INTERVAL);
                if look(&self.directories()?)? != *before {
                    break;
                }
            },
        }
        Ok(())
    }

    /// All directories to watch: those of the paths, and below them.
    fn directories(&self) -> Result<Vec<PathBuf>, WatchFailure> {
        let mut found = Vec::new();
        for root in &self.roots {
            match root.is_dir() {
                true => self.descend(root, &mut found)?,
                // Its parent reports that a file is replaced, or that a missing one is created.
                false => {
                    found.extend(root.ancestors().find(|one| one.is_dir()).map(Path::to_owned))
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        if found.len() > self.most { Err(WatchFailure::TooMany) } else { Ok(found) }
    }

    fn descend(&self, root: &Path, found: &mut Vec<PathBuf>) -> Result<(), WatchFailure> {
        let mut pending = vec![root.to_owned()];
        while let Some(directory) = pending.pop() {
            let entries = directory.read_dir().into_iter().flatten().flatten();
            let mut below = Vec::new();
            let mut is_cache = false;
            for entry in entries {
                let name = entry.file_name();
                is_cache |= name == CACHE_TAG;
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_skipped(&name) {
                    below.push(directory.join(&name));
                }
            }
            if is_cache && directory != root {
                continue;
            }
            let relative = |path: &PathBuf| path.strip_prefix(root).map(Path::to_owned);
            below.retain(|path| !relative(path).is_ok_and(|path| (self.is_excluded)(&path)));
            pending.append(&mut below);
            found.push(directory);
            if found.len() > self.most {
                return Err(WatchFailure::TooMany);
            }
        }
        Ok(())
    }
}

/// The files in these directories, as they are now.
fn look(directories: &[PathBuf]) -> Result<BTreeMap<PathBuf, FileState>, WatchFailure> {
    let mut files = BTreeMap::new();
    for directory in directories {
        for entry in directory.read_dir().into_iter().flatten().flatten() {
            let state = entry.metadata().ok().map(|metadata| state(&metadata));
            if is_skipped(OsStr::new(&entry.file_name())) {
                continue;
            }
            files.insert(entry.path(), state.unwrap_or_default());
            if files.len() > MOST_FILES {
                return Err(WatchFailure::TooMany);
            }
        }
    }
    Ok(files)
}

fn state(metadata: &Metadata) -> FileState {
    (metadata.len(), metadata.modified().ok(), files::is_executable(metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never(_: &Path) -> bool {
        false
    }

    #[test]
    fn looking_sees_what_is_written_replaced_and_made() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("skills");
        std::fs::create_dir_all(root.join("pdf/.git")).unwrap();
        let how = WatchMethod::Looked(BTreeMap::new());
        let watch = FileWatch { roots: vec![root.clone()], is_excluded: &never, most: 9, how };
        let seen = || look(&watch.directories().unwrap()).unwrap();
        let before = seen();
        std::fs::write(root.join("pdf/.git/index"), "x").unwrap();
        assert_eq!(before, seen(), "version control is not looked at");
        std::fs::write(root.join("pdf/SKILL.md"), "one").unwrap();
        let written = seen();
        assert_ne!(before, written);
        std::fs::create_dir(root.join("csv")).unwrap();
        let made = seen();
        assert_ne!(written, made);
        std::fs::write(root.join("csv/SKILL.md"), "one").unwrap();
        assert_ne!(made, seen(), "new directories are looked at");
    }

    #[test]
    fn directories_that_hold_no_skills_are_not_watched() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("skills");
        std::fs::create_dir_all(root.join("a/b/node_modules/c")).unwrap();
        let excluded = |path: &Path| path.ends_with("out");
        std::fs::create_dir_all(root.join("a/out/d")).unwrap();
        let how = WatchMethod::Looked(BTreeMap::new());
        let missing = root.join("a/b/none/SKILL.md");
        let watch = FileWatch { roots: vec![root, missing], is_excluded: &excluded, most: 9, how };
        let expected = ["skills", "skills/a", "skills/a/b"].map(|one| place.path().join(one));
        assert_eq!(watch.directories().unwrap(), expected);
    }
}
