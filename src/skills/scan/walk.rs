//! The way down from a directory, one level after the other.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{CACHE_TAG, OpenDirectory, Search, Visited, skill_md};
use crate::skills::error::{Error, Result};
use crate::skills::inventory::is_version_control;
use crate::skills::own_names;
use crate::skills::parallel;
use crate::skills::platform::FileKind;
use crate::skills::source::{Skill, SkillKind};

/// A directory still to be listed.
struct Pending {
    path: PathBuf,
    depth: usize,
    /// Whether the directory above it is an agent's own skills directory, which promises
    /// that every directory in it is a skill.
    promised: bool,
}

/// What one directory turned out to be.
enum Listed {
    Skill(Visited),
    Group { directories: Vec<OsString>, links: Vec<PathBuf>, is_cache: bool },
    Failed(Error),
}

impl Search<'_> {
    /// Finds the skills in a directory and below it.
    pub(super) fn descend(&mut self, root: &Path) -> Result<()> {
        let mut level = vec![Pending { path: root.to_owned(), depth: 0, promised: false }];
        while !level.is_empty() {
            level.retain(|pending| !self.meets_again(&pending.path));
            let listings =
                parallel::map(&level, self.options.threads, |pending| self.list(&pending.path));
            let mut next = Vec::new();
            for (pending, listed) in level.into_iter().zip(listings) {
                match listed {
                    Listed::Skill(visited) => self.skills.push((pending.path, visited)),
                    Listed::Failed(error) if pending.depth == 0 => return Err(error),
                    Listed::Failed(error) => {
                        self.met.unreadable.push(error);
                        self.not_entered.push(pending.path);
                    }
                    // A cache that the user named is meant; one on the way is not.
                    Listed::Group { is_cache: true, .. } if pending.depth > 0 => {}
                    Listed::Group { directories, links, .. } => {
                        self.met.links.extend(links);
                        next.extend(self.below(&pending, directories, root));
                        if pending.promised {
                            self.promised.push((self.source, pending.path));
                        }
                    }
                }
            }
            level = next;
        }
        Ok(())
    }

    /// The directories of a group that are to be listed next; the others that may hold skills are
    /// remembered.
    fn below(
        &mut self,
        group: &Pending,
        mut directories: Vec<OsString>,
        root: &Path,
    ) -> Vec<Pending> {
        let options = self.options;
        directories.retain(|name| !is_skipped(name));
        if options.max_depth.is_some_and(|depth| group.depth >= depth) {
            if !directories.is_empty() {
                self.not_entered.push(group.path.clone());
            }
            return Vec::new();
        }
        let promised = is_agent_directory(&group.path);
        let pending = |name: OsString| {
            // With all the room it needs from the start.
            let mut path = PathBuf::with_capacity(group.path.as_os_str().len() + 1 + name.len());
            path.push(&group.path);
            path.push(&name);
            let is_excluded = || {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                options.exclude.matches(relative)
            };
            if !options.exclude.is_empty() && is_excluded() {
                self.not_entered.push(path);
                return None;
            }
            Some(Pending { path, depth: group.depth + 1, promised })
        };
        directories.into_iter().filter_map(pending).collect()
    }

    fn list(&self, path: &Path) -> Listed {
        let open = match OpenDirectory::open(path) {
            Ok(open) => open,
            Err(error) => return Listed::Failed(Error::io("read directory", path, &error)),
        };
        if let Some(skill_md) = skill_md(&open.entries) {
            let skill = Skill::at(SkillKind::Directory, path, Some(skill_md));
            return Listed::Skill(self.read(skill, Some(open)));
        }
        let mut directories = Vec::new();
        let mut links = Vec::new();
        let mut is_cache = false;
        for (name, kind) in open.entries {
            is_cache |= name == CACHE_TAG;
            match kind {
                FileKind::Directory => directories.push(name),
                FileKind::Symlink if path.join(&name).is_dir() => links.push(path.join(name)),
                _ => {}
            }
        }
        Listed::Group { directories, links, is_cache }
    }
}

/// Directories that are never searched for skills.
pub(in crate::skills) fn is_skipped(name: &OsStr) -> bool {
    is_version_control(name) || name == "node_modules" || own_names::is_beside_skills(name)
}

/// `.claude/skills` and `.agents/skills`: every directory inside is meant as a skill.
fn is_agent_directory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "skills")
        && path
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|parent| parent == ".claude" || parent == ".agents")
}
