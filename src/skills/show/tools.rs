//! The tools that a set of skills uses.

use std::collections::BTreeMap;

use crate::skills::show::listing::{ListLine, Status};

/// A tool, and the skills that ask for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool, with its arguments as they are written.
    pub tool: String,
    /// The names of the skills, sorted.
    pub skills: Vec<String>,
}

/// The tools of all active skills, sorted: those in `allowed-tools`, and those of inline skills.
pub fn used(rows: &[ListLine]) -> Vec<ToolUse> {
    let mut uses: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let is_used = |row: &&ListLine| matches!(row.status, Status::Active | Status::Hidden);
    for row in rows.iter().filter(is_used) {
        let allowed = row.entry.fields.iter().flat_map(|fields| &fields.tools);
        let inline = row.entry.skill.inline().into_iter().flat_map(|inline| &inline.tools);
        let inline = inline.map(|tool| &tool.name);
        for tool in allowed.chain(inline) {
            uses.entry(tool).or_default().push(row.shown_name().to_owned());
        }
    }
    let tools = uses.into_iter().map(|(tool, mut skills)| {
        skills.sort_unstable();
        skills.dedup();
        ToolUse { tool: tool.to_owned(), skills }
    });
    tools.collect()
}
