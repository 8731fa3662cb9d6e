//! Keeps a user logged in inside a mounted home, if possible without a second copy of a secret, and moves
//! renewed logins back.

use std::env::consts::OS;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::skills::agents::{AGENTS, Agent};
use crate::skills::files::content::{self, system_message};
use crate::skills::files::digest::{self, FileHash};
use crate::skills::files::{self, Directory, FileKind};
use crate::skills::model::environment::{Environment, UserRoot};
use crate::skills::model::error::{Result, err};
use crate::skills::mount::home::open_own;
use crate::skills::mount::policy::{Variables, is_on};
use crate::skills::mount::record::{PAUSE, is_there};
use crate::skills::mount::settings::HostSettings;

/// Largest login file.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

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
    pub agent: String,
    /// Below the home.
    pub inside: String,
    /// The file, as the agent calls it.
    #[serde(with = "exact")]
    pub named: PathBuf,
    /// The real file at that time.
    #[serde(with = "exact")]
    pub real: PathBuf,
    /// The SHA-256 of its content.
    pub sha256: FileHash,
}

/// A login that goes with its home: a copy, or one that the agent may create there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlinked {
    /// Below the home.
    pub inside: String,
    /// The SHA-256 of the copy, if there is one.
    pub sha256: Option<FileHash>,
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

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        let exact = match path.to_str() {
            Some(text) => Exact::Text(text.to_owned()),
            None => Exact::Raw(path.as_os_str().to_owned()),
        };
        exact.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
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
    let bytes = content::whole(files::open_without_following(real)?, MAX_BYTES)?;
    make_parents(inside)?;
    match auth {
        Auth::Link => files::link(real, inside)?,
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

// Moves logins that were renewed in a home back to the user's files.
//
// The record beside the home has the target. No link is followed on the way: if `.claude` is a link,
// the record has its real path, and the login is written there if it still exists. In doubt, nothing
// is written and the home stays.

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
    let when = files::last_change(&data).ok_or("it has no time")?;
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
pub struct LoginDraft<'a> {
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
    pub fn reap(login: &Path) {
        if let (Some(parent), Some(target)) = (login.parent(), login.file_name())
            && let Ok(directory) = Directory::open(parent)
        {
            reap(&directory, &draft_of(target));
        }
    }

    /// Replaces the old login atomically; only its owner can ever read the new one.
    fn replace(mut self, secret: &LoginBytes, old: &Metadata) -> io::Result<()> {
        self.file.write_all(&secret.bytes)?;
        files::give_like(&self.file, old)?;
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
    let is_ours = |data: Metadata| data.is_file() && files::is_own(&data);
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

// Logins as they are in a home: finds them, and names those that are removed with it.

/// Finds the file of a login in a home, and its kind.
pub fn find<'a>(
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
pub fn read(directory: &Directory, name: &OsStr) -> io::Result<(Metadata, Vec<u8>)> {
    let file = directory.file(name)?;
    Ok((file.metadata()?, content::whole(file, MAX_BYTES)?))
}

/// Names the logins that were made or renewed in a home, and are removed with it.
pub fn lost(home: &Directory, path: &Path, logins: &[Unlinked]) -> Vec<String> {
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

// Checks that an isolated Claude can log in, before it is started.
//
// An isolated Claude gets only what the policy passes on, so a missing login is certain. Other
// agents may use a model that needs none.

/// Switches that send Claude to another provider.
const ELSEWHERE: [&str; 2] = ["CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

/// Variables that hold credentials for Amazon Bedrock, or lead to them on the network.
const AMAZON: [&str; 5] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_PROFILE",
];

/// Variables that name files with such credentials.
const AMAZON_FILES: [&str; 3] =
    ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"];

/// The credentials of an isolated agent.
#[derive(Debug, Clone, Copy)]
pub struct LoginCheck<'a> {
    pub agent: &'a Agent,
    /// The variables it gets.
    pub variables: &'a Variables,
    /// Whether it gets the login files of the user.
    pub files: bool,
    /// The environment of the user.
    pub real: &'a Environment,
    /// The user's own settings of Claude.
    pub host: &'a HostSettings,
}

impl LoginCheck<'_> {
    /// Refuses Claude without a login.
    pub fn run(&self) -> Result<()> {
        // Another address may need no login.
        let is_elsewhere =
            self.has("ANTHROPIC_BASE_URL") || ELSEWHERE.iter().any(|name| self.is_on(name));
        if self.agent.id != "claude" || is_elsewhere {
            return Ok(());
        }
        if self.is_on("CLAUDE_CODE_USE_BEDROCK") {
            return self.bedrock();
        }
        let has_key = self.agent.mounting.keys.iter().any(|name| self.has(name));
        let has_file = self.agent.mounting.logins.iter().any(|login| {
            self.real.user_root(login.real).is_some_and(|path| path.metadata().is_ok())
        });
        // On macOS the login is in the keychain, which is not checked.
        if has_key || (self.files && (has_file || OS == "macos")) {
            return Ok(());
        }
        Err(err!(
            Auth,
            "an isolated Claude has no login here: no key in `ANTHROPIC_API_KEY` or \
                       `CLAUDE_CODE_OAUTH_TOKEN`, and no login file"
        )
        .help(
            "set `ANTHROPIC_API_KEY`, name the variable that holds the key with \
             `isolation.api_key_env`, log in with `claude`, or use Amazon Bedrock: set \
             `CLAUDE_CODE_USE_BEDROCK=1` and `AWS_REGION`",
        ))
    }

    fn bedrock(&self) -> Result<()> {
        if !["AWS_REGION", "AWS_DEFAULT_REGION"].iter().any(|name| self.has(name)) {
            return Err(err!(Auth, "Claude is to use Amazon Bedrock, but `AWS_REGION` is not set")
                .help("set `AWS_REGION`, or switch Bedrock off: `CLAUDE_CODE_USE_BEDROCK=0`"));
        }
        let file = |name: &&str| self.variables.get(OsStr::new(name)).map(Path::new);
        let has_credentials = AMAZON.iter().any(|name| self.has(name))
            || AMAZON_FILES.iter().filter_map(file).any(Path::is_file)
            || self.host.aws_auth_refresh.is_some();
        // Without login files, the machine itself may have a role.
        if has_credentials || !self.files {
            return Ok(());
        }
        Err(err!(
            Auth,
            "Claude is to use Amazon Bedrock, but there are no AWS credentials: no \
                       `~/.aws`, and no `AWS_ACCESS_KEY_ID`, `AWS_PROFILE`, \
                       `AWS_BEARER_TOKEN_BEDROCK`, `AWS_WEB_IDENTITY_TOKEN_FILE` or \
                       `AWS_CONTAINER_CREDENTIALS_*`"
        )
        .help(
            "log in to AWS, or name the variable that holds a key for Anthropic with \
             `isolation.api_key_env`; on a machine whose role provides them, use `--auth none`",
        ))
    }

    fn has(&self, name: &str) -> bool {
        self.variables.get(OsStr::new(name)).is_some_and(|value| !value.is_empty())
    }

    /// Whether a switch is on.
    fn is_on(&self, name: &str) -> bool {
        self.variables.get(OsStr::new(name)).is_some_and(|value| is_on(value))
    }
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

#[cfg(test)]
mod restore_tests {
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
