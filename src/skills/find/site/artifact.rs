//! One skill as a site publishes it: a `SKILL.md`, an archive, or several files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::skills::files::platform::{self, FileKind};
use crate::skills::find::archive::{self, ArchiveFormat};
use crate::skills::model::bundle::{Bundle, BundleOrigin, BundledFile, StoredBytes};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::text::document::{Document, SKILL_MD};
use crate::skills::text::limits::SKILL_MD_BYTES;

/// A skill that is a `SKILL.md` and nothing else.
pub fn of_skill_md(shown: &Path, file: File) -> Result<Bundle> {
    let mut bytes = Vec::new();
    let read = file.take(SKILL_MD_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io("read", shown, &error))?;
    if bytes.len() as u64 > SKILL_MD_BYTES {
        return Err(err!(TooLarge, "`{}` is larger than a `SKILL.md` may be", shown.display()));
    }
    of_files(shown, vec![(SKILL_MD.to_owned(), bytes)])
}

/// A skill in an archive, whose first bytes say how it is stored, and which nobody else changes.
pub fn of_archive(shown: &Path, file: File) -> Result<Bundle> {
    let mut start = [0; 2];
    let format = platform::read_at(&file, &mut start, 0).ok();
    let format = format.and_then(|()| ArchiveFormat::of_start(&start));
    archive::of_kept_file(shown, file, format.unwrap_or_else(|| ArchiveFormat::of_name(shown)))
}

/// A skill of several files.
pub fn of_files(shown: &Path, files: Vec<(String, Vec<u8>)>) -> Result<Bundle> {
    let mut bundle = Bundle::new(shown.to_owned(), BundleOrigin::Archive, Vec::new());
    for (path, bytes) in files {
        let range = bundle.store(&bytes).map_err(|error| Error::spooling(&error))?;
        let (kind, size) = (FileKind::Regular, bytes.len());
        let data = StoredBytes::Plain(range);
        let file = BundledFile { kind, executable: false, size, data };
        bundle.add_file(path, file).map_err(|reason| refused(shown, &reason))?;
    }
    bundle.finish().map_err(|reason| refused(shown, &reason))
}

fn refused(shown: &Path, reason: &str) -> Error {
    err!(Validation, "`{}` is refused: {reason}", shown.display())
}

/// Where the skill is in an artifact: at its root, or in its only directory with a `SKILL.md`.
pub(super) fn root(artifact: &Bundle) -> Result<String, String> {
    let shown = artifact.path.display();
    match artifact.shallow_skills().as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(format!("there is no `SKILL.md` in `{shown}`")),
        _ => Err(format!("there are several skills in `{shown}`, and its index names one")),
    }
}

/// The valid name that the `SKILL.md` of an artifact declares.
pub(super) fn declared_name(artifact: &Bundle, root: &str) -> Option<String> {
    let path = if root.is_empty() { SKILL_MD.to_owned() } else { format!("{root}/{SKILL_MD}") };
    let text = String::from_utf8(artifact.read_bounded(&path, SKILL_MD_BYTES)?.ok()?).ok()?;
    let declared = Document::parse(&text).string("name")?.to_owned();
    SkillName::new(&declared).is_ok().then_some(declared)
}
