//! The record beside a mounted home: its content, its owner and its lifetime.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::harness::Sandbox;
use crate::install::sandbox;
use crate::mount::{homes, mounted, temporary};
use crate::skips::skip;

/// Mounts without a command; returns the home.
fn home(sandbox: &Sandbox) -> PathBuf {
    let run = sandbox.run(["mount", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    PathBuf::from(run.stdout.trim().replace("[DIR]", sandbox.root_text()))
}

fn record(home: &Path) -> PathBuf {
    let name = home.file_name().unwrap().to_str().unwrap();
    home.with_file_name(format!(".{name}.skills-mount"))
}

fn is_root(sandbox: &Sandbox) -> bool {
    sandbox.shell("id -u").stdout.trim() == "0"
}

#[test]
fn the_record_lies_beside_the_home_and_goes_with_it() {
    let sandbox = sandbox();
    let home = home(&sandbox);
    let data = record(&home).symlink_metadata().unwrap();
    assert!(data.is_file());
    assert_eq!(data.permissions().mode() & 0o7777, 0o600);
    let inside = sandbox.shell(&format!("ls -A {}", home.display())).stdout;
    assert_eq!(inside, ".claude\n", "nothing of it is in the home");
    assert_eq!(sandbox.run([Path::new("unmount"), &home]).code, 0);
    assert!(temporary(&sandbox).is_empty());
    let line = "ls -A \"$HOME\"; stat -c %a \"$(dirname \"$HOME\")\"/.*.skills-mount";
    assert_eq!(mounted(&sandbox, &[], line).stdout, ".claude\n600\n");
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn a_home_without_a_record_is_refused_and_stays() {
    let sandbox = sandbox();
    let home = home(&sandbox);
    fs::remove_file(record(&home)).unwrap();
    let run = sandbox.run([Path::new("unmount"), &home]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("there is no record beside it"), "{}", run.stderr);
    assert!(home.join(".claude/skills/pdf/SKILL.md").exists());
}

#[test]
fn a_partly_removed_home_is_removed() {
    let sandbox = sandbox();
    type Damage = fn(&Path);
    let damages: [Damage; 3] = [
        // Everything except the directory.
        |home| {
            fs::remove_dir_all(home.join(".claude")).unwrap();
        },
        // The directory, too.
        |home| fs::remove_dir_all(home).unwrap(),
        // The mount was killed before it recorded the directory.
        |home| {
            fs::remove_dir_all(home.join(".claude")).unwrap();
            let text = fs::read_to_string(record(home)).unwrap();
            let first = text.lines().next().unwrap();
            fs::write(record(home), format!("{first}\n{{\"step\":\"ma")).unwrap();
        },
    ];
    for damage in damages {
        let home = home(&sandbox);
        damage(&home);
        let run = sandbox.run([Path::new("unmount"), &home]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(temporary(&sandbox).is_empty(), "{:?}", temporary(&sandbox));
    }
    // A run that was killed at once.
    sandbox.write("../tmp/.agent-x.skills-home.skills-mount", "");
    sandbox.chmod("../tmp/.agent-x.skills-home.skills-mount", 0o600);
    assert_eq!(mounted(&sandbox, &[], "true").code, 0);
    assert!(temporary(&sandbox).is_empty());
    // Another directory at the same path is not touched, even if it has the inode of the home.
    let home = home(&sandbox);
    let born = |home: &Path| home.metadata().and_then(|data| data.created()).ok();
    let old = born(&home);
    fs::remove_dir_all(&home).unwrap();
    fs::create_dir(&home).unwrap();
    fs::write(home.join("file"), "mine").unwrap();
    if old.is_none() || old == born(&home) {
        return skip("this file system does not say when a directory was made");
    }
    let run = sandbox.run([Path::new("unmount"), &home]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("another directory has replaced it"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(home.join("file")).unwrap(), "mine");
}

#[test]
fn a_file_in_place_of_a_home_stays_and_so_does_the_record() {
    let sandbox = sandbox();
    let home = home(&sandbox);
    fs::remove_dir_all(&home).unwrap();
    fs::write(&home, "mine").unwrap();
    let run = sandbox.run([Path::new("unmount"), &home]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("is not a home that `skills mount` made"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&home).unwrap(), "mine");
    assert!(record(&home).exists());
}

#[test]
fn only_a_private_file_of_this_user_is_a_record() {
    let sandbox = sandbox();
    type Change = fn(&Path);
    let changes: [(&str, Change); 4] = [
        ("others can", |record| {
            fs::set_permissions(record, PermissionsExt::from_mode(0o644)).unwrap();
        }),
        ("has a hard link", |record| {
            fs::hard_link(record, record.with_file_name("second")).unwrap();
        }),
        ("", |record| {
            fs::rename(record, record.with_file_name("moved")).unwrap();
            std::os::unix::fs::symlink("moved", record).unwrap();
        }),
        ("is invalid or from another version", |record| {
            let text = fs::read_to_string(record).unwrap();
            fs::write(record, text.replace("\"version\":1", "\"version\":7")).unwrap();
        }),
    ];
    for (reason, change) in changes {
        let home = home(&sandbox);
        change(&record(&home));
        let run = sandbox.run([Path::new("unmount"), &home]);
        assert_eq!(run.code, 1, "{reason}: {}", run.all());
        assert!(run.stderr.contains("is not a home that `skills mount` made"), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "{reason}: {}", run.stderr);
        let run = sandbox.run(["unmount", "--stale", "--older-than", "0s"]);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{reason}");
        assert!(home.join(".claude/skills").exists(), "{reason}");
    }
}

#[test]
fn homes_of_other_users_are_left_alone() {
    let sandbox = sandbox();
    if !is_root(&sandbox) {
        return skip("only root can give a file to somebody else");
    }
    for which in [record as fn(&Path) -> PathBuf, Path::to_owned] {
        let home = home(&sandbox);
        std::os::unix::fs::chown(which(&home), Some(65534), Some(65534)).unwrap();
        let run = sandbox.run([Path::new("unmount"), &home]);
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("belongs to another user"), "{}", run.stderr);
        // A killed run of another user is ignored, too.
        let path = record(&home);
        let text = fs::read_to_string(&path).unwrap();
        let killed: Vec<&str> = text.lines().filter(|line| !line.contains("left")).collect();
        fs::write(&path, killed.join("\n") + "\n").unwrap();
        assert_eq!(mounted(&sandbox, &[], "true").code, 0);
        let run = sandbox.run(["unmount", "--stale", "--older-than", "0s"]);
        assert_eq!(run.stdout, "");
        assert!(home.join(".claude/skills").exists());
        // Only the owner was wrong.
        std::os::unix::fs::chown(which(&home), Some(0), Some(0)).unwrap();
        assert_eq!(mounted(&sandbox, &[], "true").code, 0);
        assert!(!home.exists());
    }
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn a_home_whose_command_left_something_running_keeps_its_name() {
    let sandbox = sandbox();
    let run = sandbox.shell(
        "\"$SKILLS\" mount src -- sh -c 'chmod 777 \"$HOME\"; sleep 60 >/dev/null 2>&1 & echo $! >pid; exit 3'
        echo $?",
    );
    assert_eq!(run.stdout, "3\n", "{}", run.stderr);
    let pid = sandbox.read("pid").trim().to_owned();
    let left = homes(&sandbox);
    let home = sandbox.path(format!("../tmp/{}", left.join(" ")));
    let data = home.symlink_metadata();
    let entries = fs::read_dir(&home).map(Iterator::count);
    let again = mounted(&sandbox, &[], "true");
    let refused = sandbox.run([Path::new("unmount"), &home]);
    let still = home.exists();
    // Nothing fails before the process has been ended.
    sandbox.shell(&format!("kill {pid}; while kill -0 {pid} 2>/dev/null; do sleep 0.02; done"));
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(data.unwrap().mode() & 0o7777, 0o700);
    assert_eq!(entries.unwrap(), 0);
    assert_eq!(again.code, 0, "{}", again.all());
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("is in use"), "{}", refused.stderr);
    assert!(still);
    assert!(run.stderr.contains("stays until"), "{}", run.stderr);
    let run = sandbox.run(["unmount", "--stale"]);
    assert!(run.stdout.starts_with("removed "), "{}", run.all());
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn no_home_is_made_where_others_could_swap_it() {
    let sandbox = sandbox();
    sandbox.mkdir("open/inner");
    let at = |home: &str| mounted(&sandbox, &["--home", home], "true");
    for mode in [0o777, 0o722] {
        sandbox.chmod("open", mode);
        for home in ["open/home", "open/inner/home", "open/new/home", "open/inner"] {
            let run = at(home);
            assert_eq!(run.code, 125, "{home}: {}", run.all());
            assert!(run.stderr.contains("other users could replace"), "{}", run.stderr);
        }
        for directory in ["open", "open/inner"] {
            let path = sandbox.path(directory);
            let run = sandbox.run_with(["mount", "src", "--", "true"], |command| {
                command.env("TMPDIR", path);
            });
            assert_eq!(run.code, 125, "{directory}: {}", run.all());
            assert!(run.stderr.contains("other users could replace"), "{}", run.stderr);
        }
    }
    assert_eq!(fs::read_dir(sandbox.path("open")).unwrap().count(), 1, "nothing was made");
    // In a sticky directory, users cannot move each other's files.
    sandbox.chmod("open", 0o1777);
    assert_eq!(at("open/home").code, 0);
    assert_eq!(at("open/inner/home").code, 0);
}

#[test]
fn no_home_is_made_where_the_owner_or_the_group_could_swap_it() {
    let sandbox = sandbox();
    if !is_root(&sandbox) {
        return skip("only root can give a directory to others");
    }
    sandbox.mkdir("open");
    let at = || mounted(&sandbox, &["--home", "open/home"], "true").code;
    let open = sandbox.path("open");
    let give = |owner: u32, group: u32, mode: u32| {
        std::os::unix::fs::chown(&open, Some(owner), Some(group)).unwrap();
        sandbox.chmod("open", mode);
    };
    give(65534, 0, 0o755);
    assert_eq!(at(), 125, "its owner could");
    give(0, 65534, 0o775);
    assert_eq!(at(), 125, "its group could");
    // A private group counts as the user.
    give(0, 0, 0o775);
    assert_eq!(at(), 0);
}

#[test]
fn a_home_is_not_created_if_its_path_cannot_be_printed() {
    let sandbox = sandbox();
    for line in [
        "\"$SKILLS\" mount src >&-",
        "\"$SKILLS\" mount src >/dev/null",
        "\"$SKILLS\" mount src --format json >&-",
        "\"$SKILLS\" mount src --format env >/dev/full",
        "\"$SKILLS\" mount src >/dev/full",
    ] {
        let run = sandbox.shell(line);
        assert_eq!(run.code, 2, "{line}: {}", run.all());
        // With JSON, errors go to the closed stream.
        assert!(run.stderr.starts_with("error: ") || line.contains("json"), "{}", run.stderr);
        assert!(temporary(&sandbox).is_empty(), "{line}");
    }
    // With `--home` or a command, the path need not be printed.
    assert_eq!(sandbox.shell("\"$SKILLS\" mount src --home named >/dev/null").code, 0);
    assert_eq!(sandbox.run(["unmount", "named"]).code, 0);
    assert_eq!(sandbox.shell("\"$SKILLS\" mount src -- true >&-").code, 0);
    assert!(temporary(&sandbox).is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn neither_the_run_nor_the_command_holds_a_file_in_the_home_open() {
    // On some file systems, an open file stays under another name, and its directory stays.
    let sandbox = sandbox();
    let line = "readlink /proc/$PPID/fd/* /proc/self/fd/* | grep \"^$HOME/\"; echo done";
    let run = mounted(&sandbox, &[], line);
    assert_eq!(run.stdout, "done\n", "{}", run.stderr);
    // The command keeps the home in use, and cannot write to the record.
    let line = "for fd in /proc/self/fd/*; do case $(readlink $fd) in *.skills-mount) stat -c %A $fd;; esac; done";
    assert_eq!(mounted(&sandbox, &[], line).stdout, "lr-x------\n");
}

#[test]
fn a_signal_ends_a_mount_while_it_copies() {
    let sandbox = sandbox();
    let slow = "strace -f -qq -o /dev/null -e trace=mkdirat -e inject=mkdirat:delay_exit=100000";
    if sandbox.shell(&format!("{slow} true")).code != 0 {
        return skip("strace is missing, or may not trace");
    }
    for number in 0..200 {
        sandbox.good_skill(&format!("many/skill-{number}"));
    }
    let run = sandbox.shell(&format!(
        "SKILLS_THREADS=1 {slow} \"$SKILLS\" mount many -- touch ran & pid=$!
        while [ \"$(find \"$TMPDIR\" -name 'skill-*' | wc -l)\" -lt 3 ]; do sleep 0.02; done
        kill -TERM $(ps -o pid= --ppid $pid); wait $pid"
    ));
    assert_eq!(run.code, 143, "{}", run.all());
    assert!(run.stderr.contains("interrupted"), "{}", run.stderr);
    assert!(!sandbox.path("ran").exists());
    assert!(temporary(&sandbox).is_empty());
}
