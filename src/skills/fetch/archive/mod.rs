//! Reads `.skill`, `.zip` and `.tar.gz` archives. An archive is read and checked as a whole before
//! it is used.

pub mod tar;
pub mod write;
pub mod zip;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use crate::skills::fetch::archive::of_stream as of_tar_gz;
use crate::skills::fetch::archive::tar::{TarEntry, TarFault, TarKind, TarReader};
pub use crate::skills::fetch::archive::write::write_tar_gz;
use crate::skills::fetch::archive::zip::{KeptBytes, RawEntry, ZipBytes};
use crate::skills::files::inflate::{Gunzip, Inflate, check_plain, crc32};
use crate::skills::files::{self, FileKind};
use crate::skills::model::bundle::{
    Bundle, BundleOrigin, BundledFile, CONTENT_BYTES, ENTRIES, PATH_BYTES, StoredBytes,
};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::text::document::{RELATIVE_PATH_BYTES, SKILL_DEPTH};
use crate::skills::text::quote::name_problem;

/// The largest archive.
pub const ARCHIVE_BYTES: u64 = 64 * 1024 * 1024;

/// Whether a file of this name is an archive.
pub fn is_archive(path: &Path) -> bool {
    let is = |wanted: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(wanted));
    is("skill") || is("zip") || is_tarball(path)
}

/// A larger archive of the cache is not read into memory.
const MEMORY_BYTES: u64 = 4 * 1024 * 1024;

/// Bytes that are checked at once.
const PART: usize = 256 * 1024;

/// How an archive is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// `.zip` or `.skill`.
    Zip,
    /// `.tar.gz` or `.tgz`.
    TarGz,
}

impl ArchiveFormat {
    /// That of a file with this name.
    pub fn of_name(path: &Path) -> Self {
        if is_tarball(path) { Self::TarGz } else { Self::Zip }
    }

    /// That of an archive that starts with these bytes; no archive starts like both.
    pub fn of_start(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::TarGz),
            [b'P', b'K', ..] => Some(Self::Zip),
            _ => None,
        }
    }
}

/// Reads and validates an archive.
pub fn open(path: &Path) -> Result<Bundle> {
    let file = files::open_without_following(path);
    let file = file.map_err(|error| Error::io("read", path, &error))?;
    of_file(path, file, ArchiveFormat::of_name(path))
}

/// Reads and validates an archive that is open, and is called `path` in messages.
pub fn of_file(path: &Path, file: File, format: ArchiveFormat) -> Result<Bundle> {
    let unreadable = |error: &std::io::Error| Error::io("read", path, error);
    let metadata = file.metadata().map_err(|error| unreadable(&error))?;
    if metadata.len() > ARCHIVE_BYTES {
        return Err(too_large(path));
    }
    if format == ArchiveFormat::TarGz {
        return of_stream(path, file);
    }
    // A growing buffer could take twice the memory.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(ARCHIVE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > ARCHIVE_BYTES {
        return Err(too_large(path));
    }
    of_bytes(path, bytes)
}

/// Reads one directory of an archive.
pub fn open_directory(path: &Path, directory: &str) -> Result<Bundle> {
    open(path)?.within(directory).ok_or_else(|| {
        err!(NotFound, "there is no directory `{directory}` in `{}`", path.display()).at(path)
    })
}

/// Reads and validates an archive in a file that nobody else changes, such as one of the cache. A
/// large one is not read into memory.
pub fn of_kept_file(path: &Path, file: File, format: ArchiveFormat) -> Result<Bundle> {
    let bytes = file.metadata().map_err(|error| Error::io("read", path, &error))?.len();
    if format != ArchiveFormat::Zip || bytes <= MEMORY_BYTES || bytes > ARCHIVE_BYTES {
        return of_file(path, file, format);
    }
    let checked = checked(path, &KeptBytes::new(&file, usize::try_from(bytes).unwrap_or(0)))?;
    let bundle = Bundle::of_file(path.to_owned(), BundleOrigin::Archive, file, bytes);
    filled(path, bundle, checked)
}

