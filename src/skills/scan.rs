//! Finds the skills below what a user named: breadth first, on several threads, sorted.
//!
//! A directory with an entry named `SKILL.md`, in any letter case and of any type, is a
//! skill and a leaf. Links to directories are not followed but reported. Each skill is handed
//! to a reader while its directory is open, so that nothing is opened or listed twice.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::skills::bundle::{Bundle, Origin};
use crate::skills::document::Document;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::filter::{NameFilter, PathFilter};
use crate::skills::install::staging;
use crate::skills::inventory::is_version_control;
use crate::skills::name::SkillName;
use crate::skills::order;
use crate::skills::parallel;
use crate::skills::platform::{Directory, DirectoryEntry, FileKind};
use crate::skills::source::{SKILL_MD, Skill, SkillKind, Source, is_skill_md};

/// The file that marks a directory as a cache.
pub const CACHE_TAG: &str = "CACHEDIR.TAG";

/// How to scan.
#[derive(Debug, Clone, Default)]
pub struct ScanOptions {
    /// Levels below the source; none means no bound.
    pub max_depth: Option<usize>,
    /// Paths that are not entered.
    pub exclude: PathFilter,
    /// Filters of the manifest and of the command line; a name must pass each.
    pub names: Vec<NameFilter>,
    /// Exactly these names, when not empty.
    pub only: Vec<String>,
    /// Threads to use.
    pub threads: usize,
}

impl ScanOptions {
    /// Whether a skill of this name is wanted.
    #[must_use]
    pub fn accepts(&self, name: &str) -> bool {
        self.names.iter().all(|filter| filter.accepts(name))
            && (self.only.is_empty() || self.only.iter().any(|wanted| wanted == name))
    }
}

/// A directory that is open, and what lies in it.
#[derive(Debug)]
pub struct OpenDirectory {
    /// For reaching what is inside.
    pub directory: Directory,
    /// All names, sorted.
    pub entries: Vec<DirectoryEntry>,
}

impl OpenDirectory {
    /// Opens and lists the directory at `path`.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let directory = Directory::open(path)?;
        let entries = directory.entries()?;
        Ok(Self { directory, entries })
    }
}

/// What a scan found.
#[derive(Debug, Clone)]
pub struct Scan<R> {
    /// What the reader made of each skill, sorted by path; each real path once.
    pub skills: Vec<R>,
    /// The names of all skills, those that filters left out included.
    pub names: Vec<String>,
    /// Links to directories that were not followed.
    pub links: Vec<PathBuf>,
    /// Directories that could not be read.
    pub unreadable: Vec<Error>,
    /// A name that an inline skill and another one have.
    pub taken_twice: Option<String>,
    /// Archives that are a skill themselves, instead of holding one.
    pub rootless: Vec<PathBuf>,
}

impl<R> Scan<R> {
    /// The skills, and the rest.
    #[must_use]
    pub fn split(self) -> (Vec<R>, Scan<()>) {
        let Self { skills, names, links, unreadable, taken_twice, rootless } = self;
        (skills, Scan { skills: Vec::new(), names, links, unreadable, taken_twice, rootless })
    }
}

/// Makes something of a skill. Its directory is open unless it is a file skill or was not found.
pub trait Read<R>: Fn(Skill, Option<OpenDirectory>) -> R + Sync {}

impl<R, F: Fn(Skill, Option<OpenDirectory>) -> R + Sync> Read<R> for F {}

/// Scans all sources, and reads what passes the filters.
///
/// # Errors
/// Only a source that cannot be read at all; what fails below one is part of the result.
pub fn scan<R: Send>(
    sources: &[(Source, Option<SkillName>)],
    options: &ScanOptions,
    read: &impl Read<R>,
) -> Result<Scan<R>> {
    // Every command brings its own type. What is made is put aside, so that finding is one code for
    // all of them.
    let made: Mutex<Vec<Option<R>>> = Mutex::default();
    let keep = |skill: Skill, open: Option<OpenDirectory>| {
        let one = read(skill, open);
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        made.push(Some(one));
        made.len() - 1
    };
    let found = find(sources, options, &keep)?;
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (tickets, scan) = found.split();
    let skills = tickets.into_iter().filter_map(|ticket| made.get_mut(ticket)?.take()).collect();
    Ok(Scan {
        skills,
        names: scan.names,
        links: scan.links,
        unreadable: scan.unreadable,
        taken_twice: scan.taken_twice,
        rootless: scan.rootless,
    })
}

