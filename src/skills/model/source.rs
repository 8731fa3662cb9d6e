//! Sources of skills: directories, Markdown files, archives, git repositories, sites, registries.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::skills::model::address::Address;
use crate::skills::model::bundle::{Bundle, BundleOrigin, PackedSkill};
use crate::skills::model::error::Error;
use crate::skills::model::inline::InlineSkill;
use crate::skills::model::name::SkillName;
use crate::skills::model::plugin::Plugin;
use crate::skills::text::document::SKILL_MD;

/// A source of skills, with its real path.
#[derive(Debug, Clone)]
pub enum Source {
    /// A skill written in a manifest.
    Inline(Arc<InlineSkill>),
    /// A directory, with or without a `SKILL.md`: scanning finds out.
    Directory(PathBuf),
    /// A single Markdown file that is a skill by itself.
    File(PathBuf),
    /// An archive, a commit or a download, already read.
    Bundle(Arc<Bundle>),
}

impl Source {
    /// Where it is, for logs.
    pub fn shown(&self) -> String {
        match self {
            Self::Directory(path) | Self::File(path) => path.display().to_string(),
            Self::Bundle(bundle) => bundle.path.display().to_string(),
            Self::Inline(inline) => format!("the inline skill {}", inline.name),
        }
    }
}

/// How a skill is stored, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillKind {
    /// A directory with a `SKILL.md`.
    Directory,
    /// A Markdown file, installed as `{stem}/SKILL.md`.
    File,
    /// Written in a manifest, installed as `{name}/SKILL.md`.
    Inline,
    /// A directory in an archive.
    Archive,
    /// A directory in a git repository.
    Git,
    /// A skill that a site publishes.
    Site,
    /// A skill in a registry.
    Registry,
}

impl SkillKind {
    const ALL: [Self; 7] = [
        Self::Directory,
        Self::File,
        Self::Inline,
        Self::Archive,
        Self::Git,
        Self::Site,
        Self::Registry,
    ];

    /// Whether it is a directory, with files beside its `SKILL.md`.
    pub const fn has_directory(self) -> bool {
        !matches!(self, Self::File | Self::Inline)
    }

    /// The part of its path that a skill is named after.
    pub fn name_in(self, path: &Path) -> Option<&OsStr> {
        if self.has_directory() { path.file_name() } else { path.file_stem() }
    }

    /// The word used in records and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Inline => "inline",
            Self::Archive => "archive",
            Self::Git => "git",
            Self::Site => "site",
            Self::Registry => "oci",
        }
    }
}

/// The kind in a record, which another version of this program may have written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum RecordedKind {
    /// A kind of this version.
    Known(SkillKind),
    /// Any other word.
    Other(String),
}

impl RecordedKind {
    /// The word as it is recorded.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(kind) => kind.as_str(),
            Self::Other(word) => word,
        }
    }
}

impl From<String> for RecordedKind {
    fn from(word: String) -> Self {
        let known = SkillKind::ALL.into_iter().find(|kind| kind.as_str() == word);
        known.map_or(Self::Other(word), Self::Known)
    }
}

impl From<RecordedKind> for String {
    fn from(kind: RecordedKind) -> Self {
        kind.as_str().to_owned()
    }
}

