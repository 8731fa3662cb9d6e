//! Decides where skills go: to the directories of agents, or to one that the user names.

use std::path::{Path, PathBuf};

use crate::skills::agents::table::{self, InstallTarget, KnownAgent};
use crate::skills::agents::{self, AGENTS, ALL, Agent};
use crate::skills::model::environment::{Environment, RepositoryMark, normalized};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::name::SkillName;

/// The destination as the user named it.
#[derive(Debug, Clone, Default)]
pub struct DestinationChoice {
    /// The agents, by id or alias; empty means Claude, and [`ALL`] all of them.
    pub agents: Vec<String>,
    /// Whether [`ALL`] includes agents whose behaviour was not observed, if their directory exists.
    pub everywhere: bool,
    /// Whether to use the project instead of the user's home.
    pub project: bool,
    /// A directory to use as the home.
    pub home: Option<PathBuf>,
    /// A skills directory, independent of agents.
    pub directory: Option<PathBuf>,
}

/// The skills directories to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destinations {
    /// Their home, if there is one.
    pub home: Option<PathBuf>,
    /// The skills directories, absolute, each once.
    pub directories: Vec<PathBuf>,
    /// The agents whose reading of a skill is known, each with its directory.
    pub readers: Vec<(&'static Agent, PathBuf)>,
    /// Directories of the user whose skills win over those of the project.
    pub winning: Vec<PathBuf>,
    /// The project that must contain them, if `--scope project` was given.
    pub within: Option<PathBuf>,
    /// Ids of the agents that they are for; empty for a directory that the user names.
    pub agents: Vec<&'static str>,
    /// The project that contains their records, so that every clone has them.
    pub project: Option<PathBuf>,
}

/// Resolves the destination.
pub fn resolve(wanted: &DestinationChoice, environment: &Environment) -> Result<Destinations> {
    let here = &environment.directory;
    if let Some(directory) = &wanted.directory {
        let directory = normalized(&here.join(directory));
        return Ok(Destinations {
            home: None,
            project: repository_around(&directory, environment),
            directories: vec![directory],
            readers: Vec::new(),
            winning: Vec::new(),
            within: None,
            agents: Vec::new(),
        });
    }
    let is_everywhere =
        wanted.everywhere && wanted.agents.iter().any(|word| word.eq_ignore_ascii_case(ALL));
    let named = table::find_all(&wanted.agents)?;
    let mut agents: Vec<&InstallTarget> = named.into_iter().map(KnownAgent::target).collect();
    if is_everywhere {
        agents = table::every().collect();
    }
    if agents.is_empty() {
        agents.push(&AGENTS[0].target);
    }
    let home = match &wanted.home {
        Some(home) => environment.with_home(home),
        None => environment.clone(),
    };
    let ids = agents.iter().map(|agent| agent.id).collect();
    let mut directories = Vec::new();
    let mut readers = Vec::new();
    let mut winning = Vec::new();
    for agent in agents {
        let user = home.user_root(agent.user);
        let directory = if wanted.project {
            if agent.user_wins {
                winning.extend(user);
            }
            here_or_repository(environment).join(agent.project)
        } else {
            user.ok_or_else(|| no_home(environment))?
        };
        let directory = normalized(&directory);
        if is_everywhere && directory.symlink_metadata().is_err() {
            continue;
        }
        if let Ok(known) = agents::find(agent.id) {
            readers.push((known, directory.clone()));
        }
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    if directories.is_empty() {
        directories.extend(home.user_root(AGENTS[0].target.user).map(|path| normalized(&path)));
    }
    if wanted.project {
        let within = project_root(environment);
        for directory in &directories {
            refuse_outside(directory, &real_path(directory), Some(&within))?;
        }
        let (project, within) = (Some(within.clone()), Some(within));
        let agents = ids;
        return Ok(Destinations {
            home: None,
            directories,
            readers,
            winning,
            within,
            agents,
            project,
        });
    }
    let (home, agents) = (home.home, ids);
    Ok(Destinations { home, directories, readers, winning, within: None, agents, project: None })
}

/// The skills directories of all agents in the scope of these destinations, each once. A directory
/// that the user named has no scope.
fn same_scope(destinations: &Destinations, environment: &Environment) -> Vec<PathBuf> {
    let home = destinations.home.as_ref().map(|home| environment.with_home(home));
    let mut directories: Vec<PathBuf> = Vec::new();
    for target in table::every() {
        let directory = match (&destinations.within, &home) {
            (Some(project), _) => Some(project.join(target.project)),
            (None, Some(home)) => home.user_root(target.user),
            (None, None) => None,
        };
        let directory = directory.map(|directory| normalized(&directory));
        directories.extend(directory.filter(|directory| !directories.contains(directory)));
    }
    directories
}

/// A copy of a skill in another directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyElsewhere {
    /// The skill.
    pub name: String,
    /// Where the copy is.
    pub path: PathBuf,
}

