//! `skills mount`: make a home, put skills there, run an agent in it, and leave nothing behind.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tracing::debug;

use crate::cli::args::{MountFormat, ShellArg};
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::Mount;
use crate::commands::event_log::{open_log, write_events};
use crate::commands::install::{events, gather, is_refusal, refuse};
use crate::commands::render;
use crate::output::exports::{self, Shell};
use crate::output::{json_v1, sanitize};
use crate::skills::agents::mounting::Setting;
use crate::skills::atomic;
use crate::skills::error::{Error, ErrorKind};
use crate::skills::install::candidate::Candidate;
use crate::skills::install::{self, Report};
use crate::skills::mount::home::{self, Home};
use crate::skills::mount::login::{self, Auth};
use crate::skills::mount::policy::{self, ChildEnvironment, Request};
use crate::skills::mount::run::Ended;
use crate::skills::mount::{self, host, run as child, settings as claude};
use crate::skills::platform::{self, Signals};

/// A home that is ready, and what there is to say about it.
struct Mounted {
    home: Home,
    environment: ChildEnvironment,
    report: Report,
}

/// Runs the command.
///
/// # Errors
/// Whatever keeps the home from being made; nothing is left of it then.
pub fn run(settings: &Mount, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == MountFormat::Json && settings.command.is_empty();
    let refused = |error: &Error| {
        let status = refuse(error, json, printer)?;
        Ok(if settings.command.is_empty() { status } else { ExitStatus::OWN_FAILURE })
    };
    // From here on nothing ends the run before it has cleaned up.
    let mut signals = Signals::listen()?;
    let gone = home::reap(&settings.temporary, None);
    debug!(homes = gone.len(), "removed homes whose run was killed");
    let candidates = match gather(&settings.skills, &[], &settings.common, json, printer)? {
        Ok(candidates) => candidates,
        Err(refusal) => return refused(&refusal),
    };
    let mounted = match mount_skills(settings, &candidates, printer) {
        Err(error) if error.downcast_ref::<Error>().is_some_and(is_refusal) => {
            return refused(&crate::cli::domain_error(error));
        }
        other => other?,
    };
    if let Some(signal) = signals.ending() {
        remove(mounted.home, printer)?;
        return Ok(ExitStatus::Code(platform::code_of_signal(signal)));
    }
    if settings.command.is_empty() {
        return print(settings, mounted, printer);
    }
    run_command(settings, mounted, &mut signals, printer)
}

/// Makes the home and everything in it, or nothing.
fn mount_skills(settings: &Mount, candidates: &[Candidate], printer: &Printer) -> Result<Mounted> {
    // What is refused is refused before anything is made.
    let planned = environment_in(settings, Path::new("/nonexistent"))?;
    refuse_host_skills(settings, &planned)?;
    let log = open_log(settings.events.as_deref())?;
    let mut home = Home::make(&settings.place, !settings.command.is_empty())?;
    match furnish(settings, &mut home, candidates, printer) {
        Ok((environment, report)) => {
            write_events(log, &events(&report, "mount"), printer)?;
            Ok(Mounted { home, environment, report })
        }
        Err(error) => {
            let _ = home.remove();
            Err(error)
        }
    }
}

/// Puts skills, logins and whatever else was asked for into a home.
fn furnish(
    settings: &Mount,
    home: &mut Home,
    candidates: &[Candidate],
    printer: &Printer,
) -> Result<(ChildEnvironment, Report)> {
    let environment = environment_in(settings, &home.path)?;
    let directories = mount::skills_directories(&settings.agents, &home.path);
    let reporter = progress::bar(settings.common.progress, "copied", candidates.len(), *printer);
    let report = if candidates.is_empty() {
        Report { directories, ..Report::default() }
    } else {
        install::install(candidates, &directories, &settings.options, reporter.as_ref())?
    };
    let real = &settings.common.environment;
    let (linked, problems) = login::provide(&settings.agents, &home.path, real, settings.auth);
    home.remember(linked).map_err(|error| Error::io("write to", &home.path, &error))?;
    problems.iter().for_each(|problem| printer.warning(problem));
    make_directories(settings, &home.path)?;
    write_settings(settings, &home.path, &environment)?;
    link_more(settings, &home.path)?;
    if let Some((file, render)) = &settings.prompt {
        let text = render::prompt_text(render, printer)?;
        atomic::write(file, &text).map_err(|error| Error::io("write", file, &error))?;
    }
    Ok((environment, report))
}

fn environment_in(settings: &Mount, home: &Path) -> Result<ChildEnvironment, Error> {
    policy::environment(&Request {
        agents: &settings.agents,
        home,
        real_home: settings.common.environment.home.as_deref(),
        caller: &settings.caller,
        login: settings.auth != Auth::None,
        isolation: settings.isolation.as_ref(),
        host: &settings.host,
    })
}

