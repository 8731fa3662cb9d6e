//! Several runs of `skills install`: after a killed one, in parallel, and with few resources.

use std::fs;

use crate::harness::{Sandbox, good_text, text};
use crate::install::{SKILLS, sandbox, snapshot};

#[test]
#[cfg(unix)]
fn a_dry_run_sees_what_the_next_run_will_see() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    // A run that was killed while it removed a skill: the skill is moved away, and will be moved
    // back.
    let staging = staging(&sandbox);
    sandbox.mkdir(format!("{staging}/new"));
    sandbox.mkdir(format!("{staging}/old"));
    fs::rename(sandbox.path(SKILLS).join("pdf"), sandbox.path(format!("{staging}/old/pdf")))
        .unwrap();
    sandbox.write(format!("{staging}/index"), "{\"version\":1,\"skills\":[]}");
    sandbox.write(
        format!("{staging}/journal"),
        r#"{"version":1,"backups":null,"operations":[{"name":"pdf","action":"remove","new":null,"new_digest":null,"old":null,"old_digest":null,"backup":"pdf-x","edited":false,"seal":false,"sealed":false}]}"#,
    );
    claim(&sandbox, &staging);
    sandbox.write("src/pdf/new.txt", "new");
    for flags in [&["--dry-run"][..], &[]] {
        let run = sandbox.run([&["install", "src"], flags].concat());
        assert_eq!(run.code, 0, "{flags:?} {}", run.all());
        assert!(run.stdout.contains("updated    pdf"), "{}", run.stdout);
    }
    assert!(!sandbox.path(&staging).exists());
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
#[cfg(unix)]
fn the_next_run_cleans_up_after_a_killed_one() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    // A run that was killed while it copied: without a journal, nothing was moved.
    let staging = staging(&sandbox);
    sandbox.write(format!("{staging}/new/pdf/SKILL.md"), "half");
    claim(&sandbox, &staging);
    let dry = sandbox.run(["install", "src", "--dry-run"]);
    assert!(dry.stderr.contains("a run was interrupted"), "{}", dry.stderr);
    sandbox.symlink(".claude/skills", "../home/linked");
    for flags in [&[][..], &["--dir", SKILLS], &["--dir", "../home/linked"]] {
        let run = sandbox.run([&["verify"], flags].concat());
        assert!(run.stderr.contains("a run was interrupted"), "{flags:?} {}", run.all());
    }
    assert_eq!(sandbox.run(["list", ".", "../home", "--format", "names"]).stdout, "csv\npdf\n");
    let run = sandbox.run(["install", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("note: cleaned up after an interrupted run"));
    assert!(!sandbox.path(&staging).exists());
}

#[test]
fn a_backup_gets_a_free_name() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    // A run that was killed after it replaced an edited skill, while a neighbouring skills
    // directory made a backup with the same name and time.
    let staging = staging(&sandbox);
    sandbox.mkdir(format!("{staging}/new"));
    sandbox.write(format!("{staging}/old/pdf/SKILL.md"), "edited\n");
    sandbox.write(
        format!("{staging}/journal"),
        r#"{"version":1,"backups":".skills-backup","operations":[{"name":"pdf","action":"replace","new":null,"new_digest":null,"old":null,"old_digest":null,"backup":"pdf-x","edited":true,"seal":false,"sealed":false}]}"#,
    );
    claim(&sandbox, &staging);
    let backups = "../home/.claude/.skills-backup";
    sandbox.write(format!("{backups}/pdf-x/SKILL.md"), "of another\n");
    sandbox.chmod(backups, 0o700);
    let run = sandbox.run(["install", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read(format!("{backups}/pdf-x/SKILL.md")), "of another\n");
    assert_eq!(sandbox.read(format!("{backups}/pdf-x-1/SKILL.md")), "edited\n");
    assert!(!sandbox.path(&staging).exists());
}

/// The staging directory of the skills directory of Claude in the home.
#[cfg(unix)]
pub(crate) fn staging(sandbox: &Sandbox) -> String {
    // Beside `skills`, with the inode of that directory in its name.
    use std::os::unix::fs::MetadataExt;
    let directory = fs::metadata(sandbox.path(SKILLS)).unwrap();
    format!("../home/.claude/.skills-staging-{}", directory.ino())
}

/// Makes a directory a valid staging directory of Claude's skills directory in the home.
#[cfg(unix)]
pub(crate) fn claim(sandbox: &Sandbox, staging: &str) {
    use std::os::unix::fs::MetadataExt;
    sandbox.chmod(staging, 0o700);
    let numbers = |path: &str| {
        let data = fs::metadata(sandbox.path(path)).unwrap();
        [data.dev(), data.ino()]
    };
    let owner = serde_json::json!({"staging": numbers(staging), "site": numbers(SKILLS)});
    sandbox.write(format!("{staging}/owner"), owner.to_string());
}

