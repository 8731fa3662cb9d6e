//! A private home for one run of an agent, with only the requested skills.
//!
//! [`home`] creates and removes homes, those of killed runs too; `record` writes the record beside
//! each. [`policy`] decides the agent's environment. [`login`] keeps the user logged in, checks that an
//! isolated agent can log in, and moves renewed logins back. [`confine`] and [`settings`] say how the
//! agent's commands are confined. This file adds other files, finds the user's own skills that the
//! agent would still see, and starts the command.

pub mod confine;
pub mod home;
pub mod login;
pub mod policy;
pub mod record;
pub mod settings;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{fs, io};

use crate::skills::agents::launched::{CommandLine, Launched, launched};
use crate::skills::agents::table::{self, InstallTarget, KnownAgent};
use crate::skills::agents::{self, AGENTS, Agent, Root, VariableValue, load};
use crate::skills::files::content::system_message;
use crate::skills::files::{self, IncomingSignals, programs};
use crate::skills::find::manifest::Isolation;
use crate::skills::model::environment::{Environment, UserRoot};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::mount::policy::{CLAUDE, ChildEnvironment, Policy};
use crate::skills::mount::settings::{HostSettings, add_route};

/// The agents that a home is for.
#[derive(Debug, Clone, Default)]
pub struct MountedAgents {
    /// Agents whose behaviour was observed.
    pub observed: Vec<&'static Agent>,
    /// Agents whose directories alone are known.
    pub others: Vec<&'static InstallTarget>,
    /// How they were chosen.
    pub choice: AgentChoice,
    /// What the command runs, whatever the home is for.
    pub line: CommandLine,
}

/// How the agents of a home were chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentChoice {
    /// They were named, or the command runs one.
    #[default]
    Known,
    /// Nobody named one, and there is no command.
    Usual,
    /// Nobody named one, and the command does not say which it runs.
    Guessed,
}

impl MountedAgents {
    /// The named ones, otherwise the one that the command runs, otherwise Claude.
    pub fn choose(words: &[String], command: &[OsString]) -> Result<Self> {
        let mut chosen = Self { line: launched(command)?, ..Self::default() };
        for agent in table::find_all(words)? {
            match agent {
                KnownAgent::Observed(agent) => chosen.observed.push(agent),
                KnownAgent::Target(target) => chosen.others.push(target),
            }
        }
        if words.is_empty() {
            for Launched { agent, .. } in &chosen.line.agents {
                if !chosen.observed.contains(agent) {
                    chosen.observed.push(agent);
                }
            }
        }
        if let ([first, _, ..], []) = (chosen.observed.as_slice(), words) {
            let titles = agents::join_titles(&chosen.observed);
            let error = err!(Usage, "the command runs {titles}");
            let all = chosen.ids().join(",");
            return Err(error.help(format!(
                "name the agent that the home is for: `--agent {}`, or `--agent {all}`",
                first.id
            )));
        }
        if chosen.observed.is_empty() && words.is_empty() {
            chosen.choice =
                if command.is_empty() { AgentChoice::Usual } else { AgentChoice::Guessed };
            chosen.observed.push(&AGENTS[0]);
        }
        Ok(chosen)
    }

    /// The ids of all of them.
    pub fn ids(&self) -> Vec<&'static str> {
        let observed = self.observed.iter().map(|agent| agent.id);
        observed.chain(self.others.iter().map(|target| target.id)).collect()
    }

    /// The directories in a home for their skills, each once.
    pub fn skills_directories(&self, home: &Path) -> Vec<PathBuf> {
        let inside = Environment::default().with_home(home);
        let observed = self.observed.iter().map(|agent| home.join(agent.target.project));
        let others = self.others.iter().filter_map(|target| inside.user_root(target.user));
        let mut directories: Vec<PathBuf> = Vec::new();
        for directory in observed.chain(others) {
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        }
        directories
    }
}

// Adds what an agent needs in its home besides skills and logins.

/// Creates the directories that variables name. Codex, for example, does not start without its own.
pub fn directories(agents: &[&Agent], isolation: Option<&Isolation>, home: &Path) -> Result<()> {
    for (_, setting) in policy::settings_of(agents, isolation) {
        if let VariableValue::Below(path) = setting {
            let path = home.join(path);
            fs::create_dir_all(&path).map_err(|error| Error::io("make", &path, &error))?;
        }
    }
    Ok(())
}

