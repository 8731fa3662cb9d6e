//! Reads the files of a skill to install or pack. Each file is read from the descriptor that was
//! checked, so a file that is swapped meanwhile is never read.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use crate::skills::files::digest::{FileHash, Tree, TreeFile, portable};
use crate::skills::files::inventory::Descent;
use crate::skills::files::{self, Directory, FileKind};
use crate::skills::judge::deep::ReadFile;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::put::install::candidate::{Candidate, Item};
use crate::skills::text::document::SKILL_MD;

/// The size of a chunk.
const CHUNK: usize = 64 * 1024;

/// From this size on it is worth asking the file system to share blocks.
pub const WORTH_SHARING: u64 = 256 * 1024;

/// How many bytes may be read. Bytes count when they are read, because a file can grow after its
/// size was read.
#[derive(Debug)]
pub struct Allowance {
    /// Maximum for one skill.
    pub skill: u64,
    /// Maximum for all skills together.
    pub total: u64,
    used: AtomicU64,
}

impl Allowance {
    /// An unused allowance.
    pub const fn new(skill: u64, total: u64) -> Self {
        Self { skill, total, used: AtomicU64::new(0) }
    }
}

/// Reads and hashes all files of a skill, with the execute bits they have at the source.
pub fn tree(candidate: &Candidate, allowance: &Allowance) -> Result<Tree> {
    Ok(shown_tree(candidate, allowance, None)?.0)
}

/// Files that were read once, by their path below the skill.
pub type KeptFiles = HashMap<PathBuf, KeptFile>;

/// A file in memory, as it was on disk.
#[derive(Debug)]
pub struct KeptFile {
    /// Whether it has an execute bit.
    pub executable: bool,
    pub bytes: Vec<u8>,
    /// Their hash.
    pub sha256: FileHash,
}

/// How many bytes of files may be kept in memory, for all skills of a run.
#[derive(Debug)]
pub struct Room(AtomicU64);

impl Room {
    /// Room for this many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Takes this many bytes, if there is enough room.
    fn take(&self, bytes: u64) -> bool {
        let rest = |room: u64| room.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).is_ok()
    }
}

/// An observer of files while they are hashed.
pub struct FileLook<'a> {
    /// The room for files that are kept.
    pub room: &'a Room,
    /// Sees the path of each file below the skill, and what the rules need of its bytes.
    pub see: &'a mut dyn FnMut(&Path, &ReadFile<'_>),
}

/// Reads and hashes all files of a skill. If somebody looks, shows each of them and keeps small ones.
pub fn shown_tree(
    candidate: &Candidate,
    allowance: &Allowance,
    mut look: Option<&mut FileLook<'_>>,
) -> Result<(Tree, KeptFiles)> {
    let base = open_base(candidate)?;
    let mut files = SourceFiles::new(candidate, base.as_ref(), allowance);
    let (mut tree, mut kept) = (Tree::default(), KeptFiles::new());
    for item in candidate.items.iter().filter(|item| !item.is_directory) {
        let opened = files.open(item)?;
        let executable = opened.executable;
        let (bytes, sha256) = match opened.bytes {
            Bytes::Kept(file) => (file.bytes.len() as u64, file.sha256),
            Bytes::Known(mut known) => {
                let (bytes, sha256, _) = files.pass_shown(item, &mut known, look.as_deref_mut())?;
                (bytes, sha256)
            }
            Bytes::Packed(mut file) => {
                let (bytes, sha256, _) = files.pass_shown(item, &mut file, look.as_deref_mut())?;
                (bytes, sha256)
            }
            Bytes::OnDisk(mut file, _) => {
                let (bytes, sha256, start) =
                    files.pass_shown(item, &mut file, look.as_deref_mut())?;
                let is_whole = bytes == start.len() as u64;
                if let Some(look) = &look
                    && is_whole
                    && bytes < WORTH_SHARING
                    && look.room.take(bytes)
                {
                    let file = KeptFile { executable, bytes: start, sha256 };
                    kept.insert(item.path.clone(), file);
                }
                (bytes, sha256)
            }
        };
        tree.files.push(tree_file(item, executable, bytes, sha256));
    }
    tree.sort();
    Ok((tree, kept))
}

