//! The digest of a skill: paths, execute bits and bytes, and nothing else.
//!
//! One line for each regular file, sorted by path: the SHA-256 of its bytes in hexadecimal, a
//! blank, `x` or `-`, a blank, the path with `/` between its parts. The digest is the SHA-256 of
//! these lines. `docs/digest.md` shows how to compute it with a shell.
//!
//! A skill has no digest if a path is not UTF-8 or has a control character, because its line could
//! then be read in two ways.

use std::fmt::{self, Write as _};
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::skills::files::content::OpenDirectory;
use crate::skills::files::inventory::{Descent, Inventory, is_part_of_skill};
use crate::skills::files::{Directory, FileKind};

/// The prefix of every digest.
const PREFIX: &str = "sha256:";

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// The digest of a skill, written as `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Digest([u8; 32]);

/// The SHA-256 of the bytes of one file, written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct FileHash([u8; 32]);

/// The error for text that is not a digest or hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDigest {
    /// The digest of a skill.
    #[error("invalid digest: `sha256:` and 64 lower-case hexadecimal digits expected")]
    Skill,
    /// The hash of a file.
    #[error("invalid SHA-256: 64 lower-case hexadecimal digits expected")]
    File,
}

impl Digest {
    /// Reads a digest as it is written.
    pub fn parse(text: &str) -> Result<Self, InvalidDigest> {
        text.strip_prefix(PREFIX).and_then(unhex).map(Self).ok_or(InvalidDigest::Skill)
    }
}

impl FileHash {
    /// Reads a hash as it is written.
    pub fn parse(text: &str) -> Result<Self, InvalidDigest> {
        unhex(text).map(Self).ok_or(InvalidDigest::File)
    }

    /// The hash that has been computed.
    pub fn of(hash: Sha256) -> Self {
        Self(hash.finalize().into())
    }
}

/// The hash of some bytes, as the name of what they are.
impl From<FileHash> for Digest {
    fn from(hash: FileHash) -> Self {
        Self(hash.0)
    }
}

/// The same bytes, as the hash of a file.
impl From<Digest> for FileHash {
    fn from(digest: Digest) -> Self {
        Self(digest.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", FileHash(self.0))
    }
}

impl fmt::Display for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl TryFrom<String> for Digest {
    type Error = InvalidDigest;

    fn try_from(text: String) -> Result<Self, InvalidDigest> {
        Self::parse(&text)
    }
}

impl TryFrom<String> for FileHash {
    type Error = InvalidDigest;

    fn try_from(text: String) -> Result<Self, InvalidDigest> {
        Self::parse(&text)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for FileHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Collects files, in any order.
#[derive(Debug, Clone, Default)]
pub struct DigestBuilder {
    lines: Vec<(String, String)>,
    /// Whether a path was added that no line can contain.
    is_impossible: bool,
}

/// Whether a line can contain this path: it is UTF-8 without control characters.
pub fn can_name(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.contains(char::is_control))
}

impl DigestBuilder {
    /// Adds a file by its path below the skill and the hash of its bytes.
    pub fn add(&mut self, path: &Path, executable: bool, content: FileHash) {
        self.is_impossible |= !can_name(path);
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let path = parts.join("/");
        let bit = if executable { 'x' } else { '-' };
        let line = format!("{content} {bit} {path}\n");
        self.lines.push((path, line));
    }

    /// The digest; none if a path is not UTF-8 or has a control character.
    pub fn finish(mut self) -> Option<Digest> {
        if self.is_impossible {
            return None;
        }
        self.lines.sort_unstable();
        let mut hash = Sha256::new();
        for (_, line) in &self.lines {
            hash.update(line.as_bytes());
        }
        Some(Digest(hash.finalize().into()))
    }
}

/// The SHA-256 of all bytes of a reader.
pub fn of_reader(mut reader: impl Read) -> io::Result<FileHash> {
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(FileHash::of(hash)),
            length => hash.update(&chunk[..length]),
        }
    }
}

/// The SHA-256 of some bytes.
pub fn of_bytes(bytes: &[u8]) -> FileHash {
    FileHash(Sha256::digest(bytes).into())
}

