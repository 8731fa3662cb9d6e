//! What a new lock changes, or would change, for scripts.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::{VERSION, text};
use crate::output::json;
use crate::skills::files::digest::Digest;
use crate::skills::find::git::{CommitSummary, History};
use crate::skills::put::locking::update::SourceChange;

#[derive(Serialize)]
struct LockReport<'a> {
    version: u32,
    lock: String,
    dry_run: bool,
    sources: Vec<SourceRow<'a>>,
}

#[derive(Serialize)]
struct SourceRow<'a> {
    source: &'a str,
    name: Option<&'a str>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    commits: Option<Vec<CommitRow<'a>>>,
    truncated: bool,
    skills: Vec<LockedSkillRow<'a>>,
}

#[derive(Serialize)]
pub(super) struct CommitRow<'a> {
    commit: &'a str,
    date: &'a str,
    subject: &'a str,
}

#[derive(Serialize)]
struct LockedSkillRow<'a> {
    name: &'a str,
    change: &'static str,
    from: Option<Digest>,
    to: Option<Digest>,
    from_version: Option<&'a str>,
    to_version: Option<&'a str>,
}

/// The result of `skills lock` and `skills outdated`.
pub fn changes(
    out: &mut dyn Write,
    lock: &Path,
    dry_run: bool,
    changes: &[(SourceChange, Option<History>)],
) -> io::Result<()> {
    let sources = changes.iter().map(|(change, history)| SourceRow {
        source: &change.source,
        name: change.name.as_deref(),
        from: change.from.as_deref(),
        to: change.to.as_deref(),
        commits: history.as_ref().map(commits),
        truncated: history.as_ref().is_some_and(|history| history.is_cut),
        skills: change
            .skills
            .iter()
            .map(|skill| LockedSkillRow {
                name: &skill.name,
                change: skill.word(),
                from: skill.from,
                to: skill.to,
                from_version: skill.version.from.as_deref(),
                to_version: skill.version.to.as_deref(),
            })
            .collect(),
    });
    let lock = text(lock);
    json::write(out, &LockReport { version: VERSION, lock, dry_run, sources: sources.collect() })
}

pub(super) fn commits(history: &History) -> Vec<CommitRow<'_>> {
    let rows = history.changes.iter().map(|CommitSummary { id, date, subject }| CommitRow {
        commit: id,
        date,
        subject,
    });
    rows.collect()
}
