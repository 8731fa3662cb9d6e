//! `skills mount`: creates a home, installs skills there, runs an agent in it, and removes it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Result;
use tracing::debug;

use crate::cli::args::MountFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::MountSettings;
use crate::commands::event_log::{open_log, write_events};
use crate::commands::gather::{SkillsToCopy, gather};
use crate::commands::install::events;
use crate::commands::{notices, render};
use crate::output::{exports, json};
use crate::skills::files::{self, IncomingSignals, atomic, programs};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, err};
use crate::skills::mount::home::{self, Home, HomePlace};
use crate::skills::mount::login::{self, Auth, LoginCheck, ProvidedLogins};
use crate::skills::mount::policy::{self, ChildEnvironment, Policy, PolicyRequest};
use crate::skills::mount::{self, AgentChoice, Ended, confine};
use crate::skills::put::install::{self, InstallSummary, catalogue};
use crate::skills::{agents, mount as child};

/// A complete home, and messages about it.
struct Mounted {
    home: Home,
    environment: ChildEnvironment,
    report: InstallSummary,
}

/// Runs the command.
pub fn run(settings: &MountSettings, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == MountFormat::Json && settings.command.is_empty();
    refuse_unheard(settings, printer)?;
    let reaped = home::reap(&settings.temporary, None);
    debug!(homes = reaped.gone.len(), "removed homes whose run was killed");
    reaped.words.iter().for_each(|word| printer.warning(word));
    reaped.problems.iter().for_each(|problem| printer.warning(&problem.message));
    let gathered = gather(&settings.skills, &[], &settings.context, json, printer)
        .map_err(|failure| with_dashes(failure, settings))?;
    if settings.skills.selection.requests.is_empty() && !settings.empty {
        printer.warning(&format!("{}, so the home has none", notices::NOTHING_ENABLED));
    }
    // From here on, signals do not end the run before it has cleaned up.
    let mut signals = IncomingSignals::listen()?;
    let mounted = mount_skills(settings, gathered, printer);
    if let Some(signal) = signals.ending() {
        // A run that a signal ended has that signal's exit code.
        match mounted {
            Ok(mounted) => drop(mounted.home.remove()?),
            Err(failure) => printer.error(&Ending::of(failure).error),
        }
        return Ok(ExitStatus::Code(files::code_of_signal(signal)));
    }
    let mounted = mounted?;
    if settings.command.is_empty() {
        return print(settings, mounted, printer);
    }
    run_command(settings, mounted, &mut signals, printer)
}

/// A home with a random name is useless if its path cannot be printed.
fn refuse_unheard(settings: &MountSettings, printer: &Printer) -> Result<(), Error> {
    let is_told = matches!(settings.place, HomePlace::At(_)) || !settings.command.is_empty();
    if is_told || !printer.is_unheard() {
        return Ok(());
    }
    Err(err!(Io, "standard output is closed or discarded, so the path of the home would be lost")
        .help("read standard output, or choose the home with `--home DIR`"))
}

/// Suggests `--` if a source looks like a command.
fn with_dashes(failure: anyhow::Error, settings: &MountSettings) -> anyhow::Error {
    let missing = failure.downcast_ref::<Error>().filter(|one| one.kind == ErrorKind::NotFound);
    let name = missing.and_then(|error| error.path.as_deref()?.file_name().map(OsString::from));
    let Some(name) = name.filter(|_| settings.command.is_empty()) else { return failure };
    if !programs::is_anywhere(&name, path(settings))
        && agents::observed(&name.to_string_lossy()).is_none()
    {
        return failure;
    }
    let help = format!("a command goes after `--`: `skills mount … -- {}`", name.display());
    match failure.downcast::<Error>() {
        Ok(error) => error.help(help).into(),
        Err(failure) => failure,
    }
}

/// The PATH of the caller.
fn path(settings: &MountSettings) -> Option<&OsStr> {
    settings.caller.get(OsStr::new("PATH")).map(OsString::as_os_str)
}