/// The digest of a skill whose directory is open; none if a path cannot be part of one.
pub fn of_directory(directory: &Directory, inventory: &Inventory) -> io::Result<Option<Digest>> {
    let mut digest = DigestBuilder::default();
    for entry in inventory.files().filter(|entry| is_part_of_skill(&entry.path)) {
        let file = directory.file_below(&entry.path)?;
        // A growing file must not keep us reading forever.
        let content = of_reader(file.take(entry.bytes))?;
        digest.add(&entry.path, entry.executable, content);
    }
    Ok(digest.finish())
}

/// Decodes 64 lower-case hexadecimal digits.
fn unhex(text: &str) -> Option<[u8; 32]> {
    let digit = |one: u8| match one {
        b'0'..=b'9' => Some(one - b'0'),
        b'a'..=b'f' => Some(one - b'a' + 10),
        _ => None,
    };
    let digits: &[u8; 64] = text.as_bytes().try_into().ok()?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A relative path as records and digests write it.
pub fn portable(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

// The files of an installed skill with their hashes.

/// One regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Path below the skill, with `/` between its parts.
    pub path: String,
    /// Whether it has an execute bit.
    pub executable: bool,
    pub bytes: u64,
    /// The SHA-256 of its bytes; none when it was not read.
    pub sha256: Option<FileHash>,
}

/// Chooses the files to read, by path and size. A file whose size differs from its record has
/// changed, and need not be read.
pub type FileFilter<'a> = dyn Fn(&str, u64) -> bool + Sync + 'a;

/// All files are read.
pub fn everything(_: &str, _: u64) -> bool {
    true
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// Sorted by path.
    pub files: Vec<TreeFile>,
    /// Entries that installing never creates: links, pipes, version control, paths without a
    /// digest.
    pub foreign: Vec<String>,
}

/// How one tree differs from another: paths, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differences {
    /// In both, but not the same.
    pub changed: Vec<String>,
    /// Only in the other.
    pub added: Vec<String>,
    /// Only in this one.
    pub removed: Vec<String>,
}

impl Tree {
    /// Lists everything below an open directory, and reads the wanted files. Does not follow links.
    pub fn of_directory(open: &OpenDirectory, wanted: &FileFilter<'_>) -> io::Result<Self> {
        let inventory = Inventory::of_directory(open, None);
        let mut descent = Descent::new(&open.directory);
        let mut tree = Self::default();
        for entry in &inventory.entries {
            match entry.kind {
                _ if !is_part_of_skill(&entry.path) || !can_name(&entry.path) => {
                    tree.foreign.push(portable(&entry.path));
                }
                FileKind::Directory => {}
                FileKind::Regular => {
                    let path = portable(&entry.path);
                    let sha256 = if wanted(&path, entry.bytes) {
                        let file = descent.file(&entry.path)?;
                        // A growing file must not keep us reading forever.
                        Some(of_reader(file.take(entry.bytes))?)
                    } else {
                        None
                    };
                    tree.files.push(TreeFile {
                        path,
                        executable: entry.executable,
                        bytes: entry.bytes,
                        sha256,
                    });
                }
                FileKind::Symlink | FileKind::Special(_) => {
                    tree.foreign.push(portable(&entry.path));
                }
            }
        }
        tree.foreign.extend(inventory.unreadable.iter().map(|(path, _)| portable(path)));
        if inventory.excess.is_some() {
            tree.foreign.push("…".to_owned());
        }
        tree.sort();
        Ok(tree)
    }

    /// Puts the files in order.
    pub fn sort(&mut self) {
        self.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    }

    /// The digest of these files; none if one was not read, or has a path that no digest allows.
    pub fn digest(&self) -> Option<Digest> {
        let mut digest = DigestBuilder::default();
        for file in &self.files {
            digest.add(Path::new(&file.path), file.executable, file.sha256?);
        }
        digest.finish()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Whether it has a file of this path and size.
    pub fn has(&self, path: &str, bytes: u64) -> bool {
        self.find(path).is_some_and(|file| file.bytes == bytes)
    }

    fn find(&self, path: &str) -> Option<&TreeFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// The changes that turn this tree into the other.
    pub fn differences(&self, other: &Self) -> Differences {
        let mut differences = Differences::default();
        for file in &self.files {
            match other.find(&file.path) {
                None => differences.removed.push(file.path.clone()),
                Some(there)
                    if (there.executable, there.sha256) != (file.executable, file.sha256) =>
                {
                    differences.changed.push(file.path.clone());
                }
                Some(_) => {}
            }
        }
        let added = other.files.iter().filter(|file| self.find(&file.path).is_none());
        differences.added = added.map(|file| file.path.clone()).collect();
        differences.removed.extend(self.foreign.iter().cloned());
        differences
    }
}

impl Differences {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(files: &[(&str, bool, &str)]) -> Option<Digest> {
        let mut digest = DigestBuilder::default();
        for (path, executable, content) in files {
            digest.add(Path::new(path), *executable, of_bytes(content.as_bytes()));
        }
        digest.finish()
    }

