//! Plugins: which files describe them, what those say, and which skills belong to which plugin.
//!
//! Manifests are untrusted. Reading one only compares paths: nothing that a manifest names is opened
//! because it names it, and a path that leaves the directory of its manifest counts for nothing.

mod declared;
mod elsewhere;
mod set;

use std::borrow::Borrow;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::skills::files::content::Content;
use crate::skills::files::links::{self, LinkEnd};
use crate::skills::files::platform::FileKind;
use crate::skills::model::bundle::PackedSkill;
use crate::skills::text::limits::NAME_CHARS;

pub use declared::{inner_source, local_source};
pub use elsewhere::ElsewherePlugin;
pub use set::PluginSet;

/// The start of the address of a schema of Agent Plugins.
pub const PORTABLE_SCHEMAS: &str = "https://agent-plugins.org/schemas/";
/// The schema of the version that is known here.
pub const PORTABLE_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
/// Where the skills of a plugin lie, unless its manifest says otherwise.
pub const SKILLS: &str = "skills";

/// What a manifest describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestKind {
    /// A plugin of one agent.
    Plugin,
    /// A plugin of the Agent Plugins specification, or of an agent that uses the same file.
    Portable,
    /// A list of plugins.
    Marketplace,
}

/// A file that describes plugins.
#[derive(Debug, PartialEq, Eq)]
pub struct ManifestFormat {
    /// Its path below the directory that it describes.
    pub file: &'static str,
    /// What it describes.
    pub kind: ManifestKind,
    /// Whether Claude reads it, which is stricter than others.
    pub is_of_claude: bool,
}

const fn format(file: &'static str, kind: ManifestKind) -> ManifestFormat {
    ManifestFormat { file, kind, is_of_claude: false }
}

const fn of_claude(file: &'static str, kind: ManifestKind) -> ManifestFormat {
    ManifestFormat { file, kind, is_of_claude: true }
}

/// Every known file. For a plugin that has several, the first one that names it counts.
pub static FORMATS: [ManifestFormat; 9] = [
    format("plugin.json", ManifestKind::Portable),
    of_claude(".claude-plugin/plugin.json", ManifestKind::Plugin),
    format(".codex-plugin/plugin.json", ManifestKind::Plugin),
    format(".cursor-plugin/plugin.json", ManifestKind::Plugin),
    format(".github/plugin/plugin.json", ManifestKind::Plugin),
    of_claude(".claude-plugin/marketplace.json", ManifestKind::Marketplace),
    format(".agents/plugins/marketplace.json", ManifestKind::Marketplace),
    format(".cursor-plugin/marketplace.json", ManifestKind::Marketplace),
    format(".github/plugin/marketplace.json", ManifestKind::Marketplace),
];

impl ManifestFormat {
    /// The entry of a directory that may lead to this file.
    pub fn entry(&self) -> &'static str {
        self.file.split('/').next().unwrap_or(self.file)
    }

    /// The format of a file at this path, and the directory that it describes.
    pub fn of_path(path: &str) -> Option<(&'static Self, &str)> {
        FORMATS.iter().find_map(|format| {
            let above = path.strip_suffix(format.file)?;
            match above.strip_suffix('/') {
                // `.claude-plugin/plugin.json` is not a `plugin.json` of its own.
                Some(root) if format.kind == ManifestKind::Portable && is_inside_format(root) => {
                    None
                }
                Some(root) => Some((format, root)),
                None => above.is_empty().then_some((format, "")),
            }
        })
    }
}

/// Whether a directory holds the manifests of one agent.
fn is_inside_format(directory: &str) -> bool {
    FORMATS.iter().filter_map(|format| format.file.rsplit_once('/')).any(|(inner, _)| {
        directory.strip_suffix(inner).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    })
}

/// The name of a plugin, fit to stand before a colon.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PluginName(Arc<str>);

impl PluginName {
    /// Accepts what the agents accept: letters, digits, `-`, `_` and `.`, and a letter or digit first.
    pub fn new(text: &str) -> Option<Self> {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name = text.len() <= NAME_CHARS
            && text.bytes().all(is_inner)
            && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
        is_name.then(|| Self(text.into()))
    }

