//! Handles command lines that cannot be parsed or ask for help.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind as Mistake};
use clap::{CommandFactory, ValueEnum};

use crate::cli::args::{Cli, Color};
use crate::cli::exit::ExitStatus;
use crate::cli::help;
use crate::cli::printer::{self, Printer};
use crate::output::{json, sanitize};
use crate::skills::model::error::{Error, ErrorKind};

/// Flags of other programs, and our names for them.
const OTHER_FLAGS: [(&str, &str); 4] = [
    ("--json", "--format json"),
    ("--sarif", "--format sarif"),
    ("--target", "--agent"),
    ("--project", "--scope project"),
];

/// Prints help and version to standard output, and errors to standard error. With `--format json`,
/// errors are JSON.
pub fn end(mut error: clap::Error) -> ExitCode {
    correct(&mut error);
    let runs_another = wanted_to_run_another(std::env::args_os());
    let asks_for_json = given("--format").iter().any(|format| format == "json");
    if error.use_stderr() && !runs_another && asks_for_json {
        let failure = failure(&error.to_string());
        Printer::new(true).error_document(&failure, |out| json::error(out, &failure));
        return ExitStatus::Failure.into();
    }
    let color = given("--color").pop().and_then(|word| Color::from_str(&word, false).ok());
    printer::use_color(color.unwrap_or_default());
    let written = print(&error);
    match error.use_stderr() {
        true if runs_another => ExitStatus::OWN_FAILURE.into(),
        true => ExitStatus::Failure.into(),
        false => printed(written.map_err(|error| printer::unwritten(&error)), Printer::new(false)),
    }
}

/// The exit code of a run that only printed something.
pub fn printed(written: io::Result<()>, printer: Printer) -> ExitCode {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            printer.error(&Error::new(ErrorKind::Io, error.to_string()));
            ExitStatus::Failure.into()
        }
        _ => ExitStatus::Success.into(),
    }
}

/// The message of clap without its generic lines.
fn failure(text: &str) -> Error {
    let is_general = |line: &str| line.starts_with("Usage:") || line.starts_with("For more");
    let mut lines = text.lines().take_while(|line| !is_general(line)).map(str::trim);
    let first = lines.next().unwrap_or_default().trim_start_matches("error: ");
    let error = Error::new(ErrorKind::Usage, first.trim_end_matches(':'));
    let details: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    if details.is_empty() { error } else { error.help(details.join("\n")) }
}

/// Prints an error of clap. It repeats arguments, so it passes the sanitiser.
fn print(error: &clap::Error) -> io::Result<()> {
    let text = error.to_string();
    if matches!(sanitize::block(&text), Cow::Borrowed(_)) {
        return error.print();
    }
    Printer::new(false).diagnostics(|out| write!(out, "{}", sanitize::block(&text)));
    Ok(())
}

/// Whether an invalid command line is for `mount` with a command.
fn wanted_to_run_another(args: impl Iterator<Item = OsString>) -> bool {
    let own: Vec<OsString> = args.skip(1).collect();
    let end = own.iter().position(|argument| argument == "--");
    end.is_some_and(|end| own[..end].iter().any(|argument| argument == "mount"))
}

/// The values of a flag on an invalid command line.
fn given(flag: &str) -> Vec<String> {
    let own = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    let own: Vec<String> = own.map(|argument| argument.to_string_lossy().into_owned()).collect();
    let joined = |word: &str| word.strip_prefix(flag)?.strip_prefix('=').map(str::to_owned);
    let mut values = Vec::new();
    for (at, word) in own.iter().enumerate() {
        values.extend(joined(word));
        values.extend(own.get(at + 1).filter(|_| word == flag).cloned());
    }
    values
}

/// Replaces clap's suggestion by a better one, if there is one.
fn correct(error: &mut clap::Error) {
    match error.kind() {
        Mistake::InvalidSubcommand => {
            let word = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string);
            error.remove(ContextKind::SuggestedSubcommand);
            error.remove(ContextKind::Suggested);
            if let Some(tip) = word.and_then(|word| help::tip(&word)) {
                let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
                error.insert(ContextKind::Suggested, tip);
            }
        }
        Mistake::UnknownArgument => {
            let word = error.get(ContextKind::InvalidArg).map(ToString::to_string);
            let other = OTHER_FLAGS.iter().find(|(other, _)| word.as_deref() == Some(other));
            let flag = other.map(|(_, here)| *here).filter(|flag| is_here(flag));
            let is_misspelled = error.get(ContextKind::SuggestedArg).is_some();
            // Remove the hint that it could be a value, which is never meant.
            error.remove(ContextKind::Suggested);
            if let Some(flag) = flag {
                error.insert(ContextKind::SuggestedArg, ContextValue::String(flag.to_owned()));
            } else if !is_misspelled && is_mount_without_dashes() {
                let tip = "the command goes after `--`: `skills mount ./skills -- COMMAND`";
                let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
                error.insert(ContextKind::Suggested, tip);
            }
        }
        _ => {}
    }
}

/// Whether the current verb has this flag.
fn is_here(flag: &str) -> bool {
    let command = Cli::command();
    let verb = std::env::args_os().skip(1).find_map(|word| command.find_subcommand(word));
    let long = flag.trim_start_matches('-').split(' ').next();
    verb.is_some_and(|verb| verb.get_arguments().any(|argument| argument.get_long() == long))
}

/// Whether this is `mount` without `--`, so that flags may belong to the command.
fn is_mount_without_dashes() -> bool {
    let mut own = std::env::args_os().skip(1);
    own.by_ref().any(|argument| argument == "mount") && !own.any(|argument| argument == "--")
}
