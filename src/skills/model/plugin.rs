//! Plugins: which files describe them, what those say, and which skills belong to which plugin.
//!
//! Manifests are untrusted. Reading one only compares paths: nothing that a manifest names is opened
//! because it names it, and a path that leaves the directory of its manifest counts for nothing.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::skills::files::FileKind;
use crate::skills::files::content::{self, Content, LinkEnd};
use crate::skills::model::bundle::PackedSkill;
use crate::skills::model::location::Location;
use crate::skills::text::document::{NAME_CHARS, SKILL_MD};
use crate::skills::text::json::JsonNode;

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
            None => Some(content::end_of(&self.root, relative)),
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

// What a manifest declares, leniently: whatever is wrong in it is left to `validate`.

/// More plugins than this of one manifest are left out, because a hostile one could list a million.
const MOST: usize = 10_000;

/// What one manifest declares.
#[derive(Debug, Default)]
pub struct DeclaredPlugins {
    pub local: Vec<Plugin>,
    /// Plugins of a marketplace that says nothing about their skills.
    pub undescribed: Vec<Plugin>,
    pub elsewhere: Vec<ElsewherePlugin>,
}

/// Reads a manifest.
pub fn declared(file: &ManifestFile) -> DeclaredPlugins {
    let json = match &file.content {
        Content::Text(text) => JsonNode::parse(text).ok(),
        _ => None,
    };
    let Some(json) = json.filter(|json| json.members().is_some()) else {
        return DeclaredPlugins::default();
    };
    match file.format.kind {
        ManifestKind::Marketplace => marketplace(file, &json),
        ManifestKind::Plugin | ManifestKind::Portable => {
            let local = plugin(file, &json).into_iter().collect();
            DeclaredPlugins { local, ..DeclaredPlugins::default() }
        }
    }
}

/// The plugin of a `plugin.json`. One without a usable name is called like its directory.
fn plugin(file: &ManifestFile, json: &JsonNode<'_>) -> Option<Plugin> {
    let text = |key: &str| json.get(key)?.as_str();
    let name = text("name").and_then(PluginName::new).or_else(|| of_directory(&file.root))?;
    let is_portable = file.format.kind == ManifestKind::Portable
        && text("$schema").is_some_and(|schema| schema.starts_with(PORTABLE_SCHEMAS));
    let listed = match is_portable {
        // The specification fixes the place.
        true => None,
        false => json.get("skills"),
    };
    let places = places(&file.root, listed, listed.is_some());
    Some(Plugin { name, root: file.root.clone(), is_portable, places })
}

/// The plugins of a `marketplace.json`.
fn marketplace(file: &ManifestFile, json: &JsonNode<'_>) -> DeclaredPlugins {
    let base = json.get("metadata").and_then(|metadata| metadata.get("pluginRoot"));
    let base = base.and_then(JsonNode::as_str).and_then(inner_path);
    let mut declared = DeclaredPlugins::default();
    let entries = json.get("plugins").and_then(JsonNode::elements).unwrap_or_default();
    for entry in entries.iter().take(MOST) {
        let name = entry.get("name").and_then(JsonNode::as_str).and_then(PluginName::new);
        let (Some(name), Some(source)) = (name, entry.get("source")) else { continue };
        let path = match local_source(source) {
            Some(path) => path,
            // A place that is not named is nowhere.
            None if source.get("source").and_then(JsonNode::as_str) == Some("local") => continue,
            None => {
                declared.elsewhere.push(match source.as_str() {
                    Some(address) => ElsewherePlugin::at_address(name, address),
                    None => ElsewherePlugin::of(name, source),
                });
                continue;
            }
        };
        let Some(inner) = inner_source(path, base.as_deref()) else { continue };
        let root = joined(&file.root, &inner);
        let listed = entry.get("skills");
        // A plugin that is the whole marketplace has the skills that are listed, and no others,
        // whatever its `strict` says. Claude 2.1.197 was seen to do so.
        let places = places(&root, listed, listed.is_some() && !inner.as_os_str().is_empty());
        let plugin = Plugin { name, root, is_portable: false, places };
        match listed {
            Some(_) => declared.local.push(plugin),
            None => declared.undescribed.push(plugin),
        }
    }
    declared
}

