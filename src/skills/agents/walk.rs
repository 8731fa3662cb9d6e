//! Searches one skills directory as its agent does: it follows links, within the agent's bounds.
//!
//! `find::scan` searches the sources that a user names, and follows no links. Agents follow them,
//! some without a bound. Here there is always a bound, and reaching it is a problem in the result.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use walkdir::{DirEntry, WalkDir};

use crate::skills::files::content::{self, Content};
use crate::skills::files::{FileIdentity, met_link};
use crate::skills::model::error::Error;
use crate::skills::text::document::{SKILL_MD, is_skill_md};

/// Most entries of one directory tree to look at, because a link can lead to `/`.
const MOST_ENTRIES: usize = 400_000;

/// Levels below an agent's bound to search for skills that it misses.
const LEVELS_BELOW: usize = 16;

/// Most entries of a skipped directory to check for skills.
const MOST_PASSED_BY: usize = 1_000;

/// How far an agent searches a skills directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkBounds {
    /// Levels of directories; none for no limit.
    pub depth: Option<usize>,
    /// Whether to enter directories whose name starts with a dot.
    pub hidden: bool,
    /// Whether to enter `node_modules`.
    pub node_modules: bool,
    /// Whether to search below a skill.
    pub below_skills: bool,
    /// What a `SKILL.md` in the skills directory itself means.
    pub root_skill: RootSkill,
    /// Most directories to enter.
    pub directories: Option<usize>,
}

/// What a `SKILL.md` in the skills directory itself means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootSkill {
    /// Nothing.
    Ignored,
    /// A skill like any other.
    Counts,
    /// The only skill: it hides all others in that directory.
    HidesOthers,
    /// The same, also if it is a directory, which is no skill.
    HidesOthersAlways,
}

impl WalkBounds {
    /// One level.
    pub const FLAT: Self = Self {
        depth: Some(1),
        hidden: false,
        node_modules: true,
        below_skills: false,
        root_skill: RootSkill::Ignored,
        directories: None,
    };
    /// Six levels, as most agents with a bound have them.
    pub const DEEP: Self = Self { depth: Some(6), node_modules: false, ..Self::FLAT };
    /// All levels.
    pub const ENDLESS: Self = Self { depth: None, ..Self::DEEP };

    /// Why a directory of this name is skipped, if it is.
    fn passed_by(&self, name: &OsStr) -> Option<MissedBecause> {
        if !self.hidden && name.as_encoded_bytes().starts_with(b".") {
            Some(MissedBecause::Hidden)
        } else if !self.node_modules && name == "node_modules" {
            Some(MissedBecause::NodeModules)
        } else {
            None
        }
    }
}

/// What a search found.
#[derive(Debug, Default)]
pub struct WalkResult {
    /// Directories with an entry named `SKILL.md` in any letter case, by path.
    pub skills: Vec<PathBuf>,
    /// Directories directly in the root that contain no skill at any level.
    pub empty: Vec<PathBuf>,
    /// Skills outside the bounds, each with the bound.
    pub missed: Vec<(PathBuf, MissedBecause)>,
    /// Whether a `SKILL.md` in the root hides everything else.
    pub hidden_by_root: bool,
    /// Why the search is incomplete.
    pub problems: Vec<Problem>,
}

/// The bound that excludes a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissedBecause {
    /// It is deeper than this many levels.
    TooDeep(usize),
    /// Its directory, or one above it, starts with a dot.
    Hidden,
    NodeModules,
    /// It comes after the last directory that is entered.
    TooMany(usize),
    /// It is in the skills directory itself.
    InRoot,
    /// A `SKILL.md` in the skills directory hides all others.
    HiddenByRoot,
    /// A file like `.gitignore` leaves it out.
    LeftOut,
}

impl MissedBecause {
    /// Why `who` does not find the skill.
    pub fn because(self, who: &str) -> String {
        match self {
            Self::TooDeep(1) => format!("{who} looks only one level deep"),
            Self::TooDeep(levels) => format!("{who} looks only {levels} levels deep"),
            Self::Hidden => format!("{who} skips directories that start with a dot"),
            Self::NodeModules => format!("{who} skips `node_modules`"),
            Self::TooMany(most) => format!("{who} enters at most {most} directories"),
            Self::InRoot => format!("{who} ignores a SKILL.md in the skills directory itself"),
            Self::HiddenByRoot => {
                format!("a SKILL.md in the skills directory itself hides all others from {who}")
            }
            Self::LeftOut => "an ignore file leaves it out".to_owned(),
        }
    }
}

