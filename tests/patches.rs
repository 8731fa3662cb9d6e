//! `--diff` prints a patch that produces exactly the files that `--fix` writes.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::harness::{Sandbox, good_text, lacks, text};

/// Every file below a directory: its content and its permission bits.
type Tree = BTreeMap<PathBuf, (Vec<u8>, u32)>;

fn tree(directory: &Path) -> Tree {
    let files = walkdir::WalkDir::new(directory).into_iter().map(|entry| entry.unwrap());
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(directory).unwrap().to_owned();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            (path, (fs::read(entry.path()).unwrap(), mode))
        })
        .collect()
}

/// Git stores one permission: the execute bit.
fn as_git_sees(mut tree: Tree) -> Tree {
    tree.values_mut().for_each(|(_, mode)| *mode &= 0o100);
    tree
}

/// How many findings the last line of a diff says would be left.
fn predicted(diff: &str) -> usize {
    let (_, last) = diff.trim_end().rsplit_once(" would be repaired in ").unwrap();
    let left = last.split_once(", ").and_then(|(_, rest)| rest.split_once(" would be left"));
    left.map_or(0, |(number, _)| number.parse().unwrap())
}

/// Repairs `before` with `--fix` and with the diff, by `patch` and by `git apply`, and compares
/// the results. The sandbox has the skills in `before`.
fn check(sandbox: &Sandbox, scope: &str) {
    for copy in ["fixed", "patched", "applied"] {
        let _ = fs::remove_dir_all(sandbox.path(copy));
        let line = format!("cp -R before {copy}");
        assert_eq!(sandbox.shell(&line).code, 0);
    }
    let diff = sandbox.run(["-C", "before", "validate", ".", "-v", &format!("--diff{scope}")]);
    fs::write(sandbox.path("diff"), &diff.stdout).unwrap();
    if !diff.stdout.starts_with("0 findings") {
        let patch = "patch -p1 -s --no-backup-if-mismatch -d patched < diff";
        let git = "cd applied && git apply ../diff";
        for line in [patch, git] {
            let run = sandbox.shell(line);
            assert_eq!((run.code, run.all()), (0, String::new()), "{line}\n{}", diff.stdout);
        }
    }
    sandbox.run(["-C", "fixed", "validate", ".", &format!("--fix{scope}")]);
    let fixed = tree(&sandbox.path("fixed"));
    assert_eq!(tree(&sandbox.path("patched")), fixed, "{}", diff.stdout);
    assert_eq!(as_git_sees(tree(&sandbox.path("applied"))), as_git_sees(fixed), "{}", diff.stdout);
    let left = sandbox.json(["-C", "fixed", "."])["findings"].as_array().unwrap().len();
    assert_eq!(predicted(&diff.stdout), left, "{}", diff.stdout);
}

/// A random skill on disk.
#[derive(Debug, Clone)]
struct Generated {
    directory: &'static str,
    file: &'static str,
    text: String,
    script_mode: u32,
}