/// The path that a `source` of a marketplace means; none if it is not in the same place.
pub fn local_source<'a>(source: &'a JsonNode<'_>) -> Option<&'a str> {
    if let Some(path) = source.as_str() {
        let is_address = path.contains("://") || path.starts_with("git@");
        return (!is_address).then_some(path);
    }
    let text = |key: &str| source.get(key).and_then(JsonNode::as_str);
    match text("source") {
        Some("local") => text("path"),
        // Codex takes this for the marketplace itself.
        Some("url") => text("url").filter(|url| url.starts_with("./") || *url == "."),
        _ => None,
    }
}

/// The same below the directory of the marketplace. A bare name lies in the directory for plugins.
pub fn inner_source(path: &str, base: Option<&Path>) -> Option<PathBuf> {
    let inner = inner_path(path)?;
    let is_bare = !path.starts_with('.');
    Some(base.filter(|_| is_bare).map_or_else(|| inner.clone(), |base| base.join(&inner)))
}

/// Where the skills of a plugin lie: where the manifest says, and in the usual directory if nothing
/// is listed or if `with_default` says so.
fn places(
    root: &Path,
    listed: Option<&JsonNode<'_>>,
    with_default: bool,
) -> Vec<(PathBuf, PlaceDepth)> {
    let Some(listed) = listed else {
        return vec![(root.join(SKILLS), PlaceDepth::Below), (root.to_owned(), PlaceDepth::Itself)];
    };
    let one = std::slice::from_ref(listed);
    let listed = listed.elements().unwrap_or(one).iter().take(MOST);
    let paths = listed.filter_map(JsonNode::as_str).filter_map(inner_path);
    let mut places: Vec<(PathBuf, PlaceDepth)> = paths
        .map(|mut path| {
            // A path to `SKILL.md` means its directory.
            if path.file_name().is_some_and(|name| name == SKILL_MD) {
                path.pop();
            }
            (joined(root, &path), PlaceDepth::Below)
        })
        .collect();
    if with_default {
        places.push((root.join(SKILLS), PlaceDepth::Children));
    }
    places
}

fn joined(root: &Path, inner: &Path) -> PathBuf {
    if inner.as_os_str().is_empty() { root.to_owned() } else { root.join(inner) }
}

fn of_directory(root: &Path) -> Option<PluginName> {
    PluginName::new(root.file_name()?.to_str()?)
}

// The plugins of a run, and the plugin of each skill.

/// The plugins of a run, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub struct PluginSet {
    plugins: Vec<Arc<Plugin>>,
    /// The plugins that have skills in a directory. Those that describe themselves come first.
    places: HashMap<PathBuf, Vec<PlaceClaim>>,
    /// The directories with a manifest of their own, which decides where their skills are.
    described: HashSet<PathBuf>,
    /// What marketplaces call the plugin in a directory.
    undescribed: HashMap<PathBuf, Vec<usize>>,
    /// The place of each plugin in `plugins`.
    numbers: HashMap<(PathBuf, PluginName), usize>,
    elsewhere: Vec<ElsewherePlugin>,
    seen: HashSet<ElsewherePlugin>,
    manifests: Vec<ManifestFile>,
}

/// Who says that the skills in a directory belong to a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The plugin itself.
    Own,
    /// A marketplace that lists them.
    Listed,
    /// A marketplace that names the plugin only.
    Undescribed,
}

/// A plugin that has skills in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlaceClaim {
    rank: Rank,
    number: usize,
    reach: PlaceDepth,
}

/// How many plugins may claim one directory, because each skill is compared with all of them.
const MOST_AT_PLACE: usize = 64;

impl PluginSet {
    pub fn manifests(&self) -> &[ManifestFile] {
        &self.manifests
    }

