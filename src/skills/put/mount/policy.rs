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
mod tests {
    use super::*;
    use crate::skills::put::mount::MountedAgents;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn child(agent: &str, caller: &[(&str, &str)], isolation: Option<&Isolation>) -> Variables {
        let agents = MountedAgents::choose(&[agent.to_owned()], None).unwrap();
        let host = HostSettings {
            env: [("AWS_REGION".to_owned(), "host".to_owned())].into(),
            aws_auth_refresh: None,
        };
        let request = PolicyRequest {
            agents: &agents.observed,
            others: &agents.others,
            real_home: Some(Path::new("/nowhere")),
            caller: &variables(caller),
            login: true,
            isolation,
            host: &host,
        };
        decide(&request).unwrap().environment_in(Path::new("/m")).all
    }

    #[test]
    fn a_manifest_cannot_set_what_is_no_variable_or_belongs_to_the_mount() {
        assert!(refuse_variable("GREETING_1", "a b=c").is_ok());
        for (name, value, why) in [
            ("", "x", "not a valid variable name"),
            ("A B", "x", "not a valid variable name"),
            ("A=B", "x", "not a valid variable name"),
            ("A", "x\0y", "not a valid variable name"),
            ("HOME", "/", "sets itself"),
        ] {
            let isolation =
                Isolation { env: [(name.into(), value.into())].into(), ..Isolation::default() };
            let request = PolicyRequest {
                agents: &[],
                others: &[],
                real_home: None,
                caller: &variables(&CALLER),
                login: false,
                isolation: Some(&isolation),
                host: &HostSettings::default(),
            };
            let Err(error) = decide(&request) else { panic!("{name:?} is set") };
            assert!(error.message.contains(why), "{name:?}: {error}");
        }
    }

    const CALLER: [(&str, &str); 9] = [
        ("HOME", "/home/me"),
        ("PATH", "/bin"),
        ("TERM", "xterm"),
        ("CLAUDE_CONFIG_DIR", "/c"),
        ("CODEX_HOME", "/x"),
        ("XDG_DATA_HOME", "/d"),
        ("ANTHROPIC_API_KEY", "secret"),
        ("AWS_PROFILE", "work"),
        ("HOMEBREW_PREFIX", "/brew"),
    ];

    #[test]
    fn all_variables_pass_except_those_that_lead_to_files_of_the_user() {
        let kept = [
            ("PATH", "/bin"),
            ("TERM", "xterm"),
            ("ANTHROPIC_API_KEY", "secret"),
            ("AWS_PROFILE", "work"),
            ("HOMEBREW_PREFIX", "/brew"),
        ];
        let with =
            |more: &[(&str, &str)]| variables(&[&kept[..], &[("HOME", "/m")], more].concat());
        assert_eq!(child("claude", &CALLER, None), with(&[("DISABLE_AUTOUPDATER", "1")]));
        assert_eq!(child("codex", &CALLER, None), with(&[("CODEX_HOME", "/m/.codex")]));
        assert_eq!(child("copilot", &CALLER, None), with(&[]));
        assert_eq!(child("gemini", &CALLER, None), with(&[]));
        assert_eq!(child("pi", &CALLER, None), with(&[]));
        let opencode = [
            ("XDG_CONFIG_HOME", "/m/.config"),
            ("XDG_DATA_HOME", "/m/.local/share"),
            ("XDG_STATE_HOME", "/m/.local/state"),
            ("XDG_CACHE_HOME", "/m/.cache"),
        ];
        assert_eq!(child("opencode", &CALLER, None), with(&opencode));
        let all = [("CODEX_HOME", "/m/.codex"), ("DISABLE_AUTOUPDATER", "1")];
        assert_eq!(child("all", &CALLER, None), with(&[&opencode[..], &all].concat()));
    }

    #[test]
    fn isolation_passes_next_to_nothing() {
        let isolation = Isolation::default();
        assert_eq!(
            child("claude", &CALLER, Some(&isolation)),
            variables(&[
                ("HOME", "/m"),
                ("PATH", "/bin"),
                ("DISABLE_AUTOUPDATER", "1"),
                ("ANTHROPIC_API_KEY", "secret"),
                ("AWS_PROFILE", "work"),
                ("AWS_REGION", "host"),
            ])
        );
    }

