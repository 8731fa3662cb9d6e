//! Keeps a user logged in inside a mounted home, without a second copy of a secret where that can
//! be helped.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::skills::agents::Agent;
use crate::skills::content::{self, system_message};
use crate::skills::environment::Environment;
use crate::skills::platform::{self, Directory};

/// More than this is no login.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

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

/// A login of an agent: where it is below a home, and where the user has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Below a home.
    pub inside: &'static str,
    /// The real file.
    pub real: PathBuf,
}

/// The logins of these agents that the user has, and why others cannot be had. Where they are comes
/// from the table and the environment, never from what somebody wrote into a home.
#[must_use]
pub fn pairs(agents: &[&Agent], environment: &Environment) -> (Vec<Pair>, Vec<String>) {
    let mut pairs = Vec::new();
    let mut problems = Vec::new();
    for login in agents.iter().flat_map(|agent| agent.mounting.logins) {
        let Some(real) = environment.user_root(login.real) else { continue };
        match real.canonicalize() {
            Ok(real) => pairs.push(Pair { inside: login.inside, real }),
            // A link to nothing would let an agent make the real file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => problems.push(unusable(&real, &error)),
        }
    }
    (pairs, problems)
}

/// Puts logins into a home; returns what did not work.
#[must_use]
pub fn provide(pairs: &[Pair], home: &Path, auth: Auth) -> Vec<String> {
    let mut problems = Vec::new();
    for pair in pairs.iter().filter(|_| auth != Auth::None) {
        if let Err(error) = bring(&pair.real, &home.join(pair.inside), auth) {
            problems.push(unusable(&pair.real, &error));
        }
    }
    problems
}

fn unusable(path: &Path, error: &io::Error) -> String {
    format!("the login in `{}` cannot be used: {}", path.display(), system_message(error))
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
    content::whole(platform::open_without_following(path)?, MAX_BYTES)
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
pub fn restore(home: &Path, pairs: &[Pair]) -> Vec<String> {
    let mut problems = Vec::new();
    for pair in pairs {
        let inside = home.join(pair.inside);
        let renewed = inside.symlink_metadata().ok().filter(fs::Metadata::is_file);
        let Some(when) = renewed.as_ref().and_then(platform::last_change) else { continue };
        // Two runs may have renewed the same login: the last one counts.
        let real = pair.real.metadata().and_then(|data| data.modified());
        if real.is_ok_and(|real| real > when) {
            continue;
        }
        let moved = secret(&inside).and_then(|bytes| replace_secret(&pair.real, &bytes, when));
        if let Err(error) = moved {
            problems.push(format!(
                "the renewed login cannot be moved back to `{}`: {}",
                pair.real.display(),
                system_message(&error)
            ));
        }
    }
    problems
}

/// Replaces a secret as a whole, readable by its owner only at any moment.
fn replace_secret(path: &Path, bytes: &[u8], when: SystemTime) -> io::Result<()> {
    let parent = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut file = tempfile::Builder::new().prefix(".skills-").tempfile_in(parent)?;
    file.write_all(bytes)?;
    file.as_file().set_modified(when)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
