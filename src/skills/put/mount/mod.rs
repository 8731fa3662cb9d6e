//! A private home for one run of an agent, with only the requested skills.
//!
//! [`home`] creates and removes the home, `record` writes the record beside it, and [`left_behind`]
//! removes homes of other runs. [`policy`] decides the agent's environment. [`login`] keeps the
//! user logged in, and [`restore`] moves renewed logins back; [`credentials`] checks that an isolated
//! agent can log in, and [`confine`] that its commands are confined. [`host`] finds the user's own
//! skills that the agent would still see. [`furnish`] adds other files (for an isolated agent, those
//! of [`confine`] and [`settings`]), and [`run`] starts the command.

pub mod confine;
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

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::skills::agents::launched::{CommandLine, Launched, launched};
use crate::skills::agents::targets::{self, InstallTarget, KnownAgent};
use crate::skills::agents::{self, AGENTS, Agent};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Result, err};

/// The agents that a home is for.
#[derive(Debug, Clone, Default)]
pub struct MountedAgents {
    /// Agents whose behaviour was observed.
    pub observed: Vec<&'static Agent>,
    /// Agents whose directories alone are known.
    pub others: Vec<&'static InstallTarget>,
    /// How they were chosen.
    pub choice: AgentChoice,
    /// What the command runs, whatever the home is for.
    pub line: CommandLine,
}

/// How the agents of a home were chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentChoice {
    /// They were named, or the command runs one.
    #[default]
    Known,
    /// Nobody named one, and there is no command.
    Usual,
    /// Nobody named one, and the command does not say which it runs.
    Guessed,
}

impl MountedAgents {
    /// The named ones, otherwise the one that the command runs, otherwise Claude.
    pub fn choose(words: &[String], command: &[OsString]) -> Result<Self> {
        let mut chosen = Self { line: launched(command)?, ..Self::default() };
        for agent in targets::find_all(words)? {
            match agent {
                KnownAgent::Observed(agent) => chosen.observed.push(agent),
                KnownAgent::Target(target) => chosen.others.push(target),
            }
        }
        if words.is_empty() {
            for Launched { agent, .. } in &chosen.line.agents {
                if !chosen.observed.contains(agent) {
                    chosen.observed.push(agent);
                }
            }
        }
        if let ([first, _, ..], []) = (chosen.observed.as_slice(), words) {
            let titles = agents::join_titles(&chosen.observed);
            let error = err!(Usage, "the command runs {titles}");
            let all = chosen.ids().join(",");
            return Err(error.help(format!(
                "name the agent that the home is for: `--agent {}`, or `--agent {all}`",
                first.id
            )));
        }
        if chosen.observed.is_empty() && words.is_empty() {
            chosen.choice =
                if command.is_empty() { AgentChoice::Usual } else { AgentChoice::Guessed };
            chosen.observed.push(&AGENTS[0]);
        }
        Ok(chosen)
    }

    /// The ids of all of them.
    pub fn ids(&self) -> Vec<&'static str> {
        let observed = self.observed.iter().map(|agent| agent.id);
        observed.chain(self.others.iter().map(|target| target.id)).collect()
    }

    /// The directories in a home for their skills, each once.
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
        let choose = |words: &[&str], command: &str| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let command: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
            MountedAgents::choose(&words, &command)
        };
        let ids = |words: &[&str], command: &str| choose(words, command).unwrap().ids();
        assert_eq!(ids(&[], ""), ["claude"]);
        assert_eq!(choose(&[], "").unwrap().choice, AgentChoice::Usual);
        assert_eq!(ids(&[], "/usr/bin/codex"), ["codex"]);
        assert_eq!(choose(&[], "timeout 5 codex").unwrap().choice, AgentChoice::Known);
        assert_eq!(ids(&[], "python3"), ["claude"]);
        assert_eq!(choose(&[], "python3").unwrap().choice, AgentChoice::Guessed);
        assert_eq!(choose(&["claude"], "python3").unwrap().choice, AgentChoice::Known);
        assert_eq!(ids(&["pi"], "codex"), ["pi"]);
        assert_eq!(choose(&["pi"], "codex -m x").unwrap().line.agents[0].arguments, ["-m", "x"]);
        assert_eq!(ids(&["pi", "gemini", "pi"], ""), ["pi", "gemini"]);
        assert_eq!(ids(&["all"], "").len(), 6);
        assert_eq!(ids(&["pi", "ALL"], "").len(), 6);
        assert!(choose(&["all", "bogus"], "").is_err());
        let directories =
            |words: &[&str]| choose(words, "").unwrap().skills_directories(Path::new("/h"));
        let usual = [Path::new("/h/.claude/skills"), Path::new("/h/.agents/skills")];
        assert_eq!(directories(&["all"]), usual);
        assert_eq!(directories(&["cursor"]), [Path::new("/h/.cursor/skills")]);
        assert_eq!(directories(&["grok", "zed", "codex"]).len(), 2);
    }
}
