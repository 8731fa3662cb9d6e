//! Runs the `git` program so that it can do nothing but fetch and show objects: no hooks, no
//! submodules, no filters, no prompts, no protocol that runs programs, and never without end.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::skills::environment::Environment;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::git::location::Location;

/// The variable that says how long git may show no sign of life.
const TIMEOUT: &str = "SKILLS_GIT_TIMEOUT";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// Not even a server that says something all the time is listened to for longer.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// How often it is looked whether git has ended.
const TICK: Duration = Duration::from_millis(20);
/// The most that git may answer.
const ANSWER_BYTES: u64 = 64 * 1024 * 1024;
/// As much as is kept of what it says besides.
const WORDS_BYTES: usize = 16 * 1024;

/// Settings that hold for every run, whatever the user's say.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "fetch.output=full",
    "gc.auto=0",
    "maintenance.auto=false",
    "credential.interactive=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=30",
    "advice.detachedHead=false",
];
/// Of the variables that git reads, only those that say how to reach a server are the user's to
/// set: a hook runs with others, which say which repository to work on.
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

/// The program, and the environment it gets.
#[derive(Debug, Clone)]
pub(super) struct Git {
    environment: Vec<(OsString, OsString)>,
    patience: Duration,
}

/// Why git did not do what was asked for.
#[derive(Debug)]
pub(super) enum Failure {
    /// It could not be started, or had to be stopped.
    Broken(Error),
    /// It said no, in these words.
    Refused(String),
}

impl Failure {
    /// Whether git could not work with what it has, whatever the server may say.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Refused(words) if !is_any(words, &CLOSED) && !is_any(words, &UNREACHABLE))
    }

    /// The same for people.
    pub(super) fn about(self, what: &str, location: &Location) -> Error {
        match self {
            Self::Broken(error) => error,
            Self::Refused(words) => {
                let message = format!("cannot {what} `{}`: {words}", location.repository);
                let error = Error::new(ErrorKind::Io, message);
                match help(&words, location) {
                    Some(help) => error.help(help),
                    None => error,
                }
            }
        }
    }
}

/// What git says of a server that will not have us.
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
/// What it says of one that it cannot reach.
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

fn is_any(words: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| words.contains(part))
}

fn help(words: &str, location: &Location) -> Option<String> {
    if is_any(words, &CLOSED) {
        let url = &location.url;
        return Some(format!(
            "it is not there, or git needs a login for it and may not ask; \
             `git ls-remote {url}` must work without a question"
        ));
    }
    is_any(words, &UNREACHABLE).then(|| {
        "check the address and the network; what `skills.lock` pins is taken from the cache \
         once it has been fetched"
            .to_owned()
    })
}

