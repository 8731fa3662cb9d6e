//! Finds the skills in a source: breadth first, on several threads, sorted.
//!
//! A directory with an entry named `SKILL.md`, in any letter case and of any type, is a skill. A
//! skill below another one is nested: it is found in the list of files of the outer skill, so that
//! no directory is listed twice. Links to directories are not followed but reported. Each directory
//! is opened from its parent, so that a link that replaces it meanwhile is not followed either.
//! Each skill is passed to a reader while its directory is open, so that nothing is opened twice.

pub mod options;
pub mod packed;
pub mod repetition;
pub mod walk;

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::skills::files::content::OpenDirectory;
use crate::skills::files::inventory::{InventoryDepth, nested_skills};
use crate::skills::files::{Directory, DirectoryEntry, parallel};
use crate::skills::find::plugins;
pub use crate::skills::find::scan::options::ScanOptions;
use crate::skills::find::scan::repetition::NamedSources;
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RuleOptions;
use crate::skills::judge::{validate, verdict};
use crate::skills::model::error::{Error, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::plugin::PluginSet;
use crate::skills::model::source::{Skill, Source};
use crate::skills::text::document::{SKILL_MD, is_skill_md};

/// Everything that a scan found besides skills.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// The names of all skills, including filtered ones.
    pub names: Vec<String>,
    /// The names of directories whose skills have another name.
    pub folders: Vec<String>,
    /// The names of skills of plugins, as `plugin:skill`.
    pub qualified: Vec<String>,
    /// The plugins of the sources, and their manifests.
    pub plugins: PluginSet,
    /// Links to directories that were not followed.
    pub links: Vec<PathBuf>,
    /// Directories that could not be read.
    pub unreadable: Vec<Error>,
    /// A name shared by an inline skill and another skill.
    pub taken_twice: Option<String>,
    /// Archives with a `SKILL.md` at the top instead of in a directory.
    pub rootless: Vec<PathBuf>,
    /// The paths of skills that several sources contain, sorted, each with the other source.
    pub again: Vec<(PathBuf, usize)>,
}

/// The reader's result for a skill, and the directories of nested skills below it.
#[derive(Debug, Clone)]
pub struct Reading<T> {
    /// The data of the verb.
    pub made: T,
    /// Paths below the skill.
    pub nested: Vec<PathBuf>,
}

/// Scans all sources, and reads the skills that pass the filters. Returns the reader's results,
/// sorted by path, each real path once.
pub fn scan<T: Send>(
    sources: &[(Source, Option<SkillName>)],
    options: &ScanOptions,
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<T> + Sync),
) -> Result<(Vec<T>, Scan)> {
    // Every command has its own result type. The results are kept apart, so that the scan is
    // compiled once.
    // Growing moves them as long as they are few; many are in pages of their own.
    const FEW: usize = 128;
    let made: Mutex<Vec<Option<T>>> = Mutex::new(Vec::with_capacity(FEW));
    let keep = |opened: &OpenedSkill<'_>| {
        let reading = read(opened);
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        made.push(Some(reading.made));
        (made.len() - 1, reading.nested)
    };
    let (tickets, scan) = find(sources, Scanner::new(options, &keep))?;
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut skills = Vec::with_capacity(tickets.len());
    skills.extend(tickets.into_iter().filter_map(|ticket| made.get_mut(ticket)?.take()));
    Ok((skills, scan))
}

/// A placeholder for the reader's result.
type Ticket = usize;

type SkillReader<'a> = dyn Fn(&OpenedSkill<'_>) -> (Ticket, Vec<PathBuf>) + Sync + 'a;

fn find(
    sources: &[(Source, Option<SkillName>)],
    mut search: Scanner<'_>,
) -> Result<(Vec<Ticket>, Scan)> {
    // Named sources come first, so that the name in a manifest wins over the directory's name.
    let (named, others): (Vec<_>, Vec<_>) =
        sources.iter().enumerate().partition(|(_, (_, name))| name.is_some());
    let mut named_sources = NamedSources::default();
    for (number, (source, name)) in named.into_iter().chain(others) {
        search.begin(number)?;
        if name.is_some() {
            named_sources.count(source)?;
        }
        tracing::debug!(source = %source.shown(), "searching");
        match (source, name) {
            (Source::Inline(inline), _) => {
                let skill = Skill::in_manifest(inline).named();
                let name = skill.name.clone();
                let is_wanted = search.options.accepts(&skill);
                if search.inline.contains(&name) && is_wanted {
                    search.met.taken_twice = Some(name.clone());
                }
                search.inline.push(name);
                search.visit(skill, None);
            }
            (Source::Bundle(bundle), name) => search.bundle(bundle, name.as_ref())?,
            (Source::File(path), _) => {
                let skill = Skill::in_file(path);
                search.visit(skill.renamed(name.as_ref()).named(), None);
            }
            (Source::Directory(root), Some(name)) => {
                let open = OpenDirectory::open_real(root)
                    .map_err(|error| Error::io("read directory", root, &error))?;
                let skill = Skill::in_directory(root, skill_md(&open.entries));
                search.declare_above(root);
                plugins::in_directory(root, &open)
                    .into_iter()
                    .for_each(|file| search.met.plugins.add(file));
                let first = search.skills.len();
                search.visit(skill.renamed(Some(name)).named(), Some(open));
                search.visit_nested(first, root);
            }
            (Source::Directory(root), None) => search.descend(root)?,
        }
    }
    Ok(search.finish())
}

