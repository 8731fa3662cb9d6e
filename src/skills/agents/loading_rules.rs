//! How an agent finds skills, as data: its directories, their bounds, its order and precedence.

use super::readers::{AgentReading, ModelEntry, RawSkill};
use crate::skills::agents::walk::WalkBounds;
use crate::skills::model::environment::{Climb, UserRoot};

/// How an agent finds skills.
#[derive(Debug, Clone, Copy)]
pub struct LoadingRules {
    /// Its directories, in the order in which it reads them.
    pub places: &'static [AgentDirectory],
    /// Who wins where two skills have one name.
    pub winner: Winner,
    /// How its listing is sorted.
    pub order: Order,
    /// Whether a `SKILL.md` that is a link is read.
    pub linked_skill_md: bool,
    /// Whether `.gitignore` and its like inside a skills directory count.
    pub ignore_files: bool,
    /// Whether a directory of the user stays that when the way up from the project meets it.
    pub home_is_the_users: bool,
    /// Whether two ways to one file make one skill; else only names are compared.
    pub real_path_once: bool,
    /// Whether a skill that the model is not told of still keeps its name from others.
    pub hidden_keeps_name: bool,
    /// Whether a skill without a name is called after its real directory, not after a link to it.
    pub real_directory_name: bool,
    /// What it makes of a file.
    pub read: fn(&RawSkill<'_>) -> AgentReading,
    /// Its own file in which a skill can be kept from the model.
    pub beside: Option<Beside>,
    /// What it does to names once it knows all of them.
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

/// A file beside the `SKILL.md` that can keep a skill from the model.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Its path below the skill.
    pub file: &'static str,
    /// Whether this text does so.
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
    /// Which part of the listing its skills stand in; the lowest first.
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
    /// Characters of names and descriptions, next to what the agent brings itself.
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

/// Who wins where two skills have one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winner {
    /// The one that is read first.
    First,
    /// The one that is read last, in the place of the first.
    Last,
    /// One of them, and not always the same one.
    Anyone,
    /// Nobody: all are shown.
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
    /// By name, byte by byte, then by path.
    Name,
    /// By name, as JavaScript compares words.
    CollatedName,
    /// As the skills are found, but neighbours of one sort by name: those of the current
    /// directory, of those above it, and of each directory of the user.
    Runs,
}
