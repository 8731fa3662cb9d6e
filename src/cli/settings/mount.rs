//! Settings of `skills mount` and `skills unmount`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::args::{self, AuthArg, MountFormat, ShellArg};
use crate::cli::context::Context;
use crate::cli::settings::EventSettings;
use crate::cli::settings::install::CopySettings;
use crate::cli::settings::render::RenderSettings;
use crate::cli::settings::verb::Verb;
use crate::output::exports::Shell;
use crate::skills::find::manifest::Isolation;
use crate::skills::find::manifest::trust::ManifestUse;
use crate::skills::model::environment::{Environment, UserRoot, normalized};
use crate::skills::model::error::{Result, err};
use crate::skills::mount::home::{HomePlace, PREFIX};
use crate::skills::mount::login::Auth;
use crate::skills::mount::policy::Variables;
use crate::skills::mount::settings::HostSettings;
use crate::skills::mount::{AgentChoice, MountedAgents, confine};
use crate::skills::put::install;

/// Settings of `skills mount`.
#[derive(Debug, Clone)]
pub struct MountSettings {
    /// Settings of every command.
    pub context: Context,
    /// The skills and how they are read.
    pub skills: CopySettings,
    /// How to copy them.
    pub options: install::InstallOptions,
    /// The agents that the home is for.
    pub agents: MountedAgents,
    /// Whether `--empty` was given.
    pub empty: bool,
    /// The command, if there is one.
    pub command: Vec<OsString>,
    /// Where to create the home.
    pub place: HomePlace,
    /// The directory for temporary homes.
    pub temporary: PathBuf,
    /// Whether to keep the home.
    pub keep: bool,
    /// More paths of the real home, below it.
    pub with: Vec<PathBuf>,
    /// How to bring logins into it.
    pub auth: Auth,
    /// Whether the agent may see skills of the real home.
    pub allow_host_skills: bool,
    /// The `isolation` block of the manifest.
    pub isolation: Option<Isolation>,
    /// The user's own settings of Claude.
    pub host: HostSettings,
    /// The caller's environment.
    pub caller: Variables,
    /// Where to write the skills that stay in the prompt, and how to render them.
    pub prompt: Option<(PathBuf, RenderSettings)>,
    /// Where to log events.
    pub events: EventSettings,
    /// What to print without a command.
    pub format: MountFormat,
    /// The shell to print for.
    pub shell: Shell,
}

impl MountSettings {
    /// Resolves the flags of `skills mount`.
    pub fn resolve(args: &args::MountArgs, context: &Context) -> Result<Self> {
        let agents = MountedAgents::choose(&args.agent, &args.command)?;
        let manifest = if args.empty {
            None
        } else {
            crate::cli::settings::manifest(&args.selection, context)?
        };
        let manifest = manifest.as_ref();
        let (selected, reading) = (&args.selection, &args.reading);
        let mut skills = if args.empty {
            CopySettings::of_nothing(selected, reading, Verb::Mount, context)?
        } else {
            CopySettings::of_manifest(manifest, selected, reading, Verb::Mount, context)?
        };
        skills.call(args.name.as_deref(), selected)?;
        // Beside a manifest in a commit or an archive, nothing can be written.
        if manifest.is_some_and(|manifest| manifest.tree.is_some())
            && let Some(isolation) = &mut skills.isolation
        {
            isolation.sandbox.take_paths_from_here();
        }
        skills.agree(ManifestUse::Mount { trusted: args.trust_manifest })?;
        for key in &args.ignore_isolation {
            // A typo is an error without a block, too.
            skills.isolation.as_mut().unwrap_or(&mut Isolation::default()).ignore(key)?;
        }
        let prefix = args.prefix.clone().unwrap_or_else(|| PREFIX.to_owned());
        if prefix.contains(['/', '\\', '\0']) {
            return Err(err!(
                Usage,
                "`--prefix {prefix}` must be the start of a name, without `/`"
            ));
        }
        let temporary = temporary(&context.environment);
        let place = match &args.home {
            Some(home) => {
                let home = normalized(home);
                refuse_precious(&home, &temporary, context)?;
                HomePlace::At(home)
            }
            None => HomePlace::Temporary(temporary.clone(), prefix),
        };
        let environment = &context.environment;
        let host = UserRoot::Variable {
            name: "CLAUDE_CONFIG_DIR",
            fallback: ".claude",
            below: "settings.json",
        };
        let is_guessed = agents.choice == AgentChoice::Guessed;
        if is_guessed && skills.isolation.is_some() {
            let program = args.command.first().map(PathBuf::from).unwrap_or_default();
            return Err(err!(
                Usage,
                "`isolation` needs to know the agent, and `{}` does not say which it runs",
                program.display()
            )
            .help("name it, for example with `--agent claude`"));
        }
        if let Some(isolation) = &skills.isolation {
            confine::refuse_moved(isolation, &agents.observed, &agents.line)?;
            if args.agent.is_empty() {
                confine::refuse_hidden(&agents.observed, &agents.line)?;
            }
            confine::refuse_unheeded(isolation, &agents.observed, &agents.others)?;
            if isolation.sandbox.enabled {
                confine::refuse_project(&agents.observed, &context.directory)?;
                for launched in &agents.line.agents {
                    confine::refuse_undone(&agents.observed, launched.agent, &launched.arguments)?;
                }
            }
        }
        // The behaviour of other agents is not known.
        if agents.others.is_empty() {
            skills.meant_for(&agents.observed);
        }
        skills.read.chosen.clone_from(&agents.observed);
        let render = || RenderSettings::prompt_only(manifest, selected, &skills.selection, context);
        let prompt = args.prompt.clone().map(|file| Ok((file, render()?))).transpose()?;
        Ok(Self {
            context: context.clone(),
            options: install::InstallOptions {
                read_only: args.reading.read_only,
                // A temporary home need not survive a power cut.
                sync: false,
                max_skill_bytes: skills.max_skill_bytes,
                max_total_bytes: skills.max_total_bytes,
                threads: context.threads,
                ..install::InstallOptions::default()
            },
            isolation: skills.isolation.clone(),
            skills,
            agents,
            empty: args.empty,
            command: args.command.clone(),
            place,
            temporary,
            keep: args.keep,
            with: args
                .with
                .iter()
                .map(|path| below_home(path, environment))
                .collect::<Result<_>>()?,
            auth: match args.auth {
                // Unknown programs get no login.
                _ if is_guessed => Auth::None,
                AuthArg::Link => Auth::Link,
                AuthArg::Copy => Auth::Copy,
                AuthArg::None => Auth::None,
            },
            allow_host_skills: args.allow_host_skills,
            host: environment
                .user_root(host)
                .map(|path| HostSettings::read(&path))
                .unwrap_or_default(),
            caller: std::env::vars_os().collect(),
            prompt,
            // Without a command, every format is for a script: a path, lines to evaluate, JSON.
            events: EventSettings::resolve(
                &args.reading.events,
                Verb::Mount.word(),
                args.command.is_empty(),
                context,
            )?,
            format: args.format,
            shell: shell(args.shell),
        })
    }
}

