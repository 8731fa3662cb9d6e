//! Runs the `console` blocks of the documentation in a shell, and compares the output. A block that
//! cannot be run says why.
//!
//! All blocks of a document are one session. It starts in a directory that looks like a clone of
//! this repository, with `fixtures/`, `skills` on the `PATH`, an empty home and no network. `…` in
//! the output stands for anything within a line, and on a line of its own for any number of lines.
//! A command that fails is followed by `echo $?`, so that readers see the code.

mod fences;
pub(crate) mod session;

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Sandbox, good_text, verbs};
use fences::{Block, Step, code_spans, reason, split};

/// Every page that strangers read, with its path below the repository.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = ["", "docs", "fuzz"]
        .into_iter()
        .filter_map(|directory| root.join(directory).read_dir().ok())
        .flat_map(|entries| entries.map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    paths.into_iter().map(named).collect()
}

#[test]
fn console_blocks_show_real_output() {
    let documents = documents();
    assert!(documents.iter().any(|(name, _)| name == "README.md"), "nothing to check");
    let faults: Vec<String> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (name, text) in &documents {
            threads.push(scope.spawn(move || check(name, text)));
        }
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_block_of_commands_is_run_or_says_why_not() {
    for (name, text) in documents() {
        let (blocks, prose) = split(&text);
        for block in &blocks {
            let place = format!("{name}:{}", block.line);
            assert!(!block.language.is_empty(), "{place}: say what the block holds, or `text`");
            assert!(
                !block.has_commands() || block.language == "console" || block.not_run.is_some(),
                "{place}: make it a `console` block, or write `<!-- not run: why -->` before it"
            );
            assert!(block.not_run.as_deref() != Some(""), "{place}: say why it is not run");
        }
        let marks = prose.iter().filter_map(|line| reason(line)).count();
        let marked = blocks.iter().filter(|block| block.not_run.is_some()).count();
        assert_eq!(marks, marked, "{name}: a mark `not run` stands before no block");
    }
}

#[test]
fn the_readme_shows_every_verb_at_work() {
    let (_, text) = documents().into_iter().find(|(name, _)| name == "README.md").unwrap();
    let (blocks, _) = split(&text);
    let blocks = blocks.iter().filter(|block| is_run(block));
    let steps: Vec<Step> = blocks.flat_map(Block::steps).collect();
    for verb in verbs() {
        let call = format!("skills {verb} ");
        let shown = steps.iter().any(|step| format!("{} ", step.command).contains(&call));
        assert!(shown, "README.md has no example of `skills {verb}`");
    }
}

fn is_run(block: &Block) -> bool {
    block.language == "console" && block.not_run.is_none()
}

/// Runs the commands of a document and returns the differences.
fn check(name: &str, text: &str) -> Vec<String> {
    let (blocks, _) = split(text);
    let blocks = blocks.iter().filter(|block| is_run(block));
    let steps: Vec<Step> = blocks.flat_map(Block::steps).collect();
    let commands: Vec<&str> = steps.iter().map(|step| step.command.as_str()).collect();
    let mut faults = Vec::new();
    for (number, (step, ran)) in steps.iter().zip(session::run(&commands, &[])).enumerate() {
        let place = format!("{name}:{}: $ {}", step.line, step.command);
        let Some(code) = ran.code else {
            faults.push(format!("{place}\nwas not reached"));
            break;
        };
        if !matches(&step.output, &ran.output.lines().collect::<Vec<_>>()) {
            faults.push(format!("{place}\nprints\n{}", ran.output));
        }
        let is_shown = steps.get(number + 1).is_some_and(|next| next.command == "echo $?");
        if code != 0 && !is_shown {
            faults.push(format!("{place}\nfails with {code}; show it with `$ echo $?`"));
        }
    }
    faults
}

/// Whether the output matches: a line `…` stands for any number of lines.
fn matches(shown: &[String], lines: &[&str]) -> bool {
    match (shown.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first.trim() == "…" => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        (Some((first, rest)), Some((line, others))) => {
            line_matches(first.trim_end(), line.trim_end()) && matches(rest, others)
        }
        _ => false,
    }
}

/// Whether a line matches: `…` stands for anything.
fn line_matches(shown: &str, line: &str) -> bool {
    let Some((before, after)) = shown.split_once('…') else { return shown == line };
    let Some(rest) = line.strip_prefix(before) else { return false };
    let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.into_iter().any(|at| line_matches(after, &rest[at..]))
}

#[test]
fn placeholders_match_as_documented() {
    let check = |shown: &str, printed: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        matches(&shown, &printed.lines().collect::<Vec<_>>())
    };
    assert!(check("a\nb", "a\nb"));
    assert!(check("a … c", "a b c") && check("…", "") && check("…\nb", "x\ny\nb"));
    assert!(!check("a", "a\nb") && !check("a\nb", "a") && !check("", "a") && !check("a", ""));
    assert!(!check("a … c", "a b d") && !check("x\n…\nb", "x\ny"));
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, text) in documents() {
        let (_, prose) = split(&text);
        let prose = prose.join("\n");
        for (_, rest) in prose.match_indices("](").map(|(at, _)| prose.split_at(at + 2)) {
            let target = rest.split(')').next().unwrap();
            if target.contains("://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let here = root.join(&name);
            let file = if path.is_empty() { here } else { here.parent().unwrap().join(path) };
            assert!(file.exists(), "{name}: the link to `{target}` leads nowhere");
            if !anchor.is_empty() {
                let page = fs::read_to_string(&file).unwrap();
                assert!(
                    anchors(&page).contains(&anchor.to_owned()),
                    "{name}: no `#{anchor}` there"
                );
            }
        }
    }
}

#[test]
fn every_file_of_the_repository_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tops = ["src/", "tests/", "benches/", "fixtures/", "docs/", ".ci/", ".github/workflows/"];
    for (name, text) in documents() {
        let (_, prose) = split(&text);
        for span in code_spans(&prose) {
            let path = span.split([' ', ':']).next().unwrap();
            let is_pattern = path.contains(['<', '*', '…', '{']);
            if tops.iter().any(|top| path.starts_with(top)) && !is_pattern {
                assert!(root.join(path).exists(), "{name}: there is no `{path}`");
            }
        }
    }
}

/// The anchor of a heading.
fn anchors(page: &str) -> Vec<String> {
    let (_, prose) = split(page);
    let headings = prose.iter().filter(|line| line.starts_with('#'));
    let anchor = |heading: &String| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn manifests_that_are_shown_can_be_read() {
    for page in ["docs/manifest.md", "docs/list.md"] {
        let (_, text) = documents().into_iter().find(|(name, _)| name == page).unwrap();
        let (blocks, _) = split(&text);
        let shown: Vec<&Block> = blocks.iter().filter(|block| block.language == "yaml").collect();
        assert!(!shown.is_empty(), "{page} shows none");
        for block in shown {
            let sandbox = Sandbox::repository();
            sandbox.write("skills.yaml", block.lines.join("\n") + "\n");
            sandbox.good_skill("skills/linting");
            sandbox.skill("internal/review-v2", &good_text("review-v2"));
            let document = sandbox.document(["list", "--format", "json"]);
            assert!(document["error"].is_null(), "{page}:{}: {document:#}", block.line);
        }
    }
}
