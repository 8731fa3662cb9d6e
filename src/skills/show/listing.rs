//! What `list` says about skills: each by itself, then all together, in order.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::skills::files::content::Content;
use crate::skills::files::digest::{self, Digest};
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::inventory::{Inventory, InventoryDepth};
use crate::skills::files::platform::Directory;
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::judge::validate::{self, JudgeOptions};
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::name::SkillName;
use crate::skills::model::scope::Provenance;
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::text::document::Document;
use crate::skills::text::limits::SKILL_BYTES;
use crate::skills::text::yaml::Value;

/// How much is asked about each skill.
#[derive(Debug, Clone, Default)]
pub struct ListingOptions {
    /// How it is judged, and whether its files are counted.
    pub judge: JudgeOptions,
    /// Whether its digest is computed.
    pub digest: bool,
}

/// A skill by itself.
#[derive(Debug, Clone)]
pub struct SkillSummary {
    /// Where it is.
    pub skill: Skill,
    /// The name its front matter gives, when that is another.
    pub declared: Option<String>,
    /// The description; of front matter that does not parse, what a lenient agent reads.
    pub description: Option<String>,
    /// Whether it would be used.
    pub condition: Usability,
    /// How many files it has, and their bytes, when they were counted.
    pub size: Option<Size>,
    /// Characters of its line in a catalogue.
    pub catalog_chars: usize,
    /// Characters of its body, when its files were counted.
    pub body_chars: usize,
    /// Its digest, when it was asked for.
    pub digest: Option<Digest>,
    /// Files and directories of it that could not be looked at.
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

/// Whether a skill would be used if it were alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Usability {
    /// Yes.
    Good,
    /// Yes, but it is hidden from models, for this reason.
    Hidden(String),
    /// No: it says so itself.
    Disabled(String),
    /// No: it breaks a rule.
    Invalid(String),
}

/// Reads one skill.
#[must_use]
pub fn read(skill: Skill, open: Option<OpenDirectory>, options: &ListingOptions) -> SkillSummary {
    let (content, inventory) = validate::load(&skill, open.as_ref(), options.judge.look);
    summarize(skill, open.as_ref(), &content, &inventory, options)
}

/// Says what there is to say about a skill that has been read.
#[must_use]
pub fn summarize(
    skill: Skill,
    open: Option<&OpenDirectory>,
    content: &Content,
    inventory: &Inventory,
    options: &ListingOptions,
) -> SkillSummary {
    let document = validate::document(content);
    let findings =
        validate::check(&skill, open, content, document.as_ref(), inventory, &options.judge);
    let field = |key| document.as_ref().and_then(|document| text_of(document, key));
    let description = field("description").map(str::to_owned);
    let declared = field("name").filter(|declared| *declared != skill.name).map(str::to_owned);
    let mut unseen = validate::unseen(&skill, inventory);
    if let Content::Unreadable(reason) = content {
        unseen.push(Error::unreadable(skill.file(), reason));
    }
    let counted = options.judge.look == InventoryDepth::Through;
    let digest = if options.digest { digest(&skill, open, inventory, &mut unseen) } else { None };
    SkillSummary {
        declared,
        condition: condition(document.as_ref(), content, &findings),
        size: counted.then(|| size(content, inventory)),
        catalog_chars: catalog_chars(&skill.name, description.as_deref().unwrap_or_default()),
        body_chars: document.as_ref().filter(|_| counted).map_or(0, body_chars),
        digest,
        unseen,
        description,
        skill,
    }
}

/// Characters of `- name: description`, the shortest line that agents show their models.
#[must_use]
pub fn catalog_chars(name: &str, description: &str) -> usize {
    "- : ".len() + name.chars().count() + description.chars().count()
}

