//! `skills.yaml`: sources, inline skills, conditions, filters, parameters and rule levels.
//!
//! It is read as strictly as a `SKILL.md`: every fault has a line and a column, and a key that is
//! almost right comes with a suggestion. [`open`] finds it, [`Manifest`] is its content, and
//! [`resolve`] applies it to one run.

pub mod claims;
pub mod conditions;
pub mod inline;
pub mod open;
pub mod parse;
pub mod power;
pub mod reader;
pub mod resolve;
pub mod sandbox;
pub mod schema;
pub mod sections;
pub mod trust;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{self, Content};
use crate::skills::files::digest::Digest;
use crate::skills::find::discovery::ProviderChoice;
use crate::skills::find::manifest::conditions::Condition;
use crate::skills::find::manifest::sandbox::SandboxBlock;
use crate::skills::find::manifest::sections::{Child, ManifestSection};
use crate::skills::find::manifest::trust::ManifestOrigin;
use crate::skills::judge::rules::Levels;
use crate::skills::model::address::Address;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::inline::{Tool, Visibility};
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::model::location::{Commit, Location};
use crate::skills::model::name::SkillName;
use crate::skills::text::position::PositionRange;
use crate::skills::text::{markdown, suggest};

/// The name of a manifest.
pub const FILE_NAME: &str = "skills.yaml";

/// The content of a manifest.
#[derive(Debug, Clone, Default)]
pub struct Manifest {
    /// The file.
    pub path: PathBuf,
    /// Where it came from.
    pub origin: ManifestOrigin,
    /// The commit, archive or address it came with; none for a file of the user.
    pub tree: Option<ManifestTree>,
    /// Values for templates and conditions.
    pub params: BTreeMap<String, String>,
    /// Globs of names to include.
    pub allow: Vec<String>,
    /// Globs of names to exclude.
    pub deny: Vec<String>,
    /// Levels of rules.
    pub levels: Levels,
    /// The skills; without a `skills` key, those in the directory of the manifest.
    pub entries: Vec<ManifestEntry>,
    /// Whether there is a `skills` key.
    pub names_skills: bool,
    /// Sections, in the order in which they are written.
    pub sections: Vec<ManifestSection>,
    /// The heading of the skills and sections in its prompts.
    pub title: Option<String>,
    /// The prefix of the keys in its prompts.
    pub key_prefix: KeyPrefix,
    /// Whether every skill stays in the prompt, and none is installed.
    pub prompt_only: bool,
    /// Options for discovery.
    pub discovery: DiscoveryBlock,
    /// The isolation of a mounted agent.
    pub isolation: Option<Isolation>,
    /// Size limits.
    pub limits: Limits,
    /// What makes an installation fail.
    pub validate: Option<Strictness>,
}

/// A commit, an archive or an address with a manifest and its relative sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestTree {
    /// The commit or the archive.
    pub root: TreeRoot,
    /// The directory of the manifest; empty for the root.
    pub directory: String,
    /// The bytes of the lock beside the manifest.
    pub lock: Option<Vec<u8>>,
}

/// The kinds of such trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeRoot {
    Commit(Commit),
    /// The real path of an archive.
    Archive(PathBuf),
    /// An address, and the digest of its content.
    Network(Address, Option<Digest>),
}

impl ManifestTree {
    /// Resolves a relative path in the manifest; none if it leaves the tree.
    pub fn inner(&self, path: &str) -> Option<String> {
        markdown::below_root(&self.directory, path)
    }
}

/// What makes an installation fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Every error that `skills validate` would report.
    Strict,
    /// A named skill that cannot be used.
    Usable,
    /// A named skill that is unsafe.
    Off,
}

impl Strictness {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "strict" => Some(Self::Strict),
            "usable" => Some(Self::Usable),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

/// The `limits` block, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    pub max_skill_size: Option<u64>,
    /// All skills together.
    pub max_total_size: Option<u64>,
}

