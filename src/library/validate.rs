//! `skills::validate`.

use std::path::{Path, PathBuf};

use crate::library::{Error, Options, Position, Result, Severity};
use crate::skills::files::inventory::nested_skills;
use crate::skills::find::scan::Reading;
use crate::skills::find::selection;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{self, RuleOptions};
use crate::skills::judge::validate;

/// The result of [`validate`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ValidationReport {
    /// The skills, sorted by path.
    pub skills: Vec<ValidatedSkill>,
    /// All findings, sorted by path and position.
    pub findings: Vec<SkillFinding>,
    /// Files and directories that could not be read.
    pub unread: Vec<Error>,
    /// Links to directories, which are not followed.
    pub unfollowed: Vec<PathBuf>,
}

impl ValidationReport {
    /// Whether every skill is valid and everything could be read.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.skills.iter().all(|skill| skill.valid) && self.unread.is_empty()
    }
}

/// A skill that was validated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidatedSkill {
    /// The name.
    pub name: String,
    /// The directory, or the file of a skill that is a single file.
    pub path: PathBuf,
    /// Whether no finding makes it invalid.
    pub valid: bool,
}

/// A rule that a skill breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillFinding {
    /// The id of the rule, such as `name-format`.
    pub rule: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// The first character, if the finding is about a part of the file.
    pub start: Option<Position>,
    /// One past the last character.
    pub end: Option<Position>,
    /// The name of the skill; empty for a finding about a manifest of a plugin.
    pub skill: String,
    /// The ids of the agents that drop, cut or misread the skill because of it.
    pub agents: Vec<&'static str>,
    /// Whether `skills validate --fix` can repair it.
    pub fixable: bool,
}

/// Validates the skills of a source: a skill, a directory of skills, an archive or a git
/// repository, written as on the command line of `skills validate`.
///
/// # Errors
/// A source that cannot be read or holds no skill, an unknown rule, agent or name. Broken rules are
/// findings, not errors.
///
/// ```
/// use skills::{Options, Severity};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let skill = directory.path().join("pdf");
/// std::fs::create_dir(&skill)?;
/// std::fs::write(skill.join("SKILL.md"), "---\nname: PDF\n---\nRead the file.\n")?;
///
/// let validation = skills::validate(&skill, &Options::new())?;
/// assert!(!validation.is_valid());
/// let errors = validation.findings.iter().filter(|finding| finding.severity == Severity::Error);
/// let rules: Vec<&str> = errors.map(|finding| finding.rule).collect();
/// assert!(rules.contains(&"name-format") && rules.contains(&"missing-description"));
/// # Ok(())
/// # }
/// ```
pub fn validate(source: impl AsRef<Path>, options: &Options) -> Result<ValidationReport> {
    let judge = JudgeOptions {
        rules: RuleOptions {
            strict: options.strict,
            agents: options.agents()?,
            ..RuleOptions::default()
        },
        levels: options.levels()?,
        ..JudgeOptions::default()
    };
    let read = |opened: &OpenedSkill<'_>| {
        let (made, inventory) = validate::check_skill(opened, &judge);
        Reading { made, nested: nested_skills(&inventory) }
    };
    let (skills, scan) = selection::select(&options.selection(source.as_ref())?, &read)?;
    let mut validation = validate::conclude(skills, &judge);
    validation.add(validate::check_manifests(&scan.plugins, &judge));
    validation.require_read()?;
    let invalid = validation.skills_with(|finding| validation.fails(finding));
    let skills = validation.skills.iter().map(|checked| ValidatedSkill {
        name: checked.skill.name.clone(),
        path: checked.skill.path.clone(),
        valid: checked.unreadable.is_none() && !invalid.contains(checked.skill.path.as_path()),
    });
    let unseen = validation.skills.iter().flat_map(|checked| &checked.unseen);
    Ok(ValidationReport {
        skills: skills.collect(),
        unread: scan.unreadable.iter().chain(unseen).cloned().collect(),
        unfollowed: scan.links,
        findings: validation.findings.into_iter().map(SkillFinding::from).collect(),
    })
}

impl From<rule::Finding> for SkillFinding {
    fn from(finding: rule::Finding) -> Self {
        Self {
            rule: finding.rule.id,
            severity: finding.severity,
            message: finding.message,
            help: finding.help,
            path: finding.path,
            start: finding.place.map(|place| place.start),
            end: finding.place.map(|place| place.end),
            skill: finding.skill,
            agents: finding.agents.iter().map(|agent| agent.id).collect(),
            fixable: finding.fix.is_some(),
        }
    }
}
