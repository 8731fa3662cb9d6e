//! Where a symbolic link inside a skill leads.

use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{self, Content};
use crate::skills::files::platform::{Directory, FileKind, met_link};

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

/// Reads what the link at `path` leads to, if that is a file below `root`. The file is opened from
/// the open directory of that path, so that no link swapped after this check leads outside.
pub fn read_through(root: &Path, directory: &Directory, path: &Path) -> Content {
    match target_below(root, path) {
        Ok(inner) => content::read_below(directory, &inner),
        Err(error) => Content::Unreadable(content::system_message(&error)),
    }
}

fn target_below(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    let real = root.join(path).canonicalize()?;
    Ok(real.strip_prefix(&root).map_err(io::Error::other)?.to_owned())
}

fn end_of_failure(error: &io::Error) -> LinkEnd {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LinkEnd::Nowhere,
        _ if met_link(error) => LinkEnd::Loop,
        _ => LinkEnd::Outside,
    }
}