/// The text of a field; of front matter that does not parse, what a lenient agent reads.
#[must_use]
pub fn text_of<'a>(document: &'a Document<'_>, key: &str) -> Option<&'a str> {
    document.string(key).or_else(|| document.lenient_field(key))
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

/// The digest; none for a skill that is too large to be read as a whole, or that has file names
/// without a digest.
fn digest(
    skill: &Skill,
    open: Option<&OpenDirectory>,
    inventory: &Inventory,
    unseen: &mut Vec<Error>,
) -> Option<Digest> {
    if skill.skill_md.is_none()
        || inventory.bytes > SKILL_BYTES
        || inventory.excess.is_some()
        || !inventory.unreadable.is_empty()
    {
        return None;
    }
    if let Some(packed) = &skill.packed {
        return packed.digest();
    }
    digest::of_directory(&open?.directory, inventory)
        .map_err(|error| unseen.push(Error::io("read all of", &skill.path, &error)))
        .ok()
        .flatten()
}

fn condition(
    document: Option<&Document<'_>>,
    content: &Content,
    findings: &[Finding],
) -> Usability {
    let enabled = document.and_then(|document| document.field("enabled"));
    if enabled.is_some_and(|node| node.value == Value::Bool(false)) {
        return Usability::Disabled("`enabled: false`".to_owned());
    }
    if let Some(error) = findings.iter().find(|finding| finding.severity == Severity::Error) {
        return Usability::Invalid(format!("{}: {}", error.rule.id, error.message));
    }
    if let Content::Unreadable(reason) = content {
        return Usability::Invalid(reason.clone());
    }
    match document.and_then(hiding_field) {
        Some(key) => Usability::Hidden(format!("`{key}: true`")),
        None => Usability::Good,
    }
}

/// Whether a skill is hidden from models.
#[must_use]
pub fn is_hidden(document: &Document<'_>) -> bool {
    hiding_field(document).is_some()
}

/// The field that keeps a skill from models.
fn hiding_field(document: &Document<'_>) -> Option<&'static str> {
    let is_true = |key: &&str| {
        document.field(key).is_some_and(|node| match &node.value {
            Value::Bool(value) => *value,
            // Claude takes these for true as well.
            Value::String(text) => matches!(text.as_ref(), "true" | "yes"),
            _ => false,
        })
    };
    ["disable-model-invocation", "hide"].into_iter().find(is_true)
}

/// What becomes of a skill.
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
    #[must_use]
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

/// One line of the list.
#[derive(Debug, Clone)]
pub struct ListLine {
    /// The skill.
    pub entry: SkillSummary,
    /// Where it was found.
    pub origin: Provenance,
    /// What became of it.
    pub status: Status,
    /// Why, unless it is active.
    pub reason: Option<String>,
    /// The file that took its name.
    pub shadowed_by: Option<PathBuf>,
    /// What an agent calls it, when that is not its name.
    pub alias: Option<String>,
    /// What was recorded when it was installed, when that was asked for.
    pub record: Option<InstallRecord>,
}

impl ListLine {
    /// What becomes of a skill that is alone.
    #[must_use]
    pub fn alone(entry: SkillSummary) -> Self {
        let (status, reason) = match &entry.condition {
            Usability::Good => (Status::Active, None),
            Usability::Hidden(reason) => (Status::Hidden, Some(reason.clone())),
            Usability::Disabled(reason) => (Status::Disabled, Some(reason.clone())),
            Usability::Invalid(reason) => (Status::Invalid, Some(reason.clone())),
        };
        let (origin, shadowed_by, alias, record) = (Provenance::default(), None, None, None);
        Self { entry, origin, status, reason, shadowed_by, alias, record }
    }

    /// Whether it was edited since it was installed; `None` if unknown.
    #[must_use]
    pub fn is_edited(&self) -> Option<bool> {
        Some(self.record.as_ref()?.digest != self.entry.digest?)
    }

    /// The name to show.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.entry.skill.name)
    }
}

/// Two skills of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The name.
    pub name: String,
    /// The file that came first.
    pub winner: PathBuf,
    /// The file that is shadowed.
    pub loser: PathBuf,
}

impl Collision {
    /// The first of a name, and another.
    #[must_use]
    pub fn between(winner: &Skill, loser: &Skill) -> Self {
        Self { name: loser.name.clone(), winner: winner.file(), loser: loser.file() }
    }
}

impl std::fmt::Display for Collision {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, winner) = (&self.name, self.winner.display());
        write!(formatter, "name collision: \"{name}\" already loaded from {winner}")
    }
}

/// Decides between skills of one name: the first usable one wins.
pub fn resolve(rows: &mut [ListLine]) -> Vec<Collision> {
    let mut collisions = Vec::new();
    for (loser, winner) in losers(rows) {
        let collision = Collision::between(&rows[winner].entry.skill, &rows[loser].entry.skill);
        let row = &mut rows[loser];
        row.status = Status::Shadowed;
        row.reason = Some(collision.to_string());
        row.shadowed_by = Some(collision.winner.clone());
        collisions.push(collision);
    }
    collisions
}

/// The skills that could be used if another of their name had not come first, each with that one.
fn losers(rows: &[ListLine]) -> Vec<(usize, usize)> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(rows.len());
    let mut losers = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if matches!(row.status, Status::Active | Status::Hidden) {
            let winner = *first.entry(&row.entry.skill.name).or_insert(at);
            if winner != at {
                losers.push((at, winner));
            }
        }
    }
    losers
}

/// Looks up what was recorded about skills when they were installed.
///
/// # Errors
/// A record that cannot be read. The others are still looked up.
pub fn attach_records(rows: &mut [ListLine]) -> Vec<Error> {
    let mut indexes: HashMap<PathBuf, Index> = HashMap::new();
    let mut errors = Vec::new();
    for row in rows {
        let skill = &row.entry.skill;
        let Some(parent) = skill.path.parent().filter(|_| skill.kind == SkillKind::Directory)
        else {
            continue;
        };
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
    }
    errors
}

/// Characters of the catalogue of all skills that models see, one line each.
#[must_use]
pub fn catalog_total(rows: &[ListLine]) -> usize {
    let told = rows.iter().filter(|row| row.status == Status::Active);
    told.map(|row| row.entry.catalog_chars + 1).sum()
}

/// The row for a name: the active one, else one that can be read.
///
/// # Errors
/// Lists the names there are.
pub fn by_name<'a>(rows: &'a [ListLine], name: &str) -> Result<&'a ListLine, Error> {
    let usable = |row: &&ListLine| matches!(row.status, Status::Active | Status::Hidden);
    let readable = |row: &&ListLine| row.status != Status::Disabled;
    let named = |row: &&ListLine| row.entry.skill.name == name;
    let declared = |row: &&ListLine| row.entry.declared.as_deref() == Some(name);
    rows.iter()
        .find(|row| named(row) && usable(row))
        .or_else(|| rows.iter().find(|row| named(row) && readable(row)))
        .or_else(|| rows.iter().find(|row| declared(row) && readable(row)))
        .ok_or_else(|| unknown(rows, name))
}

fn unknown(rows: &[ListLine], name: &str) -> Error {
    let readable = rows.iter().filter(|row| row.status != Status::Disabled);
    let mut names: Vec<&str> = readable.map(|row| row.entry.skill.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    // All names on one line, even if they contain line breaks.
    let available = names.join(", ").replace(['\n', '\r'], "\u{fffd}");
    let available = if names.is_empty() { "none" } else { &available };
    Error::new(ErrorKind::NotFound, format!("Unknown skill: {name}\nAvailable: {available}"))
}
