//! Reads the files of a commit that were found.

use std::path::PathBuf;

use super::Commit;
use super::load::{DIRECTORY, LINK, LoadFault, MODULE, is_known};
use super::objects::{ObjectFault, ObjectKind, Objects, TreeEntry};
use crate::skills::files::platform::FileKind;
use crate::skills::model::bundle::{Bundle, BundleOrigin, BundledFile, CONTENT_BYTES, StoredBytes};
use crate::skills::model::error::err;

/// The largest manifest of a plugin.
const MANIFEST_BYTES: usize = 1024 * 1024;
/// The start of a file whose content is not in the repository.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Reads the files that were found.
pub(super) fn bundle(
    objects: &mut Objects,
    commit: &Commit,
    found: Vec<(String, TreeEntry)>,
    manifests: Vec<(String, TreeEntry)>,
) -> Result<Bundle, LoadFault> {
    let refused =
        |reason: String| LoadFault::Failed(err!(Validation, "`{commit}` is refused: {reason}"));
    let origin = BundleOrigin::Commit(commit.clone());
    let mut bundle = Bundle::new(PathBuf::from(commit.to_string()), origin, Vec::new());
    let mut missing = Vec::new();
    let mut left = CONTENT_BYTES;
    let found = found.into_iter().map(|found| (found, false));
    let manifests = manifests.into_iter().map(|found| (found, true));
    for ((path, entry), is_manifest) in found.chain(manifests) {
        let added = match entry.mode {
            DIRECTORY => bundle.add_directory(path),
            MODULE => bundle.add_file(path, nothing("a submodule, which is not fetched")),
            mode => {
                let most = if is_manifest { left.min(MANIFEST_BYTES) } else { left };
                let file = match read(objects, &entry, most, &mut bundle) {
                    Ok((ObjectKind::Blob, file)) if is_known(mode) => file,
                    Ok(_) => return Err(refused(format!("`{path}` is not a file"))),
                    Err(ObjectFault::Missing) => {
                        missing.push(entry.id);
                        continue;
                    }
                    // It is not part of a skill, so it does not spoil the skills. Its bytes count,
                    // because git sends them.
                    Err(ObjectFault::TooLarge(size)) if is_manifest && size <= left => {
                        left -= size;
                        let _ = bundle.add_file(path, nothing("larger than a manifest may be"));
                        continue;
                    }
                    Err(fault) => return Err(fault.into()),
                };
                left -= file.size;
                bundle.add_file(path, file)
            }
        };
        added.map_err(refused)?;
    }
    if !missing.is_empty() {
        missing.sort_unstable();
        missing.dedup();
        return Err(LoadFault::MissingFiles(missing));
    }
    bundle.finish().map_err(refused)
}

/// Reads one file into the bundle, part by part: it may be larger than all memory.
fn read(
    objects: &mut Objects,
    entry: &TreeEntry,
    most: usize,
    bundle: &mut Bundle,
) -> Result<(ObjectKind, BundledFile), ObjectFault> {
    let mut place = bundle.store(&[]).map_err(ObjectFault::Kept)?;
    let mut is_pointer = false;
    let object = objects.read_parts(&entry.id, most, &mut |part| {
        is_pointer |= place.is_empty() && part.starts_with(LFS_POINTER);
        place.end = bundle.store(part)?.end;
        Ok(())
    })?;
    if is_pointer {
        return Ok((object, nothing("a Git LFS pointer without its content")));
    }
    let kind = if entry.mode == LINK { FileKind::Symlink } else { FileKind::Regular };
    let (executable, size) = (entry.mode & 0o111 != 0, place.len());
    let data = StoredBytes::Plain(place);
    Ok((object, BundledFile { kind, executable, size, data }))
}

/// An entry without content.
fn nothing(what: &'static str) -> BundledFile {
    BundledFile {
        kind: FileKind::Special(what),
        executable: false,
        size: 0,
        data: StoredBytes::Plain(0..0),
    }
}