    #[test]
    fn a_name_that_could_pass_for_another_line_has_no_digest() {
        let other = of_bytes(b"y");
        let two = digest(&[("a.txt", false, "x"), ("b.sh", true, "y")]);
        assert!(two.is_some());
        assert_eq!(digest(&[(&format!("a.txt\n{other} x b.sh"), false, "x")]), None);
        for name in ["a\n", "a\rb", "dir\n/a", "a\u{85}b", "a\0b", "\t"] {
            assert_eq!(digest(&[("SKILL.md", false, "x"), (name, false, "y")]), None, "{name:?}");
        }
        for name in ["ä", "a b", "👩\u{200d}💻", "a\\b"] {
            assert!(digest(&[(name, false, "y")]).is_some(), "{name:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn names_that_are_not_utf8_have_no_digest() {
        use std::os::unix::ffi::OsStrExt;
        for bytes in [&b"a\xff"[..], b"a\xfe"] {
            let mut digest = DigestBuilder::default();
            digest.add(Path::new(std::ffi::OsStr::from_bytes(bytes)), false, of_bytes(b""));
            assert_eq!(digest.finish(), None);
        }
    }

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let digest = |files: &[(&str, bool, &str)]| digest(files).unwrap();
        let base = digest(&[("SKILL.md", false, "x"), ("scripts/a.sh", true, "y")]);
        assert_eq!(base, digest(&[("scripts/a.sh", true, "y"), ("SKILL.md", false, "x")]));
        assert_ne!(base, digest(&[("SKILL.md", false, "x"), ("scripts/a.sh", false, "y")]));
        assert_ne!(base, digest(&[("SKILL.md", false, "x"), ("scripts/b.sh", true, "y")]));
        assert_ne!(base, digest(&[("SKILL.md", false, "z"), ("scripts/a.sh", true, "y")]));
        assert_eq!(
            digest(&[]).to_string(),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn a_digest_has_one_spelling() {
        let hex = "0a".repeat(32);
        let text = format!("sha256:{hex}");
        assert_eq!(Digest::parse(&text).unwrap().to_string(), text);
        assert_eq!(FileHash::parse(&hex).unwrap().to_string(), hex);
        for text in [
            hex.as_str(),
            "",
            "sha256:",
            &format!("sha256:{}", &hex[2..]),
            &format!("sha256:{hex}0a"),
            &format!("sha1:{hex}"),
            &format!("sha256:{}", hex.to_uppercase()),
            &format!("sha256:{}", "é".repeat(32)),
        ] {
            assert_eq!(Digest::parse(text), Err(InvalidDigest::Skill), "{text}");
        }
        assert_eq!(FileHash::parse(&text), Err(InvalidDigest::File));
    }
}

#[cfg(test)]
mod tree_tests {
    use super::*;

    fn tree(files: &[(&str, bool, &str)]) -> Tree {
        let file = |(path, executable, sha256): &(&str, bool, &str)| TreeFile {
            path: (*path).to_owned(),
            executable: *executable,
            bytes: 1,
            sha256: Some(of_bytes(sha256.as_bytes())),
        };
        Tree { files: files.iter().map(file).collect(), foreign: Vec::new() }
    }

    #[test]
    fn differences_name_what_is_changed_added_and_removed() {
        let one = tree(&[("a", false, "1"), ("b", false, "2"), ("c", false, "3")]);
        let other = tree(&[("a", false, "1"), ("b", true, "2"), ("d", false, "3")]);
        let differences = one.differences(&other);
        assert_eq!(differences.changed, ["b"]);
        assert_eq!(differences.added, ["d"]);
        assert_eq!(differences.removed, ["c"]);
        assert!(one.differences(&one).is_empty());
    }
}