/// Writes the settings of isolated agents.
pub fn settings(
    agents: &[&Agent],
    isolation: &Isolation,
    environment: &ChildEnvironment,
    host: &HostSettings,
    real: &Environment,
    home: &Path,
) -> Result<()> {
    for agent in agents {
        let Ok(confinement) = &agent.mounting.confinement else { continue };
        let mut settings = confine::settings(confinement, isolation, &|path| real.expand(path));
        if agent.id == CLAUDE {
            add_route(&mut settings, isolation, &environment.all, host);
        }
        if settings.as_object().is_none_or(serde_json::Map::is_empty) {
            continue;
        }
        let path = home.join(confinement.file);
        let text = match path.extension().is_some_and(|extension| extension == "toml") {
            true => confine::toml(&settings),
            false => format!("{settings:#}\n"),
        };
        tracing::debug!(?path, "writing the settings of an agent");
        login::make_parents(&path)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| Error::io("write", &path, &error))?;
    }
    Ok(())
}

/// Links further paths of the real home.
pub fn links(with: &[PathBuf], real_home: &Path, home: &Path) -> Result<()> {
    for path in with {
        let (target, link) = (real_home.join(path), home.join(path));
        if link.symlink_metadata().is_ok() {
            return Err(err!(
                Conflict,
                "`--with {}`: the home already has this path",
                path.display()
            )
            .help("name a path inside it"));
        }
        let linked = login::make_parents(&link).and_then(|()| files::link(&target, &link));
        linked.map_err(|error| Error::writing("link", &link, &error))?;
    }
    Ok(())
}

// Finds the user's own skills that a mounted agent would still see, because it searches upwards
// from its working directory.

/// The user's directories in which these agents would find skills from their working directory. The
/// home does not exist yet, so it contributes nothing.
pub fn visible(
    agents: &[&'static Agent],
    real: &Environment,
    policy: &Policy<'_>,
    threads: usize,
) -> Vec<PathBuf> {
    let own = own_directories(real);
    let mut mounted = Environment::new(real.directory.clone(), policy.variables.clone());
    mounted.home = None;
    let mut seen = Vec::new();
    for agent in agents {
        for met in load::load(agent, &mounted, None, threads).skills {
            // The skill, or a directory above it, may be a link.
            let parent = met.path.parent().and_then(|parent| parent.canonicalize().ok());
            let name = met.path.file_name().unwrap_or_default();
            let ways = [
                Some(met.path.clone()),
                met.path.canonicalize().ok(),
                parent.map(|parent| parent.join(name)),
            ];
            let root = own.iter().find(|root| {
                ways.iter()
                    .flatten()
                    .any(|way| way.starts_with(&root.named) || way.starts_with(&root.real))
            });
            if let Some(root) = root.filter(|root| !seen.contains(&root.real)) {
                seen.push(root.real.clone());
            }
        }
    }
    seen.sort_unstable();
    seen
}

/// A skills directory of the user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnDirectory {
    /// Its path as agents name it.
    pub named: PathBuf,
    /// Its real path.
    pub real: PathBuf,
}

/// All skills directories of the user, for any agent: the user's, and those of the home as a
/// project.
pub fn own_directories(real: &Environment) -> Vec<OwnDirectory> {
    let places = AGENTS.iter().flat_map(|agent| agent.loading.places);
    let root = |root: Root| match root {
        // Directories of the administrator are not the user's own.
        Root::User(UserRoot::Absolute(_)) => None,
        Root::User(root) => real.user_root(root),
        Root::Project(below, _) | Root::ProjectOutermostFirst(below, _) => {
            Some(real.home.as_ref()?.join(below))
        }
    };
    let own = |named: PathBuf| {
        let real = named.canonicalize().ok()?;
        Some(OwnDirectory { named, real })
    };
    let mut directories: Vec<OwnDirectory> =
        places.filter_map(|place| own(root(place.root)?)).collect();
    directories.sort_unstable();
    directories.dedup();
    directories
}

/// Refuses a home in which these agents would find skills that were not installed there, such as
/// through a linked path.
pub fn refuse_strangers(
    agents: &[&'static Agent],
    home: &Path,
    installed: &[PathBuf],
    environment: &Environment,
    child: &ChildEnvironment,
    threads: usize,
) -> Result<()> {
    let mounted = Environment::new(environment.directory.clone(), child.all.clone());
    let met = agents.iter().flat_map(|agent| load::load(agent, &mounted, None, threads).skills);
    let mut strangers =
        met.map(|met| met.path).filter(|path| path.starts_with(home) && !installed.contains(path));
    let Some(stranger) = strangers.next() else { return Ok(()) };
    let inner = stranger.strip_prefix(home).unwrap_or(&stranger).display();
    Err(err!(Conflict, "`--with` would expose your own skills: `{inner}`")
        .help("name a path inside it, or allow it with `--allow-host-skills`"))
}

/// The error that lists the visible skills and the remedies.
pub fn refusal(visible: &[PathBuf], directory: &Path) -> Error {
    let shown: Vec<String> = visible.iter().map(|path| format!("`{}`", path.display())).collect();
    err!(
        Conflict,
        "an agent started in `{}` would see your own skills in {}",
        directory.display(),
        shown.join(" and ")
    )
    .help(
        "run it inside a git repository, start it elsewhere with `-C DIR`, or allow it with \
         `--allow-host-skills`",
    )
}

// Runs a command in a mounted home, and waits for it.

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Code(u8),
    /// The command was not found.
    NotFound,
    /// The command could not be run, with the system's message.
    NotRunnable(String),
}

