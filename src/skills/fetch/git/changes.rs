//! The files of a working tree that differ from a revision.
//!
//! The repository is the user's, but its settings may have come with an archive. So none of its
//! filters run, and files are compared by the data in the index.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skills::fetch::git::program::{GitFailure, GitProgram};
use crate::skills::files::path_of_bytes;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::location::is_commit_id;

/// Default revisions to compare with; the first that exists counts.
const BASES: [&str; 6] = [
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "@{upstream}",
    "refs/heads/main",
    "refs/heads/master",
];

/// An empty variable, used as the value of disabled settings.
const EMPTY: &str = "SKILLS_EMPTY";

/// What differs from a revision.
#[derive(Debug, Clone)]
pub struct Changes {
    /// The revision, as it was written or found.
    pub base: String,
    /// The top of the working tree.
    pub root: PathBuf,
    /// Files that were added, changed or deleted, committed or not.
    paths: BTreeSet<PathBuf>,
}

impl Changes {
    /// The changes in the working tree around `directory`: since `base`, or else since the branch
    /// left the default branch.
    pub fn since(base: Option<&str>, directory: &Path, environment: &Environment) -> Result<Self> {
        let git = GitProgram::new(environment)?;
        let tree = WorkingTree { git: &git, directory, filters: Vec::new() };
        let root = tree.root()?;
        let tree = WorkingTree { filters: tree.filters()?, ..tree };
        let (base, commit) = tree.start(base)?;
        let mut paths = tree.paths(&root, &["diff-index", "--ignore-submodules=dirty"], &commit)?;
        let untracked = ["ls-files", "--others", "--exclude-standard", "--full-name"];
        paths.extend(tree.paths(&root, &untracked, "")?);
        Ok(Self { base, root, paths: paths.into_iter().collect() })
    }

    /// Whether a file at this path or below it differs.
    pub fn touch(&self, path: &Path) -> bool {
        // A changed submodule is one path above all the files in it.
        let first = self.paths.range(path.to_owned()..).next();
        first.is_some_and(|changed| changed.starts_with(path))
            || path.ancestors().any(|above| self.paths.contains(above))
    }
}

/// A working tree, and the git program to query it.
struct WorkingTree<'a> {
    git: &'a GitProgram,
    directory: &'a Path,
    /// Settings of programs that git would run on files.
    filters: Vec<OsString>,
}

impl WorkingTree<'_> {
    /// The top of the working tree.
    fn root(&self) -> Result<PathBuf> {
        let answer = self.ask(&["rev-parse", "--show-toplevel"]).map_err(|failure| {
            let place = self.directory.display();
            self.failed(failure, &format!("`--changed` found no git repository at `{place}`"))
        })?;
        let root = path_of_bytes(answer.strip_suffix(b"\n").unwrap_or(&answer));
        root.canonicalize().map_err(|error| Error::io("read", &root, &error))
    }

    /// The filters that the settings name.
    fn filters(&self) -> Result<Vec<OsString>> {
        let asked = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
        // Without filters, git fails without a message.
        let answer = match self.ask(&asked) {
            Ok(answer) => answer,
            Err(GitFailure::Refused(_)) => Vec::new(),
            Err(failure) => return Err(self.failed(failure, "cannot read the settings of git")),
        };
        let names = answer.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| path_of_bytes(name).into_os_string()).collect())
    }

    /// The revision to compare with: its name, and its commit.
    fn start(&self, wanted: Option<&str>) -> Result<(String, String)> {
        let head = self
            .commit("HEAD")
            .ok_or_else(|| err!(Usage, "`--changed` needs a commit, and there is none yet"))?;
        let (name, commit) = match wanted {
            Some(name) => {
                let commit = self.commit(name).ok_or_else(|| unknown(name))?;
                (name.to_owned(), commit)
            }
            None => BASES
                .iter()
                .find_map(|name| Some(((*name).to_owned(), self.commit(name)?)))
                .ok_or_else(no_base)?,
        };
        let short = name.strip_prefix("refs/remotes/").or_else(|| name.strip_prefix("refs/heads/"));
        let name = short.map_or_else(|| name.clone(), str::to_owned);
        let asked = ["merge-base", "--end-of-options", &commit, &head];
        // A shallow clone may not reach back that far; then compare with the revision itself.
        let fork = self.ask(&asked).ok().and_then(|answer| commit_id_of(&answer));
        Ok((name, fork.unwrap_or(commit)))
    }

    /// The commit that a revision means.
    fn commit(&self, revision: &str) -> Option<String> {
        let revision = format!("{revision}^{{commit}}");
        let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", &revision];
        self.ask(&asked).ok().and_then(|answer| commit_id_of(&answer))
    }

    /// The paths that a command prints, absolute.
    fn paths(&self, root: &Path, words: &[&str], commit: &str) -> Result<Vec<PathBuf>> {
        let mut words = words.to_vec();
        words.push("-z");
        if !commit.is_empty() {
            words.extend(["--name-only", "--end-of-options", commit, "--"]);
        }
        let tree = WorkingTree { directory: root, filters: self.filters.clone(), ..*self };
        let answer = tree
            .ask(&words)
            .map_err(|failure| self.failed(failure, "cannot ask git what has changed"))?;
        let names = answer.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| root.join(path_of_bytes(name))).collect())
    }

    fn ask(&self, words: &[&str]) -> Result<Vec<u8>, GitFailure> {
        let mut command: Command = self.git.working_command(self.directory);
        for filter in &self.filters {
            // The name may contain `=`; the variable after the last one has the value.
            let mut setting = OsString::from("--config-env=");
            setting.push(filter);
            setting.push(format!("={EMPTY}"));
            command.arg(setting);
        }
        command.env(EMPTY, "").args(words);
        self.git.run(command, &[])
    }

    fn failed(&self, failure: GitFailure, what: &str) -> Error {
        match failure {
            GitFailure::Ours(error) => error,
            GitFailure::Refused(words) => err!(Io, "{what}: {words}").at(self.directory),
            GitFailure::Silent(_) | GitFailure::Endless(_) => {
                err!(Io, "{what}: git did not answer")
            }
        }
    }
}

fn unknown(name: &str) -> Error {
    let error = err!(Usage, "`{name}` is not a revision of this repository");
    match Path::new(name).symlink_metadata() {
        Ok(_) => error.help("write sources before `--changed`, which takes a revision"),
        Err(_) => error.help("fetch it first; in CI, check out the history too (`fetch-depth: 0`)"),
    }
}

fn no_base() -> Error {
    err!(Usage, "`--changed` cannot tell which branch this one started from")
        .help("name a revision, such as `--changed origin/main`")
}

/// The commit id that git printed.
fn commit_id_of(answer: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?.lines().next()?.trim();
    is_commit_id(text).then(|| text.to_owned())
}
