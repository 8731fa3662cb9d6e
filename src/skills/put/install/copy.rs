//! Copies one skill into a directory of its own: new regular files only, read from the
//! descriptor that was checked, so that nothing swapped in between is ever copied.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use crate::skills::files::descent::Descent;
use crate::skills::files::digest::{self, Digest, portable};
use crate::skills::files::platform::{self, Directory, FileKind};
use crate::skills::files::tree::{Tree, TreeFile};
use crate::skills::find::record::file_mode;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::install::candidate::{Candidate, Item};
use crate::skills::text::document::SKILL_MD;

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;
/// From this size on it is worth asking the file system to share blocks.
const WORTH_SHARING: u64 = 256 * 1024;

/// The mode of a directory, before the umask.
pub const DIRECTORY_MODE: u32 = 0o755;

/// What copies may have: bounds that are counted while bytes are read, whatever sizes were seen
/// before, and modes.
#[derive(Debug)]
pub struct Allowance {
    /// Bytes of one skill.
    pub skill: u64,
    /// Bytes of all skills.
    pub total: u64,
    /// Mode bits that copies do not get.
    pub umask: u32,
    used: AtomicU64,
}

impl Allowance {
    /// Nothing is used yet.
    #[must_use]
    pub fn new(skill: u64, total: u64) -> Self {
        Self { skill, total, umask: platform::umask(), used: AtomicU64::new(0) }
    }
}

/// Copies to this directory, which is empty, or only reads when there is none.
///
/// # Errors
/// A file that cannot be read or written, or that is not what it was; more bytes than allowed.
pub fn copy(
    candidate: &Candidate,
    to: Option<&Directory>,
    read_only: bool,
    allowance: &Allowance,
) -> Result<Tree> {
    let base = open_base(candidate)?;
    let mut copying = Copying {
        candidate,
        to,
        read_only,
        executables: allowance.umask & 0o111 != 0o111,
        allowance,
        used: 0,
        source: Digest::default(),
        descent: base.as_ref().map(Descent::new),
        chunk: Vec::new(),
    };
    let mut tree = Tree::default();
    for item in &candidate.items {
        if item.is_directory {
            copying.make_directory(item)?;
        } else {
            tree.files.push(copying.copy_file(item)?);
        }
    }
    if read_only {
        copying.seal()?;
    }
    tree.sort();
    // The source is what was locked. A umask that takes execute bits makes the copy another skill.
    let source = copying.source;
    if candidate.locked.as_ref().is_some_and(|locked| source.finish().as_ref() != Some(locked)) {
        return Err(changed(&candidate.skill.path));
    }
    Ok(tree)
}

/// The files of a skill in memory: path, whether it can be executed, bytes.
///
/// # Errors
/// A file that cannot be read, or that is not what it was; more bytes than allowed.
pub fn contents(
    candidate: &Candidate,
    allowance: &Allowance,
) -> Result<Vec<(PathBuf, bool, Vec<u8>)>> {
    let base = open_base(candidate)?;
    let mut copying = Copying {
        candidate,
        to: None,
        read_only: false,
        executables: true,
        allowance,
        used: 0,
        source: Digest::default(),
        descent: base.as_ref().map(Descent::new),
        chunk: Vec::new(),
    };
    let files = candidate.items.iter().filter(|item| !item.is_directory);
    files.map(|item| copying.content(item)).collect()
}

/// Opens the directory that a skill's files are read from, when there are any.
fn open_base(candidate: &Candidate) -> Result<Option<Directory>> {
    let Some(base) = candidate.base.as_ref().filter(|_| needs_base(candidate)) else {
        return Ok(None);
    };
    let directory = Directory::open(&base.path)
        .map_err(|error| Error::io("read directory", &base.path, &error))?;
    if directory.identity().ok().flatten() != base.identity {
        return Err(changed(&base.path));
    }
    Ok(Some(directory))
}

