//! Copies one skill into a directory of its own: new regular files only, read from the
//! descriptor that was checked, so that nothing swapped in between is ever copied.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use crate::skills::files::digest::{Tree, TreeFile};
use crate::skills::files::{self, Directory};
use crate::skills::find::record::file_mode;
use crate::skills::model::error::{Error, Result};
use crate::skills::put::install::candidate::{Candidate, Item};
use crate::skills::put::install::source_files::{
    Allowance, Bytes, SourceFiles, WORTH_SHARING, changed, open_base, tree_file,
};

/// The mode of a directory, before the umask.
pub const DIRECTORY_MODE: u32 = 0o755;

/// The modes of copies.
#[derive(Debug, Clone, Copy)]
pub struct Modes {
    /// Whether copies are read-only.
    pub read_only: bool,
    pub umask: u32,
}

impl Modes {
    /// The modes under the umask of this process.
    pub fn current(read_only: bool) -> Self {
        Self { read_only, umask: files::umask() }
    }

    /// The tree of a copy of these files. A umask can remove every execute bit.
    pub fn copy_of(self, mut source: Tree) -> Tree {
        if self.umask & 0o111 == 0o111 {
            source.files.iter_mut().for_each(|file| file.executable = false);
        }
        source
    }
}

/// Copies a skill into an empty directory, and returns the tree of the copy.
///
/// # Errors
/// A file that cannot be read or written, or that changed since the skill was first read; more
/// bytes than allowed.
pub fn copy(
    candidate: &Candidate,
    to: &Directory,
    modes: Modes,
    allowance: &Allowance,
) -> Result<Tree> {
    let base = open_base(candidate)?;
    let files = SourceFiles::new(candidate, base.as_ref(), allowance);
    let mut copying = Copying { candidate, to, read_only: modes.read_only, files };
    let mut source = Tree::default();
    for item in &candidate.items {
        if item.is_directory {
            to.create_directory(&item.path, DIRECTORY_MODE)
                .map_err(|error| cannot_write(candidate, item, &error))?;
        } else {
            source.files.push(copying.copy_file(item)?);
        }
    }
    if modes.read_only {
        copying.seal()?;
    }
    source.sort();
    // The copy must be the tree that was compared with the lock or the installed skill.
    if candidate.known_tree().is_some_and(|known| *known != source) {
        return Err(changed(candidate, &candidate.skill.path));
    }
    Ok(modes.copy_of(source))
}

struct Copying<'a> {
    candidate: &'a Candidate,
    to: &'a Directory,
    read_only: bool,
    files: SourceFiles<'a>,
}

impl Copying<'_> {
    /// Copies one file, and returns its size and hash.
    fn copy_file(&mut self, item: &Item) -> Result<TreeFile> {
        let candidate = self.candidate;
        let cannot_write = |error: io::Error| cannot_write(candidate, item, &error);
        let opened = self.files.open(item)?;
        let mode = file_mode(opened.executable, self.read_only);
        let mut copy = self.to.create_file(&item.path, mode).map_err(cannot_write)?;
        let write = |copy: &mut File, chunk: &[u8]| copy.write_all(chunk).map_err(cannot_write);
        let (bytes, sha256) = match opened.bytes {
            Bytes::Kept(file) => {
                self.files.count(file.bytes.len() as u64)?;
                write(&mut copy, &file.bytes)?;
                (file.bytes.len() as u64, file.sha256)
            }
            Bytes::Known(known) => {
                self.files.pass(item, &mut &*known, |chunk| write(&mut copy, chunk))?
            }
            Bytes::Packed(mut file) => {
                self.files.pass(item, &mut file, |chunk| write(&mut copy, chunk))?
            }
            // Hash the copy, because the original may have changed.
            Bytes::OnDisk(file, length)
                if length >= WORTH_SHARING && files::share_blocks(&file, &copy) =>
            {
                copy.rewind().map_err(cannot_write)?;
                self.files.pass(item, &mut copy, |_| Ok(()))?
            }
            Bytes::OnDisk(mut file, _) => {
                self.files.pass(item, &mut file, |chunk| write(&mut copy, chunk))?
            }
        };
        Ok(tree_file(item, opened.executable, bytes, sha256))
    }

    /// Makes every directory read-only except the skill's own, which is moved later.
    fn seal(&self) -> Result<()> {
        for item in self.candidate.items.iter().rev().filter(|item| item.is_directory) {
            self.to
                .child(item.path.as_os_str())
                .and_then(|directory| directory.set_writable(false))
                .map_err(|error| cannot_write(self.candidate, item, &error))?;
        }
        Ok(())
    }
}

