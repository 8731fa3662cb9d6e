//! What a user names: a skill directory, a `SKILL.md`, another Markdown file, a collection, an
//! archive, or a place in a git repository.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::model::bundle::{Bundle, BundleOrigin, PackedSkill};
use crate::skills::model::inline::InlineSkill;
use crate::skills::model::name::SkillName;
use crate::skills::text::document::SKILL_MD;

/// Something that holds skills, with its real path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A skill written in a manifest.
    Inline(Arc<InlineSkill>),
    /// A directory, with or without a `SKILL.md`: scanning finds out.
    Directory(PathBuf),
    /// A single Markdown file that is a skill by itself.
    File(PathBuf),
    /// An archive or a commit, which has been read.
    Bundle(Arc<Bundle>),
}

/// How a skill is stored.
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
}

impl SkillKind {
    /// Whether it is a directory, with files beside its `SKILL.md`.
    #[must_use]
    pub const fn has_directory(self) -> bool {
        matches!(self, Self::Directory | Self::Archive | Self::Git)
    }

    /// The part of its path that a skill is named after.
    #[must_use]
    pub fn name_in(self, path: &Path) -> Option<&OsStr> {
        if self.has_directory() { path.file_name() } else { path.file_stem() }
    }
}

/// One skill, wherever it is, found but not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// How it is stored.
    pub kind: SkillKind,
    /// The real path of its directory, or of its file for a file skill.
    pub path: PathBuf,
    /// The file name that stands for `SKILL.md` there; none when a skill was promised in vain.
    pub skill_md: Option<Cow<'static, str>>,
    /// The name it goes by: one that a manifest gives it, else a valid one in its front matter,
    /// else that of its directory or the stem of its file.
    pub name: String,
    /// The name of its directory, or the stem of its file.
    pub folder: String,
    /// Whether a manifest gives it its name.
    pub is_renamed: bool,
    /// Whether the user or a manifest points at this skill itself, not at a collection it is in.
    pub is_named: bool,
    /// Whether it lies below another skill.
    pub is_nested: bool,
    /// The inline skill, if it is written in a manifest.
    pub inline: Option<Arc<InlineSkill>>,
    /// Where it is, when that is inside an archive or a commit.
    pub packed: Option<Arc<PackedSkill>>,
    /// Which of the sources it came from: those that were named first count first.
    pub source: usize,
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
    /// A skill that is found at `path`, in the first of the sources.
    #[must_use]
    pub fn at(kind: SkillKind, path: &Path, skill_md: Option<Cow<'static, str>>) -> Self {
        let folder = text_of(kind.name_in(path).unwrap_or(OsStr::new("skill")));
        Self {
            kind,
            path: path.to_owned(),
            skill_md,
            name: folder.clone(),
            folder,
            is_renamed: false,
            is_named: false,
            is_nested: false,
            inline: None,
            packed: None,
            source: 0,
        }
    }

    /// The same skill under a name that it is given, if it is given one.
    #[must_use]
    pub fn renamed(self, name: Option<&SkillName>) -> Self {
        match name {
            Some(name) => Self { name: name.as_str().to_owned(), is_renamed: true, ..self },
            None => self,
        }
    }

    /// The same skill, pointed at by the user or a manifest.
    #[must_use]
    pub fn named(self) -> Self {
        Self { is_named: true, ..self }
    }

    /// Takes the name that its front matter gives, unless a manifest gives it another.
    pub fn take_declared_name(&mut self, name: &SkillName) {
        if self.kind.has_directory() && !self.is_renamed && self.name != name.as_str() {
            self.name = name.as_str().to_owned();
        }
    }

    /// The names that a user may ask for it by.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let folder = (self.folder != self.name && !self.is_renamed).then_some(self.folder.as_str());
        std::iter::once(self.name.as_str()).chain(folder)
    }

    /// A skill written in a manifest. Its path is its own, though there is nothing there.
    #[must_use]
    pub fn inline(inline: &Arc<InlineSkill>) -> Self {
        let path = inline.manifest.join(inline.name.as_str());
        let skill = Self::at(SkillKind::Inline, &path, None).renamed(Some(&inline.name));
        Self { inline: Some(Arc::clone(inline)), ..skill }
    }

    /// A skill in an archive or a commit. Its path is that of the bundle and where it is there.
    #[must_use]
    pub fn packed(packed: PackedSkill) -> Self {
        let path = match packed.root.as_str() {
            "" => packed.bundle.path.clone(),
            root => packed.bundle.path.join(root),
        };
        let skill_md = Some(Cow::Owned(packed.skill_md.clone()));
        let kind = match packed.bundle.origin {
            BundleOrigin::Archive => SkillKind::Archive,
            BundleOrigin::Commit(_) => SkillKind::Git,
        };
        let mut skill = Self::at(kind, &path, skill_md);
        if packed.root.is_empty() {
            // The root of an archive or a repository has no name but that of the whole.
            skill.folder = match &packed.bundle.origin {
                BundleOrigin::Archive => path.file_stem().map_or(skill.folder, text_of),
                BundleOrigin::Commit(commit) => commit.location.name().to_owned(),
            };
            skill.name = skill.folder.clone();
        }
        let is_nested = packed.is_nested;
        Self { packed: Some(Arc::new(packed)), is_nested, ..skill }
    }

    /// What a user writes to name it as a source.
    #[must_use]
    pub fn source_path(&self) -> String {
        match &self.packed {
            Some(packed) => packed.source().display().to_string(),
            None => self.path.display().to_string(),
        }
    }

    /// Whether its place says that it is a skill, whatever it holds: a manifest gives it a name, or
    /// it lies in a directory that agents search for skills.
    #[must_use]
    pub fn is_promised(&self) -> bool {
        self.is_renamed
            || self.kind == SkillKind::Directory
                && self.path.parent().is_some_and(is_agent_directory)
    }

    /// The file to read; where it should be, when there is none.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        match self.kind {
            SkillKind::Directory | SkillKind::Archive | SkillKind::Git => {
                self.path.join(self.skill_md.as_deref().unwrap_or(SKILL_MD))
            }
            SkillKind::File => self.path.clone(),
            SkillKind::Inline => self
                .inline
                .as_ref()
                .map_or_else(|| self.path.clone(), |inline| inline.manifest.clone()),
        }
    }
}

/// Whether this is an agent's own skills directory: every directory in it should be a skill.
#[must_use]
pub fn is_agent_directory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "skills")
        && path
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|parent| parent == ".claude" || parent == ".agents")
}

fn text_of(name: &OsStr) -> String {
    name.to_str().map_or_else(|| name.to_string_lossy().into_owned(), str::to_owned)
}
