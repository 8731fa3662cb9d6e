//! The commits between two commits of a repository.

use super::cache::Cached;
use super::failure::GitFailure;
use super::program::GitProgram;
use crate::skills::model::error::Result;
use crate::skills::model::location::Location;

/// Maximum commits to list.
const DEPTH: usize = 500;
/// The separator between the fields that git prints.
const SEPARATOR: char = '\u{1f}';

/// The commits between two others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The newest first.
    pub changes: Vec<CommitSummary>,
    /// Whether the list is incomplete: the old commit is not an ancestor of the new one, or too far
    /// back.
    pub is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSummary {
    /// Its full id.
    pub id: String,
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// The commits from the old one to the new one.
pub(super) fn between(
    git: &GitProgram,
    cached: &Cached<'_>,
    location: &Location,
    old: &str,
    new: &str,
) -> Result<History> {
    let read = || log(git, cached, old, new);
    let known = (cached.find(old).is_some() && cached.find(new).is_some()).then(read);
    if let Some(Ok(history)) = known {
        return Ok(history);
    }
    if known.is_some() {
        // It exists but is unreadable.
        cached.set_aside()?;
    }
    let fetched = cached.fetch_history(new, DEPTH + 1);
    cached.settle(false);
    fetched?;
    read().map_err(|failure| failure.about("read", location))
}

fn log(git: &GitProgram, cached: &Cached<'_>, old: &str, new: &str) -> Result<History, GitFailure> {
    let is_known = cached.find(old).is_some();
    let mut command = git.command(&cached.repository);
    command.args(["log", "--no-color", "--no-show-signature", "--date=short"]);
    // Request one more to detect truncation.
    command.arg(format!("--max-count={}", DEPTH + 1));
    command.arg(format!("--format=%H{SEPARATOR}%cd{SEPARATOR}%s"));
    command.args(["--end-of-options", new]);
    if is_known {
        command.arg(format!("^{old}"));
    }
    command.arg("--");
    let answer = git.run(command, &[])?;
    let mut changes: Vec<CommitSummary> =
        String::from_utf8_lossy(&answer).lines().filter_map(change).collect();
    let is_cut = changes.len() > DEPTH || !(is_known && led(git, cached, old, new));
    changes.truncate(DEPTH);
    Ok(History { changes, is_cut })
}

/// Whether the old commit is an ancestor of the new one, as far as the fetched history shows.
fn led(git: &GitProgram, cached: &Cached<'_>, old: &str, new: &str) -> bool {
    let mut command = git.command(&cached.repository);
    command.args(["merge-base", "--is-ancestor", "--end-of-options", old, new]);
    git.run(command, &[]).is_ok()
}

fn change(line: &str) -> Option<CommitSummary> {
    let mut parts = line.splitn(3, SEPARATOR).map(str::to_owned);
    Some(CommitSummary { id: parts.next()?, date: parts.next()?, subject: parts.next()? })
}
