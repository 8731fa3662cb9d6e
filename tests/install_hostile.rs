//! Hostile skills and hostile destinations: nothing is installed, and nothing outside is touched.

#![cfg(unix)]

use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::harness::{Sandbox, skip, text};
use crate::install::{SKILLS, sandbox, snapshot};
use crate::install_runs::{claim, staging};

/// Prepares a sandbox.
type Plant = fn(&Sandbox);

/// Runs with and without `--dry-run` and `--no-validate`: refused each time, and nothing changes
/// anywhere.
fn refuses(sandbox: &Sandbox, what: &str, flags: &[&str]) {
    let before = snapshot(&sandbox.path(".."));
    for more in [&["--dry-run"][..], &["--no-validate"], &["--force"], &[]] {
        let run = sandbox.run([&["install", "src", "--no-skip"], flags, more].concat());
        assert_eq!(run.code, 1, "{what} {more:?}: {}", run.all());
        assert_eq!(snapshot(&sandbox.path("..")), before, "{what} {more:?}");
        let steers = |c: char| c.is_control() && c != '\n';
        assert!(!run.all().contains(steers), "{what}: {:?}", run.all());
    }
}

#[test]
fn hostile_sources_are_refused_with_any_flags() {
    let cases: [(&str, Plant); 13] = [
        ("a link to a secret", |s| s.symlink("/etc/passwd", "src/pdf/notes")),
        ("a link to a directory", |s| s.symlink("../csv", "src/pdf/more")),
        ("a linked SKILL.md", |s| {
            fs::remove_file(s.path("src/pdf/SKILL.md")).unwrap();
            s.symlink("../csv/SKILL.md", "src/pdf/SKILL.md");
        }),
        ("a pipe", |s| s.fifo("src/pdf/pipe")),
        ("a pipe for SKILL.md", |s| {
            fs::remove_file(s.path("src/pdf/SKILL.md")).unwrap();
            s.fifo("src/pdf/SKILL.md");
        }),
        ("a socket", |s| {
            std::os::unix::net::UnixListener::bind(s.path("src/pdf/socket")).unwrap();
        }),
        ("twins where case is ignored", |s| {
            s.write("src/pdf/Readme", "1");
            s.write("src/pdf/README", "2");
        }),
        ("twins where Unicode forms are", |s| {
            s.write("src/pdf/\u{e9}", "1");
            s.write("src/pdf/e\u{301}", "2");
        }),
        ("an escape in a file name", |s| {
            s.write("src/pdf/\u{1b}[2Jx", "1");
        }),
        ("a file name that is not UTF-8", |s| {
            let name = std::ffi::OsStr::from_bytes(b"\xff");
            fs::write(s.path("src/pdf").join(name), "1").unwrap();
        }),
        ("a backslash in a file name", |s| {
            s.write("src/pdf/..\\x", "1");
        }),
        ("a directory with a bad name", |s| {
            s.skill("src/-rf", &text("-rf", ""));
        }),
        ("a sparse giant", |s| {
            let file = fs::File::create(s.path("src/pdf/giant")).unwrap();
            file.set_len(20 << 30).unwrap();
        }),
    ];
    for (what, plant) in cases {
        let sandbox = sandbox();
        plant(&sandbox);
        if what == "a sparse giant" {
            // Too large for a snapshot.
            let run = sandbox.run(["install", "src", "--no-validate", "--no-skip"]);
            assert_eq!(run.code, 1, "{}", run.all());
            assert!(!sandbox.path("../home/.claude").exists());
            continue;
        }
        refuses(&sandbox, what, &[]);
    }
}

#[test]
fn too_many_too_deep_and_too_long_are_refused() {
    let cases: [(&str, Plant); 3] = [
        ("many", |s| {
            for number in 0..5_001 {
                s.write(format!("src/pdf/many/{number}"), "");
            }
        }),
        ("deep", |s| {
            s.write(format!("src/pdf/{}file", "d/".repeat(40)), "");
        }),
        ("long", |s| {
            let part = "n".repeat(200);
            s.write(format!("src/pdf/{part}/{part}/{part}/{part}/{part}/{part}"), "");
        }),
    ];
    for (what, plant) in cases {
        let sandbox = sandbox();
        plant(&sandbox);
        let run = sandbox.run(["install", "src", "--no-validate", "--no-skip"]);
        assert_eq!(run.code, 1, "{what}: {}", run.all());
        assert!(run.stderr.contains("skill-too-large"), "{what}: {}", run.all());
        assert!(!sandbox.path("../home/.claude").exists(), "{what}");
    }
}

