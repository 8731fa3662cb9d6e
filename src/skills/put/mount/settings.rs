//! Writes the `settings.json` of an isolated Claude, and reads the user's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::skills::files::content::{self, Content};
use crate::skills::files::platform;
use crate::skills::find::manifest::Isolation;
use crate::skills::find::manifest::sandbox::{SandboxPath, UnixSockets};
use crate::skills::put::mount::policy::{AWS_ROUTE, AWS_VARIABLES, Variables};

/// The parts of the user's own settings that are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// The `env` block.
    pub env: BTreeMap<String, String>,
    /// The command that renews an AWS login.
    pub aws_auth_refresh: Option<String>,
}

impl HostSettings {
    /// Reads the user's settings; missing or invalid settings are empty.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        // The user's files may be links.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let Content::Text(text) = content::read(&real) else { return Self::default() };
        let Ok(value) = serde_json::from_str::<Value>(&text) else { return Self::default() };
        let pair =
            |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let env = value.get("env").and_then(Value::as_object);
        Self {
            env: env.map(|env| env.iter().filter_map(pair).collect()).unwrap_or_default(),
            aws_auth_refresh: value
                .get("awsAuthRefresh")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }
    }
}

/// The `sandbox` of an isolated Claude, in the keys that Claude 2.1.327 reads.
fn sandbox_json(isolation: &Isolation, expand: &dyn Fn(&Path) -> PathBuf) -> Value {
    let sandbox = &isolation.sandbox;
    let absolute = |paths: &[SandboxPath]| -> Vec<String> {
        paths.iter().map(|path| path.absolute(expand)).collect()
    };
    let mut network = json!({ "allowedDomains": isolation.allowed_domains });
    match &sandbox.unix_sockets {
        UnixSockets::All => network["allowAllUnixSockets"] = json!(true),
        UnixSockets::These(sockets) if sockets.is_empty() => {}
        UnixSockets::These(sockets) => network["allowUnixSockets"] = json!(sockets),
    }
    if sandbox.local_binding {
        network["allowLocalBinding"] = json!(true);
    }
    if let Some(port) = sandbox.http_proxy_port {
        network["httpProxyPort"] = json!(port);
    }
    if let Some(port) = sandbox.socks_proxy_port {
        network["socksProxyPort"] = json!(port);
    }
    // Where Claude keeps its temporary files.
    let own = platform::user_id().map(|user| format!("/tmp/claude-{user}"));
    let mut writable = absolute(&sandbox.writable_paths);
    writable.extend(own.filter(|own| !writable.contains(own)));
    let mut files = json!({ "allowWrite": writable });
    if !sandbox.readable_paths.is_empty() {
        files["allowRead"] = json!(absolute(&sandbox.readable_paths));
    }
    let mut all = json!({
        "enabled": sandbox.enabled,
        "autoAllowBashIfSandboxed": sandbox.auto_allow_bash,
        "allowUnsandboxedCommands": sandbox.allow_unsandboxed_commands,
        "filesystem": files,
        "network": network,
    });
    if !sandbox.excluded_commands.is_empty() {
        all["excludedCommands"] = json!(sandbox.excluded_commands);
    }
    if sandbox.weaker_nested_sandbox {
        all["enableWeakerNestedSandbox"] = json!(true);
    }
    if !sandbox.ignore_violations.is_empty() {
        all["ignoreViolations"] = json!(sandbox.ignore_violations);
    }
    all
}

/// The `settings.json` of an isolated Claude with this environment. It contains no secret. `expand`
/// makes a path of the manifest absolute.
#[must_use]
pub fn settings_json(
    isolation: &Isolation,
    child: &Variables,
    host: &HostSettings,
    expand: &dyn Fn(&Path) -> PathBuf,
) -> Value {
    let sandbox = sandbox_json(isolation, expand);
    let mut env = Map::new();
    env.insert("DISABLE_AUTOUPDATER".to_owned(), json!("1"));
    let mut settings = Map::new();
    settings.insert("sandbox".to_owned(), sandbox);
    if isolation.api_key_env.is_none() {
        for name in &AWS_VARIABLES[..AWS_ROUTE] {
            if let Some(value) = child.get(std::ffi::OsStr::new(name)) {
                env.insert((*name).to_owned(), json!(value.to_string_lossy()));
            }
        }
        if let Some(command) = &host.aws_auth_refresh {
            settings.insert("awsAuthRefresh".to_owned(), json!(command));
        }
    }
    settings.insert("env".to_owned(), Value::Object(env));
    Value::Object(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::find::manifest::sandbox::SandboxBlock;

    fn settings_json(isolation: &Isolation, child: &Variables, host: &HostSettings) -> Value {
        super::settings_json(isolation, child, host, &|path| Path::new("/here").join(path))
    }

    #[test]
    fn the_sandbox_is_closed_unless_it_is_opened() {
        let host = HostSettings::default();
        let settings = settings_json(&Isolation::default(), &Variables::new(), &host);
        assert_eq!(settings["sandbox"]["enabled"], true);
        assert_eq!(settings["sandbox"]["allowUnsandboxedCommands"], false);
        assert_eq!(settings["sandbox"]["network"]["allowedDomains"], json!([]));
        assert_eq!(settings["env"], json!({"DISABLE_AUTOUPDATER": "1"}));
        let mut sandbox = SandboxBlock::default();
        sandbox.enabled = false;
        let isolation = Isolation {
            sandbox,
            allowed_domains: vec!["example.com".to_owned()],
            ..Isolation::default()
        };
        let settings = settings_json(&isolation, &Variables::new(), &host);
        assert_eq!(settings["sandbox"]["enabled"], false);
        assert_eq!(settings["sandbox"]["network"]["allowedDomains"], json!(["example.com"]));
    }

    #[test]
    fn the_route_to_amazon_is_written_and_its_secrets_are_not() {
        let child: Variables = [("AWS_REGION", "eu"), ("AWS_SECRET_ACCESS_KEY", "s")]
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let host =
            HostSettings { aws_auth_refresh: Some("sso".to_owned()), ..HostSettings::default() };
        let settings = settings_json(&Isolation::default(), &child, &host);
        assert_eq!(settings["env"]["AWS_REGION"], "eu");
        assert_eq!(settings["awsAuthRefresh"], "sso");
        assert!(!settings.to_string().contains("SECRET"));
        let with_key = Isolation { api_key_env: Some("K".to_owned()), ..Isolation::default() };
        let settings = settings_json(&with_key, &child, &host);
        assert!(settings.get("awsAuthRefresh").is_none());
        assert!(settings["env"].get("AWS_REGION").is_none());
    }

    #[test]
    fn settings_that_are_not_there_say_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("settings.json");
        assert_eq!(HostSettings::read(&path), HostSettings::default());
        for text in ["", "{", "[]", r#"{"env": 1, "awsAuthRefresh": []}"#] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(HostSettings::read(&path), HostSettings::default(), "{text}");
        }
        std::fs::write(&path, r#"{"env": {"A": "b", "C": 1}, "awsAuthRefresh": "x"}"#).unwrap();
        let settings = HostSettings::read(&path);
        assert_eq!(settings.env, [("A".to_owned(), "b".to_owned())].into());
        assert_eq!(settings.aws_auth_refresh.as_deref(), Some("x"));
    }
}
