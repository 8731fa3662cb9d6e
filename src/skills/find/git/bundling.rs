//! Reads the files of a commit that were found.

use std::io;
use std::path::PathBuf;

use super::Commit;
use super::load::{DIRECTORY, LINK, LoadFault, MODULE, is_known};
use super::objects::{ObjectFault, ObjectKind, Objects, TreeEntry};
use crate::skills::files::platform::FileKind;
use crate::skills::model::bundle::{Bundle, BundleOrigin, BundledFile, CONTENT_BYTES, StoredBytes};
use crate::skills::model::error::{Error, ErrorKind};

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
    let refused = |reason: String| {
        let message = format!("`{commit}` is refused: {reason}");
        LoadFault::Failed(Error::new(ErrorKind::Validation, message))
    };
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
                let object = match objects.read(&entry.id, most) {
                    Ok(object) if object.kind == ObjectKind::Blob && is_known(mode) => object,
                    Ok(_) => return Err(refused(format!("`{path}` is not a file"))),
                    Err(ObjectFault::Missing) => {
                        missing.push(entry.id);
                        continue;
                    }
                    // It is not part of a skill, so it does not spoil the skills.
                    Err(ObjectFault::TooLarge) if is_manifest && most < left => {
                        let _ = bundle.add_file(path, nothing("larger than a manifest may be"));
                        continue;
                    }
                    Err(fault) => return Err(fault.into()),
                };
                left -= object.bytes.len();
                let file = file(mode, &object.bytes, &mut bundle)
                    .map_err(|error| LoadFault::Failed(Error::spooling(&error)))?;
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

fn file(mode: u32, bytes: &[u8], bundle: &mut Bundle) -> io::Result<BundledFile> {
    if bytes.starts_with(LFS_POINTER) {
        return Ok(nothing("a Git LFS pointer without its content"));
    }
    let kind = if mode == LINK { FileKind::Symlink } else { FileKind::Regular };
    let data = StoredBytes::Plain(bundle.store(bytes)?);
    Ok(BundledFile { kind, executable: mode & 0o111 != 0, size: bytes.len(), data })
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
