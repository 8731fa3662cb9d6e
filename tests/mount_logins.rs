//! Logins that are renewed in a mounted home: when and where they are moved back.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Run, Sandbox};
use crate::install::sandbox;
use crate::mount::{homes, mounted, temporary};
use crate::skips::skip;

const LOGIN: &str = "../home/.claude/.credentials.json";
const INSIDE: &str = ".claude/.credentials.json";
/// Replaces the login as agents do.
const RENEW: &str = "cd \"$HOME/.claude\"; echo new >t; mv t .credentials.json";

/// Mounts without a command; returns the home.
fn home(sandbox: &Sandbox, flags: &[&str], variables: &[(&str, &Path)]) -> PathBuf {
    let run = sandbox.run_with([&["mount", "src"], flags].concat(), |command| {
        command.envs(variables.iter().copied());
    });
    assert_eq!(run.code, 0, "{}", run.all());
    PathBuf::from(run.stdout.trim().replace("[DIR]", sandbox.root_text()))
}

/// Puts a new login into a home as agents do.
fn renew(home: &Path, token: &str) {
    let draft = home.join("draft");
    fs::write(&draft, token).unwrap();
    fs::rename(draft, home.join(INSIDE)).unwrap();
}

fn unmount(sandbox: &Sandbox, home: &Path) -> Run {
    sandbox.run([Path::new("unmount"), home])
}

/// Checks a home that was kept because of its login: the message names it, its content is still
/// there, and it can be removed once the login is safe.
fn assert_kept(sandbox: &Sandbox, home: &Path, reason: &str) {
    let run = unmount(sandbox, home);
    assert_ne!(run.code, 0, "{reason}");
    assert!(run.stderr.contains("was not moved back"), "{}", run.stderr);
    assert!(run.stderr.contains(reason), "{reason}: {}", run.stderr);
    let shown = home.to_str().unwrap().replace(sandbox.root_text(), "[DIR]");
    assert!(run.stderr.contains(&shown), "{}", run.stderr);
    assert!(home.join(".claude").symlink_metadata().is_ok(), "{reason}");
    // It is not removed automatically.
    assert_eq!(mounted(sandbox, &[], "true").code, 0);
    assert!(home.is_dir(), "{reason}");
    let doubtful = home.join(INSIDE);
    let is_directory = doubtful.symlink_metadata().is_ok_and(|data| data.is_dir());
    let _ = if is_directory { fs::remove_dir(doubtful) } else { fs::remove_file(doubtful) };
    let run = unmount(sandbox, home);
    assert_eq!(run.code, 0, "{reason}: {}", run.all());
    assert!(!home.exists(), "{reason}");
}

#[test]
fn unmount_takes_the_place_of_a_login_from_the_record_and_not_from_its_own_environment() {
    let sandbox = sandbox();
    sandbox.write("../home/.codex/auth.json", "old");
    let run = sandbox.shell(
        "eval \"$(\"$SKILLS\" mount src --agent codex --format env)\" || exit
        echo new >$CODEX_HOME/t; mv $CODEX_HOME/t $CODEX_HOME/auth.json
        \"$SKILLS\" unmount \"$HOME\"",
    );
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("../home/.codex/auth.json"), "new\n");
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn a_login_goes_back_to_the_account_that_it_came_from() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "private");
    let work = sandbox.write("../home/.claude-work/.credentials.json", "work");
    let moved = [("CLAUDE_CONFIG_DIR", work.parent().unwrap())];
    // By `unmount`, without the variable.
    let home = home(&sandbox, &[], &moved);
    renew(&home, "work 2");
    let run = unmount(&sandbox, &home);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(fs::read_to_string(&work).unwrap(), "work 2");
    assert_eq!(sandbox.read(LOGIN), "private");
    // By the next run, after a kill.
    let line = format!("{RENEW}; kill -9 $PPID");
    sandbox.shell(&format!(
        "CLAUDE_CONFIG_DIR=../home/.claude-work \"$SKILLS\" mount src --agent claude -- sh -c '{line}'"
    ));
    // The shell may outlive the run that it killed, and the home is in use until then.
    for _ in 0..300 {
        let run = sandbox.run(["mount", "src", "--agent", "claude", "--", "true"]);
        assert_eq!(run.code, 0, "{}", run.all());
        if temporary(&sandbox).is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(fs::read_to_string(&work).unwrap(), "new\n");
    assert_eq!(sandbox.read(LOGIN), "private");
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn nothing_that_lies_in_a_home_is_believed() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "mine");
    let home = home(&sandbox, &["--auth", "none"], &[]);
    renew(&home, "forged");
    let step =
        r#"{"step":"linked","logins":[{"agent":"claude","inside":".claude/.credentials.json"}]}"#;
    let marker = r#"{"version":1,"temporary":true,"linked":true,"agents":["claude","codex"]}"#;
    for name in [".skills-home.json", ".skills-mount", "..skills-mount"] {
        fs::write(home.join(name), format!("{marker}\n{step}\n")).unwrap();
    }
    // The same for a marker that was there before, changed by the agent.
    let line = "cd \"$HOME\"; sed -i 's/\"linked\":false/\"linked\":true/' .skills-home.json";
    sandbox.shell(&format!("HOME={} sh -c '{line}'", home.display()));
    assert_eq!(unmount(&sandbox, &home).code, 0);
    assert_eq!(sandbox.read(LOGIN), "mine");
    assert!(!home.exists());
    let forge = "cd \"$HOME\"; mkdir -p .claude; echo forged >.claude/.credentials.json
        [ ! -e .skills-home.json ] || sed -i 's/\"linked\":false/\"linked\":true/' .skills-home.json";
    assert_eq!(mounted(&sandbox, &["--auth", "none"], forge).code, 0);
    assert_eq!(sandbox.read(LOGIN), "mine");
}

