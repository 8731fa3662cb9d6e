//! Finds the manifests of plugins and marketplaces in directories, archives and commits. Only files
//! whose names were met anyway are opened.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::skills::files::content::{self, Content, LinkEnd, OpenDirectory};
use crate::skills::files::{Directory, FileKind};
use crate::skills::model::bundle::{Bundle, PackedSkill};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::plugin::{
    FORMATS, ManifestFile, ManifestFormat, ManifestKind, PORTABLE_SCHEMAS, PluginSet, SKILLS,
};
use crate::skills::text::json::JsonNode;
use crate::skills::text::suggest;

/// How far above a source its plugin may be: `PLUGIN/skills/NAME`.
const LEVELS_ABOVE: usize = 2;

/// The manifests of a directory that has been listed.
pub fn in_directory(path: &Path, open: &OpenDirectory) -> Vec<ManifestFile> {
    let is_candidate = |name: &[u8]| name.first() == Some(&b'.') || name == b"plugin.json";
    let has = |wanted: &str| open.entries.iter().any(|(name, _)| name == wanted);
    if !open.entries.iter().any(|(name, _)| is_candidate(name.as_encoded_bytes())) {
        return Vec::new();
    }
    let formats = FORMATS.iter().filter(|format| has(format.entry()));
    formats
        .filter_map(|format| {
            let content = on_disk(path, &open.directory, format.file);
            let file = ManifestFile {
                path: path.join(format.file),
                root: path.to_owned(),
                format,
                content,
                packed: None,
            };
            is_manifest(&file, has(SKILLS)).then_some(file)
        })
        .collect()
}

/// The manifests in an archive or a commit, outer directories first.
pub fn in_bundle(bundle: &Arc<Bundle>) -> Vec<ManifestFile> {
    let mut files: Vec<ManifestFile> = Vec::new();
    let mut candidates =
        bundle.paths().filter_map(|path| Some((path, ManifestFormat::of_path(path)?))).peekable();
    if candidates.peek().is_none() {
        return files;
    }
    let skills: HashSet<String> = bundle.skills().into_iter().map(|skill| skill.root).collect();
    // Files below a skill are its own, as on a disk.
    let is_inside = |root: &str| {
        let mut above = root;
        while let Some((parent, _)) = above.rsplit_once('/') {
            if skills.contains(parent) {
                return true;
            }
            above = parent;
        }
        !root.is_empty() && skills.contains("")
    };
    for (path, (format, root)) in candidates {
        if is_inside(root) || !bundle.is_searched(root) {
            continue;
        }
        let packed = PackedSkill {
            bundle: Arc::clone(bundle),
            root: root.to_owned(),
            skill_md: format.file.to_owned(),
            is_nested: false,
        };
        let skills = if root.is_empty() { SKILLS.to_owned() } else { format!("{root}/{SKILLS}") };
        let file = ManifestFile {
            path: bundle.path.join(path),
            root: if root.is_empty() { bundle.path.clone() } else { bundle.path.join(root) },
            format,
            content: packed.content(),
            packed: Some(packed),
        };
        if is_manifest(&file, bundle.is_directory(&skills)) {
            files.push(file);
        }
    }
    files.sort_by(|one, other| one.root.cmp(&other.root));
    files
}

/// The manifests of the plugin that a source lies in. They only name it.
pub fn above(source: &Path) -> Vec<ManifestFile> {
    let mut files = Vec::new();
    for root in source.ancestors().skip(1).take(LEVELS_ABOVE) {
        let Ok(directory) = Directory::open_real(root) else { continue };
        for format in FORMATS.iter().filter(|format| format.kind != ManifestKind::Marketplace) {
            let content = on_disk(root, &directory, format.file);
            let path = root.join(format.file);
            let file = ManifestFile { path, root: root.to_owned(), format, content, packed: None };
            files.extend(is_manifest(&file, true).then_some(file));
        }
    }
    files
}

/// Reads a manifest. A link counts if it leads to a file of the same directory.
fn on_disk(root: &Path, directory: &Directory, file: &str) -> Content {
    let path = Path::new(file);
    let content = content::read_below(directory, path);
    if content != Content::NotAFile(FileKind::Symlink) {
        return content;
    }
    match content::end_of(root, path) {
        LinkEnd::Inside(FileKind::Regular) => content::read_through(root, directory, path),
        LinkEnd::Nowhere => Content::Missing,
        LinkEnd::Inside(_) | LinkEnd::Outside | LinkEnd::Loop => content,
    }
}

/// Whether a file is a manifest. Many programs have a `plugin.json`, so one at the top must name the
/// specification, or have a name and skills beside it.
fn is_manifest(file: &ManifestFile, has_skills: bool) -> bool {
    match (&file.content, file.format.kind) {
        (Content::Missing, _) => false,
        (Content::Text(text), ManifestKind::Portable) => match JsonNode::parse(text) {
            Ok(json) => {
                let schema = json.get("$schema").and_then(JsonNode::as_str);
                schema.is_some_and(|schema| schema.starts_with(PORTABLE_SCHEMAS))
                    || has_skills && json.get("name").is_some_and(|name| name.as_str().is_some())
            }
            Err(_) => has_skills || text.contains(PORTABLE_SCHEMAS),
        },
        (_, ManifestKind::Portable) => has_skills,
        _ => true,
    }
}

/// Checks that every requested plugin is part of the sources.
pub fn require(wanted: &[String], plugins: &PluginSet) -> Result<()> {
    let names = plugins.names();
    let Some(missing) = wanted.iter().find(|name| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let elsewhere = plugins.elsewhere().iter().find(|one| one.name.as_str() == missing);
    if let Some(elsewhere) = elsewhere {
        let help = match &elsewhere.source {
            Some(source) => format!("it comes from elsewhere; name that as the source: `{source}`"),
            None => format!("it comes from {}, which cannot be a source", elsewhere.kind),
        };
        return Err(err!(NotFound, "the plugin `{missing}` is not part of this source").help(help));
    }
    Err(unknown(missing, &names))
}

/// The error for a plugin that is not there.
pub fn unknown(missing: &str, names: &[&str]) -> Error {
    let known = match names {
        [] => "there are no plugins; `--plugin` needs a source with a `plugin.json` or a \
               `marketplace.json`"
            .to_owned(),
        names => format!("available: {}", suggest::some(names)),
    };
    let error = err!(NotFound, "no plugin named `{missing}`");
    error.help(suggest::help(missing, names.iter().copied(), known))
}
