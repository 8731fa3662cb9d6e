//! `skills::install`.

use std::path::{Path, PathBuf};

use crate::library::{Action, Error, Options, Result, SkillFinding, threads};
use crate::skills::judge::options::JudgeOptions;
use crate::skills::model::error::err;
use crate::skills::model::reporter::Silent;
use crate::skills::put::install::candidate::CandidateOptions;
use crate::skills::put::install::caution::NotLoaded;
use crate::skills::put::install::choice::{CopyPolicy, Skipped};
use crate::skills::put::install::destination::{self, DestinationChoice};
use crate::skills::put::install::gather::{self, Gathered, Refusal};
use crate::skills::put::install::plan::Conflict;
use crate::skills::put::install::source_files::Allowance;
use crate::skills::put::install::{self as engine, InstallOptions, SkillOutcome};

/// Where skills are installed.
#[derive(Debug, Clone)]
#[must_use]
pub struct Destination {
    choice: DestinationChoice,
}

impl Destination {
    /// A skills directory. It is created if it is missing.
    pub fn directory(path: impl Into<PathBuf>) -> Self {
        let directory = Some(path.into());
        Self { choice: DestinationChoice { directory, ..DestinationChoice::default() } }
    }

    /// The skills directory of an agent for the user. Takes the ids of `skills install --agent`.
    pub fn user(agent: impl Into<String>) -> Self {
        let agents = vec![agent.into()];
        Self { choice: DestinationChoice { agents, ..DestinationChoice::default() } }
    }

    /// The skills directory of an agent in the current repository, or in the current directory
    /// outside a repository.
    pub fn project(agent: impl Into<String>) -> Self {
        let Self { choice } = Self::user(agent);
        Self { choice: DestinationChoice { project: true, ..choice } }
    }
}

/// What [`install`] did with a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstalledSkill {
    /// The name.
    pub name: String,
    /// The installed directory.
    pub path: PathBuf,
    /// Where it came from.
    pub source: String,
    /// What was done, or would be done in a dry run.
    pub action: Action,
    /// The number of files.
    pub files: usize,
    /// The bytes of all files.
    pub bytes: u64,
    /// The digest, `sha256:` and 64 hexadecimal digits. `None` if not every file was read.
    pub digest: Option<String>,
    /// Where the replaced skill is kept, if it was edited.
    pub backup: Option<PathBuf>,
}

/// What an installation did.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Installation {
    /// The skills that are installed now.
    pub skills: Vec<InstalledSkill>,
    /// Skills of the source that cannot be used, each with the reason.
    pub skipped: Vec<SkippedSkill>,
    /// Findings of the safety rules in the files of the installed skills, the most severe first.
    /// Show them to the user before an agent reads the skills.
    pub findings: Vec<SkillFinding>,
    /// Skills that the agent of the destination does not load.
    pub not_loaded: Vec<UnloadedSkill>,
}

/// A skill that an agent does not load.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnloadedSkill {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub path: PathBuf,
    /// The id of the agent.
    pub agent: &'static str,
    /// Why the agent does not load it.
    pub reason: String,
}

/// A skill that was not installed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkippedSkill {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// The id of the rule that it breaks, if it breaks one.
    pub rule: Option<&'static str>,
    /// Why it was skipped.
    pub reason: String,
}