/// The files of a skill in memory: path, execute bit, content.
pub fn contents(
    candidate: &Candidate,
    allowance: &Allowance,
) -> Result<Vec<(PathBuf, bool, Vec<u8>)>> {
    let base = open_base(candidate)?;
    let mut files = SourceFiles::new(candidate, base.as_ref(), allowance);
    let items = candidate.items.iter().filter(|item| !item.is_directory);
    items
        .map(|item| {
            let opened = files.open(item)?;
            let bytes = match opened.bytes {
                Bytes::Kept(file) => file.bytes.clone(),
                Bytes::Known(known) => known.to_vec(),
                Bytes::Packed(file) => files.whole(item, file)?,
                Bytes::OnDisk(file, _) => files.whole(item, file)?,
            };
            files.count(bytes.len() as u64)?;
            Ok((item.path.clone(), opened.executable, bytes))
        })
        .collect()
}

/// Opens the directory that contains a skill's files; none if all of them are in memory.
pub fn open_base(candidate: &Candidate) -> Result<Option<Directory>> {
    let Some(base) = candidate.base.as_ref().filter(|_| needs_base(candidate)) else {
        return Ok(None);
    };
    let directory = Directory::open(&base.path).map_err(|error| {
        candidate.skill.in_error(Error::io("read directory", &base.path, &error))
    })?;
    if directory.identity().ok().flatten() != base.identity {
        return Err(changed(candidate, &base.path));
    }
    Ok(Some(directory))
}

/// Whether any file has to be read from disk.
fn needs_base(candidate: &Candidate) -> bool {
    let others = |item: &Item| {
        !item.is_directory
            && item.path != Path::new(SKILL_MD)
            && candidate.kept(&item.path).is_none()
    };
    let has_skill_md =
        candidate.skill_md.is_some() || candidate.kept(Path::new(SKILL_MD)).is_some();
    !has_skill_md || candidate.items.iter().any(others)
}

/// The error for a source that changed since it was listed.
pub fn changed(candidate: &Candidate, path: &Path) -> Error {
    candidate.skill.in_error(
        err!(Io, "`{}` changed while it was being installed", path.display())
            .at(path)
            .help("try again"),
    )
}

pub fn tree_file(item: &Item, executable: bool, bytes: u64, sha256: FileHash) -> TreeFile {
    TreeFile { path: portable(&item.path), executable, bytes, sha256: Some(sha256) }
}

/// An open file.
pub struct OpenedFile<'a> {
    /// Whether it has an execute bit.
    pub executable: bool,
    /// Where its content is.
    pub bytes: Bytes<'a>,
}

