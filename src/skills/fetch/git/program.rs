//! Builds git commands that can only fetch and show objects: no hooks, no submodules, no filters,
//! no prompts, no protocols that run programs.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::skills::fetch::git::watching;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::location::Location;

/// The variable for the maximum silence of git, in seconds.
pub const TIMEOUT: &str = "SKILLS_GIT_TIMEOUT";

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Options that keep ssh from prompting and from trying forever.
const SSH_OPTIONS: &str = "-oBatchMode=yes -oConnectTimeout=30";

/// Settings for every command, which override the user's.
const SETTINGS: [&str; 14] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    // Pass larger files on part by part: a few bytes of a pack can be a file of gigabytes.
    "core.bigFileThreshold=1m",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "fetch.output=full",
    // Store packs, not loose objects: the size limit and the cleanup look at packs.
    "fetch.unpackLimit=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "credential.interactive=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=30",
    "advice.detachedHead=false",
];

/// The git variables that are passed on: only those that say how to reach a server. Inside a hook,
/// others point to another repository.
const KEPT: [&str; 13] = [
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_HTTP_USER_AGENT",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_CERT",
    "GIT_SSL_KEY",
];

const KEPT_PREFIXES: [&str; 2] = ["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];

/// The git program and its environment.
#[derive(Debug, Clone)]
pub struct GitProgram {
    environment: Vec<(OsString, OsString)>,
    patience: Duration,
    /// The user's ssh command, looked up on first use.
    ssh: OnceLock<String>,
}

impl GitProgram {
    /// Git with this environment.
    pub fn new(environment: &Environment) -> Result<Self> {
        let patience = match environment.variable(TIMEOUT) {
            None => DEFAULT_TIMEOUT,
            Some(text) => {
                let seconds = text.to_str().and_then(|text| text.parse::<f64>().ok());
                let duration = seconds.and_then(|one| Duration::try_from_secs_f64(one).ok());
                duration.filter(|one| !one.is_zero()).ok_or_else(|| {
                    let text = text.to_string_lossy();
                    err!(Usage, "`{TIMEOUT}={text}` is not a number of seconds")
                })?
            }
        };
        let is_kept = |name: &str| {
            !name.starts_with("GIT_")
                || KEPT.contains(&name)
                || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        };
        let kept = environment
            .variables()
            .filter(|(name, _)| name.to_str().is_none_or(is_kept))
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(Self { environment: kept.collect(), patience, ssh: OnceLock::new() })
    }

    /// A command about the repository in this directory.
    pub fn command(&self, repository: &Path) -> Command {
        let mut command = self.plain_command(repository);
        command.env("GIT_DIR", repository);
        command
    }

    /// A command that may talk to the server of this location.
    pub fn remote_command(&self, repository: &Path, location: &Location) -> Command {
        let mut command = self.asking_command(repository, location);
        command.env("GIT_DIR", repository);
        command
    }

    /// The same, without a repository.
    pub fn asking_command(&self, repository: &Path, location: &Location) -> Command {
        let mut command = self.plain_command(repository);
        command.env("GIT_ALLOW_PROTOCOL", location.protocols());
        if location.url.starts_with("http:") {
            // Plain http is only for this machine, so redirects must not lead elsewhere.
            command.args(["-c", "http.followRedirects=false"]);
        }
        // The user's settings may rewrite any address to ssh.
        let ssh = self.ssh.get_or_init(|| self.ssh_command(repository));
        command.env("GIT_SSH_COMMAND", format!("{ssh} {SSH_OPTIONS}")).env_remove("GIT_SSH");
        command
    }

    /// A command about the working tree that this directory belongs to. It writes nothing.
    pub fn working_command(&self, directory: &Path) -> Command {
        let mut command = self.plain_command(directory);
        command.current_dir(directory).env_remove("GIT_DIR").env("GIT_OPTIONAL_LOCKS", "0");
        command
    }

    /// A command without a repository, run in this directory.
    fn plain_command(&self, repository: &Path) -> Command {
        let mut command = Command::new("git");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("GIT_TERMINAL_PROMPT", "0")
            // Empty values disable prompts.
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GCM_INTERACTIVE", "never")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            // Missing objects are fetched together, not one by one.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(above) = repository.parent() {
            // A repository that does not exist keeps git from finding another one above the cache,
            // and from using its settings.
            command.current_dir(above).env("GIT_DIR", above.join("none"));
        }
        command
    }

    /// The user's ssh command, to which our options are added.
    fn ssh_command(&self, repository: &Path) -> String {
        let variable = |name: &str| {
            let set = self.environment.iter().find(|(known, _)| known == name);
            set.map(|(_, value)| value.as_os_str())
        };
        if let Some(command) = variable("GIT_SSH_COMMAND") {
            return command.to_string_lossy().into_owned();
        }
        let mut command = self.plain_command(repository);
        command.args(["config", "--get", "core.sshCommand"]);
        let configured = self.run(command, &[]).ok();
        let configured = configured.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
        match (configured.filter(|text| !text.is_empty()), variable("GIT_SSH")) {
            (Some(command), _) => command,
            // This variable names a program, not a shell command.
            (None, Some(program)) => {
                format!("'{}'", program.to_string_lossy().replace('\'', r"'\''"))
            }
            (None, None) => "ssh".to_owned(),
        }
    }

    /// Runs a command to its end and returns its output.
    pub fn run(&self, command: Command, input: &[u8]) -> Result<Vec<u8>, GitFailure> {
        self.watch(command, input, &|| Ok(()))
    }

    /// The same, and checks regularly whether to go on.
    pub fn watch(
        &self,
        command: Command,
        input: &[u8],
        still: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<u8>, GitFailure> {
        watching::run(command, input, self.patience, still)
    }
}

// Explains why git failed.

/// Messages of git about refused access.
const CLOSED: [&str; 8] = [
    "could not read Username",
    "could not read Password",
    "terminal prompts disabled",
    "Authentication failed",
    "Permission denied",
    "does not appear to be a git repository",
    "not found",
    "does not exist",
];

/// Messages about unreachable servers.
const UNREACHABLE: [&str; 9] = [
    "Could not resolve",
    "unable to look up",
    "unable to connect",
    "Failed to connect",
    "Couldn't connect",
    "unable to access",
    "Connection refused",
    "timed out",
    "unreachable",
];

/// Messages about a broken cache.
const BROKEN: [&str; 11] = [
    "not a git repository:",
    "not a git repository (",
    "corrupt",
    "bad object",
    "bad config",
    "packfile",
    "loose object",
    "object file",
    "shallow file",
    "unable to rename temporary",
    "did not send all necessary objects",
];

/// Message of a server that cannot send single commits.
const UNABLE: [&str; 3] = ["unadvertised object", "does not support", "not valid"];

/// Message of a server that lacks the commit.
const UNKNOWN: &str = "not our ref";

/// Message of git after another program has given the reason.
const NO_REASON: &str = "Could not read from remote repository";

/// Messages that are more important than those after them.
const FULL: &str = "No space left on device";

/// Why git failed.
#[derive(Debug)]
pub enum GitFailure {
    /// It could not be started, or was stopped for this reason.
    Ours(Error),
    /// It was silent for too long.
    Silent(Duration),
    /// It ran for too long.
    Endless(Duration),
    /// It exited with an error and this message.
    Refused(String),
}

impl GitFailure {
    /// Whether the cache is broken.
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Refused(words) if is_any(words, &BROKEN))
    }

    /// Whether a simpler request may succeed.
    pub fn is_inability(&self) -> bool {
        matches!(self, Self::Refused(words) if is_any(words, &UNABLE))
    }

    /// Whether the server lacks the requested object.
    pub fn is_ignorance(&self) -> bool {
        matches!(self, Self::Refused(words) if words.contains(UNKNOWN))
    }

    /// The error for the user.
    pub fn about(self, what: &str, location: &Location) -> Error {
        let patience = format!("check the network, or wait longer with `{TIMEOUT}=SECONDS`");
        let (words, help) = match self {
            Self::Ours(error) => return error,
            Self::Silent(time) => (
                format!("git was silent for {} seconds", time.as_secs_f64().round()),
                Some(patience),
            ),
            Self::Endless(time) => {
                (format!("it took more than {} minutes", time.as_secs() / 60), None)
            }
            Self::Refused(words) => {
                let help = help(&words, location);
                (words, help)
            }
        };
        let error = err!(Io, "cannot {what} `{}`: {words}", location.repository);
        match help {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

fn is_any(words: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| words.contains(part))
}

fn help(words: &str, location: &Location) -> Option<String> {
    if is_any(words, &CLOSED) {
        let url = &location.url;
        return Some(format!(
            "it is not there, or git needs a login for it and may not ask; \
             `git ls-remote {url}` must work without a prompt"
        ));
    }
    is_any(words, &UNREACHABLE).then(|| {
        "check the address and the network; what `skills.lock` pins is taken from the cache \
         once it has been fetched"
            .to_owned()
    })
}

/// Why git failed, in its own words.
pub fn reason(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    let lines: Vec<&str> =
        text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = |prefix: &str| lines.iter().position(|line| line.starts_with(prefix));
    let reason = match (lines.iter().find(|line| line.contains(FULL)), first("fatal: ")) {
        (Some(line), _) => (*line).to_owned(),
        // The reason comes before this line.
        (None, Some(at)) if lines[at].contains(NO_REASON) && at > 0 => lines[at - 1].to_owned(),
        // The first fatal message is the reason; later ones are consequences.
        (None, Some(at)) if lines[at].ends_with(':') => {
            [lines[at], lines.get(at + 1).copied().unwrap_or_default()].join(" ")
        }
        (None, Some(at)) => lines[at].to_owned(),
        (None, None) => {
            let error = first("error: ").map(|at| lines[at]);
            error.or(lines.last().copied()).unwrap_or("git failed without a message").to_owned()
        }
    };
    let reason = ["fatal: ", "ssh: ", "error: ", "ERROR: "]
        .iter()
        .fold(reason.as_str(), |reason, prefix| reason.strip_prefix(prefix).unwrap_or(reason));
    reason.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_reason_is_the_first_fatal_message() {
        for (words, expected) in [
            ("Cloning\nfatal: repository 'x' not found\n", "repository 'x' not found"),
            (
                "ssh: Could not resolve hostname h: Name or service not known\n\
                 fatal: Could not read from remote repository.\n\nPlease make sure you have\n",
                "Could not resolve hostname h: Name or service not known",
            ),
            (
                "Warning: added\ngit@h: Permission denied (publickey).\n\
                 fatal: Could not read from remote repository.\n\nPlease make sure you have\n",
                "git@h: Permission denied (publickey)",
            ),
            (
                "fatal: Could not read from remote repository.\n\nPlease make sure you have\n",
                "Could not read from remote repository",
            ),
            (
                "fatal: unable to connect to h:\nh[0: 127.0.0.1]: errno=Connection refused\n",
                "unable to connect to h: h[0: 127.0.0.1]: errno=Connection refused",
            ),
            ("", "git failed without a message"),
        ] {
            assert_eq!(reason(words.as_bytes()), expected);
        }
    }
}
