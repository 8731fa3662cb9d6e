//! Tests of several modules together that need what the crate does not export.

mod pages;
mod properties;
mod serve_properties;
pub(crate) mod server;
mod skillignore;
mod swaps;
mod written;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A directory of its own for a test.
struct Tree {
    _temp: TempDir,
    root: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        Self { _temp: temp, root }
    }

    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    fn mkdir(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Writes the `SKILL.md` of a skill, and returns its directory.
    fn skill(&self, directory: &str, text: &str) -> PathBuf {
        self.write(format!("{directory}/SKILL.md"), text);
        self.path(directory)
    }

    /// Writes a skill without any fault.
    fn good_skill(&self, directory: &str) -> PathBuf {
        self.skill(directory, &good_text(directory.rsplit('/').next().unwrap()))
    }

    #[cfg(unix)]
    fn symlink(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    #[cfg(unix)]
    fn chmod(&self, path: impl AsRef<Path>, mode: u32) {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(self.path(path), mode).unwrap();
    }

    #[cfg(unix)]
    fn mode(&self, path: &str) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(self.path(path)).unwrap().permissions().mode() & 0o7777
    }
}

fn text(name: &str, fields: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Test skill. Use when a test needs one.\n{fields}---\n\nText.\n"
    )
}

fn good_text(name: &str) -> String {
    text(name, "")
}
