//! Signals and the ends of processes, on Unix.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};

/// Signals that end a process that does nothing about them.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Signals that arrive from now on.
#[derive(Debug)]
pub struct Signals(signal_hook::iterator::Signals);

impl Signals {
    /// Takes over signals that would end the process, and those that a child should hear of.
    ///
    /// # Errors
    /// Those of the system.
    pub fn listen() -> io::Result<Self> {
        let all = [SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH];
        signal_hook::iterator::Signals::new(all).map(Self)
    }

    /// Waits for signals; the end of a child is one.
    pub fn wait(&mut self) -> Vec<i32> {
        self.0.wait().collect()
    }

    /// The signal that would have ended the process by now, if there was one.
    pub fn ending(&mut self) -> Option<i32> {
        self.0.pending().find(|signal| ENDING.contains(signal))
    }
}

/// Remembers signals that would end the process, and lets it go on.
#[derive(Debug)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// From now on.
    ///
    /// # Errors
    /// Those of the system.
    pub fn listen() -> io::Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        for signal in ENDING {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&last), number)?;
        }
        Ok(Self(last))
    }

    /// The last of them, if there was one.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        i32::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|signal| *signal != 0)
    }
}

/// Sends a signal to a child that runs, unless it has got it already: what is typed at a terminal
/// goes to everybody in the foreground.
pub fn hand_on(signal: i32, child: &Child) {
    if signal == SIGCHLD || (matches!(signal, SIGINT | SIGQUIT) && is_in_foreground()) {
        return;
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

fn is_in_foreground() -> bool {
    let own = rustix::process::getpgrp();
    let stdin = std::io::stdin();
    let foreground = rustix::termios::tcgetpgrp(&stdin)
        .or_else(|_| rustix::termios::tcgetpgrp(std::io::stderr()));
    foreground.is_ok_and(|group| group == own)
}

/// The code that stands for being ended by a signal.
#[must_use]
pub fn code_of_signal(signal: i32) -> u8 {
    u8::try_from((128 + signal) & 0xff).unwrap_or(u8::MAX)
}

/// The code that stands for how a child ended: its own, or 128 and the signal.
#[must_use]
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}