/// Whether any file has to be read from disk.
fn needs_base(candidate: &Candidate) -> bool {
    let others = |item: &Item| !item.is_directory && item.path != Path::new(SKILL_MD);
    candidate.skill_md.is_none() || candidate.items.iter().any(others)
}

fn changed(path: &Path) -> Error {
    let message = format!("`{}` changed while it was being installed", path.display());
    Error::new(ErrorKind::Io, message).at(path).help("try again")
}

struct Copying<'a> {
    candidate: &'a Candidate,
    to: Option<&'a Directory>,
    read_only: bool,
    /// Whether the umask lets anything be executed.
    executables: bool,
    allowance: &'a Allowance,
    used: u64,
    /// What was read, with the execute bits that it has where it was read.
    source: Digest,
    descent: Option<Descent<'a>>,
    chunk: Vec<u8>,
}

impl Copying<'_> {
    fn make_directory(&self, item: &Item) -> Result<()> {
        match self.to {
            Some(to) => to
                .create_directory(&item.path, DIRECTORY_MODE)
                .map_err(|error| self.cannot_write(item, &error)),
            None => Ok(()),
        }
    }

    fn copy_file(&mut self, item: &Item) -> Result<TreeFile> {
        let known = self.candidate.skill_md.as_ref();
        if let Some(text) = known.filter(|_| item.path == Path::new(SKILL_MD)) {
            return self.write_bytes(item, text.as_bytes());
        }
        if let Some(packed) = &self.candidate.skill.packed {
            let bytes = packed.read(&item.from).ok_or_else(|| changed(&self.source(item)))?;
            return self.write_bytes(item, &bytes);
        }
        let mut file = self.open(item)?;
        let metadata = file.metadata().map_err(|error| self.cannot_read(item, &error))?;
        if FileKind::from(metadata.file_type()) != FileKind::Regular {
            return Err(changed(&self.source(item)));
        }
        let executable = platform::is_executable(&metadata);
        let mut copy = self.create(item, executable)?;
        let shared = copy
            .as_mut()
            .filter(|copy| metadata.len() >= WORTH_SHARING && platform::share_blocks(&file, copy));
        let (bytes, sha256) = match shared {
            // What was installed is what is hashed, not what the file has become since.
            Some(copy) => {
                copy.rewind().map_err(|error| self.cannot_write(item, &error))?;
                self.pass(item, copy, None)?
            }
            None => self.pass(item, &mut file, copy.as_mut())?,
        };
        Ok(self.copied(item, executable, bytes, sha256))
    }

    /// Notes what was read, and says what was made of it.
    fn copied(&mut self, item: &Item, executable: bool, bytes: u64, sha256: String) -> TreeFile {
        self.source.add(&item.path, executable, &sha256);
        let executable = executable && self.executables;
        TreeFile { path: portable(&item.path), executable, bytes, sha256 }
    }

    /// Reads a file to its end.
    fn content(&mut self, item: &Item) -> Result<(PathBuf, bool, Vec<u8>)> {
        let known = self.candidate.skill_md.as_ref();
        if let Some(text) = known.filter(|_| item.path == Path::new(SKILL_MD)) {
            self.count(text.len() as u64)?;
            return Ok((item.path.clone(), item.executable, text.clone().into_bytes()));
        }
        if let Some(packed) = &self.candidate.skill.packed {
            let bytes = packed.read(&item.from).ok_or_else(|| changed(&self.source(item)))?;
            self.count(bytes.len() as u64)?;
            return Ok((item.path.clone(), item.executable, bytes));
        }
        let file = self.open(item)?;
        let metadata = file.metadata().map_err(|error| self.cannot_read(item, &error))?;
        if FileKind::from(metadata.file_type()) != FileKind::Regular {
            return Err(changed(&self.source(item)));
        }
        let mut bytes = Vec::new();
        file.take(self.allowance.skill.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| self.cannot_read(item, &error))?;
        self.count(bytes.len() as u64)?;
        Ok((item.path.clone(), platform::is_executable(&metadata), bytes))
    }

    /// Writes what is in memory already.
    fn write_bytes(&mut self, item: &Item, bytes: &[u8]) -> Result<TreeFile> {
        let mut copy = self.create(item, item.executable)?;
        let (bytes, sha256) = self.pass(item, &mut &*bytes, copy.as_mut())?;
        Ok(self.copied(item, item.executable, bytes, sha256))
    }

    fn open(&mut self, item: &Item) -> Result<File> {
        let opened = match &mut self.descent {
            Some(descent) => descent.file(&item.from),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => changed(&self.source(item)),
            _ if platform::met_link(&error) => changed(&self.source(item)),
            _ => self.cannot_read(item, &error),
        })
    }

    fn create(&self, item: &Item, executable: bool) -> Result<Option<File>> {
        let Some(to) = self.to else { return Ok(None) };
        let mode = file_mode(executable, self.read_only);
        let created = to.create_file(&item.path, mode);
        created.map(Some).map_err(|error| self.cannot_write(item, &error))
    }

    /// Reads everything, hashes it, and writes it where it is wanted.
    fn pass(
        &mut self,
        item: &Item,
        from: &mut impl Read,
        mut to: Option<&mut File>,
    ) -> Result<(u64, String)> {
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
            if let Some(to) = &mut to {
                to.write_all(&self.chunk[..length])
                    .map_err(|error| self.cannot_write(item, &error))?;
            }
            // Most files are smaller than a chunk, and asking again costs a call each.
            if length < CHUNK && bytes == item.bytes {
                break;
            }
        }
        Ok((bytes, digest::hex(&hash.finalize())))
    }

    fn count(&mut self, bytes: u64) -> Result<()> {
        self.used += bytes;
        let total = self.allowance.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.used > self.allowance.skill {
            return Err(too_large(&self.candidate.name.to_string(), self.allowance.skill));
        }
        if total > self.allowance.total {
            return Err(too_large_together(self.allowance.total));
        }
        Ok(())
    }

    /// Takes the right to write from every directory but the skill's own, which has yet to be
    /// moved.
    fn seal(&self) -> Result<()> {
        let Some(to) = self.to else { return Ok(()) };
        for item in self.candidate.items.iter().rev().filter(|item| item.is_directory) {
            to.child(item.path.as_os_str())
                .and_then(|directory| directory.set_writable(false))
                .map_err(|error| self.cannot_write(item, &error))?;
        }
        Ok(())
    }

    fn source(&self, item: &Item) -> PathBuf {
        match &self.candidate.base {
            Some(base) => base.path.join(&item.from),
            None => self.candidate.skill.path.clone(),
        }
    }

    fn cannot_read(&self, item: &Item, error: &io::Error) -> Error {
        Error::io("read", self.source(item), error)
    }

    fn cannot_write(&self, item: &Item, error: &io::Error) -> Error {
        let path = Path::new(self.candidate.name.as_str()).join(&item.path);
        Error::writing("write a copy of", path, error)
    }
}

