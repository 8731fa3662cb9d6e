//! Decides which variables a mounted agent gets.
//!
//! Without an `isolation` block: the caller's variables, except those that lead to the caller's own
//! files, plus what the agent needs. With one: only what the agent needs.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::skills::agents::table::InstallTarget;
use crate::skills::agents::{AGENTS, Agent, VariableValue};
use crate::skills::find::manifest::Isolation;
use crate::skills::model::environment::{UserRoot, is_variable_name};
use crate::skills::model::error::{Result, err};
use crate::skills::mount::settings::HostSettings;
use crate::skills::text::secrets;

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

/// The agent with settings of its own for models on AWS.
pub const CLAUDE: &str = "claude";

/// Variables for the AWS files outside the home.
const AWS_FILES: [(&str, &str); 2] =
    [("AWS_CONFIG_FILE", ".aws/config"), ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials")];

/// Variables that an isolated Claude keeps to reach a model on AWS; the first are not secret.
pub const AWS_VARIABLES: [&str; 14] = [
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "CLAUDE_CODE_USE_BEDROCK",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// How many of them say where the model is, and are not secret.
pub const AWS_ROUTE: usize = 4;

/// Prefixes of our own variables.
const OWN_PREFIX: &str = "SKILLS_";

/// Other vendors' names for keys, which are not keys of an agent.
const VENDOR_KEYS: &str = "AI_GATEWAY_API_KEY CEREBRAS_API_KEY CLOUDFLARE_API_TOKEN CO_API_KEY \
    COHERE_API_KEY CURSOR_API_KEY DEEPSEEK_API_KEY FIREWORKS_API_KEY GITLAB_TOKEN GROQ_API_KEY \
    HF_TOKEN HUGGINGFACE_API_KEY KIMI_API_KEY MINIMAX_API_KEY MISTRAL_API_KEY MOONSHOT_API_KEY \
    NPM_TOKEN NVIDIA_API_KEY OPENROUTER_API_KEY PERPLEXITY_API_KEY PYPI_TOKEN REPLICATE_API_TOKEN \
    TOGETHER_API_KEY XAI_API_KEY ZAI_API_KEY";

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
    /// Whether a command gets the environment, which otherwise may be printed.
    pub runs: bool,
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
    for (name, setting) in settings_of(request.agents, request.isolation) {
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
            if is_of_the_mount(name, request.agents, request.isolation) {
                return Err(err!(
                    Manifest,
                    "`isolation.env` sets `{name}`, which `mount` sets itself"
                )
                .help("leave it out; `--home DIR` chooses the directory of the home"));
            }
            variables.insert(name.into(), value.into());
        }
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

/// The variables that agents need to be set, with a sandbox if the block asks for one.
pub fn settings_of<'a>(
    agents: &'a [&Agent],
    isolation: Option<&Isolation>,
) -> impl Iterator<Item = &'static (&'static str, VariableValue)> + use<'a> {
    let is_confined = isolation.is_some_and(|isolation| isolation.sandbox.enabled);
    agents.iter().flat_map(move |agent| {
        let confined = agent.mounting.confinement.as_ref().ok().filter(|_| is_confined);
        agent.mounting.set.iter().chain(confined.map_or(&[][..], |one| one.set))
    })
}

/// Whether a variable leads an agent to its home and the settings there, which is up to the mount.
pub fn is_of_the_mount(name: &str, agents: &[&Agent], isolation: Option<&Isolation>) -> bool {
    let settings = settings_of(agents, isolation);
    let mut places = settings.filter(|(_, value)| matches!(value, VariableValue::Below(_)));
    name == "HOME"
        || name.starts_with(LOCATION_PREFIX)
        || AGENTS.iter().flat_map(moving).any(|one| one == name)
        || places.any(|(one, _)| *one == name)
        || leads_to_settings(OsStr::new(name))
}

