//! Makes a directory of valid skills, the same ones every time.
//!
//! `make-tree DIRECTORY COUNT` makes skills of ordinary size, `make-tree DIRECTORY huge` one that is
//! as large as a skill may be.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// The subject of a skill, and its tool.
const TOPICS: [(&str, &str, &str); 8] = [
    ("pdf", "PDF files", "pdftotext"),
    ("csv", "CSV tables", "xsv"),
    ("invoice", "invoices and receipts", "ledger"),
    ("release", "release notes and change logs", "git log"),
    ("image", "PNG and JPEG images", "magick"),
    ("query", "SQL queries and schemas", "sqlite3"),
    ("report", "weekly status reports", "pandoc"),
    ("deploy", "deployments to staging", "kubectl"),
];

/// Paragraphs of a body; how many a skill has depends on its number.
const STEPS: [&str; 6] = [
    "Look at the input first. Count the records, note the encoding, and say what you found before \
     you change anything. If the input is larger than ten megabytes, work on a sample and ask.",
    "Keep the original. Write results beside it under a new name, and never overwrite a file that \
     the user has not named. A second run must give the same result as the first.",
    "Check each value that was taken over: dates in ISO form, amounts with two decimals, names as \
     they are written in the source. What cannot be read is marked, not guessed.",
    "When two records disagree, prefer the later one and list both in the summary, so that the \
     user can decide. Do not drop a record without a word.",
    "Ask before anything leaves the machine. Uploads, mails and comments are the user's to send; \
     prepare them as files and say where they are.",
    "Finish with a table of what was done, what was skipped and why. Three columns are enough, and \
     the last one links to the line of the source.",
];

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(root), Some(count)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("usage: make-tree DIRECTORY COUNT|huge"));
    };
    if count == "huge" {
        return make_huge(&Path::new(&root).join("huge"));
    }
    let count: usize = count
        .to_str()
        .and_then(|word| word.parse().ok())
        .ok_or_else(|| io::Error::other("COUNT is not a number"))?;
    let root = Path::new(&root);
    fs::create_dir_all(root)?;
    for number in 0..count {
        make_skill(root, number)?;
    }
    Ok(())
}

fn make_skill(root: &Path, number: usize) -> io::Result<()> {
    let (topic, ..) = TOPICS[number % TOPICS.len()];
    let name = format!("{topic}-helper-{number:05}");
    let skill = root.join(&name);
    make_files(&skill, number)?;
    fs::write(skill.join("SKILL.md"), skill_md(&name, number))
}

/// The files that a `SKILL.md` speaks of.
fn make_files(skill: &Path, number: usize) -> io::Result<()> {
    let (_, subject, tool) = TOPICS[number % TOPICS.len()];
    for directory in ["scripts", "references", "assets"] {
        fs::create_dir_all(skill.join(directory))?;
    }
    let script = format!("#!/bin/sh\nset -eu\nexec {tool} \"$@\"\n");
    fs::write(skill.join("scripts/run.sh"), script)?;
    make_executable(&skill.join("scripts/run.sh"))?;
    fs::write(
        skill.join("references/guide.md"),
        format!("# Guide\n\nHow to work with {subject}.\n"),
    )?;
    fs::write(skill.join("references/api.md"), format!("# Interface\n\nAll options of {tool}.\n"))?;
    fs::write(skill.join("assets/template.txt"), format!("Summary of {subject}\n\n{{rows}}\n"))
}

/// A skill close to the limits: 1 MiB of text, 5,000 entries.
fn make_huge(skill: &Path) -> io::Result<()> {
    const TEXT: usize = 1_000_000;
    fs::create_dir_all(skill)?;
    let mut text = skill_md("huge", 5);
    while text.len() < TEXT {
        text.push_str("\n## More\n\nSee [a page](references/part-07/page-007.md) and `--strict`.\n\n");
        text.push_str(STEPS[text.len() % STEPS.len()]);
        text.push('\n');
    }
    make_files(skill, 5)?;
    fs::write(skill.join("SKILL.md"), text)?;
    for part in 0..48 {
        let directory = skill.join(format!("references/part-{part:02}"));
        fs::create_dir_all(&directory)?;
        for page in 0..100 {
            let text = format!("# Page {page}\n\n{}\n", STEPS[page % STEPS.len()]);
            fs::write(directory.join(format!("page-{page:03}.md")), text)?;
        }
    }
    Ok(())
}

fn skill_md(name: &str, number: usize) -> String {
    let (topic, subject, tool) = TOPICS[number % TOPICS.len()];
    let mut text = format!("---\nname: {name}\n");
    let description = [
        format!("Read, check and convert {subject} with {tool}."),
        format!("Use when the user mentions {subject}, or asks for a summary, a"),
        format!("conversion or a check of one. Not for anything but {subject}."),
    ];
    // Plain, quoted and folded: the three common styles.
    match number % 3 {
        0 => writeln!(text, "description: {}", description.join(" ")),
        1 => writeln!(text, "description: \"{}\"", description.join(" ")),
        _ => writeln!(text, "description: >-\n  {}", description.join("\n  ")),
    }
    .expect("a string can be written to");
    text.push_str("license: Apache-2.0\n");
    if number.is_multiple_of(2) {
        text.push_str("compatibility: Needs a POSIX shell, and the tool it runs on the PATH.\n");
    }
    write!(text, "metadata:\n  author: example-org\n  version: \"1.{}\"\n---\n", number % 10)
        .expect("a string can be written to");
    write!(
        text,
        "\n# Work with {subject}\n\nRun `scripts/run.sh` on the input. Read [the guide](references/guide.md) before you \
         start,\nand [the interface](references/api.md) when an option is not clear. The summary follows\n\
         `assets/template.txt`.\n\n## Quick start\n\n```sh\nscripts/run.sh --input data/{topic}.txt --output result.txt\n\
         diff -u data/{topic}.txt result.txt\n```\n\n## Steps\n\n"
    )
    .expect("a string can be written to");
    for step in 0..3 + number % 4 {
        write!(text, "{}. **Step {}.** {}\n\n", step + 1, step + 1, STEPS[step])
            .expect("a string can be written to");
    }
    text.push_str(
        "## Options\n\n\
         | Option       | Default  | Meaning                               |\n\
         | ------------ | -------- | ------------------------------------- |\n\
         | `--input`    | none     | The file to read                      |\n\
         | `--output`   | `-`      | The file to write, or standard output |\n\
         | `--strict`   | off      | Stop at the first record that is odd  |\n\
         | `--format`   | `text`   | How the result is written             |\n\n\
         ## When it fails\n\n\
         - An empty result means that no record matched: show the first ten lines and ask.\n\
         - A message about a record means what it says; try `--strict` to see the first one.\n",
    );
    text
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}
