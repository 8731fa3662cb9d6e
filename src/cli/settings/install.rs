//! Settings of `skills install`, `skills remove` and `skills verify`.

use std::path::PathBuf;

use super::Settings;
use crate::cli::args::{self, ReportFormat, ScopeArg};
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install;
use crate::skills::install::candidate::{self, ReadOptions};
use crate::skills::install::destination::{self, Destinations, Wanted};
use crate::skills::install::plan::Choices;
use crate::skills::limits::{SKILL_BYTES, TOTAL_BYTES};
use crate::skills::manifest::resolve;
use crate::skills::name::SkillName;
use crate::skills::rules::RuleOptions;
use crate::skills::selection::Selection;
use crate::skills::source::Skill;
use crate::skills::validate::Options;

/// Settings of `skills install`.
#[derive(Debug, Clone)]
pub struct Install {
    /// Those of every command.
    pub common: Settings,
    /// Which skills.
    pub selection: Selection,
    /// The directory of each source.
    roots: Vec<Option<PathBuf>>,
    /// The real paths of directories that skills go to, as far as they are there.
    existing: Vec<PathBuf>,
    /// How they are read and judged.
    pub read: ReadOptions,
    /// Where they go.
    pub destinations: Destinations,
    /// How they get there.
    pub options: install::Options,
    /// Where to log what was installed.
    pub events: Option<PathBuf>,
    /// How to print what was done.
    pub format: ReportFormat,
}

/// Settings of `skills remove`.
#[derive(Debug, Clone)]
pub struct Remove {
    /// Those of every command.
    pub common: Settings,
    /// Which skills.
    pub names: Vec<SkillName>,
    /// Where they are.
    pub destinations: Destinations,
    /// How they go.
    pub options: install::Options,
    /// How to print what was done.
    pub format: ReportFormat,
}

/// Settings of `skills verify`.
#[derive(Debug, Clone)]
pub struct Verify {
    /// Those of every command.
    pub common: Settings,
    /// Which skills; empty means all.
    pub names: Vec<SkillName>,
    /// Where they are.
    pub destinations: Destinations,
    /// How to print them.
    pub format: ReportFormat,
}

impl Install {
    /// Resolves the flags of `skills install`.
    ///
    /// # Errors
    /// Whatever a flag or the manifest gets wrong.
    pub fn resolve(args: &args::Install, common: &Settings) -> Result<Self> {
        let manifest = super::manifest(&args.selection)?;
        let manifest = manifest.as_ref();
        if args.selection.sources.is_empty() && manifest.is_none() {
            let message =
                "there is nothing to install: no source is named, and no skills.yaml is here";
            return Err(Error::new(ErrorKind::Usage, message)
                .help("`skills install .` installs the skills below the current directory"));
        }
        let known = manifest.map(resolve::expandable).unwrap_or_default();
        let expanded = super::choices(&args.selection, false)?.expanded;
        resolve::check_expanded(&expanded, &known)?;
        let selection = super::selection(&args.selection, manifest, false, common)?;
        let limits = manifest.map(|manifest| manifest.limits).unwrap_or_default();
        let max_skill_bytes = args.max_skill_size.or(limits.max_skill_size).unwrap_or(SKILL_BYTES);
        let max_total_bytes = args.max_total_size.or(limits.max_total_size).unwrap_or(TOTAL_BYTES);
        let rules =
            RuleOptions { max_skill_bytes: Some(max_skill_bytes), ..RuleOptions::default() };
        let levels = candidate::levels(&super::levels(manifest), !args.no_validate);
        let judge = Options { rules, levels, ..Options::default() };
        let destinations = destinations(&args.destination, common)?;
        let roots = selection.roots()?;
        let follow = if args.follow_symlinks { roots.clone() } else { Vec::new() };
        Ok(Self {
            common: common.clone(),
            read: ReadOptions { judge, follow },
            selection,
            roots,
            existing: destinations
                .directories
                .iter()
                .filter_map(|one| one.canonicalize().ok())
                .collect(),
            destinations,
            options: install::Options {
                max_skill_bytes,
                max_total_bytes,
                ..options(&args.apply, args.read_only, common)
            },
            events: args.events.clone(),
            format: args.apply.format,
        })
    }
}

impl Install {
    /// Whether a skill was found only because a source holds a directory that skills go to.
    #[must_use]
    pub fn is_installed_already(&self, skill: &Skill) -> bool {
        let root = self.roots.get(skill.source).and_then(Option::as_deref);
        self.existing.iter().any(|directory| {
            skill.path.starts_with(directory)
                && !root.is_some_and(|root| root.starts_with(directory))
        })
    }
}

impl Remove {
    /// Resolves the flags of `skills remove`.
    ///
    /// # Errors
    /// Whatever a flag gets wrong.
    pub fn resolve(args: &args::Remove, common: &Settings) -> Result<Self> {
        Ok(Self {
            common: common.clone(),
            names: names(&args.names)?,
            destinations: destinations(&args.destination, common)?,
            options: options(&args.apply, false, common),
            format: args.apply.format,
        })
    }
}

impl Verify {
    /// Resolves the flags of `skills verify`.
    ///
    /// # Errors
    /// Whatever a flag gets wrong.
    pub fn resolve(args: &args::Verify, common: &Settings) -> Result<Self> {
        Ok(Self {
            common: common.clone(),
            names: names(&args.names)?,
            destinations: destinations(&args.destination, common)?,
            format: args.format,
        })
    }
}

/// Names of skills, each once.
fn names(words: &[String]) -> Result<Vec<SkillName>> {
    let mut names = Vec::new();
    for word in words {
        let name = SkillName::new(word).map_err(|error| {
            let message = format!("`{word}` is no name of a skill: {error}");
            Error::new(ErrorKind::InvalidName, message)
        })?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

fn options(args: &args::Apply, read_only: bool, common: &Settings) -> install::Options {
    install::Options {
        choices: Choices { force: args.force, read_only, digests: args.dry_run },
        dry_run: args.dry_run,
        sync: !args.no_sync,
        lock_timeout: args.lock_timeout,
        max_skill_bytes: SKILL_BYTES,
        max_total_bytes: TOTAL_BYTES,
        threads: common.threads,
    }
}

fn destinations(args: &args::Destination, common: &Settings) -> Result<Destinations> {
    let project = args.scope == ScopeArg::Project;
    if project && args.home.is_some() {
        let message = "`--home` is about the user, `--scope project` is not";
        return Err(Error::new(ErrorKind::Usage, message).help("leave one of them out"));
    }
    let wanted = Wanted {
        agents: args.agent.clone(),
        project,
        home: args.home.clone(),
        directory: args.dir.clone(),
    };
    destination::resolve(&wanted, &common.environment)
}