/// One item of `skills`.
#[derive(Debug, Clone)]
pub struct ManifestEntry {
    /// The source or inline skill.
    pub kind: ManifestEntryKind,
    /// Its condition.
    pub enabled: Condition,
    /// The section it belongs to.
    pub section: Option<String>,
    /// Its location in a rendered catalogue.
    pub mount_path: Option<String>,
    /// Its position.
    pub place: PositionRange,
}

/// The kinds of items of `skills`.
#[derive(Debug, Clone)]
pub enum ManifestEntryKind {
    Source(Box<WrittenSource>),
    /// An inline skill.
    Inline(Box<Inline>),
}

#[derive(Debug, Clone)]
pub struct WrittenSource {
    pub text: String,
    /// The location.
    pub target: SourceLocation,
    /// The name for its skill. The source must then be one skill.
    pub name: Option<SkillName>,
}

impl WrittenSource {
    /// Its canonical form, for locks.
    pub fn canonical(&self) -> String {
        match &self.target {
            SourceLocation::Path(_) => self.text.clone(),
            SourceLocation::Git(location) => location.to_string(),
            SourceLocation::Network(address) => address.to_string(),
        }
    }

    /// The sources of lock entries that belong to it: one for each way to read an ambiguous address.
    pub fn readings(&self) -> Vec<String> {
        match &self.target {
            SourceLocation::Git(location) => {
                location.readings().iter().map(ToString::to_string).collect()
            }
            SourceLocation::Path(_) | SourceLocation::Network(_) => vec![self.canonical()],
        }
    }
}

/// Where a source is.
#[derive(Debug, Clone)]
pub enum SourceLocation {
    /// A path, relative to the current directory or absolute; `~` is not expanded yet.
    Path(PathBuf),
    /// A place in a git repository.
    Git(Location),
    /// An archive, a site or a registry.
    Network(Address),
}

/// An inline skill as it is written.
#[derive(Debug, Clone)]
pub struct Inline {
    pub name: SkillName,
    /// The heading of its section.
    pub title: String,
    pub description: String,
    /// Its text, with placeholders.
    pub template: String,
    /// Its text in a prompt until it is expanded, with placeholders.
    pub summary: Option<String>,
    /// Its own values, which those of the manifest and of the run override.
    pub params: BTreeMap<String, String>,
    /// Its key for `open_sections`.
    pub key: String,
    /// Tools that come with it.
    pub tools: Vec<Tool>,
    /// The sections and inline skills in it.
    pub children: Vec<Child>,
    /// Its initial visibility in a prompt.
    pub visibility: Visibility,
    /// The position of its name.
    pub place: PositionRange,
    /// The position of its template.
    pub template_place: TextPlace,
    /// The position of its summary.
    pub summary_place: TextPlace,
}

/// The position of a text in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// The whole value.
    pub place: PositionRange,
    /// For a `|` block, the first line that is not blank, and the indentation of the block.
    pub block: Option<(usize, usize)>,
}

#[derive(Debug, Clone, Default)]
pub struct DiscoveryBlock {
    /// Which providers to search.
    pub sources: ProviderChoice,
    /// Additional directories; `~` is not expanded yet.
    pub directories: Vec<PathBuf>,
    /// Globs of names to ignore.
    pub ignore: Vec<String>,
    /// Globs of names to include; empty means all.
    pub include: Vec<String>,
    /// The position of the block, if there is one.
    pub place: Option<PositionRange>,
}

/// The `isolation` block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Isolation {
    /// Domains that the sandbox allows.
    pub allowed_domains: Vec<String>,
    /// How commands are confined.
    pub sandbox: SandboxBlock,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Whether to pass on harmless variables of the caller.
    pub include_host_env: bool,
    /// The variable with the API key.
    pub api_key_env: Option<String>,
    /// The positions of its keys; variables have the key `env.NAME`.
    pub places: BTreeMap<String, PositionRange>,
}

