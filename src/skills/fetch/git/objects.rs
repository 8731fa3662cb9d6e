//! Reads the objects of a repository through one `git cat-file`. Each object must match its hash,
//! so that neither a cache nor a server can substitute another.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::skills::fetch::git::program::GitProgram;
use crate::skills::fetch::git::watching;
use crate::skills::files::digest::hex;
use crate::skills::model::error::{Error, err};
use crate::skills::model::location::is_commit_id;

/// Maximum length of an object's header.
const HEADER_BYTES: u64 = 256;

/// Bytes that are read at once.
const PART: usize = 256 * 1024;

/// A running `git cat-file`.
pub struct Objects {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The rest of an answer that was too large to be read.
    unread: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    Commit,
    Tag,
    Tree,
    Blob,
}

impl ObjectKind {
    /// Parses git's name for a kind.
    fn parse(word: &str) -> Option<Self> {
        [Self::Commit, Self::Tag, Self::Tree, Self::Blob]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tag => "tag",
            Self::Tree => "tree",
            Self::Blob => "blob",
        }
    }
}

pub struct Object {
    pub kind: ObjectKind,
    pub bytes: Vec<u8>,
}

/// Why an object cannot be read.
#[derive(Debug)]
pub enum ObjectFault {
    /// It is not in the repository.
    Missing,
    /// It does not match its hash or format.
    Damaged,
    /// It is larger than the limit: it has this many bytes.
    TooLarge(usize),
    /// Its bytes cannot be kept.
    Kept(io::Error),
}

/// One line of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    pub mode: u32,
    pub name: Vec<u8>,
    pub id: String,
}

