//! An index on this disk, with the artifacts that lie beside it: what is about to be published.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use super::artifact::{of_archive, of_files, of_skill_md};
use super::index::{EntryContent, INDEX_BYTES, SiteEntry, SiteIndex};
use crate::skills::files::content;
use crate::skills::files::digest::{self, Digest};
use crate::skills::files::platform::{self, Directory};
use crate::skills::model::bundle::{Bundle, BundleOrigin};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::text::limits::SKILL_BYTES;

/// Where a site has its index; addresses of this form lead to files beside it.
const WELL_KNOWN: &str = "/.well-known/agent-skills/";

/// Whether a file of this name is an index.
pub fn is_index(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "index.json")
}

/// Reads an index, and all artifacts that lie beside it.
pub fn open(path: &Path) -> Result<Bundle> {
    let file = platform::open_without_following(path);
    let file = file.map_err(|error| Error::io("read", path, &error))?;
    let bytes =
        content::whole(file, INDEX_BYTES).map_err(|error| Error::io("read", path, &error))?;
    let index = SiteIndex::parse(&bytes).map_err(|reason| refused(path, &[reason]))?;
    let faults = index.passed.iter().map(|passed| format!("`{}`: {}", passed.name, passed.reason));
    let mut faults: Vec<String> = faults.collect();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let mut artifacts = Vec::new();
    for entry in &index.entries {
        match read(directory, entry) {
            Ok(artifact) => artifacts.push((entry.name.clone(), artifact)),
            Err(reason) => faults.push(format!("`{}`: {reason}", entry.name)),
        }
    }
    let mut bundle = Bundle::new(path.to_owned(), BundleOrigin::Archive, Vec::new());
    if let Err(reason) = super::gather(&mut bundle, artifacts) {
        faults.push(reason);
    }
    if !faults.is_empty() {
        return Err(refused(path, &faults));
    }
    bundle.finish().map_err(|reason| refused(path, &[reason]))
}

/// Reads what an entry names.
fn read(directory: &Path, entry: &SiteEntry) -> Result<Bundle, String> {
    let said = |error: Error| error.message;
    match &entry.content {
        EntryContent::SkillMd { url, digest } => {
            let (path, file) = checked(directory, url, *digest)?;
            of_skill_md(&path, file).map_err(said)
        }
        EntryContent::Archive { url, digest } => {
            let (path, file) = checked(directory, url, *digest)?;
            of_archive(&path, file).map_err(said)
        }
        EntryContent::Files(paths) => {
            let root = directory.join(&entry.name);
            let mut files = Vec::new();
            for path in paths {
                let file = below(&root, Path::new(path));
                let bytes = file.and_then(|file| content::whole(file, SKILL_BYTES));
                let bytes = bytes.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
                files.push((path.clone(), bytes));
            }
            of_files(&root, files).map_err(said)
        }
    }
}

/// The file that an address means, if it has this digest.
fn checked(directory: &Path, url: &str, wanted: Digest) -> Result<(PathBuf, File), String> {
    let inner = inner_path(url).ok_or_else(|| {
        format!("its address `{}` does not lead to a file beside the index", url.escape_default())
    })?;
    let shown = inner.display();
    let file =
        below(directory, &inner).map_err(|_| format!("`{shown}` is not beside the index"))?;
    let found = digest::of_reader(&file).map_err(|error| format!("`{shown}`: {error}"))?;
    let found = Digest::from(found);
    if found != wanted {
        return Err(format!("the digest of `{shown}` is {found}, not {wanted}"));
    }
    let file = below(directory, &inner).map_err(|error| format!("`{shown}`: {error}"))?;
    Ok((directory.join(inner), file))
}

/// Opens a file below a directory without following links.
fn below(directory: &Path, path: &Path) -> std::io::Result<File> {
    Directory::open(directory)?.file_below(path)
}

/// The path below the index that an address means.
fn inner_path(url: &str) -> Option<PathBuf> {
    let inner = url.strip_prefix(WELL_KNOWN).unwrap_or(url);
    let inner = inner.strip_prefix("./").unwrap_or(inner);
    let is_plain = !inner.contains(['?', '#', '%', ':', '\\']);
    let path = Path::new(inner);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && is_inside && !inner.is_empty()).then(|| path.to_owned())
}

fn refused(path: &Path, faults: &[String]) -> Error {
    const SHOWN: usize = 20;
    let shown = path.display();
    let message = match faults {
        [only] => format!("`{shown}` cannot be published: {only}"),
        _ => format!("`{shown}` cannot be published, for {} reasons", faults.len()),
    };
    let mut help: Vec<String> = Vec::new();
    if faults.len() > 1 {
        help.extend(faults.iter().take(SHOWN).cloned());
        if faults.len() > SHOWN {
            help.push(format!("and {} more", faults.len() - SHOWN));
        }
    }
    help.push("`skills pack DIRS --index DIR` writes an index with its artifacts".to_owned());
    Error::new(ErrorKind::Validation, message).at(path).help(help.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_beside_the_index_mean_files() {
        for (url, path) in [
            ("pdf.zip", Some("pdf.zip")),
            ("./a/pdf.zip", Some("a/pdf.zip")),
            ("/.well-known/agent-skills/pdf.zip", Some("pdf.zip")),
            ("/pdf.zip", None),
            ("../pdf.zip", None),
            ("https://h/pdf.zip", None),
            ("pdf.zip?x", None),
            ("a%2fb", None),
            ("", None),
        ] {
            assert_eq!(inner_path(url).as_deref(), path.map(Path::new), "{url}");
        }
    }
}