impl Isolation {
    /// Drops what a key asks for, because the user does without it.
    pub fn ignore(&mut self, key: &str) -> Result<()> {
        let usual = SandboxBlock::default();
        let sandbox = &mut self.sandbox;
        match key {
            "allowed_domains" => self.allowed_domains.clear(),
            "env" => self.env.clear(),
            "include_host_env" => self.include_host_env = false,
            "api_key_env" => self.api_key_env = None,
            "sandbox" | "enabled" => {
                *sandbox = usual;
                sandbox.enabled = false;
            }
            "readable_paths" => sandbox.readable_paths.clear(),
            "writable_paths" => sandbox.writable_paths.clear(),
            "excluded_commands" => sandbox.excluded_commands.clear(),
            "auto_allow_bash" => sandbox.auto_allow_bash = usual.auto_allow_bash,
            "allow_unsandboxed_commands" => sandbox.allow_unsandboxed_commands = false,
            "weaker_nested_sandbox" => sandbox.weaker_nested_sandbox = false,
            "ignore_violations" => sandbox.ignore_violations.clear(),
            "unix_sockets" => sandbox.unix_sockets = usual.unix_sockets,
            "local_binding" => sandbox.local_binding = false,
            "http_proxy_port" => sandbox.http_proxy_port = None,
            "socks_proxy_port" => sandbox.socks_proxy_port = None,
            unknown => {
                let known: Vec<&str> =
                    parse::ISOLATION_KEYS.iter().chain(&sandbox::SANDBOX_KEYS).copied().collect();
                let list = format!("known keys: {}", known.join(", "));
                return Err(err!(Usage, "`isolation` has no key `{unknown}`")
                    .help(suggest::help(unknown, known, list)));
            }
        }
        Ok(())
    }
}

impl Manifest {
    /// The owner of the skills it installs: its source without a revision, or the real path of its
    /// file.
    pub fn owner(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match &self.tree {
            Some(ManifestTree { root: TreeRoot::Commit(commit), directory, .. }) => {
                let is_usual = name == FILE_NAME;
                let path = match directory.as_str() {
                    directory if is_usual => directory.to_owned(),
                    "" => name.into_owned(),
                    directory => format!("{directory}/{name}"),
                };
                Location { path, revision: None, undecided: None, ..commit.location.clone() }
                    .to_string()
            }
            Some(ManifestTree { root: TreeRoot::Archive(path), .. }) => path.display().to_string(),
            Some(ManifestTree { root: TreeRoot::Network(address, _), .. }) => {
                address.place().to_string()
            }
            None => self.real_path().display().to_string(),
        }
    }

    /// The real path of its file, or its place in the commit or archive it came with.
    fn real_path(&self) -> PathBuf {
        let real = if self.tree.is_none() { self.path.canonicalize().ok() } else { None };
        real.unwrap_or_else(|| self.path.clone())
    }

    /// The commit that it came from, at its own path.
    fn commit(&self) -> Option<Commit> {
        let tree = self.tree.as_ref()?;
        let TreeRoot::Commit(commit) = &tree.root else { return None };
        let path = tree.inner(self.path.file_name()?.to_str()?)?;
        let location = Location { path, ..commit.location.clone() };
        Some(Commit { location, id: commit.id.clone() })
    }

    /// Reads the manifest at `path`.
    pub fn read(path: &Path) -> Result<Self> {
        let unreadable = |reason: &str| {
            Err(Error { kind: ErrorKind::Manifest, ..Error::unreadable(path, reason) })
        };
        // The file belongs to the user, so a link is followed.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        tracing::debug!(?path, "reading the manifest");
        match content::read(&real) {
            Content::Text(text) => parse::parse(&text, path),
            Content::Missing => {
                let error = err!(NotFound, "no manifest at `{}`", path.display()).at(path);
                let other = path.with_extension("yml");
                Err(if path != other && other.is_file() {
                    error.help(format!("found `{}`; did you mean that?", other.display()))
                } else {
                    error.help("run `skills init --manifest` to write one")
                })
            }
            Content::NotUtf8 { .. } => unreadable("it is not UTF-8"),
            Content::TooLarge { bytes } => {
                unreadable(&format!("it is too large, with {bytes} bytes"))
            }
            Content::NotAFile(_) => unreadable("it is not a regular file"),
            Content::Unreadable(reason) => unreadable(&reason),
        }
    }
}
