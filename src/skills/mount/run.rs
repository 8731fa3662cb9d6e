//! Runs a command in a mounted home, and waits for it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Child, Command};

use crate::skills::content::system_message;
use crate::skills::mount::policy::ChildEnvironment;
use crate::skills::platform::{self, Signals};

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

/// Runs the command with exactly this environment, hands signals on to it, and waits.
///
/// # Errors
/// Those of the system while waiting.
pub fn run(
    command: &[OsString],
    environment: &ChildEnvironment,
    signals: &mut Signals,
) -> io::Result<Ended> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(Ended::NotFound);
    };
    let spawned = Command::new(program).args(arguments).env_clear().envs(&environment.all).spawn();
    match spawned {
        Ok(child) => {
            // What came before there was a child has reached nobody yet.
            signals.arrived().into_iter().for_each(|signal| platform::send(signal, &child));
            wait(child, signals).map(Ended::Code)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Ended::NotFound),
        // A directory of PATH that is closed to us says nothing about the command.
        Err(error)
            if error.kind() == io::ErrorKind::PermissionDenied
                && !is_anywhere(program, environment.all.get(OsStr::new("PATH"))) =>
        {
            Ok(Ended::NotFound)
        }
        Err(error) => Ok(Ended::NotRunnable(system_message(&error))),
    }
}

/// Whether a command is at its path, or in a directory of this PATH.
#[must_use]
pub fn is_anywhere(program: &OsStr, path: Option<&OsString>) -> bool {
    let program = Path::new(program);
    if program.components().count() > 1 {
        return true;
    }
    let directories = path.map(std::env::split_paths).into_iter().flatten();
    directories.map(|directory| directory.join(program)).any(|file| file.is_file())
}

fn wait(mut child: Child, signals: &mut Signals) -> io::Result<u8> {
    loop {
        // Only here is the child waited for, so that its number stays its own while it runs.
        if let Some(status) = child.try_wait()? {
            return Ok(platform::exit_code(status));
        }
        platform::stop_with(&child);
        for signal in signals.wait() {
            platform::hand_on(signal, &child);
        }
    }
}
