//! The length of an agent's catalogue: what it shows its model of the skills in its directory.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

use crate::skills::agents::Agent;
use crate::skills::agents::readers::{AgentReading, RawSkill};
use crate::skills::files::FileKind;
use crate::skills::files::content::{self, Content, OpenDirectory};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::show::listing::catalog_chars;
use crate::skills::text::document::SKILL_MD;

/// Characters that an agent would show of these skills, and of others in the directory.
pub fn characters(agent: &Agent, directory: &Path, candidates: &[Candidate]) -> usize {
    let new = candidates.iter().map(|one| one.catalog_chars);
    let names: HashSet<&str> = candidates.iter().map(|one| one.name.as_str()).collect();
    let Ok(open) = OpenDirectory::open(directory) else { return new.sum() };
    let others = open.entries.iter().filter_map(|(name, kind)| {
        let is_other = |name: &&str| *kind == FileKind::Directory && !names.contains(name);
        let name = name.to_str().filter(is_other)?;
        let inside = open.directory.child(OsStr::new(name)).ok()?;
        let Content::Text(text) = content::read_in(&inside, OsStr::new(SKILL_MD)) else {
            return None;
        };
        match (agent.loading.read)(&RawSkill { directory: name, bytes: text.as_bytes() }) {
            AgentReading::Listed(entry) => Some(catalog_chars(&entry.name, &entry.description)),
            _ => None,
        }
    });
    new.chain(others).sum()
}
