//! One result of validation, and how grave it is.

use std::path::PathBuf;

use super::Rule;
use crate::skills::agents::Agent;
use crate::skills::model::error::Error;
use crate::skills::model::source::Skill;
use crate::skills::text::position::{Edit, PositionRange, Span};

/// How serious a finding is, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// A hint. The program shows it with `-v`.
    Note,
    /// A problem that a careful author would fix.
    Warning,
    /// A breach of the specification, or an agent that drops the skill.
    Error,
}

impl Severity {
    /// The word used everywhere.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule that fired.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Which rule.
    pub rule: &'static Rule,
    /// How grave, after all settings.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file it is about.
    pub path: PathBuf,
    /// Where in that file.
    pub place: Option<PositionRange>,
    /// The lines around that place.
    pub excerpt: Option<Excerpt>,
    /// The name of the skill.
    pub skill: String,
    /// The directory of the skill, or the file of a file skill.
    pub skill_path: PathBuf,
    /// Agents that lose, cut or misread the skill for this.
    pub agents: Vec<&'static Agent>,
    /// What those agents do with the skill, where the message does not say so.
    pub effect: Option<String>,
    /// How to repair it, when that is safe.
    pub fix: Option<Fix>,
}

/// Which findings are repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepairScope {
    /// Errors and warnings.
    #[default]
    Faults,
    /// Notes as well: matters of style.
    All,
}

impl Finding {
    /// Whether a repair is on offer, and in scope.
    #[must_use]
    pub fn is_fixable(&self, scope: RepairScope) -> bool {
        self.fix.is_some() && (scope == RepairScope::All || self.severity > Severity::Note)
    }
}

/// A few lines of a file, kept so that the file itself need not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line.
    pub first_line: usize,
    /// Whether the first line is shown from its start, so that columns can be counted.
    pub from_line_start: bool,
    /// The lines, as they stand in the file.
    pub text: String,
    /// The marked part, as bytes of `text`.
    pub mark: Span,
}

/// A repair that cannot change what the author meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// Replaces a part of the `SKILL.md`.
    Edit(Edit),
    /// Renames the file to `SKILL.md`.
    RenameToSkillMd,
    /// Sets the execute bit of a file, given relative to the skill.
    SetExecutable(PathBuf),
}

/// A skill and what was found about it alone.
#[derive(Debug, Clone)]
pub struct CheckedSkill {
    /// Where it is.
    pub skill: Skill,
    /// The name its front matter gives.
    pub declared: Option<DeclaredName>,
    /// Whether not even its `SKILL.md` could be opened, with the reason.
    pub unreadable: Option<String>,
    /// Files and directories of it that could not be looked at.
    pub unseen: Vec<Error>,
    pub(in crate::skills::judge) findings: Vec<Finding>,
}

impl CheckedSkill {
    /// What was found about it alone.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// A `name:` with its place, for rules that compare skills.
#[derive(Debug, Clone)]
pub struct DeclaredName {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub place: PositionRange,
    /// Its line.
    pub excerpt: Excerpt,
}
