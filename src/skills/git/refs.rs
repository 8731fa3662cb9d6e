//! What a server calls its commits.

use std::path::Path;

use super::failure::Failure;
use super::location::Location;
use super::program::Git;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::similar;

/// The names that a server has, and where they lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Refs {
    head: Option<String>,
    tags: Vec<(String, String)>,
    branches: Vec<(String, String)>,
}

impl Refs {
    /// Asks the server.
    pub(super) fn of(git: &Git, repository: &Path, location: &Location) -> Result<Self, Failure> {
        let mut command = git.asking_command(repository, location);
        command.args(["ls-remote", "--quiet", "--", &location.url]);
        command.args(["HEAD", "refs/heads/*", "refs/tags/*"]);
        let answer = git.run(command, &[])?;
        Ok(Self::parse(&String::from_utf8_lossy(&answer)))
    }

    fn parse(answer: &str) -> Self {
        let mut refs = Self::default();
        for (id, name) in answer.lines().filter_map(|line| line.split_once('\t')) {
            let id = id.to_owned();
            if name == "HEAD" {
                refs.head = Some(id);
            } else if let Some(branch) = name.strip_prefix("refs/heads/") {
                refs.branches.push((branch.to_owned(), id));
            } else if let Some(tag) = name.strip_prefix("refs/tags/") {
                let peeled = tag.strip_suffix("^{}");
                match refs.tags.last_mut() {
                    // What an annotated tag leads to stands right after the tag itself.
                    Some((last, leads)) if peeled == Some(last) => *leads = id,
                    _ => refs.tags.push((peeled.unwrap_or(tag).to_owned(), id)),
                }
            }
        }
        refs
    }

    /// The commit that a name leads to; a tag wins over a branch, as in git.
    pub(super) fn find(&self, revision: Option<&str>) -> Option<&str> {
        let Some(revision) = revision.filter(|one| *one != "HEAD") else {
            return self.head.as_deref();
        };
        let lists = [("refs/tags/", &self.tags), ("refs/heads/", &self.branches)];
        // A whole name is meant as one; nothing else that is called like it can be.
        let whole =
            lists.iter().find_map(|(prefix, list)| Some((revision.strip_prefix(prefix)?, *list)));
        let named = |(wanted, list): (&str, &'_ [(String, String)])| {
            // The last, should what a tag leads to stand elsewhere after all.
            list.iter().rposition(|(name, _)| name == wanted)
        };
        match whole {
            Some((wanted, list)) => named((wanted, list)).map(|at| &*list[at].1),
            None => {
                lists.iter().find_map(|(_, list)| named((revision, list)).map(|at| &*list[at].1))
            }
        }
    }

    /// Says which names there are.
    pub(super) fn unknown(&self, location: &Location) -> Error {
        let repository = &location.repository;
        let names: Vec<&str> =
            self.tags.iter().rev().chain(&self.branches).map(|(name, _)| &**name).collect();
        let Some(revision) = &location.revision else {
            if names.is_empty() {
                let message = format!("`{repository}` is empty: it has no commit");
                return Error::new(ErrorKind::NotFound, message);
            }
            let message = format!("`{repository}` does not say which branch is meant");
            let help = format!("name one with `@`; it has {}", similar::some(&names));
            return Error::new(ErrorKind::NotFound, message).help(help);
        };
        let message = format!("`{repository}` has no revision `{revision}`");
        let error = Error::new(ErrorKind::NotFound, message);
        match similar::nearest(revision, names.iter().copied()) {
            Some(near) => {
                error.help(format!("did you mean `{near}`? it has {}", similar::some(&names)))
            }
            None if names.is_empty() => error.help("it has neither tags nor branches"),
            None => error.help(format!("it has {}", similar::some(&names))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn very_many_tags_are_read_at_once() {
        let line = |number: usize| {
            format!("a{number}\trefs/tags/v{number}\nb{number}\trefs/tags/v{number}^{{}}\n")
        };
        let answer: String = (0..40_000).map(line).collect();
        let begun = Instant::now();
        let refs = Refs::parse(&answer);
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_eq!(refs.tags.len(), 40_000);
        assert_eq!(refs.find(Some("v7")), Some("b7"));
        // Servers may have another order.
        let refs = Refs::parse("a1\trefs/tags/v1\na2\trefs/tags/v2\nb1\trefs/tags/v1^{}\n");
        assert_eq!(refs.find(Some("v1")), Some("b1"));
    }

    #[test]
    fn tags_win_and_annotated_ones_lead_to_their_commit() {
        let refs = Refs::parse(
            "a1\tHEAD\na1\trefs/heads/main\nb1\trefs/heads/v1\nc1\trefs/tags/v1\nc2\trefs/tags/v1^{}\n\
             d1\trefs/tags/v2\ne1\trefs/tags/refs/heads/main\n",
        );
        for (revision, id) in [
            (None, Some("a1")),
            (Some("main"), Some("a1")),
            (Some("v1"), Some("c2")),
            (Some("refs/heads/v1"), Some("b1")),
            (Some("refs/heads/main"), Some("a1")),
            (Some("refs/heads/v2"), None),
            (Some("refs/tags/v2"), Some("d1")),
            (Some("v3"), None),
            (Some("HEA"), None),
        ] {
            assert_eq!(refs.find(revision), id, "{revision:?}");
        }
    }
}
