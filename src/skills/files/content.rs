//! Reads the bytes of a file: once, bounded, never through a link that was not checked, never blocking.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::skills::files::{self, Directory, DirectoryEntry, FileKind, FileStat, met_link};
use crate::skills::text::document::SKILL_MD_BYTES;
use crate::skills::text::position::{Position, PositionRange};

/// The content of a `SKILL.md`, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The whole file.
    Text(String),
    /// Bytes that are not UTF-8.
    NotUtf8 {
        /// The first invalid byte.
        place: PositionRange,
        /// Whether the file looks like UTF-16.
        utf16: bool,
    },
    /// More than is read.
    TooLarge {
        /// The size the file system reports.
        bytes: u64,
    },
    /// A link, directory, pipe, socket or device.
    NotAFile(FileKind),
    /// No such entry.
    Missing,
    /// The system refused, in its words.
    Unreadable(String),
}

/// Reads the file at `path`.
pub fn read(path: &Path) -> Content {
    files::open_without_following(path).and_then(read_open).unwrap_or_else(|error| {
        let kind = std::fs::symlink_metadata(path).map(|data| data.file_type().into());
        refused(&error, kind)
    })
}

/// Reads the file at a real path, through no link.
pub fn read_real(path: &Path) -> Content {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Content::Missing;
    };
    match Directory::open_real(parent) {
        Ok(directory) => read_in(&directory, name),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Content::Missing,
        Err(error) => Content::Unreadable(system_message(&error)),
    }
}

/// The bytes of a regular file that is open, at most this many.
pub fn whole(file: File, most: u64) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    if metadata.len() <= most {
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    if metadata.len().max(bytes.len() as u64) > most {
        return Err(io::Error::other(format!("more than {most} bytes")));
    }
    Ok(bytes)
}

/// Whether an open file begins like a script.
pub fn is_script(mut file: &File) -> bool {
    let mut start = [0; 2];
    file.read_exact(&mut start).is_ok_and(|()| start == *b"#!")
}

/// The bytes and the metadata of the file at `path`.
pub fn bytes(path: &Path) -> Result<(Vec<u8>, FileStat), Content> {
    let read = || -> io::Result<_> {
        let file = files::open_without_following(path)?;
        let metadata = file.metadata()?;
        Ok(bytes_of(file, &metadata)?.map(|bytes| (bytes, FileStat::of(&metadata))))
    };
    read().unwrap_or_else(|error| Err(refused(&error, Ok(FileKind::Regular))))
}

/// Reads the file of this name in an open directory.
pub fn read_in(directory: &Directory, name: &OsStr) -> Content {
    read_with_stat(directory, name).0
}

/// The same, with the metadata of the open file, so that no second call is needed.
pub fn read_with_stat(directory: &Directory, name: &OsStr) -> (Content, Option<FileStat>) {
    let mut stat = None;
    let read = directory.file(name).and_then(|file| {
        let metadata = file.metadata()?;
        stat = metadata.is_file().then(|| FileStat::of(&metadata));
        read_known(file, &metadata)
    });
    (read.unwrap_or_else(|error| refused(&error, directory.kind(name))), stat)
}

/// Reads a file somewhere below an open directory, through no link.
pub fn read_below(directory: &Directory, path: &Path) -> Content {
    let read = directory.file_below(path).and_then(read_open);
    read.unwrap_or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Content::Missing,
        _ if files::met_link(&error) => Content::NotAFile(FileKind::Symlink),
        _ => Content::Unreadable(system_message(&error)),
    })
}

/// What stands in place of a file that could not be opened.
fn refused(error: &io::Error, kind: io::Result<FileKind>) -> Content {
    match kind {
        Ok(FileKind::Regular) => Content::Unreadable(system_message(error)),
        Ok(kind) => Content::NotAFile(kind),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Content::Missing,
        Err(error) => Content::Unreadable(system_message(&error)),
    }
}

