//! A private home for one run of an agent, with only the requested skills.
//!
//! [`home`] creates and removes the home, `record` writes the record beside it, and [`left_behind`]
//! removes homes of other runs. [`policy`] decides the agent's environment. [`login`] keeps the
//! user logged in, and [`restore`] moves renewed logins back; [`credentials`] checks that an isolated
//! agent can log in. [`host`] finds the user's own skills that the agent would still see. [`furnish`]
//! adds other files ([`settings`] for an isolated agent), and [`run`] starts the command.

pub mod credentials;
pub mod furnish;
pub mod home;
pub mod host;
mod in_home;
pub mod left_behind;
pub mod login;
pub mod policy;
mod record;
pub mod restore;
pub mod run;
pub mod settings;

use std::path::{Path, PathBuf};

use crate::skills::agents::targets::{self, InstallTarget, KnownAgent};
use crate::skills::agents::{self, AGENTS, Agent};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::Result;

/// The agents that a home is for.
#[derive(Debug, Clone, Default)]
pub struct MountedAgents {
    /// Agents whose behaviour was observed.
    pub observed: Vec<&'static Agent>,
    /// Agents whose directories alone are known.
    pub others: Vec<&'static InstallTarget>,
    /// Whether no agent was named, and the command is not one.
    pub is_default: bool,
}

impl MountedAgents {
    /// The named ones, otherwise the one that the command runs, otherwise Claude.
    ///
    /// # Errors
    /// An unknown agent.
    pub fn choose(words: &[String], command: Option<&Path>) -> Result<Self> {
        let mut chosen = Self::default();
        for agent in targets::find_all(words)? {
            match agent {
                KnownAgent::Observed(agent) => chosen.observed.push(agent),
                KnownAgent::Target(target) => chosen.others.push(target),
            }
        }
        if words.is_empty() {
            let name = command.and_then(Path::file_stem).map(|name| name.to_string_lossy());
            let inferred = name.and_then(|name| agents::observed(&name));
            chosen.is_default = inferred.is_none();
            chosen.observed.push(inferred.unwrap_or(&AGENTS[0]));
        }
        Ok(chosen)
    }

    /// The ids of all of them.
    #[must_use]
    pub fn ids(&self) -> Vec<&'static str> {
        let observed = self.observed.iter().map(|agent| agent.id);
        observed.chain(self.others.iter().map(|target| target.id)).collect()
    }

    /// The directories in a home for their skills, each once.
    #[must_use]
    pub fn skills_directories(&self, home: &Path) -> Vec<PathBuf> {
        let inside = Environment::default().with_home(home);
        let observed = self.observed.iter().map(|agent| home.join(agent.target.project));
        let others = self.others.iter().filter_map(|target| inside.user_root(target.user));
        let mut directories: Vec<PathBuf> = Vec::new();
        for directory in observed.chain(others) {
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        }
        directories
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_is_the_one_that_is_named_or_that_the_command_is() {
        let ids = |words: &[&str], command: Option<&str>| -> Vec<&str> {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            MountedAgents::choose(&words, command.map(Path::new)).unwrap().ids()
        };
        assert_eq!(ids(&[], None), ["claude"]);
        assert_eq!(ids(&[], Some("/usr/bin/codex")), ["codex"]);
        assert_eq!(ids(&[], Some("python3")), ["claude"]);
        assert_eq!(ids(&["pi"], Some("codex")), ["pi"]);
        assert_eq!(ids(&["pi", "gemini", "pi"], None), ["pi", "gemini"]);
        assert_eq!(ids(&["all"], None).len(), 6);
        assert_eq!(ids(&["pi", "ALL"], None).len(), 6);
        assert!(MountedAgents::choose(&["all".to_owned(), "bogus".to_owned()], None).is_err());
        let directories = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let agents = MountedAgents::choose(&words, None).unwrap();
            agents.skills_directories(Path::new("/h"))
        };
        let usual = [Path::new("/h/.claude/skills"), Path::new("/h/.agents/skills")];
        assert_eq!(directories(&["all"]), usual);
        assert_eq!(directories(&["cursor"]), [Path::new("/h/.cursor/skills")]);
        assert_eq!(directories(&["grok", "zed", "codex"]).len(), 2);
    }
}
