//! Signals for a mounted command in the foreground of a terminal: typed there, sent by another
//! process, and those that stop and continue it.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::harness::{Sandbox, skip};
use crate::install::sandbox;
use crate::mount::temporary;

/// Names the terminal to the process that is to lead a session there.
const TERMINAL: &str = "SKILLS_TEST_TERMINAL";
/// Tells the mounted command to leave the foreground.
const LEAVES: &str = "SKILLS_TEST_LEAVES";
/// Tells the program to be slow to notice that its command has started.
const SLOW: &str = "SKILLS_TEST_SLOW";
/// A limit for every step, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Arguments of strace for [`SLOW`]: the program waits after each call that starts a process, and
/// keeps its own process number.
const SLOW_STRACE: [&str; 8] = [
    "-DDD",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    "trace=clone,clone3,fork,vfork",
    "-e",
    "inject=clone,clone3,fork,vfork:delay_exit=1500000",
];

/// Counts signals until it is told to end.
const COMMAND: &str = "trap 'echo int >> got' INT; trap 'echo quit >> got' QUIT
    echo $$ > t; mv t command; while [ ! -e end ]; do sleep 0.02; done; exit 5";

/// A mounted command in the foreground of a terminal of its own.
struct Session<'a> {
    sandbox: &'a Sandbox,
    terminal: File,
    leader: Child,
}

