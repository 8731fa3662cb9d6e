//! Help, laid out for the terminal it is read on: examples and their words stand side by side where
//! there is room, and below each other where there is not.

use clap::{Command, CommandFactory};

use super::args::Cli;

/// Lines that are longer are hard to read.
const WIDEST: usize = 100;
/// What stands between an example and its words.
const GAP: &str = "  ";

/// The command line, with help for the terminal at hand.
#[must_use]
pub fn command() -> Command {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    fitted(terminal.or_else(variable).unwrap_or(WIDEST))
}

/// The command line, with help for this many columns.
#[must_use]
pub fn fitted(columns: usize) -> Command {
    let columns = columns.min(WIDEST);
    let mut command = fit(Cli::command(), columns).term_width(columns);
    let names: Vec<String> =
        command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |verb| fit(verb, columns));
    }
    command
}

fn fit(command: Command, columns: usize) -> Command {
    match command.get_after_help().map(|text| narrowed(&text.to_string(), columns)) {
        Some(text) => command.after_help(text),
        None => command,
    }
}

/// Moves the words of examples to lines of their own when one of them is too long.
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