/// Copies of these skills in directories of the same scope that are no destination.
pub fn other_copies(
    names: &[SkillName],
    destinations: &Destinations,
    environment: &Environment,
) -> Vec<CopyElsewhere> {
    let is_meant = |path: &PathBuf| {
        let mut meant = destinations.directories.iter();
        meant.any(|one| one == path || real_path(one) == real_path(path))
    };
    let mut others = same_scope(destinations, environment);
    others.retain(|path| !is_meant(path));
    let copy = |name: &SkillName, path: &Path| {
        let path = path.join(name.as_str());
        let exists = path.symlink_metadata().is_ok();
        exists.then(|| CopyElsewhere { name: name.to_string(), path })
    };
    let copies = |name: &SkillName| -> Vec<CopyElsewhere> {
        others.iter().filter_map(|path| copy(name, path)).collect()
    };
    names.iter().flat_map(copies).collect()
}

/// Refuses a directory whose real path is outside the project. A repository can contain links that
/// lead anywhere.
pub fn refuse_outside(named: &Path, real: &Path, within: Option<&Path>) -> Result<()> {
    let is_inside = |within: &Path| real != within && real.starts_with(within);
    let Some(within) = within.filter(|within| !is_inside(within)) else { return Ok(()) };
    let (shown, target) = (named.display(), real.display());
    let message =
        format!("`{shown}` leads to `{target}`, which is not inside `{}`", within.display());
    let help = format!("remove the link, or use `--dir '{target}'` if you mean that directory");
    Err(Error::new(ErrorKind::Unsafe, message).at(named).help(help))
}

/// The path with the links of its existing part resolved.
pub fn real_path(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match existing {
        Some((above, real)) => {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            real.join(rest).components().collect()
        }
        None => path.to_owned(),
    }
}

/// The real path of the project: the repository around the current directory, else that directory.
pub fn project_root(environment: &Environment) -> PathBuf {
    real_path(here_or_repository(environment))
}

/// The repository around a directory, unless it also contains the user's home: then it is the
/// user's own.
fn repository_around(directory: &Path, environment: &Environment) -> Option<PathBuf> {
    let real = real_path(directory);
    let top = real.ancestors().find(|above| above.join(".git").exists())?;
    let home = environment.home.as_deref().map(real_path);
    (!home.is_some_and(|home| home.starts_with(top))).then(|| top.to_owned())
}

fn here_or_repository(environment: &Environment) -> &Path {
    environment.repository(RepositoryMark::AnyEntry).unwrap_or(&environment.directory)
}

fn no_home(environment: &Environment) -> Error {
    let message = match environment.variable("HOME") {
        Some(home) => format!("HOME is not an absolute path: `{}`", home.to_string_lossy()),
        None => "HOME is not set, so there is no directory of the user".to_owned(),
    };
    Error::new(ErrorKind::Usage, message)
        .help("set HOME, or use `--home DIR`, `--dir DIR` or `--scope project`")
}
