//! `.skillignore` works exactly like `.gitignore`, compared with git if it is installed.

use std::collections::BTreeSet;
use std::path::Path;

use skills::internal::files::content::Content;
use skills::internal::files::platform::FileKind;
use skills::internal::find::left_out::Globs;

use crate::harness::Sandbox;
use crate::install::{sandbox, snapshot};
use crate::origin::Origin;

/// Lines that are combined in pairs, in both orders.
const LINES: [&str; 34] = [
    "*.txt",
    "!*.txt",
    "keep.txt",
    "!keep.txt",
    "/keep.txt",
    "!/keep.txt",
    "drafts",
    "drafts/",
    "!drafts",
    "!drafts/",
    "drafts/*",
    "!drafts/keep.txt",
    "drafts/**",
    "!drafts/**/keep.txt",
    "**/deep",
    "!**/deep",
    "**/deep/",
    "a/**/keep.txt",
    "!a/**/keep.txt",
    "*",
    "!*",
    "!*/",
    "/*",
    "k??p.*",
    "[kx]eep.txt",
    "[!k]eep.txt",
    "# comment",
    "\\#odd",
    "\\!odd",
    "trailing   ",
    "trailing\\ ",
    "a/deep",
    "!a/deep/",
    "",
];

const PATHS: [&str; 16] = [
    "keep.txt",
    "other.txt",
    "xeep.txt",
    "notes.md",
    "drafts/keep.txt",
    "drafts/other.md",
    "drafts/deep/keep.txt",
    "a/drafts",
    "a/drafts/x.md",
    "a/deep",
    "a/deep/keep.txt",
    "a/b/deep/keep.txt",
    "a/b/keep.txt",
    "#odd",
    "!odd",
    "trailing",
];

#[test]
fn every_pair_of_lines_works_as_in_git() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    let pairs = LINES.iter().flat_map(|one| LINES.map(|other| format!("{one}\n{other}\n")));
    let texts: Vec<String> = pairs.chain(["*.txt\r\n!keep.txt\r\n".to_owned()]).collect();
    let numbered: Vec<(usize, &String)> = texts.iter().enumerate().collect();
    let mut ignored = BTreeSet::new();
    // Not more at once than a pipe can hold, because git answers while it reads.
    for some in numbered.chunks(100) {
        let mut asked = String::new();
        for (number, text) in some {
            origin.write(&format!("{number}/.gitignore"), text);
            asked.extend(PATHS.map(|path| format!("{number}/{path}\n")));
        }
        let answer = origin.git_with(&["check-ignore", "--no-index", "--stdin"], asked.as_bytes());
        ignored.extend(answer.lines().map(str::to_owned));
    }
    assert!(ignored.len() > texts.len(), "git was not understood");
    for (number, text) in texts.iter().enumerate() {
        let filter = Globs::default().filter(&Content::Text(text.clone())).unwrap();
        for path in PATHS {
            let is_left_out = filter.leaves_out(Path::new(path), FileKind::Regular);
            let by_git = ignored.contains(&format!("{number}/{path}"));
            assert_eq!(is_left_out, by_git, "{path} with {text:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_last_line_about_a_file_counts() {
    let sandbox = sandbox();
    sandbox.write("src/pdf/keep.txt", "x");
    sandbox.write("src/pdf/other.txt", "x");
    sandbox.write("src/pdf/drafts/keep.txt", "x");
    for (text, packed) in [
        ("*.txt\n!keep.txt\n", &["drafts/keep.txt", "keep.txt"][..]),
        ("!keep.txt\n*.txt\n", &[]),
        ("*.txt\n!keep.txt\n/keep.txt\n", &["drafts/keep.txt"]),
        ("drafts/\n!drafts/keep.txt\n", &["data/notes.txt", "keep.txt", "other.txt"]),
    ] {
        sandbox.write("src/pdf/.skillignore", text);
        let run = sandbox.run(["pack", "src/pdf", "-o", "dist", "--force"]);
        assert_eq!(run.code, 0, "{}", run.all());
        let _ = std::fs::remove_dir_all(sandbox.path("out"));
        assert_eq!(sandbox.run(["install", "dist/pdf.skill", "--dir", "out"]).code, 0);
        let there = snapshot(&sandbox.path("out/pdf"));
        let names: Vec<&str> =
            there.keys().map(String::as_str).filter(|name| name.ends_with(".txt")).collect();
        assert_eq!(names, packed, "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_ignore_file_takes_little_memory_or_is_refused() {
    let sandbox = sandbox();
    // Globs that the matcher cannot optimise.
    let line = |number: usize| format!("**/a{number}*b?[x-z]/**/c*\n");
    let mut text = String::new();
    let mut number = 0;
    while text.len() + line(number).len() <= 8 * 1024 {
        text += &line(number);
        number += 1;
    }
    sandbox.write("src/pdf/.skillignore", &text);
    let run = sandbox.shell("ulimit -v 200000; \"$SKILLS\" pack src/pdf -o dist");
    assert_eq!(run.code, 0, "{}", run.all());
    sandbox.write("src/pdf/.skillignore", text.repeat(2));
    let run = sandbox.run(["pack", "src/pdf", "-o", "dist", "--force"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("`.skillignore` has more than 8 KiB\nhelp: "), "{}", run.stderr);
}