fn too_large(name: &str, most: u64) -> Error {
    let message = format!("the skill `{name}` has more than {most} bytes");
    Error::new(ErrorKind::TooLarge, message).help("`--max-skill-size` changes the limit")
}

/// All skills together are more than is allowed.
#[must_use]
pub fn too_large_together(most: u64) -> Error {
    let message = format!("the skills have more than {most} bytes together");
    Error::new(ErrorKind::TooLarge, message).help("`--max-total-size` changes the limit")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::skills::files::platform::FileIdentity;
    use crate::skills::model::name::SkillName;
    use crate::skills::model::source::{Skill, SkillKind};
    use crate::skills::put::install::candidate::BaseDirectory;

    /// A skill on disk of which `seen` bytes were seen of a file of ten.
    fn skill(seen: u64) -> (TempDir, Candidate) {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("file"), "0123456789").unwrap();
        fs::write(temp.path().join(SKILL_MD), "text!").unwrap();
        let item = |path: &str, bytes| Item {
            path: PathBuf::from(path),
            from: PathBuf::from(path),
            is_directory: false,
            bytes,
            executable: false,
        };
        let identity = FileIdentity::of(&temp.path().metadata().unwrap());
        let candidate = Candidate {
            name: SkillName::new("pdf").unwrap(),
            skill: Skill::at(SkillKind::Directory, temp.path(), Some(SKILL_MD.into())),
            base: Some(BaseDirectory { path: temp.path().to_owned(), identity }),
            items: vec![item("file", seen), item(SKILL_MD, 5)],
            skill_md: Some("text!".to_owned()),
            locked: None,
            again: Vec::new(),
        };
        (temp, candidate)
    }

    fn kind<T>(result: Result<T>) -> Option<ErrorKind> {
        result.err().map(|error| error.kind)
    }

    #[test]
    fn bytes_count_when_they_are_read_whatever_was_seen_before() {
        for seen in [10, 1] {
            let (_temp, candidate) = skill(seen);
            for (skill, total, expected) in [
                (15, 15, None),
                (14, 100, Some(ErrorKind::TooLarge)),
                (100, 14, Some(ErrorKind::TooLarge)),
            ] {
                let allowance = || Allowance::new(skill, total);
                assert_eq!(kind(copy(&candidate, None, false, &allowance())), expected);
                assert_eq!(kind(contents(&candidate, &allowance())), expected);
            }
        }
    }

    #[test]
    fn skills_share_what_is_allowed_for_all_of_them() {
        let (_temp, candidate) = skill(10);
        let copied = |allowance: &Allowance| kind(copy(&candidate, None, false, allowance));
        let packed = |allowance: &Allowance| kind(contents(&candidate, allowance));
        for (total, second) in [(30, None), (29, Some(ErrorKind::TooLarge))] {
            let allowance = Allowance::new(15, total);
            assert_eq!((copied(&allowance), copied(&allowance)), (None, second));
            let allowance = Allowance::new(15, total);
            assert_eq!((packed(&allowance), packed(&allowance)), (None, second));
        }
    }

    #[test]
    fn a_directory_that_was_swapped_for_another_is_not_read() {
        let (temp, candidate) = skill(10);
        let (other, _) = skill(10);
        let away = temp.path().with_extension("away");
        fs::rename(temp.path(), &away).unwrap();
        std::os::unix::fs::symlink(other.path(), temp.path()).unwrap();
        let allowance = Allowance::new(100, 100);
        for error in [
            copy(&candidate, None, false, &allowance).unwrap_err(),
            contents(&candidate, &allowance).unwrap_err(),
        ] {
            assert!(error.message.contains("changed while it was being"), "{error}");
        }
        fs::remove_file(temp.path()).unwrap();
        fs::rename(&away, temp.path()).unwrap();
        assert!(copy(&candidate, None, false, &allowance).is_ok());
    }

    #[test]
    fn what_is_locked_is_compared_whatever_the_umask_takes() {
        use std::os::unix::fs::PermissionsExt;
        let (temp, mut candidate) = skill(10);
        let file = temp.path().join("file");
        fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        let plain = Allowance::new(100, 100);
        let locked = copy(&candidate, None, false, &Allowance { umask: 0, ..plain }).unwrap();
        candidate.locked = locked.digest();
        for umask in [0, 0o022, 0o117, 0o111, 0o177] {
            let allowance = || Allowance { umask, ..Allowance::new(100, 100) };
            fs::write(&file, "0123456789").unwrap();
            let tree = copy(&candidate, None, false, &allowance()).unwrap();
            let is_executable = tree.files.iter().any(|file| file.executable);
            assert_eq!(is_executable, umask & 0o111 != 0o111, "{umask:o}");
            fs::write(&file, "012345678!").unwrap();
            assert!(copy(&candidate, None, false, &allowance()).is_err(), "{umask:o}");
        }
        fs::write(&file, "0123456789").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        let allowance = Allowance { umask: 0o111, ..Allowance::new(100, 100) };
        assert!(copy(&candidate, None, false, &allowance).is_err(), "the execute bit is gone");
    }
}