/// Stands for what was made of a skill.
type Ticket = usize;
type Reader<'a> = dyn Fn(Skill, Option<OpenDirectory>) -> Ticket + Sync + 'a;

fn find(
    sources: &[(Source, Option<SkillName>)],
    options: &ScanOptions,
    read: &Reader<'_>,
) -> Result<Scan<Ticket>> {
    let mut found = Found::default();
    // A source with a name first: what a manifest calls a skill wins over finding it by chance.
    let (named, others): (Vec<_>, Vec<_>) =
        sources.iter().enumerate().partition(|(_, (_, name))| name.is_some());
    for (number, (source, name)) in named.into_iter().chain(others) {
        found.remember();
        found.source = number;
        match (source, name) {
            (Source::Inline(inline), _) => {
                let skill = Skill { source: number, ..Skill::inline(inline) };
                let name = inline.name.as_str().to_owned();
                if found.inline.contains(&name) && options.accepts(&name) {
                    found.taken_twice = Some(name.clone());
                }
                found.inline.push(name);
                found.visit(skill, None, options, read);
            }
            (Source::Bundle(bundle), name) => {
                found.bundle(bundle, name.as_ref(), options, read)?;
            }
            (Source::File(path), _) => {
                let skill = found.skill(SkillKind::File, path, None).renamed(name.as_ref());
                found.visit(skill, None, options, read);
            }
            (Source::Directory(root), Some(name)) => {
                let open = OpenDirectory::open(root)
                    .map_err(|error| Error::io("read directory", root, &error))?;
                let skill_md = skill_md(&open.entries);
                let skill = found.skill(SkillKind::Directory, root, skill_md);
                let skill = skill.renamed(Some(name));
                found.visit(skill, Some(open), options, read);
            }
            (Source::Directory(root), None) => found.descend(root, options, read)?,
        }
    }
    Ok(found.finish(options, read))
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
    Skill(Visited),
    Group { directories: Vec<OsString>, links: Vec<PathBuf>, is_cache: bool },
    Failed(Error),
}

/// A skill, read unless filters left it out.
struct Visited {
    name: String,
    read: Option<Ticket>,
}

#[derive(Default)]
struct Found {
    skills: Vec<(PathBuf, Visited)>,
    /// The paths of earlier sources: only those can come up again.
    seen: HashSet<PathBuf>,
    /// How many of `skills` are in `seen`.
    remembered: usize,
    /// Directories that promised to be a skill, and the source each was found in.
    promised: Vec<(usize, PathBuf)>,
    links: Vec<PathBuf>,
    /// Directories in which nobody looked for skills, because the user or the system said so.
    not_entered: Vec<PathBuf>,
    unreadable: Vec<Error>,
    /// Names of skills that a manifest holds.
    inline: Vec<String>,
    /// A name that an inline skill and another one have.
    taken_twice: Option<String>,
    /// Archives that are a skill themselves.
    rootless: Vec<PathBuf>,
    /// Which source is being searched.
    source: usize,
}

impl Found {
    /// Makes what was found so far known to the next source.
    fn remember(&mut self) {
        let new = self.skills[self.remembered..].iter().map(|(path, _)| path.clone());
        self.seen.extend(new);
        self.remembered = self.skills.len();
    }

    fn skill(&self, kind: SkillKind, path: &Path, skill_md: Option<String>) -> Skill {
        Skill { source: self.source, ..Skill::at(kind, path, skill_md) }
    }

    fn visit(
        &mut self,
        skill: Skill,
        open: Option<OpenDirectory>,
        options: &ScanOptions,
        read: &Reader<'_>,
    ) {
        // Who gives a skill two names means both.
        if skill.is_renamed || !self.seen.contains(&skill.path) {
            let path = skill.path.clone();
            self.skills.push((path, visit(skill, open, options, read)));
        }
    }

