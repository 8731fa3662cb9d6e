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
    /// It could not be found.
    NotFound,
    /// It could not be run, in the system's words.
    NotRunnable(String),
}

impl Ended {
    /// The exit code that stands for it.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Code(code) => *code,
            Self::NotFound => 127,
            Self::NotRunnable(_) => 126,
        }
    }
}

/// Where commands are when nobody says where.
const USUAL_PATH: &str = "/bin:/usr/bin";

/// Runs the command with exactly this environment, hands signals on to it, and waits. Which program
/// it is, the caller's PATH decides, whatever the environment says.
///
/// # Errors
/// Those of the system while waiting.
pub fn run(
    command: &[OsString],
    path: Option<&OsStr>,
    environment: &ChildEnvironment,
    signals: &mut IncomingSignals,
) -> io::Result<Ended> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(Ended::NotFound);
    };
    // As execvp does it: what cannot be run leaves the choice to the directories that follow.
    let mut failure = None;
    for file in candidates(program, path) {
        let mut command = Command::new(&file);
        command.args(arguments).env_clear().envs(&environment.all);
        platform::named(&mut command, program);
        match command.spawn() {
            Ok(child) => {
                // What came before there was a child has reached nobody yet.
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

/// Whether a command is at its path, or in a directory of this PATH.
#[must_use]
pub fn is_anywhere(program: &OsStr, path: Option<&OsStr>) -> bool {
    is_path(program) || !candidates(program, path).is_empty()
}

/// The files that a command may be: its path, or one in each directory of PATH that has one. A
/// directory of PATH that is closed to us says nothing about the command.
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
        // A part that is empty is the current directory.
        .map(|directory| Path::new(".").join(directory))
        .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
        .filter(|file| file.is_file())
        .collect()
}

/// Whether a command says where it is, and need not be looked for.
fn is_path(program: &OsStr) -> bool {
    let bytes = program.as_encoded_bytes();
    bytes.is_empty() || bytes.iter().any(|byte| std::path::is_separator(char::from(*byte)))
}

fn wait(mut child: Child, signals: &mut IncomingSignals) -> io::Result<u8> {
    loop {
        // Only here is the child waited for, so that its number stays its own while it runs.
        if let Some(status) = child.try_wait()? {
            return Ok(platform::exit_code(status));
        }
        platform::stop_with(&child);
        for arrived in signals.wait() {
            platform::hand_on(arrived, &child);
        }
    }
}
