//! Where Claude's plugins keep their skills: its registry of installed plugins says so.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::skills::content::{self, Content};
use crate::skills::environment::{Environment, UserRoot};
use crate::skills::listing::Scope;

const REGISTRY: UserRoot = UserRoot::Variable {
    name: "CLAUDE_CONFIG_DIR",
    fallback: ".claude",
    below: "plugins/installed_plugins.json",
};

/// The `skills` directories of the plugins installed at this level, by plugin name.
#[must_use]
pub fn roots(environment: &Environment, scope: Scope) -> Vec<PathBuf> {
    let registry = environment.user_root(REGISTRY).and_then(|path| path.canonicalize().ok());
    let Some(Content::Text(text)) = registry.map(|path| content::read(&path)) else {
        return Vec::new();
    };
    parse(&text, scope, &environment.directory)
}

fn parse(text: &str, scope: Scope, directory: &Path) -> Vec<PathBuf> {
    let Ok(registry) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let Some(plugins) = registry.get("plugins").and_then(Value::as_object) else {
        return Vec::new();
    };
    let mut roots = Vec::new();
    for installs in plugins.values() {
        // One object in the first version of the registry, a list of them since.
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
                roots.push(path.join("skills"));
            }
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_of_the_registry_are_read() {
        let here = Path::new("/work/app");
        let first = r#"{"version":1,"plugins":{"a@m":{"installPath":"/p/a"}}}"#;
        assert_eq!(parse(first, Scope::User, here), [Path::new("/p/a/skills")]);
        let second = r#"{"version":2,"plugins":{
            "a@m":[{"scope":"project","projectPath":"/work","installPath":"/p/a"},
                   {"scope":"project","projectPath":"/other","installPath":"/p/x"}],
            "b@m":[{"scope":"user","installPath":"/p/b"}, {"installPath":"relative"}, 7]}}"#;
        assert_eq!(parse(second, Scope::Project, here), [Path::new("/p/a/skills")]);
        assert_eq!(parse(second, Scope::User, here), [Path::new("/p/b/skills")]);
        assert!(parse("[]", Scope::User, here).is_empty());
        assert!(parse("{", Scope::User, here).is_empty());
    }
}
