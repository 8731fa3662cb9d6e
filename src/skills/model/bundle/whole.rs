//! A whole archive, including files outside skills.

use std::path::Path;

use super::Bundle;
use crate::skills::files::digest::portable;
use crate::skills::files::platform::FileKind;

impl Bundle {
    /// Whether it holds a file of this path.
    #[must_use]
    pub fn has_file(&self, path: &Path) -> bool {
        self.files.contains_key(&portable(path))
    }

    /// The same archive, of which only a directory is meant; none when that is not there.
    #[must_use]
    pub fn within(self, directory: &str) -> Option<Self> {
        self.has_directory(directory).then(|| Self { inner: directory.to_owned(), ..self })
    }

    /// The bytes of a regular file of at most this size, or why it cannot be read; none if the path
    /// does not exist.
    #[must_use]
    pub fn read_bounded(&self, path: &str, most: u64) -> Option<Result<Vec<u8>, String>> {
        let file = match self.files.get(path) {
            Some(file) => file,
            None if self.directories.contains(path) => {
                return Some(Err("it is not a regular file".to_owned()));
            }
            None => return None,
        };
        Some(match file.kind {
            FileKind::Regular if file.size as u64 > most => {
                Err(format!("{} bytes are too many", file.size))
            }
            FileKind::Regular => self.content(file),
            _ => Err("it is not a regular file".to_owned()),
        })
    }

    /// The directory at the top that holds all the rest, if there is one.
    #[must_use]
    pub fn only_directory(&self) -> Option<&str> {
        let mut tops = self.directories.iter().filter(|path| !path.contains('/'));
        let only = tops.next()?;
        let is_alone = tops.next().is_none() && self.files.keys().all(|path| path.contains('/'));
        is_alone.then_some(only)
    }
}
