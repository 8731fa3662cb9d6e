//! Options for scanning.

use std::path::PathBuf;

use crate::skills::model::filter::{self, NameFilter, PathFilter};
use crate::skills::model::source::Skill;

/// Options for scanning.
#[derive(Debug, Clone, Default)]
pub struct ScanOptions {
    /// Maximum levels below the source.
    pub max_depth: Option<usize>,
    /// Paths to skip.
    pub exclude: PathFilter,
    /// Skills directories that are searched only if they are a source: what is there was installed.
    pub installed: Vec<PathBuf>,
    /// Filters of the manifest and of the command line; a name must pass each.
    pub names: Vec<NameFilter>,
    /// Exactly these names, when not empty.
    pub only: Vec<String>,
    /// Only skills of these plugins, when not empty.
    pub plugins: Vec<String>,
    /// Threads to use.
    pub threads: usize,
}

impl ScanOptions {
    /// Whether the filters accept a skill.
    pub fn accepts(&self, skill: &Skill) -> bool {
        self.accepts_names(skill.names(), skill.plugin_name())
    }

    /// Whether the filters accept a skill with these names, of this plugin.
    pub fn accepts_names<'a>(
        &self,
        names: impl Iterator<Item = &'a str> + Clone,
        plugin: Option<&str>,
    ) -> bool {
        filter::accept_plugin(plugin, &self.plugins)
            && filter::accept(names, plugin, &self.names, &self.only)
    }
}
