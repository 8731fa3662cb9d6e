//! Replaces files as a whole: a reader sees the old text or the new one, never a part.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::skills::platform;

/// Writes `bytes` to `path` through a temporary file beside it. The mode of a file that is
/// replaced is kept; a link is replaced, not followed.
///
/// # Errors
/// Those of the system; the old file is then untouched.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".skills-");
    let old = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    if let Some(permissions) = platform::new_file_permissions() {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(bytes)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes `bytes` to a file that a user named: one that is there is replaced where it really is,
/// because a link is the user's own way to keep it elsewhere. A pipe or a device stays what it is.
///
/// # Errors
/// Those of the system.
pub fn write_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => write(&path.canonicalize()?, bytes),
        Err(_) if !path.is_symlink() => write(path, bytes),
        // A pipe, a device, or a link to where there is nothing yet.
        _ => {
            let mut file = platform::open_log(path)?;
            platform::wait_for_room(&file)?;
            file.write_all(bytes)
        }
    }
}
