//! Finds, reads and judges the skills to copy, in the same way for every command.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::context::Context;
use crate::cli::exit::Ending;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{CopySettings, Verb};
use crate::commands::{locked, notices, renaming};
use crate::output::findings::{self, Hints};
use crate::output::{self, count, layout};
use crate::skills::judge::rule::Finding;
use crate::skills::judge::validate::Validation;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::put::install;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::caution::Cautions;
use crate::skills::put::install::choice::{Choice, Skipped};
use crate::skills::put::install::gather::{self, Gathered, Refusal};
use crate::skills::put::install::source_files::Allowance;

#[derive(Debug)]
pub struct SkillsToCopy {
    /// The skills that are copied.
    pub candidates: Vec<Candidate>,
    /// The skipped skills, each with the reason.
    pub skipped: Vec<Skipped>,
    /// Warnings about the copied skills.
    pub cautions: Cautions,
    /// What `--expand` brought: the name and the key of each skill.
    pub expanded: Vec<(String, String)>,
}

/// Finds, reads and judges the skills, and prints notices about them.
///
/// # Errors
/// Skills that cannot be read, named skills that cannot be used, or skills that differ from the
/// lock.
pub fn gather(
    skills: &CopySettings,
    existing: &[PathBuf],
    context: &Context,
    json: bool,
    printer: &Printer,
) -> Result<SkillsToCopy> {
    let reporter = progress::reporter(context.progress, "read");
    let (selection, policy) = (&skills.selection, skills.policy);
    let gathered = gather::gather(selection, existing, &skills.read, policy, reporter.as_ref());
    let mut gathered = gathered.map_err(|error| match error.kind {
        // Filters that exclude everything are not a usage error here, but a refusal.
        ErrorKind::Usage => Ending::refused(error).into(),
        _ => anyhow::Error::from(error),
    })?;
    let mut refusal = gathered.refusal(skills.verb.done());
    let bounds = skills.bounds(context.threads);
    let mut cautions = Cautions::default();
    if refusal.is_none() {
        // An archive is one skill, so the size of all together is not limited.
        let total = if skills.verb == Verb::Pack { u64::MAX } else { bounds.total };
        let allowance = Allowance::new(bounds.skill, total);
        cautions = gathered.cautions(&skills.read.judge, &allowance, bounds.threads)?;
        refusal = gathered.refusal(skills.verb.done());
    }
    if skills.verb.is_for_agents() && refusal.is_none() {
        let screen = context.error_screen();
        let (verbose, quiet) = (context.verbose, printer.is_quiet());
        printer.diagnostics(|out| findings::cautions(out, &cautions, verbose, quiet, &screen));
    }
    notices::scan(&gathered.scan, &context.directory, context.verbose, printer);
    // A lock does not contain inline skills.
    if policy.prompt_only {
        let stay = count(gathered.in_prompt.len(), "skill");
        let words =
            format!("nothing is copied: `install_skills: false` keeps {stay} in the prompt");
        printer.note(&words);
    } else if skills.verb != Verb::Lock {
        for skill in &gathered.in_prompt {
            let name = &skill.name;
            let has_tools = skill.inline().is_some_and(|inline| !inline.tools.is_empty());
            let parts = if has_tools { "tools" } else { "children" };
            printer.note(&format!("`{name}` has {parts} and stays in the prompt"));
        }
    }
    notices::errors(gathered.unseen.iter(), printer);
    if let Some(refusal) = refusal {
        return Err(explain(refusal, &gathered, skills, context, json, printer));
    }
    say(&gathered.choice, skills, context, printer);
    let mut expanded = gathered.expanded(&skills.expanded);
    expanded.iter_mut().for_each(|(_, key)| *key = skills.key_prefix.with(key));
    let (candidates, skipped) = gathered.into_candidates()?;
    if !policy.prompt_only {
        locked::compare(&skills.selection, &candidates, bounds, context, printer)?;
    }
    install::refuse_duplicates(&candidates).map_err(Ending::refused)?;
    Ok(SkillsToCopy { candidates, skipped, cautions, expanded })
}

