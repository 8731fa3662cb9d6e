//! The programs that load skills: one file and one row per agent, one row per quirk. In a row,
//! `target` is the directory to install into, and `loading.places` are the directories it reads.
//!
//! Everything here was observed in the running program, in the version its row names. A new
//! version that behaves differently is a new row, not a new branch.

pub mod claude;
pub mod codex;
pub mod confinement;
pub mod copilot;
pub mod dialects;
pub mod gemini;
pub mod launched;
pub mod listing;
pub mod load;
pub mod opencode;
pub mod pi;
pub mod quirks;
pub mod readers;
pub mod table;
pub mod walk;

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::skills::agents::confinement::Confinement;
use crate::skills::agents::listing::{AgentListing, ShownSkill};
use crate::skills::agents::readers::{AgentReading, ModelEntry, RawSkill};
use crate::skills::agents::table::InstallTarget;
use crate::skills::agents::walk::WalkBounds;
use crate::skills::model::environment::{Climb, UserRoot};
use crate::skills::model::error::{Result, err};
use crate::skills::model::scope::Scope;
use crate::skills::text::suggest;

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
        if table::target_id(word).is_some() {
            let help = format!("agents whose behaviour was observed: {known_ids}");
            return err!(Usage, "how `{word}` reads skills was not observed").help(help);
        }
        let error = err!(Usage, "unknown agent `{word}`");
        error.help(suggest::help(word, known, format!("known agents: {known_ids}")))
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

// How an agent finds skills, as data: its directories, their bounds, its order and precedence.

/// How an agent finds skills.
#[derive(Debug, Clone, Copy)]
pub struct LoadingRules {
    /// Its directories, in the order in which it reads them.
    pub places: &'static [AgentDirectory],
    /// Which of two skills with the same name wins.
    pub winner: Winner,
    /// How its listing is sorted.
    pub order: Order,
    /// Whether it reads a `SKILL.md` that is a symbolic link.
    pub linked_skill_md: bool,
    /// Whether it honours `.gitignore` and similar files in a skills directory.
    pub ignore_files: bool,
    /// Whether a user directory keeps the scope `user` if it is also above the project.
    pub home_is_the_users: bool,
    /// Whether two paths to the same file are one skill; otherwise only names are compared.
    pub real_path_once: bool,
    /// Whether a hidden skill still shadows others of its name.
    pub hidden_keeps_name: bool,
    /// Whether a skill without a name is named after its real directory instead of a link to it.
    pub real_directory_name: bool,
    /// Reads a `SKILL.md`.
    pub read: fn(&RawSkill<'_>) -> AgentReading,
    /// Its own file that can hide a skill from the model.
    pub beside: Option<Beside>,
    /// Settles second names once all names are known.
    pub settle_titles: fn(&mut [&mut ModelEntry]),
}

impl LoadingRules {
    /// A row to start from: the most common answer to each question.
    pub const USUAL: Self = Self {
        places: &[],
        winner: Winner::First,
        order: Order::Path,
        linked_skill_md: true,
        ignore_files: false,
        home_is_the_users: true,
        real_path_once: true,
        hidden_keeps_name: true,
        real_directory_name: false,
        read: |_| AgentReading::Lost(String::new()),
        beside: None,
        settle_titles: |_| {},
    };
}

/// A file beside the `SKILL.md` that can hide a skill from the model.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Its path below the skill.
    pub file: &'static str,
    /// Whether this content hides the skill.
    pub withholds: fn(&str) -> bool,
}

/// A directory in which an agent looks.
#[derive(Debug, Clone, Copy)]
pub struct AgentDirectory {
    /// The provider it belongs to.
    pub provider: &'static str,
    /// Where it is.
    pub root: Root,
    /// How far it is searched.
    pub bounds: WalkBounds,
    /// Whether Markdown files directly in it are skills too.
    pub files: bool,
    /// The part of the listing for its skills; the lowest comes first.
    pub group: u8,
    /// Variables that switch it off.
    pub off: &'static [&'static str],
}

