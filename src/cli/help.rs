//! Help, laid out for the terminal: examples and their descriptions side by side if there is room,
//! else below each other.

use std::fmt::Write as _;

use clap::builder::Styles;
use clap::{Command, CommandFactory};

use crate::cli::args::Cli;
use crate::output::layout::beside;

/// Longer lines are hard to read.
const WIDEST: usize = 100;

/// Separates an example from its description.
const GAP: &str = "  ";

/// Headings for commands, in the order of a skill's life; others come last.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Write skills", &["init", "validate", "explain", "rules"]),
    ("Look at skills", &["list", "show", "render", "read"]),
    (
        "Install skills",
        &[
            "install", "sync", "update", "outdated", "lock", "verify", "remove", "disable",
            "enable", "pack",
        ],
    ),
    ("Run agents", &["mount", "unmount"]),
    ("More", &["schema", "completions", "man", "help"]),
];

/// The command that clap adds.
const HELP: (&str, &str) = ("help", "Print the full help of a command");

/// The command line, with help for the terminal at hand.
pub fn command() -> Command {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    fitted(terminal.or_else(variable).unwrap_or(WIDEST))
}

/// The command line, with help for this many columns.
pub fn fitted(columns: usize) -> Command {
    let columns = columns.min(WIDEST);
    let mut command = fit(Cli::command(), columns).term_width(columns);
    let names: Vec<String> =
        command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |verb| fit(with_aliases(verb), columns));
    }
    let commands = grouped(&command, columns);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{commands}\n{}\n{{options}}{{after-help}}",
        heading("Options")
    ))
}

/// All commands, under headings that say what they are for.
fn grouped(command: &Command, columns: usize) -> String {
    let about = |verb: &Command| verb.get_about().map(ToString::to_string).unwrap_or_default();
    let mut verbs: Vec<(String, String)> =
        command.get_subcommands().map(|verb| (verb.get_name().to_owned(), about(verb))).collect();
    verbs.push((HELP.0.to_owned(), HELP.1.to_owned()));
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let width = verbs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let margin = " ".repeat(width + 4);
    let name_style = *Styles::default().get_literal();
    let mut text = String::new();
    for (number, (title, names)) in GROUPS.iter().enumerate() {
        let _ = writeln!(text, "\n{}", heading(title));
        let ours = names.iter().filter_map(|name| verbs.iter().find(|(verb, _)| verb == name));
        let last = number + 1 == GROUPS.len();
        let others = verbs.iter().filter(|(verb, _)| last && !is_grouped(verb));
        for (name, about) in ours.chain(others) {
            let gap = " ".repeat(width - name.len() + 2);
            let about = beside(&gap, about, Some(columns), margin.len(), &margin);
            let _ = writeln!(text, "  {name_style}{name}{name_style:#}{about}");
        }
    }
    text
}

/// Adds the aliases of a command to its description, which help and manual pages print.
fn with_aliases(command: Command) -> Command {
    let aliases: Vec<&str> = command.get_visible_aliases().collect();
    let (Some(about), false) = (command.get_about(), aliases.is_empty()) else { return command };
    let word = if aliases.len() == 1 { "alias" } else { "aliases" };
    let about = format!("{about} [{word}: {}]", aliases.join(", "));
    command.about(about)
}

fn heading(title: &str) -> String {
    let style = *Styles::default().get_header();
    format!("{style}{title}:{style:#}")
}

fn fit(command: Command, columns: usize) -> Command {
    match command.get_after_help().map(|text| narrowed(&text.to_string(), columns)) {
        Some(text) => command.after_help(text),
        None => command,
    }
}