/// Where the content of a file is.
pub enum Bytes<'a> {
    /// In memory, with their hash, since they were judged.
    Kept(&'a KeptFile),
    /// In memory: a `SKILL.md` that was already read.
    Known(&'a [u8]),
    /// In an archive or commit.
    Packed(Box<dyn Read + 'a>),
    /// In this regular file, with the size it reports.
    OnDisk(File, u64),
}

/// The files of one skill.
pub struct SourceFiles<'a> {
    candidate: &'a Candidate,
    allowance: &'a Allowance,
    used: u64,
    descent: Option<Descent<'a>>,
    chunk: Vec<u8>,
}

impl<'a> SourceFiles<'a> {
    /// The files below `base`, which [`open_base`] opened.
    pub fn new(
        candidate: &'a Candidate,
        base: Option<&'a Directory>,
        allowance: &'a Allowance,
    ) -> Self {
        let descent = base.map(Descent::new);
        Self { candidate, allowance, used: 0, descent, chunk: Vec::new() }
    }

    /// Opens a file, and checks that it is regular.
    pub fn open(&mut self, item: &Item) -> Result<OpenedFile<'a>> {
        let candidate = self.candidate;
        if let Some(kept) = candidate.kept(&item.path) {
            return Ok(OpenedFile { executable: kept.executable, bytes: Bytes::Kept(kept) });
        }
        let known = candidate.skill_md.as_ref().filter(|_| item.path == Path::new(SKILL_MD));
        if let Some(text) = known {
            let bytes = Bytes::Known(text.as_bytes());
            return Ok(OpenedFile { executable: item.executable, bytes });
        }
        if let Some(packed) = candidate.skill.packed() {
            let file = packed
                .reader(&item.from)
                .ok_or_else(|| changed(self.candidate, &self.path(item)))?;
            return Ok(OpenedFile { executable: item.executable, bytes: Bytes::Packed(file) });
        }
        let file = self.open_on_disk(item)?;
        let metadata = file.metadata().map_err(|error| self.cannot_read(item, &error))?;
        if FileKind::from(metadata.file_type()) != FileKind::Regular {
            return Err(changed(self.candidate, &self.path(item)));
        }
        let executable = files::is_executable(&metadata);
        Ok(OpenedFile { executable, bytes: Bytes::OnDisk(file, metadata.len()) })
    }

    fn open_on_disk(&mut self, item: &Item) -> Result<File> {
        let opened = match &mut self.descent {
            Some(descent) => descent.file(&item.from),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                changed(self.candidate, &self.path(item))
            }
            _ if files::met_link(&error) => changed(self.candidate, &self.path(item)),
            _ => self.cannot_read(item, &error),
        })
    }

    /// Reads a file to its end, hashes it, and passes on every chunk. Returns its size and SHA-256.
    pub fn pass(
        &mut self,
        item: &Item,
        from: &mut impl Read,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<(u64, FileHash)> {
        self.chunk.resize(CHUNK, 0);
        let mut hash = Sha256::new();
        let mut bytes = 0;
        loop {
            let length = match from.read(&mut self.chunk) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.cannot_read(item, &error)),
            };
            bytes += length as u64;
            self.count(length as u64)?;
            hash.update(&self.chunk[..length]);
            write(&self.chunk[..length])?;
            // Most files are smaller than a chunk, and another read would cost a system call.
            if length < CHUNK && bytes == item.bytes {
                break;
            }
        }
        Ok((bytes, FileHash::of(hash)))
    }

    /// The same for somebody who may look; returns also the start of the file, if somebody does.
    fn pass_shown(
        &mut self,
        item: &Item,
        from: &mut impl Read,
        look: Option<&mut FileLook<'_>>,
    ) -> Result<(u64, FileHash, Vec<u8>)> {
        let Some(look) = look else {
            let (bytes, sha256) = self.pass(item, from, |_| Ok(()))?;
            return Ok((bytes, sha256, Vec::new()));
        };
        let mut file = ReadFile::new(&item.path, item.bytes);
        let (bytes, sha256) = self.pass(item, from, |chunk| {
            file.push(chunk);
            Ok(())
        })?;
        (look.see)(&item.path, &file);
        Ok((bytes, sha256, file.start))
    }

    /// The whole content of a file.
    fn whole(&self, item: &Item, file: impl Read) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = file.take(self.allowance.skill.saturating_add(1)).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| self.cannot_read(item, &error))
    }

    /// Counts bytes that are read or written.
    pub fn count(&mut self, bytes: u64) -> Result<()> {
        self.used += bytes;
        let total = self.allowance.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.used > self.allowance.skill {
            return Err(too_large(self.candidate, self.allowance.skill));
        }
        if total > self.allowance.total {
            return Err(too_large_together(self.allowance.total));
        }
        Ok(())
    }

    /// The path of a file, for messages.
    fn path(&self, item: &Item) -> PathBuf {
        match &self.candidate.base {
            Some(base) => base.path.join(&item.from),
            None => self.candidate.skill.path.clone(),
        }
    }

    fn cannot_read(&self, item: &Item, error: &io::Error) -> Error {
        self.candidate.skill.in_error(Error::io("read", self.path(item), error))
    }
}

fn too_large(candidate: &Candidate, most: u64) -> Error {
    let help = "use `--max-skill-size` to change the limit";
    candidate.skill.in_error(
        err!(TooLarge, "the skill `{}` is larger than {most} bytes", candidate.name).help(help),
    )
}

/// Refuses skills whose listed sizes together exceed the limit.
pub fn refuse_too_large<'a>(
    candidates: impl Iterator<Item = &'a Candidate>,
    most: u64,
) -> Result<()> {
    let total = candidates.fold(0_u64, |sum, one| sum.saturating_add(one.bytes()));
    if total > most { Err(too_large_together(most)) } else { Ok(()) }
}

/// The error for skills that exceed the total limit.
fn too_large_together(most: u64) -> Error {
    err!(TooLarge, "the skills are larger than {most} bytes together")
        .help("use `--max-total-size` to change the limit")
}