/// Creates the home and everything in it, or nothing.
fn mount_skills(
    settings: &MountSettings,
    gathered: SkillsToCopy,
    printer: &Printer,
) -> Result<Mounted> {
    // Refuse before anything is created.
    let policy = policy(settings)?;
    refuse_host_skills(settings, &policy)?;
    require_logins(settings, &policy, printer)?;
    if settings.agents.choice == AgentChoice::Guessed {
        let program = settings.command.first().map(PathBuf::from).unwrap_or_default();
        printer.warning(&format!(
            "`{}` does not say which agent it runs, so the home is prepared for claude and has no \
             login; name the agent with `--agent`",
            program.display()
        ));
    }
    let program = settings.command.first().map(Path::new).unwrap_or(Path::new(""));
    let unchecked = settings
        .isolation
        .as_ref()
        .and_then(|isolation| confine::unchecked(isolation, &settings.agents.line, program));
    if let Some(why) = unchecked {
        printer
            .warning(&format!("nobody has checked whether the command undoes `isolation`: {why}"));
    }
    for target in &settings.agents.others {
        let id = target.id;
        printer.warning(&format!(
            "what `{id}` needs besides its skills directory was not observed: it may lack its \
             login here, or see your own skills"
        ));
    }
    for name in &policy.missed {
        printer.warning(&format!(
            "`{}` can lead the agent to your own skills, so it is not passed on",
            name.display()
        ));
    }
    let log = open_log(settings.events.file.as_deref())?;
    let keep = settings.keep && !settings.command.is_empty();
    let mut home = Home::make(&settings.place, keep)?;
    home.words.iter().for_each(|word| printer.warning(word));
    let environment = policy.environment_in(&home.path);
    // Names only: values may be secret.
    let (set, removed) = (environment.set.keys(), &environment.unset);
    debug!(set = ?set.collect::<Vec<_>>(), ?removed, "decided about the environment");
    let expanded = gathered.expanded.clone();
    let filled = fill(settings, &mut home, &environment, gathered, printer).and_then(|report| {
        write_events(log, &events(&expanded, &report, &settings.events.source), printer)?;
        Ok(report)
    });
    match filled {
        Ok(report) => Ok(Mounted { home, environment, report }),
        Err(error) => {
            let _ = home.remove();
            Err(error)
        }
    }
}

/// Puts skills, logins and linked paths into a home.
fn fill(
    settings: &MountSettings,
    home: &mut Home,
    environment: &ChildEnvironment,
    gathered: SkillsToCopy,
    printer: &Printer,
) -> Result<InstallSummary> {
    let SkillsToCopy { candidates, skipped, cautions, .. } = gathered;
    let directories = settings.agents.skills_directories(&home.path);
    let reporter =
        progress::careful_bar(settings.context.progress, "copied", candidates.len(), *printer)?;
    let mut report = if candidates.is_empty() {
        InstallSummary { directories, ..InstallSummary::default() }
    } else {
        install::install(&candidates, &directories, &settings.options, reporter.as_ref())?
    };
    report = InstallSummary { skipped, cautions, ..report };
    for agent in settings.agents.observed.iter().filter(|agent| agent.budget.is_some()) {
        let directory = home.path.join(agent.target.project);
        notices::budget(agent, catalogue::characters(agent, &directory, &candidates), printer);
    }
    let real = &settings.context.environment;
    let child = Environment::new(real.directory.clone(), environment.all.clone());
    let (ids, verbose) = (settings.agents.ids(), settings.context.verbose);
    report.lacking = notices::lacking(&candidates, &child, &ids, verbose, printer);
    let agents = &settings.agents.observed;
    if settings.auth != Auth::None {
        let ProvidedLogins { linked, unlinked, problems } =
            login::provide(agents, real, &home.path, settings.auth);
        problems.iter().for_each(|problem| printer.warning(problem));
        home.remember(linked, unlinked)
            .map_err(|error| Error::writing("record", &home.path, &error))?;
    }
    mount::directories(agents, settings.isolation.as_ref(), &home.path)?;
    if let Some(isolation) = &settings.isolation {
        let host = &settings.host;
        let login = settings.auth != Auth::None;
        let host = host.with_login(login);
        mount::settings(agents, isolation, environment, &host, real, &home.path)?;
    }
    if let Some(real_home) = &real.home {
        mount::links(&settings.with, real_home, &home.path)?;
    }
    if !settings.with.is_empty() && !settings.allow_host_skills {
        let installed: Vec<PathBuf> = report.outcomes.iter().map(|one| one.path.clone()).collect();
        let threads = settings.context.threads;
        mount::refuse_strangers(agents, &home.path, &installed, real, environment, threads)?;
    }
    if let Some((file, render)) = &settings.prompt {
        let text = render::prompt_text(render, printer)?;
        atomic::write_named(file, &text).map_err(|error| Error::writing("write", file, &error))?;
    }
    Ok(report)
}