    #[test]
    fn the_rest_of_the_callers_environment_passes_without_secrets_and_places() {
        let with_host = Isolation { include_host_env: true, ..Isolation::default() };
        let secrets = [
            "CLAUDE_X",
            "ANTHROPIC_X",
            "AWS_X",
            "GOOGLE_X",
            "AZURE_X",
            "OPENAI_X",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY_2",
        ];
        let mut caller = CALLER.to_vec();
        caller.extend(secrets.map(|name| (name, "secret")));
        caller.extend([("OPENCODE_CONFIG", "/x"), ("COPILOT_SKILLS_DIRS", "/x")]);
        // `HOME` is set again, to the new home.
        assert_eq!(
            child("claude", &caller, Some(&with_host)),
            variables(&[
                ("HOME", "/m"),
                ("PATH", "/bin"),
                ("TERM", "xterm"),
                ("HOMEBREW_PREFIX", "/brew"),
                ("DISABLE_AUTOUPDATER", "1"),
                // The agent's own credentials still pass.
                ("ANTHROPIC_API_KEY", "secret"),
                ("AWS_PROFILE", "work"),
                ("AWS_REGION", "host"),
            ])
        );
        // With `api_key_env`, not even those pass.
        let with_key = Isolation { api_key_env: Some("TERM".to_owned()), ..with_host };
        assert_eq!(
            child("codex", &caller, Some(&with_key)),
            variables(&[
                ("HOME", "/m"),
                ("PATH", "/bin"),
                ("TERM", "xterm"),
                ("HOMEBREW_PREFIX", "/brew"),
                ("CODEX_HOME", "/m/.codex"),
                ("OPENAI_API_KEY", "xterm"),
            ])
        );
        for prefix in SENSITIVE_PREFIXES {
            assert!(secrets.iter().any(|name| name.starts_with(prefix)), "{prefix} is tried");
        }
    }

    #[test]
    fn settings_pass_when_they_lead_to_no_skills_and_are_missed_otherwise() {
        let decide_for = |agent: &str, caller: &[(&str, &str)]| {
            let caller = &variables(caller);
            let agents = MountedAgents::choose(&[agent.to_owned()], None).unwrap();
            let request = PolicyRequest {
                agents: &agents.observed,
                others: &agents.others,
                real_home: None,
                caller,
                login: false,
                isolation: None,
                host: &HostSettings::default(),
            };
            let policy = decide(&request).unwrap();
            (policy.environment_in(Path::new("/m")), policy.missed)
        };
        let harmless = [("OPENCODE_CONFIG_CONTENT", r#"{"model": "x/y"}"#)];
        let (child, missed) = decide_for("opencode", &harmless);
        assert!(child.all.contains_key(OsStr::new("OPENCODE_CONFIG_CONTENT")));
        assert!(missed.is_empty());
        let leading = [("OPENCODE_CONFIG", "/x"), ("OPENCODE_CONFIG_CONTENT", r#"{"skills": {}}"#)];
        let (child, missed) = decide_for("opencode", &leading);
        let both = leading.map(|(name, _)| OsString::from(name)).into();
        assert_eq!(missed, both);
        assert!(
            child.unset.is_superset(&both) && child.all.keys().all(|name| !both.contains(name))
        );
        // The variables are removed even for agents that do not read them.
        let (child, missed) = decide_for("claude", &leading);
        assert!(missed.is_empty() && child.unset.is_superset(&both));
    }

    #[test]
    fn the_home_is_named_only_once_there_is_one() {
        let isolation = Isolation {
            env: [("XDG_DATA_HOME".to_owned(), "/chosen".to_owned())].into(),
            ..Isolation::default()
        };
        let (agents, caller) =
            (MountedAgents::choose(&["opencode".to_owned()], None).unwrap(), variables(&CALLER));
        let request = PolicyRequest {
            agents: &agents.observed,
            others: &agents.others,
            real_home: None,
            caller: &caller,
            login: false,
            isolation: None,
            host: &HostSettings::default(),
        };
        for isolation in [None, Some(&isolation)] {
            let policy = decide(&PolicyRequest { isolation, ..request }).unwrap();
            for home in ["/m", "/n"] {
                let all = policy.environment_in(Path::new(home)).all;
                let value = |name: &str| all.get(OsStr::new(name)).unwrap().to_str().unwrap();
                let data = format!("{home}/.local/share");
                assert_eq!(value("HOME"), home);
                assert_eq!(value("XDG_CACHE_HOME"), format!("{home}/.cache"));
                assert_eq!(value("XDG_DATA_HOME"), isolation.map_or(&*data, |_| "/chosen"));
            }
            for name in ["HOME", "XDG_CACHE_HOME"] {
                assert!(!policy.variables.contains_key(OsStr::new(name)), "{name}");
            }
        }
    }

    #[test]
    fn a_key_of_its_own_leaves_amazon_out() {
        let isolation = Isolation {
            api_key_env: Some("MY_KEY".to_owned()),
            env: [("ANTHROPIC_API_KEY".to_owned(), "last".to_owned())].into(),
            ..Isolation::default()
        };
        let caller = [&CALLER[..], &[("MY_KEY", "mine")]].concat();
        assert_eq!(
            child("claude", &caller, Some(&isolation)),
            variables(&[
                ("HOME", "/m"),
                ("PATH", "/bin"),
                ("DISABLE_AUTOUPDATER", "1"),
                ("ANTHROPIC_API_KEY", "last"),
                ("CLAUDE_CODE_USE_BEDROCK", "0"),
                ("CLAUDE_USE_BEDROCK", "0"),
            ])
        );
        let codex = child("codex", &caller, Some(&isolation));
        assert_eq!(codex.get(OsStr::new("OPENAI_API_KEY")), Some(&"mine".into()));
    }
}