/// Whether a variable leads an agent to settings that it prefers to those of its sandbox.
fn leads_to_settings(name: &OsStr) -> bool {
    let confinements = AGENTS.iter().filter_map(|agent| agent.mounting.confinement.as_ref().ok());
    confinements.flat_map(|confinement| confinement.variables).any(|one| name == *one)
}

/// Refuses a variable that `isolation.env` must not set.
fn refuse_variable(name: &str, value: &str) -> Result<()> {
    if !is_variable_name(name) || value.contains('\0') {
        return Err(err!(
            Manifest,
            "`isolation.env` sets `{name}`, which is not a valid variable name"
        )
        .help("use letters, digits and underscores"));
    }
    Ok(())
}

/// The caller's environment without variables that lead to the caller's own files.
fn inherited(request: &PolicyRequest<'_>) -> Variables {
    let mut all = request.caller.clone();
    all.retain(|name, value| {
        name != "HOME" && !leads_elsewhere(name, value) && !is_our_secret(name)
    });
    if request.login {
        add_aws_files(request, &mut all);
        for (name, value) in request.amazon_settings(false) {
            all.entry(name.into()).or_insert_with(|| value.into());
        }
    }
    all
}

impl PolicyRequest<'_> {
    /// Whether Claude alone uses the environment.
    fn is_for_claude(&self) -> bool {
        self.others.is_empty() && matches!(self.agents, [agent] if agent.id == CLAUDE)
    }

    /// What the user's own settings of Claude say about models on AWS. Nobody but Claude gets it,
    /// and secrets only with its login, if it uses them.
    fn amazon_settings(&self, route: bool) -> impl Iterator<Item = (&String, &String)> {
        const SWITCH: &str = "CLAUDE_CODE_USE_BEDROCK";
        let settings = &self.host.env;
        let switch = self.caller.get(OsStr::new(SWITCH)).map(OsString::as_os_str);
        let switch = switch.or_else(|| settings.get(SWITCH).map(OsStr::new));
        // What is printed may end in a log.
        let secrets = self.login && self.runs && switch.is_some_and(is_on);
        let names = match (self.is_for_claude(), secrets, route) {
            (true, true, _) => &AWS_VARIABLES[..],
            (true, false, true) => &AWS_VARIABLES[..AWS_ROUTE],
            _ => &[],
        };
        settings.iter().filter(move |(name, _)| names.contains(&name.as_str()))
    }
}

/// Whether the value of a switch means yes to Claude.
pub fn is_on(value: &OsStr) -> bool {
    let value = value.to_string_lossy().trim().to_ascii_lowercase();
    matches!(&*value, "1" | "true" | "yes" | "on")
}

/// The minimal environment of an agent.
fn isolated(request: &PolicyRequest<'_>, isolation: &Isolation) -> Result<Variables> {
    let caller = request.caller;
    let mut all = Variables::new();
    if isolation.include_host_env {
        let passes = |name: &OsStr, value: &OsStr| {
            name != "HOME"
                && !leads_elsewhere(name, value)
                && !leads_to_settings(name)
                && !is_secret(name, value)
        };
        let passed = caller.iter().filter(|(name, value)| passes(name, value));
        all.extend(passed.map(|(name, value)| (name.clone(), value.clone())));
    }
    let pass = |all: &mut Variables, name: &str| {
        if let Some(value) = caller.get(OsStr::new(name)) {
            all.insert(name.into(), value.clone());
        }
    };
    pass(&mut all, "PATH");
    if let Some(variable) = &isolation.api_key_env {
        let key = caller.get(OsStr::new(variable)).filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| {
            err!(Usage, "`isolation.api_key_env` names `{variable}`, which is not set")
                .help("set it to the key of the agent")
        })?;
        all.insert(key_name(request, variable)?.into(), key.clone());
        if request.agents.iter().any(|agent| agent.id == CLAUDE) {
            all.insert("CLAUDE_CODE_USE_BEDROCK".into(), "0".into());
            all.insert("CLAUDE_USE_BEDROCK".into(), "0".into());
        }
        return Ok(all);
    }
    for name in request.agents.iter().flat_map(|agent| agent.mounting.keys) {
        pass(&mut all, name);
    }
    all.extend(request.amazon_settings(true).map(|(name, value)| (name.into(), value.into())));
    if request.agents.iter().any(|agent| agent.mounting.amazon) {
        AWS_VARIABLES.iter().for_each(|name| pass(&mut all, name));
        if request.login {
            add_aws_files(request, &mut all);
        }
    }
    Ok(all)
}

