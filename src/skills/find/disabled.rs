//! The place of disabled skills: `.skills-disabled/of-NAME`, beside the skills directory `NAME`. No
//! agent looks there.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::own_names::DISABLED;
use crate::skills::files::platform::{Directory, FileKind};
use crate::skills::find::record::Index;
use crate::skills::model::name::SkillName;

/// Hides the directory from agents that search for directories called `skills`.
const PREFIX: &str = "of-";

/// The name of the directory for the disabled skills of a skills directory.
#[must_use]
pub fn room_name(site: &Path) -> Option<OsString> {
    let mut name = OsString::from(PREFIX);
    name.push(site.file_name()?);
    Some(name)
}

/// The path of the directory for the disabled skills of a skills directory, given by its real path.
#[must_use]
pub fn room_path(site: &Path) -> Option<PathBuf> {
    Some(site.parent()?.join(DISABLED).join(room_name(site)?))
}

/// The skills directory that a directory of disabled skills belongs to.
#[must_use]
pub fn site_of(room: &Path) -> Option<PathBuf> {
    let name = room.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let above = room.parent().filter(|above| above.file_name() == Some(OsStr::new(DISABLED)))?;
    Some(above.parent()?.join(name))
}

/// Opens the directory for the disabled skills of a skills directory, through no link; none if it does
/// not exist.
///
/// # Errors
/// An I/O error, or a link in its place.
pub fn open(site: &Path) -> io::Result<Option<Directory>> {
    let (Some(parent), Some(name)) = (site.parent(), room_name(site)) else { return Ok(None) };
    let opened = Directory::open(parent)
        .and_then(|above| above.child(OsStr::new(DISABLED)))
        .and_then(|all| all.child(&name));
    match opened {
        Ok(room) => Ok(Some(room)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The disabled skills of a skills directory, sorted; none if they cannot be read. A link counts if
/// its record says that it is one.
#[must_use]
pub fn names(site: &Path) -> Vec<SkillName> {
    let room = open(site).ok().flatten();
    let entries = room.and_then(|room| room.entries().ok()).unwrap_or_default();
    let valid = |name: &OsStr| name.to_str().and_then(|name| SkillName::new(name).ok());
    let of_kind = |wanted: FileKind| {
        let entries = entries.iter().filter(move |(_, kind)| *kind == wanted);
        entries.filter_map(|(name, _)| valid(name))
    };
    let mut names: Vec<SkillName> = of_kind(FileKind::Directory).collect();
    let links: Vec<SkillName> = of_kind(FileKind::Symlink).collect();
    if !links.is_empty() {
        let index = Directory::open(site).ok().and_then(|open| Index::read(&open, site).ok());
        let records = index.unwrap_or_default().records;
        let is_ours = |name: &SkillName| records.get(name).is_some_and(|record| record.linked);
        names.extend(links.into_iter().filter(is_ours));
    }
    names.sort_unstable();
    names
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
