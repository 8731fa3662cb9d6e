//! The digest of a skill: paths, execute bits and bytes, and nothing else.
//!
//! One line for each regular file, sorted by path: the SHA-256 of its bytes in hexadecimal, a
//! blank, `x` or `-`, a blank, the path with `/` between its parts. The digest is the SHA-256 of
//! these lines. `docs/digest.md` shows how to compute it with a shell.
//!
//! A name that could be read as another, or as a line of its own, has no place in such a line: a
//! skill with one has no digest.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::skills::files::inventory::{Inventory, is_part_of_skill};
use crate::skills::files::platform::Directory;

/// What a digest begins with.
const PREFIX: &str = "sha256:";
/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Collects files, in any order.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    lines: Vec<(String, String)>,
    /// Whether a file was added that no line can name.
    is_impossible: bool,
}

/// Whether a line can name this file: its path is UTF-8 and holds no control character.
#[must_use]
pub fn can_name(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.contains(char::is_control))
}

impl Digest {
    /// Adds a file by its path below the skill and the hash of its bytes.
    pub fn add(&mut self, path: &Path, executable: bool, content: &str) {
        self.is_impossible |= !can_name(path);
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let path = parts.join("/");
        let bit = if executable { 'x' } else { '-' };
        let line = format!("{content} {bit} {path}\n");
        self.lines.push((path, line));
    }

    /// `sha256:` and 64 hexadecimal digits; none when a file has a name that no line can hold.
    #[must_use]
    pub fn finish(mut self) -> Option<String> {
        if self.is_impossible {
            return None;
        }
        self.lines.sort();
        let mut hash = Sha256::new();
        for (_, line) in &self.lines {
            hash.update(line.as_bytes());
        }
        Some(format!("{PREFIX}{}", hex(&hash.finalize())))
    }
}

/// The SHA-256 of everything a reader gives, in hexadecimal.
///
/// # Errors
/// Those of the reader.
pub fn of_bytes(mut reader: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&chunk[..length]),
        }
    }
}

/// The digest of a skill whose directory is open; none when a file has a name that has no digest.
///
/// # Errors
/// Those of the system; a link where a file was listed is an error too.
pub fn of_directory(directory: &Directory, inventory: &Inventory) -> io::Result<Option<String>> {
    let mut digest = Digest::default();
    for entry in inventory.files().filter(|entry| is_part_of_skill(&entry.path)) {
        let file = directory.file_below(&entry.path)?;
        // A file that grows while it is read must not keep us here.
        let content = of_bytes(file.take(entry.bytes))?;
        digest.add(&entry.path, entry.executable, &content);
    }
    Ok(digest.finish())
}

/// Whether a text is a digest as [`Digest::finish`] writes it.
#[must_use]
pub fn is_digest(text: &str) -> bool {
    let is_hex = |one: u8| matches!(one, b'0'..=b'9' | b'a'..=b'f');
    text.strip_prefix(PREFIX).is_some_and(|hex| hex.len() == 64 && hex.bytes().all(is_hex))
}

/// Bytes in hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A relative path as records and digests write it.
#[must_use]
pub fn portable(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(files: &[(&str, bool, &str)]) -> Option<String> {
        let mut digest = Digest::default();
        for (path, executable, content) in files {
            digest.add(Path::new(path), *executable, &of_bytes(content.as_bytes()).unwrap());
        }
        digest.finish()
    }

    #[test]
    fn a_name_that_could_pass_for_another_line_has_no_digest() {
        let other = of_bytes(&b"y"[..]).unwrap();
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
            let mut digest = Digest::default();
            digest.add(Path::new(std::ffi::OsStr::from_bytes(bytes)), false, "00");
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
            digest(&[]),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn a_digest_is_known_by_its_form() {
        let hex = "0a".repeat(32);
        assert!(is_digest(&format!("sha256:{hex}")));
        for text in [&hex, "sha256:", &format!("sha256:{}", &hex[2..]), &format!("sha1:{hex}")] {
            assert!(!is_digest(text), "{text}");
        }
        assert!(!is_digest(&format!("sha256:{}", hex.to_uppercase())));
    }
}
