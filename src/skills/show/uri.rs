//! `skill://NAME` and `skill://NAME/PATH`: the address of one file of a skill.
//!
//! The error messages are those that existing programs with this protocol expect.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::skills::files::inventory::FileEntry;
use crate::skills::files::{Directory, DirectoryEntry, FileKind};
use crate::skills::model::bundle::PackedSkill;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::text::document::SKILL_BYTES;
use crate::skills::text::markdown::{self, percent_decode};

/// The scheme of an address.
pub const SCHEME: &str = "skill://";

/// Names that the help about a directory lists.
const MOST_NAMES: usize = 20;

/// A valid address; its file may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillUri {
    /// The address as it was written.
    pub text: String,
    /// The name of the skill.
    pub name: String,
    /// The path below it, decoded; none means its `SKILL.md`.
    pub path: Option<String>,
}

/// How the path of a skill was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathTrust {
    /// It is a real path, so a link on it now was put there later.
    Resolved,
    /// Through links, as agents find skills in their own directories.
    Followed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Its real path.
    pub path: PathBuf,
    /// `text/markdown` or `text/plain`.
    pub content_type: &'static str,
    /// All of it.
    pub bytes: Vec<u8>,
}

impl SkillUri {
    /// Reads an address, or a name with or without a path.
    pub fn of(text: &str) -> Result<Self> {
        let is_path = text.starts_with(['/', '\\', '.', '~']) || text.is_empty();
        if is_path || text.contains("://") {
            let looks_like_path = is_path && !text.is_empty();
            return Self::parse(text).map_err(|error| match looks_like_path {
                true => error.help(format!("name the skill first: `skills read NAME {text}`")),
                false => error,
            });
        }
        Self::parse(&format!("{SCHEME}{text}"))
    }

    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self> {
        let Some(rest) = text.strip_prefix(SCHEME) else {
            let error = err!(Usage, "`{text}` is not a skill:// URL");
            return Err(error.help("write NAME or skill://NAME, and /PATH for another file"));
        };
        let (name, path) = match rest.split_once('/') {
            Some((name, path)) => (name, percent_decode(path)),
            None => (rest, String::new()),
        };
        if name.is_empty() {
            return Err(err!(Usage, "skill:// URL requires a skill name: skill://<name>"));
        }
        let name = percent_decode(name);
        let refuse = |message| Err(Error::new(ErrorKind::Usage, message).about(&name, None));
        if markdown::is_absolute(&path) {
            return refuse("Absolute paths are not allowed in skill:// URLs");
        }
        if markdown::climbs(&path) {
            return refuse("Path traversal (..) is not allowed in skill:// URLs");
        }
        // File systems ignore empty parts and `.`, so archives must too.
        let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
        let path = parts.collect::<Vec<_>>().join("/");
        Ok(Self { text: text.to_owned(), name, path: Some(path).filter(|path| !path.is_empty()) })
    }

    /// Reads the addressed file of `skill`.
    ///
    /// # Errors
    /// A path that is missing, too large or not a file, or whose real path leaves the skill.
    pub fn read(&self, skill: &Skill, links: PathTrust) -> Result<SkillFile> {
        if let (Some(inline), None) = (skill.inline(), &self.path) {
            let bytes = inline.to_skill_md()?.into_bytes();
            return Ok(SkillFile { path: skill.file(), content_type: "text/markdown", bytes });
        }
        if let Some(packed) = skill.packed() {
            let inner = self.path.as_deref().unwrap_or(&packed.skill_md);
            let path = skill.path.join(inner);
            let bytes = packed.read(Path::new(inner)).ok_or_else(|| {
                let names = names_in(packed, inner);
                if names.is_empty() { not_found(&path) } else { directory(&path, names) }
            })?;
            return Ok(SkillFile { content_type: content_type(&path), path, bytes });
        }
        self.locate(skill, links)?.read()
    }

    /// Finds the addressed file, without opening it.
    fn locate(&self, skill: &Skill, links: PathTrust) -> Result<LocatedFile> {
        let named = match (&self.path, skill.kind()) {
            (None, _) => skill.file(),
            (Some(path), SkillKind::Directory) => skill.path.join(path),
            // A single file has no others beside it.
            (Some(path), _) => {
                return Err(not_found(&skill.path.with_extension("").join(path)));
            }
        };
        let failure = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => not_found(&named),
            // A path with a NUL or one that is too long cannot exist.
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => not_found(&named),
            _ => Error::io("read", &named, &error),
        };
        let own = match links {
            PathTrust::Resolved => skill.path.clone(),
            PathTrust::Followed => skill.path.canonicalize().map_err(failure)?,
        };
        let base = match skill.kind() {
            SkillKind::File => own.parent().unwrap_or(Path::new("/")),
            _ => &own,
        };
        let directory = Directory::open_real(base).map_err(failure)?;
        let real = named.canonicalize().map_err(failure)?;
        match real.strip_prefix(base) {
            Ok(inner) if real.starts_with(&own) => {
                Ok(LocatedFile { directory, inner: inner.to_owned(), path: real })
            }
            _ => {
                let error = err!(Usage, "Path traversal is not allowed").at(&named);
                Err(error.help(format!("`{}` is a link that leaves the skill", named.display())))
            }
        }
    }
}

/// A file of a skill. It is opened from the open directory of the skill, through no link, so it is
/// always inside the skill, even if something on its path was replaced since.
struct LocatedFile {
    directory: Directory,
    /// Its path below the directory.
    inner: PathBuf,
    /// Its real path.
    path: PathBuf,
}

