//! Where a symbolic link inside a skill leads.

use std::io;
use std::path::Path;

use crate::skills::files::platform::{FileKind, met_link};

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkEnd {
    /// To something inside the skill.
    Inside(FileKind),
    /// To something outside the skill, or to something unreadable.
    Outside,
    /// To nothing.
    Nowhere,
    /// To itself, or to a directory above it.
    Loop,
}

/// Where the link at `path` below the directory of a skill leads. Copying opens the target
/// component by component, so a link swapped after this check leads nowhere.
#[must_use]
pub fn end_of(skill: &Path, path: &Path) -> LinkEnd {
    let Ok(root) = skill.canonicalize() else { return LinkEnd::Outside };
    let real = match root.join(path).canonicalize() {
        Ok(real) => real,
        Err(error) => return end_of_failure(&error),
    };
    let parent = path.parent().and_then(|parent| root.join(parent).canonicalize().ok());
    match real.symlink_metadata() {
        _ if !real.starts_with(&root) => LinkEnd::Outside,
        Ok(data) if data.is_dir() => match parent {
            Some(parent) if parent.starts_with(&real) => LinkEnd::Loop,
            _ => LinkEnd::Inside(FileKind::Directory),
        },
        Ok(data) if data.is_file() => LinkEnd::Inside(FileKind::Regular),
        // A pipe or device is refused by a rule of its own.
        Ok(_) | Err(_) => LinkEnd::Outside,
    }
}

fn end_of_failure(error: &io::Error) -> LinkEnd {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LinkEnd::Nowhere,
        _ if met_link(error) => LinkEnd::Loop,
        _ => LinkEnd::Outside,
    }
}
