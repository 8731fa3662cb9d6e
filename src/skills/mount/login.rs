//! Keeps a user logged in inside a mounted home, without a second copy of a secret where that can
//! be helped.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::skills::agents::Agent;
use crate::skills::content::system_message;
use crate::skills::environment::Environment;
use crate::skills::platform::{self, Directory};

/// More than this is no login.
const MAX_BYTES: u64 = 1024 * 1024;

/// How logins get into a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auth {
    /// As links.
    #[default]
    Link,
    /// As copies that only their owner can read.
    Copy,
    /// Not at all.
    None,
}

/// A login that was linked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// Where it is below the home.
    pub inside: String,
    /// Where the user has it.
    pub real: PathBuf,
}

/// Puts the logins of these agents into a home; returns those that are links, and what did not work.
#[must_use]
pub fn provide(
    agents: &[&Agent],
    home: &Path,
    environment: &Environment,
    auth: Auth,
) -> (Vec<Linked>, Vec<String>) {
    let mut linked = Vec::new();
    let mut problems = Vec::new();
    if auth == Auth::None {
        return (linked, problems);
    }
    let logins = agents.iter().flat_map(|agent| agent.mounting.logins);
    for login in logins {
        let Some(real) = environment.user_root(login.real) else { continue };
        // A link to nothing would let an agent make the real file.
        let Ok(real) = real.canonicalize() else { continue };
        let inside = home.join(login.inside);
        match bring(&real, &inside, auth) {
            Ok(()) if auth == Auth::Link => {
                linked.push(Linked { inside: login.inside.to_owned(), real });
            }
            Ok(()) => {}
            Err(error) => problems.push(format!(
                "the login in `{}` cannot be used: {}",
                real.display(),
                system_message(&error)
            )),
        }
    }
    (linked, problems)
}

fn bring(real: &Path, inside: &Path, auth: Auth) -> io::Result<()> {
    let bytes = secret(real)?;
    make_parents(inside)?;
    match auth {
        Auth::Link => platform::link(real, inside),
        Auth::Copy | Auth::None => write_secret(inside, &bytes),
    }
}

/// Makes the directories above a path of a home.
///
/// # Errors
/// Those of the system.
pub fn make_parents(inside: &Path) -> io::Result<()> {
    inside.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Reads a login, which must be a file that the user can read.
fn secret(path: &Path) -> io::Result<Vec<u8>> {
    let file = platform::open_without_following(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(io::Error::other("not a regular file, or too large"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn write_secret(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    Directory::open(parent)?.create_file(Path::new(name), 0o600)?.write_all(bytes)
}

/// Moves logins that an agent replaced, because they were renewed, back to where the user has
/// them. Returns what did not work.
#[must_use]
pub fn restore(home: &Path, linked: &[Linked]) -> Vec<String> {
    let mut problems = Vec::new();
    for login in linked {
        let inside = home.join(&login.inside);
        let is_file = inside.symlink_metadata().is_ok_and(|data| data.is_file());
        if !is_file || !is_newer(&inside, &login.real) {
            continue;
        }
        let moved = secret(&inside).and_then(|bytes| replace_secret(&login.real, &bytes));
        if let Err(error) = moved {
            problems.push(format!(
                "the renewed login cannot be moved back to `{}`: {}",
                login.real.display(),
                system_message(&error)
            ));
        }
    }
    problems
}

/// Whether one file was written after another; two runs may have renewed the same login.
fn is_newer(one: &Path, other: &Path) -> bool {
    let time = |path: &Path| path.metadata().and_then(|data| data.modified());
    match (time(one), time(other)) {
        (Ok(one), Ok(other)) => one >= other,
        _ => true,
    }
}

/// Replaces a secret as a whole, readable by its owner only at any moment.
fn replace_secret(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut file = tempfile::Builder::new().prefix(".skills-").tempfile_in(parent)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
