//! Refuses manifests that name the same source again and again: each time, its skills would be read or
//! remembered once more, so that a few bytes would take much time and memory.

use std::collections::HashMap;
use std::path::Path;

use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::source::Source;

/// The most names of one source.
const MOST_NAMES: usize = 100;

/// How often skills may be found again in later sources.
const MOST_AGAIN: usize = 100_000;

/// Counts the names of each source.
#[derive(Default)]
pub struct NamedSources<'a>(HashMap<&'a Path, usize>);

impl<'a> NamedSources<'a> {
    /// Counts a source with a name.
    pub fn count(&mut self, source: &'a Source) -> Result<()> {
        let path = match source {
            Source::Inline(_) => return Ok(()),
            Source::Directory(path) | Source::File(path) => path,
            Source::Bundle(bundle) => &bundle.path,
        };
        let count = self.0.entry(path).or_default();
        *count += 1;
        if *count > MOST_NAMES {
            let message = format!("`{}` has more than {MOST_NAMES} names", source.shown());
            return Err(too_often(message));
        }
        Ok(())
    }
}

/// Refuses sources in which skills were found again this often.
pub fn refuse_many(again: usize) -> Result<()> {
    if again > MOST_AGAIN {
        let message = format!("the sources contain the same skills more than {MOST_AGAIN} times");
        return Err(too_often(message));
    }
    Ok(())
}

fn too_often(message: String) -> Error {
    Error::new(ErrorKind::TooLarge, message).help("name each source once")
}
