//! Finds the user's own skills that a mounted agent would still see, because it searches upwards
//! from its working directory.

use std::path::{Path, PathBuf};

use crate::skills::agents::loading_rules::Root;
use crate::skills::agents::{AGENTS, Agent, simulate};
use crate::skills::model::environment::{Environment, UserRoot};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::put::mount::policy::{ChildEnvironment, Policy};

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
        for met in simulate::load(agent, &mounted, None, threads).skills {
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
    let met = agents.iter().flat_map(|agent| simulate::load(agent, &mounted, None, threads).skills);
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