/// Validates an archive in memory.
pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> Result<Bundle> {
    let checked = checked(path, &bytes)?;
    filled(path, Bundle::new(path.to_owned(), BundleOrigin::Archive, bytes), checked)
}

/// The entries of an archive, with their names.
type CheckedEntries = Vec<(String, BundledFile)>;

/// Reads and validates the entries.
fn checked(path: &Path, bytes: &dyn ZipBytes) -> Result<CheckedEntries> {
    let refused = |reason: String| refused(path, &reason);
    let directory = zip::directory(bytes).map_err(refused)?;
    if directory.count > ENTRIES || directory.place.len() > PATH_BYTES {
        return Err(too_large(path));
    }
    let entries = zip::entries(bytes, &directory).map_err(refused)?;
    let total = entries.iter().fold(0_usize, |sum, entry| sum.saturating_add(entry.size));
    if total > CONTENT_BYTES {
        return Err(too_large(path));
    }
    let checked: Result<Vec<_>, String> = entries.iter().map(|entry| check(bytes, entry)).collect();
    checked.map_err(refused)
}

/// Adds entries to a bundle that has their bytes.
fn filled(path: &Path, mut bundle: Bundle, entries: CheckedEntries) -> Result<Bundle> {
    for (name, file) in entries {
        let added = match file.kind {
            FileKind::Directory => bundle.add_directory(name),
            _ => bundle.add_file(name, file),
        };
        added.map_err(|reason| refused(path, &reason))?;
    }
    bundle.finish().map_err(|reason| refused(path, &reason))
}

/// Checks one entry and its bytes.
fn check(bytes: &dyn ZipBytes, entry: &RawEntry) -> Result<(String, BundledFile), String> {
    let name = name(&entry.name)?;
    if !entry.is_utf8 && !name.is_ascii() {
        let shown = name.escape_default();
        return Err(format!("the name `{shown}` has an unknown encoding"));
    }
    let shown = name.trim_end_matches('/').to_owned();
    let is_directory = name.ends_with('/');
    let kind = check_kind(entry, is_directory).map_err(|kind| format!("`{shown}` is {kind}"))?;
    if kind == FileKind::Symlink && entry.size > LINK_BYTES {
        return Err(long_link(&shown));
    }
    if is_directory && entry.size > 0 {
        return Err(format!("`{shown}` is a directory with content"));
    }
    // Decompress once to verify the checksum, but do not keep the result: it may be large.
    let end = entry.data.end;
    let parts = entry.data.clone().step_by(PART).map(|at| bytes.part(at..end.min(at + PART)));
    let checked = if entry.is_deflated {
        Inflate::new(parts, entry.size, entry.crc).check()
    } else if entry.data.len() != entry.size {
        Err("does not have its declared size".to_owned())
    } else {
        check_plain(parts, entry.crc)
    };
    checked.map_err(|reason| format!("`{shown}` {reason}"))?;
    let range = entry.data.clone();
    let file = BundledFile {
        kind,
        executable: kind == FileKind::Regular && entry.mode & 0o111 != 0,
        size: entry.size,
        data: if entry.is_deflated {
            StoredBytes::Deflated(range, entry.crc)
        } else {
            StoredBytes::Plain(range)
        },
    };
    Ok((shown, file))
}

/// The longest target of a link.
const LINK_BYTES: usize = 4_096;

/// MS-DOS and Windows attributes: a disk label, a device, a link.
const NO_FILE: u16 = 0x0008 | 0x0040 | 0x0400;

/// The attribute of a directory.
const DIRECTORY: u16 = 0x0010;

/// Checks that name, mode and attributes agree on whether an entry is a file or a directory.
fn check_kind(entry: &RawEntry, is_directory: bool) -> Result<FileKind, &'static str> {
    let kind = match entry.mode & 0o170_000 {
        0 | 0o100_000 if !is_directory => FileKind::Regular,
        0 | 0o040_000 if is_directory => FileKind::Directory,
        0o120_000 if !is_directory => FileKind::Symlink,
        _ => return Err("neither a file nor a directory"),
    };
    match entry.attributes {
        other if other & NO_FILE != 0 => Err("neither a file nor a directory"),
        other if other & DIRECTORY != 0 && !is_directory => Err("a file and a directory"),
        _ => Ok(kind),
    }
}

