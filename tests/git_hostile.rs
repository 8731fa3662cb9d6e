//! Hostile or broken repositories, servers, caches and environments.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::git::cached;
use crate::harness::{Sandbox, good_text, lacks, rule_ids};
use crate::origin::Origin;
#[cfg(unix)]
use crate::origin::run_with_git;

#[test]
fn entries_that_are_not_files_are_found_and_never_installed() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let link = origin.git_with(&["hash-object", "-w", "--stdin"], b"/etc/passwd");
    let commit = origin.git(&["rev-parse", "HEAD"]);
    for (mode, id, path) in [
        ("120000", &link, "skills/pdf/link.md"),
        ("160000", &commit, "skills/pdf/module"),
        ("120000", &link, "skills/linked/SKILL.md"),
    ] {
        origin.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{path}")]);
    }
    origin.git(&["commit", "--quiet", "-m", "Links"]);
    origin.git(&["reset", "--hard", "--quiet"]);
    origin.write(
        "skills/csv/large.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
    );
    origin.git(&["add", "skills/csv/large.bin"]);
    origin.git(&["commit", "--quiet", "-m", "Pointer"]);
    let report = sandbox.json([origin.source("")]);
    let mut rules = rule_ids(&report);
    rules.sort();
    assert_eq!(rules, ["special-file", "special-file", "symlink", "symlink"], "{report:#}");
    let messages = report.to_string();
    assert!(messages.contains("a submodule, which is not fetched"), "{report:#}");
    assert!(messages.contains("a Git LFS pointer"), "{report:#}");
    assert!(messages.contains("add its files to the repository"), "{report:#}");
    assert!(messages.contains("symbolic link to `/etc/passwd`"), "{report:#}");
    let run = sandbox.run(["install", &origin.source(""), "--dir", "out", "--no-validate"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(!sandbox.path("out/pdf").exists());
}

/// Commits a tree of this raw content as the skill `evil`.
fn commit_raw(origin: &Origin, entries: &[u8]) {
    let write = |kind: &str, bytes: &[u8]| {
        origin.git_with(&["hash-object", "-w", "-t", kind, "--literally", "--stdin"], bytes)
    };
    let tree = write("tree", entries);
    let mut root = b"40000 evil\0".to_vec();
    root.extend(bytes(&tree));
    let root = write("tree", &root);
    let commit = origin.git(&["commit-tree", &root, "-m", "Evil"]);
    origin.git(&["update-ref", "refs/heads/evil", &commit]);
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// A line of a tree, as git stores it.
pub(crate) fn raw_entry(mode: &str, name: impl AsRef<[u8]>, id: &str) -> Vec<u8> {
    [mode.as_bytes(), b" ", name.as_ref(), b"\0", &bytes(id)].concat()
}

#[test]
fn trees_that_lead_elsewhere_are_refused() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let text = origin.git_with(&["hash-object", "-w", "--stdin"], good_text("evil").as_bytes());
    let skill_md = raw_entry("100644", b"SKILL.md", &text);
    for (name, words) in [
        (&b".."[..], "is not a plain file name"),
        (b".", "is not a plain file name"),
        (b"../../x", "is not a plain file name"),
        (b"a/b", "is not a plain file name"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"SKILL.md", "appears twice"),
    ] {
        commit_raw(&origin, &[skill_md.clone(), raw_entry("100644", name, &text)].concat());
        let run = sandbox.run(["install", &origin.source("@evil"), "--dir", "out"]);
        assert_ne!(run.code, 0, "{name:?}");
        assert!(run.stderr.contains(words), "{name:?}: {}", run.stderr);
        assert!(!sandbox.path("out").join("evil").exists());
    }
    // Rules report names that are dangerous only to terminals or other systems.
    for name in [&b"a\x1b[2Jb"[..], b"a\\..\\b"] {
        commit_raw(&origin, &[skill_md.clone(), raw_entry("100644", name, &text)].concat());
        let run = sandbox.run(["validate", &origin.source("@evil")]);
        assert!(run.stdout.contains("unsafe-file-name"), "{}", run.all());
        assert!(!run.all().contains('\u{1b}'));
    }
}

#[test]
fn a_few_bytes_that_are_a_million_directories_end_soon() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let mut tree = origin.git_with(&["hash-object", "-w", "-t", "tree", "--stdin"], b"");
    for _ in 0..12 {
        let lines: String =
            (0..10).map(|number| format!("040000 tree {tree}\td{number}\n")).collect();
        tree = origin.git_with(&["mktree"], lines.as_bytes());
    }
    let commit = origin.git(&["commit-tree", &tree, "-m", "Bomb"]);
    origin.git(&["update-ref", "refs/heads/bomb", &commit]);
    let run = sandbox.run(["list", &origin.source("@bomb")]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("at most 100000 directories"), "{}", run.stderr);
    assert!(run.stderr.contains("help: name a path in the repository"), "{}", run.stderr);
}

