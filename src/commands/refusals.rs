//! What is refused, and in which words: about the user's skills, with an exit code of its own.

use anyhow::Result;

use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::Settings;
use crate::commands::notices;
use crate::output::{count, install as table, json_v1, paths};
use crate::skills::error::{Error, ErrorKind};
use crate::skills::install::plan::{Conflict, Reason};
use crate::skills::platform::{self, FileKind};
use crate::skills::reporter::Reporter;

/// Whether an error is about the user's skills rather than about doing the job.
pub(super) const fn is_refusal(error: &Error) -> bool {
    matches!(
        error.kind,
        ErrorKind::Conflict
            | ErrorKind::Duplicate
            | ErrorKind::TooLarge
            | ErrorKind::InvalidName
            | ErrorKind::Validation
    )
}

/// An end that was asked for has an exit code of its own.
pub(super) fn failed(
    error: Error,
    reporter: &dyn Reporter,
    json: bool,
    printer: &Printer,
) -> Result<ExitStatus> {
    match reporter.cancelled() {
        Some(signal) => {
            refuse(&error, json, printer)?;
            Ok(ExitStatus::Code(platform::code_of_signal(signal)))
        }
        None => Err(error.into()),
    }
}

/// Says why nothing was done.
pub(super) fn refuse(error: &Error, json: bool, printer: &Printer) -> Result<ExitStatus> {
    if json {
        printer.text(|out| json_v1::error(out, error))?;
    } else {
        printer.error(error);
    }
    Ok(ExitStatus::Refused)
}

/// Says what is in the way.
pub(super) fn conflicts(
    conflicts: &[Conflict],
    verb: &str,
    common: &Settings,
    json: bool,
    printer: &Printer,
) -> Result<ExitStatus> {
    let errors: Vec<Error> =
        conflicts.iter().map(|conflict| error(conflict, verb, common)).collect();
    if let (false, [only]) = (json, errors.as_slice()) {
        return refuse(only, json, printer);
    }
    let message = format!("{} in the way; nothing was {verb}", count(errors.len(), "skill"));
    let whole = Error::new(ErrorKind::Conflict, message);
    let whole = match errors.as_slice() {
        [only] => Error { path: only.path.clone(), ..whole },
        _ => whole,
    };
    if json {
        let details: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        return refuse(&whole.help(details.join("\n")), json, printer);
    }
    // One help is enough for all of them.
    let bare: Vec<Error> =
        errors.iter().map(|error| Error { help: None, ..error.clone() }).collect();
    notices::errors(bare.iter(), printer);
    let help = errors.iter().find_map(|error| error.help.clone());
    refuse(&Error { help, ..whole }, json, printer)
}

fn error(conflict: &Conflict, verb: &str, common: &Settings) -> Error {
    let home = common.environment.home.as_deref();
    let path = paths::shown(&conflict.path, &common.directory, home);
    let is_replacing = verb == "installed";
    let (message, help) = match &conflict.reason {
        Reason::NotADirectory(kind) => {
            let what = match kind {
                FileKind::Symlink => "a symbolic link",
                FileKind::Special(word) => word,
                FileKind::Regular | FileKind::Directory => "a file",
            };
            let message = format!("`{path}` is {what}, which is left alone");
            (message, "remove it yourself, or choose another place".to_owned())
        }
        Reason::Different(differences) => {
            let changes = table::summary(differences);
            let message = format!("`{path}` is a different version: {changes}");
            (message, "`--force` replaces it".to_owned())
        }
        Reason::Edited(differences) => {
            let changes = table::summary(differences);
            let message = if is_replacing {
                format!("`{path}` was edited since it was installed; different: {changes}")
            } else {
                format!("`{path}` was edited since it was installed: {changes}")
            };
            let verb = if is_replacing { "replaces" } else { "removes" };
            (message, format!("`--force` {verb} it and keeps a copy of it"))
        }
        Reason::NotOurs(differences) => {
            let changes = table::summary(differences);
            let message = if is_replacing {
                format!(
                    "`{path}` is there already, and not by `skills install`; different: {changes}"
                )
            } else {
                format!("`{path}` was not installed by `skills install`")
            };
            let verb = if is_replacing { "replaces" } else { "removes" };
            (message, format!("`--force` {verb} it and keeps a copy of it"))
        }
    };
    Error::new(ErrorKind::Conflict, message).at(&conflict.path).help(help)
}
