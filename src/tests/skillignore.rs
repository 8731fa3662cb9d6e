//! `.skillignore` works exactly like `.gitignore`, compared with git if it is installed.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::skills::files::FileKind;
use crate::skills::files::content::Content;
use crate::skills::find::left_out::Globs;
use crate::tests::Tree;

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

/// What git says with this input; `None` without git.
fn git(tree: &Tree, args: &[&str], input: &str) -> Option<String> {
    let mut command = Command::new("git");
    command.args(args).current_dir(tree.path("")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut git = command.env("GIT_CONFIG_GLOBAL", "/dev/null").spawn().ok()?;
    git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Some(String::from_utf8(git.wait_with_output().unwrap().stdout).unwrap())
}

#[test]
fn every_pair_of_lines_works_as_in_git() {
    let tree = Tree::new();
    if !git(&tree, &["init", "-q"], "").is_some_and(|answer| answer.is_empty()) {
        eprintln!("skipped, because git is not installed");
        return;
    }
    let pairs = LINES.iter().flat_map(|one| LINES.map(|other| format!("{one}\n{other}\n")));
    let texts: Vec<String> = pairs.chain(["*.txt\r\n!keep.txt\r\n".to_owned()]).collect();
    let numbered: Vec<(usize, &String)> = texts.iter().enumerate().collect();
    let mut ignored = BTreeSet::new();
    // Not more at once than a pipe can hold, because git answers while it reads.
    for some in numbered.chunks(100) {
        let mut asked = String::new();
        for (number, text) in some {
            tree.write(format!("{number}/.gitignore"), text);
            asked.extend(PATHS.map(|path| format!("{number}/{path}\n")));
        }
        let answer = git(&tree, &["check-ignore", "--no-index", "--stdin"], &asked).unwrap();
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
