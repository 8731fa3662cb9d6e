//! What a skill needs to work: systems, programs, variables, agents, a network.
//!
//! [`Requirements::of`] reads `compatibility` (`prose`) and the fields that agents document. Text that
//! is not understood stays text; nothing is guessed. [`Requirements`] also say which of them a machine
//! lacks, without running anything.

pub mod prose;
#[cfg(test)]
mod tests;
pub mod words;

use crate::skills::files::programs;
use crate::skills::model::environment::{Environment, is_variable_name};
use crate::skills::text::document::Document;
use crate::skills::text::position::Span;
use crate::skills::text::suggest;
use crate::skills::text::yaml::{self, Mapping, Node, Value};

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
        read(&front.mapping, &mut requirements);
        requirements.all.sort_by_key(|one| one.span.start);
        requirements.refuse_contradictions();
        requirements
    }

    /// What no machine can meet. Validation asks every skill, so prose that cannot contradict anything
    /// is not read.
    pub fn impossible_in(document: &Document<'_>) -> Vec<ImpossibleRequirement> {
        let Some(front) = document.fields() else { return Vec::new() };
        let mut requirements = Self::default();
        read(&front.mapping, &mut requirements);
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

// The fields in which agents document requirements: OpenClaw's `os` and `requires`, below
// `metadata.openclaw` or its older names; Hermes' `platforms` and `prerequisites`. These fields
// count both at the top level and below `metadata`.

/// Keys below `metadata` under which agents have fields of their own.
const OWNERS: [&str; 5] = ["openclaw", "clawdbot", "clawdis", "moltbot", "hermes"];

/// Words for systems, for suggestions.
const SYSTEM_WORDS: [&str; 5] = ["linux", "darwin", "macos", "win32", "windows"];

/// Reads the fields of a front matter.
pub fn read(front: &Mapping<'_>, into: &mut Requirements) {
    RequirementBlock { path: "", place: None }.read(front, into);
    let Some(metadata) = front.get("metadata") else { return };
    within(metadata, "metadata.", None, &mut |block, mapping| {
        block.read(mapping, into);
        for owner in OWNERS {
            if let Some(node) = mapping.get(owner) {
                let path = format!("metadata.{owner}.");
                within(node, &path, block.place, &mut |block, mapping| block.read(mapping, into));
            }
        }
    });
}

/// Visits a mapping, or the mapping that a string holds as JSON, because the specification allows
/// only strings below `metadata`.
fn within(
    node: &Node<'_>,
    path: &str,
    place: Option<Span>,
    visit: &mut dyn FnMut(RequirementBlock<'_>, &Mapping<'_>),
) {
    match &node.value {
        Value::Mapping(mapping) => visit(RequirementBlock { path, place }, mapping),
        Value::String(text) if text.trim_start().starts_with('{') => {
            if let Ok(inner) = yaml::read(text, 0)
                && let Value::Mapping(mapping) = &inner.root.value
            {
                visit(RequirementBlock { path, place: place.or(Some(node.span)) }, mapping);
            }
        }
        _ => {}
    }
}

/// A mapping that may hold requirements.
#[derive(Clone, Copy)]
struct RequirementBlock<'a> {
    /// The path of keys above it.
    path: &'a str,
    /// Its place in the file, if it was read from a string and has no places of its own.
    place: Option<Span>,
}

impl RequirementBlock<'_> {
    fn read(self, mapping: &Mapping<'_>, into: &mut Requirements) {
        if let Some(node) = mapping.get("os") {
            self.systems(node, "os", into);
        }
        if let Some(node) = mapping.get("platforms") {
            self.systems(node, "platforms", into);
        }
        if let Some(requires) = mapping.get("requires").and_then(Node::as_mapping) {
            self.programs(requires, "requires.bins", into);
            self.any_program(requires, into);
            self.variables(requires, "requires.env", into);
        }
        if let Some(requires) = mapping.get("prerequisites").and_then(Node::as_mapping) {
            self.programs(requires, "prerequisites.commands", into);
            self.variables(requires, "prerequisites.env_vars", into);
        }
    }

    fn add(self, need: Need, key: &str, span: Span, into: &mut Requirements) {
        let field = format!("{}{key}", self.path);
        into.add(Requirement { need, field, span: self.place.unwrap_or(span) });
    }

    fn refuse(self, span: Span, message: String, help: String, into: &mut Requirements) {
        let span = self.place.unwrap_or(span);
        into.impossible.push(ImpossibleRequirement { span, message, help });
    }

    fn systems(self, node: &Node<'_>, key: &str, into: &mut Requirements) {
        let words = items(node);
        let mut systems = Vec::new();
        for system in words.iter().flat_map(|(_, word)| OperatingSystem::named(word)) {
            if !systems.contains(system) {
                systems.push(*system);
            }
        }
        let unknown: Vec<&String> = words
            .iter()
            .map(|(_, word)| word)
            .filter(|word| OperatingSystem::named(word).is_empty())
            .collect();
        match (unknown.as_slice(), words.first()) {
            (_, None) => {}
            ([], _) => self.add(Need::System(systems), key, node.span, into),
            // Other tools use `platforms` for other things.
            (_, Some(_)) if key == "platforms" || !systems.is_empty() => {
                let text: Vec<&str> = words.iter().map(|(_, word)| word.as_str()).collect();
                let text = format!("{key}: {}", text.join(", "));
                self.add(Need::Text(text), key, node.span, into);
            }
            ([first, ..], Some((span, _))) => {
                let known = "systems: linux, darwin (or macos), win32 (or windows)".to_owned();
                let help = suggest::help(first, SYSTEM_WORDS, known);
                let message = format!("`{}{key}` names no system: `{first}`", self.path);
                self.refuse(*span, message, help, into);
            }
        }
    }

    fn programs(self, requires: &Mapping<'_>, key: &str, into: &mut Requirements) {
        let Some(node) = requires.get(last(key)) else { return };
        for (span, name) in items(node) {
            if self.is_program(&name, key, span, into) {
                let program = ProgramNeed { names: vec![name], version: None };
                self.add(Need::Program(program), key, span, into);
            }
        }
    }

    fn any_program(self, requires: &Mapping<'_>, into: &mut Requirements) {
        let key = "requires.anyBins";
        let Some(node) = requires.get(last(key)) else { return };
        let mut names = Vec::new();
        for (span, name) in items(node) {
            if self.is_program(&name, key, span, into) && !names.contains(&name) {
                names.push(name);
            }
        }
        if !names.is_empty() {
            let program = ProgramNeed { names, version: None };
            self.add(Need::Program(program), key, node.span, into);
        }
    }

    fn variables(self, requires: &Mapping<'_>, key: &str, into: &mut Requirements) {
        let Some(node) = requires.get(last(key)) else { return };
        for (span, name) in items(node) {
            if is_variable_name(&name) {
                self.add(Need::Variable(name), key, span, into);
                continue;
            }
            let message =
                format!("`{}{key}` has `{name}`, which is not the name of a variable", self.path);
            let help = "write the name alone: letters, digits and underscores".to_owned();
            self.refuse(span, message, help, into);
        }
    }

    /// Whether a directory of PATH can hold a program of this name.
    fn is_program(self, name: &str, key: &str, span: Span, into: &mut Requirements) -> bool {
        if is_program(name) {
            return true;
        }
        let message =
            format!("`{}{key}` has `{name}`, which is not the name of a program", self.path);
        let help = "write the name alone, without a path, arguments or a version".to_owned();
        self.refuse(span, message, help, into);
        false
    }
}

