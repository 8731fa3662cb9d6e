//! The rules: data plus one function each, one file each, named by their id.
//!
//! A rule checks a [`Subject`] and writes findings to a `Report`. It knows neither its final
//! severity nor how findings are shown.

#[path = "agent-compat.rs"]
mod agent_compat;
#[path = "allowed-tools-format.rs"]
mod allowed_tools_format;
#[path = "body-too-long.rs"]
mod body_too_long;
#[path = "broad-tools.rs"]
mod broad_tools;
#[path = "broken-link.rs"]
mod broken_link;
#[path = "byte-order-mark.rs"]
mod byte_order_mark;
#[path = "compatibility-length.rs"]
mod compatibility_length;
#[path = "confusable-letters.rs"]
mod confusable_letters;
#[path = "control-character.rs"]
mod control_character;
#[path = "description-empty.rs"]
mod description_empty;
#[path = "description-placeholder.rs"]
mod description_placeholder;
#[path = "description-too-long.rs"]
mod description_too_long;
#[path = "description-when.rs"]
mod description_when;
#[path = "duplicate-key.rs"]
mod duplicate_key;
#[path = "duplicate-name.rs"]
mod duplicate_name;
#[path = "empty-body.rs"]
mod empty_body;
#[path = "field-type.rs"]
mod field_type;
#[path = "file-too-large.rs"]
mod file_too_large;
#[path = "hidden-unicode.rs"]
mod hidden_unicode;
#[path = "impossible-requirement.rs"]
mod impossible_requirement;
#[path = "invalid-yaml.rs"]
mod invalid_yaml;
#[path = "link-escapes-skill.rs"]
mod link_escapes_skill;
#[path = "mcp-limits.rs"]
mod mcp_limits;
#[path = "metadata-type.rs"]
mod metadata_type;
#[path = "metadata-value.rs"]
mod metadata_value;
#[path = "missing-description.rs"]
mod missing_description;
#[path = "missing-frontmatter.rs"]
mod missing_frontmatter;
#[path = "missing-name.rs"]
mod missing_name;
#[path = "missing-skill-md.rs"]
mod missing_skill_md;
#[path = "name-collision.rs"]
mod name_collision;
#[path = "name-directory-mismatch.rs"]
mod name_directory_mismatch;
#[path = "name-format.rs"]
mod name_format;
#[path = "name-too-long.rs"]
mod name_too_long;
#[path = "nested-skill.rs"]
mod nested_skill;
#[path = "not-utf8.rs"]
mod not_utf8;
#[path = "obfuscated-command.rs"]
mod obfuscated_command;
#[path = "opaque-file.rs"]
mod opaque_file;
#[path = "paste-site-link.rs"]
mod paste_site_link;
#[path = "pipe-to-shell.rs"]
mod pipe_to_shell;
#[path = "plugin-manifest.rs"]
mod plugin_manifest;
#[path = "plugin-path.rs"]
mod plugin_path;
#[path = "plugin-skill-skipped.rs"]
mod plugin_skill_skipped;
#[path = "portable-file-name.rs"]
mod portable_file_name;
#[path = "reserved-name.rs"]
mod reserved_name;
#[path = "script-not-executable.rs"]
mod script_not_executable;
#[path = "secret-in-file.rs"]
mod secret_in_file;
#[path = "skill-md-case.rs"]
mod skill_md_case;
#[path = "skill-too-large.rs"]
mod skill_too_large;
#[path = "special-file.rs"]
mod special_file;
#[path = "symlink.rs"]
mod symlink;
#[path = "unclosed-frontmatter.rs"]
mod unclosed_frontmatter;
#[path = "unknown-field.rs"]
mod unknown_field;
#[path = "unsafe-file-name.rs"]
mod unsafe_file_name;
#[path = "version-control-files.rs"]
mod version_control_files;
#[path = "xml-in-description.rs"]
mod xml_in_description;

use std::collections::HashMap;

