//! Adds what an agent needs in its home besides skills and logins.

use std::fs;
use std::path::{Path, PathBuf};

use crate::skills::agents::Agent;
use crate::skills::agents::mounting::VariableValue;
use crate::skills::files::platform;
use crate::skills::find::manifest::Isolation;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::put::mount::policy::{self, CLAUDE, ChildEnvironment};
use crate::skills::put::mount::settings::{HostSettings, add_route};
use crate::skills::put::mount::{confine, login};

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
        let linked = login::make_parents(&link).and_then(|()| platform::link(&target, &link));
        linked.map_err(|error| Error::writing("link", &link, &error))?;
    }
    Ok(())
}
