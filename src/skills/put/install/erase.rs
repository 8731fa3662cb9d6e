//! Removes a directory and everything in it through descriptors, so that no link is followed.

use std::ffi::{OsStr, OsString};
use std::io;

use crate::skills::files::{self, Directory, FileKind};

/// How many directories are open at once, under a normal and under a low limit of open files.
/// Deeper directories are moved up first, so that any depth works under any limit.
const OPEN_LEVELS: (usize, usize) = (12, 4);

/// Below this limit of open files, the low number applies.
const FEW_FILES: usize = 64;

/// Removes an entry of `directory` of any type. A missing entry is not an error.
pub fn erase(directory: &Directory, name: &OsStr) -> io::Result<()> {
    match directory.kind(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(FileKind::Directory) => {
            let few = files::open_files() < FEW_FILES;
            let levels = if few { OPEN_LEVELS.1 } else { OPEN_LEVELS.0 };
            let top = open(directory, name)?;
            let mut moved = 0;
            // Each round removes all it can reach, and moves deeper directories up.
            while empty(&top, &top, levels, &mut moved)? > 0 {}
            directory.remove_directory(name)
        }
        Ok(_) => directory.remove_file(name),
    }
}

/// The same, but refuses to touch another mounted file system.
pub fn erase_within(directory: &Directory, name: &OsStr) -> io::Result<()> {
    if directory.kind(name).is_ok_and(|kind| kind == FileKind::Directory) {
        refuse_mount(&open(directory, name)?, directory)?;
    }
    erase(directory, name)
}

fn refuse_mount(child: &Directory, directory: &Directory) -> io::Result<()> {
    if child.shares_mount(directory)? {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "something is mounted in it"))
}

/// Empties a directory, and returns how many directories it moved to the top instead of removing
/// them.
fn empty(
    directory: &Directory,
    top: &Directory,
    levels: usize,
    moved: &mut usize,
) -> io::Result<usize> {
    let mut left = 0;
    for (name, kind) in directory.entries()? {
        if kind != FileKind::Directory {
            permitted(directory, || directory.remove_file(&name))?;
        } else if levels == 0 {
            permitted(directory, || move_up(directory, &name, top, moved))?;
            left += 1;
        } else {
            let child = open(directory, &name)?;
            refuse_mount(&child, top)?;
            left += empty(&child, top, levels - 1, moved)?;
            permitted(directory, || directory.remove_directory(&name))?;
        }
    }
    Ok(left)
}

/// Moves a directory to the top, under a free name.
fn move_up(
    directory: &Directory,
    name: &OsStr,
    top: &Directory,
    moved: &mut usize,
) -> io::Result<()> {
    loop {
        *moved += 1;
        let free = OsString::from(format!("~{moved}"));
        match directory.rename_new(name, top, &free) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Moving a directory changes its `..`, so it must be writable.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                directory.unlock(name)?;
                top.set_writable(true)?;
                return directory.rename_new(name, top, &free);
            }
            other => return other,
        }
    }
}

/// Retries an action on a directory after its owner gets permission.
fn permitted(directory: &Directory, mut act: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    match act() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            directory.set_writable(true)?;
            act()
        }
        other => other,
    }
}

/// Opens a directory, and gives its owner permission if needed.
fn open(directory: &Directory, name: &OsStr) -> io::Result<Directory> {
    directory.child(name).or_else(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => {
            directory.unlock(name)?;
            directory.child(name)
        }
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn deep_closed_and_linked_trees_go_and_what_links_point_to_stays() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("tree");
        let mut deep = root.clone();
        for level in 0..200 {
            deep.push(format!("d{}", level % 3));
        }
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("file"), "x").unwrap();
        std::fs::create_dir_all(root.join("closed/inner")).unwrap();
        std::fs::create_dir(temp.path().join("kept")).unwrap();
        std::fs::write(temp.path().join("kept/file"), "x").unwrap();
        symlink(temp.path().join("kept"), root.join("link")).unwrap();
        for (path, mode) in [("closed/inner", 0o000), ("closed", 0o000), ("", 0o555)] {
            std::fs::set_permissions(root.join(path), PermissionsExt::from_mode(mode)).unwrap();
        }
        let directory = Directory::open(temp.path()).unwrap();
        erase(&directory, OsStr::new("tree")).unwrap();
        assert!(!root.exists());
        assert!(temp.path().join("kept/file").exists());
        erase(&directory, OsStr::new("tree")).unwrap();
    }
}
