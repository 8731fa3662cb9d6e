//! The rules: data plus one function each, one file each, named by their id.
//!
//! A rule checks a [`Subject`] and writes findings to a `Report`. It knows neither its final
//! severity nor how findings are shown.

pub mod agent_compat;
pub mod allowed_tools_format;
pub mod body_too_long;
pub mod broad_tools;
pub mod broken_link;
pub mod byte_order_mark;
pub mod compatibility_length;
pub mod confusable_letters;
pub mod control_character;
pub mod description_empty;
pub mod description_placeholder;
pub mod description_too_long;
pub mod description_when;
pub mod duplicate_key;
pub mod duplicate_name;
pub mod empty_body;
pub mod field_type;
pub mod file_too_large;
pub mod hidden_unicode;
pub mod impossible_requirement;
pub mod invalid_yaml;
pub mod link_escapes_skill;
pub mod mcp_limits;
pub mod metadata_type;
pub mod metadata_value;
pub mod missing_description;
pub mod missing_frontmatter;
pub mod missing_name;
pub mod missing_skill_md;
pub mod name_collision;
pub mod name_directory_mismatch;
pub mod name_format;
pub mod name_too_long;
pub mod nested_skill;
pub mod not_utf8;
pub mod obfuscated_command;
pub mod opaque_file;
pub mod paste_site_link;
pub mod pipe_to_shell;
pub mod plugin_manifest;
pub mod plugin_path;
pub mod plugin_skill_skipped;
pub mod portable_file_name;
pub mod reserved_name;
pub mod script_not_executable;
pub mod secret_in_file;
pub mod skill_md_case;
pub mod skill_too_large;
pub mod special_file;
pub mod symlink;
#[cfg(test)]
mod tests;
pub mod unclosed_frontmatter;
pub mod unknown_field;
pub mod unsafe_file_name;
pub mod version_control_files;
pub mod xml_in_description;

use std::collections::HashMap;

use crate::skills::judge::rule::{
    Check, Example, Finding, JudgedFile, Rule, Severity, Subject, UnusableIn,
};
use crate::skills::model::error::{Result, err};
use crate::skills::text::suggest;

/// The level of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// The rule is off.
    Off,
    /// The rule is on, with this severity.
    At(Severity),
}

/// The levels a user set, by rule id.
#[derive(Debug, Clone, Default)]
pub struct Levels(HashMap<&'static str, Level>);

impl Levels {
    /// Sets one rule; later calls win.
    pub fn set(&mut self, rule: &'static Rule, level: Level) {
        self.0.insert(rule.id, level);
    }

    /// Whether nothing was set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The severity this rule reports with unless a finding says otherwise; none when it is off.
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        match self.get(rule) {
            Some(Level::Off) => None,
            Some(Level::At(severity)) => Some(severity),
            None => Some(rule.severity),
        }
    }

    /// The level set for this rule.
    pub fn get(&self, rule: &Rule) -> Option<Level> {
        self.0.get(rule.id).copied()
    }
}

impl Level {
    const ALL: [Self; 4] = [
        Self::Off,
        Self::At(Severity::Note),
        Self::At(Severity::Warning),
        Self::At(Severity::Error),
    ];

    /// The words a user may write.
    pub const WORDS: [&'static str; 4] = {
        let [off, note, warning, error] = Self::ALL;
        [off.as_str(), note.as_str(), warning.as_str(), error.as_str()]
    };

    /// Reads one of [`Level::WORDS`].
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::At(severity) => severity.as_str(),
        }
    }
}

/// Puts the rules of these modules into the table.
macro_rules! rules {
    ($($module:ident),+ $(,)?) => {
        /// Every rule: errors, then warnings, then notes.
        pub static RULES: &[&Rule] = &[$(&$module::RULE),+];
    };
}

rules! {
    missing_skill_md, skill_md_case, not_utf8, control_character, byte_order_mark, file_too_large,
    skill_too_large, missing_frontmatter, unclosed_frontmatter, invalid_yaml, duplicate_key,
    field_type, missing_name, name_format, name_too_long, name_directory_mismatch,
    missing_description, description_empty, description_too_long, compatibility_length,
    metadata_type, duplicate_name, symlink, special_file, name_collision, unsafe_file_name,
    hidden_unicode, secret_in_file, plugin_manifest, plugin_path, confusable_letters,
    xml_in_description, reserved_name, unknown_field, nested_skill, opaque_file, empty_body,
    body_too_long, broken_link, link_escapes_skill, broad_tools, version_control_files,
    obfuscated_command, paste_site_link, portable_file_name, agent_compat, mcp_limits,
    impossible_requirement, plugin_skill_skipped, allowed_tools_format, script_not_executable,
    metadata_value, pipe_to_shell, description_when, description_placeholder,
}

impl Rule {
    /// Whether this is the same rule.
    pub fn is(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// Whether it is about what a person must know before an agent reads a skill.
    pub fn is_safety(&self) -> bool {
        self.safety.is_some()
    }

    /// Its place among the safety rules, the gravest first; others come last.
    pub fn weight(&self) -> u8 {
        self.safety.unwrap_or(u8::MAX)
    }
}

impl Finding {
    /// Whether a person must know of it before an agent reads the skill. The rest is advice for its
    /// author.
    pub fn is_told(&self) -> bool {
        let is_common = self.severity == Severity::Note && !self.rule.is(&pipe_to_shell::RULE);
        let is_advice = self.rule.is(&xml_in_description::RULE) && self.agents.is_empty();
        self.rule.is_safety() && !is_common && !is_advice
    }
}

/// The rule with this id.
pub fn find(id: &str) -> Result<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied().ok_or_else(|| {
        let error = err!(Usage, "unknown rule `{id}`");
        let known = "`skills rules` lists them all".to_owned();
        error.help(suggest::help(id, RULES.iter().map(|rule| rule.id), known))
    })
}
