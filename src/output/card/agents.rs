//! Which agents load a skill, with one sentence for agents that behave alike.

use std::io::{self, Write};

use super::{Screen, short, wrap};
use crate::output::columns::grouped;
use crate::skills::agents::simulate::Fate;
use crate::skills::agents::{Agent, join_titles};
use crate::skills::show::card::SkillCard;
use crate::skills::show::loading::{AgentVerdict, ShownDescription};

/// Writes what agents do with the skill.
pub(super) fn write(out: &mut dyn Write, card: &SkillCard, screen: &Screen<'_>) -> io::Result<()> {
    let entry = &card.row.entry;
    let own = entry.description.as_deref().unwrap_or_default();
    let mut sentences: Vec<(Predicate, Vec<&Agent>)> = Vec::new();
    for verdict in &card.details.agents {
        let predicate = predicate(verdict, &entry.skill.name, own, screen);
        match sentences.iter_mut().find(|(known, _)| *known == predicate) {
            Some((_, agents)) => agents.push(verdict.agent),
            None => sentences.push((predicate, vec![verdict.agent])),
        }
    }
    for (predicate, agents) in sentences {
        let verb = match (predicate.loads, agents.len()) {
            (true, 1) => "loads it",
            (true, _) => "load it",
            (false, 1) => "does not load it",
            (false, _) => "do not load it",
        };
        let text = format!("{} {verb}{}", join_titles(&agents), predicate.rest);
        writeln!(out, "  {}", wrap(&short(&text), screen.width, 2, "    "))?;
    }
    Ok(())
}

/// What is said about some agents.
#[derive(PartialEq, Eq)]
struct Predicate {
    loads: bool,
    rest: String,
}

fn predicate(verdict: &AgentVerdict, name: &str, own: &str, screen: &Screen<'_>) -> Predicate {
    let rest = match &verdict.fate {
        Fate::Shown(entry) => {
            let alias = match &entry.title {
                Some(title) => format!(" as {} ({title})", entry.name),
                None if entry.name != name => format!(" as {}", entry.name),
                None => String::new(),
            };
            let characters = grouped(entry.description.chars().count() as u64);
            alias
                + &match verdict.description(own) {
                    Some(ShownDescription::Cut) => {
                        format!(", its description cut to {characters} characters")
                    }
                    Some(ShownDescription::Other) => {
                        format!(" with another description: {}", entry.description)
                    }
                    Some(ShownDescription::Whole) | None => String::new(),
                }
        }
        Fate::Shadowed(_, winner) => format!(": {} is shown instead", screen.path(winner)),
        Fate::Hidden(_, reason) => format!(" but hides it from the model: {reason}"),
        Fate::Unseen(_, reason) | Fate::Lost(reason) => format!(": {reason}"),
        Fate::Open => String::new(),
    };
    Predicate { loads: verdict.loads(), rest }
}
