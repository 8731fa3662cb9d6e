//! Moves logins that were renewed in a home back to the user's files.
//!
//! The record beside the home has the target. No link is followed on the way: if `.claude` is a link,
//! the record has its real path, and the login is written there if it still exists. In doubt, nothing
//! is written and the home stays.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use crate::skills::agents::AGENTS;
use crate::skills::files::content::system_message;
use crate::skills::files::digest;
use crate::skills::files::platform::{self, Directory, FileKind};
use crate::skills::model::environment::UserRoot;
use crate::skills::put::mount::in_home::{find, read};
use crate::skills::put::mount::login::Linked;
use crate::skills::put::mount::record::{PAUSE, is_there};

/// Suffix of a new login until it replaces the old one. The next run that writes this login removes
/// what a killed run left.
const DRAFT: &str = ".skills-login";
/// Attempts to wait for the draft of another run.
const ATTEMPTS: usize = 100;

/// The result of moving the logins of a home back.
#[derive(Debug, Default)]
pub struct Restored {
    /// Messages about logins that were renewed twice.
    pub words: Vec<String>,
    /// Why a login may exist only in the home.
    pub doubts: Vec<String>,
}

/// Why a login is not moved back.
type NotRestored = String;

/// Moves logins that an agent renewed back to the user's files.
pub fn restore(home: &Directory, path: &Path, logins: &[Linked]) -> Restored {
    let mut restored = Restored::default();
    for login in logins {
        match move_back(home, login) {
            Ok(word) => restored.words.extend(word),
            Err(doubt) => restored.doubts.push(format!(
                "the login in `{}` was not moved back to `{}`: {doubt}",
                path.join(&login.inside).display(),
                login.named.display(),
            )),
        }
    }
    restored
}

/// The bytes of a login, and when it was written.
struct LoginBytes {
    bytes: Vec<u8>,
    when: SystemTime,
}

fn move_back(home: &Directory, login: &Linked) -> Result<Option<String>, NotRestored> {
    let Some(renewed) = renewed(home, login)? else { return Ok(None) };
    let place = LoginPlace::of(login)?;
    if place.read()?.0.bytes == renewed.bytes {
        return Ok(None);
    }
    let draft = LoginDraft::begin(&place.directory, &place.name)?;
    // Read again: now no other run can change it.
    let (real, data) = place.read()?;
    let shown = login.real.display();
    let (replaces, word) = match newest(&renewed, &real, login, SystemTime::now())? {
        Newest::Renewed => (true, None),
        Newest::RenewedOfTwo => (
            true,
            Some(format!(
                "`{shown}` was renewed by another run as well; it was replaced by a newer login"
            )),
        ),
        Newest::Real => (
            false,
            Some(format!(
                "`{shown}` was renewed by another run as well; the older login of this home was dropped"
            )),
        ),
    };
    if replaces {
        draft.replace(&renewed, &data).map_err(|error| system_message(&error))?;
    }
    Ok(word)
}

/// Which of two logins wins.
#[derive(Debug, PartialEq, Eq)]
enum Newest {
    /// The one in the home; the other is unchanged.
    Renewed,
    /// The one in the home, although the other was also renewed.
    RenewedOfTwo,
    /// The other one.
    Real,
}

/// Decides which login is newer, if that is certain.
fn newest(
    renewed: &LoginBytes,
    real: &LoginBytes,
    login: &Linked,
    now: SystemTime,
) -> Result<Newest, NotRestored> {
    if digest::of_bytes(&real.bytes) == login.sha256 {
        return Ok(Newest::Renewed);
    }
    let doubt = "that one was renewed as well, and it is unclear which login is newer";
    if renewed.when > now || real.when > now || renewed.when == real.when {
        return Err(doubt.to_owned());
    }
    Ok(if renewed.when > real.when { Newest::RenewedOfTwo } else { Newest::Real })
}

/// The login in a home, if it is not the link that was created there. An agent that removes the link
/// has logged out of this home only.
fn renewed(home: &Directory, login: &Linked) -> Result<Option<LoginBytes>, NotRestored> {
    let Some((directory, name, kind)) = find(home, &login.inside)? else { return Ok(None) };
    match kind {
        FileKind::Symlink => {
            let target = directory.link_target(name).map_err(|error| system_message(&error))?;
            let is_same = target == login.real;
            let doubt = || "it is a symbolic link to somewhere else".to_owned();
            return if is_same { Ok(None) } else { Err(doubt()) };
        }
        FileKind::Directory | FileKind::Special(_) => {
            return Err("it is not a regular file".to_owned());
        }
        FileKind::Regular => {}
    }
    let (data, bytes) = read(&directory, name).map_err(|error| system_message(&error))?;
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let when = platform::last_change(&data).ok_or("it has no time")?;
    Ok(Some(LoginBytes { bytes, when }))
}

