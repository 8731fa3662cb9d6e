//! A skill that is written in a manifest instead of in files.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use crate::skills::model::error::{Result, err};
use crate::skills::model::location::Commit;
use crate::skills::model::name::SkillName;
use crate::skills::text::field_values::FieldValue;
use crate::skills::text::position::PositionRange;
use crate::skills::text::quote;
use crate::skills::text::unicode::is_control;

/// How much of a skill or section a prompt contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// All of it.
    #[default]
    Full,
    Summary,
}

impl Visibility {
    /// The words a user may write.
    pub const WORDS: [&'static str; 2] = [Self::Full.as_str(), Self::Summary.as_str()];

    /// Reads one of [`Visibility::WORDS`].
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Full, Self::Summary].into_iter().find(|one| one.as_str() == word)
    }

    /// The word used everywhere.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Summary => "summary",
        }
    }
}

/// A tool that comes with an inline skill. The program that runs the agent provides it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tool {
    /// Its name, on one line.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its parameters, a mapping.
    pub parameters: Option<FieldValue>,
}

/// The names of tools, as a prompt lists them.
pub fn tool_names(tools: &[Tool]) -> String {
    tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// An inline skill, its templates filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineSkill {
    pub name: SkillName,
    /// The heading of its section.
    pub title: String,
    pub description: String,
    /// Its text, without common indentation.
    pub body: String,
    /// The text in a prompt until the skill is expanded.
    pub summary: String,
    /// What `open_sections` calls it.
    pub key: String,
    /// Tools that come with it.
    pub tools: Vec<Tool>,
    /// Whether other skills may be in it.
    pub has_children: bool,
    /// If skills in it wait until it is expanded, the tools that come with them.
    pub waiting: Option<Vec<Tool>>,
    /// How a prompt shows it at first.
    pub visibility: Visibility,
    /// The manifest it is written in.
    pub manifest: PathBuf,
    /// The commit that the manifest came from, at the path of the manifest.
    pub commit: Option<Commit>,
    /// Where in that manifest.
    pub place: PositionRange,
}

#[derive(Serialize)]
struct InlineFrontMatter<'a> {
    description: &'a str,
}

impl InlineSkill {
    /// Whether it stays in the prompt: an agent that loads a file gets no tools, and opens nothing.
    pub const fn stays_in_prompt(&self) -> bool {
        !self.tools.is_empty() || self.has_children
    }

    /// The `SKILL.md` it becomes when it is installed.
    pub fn to_skill_md(&self) -> Result<String> {
        let front_matter = front_matter(self.name.as_str(), &self.description)?;
        Ok(format!("---\n{front_matter}---\n\n{}\n", self.body))
    }
}

/// The lines between the delimiters, so that any YAML reader gets the same values back.
pub fn front_matter(name: &str, description: &str) -> Result<String> {
    let cannot = |error: String| err!(Usage, "the description cannot be written: {error}");
    let name = quote::scalar(name);
    let description = if quote::is_ambiguous(description) || description.contains(is_escaped) {
        // A JSON string is valid YAML, and every parser reads it as text.
        let text = serde_json::to_string(description).map_err(|error| cannot(error.to_string()))?;
        format!("description: {}\n", escaped(&text))
    } else {
        serde_yaml::to_string(&InlineFrontMatter { description })
            .map_err(|error| cannot(error.to_string()))?
    };
    Ok(format!("name: {name}\n{description}"))
}

/// Characters that YAML readers treat differently unless they are escaped: for some, U+2028 breaks
/// a line; others refuse U+007F.
const fn is_escaped(character: char) -> bool {
    is_control(character) || matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Escapes all of these characters; JSON itself requires few escapes.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if is_escaped(character) {
            let _ = write!(text, "\\u{:04x}", character as u32);
        } else {
            text.push(character);
        }
    }
    text
}

/// The message about two skills of one name in a prompt, the same for every verb.
pub fn duplicate_name(name: &str) -> String {
    format!("Duplicate skill name '{name}' registered for prompt.")
}

/// The summary of a skill that has none.
pub fn default_summary(name: &str, description: &str) -> String {
    // On one line, so that no part of it looks like another section.
    let words: Vec<&str> = description.split_whitespace().collect();
    format!("[Skill: {name}] {}", words.join(" "))
}