/// The name under which the agents get the key in this variable: its own if it is a key of theirs.
fn key_name<'a>(request: &PolicyRequest<'_>, variable: &'a str) -> Result<&'a str> {
    let knows = |agent: &Agent| agent.mounting.keys.contains(&variable);
    let help = "name a variable that holds a key of the agent";
    let refused = |why: &str| {
        Err(err!(Usage, "`isolation.api_key_env` names `{variable}`, which {why}").help(help))
    };
    let agents = request.agents;
    if request.others.is_empty() && !agents.is_empty() && agents.iter().all(|agent| knows(agent)) {
        return Ok(variable);
    }
    let is_vendors = AGENTS.iter().any(knows)
        || VENDOR_KEYS.split_ascii_whitespace().any(|name| name == variable)
        || ["AWS_", "AZURE_", "GOOGLE_", OWN_PREFIX].iter().any(|one| variable.starts_with(one));
    let unknown = request.others.first().map(|target| target.id);
    match agents {
        _ if is_vendors => {
            let unknowing = agents.iter().find(|agent| !knows(agent)).map(|agent| agent.title);
            let who = unknowing.or(unknown).unwrap_or("this agent");
            refused(&format!("is not a key of {who}"))
        }
        [agent] if unknown.is_none() && !agent.mounting.keys.is_empty() => {
            Ok(agent.mounting.keys[0])
        }
        [] => refused("no known variable of the agent can carry"),
        _ => refused("would go to several vendors"),
    }
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

/// Whether a variable is a token of this program, which no agent gets.
fn is_our_secret(name: &OsStr) -> bool {
    starts_with(name, OWN_PREFIX) && is_secret(name, OsStr::new(""))
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

// Recognises variables with secrets, by their names and values. `include_host_env` passes none.

/// Variables with secrets, or that lead to them, in upper case and without digits at the end. Most are
/// patterns, because no list of names is complete. A false match costs the user one line of `env`.
const WHOLE: &str = "BOTO_CONFIG DATABASE_URL DBUS_SESSION_BUS_ADDRESS GH_CONFIG_DIR GLAB_CONFIG_DIR \
    GNUPGHOME GPG_AGENT_INFO KRB5CCNAME KUBECONFIG MONGO_URL MONGODB_URI NETRC PGSERVICEFILE \
    REDIS_URL SSH_AGENT_PID SSH_AUTH_SOCK XAUTHORITY";

const BEGINNINGS: &str = "ANTHROPIC_ AWS_ AZURE_ BUNDLE_GEMS__ CLAUDE_ CLOUDSDK_ DOCKER_ GIT_CONFIG_ \
    GOOGLE_ NPM_CONFIG_ OPENAI_ TF_VAR_ VAULT_";

const ENDS: &str = "AUTH COOKIE DSN KEY KEYS PAT PW TOKENS _PIN _PWD _SALT _SK";

const PARTS: &str = "APIKEY AUTHORIZATION CONNECTIONSTRING CONNECTION_STRING CONNSTR CONN_STR CREDS \
    CREDENTIAL KEYCHAIN KEYFILE KEYRING KEYSTORE KEYTAB MNEMONIC PASS PEM PRIVATE SECRET SIGNING \
    SSHKEY TOKEN WEBHOOK _SESSION";

const WORDS: &str =
    "AUTH BEARER COOKIE CRED CREDS HMAC JWT KEY KEYS OAUTH OTP PWD SAS SESSION TOKENS TOTP";

/// What looks like one of them in names without secrets.
const HARMLESS: &str = "BYPASS COMPASS COMPAT DESKTOP_SESSION OLDPWD PASSENGER PASSIVE PASSTHROUGH \
    TERM_SESSION_ID TOKENIZERS XDG_SESSION_";

/// Fields of connection strings and headers that hold a secret, in lower case.
const FIELDS: &str = "accountkey= authorization: password= pwd= secret= sharedaccesskey= token=";

/// Whether a variable holds a secret, or leads to one.
pub fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let upper = name.to_string_lossy().to_ascii_uppercase();
    if upper == "PWD" {
        return false;
    }
    let harmless = HARMLESS.split_ascii_whitespace();
    let name = harmless.fold(upper, |name, part| name.replace(part, ""));
    let name = name.trim_end_matches(|one: char| one.is_ascii_digit() || one == '_');
    let any =
        |list: &'static str, holds: &dyn Fn(&str) -> bool| list.split_ascii_whitespace().any(holds);
    let value = value.to_string_lossy();
    let lower = value.to_ascii_lowercase();
    any(WHOLE, &|whole| name == whole)
        || any(BEGINNINGS, &|beginning| name.starts_with(beginning))
        || any(ENDS, &|end| name.ends_with(end))
        || any(PARTS, &|part| name.contains(part))
        || any(WORDS, &|word| name.split('_').any(|part| part == word))
        || any(FIELDS, &|field| lower.contains(field))
        || has_login(&value)
        || is_json_web_token(&value)
        || !secrets::find(&value).is_empty()
}

/// Whether a text contains an address with a password, or the login of a connection.
fn has_login(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        // `me:secret@tcp(localhost)/db`
        return text.split_once('@').is_some_and(|(login, _)| {
            login.contains(':') && !login.contains(|one: char| one == '/' || one.is_whitespace())
        });
    };
    // What stands there alone is a token.
    let is_token = scheme.to_ascii_lowercase().ends_with("http") || scheme.ends_with("https");
    text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(login, _)| is_token || login.contains(':'))
    })
}

