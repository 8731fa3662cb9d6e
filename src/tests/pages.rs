//! Pages and help agree with the command line and with the tables of agents.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};

use crate::cli::args::Cli;
use crate::cli::help::TIPS;
use crate::skills::agents::{AGENTS, table};

/// A file of the repository.
fn page(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Every page that strangers read.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directories = ["", "docs", "fuzz"].map(|name| root.join(name));
    let files = directories.iter().flat_map(|directory| directory.read_dir().unwrap());
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let named = |path: PathBuf| (path.display().to_string(), fs::read_to_string(path).unwrap());
    paths.into_iter().map(named).collect()
}

/// The commands of a page: lines of blocks, and code in running text.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in page.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            found.push(line.trim_start_matches("$ ").to_owned());
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found.retain(|line| {
        line.starts_with("skills ")
            && !line.contains("  ")
            && !line.contains(" [")
            && !line.starts_with("skills =")
    });
    found
}

/// The words of a simple command, up to the first shell syntax.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, '#' | '>' | '<' | '|' | ';' | '&' | ')' | '\\') if word.is_empty() => break,
            (None, ' ') => words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty())),
            _ => word.push(character),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[test]
fn every_command_on_a_page_can_be_parsed() {
    let cli = Cli::command();
    let verbs: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    let (mut number, mut faults) = (0, Vec::new());
    for (name, page) in pages() {
        for line in commands(&page) {
            let words = words(&line);
            // A verb alone is just its name; with arguments, it is a command.
            if words.len() < 2 || words.len() == 2 && verbs.contains(&words[1].as_str()) {
                continue;
            }
            number += 1;
            if let Err(fault) = Cli::try_parse_from(&words)
                && fault.use_stderr()
            {
                faults.push(format!("{name}: `{line}`: {fault}"));
            }
        }
    }
    assert!(number > 250, "only {number} commands found");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_line_of_help_fits_and_starts_like_a_sentence() {
    let root = Cli::command();
    for command in root.get_subcommands().chain([&root]) {
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let place = format!("{} {}: {help}", command.get_name(), argument.get_id());
            assert!(help.starts_with(char::is_uppercase), "{place}");
            assert!(!help.ends_with('.') && !help.contains('\n'), "{place}");
            // The long help indents by ten columns, and is at most 100 wide.
            assert!(help.chars().count() <= 90, "{place}");
        }
        let about = command.get_about().unwrap().to_string();
        assert!(about.chars().count() <= 85, "{about}");
        let aliases: Vec<&str> = command.get_visible_aliases().collect();
        assert_eq!(aliases, command.get_all_aliases().collect::<Vec<_>>(), "none is hidden");
    }
}

#[test]
fn every_tip_is_for_a_word_that_is_no_command_and_names_commands_that_exist() {
    let command = Cli::command();
    let mut seen = HashSet::new();
    for (wanted, tip) in TIPS {
        for word in *wanted {
            assert!(command.find_subcommand(word).is_none(), "{word} is a command");
            assert!(seen.insert(*word), "{word} has two tips");
        }
        for code in commands(tip) {
            let code = code.replace("SHELL", "bash").replace("COMMAND", "list");
            let parsed = Cli::command().try_get_matches_from(code.split_whitespace());
            let is_fine = |error: &clap::Error| {
                !error.use_stderr()
                    || error.kind() == clap::error::ErrorKind::MissingRequiredArgument
            };
            assert!(parsed.as_ref().err().is_none_or(is_fine), "{code}: {parsed:?}");
        }
    }
}

/// Whether a table of a page has a row that starts with this word.
fn has_row(page: &str, word: &str) -> bool {
    page.contains(&format!("\n| {word} |")) || page.contains(&format!("\n| `{word}` |"))
}

#[test]
fn every_agent_is_documented() {
    for agent in &AGENTS {
        for path in ["docs/list.md", "docs/install.md", "docs/mount.md", "docs/render.md"] {
            assert!(has_row(&page(path), agent.id), "{path} has no row about {}", agent.id);
        }
        let version = agent.observed.rsplit(' ').next().unwrap();
        let row = format!("\n| `{}` | {version} |", agent.id);
        assert!(page("docs/list.md").contains(&row), "docs/list.md names another version: {row}");
    }
}

#[test]
fn every_target_is_documented() {
    let page = page("docs/install.md");
    for id in table::ids() {
        let target = table::find(id).unwrap();
        let row = format!("\n| {id} | `{}` |", target.target().project);
        assert!(page.contains(&row), "docs/install.md has no row `{row}`");
    }
}

/// Tests of what reaches an agent go by this table.
#[test]
fn every_login_key_and_variable_of_an_agent_is_documented() {
    let page = page("docs/mount.md");
    for agent in &AGENTS {
        let directory = table::find(agent.id).unwrap().target().project;
        let start = format!("| {} | `{directory}` |", agent.id);
        let row = page.lines().find(|line| line.starts_with(&start)).unwrap();
        let logins = agent.mounting.logins.iter().map(|login| login.inside);
        for word in logins.chain(agent.mounting.keys.iter().chain(agent.mounting.unset).copied()) {
            assert!(
                row.contains(&format!("`{word}`")),
                "docs/mount.md: {} lacks `{word}`",
                agent.id
            );
        }
    }
}
