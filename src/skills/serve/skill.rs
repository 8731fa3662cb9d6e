//! One served skill: where it is, what it is called, and whether hosts are told that it is a skill.

use crate::skills::files::content::{Content, OpenDirectory};
use crate::skills::files::digest::Digest;
use crate::skills::files::inventory::{Inventory, InventoryDepth, is_part_of_skill, nested_skills};
use crate::skills::find::scan::Reading;
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::verdict::Judged;
use crate::skills::model::error::{Error, Result};
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::serve::address;
use crate::skills::show::prompt::{self, KeptParts, PromptSkill};
use crate::skills::text::document::{DESCRIPTION_CHARS, Document, MCP_BYTES, MCP_FILES};
use crate::skills::text::yaml::Value;

#[derive(Debug, Clone)]
pub struct ServedSkill {
    /// What a prompt needs of it.
    pub prompt: PromptSkill,
    /// Its path in addresses: its name, behind the path of what it belongs to.
    pub path: String,
    /// Whether it waits in a closed section of the manifest, so that no list has it.
    pub is_waiting: bool,
    /// Why no host is told that it is a skill, though its files are served.
    pub unlisted: Option<String>,
    /// Whether people may ask for it by name.
    pub is_for_people: bool,
    /// The most bytes it may have, if the user changed the limit.
    pub most_bytes: Option<u64>,
    /// What its files must be, where a lock says so.
    pub pinned: Option<Digest>,
}

impl ServedSkill {
    /// The address it is known by: that of its `SKILL.md`.
    pub fn uri(&self) -> String {
        address::of_skill(&self.path)
    }

    /// The address of its directory.
    pub fn root(&self) -> String {
        address::of_parts(self.path.split('/'))
    }

    /// The name it goes by.
    pub fn name(&self) -> &str {
        self.prompt.name()
    }

    /// Where it is on this machine.
    pub const fn skill(&self) -> &Skill {
        &self.prompt.skill
    }
}

/// What a scan found out about a skill, before it has a path.
#[derive(Debug, Clone)]
pub struct DraftSkill {
    /// What a prompt needs of it.
    pub prompt: PromptSkill,
    /// Why no host is told that it is a skill.
    pub unlisted: Option<String>,
    /// Whether people may ask for it by name.
    pub is_for_people: bool,
}

/// Reads one skill, and judges it.
pub fn read(
    opened: &OpenedSkill<'_>,
    keep: KeptParts,
    options: &JudgeOptions,
) -> Reading<Judged<DraftSkill>> {
    let inventory = opened.inventory(InventoryDepth::Through);
    let judged = prompt::judge(opened, &inventory, keep, options);
    let document = opened.document;
    let unlisted = unlisted(opened, &inventory);
    let invocable = document.and_then(|one| one.field("user-invocable"));
    let is_for_people = invocable.is_none_or(|node| node.value != Value::Bool(false));
    let Judged { skill, verdict, rules, made } = judged;
    let made = DraftSkill { prompt: made, unlisted, is_for_people };
    Reading { made: Judged { skill, verdict, rules, made }, nested: nested_skills(&inventory) }
}

/// Opens a skill again, as it is now.
pub fn reopen<R>(skill: &Skill, make: impl FnOnce(&OpenedSkill<'_>) -> R) -> Result<R> {
    let open = match skill.kind() {
        SkillKind::Directory => {
            let open = OpenDirectory::open_real(&skill.path);
            Some(open.map_err(|error| Error::io("read directory", &skill.path, &error))?)
        }
        _ => None,
    };
    Ok(opened::open(skill.clone(), open.as_ref(), make))
}

/// Whether a copy of this skill gets its name written into its front matter.
pub fn gets_name(skill: &Skill) -> bool {
    skill.kind() == SkillKind::File || skill.is_renamed
}

/// What keeps hosts from taking it for a skill: the protocol wants a name and a description in the
/// front matter, and has limits.
fn unlisted(opened: &OpenedSkill<'_>, inventory: &Inventory) -> Option<String> {
    let files = inventory.files().filter(|file| is_part_of_skill(&file.path)).count();
    if files > MCP_FILES {
        return Some(format!("it has {files} files, and hosts accept {MCP_FILES}"));
    }
    if inventory.bytes > MCP_BYTES {
        let bytes = inventory.bytes;
        return Some(format!("it has {bytes} bytes, and hosts accept {MCP_BYTES}"));
    }
    if opened.skill.inline().is_some_and(|inline| inline.stays_in_prompt()) {
        return Some("it has tools or children, so it is a section of the prompt".to_owned());
    }
    if !matches!(opened.content, Content::Text(_)) {
        return Some("its `SKILL.md` cannot be read".to_owned());
    }
    match opened.document {
        Some(document) => nonconforming(opened.skill, document),
        None => Some("its `SKILL.md` cannot be read".to_owned()),
    }
}

/// What the front matter lacks for a skill that hosts are told of.
pub fn nonconforming(skill: &Skill, document: &Document<'_>) -> Option<String> {
    if document.fields().is_none() {
        return Some("its front matter is not valid YAML".to_owned());
    }
    let declared = document.string("name");
    if declared.is_none() || (declared != Some(&skill.name) && !gets_name(skill)) {
        return Some("its front matter has no valid `name`".to_owned());
    }
    let description = document.string("description").unwrap_or_default();
    if description.trim().is_empty() {
        return Some("its front matter has no `description`".to_owned());
    }
    (description.chars().count() > DESCRIPTION_CHARS)
        .then(|| format!("its description has more than {DESCRIPTION_CHARS} characters"))
}