/// A skill, read unless filters exclude it.
struct Visited {
    name: String,
    /// The name of its directory, if it differs.
    folder: Option<String>,
    /// Its name with that of its plugin.
    qualified: Option<String>,
    is_nested: bool,
    read: Option<Ticket>,
    /// The directories of nested skills below it.
    nested: Vec<PathBuf>,
}

/// The state of a scan.
struct Scanner<'a> {
    options: &'a ScanOptions,
    read: &'a SkillReader<'a>,
    /// The number of the current source.
    source: usize,
    skills: Vec<(PathBuf, Visited)>,
    /// Paths from earlier sources, to recognise duplicates.
    seen: HashSet<PathBuf>,
    /// How many of `skills` are in `seen`.
    remembered: usize,
    /// Directories that should be skills, each with its source.
    promised: Vec<(usize, PathBuf)>,
    /// Directories that were not searched because of options or permissions.
    not_entered: Vec<PathBuf>,
    /// Names of inline skills.
    inline: Vec<String>,
    met: Scan,
}

impl<'a> Scanner<'a> {
    fn new(options: &'a ScanOptions, read: &'a SkillReader<'a>) -> Self {
        Self {
            options,
            read,
            source: 0,
            skills: Vec::new(),
            seen: HashSet::new(),
            remembered: 0,
            promised: Vec::new(),
            not_entered: Vec::new(),
            inline: Vec::new(),
            met: Scan::default(),
        }
    }

    /// Starts a source, and remembers the paths found so far.
    fn begin(&mut self, source: usize) -> Result<()> {
        repetition::refuse_many(self.met.again.len())?;
        // A nested skill that is also a source of its own counts as that source.
        let new = self.skills[self.remembered..].iter().filter(|(_, visited)| !visited.is_nested);
        self.seen.extend(new.map(|(path, _)| path.clone()));
        self.remembered = self.skills.len();
        self.source = source;
        Ok(())
    }

    /// Adds the plugin that a source lies in.
    fn declare_above(&mut self, source: &Path) {
        plugins::above(source).iter().for_each(|file| self.met.plugins.declare(file));
    }

    /// Adds a skill of the current source.
    fn visit(&mut self, skill: Skill, open: Option<OpenDirectory>) {
        // A skill with two given names is listed under both.
        if skill.is_renamed || !self.meets_again(&skill.path) {
            let path = skill.path.clone();
            self.skills.push((path, self.read(skill, open)));
        }
    }

    /// Whether an earlier source contains this skill. Records the duplicate.
    fn meets_again(&mut self, path: &Path) -> bool {
        let is_seen = self.seen.contains(path);
        if is_seen {
            self.met.again.push((path.to_owned(), self.source));
        }
        is_seen
    }

    /// Reads a skill of the current source unless filters exclude it.
    fn read(&self, skill: Skill, open: Option<OpenDirectory>) -> Visited {
        let skill = Skill { source: self.source, ..skill };
        let skill = self.with_plugin(skill, &self.met.plugins);
        opened::open(skill, open.as_ref(), |opened| {
            let skill = opened.skill;
            let folder = (skill.folder != skill.name).then(|| skill.folder.clone());
            let (name, is_nested) = (skill.name.clone(), skill.is_nested);
            let qualified = skill.plugin.as_ref().map(|_| skill.qualified_name().into_owned());
            let (read, nested) = if !self.options.accepts(skill) {
                (None, nested_skills(&opened.inventory(InventoryDepth::Through)))
            } else if self.options.only.is_empty() {
                let (ticket, nested) = (self.read)(opened);
                (Some(ticket), nested)
            } else {
                let skill = skill.clone().named();
                let (ticket, nested) = (self.read)(&OpenedSkill { skill: &skill, ..*opened });
                (Some(ticket), nested)
            };
            Visited { name, folder, qualified, is_nested, read, nested }
        })
    }

    /// The same skill with its plugin, unless that is known already.
    fn with_plugin(&self, skill: Skill, plugins: &PluginSet) -> Skill {
        match skill.plugin {
            Some(_) => skill,
            None => {
                let plugin = plugins.of(&skill.path, &self.options.plugins).cloned();
                Skill { plugin, ..skill }
            }
        }
    }