/// Moves the descriptions of examples to separate lines if one of them is too long.
fn narrowed(text: &str, columns: usize) -> String {
    let is_example = |line: &str| line.starts_with(GAP);
    if text.lines().filter(|line| is_example(line)).all(|line| line.chars().count() <= columns) {
        return text.to_owned();
    }
    let line = |line: &str| match line.trim_start().split_once(GAP) {
        Some((example, words)) if is_example(line) => {
            format!("{GAP}{example}\n      {}", words.trim_start())
        }
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

// Tips for words that are not commands. Similar spelling does not show what was meant: `undo`
// resembles `unmount`. So only the words listed here get a tip.

/// Words that other programs use as commands, and what to do here instead.
pub const TIPS: &[(&[&str], &str)] = &[
    // Finding.
    (
        &["search", "find", "browse", "explore", "discover"],
        "skills searches no catalogue; `skills list gh:OWNER/REPO` lists the skills of a repository",
    ),
    (
        &["preview", "details", "inspect", "describe"],
        "use `skills show OWNER/REPO@NAME`, or `skills show NAME`",
    ),
    (&["open", "print", "readme"], "use `skills read skill://NAME`"),
    (&["which", "where", "path", "locate"], "use `skills list --format paths`"),
    (
        &["why", "status", "doctor"],
        "use `skills list -v` for what agents load, and `skills verify` for edits",
    ),
    (&["tree", "files"], "use `skills show NAME`"),
    (&["size", "digest", "hash"], "use `skills list --long`"),
    (&["lst", "lsit", "lits", "all", "installed"], "use `skills list`"),
    // Installing.
    (
        &["get", "fetch", "download", "clone", "import", "instal", "isntall", "intall"],
        "use `skills install`",
    ),
    (&["pull"], "use `skills update` for installed skills, and `skills install` for new ones"),
    (&["reinstall"], "use `skills install --force`"),
    (&["ci", "restore", "experimental_install"], "use `skills install --frozen`"),
    (&["link", "dev", "develop"], "use `skills install ./DIR --link`"),
    (&["refresh"], "use `skills update`"),
    (&["experimental_sync", "bundle", "apply"], "use `skills sync`"),
    (&["undo", "rollback", "revert"], "use `skills update --undo`"),
    (&["delete", "del", "erase", "unistall", "purge"], "use `skills remove`"),
    (&["toggle", "off", "on", "hide", "unhide"], "use `skills disable` and `skills enable`"),
    (
        &["prune", "autoremove", "clean", "gc"],
        "use `skills unmount --stale` for homes, and `skills remove` for skills",
    ),
    (&["freeze", "pin", "shrinkwrap"], "use `skills lock`"),
    // Writing.
    (&["create", "generate", "scaffold", "template"], "use `skills init`"),
    (
        &["rename", "mv", "move"],
        "change `name` in SKILL.md and rename its directory, then `skills install` it and `skills remove` the old name",
    ),
    (&["edit"], "edit the files of the skill, then run `skills validate`"),
    (&["test", "vaildate", "valdate", "verfiy", "checks"], "use `skills validate`"),
    (&["fix", "format", "fmt", "repair"], "use `skills validate --fix`"),
    (
        &["diff", "compare", "changes"],
        "use `skills show NAME --diff` to compare with the source, `skills verify` for edits, and `skills validate --diff` for repairs",
    ),
    (&["audit", "scan", "security"], "use `skills validate --deep`"),
    (&["rule"], "use `skills rules`, or `skills explain RULE`"),
    // Publishing.
    (
        &["publish", "release", "deploy"],
        "use `skills push` for a registry, `skills pack` for archives, or push to a git repository",
    ),
    (&["package", "zip", "archive", "build", "export"], "use `skills pack`"),
    (&["unpack", "unzip", "extract"], "use `skills install FILE.skill`"),
    (
        &["login", "logout", "whoami", "auth", "token", "signin", "adduser"],
        "skills stores no logins; it uses those of git, and for registries those of `docker login`",
    ),
    // Running.
    (&["run", "exec", "start", "launch", "shell", "x"], "use `skills mount ./skills -- COMMAND`"),
    (
        &["use", "activate", "load", "invoke"],
        "use `skills render --activate NAME` for the prompt, or `skills mount ./skills -- COMMAND`",
    ),
    (&["prompt", "catalog", "catalogue", "system-prompt"], "use `skills render`"),
    (&["umount", "unmout"], "use `skills unmount`"),
    // The program itself.
    (&["version", "v"], "use `skills --version`"),
    (
        &["config", "settings", "set"],
        "skills has no settings; `skills init --manifest` creates a skills.yaml",
    ),
    (
        &["agents", "targets", "providers"],
        "use `skills list --agent AGENT`, such as claude or codex",
    ),
    (&["completion", "complete"], "use `skills completions SHELL`"),
    (&["manual", "docs"], "use `skills man`, or `skills help COMMAND`"),
    (&["self-update", "selfupdate"], "update skills the way you installed it"),
];

/// The tip for a word, if there is one.
pub fn tip(word: &str) -> Option<&'static str> {
    TIPS.iter().find(|(words, _)| words.contains(&word)).map(|(_, tip)| *tip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_stand_beside_their_words_where_there_is_room() {
        let text = "Why.\n\nExamples:\n  skills a    one\n  skills bcd  two";
        assert_eq!(narrowed(text, 17), text);
        let narrow = "Why.\n\nExamples:\n  skills a\n      one\n  skills bcd\n      two";
        assert_eq!(narrowed(text, 16), narrow);
    }
}
