//! What a user names: a skill directory, a `SKILL.md`, another Markdown file, a collection or an
//! archive.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::archive::{Archive, PackedSkill};
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::inline::InlineSkill;
use crate::skills::name::SkillName;
use crate::skills::similar;

/// The file that makes a directory a skill.
pub const SKILL_MD: &str = "SKILL.md";

/// Something that holds skills, with its real path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A skill written in a manifest.
    Inline(Arc<InlineSkill>),
    /// A directory, with or without a `SKILL.md`: scanning finds out.
    Directory(PathBuf),
    /// A single Markdown file that is a skill by itself.
    File(PathBuf),
    /// An archive, which has been read.
    Archive(Arc<Archive>),
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
}

impl SkillKind {
    /// Whether it is a directory, with files beside its `SKILL.md`.
    #[must_use]
    pub const fn has_directory(self) -> bool {
        matches!(self, Self::Directory | Self::Archive)
    }
}

/// One skill on disk, found but not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// How it is stored.
    pub kind: SkillKind,
    /// The real path of its directory, or of its file for a file skill.
    pub path: PathBuf,
    /// The file name that stands for `SKILL.md` there; none when a skill was promised in vain.
    pub skill_md: Option<String>,
    /// The name a manifest gives it.
    pub name_override: Option<SkillName>,
    /// What it is, when it is no file at all.
    pub inline: Option<Arc<InlineSkill>>,
    /// Where it is, when that is inside an archive.
    pub packed: Option<Arc<PackedSkill>>,
    /// Which of the sources it came from: those that were named first count first.
    pub source: usize,
}

impl Source {
    /// Finds out what `path` is, following it once if it is a link.
    ///
    /// # Errors
    /// A path that does not exist or cannot be a skill.
    pub fn resolve(path: &Path) -> Result<Self> {
        refuse_remote(path)?;
        let named_skill_md = path.file_name().is_some_and(is_skill_md);
        if named_skill_md && path.symlink_metadata().is_ok_and(|data| !data.is_dir()) {
            // Its directory is meant, whatever the entry itself turns out to be.
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let parent = parent.unwrap_or(Path::new("."));
            return parent
                .canonicalize()
                .map(Self::Directory)
                .map_err(|error| Error::io("read", parent, &error));
        }
        let real = path.canonicalize().map_err(|error| missing(path, &error))?;
        if real.is_dir() {
            return Ok(Self::Directory(real));
        }
        if real.is_file() && has_extension(&real, "md") {
            return Ok(Self::File(real));
        }
        if real.is_file() && (has_extension(&real, "skill") || has_extension(&real, "zip")) {
            return Archive::open(&real).map(|archive| Self::Archive(Arc::new(archive)));
        }
        Err(not_a_skill(path, &real))
    }
}

impl Skill {
    /// A skill that is found at `path`, in the first of the sources.
    #[must_use]
    pub fn at(kind: SkillKind, path: &Path, skill_md: Option<String>) -> Self {
        let path = path.to_owned();
        let (name_override, inline, packed) = (None, None, None);
        Self { kind, path, skill_md, name_override, inline, packed, source: 0 }
    }

    /// A skill written in a manifest. Its path is its own, though there is nothing there.
    #[must_use]
    pub fn inline(inline: &Arc<InlineSkill>) -> Self {
        let path = inline.manifest.join(inline.name.as_str());
        Self {
            name_override: Some(inline.name.clone()),
            inline: Some(Arc::clone(inline)),
            ..Self::at(SkillKind::Inline, &path, None)
        }
    }

    /// A skill in an archive. Its path is that of the archive and what it is there.
    #[must_use]
    pub fn packed(packed: PackedSkill) -> Self {
        let path = packed.archive.path.join(&packed.root);
        let skill_md = Some(packed.skill_md.clone());
        Self { packed: Some(Arc::new(packed)), ..Self::at(SkillKind::Archive, &path, skill_md) }
    }

    /// The name it goes by: the manifest's, else its directory's, else its file's stem.
    #[must_use]
    pub fn name(&self) -> String {
        if let Some(name) = &self.name_override {
            return name.as_str().to_owned();
        }
        let own = match self.kind {
            SkillKind::Directory => self.path.file_name(),
            // The root of an archive has no name but that of the archive.
            SkillKind::Archive if self.packed.as_ref().is_some_and(|one| !one.root.is_empty()) => {
                self.path.file_name()
            }
            SkillKind::File | SkillKind::Inline | SkillKind::Archive => self.path.file_stem(),
        };
        let own = own.unwrap_or(OsStr::new("skill"));
        own.to_str().map_or_else(|| own.to_string_lossy().into_owned(), str::to_owned)
    }

    /// The file to read; where it should be, when there is none.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        match self.kind {
            SkillKind::Directory | SkillKind::Archive => {
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

/// Whether a directory entry stands for `SKILL.md`, in any letter case.
#[must_use]
pub fn is_skill_md(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(SKILL_MD)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

fn missing(path: &Path, error: &std::io::Error) -> Error {
    if path.symlink_metadata().is_ok_and(|data| data.file_type().is_symlink()) {
        let message = format!("`{}` is a link that leads nowhere", path.display());
        return Error::new(ErrorKind::NotFound, message).at(path);
    }
    let failure = Error::io("read", path, error);
    match neighbour(path) {
        Some(name) if failure.kind == ErrorKind::NotFound => {
            failure.help(format!("did you mean `{}`?", path.with_file_name(name).display()))
        }
        _ => failure,
    }
}

/// An existing sibling with nearly the same name.
fn neighbour(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let names: Vec<String> = std::fs::read_dir(parent.unwrap_or(Path::new(".")))
        .ok()?
        .take(1_000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    similar::nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

fn refuse_remote(path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    if text.starts_with("git+") || text.starts_with("gh:") || text.contains("://") {
        let message = format!("`{text}` is a remote source, which this version cannot read");
        return Err(Error::new(ErrorKind::Usage, message)
            .help("clone it and name the directory".to_owned()));
    }
    Ok(())
}

fn not_a_skill(path: &Path, real: &Path) -> Error {
    if has_extension(real, "yaml") || has_extension(real, "yml") {
        let message = format!("`{}` is a manifest, not a skill", path.display());
        let help = format!("`--manifest {}` reads it; manifests name no others", path.display());
        return Error::new(ErrorKind::NotDirectory, message).at(path).help(help);
    }
    let message = format!("`{}` is not a skill", path.display());
    Error::new(ErrorKind::NotDirectory, message)
        .at(path)
        .help("name a directory, a `SKILL.md`, another `.md` file or a `.skill` archive")
}