impl Git {
    /// Git as it is used here.
    ///
    /// # Errors
    /// A timeout that is none.
    pub(super) fn new(environment: &Environment) -> Result<Self> {
        let patience = match environment.variable(TIMEOUT) {
            None => DEFAULT_TIMEOUT,
            Some(text) => {
                let seconds = text.to_str().and_then(|text| text.parse::<f64>().ok());
                let duration = seconds.and_then(|one| Duration::try_from_secs_f64(one).ok());
                duration.filter(|one| !one.is_zero()).ok_or_else(|| {
                    let text = text.to_string_lossy();
                    let message = format!("`{TIMEOUT}={text}` is no number of seconds");
                    Error::new(ErrorKind::Usage, message)
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
        Ok(Self { environment: kept.collect(), patience })
    }

    /// A command about the repository in this directory.
    pub(super) fn command(&self, repository: &Path) -> Command {
        let mut command = self.command_without_repository(repository);
        command.env("GIT_DIR", repository);
        command
    }

    /// A command about no repository at all, run beside this one.
    fn command_without_repository(&self, repository: &Path) -> Command {
        let mut command = Command::new("git");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("GIT_TERMINAL_PROMPT", "0")
            // Set to nothing, these ask nobody.
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GCM_INTERACTIVE", "never")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            // What is missing is asked for all at once, not one by one.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // No other repository is to be found from wherever the user is.
        if let Some(above) = repository.parent() {
            command.current_dir(above).env("GIT_CEILING_DIRECTORIES", above);
        }
        command
    }

    /// A command that may talk to the server of this location.
    pub(super) fn remote_command(&self, repository: &Path, location: &Location) -> Command {
        let mut command = self.asking_command(repository, location);
        command.env("GIT_DIR", repository);
        command
    }

    /// The same, about no repository but the one there.
    pub(super) fn asking_command(&self, repository: &Path, location: &Location) -> Command {
        let mut command = self.command_without_repository(repository);
        command.env("GIT_ALLOW_PROTOCOL", location.protocols());
        if location.may_use_ssh() && !self.has("GIT_SSH") {
            let ssh = self.ssh_command(repository);
            command.env("GIT_SSH_COMMAND", format!("{ssh} -oBatchMode=yes -oConnectTimeout=30"));
        }
        command
    }

    fn has(&self, name: &str) -> bool {
        self.environment.iter().any(|(known, _)| known == name)
    }

    /// The user's own way to start ssh, which must not be lost.
    fn ssh_command(&self, repository: &Path) -> String {
        let set = self.environment.iter().find(|(name, _)| name == "GIT_SSH_COMMAND");
        if let Some((_, value)) = set {
            return value.to_string_lossy().into_owned();
        }
        let mut command = self.command_without_repository(repository);
        command.args(["config", "--get", "core.sshCommand"]);
        let configured = self.run(command, &[]).ok();
        let configured = configured.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
        configured.filter(|text| !text.is_empty()).unwrap_or_else(|| "ssh".to_owned())
    }

    /// Runs a command to its end and returns what it answers.
    pub(super) fn run(&self, command: Command, input: &[u8]) -> Result<Vec<u8>, Failure> {
        self.watch(command, input, &|| Ok(()))
    }

    /// The same, and asks now and then whether that is still all right.
    pub(super) fn watch(
        &self,
        mut command: Command,
        input: &[u8],
        still: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<u8>, Failure> {
        if !input.is_empty() {
            command.stdin(Stdio::piped());
        }
        tracing::debug!(?command, "running git");
        let mut child = start(&mut command).map_err(Failure::Broken)?;
        let ended = self.attend(&mut child, input, still);
        if ended.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let (status, answer, words) = ended.map_err(Failure::Broken)?;
        tracing::debug!(%status, "git has ended");
        if status.success() { Ok(answer) } else { Err(Failure::Refused(last_words(&words))) }
    }

    /// Listens until git has ended, for as long as it shows signs of life.
    fn attend(
        &self,
        child: &mut Child,
        input: &[u8],
        still: &dyn Fn() -> Result<()>,
    ) -> Result<(ExitStatus, Vec<u8>, Vec<u8>)> {
        let (sender, signs) = mpsc::channel();
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let input = input.to_vec();
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
        let listen = |number: usize, stream: Option<Box<dyn Read + Send>>| {
            let sender = sender.clone();
            thread::spawn(move || pass_on(number, stream, &sender));
        };
        listen(0, stdout.map(|stream| Box::new(stream) as _));
        listen(1, stderr.map(|stream| Box::new(stream) as _));
        drop(sender);
        let begun = Instant::now();
        let (mut last_sign, mut status) = (begun, None);
        let mut heard = [Vec::new(), Vec::new()];
        loop {
            let is_quiet = match signs.recv_timeout(TICK) {
                Ok((number, bytes)) => {
                    last_sign = Instant::now();
                    hear(&mut heard, number, &bytes)?;
                    false
                }
                // A program that git leaves behind may keep the streams open.
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => {
                    thread::sleep(Duration::from_millis(1));
                    true
                }
            };
            if status.is_some() && is_quiet {
                break;
            }
            status = child.try_wait().map_err(|error| Error::io("wait for", "git", &error))?;
            still()?;
            let silence = last_sign.elapsed();
            if status.is_none() && (silence > self.patience || begun.elapsed() > LONGEST) {
                return Err(stopped(silence.min(self.patience)));
            }
        }
        let [answer, words] = heard;
        let status = status.ok_or_else(|| Error::new(ErrorKind::Io, "git did not end"))?;
        Ok((status, answer, words))
    }
}

fn stopped(silence: Duration) -> Error {
    let seconds = silence.as_secs_f64();
    let message = format!("git has said nothing for {seconds:.0} seconds, or goes on for ever");
    Error::new(ErrorKind::Io, message)
        .help(format!("check the network, or be more patient with `{TIMEOUT}=SECONDS`"))
}

/// Starts a command of git.
pub(super) fn start(command: &mut Command) -> Result<Child> {
    command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(ErrorKind::NotFound, "`git` is not installed, and git sources need it")
        }
        _ => Error::io("run", "git", &error),
    })
}

/// Hands on what a stream says, piece by piece.
fn pass_on(
    number: usize,
    stream: Option<Box<dyn Read + Send>>,
    sender: &mpsc::Sender<(usize, Vec<u8>)>,
) {
    let Some(mut stream) = stream else { return };
    let mut piece = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = stream.read(&mut piece) {
        if sender.send((number, piece[..length].to_vec())).is_err() {
            return;
        }
    }
}

fn hear(heard: &mut [Vec<u8>; 2], number: usize, bytes: &[u8]) -> Result<()> {
    heard[number].extend_from_slice(bytes);
    if number == 0 && heard[0].len() as u64 > ANSWER_BYTES {
        return Err(Error::new(ErrorKind::TooLarge, "git answers with more than can be read"));
    }
    let words = &mut heard[1];
    if words.len() > WORDS_BYTES {
        words.drain(..words.len() - WORDS_BYTES);
    }
    Ok(())
}

/// What git says when something else has already said why.
const NO_REASON: &str = "Could not read from remote repository";

/// Why git failed, in its own words.
fn last_words(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    let lines: Vec<&str> =
        text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let fatal = lines.iter().position(|line| line.starts_with("fatal: "));
    let reason = match fatal {
        // Whoever git asked has said why, just before.
        Some(at) if lines[at].contains(NO_REASON) && at > 0 => lines[at - 1].to_owned(),
        // The first fatal word is the reason; what follows is what came of it.
        Some(at) if lines[at].ends_with(':') => {
            [lines[at], lines.get(at + 1).copied().unwrap_or_default()].join(" ")
        }
        Some(at) => lines[at].to_owned(),
        None => lines.last().copied().unwrap_or("git failed without a word").to_owned(),
    };
    let reason = ["fatal: ", "ssh: ", "error: ", "ERROR: "]
        .iter()
        .fold(reason.as_str(), |reason, prefix| reason.strip_prefix(prefix).unwrap_or(reason));
    reason.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::last_words;

    #[test]
    fn the_reason_is_what_is_told() {
        for (words, reason) in [
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
            ("", "git failed without a word"),
        ] {
            assert_eq!(last_words(words.as_bytes()), reason);
        }
    }
}
