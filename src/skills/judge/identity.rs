//! Whether a skill is a copy of another one of its name.

use std::collections::HashMap;

use crate::skills::files::Directory;
use crate::skills::files::content::OpenDirectory;
use crate::skills::files::digest::{self, Digest};
use crate::skills::files::inventory::Inventory;
use crate::skills::model::source::{Skill, SkillKind};

/// More bytes than this are not read to compare skills.
const COMPARED_BYTES: u64 = 256 * 1024 * 1024;

/// The files of a skill, for comparison. No file stays open, because there may be thousands.
struct ComparedFiles<'a> {
    skill: &'a Skill,
    inventory: Inventory,
}

impl<'a> ComparedFiles<'a> {
    /// Lists the files of a skill; none if it has none, or if some cannot be read.
    fn of(skill: &'a Skill) -> Option<Self> {
        let inventory = match skill.packed() {
            Some(packed) => packed.inventory(),
            None if skill.kind() == SkillKind::Directory => {
                Inventory::of_directory(&OpenDirectory::open_real(&skill.path).ok()?, None)
            }
            None => return None,
        };
        let is_comparable = inventory.is_complete() && inventory.bytes <= COMPARED_BYTES;
        is_comparable.then_some(Self { skill, inventory })
    }

    /// The number and size of its files. Skills of different sizes are not copies.
    const fn size(&self) -> (u64, usize) {
        (self.inventory.bytes, self.inventory.entries.len())
    }

    fn digest(&self) -> Option<Digest> {
        match self.skill.packed() {
            Some(packed) => packed.digest(),
            None => {
                let directory = Directory::open_real(&self.skill.path).ok()?;
                digest::of_directory(&directory, &self.inventory).ok().flatten()
            }
        }
    }
}

/// The digests of skills that may be copies of each other; none for one that cannot be a copy of any
/// other. Files are read only where two skills have the same size.
pub fn digests(skills: &[&Skill]) -> Vec<Option<Digest>> {
    let files: Vec<_> = skills.iter().map(|skill| ComparedFiles::of(skill)).collect();
    let mut sizes: HashMap<(u64, usize), usize> = HashMap::new();
    for files in files.iter().flatten() {
        *sizes.entry(files.size()).or_default() += 1;
    }
    let digest = |files: &Option<ComparedFiles<'_>>| {
        files.as_ref().filter(|files| sizes[&files.size()] > 1)?.digest()
    };
    files.iter().map(digest).collect()
}
