//! The lines of `skills list`: each skill alone, then all together, in order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use crate::skills::agents::quirks;
use crate::skills::files::content::{Content, OpenDirectory};
use crate::skills::files::digest::{self, Digest};
use crate::skills::files::inventory::{Inventory, InventoryDepth, nested_skills};
use crate::skills::files::{Directory, parallel};
use crate::skills::find::other_installers::{self, OtherInstall, OtherRecords};
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::find::scan::Reading;
use crate::skills::find::{disabled, scan};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::validate;
use crate::skills::judge::verdict::{Judged, TargetAgents, Unusable, Verdict};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::scope::Provenance;
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::text::document::{Document, SKILL_BYTES};
use crate::skills::text::field_values::FieldValues;
use crate::skills::text::suggest;

/// How much to find out about each skill.
#[derive(Debug, Clone, Default)]
pub struct ListingOptions {
    /// How to judge it, and whether to count its files.
    pub judge: JudgeOptions,
    /// Whether to compute its digest.
    pub digest: bool,
    /// Whether to keep all its fields.
    pub fields: bool,
}

/// A skill by itself.
#[derive(Debug, Clone)]
pub struct SkillSummary {
    /// Where it is.
    pub skill: Skill,
    /// The description; if the front matter does not parse, what a lenient agent reads.
    pub description: Option<String>,
    /// The number and size of its files, if they were counted.
    pub size: Option<Size>,
    /// Characters of its line in a catalogue.
    pub catalog_chars: usize,
    /// Characters of its body, if its files were counted.
    pub body_chars: usize,
    /// Its digest, if requested.
    pub digest: Option<Digest>,
    /// Its front matter, if requested and valid.
    pub fields: Option<FieldValues>,
    /// The repository that `gh skill` wrote into its front matter.
    pub github: Option<String>,
    /// Its files and directories that could not be read.
    pub unseen: Vec<Error>,
}

/// Files and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Regular files.
    pub files: usize,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// Reads one skill, and judges it.
pub fn read(opened: &OpenedSkill<'_>, options: &ListingOptions) -> Reading<Judged<SkillSummary>> {
    let inventory = opened.inventory(InventoryDepth::Through);
    let findings = validate::check(opened, &inventory, &options.judge);
    let entry = entry(opened, &inventory, options);
    let made = Judged::new(opened, &findings, &TargetAgents::Any, entry);
    Reading { made, nested: nested_skills(&inventory) }
}

/// The summary of a single skill.
pub fn entry(
    opened: &OpenedSkill<'_>,
    inventory: &Inventory,
    options: &ListingOptions,
) -> SkillSummary {
    let (skill, document) = (opened.skill, opened.document);
    let description = document.and_then(|document| description(&skill.name, document));
    let mut unseen = validate::unseen(skill, inventory);
    if let Content::Unreadable(reason) = opened.content {
        unseen.push(skill.unreadable(None, reason));
    }
    let digest =
        if options.digest { digest(skill, opened.directory, inventory, &mut unseen) } else { None };
    let counted = options.judge.look == InventoryDepth::Through;
    SkillSummary {
        skill: skill.clone(),
        size: counted.then(|| size(opened.content, inventory)),
        catalog_chars: catalog_chars(&skill.name, description.as_deref().unwrap_or_default()),
        body_chars: document.filter(|_| counted).map_or(0, body_chars),
        digest,
        fields: document.filter(|_| options.fields).and_then(FieldValues::of),
        github: document.and_then(other_installers::github_source),
        unseen,
        description,
    }
}

/// Characters of `- name: description`, the shortest line that agents show their models.
pub fn catalog_chars(name: &str, description: &str) -> usize {
    "- : ".len() + name.chars().count() + description.chars().count()
}

/// The text of a field; if the front matter does not parse, what a lenient agent reads.
pub fn text_of<'a>(document: &'a Document<'_>, key: &str) -> Option<&'a str> {
    document.string(key).or_else(|| document.lenient_field(key))
}

/// The description of a skill of this name, or else what the first agent that lists it shows.
pub fn description(name: &str, document: &Document<'_>) -> Option<String> {
    let own = text_of(document, "description").filter(|text| !text.trim().is_empty());
    own.map(str::to_owned).or_else(|| quirks::shown_description(name, document))
}

fn body_chars(document: &Document<'_>) -> usize {
    document.body_text().chars().count()
}