impl AgentDirectory {
    /// A place to start from.
    pub const FLAT: Self = Self {
        provider: "",
        root: Root::User(UserRoot::Home("")),
        bounds: WalkBounds::FLAT,
        files: false,
        group: 0,
        off: &[],
    };
}

/// How much of a catalogue an agent shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Characters of names and descriptions, without the agent's built-in skills.
    pub characters: usize,
    /// What happens to the rest: a sentence that starts with `beyond that`.
    pub effect: &'static str,
}

/// Where a place is.
#[derive(Debug, Clone, Copy)]
pub enum Root {
    /// One directory of the user.
    User(UserRoot),
    /// A directory below the current one and those above it, the nearest first.
    Project(&'static str, Climb),
    /// The same, the nearest last.
    ProjectOutermostFirst(&'static str, Climb),
}

impl Root {
    /// Whether it belongs to the user or the project.
    pub const fn scope(self) -> Scope {
        match self {
            Self::User(_) => Scope::User,
            Self::Project(..) | Self::ProjectOutermostFirst(..) => Scope::Project,
        }
    }
}

/// Which of two skills with the same name wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winner {
    /// The first one read.
    First,
    /// The last one read, at the position of the first.
    Last,
    /// Any of them; it varies between runs.
    Anyone,
    /// None: all are shown.
    Everyone,
}

/// How a listing is sorted, within its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the skills are found: directory by directory, in each by path.
    Path,
    /// As the skills are found, in each directory by name as JavaScript compares words.
    Collated,
    /// As the skills are found, in each directory by path, the last first.
    PathDescending,
    /// By name, byte by byte, then by the path that links lead to.
    Name,
    /// By name, as JavaScript compares words.
    CollatedName,
    /// As the skills are found, but neighbours of one sort by name: those of the current
    /// directory, of those above it, and of each directory of the user.
    Runs,
}

// What an agent needs in a private home, as data.

/// What an agent needs in a private home. Its skills go to the project directory of its
/// [`InstallTarget`](super::targets::InstallTarget).
#[derive(Debug, Clone, Copy)]
pub struct Mounting {
    /// Variables to set, besides `HOME`.
    pub set: &'static [(&'static str, VariableValue)],
    /// Variables to remove: they point elsewhere or disable directories.
    pub unset: &'static [&'static str],
    /// Variables with settings that the agent may need but that can point to the user's skills.
    pub settings: &'static [SettingsVariable],
    /// Files that keep a user logged in.
    pub logins: &'static [Login],
    /// Variables for keys; the first is used to pass a key.
    pub keys: &'static [&'static str],
    /// Whether it can use models on AWS.
    pub amazon: bool,
    /// How its commands are confined, or why they cannot be.
    pub confinement: Result<Confinement, &'static str>,
}

impl Mounting {
    /// Whether a variable moves this agent or disables its directories.
    pub fn concerns(&self, variable: &str) -> bool {
        let is_place = |setting: &VariableValue| matches!(setting, VariableValue::Below(_));
        self.unset.contains(&variable)
            || self.set.iter().any(|(name, setting)| *name == variable && is_place(setting))
            || self.settings.iter().any(|settings| settings.name == variable)
    }
}

/// A variable with settings. A warning names it if it is not passed on.
#[derive(Debug, Clone, Copy)]
pub struct SettingsVariable {
    pub name: &'static str,
    /// Whether a value certainly points to no skills, so that it can be passed on.
    pub passes: fn(&OsStr) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableValue {
    /// Always the same.
    Text(&'static str),
    /// A directory below the home.
    Below(&'static str),
}

/// A file that keeps a user logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Login {
    /// Where the agent looks for it, below the home.
    pub inside: &'static str,
    /// Where the user has it.
    pub real: UserRoot,
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
