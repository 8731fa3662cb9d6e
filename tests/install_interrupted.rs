//! Killed and interrupted runs, and their recovery by the next run.

use std::fs;

use crate::harness::{Sandbox, good_text, skip};
use crate::install::{SKILLS, sandbox, snapshot};
use crate::install_runs::{claim, staging};

/// The name of a temporary file of a killed run.
const LEFT: &str = ".skills-temporary-0123456789abcdef";

/// Puts a sandbox into the state after a `remove` that was killed right after it published its
/// record: the skill is in the staging directory.
#[cfg(unix)]
fn kill_after_publishing(sandbox: &Sandbox, name: &str, edited: bool) -> String {
    let staging = staging(sandbox);
    sandbox.mkdir(format!("{staging}/new"));
    sandbox.mkdir(format!("{staging}/old"));
    let record = format!("{SKILLS}/.skills-index.json");
    let away = sandbox.path("../home/away");
    fs::rename(sandbox.path(SKILLS).join(name), &away).unwrap();
    // Let the program write the record.
    assert_eq!(sandbox.run(["remove", name]).code, 0);
    assert!(!sandbox.read(&record).contains(&format!("\"{name}\"")));
    fs::rename(away, sandbox.path(format!("{staging}/old/{name}"))).unwrap();
    sandbox.write(
        format!("{staging}/journal"),
        serde_json::json!({"version": 1, "backups": null, "operations": [{
            "name": name, "action": "remove", "new": null, "new_digest": null, "old": null,
            "old_digest": null, "backup": format!("{name}-x"), "edited": edited, "seal": false,
            "sealed": false,
        }]})
        .to_string(),
    );
    claim(sandbox, &staging);
    staging
}