impl LocatedFile {
    fn read(self) -> Result<SkillFile> {
        let Self { directory, inner, path } = self;
        let unreadable = |error: &io::Error| Error::io("read", &path, error);
        if inner.as_os_str().is_empty() {
            return Err(self::directory(&path, names_at(&directory)));
        }
        let file = directory.file_below(&inner).map_err(|error| unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        match FileKind::from(metadata.file_type()) {
            FileKind::Regular => {}
            FileKind::Directory => {
                let below = directory.directory_below(&inner);
                let names = below.map(|below| names_at(&below)).unwrap_or_default();
                return Err(self::directory(&path, names));
            }
            FileKind::Symlink => return Err(not_a_file(&path, "a link")),
            FileKind::Special(kind) => return Err(not_a_file(&path, kind)),
        }
        let mut bytes = Vec::new();
        file.take(SKILL_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        if bytes.len() as u64 > SKILL_BYTES {
            return Err(
                err!(TooLarge, "`{}` has more than {SKILL_BYTES} bytes", path.display()).at(path)
            );
        }
        Ok(SkillFile { content_type: content_type(&path), path, bytes })
    }
}

/// Names in an open directory.
fn names_at(directory: &Directory) -> Vec<String> {
    let name = |(name, _): DirectoryEntry| name.to_string_lossy().into_owned();
    directory.entries().unwrap_or_default().into_iter().map(name).collect()
}

fn content_type(path: &Path) -> &'static str {
    let is_markdown = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if is_markdown { "text/markdown" } else { "text/plain" }
}

fn not_found(path: &Path) -> Error {
    err!(NotFound, "File not found: {}", path.display()).at(path)
}

fn not_a_file(path: &Path, kind: &str) -> Error {
    err!(Io, "`{}` is {kind}, not a file", path.display()).at(path)
}

/// The entries of a directory in a bundled skill; `None` if it is not a directory.
fn names_in(packed: &PackedSkill, directory: &str) -> Vec<String> {
    let entries = packed.inventory().entries;
    let name = |entry: &FileEntry| {
        let inside = entry.path.strip_prefix(directory).ok()?;
        Some(inside.iter().next()?.to_string_lossy().into_owned())
    };
    entries.iter().filter_map(name).collect()
}

/// The user may have meant a file in this directory.
fn directory(path: &Path, mut names: Vec<String>) -> Error {
    names.sort_unstable();
    names.dedup();
    names.truncate(MOST_NAMES);
    not_found(path).help(format!("this is a directory; it contains {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        SkillUri::parse(text).unwrap_err().message
    }

    #[test]
    fn names_and_decoded_paths() {
        let uri = SkillUri::parse("skill://pdf/references/a%20b.md").unwrap();
        assert_eq!((uri.name.as_str(), uri.path.as_deref()), ("pdf", Some("references/a b.md")));
        assert_eq!(SkillUri::parse("skill://pdf").unwrap().path, None);
        assert_eq!(SkillUri::parse("skill://pdf/").unwrap().path, None);
        assert!(SkillUri::parse("skill://pdf/a..b/..c").is_ok());
        let uri = SkillUri::parse("skill://pdf/./a//b/.").unwrap();
        assert_eq!(uri.path.as_deref(), Some("a/b"));
    }

    #[test]
    #[cfg(unix)]
    fn a_swapped_directory_is_not_followed() {
        use std::fs;
        use std::os::unix::fs::symlink;
        for (swapped, is_read) in [("skill", true), ("skill/sub", false), ("skill/sub/f", false)] {
            let temp = tempfile::tempdir().unwrap();
            let root = temp.path().canonicalize().unwrap();
            for (base, text) in [("skill", "own"), ("outside", "secret")] {
                fs::create_dir_all(root.join(base).join("sub")).unwrap();
                fs::write(root.join(base).join("sub/f"), text).unwrap();
            }
            let skill = Skill::in_directory(&root.join("skill"), None);
            let uri = SkillUri::parse("skill://skill/sub/f").unwrap();
            let located = uri.locate(&skill, PathTrust::Resolved).unwrap();
            fs::rename(root.join(swapped), root.join("aside")).unwrap();
            symlink(root.join(swapped.replace("skill", "outside")), root.join(swapped)).unwrap();
            let bytes = located.read().map(|file| file.bytes);
            assert_eq!(bytes.ok().as_deref(), is_read.then_some(&b"own"[..]), "{swapped}");
        }
    }

    #[test]
    fn the_guards_speak_as_expected() {
        let absolute = "Absolute paths are not allowed in skill:// URLs";
        let traversal = "Path traversal (..) is not allowed in skill:// URLs";
        assert_eq!(message("skill://"), "skill:// URL requires a skill name: skill://<name>");
        assert_eq!(message("skill:///x"), "skill:// URL requires a skill name: skill://<name>");
        for path in ["/etc/passwd", "%2Fetc/passwd", "C:/x", "c%3A%5Cx", "\\x"] {
            assert_eq!(message(&format!("skill://pdf/{path}")), absolute, "{path}");
        }
        for path in ["..", "../x", "a/../b", "%2e%2e/x", "a%5C..%5Cb", "a\\..\\b"] {
            assert_eq!(message(&format!("skill://pdf/{path}")), traversal, "{path}");
        }
        assert_eq!(message("pdf"), "`pdf` is not a skill:// URL");
        assert_eq!(SkillUri::of("pdf/a.md").unwrap(), SkillUri::parse("skill://pdf/a.md").unwrap());
        assert_eq!(SkillUri::of("skill://pdf").unwrap().text, "skill://pdf");
        for path in ["./pdf", "/pdf", "../pdf", "~/pdf", "https://pdf", ""] {
            let error = SkillUri::of(path).unwrap_err();
            assert_eq!(error.message, format!("`{path}` is not a skill:// URL"));
        }
        assert_eq!(SkillUri::of("pdf/../x").unwrap_err().message, traversal);
    }
}
