//! Lists the files of a skill to copy.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{self, Content, OpenDirectory};
use crate::skills::files::inventory::{Inventory, InventoryDepth};
use crate::skills::files::{Directory, FileIdentity, FileKind};
use crate::skills::find::left_out::{Globs, IGNORE_FILE};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::model::error::{Error, Result};
use crate::skills::model::source::{Skill, SkillKind};

/// A listed directory.
#[derive(Debug, Clone)]
pub struct BaseDirectory {
    /// Where it is.
    pub path: PathBuf,
    /// Its identity, to detect a replaced one.
    pub identity: Option<FileIdentity>,
}

/// The listed files of a skill.
pub struct SkillFiles {
    pub base: Option<BaseDirectory>,
    pub content: Content,
    pub inventory: Inventory,
    /// The path with the bytes of each inventory entry, if it differs from its own path.
    pub from: Option<Vec<PathBuf>>,
    /// Why it cannot be copied, regardless of its files.
    pub failure: Option<Error>,
}

impl SkillFiles {
    /// Drops entries that are neither listed nor below a listed link.
    pub fn keep_below(&mut self, listed: &Inventory) {
        let known: HashSet<&Path> =
            listed.entries.iter().map(|entry| entry.path.as_path()).collect();
        let links: Vec<&Path> = listed
            .entries
            .iter()
            .filter(|entry| entry.kind == FileKind::Symlink)
            .map(|entry| entry.path.as_path())
            .collect();
        let is_kept =
            |path: &Path| known.contains(path) || links.iter().any(|link| path.starts_with(link));
        let from = self.from.take().unwrap_or_default();
        let entries = std::mem::take(&mut self.inventory.entries);
        let kept = entries.into_iter().zip(from).filter(|(entry, _)| is_kept(&entry.path));
        let (entries, from) = kept.unzip();
        self.inventory.entries = entries;
        self.from = Some(from);
    }
}

/// The directory that a skill's files are read from.
pub fn base_directory(skill: &Skill, open: Option<&OpenDirectory>) -> Option<BaseDirectory> {
    let identity = |directory: &Directory| directory.identity().ok().flatten();
    match skill.kind() {
        SkillKind::Inline
        | SkillKind::Archive
        | SkillKind::Git
        | SkillKind::Site
        | SkillKind::Registry => None,
        SkillKind::File => skill.path.parent().map(|parent| BaseDirectory {
            path: parent.to_owned(),
            identity: Directory::open_real(parent).ok().as_ref().and_then(identity),
        }),
        SkillKind::Directory => Some(BaseDirectory {
            path: skill.path.clone(),
            identity: open.and_then(|open| identity(&open.directory)),
        }),
    }
}

/// Lists the files of a skill, or of the part of it that is packed.
pub fn look(opened: &OpenedSkill<'_>, pack: Option<&Globs>) -> SkillFiles {
    let (skill, open) = (opened.skill, opened.directory);
    let base = base_directory(skill, open);
    let (mut packed, mut failure) = (None, None);
    if let Some(choices) = pack {
        match packed_part(skill, open, choices) {
            Ok(part) => packed = part,
            Err(error) => failure = Some(error.at(&skill.path)),
        }
    }
    // Skip the files to leave out, because there may be many.
    let inventory = packed.unwrap_or_else(|| opened.inventory(InventoryDepth::Through));
    SkillFiles { base, content: opened.content.clone(), inventory, from: None, failure }
}

/// The files for an archive of a skill; none for a file skill.
fn packed_part(
    skill: &Skill,
    open: Option<&OpenDirectory>,
    choices: &Globs,
) -> Result<Option<Inventory>> {
    let ignore_file = match (open, skill.packed()) {
        (Some(open), _) => content::read_in(&open.directory, OsStr::new(IGNORE_FILE)),
        (None, Some(packed)) => packed.content_of(Path::new(IGNORE_FILE)),
        (None, None) => return Ok(None),
    };
    let filter = choices.filter(&ignore_file)?;
    let skip = |path: &Path, kind| filter.leaves_out(path, kind);
    Ok(match (open, skill.packed()) {
        (Some(open), _) => Some(Inventory::without(open, &skip)),
        (None, packed) => packed.as_ref().map(|packed| packed.inventory_without(&skip)),
    })
}

/// Reads a `SKILL.md` that has been opened.
pub fn content_of(file: std::io::Result<std::fs::File>) -> Content {
    file.and_then(content::read_open)
        .unwrap_or_else(|error| Content::Unreadable(content::system_message(&error)))
}
