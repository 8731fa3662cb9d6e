//! Skills of the user that a mounted agent would see all the same: those it meets when it looks
//! upwards from where it is started.

use std::path::{Path, PathBuf};

use crate::skills::agents::loading::Root;
use crate::skills::agents::{AGENTS, Agent, load};
use crate::skills::environment::{Environment, UserRoot};
use crate::skills::error::{Error, ErrorKind};
use crate::skills::mount::policy::ChildEnvironment;

/// The directories of the user that these agents would find skills in, from where they are started.
#[must_use]
pub fn visible(
    agents: &[&'static Agent],
    real: &Environment,
    child: &ChildEnvironment,
    threads: usize,
) -> Vec<PathBuf> {
    let own = own_directories(real);
    let mounted = Environment::new(real.directory.clone(), child.all.clone());
    let mut seen = Vec::new();
    for agent in agents {
        let loaded = load::load(agent, &mounted, None, threads);
        for met in loaded.skills {
            let path = met.path.canonicalize().unwrap_or(met.path);
            let root = own.iter().find(|root| path.starts_with(root));
            if let Some(root) = root.filter(|root| !seen.contains(*root)) {
                seen.push(root.clone());
            }
        }
    }
    seen.sort();
    seen
}

/// The skills directories that the user has, whatever agent reads them.
#[must_use]
pub fn own_directories(real: &Environment) -> Vec<PathBuf> {
    let places = AGENTS.iter().flat_map(|agent| agent.loading.places);
    let root = |root: Root| match root {
        // What an administrator provides is nobody's own.
        Root::User(UserRoot::Absolute(_)) => None,
        Root::User(root) => real.user_root(root),
        Root::Project(..) | Root::ProjectOutermostFirst(..) => None,
    };
    let mut directories: Vec<PathBuf> =
        places.filter_map(|place| root(place.root)?.canonicalize().ok()).collect();
    directories.sort();
    directories.dedup();
    directories
}

/// Says what would be seen, and the ways out.
#[must_use]
pub fn refusal(visible: &[PathBuf], directory: &Path) -> Error {
    let shown: Vec<String> = visible.iter().map(|path| format!("`{}`", path.display())).collect();
    let message = format!(
        "an agent started in `{}` would see your own skills in {}",
        directory.display(),
        shown.join(" and ")
    );
    Error::new(ErrorKind::Conflict, message).help(
        "run it inside a git repository, start it elsewhere with `-C DIR`, or let it with \
         `--allow-host-skills`",
    )
}
