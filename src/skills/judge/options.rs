//! Options for judging: which rules run, at which severity, and how much of a skill is read.

use std::path::PathBuf;

use crate::skills::files::inventory::InventoryDepth;
use crate::skills::judge::rule::{Rule, RuleOptions, Severity};
use crate::skills::judge::rules::{Level, Levels};

/// Options for judging.
#[derive(Debug, Clone, Default)]
pub struct JudgeOptions {
    /// Settings for the rules.
    pub rules: RuleOptions,
    /// The levels that the user set.
    pub levels: Levels,
    /// Whether to run only rules that can make a skill invalid.
    pub errors_only: bool,
    /// Whether to run the safety rules even so.
    pub safety: bool,
    /// Limits for reading a skill.
    pub look: InventoryDepth,
    /// The current directory. Paths in messages are relative to it.
    pub directory: PathBuf,
}

impl JudgeOptions {
    /// The severity that the user set for a rule, if any; none if the rule does not run.
    pub fn asks(&self, rule: &Rule) -> Option<Option<Severity>> {
        let set = match self.levels.get(rule) {
            Some(Level::Off) => return None,
            Some(Level::At(severity)) => Some(severity),
            None => None,
        };
        let is_error = set.unwrap_or(rule.severity) == Severity::Error;
        let is_asked = is_error || !self.errors_only || (self.safety && rule.is_safety());
        is_asked.then_some(set)
    }
}