    fn bundle(
        &mut self,
        bundle: &Arc<Bundle>,
        name: Option<&SkillName>,
        options: &ScanOptions,
        read: &Reader<'_>,
    ) -> Result<()> {
        let base = bundle.base();
        let is_wanted = |root: &str| {
            let inner = Path::new(root.strip_prefix(base).unwrap_or(root).trim_start_matches('/'));
            let is_excluded = |part: &Path| options.exclude.matches(part);
            options.max_depth.is_none_or(|depth| inner.components().count() <= depth)
                && !inner.ancestors().any(is_excluded)
        };
        let mut packed = bundle.skills();
        if packed.is_empty() {
            let path = if base.is_empty() { bundle.path.clone() } else { bundle.path.join(base) };
            let message = format!("no skill in `{}`", path.display());
            return Err(Error::new(ErrorKind::MissingSkillMd, message).help(
                "a skill is a directory with a `SKILL.md`; is it another path, or revision?",
            ));
        }
        packed.retain(|packed| is_wanted(&packed.root));
        if name.is_some() && packed.len() > 1 {
            let message =
                format!("`{}` holds {} skills, not one", bundle.path.display(), packed.len());
            return Err(Error::new(ErrorKind::Manifest, message).help("leave `name` out"));
        }
        for packed in packed {
            let mut name = name.cloned();
            if packed.root.is_empty() && name.is_none() {
                let text = packed.read(Path::new(&packed.skill_md)).unwrap_or_default();
                name = declared_name(&String::from_utf8_lossy(&text));
                // A repository may well be one skill; an archive had better hold one.
                if bundle.origin == Origin::Archive {
                    self.rootless.push(bundle.path.clone());
                }
            }
            let skill = Skill { source: self.source, ..Skill::packed(packed) };
            self.visit(skill.renamed(name.as_ref()), None, options, read);
        }
        Ok(())
    }

    fn descend(&mut self, root: &Path, options: &ScanOptions, read: &Reader<'_>) -> Result<()> {
        let source = self.source;
        let mut level = vec![Pending { path: root.to_owned(), depth: 0, promised: false }];
        while !level.is_empty() {
            level.retain(|pending| !self.seen.contains(&pending.path));
            let listings = parallel::map(&level, options.threads, |pending| {
                list(&pending.path, source, options, read)
            });
            let mut next = Vec::new();
            for (pending, listed) in level.into_iter().zip(listings) {
                match listed {
                    Listed::Skill(visited) => {
                        self.skills.push((pending.path, visited));
                    }
                    Listed::Failed(error) if pending.depth == 0 => return Err(error),
                    Listed::Failed(error) => {
                        self.unreadable.push(error);
                        self.not_entered.push(pending.path);
                    }
                    // A cache that the user named is meant; one on the way is not.
                    Listed::Group { is_cache: true, .. } if pending.depth > 0 => {}
                    Listed::Group { directories, links, .. } => {
                        self.links.extend(links);
                        let not_entered = &mut self.not_entered;
                        next.extend(below(&pending, directories, root, options, not_entered));
                        if pending.promised {
                            self.promised.push((source, pending.path));
                        }
                    }
                }
            }
            level = next;
        }
        Ok(())
    }

    /// The promises that are broken, each once. Where nothing below a directory is a skill either,
    /// and all of it was looked at, that is for sure.
    fn broken_promises(&mut self) -> Vec<(usize, PathBuf)> {
        let mut promised = std::mem::take(&mut self.promised);
        if promised.is_empty() {
            return promised;
        }
        self.not_entered.sort();
        let is_open = |directory: &Path| {
            any_within(&self.skills, |(path, _)| path, directory)
                || any_within(&self.links, PathBuf::as_path, directory)
                || any_within(&self.not_entered, PathBuf::as_path, directory)
        };
        promised.retain(|(_, directory)| !is_open(directory));
        order::sort_by(&mut promised, |(_, one), (_, other)| one.cmp(other));
        promised.dedup_by(|(_, one), (_, other)| one == other);
        promised
    }

