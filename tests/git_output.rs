//! The output of git is read to its end, even on a busy machine and if other processes keep it
//! open.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::Sandbox;
use crate::origin::{Origin, run_with_git};
use crate::skips::skip;

const NAMES: (i32, &str) = (0, "csv\npdf\n");

/// A `git` that runs this script for `ls-remote`, and the real git for everything else.
fn asked(what: &str) -> String {
    format!("case \"$*\" in *ls-remote*)\n{what};;\nesac\nexec git \"$@\"")
}

/// Whether a process runs whose number is in a file of the home.
fn is_running(sandbox: &Sandbox, file: &str) -> bool {
    let number = sandbox.read(format!("../home/{file}"));
    let number = number.trim();
    if std::path::Path::new("/proc/self/stat").exists() {
        // In some containers, ended processes are never reaped.
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
        return !matches!(state, None | Some('Z' | 'X'));
    }
    let mut command = Command::new("kill");
    command.args(["-0", number]).stderr(Stdio::null());
    command.status().unwrap().success()
}

fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Ends the process whose number is in a file, when the test is over.
struct Ended<'a>(&'a Sandbox, &'a str);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let number = std::fs::read_to_string(self.0.path(format!("../home/{}", self.1)));
        let number = number.unwrap_or_default();
        let mut command = Command::new("kill");
        let _ = command.args(["-KILL", number.trim()]).stderr(Stdio::null()).status();
    }
}

#[test]
fn output_that_arrives_after_the_end_of_git_is_read() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let script = asked("all=$(git \"$@\") || exit; (sleep 1; echo \"$all\") & exit 0");
    let source = origin.source("@v1");
    let run = run_with_git(&sandbox, &script, &["list", &source, "--format", "names"]);
    assert_eq!((run.code, &*run.stdout), NAMES, "{}", run.stderr);
    // The same for the reason of a failure.
    let script = asked("(sleep 1; echo 'fatal: out of order' >&2) & exit 128");
    let run = run_with_git(&sandbox, &script, &["list", &source]);
    assert!(run.stderr.contains(": out of order\n"), "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn reading_slowly_loses_nothing() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    // Without permission to trace processes, strace cannot be used.
    let strace = "strace -f -o /dev/null -e trace=read -e inject=read:delay_exit=60000";
    if sandbox.shell(&format!("{strace} true")).code != 0 {
        return skip("strace is missing, or may not trace");
    }
    let line = format!("{strace} \"$SKILLS\" list '{}' --format names", origin.source("@v1"));
    let run = sandbox.shell(&line);
    assert_eq!((run.code, &*run.stdout), NAMES, "{}", run.stderr);
}

#[test]
fn a_process_that_keeps_the_output_of_git_is_killed() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let script = asked("sleep 300 & echo $! > ~/pid");
    let begun = Instant::now();
    let source = origin.source("@v1");
    let run = run_with_git(&sandbox, &script, &["list", &source, "--format", "names"]);
    let _ended = Ended(&sandbox, "pid");
    assert_eq!((run.code, &*run.stdout), NAMES, "{}", run.stderr);
    assert!(begun.elapsed() < Duration::from_secs(45), "{:?}", begun.elapsed());
    let begun = Instant::now();
    while is_running(&sandbox, "pid") {
        assert!(begun.elapsed() < Duration::from_secs(10), "it was left behind");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_hidden_process_with_the_output_of_git_costs_only_the_answer() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    if !is_installed("setsid") {
        return skip("`setsid` is missing: nothing can leave the group of git");
    }
    let hide = |streams: &str| {
        asked(&format!(
            "setsid sh -c 'echo $$ > ~/pid; exec sleep 300' {streams} & while ! [ -s ~/pid ]; do sleep 0.01; done"
        ))
    };
    let source = origin.source("@v1");
    let args = ["list", source.as_str(), "--format", "names"];
    // A process that keeps only standard error open, such as a shared ssh connection, does no harm.
    let run = run_with_git(&sandbox, &hide(">/dev/null"), &args);
    let ended = Ended(&sandbox, "pid");
    assert_eq!((run.code, &*run.stdout), NAMES, "{}", run.stderr);
    assert!(is_running(&sandbox, "pid"), "it was not ours to end");
    drop(ended);
    std::fs::remove_file(sandbox.path("../home/pid")).unwrap();
    let run = run_with_git(&sandbox, &hide("2>/dev/null"), &args);
    let _ended = Ended(&sandbox, "pid");
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("keeps its output open\nhelp: "), "{}", run.stderr);
}

#[test]
fn a_git_that_says_too_much_is_ended() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let script = asked("echo $$ > ~/pid; exec yes");
    let run = run_with_git(&sandbox, &script, &["list", &origin.source("@v1")]);
    let _ended = Ended(&sandbox, "pid");
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("the output of git is too large"), "{}", run.stderr);
    assert!(!is_running(&sandbox, "pid"));
}

#[test]
fn an_object_that_is_not_what_its_name_says_is_refused() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    // As long as before, so that only the hash tells.
    let script = "case \"$*\" in *cat-file*)\n\
                  git \"$@\" | LC_ALL=C sed -u 's/^Run it[.]/Ruin it/'; exit;;\nesac\nexec git \"$@\"";
    let source = origin.source("@v1");
    let run = run_with_git(&sandbox, script, &["install", &source, "--dir", "there"]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("damaged"), "{}", run.stderr);
    assert!(!sandbox.path("there/pdf").exists());
}
