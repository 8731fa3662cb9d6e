//! Skills from git repositories: which are found, at which revision, and over which protocol.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::daemon::Daemon;
use crate::harness::{Sandbox, good_text, skip};
use crate::origin::Origin;

/// The repositories in the cache of a sandbox.
pub(crate) fn cached(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = fs::read_dir(sandbox.path("../home/.cache/skills/git")).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|one| one == "git")).collect()
}

fn names(sandbox: &Sandbox, source: &str) -> Vec<String> {
    let report = sandbox.document(["list", source, "--format", "json"]);
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_command_reads_a_repository() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let source = origin.source("@v1");
    let id = origin.git(&["rev-parse", "v1"]);

    let run = sandbox.run(["validate", &source]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "2 skills checked: no problems\n"));
    assert!(run.stderr.starts_with("note: fetching `git+file://"), "{}", run.stderr);
    assert_eq!(names(&sandbox, &source), ["csv", "pdf"]);

    let run = sandbox.run(["render", &source]);
    let location = format!("@{}/skills/pdf/SKILL.md</location>", &id[..12]);
    assert!(run.stdout.contains(&location), "{}", run.stdout);

    let run = sandbox.run(["read", "skill://pdf/scripts/run.sh", &source]);
    assert_eq!(run.stdout, "#!/bin/sh\necho hi\n", "{}", run.stderr);

    let report = sandbox.document(["install", &source, "--dir", "out", "--format", "json"]);
    let pdf = &report["skills"][1];
    assert_eq!((&pdf["kind"], &pdf["name"]), (&"git".into(), &"pdf".into()), "{report:#}");
    // The recorded source is a valid source.
    let from = pdf["source"].as_str().unwrap();
    assert_eq!(from, format!("git+file://[DIR]/origin//skills/pdf@{id}"));
    assert_eq!(names(&sandbox, &origin.source(&format!("//skills/pdf@{id}"))), ["pdf"]);

    let run = sandbox.run(["pack", &source, "-o", "dist"]);
    assert!(sandbox.path("dist/pdf.skill").is_file(), "{}", run.stderr);

    let home = "test -x $HOME/.claude/skills/pdf/scripts/run.sh && ls $HOME/.claude/skills";
    let run = sandbox.run(["mount", &source, "--", "sh", "-c", home]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "csv\npdf\n"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn an_installed_skill_equals_a_checkout() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    // Attributes that would change files during a checkout.
    origin.write("skills/.gitattributes", "* text eol=crlf export-subst ident filter=evil\n");
    origin.write("skills/pdf/id.txt", "$Id$ $Format:%H$\r\n\0\n");
    origin.git(&["config", "core.safecrlf", "false"]);
    origin.git(&["config", "filter.evil.smudge", "echo changed"]);
    origin.commit("Attributes");
    sandbox.run(["install", &origin.source(""), "--dir", "git"]);
    let committed = origin.git(&["show", "HEAD:skills/pdf/id.txt"]);
    assert_eq!(sandbox.read("git/pdf/id.txt").trim(), committed);
    assert_eq!(sandbox.mode("git/pdf/scripts/run.sh") & 0o111, 0o111 & !umask());
    assert_eq!(sandbox.mode("git/pdf/SKILL.md") & 0o111, 0);
}

#[cfg(unix)]
fn umask() -> u32 {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("probe");
    fs::create_dir(&path).unwrap();
    use std::os::unix::fs::PermissionsExt;
    0o777 & !fs::metadata(path).unwrap().permissions().mode()
}

#[test]
fn revisions_are_tags_branches_and_commits() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let first = origin.git(&["rev-parse", "HEAD"]);
    origin.git(&["tag", "-a", "annotated", "-m", "x"]);
    origin.git(&["checkout", "--quiet", "-b", "feature/two"]);
    origin.skill("skills/two");
    let second = origin.commit("Two");
    origin.git(&["checkout", "--quiet", "main"]);
    origin.skill("skills/three");
    origin.commit("Three");
    let annotated = origin.git(&["rev-parse", "annotated"]);
    for (revision, extra) in [
        ("", Some("three")),
        ("@HEAD", Some("three")),
        ("@main", Some("three")),
        ("@refs/heads/main", Some("three")),
        ("@v1", None),
        ("@annotated", None),
        (&format!("@{first}"), None),
        (&format!("@{annotated}"), None),
        (&format!("@{}", &first[..9]), None),
        (&format!("@{}", first[..9].to_uppercase()), None),
        ("@feature/two", Some("two")),
        (&format!("@{second}"), Some("two")),
    ] {
        let mut expected = vec!["csv", "pdf"];
        expected.extend(extra);
        assert_eq!(names(&sandbox, &origin.source(revision)), expected, "{revision}");
    }
    for (revision, help) in [
        ("@anotated", "did you mean `annotated`? it has v1, annotated, feature/two, main"),
        ("@nowhere", "it has v1, annotated, feature/two, main"),
        ("@0123456789abcdef", "it has v1, annotated, feature/two, main"),
    ] {
        let run = sandbox.run(["list", &origin.source(revision)]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(&format!("help: {help}")), "{}", run.stderr);
    }
}

