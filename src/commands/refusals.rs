//! The messages of refused operations.

use std::path::{Path, PathBuf};

use crate::cli::context::Context;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::settings::Verb;
use crate::commands::notices;
use crate::output::{count, layout, report as table, sanitize};
use crate::skills::files::{self, FileKind};
use crate::skills::find::other_installers;
use crate::skills::model::error::{Error, ErrorKind, err};
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::destination::real_path;
use crate::skills::put::install::plan::{Conflict, Reason};

/// A run that a signal ended has that signal's exit code.
pub fn failed(error: Error, reporter: &dyn Reporter) -> anyhow::Error {
    match reporter.cancelled() {
        Some(signal) => {
            Ending { error, status: ExitStatus::Code(files::code_of_signal(signal)) }.into()
        }
        None => error.into(),
    }
}

/// The failure, with the skills directory if there is one, for errors about one skill.
pub fn within(failure: anyhow::Error, directories: &[PathBuf]) -> anyhow::Error {
    let [directory] = directories else { return failure };
    let Ending { error, status } = Ending::of(failure);
    Ending { error: error.within(&real_path(directory)), status }.into()
}

/// All conflicts as one error. Prints each of them first.
pub fn conflicts(
    conflicts: &[Conflict],
    candidates: &[Candidate],
    verb: Verb,
    context: &Context,
    json: bool,
    printer: &Printer,
) -> Error {
    let error = |conflict: &Conflict| {
        let error = error(conflict, verb, context);
        let is_meant = |one: &&Candidate| conflict.path.ends_with(one.name.as_str());
        let candidate = candidates.iter().find(is_meant);
        conflict.in_error(match candidate {
            Some(candidate) => candidate.skill.in_error(error),
            None => error,
        })
    };
    let mut errors: Vec<Error> = conflicts.iter().map(error).collect();
    if !json && errors.len() == 1 {
        return errors.remove(0);
    }
    let (number, done) = (count(errors.len(), "skill"), verb.done());
    let whole = err!(Conflict, "{number} in the way; nothing was {done}");
    let whole = match errors.as_slice() {
        [only] => Error { kind: whole.kind, message: whole.message, help: None, ..only.clone() },
        _ => whole,
    };
    if json {
        let details: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        return whole.help(details.join("\n"));
    }
    // One help is enough for all of them.
    let bare: Vec<Error> =
        errors.iter().map(|error| Error { help: None, ..error.clone() }).collect();
    notices::errors(bare.iter(), printer);
    let help = errors.iter().find_map(|error| error.help.clone());
    Error { help, ..whole }
}

fn error(conflict: &Conflict, verb: Verb, context: &Context) -> Error {
    let home = context.environment.home.as_deref();
    let path = layout::shown(&conflict.path, &context.directory, home);
    let is_replacing = matches!(verb, Verb::Install | Verb::Sync);
    let name = conflict.path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(error) = of_other_installer(conflict, verb, &path, &name, context) {
        return error;
    }
    let (message, help) = match &conflict.reason {
        Reason::Disabled => {
            (format!("`{path}` is disabled"), format!("use `skills enable {name}` first"))
        }
        Reason::Twice(disabled) => {
            let disabled = layout::shown(disabled, &context.directory, home);
            let message = format!("`{path}` and `{disabled}` both exist");
            (message, "compare them, and remove one of them yourself".to_owned())
        }
        Reason::NotADirectory(kind) => {
            let what = match kind {
                FileKind::Symlink => "a symbolic link",
                FileKind::Special(word) => word,
                FileKind::Regular | FileKind::Directory => "a file",
            };
            match verb {
                Verb::Disable | Verb::Enable => {
                    let done = verb.done();
                    let message = format!("`{path}` is {what}, which cannot be {done}");
                    let help = "only directories and links that `skills install --link` made can; \
                                remove it yourself";
                    (message, help.to_owned())
                }
                _ => {
                    let message = format!("`{path}` is {what}, which `skills` does not replace");
                    (message, "remove it yourself, or choose another destination".to_owned())
                }
            }
        }
        Reason::Linked => {
            let name = name_of(&conflict.path);
            let message = format!("`{path}` is a link that `skills install --link` made");
            (message, format!("`skills remove {name}` removes the link"))
        }
        Reason::NotALink(FileKind::Symlink) => {
            let message = format!("`{path}` is a link to something else");
            (message, "use `--force` to replace a link that `--link` made".to_owned())
        }
        Reason::NotALink(_) => {
            let name = name_of(&conflict.path);
            let message = format!("`{path}` already exists and is not a link");
            (message, format!("use `skills remove {name}` first"))
        }
        Reason::Different(different) => {
            let (source, differences) = different.as_ref();
            let changes = table::summary(differences);
            let message = format!("`{path}` was installed from `{source}`; different: {changes}");
            (message, "use `--force` to replace it".to_owned())
        }
        Reason::Owned(owned) => {
            let (owner, differences) = owned.as_ref();
            let changes = table::summary(differences);
            let message =
                format!("`{path}` belongs to the manifest `{owner}`; different: {changes}");
            let help = "leave it out of one of the manifests, or use `--force` to take it over";
            (message, help.to_owned())
        }
        Reason::Edited(differences) => {
            let changes = table::summary(differences);
            let message = if is_replacing {
                format!("`{path}` was edited since it was installed; different: {changes}")
            } else {
                format!("`{path}` was edited since it was installed: {changes}")
            };
            let verb = if is_replacing { "replace" } else { "remove" };
            (message, format!("use `--force` to {verb} it and keep a backup"))
        }
        Reason::NotOurs(differences) => {
            let changes = table::summary(differences);
            let message = if is_replacing {
                format!("`{path}` exists and was not installed by `skills`; different: {changes}")
            } else {
                format!("`{path}` was not installed by `skills`")
            };
            let verb = if is_replacing { "replace" } else { "remove" };
            (message, format!("use `--force` to {verb} it and keep a backup"))
        }
    };
    Error::new(ErrorKind::Conflict, message).at(&conflict.path).help(help)
}

/// The name of the skill at a path, for a command that people copy.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    sanitize::line(&name).into_owned()
}

/// The error for a skill of another installer, which names that installer's own command.
fn of_other_installer(
    conflict: &Conflict,
    verb: Verb,
    path: &str,
    name: &str,
    context: &Context,
) -> Option<Error> {
    let is_link = conflict.reason == Reason::NotADirectory(FileKind::Symlink);
    let is_directory = matches!(conflict.reason, Reason::NotOurs(_)) && verb == Verb::Remove;
    if !is_link && !is_directory {
        return None;
    }
    let other = other_installers::recognise(&conflict.path, &context.environment)?;
    let (title, command) =
        (other.installer.title(), other.installer.remove_command(name, other.is_user));
    let from = other.source.map(|source| format!(" from `{source}`")).unwrap_or_default();
    let message = match &other.link {
        Some(target) => {
            let home = context.environment.home.as_deref();
            let target = layout::shown(target, &context.directory, home);
            format!("`{path}` is a link to `{target}` that {title} made{from}")
        }
        None => format!("`{path}` was installed by {title}{from}"),
    };
    let help = match verb {
        Verb::Install | Verb::Sync => {
            format!("use `--force` to replace the link by a copy, or remove it with `{command}`")
        }
        Verb::Remove if !is_link => {
            format!(
                "remove it with `{command}`, or use `--force` to remove it here and keep a backup"
            )
        }
        _ => format!("remove it with `{command}`"),
    };
    Some(Error::new(ErrorKind::Conflict, message).at(&conflict.path).help(help))
}