/// None of the user's own skills is seen, unless that is wanted.
fn refuse_host_skills(settings: &Mount, environment: &ChildEnvironment) -> Result<(), Error> {
    if settings.allow_host_skills {
        return Ok(());
    }
    let real = &settings.common.environment;
    let visible = host::visible(&settings.agents, real, environment, settings.common.threads);
    if !visible.is_empty() {
        return Err(host::refusal(&visible, &settings.common.directory));
    }
    let own = host::own_directories(real);
    let home = real.home.as_deref().unwrap_or(Path::new("/"));
    let leaking = settings.with.iter().find(|path| {
        let linked = home.join(path).canonicalize().unwrap_or_else(|_| home.join(path));
        own.iter().any(|own| own.starts_with(&linked) || linked.starts_with(own))
    });
    leaking.map_or(Ok(()), |path| {
        let message = format!("`--with {}` would bring your own skills along", path.display());
        Err(Error::new(ErrorKind::Conflict, message)
            .help("name something inside it, or let it with `--allow-host-skills`"))
    })
}

/// Codex, for one, does not start where a variable leads to a directory that is not there.
fn make_directories(settings: &Mount, home: &Path) -> Result<(), Error> {
    let set = settings.agents.iter().flat_map(|agent| agent.mounting.set);
    for (_, setting) in set {
        if let Setting::Below(path) = setting {
            let path = home.join(path);
            fs::create_dir_all(&path).map_err(|error| Error::io("make", &path, &error))?;
        }
    }
    Ok(())
}

/// An isolated Claude is told what it may do.
fn write_settings(
    settings: &Mount,
    home: &Path,
    environment: &ChildEnvironment,
) -> Result<(), Error> {
    let has_claude = settings.agents.iter().any(|agent| agent.id == "claude");
    let Some(isolation) = settings.isolation.as_ref().filter(|_| has_claude) else {
        return Ok(());
    };
    let path = home.join(".claude/settings.json");
    let value = claude::settings_json(isolation, &environment.all, &settings.host);
    let text = format!("{value:#}\n");
    login::make_parents(&path)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| Error::io("write", &path, &error))
}

/// Links more paths of the real home.
fn link_more(settings: &Mount, home: &Path) -> Result<(), Error> {
    let Some(real) = settings.common.environment.home.as_deref() else { return Ok(()) };
    for path in &settings.with {
        let (target, link) = (real.join(path), home.join(path));
        if target.symlink_metadata().is_err() {
            let message = format!("`--with {}`: there is nothing in your home", path.display());
            return Err(Error::new(ErrorKind::NotFound, message).at(target));
        }
        let linked = login::make_parents(&link).and_then(|()| platform::link(&target, &link));
        linked
            .map_err(|error| Error { kind: ErrorKind::Io, ..Error::io("link", &link, &error) })?;
    }
    Ok(())
}

/// Runs the agent, and removes the home when it has ended, however that was.
fn run_command(
    settings: &Mount,
    mounted: Mounted,
    signals: &mut Signals,
    printer: &Printer,
) -> Result<ExitStatus> {
    let Mounted { home, environment, .. } = mounted;
    let ended =
        home.share_lock().and_then(|()| child::run(&settings.command, &environment, signals));
    let program = settings.command.first().map(PathBuf::from).unwrap_or_default();
    let program = program.display();
    match &ended {
        Ok(Ended::NotFound) => {
            printer.error(&Error::new(ErrorKind::NotFound, format!("`{program}` is not there")));
        }
        Ok(Ended::NotRunnable(reason)) => {
            let message = format!("`{program}` cannot be run: {reason}");
            printer.error(&Error::new(ErrorKind::Io, message));
        }
        Ok(Ended::Code(_)) | Err(_) => {}
    }
    if settings.keep {
        let path = home.leave()?;
        printer.note(&format!("the home is kept in `{}`", path.display()));
    } else {
        remove(home, printer)?;
    }
    Ok(ExitStatus::Code(ended?.code()))
}

/// Removes a home; what could not be done with its logins is said.
fn remove(home: Home, printer: &Printer) -> Result<(), Error> {
    let problems = home.remove()?;
    problems.iter().for_each(|problem| printer.warning(problem));
    Ok(())
}

/// Leaves the home to whoever asked for it, and says where it is.
fn print(settings: &Mount, mounted: Mounted, printer: &Printer) -> Result<ExitStatus> {
    let Mounted { home, environment, report } = mounted;
    let path = home.path.clone();
    let printed = match settings.format {
        MountFormat::Path => {
            printer.results(|out| writeln!(out, "{}", sanitize::line(&path.to_string_lossy())))
        }
        MountFormat::Env => {
            let shell = match settings.shell {
                ShellArg::Sh => Shell::Posix,
                ShellArg::Fish => Shell::Fish,
                ShellArg::Powershell => Shell::PowerShell,
            };
            printer.results(|out| exports::lines(out, &environment, shell))
        }
        MountFormat::Json => {
            let context = json_v1::install::Context {
                home: Some(&path),
                dry_run: false,
                environment: Some(&environment),
            };
            printer.results(|out| json_v1::install::report(out, &report, &context))
        }
    };
    // A home that nobody heard of would stay for ever.
    if let Err(error) = printed {
        let _ = home.remove();
        return Err(error.into());
    }
    home.leave()?;
    Ok(ExitStatus::Success)
}
