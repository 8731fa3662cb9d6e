//! Skills that other installers put in place: npm `skills` and `gh skill`.
//!
//! Both keep `.skill-lock.json`, and npm `skills` links skills into its store, `.agents/skills`. These
//! records are read and never written. They can come from anyone, so nothing here follows a path in them.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use serde_json::Value as Json;

use crate::skills::files::Directory;
use crate::skills::files::content::{self, Content};
use crate::skills::model::environment::{Environment, RepositoryMark};
use crate::skills::text::document::{Document, SKILL_MD};
use crate::skills::text::yaml::Value;

/// The record of both installers for the user.
const USER_LOCK: &str = ".skill-lock.json";

/// The record of npm `skills` for a project.
const PROJECT_LOCK: &str = "skills-lock.json";

/// The version of each that is read.
const VERSIONS: [u64; 2] = [3, 1];

/// Maximum size of a record.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum length of a source that is shown.
const SOURCE_CHARS: usize = 200;

/// The store that npm `skills` links to.
const STORE: [&str; 2] = [".agents", "skills"];

/// A program that installs skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installer {
    /// npm `skills`.
    Npm,
    /// `gh skill`.
    Gh,
}

impl Installer {
    /// The word for JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Npm => "npm-skills",
            Self::Gh => "gh-skill",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Npm => "npm `skills`",
            Self::Gh => "`gh skill`",
        }
    }

    /// The command that removes a skill, from the user's or the project's directories.
    pub fn remove_command(self, name: &str, is_user: bool) -> String {
        match (self, is_user) {
            (Self::Npm, true) => format!("npx skills remove {name} -g"),
            (Self::Npm, false) => format!("npx skills remove {name}"),
            (Self::Gh, true) => format!("gh skill remove {name} --scope user"),
            (Self::Gh, false) => format!("gh skill remove {name} --scope project"),
        }
    }
}

/// A skill of another installer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherInstall {
    pub installer: Installer,
    /// The source in its record, if there is one.
    pub source: Option<String>,
    /// The target, if the skill is a link.
    pub link: Option<PathBuf>,
    /// Whether it is in the user's directories, not in a project.
    pub is_user: bool,
}

/// The records of other installers on this machine.
#[derive(Debug, Default)]
pub struct OtherRecords {
    user: HashMap<String, String>,
    project: HashMap<String, String>,
    /// The project here, unless it contains the user's home.
    project_root: Option<PathBuf>,
}

impl OtherRecords {
    /// Reads the records of the user and of the project here. An invalid record is ignored, as these
    /// installers do.
    pub fn read(environment: &Environment) -> Self {
        let state =
            environment.variable("XDG_STATE_HOME").map(|root| Path::new(root).join("skills"));
        let home = environment.home.as_ref().map(|home| home.join(STORE[0]));
        let mut user = HashMap::new();
        for directory in [home, state].into_iter().flatten() {
            user.extend(sources(&directory, USER_LOCK));
        }
        let root = environment.repository(RepositoryMark::AnyEntry);
        let root = root.unwrap_or(&environment.directory).to_owned();
        let project = sources(&root, PROJECT_LOCK);
        let is_around_home = environment.home.as_ref().is_some_and(|home| home.starts_with(&root));
        Self { user, project, project_root: (!is_around_home).then_some(root) }
    }

    /// The installer of the skill at this path, if it is known. `github` is the repository in its front
    /// matter.
    pub fn installer_of(&self, path: &Path, github: Option<&str>) -> Option<OtherInstall> {
        let name = path.file_name()?.to_str()?;
        let is_user = !self.project_root.as_ref().is_some_and(|root| path.starts_with(root));
        let records = if is_user { &self.user } else { &self.project };
        let recorded = records.get(name).cloned();
        let link = path.parent().zip(path.file_name()).filter(|_| path.is_symlink());
        let link = link
            .and_then(|(parent, name)| store_link(&Directory::open(parent).ok()?, parent, name));
        let of = |installer, source| {
            Some(OtherInstall { installer, source, link: link.clone(), is_user })
        };
        match (github, &link) {
            (Some(repository), None) => of(Installer::Gh, Some(shortened(repository))),
            (_, Some(_)) => of(Installer::Npm, recorded),
            (None, None) => recorded.and_then(|source| of(Installer::Npm, Some(source))),
        }
    }
}

/// The installer of the skill at this path. Reads its `SKILL.md`, for `gh skill` writes its record there.
pub fn recognise(path: &Path, environment: &Environment) -> Option<OtherInstall> {
    let directory = path.parent().zip(path.file_name()).and_then(|(parent, name)| {
        // Not through a link.
        Directory::open(parent).ok()?.child(name).ok()
    });
    let github = match directory.map(|directory| content::read_in(&directory, OsStr::new(SKILL_MD)))
    {
        Some(Content::Text(text)) => github_source(&Document::parse(&text)),
        _ => None,
    };
    OtherRecords::read(environment).installer_of(path, github.as_deref())
}

/// The repository that `gh skill` wrote into the front matter, with its reference.
pub fn github_source(document: &Document<'_>) -> Option<String> {
    let Value::Mapping(metadata) = &document.field("metadata")?.value else { return None };
    let text = |key: &str| metadata.get(key).and_then(|node| node.as_str());
    let repository = text("github-repo").filter(|_| metadata.get("github-tree-sha").is_some())?;
    let reference = text("github-ref").unwrap_or_default();
    let short =
        ["refs/heads/", "refs/tags/"].iter().find_map(|start| reference.strip_prefix(start));
    Some(match short.unwrap_or(reference) {
        "" => repository.to_owned(),
        reference => format!("{repository}@{reference}"),
    })
}

/// The target of a link that npm `skills` made: `.agents/skills/NAME`, for a link of the same name. The
/// target is compared as text and not opened.
pub fn store_link(directory: &Directory, path: &Path, name: &OsStr) -> Option<PathBuf> {
    let target = path.join(directory.link_target(name).ok()?);
    let mut plain = PathBuf::new();
    for part in target.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain.ends_with(Path::new(STORE[0]).join(STORE[1]).join(name)).then_some(plain)
}

/// The source of each skill in a record, by name.
fn sources(directory: &Path, file: &str) -> HashMap<String, String> {
    let read = || -> Option<Json> {
        let file = Directory::open(directory).ok()?.file(OsStr::new(file)).ok()?;
        serde_json::from_slice(&content::whole(file, MAX_BYTES).ok()?).ok()
    };
    let Some(record) = read() else { return HashMap::new() };
    let version = record.get("version").and_then(Json::as_u64);
    if !version.is_some_and(|version| VERSIONS.contains(&version)) {
        return HashMap::new();
    }
    let skills = record.get("skills").and_then(Json::as_object).into_iter().flatten();
    let source = |entry: &Json| Some(shortened(entry.get("source")?.as_str()?));
    skills.filter_map(|(name, entry)| Some((name.clone(), source(entry)?))).collect()
}

fn shortened(source: &str) -> String {
    source.chars().take(SOURCE_CHARS).collect()
}
