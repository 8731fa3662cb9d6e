//! Writes plain, reproducible `.tar.gz` archives: sorted, without times and owners, and the same
//! bytes on every machine.

use std::collections::BTreeSet;

use crate::skills::fetch::archive::NewFile;
use crate::skills::fetch::archive::zip::{CENTRAL, END, LOCAL, UTF8, ZipResult};
use crate::skills::files::inflate::crc32;
use crate::skills::model::error::{Error, Result, err};

const BLOCK: usize = 512;

/// The longest name in a header, and the longest start of a name.
const NAME: usize = 100;

const START: usize = 155;

/// How hard to compress. Another level makes other bytes.
const LEVEL: u8 = 6;

/// Deflated, no name, no time, an unknown system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// What an entry of the archive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum EntryType {
    File = b'0',
    Directory = b'5',
    Attributes = b'x',
}

/// Makes a reproducible `.tar.gz`, with an entry for every directory.
pub fn write_tar_gz(mut files: Vec<NewFile>) -> Result<Vec<u8>> {
    files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    let mut directories: BTreeSet<&str> = BTreeSet::new();
    let mut tar = Vec::new();
    for file in &files {
        let parents = file.path.match_indices('/').map(|(at, _)| &file.path[..=at]);
        for parent in parents {
            if directories.insert(parent) {
                add(&mut tar, EntryType::Directory, parent, 0o755, &[])?;
            }
        }
        let mode = if file.executable { 0o755 } else { 0o644 };
        add(&mut tar, EntryType::File, &file.path, mode, &file.content)?;
    }
    // Two empty blocks are the end.
    tar.resize(tar.len() + 2 * BLOCK, 0);
    let size = u32::try_from(tar.len()).map_err(|_| too_large())?;
    let mut bytes = GZIP_HEADER.to_vec();
    bytes.append(&mut miniz_oxide::deflate::compress_to_vec(&tar, LEVEL));
    bytes.extend(crc32(&tar).to_le_bytes());
    bytes.extend(size.to_le_bytes());
    Ok(bytes)
}

fn add(tar: &mut Vec<u8>, kind: EntryType, path: &str, mode: u32, content: &[u8]) -> Result<()> {
    let (start, name) = match split(path) {
        Some(parts) => parts,
        None => {
            let record = attribute("path", path);
            add(tar, EntryType::Attributes, "PaxHeaders/path", 0o644, record.as_bytes())?;
            ("", cut(path))
        }
    };
    tar.extend(header(kind, start, name, mode, content.len())?);
    tar.extend(content);
    tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    Ok(())
}

/// A path in the two fields of a header; none when it does not fit.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= NAME {
        return Some(("", path));
    }
    let slashes = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    slashes
        .into_iter()
        .find(|(start, name)| start.len() <= START && !name.is_empty() && name.len() <= NAME)
}

/// As much of a path as fits into a header.
fn cut(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let end = (0..=NAME).rev().find(|end| path.is_char_boundary(*end)).unwrap_or_default();
    &path[..end]
}

/// A record of a list of attributes: its length counts all of it, itself included.
fn attribute(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len() + 1;
    while length != rest.len() + length.to_string().len() {
        length += 1;
    }
    format!("{length}{rest}")
}

