//! How an agent finds skills, as data: its directories, their bounds, its order and precedence.

use super::readers::{AgentReading, ModelEntry, RawSkill};
use crate::skills::agents::walk::WalkBounds;
use crate::skills::model::environment::{Climb, UserRoot};
use crate::skills::model::scope::Scope;

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