#[test]
fn a_login_goes_back_through_no_link_that_was_put_there_meanwhile() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "mine");
    sandbox.write("elsewhere/.credentials.json", "somebody's");
    let home = home(&sandbox, &[], &[]);
    renew(&home, "new");
    fs::rename(sandbox.path("../home/.claude"), sandbox.path("away")).unwrap();
    sandbox.symlink(sandbox.path("elsewhere"), "../home/.claude");
    assert_kept(&sandbox, &home, "leads to `[DIR]/project/elsewhere/.credentials.json` now");
    assert_eq!(sandbox.read("elsewhere/.credentials.json"), "somebody's");
    assert_eq!(sandbox.read("away/.credentials.json"), "mine");
}

#[test]
fn a_login_below_a_link_of_the_user_goes_back_to_where_it_really_is() {
    let sandbox = sandbox();
    sandbox.write("../home/dotfiles/claude/.credentials.json", "old");
    sandbox.symlink("dotfiles/claude", "../home/.claude");
    sandbox.write("../home/dotfiles/auth.json", "old");
    sandbox.symlink("../dotfiles/auth.json", "../home/.codex/auth.json");
    let line = format!("{RENEW}; echo new >t; mv t \"$CODEX_HOME/auth.json\"");
    let run = mounted(&sandbox, &["--agent", "all"], &line);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.all());
    assert_eq!(sandbox.read("../home/dotfiles/claude/.credentials.json"), "new\n");
    assert_eq!(sandbox.read("../home/dotfiles/auth.json"), "new\n");
    assert!(sandbox.path("../home/.claude").is_symlink(), "the user's own link stays");
    assert!(sandbox.path("../home/.codex/auth.json").is_symlink());
}

#[test]
fn a_record_cannot_send_a_login_to_a_place_that_the_table_does_not_have() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let precious = sandbox.write("../home/.bashrc", "mine");
    for (named, real) in [
        (precious.clone(), precious.clone()),
        (sandbox.path("../tmp/x/.credentials.json"), precious.clone()),
    ] {
        let home = home(&sandbox, &[], &[]);
        renew(&home, "echo evil");
        if named != precious {
            sandbox.symlink(&precious, "../tmp/x/.credentials.json");
        }
        let name = home.file_name().unwrap().to_str().unwrap();
        let record = home.with_file_name(format!(".{name}.skills-mount"));
        let text = fs::read_to_string(&record).unwrap();
        let own = sandbox.path(LOGIN).canonicalize().unwrap();
        let field = |key: &str, path: &Path| format!("\"{key}\":\"{}\"", path.display());
        let forged = text
            .replace(&field("named", &own), &field("named", &named))
            .replace(&field("real", &own), &field("real", &real));
        assert_ne!(forged, text);
        fs::write(&record, forged).unwrap();
        assert_kept(&sandbox, &home, "is not a place for this login");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    }
}

#[test]
fn a_real_login_from_the_future_is_replaced_when_only_the_home_has_a_new_one() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let future = |sandbox: &Sandbox| sandbox.shell(&format!("touch -d '+1 year' {LOGIN}"));
    future(&sandbox);
    let run = mounted(&sandbox, &[], RENEW);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(sandbox.read(LOGIN), "new\n");
    // Such a time does not tell which login is newer.
    let home = home(&sandbox, &[], &[]);
    renew(&home, "from the home");
    sandbox.write(LOGIN, "from another run");
    future(&sandbox);
    assert_kept(&sandbox, &home, "it is unclear which login is newer");
    assert_eq!(sandbox.read(LOGIN), "from another run");
}