fn long_link(shown: &str) -> String {
    format!("`{shown}` is a link to a path that is too long")
}

/// The name of an entry: a relative path with printable components.
fn name(bytes: &[u8]) -> Result<String, String> {
    let name = std::str::from_utf8(bytes).map_err(|_| "a name is not UTF-8".to_owned())?;
    let shown = name.escape_default();
    let is_drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with('/') || is_drive {
        return Err(format!("`{shown}` is an absolute path"));
    }
    if name.contains('\\') || name.split('/').any(|part| name_problem(part).is_some()) {
        return Err(format!("the name `{shown}` contains characters that are not allowed"));
    }
    let parts: Vec<&str> = name.strip_suffix('/').unwrap_or(name).split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err(format!("`{shown}` leads out of the archive"));
    }
    let too_long = name.len() > RELATIVE_PATH_BYTES * 2 || parts.len() > SKILL_DEPTH * 2;
    if too_long {
        return Err(format!("`{shown}` is too long or too deep"));
    }
    Ok(name.to_owned())
}

fn refused(path: &Path, reason: &str) -> Error {
    err!(Validation, "`{}` is refused: {reason}", path.display())
        .at(path)
        .help("nothing was read from it; use `skills pack` to make archives")
}

fn too_large(path: &Path) -> Error {
    err!(
        TooLarge,
        "`{}` is too large: at most {} MiB, {} MiB unpacked and {ENTRIES} entries are read",
        path.display(),
        ARCHIVE_BYTES / 1024 / 1024,
        CONTENT_BYTES / 1024 / 1024
    )
    .at(path)
}

/// A file to put into an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its path in the archive.
    pub path: String,
    pub executable: bool,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// Makes a reproducible archive: sorted, without timestamps.
pub fn write(mut files: Vec<NewFile>) -> Result<Vec<u8>> {
    files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    let mut writer = write::Writer::default();
    let cannot = |reason: String| Error::new(ErrorKind::TooLarge, reason);
    for file in &files {
        let mode = if file.executable { 0o100_755 } else { 0o100_644 };
        let crc = crc32(&file.content);
        writer.add(&file.path, mode, &file.content, crc).map_err(cannot)?;
    }
    writer.finish().map_err(cannot)
}

// `.tar.gz` archives: unpacked once from the stream, into a bundle whose bytes need not fit into
// memory.

/// The maximum unpacked size: all content, and as much again for headers and padding.
const UNPACKED_BYTES: u64 = 2 * CONTENT_BYTES as u64;

/// Bytes that are unpacked at once.
const TAR_PART: usize = 64 * 1024;

/// Whether a file is named `.tar.gz` or `.tgz`.
pub fn is_tarball(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name.ends_with(".tar.gz") || name.ends_with(".tgz"))
}

