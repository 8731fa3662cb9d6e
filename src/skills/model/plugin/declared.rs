//! What a manifest declares, leniently: whatever is wrong in it is left to `validate`.

use std::path::{Path, PathBuf};

use super::{
    ElsewherePlugin, ManifestFile, ManifestKind, PORTABLE_SCHEMAS, PlaceDepth, Plugin, PluginName,
    SKILLS, inner_path,
};
use crate::skills::files::content::Content;
use crate::skills::text::document::SKILL_MD;
use crate::skills::text::json::JsonNode;

/// More plugins than this of one manifest are left out, because a hostile one could list a million.
const MOST: usize = 10_000;

/// What one manifest declares.
#[derive(Debug, Default)]
pub(super) struct DeclaredPlugins {
    pub(super) local: Vec<Plugin>,
    /// Plugins of a marketplace that says nothing about their skills.
    pub(super) undescribed: Vec<Plugin>,
    pub(super) elsewhere: Vec<ElsewherePlugin>,
}

/// Reads a manifest.
pub(super) fn declared(file: &ManifestFile) -> DeclaredPlugins {
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
