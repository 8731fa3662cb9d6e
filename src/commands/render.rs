//! `skills render`: what a model gets to see.

use anyhow::Result;

use crate::cli::args::RenderFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::{RenderSettings, RenderedParts};
use crate::commands::event_log::{open_log, write_events};
use crate::commands::locked::{self, LockUse};
use crate::commands::notices;
use crate::output::prompt as output;
use crate::output::{count, json_v1, sanitize};
use crate::skills::agents::Agent;
use crate::skills::agents::catalogue::ShownSkill;
use crate::skills::agents::simulate;
use crate::skills::files::directory::OpenDirectory;
use crate::skills::find::discovery::DiscoveryNotice;
use crate::skills::find::selection;
use crate::skills::model::reporter::{Reporter, Silent};
use crate::skills::model::source::Skill;
use crate::skills::show::events::{Event, EventContext};
use crate::skills::show::layout::{self, Layout, PromptParts};
use crate::skills::show::prompt::{self, PromptSkill};
use crate::skills::text::limits::tokens;

/// What scripts that run without isolation should know.
const ISOLATION: &str = "Skills installation requires hermetic isolation";

/// Runs the command.
///
/// # Errors
/// Sources that cannot be read, names and keys that are not there, and whatever keeps the result
/// from being written.
pub fn run(settings: &RenderSettings, printer: &Printer) -> Result<ExitStatus> {
    if let RenderedParts::As(agent) = settings.show {
        return as_agent(agent, settings, printer);
    }
    let (skills, failed) = gather(settings, printer)?;
    settings.layout.check_expanded(&skills)?;
    match &settings.show {
        RenderedParts::Preloaded(names) => {
            let chosen = layout::chosen(&skills, names)?;
            printer.text(|out| match settings.format {
                RenderFormat::Xml => output::preloaded(out, &chosen),
                RenderFormat::Markdown => output::contents_markdown(out, &chosen, None),
                RenderFormat::Json => json_v1::render::contents(out, &chosen, None),
            })?;
        }
        RenderedParts::Activated(name, user) => {
            let chosen = layout::chosen(&skills, std::slice::from_ref(name))?;
            let user = user.as_deref();
            printer.text(|out| match settings.format {
                RenderFormat::Xml => output::activated(out, chosen[0], user),
                RenderFormat::Markdown => output::contents_markdown(out, &chosen, user),
                RenderFormat::Json => json_v1::render::contents(out, &chosen, user),
            })?;
        }
        RenderedParts::Prompt | RenderedParts::As(_) => {
            catalogue(&skills, settings, printer)?;
        }
    }
    Ok(if failed { ExitStatus::Failure } else { ExitStatus::Success })
}

/// Finds and reads the skills, in the order in which they were named.
fn gather(settings: &RenderSettings, printer: &Printer) -> Result<(Vec<PromptSkill>, bool)> {
    let keep = settings.keep();
    let make = |skill: Skill, _: Option<&OpenDirectory>, content: &_, inventory: &_| {
        prompt::of_read(skill, content, inventory, keep)
    };
    let (selection, common) = (&settings.selection, &settings.common);
    let output: (&dyn Reporter, &Printer) = (&Silent, printer);
    let (skills, scan) =
        locked::find(selection, LockUse::Frozen, keep.depth(), common, output, &make)?;
    let verbose = settings.common.verbose;
    let failed = notices::scan(&scan, &settings.common.directory, verbose, printer);
    let settled = prompt::settle(skills);
    let undescribed = settled
        .undescribed
        .iter()
        .map(|file| format!("`{}` has no description and is left out", file.display()));
    notices::some(undescribed, ("more skill", " without a description"), verbose, printer);
    notices::collisions(&settled.collisions, verbose, printer);
    Ok((settled.skills, failed))
}

/// What stays in the prompt once the rest is mounted.
///
/// # Errors
/// Sources that cannot be read, and keys that are not there.
pub(super) fn prompt_text(settings: &RenderSettings, printer: &Printer) -> Result<Vec<u8>> {
    let (skills, _) = gather(settings, printer)?;
    let mut text = Vec::new();
    output::xml(&mut text, &settings.layout.lay_out(&skills)?.prompt)?;
    Ok(text)
}

/// Prints a prompt, and logs the expanded sections.
fn catalogue(skills: &[PromptSkill], settings: &RenderSettings, printer: &Printer) -> Result<()> {
    let Layout { prompt, in_prompt, native } = settings.layout.lay_out(skills)?;
    let log = open_log(settings.events.as_deref())?;
    let catalogued = settings.layout.parts == PromptParts::Catalogue;
    if catalogued && settings.warns_of_isolation && !native.is_empty() {
        printer.warning(ISOLATION);
    }
    printer.text(|out| match settings.format {
        RenderFormat::Xml => output::xml(out, &prompt),
        RenderFormat::Markdown => output::markdown(out, &prompt),
        RenderFormat::Json => json_v1::render::prompt(out, &prompt),
    })?;
    let expanded: Vec<Event> = in_prompt
        .iter()
        .filter(|skill| settings.layout.is_expanded(skill.key()))
        .map(|skill| Event::SkillExpanded {
            skill_name: skill.name().to_owned(),
            skill_key: format!("skills.{}", skill.key()),
            common: EventContext::now("render"),
        })
        .collect();
    write_events(log, &expanded, printer)
}

/// The listing that an agent puts before its model.
fn as_agent(agent: &Agent, settings: &RenderSettings, printer: &Printer) -> Result<ExitStatus> {
    if settings.agent_roots {
        locked::hold_frozen(&settings.selection, &settings.common, printer)?;
    }
    let roots = settings.agent_roots.then(|| settings.selection.directories()).transpose()?;
    let environment = &settings.common.environment;
    let loaded = simulate::load(agent, environment, roots.as_deref(), settings.common.threads);
    let problems: Vec<DiscoveryNotice> =
        loaded.problems.into_iter().map(DiscoveryNotice::Problem).collect();
    let directory = &settings.common.directory;
    let failed = notices::discovery(&problems, directory, settings.common.verbose, printer);
    let mut shown = ShownSkill::of(loaded.skills);
    let names: Vec<String> = shown.iter().map(|skill| skill.listed.name.clone()).collect();
    selection::require(&settings.selection.scan.only, &names)?;
    shown.retain(|skill| settings.selection.scan.accepts(&skill.listed.name));
    let text = (agent.listing)(&shown, &loaded.roots);
    printer.bytes(sanitize::printable(&text).as_bytes())?;
    if settings.common.verbose {
        let characters = text.chars().count();
        let estimate = tokens(characters);
        printer.note(&format!("{} of about {estimate} tokens", count(shown.len(), "skill")));
    }
    Ok(if failed { ExitStatus::Failure } else { ExitStatus::Success })
}
