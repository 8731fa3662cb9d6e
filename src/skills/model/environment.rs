//! The environment of a run: home, current directory, repository, and variables.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use crate::skills::files::HOME_VARIABLES;
use crate::skills::files::content::{self, Content};

/// What decides where agents look for skills.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The home directory, when it is set and absolute.
    pub home: Option<PathBuf>,
    /// The current directory, without links.
    pub directory: PathBuf,
    /// Variables that are set and not empty.
    variables: HashMap<OsString, OsString>,
}

/// A directory of the user's skills, read in every project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRoot {
    /// Below the home directory.
    Home(&'static str),
    /// Below the directory that a variable names, else below a directory of the home.
    Variable {
        /// The variable.
        name: &'static str,
        /// The directory below the home if the variable is not set.
        fallback: &'static str,
        /// The rest of the path.
        below: &'static str,
    },
    /// Below the home directory, unless a variable is set.
    HomeUnless {
        /// The variable.
        name: &'static str,
        /// The path below the home.
        below: &'static str,
    },
    /// Only where a variable names it.
    OnlyVariable {
        /// The variable.
        name: &'static str,
        /// The rest of the path.
        below: &'static str,
    },
    /// The same for everyone.
    Absolute(&'static str),
}

/// How far up from the current directory an agent looks for project skills. In a repository, it
/// stops at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Climb {
    /// What makes a directory the top of a repository.
    pub git: RepositoryMark,
    /// How far it goes outside a repository.
    pub outside: OutsideRule,
    /// What happens at the home directory.
    pub home: HomeRule,
}

/// What makes a directory the top of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepositoryMark {
    /// Anything called `.git`.
    AnyEntry,
    /// A file called `.git`, or a directory of that name which git made.
    MadeByGit,
    /// The same, but a file must lead to a directory that git made.
    Working,
    /// Nothing: repositories do not matter.
    Ignored,
}

/// How far an agent looks outside a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideRule {
    /// Not above the current directory.
    Here,
    /// To the home directory, or to the top if the home is not above.
    Home,
    /// To the top of the file system.
    Top,
}

/// What happens if the search reaches the home directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeRule {
    /// It is like any other.
    Counts,
    /// It does not count, and the search goes on.
    Skipped,
    /// It does not count, and nothing above it does.
    Ends,
}

impl Climb {
    /// The current directory alone.
    pub const NONE: Self =
        Self { git: RepositoryMark::Ignored, outside: OutsideRule::Here, home: HomeRule::Counts };
    /// To the top of the repository or of the file system, without the home.
    pub const ALL: Self =
        Self { git: RepositoryMark::AnyEntry, outside: OutsideRule::Top, home: HomeRule::Skipped };
}

