//! Reads the user's own settings of Claude, and adds its way to a model to those of an isolated one.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::skills::files::content::{self, Content};
use crate::skills::find::manifest::Isolation;
use crate::skills::mount::policy::{AWS_ROUTE, AWS_VARIABLES, Variables};

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

    /// Without the login, no command that renews it.
    pub fn with_login(&self, login: bool) -> Self {
        let aws_auth_refresh = self.aws_auth_refresh.clone().filter(|_| login);
        Self { env: self.env.clone(), aws_auth_refresh }
    }
}

/// Adds to the settings of an isolated Claude what it needs to reach its model. No secret is in it.
pub fn add_route(
    settings: &mut Value,
    isolation: &Isolation,
    child: &Variables,
    host: &HostSettings,
) {
    settings["env"] = json!({ "DISABLE_AUTOUPDATER": "1" });
    if isolation.api_key_env.is_some() {
        return;
    }
    for name in &AWS_VARIABLES[..AWS_ROUTE] {
        if let Some(value) = child.get(std::ffi::OsStr::new(name)) {
            settings["env"][*name] = json!(value.to_string_lossy());
        }
    }
    if let Some(command) = &host.aws_auth_refresh {
        settings["awsAuthRefresh"] = json!(command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_json(isolation: &Isolation, child: &Variables, host: &HostSettings) -> Value {
        let mut settings = json!({});
        add_route(&mut settings, isolation, child, host);
        settings
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
