//! Updates that are interrupted, killed or run out of space: no skill is torn or lost, and the next run
//! cleans up.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Sandbox, good_text, lacks};
use crate::install::snapshot;
use crate::processes::Group;

const SKILLS: &str = "../home/.claude/skills";
const NUMBER: usize = 200;

/// A home with many skills from a directory that then changes all of them: the skills as they are.
fn outdated(sandbox: &Sandbox, number: usize) -> BTreeMap<String, String> {
    for one in 0..number {
        sandbox.good_skill(&format!("src/skill-{one}"));
    }
    assert_eq!(sandbox.run(["install", "src", "-q"]).code, 0);
    let before = skills(sandbox);
    for one in 0..number {
        let text = good_text(&format!("skill-{one}"));
        sandbox.write(format!("src/skill-{one}/SKILL.md"), text + "More.\n");
        sandbox.write(format!("src/skill-{one}/new.md"), "New.\n");
    }
    before
}

/// All files of the skills; not the record, which has times.
fn skills(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let mut files = snapshot(&sandbox.path(SKILLS));
    files.retain(|path, _| !path.contains(".skills-"));
    files
}

/// What a run left behind beside the skills directory.
fn left(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(SKILLS).parent().unwrap()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains("staging") || name.contains("temporary")).collect()
}

/// Whether an update is copying: it has begun to, and has not written its new record. When the record
/// is in place, so are the skills, while the old ones are still being removed.
fn is_copying(sandbox: &Sandbox) -> bool {
    let is_done = || sandbox.path(SKILLS).join("skill-1/new.md").exists();
    left(sandbox).iter().any(|name| {
        let staging = sandbox.path(SKILLS).parent().unwrap().join(name);
        staging.join("new/skill-1").exists() && !staging.join("index").exists() && !is_done()
    })
}

/// Runs `skills update` and sends it a signal while it copies: its exit status, and what it said.
fn signalled(sandbox: &Sandbox, signal: Signal) -> (ExitStatus, String) {
    // If the run is faster than this, try again.
    for _ in 0..20 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skills"));
        command.arg("update").env_clear().env("SKILLS_THREADS", "1");
        command.env("HOME", sandbox.path("../home").canonicalize().unwrap());
        command.current_dir(sandbox.path("")).stdout(Stdio::null());
        let said = fs::File::create(sandbox.path("said")).unwrap();
        let mut run = Group::start(command.stderr(said)).unwrap();
        let pid = Pid::from_raw(i32::try_from(run.0.id()).unwrap()).unwrap();
        while run.0.try_wait().unwrap().is_none() && !is_copying(sandbox) {}
        if run.0.try_wait().unwrap().is_none() {
            kill_process(pid, Signal::STOP).unwrap();
            let is_caught = is_copying(sandbox);
            if is_caught {
                kill_process(pid, signal).unwrap();
            }
            kill_process(pid, Signal::CONT).unwrap();
            let ended = run.0.wait().unwrap();
            if is_caught {
                return (ended, sandbox.read("said"));
            }
        }
        assert_eq!(sandbox.run(["update", "--undo", "-q"]).code, 0);
    }
    panic!("no update could be caught while it copied");
}

#[test]
fn a_signal_while_an_update_copies_undoes_all_of_it() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let sandbox = Sandbox::new();
        let before = outdated(&sandbox, NUMBER);
        let (ended, said) = signalled(&sandbox, signal);
        assert_eq!(
            ended.code().or(ended.signal().map(|number| 128 + number)),
            Some(code),
            "{said}"
        );
        assert!(said.contains("error: interrupted; nothing was changed"), "{said}");
        assert_eq!(skills(&sandbox), before, "{signal:?}");
        assert_eq!(left(&sandbox), [""; 0], "{signal:?}");
        let run = sandbox.run(["update"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.stdout.contains(&format!("{NUMBER} updated")), "{}", run.stdout);
        assert_eq!(sandbox.run(["verify"]).code, 0);
    }
}

#[test]
fn the_next_run_cleans_up_after_a_killed_update() {
    let sandbox = Sandbox::new();
    let before = outdated(&sandbox, NUMBER);
    assert_eq!(signalled(&sandbox, Signal::KILL).0.signal(), Some(9));
    assert_eq!(skills(&sandbox), before, "agents see what they saw");
    assert_eq!(left(&sandbox).len(), 1, "{:?}", left(&sandbox));
    let run = sandbox.run(["update"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("cleaned up after an interrupted run"), "{}", run.stderr);
    assert!(run.stdout.contains(&format!("{NUMBER} updated")), "{}", run.stdout);
    assert_eq!(left(&sandbox), [""; 0]);
    assert_eq!(sandbox.run(["verify"]).code, 0);
    assert_eq!(sandbox.run(["update", "--undo"]).code, 0);
    assert_eq!(skills(&sandbox), before);
}

/// An update meets a full disk at every system call that needs space.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_at_any_write_of_an_update_leaves_whole_skills() {
    if lacks(&["strace"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let before = outdated(&sandbox, 3);
    let after = {
        assert_eq!(sandbox.run(["update", "-q"]).code, 0);
        let after = skills(&sandbox);
        assert_eq!(sandbox.run(["update", "--undo", "-q"]).code, 0);
        after
    };
    assert_eq!(skills(&sandbox), before);
    // One call at a time: strace counts `when` for each call of a list apart.
    let mut runs = 0;
    for call in "write writev pwrite64 copy_file_range sendfile mkdirat".split(' ') {
        for number in 1.. {
            let place = format!("{call} {number}");
            // From this call on, it finds no space any more.
            sandbox.shell(&format!(
                "SKILLS_THREADS=1 strace -f -qq -o trace -e trace={call} \
                 -e inject={call}:error=ENOSPC:when={number}+ \"$SKILLS\" update >/dev/null 2>&1"
            ));
            let is_over = !sandbox.read("trace").contains("INJECTED");
            let there = skills(&sandbox);
            assert!(there == before || there == after, "torn at {place}");
            // The next run cleans up. What was done and could not be printed is done.
            let again = sandbox.run(["update", "-q"]);
            assert_eq!(again.code, 0, "{place}: {}", again.all());
            assert_eq!((skills(&sandbox), left(&sandbox)), (after.clone(), Vec::new()), "{place}");
            let back = sandbox.run(["update", "--undo", "-q"]);
            assert_eq!(back.code, 0, "{place}: {}", back.all());
            assert_eq!(skills(&sandbox), before, "{place}");
            if is_over {
                break;
            }
            runs += 1;
        }
    }
    assert!(runs > 20, "only {runs} calls write");
}
