//! What a skill needs to work: systems, programs, variables, agents, a network.
//!
//! [`Requirements::of`] reads `compatibility` (`prose`) and the fields that agents document
//! (`fields`). Text that is not understood stays text; nothing is guessed. [`machine`] says which of
//! them a machine lacks, without running anything.

mod fields;
pub mod machine;
mod prose;
mod words;

use crate::skills::text::document::Document;
use crate::skills::text::position::Span;
use crate::skills::text::yaml::Node;

/// Everything that a skill says it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    /// What it needs, in the order of the file.
    pub all: Vec<Requirement>,
    /// What no machine can meet.
    pub impossible: Vec<ImpossibleRequirement>,
}

/// One thing that a skill needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// What it is.
    pub need: Need,
    /// The field that says so, such as `compatibility` or `metadata.openclaw.requires.bins`.
    pub field: String,
    /// Where the field says so.
    pub span: Span,
}

/// A requirement that no machine can meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpossibleRequirement {
    /// Where it stands.
    pub span: Span,
    /// Why it cannot be met.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// The kinds of things that skills need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// One of these operating systems.
    System(Vec<OperatingSystem>),
    /// A program on PATH.
    Program(ProgramNeed),
    /// An environment variable.
    Variable(String),
    /// One of these agents, by id. Without `only`, others may do as well.
    Agent {
        /// Their ids.
        ids: Vec<&'static str>,
        /// Whether no other agent will do.
        only: bool,
    },
    /// Access to a network.
    Network,
    /// Free text.
    Text(String),
}

/// A program on PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramNeed {
    /// One of these is enough.
    pub names: Vec<String>,
    /// The version that is stated, as it is written. It is never checked.
    pub version: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatingSystem {
    Linux,
    MacOs,
    Windows,
}

impl OperatingSystem {
    /// The name in messages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
        }
    }

    /// The systems that a word stands for; none when it is not the name of one.
    fn named(word: &str) -> &'static [Self] {
        match word.to_lowercase().as_str() {
            "linux" => &[Self::Linux],
            "macos" | "mac os" | "mac" | "osx" | "os x" | "mac os x" | "darwin" => &[Self::MacOs],
            "windows" | "win32" => &[Self::Windows],
            "unix" | "posix" => &[Self::Linux, Self::MacOs],
            _ => &[],
        }
    }

    /// The system this program runs on.
    pub fn current() -> Option<Self> {
        Self::named(std::env::consts::OS).first().copied()
    }
}

impl Need {
    /// The word used in JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::System(_) => "system",
            Self::Program(_) => "program",
            Self::Variable(_) => "variable",
            Self::Agent { .. } => "agent",
            Self::Network => "network",
            Self::Text(_) => "text",
        }
    }

    /// The names of which one is enough; empty for a network and for text.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::System(systems) => systems.iter().map(|one| one.title()).collect(),
            Self::Program(program) => program.names.iter().map(String::as_str).collect(),
            Self::Variable(name) => vec![name],
            Self::Agent { ids, .. } => ids.clone(),
            Self::Network | Self::Text(_) => Vec::new(),
        }
    }

    /// What is needed, without a verb: `` `git` ``, `` `python3` or `python` 3.10+ ``, `macOS`.
    pub fn describe(&self) -> String {
        match self {
            Self::System(systems) => alternatives(systems.iter().map(|one| one.title().to_owned())),
            Self::Program(ProgramNeed { names, version }) => {
                let names = alternatives(names.iter().map(|name| format!("`{name}`")));
                version.as_ref().map_or(names.clone(), |version| format!("{names} {version}"))
            }
            Self::Variable(name) => format!("the variable `{name}`"),
            Self::Agent { ids, .. } => alternatives(ids.iter().map(|id| (*id).to_owned())),
            Self::Network => "a network".to_owned(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// `A`, `A or B`, `A, B or C`.
fn alternatives(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

impl Requirements {
    /// Reads the requirements of a skill.
    pub fn of(document: &Document<'_>) -> Self {
        let mut requirements = Self::default();
        let Some(front) = document.fields() else { return requirements };
        if let Some(node) = document.field("compatibility")
            && let Some(text) = node.as_str()
        {
            let field = "compatibility".to_owned();
            for need in prose::needs(text) {
                requirements.add(Requirement { need, field: field.clone(), span: node.span });
            }
        }
        fields::read(&front.mapping, &mut requirements);
        requirements.all.sort_by_key(|one| one.span.start);
        requirements.refuse_contradictions();
        requirements
    }

    /// What no machine can meet. Validation asks every skill, so prose that cannot contradict anything
    /// is not read.
    pub fn impossible_in(document: &Document<'_>) -> Vec<ImpossibleRequirement> {
        let Some(front) = document.fields() else { return Vec::new() };
        let mut requirements = Self::default();
        fields::read(&front.mapping, &mut requirements);
        let is_system = |one: &&Requirement| matches!(one.need, Need::System(_));
        let sets = requirements.all.iter().filter(is_system).count();
        let prose = document.field("compatibility").and_then(Node::as_str);
        match sets + prose.map_or(0, prose::most_systems) {
            0 | 1 => requirements.impossible,
            _ => Self::of(document).impossible,
        }
    }

    /// Adds a requirement, once.
    fn add(&mut self, requirement: Requirement) {
        if !self.all.iter().any(|known| known.need == requirement.need) {
            self.all.push(requirement);
        }
    }

    /// Two statements about systems that have none in common cannot both hold.
    fn refuse_contradictions(&mut self) {
        let mut common: Option<(&Requirement, Vec<OperatingSystem>)> = None;
        for requirement in &self.all {
            let Need::System(systems) = &requirement.need else { continue };
            let Some((first, left)) = &mut common else {
                common = Some((requirement, systems.clone()));
                continue;
            };
            left.retain(|system| systems.contains(system));
            if left.is_empty() {
                let (one, other) = (first.need.describe(), requirement.need.describe());
                self.impossible.push(ImpossibleRequirement {
                    span: requirement.span,
                    message: format!(
                        "`{}` asks for {one} and `{}` for {other}, which no machine is at once",
                        first.field, requirement.field
                    ),
                    help: "name every system that the skill runs on in both, or in one of them"
                        .to_owned(),
                });
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