/// Installs the usable skills of a source, all of them or none. A killed run leaves every skill
/// either unchanged or completely installed.
///
/// # Errors
/// A source that cannot be read, skills that may not be installed
/// ([`Validation`](crate::ErrorKind::Validation) or a closer kind), a destination that holds
/// something else ([`Conflict`](crate::ErrorKind::Conflict)), and failures to write.
///
/// ```
/// use skills::{Action, Destination, Options};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let skill = directory.path().join("pdf");
/// std::fs::create_dir(&skill)?;
/// let text = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead the file.\n";
/// std::fs::write(skill.join("SKILL.md"), text)?;
///
/// let destination = Destination::directory(directory.path().join("installed"));
/// let installed = skills::install(&skill, &destination, &Options::new())?;
/// let pdf = &installed.skills[0];
/// assert_eq!(pdf.action, Action::Created);
/// assert_eq!(std::fs::read_to_string(pdf.path.join("SKILL.md"))?, text);
/// # Ok(())
/// # }
/// ```
pub fn install(
    source: impl AsRef<Path>,
    destination: &Destination,
    options: &Options,
) -> Result<Installation> {
    let choice = DestinationChoice { home: options.home.clone(), ..destination.choice.clone() };
    let choice = if choice.project { DestinationChoice { home: None, ..choice } } else { choice };
    let destinations = destination::resolve(&choice, &options.environment()?)?;
    let existing: Vec<PathBuf> =
        destinations.directories.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let judge = JudgeOptions { errors_only: true, safety: true, ..JudgeOptions::default() };
    let chosen = destinations.readers.iter().map(|(agent, _)| *agent).collect();
    let read = CandidateOptions { judge, chosen, ..CandidateOptions::default() };
    let selection = options.selection(source.as_ref())?;
    let policy = CopyPolicy::default();
    let mut gathered = gather::gather(&selection, &existing, &read, policy, &Silent)?;
    let refuse = |gathered: &Gathered| match gathered.refusal("installed") {
        Some(refusal) => {
            let reasons = reasons(&refusal, gathered);
            Err(refusal.error.help(reasons))
        }
        None => Ok(()),
    };
    refuse(&gathered)?;
    let install_options = InstallOptions {
        force: options.force,
        dry_run: options.dry_run,
        threads: threads(),
        within: destinations.within,
        project: destinations.project,
        ..InstallOptions::default()
    };
    let (most, total) = (install_options.max_skill_bytes, install_options.max_total_bytes);
    let cautions = gathered.cautions(&read.judge, &Allowance::new(most, total), threads())?;
    refuse(&gathered)?;
    let (candidates, skipped) = gathered.into_candidates()?;
    let summary =
        engine::install(&candidates, &destinations.directories, &install_options, &Silent)?;
    match summary.conflicts.first() {
        Some(first) => Err(in_the_way(first, summary.conflicts.len())),
        None => Ok(Installation {
            skills: summary.outcomes.into_iter().map(installed).collect(),
            skipped: skipped.into_iter().map(left_out).collect(),
            findings: cautions.findings.into_iter().map(SkillFinding::from).collect(),
            not_loaded: cautions.not_loaded.into_iter().map(unloaded).collect(),
        }),
    }
}

/// One line for each skill or file that prevents the installation.
fn reasons(refusal: &Refusal, gathered: &Gathered) -> String {
    let skill = |one: &Skipped| format!("{}: {}", one.path.display(), one.why);
    let unread = gathered.unseen.iter().chain(&gathered.scan.unreadable);
    let unread = unread.map(|error| error.message.clone());
    refusal.skipped.iter().map(skill).chain(unread).collect::<Vec<_>>().join("\n")
}

fn left_out(skipped: Skipped) -> SkippedSkill {
    let Skipped { name, path, why, .. } = skipped;
    SkippedSkill { name, path, rule: why.rule.map(|rule| rule.id), reason: why.reason }
}

fn unloaded(one: NotLoaded) -> UnloadedSkill {
    let NotLoaded { name, path, agent, obstacle } = one;
    UnloadedSkill { name, path, agent: agent.id, reason: obstacle.reason }
}

fn in_the_way(conflict: &Conflict, number: usize) -> Error {
    let (path, reason) = (conflict.path.display(), conflict.reason.summary());
    let more = if number > 1 { format!(" ({} more like this)", number - 1) } else { String::new() };
    let error = err!(Conflict, "`{path}` {reason}{more}; nothing was installed").at(&conflict.path);
    if number > 1 { error } else { conflict.in_error(error) }
}

fn installed(outcome: SkillOutcome) -> InstalledSkill {
    InstalledSkill {
        name: outcome.name,
        path: outcome.path,
        source: outcome.source,
        action: outcome.action,
        files: outcome.files,
        bytes: outcome.bytes,
        digest: outcome.digest.map(|digest| digest.to_string()),
        backup: outcome.backup,
    }
}
