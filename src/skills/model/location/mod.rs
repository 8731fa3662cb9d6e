//! Parses git sources into a repository, a path in it, and a revision.
//!
//! This file reads and writes the canonical forms, `gh:` and `git+`; `pasted` reads addresses as
//! people copy them from elsewhere, and `secrets` keeps logins out of messages.

pub mod pasted;
pub mod secrets;

use std::fmt;
use std::path::Path;

use crate::skills::model::error::{Result, err};
use crate::skills::text::markdown::percent_decode;
use crate::skills::text::unicode::is_unprintable;

/// Where `gh:` leads.
const GITHUB: &str = "https://github.com/";

/// These protocols are not protected against changes in transit, except on loopback.
const UNPROTECTED: [&str; 2] = ["http", "git"];

const PROTECTED: [&str; 3] = ["https", "ssh", "file"];

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

const FORMS: &str = "write `gh:OWNER/REPO[/PATH][@REVISION]`, or \
    `git+https://HOST/REPO.git[//PATH][@REVISION]` (also git+ssh and git+file)";

/// Why a query is refused. It may contain a token, and git servers need no query.
const QUERY: &str = "it contains a query, which would be recorded with every skill; \
    remove it, keep logins in git's credential helper, and write `%3F` for a `?` in a path";

/// Why a login is refused.
const LOGIN: &str = "it contains a login, which would be recorded with every skill; \
    keep logins in git's credential helper";

/// Digits of a commit id in messages.
const SHORT: usize = 12;

/// A git source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    /// The repository as written, without path and revision.
    pub repository: String,
    /// The same for git.
    pub url: String,
    /// A path in the repository; empty for all of it.
    pub path: String,
    /// A tag, a branch or a commit; none for the repository's default branch.
    pub revision: Option<String>,
    /// A revision and a path in one text, as in the address of a web page. Both may contain
    /// slashes, so only the server's refs tell where the revision ends. Until then, the first part
    /// counts.
    pub undecided: Option<String>,
}

impl Location {
    /// Parses a git URL or short form; none if the text is a path.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let located = match (text.strip_prefix("gh:"), text.strip_prefix("git+")) {
            (Some(_), _) | (_, Some(_)) if text.contains('?') => Err(QUERY.to_owned()),
            (Some(rest), _) => github(rest),
            (None, Some(rest)) => remote(rest),
            (None, None) => match pasted::read(text) {
                Some(located) => located,
                None => return Ok(None),
            },
        };
        located.map(Some).map_err(|reason| {
            let shown = secrets::hidden(text);
            let help = match pasted::suggest(&secrets::removed(text)) {
                Some(better) => format!("did you mean `{better}`?"),
                None => FORMS.to_owned(),
            };
            err!(Usage, "`{shown}` is not a source of skills: {reason}").help(help)
        })
    }

    /// The same, but if `path` exists, it wins over a form without a scheme.
    pub fn unless_path(text: &str, path: &Path) -> Result<Option<Self>> {
        let is_short = text.starts_with("gh:") || text.starts_with(pasted::SSH_USER);
        if is_short && path.symlink_metadata().is_ok() { Ok(None) } else { Self::parse(text) }
    }

    /// This repository with another path and revision.
    pub fn at(&self, path: &str, revision: &str) -> Self {
        let (path, revision) = (path.to_owned(), Some(revision.to_owned()));
        Self { path, revision, undecided: None, ..self.clone() }
    }

    /// All possible meanings, the longest revision first; usually one.
    pub fn readings(&self) -> Vec<Self> {
        let Some(text) = &self.undecided else { return vec![self.clone()] };
        let borders = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
        let reading = |at: usize| {
            let (revision, path) = text.split_at(at);
            is_ref_name(revision).then(|| self.at(path.trim_start_matches('/'), revision))
        };
        let mut readings: Vec<Self> = borders.filter_map(reading).collect();
        readings.reverse();
        readings
    }

    /// The last part of the repository's name.
    pub fn name(&self) -> &str {
        let last = self.url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        last.trim_end_matches(".git")
    }

    /// The protocols that git may use. The user's git settings may choose among them (`insteadOf`);
    /// none of them runs a program that a server names.
    pub fn protocols(&self) -> &'static str {
        match self.url.split(':').next() {
            Some("http") => "http:https:ssh:file",
            Some("git") => "git:https:ssh:file",
            _ => "https:ssh:file",
        }
    }

    /// The commit, if the revision is a full commit id.
    pub fn commit(&self) -> Option<String> {
        let revision = self.revision.as_ref()?.to_ascii_lowercase();
        is_commit_id(&revision).then_some(revision)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.undecided.as_ref().and_then(|_| self.readings().pop()) {
            return first.fmt(formatter);
        }
        formatter.write_str(&self.repository)?;
        if !self.path.is_empty() {
            let separator = if self.repository.starts_with("gh:") { "/" } else { "//" };
            let path = self.path.replace('%', "%25").replace('@', "%40").replace('?', "%3F");
            write!(formatter, "{separator}{path}")?;
        }
        match &self.revision {
            Some(revision) => write!(formatter, "@{revision}"),
            None => Ok(()),
        }
    }
}

