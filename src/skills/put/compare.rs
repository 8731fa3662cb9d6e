//! Compares an installed skill with what its source would install, file by file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::skills::files::content::OpenDirectory;
use crate::skills::files::digest::{Differences, portable};
use crate::skills::files::inventory::{Descent, Inventory, is_part_of_skill};
use crate::skills::find::manifest::trust;
use crate::skills::find::record::InstallRecord;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::{self, Allowance};
use crate::skills::text::document::SKILL_BYTES;

/// A file that is not the same in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path below the skill.
    pub path: String,
    /// The installed file; none if the source adds it.
    pub before: Option<FileVersion>,
    /// The file of the source; none if only the installed skill has it.
    pub after: Option<FileVersion>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// Whether it has an execute bit.
    pub executable: bool,
    pub bytes: Vec<u8>,
}

/// The files that differ, sorted by path.
pub fn changes(installed: &Path, candidate: &Candidate) -> Result<Vec<FileChange>> {
    let allowance = Allowance::new(SKILL_BYTES, u64::MAX);
    // Nobody can raise this limit.
    let source = source_files::contents(candidate, &allowance)
        .map_err(|error| Error { help: None, ..error })?;
    let source = source.into_iter();
    let mut source: BTreeMap<String, FileVersion> = source
        .map(|(path, executable, bytes)| (portable(&path), FileVersion { executable, bytes }))
        .collect();
    let mut installed = contents(installed)?;
    let paths: BTreeSet<String> = source.keys().chain(installed.keys()).cloned().collect();
    let change = |path: String| {
        let (before, after) = (installed.remove(&path), source.remove(&path));
        (before != after).then_some(FileChange { path, before, after })
    };
    Ok(paths.into_iter().filter_map(change).collect())
}

/// The paths of files that are new, changed or gone.
pub fn differences(changes: &[FileChange]) -> Differences {
    let mut differences = Differences::default();
    for FileChange { path, before, after } in changes {
        let paths = match (before, after) {
            (None, _) => &mut differences.added,
            (Some(_), None) => &mut differences.removed,
            (Some(_), Some(_)) => &mut differences.changed,
        };
        paths.push(path.clone());
    }
    differences
}

/// The files of an installed skill. Links are not followed.
fn contents(path: &Path) -> Result<BTreeMap<String, FileVersion>> {
    let failed = |error: &io::Error| Error::io("read", path, error);
    let open = OpenDirectory::open(path).map_err(|error| failed(&error))?;
    let inventory = Inventory::of_directory(&open, None);
    if inventory.bytes > SKILL_BYTES || inventory.excess.is_some() {
        return Err(
            err!(TooLarge, "`{}` is larger than the limit for a skill", path.display()).at(path)
        );
    }
    let mut descent = Descent::new(&open.directory);
    let mut files = BTreeMap::new();
    for entry in inventory.files().filter(|entry| is_part_of_skill(&entry.path)) {
        let mut bytes = Vec::new();
        let file = descent.file(&entry.path).map_err(|error| failed(&error))?;
        file.take(entry.bytes).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        let version = FileVersion { executable: entry.executable, bytes };
        files.insert(portable(&entry.path), version);
    }
    Ok(files)
}

/// The source that a record names. A record in a project came with the project: it may name paths in
/// it and public repositories, and nothing else.
pub fn source_of(record: &InstallRecord, project: Option<&Path>) -> Result<Request> {
    if record.kind == RecordedKind::Known(SkillKind::Inline) {
        return Err(err!(
            Usage,
            "`{}` is an inline skill of a manifest, so there are no files to compare",
            record.name
        ));
    }
    // For a skill on disk, its own directory is more precise than the collection it was found in.
    let is_own = [SkillKind::Directory, SkillKind::File].map(RecordedKind::Known);
    let text = match &record.requested {
        Some(requested) if !is_own.contains(&record.kind) => requested,
        _ => &record.source,
    };
    let request = Request::named(Path::new(text))?;
    let Some(root) = project else { return Ok(request) };
    let is_allowed = match &request.what {
        RequestedSource::Git(location, _) => trust::is_public(location),
        RequestedSource::Network(source) => source.address.is_public(),
        RequestedSource::Path(path) => {
            return within(root, path).map(Request::path).ok_or_else(|| untrusted(record, text));
        }
        RequestedSource::Inline(_) | RequestedSource::Packed(..) => false,
    };
    if is_allowed { Ok(request) } else { Err(untrusted(record, text)) }
}

/// A relative path in the project, without links.
fn within(root: &Path, path: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let real = root.join(path).canonicalize().ok()?;
    (path.is_relative() && real.starts_with(&root)).then_some(real)
}

fn untrusted(record: &InstallRecord, source: &str) -> Error {
    let message =
        format!("the record of this project says that `{}` came from `{source}`", record.name);
    Error::new(ErrorKind::Unsafe, message).help(
        "a record in a project may name paths in the project and public repositories; \
         name the source yourself: `skills show SOURCE --diff`",
    )
}