/// Reads and validates an archive from a stream.
///
/// # Errors
/// A stream that cannot be read, or content that two programs could read differently.
pub fn of_stream(path: &Path, stream: impl Read) -> Result<Bundle> {
    unpack(path, stream.take(ARCHIVE_BYTES)).map_err(|fault| match fault {
        TarFault::Refused(reason) => refused(path, &reason),
        TarFault::TooLarge => too_large(path),
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
        let Some(name) = entry_name(&entry.name).map_err(TarFault::Refused)? else { continue };
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
        TarKind::Symlink(target) if target.len() > LINK_BYTES => Err(long_link(&name)),
        TarKind::Symlink(target) => {
            let data = StoredBytes::Plain(bundle.store(target).map_err(TarFault::Spool)?);
            let (kind, size) = (FileKind::Symlink, target.len());
            bundle.add_file(name, BundledFile { kind, executable: false, size, data })
        }
        TarKind::HardLink(target) => {
            let first = self::entry_name(target).map_err(TarFault::Refused)?.unwrap_or_default();
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
    let mut part = [0; TAR_PART];
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
fn entry_name(bytes: &[u8]) -> Result<Option<String>, String> {
    let inner = bytes.strip_prefix(b"./").unwrap_or(bytes);
    if inner.is_empty() && !bytes.is_empty() || inner == b"." {
        return Ok(None);
    }
    name(inner).map(|name| Some(name.trim_end_matches('/').to_owned()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn file(path: &str, executable: bool, content: &str) -> NewFile {
        NewFile { path: path.to_owned(), executable, content: content.as_bytes().to_vec() }
    }

    #[test]
    fn a_lock_reads_back_in_any_order() {
        let long = "long ".repeat(1000);
        let files = vec![
            file("pdf/SKILL.md", false, "text"),
            file("pdf/é.txt", false, ""),
            file("pdf/scripts/run.sh", true, &long),
        ];
        let bytes = write(files.clone()).unwrap();
        assert_eq!(write(files.iter().rev().cloned().collect()).unwrap(), bytes);
        let archive = Arc::new(of_bytes(Path::new("x.skill"), bytes).unwrap());
        assert_eq!(archive.read("pdf/scripts/run.sh").unwrap(), long.as_bytes());
        let skills = archive.skills();
        assert_eq!(skills.len(), 1);
        assert_eq!(skills[0].root, "pdf");
        let inventory = skills[0].inventory();
        let paths: Vec<String> =
            inventory.entries.iter().map(|entry| entry.path.display().to_string()).collect();
        assert_eq!(paths, ["SKILL.md", "scripts", "scripts/run.sh", "é.txt"]);
        assert!(inventory.entries[2].executable && !inventory.entries[0].executable);
    }

    #[test]
    fn a_name_is_neither_too_long_nor_too_deep() {
        let (long, deep) = (|bytes| "x".repeat(bytes), |parts| vec!["x"; parts].join("/"));
        assert!(name(long(2_048).as_bytes()).is_ok() && name(deep(64).as_bytes()).is_ok());
        assert!(name(long(2_049).as_bytes()).is_err() && name(deep(65).as_bytes()).is_err());
    }

    #[test]
    fn every_flipped_bit_is_noticed_or_changes_nothing() {
        let bytes =
            write(vec![file("pdf/SKILL.md", false, "some text that is long enough")]).unwrap();
        let whole = of_bytes(Path::new("x"), bytes.clone()).unwrap();
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            if let Ok(archive) = of_bytes(Path::new("x"), flipped) {
                // Timestamps, versions and modes may vary here; names may not.
                let same_content = archive.read("pdf/SKILL.md") == whole.read("pdf/SKILL.md");
                assert!(same_content || archive.read("pdf/SKILL.md").is_none(), "bit {at}");
            }
        }
    }

    #[test]
    fn nothing_but_an_archive_is_one() {
        let bytes = write(vec![file("a/SKILL.md", false, "x")]).unwrap();
        let parts = [
            Vec::new(),
            b"PK".to_vec(),
            vec![0; 100],
            [b"x".to_vec(), bytes.clone()].concat(),
            [bytes.clone(), b"x".to_vec()].concat(),
            [bytes.clone(), bytes.clone()].concat(),
            bytes[..bytes.len() - 1].to_vec(),
        ];
        for (number, part) in parts.into_iter().enumerate() {
            assert!(of_bytes(Path::new("x"), part).is_err(), "{number}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for path in [
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a//b",
            "a/./b",
            "C:/x",
            "a\\b",
            "a\u{1b}b",
            "a\nb",
            "a\u{202e}b",
            "",
        ] {
            let bytes = write(vec![file(path, false, "x")]).unwrap();
            assert!(of_bytes(Path::new("x"), bytes).is_err(), "{path:?}");
        }
        for paths in [["a", "a"], ["a", "a/b"]] {
            let files = paths.map(|path| file(path, false, "x")).to_vec();
            let bytes = write(files).unwrap();
            assert!(of_bytes(Path::new("x"), bytes).is_err(), "{paths:?}");
        }
    }
}
