//! `.tar.gz` archives: unpacked once from the stream, into a bundle whose bytes need not fit into
//! memory.

use std::io::Read;
use std::path::Path;

use super::tar::{TarEntry, TarFault, TarKind, TarReader};
use super::{ARCHIVE_BYTES, LINK_BYTES};
use crate::skills::files::inflate::Gunzip;
use crate::skills::files::platform::FileKind;
use crate::skills::model::bundle::{
    Bundle, BundleOrigin, BundledFile, CONTENT_BYTES, ENTRIES, StoredBytes,
};
use crate::skills::model::error::{Error, Result};

/// The maximum unpacked size: all content, and as much again for headers and padding.
const UNPACKED_BYTES: u64 = 2 * CONTENT_BYTES as u64;
/// Bytes that are unpacked at once.
const PART: usize = 64 * 1024;

/// Whether a file is named `.tar.gz` or `.tgz`.
pub(super) fn is_tarball(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name.ends_with(".tar.gz") || name.ends_with(".tgz"))
}

/// Reads and validates an archive from a stream.
///
/// # Errors
/// A stream that cannot be read, or content that two programs could read differently.
pub fn of_stream(path: &Path, stream: impl Read) -> Result<Bundle> {
    unpack(path, stream.take(ARCHIVE_BYTES)).map_err(|fault| match fault {
        TarFault::Refused(reason) => super::refused(path, &reason),
        TarFault::TooLarge => super::too_large(path),
        TarFault::Io(error) => Error::io("read", path, &error),
        TarFault::Spool(error) => Error::spooling(&error),
    })
}

fn unpack(path: &Path, stream: impl Read) -> Result<Bundle, TarFault> {
    let mut reader = TarReader::new(Gunzip::new(stream)?, UNPACKED_BYTES);
    let mut bundle = Bundle::new(path.to_owned(), BundleOrigin::Archive, Vec::new());
    let (mut entries, mut left) = (0, CONTENT_BYTES);
    while let Some(entry) = reader.next()? {
        entries += 1;
        let size = usize::try_from(entry.size).unwrap_or(usize::MAX);
        left = left.checked_sub(size).filter(|_| entries <= ENTRIES).ok_or(TarFault::TooLarge)?;
        let Some(name) = name(&entry.name).map_err(TarFault::Refused)? else { continue };
        add(&mut bundle, name, &entry, &mut reader)?;
    }
    bundle.finish().map_err(TarFault::Refused)
}

fn add<R: Read>(
    bundle: &mut Bundle,
    name: String,
    entry: &TarEntry,
    reader: &mut TarReader<R>,
) -> Result<(), TarFault> {
    let added = match &entry.kind {
        TarKind::Directory => bundle.add_directory(name),
        TarKind::File => {
            let file = file(bundle, entry, reader)?;
            bundle.add_file(name, file)
        }
        TarKind::Symlink(target) if target.len() > LINK_BYTES => Err(super::long_link(&name)),
        TarKind::Symlink(target) => {
            let data = StoredBytes::Plain(bundle.store(target).map_err(TarFault::Spool)?);
            let (kind, size) = (FileKind::Symlink, target.len());
            bundle.add_file(name, BundledFile { kind, executable: false, size, data })
        }
        TarKind::HardLink(target) => {
            let first = self::name(target).map_err(TarFault::Refused)?.unwrap_or_default();
            bundle.add_again(name, &first)
        }
    };
    added.map_err(TarFault::Refused)
}

/// Keeps the bytes of a file.
fn file<R: Read>(
    bundle: &mut Bundle,
    entry: &TarEntry,
    reader: &mut TarReader<R>,
) -> Result<BundledFile, TarFault> {
    let mut part = [0; PART];
    let mut range = bundle.store(&[]).map_err(TarFault::Spool)?;
    loop {
        let length = reader.content(&mut part)?;
        if length == 0 {
            break;
        }
        range.end = bundle.store(&part[..length]).map_err(TarFault::Spool)?.end;
    }
    Ok(BundledFile {
        kind: FileKind::Regular,
        executable: entry.mode & 0o111 != 0,
        size: range.len(),
        data: StoredBytes::Plain(range),
    })
}

/// The name of an entry; none for the root itself. `tar` starts names with `./` when it packs a
/// directory from inside.
fn name(bytes: &[u8]) -> Result<Option<String>, String> {
    let inner = bytes.strip_prefix(b"./").unwrap_or(bytes);
    if inner.is_empty() && !bytes.is_empty() || inner == b"." {
        return Ok(None);
    }
    super::name(inner).map(|name| Some(name.trim_end_matches('/').to_owned()))
}
