//! `.skillignore`: the last line counts, and large files are refused.

use crate::install::{sandbox, snapshot};

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
