//! `skills render`: prints what a model sees.

use anyhow::Result;

use crate::cli::args::RenderFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::{RenderSettings, RenderedParts};
use crate::commands::event_log::{open_log, write_events};
use crate::commands::locked::{self, LockUse};
use crate::commands::notices;
use crate::output::{count, json, prompt as output, sanitize};
use crate::skills::agents::listing::{AgentListing, ShownSkill};
use crate::skills::agents::{Agent, load};
use crate::skills::find::discovery::{self, DiscoveryNotice, DiscoveryOptions};
use crate::skills::find::selection;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::verdict::{Judged, Verdict};
use crate::skills::model::reporter::{Reporter, Silent};
use crate::skills::show::events::{Event, EventContext};
use crate::skills::show::layout::{self, Layout};
use crate::skills::show::prompt::{self, PromptSkill};
use crate::skills::text::document::tokens;

/// What scripts that run without isolation should know.
const ISOLATION: &str = "Skills installation requires hermetic isolation";

/// What to do about it.
const MOUNTING: &str = "run the agent with `skills mount -- COMMAND`, so that it loads these \
    skills itself, and give it what `skills render --prompt-only` prints; or write \
    `install_skills: false` in the manifest to keep them all in the prompt";

/// Runs the command.
pub fn run(settings: &RenderSettings, printer: &Printer) -> Result<ExitStatus> {
    if let RenderedParts::As(agent) = settings.show {
        return as_agent(agent, settings, printer);
    }
    let (mut skills, mut failed) = gather(settings, printer)?;
    tracing::debug!(skills = skills.len(), format = ?settings.format, "rendering");
    settings.layout.check_expanded(&skills)?;
    if let Some(options) = settings.fallback.as_ref().filter(|_| lacks_some(&skills, settings)) {
        let (more, also_failed) = discovered(options, settings, printer)?;
        failed |= also_failed;
        skills.extend(used(more, settings, printer)?);
    }
    match &settings.show {
        RenderedParts::Preloaded(names) => {
            let chosen = layout::chosen(&skills, names)?;
            printer.text(|out| match settings.format {
                RenderFormat::Xml => output::preloaded(out, &chosen),
                RenderFormat::Markdown => output::preloaded_markdown(out, &chosen),
                RenderFormat::Json => json::skills::contents(out, &chosen, None),
            })?;
        }
        RenderedParts::Activated(name, user) => {
            let chosen = layout::chosen(&skills, std::slice::from_ref(name))?;
            let user = user.as_deref();
            let log = open_log(settings.events.file.as_deref())?;
            printer.text(|out| match settings.format {
                RenderFormat::Xml => output::activated(out, chosen[0], user),
                RenderFormat::Markdown => output::activated_markdown(out, chosen[0], user),
                RenderFormat::Json => json::skills::contents(out, &chosen, user),
            })?;
            let activated = Event::SkillActivated {
                skill_name: chosen[0].name().to_owned(),
                skill_path: chosen[0].location(None),
                bytes: chosen[0].body.len(),
                tokens: tokens(chosen[0].body.chars().count()),
                common: EventContext::now(&settings.events.source),
            };
            write_events(log, &[activated], printer)?;
        }
        RenderedParts::Prompt | RenderedParts::As(_) => {
            catalogue(&skills, settings, printer)?;
        }
    }
    Ok(if failed { ExitStatus::Failure } else { ExitStatus::Success })
}

