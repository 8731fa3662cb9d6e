//! The programs that load skills: one file and one row per agent, one row per quirk. In a row,
//! `target` is the directory to install into, and `loading.places` are the directories it reads.
//!
//! Everything here was observed in the running program, in the version its row names. A new
//! version that behaves differently is a new row, not a new branch.

pub mod catalogue;
mod claude;
pub(super) mod codex;
mod collation;
pub mod confinement;
pub(super) mod copilot;
pub mod detect;
pub mod dialects;
mod escapes;
pub(super) mod gemini;
mod ignore_files;
pub mod launched;
pub mod loading_rules;
pub mod mounting;
pub(super) mod opencode;
pub(super) mod pi;
pub mod quirks;
pub mod readers;
pub mod simulate;
pub mod skill_file;
pub mod targets;
pub mod walk;

use std::path::PathBuf;

use crate::skills::model::error::{Result, err};
use crate::skills::text::similar;
use catalogue::{AgentListing, ShownSkill};
use loading_rules::{Budget, LoadingRules};
use mounting::Mounting;
use targets::InstallTarget;

/// A program that loads skills.
#[derive(Debug)]
pub struct Agent {
    /// The word used in flags and JSON.
    pub id: &'static str,
    /// The name used in messages.
    pub title: &'static str,
    /// What other installers call it.
    pub aliases: &'static [&'static str],
    /// Its packages, for `npx` and the like.
    pub packages: &'static [&'static str],
    /// The version its behaviour was observed in.
    pub observed: &'static str,
    /// Where skills are installed for it.
    pub target: InstallTarget,
    /// What it needs in a private home.
    pub mounting: Mounting,
    /// How it finds and reads skills.
    pub loading: LoadingRules,
    /// How much of a catalogue it shows.
    pub budget: Option<Budget>,
    /// The elements that stand around a description in that listing, if it is not escaped.
    pub open_elements: &'static [&'static str],
    /// Writes the listing for its model, from the skills and all directories it searches.
    pub listing: fn(&[ShownSkill], &[PathBuf]) -> AgentListing,
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Agent {}

/// The agents whose reading of a skill is known. Quirks list their outcomes in this order.
pub static AGENTS: [Agent; 6] =
    [claude::AGENT, codex::AGENT, opencode::AGENT, copilot::AGENT, gemini::AGENT, pi::AGENT];

/// The word for all agents.
pub const ALL: &str = "all";

/// The agent with this id or alias, if its behaviour was observed.
pub fn observed(word: &str) -> Option<&'static Agent> {
    let wanted = word.to_lowercase();
    let is_it = |agent: &&Agent| agent.id == wanted || agent.aliases.contains(&wanted.as_str());
    AGENTS.iter().find(is_it)
}

/// The agent with this id or alias, for questions that only its behaviour answers.
pub fn find(word: &str) -> Result<&'static Agent> {
    observed(word).ok_or_else(|| {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
        let known_ids = known.join(", ");
        if targets::target_id(word).is_some() {
            let help = format!("agents whose behaviour was observed: {known_ids}");
            return err!(Usage, "how `{word}` reads skills was not observed").help(help);
        }
        let error = err!(Usage, "unknown agent `{word}`");
        error.help(similar::help(word, known, format!("known agents: {known_ids}")))
    })
}

/// The agents with these ids or aliases, each once; [`ALL`] stands for all of them.
pub fn find_all(words: &[String]) -> Result<Vec<&'static Agent>> {
    let mut found: Vec<&'static Agent> = Vec::new();
    for word in words {
        let is_all = word.eq_ignore_ascii_case(ALL);
        let named = if is_all { AGENTS.iter().collect() } else { vec![find(word)?] };
        for agent in named {
            if !found.contains(&agent) {
                found.push(agent);
            }
        }
    }
    Ok(found)
}

/// `A`, `A and B`, `A, B and C`.
pub fn join_titles(agents: &[&Agent]) -> String {
    let titles: Vec<&str> = agents.iter().map(|agent| agent.title).collect();
    match titles.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_found_by_id_and_alias() {
        assert_eq!(find("claude").unwrap().id, "claude");
        assert_eq!(find("claude-code").unwrap().id, "claude");
        assert_eq!(find("github-copilot").unwrap().id, "copilot");
    }

    #[test]
    fn an_unknown_agent_suggests_the_nearest_and_lists_all() {
        let help = find("cladue").unwrap_err().help.unwrap();
        assert!(help.starts_with("did you mean `claude`? known agents: claude, codex"), "{help}");
    }
}
