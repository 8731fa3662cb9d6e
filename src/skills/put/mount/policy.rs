//! Decides which variables a mounted agent gets.
//!
//! Without an `isolation` block: the caller's variables, except those that lead to the caller's own
//! files, plus what the agent needs. With one: only what the agent needs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::skills::agents::mounting::VariableValue;
use crate::skills::agents::targets::InstallTarget;
use crate::skills::agents::{AGENTS, Agent};
use crate::skills::find::manifest::Isolation;
use crate::skills::model::environment::{UserRoot, is_variable_name};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::mount::settings::HostSettings;

/// The caller's variables.
pub type Variables = BTreeMap<OsString, OsString>;

/// The environment of a mounted agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildEnvironment {
    /// All of it.
    pub all: Variables,
    /// Variables that are set or changed.
    pub set: Variables,
    /// Variables that are removed, and those that the agent must not have.
    pub unset: BTreeSet<OsString>,
}

/// The decision, before the home exists.
#[derive(Debug, Clone)]
pub struct Policy<'a> {
    /// Every variable that does not name the home or a directory in it.
    pub variables: Variables,
    /// Variables of the caller that these agents would read, but do not get, because they can lead
    /// to the user's own skills.
    pub missed: BTreeSet<OsString>,
    /// Variables that name a directory below the home.
    below_home: Vec<(&'static str, &'static str)>,
    caller: &'a Variables,
}

/// Prefix of variables that name directories of the user.
const LOCATION_PREFIX: &str = "XDG_";
/// Variables for the AWS files outside the home.
const AWS_FILES: [(&str, &str); 2] =
    [("AWS_CONFIG_FILE", ".aws/config"), ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials")];
/// Variables that an isolated agent keeps to reach a model on AWS.
pub const AWS_VARIABLES: [&str; 9] = [
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "CLAUDE_CODE_USE_BEDROCK",
];
/// Variables that an isolated agent never gets, even if it inherits the caller's environment.
const SENSITIVE_PREFIXES: [&str; 6] =
    ["CLAUDE_", "ANTHROPIC_", "AWS_", "GOOGLE_", "AZURE_", "OPENAI_"];

/// The input of the policy.
#[derive(Debug, Clone, Copy)]
pub struct PolicyRequest<'a> {
    /// The agents that the home is for.
    pub agents: &'a [&'static Agent],
    /// Other agents that it is for, whose directories alone are known.
    pub others: &'a [&'static InstallTarget],
    /// The home of the user.
    pub real_home: Option<&'a Path>,
    /// The caller's environment.
    pub caller: &'a Variables,
    /// Whether the user stays logged in.
    pub login: bool,
    /// The `isolation` block of the manifest.
    pub isolation: Option<&'a Isolation>,
    /// The user's own Claude settings.
    pub host: &'a HostSettings,
}

/// Decides which variables the agent gets.
///
/// # Errors
/// `api_key_env` names a variable that is not set, or `env` sets one that it must not set.
pub fn decide<'a>(request: &PolicyRequest<'a>) -> Result<Policy<'a>> {
    let mut variables = match request.isolation {
        None => inherited(request),
        Some(isolation) => isolated(request, isolation)?,
    };
    // Their directories must be those of the home.
    for target in request.others {
        if let UserRoot::Variable { name, .. } = target.user {
            variables.remove(OsStr::new(name));
        }
    }
    let mut below_home = Vec::new();
    for (name, setting) in request.agents.iter().flat_map(|agent| agent.mounting.set) {
        match setting {
            VariableValue::Text(text) => {
                variables.insert(name.into(), text.into());
            }
            VariableValue::Below(path) => below_home.push((*name, *path)),
        }
    }
    if let Some(isolation) = request.isolation {
        for (name, value) in &isolation.env {
            refuse_variable(name, value)?;
            variables.insert(name.into(), value.into());
        }
        below_home.retain(|(name, _)| !isolation.env.contains_key(*name));
    }
    let settings = request.agents.iter().flat_map(|agent| agent.mounting.settings);
    let missed = settings
        .map(|settings| OsString::from(settings.name))
        .filter(|name| request.caller.contains_key(name) && !variables.contains_key(name))
        .collect();
    Ok(Policy { variables, missed, below_home, caller: request.caller })
}

impl Policy<'_> {
    /// The environment of an agent in this home.
    #[must_use]
    pub fn environment_in(&self, home: &Path) -> ChildEnvironment {
        let mut all = self.variables.clone();
        all.insert("HOME".into(), home.as_os_str().to_owned());
        let below = self.below_home.iter();
        all.extend(below.map(|(name, path)| (name.into(), home.join(path).into_os_string())));
        let set = all
            .iter()
            .filter(|(name, value)| self.caller.get(*name) != Some(value))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let never = AGENTS.iter().flat_map(moving).map(OsString::from);
        let unset = self
            .caller
            .keys()
            .cloned()
            .chain(never)
            .filter(|name| !all.contains_key(name))
            .collect();
        ChildEnvironment { all, set, unset }
    }
}

