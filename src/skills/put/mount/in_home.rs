//! Logins as they are in a home: finds them, and names those that are removed with it.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::Path;

use crate::skills::files::content::{self, system_message};
use crate::skills::files::digest;
use crate::skills::files::platform::{Directory, FileKind};
use crate::skills::put::mount::home::open_own;
use crate::skills::put::mount::login::{MAX_BYTES, Unlinked};

/// Finds the file of a login in a home, and its kind.
pub(super) fn find<'a>(
    home: &Directory,
    inside: &'a str,
) -> Result<Option<(Directory, &'a OsStr, FileKind)>, String> {
    let inside = Path::new(inside);
    let name = inside.file_name().ok_or("it has no name")?;
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let mut directory = home.child(OsStr::new(".")).map_err(|error| system_message(&error))?;
    for part in inside.parent().into_iter().flat_map(Path::iter) {
        directory = match open_own(&directory, part) {
            Err(error) if gone(&error) => return Ok(None),
            Err(_) => return Err(format!("`{}` is no longer a directory", part.display())),
            Ok(below) => below,
        };
    }
    match directory.kind(name) {
        Err(error) if gone(&error) => Ok(None),
        Err(error) => Err(system_message(&error)),
        Ok(kind) => Ok(Some((directory, name, kind))),
    }
}

/// Reads a login, and what the system says about its file.
pub(super) fn read(directory: &Directory, name: &OsStr) -> io::Result<(Metadata, Vec<u8>)> {
    let file = directory.file(name)?;
    Ok((file.metadata()?, content::whole(file, MAX_BYTES)?))
}

/// Names the logins that were made or renewed in a home, and are removed with it.
pub(super) fn lost(home: &Directory, path: &Path, logins: &[Unlinked]) -> Vec<String> {
    let mut words = Vec::new();
    for login in logins {
        let Ok(Some((directory, name, FileKind::Regular))) = find(home, &login.inside) else {
            continue;
        };
        let Ok((_, bytes)) = read(&directory, name) else { continue };
        let place = path.join(&login.inside);
        let place = place.display();
        match &login.sha256 {
            // Some agents write an empty document when they start.
            None if matches!(bytes.trim_ascii(), b"" | b"{}") => {}
            None => words.push(format!(
                "the login in `{place}` was made in the home and removed with it; to keep a login, log \
                 in without `skills mount`"
            )),
            Some(copied) if digest::of_bytes(&bytes) == *copied => {}
            Some(_) => words.push(format!(
                "the copied login in `{place}` was renewed and removed with the home; if yours no \
                 longer works, log in again (`--auth link` keeps renewed logins)"
            )),
        }
    }
    words
}