use crate::skills::judge::rule::report;
use crate::skills::judge::rule::{Check, Example, Finding, JudgedFile, Rule, Severity, Subject};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::text::similar;

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
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The severity this rule reports with unless a finding says otherwise; none when it is off.
    #[must_use]
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        match self.get(rule) {
            Some(Level::Off) => None,
            Some(Level::At(severity)) => Some(severity),
            None => Some(rule.severity),
        }
    }

    /// The level set for this rule.
    #[must_use]
    #[inline]
    pub fn get(&self, rule: &Rule) -> Option<Level> {
        // Most runs set nothing, so skip the hash.
        if self.0.is_empty() { None } else { self.0.get(rule.id).copied() }
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
    #[must_use]
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

/// Every rule: errors, then warnings, then notes.
pub static RULES: &[&Rule] = &[
    &missing_skill_md::RULE,
    &skill_md_case::RULE,
    &not_utf8::RULE,
    &control_character::RULE,
    &byte_order_mark::RULE,
    &file_too_large::RULE,
    &skill_too_large::RULE,
    &missing_frontmatter::RULE,
    &unclosed_frontmatter::RULE,
    &invalid_yaml::RULE,
    &duplicate_key::RULE,
    &field_type::RULE,
    &missing_name::RULE,
    &name_format::RULE,
    &name_too_long::RULE,
    &name_directory_mismatch::RULE,
    &missing_description::RULE,
    &description_empty::RULE,
    &description_too_long::RULE,
    &compatibility_length::RULE,
    &metadata_type::RULE,
    &duplicate_name::RULE,
    &symlink::RULE,
    &special_file::RULE,
    &name_collision::RULE,
    &unsafe_file_name::RULE,
    &hidden_unicode::RULE,
    &secret_in_file::RULE,
    &plugin_manifest::RULE,
    &plugin_path::RULE,
    &confusable_letters::RULE,
    &xml_in_description::RULE,
    &reserved_name::RULE,
    &unknown_field::RULE,
    &nested_skill::RULE,
    &opaque_file::RULE,
    &empty_body::RULE,
    &body_too_long::RULE,
    &broken_link::RULE,
    &link_escapes_skill::RULE,
    &broad_tools::RULE,
    &version_control_files::RULE,
    &obfuscated_command::RULE,
    &paste_site_link::RULE,
    &portable_file_name::RULE,
    &agent_compat::RULE,
    &mcp_limits::RULE,
    &impossible_requirement::RULE,
    &plugin_skill_skipped::RULE,
    &allowed_tools_format::RULE,
    &script_not_executable::RULE,
    &metadata_value::RULE,
    &pipe_to_shell::RULE,
    &description_when::RULE,
    &description_placeholder::RULE,
];

/// Safety rules, and whether they apply to every part of a skill or only to its front matter. A
/// skill that breaks one is unusable, and no setting disables them where skills are copied.
pub static UNUSABLE: [(&Rule, bool); 9] = [
    (&missing_skill_md::RULE, true),
    (&skill_md_case::RULE, true),
    (&file_too_large::RULE, true),
    (&skill_too_large::RULE, true),
    (&special_file::RULE, true),
    (&name_collision::RULE, true),
    (&unsafe_file_name::RULE, true),
    (&control_character::RULE, false),
    (&hidden_unicode::RULE, true),
];

/// Rules about what a person must know before an agent reads a skill, the gravest first.
static SAFETY: [&Rule; 9] = [
    &obfuscated_command::RULE,
    &pipe_to_shell::RULE,
    &hidden_unicode::RULE,
    &xml_in_description::RULE,
    &broad_tools::RULE,
    &paste_site_link::RULE,
    &secret_in_file::RULE,
    &opaque_file::RULE,
    &confusable_letters::RULE,
];

/// The kinds of errors of rules that have their own.
static FAILURES: [(ErrorKind, &[&Rule]); 6] = [
    (ErrorKind::MissingSkillMd, &[&missing_skill_md::RULE]),
    (
        ErrorKind::InvalidFrontmatter,
        &[
            &missing_frontmatter::RULE,
            &unclosed_frontmatter::RULE,
            &invalid_yaml::RULE,
            &duplicate_key::RULE,
        ],
    ),
    (
        ErrorKind::InvalidName,
        &[
            &name_format::RULE,
            &name_too_long::RULE,
            &name_directory_mismatch::RULE,
            &missing_name::RULE,
        ],
    ),
    (ErrorKind::TooLarge, &[&file_too_large::RULE, &skill_too_large::RULE]),
    (ErrorKind::Duplicate, &[&duplicate_name::RULE]),
    (
        ErrorKind::Unsafe,
        &[&symlink::RULE, &special_file::RULE, &unsafe_file_name::RULE, &name_collision::RULE],
    ),
];

pub(in crate::skills::judge) use symlink::end_of as link_end;

/// The rule about downloads that are run.
pub static PIPE_TO_SHELL: &Rule = &pipe_to_shell::RULE;
/// The rule about tags in descriptions.
pub static XML_IN_DESCRIPTION: &Rule = &xml_in_description::RULE;
/// The rule about the size of a skill.
pub static SKILL_TOO_LARGE: &Rule = &skill_too_large::RULE;
/// The rule about symbolic links.
pub static SYMLINK: &Rule = &symlink::RULE;
/// The rule about the form of names.
pub static NAME_FORMAT: &Rule = &name_format::RULE;
/// The rule about skills without a description.
pub static MISSING_DESCRIPTION: &Rule = &missing_description::RULE;
/// The rule about agents that lose a skill.
pub static AGENT_COMPAT: &Rule = &agent_compat::RULE;

/// The rule about two skills of one name. Where skills are copied, another check refuses them.
pub static DUPLICATE_NAME: &Rule = &duplicate_name::RULE;

impl Rule {
    /// Whether this is the same rule.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// Whether it is about what a person must know before an agent reads a skill.
    #[must_use]
    pub fn is_safety(&self) -> bool {
        self.gravity() < SAFETY.len()
    }

    /// Its place among the safety rules, the gravest first; others come last.
    #[must_use]
    pub fn gravity(&self) -> usize {
        SAFETY.iter().position(|rule| self.is(rule)).unwrap_or(SAFETY.len())
    }

    /// The kind of error when a skill that breaks this rule refuses a run.
    #[must_use]
    pub fn failure(&self) -> ErrorKind {
        let found = FAILURES.iter().find(|(_, rules)| rules.iter().any(|rule| self.is(rule)));
        found.map_or(ErrorKind::Validation, |(kind, _)| *kind)
    }
}

impl Finding {
    /// Whether a person must know of it before an agent reads the skill. The rest is advice for its
    /// author.
    #[must_use]
    pub fn is_told(&self) -> bool {
        let is_common = self.severity == Severity::Note && !self.rule.is(PIPE_TO_SHELL);
        let is_advice = self.rule.is(XML_IN_DESCRIPTION) && self.agents.is_empty();
        self.rule.is_safety() && !is_common && !is_advice
    }
}

/// The rule with this id.
///
/// # Errors
/// An unknown id; the help suggests the nearest.
pub fn find(id: &str) -> Result<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied().ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, format!("unknown rule `{id}`"));
        let known = "`skills rules` lists them all".to_owned();
        error.help(similar::help(id, RULES.iter().map(|rule| rule.id), known))
    })
}

#[cfg(test)]
mod tests;