/// Refuses a variable that `isolation.env` must not set.
fn refuse_variable(name: &str, value: &str) -> Result<()> {
    if !is_variable_name(name) || value.contains('\0') {
        let message = format!("`isolation.env` sets `{name}`, which is not a valid variable name");
        return Err(
            Error::new(ErrorKind::Manifest, message).help("use letters, digits and underscores")
        );
    }
    if name == "HOME" {
        let message = "`isolation.env` sets HOME, which `mount` sets itself";
        return Err(Error::new(ErrorKind::Manifest, message)
            .help("use `--home DIR` to choose the directory"));
    }
    Ok(())
}

/// The caller's environment without variables that lead to the caller's own files.
fn inherited(request: &PolicyRequest<'_>) -> Variables {
    let mut all = request.caller.clone();
    all.retain(|name, value| name != "HOME" && !leads_elsewhere(name, value));
    if request.login {
        add_aws_files(request, &mut all);
    }
    all
}

/// The minimal environment of an agent.
fn isolated(request: &PolicyRequest<'_>, isolation: &Isolation) -> Result<Variables> {
    let caller = request.caller;
    let mut all = Variables::new();
    if isolation.include_host_env {
        let harmless = |name: &OsStr, value: &OsStr| {
            let sensitive = |prefix: &&str| starts_with(name, prefix);
            name != "HOME"
                && !leads_elsewhere(name, value)
                && !SENSITIVE_PREFIXES.iter().any(sensitive)
        };
        let passed = caller.iter().filter(|(name, value)| harmless(name, value));
        all.extend(passed.map(|(name, value)| (name.clone(), value.clone())));
    }
    let pass = |all: &mut Variables, name: &str| {
        if let Some(value) = caller.get(OsStr::new(name)) {
            all.insert(name.into(), value.clone());
        }
    };
    pass(&mut all, "PATH");
    match &isolation.api_key_env {
        Some(variable) => {
            let key = caller.get(OsStr::new(variable)).filter(|key| !key.is_empty());
            let key = key.ok_or_else(|| {
                let message =
                    format!("`isolation.api_key_env` names `{variable}`, which is not set");
                Error::new(ErrorKind::Usage, message).help("set it to the key of the agent")
            })?;
            for agent in request.agents {
                if let Some(name) = agent.mounting.keys.first() {
                    all.insert(name.into(), key.clone());
                }
                if agent.id == "claude" {
                    all.insert("CLAUDE_CODE_USE_BEDROCK".into(), "0".into());
                    all.insert("CLAUDE_USE_BEDROCK".into(), "0".into());
                }
            }
        }
        None => {
            for (name, value) in &request.host.env {
                if AWS_VARIABLES.contains(&name.as_str()) {
                    all.insert(name.into(), value.into());
                }
            }
            let keys = request.agents.iter().flat_map(|agent| agent.mounting.keys);
            AWS_VARIABLES.iter().chain(keys).for_each(|name| pass(&mut all, name));
            if request.login {
                add_aws_files(request, &mut all);
            }
        }
    }
    Ok(all)
}

/// Points the AWS tools to the real `~/.aws`.
fn add_aws_files(request: &PolicyRequest<'_>, all: &mut Variables) {
    let Some(home) = request.real_home else { return };
    for (name, file) in AWS_FILES {
        let file = home.join(file);
        match request.caller.get(OsStr::new(name)) {
            Some(chosen) => {
                all.insert(name.into(), chosen.clone());
            }
            None if file.is_file() => {
                all.insert(name.into(), file.into_os_string());
            }
            None => {}
        }
    }
}

/// Whether a variable moves an agent to files of the user.
fn leads_elsewhere(name: &OsStr, value: &OsStr) -> bool {
    let mut settings = AGENTS.iter().flat_map(|agent| agent.mounting.settings);
    starts_with(name, LOCATION_PREFIX)
        || AGENTS.iter().flat_map(moving).any(|one| name == one)
        || settings.any(|settings| name == settings.name && !(settings.passes)(value))
}

/// The variables that move an agent or disable its directories.
fn moving(agent: &Agent) -> impl Iterator<Item = &'static str> {
    let places = agent.mounting.set.iter().filter_map(|(name, setting)| match setting {
        VariableValue::Below(_) => Some(*name),
        VariableValue::Text(_) => None,
    });
    agent.mounting.unset.iter().copied().chain(places)
}

fn starts_with(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

#[cfg(test)]
mod tests;
