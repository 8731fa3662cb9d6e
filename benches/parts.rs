//! Benchmarks of the parts that decide the speed: `cargo bench`, or `cargo bench -- parser`.
//!
//! `benches/compare` measures the whole program.

#![expect(clippy::expect_used, reason = "where skills cannot be made, there is nothing to measure")]
#![expect(missing_docs, reason = "the macro of criterion makes a function without a word")]

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use skills::internal::find::record::Index;
use skills::internal::find::selection::{self, Selection};
use skills::internal::judge::opened::OpenedSkill;
use skills::internal::judge::options::JudgeOptions;
use skills::internal::judge::validate::check_text;
use skills::internal::model::reporter::Silent;
use skills::internal::model::request::Request;
use skills::internal::put::install;
use skills::internal::put::install::candidate::{self, Candidate, CandidateOptions};
use skills::internal::put::install::plan::{self, Standing};
use skills::internal::show::layout::{CatalogueLine, Prompt};
use skills::internal::text::document::Document;
use skills::output::prompt;

/// Ways to write front matter, from the plainest to one that only a YAML parser reads.
const FRONT_MATTERS: [(&str, &str); 4] = [
    ("plain", "name: pdf\ndescription: Read PDF files. Use when the user mentions one.\n"),
    ("quoted", "name: pdf\ndescription: \"Read PDF files: all. Use when one is mentioned.\"\n"),
    ("folded", "name: pdf\ndescription: >-\n  Read PDF files.\n  Use when one is mentioned.\n"),
    ("flow", "name: pdf\ndescription: Use when a PDF is mentioned.\nmetadata: {author: 'me'}\n"),
];

/// A paragraph of a body, with the marks that rules look at.
const PARAGRAPH: &str = "\
## Steps

Run `scripts/run.sh` on the input, and read [the guide](references/guide.md) before you start. Keep
the original: write results beside it under a new name, and never overwrite a file that the user
has not named.

| Option    | Default | Meaning              |
| --------- | ------- | -------------------- |
| `--input` | none    | The file to read     |

";

fn skill_md(front_matter: &str, paragraphs: usize) -> String {
    format!("---\n{front_matter}---\n\n# Title\n\n{}", PARAGRAPH.repeat(paragraphs))
}

fn parser(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parser");
    for (style, front_matter) in FRONT_MATTERS {
        let text = skill_md(front_matter, 5);
        group.bench_function(style, |bencher| bencher.iter(|| Document::parse(black_box(&text))));
    }
}

fn rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rules");
    let options = JudgeOptions::default();
    for paragraphs in [5, 500] {
        let text = skill_md(FRONT_MATTERS[0].1, paragraphs);
        group.throughput(Throughput::Bytes(text.len() as u64));
        let id = BenchmarkId::from_parameter(format!("{paragraphs} paragraphs"));
        group.bench_with_input(id, &text, |bencher, text| {
            bencher.iter(|| check_text("pdf", black_box(text), &options));
        });
    }
}

fn render(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render");
    for (kind, description) in [
        ("plain", "Read PDF files. Use when the user mentions one of them."),
        ("escaped", "Read <PDF> files & the user's \"notes\".  Use when one is mentioned."),
    ] {
        let line = |number: usize| CatalogueLine {
            name: format!("skill-{number}"),
            description: Some(description.to_owned()),
            location: Some(format!("/home/me/skills/skill-{number}/SKILL.md")),
            section: None,
        };
        let lines = (0..1_000).map(line).collect();
        let prompt = Prompt { lines, instructions: true, ..Prompt::default() };
        let mut out = Vec::new();
        group.bench_function(format!("1000 {kind}"), |bencher| {
            bencher.iter(|| {
                out.clear();
                prompt::xml(&mut out, black_box(&prompt))
            });
        });
    }
}

fn plan(criterion: &mut Criterion) {
    let root = tempfile::tempdir().expect("a directory for the skills");
    let candidates = candidates(root.path(), 50);
    let candidates: Vec<&Candidate> = candidates.iter().collect();
    let index = Index::default();
    let place = root.path().join("nowhere");
    let (directory, disabled, moved) = (None, None, None);
    let standing = Standing { directory, disabled, path: &place, index: &index, moved };
    let mut group = criterion.benchmark_group("plan");
    for (kind, dry_run) in [("50 skills", false), ("50 skills with digests", true)] {
        let options = install::InstallOptions { dry_run, ..install::InstallOptions::default() };
        group.bench_function(kind, |bencher| {
            bencher.iter(|| plan::install(black_box(&candidates), &standing, &options, &Silent));
        });
    }
}

/// Skills on the disk, read as `install` reads them.
fn candidates(root: &Path, count: usize) -> Vec<Candidate> {
    for number in 0..count {
        let skill = root.join(format!("skill-{number}"));
        let front_matter = format!("name: skill-{number}\ndescription: Use when it is measured.\n");
        fs::create_dir_all(skill.join("references")).expect("a skill");
        fs::write(skill.join("SKILL.md"), skill_md(&front_matter, 5)).expect("a SKILL.md");
        fs::write(skill.join("references/guide.md"), PARAGRAPH).expect("a guide");
    }
    let request = Request::named(root).expect("a path");
    let selection = Selection { requests: vec![request], ..Selection::default() };
    let options = CandidateOptions::default();
    let read = |opened: &OpenedSkill<'_>| candidate::read(opened, &options);
    let (found, _) = selection::judge(&selection, &read).expect("skills that can be read");
    found.into_iter().map(|judged| judged.made.candidate.expect("a candidate")).collect()
}

criterion_group! {
    name = parts;
    // Few samples: enough to show a real change.
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = parser, rules, render, plan
}
criterion_main!(parts);