/// A commit of a repository, and the requested path in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The repository and the path.
    pub location: Location,
    /// Its full id.
    pub id: String,
}

impl Commit {
    /// The source that names exactly this version of a skill.
    pub fn source_of(&self, root: &str) -> String {
        self.location.at(root, &self.id).to_string()
    }

    /// The start of its id, for messages.
    pub fn short(&self) -> &str {
        short(&self.id)
    }
}

/// The start of a commit id, for messages.
pub fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

impl fmt::Display for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.location.repository, self.short())
    }
}

/// Whether a text could be a commit id, or the start of one.
pub fn is_hex(text: &str) -> bool {
    text.bytes().all(|one| matches!(one, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a text is a full commit id.
pub fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && is_hex(text)
}

/// Whether this can be the name of a tag, a branch or another ref by git's rules (`git
/// check-ref-format`), and cannot be mistaken for an option.
pub fn is_ref_name(name: &str) -> bool {
    let never = |one: char| is_unprintable(one) || one.is_whitespace() || "~^:?*[\\".contains(one);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    name != "@"
        && !name.starts_with('-')
        && !name.ends_with('.')
        && !name.contains("..")
        && !name.contains("@{")
        && !name.chars().any(never)
        && name.split('/').all(is_part)
}

fn github(rest: &str) -> Result<Location, String> {
    let (place, revision) = split_revision(rest)?;
    let mut parts = place.splitn(3, '/');
    let (owner, repo) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let repo = repo.trim_end_matches(".git");
    for part in [owner, repo] {
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-".contains(one);
        let is_path = matches!(part, "" | "." | "..") || part.starts_with('-');
        if is_path || !part.chars().all(is_plain) {
            return Err("an owner and a repository are required".to_owned());
        }
    }
    Ok(Location {
        repository: format!("gh:{owner}/{repo}"),
        url: format!("{GITHUB}{owner}/{repo}.git"),
        path: inner_path(parts.next().unwrap_or_default())?,
        revision,
        undecided: None,
    })
}

fn remote(rest: &str) -> Result<Location, String> {
    let (scheme, after) = rest.split_once("://").ok_or("it has no `://`")?;
    let (authority, path) = after.split_once('/').ok_or("the repository is missing")?;
    check_authority(scheme, authority)?;
    let (place, revision) = split_revision(path)?;
    let (place, inner) = place.split_once("//").unwrap_or((place, ""));
    let place = place.trim_end_matches('/');
    if place.is_empty() {
        return Err("the repository is missing".to_owned());
    }
    let url = format!("{scheme}://{authority}/{place}");
    if url.chars().any(|one| is_unprintable(one) || one.is_whitespace() || one == '#') {
        return Err("it contains an invalid character".to_owned());
    }
    let (repository, path) = (format!("git+{url}"), inner_path(inner)?);
    Ok(Location { repository, url, path, revision, undecided: None })
}

/// Refuses unsafe protocols, logins, and text that git could mistake for an option.
fn check_authority(scheme: &str, authority: &str) -> Result<(), String> {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|one| one.is_ascii_digit()) => name,
        _ => host,
    };
    if UNPROTECTED.contains(&scheme) && !LOOPBACK.contains(&name) {
        return Err(format!("`{scheme}` is not secure; use https"));
    }
    if !PROTECTED.contains(&scheme) && !UNPROTECTED.contains(&scheme) {
        return Err(format!("unsupported protocol `{scheme}`"));
    }
    // A colon that no port follows starts a password.
    let is_cut = name.contains(':') && !name.starts_with('[');
    let is_option = host.starts_with('-') || user.starts_with('-');
    if is_cut || is_option || host.is_empty() != (scheme == "file") {
        return Err("invalid host".to_owned());
    }
    if user.contains(':') || (scheme != "ssh" && !user.is_empty()) {
        return Err(LOGIN.to_owned());
    }
    Ok(())
}