impl Objects {
    pub fn open(git: &GitProgram, repository: &Path) -> Result<Self, Error> {
        let mut command = git.command(repository);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = watching::start(&mut command)?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| err!(Io, "git has no output"))?;
        Ok(Self { child, input, output: BufReader::new(output), unread: 0 })
    }

    /// Reads an object of at most this many bytes.
    pub fn read(&mut self, id: &str, most: usize) -> Result<Object, ObjectFault> {
        let mut bytes = Vec::new();
        let kind = self.read_parts(id, most, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(Object { kind, bytes })
    }

    /// Reads an object of at most this many bytes and passes it on part by part. What was passed on
    /// is the object only if this succeeds.
    pub fn read_parts(
        &mut self,
        id: &str,
        most: usize,
        keep: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<ObjectKind, ObjectFault> {
        let damaged = |_| ObjectFault::Damaged;
        let (kind, size) = self.ask(id)?;
        if size > most {
            self.unread = (size as u64).saturating_add(1);
            return Err(ObjectFault::TooLarge(size));
        }
        let mut hash = ObjectHash::new(id, kind, size).ok_or(ObjectFault::Damaged)?;
        let mut buffer = vec![0; size.min(PART)];
        let mut left = size;
        while left > 0 {
            let part = &mut buffer[..left.min(PART)];
            self.output.read_exact(part).map_err(damaged)?;
            hash.update(part);
            keep(part).map_err(ObjectFault::Kept)?;
            left -= part.len();
        }
        self.output.read_exact(&mut [0]).map_err(damaged)?;
        if hash.finish() == id { Ok(kind) } else { Err(ObjectFault::Damaged) }
    }

    /// Asks for an object; returns its kind and size. Its bytes follow, and a newline.
    fn ask(&mut self, id: &str) -> Result<(ObjectKind, usize), ObjectFault> {
        // Other text could be a command of `cat-file`.
        if !is_commit_id(id) {
            return Err(ObjectFault::Damaged);
        }
        let unread = &mut (&mut self.output).take(std::mem::take(&mut self.unread));
        io::copy(unread, &mut io::sink()).map_err(|_| ObjectFault::Damaged)?;
        // If git exits here, the repository is unreadable.
        let input = self.input.as_mut().ok_or(ObjectFault::Damaged)?;
        writeln!(input, "{id}").and_then(|()| input.flush()).map_err(|_| ObjectFault::Damaged)?;
        let mut header = String::new();
        let limited = &mut (&mut self.output).take(HEADER_BYTES);
        limited.read_line(&mut header).map_err(|_| ObjectFault::Damaged)?;
        let words: Vec<&str> = header.split_whitespace().collect();
        let [_, kind, size] = words[..] else {
            return Err(if words.len() == 2 { ObjectFault::Missing } else { ObjectFault::Damaged });
        };
        match (ObjectKind::parse(kind), size.parse()) {
            (Some(kind), Ok(size)) => Ok((kind, size)),
            _ => Err(ObjectFault::Damaged),
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // Closing the input ends git, unless it is still writing an answer.
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The hash of an object while it is read.
enum ObjectHash {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl ObjectHash {
    /// That of an object whose id has the length of this one; none if no id has.
    fn new(id: &str, kind: ObjectKind, size: usize) -> Option<Self> {
        let mut hash = match id.len() {
            40 => Self::Sha1(Sha1::new()),
            64 => Self::Sha256(Sha256::new()),
            _ => return None,
        };
        hash.update(format!("{} {size}\0", kind.word()).as_bytes());
        Some(hash)
    }

    fn update(&mut self, part: &[u8]) {
        match self {
            Self::Sha1(hash) => hash.update(part),
            Self::Sha256(hash) => hash.update(part),
        }
    }

    fn finish(self) -> String {
        match self {
            Self::Sha1(hash) => hex(&hash.finalize()),
            Self::Sha256(hash) => hex(&hash.finalize()),
        }
    }
}

/// Parses the entries of a tree.
pub fn tree(bytes: &[u8], id_length: usize) -> Option<Vec<TreeEntry>> {
    let mut rest = bytes;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let blank = rest.iter().position(|byte| *byte == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(&rest[..blank]).ok()?, 8).ok()?;
        rest = &rest[blank + 1..];
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = rest[..end].to_vec();
        let (id, after) = rest[end + 1..].split_at_checked(id_length / 2)?;
        entries.push(TreeEntry { mode, name, id: hex(id) });
        rest = after;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_named(id: &str, kind: ObjectKind, bytes: &[u8]) -> bool {
        ObjectHash::new(id, kind, bytes.len()).is_some_and(|mut hash| {
            hash.update(bytes);
            hash.finish() == id
        })
    }

    #[test]
    fn an_object_is_known_by_its_hash() {
        // `git hash-object` of an empty blob, and of the empty tree.
        assert!(is_named("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", ObjectKind::Blob, b""));
        assert!(is_named("4b825dc642cb6eb9a060e54bf8d69288fbee4904", ObjectKind::Tree, b""));
        let sha256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
        assert!(is_named(sha256, ObjectKind::Blob, b""));
        assert!(!is_named("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", ObjectKind::Blob, b"x"));
        assert!(!is_named("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", ObjectKind::Tree, b""));
        assert!(!is_named("", ObjectKind::Blob, b""));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_too_large_is_passed_over() {
        use std::process::Command;
        let id_of = |bytes: &[u8]| {
            let mut hash = ObjectHash::new(&"0".repeat(40), ObjectKind::Blob, bytes.len()).unwrap();
            hash.update(bytes);
            hash.finish()
        };
        // What git would answer; it reads on until its input ends.
        let contents = ["0123456789", "abc", "0123456789", "last"];
        let answer =
            |text: &&str| format!("{} blob {}\\n{text}\\n", id_of(text.as_bytes()), text.len());
        let answers: String = contents.iter().map(answer).collect();
        let script = format!("printf '{answers}'; cat > /dev/null");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut objects = Objects { child, input, output, unread: 0 };
        for (text, most) in contents.iter().zip([9, 3, 3, 4]) {
            match objects.read(&id_of(text.as_bytes()), most) {
                Ok(object) => {
                    assert_eq!((object.bytes.as_slice(), text.len()), (text.as_bytes(), most))
                }
                Err(ObjectFault::TooLarge(size)) => assert!(size == 10 && size > most),
                Err(fault) => panic!("{text}: {fault:?}"),
            }
        }
    }

    #[test]
    fn trees_are_read_to_the_last_byte_or_not_at_all() {
        let mut bytes = b"100644 SKILL.md\0".to_vec();
        bytes.extend([7; 20]);
        bytes.extend(b"40000 scripts\0");
        bytes.extend([9; 20]);
        let entries = tree(&bytes, 40).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[1].mode, &*entries[1].name), (0o040_000, &b"scripts"[..]));
        assert_eq!(entries[0].id, "07".repeat(20));
        for length in 1..bytes.len() {
            let part = tree(&bytes[..length], 40);
            assert!(part.is_none_or(|part| part.len() == 1), "{length}");
        }
    }
}