fn header(kind: EntryType, start: &str, name: &str, mode: u32, size: usize) -> Result<[u8; BLOCK]> {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &str| {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    };
    if size >= 1 << 33 {
        return Err(too_large());
    }
    put(0, name);
    put(100, &format!("{mode:07o}\0"));
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    // The checksum counts its own place as spaces.
    put(148, "        ");
    put(257, "ustar\x0000");
    put(329, "0000000\0");
    put(337, "0000000\0");
    put(345, start);
    header[156] = kind as u8;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

fn too_large() -> Error {
    err!(TooLarge, "it is too large for an archive")
}

// Writes plain, reproducible zip archives.

/// An archive in progress.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// 1980-01-01, the earliest date in the format.
const DATE: u16 = (1 << 5) | 1;

/// The version of the format with directories and compression.
const VERSION: u16 = 20;

impl Writer {
    /// Adds a file by its bytes and mode.
    pub fn add(&mut self, name: &str, mode: u32, content: &[u8], crc: u32) -> ZipResult<()> {
        let deflated = miniz_oxide::deflate::compress_to_vec(content, 6);
        // Incompressible files are stored.
        let (method, data) =
            if deflated.len() < content.len() { (8, &deflated[..]) } else { (0, content) };
        let flags = if name.is_ascii() { 0 } else { UTF8 };
        let too_large = || "it is too large for an archive".to_owned();
        let small = |length: usize| u32::try_from(length).map_err(|_| too_large());
        let name_length = u16::try_from(name.len()).map_err(|_| too_large())?;
        let offset = small(self.bytes.len())?;
        let mut common = Vec::new();
        for number in [VERSION, flags, method, 0, DATE] {
            common.extend(number.to_le_bytes());
        }
        for number in [crc, small(data.len())?, small(content.len())?] {
            common.extend(number.to_le_bytes());
        }
        common.extend(name_length.to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        self.bytes.extend(LOCAL.to_le_bytes());
        self.bytes.extend(&common);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(data);
        self.directory.extend(CENTRAL.to_le_bytes());
        self.directory.extend((3 << 8 | VERSION).to_le_bytes());
        self.directory.extend(&common);
        self.directory.extend([0; 6]);
        self.directory.extend((mode << 16).to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count = self.count.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    /// Returns the archive.
    pub fn finish(mut self) -> ZipResult<Vec<u8>> {
        let too_large = |_| "it is too large for an archive".to_owned();
        let start = u32::try_from(self.bytes.len()).map_err(too_large)?;
        let length = u32::try_from(self.directory.len()).map_err(too_large)?;
        self.bytes.append(&mut self.directory);
        self.bytes.extend(END.to_le_bytes());
        for number in [0, 0, self.count, self.count] {
            self.bytes.extend(number.to_le_bytes());
        }
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend(0_u16.to_le_bytes());
        Ok(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::skills::fetch::archive::of_tar_gz;
    use crate::skills::files::digest;

    fn file(path: &str, executable: bool, content: &str) -> NewFile {
        NewFile { path: path.to_owned(), executable, content: content.as_bytes().to_vec() }
    }

    #[test]
    fn an_archive_has_the_same_bytes_everywhere_and_reads_back() {
        let long = "long ".repeat(1000);
        let deep = format!("pdf/{}/{}", "d".repeat(90), "f".repeat(90));
        let longest = format!("pdf/{}é.txt", "x".repeat(180));
        let files = vec![
            file("pdf/SKILL.md", false, "text"),
            file("pdf/é.txt", false, ""),
            file("pdf/scripts/run.sh", true, &long),
            file(&deep, false, "deep"),
            file(&longest, false, "longest"),
        ];
        let bytes = write_tar_gz(files.clone()).unwrap();
        assert_eq!(write_tar_gz(files.iter().rev().cloned().collect()).unwrap(), bytes);
        let bundle = Arc::new(of_tar_gz(Path::new("x.tar.gz"), &bytes[..]).unwrap());
        for file in &files {
            assert_eq!(bundle.read(&file.path).as_ref(), Some(&file.content), "{}", file.path);
        }
        let skills = bundle.skills();
        assert_eq!(skills.len(), 1);
        let inventory = skills[0].inventory();
        let is_executable = |path: &str| {
            inventory.entries.iter().any(|one| one.path == Path::new(path) && one.executable)
        };
        assert!(is_executable("scripts/run.sh") && !is_executable("SKILL.md"));
    }

    /// The digests of what was published change with these bytes, so a change must be meant.
    #[test]
    fn the_bytes_of_an_archive_never_change() {
        let files = vec![
            file("pdf/SKILL.md", false, &"---\nname: pdf\n---\nRead it.\n".repeat(100)),
            file("pdf/run.sh", true, "#!/bin/sh\n"),
        ];
        let digest = digest::of_bytes(&write_tar_gz(files).unwrap()).to_string();
        assert_eq!(digest, "50c493945aba5e0489e29a571af7749a64c58dedb04a16b137268c3899819f6a");
    }

    #[test]
    fn the_length_of_an_attribute_counts_itself() {
        assert_eq!(attribute("path", "a/b"), "12 path=a/b\n");
        for length in [1, 88, 89, 90, 91, 92, 990, 991, 992, 993] {
            let record = attribute("k", &"v".repeat(length));
            let told: usize = record.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(told, record.len());
        }
    }
}
