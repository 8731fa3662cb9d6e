//! Notices about finding skills, on standard error, in the same words for every command.

use std::path::Path;

use crate::cli::printer::Printer;
use crate::output::count;
use crate::output::layout::{self, cut, grouped};
use crate::skills::agents::Agent;
use crate::skills::find::discovery::DiscoveryNotice;
use crate::skills::find::scan::Scan;
use crate::skills::find::selection;
use crate::skills::judge::needs::{Lacking, Machine, OperatingSystem};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, err};
use crate::skills::model::plugin::ElsewherePlugin;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::show::listing::{ListLine, Status};
use crate::skills::text::document::Document;

/// What there is to say about a manifest whose entries all wait or are off.
pub const NOTHING_ENABLED: &str = "the manifest has no skill that is enabled and expanded";

/// Warnings of one sort that are written out before they are only counted.
const SHOWN: usize = 3;

/// Maximum errors to print; the rest are counted.
const MOST_ERRORS: usize = 20;

/// Prints the errors, up to a limit; true if there was one.
pub fn errors<'a>(errors: impl Iterator<Item = &'a Error>, printer: &Printer) -> bool {
    let mut number = 0;
    for error in errors {
        number += 1;
        if number <= MOST_ERRORS {
            printer.error(error);
        }
    }
    if number > MOST_ERRORS {
        let more = count(number - MOST_ERRORS, "more error");
        printer.error(&err!(Io, "{more} like these"));
    }
    number > 0
}

/// Reports that filters excluded every skill, if that is not an error.
pub fn none_pass(found: usize, names: &[String], printer: &Printer) {
    if let Some(error) = selection::none_pass(found, names) {
        printer.warning(&error.message);
        error.help.iter().for_each(|help| printer.note(help));
    }
}

/// Prints a few warnings, or all of them, and the number of the rest, named `what`.
pub fn some(
    warnings: impl ExactSizeIterator<Item = String>,
    what: (&str, &str),
    verbose: bool,
    printer: &Printer,
) {
    let shown = if verbose { warnings.len() } else { SHOWN };
    let rest = warnings.len().saturating_sub(shown);
    warnings.take(shown).for_each(|warning| printer.warning(&warning));
    if rest > 0 {
        let (noun, verb) = what;
        printer.warning(&format!("{}{verb}, shown with -v", count(rest, noun)));
    }
}

/// Warns that an agent would not show a whole catalogue of this many characters.
pub fn budget(agent: &Agent, characters: usize, printer: &Printer) {
    let Some(budget) = agent.budget.filter(|budget| characters > budget.characters) else { return };
    let (title, effect) = (agent.title, budget.effect);
    let (characters, room) = (grouped(characters as u64), grouped(budget.characters as u64));
    printer.warning(&format!(
        "the catalogue has {characters} characters, but {title} has room for about {room}; {effect}"
    ));
}

/// Reports shadowed skills; identical copies only with `-v`.
pub fn collisions(rows: &[ListLine], verbose: bool, printer: &Printer) {
    let shadowed = rows
        .iter()
        .filter(|row| row.status == Status::Shadowed && (verbose || row.copy_of.is_none()));
    let words: Vec<String> = shadowed
        .filter_map(|row| Some((row.reason.as_ref()?, row.entry.skill.file())))
        .map(|(reason, loser)| format!("{reason}, skipping this one ({})", loser.display()))
        .collect();
    some(words.into_iter(), ("more name collision", ""), verbose, printer);
}

/// Reports what a scan skipped; true if something could not be read.
pub fn scan(scan: &Scan, directory: &Path, verbose: bool, printer: &Printer) -> bool {
    let words = scan.links.iter().map(|link| {
        let path = layout::relative(link, directory);
        format!("`{path}` is a link to a directory and was not followed")
    });
    some(words, ("more link", " not followed"), verbose, printer);
    let words = scan.rootless.iter().map(|archive| {
        let path = layout::relative(archive, directory);
        format!("`{path}` has its SKILL.md at the top, so its front matter names the skill")
    });
    some(words, ("more archive", " like this"), verbose, printer);
    elsewhere(scan.plugins.elsewhere(), verbose, printer);
    errors(scan.unreadable.iter(), printer)
}