#[test]
fn links_inside_the_source_are_copied_when_asked_for() {
    let sandbox = sandbox();
    sandbox.write("src/common/guide.md", "the guide\n");
    sandbox.write("src/common/tool.sh", "#!/bin/sh\n");
    sandbox.chmod("src/common/tool.sh", 0o755);
    sandbox.symlink("../common/guide.md", "src/pdf/guide.md");
    sandbox.symlink("../common", "src/pdf/all");
    sandbox.symlink(sandbox.path("src/common/tool.sh"), "src/pdf/tool.sh");
    sandbox.write("src/common/SKILL-for-zip.md", text("zip", ""));
    sandbox.symlink("../common/SKILL-for-zip.md", "src/zip/SKILL.md");
    refuses(&sandbox, "links without the flag", &[]);
    let run = sandbox.run(["install", "src", "--follow-symlinks"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let there = snapshot(&sandbox.path(SKILLS));
    assert_eq!(there["pdf/guide.md"], "the guide\n");
    assert_eq!(there["pdf/all/guide.md"], "the guide\n");
    assert_eq!(there["zip/SKILL.md"], text("zip", ""));
    assert!(!there.values().any(|what| what.starts_with("->")), "{there:#?}");
    assert_eq!(sandbox.mode(format!("{SKILLS}/pdf/tool.sh")) & 0o111, 0o111);
    assert_eq!(sandbox.run(["verify"]).code, 0);
    assert_eq!(sandbox.run(["install", "src", "--follow-symlinks"]).code, 0);
    // The same skill as its own source has nothing around it.
    let run = sandbox.run(["install", "src/pdf", "--follow-symlinks", "--dir", "alone"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(!sandbox.path("alone").exists());
}

#[test]
fn links_out_of_the_source_are_refused_even_when_asked_for() {
    let cases: [(&str, Plant); 5] = [
        ("absolute", |s| s.symlink("/etc/passwd", "src/pdf/notes")),
        ("upwards", |s| {
            s.write("secret", "secret");
            s.symlink("../../secret", "src/pdf/notes");
        }),
        ("through another link", |s| {
            s.write("outside/secret", "secret");
            s.symlink("../outside", "src/way");
            s.symlink("../way/secret", "src/pdf/notes");
        }),
        ("to itself", |s| s.symlink("..", "src/pdf/loop")),
        ("to a pipe", |s| {
            s.fifo("src/pipe");
            s.symlink("../pipe", "src/pdf/notes");
        }),
    ];
    for (what, plant) in cases {
        let sandbox = sandbox();
        plant(&sandbox);
        refuses(&sandbox, what, &["--follow-symlinks"]);
    }
}

#[test]
fn links_that_lead_to_each_other_are_named() {
    let sandbox = sandbox();
    sandbox.symlink("../b", "src/pdf/a/to-b");
    sandbox.symlink("../a", "src/pdf/b/to-a");
    let run = sandbox.run(["install", "src", "--follow-symlinks", "--no-skip"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(
        run.stderr.contains("a/to-b/to-a` is a link that leads nowhere or in a circle"),
        "{}",
        run.all()
    );
}

#[test]
fn other_entries_at_the_destination_are_not_changed() {
    let cases: [(&str, Plant); 4] = [
        ("a link to a directory", |s| {
            s.good_skill("victim");
            s.symlink(s.path("victim"), format!("{SKILLS}/pdf"));
        }),
        ("a link that leads nowhere", |s| s.symlink("nowhere", format!("{SKILLS}/pdf"))),
        ("a file", |s| {
            s.write(format!("{SKILLS}/pdf"), "mine");
        }),
        ("a pipe", |s| s.fifo(format!("{SKILLS}/pdf"))),
    ];
    for (what, plant) in cases {
        let sandbox = sandbox();
        plant(&sandbox);
        // The lock stays: it keeps runs apart.
        sandbox.write(format!("{SKILLS}/.skills-index.lock"), "");
        refuses(&sandbox, what, &[]);
        let run = sandbox.run(["remove", "pdf", "--force"]);
        assert_eq!(run.code, 1, "{what}: {}", run.all());
    }
}

#[test]
fn nothing_is_written_or_removed_through_links_inside_an_installed_skill() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.write("victim/file", "precious");
    fs::remove_dir_all(sandbox.path(SKILLS).join("pdf/scripts")).unwrap();
    sandbox.symlink(sandbox.path("victim"), format!("{SKILLS}/pdf/scripts"));
    let victim = snapshot(&sandbox.path("victim"));
    assert_eq!(sandbox.run(["install", "src"]).code, 1);
    assert_eq!(sandbox.run(["install", "src", "--force"]).code, 0);
    assert_eq!(snapshot(&sandbox.path("victim")), victim);
    assert!(sandbox.path(SKILLS).join("pdf/scripts/run.sh").is_file());
    sandbox.symlink(sandbox.path("victim"), format!("{SKILLS}/csv/more"));
    assert_eq!(sandbox.run(["remove", "csv"]).code, 1);
    assert_eq!(sandbox.run(["remove", "csv", "--force"]).code, 0);
    assert_eq!(snapshot(&sandbox.path("victim")), victim);
}

#[test]
fn a_skills_directory_that_is_a_link_is_followed_once_and_named() {
    let sandbox = sandbox();
    sandbox.mkdir("real/skills");
    sandbox.symlink(sandbox.path("real/skills"), SKILLS);
    sandbox.symlink(sandbox.path("real/skills"), "../home/.agents/skills");
    let run = sandbox.run(["install", "src", "--agent", "claude", "--agent", "codex"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("is a link to `real/skills`"), "{}", run.stderr);
    assert!(sandbox.path("real/skills/pdf/SKILL.md").is_file());
    assert_eq!(run.stdout.matches("created  pdf").count(), 1, "one copy: {}", run.stdout);
    // A dangling link is not a destination.
    sandbox.symlink("nowhere", "../home/broken/.claude");
    let run = sandbox.run(["install", "src", "--home", "../home/broken"]);
    assert_eq!(run.code, 2, "{}", run.all());
}

#[test]
fn records_and_locks_that_are_not_files_are_refused() {
    for name in [".skills-index.json", ".skills-index.lock"] {
        let plants: [Plant; 3] = [
            |s| s.symlink(s.path("victim"), format!("{SKILLS}/PLANT")),
            |s| s.fifo(format!("{SKILLS}/PLANT")),
            |s| {
                s.mkdir(format!("{SKILLS}/PLANT"));
            },
        ];
        for plant in plants {
            let sandbox = sandbox();
            sandbox.write("victim", "precious");
            plant(&sandbox);
            let directory = sandbox.path(SKILLS);
            fs::rename(directory.join("PLANT"), directory.join(name)).unwrap();
            let run = sandbox.run(["install", "src"]);
            assert_eq!(run.code, 2, "{name}: {}", run.all());
            assert!(!directory.join("pdf").exists());
            assert_eq!(sandbox.read("victim"), "precious");
        }
    }
    let sandbox = sandbox();
    for damage in ["", "{", "null", r#"{"version":1,"skills":[1]}"#, r#"{"version":9}"#] {
        sandbox.write(format!("{SKILLS}/.skills-index.json"), damage);
        for command in ["install", "remove", "verify"] {
            let what = if command == "install" { "src" } else { "pdf" };
            let run = sandbox.run([command, what]);
            assert_eq!(run.code, 2, "{command} {damage}: {}", run.all());
            let word = if damage.contains('9') { "has version 9" } else { "is damaged" };
            assert!(run.stderr.contains(word), "{}", run.stderr);
        }
        assert_eq!(sandbox.read(format!("{SKILLS}/.skills-index.json")), damage);
    }
}

fn journal(name: &str, backup: &str) -> String {
    format!(
        r#"{{"version":1,"backups":null,"operations":[{{"name":"{name}","action":"replace","new":null,"new_digest":null,"old":null,"old_digest":null,"backup":"{backup}","edited":false,"seal":false,"sealed":false}}]}}"#
    )
}

#[test]
fn an_invalid_journal_moves_nothing() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.write("../home/.claude/victim/file", "precious");
    let staging = staging(&sandbox);
    sandbox.mkdir(format!("{staging}/new"));
    sandbox.mkdir(format!("{staging}/old"));
    sandbox.write(format!("{staging}/index"), "{}");
    claim(&sandbox, &staging);
    for text in [
        journal("../victim", "x"),
        journal("pdf", "../../x"),
        journal("/etc", "x"),
        r#"{"version":2,"operations":[{"name":"pdf","action":"archive"}]}"#.to_owned(),
        r#"{"version":1,"operations":[{"name":"pdf","action":"archive"}]}"#.to_owned(),
    ] {
        sandbox.write(format!("{staging}/journal"), text);
        let before = snapshot(&sandbox.path("../home"));
        let run = sandbox.run(["install", "src"]);
        assert_eq!(run.code, 2, "{}", run.all());
        assert!(run.stderr.contains("cannot clean up after an interrupted run"), "{}", run.stderr);
        assert_eq!(snapshot(&sandbox.path("../home")), before);
    }
}

#[test]
fn a_staging_directory_that_was_not_made_here_is_neither_obeyed_nor_removed() {
    // A repository can contain a staging directory with a journal and a skill.
    let plants: [fn(&Sandbox, &str); 3] = [
        |s, staging| s.chmod(staging, 0o755),
        |s, staging| {
            s.chmod(staging, 0o700);
            s.write(format!("{staging}/owner"), r#"{"staging":[1,2],"site":[1,3]}"#);
        },
        |s, staging| {
            claim(s, staging);
            s.chmod(staging, 0o777);
        },
    ];
    for plant in plants {
        let sandbox = sandbox();
        sandbox.run(["install", "src"]);
        let staging = staging(&sandbox);
        sandbox.skill(&format!("{staging}/old/pdf"), &text("pdf", "license: EVIL\n"));
        sandbox.symlink("/etc", format!("{staging}/old/pdf/etc"));
        sandbox.write(format!("{staging}/index"), "x");
        sandbox.write(format!("{staging}/journal"), journal("pdf", "x"));
        plant(&sandbox, &staging);
        sandbox.write("src/csv/new.txt", "new");
        let run = sandbox.run(["install", "src", "--force"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(!run.stderr.contains("interrupted"), "{}", run.stderr);
        assert!(!sandbox.read(format!("{SKILLS}/pdf/SKILL.md")).contains("EVIL"));
        assert!(sandbox.path(format!("{staging}/old/pdf/SKILL.md")).exists());
        assert_eq!(sandbox.run(["verify"]).code, 0);
    }
}

#[test]
fn a_staging_directory_that_is_a_link_is_not_followed() {
    let sandbox = sandbox();
    sandbox.mkdir("victim");
    sandbox.mkdir(SKILLS);
    sandbox.symlink(sandbox.path("victim"), staging(&sandbox));
    let run = sandbox.run(["install", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(snapshot(&sandbox.path("victim")).is_empty());
    assert!(sandbox.path(SKILLS).join("pdf/SKILL.md").is_file());
}

#[test]
fn backups_go_to_a_directory_of_this_user_only() {
    let plants: [Plant; 3] = [
        |s| s.symlink(s.path("victim"), "../home/.claude/.skills-backup"),
        |s| {
            s.write("../home/.claude/.skills-backup", "a file");
        },
        |s| {
            s.mkdir("../home/.claude/.skills-backup");
            s.chmod("../home/.claude/.skills-backup", 0o777);
        },
    ];
    for plant in plants {
        let sandbox = sandbox();
        sandbox.mkdir("victim");
        sandbox.run(["install", "src"]);
        sandbox.write(format!("{SKILLS}/pdf/mine.txt"), "mine");
        plant(&sandbox);
        let report = sandbox.document(["remove", "pdf", "--force", "--format", "json"]);
        let backup = report["skills"][0]["backup"].as_str().unwrap_or_else(|| panic!("{report:#}"));
        assert!(backup.contains("/.skills-backup-1/pdf-"), "{backup}");
        assert!(snapshot(&sandbox.path("victim")).is_empty());
        let kept = snapshot(&sandbox.path("../home/.claude/.skills-backup-1"));
        assert!(kept.values().any(|what| what == "mine"), "{kept:#?}");
    }
}

#[test]
fn a_lock_that_is_a_file_elsewhere_is_not_written_to() {
    let sandbox = sandbox();
    sandbox.write("victim", "precious");
    sandbox.mkdir(SKILLS);
    fs::hard_link(sandbox.path("victim"), sandbox.path(SKILLS).join(".skills-index.lock")).unwrap();
    assert_eq!(sandbox.run(["install", "src"]).code, 0);
    assert_eq!(sandbox.read("victim"), "precious");
}

#[test]
fn huge_extra_files_in_an_installed_skill_are_not_read() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    let huge = fs::File::create(sandbox.path(SKILLS).join("pdf/huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let verified = sandbox.run(["verify"]);
    assert!(verified.stdout.contains("added huge"), "{}", verified.all());
    assert_eq!(sandbox.run(["install", "src", "--dry-run"]).code, 1);
    assert_eq!(sandbox.run(["remove", "pdf"]).code, 1);
    assert_eq!(sandbox.run(["remove", "pdf", "--force"]).code, 0);
}

#[test]
fn a_destination_inside_the_skill_is_refused() {
    let sandbox = sandbox();
    for flags in [&["--dry-run"][..], &[]] {
        let run = sandbox.run([&["install", "src/pdf", "--dir", "src/pdf/out"], flags].concat());
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(!sandbox.path("src/pdf/out").exists());
        let run = sandbox.run([&["install", "src", "--dir", "src/pdf"], flags].concat());
        assert_eq!(run.code, 1, "{}", run.all());
    }
}

#[test]
fn directories_that_are_one_are_locked_once() {
    let sandbox = sandbox();
    // A link that dangles until the other directory is created.
    sandbox.symlink("../.agents/skills", SKILLS);
    let flags = ["--agent", "claude", "--agent", "codex", "--lock-timeout", "1"];
    let run = sandbox.run([&["install", "src"], &flags[..]].concat());
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(run.stdout.matches("created  pdf").count(), 1, "{}", run.stdout);
    // A link that stays dangling is an error, also in a dry run.
    sandbox.symlink("nowhere", "lost");
    for more in [&["--dry-run"][..], &[]] {
        let run = sandbox.run([&["install", "src", "--dir", "lost"], more].concat());
        assert_eq!(run.code, 2, "{}", run.all());
    }
    let run = sandbox.run(["install", "src", "--dir", "/proc/self", "--lock-timeout", "1"]);
    assert_eq!(run.code, 2, "{}", run.all());
}

#[test]
fn a_swapped_file_is_not_copied() {
    let sandbox = sandbox();
    sandbox.write("secret/notes.txt", "secret");
    // A link and a directory take turns under one name while installs run.
    let swapping = "
        cp -r src/pdf/data plain; ln -s \"$PWD/secret\" link
        ( while [ ! -e stop ]; do
            mv -T src/pdf/data away 2>/dev/null; mv -T link src/pdf/data; mv -T src/pdf/data link
            mv -T away src/pdf/data
        done ) & swapper=$!
        for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            \"$SKILLS\" install src --dir out$n --no-validate -q >/dev/null 2>&1
        done
        touch stop; wait $swapper; grep -rl secret out* && exit 9; exit 0";
    let run = sandbox.shell(swapping);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn a_directory_that_cannot_be_written_to_is_an_error_that_changes_nothing() {
    let run = Sandbox::new().shell("id -u");
    if run.stdout.trim() == "0" {
        skip("root may write anywhere");
        return;
    }
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.chmod(SKILLS, 0o555);
    sandbox.write("src/pdf/new.txt", "new");
    let before = snapshot(&sandbox.path("../home"));
    let run = sandbox.run(["install", "src", "--force"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("permission denied"), "{}", run.stderr);
    assert_eq!(snapshot(&sandbox.path("../home")), before);
    sandbox.chmod(SKILLS, 0o755);
    // The parent directory may belong to another user.
    sandbox.chmod("../home/.claude", 0o555);
    let run = sandbox.run(["install", "src", "--force"]);
    assert_eq!(run.code, 0, "{}", run.all());
    // No agent loads the backup as a skill, even those that search everywhere.
    sandbox.write(format!("{SKILLS}/pdf/mine.txt"), "mine");
    assert_eq!(sandbox.run(["install", "src", "--force"]).code, 0);
    let kept = snapshot(&sandbox.path(SKILLS).join(".skills-backup"));
    assert!(kept.keys().any(|path| path.ends_with("/SKILL.md.kept")), "{kept:#?}");
    assert!(!kept.keys().any(|path| path.ends_with("/SKILL.md")), "{kept:#?}");
    let shown = sandbox.run(["list", "--agent", "opencode", "--format", "names"]);
    assert_eq!(shown.stdout, "csv\npdf\n", "{}", shown.stderr);
    sandbox.chmod("../home/.claude", 0o755);
    assert_eq!(sandbox.run(["verify"]).code, 0);
}