/// Where a skill is, with everything that is needed to read it there.
#[derive(Debug, Clone)]
pub enum SkillStorage {
    /// In a directory, with the name of its `SKILL.md`, if it has one.
    Directory(Option<Cow<'static, str>>),
    /// In a Markdown file.
    File,
    /// In a manifest.
    Inline(Arc<InlineSkill>),
    /// In an archive or a commit.
    Packed(Arc<PackedSkill>),
}

impl SkillStorage {
    fn kind(&self) -> SkillKind {
        match self {
            Self::Directory(_) => SkillKind::Directory,
            Self::File => SkillKind::File,
            Self::Inline(_) => SkillKind::Inline,
            Self::Packed(packed) => match &packed.bundle.origin {
                BundleOrigin::Archive => SkillKind::Archive,
                BundleOrigin::Commit(_) => SkillKind::Git,
                BundleOrigin::Network(fetched) => match fetched.address {
                    Address::Archive { .. } => SkillKind::Archive,
                    Address::Site(_) => SkillKind::Site,
                    Address::Registry(_) => SkillKind::Registry,
                },
            },
        }
    }
}

/// One skill, wherever it is, found but not read.
#[derive(Debug, Clone)]
pub struct Skill {
    /// Where it is.
    pub storage: SkillStorage,
    /// The real path of its directory, or of its file for a file skill.
    pub path: PathBuf,
    /// Its name: from a manifest, else a valid one from its front matter, else from its directory
    /// or the stem of its file.
    pub name: String,
    /// The name of its directory, or the stem of its file.
    pub folder: String,
    /// Whether a manifest gives it its name.
    pub is_renamed: bool,
    /// Whether the user or a manifest points at this skill itself, not at a collection it is in.
    pub is_named: bool,
    /// Whether it is inside another skill.
    pub is_nested: bool,
    /// The plugin it belongs to, if it belongs to one.
    pub plugin: Option<Arc<Plugin>>,
    /// Which of the sources it came from: those that were named first count first.
    pub source: usize,
    /// Whether it counts only with a description: so the directory demands in which it was found.
    pub needs_description: bool,
}

/// A directory that stands for the skills directory of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRoot {
    /// Where it is.
    pub path: PathBuf,
    /// Only these of its skills, when not empty.
    pub only: Vec<PathBuf>,
}

impl Skill {
    /// A directory, and the name of its `SKILL.md` if it has one.
    pub fn in_directory(path: &Path, skill_md: Option<Cow<'static, str>>) -> Self {
        Self::new(SkillStorage::Directory(skill_md), path)
    }

    /// A Markdown file.
    pub fn in_file(path: &Path) -> Self {
        Self::new(SkillStorage::File, path)
    }

    /// A skill in the first of the sources.
    fn new(storage: SkillStorage, path: &Path) -> Self {
        let folder = text_of(storage.kind().name_in(path).unwrap_or(OsStr::new("skill")));
        Self {
            storage,
            path: path.to_owned(),
            name: folder.clone(),
            folder,
            is_renamed: false,
            is_named: false,
            is_nested: false,
            plugin: None,
            source: 0,
            needs_description: false,
        }
    }

    /// How it is stored.
    pub fn kind(&self) -> SkillKind {
        self.storage.kind()
    }

    /// What `open_sections` calls it in a prompt, without the prefix before it.
    pub fn prompt_key(&self) -> &str {
        self.inline().map_or(&self.name, |inline| &inline.key)
    }

    /// The inline skill, if it is written in a manifest.
    pub const fn inline(&self) -> Option<&Arc<InlineSkill>> {
        match &self.storage {
            SkillStorage::Inline(inline) => Some(inline),
            _ => None,
        }
    }

    /// Where it is in an archive or a commit, if it is in one.
    pub const fn packed(&self) -> Option<&Arc<PackedSkill>> {
        match &self.storage {
            SkillStorage::Packed(packed) => Some(packed),
            _ => None,
        }
    }

    /// The name of the file that is its `SKILL.md`, if it is a directory with one.
    pub fn skill_md(&self) -> Option<&str> {
        match &self.storage {
            SkillStorage::Directory(name) => name.as_deref(),
            SkillStorage::Packed(packed) => Some(&packed.skill_md),
            SkillStorage::File | SkillStorage::Inline(_) => None,
        }
    }

    /// The same skill with another name, if one is given.
    pub fn renamed(self, name: Option<&SkillName>) -> Self {
        match name {
            Some(name) => Self { name: name.as_str().to_owned(), is_renamed: true, ..self },
            None => self,
        }
    }

    /// The same skill, marked as named by the user or a manifest.
    pub fn named(self) -> Self {
        Self { is_named: true, ..self }
    }

    /// The error, about this skill.
    pub(crate) fn in_error(&self, error: Error) -> Error {
        let path = error.path.clone().unwrap_or_else(|| self.path.clone());
        error.at(path).about(&self.name, Some(self.kind().as_str()))
    }