#[test]
fn a_broken_cache_is_repaired() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let source = origin.source("@v1");
    let install = |number: usize| {
        let run = sandbox.run(["install", &source, "--dir", &format!("out{number}")]);
        assert_eq!(run.code, 0, "{number}: {}", run.stderr);
        let text = sandbox.read(format!("out{number}/pdf/SKILL.md"));
        assert_eq!(text, good_text("pdf"), "{number}");
        cached(&sandbox).remove(0)
    };
    let cache = install(0);
    let packs = |ending: &str| {
        let entries = fs::read_dir(cache.join("objects/pack")).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|one| one == ending));
        paths
    };
    let spoil = |paths: Vec<std::path::PathBuf>, change: &dyn Fn(&mut Vec<u8>)| {
        assert!(!paths.is_empty());
        for path in paths {
            let mut bytes = fs::read(&path).unwrap();
            change(&mut bytes);
            let _ = fs::remove_file(&path);
            fs::write(path, bytes).unwrap();
        }
    };
    let flip = |bytes: &mut Vec<u8>| bytes.iter_mut().skip(12).step_by(7).for_each(|one| *one ^= 4);
    let damages: [&dyn Fn(); 8] = [
        &|| spoil(packs("pack"), &flip),
        &|| spoil(packs("pack"), &|bytes| bytes.truncate(bytes.len() / 2)),
        &|| fs::remove_dir_all(cache.join("objects")).unwrap(),
        &|| fs::write(cache.join("HEAD"), "").unwrap(),
        &|| fs::write(cache.join("config"), "[core\n").unwrap(),
        &|| fs::write(cache.join("shallow"), "nonsense\n").unwrap(),
        &|| fs::remove_file(cache.join("config")).unwrap(),
        &|| {
            fs::remove_dir_all(&cache).unwrap();
            fs::write(&cache, "a file").unwrap();
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        damage();
        install(number + 1);
    }
    // Leftovers of a killed git do no harm.
    fs::write(cache.join("shallow.lock"), "").unwrap();
    fs::write(cache.join("objects/pack/tmp_pack_x"), "x").unwrap();
    origin.skill("skills/late");
    origin.commit("Late");
    let run = sandbox.run(["list", &origin.source("@main")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!cache.join("objects/pack/tmp_pack_x").exists());
}

#[test]
fn a_broken_cache_without_a_server_is_said_and_kept() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let source = origin.source(&format!("@{}", origin.git(&["rev-parse", "v1"])));
    assert_eq!(sandbox.run(["list", &source]).code, 0);
    let cache = cached(&sandbox).remove(0);
    fs::write(cache.join("config"), "[core\n").unwrap();
    fs::rename(&origin.path, sandbox.path("../away")).unwrap();
    let run = sandbox.run(["list", &source]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("cannot fetch `git+file"), "{}", run.stderr);
    assert!(cache.join("objects").is_dir(), "what may be whole is kept");
    fs::rename(sandbox.path("../away"), &origin.path).unwrap();
    assert_eq!(sandbox.run(["list", &source]).code, 0);
}

