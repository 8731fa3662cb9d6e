//! Opens paths below a directory component by component, so that no link on the way is followed.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::skills::files::platform::Directory;

/// Remembers the last directory, so that each further file in it costs one call.
#[derive(Debug)]
pub struct Descent<'a> {
    root: &'a Directory,
    last: Option<(PathBuf, Directory)>,
}

impl<'a> Descent<'a> {
    /// Everything below `root`.
    pub const fn new(root: &'a Directory) -> Self {
        Self { root, last: None }
    }

    /// Opens the file at this relative path, never waiting for a writer.
    pub fn file(&mut self, path: &Path) -> io::Result<File> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.directory(path.parent().unwrap_or(Path::new("")))?.file(name)
    }

    /// Opens the directory at this relative path; the empty path is the root.
    pub fn directory(&mut self, path: &Path) -> io::Result<&Directory> {
        if path.as_os_str().is_empty() {
            return Ok(self.root);
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let mut parts = path.components().map(|part| match part {
                Component::Normal(name) => Ok(name),
                _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
            });
            let first: io::Result<&OsStr> = parts.next().unwrap_or(Ok(OsStr::new("")));
            let mut directory = self.root.child(first?)?;
            for name in parts {
                directory = directory.child(name?)?;
            }
            self.last = Some((path.to_owned(), directory));
        }
        Ok(self.last.as_ref().map_or(self.root, |(_, directory)| directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn no_link_is_followed_and_nothing_above_is_reached() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("root/a/b")).unwrap();
        std::fs::write(temp.path().join("root/a/b/file"), "x").unwrap();
        std::fs::write(temp.path().join("secret"), "s").unwrap();
        std::os::unix::fs::symlink("a", temp.path().join("root/link")).unwrap();
        let root = Directory::open(&temp.path().join("root")).unwrap();
        let mut descent = Descent::new(&root);
        assert!(descent.file(Path::new("a/b/file")).is_ok());
        assert!(descent.directory(Path::new("a")).is_ok());
        for path in ["link/b/file", "link", "../secret", "a/../../secret", "/etc/passwd", ""] {
            assert!(descent.file(Path::new(path)).is_err(), "{path}");
        }
    }
}