/// Something that made a search incomplete.
#[derive(Debug, Clone)]
pub enum Problem {
    /// The root is not a directory.
    NotADirectory(PathBuf),
    /// A link to a directory above it.
    Loop(PathBuf),
    /// A dangling link.
    Dangling(PathBuf),
    /// The search ended after this many entries.
    TooMany(PathBuf, usize),
    /// A file that could not be used, with the reason.
    Unusable(PathBuf, String),
    /// The system refused.
    Unreadable(Error),
}

/// Searches `root`. A missing root contains no skills.
pub fn walk(root: &Path, bounds: &WalkBounds) -> WalkResult {
    walk_except(root, bounds, &mut |_, _| false)
}

/// The same without the files and directories that `left_out` names. It is asked about each
/// directory, which it is told, before it is asked about anything in it.
pub fn walk_except(
    root: &Path,
    bounds: &WalkBounds,
    left_out: &mut dyn FnMut(&Path, bool) -> bool,
) -> WalkResult {
    let mut search = Walker {
        bounds,
        left_out,
        walked: WalkResult::default(),
        groups: Vec::new(),
        entered: HashMap::new(),
        directories: Vec::new(),
    };
    match root.metadata() {
        Ok(data) if data.is_dir() => search.run(root),
        Ok(_) => search.walked.problems.push(Problem::NotADirectory(root.to_owned())),
        // The caller reports a parent that is not a directory.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
        Err(error) => search.unreadable(root, &error),
    }
    search.finish()
}

/// Looks only at these skills directly in `root`. Bounds on the number of directories do not apply,
/// because the siblings are not counted.
pub fn walk_named(root: &Path, named: &[PathBuf], bounds: &WalkBounds) -> WalkResult {
    let mut walked = WalkResult::default();
    let skill_md = root.join(SKILL_MD);
    let hidden_by_root = bounds.root_skill == RootSkill::HidesOthers && skill_md.is_file()
        || bounds.root_skill == RootSkill::HidesOthersAlways && skill_md.exists();
    for path in named {
        let passed_by = path.file_name().and_then(|name| bounds.passed_by(name));
        match passed_by.or(hidden_by_root.then_some(MissedBecause::HiddenByRoot)) {
            Some(missed) => walked.missed.push((path.clone(), missed)),
            None => walked.skills.push(path.clone()),
        }
    }
    walked.skills.sort_unstable();
    walked.skills.dedup();
    walked.missed.sort_by(|one, other| one.0.cmp(&other.0));
    walked.missed.dedup();
    walked
}

struct Walker<'a> {
    bounds: &'a WalkBounds,
    left_out: &'a mut dyn FnMut(&Path, bool) -> bool,
    walked: WalkResult,
    /// Directories directly in the root.
    groups: Vec<PathBuf>,
    /// The directories entered so far with their level, because several links can lead to one.
    entered: HashMap<FileIdentity, usize>,
    /// Their levels and paths.
    directories: Vec<(usize, PathBuf)>,
}