    /// The problem that the Agent Plugins specification has with a name, if it has one.
    pub fn problem(text: &str) -> Option<&'static str> {
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        let is_end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        if text.is_empty() {
            Some("a name cannot be empty")
        } else if !text.chars().all(is_inner) {
            Some("a name consists of a-z, 0-9, hyphens and periods")
        } else if text.chars().count() > NAME_CHARS {
            Some("a name has at most 64 characters")
        } else if !is_end(text.chars().next()) || !is_end(text.chars().next_back()) {
            Some("a name starts and ends with a letter or a digit")
        } else if text.contains("--") || text.contains("..") {
            Some("hyphens and periods in a name stand alone")
        } else {
            None
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for PluginName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A plugin whose files are part of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// Its name. Agents call its skills `plugin:skill`.
    pub name: PluginName,
    /// Its directory.
    pub root: PathBuf,
    /// Whether it says that it follows the Agent Plugins specification.
    pub is_portable: bool,
    /// Where its skills lie.
    places: Vec<(PathBuf, PlaceDepth)>,
}

impl Plugin {
    /// A plugin that an agent has installed.
    pub const fn installed(name: PluginName, root: PathBuf) -> Self {
        Self { name, root, is_portable: false, places: Vec::new() }
    }
}

/// Which skills of a directory are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceDepth {
    /// The directory itself.
    Itself,
    /// The directories in it.
    Children,
    /// Everything in it.
    Below,
}

/// A manifest that was found, with its content.
#[derive(Debug, Clone)]
pub struct ManifestFile {
    /// Where it is.
    pub path: PathBuf,
    /// The directory that it describes. All of its paths are relative to it.
    pub root: PathBuf,
    /// What kind of file it is.
    pub format: &'static ManifestFormat,
    /// What it says.
    pub content: Content,
    /// The directory that it describes, if that is in an archive or a commit.
    pub packed: Option<PackedSkill>,
}

impl ManifestFile {
    /// What is at a path that the manifest names; none if nobody can tell.
    pub fn end_of(&self, relative: &Path) -> Option<LinkEnd> {
        match &self.packed {
            None if relative.as_os_str().is_empty() => Some(LinkEnd::Inside(FileKind::Directory)),
            None => Some(links::end_of(&self.root, relative)),
            // Only the skills of a commit are read.
            Some(packed) if packed.bundle.commit().is_some() => None,
            Some(packed) => Some(packed.link_end(relative)),
        }
    }
}

/// The path below a directory that a manifest means by `written`; none if it leaves the directory, or
/// is no relative path on every system.
pub fn inner_path(written: &str) -> Option<PathBuf> {
    let is_foreign = |c: char| c.is_control() || c == '\\' || c == ':';
    if written.is_empty() || written.contains(is_foreign) {
        return None;
    }
    let mut inner = PathBuf::new();
    for component in Path::new(written).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => inner.push(part),
            Component::ParentDir if inner.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        let inner = |text: &str| inner_path(text).map(|path| path.to_string_lossy().into_owned());
        for (text, path) in
            [("./", ""), (".", ""), ("./a/b/", "a/b"), ("a/../b", "b"), ("./skills/x", "skills/x")]
        {
            assert_eq!(inner(text).as_deref(), Some(path), "{text}");
        }
        for text in ["", "..", "../x", "a/../../x", "/etc", "C:/x", "a\\..\\b", "a\0b", "a\nb"] {
            assert_eq!(inner(text), None, "{text:?}");
        }
    }

    #[test]
    fn files_are_recognised_by_their_paths() {
        let root = |path: &'static str| {
            ManifestFormat::of_path(path).map(|(format, root)| (format.file, root))
        };
        assert_eq!(root("plugin.json"), Some(("plugin.json", "")));
        assert_eq!(root("a/plugin.json"), Some(("plugin.json", "a")));
        let claude = ".claude-plugin/plugin.json";
        assert_eq!(root(claude), Some((claude, "")));
        assert_eq!(root("a/b/.claude-plugin/plugin.json"), Some((claude, "a/b")));
        let codex = ".agents/plugins/marketplace.json";
        assert_eq!(root("x/.agents/plugins/marketplace.json"), Some((codex, "x")));
        for path in ["marketplace.json", "my-plugin.json", "x.claude-plugin/marketplace.json"] {
            assert_eq!(root(path), None, "{path}");
        }
    }

    #[test]
    fn names_are_judged_by_the_specification() {
        for name in ["my-plugin", "acme.tools", "lint3r", "a"] {
            assert_eq!(PluginName::problem(name), None, "{name}");
            assert!(PluginName::new(name).is_some(), "{name}");
        }
        let long = "a".repeat(65);
        for name in ["My-Plugin", "-start", "end.", "has--double", "too.many..dots", "", &long] {
            assert!(PluginName::problem(name).is_some(), "{name}");
        }
        for name in ["", "a:b", "a/b", "../a", "a b", "a\u{1b}[31m", ".a", &long] {
            assert!(PluginName::new(name).is_none(), "{name:?}");
        }
    }
}
