//! Adds what an agent needs in its home besides skills and logins.

use std::fs;
use std::path::{Path, PathBuf};

use crate::skills::agents::Agent;
use crate::skills::agents::mounting::VariableValue;
use crate::skills::files::platform;
use crate::skills::find::manifest::Isolation;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::mount::login;
use crate::skills::put::mount::policy::ChildEnvironment;
use crate::skills::put::mount::settings::{HostSettings, settings_json};

/// Creates the directories that variables name. Codex, for example, does not start without its own.
///
/// # Errors
/// System errors.
pub fn directories(agents: &[&Agent], home: &Path) -> Result<()> {
    for (_, setting) in agents.iter().flat_map(|agent| agent.mounting.set) {
        if let VariableValue::Below(path) = setting {
            let path = home.join(path);
            fs::create_dir_all(&path).map_err(|error| Error::io("make", &path, &error))?;
        }
    }
    Ok(())
}

/// Writes the settings of an isolated Claude.
///
/// # Errors
/// System errors.
pub fn settings(
    agents: &[&Agent],
    isolation: &Isolation,
    environment: &ChildEnvironment,
    host: &HostSettings,
    real: &Environment,
    home: &Path,
) -> Result<()> {
    if !agents.iter().any(|agent| agent.id == "claude") {
        return Ok(());
    }
    let path = home.join(".claude/settings.json");
    let text = format!(
        "{:#}\n",
        settings_json(isolation, &environment.all, host, &|path| { real.expand(path) })
    );
    tracing::debug!(?path, "writing the settings of Claude");
    login::make_parents(&path)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| Error::io("write", &path, &error))
}

/// Links further paths of the real home.
///
/// # Errors
/// The home already has the path; system errors.
pub fn links(with: &[PathBuf], real_home: &Path, home: &Path) -> Result<()> {
    for path in with {
        let (target, link) = (real_home.join(path), home.join(path));
        if link.symlink_metadata().is_ok() {
            let message = format!("`--with {}`: the home already has this path", path.display());
            return Err(Error::new(ErrorKind::Conflict, message).help("name a path inside it"));
        }
        let linked = login::make_parents(&link).and_then(|()| platform::link(&target, &link));
        linked.map_err(|error| Error::writing("link", &link, &error))?;
    }
    Ok(())
}
