//! One line per skill, even if several agents have a copy of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::skills::agents::load::{self, Fate};
use crate::skills::agents::{AGENTS, Agent};
use crate::skills::model::environment::Environment;
use crate::skills::show::listing::{ListLine, Status};

/// A skill and its identical copies.
#[derive(Debug)]
pub struct ListGroup<'a> {
    /// The skill.
    pub row: &'a ListLine,
    /// Skills of its name with the same files, in other places.
    pub copies: Vec<&'a ListLine>,
    /// The agents that show one of these to their models; set only if skills of this name differ.
    pub shown_by: Option<Vec<&'static Agent>>,
}

/// Puts identical copies of one skill together.
pub fn of(rows: &[ListLine]) -> Vec<ListGroup<'_>> {
    // Most lists have no copies, and need no paths to look them up.
    if rows.iter().all(|row| row.copy_of.is_none()) {
        return ungrouped(rows);
    }
    let mut groups: Vec<ListGroup<'_>> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for row in rows {
        let first = row.copy_of.as_ref().and_then(|first| places.get(first));
        match first {
            Some(group) => groups[*group].copies.push(row),
            None => {
                places.insert(row.entry.skill.file(), groups.len());
                groups.push(ListGroup { row, copies: Vec::new(), shown_by: None });
            }
        }
    }
    groups
}

/// Each row by itself.
pub fn ungrouped(rows: &[ListLine]) -> Vec<ListGroup<'_>> {
    let group = |row| ListGroup { row, copies: Vec::new(), shown_by: None };
    rows.iter().map(group).collect()
}

/// Asks every agent which of several different skills of one name it shows. Agents are asked only
/// when there are such skills.
pub fn ask_agents(groups: &mut [ListGroup<'_>], environment: &Environment, threads: usize) {
    let contested: Vec<String> = groups
        .iter()
        .filter(|group| group.row.status == Status::Shadowed)
        .map(|group| group.row.entry.skill.name.clone())
        .collect();
    if contested.is_empty() {
        return;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut shown: Vec<(&'static Agent, Vec<PathBuf>)> = Vec::new();
    for agent in &AGENTS {
        let loaded = load::load(agent, environment, None, threads).skills.into_iter();
        let paths = loaded.filter(|met| matches!(met.fate, Fate::Shown(_)));
        shown.push((agent, paths.map(|met| real(&met.path)).collect()));
    }
    for group in groups {
        if !contested.contains(&group.row.entry.skill.name) {
            continue;
        }
        let rows = std::iter::once(group.row).chain(group.copies.iter().copied());
        let places: Vec<PathBuf> = rows.map(|row| real(&row.entry.skill.path)).collect();
        let shows = |paths: &Vec<PathBuf>| paths.iter().any(|path| places.contains(path));
        let agents = shown.iter().filter(|(_, paths)| shows(paths)).map(|(agent, _)| *agent);
        group.shown_by = Some(agents.collect());
    }
}
