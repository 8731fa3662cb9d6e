//! Decides where archives go, and what happens to existing files.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Packed;
use crate::skills::files::atomic;
use crate::skills::files::platform::{self, Directory};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::put::install::Done;

/// The destination of archives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePlace {
    /// A directory, or the path of a single archive.
    pub output: PathBuf,
    /// Whether it is a single archive.
    pub is_file: bool,
    /// Whether to replace archives that differ.
    pub force: bool,
}

/// An archive, its path, and what happens there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedArchive {
    /// The archive.
    pub packed: Packed,
    pub path: PathBuf,
    /// What happens at that path.
    pub done: Done,
}

impl ArchivePlace {
    /// Plans all archives, and writes none.
    pub fn plan(&self, packed: Vec<Packed>) -> Result<Vec<PlacedArchive>> {
        if self.is_file && packed.len() > 1 {
            let (number, output) = (packed.len(), self.output.display());
            return Err(err!(Usage, "{number} skills do not fit into one archive, `{output}`")
                .help("name a directory with `-o`"));
        }
        packed.into_iter().map(|packed| self.decide(packed)).collect()
    }

    /// Decides what happens to one archive.
    pub(super) fn decide(&self, packed: Packed) -> Result<PlacedArchive> {
        let path = if self.is_file {
            self.output.clone()
        } else {
            self.output.join(format!("{}.skill", packed.name))
        };
        let in_the_way = |what: &str, help: &str| {
            Err(err!(Conflict, "`{}` already exists and {what}", path.display())
                .at(&path)
                .help(help))
        };
        let done = match there(&path, packed.bytes.len()) {
            Ok(ExistingArchive::Nothing) => Done::Created,
            Ok(ExistingArchive::File(bytes)) if bytes == packed.bytes => Done::Unchanged,
            Ok(ExistingArchive::File(_)) if self.force => Done::Replaced,
            Ok(ExistingArchive::File(_)) => {
                return in_the_way("differs", "use `--force` to replace it");
            }
            Ok(ExistingArchive::Other) => {
                return in_the_way("is not a file", "choose another path with `-o`");
            }
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        Ok(PlacedArchive { packed, path, done })
    }
}

/// The current entry at the path of an archive.
enum ExistingArchive {
    Nothing,
    /// Its content, cut off after the requested size.
    File(Vec<u8>),
    /// A directory, a pipe or a device.
    Other,
}

/// Reads the current entry at the path of an archive of this size, without blocking.
fn there(path: &Path, length: usize) -> io::Result<ExistingArchive> {
    // The path is the user's own, so links are followed.
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(ExistingArchive::Nothing);
        }
        Err(error) => return Err(error),
    };
    let file = platform::open_without_following(&real)?;
    if !file.metadata()?.is_file() {
        return Ok(ExistingArchive::Other);
    }
    let mut bytes = Vec::new();
    // One more byte shows that the file is longer.
    file.take(length as u64 + 1).read_to_end(&mut bytes)?;
    Ok(ExistingArchive::File(bytes))
}

/// Writes the planned archives of one directory.
pub fn write_all(planned: &[PlacedArchive]) -> Result<()> {
    let mut changed = planned.iter().filter(|placed| placed.done != Done::Unchanged).peekable();
    let Some(first) = changed.peek() else { return Ok(()) };
    let parent = first.path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let directory = fs::create_dir_all(parent)
        .and_then(|()| Directory::open(parent))
        .map_err(|error| Error::writing("write", &first.path, &error))?;
    atomic::reap(&directory);
    changed.try_for_each(|placed| {
        let name = placed.path.file_name().unwrap_or_default();
        atomic::replace_next(&directory, name, &placed.packed.bytes)
            .map_err(|error| Error::writing("write", &placed.path, &error))
    })
}
