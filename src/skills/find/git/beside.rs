//! Reads single files of a commit: a requested one, and one beside it.

use super::Repositories;
use super::load::{LoadFault, TreeWalk};
use super::objects::{ObjectFault, ObjectKind, Objects};
use crate::skills::model::error::{Result, err};
use crate::skills::model::location::{Commit, Location};

/// Which files are wanted, and how large they may be.
#[derive(Debug, Clone, Copy)]
pub struct WantedFiles<'a> {
    /// The file to read if the location is a directory.
    pub name: &'a str,
    /// The maximum size of that file.
    pub bytes: usize,
    /// Returns the name of the second file for that of the first.
    pub beside: fn(&str) -> String,
    /// The maximum size of the second file.
    pub beside_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFiles {
    /// The commit, and the directory of the files.
    pub commit: Commit,
    /// The name of the file.
    pub name: String,
    pub bytes: Vec<u8>,
    /// The bytes of the file beside it, if there is one.
    pub beside: Option<Vec<u8>>,
}

impl Repositories {
    /// Reads a file at a location, or in the directory there, and the file beside it.
    ///
    /// # Errors
    /// Fails like [`Self::open`], and for a file that is missing, too large, or not regular.
    pub fn open_files(&self, location: &Location, wanted: WantedFiles<'_>) -> Result<CommitFiles> {
        self.read(location, None, &|objects, commit| read(objects, commit, wanted))
    }
}

fn read(
    objects: &mut Objects,
    commit: &Commit,
    wanted: WantedFiles<'_>,
) -> Result<CommitFiles, LoadFault> {
    let mut walk = TreeWalk::new(objects, commit);
    let (directory, entries, name) = walk.find(wanted.name)?;
    let beside = (wanted.beside)(&name);
    let id_of = |name: &str| entries.iter().find(|entry| entry.name == name.as_bytes());
    let place = |name: &str| match directory.as_str() {
        "" => format!("{commit}/{name}"),
        directory => format!("{commit}/{directory}/{name}"),
    };
    let Some(file) = id_of(&name) else {
        return Err(LoadFault::Failed(err!(NotFound, "there is no `{}`", place(&name))));
    };
    let files = [
        Some((file, name.as_str(), wanted.bytes)),
        id_of(&beside).map(|file| (file, beside.as_str(), wanted.beside_bytes)),
    ];
    let (mut contents, mut missing) = (Vec::new(), Vec::new());
    for (entry, name, most) in files.into_iter().flatten() {
        if let Some(what) = entry.instead_of_file() {
            return Err(LoadFault::Failed(err!(
                Manifest,
                "`{}` is {what}, not a regular file",
                place(name)
            )));
        }
        match walk.objects.read(&entry.id, most) {
            Ok(object) if object.kind == ObjectKind::Blob => contents.push(object.bytes),
            Ok(_) => return Err(LoadFault::Damaged),
            Err(ObjectFault::Missing) => missing.push(entry.id.clone()),
            Err(ObjectFault::TooLarge(_)) => {
                return Err(LoadFault::Failed(err!(
                    Manifest,
                    "`{}` is larger than {most} bytes",
                    place(name)
                )));
            }
            Err(fault) => return Err(fault.into()),
        }
    }
    if !missing.is_empty() {
        missing.sort_unstable();
        missing.dedup();
        return Err(LoadFault::MissingFiles(missing));
    }
    let mut contents = contents.into_iter();
    let location = Location { path: directory, ..commit.location.clone() };
    Ok(CommitFiles {
        commit: Commit { location, id: commit.id.clone() },
        name,
        bytes: contents.next().unwrap_or_default(),
        beside: contents.next(),
    })
}