/// The shell that evaluates the output of a command, if any.
pub fn evaluated_by(command: &args::Command) -> Option<Shell> {
    match command {
        args::Command::Mount(args)
            if args.format == MountFormat::Env && args.command.is_empty() =>
        {
            Some(shell(args.shell))
        }
        _ => None,
    }
}

const fn shell(word: ShellArg) -> Shell {
    match word {
        ShellArg::Sh => Shell::Posix,
        ShellArg::Fish => Shell::Fish,
        ShellArg::Powershell => Shell::Powershell,
    }
}

/// Where temporary files go.
pub fn temporary(environment: &Environment) -> PathBuf {
    let usual = std::env::temp_dir();
    match environment.variable("TMPDIR") {
        Some(directory) => environment.directory.join(directory),
        // An empty variable counts as unset.
        None if usual.as_os_str().is_empty() => PathBuf::from("/tmp"),
        None => usual,
    }
}

/// Refuses directories that must not be removed, because a home is removed at the end.
fn refuse_precious(path: &Path, temporary: &Path, context: &Context) -> Result<()> {
    let Ok(real) = path.canonicalize() else { return Ok(()) };
    let home = context.environment.home.as_deref().unwrap_or(Path::new("/"));
    let precious = [home, temporary, context.directory.as_path()];
    let holds = |other: &&Path| other.canonicalize().is_ok_and(|other| other.starts_with(&real));
    match precious.iter().find(|other| holds(other)) {
        Some(other) => Err(err!(Conflict, "`{}` holds `{}`", path.display(), other.display())
            .at(path)
            .help("the home is deleted after the run; choose another directory")),
        None => Ok(()),
    }
}

/// A path of the real home, relative to it.
fn below_home(path: &Path, environment: &Environment) -> Result<PathBuf> {
    let wrong = |why: &str| {
        Err(err!(Usage, "`--with {}` {why}", path.display())
            .help("use a path in your home, such as `.gitconfig`"))
    };
    let Some(home) = &environment.home else { return wrong("needs a home, and HOME is not set") };
    let inner = match path.strip_prefix("~") {
        Ok(inner) => inner,
        Err(_) if path.is_absolute() => match path.strip_prefix(home) {
            Ok(inner) => inner,
            Err(_) => return wrong("is outside the home"),
        },
        Err(_) => path,
    };
    let inner: PathBuf = inner.strip_prefix(".").unwrap_or(inner).into();
    let normal = |part| matches!(part, std::path::Component::Normal(_));
    if inner.as_os_str().is_empty() || !inner.components().all(normal) {
        return wrong("is not a path inside the home");
    }
    if home.join(&inner).metadata().is_err() {
        return wrong("does not exist in your home");
    }
    Ok(inner)
}
