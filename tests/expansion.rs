//! A few bytes that stand for very many files take little memory, and end with a clear word.

#![cfg(unix)]

use crate::git_hostile::raw_entry;
use crate::harness::{Run, Sandbox, good_text};
use crate::origin::Origin;
use crate::tarball::maker::{self as tar, TarEntry};
use crate::zip::maker as zip;

/// Runs a shell line with at most this many kilobytes of memory, if the system supports it.
fn run_within(sandbox: &Sandbox, kilobytes: usize, line: &str) -> Run {
    sandbox.shell(&format!("ulimit -d {kilobytes}; {line}"))
}

fn skill_md() -> TarEntry {
    tar::file("pdf/SKILL.md", &good_text("pdf"))
}

fn tar_gz(sandbox: &Sandbox, entries: impl IntoIterator<Item = TarEntry>) {
    let entries: Vec<TarEntry> = entries.into_iter().collect();
    sandbox.write("x.tgz", tar::gzip(&tar::archive(&entries)));
}

#[test]
fn links_to_a_large_directory_do_not_multiply_its_files() {
    let sandbox = Sandbox::new();
    let links = (0..3_000).map(|at| tar::entry(b'2', format!("pdf/a{at}").as_bytes(), b""));
    let links = links.map(|link| link.link("big"));
    let files = (0..10_000).map(|at| tar::file(&format!("pdf/big/{at}"), ""));
    tar_gz(&sandbox, [skill_md()].into_iter().chain(links).chain(files));
    let run = run_within(&sandbox, 100_000, "$SKILLS list x.tgz");
    let words = "skill-too-large: more than 5000 files and directories";
    assert!(run.stdout.contains(words), "{}", run.all());
}

#[test]
fn a_chain_of_links_ends_at_the_longest_path() {
    let sandbox = Sandbox::new();
    let name = "n".repeat(1_900);
    let links = (0..38).flat_map(|at| {
        let path = format!("pdf/{at}/{name}");
        let link = tar::entry(b'2', b"x", b"").link(&format!("../{}", at + 1));
        [tar::attributes(b'x', &[("path", &path)]), link]
    });
    // Every directory leads to all that follow: not too many files, but a path of 70 KiB each.
    let files = (0..105).map(|at| tar::file(&format!("pdf/38/{at}"), ""));
    tar_gz(&sandbox, [skill_md()].into_iter().chain(links).chain(files));
    let run = run_within(&sandbox, 100_000, "$SKILLS list x.tgz");
    assert!(run.stdout.contains("skill-too-large"), "{}", run.all());
}

#[test]
fn links_are_followed_up_to_the_most_files_of_a_skill() {
    let sandbox = Sandbox::new();
    // With `SKILL.md`, `big` and the link, as many as a skill may have, and one more.
    for (files, is_small) in [(2_498, true), (2_499, false)] {
        let files = (0..files).map(|at| tar::file(&format!("pdf/big/{at}"), ""));
        let link = tar::entry(b'2', b"pdf/again", b"").link("big");
        let more = is_small.then(|| tar::file("pdf/one-more", ""));
        tar_gz(&sandbox, [skill_md(), link].into_iter().chain(files).chain(more));
        let run = sandbox.run(["list", "--long", "x.tgz"]);
        assert_eq!(run.stdout.contains("more than 5000 files"), !is_small, "{}", run.all());
    }
}

#[test]
fn directories_that_only_names_imply_are_counted() {
    let sandbox = Sandbox::new();
    let deep = "/d".repeat(40);
    let files = (0..2_000).map(|at| tar::file(&format!("{at}{deep}"), ""));
    tar_gz(&sandbox, [skill_md()].into_iter().chain(files));
    let run = run_within(&sandbox, 60_000, "$SKILLS list x.tgz");
    assert_eq!(run.code, 1, "{}", run.all());
    let words = "it has more than 50000 files and directories, or paths of more than 16 MiB";
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

#[test]
fn paths_of_directories_that_only_names_imply_are_counted() {
    let sandbox = Sandbox::new();
    // Not too many directories, and the paths of the files alone are short enough.
    let deep = format!("/{}", "d".repeat(95)).repeat(20);
    let entries = (0..2_000).flat_map(|at| {
        let path = format!("{at}{deep}");
        [tar::attributes(b'x', &[("path", &path)]), tar::file("x", "")]
    });
    tar_gz(&sandbox, [skill_md()].into_iter().chain(entries));
    let run = run_within(&sandbox, 60_000, "$SKILLS list x.tgz");
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("or paths of more than 16 MiB"), "{}", run.stderr);
}