impl Ended {
    /// The exit code for it.
    pub const fn code(&self) -> u8 {
        match self {
            Self::Code(code) => *code,
            Self::NotFound => 127,
            Self::NotRunnable(_) => 126,
        }
    }
}

/// Runs the command with exactly this environment, forwards signals to it, and waits. The program is
/// looked up in the caller's PATH, not in that of the environment.
pub fn run(
    command: &[OsString],
    path: Option<&OsStr>,
    environment: &ChildEnvironment,
    signals: &mut IncomingSignals,
) -> io::Result<Ended> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(Ended::NotFound);
    };
    let mut early = Vec::new();
    // As execvp does: if a file cannot be run, try the following directories.
    let mut failure = None;
    for file in programs::candidates(program, path) {
        let mut command = Command::new(&file);
        command.args(arguments).env_clear().envs(&environment.all);
        files::named(&mut command, program);
        // Log only the number of arguments: a prompt may contain secrets.
        tracing::debug!(?file, arguments = arguments.len(), "running the command");
        // The terminal cannot have sent these to the child, too. It can do so with later ones: the
        // child may run for a while before `spawn` returns.
        early.extend(signals.arrived());
        match command.spawn() {
            Ok(child) => {
                early.into_iter().for_each(|signal| files::send(signal, &child));
                let code = wait(child, signals)?;
                tracing::debug!(code, "the command has ended");
                return Ok(Ended::Code(code));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => failure = Some(error),
            Err(error) => return Ok(Ended::NotRunnable(system_message(&error))),
        }
    }
    Ok(failure.map_or(Ended::NotFound, |error| Ended::NotRunnable(system_message(&error))))
}

fn wait(mut child: Child, signals: &mut IncomingSignals) -> io::Result<u8> {
    loop {
        // The child is waited for only here, so that its process id stays valid while it runs.
        if let Some(status) = child.try_wait()? {
            return Ok(files::exit_code(status));
        }
        files::stop_with(&child);
        for arrived in signals.wait() {
            files::hand_on(arrived, &child);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_is_the_one_that_is_named_or_that_the_command_is() {
        let choose = |words: &[&str], command: &str| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let command: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
            MountedAgents::choose(&words, &command)
        };
        let ids = |words: &[&str], command: &str| choose(words, command).unwrap().ids();
        assert_eq!(ids(&[], ""), ["claude"]);
        assert_eq!(choose(&[], "").unwrap().choice, AgentChoice::Usual);
        assert_eq!(ids(&[], "/usr/bin/codex"), ["codex"]);
        assert_eq!(choose(&[], "timeout 5 codex").unwrap().choice, AgentChoice::Known);
        assert_eq!(ids(&[], "python3"), ["claude"]);
        assert_eq!(choose(&[], "python3").unwrap().choice, AgentChoice::Guessed);
        assert_eq!(choose(&["claude"], "python3").unwrap().choice, AgentChoice::Known);
        assert_eq!(ids(&["pi"], "codex"), ["pi"]);
        assert_eq!(choose(&["pi"], "codex -m x").unwrap().line.agents[0].arguments, ["-m", "x"]);
        assert_eq!(ids(&["pi", "gemini", "pi"], ""), ["pi", "gemini"]);
        assert_eq!(ids(&["all"], "").len(), 6);
        assert_eq!(ids(&["pi", "ALL"], "").len(), 6);
        assert!(choose(&["all", "bogus"], "").is_err());
        let directories =
            |words: &[&str]| choose(words, "").unwrap().skills_directories(Path::new("/h"));
        let usual = [Path::new("/h/.claude/skills"), Path::new("/h/.agents/skills")];
        assert_eq!(directories(&["all"]), usual);
        assert_eq!(directories(&["cursor"]), [Path::new("/h/.cursor/skills")]);
        assert_eq!(directories(&["grok", "zed", "codex"]).len(), 2);
    }
}
