//! Files and directories: opening them without following links, reading them within bounds,
//! replacing them atomically, computing digests. Nothing here knows what a skill means.
//!
//! This file has what differs between operating systems: `unix` and `portable` have one `Directory`
//! each. Every `cfg` of the domain is in this folder.

pub mod atomic;
pub mod content;
pub mod digest;
pub mod inflate;
pub mod inventory;
#[cfg(target_os = "linux")]
pub mod notifier;
pub mod opaque;
#[cfg(unix)]
pub mod owner;
pub mod parallel;
#[cfg(not(unix))]
pub mod portable;
pub mod programs;
#[cfg(unix)]
pub mod signals;
#[cfg(unix)]
pub mod unix;
#[cfg(not(target_os = "linux"))]
pub mod unnotified;
pub mod watch;

#[cfg(unix)]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
pub use crate::skills::files::notifier::Notifier;
#[cfg(unix)]
pub use crate::skills::files::owner::{
    give_like, hold, is_own, is_private, leads_nowhere, share, swappable, take,
};
#[cfg(not(unix))]
pub use crate::skills::files::portable::{
    Directory, IncomingSignals, Interrupts, SignalGuard, code_of_signal, end_group, ended,
    exit_code, give_like, hand_on, has_one_name, hold, is_own, is_private, kill_group, last_change,
    lead_group, leads_nowhere, link, make_directory, met_link, named, open_files, read_at,
    read_once, send, set_mode, share, share_blocks, stop_with, swappable, take, umask, user_id,
    wait_for_room,
};
#[cfg(unix)]
pub use crate::skills::files::signals::{
    IncomingSignals, Interrupts, SignalGuard, code_of_signal, end_group, ended, exit_code, hand_on,
    kill_group, lead_group, named, send, stop_with,
};
#[cfg(unix)]
pub use crate::skills::files::unix::{
    Directory, has_hung_up, has_one_name, last_change, link, make_directory, met_link, open_files,
    read_at, read_once, set_mode, share_blocks, umask, user_id, wait_for_room,
};
#[cfg(not(target_os = "linux"))]
pub use crate::skills::files::unnotified::Notifier;

/// Nobody can tell before everything was read.
#[cfg(not(unix))]
pub const fn has_hung_up<T>(_: &T) -> bool {
    false
}

/// The variables that name the home; the first that is set counts.
pub const HOME_VARIABLES: &[&str] =
    if cfg!(windows) { &["HOME", "USERPROFILE"] } else { &["HOME"] };

/// What a directory entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Bytes.
    Regular,
    /// More entries.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO, socket or device, by its word for messages.
    Special(&'static str),
}

impl From<FileType> for FileKind {
    fn from(file_type: FileType) -> Self {
        if file_type.is_symlink() {
            Self::Symlink
        } else if file_type.is_dir() {
            Self::Directory
        } else if file_type.is_file() {
            Self::Regular
        } else {
            special_kind(file_type)
        }
    }
}

#[cfg(unix)]
impl FileKind {
    const PIPE: Self = Self::Special("a named pipe");
    const SOCKET: Self = Self::Special("a socket");
    const DEVICE: Self = Self::Special("a device");
}

#[cfg(unix)]
fn special_kind(file_type: FileType) -> FileKind {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_fifo() {
        FileKind::PIPE
    } else if file_type.is_socket() {
        FileKind::SOCKET
    } else {
        FileKind::DEVICE
    }
}

#[cfg(not(unix))]
const fn special_kind(_: FileType) -> FileKind {
    FileKind::Special("not a regular file")
}

/// Size and mode of a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    pub bytes: u64,
    /// Whether anyone may execute it.
    pub executable: bool,
}

impl FileStat {
    /// From the system's metadata.
    pub fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), executable: is_executable(metadata) }
    }
}

/// Equal for two paths that lead to the same file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity(u64, u64);

impl FileIdentity {
    /// As two numbers, for keeping.
    pub const fn numbers(self) -> (u64, u64) {
        (self.0, self.1)
    }
}

#[cfg(unix)]
impl FileIdentity {
    /// The identity, where the system has one.
    pub fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self(metadata.dev(), metadata.ino()))
    }
}

#[cfg(not(unix))]
impl FileIdentity {
    /// The identity, where the system has one.
    pub const fn of(_: &Metadata) -> Option<Self> {
        None
    }
}

/// A name in a directory, and what it stands for.
pub type DirectoryEntry = (OsString, FileKind);

/// A path that another program wrote.
#[cfg(unix)]
pub fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// A path that another program wrote.
#[cfg(not(unix))]
pub fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Opens for reading, never through a final link and never waiting for a writer.
#[cfg(unix)]
pub fn open_without_following(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Opens for reading, refusing a final link.
#[cfg(not(unix))]
pub fn open_without_following(path: &Path) -> io::Result<File> {
    if std::fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a symbolic link"));
    }
    OpenOptions::new().read(true).open(path)
}

/// Opens or creates a log for appending, never waiting for a reader.
pub fn open_log(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
        options.custom_flags(flags);
    }
    options.open(path)
}

/// Whether anyone may execute the file; systems without that bit say yes.
#[cfg(unix)]
pub fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

/// Whether anyone may execute the file; systems without that bit say yes.
#[cfg(not(unix))]
pub fn is_executable(_: &Metadata) -> bool {
    true
}

/// Sets the execute bit of an open file for everyone who may read it.
#[cfg(unix)]
pub fn set_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut permissions = metadata.permissions();
    permissions.set_mode(with_execute_bits(permissions.mode()));
    file.set_permissions(permissions)
}

/// Adds an execute bit for each read bit.
#[cfg(unix)]
const fn with_execute_bits(mode: u32) -> u32 {
    mode | ((mode & 0o444) >> 2)
}

/// The permission bits of a file, and those that [`set_executable`] would give it.
#[cfg(unix)]
pub fn modes(file: &File) -> io::Result<(u32, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode() & 0o777;
    Ok((mode, with_execute_bits(mode)))
}

/// The usual permission bits of a file, and of one that can be executed.
#[cfg(not(unix))]
pub fn modes(_: &File) -> io::Result<(u32, u32)> {
    Ok((0o644, 0o755))
}

/// There is no execute bit to set.
#[cfg(not(unix))]
pub fn set_executable(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
type Actions = std::sync::Mutex<Vec<(OsString, Box<dyn FnOnce() + Send>)>>;

#[cfg(test)]
static ACTIONS: Actions = Actions::new(Vec::new());

/// Lets a test act just before a file or directory of this name is opened the first time. Tests
/// run together, so each needs names of its own.
#[cfg(test)]
pub fn before_opening(name: &str, action: impl FnOnce() + Send + 'static) {
    ACTIONS.lock().unwrap().push((name.into(), Box::new(action)));
}

/// Called before each file or directory is opened.
#[cfg(test)]
fn about_to_open(path: &Path) {
    let mut actions = ACTIONS.lock().unwrap();
    let found = actions.iter().position(|(name, _)| path.file_name() == Some(name));
    let action = found.map(|index| actions.remove(index).1);
    drop(actions);
    if let Some(action) = action {
        action();
    }
}

#[cfg(not(test))]
const fn about_to_open(_: &Path) {}