fn generated() -> impl Strategy<Value = Generated> {
    const DIRECTORIES: &[&str] = &[
        "skills/pdf",
        "skills/pdf-copy",
        ".claude/skills/pdf",
        ".agents/skills/csv",
        "with space/pdf",
        "quote\"back\\slash/pdf",
        "日本/é",
        "tab\there/pdf",
        "two\nlines",
        "bidi\u{202e}/pdf",
        "##[error]/x",
    ];
    const FIELDS: &[&str] = &[
        "description: Extract text. Use when asked.",
        "description: Use when: asked",
        "description: Extract text.license: MIT",
        "description: wraps\n  over two: lines",
        "compatibility: needs: x",
        "license: @mit",
        "license: \u{1b}[2J",
        "license: a\u{202e}: b",
        "# ::error::order",
        "  ::error::order",
        "allowed-tools: [Read, Grep]",
        "allowed-tools:\n  - Read\n  - Grep",
        "metadata:\n  a: b: c",
        "version:1",
        "  model: x",
        "hide: a\rb",
    ];
    const BODY: &[&str] = &["# Title", "", "Run it.", "::error::order", "\u{1b}[2J", "##[group]x"];
    let fields = prop::collection::vec(prop::sample::select(FIELDS), 0..6);
    let body = prop::collection::vec(prop::sample::select(BODY), 0..5);
    (
        prop::sample::select(DIRECTORIES),
        prop::sample::select(&["SKILL.md", "SKILL.md", "skill.md"][..]),
        (prop::sample::select(&["", "\u{feff}"][..]), fields, body),
        (prop::sample::select(&["\n", "\r\n"][..]), any::<bool>()),
        prop::sample::select(&[0o644, 0o755, 0o600, 0o640][..]),
    )
        .prop_map(|(directory, file, (mark, fields, body), (end, is_cut), script_mode)| {
            let name = directory.rsplit('/').next().unwrap();
            let fields = fields.join("\n");
            let text = format!("---\nname: {name}\n{fields}\n---\n{}\n", body.join("\n"));
            let text = if is_cut { text.trim_end().to_owned() } else { text };
            Generated {
                directory,
                file,
                text: mark.to_owned() + &text.replace('\n', end),
                script_mode,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_diff_applied_gives_what_a_repair_writes(
        skills in prop::collection::vec(generated(), 1..6),
        scope in prop::sample::select(&["", "=all"][..]),
    ) {
        if lacks(&["patch", "git"]) {
            return Ok(());
        }
        let sandbox = Sandbox::new();
        for skill in &skills {
            let directory = Path::new("before").join(skill.directory);
            sandbox.write(directory.join(skill.file), &skill.text);
            sandbox.write(directory.join("scripts/run it.sh"), "#!/bin/sh\n");
            sandbox.chmod(directory.join("scripts/run it.sh"), skill.script_mode);
        }
        check(&sandbox, scope);
    }
}

#[test]
fn line_ends_marks_modes_and_names_survive_a_patch() {
    if lacks(&["patch", "git"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let broken = text("pdf", "compatibility: a: b\nlicense: \"x\"\n");
    sandbox.write("before/.claude/skills/pdf/skill.md", broken.replace('\n', "\r\n"));
    sandbox.skill("before/.agents/skills/pdf", &format!("\u{feff}{}", broken.trim_end()));
    sandbox.skill("before/no final newline", "---\nname: x\ndescription: a: b\n---");
    sandbox.good_skill("before/csv");
    for (name, mode) in [("a b.sh", 0o644), ("é.sh", 0o600), ("c.sh", 0o750)] {
        sandbox.write(format!("before/csv/{name}"), "#!/bin/sh\n");
        sandbox.chmod(format!("before/csv/{name}"), mode);
    }
    check(&sandbox, "");
    assert!(sandbox.path("fixed/.claude/skills/pdf/SKILL.md").exists());
    check(&sandbox, "=all");
    assert_eq!(sandbox.mode("fixed/csv/é.sh"), 0o700);
}

#[test]
fn a_diff_of_skills_elsewhere_is_applied_at_the_root() {
    if lacks(&["patch"]) {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.skill("before/pdf", &text("pdf", "license: a: b\n"));
    sandbox.good_skill("here/csv");
    let diff = sandbox.run(["-C", "here", "validate", "--diff", "../before"]);
    assert!(diff.stdout.contains("\n+++ b[DIR]/project/before/pdf/SKILL.md\n"), "{}", diff.stdout);
    let patch = "\"$SKILLS\" -C here validate --diff ../before | patch -p1 -s -d /";
    assert_eq!(sandbox.shell(patch).code, 0);
    assert_eq!(sandbox.read("before/pdf/SKILL.md"), text("pdf", "license: \"a: b\"\n"));
}

#[test]
fn a_diff_in_a_subdirectory_of_a_repository_is_applied_there() {
    if lacks(&["git"]) {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.skill("below/pdf", &text("pdf", "license: a: b\n"));
    let run = sandbox.shell(
        "git init -q . && cd below && \"$SKILLS\" validate --diff . > ../diff; git apply ../diff",
    );
    assert_eq!((run.code, run.all()), (0, String::new()));
    assert_eq!(sandbox.read("below/pdf/SKILL.md"), text("pdf", "license: \"a: b\"\n"));
}

#[test]
fn names_that_become_readable_are_part_of_the_prediction() {
    let sandbox = Sandbox::new();
    // Only valid front matter has a name that can clash with another.
    sandbox.skill("all/one/pdf", &good_text("pdf"));
    sandbox.skill("all/two/pdf", &text("pdf", "license: a: b\n"));
    let diff = sandbox.run(["validate", "--diff", "all"]);
    let after = sandbox.json(["--fix", "all"]);
    assert_eq!(predicted(&diff.stdout), after["findings"].as_array().unwrap().len());
}
