//! Values that completions offer for flags.

use crate::skills::agents::{AGENTS, ALL, targets};
use crate::skills::find::discovery::providers::{self, CUSTOM};
use crate::skills::judge::rules::{Level, RULES};

/// Offers the known agents to completions; unknown ones get our own message.
pub(super) fn agent_values() -> KnownValues {
    KnownValues(|| owned(AGENTS.iter().map(|agent| agent.id).chain([ALL])))
}

/// The same with the word for hosts of the Model Context Protocol.
pub(super) fn judged_agent_values() -> KnownValues {
    KnownValues(|| owned(AGENTS.iter().map(|agent| agent.id).chain([ALL, "mcp"])))
}

/// The same with the agents that are known only by where they look, and with the word for all whose
/// behaviour is known.
pub(super) fn target_values() -> KnownValues {
    KnownValues(|| owned(targets::ids().chain([ALL])))
}

pub(super) fn source_values() -> KnownValues {
    KnownValues(|| {
        let targets = targets::ids().filter(|id| !providers::ranked().any(|ranked| ranked == *id));
        owned(providers::ranked().chain([CUSTOM]).chain(targets))
    })
}

pub(super) fn rule_values() -> KnownValues {
    KnownValues(|| owned(RULES.iter().map(|rule| rule.id)))
}

/// Every rule at every level.
pub(super) fn level_values() -> KnownValues {
    KnownValues(|| {
        let levels = |rule: &'static str| Level::WORDS.map(|level| format!("{rule}={level}"));
        RULES.iter().flat_map(|rule| levels(rule.id)).collect()
    })
}

fn owned(words: impl Iterator<Item = &'static str>) -> Vec<String> {
    words.map(str::to_owned).collect()
}

/// Any string, with a list of values that completions offer.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownValues(fn() -> Vec<String>);

impl clap::builder::TypedValueParser for KnownValues {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(
        &self,
    ) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(clap::builder::PossibleValue::new)))
    }
}
