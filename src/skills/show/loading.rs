//! Which agents load one skill, and how they show it to their models.

use std::path::Path;

use crate::skills::agents::load::{self, AgentSkill, Fate};
use crate::skills::agents::{AGENTS, Agent, readers};
use crate::skills::model::environment::Environment;
use crate::skills::text::document::SKILL_MD;

/// How one agent treats a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentVerdict {
    pub agent: &'static Agent,
    /// What becomes of the skill.
    pub fate: Fate,
}

/// How the description that an agent shows differs from that of the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownDescription {
    /// It is complete.
    Whole,
    /// Its end is missing.
    Cut,
    /// The agent shows some other text.
    Other,
}

/// A skill as agents would find it once it is installed.
#[derive(Debug, Clone, Copy)]
pub struct InstalledFile<'a> {
    /// The name of its directory.
    pub directory: &'a str,
    /// The name of its file.
    pub skill_md: &'a str,
    /// The bytes of that file, if it can be read.
    pub bytes: Option<&'a [u8]>,
}

impl AgentVerdict {
    /// Whether the agent loads the skill, for its model or only for its user.
    pub const fn loads(&self) -> bool {
        matches!(self.fate, Fate::Shown(_) | Fate::Hidden(..))
    }

    /// Why it does not load the skill, or hides it.
    pub fn reason(&self) -> Option<String> {
        match &self.fate {
            Fate::Shown(_) | Fate::Open => None,
            Fate::Hidden(_, reason) => Some(format!("hidden from its model: {reason}")),
            Fate::Shadowed(_, winner) => Some(format!("`{}` is shown instead", winner.display())),
            Fate::Unseen(_, reason) | Fate::Lost(reason) => Some(reason.clone()),
        }
    }

    /// How the description that the model sees compares with this one.
    pub fn description(&self, own: &str) -> Option<ShownDescription> {
        let Fate::Shown(entry) = &self.fate else { return None };
        Some(compare(own, &entry.description))
    }
}

/// How each agent would treat a skill if it were installed. `beside` has the bytes of the other
/// files of the skill that agents read.
pub fn if_installed(
    file: InstalledFile<'_>,
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Vec<AgentVerdict> {
    let fate = |agent: &'static Agent| match file.bytes {
        _ if file.skill_md != SKILL_MD => Fate::Lost("its file is not called SKILL.md".to_owned()),
        None => Fate::Lost("its SKILL.md cannot be read".to_owned()),
        Some(bytes) => readers::reading(&agent.loading, file.directory, bytes, beside).into(),
    };
    AGENTS.iter().map(|agent| AgentVerdict { agent, fate: fate(agent) }).collect()
}

/// How each agent treats the skill in this directory, seen from here.
pub fn from_here(path: &Path, environment: &Environment, threads: usize) -> Vec<AgentVerdict> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let wanted = real(path);
    let fate = |agent: &Agent| {
        let loaded = load::load(agent, environment, None, threads).skills;
        if let Some(met) = loaded.iter().find(|met| real(&met.path) == wanted) {
            return met.fate.clone();
        }
        // A copy of it, or another skill of its name, may be where this agent looks.
        let is_shown = |fate: &Fate| matches!(fate, Fate::Shown(_));
        let is_named = |other: &Path| other.file_name() == path.file_name();
        match loaded.into_iter().find(|met| is_shown(&met.fate) && is_named(&met.path)) {
            Some(AgentSkill { path, fate: Fate::Shown(entry), .. }) => {
                Fate::Shadowed(entry.name, path)
            }
            _ => Fate::Lost("this directory is not searched".to_owned()),
        }
    };
    AGENTS.iter().map(|agent| AgentVerdict { agent, fate: fate(agent) }).collect()
}

/// Compares two descriptions as a reader would: white space and escapes do not count.
fn compare(own: &str, shown: &str) -> ShownDescription {
    let plain = |text: &str| {
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        let text = text.replace("&apos;", "'").replace("&#39;", "'").replace("&amp;", "&");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (own, shown) = (plain(own), plain(shown));
    // An agent may append another field.
    if shown.starts_with(&own) {
        return ShownDescription::Whole;
    }
    let kept = shown.trim_end_matches(['…', '.']).trim_end();
    match own.starts_with(kept) && !kept.is_empty() {
        true => ShownDescription::Cut,
        false => ShownDescription::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_compared_as_a_reader_would() {
        for (shown, expected) in [
            ("Read <x> files. Use it.", ShownDescription::Whole),
            ("Read &lt;x&gt;\n  files. Use it. - more", ShownDescription::Whole),
            ("Read &lt;x&gt; fi…", ShownDescription::Cut),
            ("Read <x> files...", ShownDescription::Cut),
            ("Title", ShownDescription::Other),
            ("", ShownDescription::Other),
        ] {
            assert_eq!(compare("Read <x> files. Use it.", shown), expected, "{shown}");
        }
    }
}
