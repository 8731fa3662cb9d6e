//! The life of a mounted home: its location, its users and its end.

#![cfg(unix)]

use std::fs;

use crate::harness::text;
use crate::install::sandbox;
use crate::mount::{homes, mounted, temporary};

#[test]
fn without_a_command_the_home_is_printed_and_stays() {
    let sandbox = sandbox();
    let run = sandbox.shell("\"$SKILLS\" mount src --prefix my-");
    assert_eq!(run.code, 0, "{}", run.all());
    let home = run.stdout.trim().strip_prefix("[DIR]/tmp/").unwrap().to_owned();
    assert!(home.starts_with("my-"), "{home}");
    assert!(sandbox.path(format!("../tmp/{home}/.claude/skills/pdf/SKILL.md")).is_file());
    // Neither another run nor `unmount --stale` removes it.
    assert_eq!(mounted(&sandbox, &[], "true").code, 0);
    assert_eq!(sandbox.run(["unmount", "--stale"]).stdout, "");
    assert_eq!(sandbox.run(["unmount", "--stale", "--older-than", "1d"]).stdout, "");
    assert_eq!(homes(&sandbox), [home.as_str()]);
    let run = sandbox.run(["unmount", &format!("../tmp/{home}")]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(temporary(&sandbox).is_empty());
    sandbox.run(["mount", "src"]);
    let run = sandbox.run(["unmount", "--stale", "--older-than", "0s"]);
    assert!(run.stdout.starts_with("removed [DIR]/tmp/agent-"), "{}", run.stdout);
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn unmount_removes_only_homes_that_mount_made() {
    let sandbox = sandbox();
    sandbox.write("victim/file", "precious");
    sandbox.write("fake/.skills-home.json", "{}");
    sandbox.chmod("fake", 0o700);
    let run = sandbox.shell("\"$SKILLS\" mount src");
    let home = run
        .stdout
        .trim()
        .replace("[DIR]", sandbox.path("..").canonicalize().unwrap().to_str().unwrap());
    // A copy of a home is not a home.
    let copied = sandbox.shell(&format!("cp -a {home} copy"));
    assert_eq!(copied.code, 0);
    sandbox.symlink(sandbox.path("victim"), "link");
    for path in ["victim", "fake", "copy", "link", "/", "../home", "src"] {
        let run = sandbox.run(["unmount", path]);
        assert_eq!(run.code, 1, "{path}: {}", run.all());
        assert!(run.stderr.contains("is not a home that `skills mount` made"), "{}", run.stderr);
    }
    assert_eq!(sandbox.read("victim/file"), "precious");
    assert!(sandbox.path("copy/.claude").exists());
    assert_eq!(sandbox.run(["unmount", &home]).code, 0);
}

#[test]
fn a_home_can_be_named_when_nothing_is_there() {
    let sandbox = sandbox();
    let at = |line: &str| mounted(&sandbox, &["--home", "homes/one"], line);
    let run = at("echo \"$HOME\"");
    assert_eq!(run.stdout, "[DIR]/project/homes/one\n", "{}", run.stderr);
    assert!(!sandbox.path("homes").exists(), "nor is what was made on the way there");
    // A directory that existed before stays, empty.
    sandbox.mkdir("homes/one");
    sandbox.chmod("homes/one", 0o755);
    assert_eq!(at("stat -c %a \"$HOME\"").stdout, "700\n");
    assert_eq!(fs::read_dir(sandbox.path("homes/one")).unwrap().count(), 0);
    assert_eq!(sandbox.run(["mount", "src", "--home", "homes/one"]).code, 0);
    assert_eq!(sandbox.run(["unmount", "homes/one"]).code, 0);
    assert_eq!(fs::read_dir(sandbox.path("homes/one")).unwrap().count(), 0);
    // The record of a run that was killed at once is no obstacle, and the directory stays.
    let begun = r#"{"step":"begun","version":1,"created":7,"temporary":true,"was_there":true}"#;
    for record in [String::new(), format!("{begun}\n{{\"step\":\"ma")] {
        for command in ["mount src --home homes/one -- true", "unmount homes/one"] {
            sandbox.write("homes/.one.skills-mount", &record);
            sandbox.chmod("homes/.one.skills-mount", 0o600);
            let run = sandbox.shell(&format!("\"$SKILLS\" {command}"));
            assert_eq!(run.code, 0, "{command} {}", run.all());
            assert!(!sandbox.path("homes/.one.skills-mount").exists());
            assert!(sandbox.path("homes/one").exists(), "{record}: {command}");
        }
    }
    // Any other file of that name is.
    sandbox.write("homes/.one.skills-mount", "mine");
    let run = at("true");
    assert_eq!(run.code, 125, "{}", run.all());
    assert!(run.stderr.contains("is blocked by the record beside it"), "{}", run.stderr);
    assert_eq!(sandbox.read("homes/.one.skills-mount"), "mine");
    fs::remove_file(sandbox.path("homes/.one.skills-mount")).unwrap();
    sandbox.write("homes/one/file", "mine");
    let run = at("true");
    assert_eq!(run.code, 125, "{}", run.all());
    assert!(run.stderr.contains("is not empty"), "{}", run.stderr);
    assert_eq!(sandbox.read("homes/one/file"), "mine");
    fs::remove_file(sandbox.path("homes/one/file")).unwrap();
    // A second mount into a home that is in use is refused, and the first goes on.
    let line = "\"$SKILLS\" mount src --home homes/one -- sh -c 'HOME=/nowhere \"$SKILLS\" mount src --home homes/one -- true; echo $?; ls \"$HOME/.claude/skills\"'";
    let run = sandbox.shell(line);
    assert_eq!(run.stdout, "125\ncsv\npdf\n", "{}", run.stderr);
    assert!(run.stderr.contains("is a home that is in use"), "{}", run.stderr);
    // The next run does not reuse a home that was kept.
    assert_eq!(sandbox.run(["mount", "src", "--home", "homes/two"]).code, 0);
    assert_eq!(sandbox.run(["mount", "src", "--home", "homes/two"]).code, 1);
    assert_eq!(sandbox.run(["unmount", "homes/two"]).code, 0);
}

#[test]
fn a_script_does_not_go_on_in_the_real_home() {
    let sandbox = sandbox();
    // An empty variable is not a command.
    let run = sandbox.shell("set --; \"$SKILLS\" mount src -- \"$@\"");
    assert_eq!(run.code, 125, "{}", run.all());
    assert!(run.stderr.contains("there is no command after `--`"), "{}", run.stderr);
    assert!(temporary(&sandbox).is_empty());
    // After a failed mount, the evaluated output fails, too.
    let run = sandbox.shell("eval \"$(\"$SKILLS\" mount nowhere --format env)\" || echo failed");
    assert_eq!(run.stdout, "failed\n", "{}", run.stderr);
    let run = sandbox.run(["mount", "nowhere", "--format", "env", "--shell", "powershell"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, "throw 'skills mount failed'\n"));
    assert_eq!(sandbox.run(["mount", "nowhere"]).stdout, "");
}

#[test]
fn a_home_is_kept_when_asked_for() {
    let sandbox = sandbox();
    let run = mounted(&sandbox, &["--keep"], "echo note > \"$HOME/note\"; exit 2");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.starts_with("note: the home is kept in `[DIR]/tmp/agent-"),
        "{}",
        run.stderr
    );
    let home = homes(&sandbox).remove(0);
    assert!(sandbox.path(format!("../tmp/{home}/note")).exists());
    // The home belongs to the caller.
    mounted(&sandbox, &[], "true");
    assert_eq!(homes(&sandbox), [home.as_str()]);
    assert_eq!(sandbox.run(["unmount", &format!("../tmp/{home}")]).code, 0);
}

#[test]
fn signals_are_forwarded_and_the_home_is_removed() {
    for signal in ["TERM", "INT", "HUP", "QUIT"] {
        let sandbox = sandbox();
        // The parent of the tests may ignore the signal, as nohup does. Then it stays ignored.
        let probe = sandbox.shell(&format!("trap 'exit 5' {signal}; kill -{signal} $$; exit 6"));
        let line = format!(
            "trap 'exit 5' {signal}; touch ready; n=0
            while [ $n -lt 400 ] && [ ! -e sent ]; do sleep 0.05; n=$((n+1)); done; exit 6"
        );
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_skills"))
            .args(["mount", "src", "--", "sh", "-c", &line])
            .env("TMPDIR", sandbox.path("../tmp"))
            .env("HOME", sandbox.path("../home"))
            .current_dir(sandbox.path("."))
            .spawn()
            .unwrap();
        while !sandbox.path("ready").exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let pid = child.id().to_string();
        assert_eq!(sandbox.shell(&format!("kill -{signal} {pid}")).code, 0);
        if probe.code == 6 {
            sandbox.write("sent", "");
        }
        assert_eq!(child.wait().unwrap().code(), Some(probe.code), "{signal}");
        assert!(temporary(&sandbox).is_empty(), "{signal}");
    }
}

#[test]
fn the_home_of_a_killed_run_is_removed_once_it_is_unused() {
    let sandbox = sandbox();
    sandbox.write("../home/.claude/.credentials.json", "old");
    let line = "\"$SKILLS\" mount src --agent claude -- sh -c 'cd \"$HOME/.claude\"; echo new > t; mv t .credentials.json; cd /; touch \"$OLDPWD/../ready\"; exec sleep 30' & pid=$!
        while [ ! -e \"$(echo \"$TMPDIR\"/*/ready)\" ]; do sleep 0.02; done
        child=$(ps -o pid= --ppid $pid | tr -d ' ')
        kill -9 $pid; wait $pid 2>/dev/null
        # The command still runs, and holds the lock.
        \"$SKILLS\" mount src -- true; \"$SKILLS\" unmount --stale
        ls \"$TMPDIR\" | wc -l
        \"$SKILLS\" unmount \"$TMPDIR\"/*; echo $?
        kill $child; while kill -0 $child 2>/dev/null; do sleep 0.02; done
        \"$SKILLS\" mount src -- true; ls \"$TMPDIR\" | wc -l";
    let run = sandbox.shell(line);
    assert_eq!(run.stdout, "1\n1\n0\n", "{}", run.stderr);
    assert!(run.stderr.contains("is in use"), "{}", run.stderr);
    assert_eq!(sandbox.read("../home/.claude/.credentials.json"), "new\n", "the login is not lost");
}

#[test]
fn a_named_home_of_a_killed_run_is_made_anew() {
    let sandbox = sandbox();
    let line = "\"$SKILLS\" mount src --home homes/one -- sh -c 'touch \"$HOME/old\"; echo $$ > t; mv t child; exec sleep 30' & pid=$!
        while [ ! -e child ]; do sleep 0.02; done
        kill -9 $pid; wait $pid 2>/dev/null
        child=$(cat child); kill $child; while kill -0 $child 2>/dev/null; do sleep 0.02; done
        ls homes/one
        \"$SKILLS\" mount src --home homes/one -- sh -c 'ls \"$HOME\" \"$HOME/.claude/skills\"'; echo $?
        ls -A homes | wc -l";
    let run = sandbox.shell(line);
    let expected = "old\n[DIR]/project/homes/one:\n\n[DIR]/project/homes/one/.claude/skills:\ncsv\npdf\n0\n0\n";
    assert_eq!(run.stdout, expected, "{}", run.stderr);
}

#[test]
fn directories_without_a_record_are_not_homes() {
    let sandbox = sandbox();
    for (name, file) in [("a", None), ("b", Some(".skills-home.lock")), ("c", Some("mine.txt"))] {
        let home = format!("../tmp/{name}.skills-home");
        sandbox.mkdir(&home);
        if let Some(file) = file {
            sandbox.write(format!("{home}/{file}"), "");
        }
    }
    sandbox.symlink(sandbox.path("src"), "../tmp/link.skills-home");
    sandbox.shell("touch -d '1 hour ago' \"$TMPDIR\"/[abc].skills-home");
    assert_eq!(mounted(&sandbox, &[], "true").code, 0);
    let mut left = temporary(&sandbox);
    left.sort();
    assert_eq!(left, ["a.skills-home", "b.skills-home", "c.skills-home", "link.skills-home"]);
    assert!(sandbox.path("src/pdf").exists());
}

#[test]
fn nothing_is_left_when_the_log_or_the_reader_is_gone() {
    let sandbox = sandbox();
    for line in [
        "\"$SKILLS\" mount src --events /dev/full -- true",
        "\"$SKILLS\" mount src --events - -- true > /dev/full",
        "\"$SKILLS\" mount src > /dev/full",
    ] {
        sandbox.shell(line);
        assert!(temporary(&sandbox).is_empty(), "{line}");
    }
}

#[test]
fn precious_directories_are_no_homes() {
    let sandbox = sandbox();
    sandbox.mkdir("empty");
    for home in [".", "..", "../home", "../tmp", "/"] {
        let run = mounted(&sandbox, &["--home", home], "true");
        assert_eq!(run.code, 125, "{home}: {}", run.all());
    }
    assert!(sandbox.path("../home").exists() && sandbox.path("../tmp").exists());
    // Only the home that was created is removed.
    let line = "mv \"$HOME\" \"$HOME.away\"; mkdir \"$HOME\"; echo x > \"$HOME/file\"; exit 8";
    let run = mounted(&sandbox, &["--home", "empty/home"], line);
    assert_eq!(run.code, 8, "{}", run.all());
    assert_eq!(sandbox.read("empty/home/file"), "x\n");
}

#[test]
fn signals_that_are_switched_off_stay_off() {
    let sandbox = sandbox();
    let run = sandbox.shell(
        "trap '' HUP
        \"$SKILLS\" mount src -- sh -c 'touch ready; sleep 0.4; exit 6' & pid=$!
        while [ ! -e ready ]; do sleep 0.02; done
        kill -HUP $pid; wait $pid",
    );
    assert_eq!(run.code, 6, "{}", run.all());
}

#[test]
fn a_place_that_cannot_be_used_is_said() {
    let sandbox = sandbox();
    for directory in ["missing", "file"] {
        sandbox.write("file", "x");
        let path = sandbox.path(directory);
        let run = sandbox.run_with(["mount", "src", "--", "true"], |command| {
            command.env("TMPDIR", path);
        });
        assert_eq!(run.code, 125, "{}", run.all());
        assert!(run.stderr.contains("help: set TMPDIR"), "{}", run.stderr);
    }
    // A link is followed.
    sandbox.symlink(sandbox.path("../tmp"), "link");
    let path = sandbox.path("link");
    let run = sandbox.run_with(["mount", "src", "--", "sh", "-c", "echo \"$HOME\""], |command| {
        command.env("TMPDIR", path);
    });
    assert!(run.stdout.starts_with("[DIR]/tmp/agent-"), "{}", run.all());
    let run = sandbox.run_with(["mount", "src", "--", "true"], |command| {
        command.env_remove("HOME");
    });
    assert_eq!(run.code, 0, "without a home there is nothing to log in with: {}", run.all());
}

#[test]
fn read_only_skills_and_leftovers_of_the_command_are_removed() {
    let sandbox = sandbox();
    let line = "cd \"$HOME\"; mkdir -p a/b; echo x > a/b/c; chmod 000 a/b a; ln -s / root
        touch .claude/skills/pdf/x 2>/dev/null && [ \"$(id -u)\" != 0 ] && exit 9; exit 0";
    let run = mounted(&sandbox, &["--read-only"], line);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn mounts_side_by_side_do_not_touch_each_other() {
    let sandbox = sandbox();
    sandbox.skill("other/zip", &text("zip", ""));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let source = if number % 2 == 0 { "src" } else { "other" };
                let line = "sleep 0.1; ls \"$HOME/.claude/skills\"";
                let run = sandbox.run(["mount", source, "--", "sh", "-c", line]);
                let expected = if number % 2 == 0 { "csv\npdf\n" } else { "zip\n" };
                assert_eq!(run.stdout, expected, "{}", run.stderr);
            });
        }
    });
    assert!(temporary(&sandbox).is_empty());
}
