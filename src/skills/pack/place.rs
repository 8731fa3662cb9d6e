//! Where archives go, and what happens to what is there.

use std::fs;
use std::path::{Path, PathBuf};

use super::Packed;
use crate::skills::atomic;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::Done;

/// Where archives go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// A directory, or the archive of the only skill.
    pub output: PathBuf,
    /// Whether it is the latter.
    pub is_file: bool,
    /// Whether archives that are different are replaced.
    pub force: bool,
}

/// An archive, where it goes, and what that does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The archive.
    pub packed: Packed,
    /// Where it goes.
    pub path: PathBuf,
    /// What happens there.
    pub done: Done,
}

impl Place {
    /// Decides about every archive, and writes none.
    ///
    /// # Errors
    /// Archives that are in the way, or that do not fit into one.
    pub fn plan(&self, packed: Vec<Packed>) -> Result<Vec<Placed>> {
        if self.is_file && packed.len() > 1 {
            let (number, output) = (packed.len(), self.output.display());
            let message = format!("{number} skills do not fit into one archive, `{output}`");
            return Err(Error::new(ErrorKind::Usage, message).help("name a directory with `-o`"));
        }
        packed.into_iter().map(|packed| self.decide(packed)).collect()
    }

    fn decide(&self, packed: Packed) -> Result<Placed> {
        let path = if self.is_file {
            self.output.clone()
        } else {
            self.output.join(format!("{}.skill", packed.name))
        };
        let done = match fs::read(&path) {
            Ok(there) if there == packed.bytes => Done::Unchanged,
            Ok(_) if self.force => Done::Replaced,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Done::Created,
            Ok(_) => {
                let message = format!("`{}` is there already, and different", path.display());
                return Err(Error::new(ErrorKind::Conflict, message)
                    .at(path)
                    .help("`--force` replaces it"));
            }
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        Ok(Placed { packed, path, done })
    }
}

impl Placed {
    /// Does what was decided.
    ///
    /// # Errors
    /// An archive that cannot be written.
    pub fn write(&self) -> Result<()> {
        if self.done == Done::Unchanged {
            return Ok(());
        }
        let parent = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)
            .and_then(|()| atomic::write(&self.path, &self.packed.bytes))
            .map_err(|error| Error {
                kind: ErrorKind::Io,
                ..Error::io("write", &self.path, &error)
            })
    }
}
