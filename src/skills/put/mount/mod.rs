//! A private home for one run of an agent, with only the requested skills.
//!
//! [`home`] creates and removes the home, `record` writes the record beside it, and [`left_behind`]
//! removes homes of other runs. [`policy`] decides the agent's environment. [`login`] keeps the
//! user logged in, and [`restore`] moves renewed logins back. [`host`] finds the user's own skills
//! that the agent would still see. [`furnish`] adds other files ([`settings`] for an isolated
//! agent), and [`run`] starts the command.

pub mod furnish;
pub mod home;
pub mod host;
pub mod left_behind;
pub mod login;
pub mod policy;
mod record;
pub mod restore;
pub mod run;
pub mod settings;

use std::path::{Path, PathBuf};

use crate::skills::agents::{self, AGENTS, Agent};
use crate::skills::model::error::Result;

/// The word for all agents.
pub const ALL: &str = "all";

/// The agents for a home: the named ones, otherwise the one that the command runs, otherwise Claude.
///
/// # Errors
/// An unknown agent.
pub fn agents(words: &[String], command: Option<&Path>) -> Result<Vec<&'static Agent>> {
    let mut chosen: Vec<&'static Agent> = Vec::new();
    for word in words {
        let named: Vec<&'static Agent> = if word.eq_ignore_ascii_case(ALL) {
            AGENTS.iter().collect()
        } else {
            vec![agents::find(word)?]
        };
        for agent in named {
            if !chosen.contains(&agent) {
                chosen.push(agent);
            }
        }
    }
    if chosen.is_empty() {
        let name = command.and_then(Path::file_stem).map(|name| name.to_string_lossy());
        let inferred = name.and_then(|name| agents::find(&name).ok());
        chosen.push(inferred.unwrap_or(&AGENTS[0]));
    }
    Ok(chosen)
}

/// The directories in a home for the skills of these agents, each once.
#[must_use]
pub fn skills_directories(agents: &[&Agent], home: &Path) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = Vec::new();
    for agent in agents {
        let directory = home.join(agent.target.project);
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    directories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_is_the_one_that_is_named_or_that_the_command_is() {
        let ids = |words: &[&str], command: Option<&str>| -> Vec<&str> {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let agents = agents(&words, command.map(Path::new)).unwrap();
            agents.iter().map(|agent| agent.id).collect()
        };
        assert_eq!(ids(&[], None), ["claude"]);
        assert_eq!(ids(&[], Some("/usr/bin/codex")), ["codex"]);
        assert_eq!(ids(&[], Some("python3")), ["claude"]);
        assert_eq!(ids(&["pi"], Some("codex")), ["pi"]);
        assert_eq!(ids(&["pi", "gemini", "pi"], None), ["pi", "gemini"]);
        assert_eq!(ids(&["all"], None).len(), 6);
        assert_eq!(ids(&["pi", "ALL"], None).len(), 6);
        assert!(agents(&["all".to_owned(), "bogus".to_owned()], None).is_err());
        let all = agents(&["all".to_owned()], None).unwrap();
        let directories = skills_directories(&all, Path::new("/h"));
        assert_eq!(directories, [Path::new("/h/.claude/skills"), Path::new("/h/.agents/skills")]);
    }
}