    /// The error if its `SKILL.md`, or this other file, cannot be read.
    pub(crate) fn unreadable(&self, inner: Option<&Path>, reason: &str) -> Error {
        let path = inner.map_or_else(|| self.file(), |inner| self.path.join(inner));
        self.in_error(Error::unreadable(path, reason))
    }

    /// Takes the name from its front matter, unless a manifest gives it another.
    pub fn take_declared_name(&mut self, name: &SkillName) {
        if self.kind().has_directory() && !self.is_renamed && self.name != name.as_str() {
            self.name = name.as_str().to_owned();
        }
    }

    /// The names that a user may ask for it by.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let folder = (self.folder != self.name && !self.is_renamed).then_some(self.folder.as_str());
        std::iter::once(self.name.as_str()).chain(folder)
    }

    /// What agents call it: `plugin:skill` for the skill of a plugin.
    pub fn qualified_name(&self) -> Cow<'_, str> {
        match &self.plugin {
            Some(plugin) => Cow::Owned(format!("{}:{}", plugin.name, self.name)),
            None => Cow::Borrowed(&self.name),
        }
    }

    /// The name of its plugin, if it belongs to one.
    pub fn plugin_name(&self) -> Option<&str> {
        self.plugin.as_ref().map(|plugin| plugin.name.as_str())
    }

    /// A skill written in a manifest. Nothing exists at its path.
    pub fn in_manifest(inline: &Arc<InlineSkill>) -> Self {
        let path = inline.manifest.join(inline.name.as_str());
        Self::new(SkillStorage::Inline(Arc::clone(inline)), &path).renamed(Some(&inline.name))
    }

    /// A skill in an archive or a commit. Its path is that of the bundle, followed by its path in
    /// there.
    pub fn in_bundle(packed: PackedSkill) -> Self {
        let path = match packed.root.as_str() {
            "" => packed.bundle.path.clone(),
            root => packed.bundle.path.join(root),
        };
        // A skill at the root takes the name of the archive or repository.
        let whole = match &packed.bundle.origin {
            _ if !packed.root.is_empty() => None,
            BundleOrigin::Archive | BundleOrigin::Network(_) => path.file_stem().map(archive_stem),
            BundleOrigin::Commit(commit) => Some(commit.location.name().to_owned()),
        };
        let is_nested = packed.is_nested;
        let skill = Self::new(SkillStorage::Packed(Arc::new(packed)), &path);
        let folder = whole.unwrap_or(skill.folder);
        Self { name: folder.clone(), folder, is_nested, ..skill }
    }

    /// Its path as a source for the command line.
    pub fn source_path(&self) -> String {
        match self.packed() {
            Some(packed) => packed.source().display().to_string(),
            None => self.path.display().to_string(),
        }
    }

    /// Whether it must be a skill because of its place: a manifest names it, or it is in a
    /// directory that agents search for skills.
    pub fn is_promised(&self) -> bool {
        self.is_renamed
            || self.kind() == SkillKind::Directory
                && self.path.parent().is_some_and(is_agent_directory)
    }

    /// The file to read, or the path where it should be.
    pub fn file(&self) -> PathBuf {
        match &self.storage {
            SkillStorage::Directory(_) | SkillStorage::Packed(_) => {
                self.path.join(self.skill_md().unwrap_or(SKILL_MD))
            }
            SkillStorage::File => self.path.clone(),
            SkillStorage::Inline(inline) => inline.manifest.clone(),
        }
    }
}

/// Whether this is an agent's own skills directory: every directory in it should be a skill.
pub fn is_agent_directory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "skills")
        && path
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|parent| parent == ".claude" || parent == ".agents")
}

/// The stem of an archive's name without the `.tar` of `.tar.gz`.
fn archive_stem(stem: &OsStr) -> String {
    let name = text_of(stem);
    let tar = name
        .len()
        .checked_sub(4)
        .filter(|at| name.get(*at..).is_some_and(|ending| ending.eq_ignore_ascii_case(".tar")));
    tar.map_or_else(|| name.clone(), |at| name[..at].to_owned())
}

fn text_of(name: &OsStr) -> String {
    name.to_str().map_or_else(|| name.to_string_lossy().into_owned(), str::to_owned)
}