#[test]
fn a_login_that_was_deleted_meanwhile_is_not_made_anew_without_a_word() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let home = home(&sandbox, &[], &[]);
    renew(&home, "new");
    fs::remove_file(sandbox.path(LOGIN)).unwrap();
    assert_kept(&sandbox, &home, "no longer exists");
    assert!(!sandbox.path(LOGIN).exists());
}

#[test]
fn an_invalid_login_replaces_none_and_is_not_lost() {
    type Replace = fn(&Path);
    let cases: [(&str, Replace); 4] = [
        ("is empty", |inside| fs::write(inside, "").unwrap()),
        ("is a symbolic link to somewhere else", |inside| {
            fs::write(inside.with_file_name("second"), "new").unwrap();
            std::os::unix::fs::symlink("second", inside).unwrap();
        }),
        ("is not a regular file", |inside| fs::create_dir(inside).unwrap()),
        ("is not a regular file", |inside| {
            assert!(std::process::Command::new("mkfifo").arg(inside).status().unwrap().success());
        }),
    ];
    for (reason, replace) in cases {
        let sandbox = sandbox();
        sandbox.write(LOGIN, "old");
        let home = home(&sandbox, &[], &[]);
        fs::remove_file(home.join(INSIDE)).unwrap();
        replace(&home.join(INSIDE));
        assert_kept(&sandbox, &home, reason);
        assert_eq!(sandbox.read(LOGIN), "old", "{reason}");
    }
    // An agent that logs out removes only its own link.
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let run = mounted(&sandbox, &[], "rm \"$HOME/.claude/.credentials.json\"");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(sandbox.read(LOGIN), "old");
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn a_login_is_in_doubt_if_its_directory_was_replaced_but_not_if_it_was_removed() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let home = home(&sandbox, &[], &[]);
    renew(&home, "new");
    let (directory, moved) = (home.join(".claude"), home.join("moved"));
    fs::rename(&directory, &moved).unwrap();
    std::os::unix::fs::symlink("moved", &directory).unwrap();
    let run = unmount(&sandbox, &home);
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("`.claude` is no longer a directory"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(moved.join(".credentials.json")).unwrap(), "new");
    fs::remove_file(directory).unwrap();
    let run = unmount(&sandbox, &home);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(sandbox.read(LOGIN), "old");
    assert!(!home.exists());
}

#[test]
fn the_newest_of_two_renewed_logins_wins_whichever_home_goes_first() {
    for newest_first in [true, false] {
        let sandbox = sandbox();
        sandbox.write(LOGIN, "old");
        let (one, other) = (home(&sandbox, &[], &[]), home(&sandbox, &[], &[]));
        renew(&one, "first");
        let changed = |home: &Path| {
            use std::os::unix::fs::MetadataExt;
            let data = home.join(INSIDE).symlink_metadata().unwrap();
            (data.ctime(), data.ctime_nsec())
        };
        // Clocks of file systems tick slowly.
        loop {
            renew(&other, "second");
            if changed(&other) > changed(&one) {
                break;
            }
        }
        let order = if newest_first { [&other, &one] } else { [&one, &other] };
        let runs = order.map(|home| unmount(&sandbox, home));
        assert_eq!((runs[0].code, runs[0].stderr.as_str()), (0, ""));
        assert_eq!(sandbox.read(LOGIN), "second", "newest first: {newest_first}");
        // The older one is dropped, with a message.
        assert_eq!(runs[1].code, 0, "{}", runs[1].all());
        let word = if newest_first { "was dropped" } else { "was replaced" };
        assert!(runs[1].stderr.starts_with("warning: "), "{}", runs[1].stderr);
        assert!(runs[1].stderr.contains(word), "{}", runs[1].stderr);
        assert!(temporary(&sandbox).is_empty());
    }
}

#[test]
fn homes_that_go_at_once_leave_the_newest_login() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let homes: Vec<PathBuf> = (0..6).map(|_| home(&sandbox, &[], &[])).collect();
    for (number, home) in homes.iter().enumerate() {
        // Clocks of file systems tick slowly.
        std::thread::sleep(std::time::Duration::from_millis(20));
        renew(home, &format!("token {number}"));
    }
    std::thread::scope(|scope| {
        for home in &homes {
            scope.spawn(|| {
                let run = unmount(&sandbox, home);
                assert_eq!(run.code, 0, "{}", run.all());
            });
        }
    });
    assert_eq!(sandbox.read(LOGIN), "token 5");
    assert_eq!(fs::read_dir(sandbox.path("../home/.claude")).unwrap().count(), 1);
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn a_login_stays_its_owners() {
    use std::os::unix::fs::{MetadataExt, chown};
    let sandbox = sandbox();
    if sandbox.shell("id -u").stdout.trim() != "0" {
        return skip("only root runs in the home of somebody else, as containers do");
    }
    let login = sandbox.write(LOGIN, "old");
    chown(&login, Some(65534), Some(65534)).unwrap();
    assert_eq!(mounted(&sandbox, &[], RENEW).code, 0);
    assert_eq!(sandbox.read(LOGIN), "new\n");
    let data = login.metadata().unwrap();
    assert_eq!((data.uid(), data.gid(), data.mode() & 0o777), (65534, 65534, 0o600));
}

