//! Runs a command in a mounted home, and waits for it.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::skills::files::content::system_message;
use crate::skills::files::platform::{self, IncomingSignals};
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
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Code(code) => *code,
            Self::NotFound => 127,
            Self::NotRunnable(_) => 126,
        }
    }
}

/// The default PATH.
const USUAL_PATH: &str = "/bin:/usr/bin";

/// Runs the command with exactly this environment, forwards signals to it, and waits. The program is
/// looked up in the caller's PATH, not in that of the environment.
///
/// # Errors
/// System errors while waiting.
pub fn run(
    command: &[OsString],
    path: Option<&OsStr>,
    environment: &ChildEnvironment,
    signals: &mut IncomingSignals,
) -> io::Result<Ended> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(Ended::NotFound);
    };
    // As execvp does: if a file cannot be run, try the following directories.
    let mut failure = None;
    for file in candidates(program, path) {
        let mut command = Command::new(&file);
        command.args(arguments).env_clear().envs(&environment.all);
        platform::named(&mut command, program);
        match command.spawn() {
            Ok(child) => {
                // Signals that arrived before the child existed.
                signals.arrived().into_iter().for_each(|signal| platform::send(signal, &child));
                return wait(child, signals).map(Ended::Code);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => failure = Some(error),
            Err(error) => return Ok(Ended::NotRunnable(system_message(&error))),
        }
    }
    Ok(failure.map_or(Ended::NotFound, |error| Ended::NotRunnable(system_message(&error))))
}

/// Whether a command exists at its path or in a directory of this PATH.
#[must_use]
pub fn is_anywhere(program: &OsStr, path: Option<&OsStr>) -> bool {
    is_path(program) || !candidates(program, path).is_empty()
}

/// The candidates for a command: its path, or the files of that name in PATH. Directories of PATH
/// without access are skipped.
fn candidates(program: &OsStr, path: Option<&OsStr>) -> Vec<PathBuf> {
    if is_path(program) {
        return vec![PathBuf::from(program)];
    }
    let mut names = vec![program.to_owned()];
    if !EXE_SUFFIX.is_empty() && Path::new(program).extension().is_none() {
        names.push([program, OsStr::new(EXE_SUFFIX)].into_iter().collect());
    }
    let directories = std::env::split_paths(path.unwrap_or(OsStr::new(USUAL_PATH)));
    directories
        // An empty part means the current directory.
        .map(|directory| Path::new(".").join(directory))
        .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
        .filter(|file| file.is_file())
        .collect()
}

/// Whether a command is a path, which is not looked up in PATH.
fn is_path(program: &OsStr) -> bool {
    let bytes = program.as_encoded_bytes();
    bytes.is_empty() || bytes.iter().any(|byte| std::path::is_separator(char::from(*byte)))
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