fn size(content: &Content, inventory: &Inventory) -> Size {
    match content {
        // A file skill is its own only file.
        Content::Text(text) if inventory.entries.is_empty() => {
            Size { files: 1, bytes: text.len() as u64 }
        }
        _ => Size { files: inventory.files().count(), bytes: inventory.bytes },
    }
}

/// The digest; none for a skill that is too large to read, or has a path that no digest allows.
fn digest(
    skill: &Skill,
    open: Option<&OpenDirectory>,
    inventory: &Inventory,
    unseen: &mut Vec<Error>,
) -> Option<Digest> {
    if skill.skill_md().is_none()
        || inventory.bytes > SKILL_BYTES
        || inventory.excess.is_some()
        || !inventory.unreadable.is_empty()
    {
        return None;
    }
    if let Some(packed) = skill.packed() {
        return packed.digest();
    }
    digest::of_directory(&open?.directory, inventory)
        .map_err(|error| unseen.push(skill.in_error(Error::io("read all of", &skill.path, &error))))
        .ok()
        .flatten()
}

/// The status of a skill among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It is used.
    Active,
    /// Another skill of the same name came first.
    Shadowed,
    /// Its front matter disables it.
    Disabled,
    /// It cannot be used.
    Invalid,
    /// It is used, but hidden from models.
    Hidden,
}

impl Status {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 5] =
        [Self::Active, Self::Hidden, Self::Shadowed, Self::Disabled, Self::Invalid];

    /// The word used everywhere.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Shadowed => "shadowed",
            Self::Disabled => "disabled",
            Self::Invalid => "invalid",
            Self::Hidden => "hidden",
        }
    }
}

#[derive(Debug, Clone)]
pub struct ListLine {
    /// The skill.
    pub entry: SkillSummary,
    /// Where it was found.
    pub origin: Provenance,
    pub status: Status,
    /// Why, unless it is active.
    pub reason: Option<String>,
    /// Why it cannot be used, by the verdict on it.
    pub unusable: Option<Unusable>,
    /// The ids of the rules that it breaks, errors only.
    pub rules: Vec<&'static str>,
    /// The file of the skill that is used instead.
    pub shadowed_by: Option<PathBuf>,
    /// The file of an earlier skill of its name with the same files.
    pub copy_of: Option<PathBuf>,
    /// Its name in an agent, if that differs.
    pub alias: Option<String>,
    /// The record of its installation, if requested.
    pub record: Option<InstallRecord>,
    /// Whether it is a link that was installed as one, when records were asked for.
    pub linked: bool,
    /// The other installer that put it there, when that was asked for.
    pub other: Option<OtherInstall>,
    /// How it reaches a model, if at all.
    pub placement: Option<Placement>,
    /// The key of its section in the manifest.
    pub section: Option<String>,
}

/// How a skill reaches a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// An agent loads it from a skills directory.
    Native,
    /// It is part of the prompt itself.
    Prompt,
}

impl Placement {
    /// The word used everywhere.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Prompt => "prompt",
        }
    }
}

impl ListLine {
    /// A line for a judged skill.
    pub fn of(judged: Judged<SkillSummary>, origin: Provenance) -> Self {
        let (mut shadowed_by, mut copy_of, mut unusable) = (None, None, None);
        let (status, reason) = match judged.verdict {
            Verdict::Active => (Status::Active, None),
            Verdict::Hidden(reason) => (Status::Hidden, Some(reason)),
            Verdict::Disabled(reason) => (Status::Disabled, Some(reason)),
            Verdict::Shadowed(shadow) => {
                (shadowed_by, copy_of) = (Some(shadow.by), shadow.copy_of);
                (Status::Shadowed, Some(shadow.reason))
            }
            Verdict::Invalid(why) => (Status::Invalid, Some(unusable.insert(why).to_string())),
        };
        let in_prompt = judged.made.skill.inline().is_some_and(|one| one.stays_in_prompt());
        let placement = if in_prompt { Placement::Prompt } else { Placement::Native };
        let placement = matches!(status, Status::Active | Status::Hidden).then_some(placement);
        Self {
            entry: judged.made,
            origin,
            status,
            reason,
            unusable,
            rules: judged.rules,
            shadowed_by,
            copy_of,
            alias: None,
            record: None,
            linked: false,
            other: None,
            placement,
            section: None,
        }
    }

    /// The same skill if a manifest keeps every skill in the prompt.
    pub fn in_prompt(self) -> Self {
        Self { placement: self.placement.map(|_| Placement::Prompt), ..self }
    }