/// Says which plugins of a marketplace have to be fetched from elsewhere.
fn elsewhere(plugins: &[ElsewherePlugin], verbose: bool, printer: &Printer) {
    if plugins.is_empty() {
        return;
    }
    let shown = if verbose { plugins.len() } else { SHOWN };
    let names: Vec<String> = plugins.iter().take(shown).map(ElsewherePlugin::shown).collect();
    let number = count(plugins.len(), "plugin");
    let (verb, them) = if plugins.len() == 1 { ("is", "it") } else { ("are", "them") };
    let rest = if plugins.len() > shown { ", …; `-v` shows all" } else { "" };
    let names = names.join(", ");
    printer.note(&format!(
        "{number} of the marketplace {verb} not part of this source; to get {them}, name another \
         source: {names}{rest}"
    ));
}

/// Says, in a line for each skill, what it needs and this machine lacks, and its `compatibility`,
/// which only a person can compare in full. Returns what is lacking, with the names of the skills.
pub fn lacking(
    candidates: &[Candidate],
    environment: &Environment,
    agents: &[&'static str],
    verbose: bool,
    printer: &Printer,
) -> Vec<(String, Lacking)> {
    let machine = Machine { environment, system: OperatingSystem::current(), agents };
    let (mut lacking, mut warnings, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for candidate in candidates {
        let (name, here) = (&candidate.name, machine.lacks(&candidate.requirements));
        let shown = if verbose { here.len() } else { SHOWN };
        let mut parts: Vec<String> =
            here.iter().take(shown).map(|one| one.sentence.clone()).collect();
        if here.len() > shown {
            parts.push(format!("and {}, shown with -v", count(here.len() - shown, "more need")));
        }
        let stated = compatibility(candidate);
        parts.extend(stated.map(|text| format!("compatibility: {text}")));
        let line = format!("`{name}` {}", parts.join("; "));
        match (here.is_empty(), parts.is_empty()) {
            (false, _) => warnings.push(line),
            (true, false) => notes.push(line),
            (true, true) => {}
        }
        lacking.extend(here.into_iter().map(|one| (name.to_string(), one)));
    }
    let more = ("more skill", " with requirements that are not met");
    some(warnings.into_iter(), more, verbose, printer);
    let shown = if verbose { notes.len() } else { SHOWN };
    notes.iter().take(shown).for_each(|note| printer.note(note));
    if notes.len() > shown {
        let rest = count(notes.len() - shown, "more skill");
        printer.note(&format!("{rest} with a compatibility text, shown with -v"));
    }
    lacking
}

/// The start of the `compatibility` of a skill, on one line.
fn compatibility(candidate: &Candidate) -> Option<String> {
    const MOST_COLUMNS: usize = 200;
    let document = Document::parse(candidate.skill_md.as_deref()?);
    let words: Vec<&str> = document.string("compatibility")?.split_whitespace().collect();
    (!words.is_empty()).then(|| cut(words.join(" "), MOST_COLUMNS).into_owned())
}

/// Prints the notices of discovery; true if something could not be read.
pub fn discovery(
    notices: &[DiscoveryNotice],
    directory: &Path,
    verbose: bool,
    printer: &Printer,
) -> bool {
    let shown = |path: &Path| layout::relative(path, directory);
    let warnings: Vec<String> =
        notices.iter().filter_map(|notice| notice.warning(&shown)).collect();
    some(warnings.into_iter(), ("more warning", ""), verbose, printer);
    errors(notices.iter().filter_map(DiscoveryNotice::error), printer)
}
