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

use crate::skills::files::inventory::{Inventory, is_part_of_skill};
use crate::skills::files::platform::Directory;

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