    /// Whether it was edited since it was installed; `None` if unknown, or linked.
    pub fn is_edited(&self) -> Option<bool> {
        if self.linked {
            return None;
        }
        Some(self.record.as_ref()?.digest != self.entry.digest?)
    }

    /// Its name, or what an agent calls it.
    pub fn shown_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.entry.skill.name)
    }

    /// The name for people: the skill of a plugin is `plugin:skill`.
    pub fn full_name(&self) -> Cow<'_, str> {
        match &self.alias {
            Some(alias) => Cow::Borrowed(alias),
            None => self.entry.skill.qualified_name(),
        }
    }
}

/// Looks up the records of skills that this program or another one installed.
pub fn attach_records(rows: &mut [ListLine], environment: &Environment) -> Vec<Error> {
    let others = OtherRecords::read(environment);
    let mut indexes: HashMap<PathBuf, Index> = HashMap::new();
    let mut errors = Vec::new();
    for row in rows {
        let skill = &row.entry.skill;
        let Some(parent) = skill.path.parent().filter(|_| skill.kind() == SkillKind::Directory)
        else {
            continue;
        };
        // The record of a disabled skill stays where it was.
        let site = disabled::site_of(parent);
        let parent = site.as_deref().unwrap_or(parent);
        if !indexes.contains_key(parent) {
            let read = Directory::open(parent).map(|directory| Index::read(&directory, parent));
            let index = read.unwrap_or_else(|_| Ok(Index::default()));
            let mut index = index.unwrap_or_else(|error| {
                errors.push(error);
                Index::default()
            });
            // Lists of files may be long, and are not needed here.
            for record in index.records.values_mut() {
                record.files = Vec::new();
            }
            indexes.insert(parent.to_owned(), index);
        }
        let name = skill.path.file_name().and_then(|name| SkillName::new(name.to_str()?).ok());
        let index = indexes.get(parent);
        row.record = name.and_then(|name| index?.records.get(&name).cloned());
        row.linked =
            row.record.as_ref().is_some_and(|record| record.linked) && skill.path.is_symlink();
        if row.record.is_none() {
            row.other = others.installer_of(&skill.path, row.entry.github.as_deref());
        }
    }
    errors
}

/// Adds the safety rules that copies with a record break in any of their files. What was not installed
/// costs nothing.
pub fn judge_copies(rows: &mut [ListLine], threads: usize) {
    let broken = parallel::map_long(rows, threads, |row| match row.record {
        Some(_) => scan::broken_safety_rules(&row.entry.skill.path),
        None => Vec::new(),
    });
    for (row, broken) in rows.iter_mut().zip(broken) {
        let known = row.rules.clone();
        row.rules.extend(broken.into_iter().filter(|rule| !known.contains(rule)));
    }
}

/// Characters of the catalogue of all skills that models see, one line each.
pub fn catalog_total<'a>(rows: impl IntoIterator<Item = &'a ListLine>) -> usize {
    let told = rows.into_iter().filter(|row| row.status == Status::Active);
    told.map(|row| row.entry.catalog_chars + 1).sum()
}

/// The row for a name: the one that is used, else one that is not disabled.
pub fn by_name<'a>(rows: &'a [ListLine], name: &str) -> Result<&'a ListLine, Error> {
    let usable = |row: &&ListLine| matches!(row.status, Status::Active | Status::Hidden);
    let enabled = |row: &&ListLine| row.status != Status::Disabled;
    let named = |row: &&ListLine| row.entry.skill.name == name || row.full_name() == name;
    let in_folder = |row: &&ListLine| row.entry.skill.names().any(|one| one == name);
    rows.iter()
        .find(|row| named(row) && usable(row))
        .or_else(|| rows.iter().find(|row| named(row) && enabled(row)))
        .or_else(|| rows.iter().find(|row| in_folder(row) && enabled(row)))
        .ok_or_else(|| unknown(rows, name))
}

fn unknown(rows: &[ListLine], name: &str) -> Error {
    let used = rows.iter().filter(|row| !matches!(row.status, Status::Disabled | Status::Invalid));
    let mut names: Vec<&str> = used.map(|row| row.entry.skill.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    // All names on one line, even if they contain line breaks.
    let available = names.join(", ").replace(['\n', '\r'], "\u{fffd}");
    let available = if names.is_empty() { "none" } else { &available };
    let error = err!(NotFound, "Unknown skill: {name}\nAvailable: {available}").about(name, None);
    match suggest::nearest(name, names.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}
