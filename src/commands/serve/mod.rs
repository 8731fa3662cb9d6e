//! `skills serve`: the same skills for programs without a file system, over the Model Context
//! Protocol. `host` answers, `stdio` and `http` carry, `watching` notices changes.

mod connection;
mod flights;
mod host;
mod http;
mod replies;
mod sessions;
mod stdio;
mod watching;
mod workload;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Result;

use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::{ServeSettings, ServeSource, Transport};
use crate::commands::event_log::open_log;
use crate::commands::locked::{self, LockUse};
use crate::commands::notices;
use crate::output::count;
use crate::output::mcp::{self, ServerWords};
use crate::skills::find::manifest::sections::PromptSection;
use crate::skills::find::selection;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RuleOptions;
use crate::skills::model::error::{Error, err};
use crate::skills::model::reporter::{Reporter, Silent};
use crate::skills::serve::answer::OpenedSections;
use crate::skills::serve::catalogue::{Catalogue, CatalogueOptions};
use crate::skills::serve::server::Server;
use crate::skills::serve::skill;
use crate::skills::show::layout::Prompt;
use crate::skills::show::prompt::{self, KeptParts, PromptSkill, Section};
use host::Host;

/// How long an answer stays true where nothing can change, in milliseconds.
const FIXED: u64 = 60 * 60 * 1_000;

/// Runs the command.
///
/// # Errors
/// Sources that cannot be read, flags that are wrong, and an address that is taken.
pub fn run(source: ServeSource, printer: &Printer) -> Result<ExitStatus> {
    let settings = source.resolve()?;
    if let Some((client, server)) = &settings.config {
        printer.note(&format!("add this to {}", client.file()));
        printer.bytes(mcp::config(*client, server).as_bytes())?;
        return Ok(ExitStatus::Success);
    }
    let log = open_log(settings.events.file.as_deref())?;
    let (mut said, begun) = (HashSet::new(), SystemTime::now());
    let catalogue = gather(&settings, GatherTime::Start, &mut said, printer)?;
    let skills = count(catalogue.skills.iter().filter(|one| !one.is_waiting).count(), "skill");
    let has_news = !settings.watched().is_empty();
    let words = ServerWords {
        catalog: settings.catalog,
        // A file of this machine may change at any time.
        ttl: if has_news { 0 } else { FIXED },
        has_news,
    };
    let source = Arc::new(source);
    let opener = Arc::clone(&source);
    let server = Server::new(catalogue, Box::new(move |keys| open_sections(&opener, keys)));
    let host = Arc::new(Host::new(server, words, log, settings.events.source.clone(), *printer));
    match &settings.transport {
        Transport::Stdio => {
            printer.note(&format!("serving {skills} on standard input and output"));
            if has_news {
                watching::start(&host, source, &settings, (said, begun));
            }
            stdio::serve(&host)
        }
        Transport::Http(address, token) => {
            let (listener, gate) = http::listen(*address, token.as_deref())?;
            let url = format!("http://{}{}", gate.address, crate::skills::serve::http::ENDPOINT);
            printer.note(&format!("serving {skills} at {url}"));
            if token.is_none() {
                // Said even to those who want to hear nothing: without it nobody can ask.
                printer.diagnostics(|out| writeln!(out, "token: {}", gate.token));
            }
            if has_news {
                watching::start(&host, source, &settings, (said, begun));
            }
            http::serve(&host, &listener, gate)
        }
    }
}

/// When skills are gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GatherTime {
    /// Before anything is served: having no skills is a mistake.
    Start,
    /// While they are served: skills may come and go.
    Later,
}

