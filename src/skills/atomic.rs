//! Replaces files as a whole: a reader sees the old text or the new one, never a part.

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
    let old = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
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