#[test]
fn long_names_of_an_archive_are_bounded_together() {
    let sandbox = Sandbox::new();
    // Names that are too long for a header, as every tar writes them.
    let long = "n".repeat(1_900);
    let entries = (0..9_000).flat_map(|at| {
        [tar::attributes(b'x', &[("path", &format!("pdf/{at}{long}"))]), tar::file("x", "")]
    });
    tar_gz(&sandbox, [skill_md()].into_iter().chain(entries));
    let run = run_within(&sandbox, 60_000, "$SKILLS list x.tgz");
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("or paths of more than 16 MiB"), "{}", run.stderr);
}

#[test]
fn an_archive_of_too_many_entries_is_refused_before_they_are_read() {
    let sandbox = Sandbox::new();
    let entries: Vec<zip::Entry> =
        (0..200_000).map(|at| zip::file(&format!("pdf/{at}"), "")).collect();
    let bytes = zip::archive(&entries, |end| {
        end.only_long();
        end.long.as_mut().unwrap().numbers[..2].fill(200_000);
    });
    sandbox.write("x.zip", bytes);
    let run = run_within(&sandbox, 40_000, "$SKILLS list x.zip");
    assert!(run.stderr.contains("50000 entries are read"), "{}", run.all());
}

/// A tree of these lines, each with mode, kind, id and name.
fn tree(origin: &Origin, lines: impl Iterator<Item = (&'static str, String, String)>) -> String {
    let lines: String = lines
        .map(|(kind, id, name)| {
            let mode = if kind == "tree" { "040000" } else { "100644" };
            format!("{mode} {kind} {id}\t{name}\n")
        })
        .collect();
    origin.git_with(&["mktree"], lines.as_bytes())
}

fn commit(origin: &Origin, tree: &str) -> String {
    let commit = origin.git(&["commit-tree", tree, "-m", "Bomb"]);
    origin.git(&["update-ref", "refs/heads/bomb", &commit]);
    origin.source("@bomb")
}

fn blob(origin: &Origin, bytes: &[u8]) -> String {
    origin.git_with(&["hash-object", "-w", "--stdin"], bytes)
}

#[test]
fn wide_trees_are_not_queued_without_end() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    let mut id = tree(&origin, [("blob", blob(&origin, b""), "x".to_owned())].into_iter());
    for _ in 0..3 {
        id = tree(&origin, (0..1_000).map(|at| ("tree", id.clone(), at.to_string())));
    }
    let source = commit(&origin, &id);
    let run = run_within(&sandbox, 100_000, &format!("$SKILLS list {source}"));
    assert!(run.stderr.contains("at most 100000 directories"), "{}", run.all());
}

#[test]
fn long_names_of_a_commit_are_not_repeated_for_every_file() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    let (empty, text) = (blob(&origin, b""), blob(&origin, good_text("pdf").as_bytes()));
    let many = tree(&origin, (0..20_000).map(|at| ("blob", empty.clone(), at.to_string())));
    // One that no system has, and one that is too long when it is repeated.
    for length in [1 << 20, 4_000] {
        let skill_md = ("blob", text.clone(), "SKILL.md".to_owned());
        let lines = [skill_md, ("tree", many.clone(), "n".repeat(length))];
        let id = tree(&origin, lines.into_iter());
        let source = commit(&origin, &id);
        let run = run_within(&sandbox, 100_000, &format!("$SKILLS list {source}"));
        assert!(run.stderr.contains("paths have at most 4096 bytes"), "{}", run.all());
    }
}