#[test]
fn paths_lead_to_a_collection_or_a_skill() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    for (path, expected) in [
        ("//skills", &["csv", "pdf"][..]),
        ("//skills/pdf", &["pdf"]),
        ("//skills/pdf/", &["pdf"]),
        ("//skills/pdf/SKILL.md", &["pdf"]),
    ] {
        assert_eq!(names(&sandbox, &origin.source(path)), expected, "{path}");
    }
    for (path, words) in [
        ("//skils", "did you mean `skills`?"),
        ("//skills/pfd@v1", "did you mean `skills/pdf`?"),
        ("//docs/guide.md", "`guide.md` is not a directory"),
        ("//docs", "no skill in `"),
    ] {
        let run = sandbox.run(["list", &origin.source(path)]);
        assert_eq!(run.code, 2, "{path}");
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = sandbox.run(["list", &origin.source(""), "--exclude", "skills/csv"]);
    assert!(run.stdout.starts_with("pdf "), "{}", run.stdout);
    let run = sandbox.run(["list", &origin.source("//skills"), "--max-depth", "0"]);
    assert_eq!(run.code, 2, "{}", run.all());
}

#[test]
fn a_repository_may_be_a_skill_itself() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "pdf-skill") else { return };
    origin.write("SKILL.md", good_text("pdf"));
    origin.write("README.md", "# About\n");
    origin.commit("Begin");
    let run = sandbox.run(["install", &origin.source(""), "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(sandbox.read("out/pdf/SKILL.md"), good_text("pdf"));
}

#[test]
fn a_repository_without_a_commit_or_a_skill_says_so() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "empty") else { return };
    let run = sandbox.run(["install", &origin.source(""), "--dir", "out"]);
    assert!(run.code == 2 && run.stderr.contains("it has no commit"), "{}", run.stderr);
    origin.write("README.md", "x");
    origin.commit("Begin");
    let run = sandbox.run(["install", &origin.source(""), "--dir", "out"]);
    assert!(run.code == 2 && run.stderr.contains("error: no skill in `git+file"), "{}", run.stderr);
    // Also if another source has skills.
    sandbox.good_skill("own/lint");
    let run = sandbox.run(["install", "own", &origin.source(""), "--dir", "out"]);
    assert!(run.code == 2 && run.stderr.contains("no skill in `git+file"), "{}", run.stderr);
}

#[test]
fn repositories_of_the_newer_format_are_read() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::with_format(&sandbox, "new", "sha256") else { return };
    origin.skill("pdf");
    let id = origin.commit("Begin");
    assert_eq!(id.len(), 64);
    assert_eq!(names(&sandbox, &origin.source("")), ["pdf"]);
    assert_eq!(names(&sandbox, &origin.source(&format!("@{id}"))), ["pdf"]);
}

/// Whether the cache holds an object.
fn holds(sandbox: &Sandbox, id: &str) -> bool {
    cached(sandbox).iter().any(|repository| {
        let mut command = Command::new("git");
        command
            .env("GIT_DIR", repository)
            .env("GIT_NO_LAZY_FETCH", "1")
            .args(["cat-file", "-e", id]);
        command.stderr(Stdio::null()).status().unwrap().success()
    })
}

#[test]
fn only_needed_files_are_fetched_if_the_server_allows_it() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    origin.write("video.mp4", "x".repeat(100_000));
    origin.commit("Large");
    origin.skill("skills/late");
    origin.commit("Late");
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    assert_eq!(names(&sandbox, &origin.source("//skills")), ["csv", "late", "pdf"]);
    let id = |what: &str| origin.git(&["rev-parse", what]);
    assert!(holds(&sandbox, &id("HEAD:skills/pdf/scripts/run.sh")));
    assert!(!holds(&sandbox, &id("HEAD:video.mp4")), "a file of no skill was fetched");
    assert!(!holds(&sandbox, &id("HEAD^")), "history was fetched");
}

