//! Runs a command in a mounted home, and waits for it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command};

use crate::skills::files::content::system_message;
use crate::skills::files::platform::{self, IncomingSignals};
use crate::skills::files::programs;
use crate::skills::put::mount::policy::ChildEnvironment;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Code(u8),
    /// The command was not found.
    NotFound,
    /// The command could not be run, with the system's message.
    NotRunnable(String),
}

impl Ended {
    /// The exit code for it.
    pub const fn code(&self) -> u8 {
        match self {
            Self::Code(code) => *code,
            Self::NotFound => 127,
            Self::NotRunnable(_) => 126,
        }
    }
}

/// Runs the command with exactly this environment, forwards signals to it, and waits. The program is
/// looked up in the caller's PATH, not in that of the environment.
pub fn run(
    command: &[OsString],
    path: Option<&OsStr>,
    environment: &ChildEnvironment,
    signals: &mut IncomingSignals,
) -> io::Result<Ended> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(Ended::NotFound);
    };
    let mut early = Vec::new();
    // As execvp does: if a file cannot be run, try the following directories.
    let mut failure = None;
    for file in programs::candidates(program, path) {
        let mut command = Command::new(&file);
        command.args(arguments).env_clear().envs(&environment.all);
        platform::named(&mut command, program);
        // Log only the number of arguments: a prompt may contain secrets.
        tracing::debug!(?file, arguments = arguments.len(), "running the command");
        // The terminal cannot have sent these to the child, too. It can do so with later ones: the
        // child may run for a while before `spawn` returns.
        early.extend(signals.arrived());
        match command.spawn() {
            Ok(child) => {
                early.into_iter().for_each(|signal| platform::send(signal, &child));
                let code = wait(child, signals)?;
                tracing::debug!(code, "the command has ended");
                return Ok(Ended::Code(code));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => failure = Some(error),
            Err(error) => return Ok(Ended::NotRunnable(system_message(&error))),
        }
    }
    Ok(failure.map_or(Ended::NotFound, |error| Ended::NotRunnable(system_message(&error))))
}

fn wait(mut child: Child, signals: &mut IncomingSignals) -> io::Result<u8> {
    loop {
        // The child is waited for only here, so that its process id stays valid while it runs.
        if let Some(status) = child.try_wait()? {
            return Ok(platform::exit_code(status));
        }
        platform::stop_with(&child);
        for arrived in signals.wait() {
            platform::hand_on(arrived, &child);
        }
    }
}
