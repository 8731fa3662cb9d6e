//! Keeps a user logged in inside a mounted home, if possible without a second copy of a secret.
//!
//! [`restore`](super::restore) moves renewed logins back.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::skills::agents::Agent;
use crate::skills::files::content::{self, system_message};
use crate::skills::files::digest::{self, FileHash};
use crate::skills::files::platform::{self, Directory};
use crate::skills::model::environment::Environment;
use crate::skills::put::mount::restore::LoginDraft;

/// Largest login file.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How to bring logins into a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auth {
    #[default]
    Link,
    /// As copies that only their owner can read.
    Copy,
    /// Not at all.
    None,
}

/// A login that is a link in a home, with what is needed to move a renewed one back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    pub(super) agent: String,
    /// Below the home.
    pub(super) inside: String,
    /// The file, as the agent calls it.
    #[serde(with = "exact")]
    pub(super) named: PathBuf,
    /// The real file at that time.
    #[serde(with = "exact")]
    pub(super) real: PathBuf,
    /// The SHA-256 of its content.
    pub(super) sha256: FileHash,
}

/// A login that goes with its home: a copy, or one that the agent may create there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlinked {
    /// Below the home.
    pub(super) inside: String,
    /// The SHA-256 of the copy, if there is one.
    pub(super) sha256: Option<FileHash>,
}

/// The logins of a home.
#[derive(Debug, Default)]
pub struct ProvidedLogins {
    /// Those that are links to the user's files.
    pub linked: Vec<Linked>,
    /// Those that are not.
    pub unlinked: Vec<Unlinked>,
    /// Why others are not available.
    pub problems: Vec<String>,
}

/// Paths in JSON: as text if they are UTF-8, otherwise as numbers.
mod exact {
    use super::{Deserialize, Path, PathBuf, Serialize};
    use serde::{Deserializer, Serializer};
    use std::ffi::OsString;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Exact {
        Text(String),
        Raw(OsString),
    }

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        let exact = match path.to_str() {
            Some(text) => Exact::Text(text.to_owned()),
            None => Exact::Raw(path.as_os_str().to_owned()),
        };
        exact.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        Ok(match Exact::deserialize(from)? {
            Exact::Text(text) => text.into(),
            Exact::Raw(raw) => raw.into(),
        })
    }
}

/// Adds the user's logins for these agents to a home.
pub fn provide(
    agents: &[&Agent],
    environment: &Environment,
    home: &Path,
    auth: Auth,
) -> ProvidedLogins {
    let mut provided = ProvidedLogins::default();
    for (agent, login) in
        agents.iter().flat_map(|agent| agent.mounting.logins.iter().map(|login| (agent.id, login)))
    {
        let Some(named) = environment.user_root(login.real) else { continue };
        let inside = login.inside.to_owned();
        let brought =
            named.canonicalize().map_err(|error| (named.clone(), error)).and_then(|real| {
                LoginDraft::reap(&real);
                tracing::debug!(agent, from = ?real, how = ?auth, "providing a login");
                match bring(&real, &home.join(login.inside), auth) {
                    Ok(sha256) => Ok((real, sha256)),
                    Err(error) => Err((real, error)),
                }
            });
        let sha256 = match brought {
            Ok((real, sha256)) if auth == Auth::Link => {
                let agent = agent.to_owned();
                provided.linked.push(Linked { agent, inside, named, real, sha256 });
                continue;
            }
            Ok((_, sha256)) => Some(sha256),
            // Without a login, there is no link either: through a dangling one, an agent would create
            // the real file.
            Err((_, error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err((path, error)) => {
                provided.problems.push(unusable(&path, &error));
                None
            }
        };
        provided.unlinked.push(Unlinked { inside, sha256 });
    }
    provided
}

fn unusable(path: &Path, error: &io::Error) -> String {
    format!("the login in `{}` cannot be used: {}", path.display(), system_message(error))
}

/// Adds one login to a home; returns its SHA-256.
fn bring(real: &Path, inside: &Path, auth: Auth) -> io::Result<FileHash> {
    let bytes = content::whole(platform::open_without_following(real)?, MAX_BYTES)?;
    make_parents(inside)?;
    match auth {
        Auth::Link => platform::link(real, inside)?,
        Auth::Copy => write_secret(inside, &bytes)?,
        Auth::None => {}
    }
    Ok(digest::of_bytes(&bytes))
}

/// Creates the directories above a path in a home.
pub fn make_parents(inside: &Path) -> io::Result<()> {
    inside.parent().map_or(Ok(()), fs::create_dir_all)
}

fn write_secret(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    Directory::open(parent)?.create_file(Path::new(name), 0o600)?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn paths_that_are_no_text_come_back_from_a_record() {
        use std::os::unix::ffi::OsStringExt;
        let odd =
            PathBuf::from(std::ffi::OsString::from_vec(b"/home/\xff/.credentials.json".to_vec()));
        let linked = Linked {
            agent: "claude".to_owned(),
            inside: ".claude/.credentials.json".to_owned(),
            named: odd.clone(),
            real: PathBuf::from("/home/me/.credentials.json"),
            sha256: digest::of_bytes(b""),
        };
        let json = serde_json::to_string(&linked).unwrap();
        assert!(json.contains("\"real\":\"/home/me/.credentials.json\""), "{json}");
        assert_eq!(serde_json::from_str::<Linked>(&json).unwrap(), linked);
    }
}