#[test]
fn servers_that_can_do_less_are_asked_for_more() {
    for (filter, any, version) in [
        ("true", "false", "0"),
        ("true", "true", "0"),
        ("false", "false", "0"),
        ("true", "false", "2"),
    ] {
        let sandbox = Sandbox::new();
        let Some(origin) = Origin::new(&sandbox) else { return };
        origin.git(&["config", "uploadpack.allowFilter", filter]);
        origin.git(&["config", "uploadpack.allowAnySHA1InWant", any]);
        sandbox.write("../home/.gitconfig", format!("[protocol]\n\tversion = {version}\n"));
        let first = origin.git(&["rev-parse", "HEAD"]);
        origin.skill("skills/late");
        origin.commit("Late");
        let what = format!("filter {filter}, any {any}, version {version}");
        assert_eq!(names(&sandbox, &origin.source("")), ["csv", "late", "pdf"], "{what}");
        // A commit that no reference leads to.
        origin.git(&["tag", "-d", "v1"]);
        assert_eq!(names(&sandbox, &origin.source(&format!("@{first}"))), ["csv", "pdf"], "{what}");
        assert_eq!(names(&sandbox, &origin.source(&format!("@{}", &first[..8]))), ["csv", "pdf"]);
        // Even a small fetch is stored as a pack, because only packs are measured and cleaned up.
        let objects = fs::read_dir(cached(&sandbox).remove(0).join("objects")).unwrap();
        let mut there: Vec<_> = objects.map(|entry| entry.unwrap().file_name()).collect();
        there.sort();
        assert_eq!(there, ["info", "pack"], "{what}");
    }
}

#[test]
fn references_are_those_of_the_server_now() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let first = origin.git(&["rev-parse", "HEAD"]);
    origin.git(&["tag", "pkg@1.0.0"]);
    origin.git(&["branch", "deadbe"]);
    origin.git(&["branch", "a"]);
    assert_eq!(names(&sandbox, &origin.source("@pkg@1.0.0")), ["csv", "pdf"]);
    assert_eq!(names(&sandbox, &origin.source(&format!("@{}", &first[..7]))), ["csv", "pdf"]);
    // A removed branch is gone, and another branch may need its name.
    origin.git(&["branch", "-D", "deadbe", "a"]);
    origin.git(&["branch", "a/b"]);
    origin.skill("skills/late");
    let second = origin.commit("Late");
    assert_eq!(sandbox.run(["list", &origin.source("@deadbe")]).code, 2);
    let late = ["csv", "late", "pdf"];
    assert_eq!(names(&sandbox, &origin.source(&format!("@{}", &second[..7]))), late);
    assert_eq!(names(&sandbox, &origin.source(&format!("@{}", second.to_uppercase()))), late);
    // A default branch that is not the first in the list.
    origin.git(&["symbolic-ref", "HEAD", "refs/heads/gone"]);
    let run = sandbox.run(["list", &origin.source("")]);
    assert!(run.stderr.contains("does not name a default branch"), "{}", run.stderr);
    assert!(run.stderr.contains("name one with `@`; it has "), "{}", run.stderr);
}

/// A file system that is unmounted at the end of the test.
#[cfg(target_os = "linux")]
struct Mounted<'a>(&'a str);

#[cfg(target_os = "linux")]
impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["--lazy", self.0]).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_cache_that_cannot_be_written_to_is_read() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let cache = sandbox.mkdir("../home/.cache/skills");
    let mount = |args: &[&str]| {
        let mut command = Command::new("mount");
        command.args(args).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let path = cache.canonicalize().unwrap();
    let path = path.to_str().unwrap();
    if !mount(&["-t", "tmpfs", "-o", "mode=755", "none", path]) {
        skip("it may not mount a file system");
        return;
    }
    let _mounted = Mounted(path);
    let source = origin.source(&format!("@{}", origin.git(&["rev-parse", "HEAD"])));
    let first = sandbox.run(["list", &source]);
    let is_sealed = mount(&["-o", "remount,ro", path]);
    let second = sandbox.run(["list", &source]);
    assert_eq!((first.code, is_sealed, second.code), (0, true, 0), "{}", second.stderr);
}

