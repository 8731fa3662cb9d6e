//! An opened skill: its `SKILL.md` read once, parsed once, and its name decided.

use std::ffi::OsStr;
use std::path::Path;

use crate::skills::files::content::{self, Content, LinkEnd, OpenDirectory};
use crate::skills::files::inventory::{Inventory, InventoryDepth};
use crate::skills::files::{FileKind, FileStat};
use crate::skills::model::name::SkillName;
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::text::document::{Document, SKILL_MD};

/// A skill whose `SKILL.md` was read.
#[derive(Debug, Clone, Copy)]
pub struct OpenedSkill<'a> {
    /// Its path and name.
    pub skill: &'a Skill,
    /// Its directory; none for a file, an inline skill, and a skill in an archive or a commit.
    pub directory: Option<&'a OpenDirectory>,
    /// Its `SKILL.md`.
    pub content: &'a Content,
    /// The parsed `SKILL.md`; none if it is not text.
    pub document: Option<&'a Document<'a>>,
    /// Size and mode of the `SKILL.md`, if known.
    pub stat: Option<FileStat>,
}

impl<'a> OpenedSkill<'a> {
    /// A skill that is not on disk, without other files.
    pub const fn in_memory(
        skill: &'a Skill,
        content: &'a Content,
        document: &'a Document<'a>,
    ) -> Self {
        Self { skill, directory: None, content, document: Some(document), stat: None }
    }

    /// Lists the files of the skill; a file skill has none.
    pub fn inventory(&self, look: InventoryDepth) -> Inventory {
        if let Some(packed) = self.skill.packed() {
            return packed.inventory();
        }
        match (self.directory, look) {
            (None, _) => Inventory::default(),
            (Some(open), InventoryDepth::Glance) => Inventory::glance(open),
            (Some(open), InventoryDepth::Through) => {
                let name = OsStr::new(self.skill.skill_md().unwrap_or(SKILL_MD));
                Inventory::of_directory(open, self.stat.map(|stat| (name, stat)))
            }
        }
    }
}

/// Reads a skill, decides its name, and passes it on.
pub fn open<R>(
    mut skill: Skill,
    directory: Option<&OpenDirectory>,
    make: impl FnOnce(&OpenedSkill<'_>) -> R,
) -> R {
    let (content, stat) = read(&skill, directory);
    let document = match &content {
        Content::Text(text) => Some(Document::parse(text)),
        _ => None,
    };
    let document = document.as_ref();
    let declared = document.and_then(|document| SkillName::new(document.string("name")?).ok());
    if let Some(name) = declared {
        skill.take_declared_name(&name);
    }
    tracing::debug!(skill = skill.name, path = ?skill.path, "opened");
    make(&OpenedSkill { skill: &skill, directory, content: &content, document, stat })
}

/// Passes on a skill as if its `SKILL.md` had this content.
pub fn with_content<R>(
    skill: &Skill,
    directory: Option<&OpenDirectory>,
    content: &Content,
    stat: Option<FileStat>,
    make: impl FnOnce(&OpenedSkill<'_>) -> R,
) -> R {
    let document = match content {
        Content::Text(text) => Some(Document::parse(text)),
        _ => None,
    };
    make(&OpenedSkill { skill, directory, content, document: document.as_ref(), stat })
}

/// Reads the `SKILL.md`.
fn read(skill: &Skill, directory: Option<&OpenDirectory>) -> (Content, Option<FileStat>) {
    if let Some(inline) = skill.inline() {
        let text = inline.to_skill_md();
        let content = text.map_or_else(|error| Content::Unreadable(error.message), Content::Text);
        return (content, None);
    }
    if let Some(packed) = skill.packed() {
        return (packed.content(), None);
    }
    match directory.filter(|_| skill.kind() == SkillKind::Directory) {
        Some(open) => {
            let name = skill.skill_md().unwrap_or(SKILL_MD);
            let (content, stat) = content::read_with_stat(&open.directory, OsStr::new(name));
            let is_link = content == Content::NotAFile(FileKind::Symlink);
            match is_link.then(|| content::end_of(&skill.path, Path::new(name))) {
                // A link to another file of the skill.
                Some(LinkEnd::Inside(FileKind::Regular)) => {
                    (content::read_through(&skill.path, &open.directory, Path::new(name)), None)
                }
                _ => (content, stat),
            }
        }
        None => (content::read_real(&skill.file()), None),
    }
}