#[test]
fn a_lock_that_is_taken_is_waited_for() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    let lock = sandbox.path(SKILLS).join(".skills-index.lock");
    let file = fs::File::options().write(true).open(lock).unwrap();
    file.lock().unwrap();
    let run = sandbox.run(["remove", "pdf", "--lock-timeout", "0.2ss"]);
    assert!(run.stderr.contains("write a number of seconds"), "{}", run.stderr);
    let run = sandbox.run(["remove", "pdf", "--lock-timeout", "0.2s"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("note: waiting for another run"), "{}", run.stderr);
    assert!(run.stderr.contains("help: wait longer with `--lock-timeout SECONDS`"));
    let dry = sandbox.run(["remove", "pdf", "--lock-timeout", "0", "--dry-run"]);
    assert_eq!(dry.code, 0, "looking needs no lock: {}", dry.all());
    drop(file);
    assert_eq!(sandbox.run(["remove", "pdf"]).code, 0);
}

#[test]
#[cfg(unix)]
fn signals_that_are_switched_off_end_no_run() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    let lock = sandbox.path(SKILLS).join(".skills-index.lock");
    let file = fs::File::options().write(true).open(lock).unwrap();
    file.lock().unwrap();
    // As nohup does.
    let run = sandbox.shell(
        "trap '' HUP
        \"$SKILLS\" install src --lock-timeout 1 2>said & pid=$!
        while ! grep -q waiting said; do sleep 0.02; done
        kill -HUP $pid; wait $pid",
    );
    assert_eq!(run.code, 2, "{}{}", run.all(), sandbox.read("said"));
}

#[test]
fn sixteen_installers_do_not_get_in_each_others_way() {
    let sandbox = sandbox();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                // Some install another version, some remove.
                let run = match number % 4 {
                    0 => {
                        sandbox.skill(
                            &format!("v{number}/pdf"),
                            &text("pdf", &format!("license: V{number}\n")),
                        );
                        sandbox.run(["install", &format!("v{number}"), "--force"])
                    }
                    1 => sandbox.run(["remove", "csv"]),
                    _ => sandbox.run(["install", "src", "--force"]),
                };
                assert!(run.code == 0 || number % 4 == 1, "{number}: {}", run.all());
                assert_ne!(run.code, 2, "{number}: {}", run.all());
            });
        }
    });
    let run = sandbox.run(["verify"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let pdf = sandbox.read(format!("{SKILLS}/pdf/SKILL.md"));
    assert!(pdf == good_text("pdf") || pdf.contains("license: V"), "{pdf}");
    let left = snapshot(&sandbox.path("../home"));
    assert!(!left.keys().any(|path| path.contains("staging")), "{left:#?}");
}

#[test]
#[cfg(unix)]
fn few_open_files_are_enough() {
    let sandbox = sandbox();
    for number in 0..40 {
        sandbox.good_skill(&format!("src/skill-{number}"));
        sandbox.write(format!("src/skill-{number}/a/b/c/d/file.txt"), "x");
    }
    let run = sandbox.shell("ulimit -n 16; \"$SKILLS\" install src --agent claude --agent codex");
    assert_eq!(run.code, 0, "{}", run.all());
    sandbox.write("src/skill-1/a/b/c/d/file.txt", "y");
    let run = sandbox.shell("ulimit -n 16; \"$SKILLS\" install src --force && \"$SKILLS\" verify");
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn events_and_what_a_program_reads_do_not_share_standard_output() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    for args in [
        &["install", "skills", "--dir", "out", "--format", "json"][..],
        &["render", "skills", "--format", "json"],
        &["mount", "skills", "--format", "json"],
        &["mount", "skills", "--format", "env"],
        &["mount", "skills"],
    ] {
        let run = sandbox.run(args.iter().chain(&["--events", "-"]));
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.all().contains("would mix events with the result"), "{}", run.all());
    }
    assert!(!sandbox.path("out").exists());
    let run = sandbox.run(["mount", "skills", "--events", "-", "--", "true"]);
    assert!(run.stdout.starts_with("{\"type\":\"skills_installed\""), "{}", run.all());
}

#[test]
#[cfg(unix)]
fn events_cannot_steer_the_terminal_and_come_back_exactly() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    let directory = "to\u{202e}\u{7f}\u{9b}\u{1b}";
    let run = sandbox.run(["install", "skills", "--dir", directory, "--events", "-"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!run.stdout.contains(['\u{202e}', '\u{7f}', '\u{9b}', '\u{1b}']), "{}", run.stdout);
    let event: serde_json::Value =
        serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert!(event["skills_dir"].as_str().unwrap().ends_with(directory), "{event}");
}