/// The part of a path after its last dot.
fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// The items of a list of strings, or of a string with commas.
fn items(node: &Node<'_>) -> Vec<(Span, String)> {
    match &node.value {
        Value::Sequence(items) => items
            .iter()
            .filter(|item| !item.is_collection())
            .map(|item| (item.span, item.scalar_text().trim().to_owned()))
            .collect(),
        Value::String(text) => text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(|word| (node.span, word.to_owned()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether this can be the name of a program on PATH.
pub fn is_program(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && !name.chars().any(|c| c.is_whitespace() || c.is_control() || "/\\<>=|`\"'$".contains(c))
}

// Compares requirements with a machine. Runs nothing: programs are looked up on PATH, and versions
// are not checked.

/// The machine that skills are to run on.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Its variables, with the PATH.
    pub environment: &'a Environment,
    /// Its system; none if it is not one that skills can name.
    pub system: Option<OperatingSystem>,
    /// Ids of the agents that are to use the skills; empty when none was chosen.
    pub agents: &'a [&'static str],
}

/// Whether a machine has what a skill needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It exists; a stated version was not checked.
    Present,
    /// It is missing; the sentence starts with a verb: ``needs `x`, which is not on PATH``.
    Missing(String),
    /// This cannot be found out by looking.
    Unknown,
}

/// Something that a skill needs and a machine lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// What is needed.
    pub need: Need,
    /// What is wrong, as a sentence without its subject.
    pub sentence: String,
}

impl Machine<'_> {
    /// Whether this machine has it.
    pub fn has(&self, need: &Need) -> Availability {
        let missing = |is_there: bool, sentence: String| {
            if is_there { Availability::Present } else { Availability::Missing(sentence) }
        };
        match need {
            Need::System(systems) => match self.system {
                None => Availability::Unknown,
                Some(system) => {
                    let here = system.title();
                    let sentence = format!("runs on {}, and this is {here}", need.describe());
                    missing(systems.contains(&system), sentence)
                }
            },
            Need::Program(program) => {
                let path = self.environment.variable("PATH");
                let is_there = program.names.iter().any(|name| programs::is_on_path(name, path));
                let what = need.describe();
                let sentence = match program.names.as_slice() {
                    [_] => format!("needs {what}, which is not on PATH"),
                    _ => format!("needs {what}, and none is on PATH"),
                };
                missing(is_there, sentence)
            }
            Need::Variable(name) => {
                let sentence = format!("needs the variable `{name}`, which is not set");
                missing(self.environment.variable(name).is_some(), sentence)
            }
            Need::Agent { only: false, .. } | Need::Network | Need::Text(_) => {
                Availability::Unknown
            }
            Need::Agent { ids, only: true } => {
                if self.agents.is_empty() {
                    return Availability::Unknown;
                }
                let others: Vec<&str> =
                    self.agents.iter().filter(|id| !ids.contains(id)).copied().collect();
                let sentence =
                    format!("is only for {}, not for {}", need.describe(), join(&others));
                missing(others.is_empty(), sentence)
            }
        }
    }

    /// The requirements of a skill that this machine lacks.
    pub fn lacks(&self, requirements: &Requirements) -> Vec<Lacking> {
        let lacking = |need: &Need| match self.has(need) {
            Availability::Missing(sentence) => Some(Lacking { need: need.clone(), sentence }),
            Availability::Present | Availability::Unknown => None,
        };
        requirements.all.iter().filter_map(|one| lacking(&one.need)).collect()
    }
}

fn join(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.join(", "),
    }
}
