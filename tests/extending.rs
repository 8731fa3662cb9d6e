//! Checks the steps of docs/extending.md: fails if a new rule, agent or format misses one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::harness::{AGENTS, formats, rules, verbs};
use serde_json::Value;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_rule_is_a_file_and_every_file_a_rule() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/skills/judge/rules");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let stems = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let others = ["mod", "tests"];
    let stems: BTreeSet<String> = stems.filter(|stem| !others.contains(&stem.as_str())).collect();
    let ids: BTreeSet<String> = rules().iter().map(|id| id.replace('-', "_")).collect();
    assert_eq!(
        stems, ids,
        "src/skills/judge/rules has a file that is not in RULES, or the reverse"
    );
}

#[test]
fn every_rule_is_documented_and_recorded() {
    let page = text("docs/rules.md");
    for id in rules() {
        assert!(page.contains(&format!("\n## {id}\n")), "{id} is not in docs");
        text(&format!("tests/snapshots/{id}.snap"));
    }
}

#[test]
fn every_agent_was_observed() {
    for file in ["fixtures/agents/observed.json", "fixtures/agents/observed-random.json"] {
        let cases: Vec<Value> = serde_json::from_str(&text(file)).unwrap();
        for agent in AGENTS {
            let unseen = cases.iter().find(|case| case.get(agent).is_none());
            assert!(unseen.is_none(), "{file} has no {agent} in {unseen:?}");
        }
    }
}

#[test]
fn the_listing_of_every_agent_is_recorded() {
    for agent in AGENTS {
        text(&format!("tests/snapshots/cli__render__listing_of_{agent}.snap"));
    }
}

#[test]
fn every_format_is_documented() {
    for verb in verbs() {
        let page = match verb.as_str() {
            "read" => "docs/list.md".to_owned(),
            "remove" | "verify" => "docs/install.md".to_owned(),
            "pack" => "docs/archives.md".to_owned(),
            "outdated" => "docs/lock.md".to_owned(),
            "rules" => "docs/json.md".to_owned(),
            verb => format!("docs/{verb}.md"),
        };
        for name in formats(&verb) {
            // The default format, and the format that docs/json.md describes.
            let pair = (verb.as_str(), name.as_str());
            if ["human", "path", "json"].contains(&pair.1) || pair == ("rules", "markdown") {
                continue;
            }
            let page_text = text(&page);
            let mut words = page_text.split(|c: char| !c.is_alphanumeric());
            assert!(words.any(|word| word == name), "{page} does not name `--format {name}`");
        }
    }
}

#[test]
fn every_format_of_findings_is_tested_for_threads_and_colour() {
    let speech = text("tests/speech.rs");
    for name in formats("validate") {
        let quoted = format!("\"{name}\"");
        let wanted = if name == "human" { 1 } else { 2 };
        assert!(speech.matches(&quoted).count() >= wanted, "tests/speech.rs lacks {quoted}");
    }
}

#[test]
fn the_page_names_tests_that_exist() {
    let page = text("docs/extending.md");
    let sources: String =
        ["tests/extending.rs", "tests/rules.rs", "tests/completions.rs", "src/tests/pages.rs"]
            .map(text)
            .concat();
    for name in page.split('`').skip(1).step_by(2).filter(|word| word.contains("_")) {
        let is_test = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(!is_test || sources.contains(&format!("fn {name}()")), "there is no test `{name}`");
    }
}