#[test]
fn a_repository_that_a_killed_run_moved_aside_does_not_replace_a_good_one() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let id = origin.git(&["rev-parse", "v1"]);
    let source = origin.source(&format!("@{id}"));
    assert_eq!(sandbox.run(["list", &source]).code, 0);
    let cache = cached(&sandbox).remove(0);
    // The run was killed after the new fetch and before the cleanup.
    let aside = cache.with_extension("broken");
    fs::create_dir(&aside).unwrap();
    fs::write(aside.join("HEAD"), "junk").unwrap();
    fs::rename(&origin.path, sandbox.path("../away")).unwrap();
    // A missing path does not mean that the cache is broken.
    assert_eq!(sandbox.run(["list", &origin.source(&format!("//nowhere@{id}"))]).code, 2);
    for _ in 0..2 {
        let run = sandbox.run(["list", &source]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    assert!(!aside.exists());
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    sandbox.mkdir("../home/.cache/skills/git");
    sandbox.chmod("../home/.cache/skills/git", 0o777);
    let run = sandbox.run(["list", &origin.source("")]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("others can write to"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn nothing_that_surrounds_git_is_run_or_obeyed() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let trap = sandbox.program("../home/trap", "#!/bin/sh\ntouch \"$HOME/sprung\"\ncat\n");
    let trap = trap.canonicalize().unwrap();
    let trap = trap.display();
    sandbox.mkdir("../home/hooks");
    for hook in ["post-checkout", "reference-transaction", "post-merge", "pre-auto-gc"] {
        fs::copy(sandbox.path("../home/trap"), sandbox.path(format!("../home/hooks/{hook}")))
            .unwrap();
    }
    sandbox.write(
        "../home/.gitconfig",
        format!(
            "[core]\n\thooksPath = ~/hooks\n\tfsmonitor = {trap}\n\taskPass = {trap}\n\
             [filter \"lfs\"]\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n\
             [init]\n\ttemplateDir = ~/template\n[gc]\n\tauto = 1\n"
        ),
    );
    sandbox.write("../home/template/hooks/reference-transaction", "#!/bin/sh\ntouch ~/sprung\n");
    origin.write(".gitattributes", "* filter=lfs\n");
    origin.write(
        ".gitmodules",
        "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c touch% ~/sprung\n",
    );
    origin.commit("Trap");
    // In a git hook, variables point to another repository.
    let run = sandbox.run_with(["install", &origin.source(""), "--dir", "out"], |command| {
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            command.env(name, "/nowhere");
        }
        command.env("GIT_ASKPASS", trap.to_string()).env("SSH_ASKPASS", trap.to_string());
        command.env("GIT_EXTERNAL_DIFF", trap.to_string()).env("GIT_TRACE", "1");
    });
    assert_eq!((run.code, run.stderr.lines().count()), (0, 1), "{}", run.stderr);
    assert!(sandbox.path("out/pdf/SKILL.md").is_file());
    assert!(!sandbox.path("../home/sprung").exists());
}

/// A server that handles each connection with this function until the test ends.
pub(crate) fn serve(answer: impl Fn(&mut TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            answer(&mut stream);
            // Closing a socket with unread data would discard the answer.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
            while matches!(stream.read(&mut [0; 4096]), Ok(1..)) {}
        }
    });
    port
}

#[cfg(unix)]
#[test]
fn a_server_that_wants_a_login_is_not_given_one_by_hand() {
    let sandbox = Sandbox::new();
    if Origin::empty(&sandbox, "x").is_none() {
        return;
    }
    let port = serve(|stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(
            b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
              Content-Length: 0\r\nConnection: close\r\n\r\n",
        );
    });
    let trap = sandbox.program("../home/trap", "#!/bin/sh\ntouch \"$HOME/sprung\"\necho x\n");
    let run =
        sandbox.run_with(["list", &format!("git+http://127.0.0.1:{port}/r.git")], |command| {
            command.env("GIT_ASKPASS", trap.canonicalize().unwrap());
        });
    assert_eq!(run.code, 2);
    // A git without http support says that instead.
    assert!(run.stderr.contains("cannot reach `git+http://127.0.0.1"), "{}", run.stderr);
    assert!(!sandbox.path("../home/sprung").exists());
}

#[test]
fn a_silent_or_absent_server_is_not_waited_for_without_end() {
    let sandbox = Sandbox::new();
    if Origin::empty(&sandbox, "x").is_none() {
        return;
    }
    let port = serve(|_| std::thread::sleep(Duration::from_secs(120)));
    let begun = Instant::now();
    let run = sandbox.run_with(["list", &format!("git+git://127.0.0.1:{port}/r.git")], |command| {
        command.env("SKILLS_GIT_TIMEOUT", "1");
    });
    assert!(begun.elapsed() < Duration::from_secs(40));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("git was silent for 1 seconds"), "{}", run.stderr);

    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let run = sandbox.run(["list", &format!("git+git://127.0.0.1:{port}/r.git")]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot reach") && run.stderr.contains("help: "), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn processes_that_outlive_git_do_not_delay_for_long() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let script = "case \"$*\" in *ls-remote*)\n\
         for _ in 1 2 3 4; do (\n\
         n=0; while [ $n -lt 6000 ]; do echo x >&2; sleep 0.01; n=$((n + 1)); done\n\
         ) & done; sleep 0.3;;\n\
         esac\nexec git \"$@\"";
    let begun = Instant::now();
    let run = run_with_git(&sandbox, script, &["list", &origin.source(""), "--format", "names"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "csv\npdf\n"), "{}", run.stderr);
    assert!(begun.elapsed() < Duration::from_secs(45), "{:?}", begun.elapsed());
}

#[test]
fn messages_of_a_server_are_sanitized() {
    let sandbox = Sandbox::new();
    if Origin::empty(&sandbox, "x").is_none() {
        return;
    }
    let port = serve(|stream| {
        let _ = stream.read(&mut [0; 4096]);
        let words = "ERR \x1b[2J\x1b]0;owned\x07 go away!";
        let _ = write!(stream, "{:04x}{words}", words.len() + 4);
    });
    let run = sandbox.run(["list", &format!("git+git://127.0.0.1:{port}/r.git")]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("go away"), "{}", run.stderr);
    assert!(!run.all().contains(['\u{1b}', '\u{7}']), "{:?}", run.stderr);
}

