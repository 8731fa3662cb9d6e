//! Builds git commands that can only fetch and show objects: no hooks, no submodules, no filters,
//! no prompts, no protocols that run programs.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use super::failure::GitFailure;
use super::watching;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Result, err};
use crate::skills::model::location::Location;

/// The variable for the maximum silence of git, in seconds.
pub(super) const TIMEOUT: &str = "SKILLS_GIT_TIMEOUT";
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
pub(super) struct GitProgram {
    environment: Vec<(OsString, OsString)>,
    patience: Duration,
    /// The user's ssh command, looked up on first use.
    ssh: OnceLock<String>,
}

impl GitProgram {
    /// Git with this environment.
    pub(super) fn new(environment: &Environment) -> Result<Self> {
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
    pub(super) fn command(&self, repository: &Path) -> Command {
        let mut command = self.plain_command(repository);
        command.env("GIT_DIR", repository);
        command
    }

    /// A command that may talk to the server of this location.
    pub(super) fn remote_command(&self, repository: &Path, location: &Location) -> Command {
        let mut command = self.asking_command(repository, location);
        command.env("GIT_DIR", repository);
        command
    }

    /// The same, without a repository.
    pub(super) fn asking_command(&self, repository: &Path, location: &Location) -> Command {
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
    pub(super) fn working_command(&self, directory: &Path) -> Command {
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
    pub(super) fn run(&self, command: Command, input: &[u8]) -> Result<Vec<u8>, GitFailure> {
        self.watch(command, input, &|| Ok(()))
    }

    /// The same, and checks regularly whether to go on.
    pub(super) fn watch(
        &self,
        command: Command,
        input: &[u8],
        still: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<u8>, GitFailure> {
        watching::run(command, input, self.patience, still)
    }
}
