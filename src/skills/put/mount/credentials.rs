//! Checks that an isolated Claude can log in, before it is started.
//!
//! An isolated Claude gets only what the policy passes on, so a missing login is certain. Other
//! agents may use a model that needs none.

use std::env::consts::OS;
use std::ffi::OsStr;
use std::path::Path;

use crate::skills::agents::Agent;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Result, err};
use crate::skills::put::mount::policy::{Variables, is_on};
use crate::skills::put::mount::settings::HostSettings;

/// Switches that send Claude to another provider.
const ELSEWHERE: [&str; 2] = ["CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

/// Variables that hold credentials for Amazon Bedrock, or lead to them on the network.
const AMAZON: [&str; 5] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_PROFILE",
];

/// Variables that name files with such credentials.
const AMAZON_FILES: [&str; 3] =
    ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"];

/// The credentials of an isolated agent.
#[derive(Debug, Clone, Copy)]
pub struct LoginCheck<'a> {
    pub agent: &'a Agent,
    /// The variables it gets.
    pub variables: &'a Variables,
    /// Whether it gets the login files of the user.
    pub files: bool,
    /// The environment of the user.
    pub real: &'a Environment,
    /// The user's own settings of Claude.
    pub host: &'a HostSettings,
}

impl LoginCheck<'_> {
    /// Refuses Claude without a login.
    pub fn run(&self) -> Result<()> {
        // Another address may need no login.
        let is_elsewhere =
            self.has("ANTHROPIC_BASE_URL") || ELSEWHERE.iter().any(|name| self.is_on(name));
        if self.agent.id != "claude" || is_elsewhere {
            return Ok(());
        }
        if self.is_on("CLAUDE_CODE_USE_BEDROCK") {
            return self.bedrock();
        }
        let has_key = self.agent.mounting.keys.iter().any(|name| self.has(name));
        let has_file = self.agent.mounting.logins.iter().any(|login| {
            self.real.user_root(login.real).is_some_and(|path| path.metadata().is_ok())
        });
        // On macOS the login is in the keychain, which is not checked.
        if has_key || (self.files && (has_file || OS == "macos")) {
            return Ok(());
        }
        Err(err!(
            Auth,
            "an isolated Claude has no login here: no key in `ANTHROPIC_API_KEY` or \
                       `CLAUDE_CODE_OAUTH_TOKEN`, and no login file"
        )
        .help(
            "set `ANTHROPIC_API_KEY`, name the variable that holds the key with \
             `isolation.api_key_env`, log in with `claude`, or use Amazon Bedrock: set \
             `CLAUDE_CODE_USE_BEDROCK=1` and `AWS_REGION`",
        ))
    }

    fn bedrock(&self) -> Result<()> {
        if !["AWS_REGION", "AWS_DEFAULT_REGION"].iter().any(|name| self.has(name)) {
            return Err(err!(Auth, "Claude is to use Amazon Bedrock, but `AWS_REGION` is not set")
                .help("set `AWS_REGION`, or switch Bedrock off: `CLAUDE_CODE_USE_BEDROCK=0`"));
        }
        let file = |name: &&str| self.variables.get(OsStr::new(name)).map(Path::new);
        let has_credentials = AMAZON.iter().any(|name| self.has(name))
            || AMAZON_FILES.iter().filter_map(file).any(Path::is_file)
            || self.host.aws_auth_refresh.is_some();
        // Without login files, the machine itself may have a role.
        if has_credentials || !self.files {
            return Ok(());
        }
        Err(err!(
            Auth,
            "Claude is to use Amazon Bedrock, but there are no AWS credentials: no \
                       `~/.aws`, and no `AWS_ACCESS_KEY_ID`, `AWS_PROFILE`, \
                       `AWS_BEARER_TOKEN_BEDROCK`, `AWS_WEB_IDENTITY_TOKEN_FILE` or \
                       `AWS_CONTAINER_CREDENTIALS_*`"
        )
        .help(
            "log in to AWS, or name the variable that holds a key for Anthropic with \
             `isolation.api_key_env`; on a machine whose role provides them, use `--auth none`",
        ))
    }

    fn has(&self, name: &str) -> bool {
        self.variables.get(OsStr::new(name)).is_some_and(|value| !value.is_empty())
    }

    /// Whether a switch is on.
    fn is_on(&self, name: &str) -> bool {
        self.variables.get(OsStr::new(name)).is_some_and(|value| is_on(value))
    }
}
