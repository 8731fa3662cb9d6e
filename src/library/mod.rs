//! The documented front of the crate: four functions over the same domain code as the program.
//!
//! It translates [`Options`] into values of the domain and results into a few public types. It
//! makes no decisions of its own.

#![warn(missing_docs)]

mod discover;
mod install;
mod render;
mod validate;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

pub use crate::library::discover::{DiscoveredSkill, Discovery, discover};
pub use crate::library::install::{
    Destination, Installation, InstalledSkill, SkippedSkill, UnloadedSkill, install,
};
pub use crate::library::render::{Format, render};
pub use crate::library::validate::{SkillFinding, ValidatedSkill, ValidationReport, validate};
use crate::skills::agents::{self, Agent};
use crate::skills::fetch::{NetworkAccess, Remotes};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
pub use crate::skills::judge::rule::Severity;
pub use crate::skills::judge::rules::Level;
use crate::skills::judge::rules::{self, Levels};
use crate::skills::model::environment::Environment;
pub use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::filter::NameFilter;
use crate::skills::model::request::{Request, RequestedSource};
pub use crate::skills::model::scope::Scope;
pub use crate::skills::put::install::Done as Action;
use crate::skills::put::install::site::bounded_threads;
pub use crate::skills::show::listing::Status;
pub use crate::skills::text::position::Position;

/// Which skills to work on, and how. The default is the behaviour of the program without flags.
///
/// ```
/// use skills::{Level, Options};
///
/// let options = Options::new().deny("*-draft").rule("description-when", Level::Off);
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Options {
    directory: Option<PathBuf>,
    home: Option<PathBuf>,
    allow: Vec<String>,
    deny: Vec<String>,
    only: Vec<String>,
    agents: Vec<String>,
    rules: Vec<(String, Level)>,
    strict: bool,
    force: bool,
    dry_run: bool,
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Resolves relative paths and looks for project skills from this directory instead of the
    /// current one.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Uses this home directory for [`discover`] and [`install`], and ignores variables such as
    /// `CLAUDE_CONFIG_DIR`.
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Takes only skills whose name matches this glob. Call it again to allow more.
    pub fn allow(mut self, glob: impl Into<String>) -> Self {
        self.allow.push(glob.into());
        self
    }

    /// Leaves out skills whose name matches this glob, even if they are allowed.
    pub fn deny(mut self, glob: impl Into<String>) -> Self {
        self.deny.push(glob.into());
        self
    }

    /// Takes only the skill with exactly this name. Call it again to take more. A name that is not
    /// found is an error.
    pub fn only(mut self, name: impl Into<String>) -> Self {
        self.only.push(name.into());
        self
    }

    /// Adds what this agent would do to the findings of [`validate`], or lists what this agent
    /// would load in [`discover`]. Takes the ids of `skills validate --agent`.
    pub fn agent(mut self, id: impl Into<String>) -> Self {
        self.agents.push(id.into());
        self
    }

    /// Sets the level of a rule.
    pub fn rule(mut self, id: impl Into<String>, level: Level) -> Self {
        self.rules.push((id.into(), level));
        self
    }

    /// Whether warnings and unknown fields fail [`validate`].
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether [`install`] replaces skills that differ, were edited, or were not installed by
    /// `skills`. Edited ones are backed up.
    pub const fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Whether [`install`] only reports what it would do.
    pub const fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    fn environment(&self) -> Result<Environment> {
        let directory = self.directory.as_deref().unwrap_or(Path::new("."));
        let real =
            directory.canonicalize().map_err(|error| Error::io("read", directory, &error))?;
        Ok(Environment::new(real, std::env::vars_os()))
    }

    fn selection(&self, source: &Path) -> Result<Selection> {
        let mut request = Request::named(source)?;
        if let (RequestedSource::Path(path), Some(directory)) = (&mut request.what, &self.directory)
        {
            *path = directory.join(&path);
        }
        Ok(Selection {
            requests: vec![request],
            scan: ScanOptions {
                names: self.names()?,
                only: self.only.clone(),
                threads: threads(),
                ..ScanOptions::default()
            },
            remotes: Arc::new(Remotes::new(
                self.environment()?,
                Arc::new(|_| {}),
                NetworkAccess::default(),
            )),
            ..Selection::default()
        })
    }

    fn names(&self) -> Result<Vec<NameFilter>> {
        Ok(vec![NameFilter::new(&self.allow, &self.deny)?])
    }

    fn agents(&self) -> Result<Vec<&'static Agent>> {
        self.agents.iter().map(|id| agents::find(id)).collect()
    }

    fn levels(&self) -> Result<Levels> {
        let mut levels = Levels::default();
        for (id, level) in &self.rules {
            levels.set(rules::find(id)?, *level);
        }
        Ok(levels)
    }
}

fn threads() -> usize {
    bounded_threads(thread::available_parallelism().map_or(1, usize::from))
}