impl Walker<'_> {
    fn run(&mut self, root: &Path) {
        let deepest = self.bounds.depth.map_or(usize::MAX, |depth| depth + 1 + LEVELS_BELOW);
        let mut entries = WalkDir::new(root)
            .follow_links(true)
            .min_depth(1)
            .max_depth(deepest)
            .sort_by(skill_md_first)
            .into_iter();
        let mut seen = 0;
        while let Some(entry) = entries.next() {
            seen += 1;
            if seen > MOST_ENTRIES {
                self.walked.problems.push(Problem::TooMany(root.to_owned(), MOST_ENTRIES));
                return;
            }
            if let Some((file, depth)) = skill_md(&entry)
                && let Some(directory) = file.parent()
            {
                let is_file = entry.as_ref().is_ok_and(|entry| entry.file_type().is_file());
                let left_out = is_file && (self.left_out)(&file, false);
                match self.missed(depth).or(left_out.then_some(MissedBecause::LeftOut)) {
                    Some(missed) => self.walked.missed.push((directory.to_owned(), missed)),
                    None => self.walked.skills.push(directory.to_owned()),
                }
                let is_exact = file.ends_with(SKILL_MD) && !left_out;
                if is_exact && depth == 1 {
                    self.walked.hidden_by_root = match self.bounds.root_skill {
                        RootSkill::HidesOthers => is_file,
                        RootSkill::HidesOthersAlways => entry.is_ok(),
                        RootSkill::Ignored | RootSkill::Counts => false,
                    };
                } else if is_exact && is_file && !self.bounds.below_skills {
                    entries.skip_current_dir();
                }
            }
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {
                    if !self.enters(&entry) {
                        entries.skip_current_dir();
                    }
                }
                Ok(_) => {}
                Err(error) if error.path().and_then(Path::file_name).is_some_and(is_skill_md) => {}
                Err(error) => self.problem(&error),
            }
        }
    }

    /// Whether to search a directory.
    fn enters(&mut self, entry: &DirEntry) -> bool {
        let (path, depth) = (entry.path(), entry.depth());
        let passed_by = self.bounds.passed_by(entry.file_name());
        let left_out = || (self.left_out)(path, true).then_some(MissedBecause::LeftOut);
        if let Some(missed) = passed_by.or_else(left_out) {
            self.pass_by(path, missed);
            return false;
        }
        self.directories.push((depth, path.to_owned()));
        if depth == 1 {
            self.groups.push(path.to_owned());
        }
        let is_new = self.is_new(entry);
        // Its content was searched already, but it may be a skill itself.
        let skill_md = path.join(SKILL_MD);
        let is_skill = !is_new && skill_md.exists() && self.missed(depth + 1).is_none();
        if is_skill && !(self.left_out)(&skill_md, false) {
            self.walked.skills.push(path.to_owned());
        }
        is_new
    }

    /// The bound that excludes a `SKILL.md` at this depth; the root has depth one.
    fn missed(&self, depth: usize) -> Option<MissedBecause> {
        match self.bounds.depth {
            _ if depth == 1 && self.bounds.root_skill == RootSkill::Ignored => {
                Some(MissedBecause::InRoot)
            }
            _ if self.walked.hidden_by_root => Some(MissedBecause::HiddenByRoot),
            Some(most) if depth > most + 1 => Some(MissedBecause::TooDeep(most)),
            _ => None,
        }
    }

    /// Whether a directory is entered for the first time. With a depth bound, a shorter path to it
    /// also counts, because it can reach more.
    fn is_new(&mut self, entry: &DirEntry) -> bool {
        let identity = entry.metadata().ok().and_then(|data| FileIdentity::of(&data));
        let Some(identity) = identity else { return true };
        let before = self.entered.get(&identity).copied();
        let is_new =
            before.is_none_or(|level| self.bounds.depth.is_some() && entry.depth() < level);
        if is_new {
            self.entered.insert(identity, entry.depth());
        }
        is_new
    }

    /// Records the skills in a directory that is skipped.
    fn pass_by(&mut self, directory: &Path, missed: MissedBecause) {
        let inside = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let inside = inside.take(MOST_PASSED_BY).map(|entry| entry.path());
        for path in inside.chain([directory.to_owned()]) {
            if path.join(SKILL_MD).exists() {
                self.walked.missed.push((path, missed));
            }
        }
    }

    fn problem(&mut self, error: &walkdir::Error) {
        let Some(path) = error.path() else { return };
        let problem = match error.io_error() {
            _ if error.loop_ancestor().is_some() => Problem::Loop(path.to_owned()),
            Some(cause) if cause.kind() == ErrorKind::NotFound || met_link(cause) => {
                Problem::Dangling(path.to_owned())
            }
            Some(cause) => return self.unreadable(path, cause),
            None => return,
        };
        self.walked.problems.push(problem);
    }

    /// Keeps the skills in the first directories, counted level by level as Codex does.
    fn keep_first_directories(&mut self, most: usize) {
        // The root counts as the first.
        if self.directories.len() < most {
            return;
        }
        self.directories.sort_unstable();
        let beyond: HashSet<PathBuf> =
            self.directories.drain(most - 1..).map(|(_, path)| path).collect();
        let (lost, kept) = std::mem::take(&mut self.walked.skills)
            .into_iter()
            .partition(|path| path.ancestors().any(|above| beyond.contains(above)));
        self.walked.skills = kept;
        self.walked
            .missed
            .extend(lost.into_iter().map(|path: PathBuf| (path, MissedBecause::TooMany(most))));
    }

    fn unreadable(&mut self, path: &Path, error: &std::io::Error) {
        let error = Error::io("read directory", path, error);
        self.walked.problems.push(Problem::Unreadable(error));
    }

    fn finish(mut self) -> WalkResult {
        if let Some(most) = self.bounds.directories {
            self.keep_first_directories(most);
        }
        self.walked.skills.sort_unstable();
        self.walked.skills.dedup();
        self.walked.missed.sort_by(|one, other| one.0.cmp(&other.0));
        let missed: Vec<&PathBuf> = self.walked.missed.iter().map(|(path, _)| path).collect();
        let skills: Vec<&PathBuf> = self.walked.skills.iter().collect();
        let empty = |group: &PathBuf| !holds(&skills, group) && !holds(&missed, group);
        self.walked.empty = self.groups.into_iter().filter(empty).collect();
        self.walked
    }
}