/// Finds and reads the active skills, in the order of their sources.
fn gather(settings: &RenderSettings, printer: &Printer) -> Result<(Vec<PromptSkill>, bool)> {
    let (context, keep) = (&settings.context, settings.keep());
    let options = JudgeOptions { errors_only: true, ..JudgeOptions::default() };
    let read = |opened: &OpenedSkill<'_>| prompt::read(opened, keep, &options);
    let (skills, failed) = match &settings.discovery {
        Some(options) => discovered(options, settings, printer)?,
        None => {
            let output: (&dyn Reporter, &Printer) = (&Silent, printer);
            let (skills, scan) =
                locked::find(&settings.selection, LockUse::Frozen, context, output, &read)?;
            notices::none_pass(skills.len(), &scan.names, printer);
            let skills = selection::settled(skills);
            let failed = notices::scan(&scan, &context.directory, context.verbose, printer);
            (skills, failed)
        }
    };
    Ok((used(skills, settings, printer)?, failed))
}

/// Skills that are on this machine, and whether something could not be read.
fn discovered(
    options: &DiscoveryOptions,
    settings: &RenderSettings,
    printer: &Printer,
) -> Result<(Vec<Judged<PromptSkill>>, bool)> {
    let (context, keep) = (&settings.context, settings.keep());
    let judge = JudgeOptions { errors_only: true, ..JudgeOptions::default() };
    let read = |opened: &OpenedSkill<'_>| prompt::read(opened, keep, &judge);
    let found = discovery::discover(&context.environment, options, &read);
    found.require_plugins(&options.plugins)?;
    selection::require(&options.only, &found.names)?;
    notices::none_pass(found.skills.len(), &found.names, printer);
    let failed = notices::discovery(&found.notices, &context.directory, context.verbose, printer);
    Ok((found.skills.into_iter().map(|(_, judged)| judged).collect(), failed))
}

/// Whether a skill to print as a whole is missing.
fn lacks_some(skills: &[PromptSkill], settings: &RenderSettings) -> bool {
    match &settings.show {
        RenderedParts::Preloaded(names) => layout::chosen(skills, names).is_err(),
        RenderedParts::Activated(name, _) => {
            layout::chosen(skills, std::slice::from_ref(name)).is_err()
        }
        RenderedParts::Prompt | RenderedParts::As(_) => false,
    }
}

/// The active skills; reports the others, with reasons.
fn used(
    skills: Vec<Judged<PromptSkill>>,
    settings: &RenderSettings,
    printer: &Printer,
) -> Result<Vec<PromptSkill>> {
    refuse_duplicates(&skills, settings)?;
    let (mut used, mut left_out) = (Vec::new(), Vec::new());
    for judged in skills {
        let skill = &judged.skill;
        let line = |reason: &str| format!("`{}` is left out: {reason}", skill.file().display());
        match &judged.verdict {
            _ if skill.is_nested && !settings.nested => {}
            Verdict::Active | Verdict::Hidden(_) => used.push(judged.made),
            Verdict::Invalid(unusable) => left_out.push(line(&unusable.to_string())),
            Verdict::Shadowed(shadow) if shadow.is_identical() => {}
            Verdict::Shadowed(shadow) => left_out.push(line(&shadow.reason)),
            Verdict::Disabled(_) => {}
        }
    }
    let more = ("more skill", " left out");
    notices::some(left_out.into_iter(), more, settings.context.verbose, printer);
    prompt::qualify(&mut used);
    Ok(used)
}

/// Refuses different skills of one name that were named together.
fn refuse_duplicates(skills: &[Judged<PromptSkill>], settings: &RenderSettings) -> Result<()> {
    for Judged { skill, verdict, .. } in skills {
        if let Verdict::Invalid(why) = verdict
            && why.is_duplicate()
            && skill.is_named
            && (settings.nested || !skill.is_nested)
        {
            return Err(why.refusal(&skill.name, &skill.path, skill.kind(), "rendered").into());
        }
    }
    Ok(())
}

