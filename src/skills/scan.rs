//! Finds the skills below what a user named: breadth first, on several threads, sorted.
//!
//! A directory with an entry named `SKILL.md`, in any letter case and of any type, is a
//! skill and a leaf. Links to directories are not followed but reported.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::skills::error::{Error, Result};
use crate::skills::filter::PathFilter;
use crate::skills::inventory::is_version_control;
use crate::skills::name::SkillName;
use crate::skills::parallel;
use crate::skills::platform::{Directory, FileKind};
use crate::skills::source::{SKILL_MD, Skill, SkillKind, Source, is_skill_md};

/// How to scan.
#[derive(Debug, Clone, Default)]
pub struct ScanOptions {
    /// Levels below the source; none means no bound.
    pub max_depth: Option<usize>,
    /// Paths that are not entered.
    pub exclude: PathFilter,
    /// Threads to use.
    pub threads: usize,
}

/// What a scan found.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// Skills, sorted by path, each real path once.
    pub skills: Vec<Skill>,
    /// Links to directories that were not followed.
    pub links: Vec<PathBuf>,
    /// Directories that could not be read.
    pub unreadable: Vec<Error>,
}

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
    Skill(Skill),
    Group { directories: Vec<OsString>, links: Vec<PathBuf>, is_cache: bool },
    Failed(Error),
}

/// Scans all sources.
///
/// # Errors
/// Only a source that cannot be read at all; what fails below one is part of the result.
pub fn scan(sources: &[(Source, Option<SkillName>)], options: &ScanOptions) -> Result<Scan> {
    let mut found = Found::default();
    for (source, name) in sources {
        match (source, name) {
            (Source::File(path), _) => found.add(Skill {
                kind: SkillKind::File,
                path: path.clone(),
                skill_md: None,
                name_override: name.clone(),
            }),
            (Source::Directory(root), Some(name)) => found.add(promised(root, name)?),
            (Source::Directory(root), None) => scan_directory(root, options, &mut found)?,
        }
    }
    Ok(found.finish())
}

/// A directory that a manifest calls a skill by giving it a name.
fn promised(directory: &Path, name: &SkillName) -> Result<Skill> {
    let listed =
        try_list(directory).map_err(|error| Error::io("read directory", directory, &error))?;
    let skill_md = match listed {
        Listed::Skill(skill) => skill.skill_md,
        _ => None,
    };
    let path = directory.to_owned();
    Ok(Skill { kind: SkillKind::Directory, path, skill_md, name_override: Some(name.clone()) })
}

#[derive(Default)]
struct Found {
    skills: BTreeMap<PathBuf, Skill>,
    promised: Vec<PathBuf>,
    links: Vec<PathBuf>,
    unreadable: Vec<Error>,
}

impl Found {
    fn add(&mut self, skill: Skill) {
        self.skills.entry(skill.path.clone()).or_insert(skill);
    }

    fn finish(mut self) -> Scan {
        // A promise is broken only where nothing below the directory is a skill either.
        for path in std::mem::take(&mut self.promised) {
            let inside = self.skills.range(path.clone()..).next();
            if !inside.is_some_and(|(skill, _)| skill.starts_with(&path)) {
                self.add(Skill {
                    kind: SkillKind::Directory,
                    path,
                    skill_md: None,
                    name_override: None,
                });
            }
        }
        self.links.sort();
        self.links.dedup();
        Scan {
            skills: self.skills.into_values().collect(),
            links: self.links,
            unreadable: self.unreadable,
        }
    }
}

fn scan_directory(root: &Path, options: &ScanOptions, found: &mut Found) -> Result<()> {
    let mut level = vec![Pending { path: root.to_owned(), depth: 0, promised: false }];
    while !level.is_empty() {
        let listings = parallel::map(&level, options.threads, list);
        let mut next = Vec::new();
        for (pending, listed) in level.iter().zip(listings) {
            match listed {
                Listed::Skill(skill) => found.add(skill),
                Listed::Failed(error) if pending.depth == 0 => return Err(error),
                Listed::Failed(error) => found.unreadable.push(error),
                // A cache that the user named is meant; one on the way is not.
                Listed::Group { is_cache: true, .. } if pending.depth > 0 => {}
                Listed::Group { directories, links, .. } => {
                    if pending.promised {
                        found.promised.push(pending.path.clone());
                    }
                    found.links.extend(links);
                    if options.max_depth.is_some_and(|depth| pending.depth >= depth) {
                        continue;
                    }
                    let promised = is_agent_directory(&pending.path);
                    next.extend(directories.into_iter().filter_map(|name| {
                        let path = pending.path.join(&name);
                        let relative = path.strip_prefix(root).unwrap_or(&path);
                        let excluded = is_skipped(&name) || options.exclude.excludes(relative);
                        let depth = pending.depth + 1;
                        (!excluded).then_some(Pending { path, depth, promised })
                    }));
                }
            }
        }
        level = next;
    }
    Ok(())
}

fn list(pending: &Pending) -> Listed {
    match try_list(&pending.path) {
        Ok(listed) => listed,
        Err(error) => Listed::Failed(Error::io("read directory", &pending.path, &error)),
    }
}

fn try_list(directory: &Path) -> std::io::Result<Listed> {
    let mut skill_md: Option<String> = None;
    let mut directories = Vec::new();
    let mut links = Vec::new();
    let mut is_cache = false;
    for (name, kind) in Directory::open(directory)?.entries()? {
        if is_skill_md(&name) {
            // The exact spelling wins over any other; else the first in order.
            if skill_md.is_none() || name == SKILL_MD {
                skill_md = Some(name.to_string_lossy().into_owned());
            }
            continue;
        }
        is_cache |= name == "CACHEDIR.TAG";
        match kind {
            FileKind::Directory => directories.push(name),
            FileKind::Symlink if directory.join(&name).is_dir() => links.push(directory.join(name)),
            _ => {}
        }
    }
    if let Some(skill_md) = skill_md {
        return Ok(Listed::Skill(Skill {
            kind: SkillKind::Directory,
            path: directory.to_owned(),
            skill_md: Some(skill_md),
            name_override: None,
        }));
    }
    Ok(Listed::Group { directories, links, is_cache })
}

fn is_skipped(name: &OsStr) -> bool {
    is_version_control(name) || name == "node_modules"
}

/// `.claude/skills` and `.agents/skills`: every directory inside is meant as a skill.
fn is_agent_directory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "skills")
        && path
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|parent| parent == ".claude" || parent == ".agents")
}
