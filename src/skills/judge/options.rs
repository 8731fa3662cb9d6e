//! How skills are judged: which rules are asked, how gravely, and how much of a skill is read.

use std::path::PathBuf;

use crate::skills::files::inventory::InventoryDepth;
use crate::skills::judge::rule::{Rule, RuleOptions, Severity};
use crate::skills::judge::rules::{Level, Levels};

/// How to judge.
#[derive(Debug, Clone, Default)]
pub struct JudgeOptions {
    /// What rules look for.
    pub rules: RuleOptions,
    /// What the user set rules to.
    pub levels: Levels,
    /// Whether only rules that can make a skill invalid are asked.
    pub errors_only: bool,
    /// How much of a skill is looked at.
    pub look: InventoryDepth,
    /// Where the run was started: messages name paths relative to it.
    pub directory: PathBuf,
}

impl JudgeOptions {
    /// The severity that the user set for a rule, if one; nothing when it is not asked.
    pub(super) fn asks(&self, rule: &Rule) -> Option<Option<Severity>> {
        let set = match self.levels.get(rule) {
            Some(Level::Off) => return None,
            Some(Level::At(severity)) => Some(severity),
            None => None,
        };
        let is_error = set.unwrap_or(rule.severity) == Severity::Error;
        (is_error || !self.errors_only).then_some(set)
    }
}