/// Whether one of the sorted paths is `directory` or below it.
fn holds(paths: &[&PathBuf], directory: &Path) -> bool {
    let first = paths.partition_point(|path| path.as_path() < directory);
    paths.get(first).is_some_and(|path| path.starts_with(directory))
}

/// The path and depth of an entry named `SKILL.md` in any letter case, also of a dangling link.
fn skill_md(entry: &walkdir::Result<DirEntry>) -> Option<(PathBuf, usize)> {
    let (path, depth) = match entry {
        Ok(entry) => (entry.path(), entry.depth()),
        Err(error) => (error.path()?, error.depth()),
    };
    path.file_name().is_some_and(is_skill_md).then(|| (path.to_owned(), depth))
}

/// By name, but `SKILL.md` first, because it decides about the rest.
fn skill_md_first(one: &DirEntry, other: &DirEntry) -> Ordering {
    let later = |entry: &DirEntry| !is_skill_md(entry.file_name());
    later(one).cmp(&later(other)).then_with(|| one.file_name().cmp(other.file_name()))
}

// `.gitignore` and similar files in a skills directory, for the agents that honour them.

/// The files that are read.
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".fdignore"];

/// Most bytes of all ignore files below one skills directory. A rule takes about a hundred times its
/// size in memory.
const MOST_BYTES: usize = 64 * 1024;

/// Most rules of all ignore files below one skills directory.
const MOST_RULES: usize = 2_000;

/// The rules for a directory tree, in the order of reading.
#[derive(Debug, Clone, Default)]
pub struct IgnoreRules {
    rules: Vec<IgnoreRule>,
    /// Bytes read so far.
    bytes: usize,
}

#[derive(Debug, Clone)]
struct IgnoreRule {
    glob: GlobMatcher,
    keeps: bool,
    directories_only: bool,
}

impl IgnoreRules {
    /// Adds the ignore files at `path`, which is `directory` below the root of the search, and names
    /// those that exceed the limits.
    pub fn read(&mut self, path: &Path, directory: &Path, problems: &mut Vec<Problem>) {
        // The order matters: the last matching line wins.
        for name in NAMES {
            let file = path.join(name);
            let is_used = match content::read(&file) {
                Content::Text(text) => self.add(directory, &text),
                Content::TooLarge { .. } => false,
                _ => true,
            };
            if !is_used {
                let reason = format!(
                    "ignore files of one skills directory hold at most {} KiB and {MOST_RULES} rules",
                    MOST_BYTES / 1024
                );
                problems.push(Problem::Unusable(file, reason));
            }
        }
    }

    /// Whether a search leaves out an entry of a directory below `root`. Adds the ignore files of a
    /// directory that it does not leave out.
    pub fn leave_out(
        &mut self,
        root: &Path,
        path: &Path,
        is_directory: bool,
        problems: &mut Vec<Problem>,
    ) -> bool {
        let relative = path.strip_prefix(root).unwrap_or(path);
        let is_ignored = self.ignores(relative, is_directory);
        if is_directory && !is_ignored {
            self.read(path, relative, problems);
        }
        is_ignored
    }

    /// Whether a skill, a directory or file, is left out by itself or by a directory above it.
    pub fn leaves_out(&self, root: &Path, skill: &Path, is_file: bool) -> bool {
        let file = if is_file { skill.to_owned() } else { skill.join(SKILL_MD) };
        let relative = file.strip_prefix(root).unwrap_or(&file);
        !self.rules.is_empty()
            && relative
                .ancestors()
                .filter(|above| !above.as_os_str().is_empty())
                .any(|above| self.ignores(above, above != relative))
    }

    /// Adds the lines of a file in `directory`, a path below the root of the search; none if they
    /// are too many.
    fn add(&mut self, directory: &Path, text: &str) -> bool {
        let lines = text.lines().filter(|line| is_rule(line));
        if self.bytes + text.len() > MOST_BYTES
            || self.rules.len() + lines.clone().count() > MOST_RULES
        {
            return false;
        }
        self.bytes += text.len();
        self.rules.extend(lines.filter_map(|line| rule(directory, line)));
        true
    }