#[test]
#[cfg(unix)]
fn a_removal_that_was_killed_after_publishing_is_completed_when_it_is_repeated() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.write(format!("{SKILLS}/pdf/SKILL.md"), "edited");
    let staging = kill_after_publishing(&sandbox, "pdf", true);
    let dry = sandbox.run(["remove", "pdf", "--force", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.all());
    assert!(sandbox.path(&staging).exists());
    let typo = sandbox.run(["remove", "pfd", "--dry-run"]);
    assert_eq!(typo.code, 1, "{}", typo.all());
    let run = sandbox.run(["remove", "pdf", "--force"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("note: finished removing `pdf` from `"), "{}", run.stderr);
    assert!(run.stdout.contains("removed  pdf"), "{}", run.stdout);
    assert!(!sandbox.path(&staging).exists());
    assert_eq!(sandbox.read("../home/.claude/.skills-backup/pdf-x/SKILL.md"), "edited");
    assert!(run.stdout.contains(".skills-backup/pdf-x"), "{}", run.stdout);
    let again = sandbox.run(["remove", "pdf"]);
    assert_eq!(again.code, 1, "{}", again.all());
    assert!(again.stderr.contains("no skill named `pdf`"), "{}", again.stderr);
}

#[test]
#[cfg(unix)]
fn the_next_run_completes_a_removal_and_reports_it() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.write(format!("{SKILLS}/pdf/SKILL.md"), "edited");
    let staging = kill_after_publishing(&sandbox, "pdf", true);
    // An unknown name is still refused, and nothing else is removed.
    let run = sandbox.run(["remove", "nothing", "csv"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("no skill named `nothing`"), "{}", run.stderr);
    assert!(sandbox.path(SKILLS).join("csv").exists());
    assert!(!sandbox.path(&staging).exists());
    assert_eq!(sandbox.read("../home/.claude/.skills-backup/pdf-x/SKILL.md"), "edited");
    let staging = kill_after_publishing(&sandbox, "csv", false);
    let run = sandbox.run(["install", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("note: finished removing `csv`"), "{}", run.stderr);
    assert!(!sandbox.path(&staging).exists());
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
#[cfg(unix)]
fn a_skill_that_changed_after_the_comparison_with_the_lock_is_not_installed() {
    // A small file is copied as it was judged. A large one is read again, and must be the same.
    for (umask, size) in [("022", 6), ("022", 300_000), ("0117", 6), ("0111", 300_000)] {
        let sandbox = sandbox();
        let (old, new) = ("n".repeat(size), "N".repeat(size));
        sandbox.write("src/pdf/data/notes.txt", &old);
        sandbox.write("skills.yaml", "version: 1\nskills:\n  - ./src\n");
        let run = sandbox.run(["lock"]);
        assert_eq!(run.code, 0, "{}", run.all());
        sandbox.run(["install", "src/csv", "--dir", "out"]);
        let lock = sandbox.path("out/.skills-index.lock");
        let file = fs::File::options().write(true).open(lock).unwrap();
        file.lock().unwrap();
        let line = format!(
            "umask {umask}; \"$SKILLS\" install --frozen --dir out --lock-timeout 50 2>said"
        );
        // It has compared everything when it waits, and copies when the wait is over.
        let run = std::thread::scope(|scope| {
            let run = scope.spawn(|| sandbox.shell(&line));
            while !fs::read_to_string(sandbox.path("said")).unwrap_or_default().contains("waiting")
            {
                assert!(!run.is_finished(), "it does not wait");
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            sandbox.write("src/pdf/data/notes.txt", &new);
            drop(file);
            run.join().unwrap()
        });
        let said = sandbox.read("said");
        let is_closed = umask != "022" && said.contains("permission denied");
        if is_closed {
            skip("only root can work in directories without execute bits");
        }
        if size == 6 && !is_closed {
            assert_eq!(run.code, 0, "{umask}: {said}");
            assert_eq!(sandbox.read("out/pdf/data/notes.txt"), old);
        } else {
            assert_ne!(run.code, 0, "{umask}: {said}");
            assert!(is_closed || said.contains("changed while it was being installed"), "{said}");
            assert!(!sandbox.path("out/pdf").exists());
        }
    }
}

#[test]
fn temporary_files_of_killed_runs_go_with_the_next_run() {
    let sandbox = sandbox();
    sandbox.write("skills.yaml", "version: 1\nskills:\n  - ./src\n");
    sandbox.write("broken/bom/SKILL.md", format!("\u{feff}{}", good_text("bom")));
    sandbox.mkdir("packed");
    for directory in [".", "packed", "broken/bom"] {
        sandbox.write(format!("{directory}/{LEFT}"), "half");
        // Only files with exactly our name are removed.
        sandbox.write(format!("{directory}/.skills-temporary-notes"), "mine");
    }
    let run = sandbox.run(["lock"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let run = sandbox.run(["pack", "src", "-o", "packed"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let run = sandbox.run(["validate", "broken", "--fix"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("broken/bom/SKILL.md"), good_text("bom"));
    for directory in [".", "packed", "broken/bom"] {
        assert!(!sandbox.path(directory).join(LEFT).exists(), "{directory}");
        assert_eq!(sandbox.read(format!("{directory}/.skills-temporary-notes")), "mine");
    }
}

#[test]
fn temporary_files_of_killed_runs_are_not_part_of_a_skill() {
    let sandbox = sandbox();
    let digest = |sandbox: &Sandbox| {
        let listed = sandbox.document(["list", "src", "--long", "--format", "json"]);
        listed["skills"][1]["digest"].as_str().unwrap().to_owned()
    };
    let before = digest(&sandbox);
    sandbox.run(["pack", "src/pdf", "-o", "before"]);
    sandbox.write(format!("src/pdf/{LEFT}"), "half");
    sandbox.write(format!("src/pdf/scripts/{LEFT}"), "half");
    assert_eq!(digest(&sandbox), before);
    sandbox.run(["pack", "src/pdf", "-o", "after"]);
    let read = |path: &str| fs::read(sandbox.path(path)).unwrap();
    assert!(read("before/pdf.skill") == read("after/pdf.skill"));
    assert_eq!(sandbox.run(["install", "src"]).code, 0);
    let there = snapshot(&sandbox.path(SKILLS));
    assert!(!there.keys().any(|path| path.contains("temporary")), "{there:#?}");
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
#[cfg(unix)]
fn a_signal_while_skills_are_copied_undoes_everything_and_says_so_first() {
    let sandbox = Sandbox::repository();
    for number in 0..300 {
        sandbox.good_skill(&format!("src/skill-{number}"));
    }
    // Stop the run while it copies, so that the signal arrives before anything is moved. If the
    // run is faster than the shell, try again.
    let run = sandbox.shell(
        "for attempt in 1 2 3 4 5 6 7 8 9; do
            SKILLS_THREADS=1 \"$SKILLS\" install src --dir made/out >said 2>&1 & pid=$!
            while kill -0 $pid 2>/dev/null && ! [ -e made/.skills-staging-*/new/skill-1 ]; do :; done
            kill -STOP $pid
            if [ -e made/.skills-staging-*/new ] && ! [ -e made/.skills-staging-*/index ]; then
                kill -TERM $pid; kill -CONT $pid; wait $pid; exit $?
            fi
            kill -CONT $pid; wait $pid; rm -rf made
        done",
    );
    let said = sandbox.read("said");
    assert_eq!(run.code, 143, "{said}{}", run.all());
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("note: interrupted: undoing all changes"), "{said}");
    assert_eq!(lines[1..], ["error: interrupted; nothing was changed"]);
    assert!(!sandbox.path("made").exists());
}
