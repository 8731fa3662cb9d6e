//! `skills validate --watch`: what a reader of its output sees while files change.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::harness::{Sandbox, good_text};

/// How long a change may take to show on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the output must stay silent.
const QUIET: Duration = Duration::from_millis(1_500);

const CLEAN: &str = "1 skill checked: no problems";

/// A run that watches.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_skills"))
            .args(["validate", "--watch"])
            .args(args)
            .current_dir(sandbox.path(""))
            .env("HOME", sandbox.path("../home"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Reads on until a line contains this.
    #[track_caller]
    fn expect(&self, text: &str) {
        let mut seen = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            if line.contains(text) {
                return;
            }
            seen.push(line);
        }
        panic!("no {text:?} in {seen:#?}");
    }

    #[track_caller]
    fn expect_nothing(&self) {
        let line = self.lines.recv_timeout(QUIET);
        assert!(line.is_err(), "{line:?}");
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bad_text(name: &str) -> String {
    good_text(name).replace("description:", "description: \"\"\nold:")
}

/// Writes as many editors do: a new file, renamed over the old one.
fn replace(sandbox: &Sandbox, path: &str, text: &str) {
    let new = sandbox.write(format!("{path}.new"), text);
    std::fs::rename(new, sandbox.path(path)).unwrap();
}

#[test]
fn a_change_is_shown_however_it_is_written() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    let watching = Watching::start(&sandbox, &["skills"]);
    watching.expect(CLEAN);
    sandbox.write("skills/pdf/SKILL.md", bad_text("pdf"));
    watching.expect("error[description-empty]");
    watching.expect("1 skill checked: 1 error");
    replace(&sandbox, "skills/pdf/SKILL.md", &good_text("pdf"));
    watching.expect(CLEAN);
    replace(&sandbox, "skills/pdf/SKILL.md", &bad_text("pdf"));
    watching.expect("error[description-empty]");
    sandbox.write("skills/pdf/SKILL.md", good_text("pdf"));
    watching.expect(CLEAN);
}

#[test]
fn directories_that_appear_and_vanish_are_followed() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    let watching = Watching::start(&sandbox, &["skills"]);
    watching.expect(CLEAN);
    sandbox.good_skill("skills/deep/er/csv");
    watching.expect("2 skills checked: no problems");
    sandbox.write("skills/deep/er/csv/SKILL.md", bad_text("csv"));
    watching.expect("error[description-empty]");
    std::fs::remove_dir_all(sandbox.path("skills/deep")).unwrap();
    watching.expect(CLEAN);
    // The whole source is gone, and comes back.
    std::fs::rename(sandbox.path("skills"), sandbox.path("aside")).unwrap();
    sandbox.good_skill("aside/other");
    std::thread::sleep(Duration::from_millis(300));
    std::fs::rename(sandbox.path("aside"), sandbox.path("skills")).unwrap();
    watching.expect("2 skills checked: no problems");
}

#[test]
fn nothing_is_shown_when_nothing_is_new() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    sandbox.mkdir("skills/.git");
    let watching = Watching::start(&sandbox, &["skills", "--exclude", "out"]);
    watching.expect(CLEAN);
    sandbox.write("skills/pdf/notes.txt", "no finding is about this");
    sandbox.write("skills/.git/index", "version control is not watched");
    sandbox.write("skills/out/x/SKILL.md", "excluded");
    watching.expect_nothing();
    sandbox.write("skills/pdf/SKILL.md", bad_text("pdf"));
    watching.expect("error[description-empty]");
}

#[test]
fn a_manifest_is_read_again() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("one/pdf");
    sandbox.good_skill("two/csv");
    sandbox.write("skills.yaml", "skills: [./one]\n");
    let watching = Watching::start(&sandbox, &[]);
    watching.expect(CLEAN);
    sandbox.write("skills.yaml", "skills: [./one, ./two]\n");
    watching.expect("2 skills checked: no problems");
    sandbox.write("two/csv/SKILL.md", bad_text("csv"));
    watching.expect("error[description-empty]");
    // A manifest that is broken for a moment does not end the run.
    sandbox.write("skills.yaml", "skills: [");
    std::thread::sleep(Duration::from_millis(300));
    sandbox.write("skills.yaml", "skills: [./one]\n");
    watching.expect(CLEAN);
}

#[test]
fn a_burst_of_changes_is_checked_a_few_times_only() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    let watching = Watching::start(&sandbox, &["skills"]);
    watching.expect(CLEAN);
    for _ in 0..200 {
        sandbox.write("skills/pdf/SKILL.md", bad_text("pdf"));
        sandbox.write("skills/pdf/SKILL.md", good_text("pdf"));
    }
    sandbox.write("skills/pdf/SKILL.md", bad_text("pdf"));
    watching.expect("1 skill checked: 1 error");
    std::thread::sleep(QUIET);
    let shown = watching.lines.try_iter().filter(|line| line.contains("checked:")).count();
    assert!(shown < 40, "{shown} screens for 400 writes");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    use std::os::unix::process::ExitStatusExt;
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    let mut watching = Watching::start(&sandbox, &["pdf"]);
    watching.expect(CLEAN);
    let id = watching.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = watching.child.wait().unwrap();
    assert_eq!((status.signal(), status.code()), (Some(2), None), "shells show 130");
    assert_eq!(std::fs::read_dir(sandbox.path("../tmp")).unwrap().count(), 0);
}

#[test]
fn flags_that_make_no_sense_with_it_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    for args in [
        &["--fix"][..],
        &["--diff"],
        &["--output", "x"],
        &["--format", "sarif"],
        &["--write-baseline", "x"],
    ] {
        let run = sandbox.run(["validate", "pdf", "--watch"].iter().chain(args));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
    }
    assert!(!Path::new(&sandbox.path("x")).exists());
}

#[test]
fn too_many_directories_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    for number in 0..8_001 {
        std::fs::create_dir(sandbox.path(format!("skills/{number}"))).unwrap();
    }
    let run = sandbox.run(["validate", "skills", "--watch"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("more than 8000 directories to watch"), "{}", run.stderr);
    assert!(run.stderr.contains("`--exclude`"), "{}", run.stderr);
}