    fn finish(mut self, options: &ScanOptions, read: &Reader<'_>) -> Scan<Ticket> {
        // Each level came in order, so that there is next to nothing to sort.
        sort_by_path(&mut self.skills);
        self.links.sort();
        self.links.dedup();
        let broken = self.broken_promises();
        for (source, path) in &broken {
            let skill = Skill { source: *source, ..Skill::at(SkillKind::Directory, path, None) };
            self.visit(skill, None, options, read);
        }
        if !broken.is_empty() {
            sort_by_path(&mut self.skills);
        }
        self.skills.dedup_by(|(one, a), (other, b)| one == other && a.name == b.name);
        order::sort_by(&mut self.unreadable, |one, other| one.path.cmp(&other.path));
        self.unreadable.dedup_by(|one, other| one.path == other.path);
        let mut names = Vec::with_capacity(self.skills.len());
        let mut taken_twice = self.taken_twice;
        let mut skills = Vec::with_capacity(self.skills.len());
        for (_, visited) in self.skills {
            let is_inline = self.inline.contains(&visited.name);
            if is_inline && names.contains(&visited.name) && visited.read.is_some() {
                taken_twice = Some(visited.name.clone());
            }
            names.push(visited.name);
            skills.extend(visited.read);
        }
        let (links, unreadable, rootless) = (self.links, self.unreadable, self.rootless);
        Scan { skills, names, links, unreadable, taken_twice, rootless }
    }
}

/// Whether one of these paths, which are sorted, is `directory` or lies below it.
fn any_within<T>(sorted: &[T], path: impl Fn(&T) -> &Path, directory: &Path) -> bool {
    let first = sorted.partition_point(|one| path(one) < directory);
    sorted.get(first).is_some_and(|one| path(one).starts_with(directory))
}

fn sort_by_path(skills: &mut Vec<(PathBuf, Visited)>) {
    order::sort_by(skills, |(one, _), (other, _)| one.cmp(other));
}

/// The name that front matter gives.
fn declared_name(text: &str) -> Option<SkillName> {
    SkillName::new(Document::parse(text).string("name")?).ok()
}

fn visit(
    skill: Skill,
    open: Option<OpenDirectory>,
    options: &ScanOptions,
    read: &Reader<'_>,
) -> Visited {
    let name = skill.name.clone();
    let read = options.accepts(&name).then(|| read(skill, open));
    Visited { name, read }
}

/// The directories of a group that are to be listed next; the others that may hold skills are
/// remembered.
fn below(
    group: &Pending,
    mut directories: Vec<OsString>,
    root: &Path,
    options: &ScanOptions,
    not_entered: &mut Vec<PathBuf>,
) -> Vec<Pending> {
    directories.retain(|name| !is_skipped(name));
    if options.max_depth.is_some_and(|depth| group.depth >= depth) {
        if !directories.is_empty() {
            not_entered.push(group.path.clone());
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
            not_entered.push(path);
            return None;
        }
        Some(Pending { path, depth: group.depth + 1, promised })
    };
    directories.into_iter().filter_map(pending).collect()
}

fn list(path: &Path, source: usize, options: &ScanOptions, read: &Reader<'_>) -> Listed {
    let open = match OpenDirectory::open(path) {
        Ok(open) => open,
        Err(error) => return Listed::Failed(Error::io("read directory", path, &error)),
    };
    if let Some(skill_md) = skill_md(&open.entries) {
        let skill = Skill { source, ..Skill::at(SkillKind::Directory, path, Some(skill_md)) };
        return Listed::Skill(visit(skill, Some(open), options, read));
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

/// Opens a directory that is known to be a skill, by the path it goes by.
#[must_use]
pub fn open_skill(path: &Path) -> (Skill, Option<OpenDirectory>) {
    let open = OpenDirectory::open(path).ok();
    let skill_md = open.as_ref().and_then(|open| skill_md(&open.entries));
    (Skill::at(SkillKind::Directory, path, skill_md), open)
}

/// The entry that stands for `SKILL.md`: the exact spelling wins over any other, then the order.
#[must_use]
pub fn skill_md(entries: &[DirectoryEntry]) -> Option<String> {
    let mut names = entries.iter().map(|(name, _)| name).filter(|name| is_skill_md(name));
    let first = names.next()?;
    let exact = first == SKILL_MD || names.any(|name| name == SKILL_MD);
    Some(if exact { SKILL_MD.to_owned() } else { first.to_string_lossy().into_owned() })
}

/// Directories that are never searched for skills.
pub(super) fn is_skipped(name: &OsStr) -> bool {
    is_version_control(name) || name == "node_modules" || staging::is_own(name)
}

/// `.claude/skills` and `.agents/skills`: every directory inside is meant as a skill.
fn is_agent_directory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "skills")
        && path
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|parent| parent == ".claude" || parent == ".agents")
}
