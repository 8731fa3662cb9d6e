//! The skills directories that have a record.

use std::path::{Path, PathBuf};

use crate::skills::agents::table::{self, InstallTarget};
use crate::skills::find::record;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::Result;
use crate::skills::put::install::destination::{self, DestinationChoice, real_path};

/// A skills directory, and the owner of its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub directory: PathBuf,
    /// The project that contains its record; none for a record of the user.
    pub project: Option<PathBuf>,
    /// The directory that must contain its real path.
    pub within: Option<PathBuf>,
}

/// Finds the skills directories with a record: the requested ones, or else all of the user, and
/// with `--scope project` those of the project.
pub fn places(wanted: &DestinationChoice, environment: &Environment) -> Result<Vec<Place>> {
    let mut found: Vec<Place> = Vec::new();
    let all = || table::ids().map(str::to_owned).collect::<Vec<_>>();
    let agents = if wanted.agents.is_empty() { all() } else { wanted.agents.clone() };
    let mut add = |directory: PathBuf, project: Option<PathBuf>, within: Option<PathBuf>| {
        if !has_record(&directory) {
            return;
        }
        let real = real_path(&directory);
        // A directory that both share belongs to the project.
        found.retain(|place| project.is_none() || real_path(&place.directory) != real);
        if !found.iter().any(|place| real_path(&place.directory) == real) {
            found.push(Place { directory, project, within });
        }
    };
    if wanted.directory.is_some() {
        let destinations = destination::resolve(wanted, environment)?;
        for directory in destinations.directories {
            add(directory, destinations.project.clone(), None);
        }
        return Ok(found);
    }
    let home = match &wanted.home {
        Some(home) => environment.with_home(home),
        None => environment.clone(),
    };
    for agent in &agents {
        let target: &InstallTarget = table::find(agent)?.target();
        if let Some(directory) = home.user_root(target.user) {
            add(directory, None, None);
        }
    }
    if wanted.project {
        let root = destination::project_root(environment);
        for agent in &agents {
            let directory = root.join(table::find(agent)?.target().project);
            if has_record(&directory) {
                destination::refuse_outside(&directory, &real_path(&directory), Some(&root))?;
            }
            add(directory, Some(root.clone()), Some(root.clone()));
        }
    }
    Ok(found)
}

fn has_record(directory: &Path) -> bool {
    directory.join(record::FILE_NAME).symlink_metadata().is_ok()
}