    /// Plugins that lie somewhere else.
    pub fn elsewhere(&self) -> &[ElsewherePlugin] {
        &self.elsewhere
    }

    /// The names of the plugins that are here, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Adds what a manifest declares, and keeps the manifest.
    pub fn add(&mut self, file: ManifestFile) {
        self.declare(&file);
        self.manifests.push(file);
    }

    /// Adds what a manifest declares that lies above the source.
    pub fn declare(&mut self, file: &ManifestFile) {
        let DeclaredPlugins { local, undescribed, elsewhere } = declared(file);
        let rank = match file.format.kind {
            ManifestKind::Marketplace => Rank::Listed,
            ManifestKind::Plugin | ManifestKind::Portable => Rank::Own,
        };
        local.into_iter().for_each(|plugin| self.insert(plugin, rank));
        undescribed.into_iter().for_each(|plugin| self.insert(plugin, Rank::Undescribed));
        for plugin in elsewhere {
            if self.seen.insert(plugin.clone()) {
                self.elsewhere.push(plugin);
            }
        }
    }

    fn insert(&mut self, plugin: Plugin, rank: Rank) {
        let key = (plugin.root.clone(), plugin.name.clone());
        let number = *self.numbers.entry(key).or_insert(self.plugins.len());
        match self.plugins.get_mut(number) {
            Some(known) if plugin.is_portable => Arc::make_mut(known).is_portable = true,
            Some(_) => {}
            None => self.plugins.push(Arc::new(plugin.clone())),
        }
        match rank {
            Rank::Own => {
                self.described.insert(plugin.root);
            }
            Rank::Undescribed => {
                let here = self.undescribed.entry(plugin.root).or_default();
                if here.len() < MOST_AT_PLACE {
                    here.push(number);
                }
            }
            Rank::Listed => {}
        }
        for (place, reach) in plugin.places {
            let claim = PlaceClaim { rank, number, reach };
            let here = self.places.entry(place).or_default();
            if here.len() < MOST_AT_PLACE && !here.contains(&claim) {
                let after = here.partition_point(|known| known.rank <= rank);
                here.insert(after, claim);
            }
        }
    }

    /// The plugin of a skill at this path. Of several, one that is wanted, else the nearest.
    pub fn of(&self, path: &Path, wanted: &[String]) -> Option<&Arc<Plugin>> {
        if self.places.is_empty() {
            return None;
        }
        let is_wanted = |plugin: &Plugin| wanted.iter().any(|name| name == plugin.name.as_str());
        let mut nearest = None;
        for (level, directory) in path.ancestors().enumerate() {
            for claim in self.places.get(directory).into_iter().flatten() {
                let reaches = match claim.reach {
                    PlaceDepth::Itself => level == 0,
                    PlaceDepth::Children => level == 1,
                    PlaceDepth::Below => true,
                };
                let plugin = &self.plugins[claim.number];
                let is_described = || self.described.contains(&plugin.root);
                if !reaches || (claim.rank == Rank::Undescribed && is_described()) {
                    continue;
                }
                if is_wanted(plugin) {
                    return Some(plugin);
                }
                // The marketplace may call it by another name.
                let names = self.undescribed.get(&plugin.root).filter(|_| claim.rank == Rank::Own);
                let names = names.into_iter().flatten().map(|number| &self.plugins[*number]);
                if let Some(plugin) = names.into_iter().find(|plugin| is_wanted(plugin)) {
                    return Some(plugin);
                }
                nearest = nearest.or(Some(plugin));
            }
        }
        nearest
    }
}

// Plugins of a marketplace that lie somewhere else.

/// A plugin that a marketplace takes from another place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ElsewherePlugin {
    pub name: PluginName,
    /// What to write to get its skills; none if this program cannot get them.
    pub source: Option<String>,
    /// The kind of place, such as `npm`.
    pub kind: String,
}