/// Finds and judges the skills, and says which are not served, unless that was said before.
fn gather(
    settings: &ServeSettings,
    time: GatherTime,
    said: &mut HashSet<String>,
    printer: &Printer,
) -> Result<Catalogue> {
    // What a search meets is said once.
    let silent = Printer::silent();
    let search = if time == GatherTime::Start { printer } else { &silent };
    let (context, keep) = (&settings.context, settings.keep());
    let most_bytes = settings.most_bytes;
    let rules = RuleOptions { max_skill_bytes: most_bytes, deep: true, ..RuleOptions::default() };
    let options = JudgeOptions { rules, errors_only: true, ..JudgeOptions::default() };
    let read = |opened: &OpenedSkill<'_>| skill::read(opened, keep, &options);
    let output: (&dyn Reporter, &Printer) = (&Silent, search);
    let (found, mut scan) =
        locked::find(&settings.selection, LockUse::Frozen, context, output, &read)?;
    if time == GatherTime::Start && !settings.selection.requests.is_empty() {
        selection::require_any(&settings.selection, &mut scan)?;
    }
    notices::none_pass(found.len(), &scan.names, search);
    notices::scan(&scan, &context.directory, context.verbose, search);
    let (catalogue, not) = Catalogue::of(
        selection::settled(found),
        &CatalogueOptions {
            nested: settings.nested,
            waiting: &settings.waiting,
            layout: &settings.layout,
            most_bytes,
            is_frozen: settings.selection.lock.as_ref().is_some_and(|lock| lock.frozen),
            prefix: &|skill| skill.plugin_name().map(str::to_owned),
        },
    )?;
    let lines = |skills: Vec<(PathBuf, String)>, what: &str| -> Vec<String> {
        let line = |(file, reason): (PathBuf, String)| {
            format!("`{}` is not {what}: {reason}", file.display())
        };
        skills.into_iter().map(line).collect()
    };
    let left_out = lines(not.left_out, "served");
    let unlisted = lines(not.unlisted, "listed as a skill, only its files and tools");
    let now: HashSet<String> = left_out.iter().chain(&unlisted).cloned().collect();
    for (mut lines, more) in [(left_out, " not served"), (unlisted, " not listed")] {
        lines.retain(|line| !said.contains(line));
        notices::some(lines.into_iter(), ("more skill", more), context.verbose, printer);
    }
    *said = now;
    Ok(catalogue)
}

/// Opens sections of the prompt: what `skills render --expand` would add to it.
fn open_sections(source: &ServeSource, keys: &[String]) -> Result<OpenedSections, Error> {
    let (selection, layout) = source.expanded(keys)?;
    let options = JudgeOptions { errors_only: true, ..JudgeOptions::default() };
    let read = |opened: &OpenedSkill<'_>| prompt::read(opened, KeptParts::Body, &options);
    let (found, _) = selection::judge(&selection, &read)?;
    let mut skills: Vec<PromptSkill> = found
        .into_iter()
        .filter(|judged| judged.verdict.is_usable() && !judged.skill.is_nested)
        .map(|judged| judged.made)
        .collect();
    prompt::qualify(&mut skills);
    let laid = layout.lay_out(&skills)?;
    let shown: Vec<&PromptSkill> = laid
        .in_prompt
        .iter()
        .chain(&laid.native)
        .copied()
        .filter(|one| layout.is_expanded(one))
        .collect();
    let is_shown = |name: &str| shown.iter().any(|skill| skill.name() == name);
    let Prompt { mut lines, mut sections, .. } = laid.prompt;
    lines.retain(|line| is_shown(&line.name));
    // Files of this machine are out of reach: `open_skill` takes the name.
    lines.iter_mut().for_each(|line| line.location = None);
    // Sections inside the opened ones can be seen now.
    let (_, before) = source.expanded(&[])?;
    let was_there = |section: &Section| {
        let is_same = |one: &PromptSection| {
            one.is_open == section.is_heading() && before.key_prefix.with(&one.key) == section.key
        };
        before.sections.iter().any(is_same)
    };
    sections.retain(|section| match &section.skill {
        Some(name) => is_shown(name),
        None => !was_there(section),
    });
    if lines.is_empty() && sections.is_empty() {
        return Err(err!(NotFound, "there is nothing to open with the key {}", keys.join(", ")));
    }
    let key = |skill: &&PromptSkill| (skill.name().to_owned(), layout.key_prefix.with(skill.key()));
    let opened = shown.iter().map(key).collect();
    Ok(OpenedSections { prompt: Prompt { lines, sections, ..Prompt::default() }, skills: opened })
}