#[test]
fn a_draft_that_a_killed_run_left_beside_a_login_goes_with_the_next_run() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let draft = "../home/.claude/.credentials.json.skills-login";
    sandbox.write(draft, "a token");
    assert_eq!(mounted(&sandbox, &[], "true").code, 0);
    assert!(!sandbox.path(draft).exists());
    // An existing draft does not prevent moving a login back.
    let home = home(&sandbox, &[], &[]);
    renew(&home, "new");
    sandbox.write(draft, "a token");
    assert_eq!(unmount(&sandbox, &home).code, 0);
    assert_eq!(sandbox.read(LOGIN), "new");
    assert_eq!(fs::read_dir(sandbox.path("../home/.claude")).unwrap().count(), 1);
    assert_eq!(sandbox.mode(LOGIN), 0o600);
}

#[test]
fn a_file_of_the_user_beside_a_login_is_not_a_draft() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    sandbox.write("../home/mine", "mine");
    sandbox.symlink("../mine", "../home/.claude/.credentials.json.skills-login");
    let home = home(&sandbox, &[], &[]);
    renew(&home, "new");
    assert_kept(&sandbox, &home, ".credentials.json.skills-login");
    assert_eq!(sandbox.read("../home/mine"), "mine");
    assert_eq!(homes(&sandbox), Vec::<String>::new());
}

#[test]
fn a_login_that_cannot_be_used_is_named() {
    let sandbox = sandbox();
    sandbox.mkdir("../home/.claude");
    let login = sandbox.path(LOGIN);
    std::os::unix::fs::symlink(".credentials.json", &login).unwrap();
    let run = mounted(&sandbox, &[], "true");
    assert_eq!(run.code, 0, "{}", run.all());
    let words = "the login in `[DIR]/home/.claude/.credentials.json` cannot be used";
    assert!(run.stderr.contains(words), "a link to itself: {}", run.stderr);
    fs::remove_file(&login).unwrap();
    fs::create_dir(&login).unwrap();
    let run = mounted(&sandbox, &[], "true");
    assert!(run.stderr.contains(words), "a directory: {}", run.stderr);
    fs::remove_dir(&login).unwrap();
    let run = mounted(&sandbox, &[], "true");
    assert!(!run.stderr.contains("cannot be used"), "none: {}", run.stderr);
}

#[test]
fn a_copied_login_is_not_moved_back() {
    let sandbox = sandbox();
    sandbox.write(LOGIN, "old");
    let is_said = |run: &Run| run.stderr.contains("was renewed and removed with the home");
    let run = mounted(&sandbox, &["--auth", "copy"], RENEW);
    assert_eq!((run.code, &*sandbox.read(LOGIN)), (0, "old"), "{}", run.all());
    assert!(is_said(&run), "{}", run.stderr);
    let copied = home(&sandbox, &["--auth", "copy"], &[]);
    renew(&copied, "new");
    let run = unmount(&sandbox, &copied);
    assert_eq!((run.code, &*sandbox.read(LOGIN)), (0, "old"), "{}", run.all());
    assert!(is_said(&run) && !copied.exists(), "{}", run.stderr);
    // A copy that is still the same needs no word.
    let run = mounted(&sandbox, &["--auth", "copy"], "true");
    assert_eq!((run.code, &*run.stderr), (0, ""));
}

#[test]
fn a_login_that_was_made_in_a_home_is_not_removed_without_a_word() {
    let sandbox = sandbox();
    let is_said = |run: &Run| {
        run.stderr.contains(INSIDE) && run.stderr.contains("was made in the home and removed")
    };
    let run = mounted(&sandbox, &[], RENEW);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(is_said(&run), "{}", run.stderr);
    let left = home(&sandbox, &[], &[]);
    renew(&left, "new");
    let run = unmount(&sandbox, &left);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(is_said(&run), "{}", run.stderr);
    assert!(!sandbox.path(LOGIN).exists() && temporary(&sandbox).is_empty());
    // Neither a home without logins on request nor an agent that is not logged in needs a word.
    for (flags, line) in [
        (&["--auth", "none"][..], RENEW),
        (&[], "echo {} >\"$HOME/.claude/.credentials.json\""),
        (&[], "ln -s nowhere \"$HOME/.claude/.credentials.json\""),
    ] {
        let run = mounted(&sandbox, flags, line);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{flags:?} {line}");
    }
}
