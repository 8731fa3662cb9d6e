//! Help and errors mention only flags that the command has, and files that every installation has.

use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use skills::cli::args::Cli;

use crate::harness::{Sandbox, good_text};

fn command(verb: &str) -> Option<clap::Command> {
    let mut cli = Cli::command();
    cli.build();
    cli.find_subcommand(verb).cloned()
}

fn has_flag(verb: &str, flag: &str) -> bool {
    let command = command(verb).unwrap_or_else(|| panic!("no command {verb}"));
    command.get_arguments().any(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        argument.get_long() == Some(flag) || aliases.contains(&flag)
    })
}

/// The flags in a text, each with its command: the last one named before it on the line, or else
/// the one that prints the text.
fn mentioned(text: &str, verb: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (at, _) in line.match_indices("--") {
            let is_start = line[..at].chars().next_back().is_none_or(|one| " `(=[|".contains(one));
            let is_letter = |one: &char| one.is_ascii_lowercase() || *one == '-';
            let flag: String = line[at + 2..].chars().take_while(is_letter).collect();
            if !is_start || !flag.starts_with(|one: char| one.is_ascii_lowercase()) {
                continue;
            }
            let about = line[..at].rsplit_once("skills ").and_then(|(before, rest)| {
                let word = rest.split([' ', '`']).next()?;
                let is_program = before.is_empty() || before.ends_with([' ', '`', '(', '"']);
                let is_here = !rest.contains('`') || rest.starts_with('`');
                (is_program && is_here && command(word).is_some()).then(|| word.to_owned())
            });
            found.push((about.unwrap_or_else(|| verb.to_owned()), flag));
        }
    }
    found
}

#[test]
fn help_mentions_only_flags_of_its_command() {
    let (mut number, mut faults) = (0, Vec::new());
    for command in Cli::command().get_subcommands() {
        let mut texts: Vec<String> = command
            .get_arguments()
            .flat_map(|argument| [argument.get_help(), argument.get_long_help()])
            .flatten()
            .map(ToString::to_string)
            .collect();
        let more = [command.get_about(), command.get_long_about(), command.get_after_help()];
        texts.extend(more.into_iter().flatten().map(ToString::to_string));
        for (about, flag) in texts.iter().flat_map(|text| mentioned(text, command.get_name())) {
            number += 1;
            let verb = command.get_name();
            if !has_flag(&about, &flag) {
                faults.push(format!("`skills {verb} --help`: `{about}` has no `--{flag}`"));
            }
        }
    }
    assert!(number > 30, "only {number} flags found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn errors_mention_only_flags_of_their_command() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("good/pdf");
    sandbox.good_skill("outer/inner/nested");
    sandbox.write("outer/SKILL.md", good_text("outer"));
    sandbox.good_skill("twins/one/twin");
    sandbox.skill("twins/two/twin", &(good_text("twin") + "More.\n"));
    sandbox.skill("broken/bad", "---\nname: bad\ndescription: [\n---\n\nText.\n");
    sandbox.good_skill("large/big");
    sandbox.write("large/big/data", "x".repeat(11 << 20));
    sandbox.mkdir("empty");
    sandbox.write("manifests/strict.yaml", "validate: strict\nskills: [../broken, ../good]\n");
    sandbox.write("manifests/params.yaml", "skills: [{source: ../good, enabled: {param: x}}]\n");
    sandbox.write("manifests/sections.yaml", "skills: [../good]\nsections: {data: summary}\n");
    sandbox.write("manifests/all.yaml", "skills: [../twins]\n");
    let sources = [
        "missing",
        "empty",
        "manifests/all.yaml",
        "twins",
        "broken",
        "broken/bad",
        "large",
        "owner/repo",
        "--only=nested outer",
        "--only=other good",
        "--deny=* good",
        "--frozen good",
        "--expand=x good",
        "--manifest=manifests/strict.yaml",
        "--manifest=manifests/params.yaml",
        "--manifest=manifests/sections.yaml --expand=dota",
        "--manifest=manifests/none.yaml",
        "--frozen",
        "--param=x good",
        "",
    ];
    let (mut number, mut faults) = (0, Vec::new());
    for verb in
        ["validate", "list", "render", "read", "install", "mount", "pack", "lock", "outdated"]
    {
        for source in sources {
            let mut args: Vec<&str> = vec![verb];
            if verb == "read" {
                args.push("pdf");
            }
            args.extend(source.split_whitespace());
            let run = sandbox.run(&args);
            // The parser refuses flags that the verb lacks, and suggests others itself.
            if run.stderr.contains("unexpected argument") {
                continue;
            }
            for (about, flag) in mentioned(&run.stderr, verb) {
                number += 1;
                if !has_flag(&about, &flag) {
                    faults.push(format!("{args:?}: `{about}` has no `--{flag}`: {}", run.stderr));
                }
            }
        }
    }
    assert!(number > 30, "only {number} flags found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// All files of a directory with this ending.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path, ending) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == ending))
        .collect()
}

#[test]
fn no_text_sends_people_to_a_file_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in files(&root.join("src"), "rs") {
        // Comments on flags become help.
        let is_help = path.starts_with(root.join("src/cli/args"));
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let line = line.trim();
            let is_comment = line.starts_with("//") && !(is_help && line.starts_with("/// "));
            let is_build = line.contains("include_str!");
            // Rules show links of skills, not of this repository.
            let is_example = path.starts_with(root.join("src/skills/judge/rules"));
            if is_comment || is_build || is_example {
                continue;
            }
            let place = format!("{}:{}", path.display(), number + 1);
            for place_of_ours in ["docs/", "README.md", "CONTRIBUTING.md", "fixtures/"] {
                assert!(!line.contains(place_of_ours), "{place}: {line}");
            }
        }
    }
}