#[test]
fn trees_inside_trees_do_not_wait_in_memory_together() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    let (empty, text) = (blob(&origin, b""), blob(&origin, good_text("pdf").as_bytes()));
    let mut id = tree(&origin, [("blob", empty.clone(), "x".to_owned())].into_iter());
    let files: Vec<u8> =
        (0..20_000).flat_map(|at| raw_entry("100644", format!("f{at:05}"), &empty)).collect();
    for _ in 0..16 {
        // The directory sorts before the files, so it is read first.
        let bytes = [raw_entry("40000", "a", &id), files.clone()].concat();
        id =
            origin.git_with(&["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], &bytes);
    }
    let lines = [("blob", text, "SKILL.md".to_owned()), ("tree", id, "a".to_owned())];
    let id = tree(&origin, lines.into_iter());
    let source = commit(&origin, &id);
    let run = run_within(&sandbox, 30_000, &format!("$SKILLS list {source}"));
    assert!(run.stderr.contains("50000 files of skills are read"), "{}", run.all());
}

#[test]
fn a_file_of_a_commit_is_never_held_as_a_whole() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    origin.git(&["config", "core.bigFileThreshold", "1m"]);
    origin.write("skills/pdf/zeros.bin", vec![0; 64 * 1024 * 1024]);
    origin.commit("Zeros");
    for verb in ["list", "validate"] {
        let line = format!("$SKILLS {verb} {}", origin.source(""));
        let run = run_within(&sandbox, 50_000, &line);
        assert!(run.code < 2 && run.stdout.contains("67108"), "{verb}: {}", run.all());
    }
    // Its bytes are those that were committed.
    let wanted = ["install", &origin.source(""), "--dir", "out", "--only", "pdf"];
    let sizes = ["--max-skill-size", "100MiB", "--max-total-size", "100MiB"];
    let run = sandbox.run(wanted.into_iter().chain(sizes));
    assert_eq!(run.code, 0, "{}", run.all());
    let installed = std::fs::read(sandbox.path("out/pdf/zeros.bin")).unwrap();
    assert!(installed.len() == 64 * 1024 * 1024 && installed.iter().all(|byte| *byte == 0));
}

#[test]
fn a_manifest_that_is_too_large_does_not_spoil_what_is_read_after_it() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    let large = format!(r#"{{"name": "first"{}}}"#, " ".repeat(2 << 20));
    for (plugin, manifest) in [("a", large.as_str()), ("b", r#"{"name": "second"}"#)] {
        origin.write(&format!("{plugin}/.claude-plugin/plugin.json"), manifest);
        origin.skill(&format!("{plugin}/skills/{plugin}-skill"));
    }
    origin.commit("Plugins");
    let run = sandbox.run(["list", "--format", "names", &origin.source("")]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "a-skill\nb-skill\n"), "{}", run.all());
    let run = sandbox.run(["list", "--plugin", "second", "--format", "names", &origin.source("")]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "b-skill\n"), "{}", run.all());
    let run = sandbox.run(["list", "--plugin", "first", "--format", "names", &origin.source("")]);
    assert!(run.code != 0 && run.stderr.contains("no plugin named `first`"), "{}", run.all());
}

#[test]
fn files_and_manifests_of_a_commit_are_bounded_together() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    origin.git(&["config", "core.bigFileThreshold", "1m"]);
    let zeros = blob(&origin, &vec![0; 140 * 1024 * 1024]);
    // Each alone is small enough. A manifest is too large to be read, but git sends it.
    for large in ["skills/NAME/zeros.bin", ".claude-plugin/plugin.json"] {
        origin.git(&["read-tree", "--empty"]);
        for name in ["csv", "pdf"] {
            let text = blob(&origin, good_text(name).as_bytes());
            for (id, path) in [(&text, "skills/NAME/SKILL.md"), (&zeros, large)] {
                let line = format!("100644,{id},{name}/{}", path.replace("NAME", name));
                origin.git(&["update-index", "--add", "--cacheinfo", &line]);
            }
        }
        let source = commit(&origin, &origin.git(&["write-tree"]));
        let run = sandbox.run(["list", &source]);
        assert_ne!(run.code, 0, "{large}: {}", run.all());
        assert!(run.stderr.contains("is too large"), "{large}: {}", run.stderr);
    }
}
