//! The completions that shells offer. The committed scripts must be those the program prints.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use skills::cli::args::Cli;
use skills::internal::agents::AGENTS;
use skills::internal::judge::rules::RULES;

use crate::harness::{Sandbox, lacks};

/// Every shell, and the name of its script.
const SCRIPTS: [(&str, &str); 5] = [
    ("bash", "skills.bash"),
    ("zsh", "_skills"),
    ("fish", "skills.fish"),
    ("powershell", "_skills.ps1"),
    ("elvish", "skills.elv"),
];

fn committed(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The completions of bash for the last of these words.
fn bash(words: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new();
    sandbox.write("skills.bash", committed("completions/skills.bash"));
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source ./skills.bash; COMP_WORDS=({}); COMP_CWORD={}\n\
         _skills skills \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words.len() - 1
    );
    sandbox.write("tab.bash", script);
    let run = sandbox.shell("bash tab.bash");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_offers_agents_formats_rules_and_levels() {
    if lacks(&["bash"]) {
        return;
    }
    assert_eq!(bash(&["skills", "ver"]), ["verify"]);
    assert_eq!(bash(&["skills", "list", "--agent", "co"]), ["codex", "copilot"]);
    assert_eq!(bash(&["skills", "install", "--agent", "windsu"]), ["windsurf"]);
    assert_eq!(bash(&["skills", "mount", "./x", "--agent", "al"]), ["all"]);
    let formats = ["human", "json", "sarif", "github", "junit"];
    assert_eq!(bash(&["skills", "validate", "--format", ""]), formats);
    assert_eq!(bash(&["skills", "explain", "invalid-"]), ["invalid-yaml"]);
    let levels = ["off", "note", "warning", "error"].map(|level| format!("invalid-yaml={level}"));
    assert_eq!(bash(&["skills", "validate", "--rule", "invalid-"]), levels);
    assert_eq!(bash(&["skills", "validate", "--fix", ""]), [""], "a source follows");
    for word in ["./unknown", ""] {
        assert_eq!(bash(&["skills", "validate", word]), [""], "files are for bash to find");
    }
    // Bash treats `=` as a separate word.
    assert_eq!(bash(&["skills", "list", "--agent", "=", "co"]), ["codex", "copilot"]);
    assert_eq!(bash(&["skills", "validate", "--rule", "invalid-yaml", "=", "o"]), ["off"]);
    assert_eq!(
        bash(&["skills", "validate", "--rule", "invalid-yaml", "="]),
        ["off", "note", "warning", "error"]
    );
    // After `--` comes a command.
    assert!(bash(&["skills", "mount", "x", "--", "tru"]).iter().any(|word| word == "true"));
}

#[test]
fn every_shell_gets_every_value() {
    let mut wanted: Vec<String> = RULES.iter().map(|rule| format!("{}=warning", rule.id)).collect();
    wanted.extend(AGENTS.iter().map(|agent| agent.id.to_owned()));
    for command in Cli::command().get_subcommands() {
        wanted.push(command.get_name().to_owned());
        let formats = command.get_arguments().filter(|argument| argument.get_id() == "format");
        let values = formats.flat_map(clap::Arg::get_possible_values);
        wanted.extend(values.map(|value| value.get_name().to_owned()));
    }
    for (shell, file) in SCRIPTS {
        let script = committed(&format!("completions/{file}"));
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '=');
        let words: std::collections::HashSet<&str> = script.split(|c| !is_letter(c)).collect();
        for word in &wanted {
            assert!(words.contains(word.as_str()), "{shell} does not offer `{word}`");
        }
    }
}

#[test]
fn generated_completions_are_committed() {
    let sandbox = Sandbox::new();
    let stale = |path: &str| format!("{path} is stale: run .ci/generate and commit the result");
    for (shell, file) in SCRIPTS {
        let path = format!("completions/{file}");
        assert!(sandbox.run(["completions", shell]).stdout == committed(&path), "{}", stale(&path));
    }
    for (path, args) in [
        ("docs/rules.md", &["rules", "--format", "markdown"][..]),
        ("docs/skills.schema.json", &["schema"]),
    ] {
        assert!(sandbox.run(args).stdout == committed(path), "{}", stale(path));
    }
    sandbox.run(["man", "--dir", "man"]);
    let pages = |directory: &Path| {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let mut pages: Vec<_> = entries
            .map(|path| (path.file_name().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
            .collect();
        pages.sort();
        pages
    };
    let here = pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man"));
    assert!(here == pages(&sandbox.path("man")), "{}", stale("docs/man"));
}