fn policy(settings: &MountSettings) -> Result<Policy<'_>, Error> {
    policy::decide(&PolicyRequest {
        agents: &settings.agents.observed,
        others: &settings.agents.others,
        real_home: settings.context.environment.home.as_deref(),
        caller: &settings.caller,
        login: settings.auth != Auth::None,
        isolation: settings.isolation.as_ref(),
        runs: !settings.command.is_empty(),
        host: &settings.host,
    })
}

/// Refuses to start an isolated agent without a login. If no agent was named, only warns.
fn require_logins(
    settings: &MountSettings,
    policy: &Policy<'_>,
    printer: &Printer,
) -> Result<(), Error> {
    if settings.isolation.is_none() {
        return Ok(());
    }
    for agent in &settings.agents.observed {
        let check = LoginCheck {
            agent,
            variables: &policy.variables,
            files: settings.auth != Auth::None,
            real: &settings.context.environment,
            host: &settings.host,
        };
        match check.run() {
            Err(error) if settings.agents.choice == AgentChoice::Usual => {
                printer.warning(&error.message)
            }
            checked => checked?,
        }
    }
    Ok(())
}

/// Refuses a home from which the agent would see the user's own skills, unless that is allowed.
fn refuse_host_skills(settings: &MountSettings, policy: &Policy<'_>) -> Result<(), Error> {
    if settings.allow_host_skills {
        return Ok(());
    }
    let real = &settings.context.environment;
    let visible = mount::visible(&settings.agents.observed, real, policy, settings.context.threads);
    if !visible.is_empty() {
        return Err(mount::refusal(&visible, &settings.context.directory));
    }
    Ok(())
}

/// Runs the agent, and always removes the home afterwards.
fn run_command(
    settings: &MountSettings,
    mounted: Mounted,
    signals: &mut IncomingSignals,
    printer: &Printer,
) -> Result<ExitStatus> {
    let Mounted { mut home, environment, .. } = mounted;
    let ended = home
        .share()
        .and_then(|()| child::run(&settings.command, path(settings), &environment, signals));
    let program = settings.command.first().map(PathBuf::from).unwrap_or_default();
    let program = program.display();
    match &ended {
        Ok(Ended::NotFound) => {
            let error = err!(NotFound, "`{program}` was not found");
            printer.error(&error.help("install it, or use its full path"));
        }
        Ok(Ended::NotRunnable(reason)) => {
            printer.error(&err!(Io, "`{program}` cannot be run: {reason}"));
        }
        Ok(Ended::Code(_)) | Err(_) => {}
    }
    // Return the command's exit code even if the home cannot be removed.
    let path = home.path.clone();
    let cleaned = if settings.keep {
        printer.note(&format!("the home is kept in `{}`", path.display()));
        home.leave().map(|()| Vec::new()).map_err(|error| Error::io("write to", &path, &error))
    } else {
        home.remove()
    };
    match cleaned {
        Ok(words) => words.iter().for_each(|word| printer.warning(word)),
        Err(error) => printer.error(&error),
    }
    Ok(ExitStatus::Code(ended?.code()))
}

/// Leaves the home to the caller and prints its path.
fn print(settings: &MountSettings, mounted: Mounted, printer: &Printer) -> Result<ExitStatus> {
    let Mounted { mut home, environment, report } = mounted;
    let path = home.path.clone();
    // Scripts get the exact bytes of the path.
    let printed = match settings.format {
        MountFormat::Path => printer.bytes(&[path.as_os_str().as_encoded_bytes(), b"\n"].concat()),
        MountFormat::Env => {
            let mut lines = Vec::new();
            exports::lines(&mut lines, &environment, settings.shell)
                .and_then(|()| printer.bytes(&lines))
        }
        MountFormat::Json => {
            let context = json::report::Context {
                home: Some(&path),
                dry_run: false,
                environment: Some(&environment),
                other_copies: None,
            };
            printer.text(|out| json::report::install(out, &report, &context))
        }
    };
    // Remove a home whose path could not be printed, because nobody else would.
    if let Err(error) = printed.and_then(|()| home.leave()) {
        let _ = home.remove();
        return Err(error.into());
    }
    Ok(ExitStatus::Success)
}
