//! The fields in which agents document requirements: OpenClaw's `os` and `requires`, below
//! `metadata.openclaw` or its older names; Hermes' `platforms` and `prerequisites`. These fields
//! count both at the top level and below `metadata`.

use super::{ImpossibleRequirement, Need, OperatingSystem, ProgramNeed, Requirement, Requirements};
use crate::skills::model::environment::is_variable_name;
use crate::skills::text::position::Span;
use crate::skills::text::similar;
use crate::skills::text::yaml::{self, Mapping, Node, Value};

/// Keys below `metadata` under which agents have fields of their own.
const OWNERS: [&str; 5] = ["openclaw", "clawdbot", "clawdis", "moltbot", "hermes"];

/// Words for systems, for suggestions.
const SYSTEM_WORDS: [&str; 5] = ["linux", "darwin", "macos", "win32", "windows"];

/// Reads the fields of a front matter.
pub(super) fn read(front: &Mapping<'_>, into: &mut Requirements) {
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
                let help = similar::help(first, SYSTEM_WORDS, known);
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
pub(super) fn is_program(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && !name.chars().any(|c| c.is_whitespace() || c.is_control() || "/\\<>=|`\"'$".contains(c))
}