impl ElsewherePlugin {
    /// The plugin and its source, for people.
    pub fn shown(&self) -> String {
        match &self.source {
            Some(source) => format!("`{}` (`{source}`)", self.name),
            None => format!("`{}` (from {})", self.name, self.kind),
        }
    }

    /// Reads the `source` object of a plugin.
    pub fn of(name: PluginName, source: &JsonNode<'_>) -> Self {
        let text = |key: &str| source.get(key).and_then(JsonNode::as_str);
        let kind = text("source").unwrap_or("another place");
        let revision = text("sha").or_else(|| text("ref"));
        let path = text("path").unwrap_or_default();
        let place = text("repo").or_else(|| text("url")).or_else(|| match kind.contains("://") {
            true => Some(kind),
            false => None,
        });
        Self {
            source: place.and_then(|place| location(place, path, revision)),
            kind: kind.to_owned(),
            name,
        }
    }

    /// Reads a `source` that is an address.
    pub fn at_address(name: PluginName, address: &str) -> Self {
        let kind = "another place".to_owned();
        Self { name, source: location(address, "", None), kind }
    }
}

/// The canonical form of a git source. Only what the network protects is suggested.
fn location(place: &str, path: &str, revision: Option<&str>) -> Option<String> {
    let path = path.trim_start_matches("./").trim_matches('/');
    let revision = revision.map(|revision| format!("@{revision}")).unwrap_or_default();
    let github = place
        .strip_prefix("https://github.com/")
        .map(|rest| rest.trim_end_matches('/').trim_end_matches(".git"))
        .or_else(|| (!place.contains([':', '\\']) && !place.starts_with('.')).then_some(place))
        .filter(|rest| rest.split('/').count() == 2);
    let is_protected = ["https://", "ssh://"].iter().any(|start| place.starts_with(start));
    let text = match github {
        Some(repository) if path.is_empty() => format!("gh:{repository}{revision}"),
        Some(repository) => format!("gh:{repository}/{path}{revision}"),
        None if is_protected && path.is_empty() => format!("git+{place}{revision}"),
        None if is_protected => format!("git+{place}//{path}{revision}"),
        None => return None,
    };
    Location::parse(&text).ok().flatten().map(|location| location.to_string())
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

#[cfg(test)]
mod set_tests {
    use super::*;
    use crate::skills::files::content::Content;
    use FORMATS;

    fn set(files: &[(&str, &str, &str)]) -> PluginSet {
        let mut set = PluginSet::default();
        for (root, file, text) in files {
            let format = FORMATS.iter().find(|format| format.file == *file).unwrap();
            let root = PathBuf::from(root);
            let content = Content::Text((*text).to_owned());
            set.add(ManifestFile { path: root.join(file), root, format, content, packed: None });
        }
        set
    }

    fn of<'a>(set: &'a PluginSet, path: &str, wanted: &[&str]) -> Option<&'a str> {
        let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        set.of(Path::new(path), &wanted).map(|plugin| plugin.name.as_str())
    }

    const CLAUDE: &str = ".claude-plugin/plugin.json";
    const MARKET: &str = ".claude-plugin/marketplace.json";

    #[test]
    fn skills_belong_to_the_plugin_that_lists_them() {
        let set = set(&[(
            "/r",
            MARKET,
            r#"{"plugins":[
                {"name":"docs","source":"./","strict":false,"skills":["./skills/pdf"]},
                {"name":"all","source":"./","skills":["./skills/pdf","./skills/csv"]},
                {"name":"part","source":"./p","strict":false,"skills":["./more/maps"]},
                {"name":"away","source":"../x"},
                {"name":"far","source":{"source":"github","repo":"o/r"}}]}"#,
        )]);
        assert_eq!(of(&set, "/r/skills/pdf", &[]), Some("docs"));
        assert_eq!(of(&set, "/r/skills/pdf", &["all"]), Some("all"));
        assert_eq!(of(&set, "/r/skills/csv", &[]), Some("all"));
        assert_eq!(of(&set, "/r/skills/other", &[]), None);
        assert_eq!(of(&set, "/x/skills/a", &[]), None);
        // Outside the root of the marketplace, the usual directory counts as well.
        assert_eq!(of(&set, "/r/p/more/maps", &[]), Some("part"));
        assert_eq!(of(&set, "/r/p/skills/a", &[]), Some("part"));
        assert_eq!(of(&set, "/r/p/more/other", &[]), None);
        assert_eq!(set.names(), ["all", "docs", "part"]);
        assert_eq!(set.elsewhere().len(), 1);
    }

    #[test]
    fn a_plugin_names_its_own_skills() {
        let set = set(&[
            ("/r", MARKET, r#"{"plugins":[{"name":"entry","source":"./p"}]}"#),
            ("/r/p", CLAUDE, r#"{"name":"own"}"#),
            ("/r/q", CLAUDE, r#"{"name":"listed","skills":["./a/one"]}"#),
            ("/r/bad name", CLAUDE, "{}"),
            ("/m", CLAUDE, r#"{"name":"m","skills":["./skills/a/one"]}"#),
            ("/m", MARKET, r#"{"plugins":[{"name":"m","source":"./"}]}"#),
        ]);
        // The plugin decides what the marketplace leaves open.
        assert_eq!(of(&set, "/m/skills/a/one", &["m"]), Some("m"));
        assert_eq!(of(&set, "/m/skills/a/two", &["m"]), None);
        assert_eq!(of(&set, "/r/p/skills/x", &[]), Some("own"));
        assert_eq!(of(&set, "/r/p/skills/x", &["entry"]), Some("entry"));
        assert_eq!(of(&set, "/r/p/skills/group/x", &[]), Some("own"));
        assert_eq!(of(&set, "/r/p", &[]), Some("own"));
        assert_eq!(of(&set, "/r/p/other/x", &[]), None);
        assert_eq!(of(&set, "/r/q/a/one", &[]), Some("listed"));
        assert_eq!(of(&set, "/r/q/a/two", &[]), None);
        assert_eq!(of(&set, "/r/q/skills/x", &[]), Some("listed"));
        assert_eq!(of(&set, "/r/q/skills/group/x", &[]), None);
        assert_eq!(of(&set, "/r/bad name/skills/x", &[]), None);
    }
}

#[cfg(test)]
mod elsewhere_tests {
    use super::*;

    #[test]
    fn other_places_are_written_as_sources() {
        let source = |json: &str| {
            let node = JsonNode::parse(json).unwrap();
            ElsewherePlugin::of(PluginName::new("a").unwrap(), &node).source
        };
        for (json, written) in [
            (r#"{"source":"github","repo":"o/r"}"#, "gh:o/r"),
            (r#"{"source":"github","repo":"o/r","ref":"v1"}"#, "gh:o/r@v1"),
            (r#"{"source":"url","url":"https://github.com/o/r.git","ref":"main"}"#, "gh:o/r@main"),
            (
                r#"{"source":"git-subdir","url":"https://github.com/o/r","path":"./a/b"}"#,
                "gh:o/r/a/b",
            ),
            (
                r#"{"source":"url","url":"https://example.com/x.git","ref":"v2"}"#,
                "git+https://example.com/x.git@v2",
            ),
        ] {
            assert_eq!(source(json).as_deref(), Some(written), "{json}");
        }
        for json in [
            r#"{"source":"npm","package":"x"}"#,
            r#"{"source":"url","url":"file:///etc"}"#,
            r#"{"source":"url","url":"ext::sh -c id"}"#,
            r#"{"source":"url","url":"http://127.0.0.1/x"}"#,
            r#"{"source":"url","url":"https://user:secret@example.com/x.git"}"#,
            r#"{"source":"github","repo":"../../etc"}"#,
            r#"{"source":"github","repo":"o/r","path":"../x"}"#,
            r#"{"source":7}"#,
            "[]",
        ] {
            assert_eq!(source(json), None, "{json}");
        }
    }
}