/// Splits at the first `@`; the revision after it may contain more of them.
fn split_revision(text: &str) -> Result<(&str, Option<String>), String> {
    let Some((place, revision)) = text.split_once('@') else { return Ok((text, None)) };
    if !is_ref_name(revision) {
        return Err(format!("invalid revision `{}`", revision.escape_debug()));
    }
    Ok((place, Some(revision.to_owned())))
}

fn inner_path(text: &str) -> Result<String, String> {
    let path = percent_decode(text);
    let path = path.trim_end_matches('/');
    let is_wrong = |part: &str| matches!(part, "" | "." | "..");
    if !path.is_empty() && (path.split('/').any(is_wrong) || path.chars().any(is_unprintable)) {
        return Err(format!("invalid path `{}`", path.escape_debug()));
    }
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Location {
        Location::parse(text).unwrap().unwrap()
    }

    #[test]
    fn every_part_of_a_source_is_found_and_written_again() {
        for (text, url, path, revision) in [
            ("gh:o/r", "https://github.com/o/r.git", "", None),
            ("gh:o/r@v1.2", "https://github.com/o/r.git", "", Some("v1.2")),
            (
                "gh:o/r/skills/pdf@feature/x",
                "https://github.com/o/r.git",
                "skills/pdf",
                Some("feature/x"),
            ),
            ("gh:o/r@pkg@1.0.0", "https://github.com/o/r.git", "", Some("pkg@1.0.0")),
            ("gh:o/.github", "https://github.com/o/.github.git", "", None),
            ("gh:o/r/a%40b@main", "https://github.com/o/r.git", "a@b", Some("main")),
            ("git+https://h.example:8443/t/r.git", "https://h.example:8443/t/r.git", "", None),
            ("git+https://h/t/r.git//s/p@v1", "https://h/t/r.git", "s/p", Some("v1")),
            ("git+ssh://git@h/t/r.git@main", "ssh://git@h/t/r.git", "", Some("main")),
            ("git+ssh://git@h:22/t/r", "ssh://git@h:22/t/r", "", None),
            ("git+file:///srv/r//s", "file:///srv/r", "s", None),
            ("git+file:///srv/r//c#/why%3F@fix/#1", "file:///srv/r", "c#/why?", Some("fix/#1")),
            ("git+http://127.0.0.1:80/r", "http://127.0.0.1:80/r", "", None),
        ] {
            let location = parsed(text);
            assert_eq!((&*location.url, &*location.path), (url, path), "{text}");
            assert_eq!(location.revision.as_deref(), revision, "{text}");
            assert_eq!(location.to_string(), text);
        }
        assert_eq!(parsed("gh:o/r.git").to_string(), "gh:o/r");
        assert_eq!(parsed("gh:o/r/a/").to_string(), "gh:o/r/a");
        assert_eq!(parsed("git+ssh://git@h/t/r.git").name(), "r");
    }

    #[test]
    fn paths_are_left_to_the_file_system() {
        for text in ["./skills", "skills", "/a/b.skill", "C:\\x", "a@b", "git", "owner/repo"] {
            assert_eq!(Location::parse(text).unwrap(), None, "{text}");
        }
    }

    #[test]
    fn nothing_gets_to_git_that_could_mean_something_else() {
        for text in [
            "gh:",
            "gh:o",
            "gh:o/",
            "gh:-o/r",
            "gh:../r",
            "gh:o/r/../x",
            "gh:o/r/a//b",
            "gh:o/r@",
            "gh:o/r@-x",
            "gh:o/r@--upload-pack=x",
            "gh:o/r@a..b",
            "gh:o/r@a b",
            "gh:o/r@a:b",
            "gh:o/r@\u{1b}[0m",
            "git+ext::sh -c x",
            "git+ext://x/y",
            "git+https://h",
            "git+https://h/",
            "git+https:///r",
            "git+https://user:secret@h/r.git",
            "git+https://token@h/r.git",
            "git+ssh://-oProxyCommand=x/r",
            "git+ssh://-x@h/r",
            "git+http://h/r",
            "git+http://127.0.0.1.evil.example/r",
            "git+git://h/r",
            "git+file://h/r",
            "git+file:///a b",
            "git+https://h/r?token=x",
            "git+https://h/r.git//a?b@v1",
            "git+https://h/r.git@v1?token=x",
            "git+https://h/r#x",
            "gh:o/r?token=x",
            "gh:o/r/a?b",
            "ftp://h/r",
        ] {
            assert!(Location::parse(text).is_err(), "{text}");
        }
    }
}
