//! Checks the steps of docs/extending.md: fails if a new rule, agent or format misses one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::CommandFactory;
use serde_json::Value;
use skills::cli::args::Cli;
use skills::internal::agents::{AGENTS, targets};
use skills::internal::judge::rules::RULES;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether a table of a page has a row that starts with this word.
fn has_row(page: &str, word: &str) -> bool {
    page.contains(&format!("\n| {word} |")) || page.contains(&format!("\n| `{word}` |"))
}

#[test]
fn every_rule_is_a_file_and_every_file_a_rule() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/skills/judge/rules");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let stems = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let others = ["mod", "tests"];
    let stems: BTreeSet<String> = stems.filter(|stem| !others.contains(&stem.as_str())).collect();
    let ids: BTreeSet<String> = RULES.iter().map(|rule| rule.id.replace('-', "_")).collect();
    assert_eq!(
        stems, ids,
        "src/skills/judge/rules has a file that is not in RULES, or the reverse"
    );
}

#[test]
fn every_rule_is_documented_and_recorded() {
    let page = text("docs/rules.md");
    for rule in RULES {
        assert!(page.contains(&format!("\n## {}\n", rule.id)), "{} is not in docs", rule.id);
        text(&format!("tests/snapshots/{}.snap", rule.id));
    }
}

#[test]
fn every_agent_was_observed() {
    for file in ["tests/agents/observed.json", "tests/agents/observed-random.json"] {
        let cases: Vec<Value> = serde_json::from_str(&text(file)).unwrap();
        for agent in &AGENTS {
            let unseen = cases.iter().find(|case| case.get(agent.id).is_none());
            assert!(unseen.is_none(), "{file} has no {} in {unseen:?}", agent.id);
        }
    }
}

#[test]
fn the_listing_of_every_agent_is_recorded() {
    for agent in &AGENTS {
        text(&format!("tests/snapshots/cli__render__listing_of_{}.snap", agent.id));
    }
}

#[test]
fn every_agent_is_documented() {
    for agent in &AGENTS {
        for page in ["docs/list.md", "docs/install.md", "docs/mount.md", "docs/render.md"] {
            assert!(has_row(&text(page), agent.id), "{page} has no row about {}", agent.id);
        }
        let version = agent.observed.rsplit(' ').next().unwrap();
        let row = format!("\n| `{}` | {version} |", agent.id);
        assert!(text("docs/list.md").contains(&row), "docs/list.md names another version: {row}");
    }
}

#[test]
fn every_target_is_documented() {
    let page = text("docs/install.md");
    for id in targets::ids() {
        let target = targets::find(id).unwrap();
        let row = format!("\n| {id} | `{}` |", target.target().project);
        assert!(page.contains(&row), "docs/install.md has no row `{row}`");
    }
}

#[test]
fn every_format_is_documented() {
    for command in Cli::command().get_subcommands() {
        let verb = command.get_name();
        let page = match verb {
            "read" => "docs/list.md".to_owned(),
            "remove" | "verify" => "docs/install.md".to_owned(),
            "pack" => "docs/archives.md".to_owned(),
            "outdated" => "docs/lock.md".to_owned(),
            "rules" => "docs/json.md".to_owned(),
            verb => format!("docs/{verb}.md"),
        };
        let formats = command.get_arguments().filter(|argument| argument.get_id() == "format");
        for value in formats.flat_map(clap::Arg::get_possible_values) {
            let name = value.get_name();
            // The default format, and the format that docs/json.md describes.
            if ["human", "path", "json"].contains(&name) || (verb, name) == ("rules", "markdown") {
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
    let command = Cli::command();
    let validate = command.find_subcommand("validate").unwrap();
    let format = validate.get_arguments().find(|argument| argument.get_id() == "format").unwrap();
    for value in format.get_possible_values() {
        let quoted = format!("\"{}\"", value.get_name());
        let wanted = if value.get_name() == "human" { 1 } else { 2 };
        assert!(speech.matches(&quoted).count() >= wanted, "tests/speech.rs lacks {quoted}");
    }
}

#[test]
fn the_page_names_tests_that_exist() {
    let page = text("docs/extending.md");
    let sources: String = ["extending", "rules", "completions"]
        .map(|name| text(&format!("tests/{name}.rs")))
        .concat();
    for name in page.split('`').skip(1).step_by(2).filter(|word| word.contains("_")) {
        let is_test = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(!is_test || sources.contains(&format!("fn {name}()")), "there is no test `{name}`");
    }
}