/// Prints which skills are skipped, and what else is left out.
fn say(choice: &Choice, skills: &CopySettings, context: &Context, printer: &Printer) {
    for skipped in &choice.skipped {
        printer.warning(&format!("skipped {}", line(skipped, &context.directory)));
    }
    // Other help is for the author of a skill.
    let mut duplicates = choice.skipped.iter().filter(|one| one.why.is_duplicate());
    let help = duplicates.find_map(|one| one.why.help.as_ref());
    help.into_iter().for_each(|help| printer.note(help));
    let renaming = renaming::help(&choice.skipped, skills, context);
    renaming.iter().for_each(|help| printer.note(help));
    let links = choice.taken.iter().flat_map(|taken| {
        taken
            .made
            .left_out
            .iter()
            .map(|link| layout::relative(&taken.skill.path.join(link), &context.directory))
    });
    let words: Vec<String> = links
        .map(|link| {
            format!("`{link}` is a link that leads nowhere or in a circle; it is not copied")
        })
        .collect();
    notices::some(words.into_iter(), ("more link", " not copied"), context.verbose, printer);
    if context.verbose {
        for (copy, taken) in &choice.copies {
            let shown = |path: &Path| layout::relative(path, &context.directory);
            printer.note(&format!("`{}` is identical to `{}`", shown(copy), shown(taken)));
        }
    }
    if choice.nested > 0 {
        let (number, done) = (count(choice.nested, "nested skill"), skills.verb.done());
        printer.note(&format!("{number} not {done} separately; use `--nested` to include them"));
    }
}

/// The name, place, rule and reason of a skill that is not copied, on one line.
fn line(skipped: &Skipped, directory: &Path) -> String {
    let path = layout::relative(&skipped.path, directory);
    format!("`{}` (`{path}`): {}", skipped.name, skipped.why)
}

/// Prints the problems of the skills, and returns them as one error.
fn explain(
    refusal: Refusal,
    gathered: &Gathered,
    skills: &CopySettings,
    context: &Context,
    json: bool,
    printer: &Printer,
) -> anyhow::Error {
    let Refusal { error, skipped } = refusal;
    if error.kind == ErrorKind::Io {
        let unread = gathered.unseen.iter().chain(&gathered.scan.unreadable);
        let unread: Vec<&str> = unread.map(|one| one.message.as_str()).collect();
        return if json { error.help(unread.join("\n")) } else { error }.into();
    }
    let error = match renaming::help(&skipped, skills, context) {
        Some(help) => error.help(help),
        None => error,
    };
    let error = match (&gathered.errors, skipped.as_slice()) {
        (Some(errors), []) => {
            let error = error.help(match skills.strict_asked {
                true => "omit `--strict` to take every skill that agents load",
                false => {
                    "`validate: strict` in the manifest asks for this; with `usable`, every \
                          skill that agents load is taken"
                }
            });
            explain_errors(error, errors, context, json, printer)
        }
        (_, [] | [_]) => error,
        (_, several) => {
            let lines: Vec<String> =
                several.iter().map(|one| line(one, &context.directory)).collect();
            if json {
                let details: Vec<String> = lines.into_iter().chain(error.help.clone()).collect();
                error.help(details.join("\n"))
            } else {
                lines.iter().for_each(|line| printer.warning(line));
                error
            }
        }
    };
    Ending::refused(error).into()
}

/// Prints the findings that refuse a strict run.
fn explain_errors(
    error: Error,
    errors: &Validation,
    context: &Context,
    json: bool,
    printer: &Printer,
) -> Error {
    let place = |finding: &Finding| {
        let place = finding.place.map(|place| format!(":{}", place.start));
        let path = layout::relative(&finding.path, &context.directory);
        format!("{path}{}: {}: {}", place.unwrap_or_default(), finding.rule.id, finding.message)
    };
    if json {
        let details: Vec<String> = errors.findings.iter().map(place).collect();
        return error.help(details.join("\n"));
    }
    let view = output::FindingsView { directory: &context.directory, notes: false };
    let (screen, hints) = (context.error_screen(), Hints::of(printer.is_quiet(), true));
    printer.diagnostics(|out| findings::validation(out, errors, &view, &screen, hints));
    error
}
