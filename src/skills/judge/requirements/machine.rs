//! Compares requirements with a machine. Runs nothing: programs are looked up on PATH, and versions
//! are not checked.

use super::{Need, OperatingSystem, Requirements};
use crate::skills::files::programs;
use crate::skills::model::environment::Environment;

/// The machine that skills are to run on.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Its variables, with the PATH.
    pub environment: &'a Environment,
    /// Its system; none if it is not one that skills can name.
    pub system: Option<OperatingSystem>,
    /// Ids of the agents that are to use the skills; empty when none was chosen.
    pub agents: &'a [&'static str],
}

/// Whether a machine has what a skill needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It exists; a stated version was not checked.
    Present,
    /// It is missing; the sentence starts with a verb: ``needs `x`, which is not on PATH``.
    Missing(String),
    /// This cannot be found out by looking.
    Unknown,
}

/// Something that a skill needs and a machine lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// What is needed.
    pub need: Need,
    /// What is wrong, as a sentence without its subject.
    pub sentence: String,
}

impl Machine<'_> {
    /// Whether this machine has it.
    pub fn has(&self, need: &Need) -> Availability {
        let missing = |is_there: bool, sentence: String| {
            if is_there { Availability::Present } else { Availability::Missing(sentence) }
        };
        match need {
            Need::System(systems) => match self.system {
                None => Availability::Unknown,
                Some(system) => {
                    let here = system.title();
                    let sentence = format!("runs on {}, and this is {here}", need.describe());
                    missing(systems.contains(&system), sentence)
                }
            },
            Need::Program(program) => {
                let path = self.environment.variable("PATH");
                let is_there = program.names.iter().any(|name| programs::is_on_path(name, path));
                let what = need.describe();
                let sentence = match program.names.as_slice() {
                    [_] => format!("needs {what}, which is not on PATH"),
                    _ => format!("needs {what}, and none is on PATH"),
                };
                missing(is_there, sentence)
            }
            Need::Variable(name) => {
                let sentence = format!("needs the variable `{name}`, which is not set");
                missing(self.environment.variable(name).is_some(), sentence)
            }
            Need::Agent { only: false, .. } | Need::Network | Need::Text(_) => {
                Availability::Unknown
            }
            Need::Agent { ids, only: true } => {
                if self.agents.is_empty() {
                    return Availability::Unknown;
                }
                let others: Vec<&str> =
                    self.agents.iter().filter(|id| !ids.contains(id)).copied().collect();
                let sentence =
                    format!("is only for {}, not for {}", need.describe(), join(&others));
                missing(others.is_empty(), sentence)
            }
        }
    }

    /// The requirements of a skill that this machine lacks.
    pub fn lacks(&self, requirements: &Requirements) -> Vec<Lacking> {
        let lacking = |need: &Need| match self.has(need) {
            Availability::Missing(sentence) => Some(Lacking { need: need.clone(), sentence }),
            Availability::Present | Availability::Unknown => None,
        };
        requirements.all.iter().filter_map(|one| lacking(&one.need)).collect()
    }
}

fn join(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.join(", "),
    }
}
