//! The same by path, for systems without directory descriptors.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::skills::files::{
    DirectoryEntry, FileIdentity, FileKind, FileStat, is_executable, open_without_following,
};

/// A directory, by path.
#[derive(Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// The directory at `path`, which may be a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        fs::metadata(path)?;
        Ok(Self(path.to_owned()))
    }

    /// The directory at a real path, which must not contain links.
    pub fn open_real(path: &Path) -> io::Result<Self> {
        refuse_links(Path::new(""), path)?;
        Self::open(path)
    }

    /// A directory inside this one, which may not be a link.
    pub fn child(&self, name: &OsStr) -> io::Result<Self> {
        match self.kind(name)? {
            FileKind::Directory => Ok(Self(self.0.join(name))),
            _ => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        }
    }

    /// Opens a file inside this directory, never through a link.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        open_without_following(&self.0.join(name))
    }

    /// Opens a file inside this directory for both reading and writing, never through a link.
    pub fn file_to_change(&self, name: &OsStr) -> io::Result<File> {
        match self.kind(name)? {
            FileKind::Regular => OpenOptions::new().read(true).write(true).open(self.0.join(name)),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Opens a file somewhere below this directory, through no link.
    pub fn file_below(&self, path: &Path) -> io::Result<File> {
        refuse_links(&self.0, path)?;
        open_without_following(&self.0.join(path))
    }

    /// A directory somewhere below this one, through no link.
    pub fn directory_below(&self, path: &Path) -> io::Result<Self> {
        refuse_links(&self.0, path)?;
        Self::open(&self.0.join(path))
    }

    /// What a link in this directory says.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.0.join(name))
    }

    /// Whether an entry is a directory, or leads to one.
    pub fn leads_to_directory(&self, name: &OsStr) -> bool {
        self.0.join(name).is_dir()
    }

    /// All names, sorted.
    pub fn entries(&self) -> io::Result<Vec<DirectoryEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            entries.push((entry.file_name(), entry.file_type()?.into()));
        }
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(entries)
    }

    /// Size and mode of an entry, which is not followed.
    pub fn stat(&self, name: &OsStr) -> io::Result<FileStat> {
        let metadata = fs::symlink_metadata(self.0.join(name))?;
        Ok(FileStat { bytes: metadata.len(), executable: is_executable(&metadata) })
    }

    /// What an entry is; links are links.
    pub fn kind(&self, name: &OsStr) -> io::Result<FileKind> {
        Ok(fs::symlink_metadata(self.0.join(name))?.file_type().into())
    }

    /// Files have no modes to keep.
    pub fn file_mode(&self, _: &OsStr) -> io::Result<Option<u32>> {
        Ok(None)
    }

    /// There is no identity to ask for.
    pub fn identity(&self) -> io::Result<Option<FileIdentity>> {
        Ok(None)
    }

    /// When this directory was made, where the file system says so.
    pub fn born(&self) -> Option<std::time::SystemTime> {
        fs::metadata(&self.0).ok()?.created().ok()
    }

    /// There is no identity to ask for.
    pub fn identity_of(&self, name: &OsStr) -> io::Result<Option<FileIdentity>> {
        self.kind(name).map(|_| None)
    }

    /// Makes a directory below this one.
    pub fn create_directory(&self, path: &Path, _: u32) -> io::Result<()> {
        fs::create_dir(self.0.join(path))
    }

    /// Makes a file below this directory.
    pub fn create_file(&self, path: &Path, _: u32) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.0.join(path))
    }

    /// Opens or creates a file of this directory for writing.
    pub fn open_or_create(&self, name: &OsStr, _: u32) -> io::Result<File> {
        if matches!(self.kind(name), Ok(kind) if kind != FileKind::Regular) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.0.join(name))
    }

    /// Moves an entry to another directory, replacing a file.
    pub fn rename(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(name), to.0.join(new_name))
    }

    /// Moves an entry to an unused name.
    pub fn rename_new(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        match to.kind(new_name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.rename(name, to, new_name)
            }
            Err(error) => Err(error),
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Nothing can be swapped at once.
    pub fn exchange(&self, _: &OsStr, _: &Self, _: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    /// Removes a file or a link.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Removes an empty directory.
    pub fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    /// Directories have no bit for this.
    pub fn is_sealed(&self, _: &OsStr) -> bool {
        false
    }

    /// Directories have no bit for this.
    pub fn set_writable(&self, _: bool) -> io::Result<()> {
        Ok(())
    }

    /// There are no such bits.
    pub fn clear_set_id(&self, _: &OsStr) -> io::Result<()> {
        Ok(())
    }

    /// Nothing is closed to its owner.
    pub fn unlock(&self, _: &OsStr) -> io::Result<()> {
        Ok(())
    }

    /// The directory is wherever the user's own files are.
    pub fn is_private(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// The directory is wherever the user's own files are.
    pub fn is_own(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// The creator owns the directory.
    pub fn make_private(&self) -> io::Result<()> {
        Ok(())
    }

    /// Not known before a rename.
    pub fn shares_mount(&self, _: &Self) -> io::Result<bool> {
        Ok(true)
    }

    /// Directories need not be synced.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Waits until everything below this directory is on the disk.
    pub fn sync_below(&self) -> io::Result<()> {
        for (name, kind) in self.entries()? {
            match kind {
                FileKind::Directory => self.child(&name)?.sync_below()?,
                FileKind::Regular => {
                    OpenOptions::new().write(true).open(self.0.join(&name))?.sync_all()?;
                }
                FileKind::Symlink | FileKind::Special(_) => {}
            }
        }
        Ok(())
    }
}

/// Refuses a path with a link or `..` in it.
fn refuse_links(base: &Path, path: &Path) -> io::Result<()> {
    let mut here = base.to_owned();
    for part in path.components() {
        here.push(part);
        match part {
            Component::Normal(_) if fs::symlink_metadata(&here)?.file_type().is_symlink() => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            // An absolute path leaves the directory.
            Component::RootDir | Component::Prefix(_) if !base.as_os_str().is_empty() => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            Component::ParentDir => return Err(io::ErrorKind::InvalidInput.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Fills the buffer from this offset, independent of the file's position.
#[cfg(windows)]
pub fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[read..];
        offset += read as u64;
    }
    Ok(())
}

/// Reads once, as many bytes as there is room for.
pub fn read_once(mut file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let before = bytes.len();
    bytes.resize(bytes.capacity(), 0);
    let length = io::Read::read(&mut file, &mut bytes[before..]);
    bytes.truncate(before + length.as_ref().map_or(0, |length| *length));
    length.map(drop)
}

/// Files share no blocks.
pub fn share_blocks(_: &File, _: &File) -> bool {
    false
}

/// Whether opening failed because of a link.
pub fn met_link(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
}

/// No mode bits are kept back.
pub fn umask() -> u32 {
    0
}

/// As many files as are needed may be open.
pub fn open_files() -> usize {
    usize::MAX
}

/// Writing always waits.
pub fn wait_for_room(_: &File) -> io::Result<()> {
    Ok(())
}

/// Links need rights that users do not have, so there are none.
pub fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Users have no number.
pub fn user_id() -> Option<u32> {
    None
}

/// A signal that has arrived; none does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrivedSignal {}

/// There are no signals to listen to.
#[derive(Debug)]
pub struct IncomingSignals;

impl IncomingSignals {
    /// Nothing to take over.
    pub fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// A moment, after which a child may have ended.
    pub fn wait(&mut self) -> Vec<ArrivedSignal> {
        std::thread::sleep(std::time::Duration::from_millis(20));
        Vec::new()
    }

    /// None has arrived.
    pub fn arrived(&mut self) -> Vec<ArrivedSignal> {
        Vec::new()
    }

    /// Nothing would have ended the process.
    pub fn ending(&mut self) -> Option<i32> {
        None
    }
}

/// A command knows itself by its path.
pub fn named(_: &mut std::process::Command, _: &std::ffi::OsStr) {}

/// There are no signals to hand on.
pub fn hand_on(_: ArrivedSignal, _: &std::process::Child) {}

/// There are no signals to send.
pub fn send(_: ArrivedSignal, _: &std::process::Child) {}

/// Processes are not suspended here.
pub fn stop_with(_: &std::process::Child) {}

/// The exit code for how a child ended: its own, or 255 if that does not fit a byte, so that a
/// failure never becomes 0.
pub fn exit_code(status: std::process::ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// There are no signals.
pub const fn code_of_signal(_: i32) -> u8 {
    u8::MAX
}

/// Makes a directory.
pub fn make_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Files have no modes.
pub fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Other names of a file are not known.
pub fn has_one_name(_: &fs::Metadata) -> bool {
    true
}

/// There are no signals to remember.
#[derive(Debug)]
pub struct Interrupts;

impl Interrupts {
    /// Nothing to listen to.
    pub fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// There was none.
    pub const fn signal(&self) -> Option<i32> {
        None
    }

    /// There was none.
    pub const fn is_repeated(&self) -> bool {
        false
    }
}

/// There are no groups.
pub fn lead_group(_: &mut std::process::Command) {}

/// Whether a child has ended, and if so, whether it succeeded.
pub fn ended(child: &mut std::process::Child) -> io::Result<Option<bool>> {
    Ok(child.try_wait()?.map(|status| status.success()))
}

/// There are no groups.
pub fn kill_group(_: &std::process::Child) {}

/// Ends a child.
pub fn end_group(child: &mut std::process::Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// There are no signals to notice.
#[derive(Debug)]
pub struct SignalGuard;

impl SignalGuard {
    /// Nothing to pay attention to.
    pub fn begin() -> io::Result<Self> {
        Ok(Self)
    }

    /// There was none.
    pub const fn is_over(&self) -> bool {
        false
    }
}

/// When a file was last written.
pub fn last_change(metadata: &fs::Metadata) -> Option<std::time::SystemTime> {
    metadata.modified().ok()
}

/// Files have no owner to ask for.
pub fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Files are wherever the user's own are.
pub fn is_private(_: &fs::Metadata) -> bool {
    true
}

/// Files have no owner to change.
pub fn give_like(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Ownership is not checked here.
pub fn swappable(_: &Path) -> io::Result<Option<PathBuf>> {
    Ok(None)
}

/// This is not known here.
pub fn leads_nowhere<T>(_: &T) -> bool {
    false
}

/// Marks a file as in use. The lock is exclusive, because a shared one would prevent writing.
pub fn hold(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// A lock is always exclusive here.
pub fn take(_: &File) -> Result<(), TryLockError> {
    Ok(())
}

/// Children do not inherit files.
pub fn share(_: &Directory, _: &OsStr) -> io::Result<Option<File>> {
    Ok(None)
}
