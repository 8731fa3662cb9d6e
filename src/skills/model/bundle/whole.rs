//! A whole archive, including files outside skills.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use crate::skills::files::FileKind;
use crate::skills::files::digest::portable;
use crate::skills::model::bundle::{Bundle, BundledFile, CONTENT_BYTES, ENTRIES, StoredBytes};
use crate::skills::text::document::is_skill_md;

impl Bundle {
    /// Whether it holds a file of this path.
    pub fn has_file(&self, path: &Path) -> bool {
        self.files.contains_key(&portable(path))
    }

    /// Whether it holds a directory of this path.
    pub fn is_directory(&self, path: &str) -> bool {
        self.has_directory(path)
    }

    /// The paths of everything in it that is not a directory.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The same archive, of which only a directory is meant; none when that is not there.
    pub fn within(self, directory: &str) -> Option<Self> {
        self.has_directory(directory).then(|| Self { inner: directory.to_owned(), ..self })
    }

    /// The bytes of a regular file of at most this size, or why it cannot be read; none if the path
    /// does not exist.
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

    /// Where its skills are, if they are at its root or one directory down.
    pub fn shallow_skills(&self) -> Vec<String> {
        let is_here = |directory: &str| {
            let files = self.listed(directory);
            files
                .iter()
                .any(|entry| entry.path.iter().count() == 1 && is_skill_md(entry.path.as_os_str()))
        };
        if is_here("") {
            return vec![String::new()];
        }
        let tops = self.directories.iter().filter(|path| !path.contains('/'));
        tops.filter(|top| is_here(top)).cloned().collect()
    }

    /// Whether there is anything at or below this path.
    pub fn has_any_below(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let first = self.files.range(below.clone()..).next();
        self.files.contains_key(path) || first.is_some_and(|(known, _)| known.starts_with(&below))
    }

    /// How many bytes all of its files have.
    pub fn content_bytes(&self) -> usize {
        self.files.values().fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// Adds everything that a reader has, and returns its place.
    fn store_all(&mut self, from: &mut dyn Read) -> io::Result<Range<usize>> {
        let start = self.bytes.length();
        let mut part = vec![0; 64 * 1024];
        loop {
            match from.read(&mut part)? {
                0 => return Ok(start..self.bytes.length()),
                length => self.store(&part[..length])?,
            };
            if self.bytes.length() > CONTENT_BYTES {
                return Ok(start..self.bytes.length());
            }
        }
    }

    /// Takes the files below a directory of another bundle into a directory of this one.
    pub fn absorb(&mut self, other: &Self, from: &str, to: &str) -> Result<(), String> {
        let prefix = if from.is_empty() { String::new() } else { format!("{from}/") };
        let files = other.files.range(prefix.clone()..);
        for (path, file) in files.take_while(|(path, _)| path.starts_with(&prefix)) {
            let stored = self.store_all(&mut *other.reader(file));
            let data = StoredBytes::Plain(stored.map_err(|error| error.to_string())?);
            if self.files.len() >= ENTRIES || self.bytes.length() > CONTENT_BYTES {
                return Err(format!(
                    "it has more than {ENTRIES} files or {} MiB with the others",
                    CONTENT_BYTES / 1024 / 1024
                ));
            }
            let path = format!("{to}/{}", &path[prefix.len()..]);
            self.add_file(path, BundledFile { data, ..file.clone() })?;
        }
        Ok(())
    }

    /// The directory at the top that holds all the rest, if there is one.
    pub fn only_directory(&self) -> Option<&str> {
        let mut tops = self.directories.iter().filter(|path| !path.contains('/'));
        let only = tops.next()?;
        let is_alone = tops.next().is_none() && self.files.keys().all(|path| path.contains('/'));
        is_alone.then_some(only)
    }
}