/// The target of a login.
struct LoginPlace {
    directory: Directory,
    name: OsString,
    path: PathBuf,
}

impl LoginPlace {
    /// The recorded place: the table of agents must allow it, and no link may lead to it.
    fn of(login: &Linked) -> Result<Self, NotRestored> {
        let path = login.real.clone();
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err("it has no name".to_owned());
        };
        if !is_allowed(login) {
            return Err(format!("`{}` is not a place for this login", path.display()));
        }
        let now = login.named.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "that file no longer exists".to_owned(),
            _ => system_message(&error),
        })?;
        if now != path {
            return Err(format!("it leads to `{}` now", now.display()));
        }
        let directory = Directory::open_real(parent).map_err(|error| system_message(&error))?;
        Ok(Self { directory, name: name.to_owned(), path })
    }

    /// The login at the target.
    fn read(&self) -> Result<(LoginBytes, Metadata), NotRestored> {
        let doubt = |error: io::Error| {
            format!("`{}` cannot be read: {}", self.path.display(), system_message(&error))
        };
        let (data, bytes) = read(&self.directory, &self.name).map_err(doubt)?;
        let when = data.modified().map_err(doubt)?;
        Ok((LoginBytes { bytes, when }, data))
    }
}

/// Whether the table of agents allows this login: the file must have the name from the table, also
/// if a variable or a link of the user moves it.
fn is_allowed(login: &Linked) -> bool {
    let mut rows = AGENTS.iter().filter(|agent| agent.id == login.agent);
    let logins = rows.next().map(|agent| agent.mounting.logins).unwrap_or_default();
    let below = logins.iter().find(|one| one.inside == login.inside).map(|one| match one.real {
        UserRoot::Home(below)
        | UserRoot::Variable { below, .. }
        | UserRoot::HomeUnless { below, .. }
        | UserRoot::OnlyVariable { below, .. }
        | UserRoot::Absolute(below) => below,
    });
    below.is_some_and(|below| {
        login.named.is_absolute()
            && login.named.ends_with(below)
            && login.real.file_name() == Path::new(below).file_name()
    })
}

/// A new login on its way into place, locked against other runs.
pub(super) struct LoginDraft<'a> {
    directory: &'a Directory,
    target: &'a OsStr,
    name: OsString,
    file: File,
}

impl<'a> LoginDraft<'a> {
    /// Waits for other runs, and removes drafts of killed ones.
    fn begin(directory: &'a Directory, target: &'a OsStr) -> Result<Self, NotRestored> {
        let name = draft_of(target);
        for _ in 0..ATTEMPTS {
            match directory.create_file(Path::new(&name), 0o600) {
                Ok(file) => {
                    // A cleaning process may have mistaken it for one of a killed run.
                    if !is_busy(&file) && is_there(directory, &name, &file).unwrap_or(false) {
                        return Ok(Self { directory, target, name, file });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if reap(directory, &name) {
                        continue;
                    }
                }
                Err(error) => return Err(system_message(&error)),
            }
            thread::sleep(PAUSE);
        }
        Err(format!("`{}` is in the way", name.display()))
    }

    /// Removes the draft of a killed run beside a login.
    pub(super) fn reap(login: &Path) {
        if let (Some(parent), Some(target)) = (login.parent(), login.file_name())
            && let Ok(directory) = Directory::open(parent)
        {
            reap(&directory, &draft_of(target));
        }
    }

    /// Replaces the old login atomically; only its owner can ever read the new one.
    fn replace(mut self, secret: &LoginBytes, old: &Metadata) -> io::Result<()> {
        self.file.write_all(&secret.bytes)?;
        platform::give_like(&self.file, old)?;
        self.file.set_modified(secret.when)?;
        self.file.sync_all()?;
        self.directory.rename(&self.name, self.directory, self.target)?;
        self.directory.sync()
    }
}

impl Drop for LoginDraft<'_> {
    fn drop(&mut self) {
        // After the rename, the draft no longer exists.
        if is_there(self.directory, &self.name, &self.file).unwrap_or(false) {
            let _ = self.directory.remove_file(&self.name);
        }
    }
}

