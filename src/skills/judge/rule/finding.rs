//! One result of validation, and its severity.

use std::path::PathBuf;

use super::{Check, Rule};
use crate::skills::agents::Agent;
use crate::skills::files::digest::FileHash;
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
    /// The word for output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One result of a rule.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The severity, after all settings.
    pub severity: Severity,
    /// The problem: lower case, no full stop.
    pub message: String,
    /// How to solve it.
    pub help: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// The place in the file.
    pub place: Option<PositionRange>,
    /// The line at that place.
    pub excerpt: Option<Excerpt>,
    /// The hash of the text that the rule minds, so that versions can be compared; none for a
    /// finding about a whole file.
    pub matched: Option<FileHash>,
    /// The name of the skill; empty for a finding about a manifest of a plugin.
    pub skill: String,
    /// The directory of the skill, or the file of a file skill, or the manifest.
    pub skill_path: PathBuf,
    /// Agents that lose, cut or misread the skill for this.
    pub agents: Vec<&'static Agent>,
    /// What those agents do with the skill, if the message does not say it.
    pub effect: Option<String>,
    /// The repair, if there is a safe one.
    pub fix: Option<Fix>,
}

/// The scope of `--fix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepairScope {
    /// Errors and warnings.
    #[default]
    Faults,
    /// Also notes, which are about style.
    All,
}

impl Finding {
    /// Whether the finding is about a manifest of a plugin, not about a skill.
    pub const fn is_about_manifest(&self) -> bool {
        matches!(self.rule.check, Check::Manifest(_))
    }

    /// Whether the finding has a repair in this scope.
    pub fn is_fixable(&self, scope: RepairScope) -> bool {
        self.fix.is_some() && (scope == RepairScope::All || self.severity > Severity::Note)
    }
}

/// A few lines of a file, so that the whole file need not stay in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line.
    pub first_line: usize,
    /// Whether the first line is complete at its start, so that columns can be counted.
    pub from_line_start: bool,
    /// The unchanged lines.
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

/// A skill, and the findings about it alone.
#[derive(Debug, Clone)]
pub struct CheckedSkill {
    /// Where it is.
    pub skill: Skill,
    /// The name in its front matter.
    pub declared: Option<DeclaredName>,
    /// Why its `SKILL.md` could not be opened, if so.
    pub unreadable: Option<String>,
    /// Its files and directories that could not be read.
    pub unseen: Vec<Error>,
    pub(in crate::skills::judge) findings: Vec<Finding>,
}

impl CheckedSkill {
    /// The findings about it alone.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// A `name:` with its place, for rules that compare skills.
#[derive(Debug, Clone)]
pub struct DeclaredName {
    /// The name.
    pub name: String,
    /// Its place in the file.
    pub place: PositionRange,
    /// Its line.
    pub excerpt: Excerpt,
}