#[test]
fn a_commit_that_is_in_the_cache_needs_no_server() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let id = origin.git(&["rev-parse", "HEAD"]);
    let source = origin.source(&format!("@{id}"));
    assert_eq!(names(&sandbox, &source), ["csv", "pdf"]);
    fs::rename(&origin.path, sandbox.path("../away")).unwrap();
    let run = sandbox.run(["list", &source]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    // The name may mean another commit now.
    let run = sandbox.run(["list", &origin.source("@main")]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot reach `git+file"), "{}", run.stderr);
}

#[test]
fn runs_at_the_same_time_share_the_cache() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    std::thread::scope(|scope| {
        for number in 0..6 {
            let (sandbox, source) =
                (&sandbox, origin.source(if number % 2 == 0 { "@v1" } else { "" }));
            scope.spawn(move || {
                let run = sandbox.run(["install", &source, "--dir", &format!("out{number}")]);
                assert_eq!(run.code, 0, "{}", run.stderr);
                assert!(sandbox.path(format!("out{number}/pdf/scripts/run.sh")).is_file());
            });
        }
    });
    assert_eq!(cached(&sandbox).len(), 1);
}

#[test]
fn github_is_a_short_word_that_settings_of_git_can_lead_elsewhere() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    fs::create_dir(sandbox.path("../mirror")).unwrap();
    fs::create_dir(sandbox.path("../mirror/owner")).unwrap();
    fs::rename(&origin.path, sandbox.path("../mirror/owner/repo.git")).unwrap();
    let mirror = sandbox.path("../mirror").canonicalize().unwrap();
    let settings =
        format!("[url \"file://{}/\"]\n\tinsteadOf = https://github.com/\n", mirror.display());
    sandbox.write("../home/.gitconfig", settings);
    assert_eq!(names(&sandbox, "gh:owner/repo@v1"), ["csv", "pdf"]);
    let report = sandbox.document([
        "install",
        "gh:owner/repo/skills/pdf@v1",
        "--dir",
        "out",
        "--format",
        "json",
    ]);
    let from = report["skills"][0]["source"].as_str().unwrap();
    assert!(from.starts_with("gh:owner/repo/skills/pdf@"), "{from}");
}

#[test]
fn a_server_on_the_network_is_asked() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let Some(server) = Daemon::serve(&origin) else { return };
    let source = server.source("//skills@v1");
    assert_eq!(names(&sandbox, &source), ["csv", "pdf"]);
}

#[cfg(unix)]
#[test]
fn ssh_is_started_the_users_way_and_asks_nothing() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    // Runs the remote command locally, and logs the arguments of ssh.
    sandbox.program(
        "../home/fake-ssh",
        "#!/bin/sh\necho \"$@\" >> ~/told\nfor last; do :; done\nexec sh -c \"$last\"\n",
    );
    let source = format!("git+ssh://git@host.example{}//skills@v1", origin.path.display());
    let ssh = sandbox.path("../home/fake-ssh").canonicalize().unwrap();
    let ssh = format!("{} -i key", ssh.display());
    let set = |variable: bool| {
        let settings =
            if variable { String::new() } else { format!("[core]\n\tsshCommand = {ssh}\n") };
        sandbox.write("../home/.gitconfig", settings);
        let _ = fs::remove_dir_all(sandbox.path("../home/.cache"));
        let run = sandbox.run_with(["list", &source, "--format", "names"], |command| {
            command.env("GIT_SSH_VARIANT", "ssh");
            if variable {
                command.env("GIT_SSH_COMMAND", &ssh);
            }
        });
        assert_eq!((run.code, run.stdout.as_str()), (0, "csv\npdf\n"), "{}", run.stderr);
        let told = fs::read_to_string(sandbox.path("../home/told")).unwrap();
        assert!(told.lines().all(|line| line.starts_with("-i key -oBatchMode=yes ")), "{told}");
    };
    set(true);
    set(false);
}

#[test]
fn other_ways_to_name_a_repository_are_led_here() {
    let sandbox = Sandbox::new();
    for (named, better) in [
        ("owner/repo", "did you mean the git source `gh:owner/repo`?"),
        ("me@host.example:team/repo.git", "`git+ssh://me@host.example/team/repo.git`?"),
        ("https://github.com/o/r/issues", "did you mean `gh:o/r`?"),
    ] {
        let run = sandbox.run(["pack", named]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(better), "{}", run.stderr);
    }
    sandbox.write("skills.yaml", "version: 1\nskills:\n  - source: git+ftp://h/r\n");
    let run = sandbox.run(["list"]);
    assert!(
        run.stderr.contains("skills.yaml:3:13: `git+ftp://h/r` is not a source"),
        "{}",
        run.stderr
    );
}

#[test]
fn skills_far_down_among_many_directories_are_found() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "wide") else { return };
    // 7 + 700 + 700 directories, and a skill in every seventieth.
    let mut expected = Vec::new();
    for at in 0..700 {
        let directory = format!("{}/{at}/inner", at % 7);
        origin.write(&format!("{directory}/notes.md"), format!("{at}\n"));
        if at % 70 == 0 {
            origin.skill(&format!("{directory}/skill-{at:03}"));
            expected.push(format!("skill-{at:03}\n"));
        }
    }
    origin.commit("Many directories");
    let run = sandbox.run(["list", "--format", "names", &origin.source("")]);
    assert_eq!(run.code, 0, "{}", run.all());
    let mut found: Vec<&str> = run.stdout.split_inclusive('\n').collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}