/// The same for an agent, which would show one of them, or all.
fn refuse_duplicates_of_agent(settings: &RenderSettings) -> Result<()> {
    let mut selection = settings.selection.clone();
    // The agent may know other names than the scan, so these filters are applied to what it shows.
    let only = std::mem::take(&mut selection.scan.only);
    if only.is_empty() && selection.requests.len() < 2 {
        return Ok(());
    }
    let judge = JudgeOptions { errors_only: true, ..JudgeOptions::default() };
    let read = |opened: &OpenedSkill<'_>| prompt::read(opened, settings.keep(), &judge);
    let (mut skills, _) = selection::find(&selection, &read)?;
    for Judged { skill, .. } in &mut skills {
        let is_chosen = skill.names().any(|name| only.iter().any(|one| one == name));
        skill.is_named |= is_chosen;
    }
    refuse_duplicates(&selection::settled(skills), settings)
}

/// The skills that stay in the prompt when the rest are mounted.
pub fn prompt_text(settings: &RenderSettings, printer: &Printer) -> Result<Vec<u8>> {
    let (skills, _) = gather(settings, printer)?;
    let mut text = Vec::new();
    output::xml(&mut text, &settings.layout.lay_out(&skills)?.prompt)?;
    Ok(text)
}

/// Prints a prompt, and logs the expanded sections.
fn catalogue(skills: &[PromptSkill], settings: &RenderSettings, printer: &Printer) -> Result<()> {
    let Layout { prompt, in_prompt, native } = settings.layout.lay_out(skills)?;
    let log = open_log(settings.events.file.as_deref())?;
    let has_native = in_prompt.iter().chain(&native).any(|skill| !skill.stays_in_prompt());
    if settings.warns_of_isolation && has_native {
        printer.warning(ISOLATION);
        printer.note(MOUNTING);
    }
    printer.text(|out| match settings.format {
        RenderFormat::Xml => output::xml(out, &prompt),
        RenderFormat::Markdown => output::markdown(out, &prompt),
        RenderFormat::Json => json::skills::prompt(out, &prompt),
    })?;
    let expanded: Vec<Event> = in_prompt
        .iter()
        .chain(&native)
        .filter(|skill| settings.layout.is_expanded(skill))
        .map(|skill| Event::SkillExpanded {
            skill_name: skill.name().to_owned(),
            skill_key: settings.layout.key_prefix.with(skill.key()),
            common: EventContext::now(&settings.events.source),
        })
        .collect();
    write_events(log, &expanded, printer)
}

/// Prints the listing that an agent sends its model.
fn as_agent(agent: &Agent, settings: &RenderSettings, printer: &Printer) -> Result<ExitStatus> {
    if settings.agent_roots {
        locked::hold_frozen(&settings.selection, &settings.context, printer)?;
        refuse_duplicates_of_agent(settings)?;
    }
    let roots = settings.agent_roots.then(|| settings.selection.directories()).transpose()?;
    let environment = &settings.context.environment;
    let loaded = load::load(agent, environment, roots.as_deref(), settings.context.threads);
    let problems: Vec<DiscoveryNotice> =
        loaded.problems.into_iter().map(DiscoveryNotice::Problem).collect();
    let directory = &settings.context.directory;
    let failed = notices::discovery(&problems, directory, settings.context.verbose, printer);
    let mut shown = ShownSkill::of(loaded.skills);
    let names: Vec<String> = shown.iter().map(|skill| skill.listed.name.clone()).collect();
    selection::require(&settings.selection.scan.only, &names)?;
    shown.retain(|skill| {
        let names = std::iter::once(skill.listed.name.as_str());
        settings.selection.scan.accepts_names(names, None)
    });
    notices::none_pass(shown.len(), &names, printer);
    let AgentListing { text, caveat } = (agent.listing)(&shown, &loaded.roots);
    printer.bytes(sanitize::printable(&text).as_bytes())?;
    caveat.iter().for_each(|caveat| printer.note(caveat));
    if settings.context.verbose {
        let characters = text.chars().count();
        let estimate = tokens(characters);
        printer.note(&format!("{} of about {estimate} tokens", count(shown.len(), "skill")));
    }
    Ok(if failed { ExitStatus::Failure } else { ExitStatus::Success })
}