    /// Reads the nested skills of this source, whose skills start at `first`.
    fn visit_nested(&mut self, first: usize, root: &Path) {
        let mut found: Vec<PathBuf> = Vec::new();
        for (path, visited) in &mut self.skills[first..] {
            let nested = std::mem::take(&mut visited.nested);
            found.extend(nested.into_iter().map(|below| path.join(below)));
        }
        if found.is_empty() {
            return;
        }
        let options = self.options;
        let is_entered = |path: &Path| {
            let relative = path.strip_prefix(root).unwrap_or(path);
            options.max_depth.is_none_or(|depth| relative.components().count() <= depth)
                && !relative.ancestors().any(|above| options.exclude.matches(above))
        };
        found.retain(|path| is_entered(path) && !self.meets_again(path));
        let read = |path: &PathBuf| {
            let open = OpenDirectory::open_real(path)
                .map_err(|error| Error::io("read directory", path, &error))?;
            let skill = Skill::in_directory(path, skill_md(&open.entries));
            Ok((path.clone(), self.read(Skill { is_nested: true, ..skill }, Some(open))))
        };
        for visited in parallel::map(&found, options.threads, read) {
            match visited {
                Ok(visited) => self.skills.push(visited),
                Err(error) => self.met.unreadable.push(error),
            }
        }
    }

    /// The directories that should be skills but are not, each once. A directory counts only if it
    /// was searched completely and contains no skill.
    fn broken_promises(&mut self) -> Vec<(usize, PathBuf)> {
        let mut promised = std::mem::take(&mut self.promised);
        if promised.is_empty() {
            return promised;
        }
        self.not_entered.sort_unstable();
        let is_open = |directory: &Path| {
            any_within(&self.skills, |(path, _)| path, directory)
                || any_within(&self.met.links, PathBuf::as_path, directory)
                || any_within(&self.not_entered, PathBuf::as_path, directory)
        };
        promised.retain(|(_, directory)| !is_open(directory));
        promised.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
        promised.dedup_by(|(_, one), (_, other)| one == other);
        promised
    }

    fn finish(mut self) -> (Vec<Ticket>, Scan) {
        // Levels are already sorted, so this costs little.
        sort_by_path(&mut self.skills);
        self.met.links.sort_unstable();
        self.met.links.dedup();
        let broken = self.broken_promises();
        for (source, path) in &broken {
            self.source = *source;
            // It was listed before, but may have been replaced since.
            match Directory::open_real(path) {
                Ok(directory) => {
                    let open = OpenDirectory { directory, entries: Vec::new() };
                    self.visit(Skill::in_directory(path, None), Some(open));
                }
                Err(error) => {
                    self.met.unreadable.push(Error::io("read directory", path, &error));
                }
            }
        }
        if !broken.is_empty() {
            sort_by_path(&mut self.skills);
        }
        self.skills.dedup_by(|(one, a), (other, b)| a.name == b.name && one == other);
        let mut met = self.met;
        met.again.sort_unstable();
        met.unreadable.sort_by(|one, other| one.path.cmp(&other.path));
        met.unreadable.dedup_by(|one, other| one.path == other.path);
        met.names.reserve(self.skills.len());
        let mut tickets = Vec::with_capacity(self.skills.len());
        for (_, visited) in self.skills {
            met.folders.extend(visited.folder);
            met.qualified.extend(visited.qualified);
            let is_inline = self.inline.contains(&visited.name);
            if is_inline && met.names.contains(&visited.name) && visited.read.is_some() {
                met.taken_twice = Some(visited.name.clone());
            }
            met.names.push(visited.name);
            tickets.extend(visited.read);
        }
        (tickets, met)
    }
}

/// Whether one of these sorted paths is `directory` or below it.
fn any_within<T>(sorted: &[T], path: impl Fn(&T) -> &Path, directory: &Path) -> bool {
    let first = sorted.partition_point(|one| path(one) < directory);
    sorted.get(first).is_some_and(|one| path(one).starts_with(directory))
}

fn sort_by_path(skills: &mut [(PathBuf, Visited)]) {
    skills.sort_by(|(one, a), (other, b)| (one, a.is_nested).cmp(&(other, b.is_nested)));
}

/// Opens the directory of a skill.
pub fn open_skill(path: &Path) -> (Skill, Option<OpenDirectory>) {
    let open = OpenDirectory::open(path).ok();
    let skill_md = open.as_ref().and_then(|open| skill_md(&open.entries));
    (Skill::in_directory(path, skill_md), open)
}

/// The safety rules that an installed skill breaks with errors in any of its files. Its size was
/// decided about when it was installed.
pub fn broken_safety_rules(path: &Path) -> Vec<&'static str> {
    let rules =
        RuleOptions { deep: true, max_skill_bytes: Some(u64::MAX), ..RuleOptions::default() };
    let options =
        JudgeOptions { rules, errors_only: true, safety: true, ..JudgeOptions::default() };
    let (skill, open) = open_skill(path);
    opened::open(skill, open.as_ref(), |opened| {
        let (checked, _) = validate::check_skill(opened, &options);
        verdict::broken_safety_rules(opened, checked.findings())
    })
}

/// The entry that is the `SKILL.md`: exact spelling first, then the first one listed.
pub fn skill_md(entries: &[DirectoryEntry]) -> Option<Cow<'static, str>> {
    let mut names = entries.iter().map(|(name, _)| name).filter(|name| is_skill_md(name));
    let first = names.next()?;
    let exact = first == SKILL_MD || names.any(|name| name == SKILL_MD);
    Some(if exact { SKILL_MD.into() } else { first.to_string_lossy().into_owned().into() })
}
