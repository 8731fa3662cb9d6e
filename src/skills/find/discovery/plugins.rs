//! Finds the skills of Claude's plugins in its registry of installed plugins.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::skills::agents::walk::Problem;
use crate::skills::files::content::{self, Content};
use crate::skills::find::discovery::SkillsRoot;
use crate::skills::model::environment::{Environment, UserRoot};
use crate::skills::model::plugin::{Plugin, PluginName};
use crate::skills::model::scope::Scope;

const REGISTRY: UserRoot = UserRoot::Variable {
    name: "CLAUDE_CONFIG_DIR",
    fallback: ".claude",
    below: "plugins/installed_plugins.json",
};

/// The `skills` directories of the plugins installed at this level, by plugin name. Without a
/// registry there are none.
pub fn roots(environment: &Environment, scope: Scope) -> Result<Vec<SkillsRoot>, Problem> {
    let Some(path) = environment.user_root(REGISTRY) else { return Ok(Vec::new()) };
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    let reason = match content::read(&real) {
        Content::Missing => return Ok(Vec::new()),
        Content::Text(text) => match parse(&text, scope, &environment.directory) {
            Some(roots) => return Ok(roots),
            None => "it is not a registry of plugins",
        },
        _ => "it cannot be read as text",
    };
    Err(Problem::Unusable(path, reason.to_owned()))
}

fn parse(text: &str, scope: Scope, directory: &Path) -> Option<Vec<SkillsRoot>> {
    let registry = serde_json::from_str::<Value>(text).ok()?;
    let plugins = registry.get("plugins")?.as_object()?;
    let mut roots = Vec::new();
    for (key, installs) in plugins {
        // `plugin@marketplace`
        let name = PluginName::new(key.split('@').next().unwrap_or_default());
        // Version 1 of the registry has one object, later versions a list.
        let installs = installs.as_array().map_or(std::slice::from_ref(installs), Vec::as_slice);
        for install in installs {
            let text = |key| install.get(key).and_then(Value::as_str);
            let here = match text("projectPath") {
                Some(project) => directory.starts_with(project),
                None => true,
            };
            let installed = if text("scope").is_none_or(|word| word == "user") {
                Scope::User
            } else {
                Scope::Project
            };
            if let Some(path) = text("installPath").map(Path::new)
                && here
                && installed == scope
                && path.is_absolute()
            {
                let plugin = name.clone().map(|name| Plugin::installed(name, path.to_owned()));
                roots.push((path.join("skills"), plugin.map(Arc::new)));
            }
        }
    }
    Some(roots)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn both_versions_of_the_registry_are_read() {
        let here = Path::new("/home/me/app");
        let first = r#"{"version":1,"plugins":{"a@m":{"installPath":"/p/a"}}}"#;
        let parse = |text: &str, scope| parse(text, scope, here);
        let parse = |text: &str, scope| {
            let name = |(path, plugin): SkillsRoot| (path, plugin.unwrap().name.to_string());
            Some(parse(text, scope)?.into_iter().map(name).collect::<Vec<_>>())
        };
        let root = |path: &str, name: &str| Some(vec![(PathBuf::from(path), name.to_owned())]);
        assert_eq!(parse(first, Scope::User), root("/p/a/skills", "a"));
        let second = r#"{"version":2,"plugins":{
            "a@m":[{"scope":"project","projectPath":"/home/me","installPath":"/p/a"},
                   {"scope":"project","projectPath":"/other","installPath":"/p/x"}],
            "b@m":[{"scope":"user","installPath":"/p/b"}, {"installPath":"relative"}, 7]}}"#;
        assert_eq!(parse(second, Scope::Project), root("/p/a/skills", "a"));
        assert_eq!(parse(second, Scope::User), root("/p/b/skills", "b"));
        assert_eq!(parse("[]", Scope::User), None);
        assert_eq!(parse("{", Scope::User), None);
    }
}