impl<'a> Session<'a> {
    /// Runs a line of shell in a mounted home, and waits until it has written its number to the file
    /// `command`.
    fn new(sandbox: &'a Sandbox, line: &str, switches: &[&str]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        let terminal: OwnedFd = openpt(flags).unwrap();
        rustix::fs::fcntl_setfl(&terminal, rustix::fs::OFlags::NONBLOCK).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        // A process must start a session itself: this program again, see below.
        let mut leader = Command::new(std::env::current_exe().unwrap());
        let leader = leader
            .envs(switches.iter().map(|switch| (switch, "")))
            .args(this_test("leads_a_session_when_it_is_told_to"))
            .env(TERMINAL, name.to_str().unwrap())
            .env("LINE", line)
            .env("TMPDIR", sandbox.path("../tmp"))
            .env("HOME", sandbox.path("../home"))
            .current_dir(sandbox.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let session = Self { sandbox, terminal: terminal.into(), leader };
        session.wait_for("the command", || session.sandbox.path("command").exists());
        session.wait_for("the program", || session.sandbox.path("program").exists());
        session
    }

    /// A process id from a file.
    fn number(&self, file: &str) -> Pid {
        Pid::from_raw(self.sandbox.read(file).trim().parse().unwrap()).unwrap()
    }

    /// The mounted command.
    fn command(&self) -> Pid {
        self.number("command")
    }

    /// The program that mounts, which leads the group in the foreground.
    fn program(&self) -> Pid {
        self.number("program")
    }

    /// The signals that the command got so far.
    fn got(&self) -> String {
        fs::read_to_string(self.sandbox.path("got")).unwrap_or_default()
    }

    fn wait_for(&self, what: &str, holds: impl Fn() -> bool) {
        let start = Instant::now();
        while !holds() {
            assert!(start.elapsed() < LIMIT, "{what} did not come");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends the command, and returns the exit code of the program.
    fn end(&self) -> String {
        self.sandbox.write("end", "");
        self.wait_for("the end", || self.sandbox.path("code").exists());
        assert!(temporary(self.sandbox).is_empty());
        self.sandbox.read("code")
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Only a failed test leaves a process.
        if !self.sandbox.path("code").exists() && self.sandbox.path("program").exists() {
            let _ = kill_process_group(self.program(), Signal::KILL);
        }
        let _ = self.leader.wait();
    }
}

/// Not a test: leads a session for one of the tests.
#[test]
fn leads_a_session_when_it_is_told_to() {
    let Some(terminal) = std::env::var_os(TERMINAL) else { return };
    rustix::process::setsid().unwrap();
    let terminal = File::options().read(true).write(true).open(terminal).unwrap();
    rustix::process::ioctl_tiocsctty(&terminal).unwrap();
    // As in a shell, the job has its own group in the foreground.
    let skills = env!("CARGO_BIN_EXE_skills");
    let mut program = match std::env::var_os(SLOW) {
        Some(_) => {
            let mut slow = Command::new("strace");
            slow.args(SLOW_STRACE).arg(skills).env("SKILLS_THREADS", "1");
            slow
        }
        None => Command::new(skills),
    };
    program.args(["mount", "src", "--"]);
    match std::env::var_os(LEAVES) {
        Some(_) => program
            .arg(std::env::current_exe().unwrap())
            .args(this_test("leaves_the_foreground_when_it_is_told_to"))
            .env_remove(TERMINAL),
        None => program.args(["sh", "-c", &std::env::var("LINE").unwrap()]),
    };
    let mut program = program
        .stdin(terminal.try_clone().unwrap())
        .stdout(terminal.try_clone().unwrap())
        .stderr(Stdio::inherit())
        .process_group(0)
        .spawn()
        .unwrap();
    let number = i32::try_from(program.id()).unwrap();
    rustix::termios::tcsetpgrp(&terminal, Pid::from_raw(number).unwrap()).unwrap();
    let write = |file: &str, text: String| {
        fs::write("new", text).unwrap();
        fs::rename("new", PathBuf::from(file)).unwrap();
    };
    write("program", number.to_string());
    let status = program.wait().unwrap();
    write("code", format!("{:?}", status.code()));
}

/// Not a test either: the mounted command, outside the foreground group.
#[test]
fn leaves_the_foreground_when_it_is_told_to() {
    if std::env::var_os(LEAVES).is_none() || std::env::var_os(TERMINAL).is_some() {
        return;
    }
    rustix::process::setpgid(None, None).unwrap();
    let error = Command::new("sh").args(["-c", &std::env::var("LINE").unwrap()]).exec();
    panic!("{error}");
}

/// Arguments that make this program run only one of the functions above.
fn this_test(name: &str) -> [String; 3] {
    ["--exact".to_owned(), format!("mount_signals::{name}"), "--nocapture".to_owned()]
}

fn session<'a>(sandbox: &'a Sandbox, line: &str) -> Session<'a> {
    Session::new(sandbox, line, &[])
}

#[test]
fn signals_to_the_foreground_program_reach_the_command() {
    let sandbox = sandbox();
    let session = session(&sandbox, COMMAND);
    kill_process(session.program(), Signal::INT).unwrap();
    session.wait_for("INT", || session.got() == "int\n");
    kill_process(session.program(), Signal::QUIT).unwrap();
    session.wait_for("QUIT", || session.got() == "int\nquit\n");
    assert_eq!(session.end(), "Some(5)");
}

#[test]
fn keys_typed_in_the_foreground_reach_the_command_once() {
    let sandbox = sandbox();
    let mut session = session(&sandbox, COMMAND);
    session.terminal.write_all(b"\x03").unwrap();
    session.wait_for("^C", || session.got() == "int\n");
    session.terminal.write_all(b"\x1c").unwrap();
    session.wait_for("^\\", || session.got() == "int\nquit\n");
    // An earlier forwarded signal would have arrived before this one.
    kill_process(session.program(), Signal::INT).unwrap();
    session.wait_for("INT", || session.got() == "int\nquit\nint\n");
    assert_eq!(session.end(), "Some(5)");
    assert_eq!(sandbox.read("got"), "int\nquit\nint\n");
}

#[test]
fn the_terminal_delivers_typed_signals() {
    typed_signals_are_not_forwarded(&[LEAVES]);
}

#[test]
fn the_terminal_delivers_signals_typed_as_soon_as_the_command_runs() {
    let traces = Command::new("strace").args(SLOW_STRACE).arg("true").status();
    if !traces.is_ok_and(|status| status.success()) {
        return skip("strace is missing, or may not trace");
    }
    typed_signals_are_not_forwarded(&[LEAVES, SLOW]);
}

fn typed_signals_are_not_forwarded(switches: &[&str]) {
    let sandbox = sandbox();
    // Every signal that this command gets was forwarded.
    let mut session = Session::new(&sandbox, COMMAND, switches);
    session.terminal.write_all(b"\x03").unwrap();
    // The terminal echoes the keys it has handled.
    session.wait_for("the echo", || {
        let mut shown = [0; 100];
        let read = rustix::io::read(&session.terminal, &mut shown).unwrap_or(0);
        shown[..read].windows(2).any(|pair| pair == b"^C")
    });
    kill_process(session.program(), Signal::QUIT).unwrap();
    session.wait_for("QUIT", || session.got().contains("quit\n"));
    assert_eq!(session.end(), "Some(5)");
    assert_eq!(sandbox.read("got"), "quit\n");
}

#[test]
fn a_command_that_is_halted_and_continued_alone_is_waited_for() {
    let sandbox = sandbox();
    let session = session(&sandbox, COMMAND);
    kill_process(session.command(), Signal::STOP).unwrap();
    // The program hears of it, and would have time to stop as well.
    std::thread::sleep(Duration::from_millis(300));
    kill_process(session.command(), Signal::CONT).unwrap();
    assert_eq!(session.end(), "Some(5)");
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_that_suspends_itself_gives_the_terminal_back() {
    let sandbox = sandbox();
    let line = "echo $$ > t; mv t command; while [ ! -e end ]; do sleep 0.02; [ ! -e suspend ] \
        || { rm suspend; kill -TSTP $$; touch continued; }; done; exit 5";
    let session = session(&sandbox, line);
    sandbox.write("suspend", "");
    let state = |pid: Pid| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
        stat.rsplit(") ").next().unwrap().chars().next().unwrap()
    };
    session.wait_for("the suspension", || state(session.program()) == 'T');
    // A signal that continues the program continues the command.
    kill_process(session.program(), Signal::CONT).unwrap();
    session.wait_for("the command", || sandbox.path("continued").exists());
    assert_eq!(session.end(), "Some(5)");
}
