//! The place of disabled skills: `.skills-disabled/of-NAME`, beside the skills directory `NAME`. No
//! agent looks there.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::atomic::DISABLED;
use crate::skills::files::{Directory, DirectoryEntry, FileKind};
use crate::skills::find::record::Index;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::name::SkillName;

/// Hides the directory from agents that search for directories called `skills`.
const PREFIX: &str = "of-";

/// The name of the directory for the disabled skills of a skills directory.
pub fn room_name(site: &Path) -> Option<OsString> {
    let mut name = OsString::from(PREFIX);
    name.push(site.file_name()?);
    Some(name)
}

/// The path of the directory for the disabled skills of a skills directory, given by its real path.
pub fn room_path(site: &Path) -> Option<PathBuf> {
    Some(site.parent()?.join(DISABLED).join(room_name(site)?))
}

/// The skills directory that a directory of disabled skills belongs to.
pub fn site_of(room: &Path) -> Option<PathBuf> {
    let name = room.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let above = room.parent().filter(|above| above.file_name() == Some(OsStr::new(DISABLED)))?;
    Some(above.parent()?.join(name))
}

/// Opens the directory for the disabled skills of a skills directory, given by its real path, through
/// no link; none if it does not exist.
///
/// # Errors
/// A link in its place, and system errors: it is not known then which skills are disabled.
pub fn open(site: &Path) -> Result<Option<Directory>> {
    let (Some(parent), Some(name)) = (site.parent(), room_name(site)) else { return Ok(None) };
    let opened = Directory::open(parent)
        .and_then(|above| above.child(OsStr::new(DISABLED)))
        .and_then(|all| all.child(&name));
    match opened {
        Ok(room) => Ok(Some(room)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // The parent cannot be opened, but it has no such directory either.
        Err(_) if parent.join(DISABLED).symlink_metadata().is_err_and(is_missing) => Ok(None),
        Err(error) => Err(unusable(site, &error)),
    }
}

fn is_missing(error: io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The error for a directory of disabled skills that cannot be used.
pub fn unusable(site: &Path, error: &io::Error) -> Error {
    let room = room_path(site).unwrap_or_else(|| site.to_owned());
    let is_link = |path: &&Path| path.symlink_metadata().is_ok_and(|data| data.is_symlink());
    if let Some(link) = room.ancestors().take(2).filter(is_link).last() {
        return err!(Io, "`{}` is a symbolic link, which is not followed", link.display())
            .at(link)
            .help(
                "disabled skills are kept there, in a directory; put that back, or remove the link",
            );
    }
    Error::writing("use", &room, error)
        .help("skills are disabled by moving them there, beside the skills directory")
}

/// What a directory of disabled skills has under the name of a skill: a directory, or a link if its
/// record says that it is one.
pub fn kind(room: &Directory, name: &SkillName, index: &Index) -> io::Result<Option<FileKind>> {
    let is_linked = || index.records.get(name).is_some_and(|record| record.linked);
    match room.kind(OsStr::new(name.as_str())) {
        Ok(FileKind::Directory) => Ok(Some(FileKind::Directory)),
        Ok(FileKind::Symlink) if is_linked() => Ok(Some(FileKind::Symlink)),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The disabled skills of a skills directory, sorted.
pub fn names(site: &Path) -> Result<Vec<SkillName>> {
    let Some(room) = open(site)? else { return Ok(Vec::new()) };
    let entries = room.entries().map_err(|error| unusable(site, &error))?;
    let index = Directory::open(site).ok().and_then(|open| Index::read(&open, site).ok());
    let index = index.unwrap_or_default();
    let name = |(name, _): &DirectoryEntry| SkillName::new(name.to_str()?).ok();
    let is_skill = |name: &SkillName| kind(&room, name, &index).is_ok_and(|kind| kind.is_some());
    let mut names: Vec<SkillName> = entries.iter().filter_map(name).filter(is_skill).collect();
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_leads_back_to_its_skills_directory() {
        let site = Path::new("/home/me/.claude/skills");
        let room = room_path(site).unwrap();
        assert_eq!(room, Path::new("/home/me/.claude/.skills-disabled/of-skills"));
        assert_eq!(site_of(&room).as_deref(), Some(site));
        assert_eq!(site_of(Path::new("/home/me/.claude/of-skills")), None);
        assert_eq!(room_path(Path::new("/")), None);
    }
}