#[test]
fn the_log_has_arguments_and_no_secrets() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let run = sandbox.run_with(["list", "-vv", &origin.source("")], |command| {
        command.env("AWS_SECRET_ACCESS_KEY", "hunter2");
    });
    assert!(run.stderr.contains("ls-remote") && !run.stderr.contains("hunter2"), "{}", run.stderr);
    // Settings that never change are not logged.
    assert!(run.stderr.contains("arguments=[\"ls-remote\", "), "{}", run.stderr);
    assert!(!run.stderr.contains("core.hooksPath"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_repository_around_the_cache_has_no_say() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let trap = sandbox.program("../home/trap", "#!/bin/sh\ntouch \"$HOME/sprung\"\nexit 1\n");
    let trap = trap.canonicalize().unwrap();
    let home = Origin::empty(&sandbox, "home").unwrap();
    home.git(&["config", "core.sshCommand", trap.to_str().unwrap()]);
    let elsewhere = format!("url.file://{}/nowhere.insteadOf", home.path.display());
    home.git(&["config", &elsewhere, &format!("file://{}", origin.path.display())]);
    assert_eq!(sandbox.run(["list", &origin.source("")]).code, 0);
    sandbox.run(["list", "git+ssh://git@127.0.0.1:1/r"]);
    assert!(!sandbox.path("../home/sprung").exists());
}

#[test]
fn names_above_a_skill_lead_nowhere_either() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let skill = origin.git(&["rev-parse", "HEAD:skills/csv"]);
    for name in [&b"/etc/x"[..], b"..", b"../../x"] {
        commit_raw(&origin, &raw_entry("40000", name, &skill));
        let run = sandbox.run(["list", &origin.source("@evil")]);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stderr.contains("is not a plain file name"), "{}", run.stderr);
    }
    // An entry with the mode of a file is a file.
    let text = origin.git_with(&["hash-object", "-w", "--stdin"], good_text("evil").as_bytes());
    let skill_md = raw_entry("100644", b"SKILL.md", &text);
    for (mode, id) in [("100644", &skill), ("20644", &text)] {
        commit_raw(&origin, &[skill_md.clone(), raw_entry(mode, b"x", id)].concat());
        let run = sandbox.run(["install", &origin.source("@evil"), "--dir", "out"]);
        assert!(run.stderr.contains("`evil/x` is not a file"), "{}", run.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn git_ends_with_its_parent() {
    let sandbox = Sandbox::new();
    if lacks(&["bash"]) {
        return;
    }
    if Origin::empty(&sandbox, "x").is_none() {
        return;
    }
    let port = serve(|_| std::thread::sleep(Duration::from_secs(60)));
    let source = format!("git+git://127.0.0.1:{port}/r.git");
    let is_running = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        let mut lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
        lines.any(|line| line.contains("ls-remote") && line.contains(&format!(":{port}/")))
    };
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        let line = format!("\"$SKILLS\" list {source} & sleep 1; kill -{signal} $!; wait $!");
        let run = sandbox.run_with_shell("bash", &line);
        assert_eq!(run.code, code, "{signal}: {}", run.stderr);
        let begun = Instant::now();
        while is_running() {
            assert!(begun.elapsed() < Duration::from_secs(10), "{signal} left git behind");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn a_network_that_fails_once_does_not_cost_the_cache() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let pinned = origin.source(&format!("@{}", origin.git(&["rev-parse", "v1"])));
    assert_eq!(sandbox.run(["list", &pinned]).code, 0);
    origin.skill("skills/late");
    origin.commit("Late");
    fs::rename(&origin.path, sandbox.path("../away")).unwrap();
    assert_eq!(sandbox.run(["list", &origin.source(&format!("@{}", "0".repeat(40)))]).code, 2);
    assert_eq!(sandbox.run(["list", &pinned]).code, 0);
    // A missing path is no reason either.
    fs::rename(sandbox.path("../away"), &origin.path).unwrap();
    assert_eq!(sandbox.run(["list", &origin.source("//nowhere@v1")]).code, 2);
    fs::rename(&origin.path, sandbox.path("../away")).unwrap();
    assert_eq!(sandbox.run(["list", &pinned]).code, 0);
}

#[test]
fn without_git_the_reason_is_given() {
    let sandbox = Sandbox::new();
    let run = sandbox.run_with(["list", "git+file:///nowhere/repo"], |command| {
        command.env("PATH", "/nonexistent");
    });
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`git` is not installed"), "{}", run.stderr);
}