    /// Whether an entry, a path below the root of the search, is left out.
    fn ignores(&self, path: &Path, is_directory: bool) -> bool {
        let matches = |rule: &&IgnoreRule| {
            (is_directory || !rule.directories_only) && rule.glob.is_match(path)
        };
        self.rules.iter().rev().find(matches).is_some_and(|rule| !rule.keeps)
    }
}

/// Whether a line is a rule.
fn is_rule(line: &str) -> bool {
    !line.trim_end().is_empty() && !line.starts_with('#')
}

fn rule(directory: &Path, line: &str) -> Option<IgnoreRule> {
    let line = line.trim_end();
    let (keeps, pattern) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix('\\').unwrap_or(line)),
    };
    let directories_only = pattern.ends_with('/');
    let pattern = pattern.trim_end_matches('/');
    let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
    if pattern.is_empty() {
        return None;
    }
    // Pi puts the directory before the pattern, and a slash inside ties it to its place.
    let anchored = pattern.contains('/') || !directory.as_os_str().is_empty();
    let prefix = globset::escape(&directory.to_string_lossy());
    let mut whole = PathBuf::from(prefix);
    if !anchored {
        whole.push("**");
    }
    whole.push(pattern);
    let glob = GlobBuilder::new(&whole.to_string_lossy()).literal_separator(true).build().ok()?;
    Some(IgnoreRule { glob: glob.compile_matcher(), keeps, directories_only })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: &Path) -> (IgnoreRules, Vec<Problem>) {
        let (mut rules, mut problems) = (IgnoreRules::default(), Vec::new());
        rules.read(root, Path::new(""), &mut problems);
        (rules, problems)
    }

    #[test]
    fn patterns_mean_what_they_mean_to_pi() {
        let mut rules = IgnoreRules::default();
        rules.add(Path::new(""), "# comment\n*-old\n!keep-old\n/top\nsub/deep\nonly-dir/\n");
        rules.add(Path::new("group"), "inner\n");
        let ignored = |path: &str| rules.ignores(Path::new(path), true);
        assert!(ignored("pdf-old"));
        assert!(ignored("a/pdf-old"));
        assert!(!ignored("keep-old"));
        assert!(ignored("top") && ignored("a/top"));
        assert!(ignored("sub/deep") && !ignored("x/sub/deep"));
        assert!(ignored("only-dir") && !rules.ignores(Path::new("only-dir"), false));
        assert!(ignored("group/inner") && !ignored("group/x/inner") && !ignored("inner"));
        assert!(rule(Path::new(""), "/").is_none() && rule(Path::new(""), "!/").is_none());
    }

    #[test]
    fn exceeded_limits_are_reported_and_the_rest_is_checked() {
        let temp = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(temp.path().join(name), text).unwrap();
        let unused = || {
            let (rules, problems) = read(temp.path());
            let name = |problem: &Problem| match problem {
                Problem::Unusable(path, _) => path.file_name().unwrap().to_owned(),
                other => panic!("{other:?}"),
            };
            (rules.rules.len(), problems.iter().map(name).collect::<Vec<_>>())
        };
        write(".gitignore", &"a\n".repeat(MOST_RULES));
        assert_eq!(unused(), (MOST_RULES, vec![]));
        write(".ignore", "# nothing\n\n");
        assert_eq!(unused(), (MOST_RULES, vec![]));
        write(".ignore", "b\n");
        assert_eq!(unused(), (MOST_RULES, vec![".ignore".into()]));
        write(".gitignore", &"#".repeat(MOST_BYTES));
        write(".ignore", "");
        assert_eq!(unused(), (0, vec![]));
        write(".gitignore", &"#".repeat(MOST_BYTES + 1));
        assert_eq!(unused(), (0, vec![".gitignore".into()]));
        write(".gitignore", &"#".repeat(2 * 1024 * 1024));
        assert_eq!(unused(), (0, vec![".gitignore".into()]));
    }

    #[test]
    fn files_count_in_one_order_whichever_was_made_first() {
        for names in [[".gitignore", ".ignore"], [".ignore", ".gitignore"]] {
            let temp = tempfile::tempdir().unwrap();
            for name in names {
                let text = if name == ".gitignore" { "*-old\n" } else { "!keep-old\n" };
                std::fs::write(temp.path().join(name), text).unwrap();
            }
            let (rules, _) = read(temp.path());
            assert!(!rules.leaves_out(temp.path(), &temp.path().join("keep-old"), false));
            assert!(rules.leaves_out(temp.path(), &temp.path().join("other-old"), false));
        }
    }
}
