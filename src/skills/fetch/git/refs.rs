//! The references of a server.

use std::path::Path;

use crate::skills::fetch::git::program::{GitFailure, GitProgram};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::location::{Location, is_commit_id, is_ref_name};
use crate::skills::text::suggest;

/// The references of a server, with their commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refs {
    head: Option<String>,
    tags: Vec<(String, String)>,
    branches: Vec<(String, String)>,
}

impl Refs {
    /// Asks the server; also returns its unparsed answer.
    pub fn of(
        git: &GitProgram,
        repository: &Path,
        location: &Location,
    ) -> Result<(Self, Vec<u8>), GitFailure> {
        let mut command = git.asking_command(repository, location);
        command.args(["ls-remote", "--quiet", "--", &location.url]);
        command.args(["HEAD", "refs/heads/*", "refs/tags/*"]);
        let answer = git.run(command, &[])?;
        match Self::parse(&answer) {
            Some(refs) => Ok((refs, answer)),
            None => {
                let message =
                    format!("`{}` does not answer with a list of commits", location.repository);
                Err(GitFailure::Ours(Error::new(ErrorKind::Validation, message)))
            }
        }
    }

    /// Parses the answer; none if any line is invalid. A hostile server can put any bytes into the
    /// name of a branch, including line breaks.
    pub fn parse(answer: &[u8]) -> Option<Self> {
        let mut refs = Self::default();
        for line in answer.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            let id = std::str::from_utf8(&line[..tab]).ok().filter(|id| is_commit_id(id))?;
            // Skip names that cannot be typed.
            let Ok(name) = std::str::from_utf8(&line[tab + 1..]) else { continue };
            refs.add(name, id.to_owned());
        }
        Some(refs)
    }

    fn add(&mut self, name: &str, id: String) {
        if name == "HEAD" {
            self.head = Some(id);
            return;
        }
        let (whole, peeled) = match name.strip_suffix("^{}") {
            Some(whole) => (whole, true),
            None => (name, false),
        };
        let short = |prefix: &str| whole.strip_prefix(prefix).filter(|short| is_ref_name(short));
        if let Some(branch) = short("refs/heads/").filter(|_| !peeled) {
            self.branches.push((branch.to_owned(), id));
        } else if let Some(tag) = short("refs/tags/") {
            match self.tags.last_mut() {
                // The target of an annotated tag follows the tag.
                Some((last, leads)) if peeled && tag == last => *leads = id,
                _ => self.tags.push((tag.to_owned(), id)),
            }
        }
    }

    /// The commit of a reference; a tag wins over a branch, as in git.
    pub fn find(&self, revision: Option<&str>) -> Option<&str> {
        let Some(revision) = revision.filter(|one| *one != "HEAD") else {
            return self.head.as_deref();
        };
        let lists = [("refs/tags/", &self.tags), ("refs/heads/", &self.branches)];
        // A full name such as `refs/heads/main` is unambiguous.
        let whole =
            lists.iter().find_map(|(prefix, list)| Some((revision.strip_prefix(prefix)?, *list)));
        let named = |(wanted, list): (&str, &'_ [(String, String)])| {
            // Take the last, in case the target of a tag does not follow it directly.
            list.iter().rposition(|(name, _)| name == wanted)
        };
        match whole {
            Some((wanted, list)) => named((wanted, list)).map(|at| &*list[at].1),
            None => {
                lists.iter().find_map(|(_, list)| named((revision, list)).map(|at| &*list[at].1))
            }
        }
    }

    /// Lists the available references.
    pub fn unknown(&self, location: &Location) -> Error {
        let repository = &location.repository;
        let names: Vec<&str> =
            self.tags.iter().rev().chain(&self.branches).map(|(name, _)| &**name).collect();
        let Some(revision) = &location.revision else {
            if names.is_empty() {
                return err!(NotFound, "`{repository}` is empty: it has no commit");
            }
            let help = format!("name one with `@`; it has {}", suggest::some(&names));
            return err!(NotFound, "`{repository}` does not name a default branch").help(help);
        };
        let error = err!(NotFound, "`{repository}` has no revision `{revision}`");
        match suggest::nearest(revision, names.iter().copied()) {
            Some(near) => {
                error.help(format!("did you mean `{near}`? it has {}", suggest::some(&names)))
            }
            None if names.is_empty() => error.help("it has neither tags nor branches"),
            None => error.help(format!("it has {}", suggest::some(&names))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// An id with this ending.
    fn id(end: &str) -> String {
        format!("{end:0>40}")
    }

    /// The answer of a server, with short ids.
    fn parse(answer: &str) -> Refs {
        let line = |line: &str| match line.split_once('\t') {
            Some((end, name)) => format!("{}\t{name}\n", id(end)),
            None => format!("{line}\n"),
        };
        Refs::parse(answer.lines().map(line).collect::<String>().as_bytes()).unwrap()
    }

    #[test]
    fn very_many_tags_are_read_at_once() {
        let line = |number: usize| {
            format!("a{number}\trefs/tags/v{number}\nb{number}\trefs/tags/v{number}^{{}}\n")
        };
        let answer: String = (0..40_000).map(line).collect();
        let begun = Instant::now();
        let refs = parse(&answer);
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_eq!(refs.tags.len(), 40_000);
        assert_eq!(refs.find(Some("v7")), Some(&*id("b7")));
        // The order of the server may differ.
        let refs = parse("a1\trefs/tags/v1\na2\trefs/tags/v2\nb1\trefs/tags/v1^{}\n");
        assert_eq!(refs.find(Some("v1")), Some(&*id("b1")));
    }

    #[test]
    fn tags_win_and_annotated_ones_lead_to_their_commit() {
        let refs = parse(
            "a1\tHEAD\na1\trefs/heads/main\nb1\trefs/heads/v1\nc1\trefs/tags/v1\nc2\trefs/tags/v1^{}\n\
             d1\trefs/tags/v2\ne1\trefs/tags/refs/heads/main\n",
        );
        for (revision, end) in [
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
            assert_eq!(refs.find(revision), end.map(id).as_deref(), "{revision:?}");
        }
    }

    #[test]
    fn an_answer_with_anything_but_commits_is_refused() {
        let good = format!("{}\tHEAD\n", id("a"));
        assert!(Refs::parse(good.as_bytes()).is_some());
        assert!(Refs::parse(format!("{:0>64}\tHEAD\n", "a").as_bytes()).is_some());
        for line in [
            "--upload-pack=/x\tHEAD".to_owned(),
            format!("{}\tHEAD", &id("a")[1..]),
            format!("{}0\tHEAD", id("a")),
            format!("{}\tHEAD", id("G")),
            format!("{}\tHEAD", id("A")),
            format!("{} HEAD", id("a")),
            "\tHEAD".to_owned(),
            "x".to_owned(),
        ] {
            let answer = format!("{good}{line}\n");
            assert!(Refs::parse(answer.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn names_that_git_does_not_allow_are_not_taken() {
        for name in ["main", "feature/two", "v1.2", "pkg@1.0.0", "fix/#12", "über", "a-b"] {
            assert!(is_ref_name(name), "{name}");
            let refs = parse(&format!("a\trefs/heads/{name}\n"));
            assert_eq!(refs.find(Some(name)), Some(&*id("a")), "{name}");
        }
        for name in [
            "",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.",
            "a..b",
            "a.lock",
            "a.lock/b",
            "a@{b",
            "@",
            "-a",
            "a b",
            "a~b",
            "a^b",
            "a:b",
            "a?b",
            "a*b",
            "a[b",
            "a\\b",
            "a\u{1b}b",
            "a\u{7f}b",
            "a\u{202e}b",
        ] {
            assert!(!is_ref_name(name), "{name}");
            let mut refs = Refs::default();
            refs.add(&format!("refs/heads/{name}"), id("a"));
            refs.add(&format!("refs/tags/{name}^{{}}"), id("a"));
            assert_eq!(refs, Refs::default(), "{name}");
        }
        // Names that are not UTF-8 are skipped.
        let answer = [id("a").as_bytes(), b"\trefs/heads/\xff\n"].concat();
        assert_eq!(Refs::parse(&answer), Some(Refs::default()));
    }
}