/// Whether a text is three parts of Base64, of which the first is a header in JSON.
fn is_json_web_token(text: &str) -> bool {
    text.trim().starts_with("eyJ") && text.matches('.').count() == 2
}

#[cfg(test)]
mod secrets_tests {
    use super::*;

    #[test]
    fn secrets_are_recognised_by_name_or_value() {
        // Names from the documentation of programs, not from the lists above.
        for name in "GITHUB_TOKEN GH_TOKEN NPM_TOKEN npm_config__auth CARGO_REGISTRY_TOKEN \
             CARGO_REGISTRIES_MINE_TOKEN TWINE_PASSWORD SSH_AUTH_SOCK KUBECONFIG DATABASE_URL \
             MY_KEY APIKEY STRIPE_SECRET CLIENT_SECRET_ID MYSQL_PWD PGPASSWORD SENTRY_DSN \
             AWS_PROFILE GOOGLE_APPLICATION_CREDENTIALS AZURE_X GEMINI_API_KEY CODEX_API_KEY \
             COPILOT_GITHUB_TOKEN SKILLS_REGISTRY_TOKEN SKILLS_SERVE_TOKEN DOCKER_AUTH_CONFIG \
             SLACK_WEBHOOK_URL GITLAB_PAT Github_Token HF_TOKEN VAULT_ADDR \
             BW_SESSION BW_CLIENTSECRET OP_SESSION_me OP_SERVICE_ACCOUNT_TOKEN GCP_CREDS CREDS \
             DBPASS DB_PW LDAP_BINDPW AUTHORIZATION GIT_CONFIG_VALUE_0 GIT_CONFIG_VALUE_12 \
             GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_ASKPASS SSH_ASKPASS PRIVATE_PEM TLS_PEM \
             PASSFILE PGPASSFILE KRB5CCNAME KRB5_KTNAME_KEYTAB XAUTHORITY DBUS_SESSION_BUS_ADDRESS \
             CLOUDSDK_CONFIG GH_CONFIG_DIR MYTOKEN2 STRIPE_SK API_KEY_2 SIGNING_SEED PRIVATE \
             DJANGO_SESSION_COOKIE AUTH0_CLIENT_SECRET RAILS_MASTER_KEY SECRET_KEY_BASE \
             ANSIBLE_VAULT_PASSWORD_FILE RESTIC_PASSWORD_COMMAND BORG_PASSPHRASE \
             CIRCLE_OIDC_TOKEN_V2 ACTIONS_ID_TOKEN_REQUEST_URL ARM_CLIENT_SECRET STORAGE_SAS \
             BUNDLE_GEMS__EXAMPLE__COM COMPOSER_AUTH NOMAD_TOKEN FASTLANE_SESSION \
             MATCH_PASSWORD SONAR_TOKEN SNYK_TOKEN KEYSTORE_FILE WALLET_MNEMONIC CARD_PIN PASS"
            .split_whitespace()
        {
            assert!(is_secret(OsStr::new(name), OsStr::new("x")), "{name}");
        }
        for name in "PATH PWD OLDPWD TERM LANG LC_ALL TZ CI HOMEBREW_PREFIX EDITOR USER SHLVL \
             TERM_PROGRAM XDG_SESSION_ID XDG_SESSION_TYPE GITHUB_WORKSPACE COLUMNS SKILLS_THREADS \
             MONKEYS_ISLAND PASSTHROUGH BYPASS_CACHE COMPASS_DIR TOKENIZERS_PARALLELISM \
             KEYBOARD_LAYOUT DESKTOP_SESSION TERM_SESSION_ID DISPLAY WAYLAND_DISPLAY PAGER VISUAL \
             SHELL LOGNAME TMPDIR HOSTNAME COLORTERM NO_COLOR NODE_ENV NODE_OPTIONS JAVA_HOME GOPATH \
             CARGO_HOME RUSTUP_HOME VIRTUAL_ENV PYTHONPATH PYTHONHASHSEED RANDOM_SEED NVM_DIR \
             SSL_CERT_FILE GITHUB_ACTIONS GITHUB_REPOSITORY GITHUB_SHA RUNNER_OS BUILD_NUMBER \
             PGHOST PGUSER PGPORT DEBUG MAKEFLAGS CC CFLAGS HTTP_PROXY no_proxy AUTHOR \
             GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL GIT_EDITOR DBUS_STARTER MANPATH LESS LS_COLORS"
            .split_whitespace()
        {
            assert!(!is_secret(OsStr::new(name), OsStr::new("x")), "{name}");
        }
        for value in [
            "https://me:secret@example.com/x",
            "ghp_R4nd0mX8f2Qk7LwPz3VnB6sTyHc1JdGaMe5Uo9",
            "http://me:secret@proxy.example:8080",
            "https://0a1b2c@sentry.example/1",
            "postgres://me:secret@db/x",
            "me:secret@tcp(localhost:3306)/db",
            "Server=db;User=me;Password=secret",
            "host=db user=me password=secret",
            "AccountName=x;AccountKey=abc==",
            "Authorization: Basic YTpi",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
            "jdbc:postgresql://db/x?user=me&password=secret",
        ] {
            assert!(is_secret(OsStr::new("HARMLESS"), OsStr::new(value)), "{value}");
        }
        for value in [
            "https://example.com/a:b@c",
            "git@example.com:o/r",
            "ssh://git@example.com/r",
            "http://proxy.example:8080",
            "/bin:/usr/me@host/bin",
            "rs=0:di=01;34:*.tar=01;31",
            "user@example.com",
            "unix:path=/run/user/0/bus",
        ] {
            assert!(!is_secret(OsStr::new("HARMLESS"), OsStr::new(value)), "{value}");
        }
    }
}