/// The absolute path without `.`, `..` and a trailing slash.
pub fn normalized(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut whole = PathBuf::new();
    for part in absolute.components() {
        match part {
            // Behind a link, `..` leads elsewhere than the names say.
            Component::ParentDir => {
                whole = whole.canonicalize().unwrap_or(whole);
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}

impl Environment {
    /// A run in `directory` with these variables.
    pub fn new(
        directory: PathBuf,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let variables: HashMap<OsString, OsString> =
            variables.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let mut homes = HOME_VARIABLES.iter().filter_map(|name| variables.get(OsStr::new(name)));
        let home = homes.next().map(PathBuf::from);
        Self { home: home.filter(|home| home.is_absolute()), directory, variables }
    }

    /// The same directory with another home, without the user's variables.
    pub fn with_home(&self, home: &Path) -> Self {
        let home = normalized(&self.directory.join(home));
        let variables = HOME_VARIABLES.iter().map(|name| ((*name).into(), home.clone().into()));
        Self::new(self.directory.clone(), variables)
    }

    /// The value of a variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// All variables that are set and not empty.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The path of a root; none without a home, or without its variable.
    pub fn user_root(&self, root: UserRoot) -> Option<PathBuf> {
        let variable =
            |name| self.variable(name).map(|value| normalized(&self.directory.join(value)));
        match root {
            UserRoot::Home(below) => Some(self.home.as_ref()?.join(below)),
            UserRoot::Variable { name, fallback, below } => variable(name)
                .or_else(|| self.home.as_ref().map(|home| home.join(fallback)))
                .map(|base| base.join(below)),
            UserRoot::HomeUnless { name, below } => {
                let home = self.home.as_ref().filter(|_| self.variable(name).is_none())?;
                Some(home.join(below))
            }
            UserRoot::OnlyVariable { name, below } => variable(name).map(|base| base.join(below)),
            UserRoot::Absolute(path) => Some(PathBuf::from(path)),
        }
    }

    /// A path with `~` written out, relative to the current directory.
    pub fn expand(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.directory.join(path),
        }
    }

    /// Whether a variable for a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        let value = self.variable(name).map(|value| value.to_string_lossy().to_lowercase());
        matches!(value.as_deref(), Some("1" | "true"))
    }

    /// The current directory and those above it that count as the project, nearest first.
    pub fn project(&self, climb: Climb) -> Vec<&Path> {
        let here = self.directory.as_path();
        let home = self.home.as_deref().and_then(|home| home.canonicalize().ok());
        let home = home.as_deref();
        let top = match (self.repository(climb.git), climb.outside) {
            (Some(top), _) => Some(top),
            (None, OutsideRule::Here) => Some(here),
            (None, OutsideRule::Home) => {
                here.ancestors().find(|directory| home == Some(*directory))
            }
            (None, OutsideRule::Top) => None,
        };
        let mut directories: Vec<&Path> = here
            .ancestors()
            .take_while(|directory| top.is_none_or(|top| directory.starts_with(top)))
            .collect();
        if let Some(at) = directories.iter().position(|directory| home == Some(*directory)) {
            match climb.home {
                HomeRule::Counts => {}
                HomeRule::Skipped => {
                    directories.remove(at);
                }
                HomeRule::Ends => directories.truncate(at),
            }
        }
        directories
    }

    /// The top of the repository around the current directory.
    pub fn repository(&self, git: RepositoryMark) -> Option<&Path> {
        self.directory.ancestors().find(|directory| {
            let entry = directory.join(".git");
            match git {
                RepositoryMark::Ignored => false,
                // In work trees and submodules, `.git` is a file.
                RepositoryMark::AnyEntry => entry.exists(),
                RepositoryMark::MadeByGit => entry.is_file() || entry.join("HEAD").is_file(),
                RepositoryMark::Working => {
                    let linked = || {
                        directory
                            .join(linked_git_directory(&entry)?)
                            .join("HEAD")
                            .is_file()
                            .then_some(())
                    };
                    entry.join("HEAD").is_file() || linked().is_some()
                }
            }
        })
    }
}

/// Whether this can be the name of an environment variable.
pub fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The git directory that a `.git` file names.
fn linked_git_directory(file: &Path) -> Option<PathBuf> {
    match content::read(file) {
        Content::Text(text) => Some(PathBuf::from(text.strip_prefix("gitdir:")?.trim())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(home: &Path, directory: &Path) -> Environment {
        let home = (OsString::from("HOME"), home.as_os_str().to_owned());
        Environment::new(directory.to_owned(), [home])
    }

    #[test]
    fn the_way_up_ends_where_each_agent_ends_it() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let (home, repo) = (root.join("home"), root.join("home/code/repo"));
        let here = repo.join("a/b");
        std::fs::create_dir_all(&here).unwrap();
        let environment = environment(&home, &here);
        let climb = |git, outside, home| environment.project(Climb { git, outside, home });
        let names = |paths: Vec<&Path>| -> Vec<String> {
            let below = |path: &&Path| path.starts_with(&root);
            let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
            paths.into_iter().filter(below).map(name).collect()
        };
        let up =
            ["home/code/repo/a/b", "home/code/repo/a", "home/code/repo", "home/code", "home", ""];
        assert_eq!(
            names(climb(RepositoryMark::AnyEntry, OutsideRule::Here, HomeRule::Counts)),
            up[..1]
        );
        assert_eq!(
            names(climb(RepositoryMark::AnyEntry, OutsideRule::Home, HomeRule::Counts)),
            up[..5]
        );
        assert_eq!(names(climb(RepositoryMark::AnyEntry, OutsideRule::Top, HomeRule::Counts)), up);
        assert_eq!(
            names(climb(RepositoryMark::AnyEntry, OutsideRule::Top, HomeRule::Ends)),
            up[..4]
        );
        let skipped = names(climb(RepositoryMark::AnyEntry, OutsideRule::Top, HomeRule::Skipped));
        assert_eq!(skipped, [&up[..4], &up[5..]].concat());
        std::fs::create_dir(repo.join(".git")).unwrap();
        assert_eq!(
            names(climb(RepositoryMark::AnyEntry, OutsideRule::Top, HomeRule::Counts)),
            up[..3]
        );
        assert_eq!(names(climb(RepositoryMark::MadeByGit, OutsideRule::Top, HomeRule::Counts)), up);
        std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(
            names(climb(RepositoryMark::MadeByGit, OutsideRule::Top, HomeRule::Counts)),
            up[..3]
        );
        assert_eq!(
            names(climb(RepositoryMark::Ignored, OutsideRule::Here, HomeRule::Counts)),
            up[..1]
        );
        assert_eq!(
            names(climb(RepositoryMark::Working, OutsideRule::Top, HomeRule::Counts)),
            up[..3]
        );
        std::fs::write(here.join(".git"), "gitdir: /nowhere\n").unwrap();
        assert_eq!(
            names(climb(RepositoryMark::MadeByGit, OutsideRule::Top, HomeRule::Counts)),
            up[..1]
        );
        assert_eq!(
            names(climb(RepositoryMark::Working, OutsideRule::Top, HomeRule::Counts)),
            up[..3]
        );
        std::fs::write(here.join(".git"), "gitdir: ../../.git\n").unwrap();
        assert_eq!(
            names(climb(RepositoryMark::Working, OutsideRule::Top, HomeRule::Counts)),
            up[..1]
        );
    }
}