fn draft_of(target: &OsStr) -> OsString {
    let mut name = target.to_owned();
    name.push(DRAFT);
    name
}

/// Removes an unused draft; returns whether it is gone.
fn reap(directory: &Directory, name: &OsStr) -> bool {
    let Ok(file) = directory.file_to_change(name) else { return false };
    let is_ours = |data: Metadata| data.is_file() && platform::is_own(&data);
    file.metadata().is_ok_and(is_ours)
        && !is_busy(&file)
        && is_there(directory, name, &file).unwrap_or(false)
        && directory.remove_file(name).is_ok()
}

/// Whether another run uses a draft; otherwise locks it. On a file system without locks, exclusive
/// creation of the draft has to be enough.
fn is_busy(draft: &File) -> bool {
    matches!(draft.try_lock(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn linked(agent: &str, inside: &str, named: &str, real: &str) -> Linked {
        Linked {
            agent: agent.to_owned(),
            inside: inside.to_owned(),
            named: named.into(),
            real: real.into(),
            sha256: digest::of_bytes(b"old"),
        }
    }

    #[test]
    fn the_newest_login_is_the_one_that_was_written_last_where_that_is_certain() {
        let at = |bytes: &str, seconds: u64| LoginBytes {
            bytes: bytes.as_bytes().to_vec(),
            when: SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
        };
        let login = linked("claude", ".claude/.credentials.json", "/a", "/a");
        let newest = |renewed: u64, bytes: &str, real: u64| {
            newest(&at("new", renewed), &at(bytes, real), &login, at("", 100).when).ok()
        };
        // An unchanged login is replaced regardless of times.
        assert_eq!(newest(50, "old", 10), Some(Newest::Renewed));
        assert_eq!(newest(50, "old", 60), Some(Newest::Renewed));
        assert_eq!(newest(50, "old", 999), Some(Newest::Renewed));
        assert_eq!(newest(999, "old", 10), Some(Newest::Renewed));
        assert_eq!(newest(50, "other", 49), Some(Newest::RenewedOfTwo));
        assert_eq!(newest(50, "other", 51), Some(Newest::Real));
        assert_eq!(newest(50, "other", 50), None);
        assert_eq!(newest(50, "other", 101), None);
        assert_eq!(newest(101, "other", 50), None);
        assert_eq!(newest(100, "other", 50), Some(Newest::RenewedOfTwo));
    }

    #[test]
    fn a_login_belongs_only_where_the_table_has_it() {
        let inside = ".claude/.credentials.json";
        let is = |agent, inside, named, real| is_allowed(&linked(agent, inside, named, real));
        let home = "/home/me/.claude/.credentials.json";
        assert!(is("claude", inside, home, home));
        assert!(is(
            "claude",
            inside,
            "/accounts/second/.credentials.json",
            "/dotfiles/.credentials.json"
        ));
        assert!(is(
            "opencode",
            ".local/share/opencode/auth.json",
            "/d/opencode/auth.json",
            "/e/auth.json"
        ));
        for (agent, inside, named, real) in [
            ("claude", inside, "/home/me/.bashrc", "/home/me/.bashrc"),
            ("claude", inside, home, "/home/me/.bashrc"),
            ("claude", inside, ".claude/.credentials.json", home),
            ("codex", inside, home, home),
            ("claude-code", inside, home, home),
            ("nobody", inside, home, home),
            ("claude", ".claude/settings.json", home, home),
            ("opencode", ".local/share/opencode/auth.json", "/d/auth.json", "/d/auth.json"),
            ("copilot", inside, home, home),
        ] {
            assert!(!is(agent, inside, named, real), "{agent} {inside} {named} {real}");
        }
    }

    #[test]
    fn a_draft_that_another_run_works_on_is_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        let directory = Directory::open(temp.path()).unwrap();
        let (target, name) = (OsStr::new("auth.json"), draft_of(OsStr::new("auth.json")));
        let draft = LoginDraft::begin(&directory, target).unwrap();
        assert!(!reap(&directory, &name));
        assert!(temp.path().join(&name).exists());
        drop(draft);
        assert!(!temp.path().join(&name).exists());
    }
}