fn cannot_write(candidate: &Candidate, item: &Item, error: &io::Error) -> Error {
    let path = Path::new(candidate.name.as_str()).join(&item.path);
    candidate.skill.in_error(Error::writing("write a copy of", path, error))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;
    use crate::skills::files::content::OpenDirectory;
    use crate::skills::judge::deep::ReadFile;
    use crate::skills::judge::opened::{self, OpenedSkill};
    use crate::skills::model::error::ErrorKind;
    use crate::skills::model::source::Skill;
    use crate::skills::put::install::candidate::{self, CandidateOptions};
    use crate::skills::put::install::source_files::{FileLook, Room, contents};

    const SKILL_MD: &str = "---\nname: pdf\ndescription: d\n---\n";

    /// A skill on disk with a file of ten bytes that may be executed.
    fn skill() -> (TempDir, Candidate) {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().canonicalize().unwrap().join("pdf");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("file"), "0123456789").unwrap();
        fs::set_permissions(path.join("file"), PermissionsExt::from_mode(0o755)).unwrap();
        fs::write(path.join("SKILL.md"), SKILL_MD).unwrap();
        let skill = Skill::in_directory(&path, Some("SKILL.md".into()));
        let open = OpenDirectory::open(&path).unwrap();
        let options = CandidateOptions::default();
        let read = |opened: &OpenedSkill<'_>| candidate::read(opened, &options);
        let reading = opened::open(skill, Some(&open), read);
        (temp, reading.made.made.candidate.unwrap())
    }

    fn copied(candidate: &Candidate, umask: u32, allowance: &Allowance) -> Result<Tree> {
        let to = tempfile::tempdir().unwrap();
        let directory = Directory::open(to.path()).unwrap();
        copy(candidate, &directory, Modes { read_only: false, umask }, allowance)
    }

    fn kind<T>(result: Result<T>) -> Option<ErrorKind> {
        result.err().map(|error| error.kind)
    }

    #[test]
    fn bytes_count_when_they_are_read() {
        let size = 10 + SKILL_MD.len() as u64;
        for seen in [10, 1] {
            let (_temp, mut candidate) = skill();
            candidate.items.iter_mut().find(|item| item.executable).unwrap().bytes = seen;
            for (skill, total, expected) in [
                (size, size, None),
                (size - 1, 100, Some(ErrorKind::TooLarge)),
                (100, size - 1, Some(ErrorKind::TooLarge)),
            ] {
                let allowance = || Allowance::new(skill, total);
                assert_eq!(kind(copied(&candidate, 0, &allowance())), expected);
                assert_eq!(kind(contents(&candidate, &allowance())), expected);
                assert_eq!(kind(candidate.clone().tree(&allowance())), expected);
            }
        }
    }

    #[test]
    fn skills_share_the_total_allowance() {
        let size = 10 + SKILL_MD.len() as u64;
        let (_temp, candidate) = skill();
        let copied = |allowance: &Allowance| kind(copied(&candidate, 0, allowance));
        let packed = |allowance: &Allowance| kind(contents(&candidate, allowance));
        for (total, second) in [(2 * size, None), (2 * size - 1, Some(ErrorKind::TooLarge))] {
            let allowance = Allowance::new(size, total);
            assert_eq!((copied(&allowance), copied(&allowance)), (None, second));
            let allowance = Allowance::new(size, total);
            assert_eq!((packed(&allowance), packed(&allowance)), (None, second));
        }
    }

    #[test]
    fn a_directory_that_was_swapped_for_another_is_not_read() {
        let (_temp, candidate) = skill();
        let (_other, other) = skill();
        let path = &candidate.skill.path;
        let away = path.with_extension("away");
        fs::rename(path, &away).unwrap();
        std::os::unix::fs::symlink(&other.skill.path, path).unwrap();
        let allowance = Allowance::new(100, 100);
        for error in [
            copied(&candidate, 0, &allowance).unwrap_err(),
            contents(&candidate, &allowance).unwrap_err(),
            candidate.tree(&allowance).unwrap_err(),
        ] {
            assert!(error.message.contains("changed while it was being"), "{error}");
        }
        fs::remove_file(path).unwrap();
        fs::rename(&away, path).unwrap();
        assert!(copied(&candidate, 0, &allowance).is_ok());
    }

    #[test]
    fn only_the_files_that_were_read_first_are_copied_under_any_umask() {
        let (_temp, candidate) = skill();
        let file = candidate.skill.path.join("file");
        candidate.tree(&Allowance::new(100, 100)).unwrap();
        for umask in [0, 0o022, 0o117, 0o111, 0o177] {
            let copied = || copied(&candidate, umask, &Allowance::new(100, 100));
            fs::write(&file, "0123456789").unwrap();
            let is_executable = copied().unwrap().files.iter().any(|file| file.executable);
            assert_eq!(is_executable, umask & 0o111 != 0o111, "{umask:o}");
            fs::write(&file, "012345678!").unwrap();
            assert!(copied().unwrap_err().message.contains("changed while"), "{umask:o}");
        }
        fs::write(&file, "0123456789").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        let copied = copied(&candidate, 0o111, &Allowance::new(100, 100));
        assert!(copied.is_err(), "the execute bit is gone");
    }

    #[test]
    fn what_was_shown_is_what_is_copied() {
        let (_temp, mut candidate) = skill();
        let path = candidate.skill.path.clone();
        fs::write(path.join("large"), vec![b'x'; 300_000]).unwrap();
        candidate.items.insert(
            0,
            Item {
                path: "large".into(),
                from: "large".into(),
                is_directory: false,
                bytes: 300_000,
                executable: false,
            },
        );
        let allowance = Allowance::new(1 << 20, 1 << 20);
        let mut seen = Vec::new();
        let mut see = |path: &Path, file: &ReadFile<'_>| {
            seen.push((path.to_owned(), file.start.len()));
        };
        let room = Room::new(10);
        let mut look = FileLook { room: &room, see: &mut see };
        candidate.show_files(&allowance, &mut look).unwrap();
        seen.sort_unstable();
        let expected = [("SKILL.md", SKILL_MD.len()), ("file", 10), ("large", 300_000)];
        assert_eq!(seen, expected.map(|(path, bytes)| (path.into(), bytes)));
        // A small file is copied from memory, and a large one must not have changed.
        fs::write(path.join("file"), "changed!!!").unwrap();
        let to = tempfile::tempdir().unwrap();
        let directory = Directory::open(to.path()).unwrap();
        let modes = Modes { read_only: false, umask: 0 };
        copy(&candidate, &directory, modes, &allowance).unwrap();
        assert_eq!(fs::read_to_string(to.path().join("file")).unwrap(), "0123456789");
        fs::write(path.join("large"), vec![b'y'; 300_000]).unwrap();
        let error = copied(&candidate, 0, &allowance).unwrap_err();
        assert!(error.message.contains("changed while"), "{error}");
    }

    #[test]
    fn files_are_read_for_their_digests_once() {
        let (_temp, candidate) = skill();
        let allowance = Allowance::new(100, 100);
        let before = candidate.tree(&allowance).unwrap().clone();
        fs::remove_file(candidate.skill.path.join("file")).unwrap();
        assert_eq!(candidate.tree(&allowance).unwrap(), &before);
    }
}
