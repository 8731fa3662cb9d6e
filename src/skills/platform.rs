//! What differs between operating systems: opening without following links, and modes.
//! Every `cfg` of the domain is in this file.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// What a directory entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Bytes.
    Regular,
    /// More entries.
    Directory,
    /// A symbolic link, to whatever.
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
            Self::Special(special_kind(file_type))
        }
    }
}

#[cfg(unix)]
fn special_kind(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_fifo() {
        "a named pipe"
    } else if file_type.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special_kind(_: FileType) -> &'static str {
    "not a regular file"
}

/// Opens for reading, never through a final link and never waiting for a writer.
///
/// # Errors
/// Those of the system; a link is an error too.
#[cfg(unix)]
pub fn open_without_following(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Opens for reading, refusing a final link.
///
/// # Errors
/// Those of the system; a link is an error too.
#[cfg(not(unix))]
pub fn open_without_following(path: &Path) -> io::Result<File> {
    if std::fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a symbolic link"));
    }
    OpenOptions::new().read(true).open(path)
}

/// Whether anyone may execute the file; systems without that bit say yes.
#[cfg(unix)]
#[must_use]
pub fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

/// Whether anyone may execute the file; systems without that bit say yes.
#[cfg(not(unix))]
#[must_use]
pub fn is_executable(_: &Metadata) -> bool {
    true
}

/// Sets the execute bit for everyone who may read the file.
///
/// # Errors
/// Those of the system, and anything that is not a regular file.
#[cfg(unix)]
pub fn set_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let file = open_without_following(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut permissions = metadata.permissions();
    let mode = permissions.mode();
    permissions.set_mode(mode | ((mode & 0o444) >> 2));
    file.set_permissions(permissions)
}

/// There is no execute bit to set.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn set_executable(_: &Path) -> io::Result<()> {
    Ok(())
}