/// The system's words without the number that Rust appends.
pub fn system_message(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// Reads a file that is open.
pub fn read_open(file: File) -> io::Result<Content> {
    let metadata = file.metadata()?;
    read_known(file, &metadata)
}

fn read_known(file: File, metadata: &Metadata) -> io::Result<Content> {
    Ok(bytes_of(file, metadata)?.map_or_else(|instead| instead, of_bytes))
}

/// Classifies bytes that were read elsewhere.
pub fn of_bytes(bytes: Vec<u8>) -> Content {
    if bytes.len() as u64 > SKILL_MD_BYTES {
        return Content::TooLarge { bytes: bytes.len() as u64 };
    }
    match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text),
        Err(error) => not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()),
    }
}

fn bytes_of(file: File, metadata: &Metadata) -> io::Result<Result<Vec<u8>, Content>> {
    let kind = FileKind::from(metadata.file_type());
    if kind != FileKind::Regular {
        return Ok(Err(Content::NotAFile(kind)));
    }
    if metadata.len() > SKILL_MD_BYTES {
        return Ok(Err(Content::TooLarge { bytes: metadata.len() }));
    }
    let expected = usize::try_from(metadata.len()).unwrap_or(0);
    // One byte more than the reported size: if a read leaves it empty, it met the end.
    let mut bytes = Vec::with_capacity(expected + 1);
    files::read_once(&file, &mut bytes)?;
    if bytes.len() != expected {
        // It grows while it is read, or reports size 0 like files in `/proc`.
        file.take(SKILL_MD_BYTES + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > SKILL_MD_BYTES {
        return Ok(Err(Content::TooLarge { bytes: bytes.len() as u64 }));
    }
    Ok(Ok(bytes))
}

fn not_utf8(bytes: &[u8], valid: usize) -> Content {
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let start = Position {
        line: 1 + before.matches('\n').count(),
        column: 1 + before[line_start..].chars().count(),
    };
    let end = Position { column: start.column + 1, ..start };
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    Content::NotUtf8 { place: PositionRange { start, end }, utf16 }
}

// An open directory with a list of its entries.

/// An open directory and its entries.
#[derive(Debug)]
pub struct OpenDirectory {
    /// Opens entries.
    pub directory: Directory,
    /// All names, sorted.
    pub entries: Vec<DirectoryEntry>,
}

impl OpenDirectory {
    /// Opens and lists the directory at `path`, which may be a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::list(Directory::open(path)?)
    }

    /// Opens and lists the directory at a real path. A link that was put there since is an error.
    pub fn open_real(path: &Path) -> io::Result<Self> {
        Self::list(Directory::open_real(path)?)
    }

    /// Lists a directory that is open.
    pub fn list(directory: Directory) -> io::Result<Self> {
        let entries = directory.entries()?;
        Ok(Self { directory, entries })
    }
}

// Where a symbolic link inside a skill leads.

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkEnd {
    /// To something inside the skill.
    Inside(FileKind),
    /// To something outside the skill, or to something unreadable.
    Outside,
    /// To nothing.
    Nowhere,
    /// To itself, or to a directory above it.
    Loop,
}

/// Where the link at `path` below the directory of a skill leads. Copying opens the target
/// component by component, so a link swapped after this check leads nowhere.
pub fn end_of(skill: &Path, path: &Path) -> LinkEnd {
    let Ok(root) = skill.canonicalize() else { return LinkEnd::Outside };
    let real = match root.join(path).canonicalize() {
        Ok(real) => real,
        Err(error) => return end_of_failure(&error),
    };
    let parent = path.parent().and_then(|parent| root.join(parent).canonicalize().ok());
    match real.symlink_metadata() {
        _ if !real.starts_with(&root) => LinkEnd::Outside,
        Ok(data) if data.is_dir() => match parent {
            Some(parent) if parent.starts_with(&real) => LinkEnd::Loop,
            _ => LinkEnd::Inside(FileKind::Directory),
        },
        Ok(data) if data.is_file() => LinkEnd::Inside(FileKind::Regular),
        // A pipe or device is refused by a rule of its own.
        Ok(_) | Err(_) => LinkEnd::Outside,
    }
}

/// Reads what the link at `path` leads to, if that is a file below `root`. The file is opened from
/// the open directory of that path, so that no link swapped after this check leads outside.
pub fn read_through(root: &Path, directory: &Directory, path: &Path) -> Content {
    match target_below(root, path) {
        Ok(inner) => read_below(directory, &inner),
        Err(error) => Content::Unreadable(system_message(&error)),
    }
}

fn target_below(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    let real = root.join(path).canonicalize()?;
    Ok(real.strip_prefix(&root).map_err(io::Error::other)?.to_owned())
}

fn end_of_failure(error: &io::Error) -> LinkEnd {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LinkEnd::Nowhere,
        _ if met_link(error) => LinkEnd::Loop,
        _ => LinkEnd::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_for_growing_files() {
        const MOST: usize = 1024 * 1024;
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        for seen in [0, 10, MOST - 1, MOST, MOST + 1] {
            for there in [0, 10, MOST - 1, MOST, MOST + 1, MOST + 70_000] {
                std::fs::write(&path, vec![b'x'; seen]).unwrap();
                let metadata = path.metadata().unwrap();
                // It grows or shrinks between the size check and the read.
                std::fs::write(&path, vec![b'y'; there]).unwrap();
                let read = bytes_of(File::open(&path).unwrap(), &metadata).unwrap();
                if seen > MOST || there > MOST {
                    // Of a file that has grown, no more is read than shows it.
                    let bytes = MOST as u64 + 1;
                    assert_eq!(read, Err(Content::TooLarge { bytes }), "{seen} {there}");
                } else {
                    assert_eq!(read.unwrap(), vec![b'y'; there], "{seen} {there}");
                }
            }
        }
        assert!(matches!(of_bytes(vec![b'x'; MOST]), Content::Text(_)));
        assert_eq!(of_bytes(vec![b'x'; MOST + 1]), Content::TooLarge { bytes: MOST as u64 + 1 });
    }

    #[test]
    fn a_whole_file_has_at_most_so_many_bytes() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        let open = || File::open(&path).unwrap();
        assert_eq!(whole(open(), 5).unwrap(), b"12345");
        assert!(whole(open(), 4).is_err());
        // This one has more bytes than it says.
        #[cfg(target_os = "linux")]
        assert!(whole(File::open("/proc/version").unwrap(), 5).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn what_stands_in_place_of_a_file_is_told() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("sub")).unwrap();
        std::fs::write(temp.path().join("sub/file"), "x").unwrap();
        std::os::unix::fs::symlink("sub", temp.path().join("link")).unwrap();
        let directory = Directory::open(temp.path()).unwrap();
        let too_long = "x".repeat(300);
        for (path, expected) in [
            ("sub/file", Content::Text("x".to_owned())),
            ("sub", Content::NotAFile(FileKind::Directory)),
            ("sub/missing", Content::Missing),
            ("sub/file/inner", Content::Missing),
            ("link", Content::NotAFile(FileKind::Symlink)),
            ("link/file", Content::NotAFile(FileKind::Symlink)),
            (too_long.as_str(), Content::Unreadable("file name too long".to_owned())),
        ] {
            assert_eq!(read_below(&directory, Path::new(path)), expected, "{path}");
            if !path.contains('/') {
                assert_eq!(read_in(&directory, OsStr::new(path)), expected, "{path}");
                assert_eq!(read(&temp.path().join(path)), expected, "{path}");
            }
        }
        assert_eq!(read_in(&directory, OsStr::new("missing")), Content::Missing);
    }

    #[test]
    fn a_bad_byte_has_a_place_and_utf16_is_recognised() {
        let Content::NotUtf8 { place, utf16 } = not_utf8(b"a\n\xc3\xa9\xff", 4) else { panic!() };
        assert_eq!(place.start, Position { line: 2, column: 2 });
        assert_eq!(place.end, Position { line: 2, column: 3 });
        assert!(!utf16);
        let Content::NotUtf8 { utf16, .. } = not_utf8(&[0xff, 0xfe, b'-', 0], 0) else { panic!() };
        assert!(utf16);
    }
}
