//! Random sequences of verbs, held against a model: what must hold after every step, whatever came
//! before. A sequence that breaks a law is shortened until all of its steps are needed.
//!
//! `SKILLS_MODEL_SEQUENCES` and `SKILLS_MODEL_STEPS` set how many and how long they are, and
//! `SKILLS_MODEL_SEED` the seed of the first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::harness::{good_text, lacks, skip, text};
use crate::zip::maker;

const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];
/// Directories with skills, an archive, and a branch of a git repository.
const SOURCES: [&str; 4] = ["one", "two", "pack.zip", "git+file://$ROOT/origin//skills@main"];
const GIT: usize = 3;
/// Versions of the archive and the repository, which have all skills.
const VERSIONS: u32 = 5;
/// The directories of Claude, Codex and a project, each with a skills directory.
const PLACES: [&str; 3] = ["home/.claude", "home/.agents", "project/.claude"];
/// The flags of a run, and the places that they choose.
const CHOICES: [(&str, &[usize]); 4] = [
    ("--agent claude", &[0]),
    ("--agent codex", &[1]),
    ("--agent claude --scope project", &[2]),
    ("--agent claude,codex", &[0, 1]),
];
/// Installed, updated or removed to let the next run repair what a killed one left; the model does
/// not see it.
const REPAIR: &str = "repair";
/// The next runs after a kill. The first works always, and the last two need the skill.
const REPAIRS: [&str; 4] =
    ["install fixed/repair", "sync --manifest fixed/skills.yaml", "update repair", "remove repair"];

type Law = Result<(), String>;

/// Ends the step with the name of the law that does not hold.
macro_rules! law {
    ($holds:expr, $($text:tt)*) => { if !$holds { return Err(format!($($text)*)); } };
}

// What is there.

/// The entries of a directory, which is itself entry `""`.
type Tree = BTreeMap<String, Node>;

#[derive(Clone, PartialEq, Eq)]
enum Node {
    Directory(u32),
    File(u32, Vec<u8>),
    Link(PathBuf),
}

/// One skills directory and everything beside it.
#[derive(Clone, Default, PartialEq)]
struct Place {
    enabled: BTreeMap<String, Tree>,
    disabled: BTreeMap<String, Tree>,
    record: BTreeMap<String, Value>,
    /// Backups, and what an update keeps.
    rest: Tree,
}

impl fmt::Debug for Node {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(mode) => write!(out, "{mode:o}"),
            Self::File(mode, text) => write!(out, "{mode:o} {:?}", String::from_utf8_lossy(text)),
            Self::Link(target) => write!(out, "-> {}", target.display()),
        }
    }
}

fn read_tree(path: &Path, relative: &str, tree: &mut Tree) {
    let Ok(data) = path.symlink_metadata() else { return };
    let node = if data.is_symlink() {
        Node::Link(fs::read_link(path).unwrap())
    } else if data.is_dir() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            let inner = format!("{relative}/{}", entry.file_name().into_string().unwrap());
            read_tree(&entry.path(), inner.trim_start_matches('/'), tree);
        }
        Node::Directory(data.mode() & 0o7777)
    } else {
        Node::File(data.mode() & 0o7777, fs::read(path).unwrap_or_default())
    };
    tree.insert(relative.to_owned(), node);
}

fn write_tree(path: &Path, tree: &Tree) {
    for (inner, node) in tree {
        let there = path.join(inner);
        match node {
            Node::File(mode, text) => {
                fs::write(&there, text).unwrap();
                fs::set_permissions(there, Permissions::from_mode(*mode)).unwrap();
            }
            _ => fs::create_dir_all(there).unwrap(),
        }
    }
}

/// Lets a person edit a read-only copy.
fn unlock(path: &Path) {
    let Ok(data) = path.symlink_metadata() else { return };
    if !data.is_symlink() {
        fs::set_permissions(path, Permissions::from_mode(data.mode() & 0o7777 | 0o200)).unwrap();
        fs::read_dir(path).into_iter().flatten().flatten().for_each(|one| unlock(&one.path()));
    }
}

impl Place {
    fn read(root: &Path) -> Self {
        let (mut place, mut all) = (Self::default(), Tree::new());
        read_tree(root, "", &mut all);
        for (path, node) in all {
            let enabled = path.strip_prefix("skills/");
            let disabled = path.strip_prefix(".skills-disabled/of-skills/");
            let (name, inner) = enabled
                .or(disabled)
                .unwrap_or(".")
                .split_once('/')
                .unwrap_or((enabled.or(disabled).unwrap_or("."), ""));
            let copies = if enabled.is_some() { &mut place.enabled } else { &mut place.disabled };
            match (name, node) {
                (REPAIR | ".skills-index.lock", _) => {}
                (".skills-index.json", Node::File(_, text)) => place.record = records(&text),
                (_, Node::Directory(_)) if ["", "skills"].contains(&&*path) => {}
                (_, node) if name.starts_with('.') => drop(place.rest.insert(path, node)),
                (_, node) => {
                    drop(copies.entry(name.into()).or_default().insert(inner.into(), node))
                }
            }
        }
        place
    }

    fn copy(&self, name: &str) -> Option<&Tree> {
        self.enabled.get(name).or_else(|| self.disabled.get(name))
    }

    /// Whether skills and records are the same; backups may differ.
    fn shows_as(&self, other: &Self) -> bool {
        (&self.enabled, &self.disabled, &self.record)
            == (&other.enabled, &other.disabled, &other.record)
    }

    fn trees(&self) -> impl Iterator<Item = (String, &Tree)> {
        let rooms = [("skills", &self.enabled), ("disabled", &self.disabled)].into_iter();
        let copies = rooms.flat_map(|(room, copies)| {
            copies.iter().map(move |(name, tree)| (format!("{room}/{name}"), tree))
        });
        copies.chain([(String::new(), &self.rest)])
    }

    /// What people wrote into copies, and the modes of the files that have it.
    fn edits(&self) -> BTreeMap<&str, BTreeSet<u32>> {
        let mut edits: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for (mode, text) in self.trees().flat_map(|(_, tree)| files(tree)) {
            for part in std::str::from_utf8(text).unwrap_or_default().split("edit-").skip(1) {
                let edit = part.split_once('.').unwrap_or_default().0;
                edits.entry(edit).or_default().insert(mode);
            }
        }
        edits
    }

    /// Whether a run has left something that it should have removed.
    fn is_tidy(&self) -> bool {
        let is_left =
            |path: &String| ["-staging-", "-temporary-"].iter().any(|one| path.contains(one));
        !self.rest.keys().any(is_left)
            && (!self.disabled.is_empty() || !self.rest.contains_key(".skills-disabled"))
    }

    fn lines(&self) -> BTreeSet<String> {
        let trees = self.trees().flat_map(|(room, tree)| {
            tree.iter().map(move |(path, node)| format!("{room}/{path} {node:?}"))
        });
        trees
            .chain(self.record.iter().map(|(name, record)| format!("record {name} {record}")))
            .collect()
    }
}

fn files(tree: &Tree) -> impl Iterator<Item = (u32, &[u8])> {
    tree.values().filter_map(|node| match node {
        Node::File(mode, text) => Some((*mode, &text[..])),
        _ => None,
    })
}

/// The records by name, without the time.
fn records(text: &[u8]) -> BTreeMap<String, Value> {
    let document: Value = serde_json::from_slice(text).unwrap_or_default();
    let all = document["skills"].as_array().cloned().unwrap_or_default().into_iter();
    let named = all.map(|mut record| {
        record.as_object_mut().unwrap().remove("installed_at");
        (record["name"].as_str().unwrap_or_default().to_owned(), record)
    });
    named.filter(|(name, _)| name != REPAIR).collect()
}

fn link_of(tree: &Tree) -> Option<&Path> {
    if let Some(Node::Link(target)) = tree.get("") { Some(target) } else { None }
}

/// Whether one is no edit of the other: their files have the same bytes and execute bits.
fn is_same(one: &Tree, other: &Tree) -> bool {
    let entries = |tree: &Tree| -> Vec<(String, Node)> {
        let entry = |(path, node): (&String, &Node)| match node {
            Node::File(mode, text) => Some((path.clone(), Node::File(mode & 0o111, text.clone()))),
            Node::Link(_) => Some((path.clone(), node.clone())),
            Node::Directory(_) => None,
        };
        tree.iter().filter_map(entry).collect()
    };
    entries(one) == entries(other)
}

/// A report without what a dry run cannot know, or says in other words.
fn alike(mut document: Value) -> Value {
    let Some(fields) = document.as_object_mut() else { return document };
    fields.remove("dry_run");
    for skill in fields.get_mut("skills").and_then(Value::as_array_mut).into_iter().flatten() {
        let skill = skill.as_object_mut().unwrap();
        skill.remove("backup");
        match skill.get("state").and_then(Value::as_str) {
            Some("outdated") => drop(skill.insert("state".into(), "updated".into())),
            Some("gone" | "removed") => {
                skill.retain(|key, _| !["state", "help", "reason", "digest"].contains(&&**key));
            }
            _ => {}
        }
    }
    document
}

// The steps.

#[derive(Clone, Copy, PartialEq)]
enum Verb {
    Install { source: usize, link: bool, read_only: bool },
    Sync,
    Update { prune: bool },
    Undo,
    Remove,
    Disable,
    Enable,
    Verify,
}

#[derive(Clone)]
struct Call {
    verb: Verb,
    choice: usize,
    names: Vec<&'static str>,
    force: bool,
    /// Whether a dry run comes first.
    dry: bool,
    /// What `strace` does to which call.
    mishap: Option<(Mishap, String)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Mishap {
    Kill,
    /// One call, or every one from then on, finds the disk full.
    Once,
    Full,
}

#[derive(Clone)]
enum Step {
    /// A person edits a copy; the number says how, and is the text.
    Edit {
        place: usize,
        name: &'static str,
        number: u32,
    },
    /// Somebody else puts a skill there.
    Foreign {
        place: usize,
        name: &'static str,
        number: u32,
    },
    Delete {
        place: usize,
        name: &'static str,
    },
    /// A source gets another version, or loses the skill.
    Release {
        source: usize,
        name: &'static str,
        version: Option<u32>,
    },
    Manifest(Vec<&'static str>),
    Run(Call),
}

impl Call {
    /// An update of a project includes the directories of its user.
    fn places(&self) -> &'static [usize] {
        match (self.verb, self.choice) {
            (Verb::Update { .. } | Verb::Undo, 2) => &[0, 2],
            _ => CHOICES[self.choice].1,
        }
    }

    fn words(&self) -> String {
        let names = self.names.join(" ");
        let some = if self.names.len() == NAMES.len() { "" } else { &names };
        let words = match self.verb {
            Verb::Install { source, link, read_only } => {
                let link = if link { " --link" } else { "" };
                let read_only = if read_only { " --read-only" } else { "" };
                let what: Vec<String> = match source {
                    0 | 1 => {
                        self.names.iter().map(|one| format!("{}/{one}", SOURCES[source])).collect()
                    }
                    _ => vec![format!("{} --only {}", SOURCES[source], self.names.join(","))],
                };
                format!("install {}{link}{read_only}", what.join(" "))
            }
            Verb::Sync => "sync".into(),
            Verb::Update { prune: true } => format!("update {some} --prune"),
            Verb::Update { .. } => format!("update {some}"),
            Verb::Undo => format!("update --undo {some}"),
            Verb::Remove => format!("remove {names}"),
            Verb::Disable => format!("disable {names}"),
            Verb::Enable => format!("enable {names}"),
            Verb::Verify => "verify".into(),
        };
        let force = if self.force && self.writes() { " --force" } else { "" };
        format!("{words} {}{force}", CHOICES[self.choice].0)
    }

    /// Whether files are copied or removed.
    fn writes(&self) -> bool {
        !matches!(self.verb, Verb::Disable | Verb::Enable | Verb::Verify)
    }

    /// Whether some skills may change although others are refused.
    fn is_partial(&self) -> bool {
        matches!(self.verb, Verb::Update { .. } | Verb::Undo | Verb::Sync)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit { place, name, number } => {
                let what = [
                    "append to SKILL.md",
                    "write .env",
                    "chmod run.sh",
                    "remove run.sh",
                    "write data/own.txt",
                ];
                write!(
                    out,
                    "# {}, {name}: {}, edit-{number}.",
                    PLACES[*place],
                    what[*number as usize % 5]
                )
            }
            Self::Foreign { place, name, number } => {
                write!(out, "# {}, {name}: put there by others, edit-{number}.", PLACES[*place])
            }
            Self::Delete { place, name } => write!(out, "# {}, {name}: deleted", PLACES[*place]),
            Self::Release { source, name, version } => {
                write!(out, "# {} {name}: version {version:?}", SOURCES[*source])
            }
            Self::Manifest(names) => write!(out, "# skills.yaml: {names:?} of one"),
            Self::Run(call) => {
                let first = if call.dry { "--dry-run and then " } else { "" };
                write!(out, "{first}skills {}", call.words())?;
                call.mishap.as_ref().map_or(Ok(()), |(_, inject)| write!(out, "  # {inject}"))
            }
        }
    }
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    /// One name is as likely as several.
    fn names(&mut self) -> Vec<&'static str> {
        let bits = if self.one_in(2) { 1 << self.below(3) } else { 1 + self.below(7) };
        (0..3).filter(|name| bits & (1 << name) != 0).map(|name| NAMES[name]).collect()
    }

    fn step(&mut self, number: u32, sources: usize) -> Step {
        let (place, name) = (self.below(PLACES.len()), NAMES[self.below(3)]);
        let source = self.below(sources);
        let verb = match self.below(100) {
            0..20 => return Step::Edit { place, name, number },
            20..23 => return Step::Foreign { place, name, number },
            23..27 => return Step::Delete { place, name },
            27..42 => {
                let version = (!self.one_in(8)).then_some(number);
                return Step::Release { source, name, version };
            }
            42..46 => return Step::Manifest(self.names()),
            46..60 => {
                let source = if self.one_in(3) { source } else { 0 };
                let link = source < 2 && self.one_in(6);
                Verb::Install { source, link, read_only: !link && self.one_in(5) }
            }
            60..65 => Verb::Sync,
            65..74 => Verb::Update { prune: self.one_in(3) },
            74..79 => Verb::Undo,
            79..86 => Verb::Remove,
            86..92 => Verb::Disable,
            92..97 => Verb::Enable,
            _ => Verb::Verify,
        };
        let (choice, names, force) = (self.below(4), self.names(), self.one_in(5));
        let is_read = verb == Verb::Verify;
        let mishap = (!is_read && self.one_in(40)).then(|| self.mishap());
        let dry = !is_read && (mishap.is_some() || self.one_in(6));
        // A killed `install --link` leaves a link without a record: the same run again records it.
        let is_link = matches!(verb, Verb::Install { link: true, .. });
        let mishap = mishap.filter(|_| !is_link);
        Step::Run(Call { verb, choice, names, force, dry, mishap })
    }

    /// `strace` counts each call of a list apart, so there is only one.
    fn mishap(&mut self) -> (Mishap, String) {
        const CALLS: [(&str, usize); 9] = [
            ("renameat2", 6),
            ("renameat", 3),
            ("unlinkat", 30),
            ("mkdirat", 15),
            ("write", 12),
            ("openat", 120),
            ("symlink", 3),
            ("fchmod", 6),
            ("fsync", 3),
        ];
        let what = [Mishap::Kill, Mishap::Kill, Mishap::Once, Mishap::Full][self.below(4)];
        let (call, last) = CALLS[self.below(if what == Mishap::Kill { 9 } else { 7 })];
        // Most runs make few calls.
        let limit = 1 + self.below(last);
        let when = 1 + self.below(limit);
        let effect = if what == Mishap::Kill { "signal=KILL" } else { "error=ENOSPC" };
        let more = if what == Mishap::Full { "+" } else { "" };
        (what, format!("inject={call}:{effect}:when={when}{more}"))
    }

    /// Git takes its time, so only some sequences have a repository.
    fn sequence(seed: u64, length: u32) -> Vec<Step> {
        let mut dice = Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let sources = if seed.is_multiple_of(10) { 4 } else { 3 };
        (0..length).map(|number| dice.step(number, sources)).collect()
    }
}

// The model.

/// What all sequences share.
struct Setting {
    /// In memory, if possible.
    scratch: PathBuf,
    /// A repository and its commits, one for each version; none without git.
    repository: Option<(PathBuf, Vec<String>)>,
    has_strace: bool,
}

/// How much was done.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    runs: u64,
    /// Injections that were asked for, and those that happened.
    mishaps: u64,
    kills: u64,
    errors: u64,
    repairs: [u64; REPAIRS.len()],
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.mishaps += other.mishaps;
        self.kills += other.kills;
        self.errors += other.errors;
        self.repairs.iter_mut().zip(other.repairs).for_each(|(all, more)| *all += more);
    }
}

/// A home and a project, and what the model knows about them.
struct World<'a> {
    setting: &'a Setting,
    root: PathBuf,
    umask: u32,
    places: Vec<Place>,
    /// The version of each skill in each source.
    versions: BTreeMap<(usize, &'static str), u32>,
    manifest: Vec<&'static str>,
    /// Recorded copies as they were installed.
    pristine: [BTreeMap<&'static str, Tree>; 3],
    /// What the last update replaced: the copy, its record, and the copy as it was installed.
    undo: [BTreeMap<&'static str, (Tree, Value, Tree)>; 3],
    /// What the last run said.
    said: String,
    tally: Tally,
    /// Whether the last injection happened.
    has_happened: bool,
    _temp: tempfile::TempDir,
}

impl<'a> World<'a> {
    fn new(setting: &'a Setting) -> Self {
        let temp = tempfile::tempdir_in(&setting.scratch).unwrap();
        let root = temp.path().canonicalize().unwrap();
        for directory in
            ["home", "tmp", "project/.git", "project/fixed/repair", "origin/refs/heads"]
        {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        fs::write(root.join("project/fixed/repair/SKILL.md"), good_text(REPAIR)).unwrap();
        fs::write(root.join("project/fixed/skills.yaml"), "version: 1\nskills: [./repair]\n")
            .unwrap();
        if let Some((repository, _)) = &setting.repository {
            for file in ["HEAD", "config"] {
                fs::copy(repository.join(file), root.join("origin").join(file)).unwrap();
            }
            symlink(repository.join("objects"), root.join("origin/objects")).unwrap();
        }
        let mut world = Self {
            setting,
            umask: !root.join("tmp").metadata().unwrap().mode() & 0o777,
            root,
            places: vec![Place::default(); PLACES.len()],
            versions: BTreeMap::new(),
            manifest: Vec::new(),
            pristine: Default::default(),
            undo: Default::default(),
            said: String::new(),
            tally: Tally::default(),
            has_happened: false,
            _temp: temp,
        };
        for source in 0..SOURCES.len() {
            NAMES.iter().for_each(|name| world.release(source, name, Some(0)));
        }
        world.write_manifest(&NAMES[..2]);
        world
    }

    /// What a source has of a skill now, as it is installed.
    fn content(&self, source: usize, name: &str, read_only: bool) -> Option<Tree> {
        let version = self.versions.iter().find(|(key, _)| **key == (source, name))?.1;
        let head = text(name, &format!("license: {}-{version}\n", &SOURCES[source][..3]));
        let mode = |mode: u32| mode & !self.umask & !(if read_only { 0o222 } else { 0 });
        let run = if version % 3 == 2 { 0o644 } else { 0o755 };
        let mut tree = Tree::from([
            (String::new(), Node::Directory(mode(0o755))),
            ("SKILL.md".into(), Node::File(mode(0o644), head.into())),
            ("scripts".into(), Node::Directory(mode(0o755))),
            ("scripts/run.sh".into(), Node::File(mode(run), b"#!/bin/sh\n".to_vec())),
        ]);
        if version % 2 == 1 {
            tree.insert("notes.txt".into(), Node::File(mode(0o644), version.to_string().into()));
        }
        Some(tree)
    }

    /// Gives a source another version. Those of an archive or a commit lack one of the skills.
    fn release(&mut self, source: usize, name: &'static str, version: Option<u32>) {
        let number = version.unwrap_or_default() % VERSIONS;
        let there = self.root.join("project").join(SOURCES[source]);
        if source < 2 {
            let _ = fs::remove_dir_all(there.join(name));
            self.versions.remove(&(source, name));
            self.versions.extend(version.map(|version| ((source, name), version)));
            self.content(source, name, false)
                .iter()
                .for_each(|tree| write_tree(&there.join(name), tree));
            return;
        }
        for (index, name) in NAMES.into_iter().enumerate() {
            self.versions.remove(&(source, name));
            let is_there = number as usize != index + 1;
            self.versions.extend(is_there.then_some(((source, name), number)));
        }
        if source == GIT {
            let Some((_, commits)) = &self.setting.repository else { return };
            let commit = commits.get(number as usize).cloned().unwrap_or_default();
            fs::write(self.root.join("origin/refs/heads/main"), commit).unwrap();
            return;
        }
        let zipped = self.files_of(source).into_iter().map(|(path, mode, text)| {
            let mut entry = maker::file(&path, &text);
            entry.attributes = (0o100_000 | mode) << 16;
            entry
        });
        fs::write(there, maker::archive(&zipped.collect::<Vec<_>>(), |_| {})).unwrap();
    }

    fn files_of(&self, source: usize) -> Vec<(String, u32, String)> {
        let trees =
            NAMES.iter().filter_map(|name| Some((name, self.content(source, name, false)?)));
        let file = |(path, node)| match node {
            Node::File(mode, text) => Some((path, mode, String::from_utf8(text).unwrap())),
            _ => None,
        };
        let named = trees.flat_map(|(name, tree)| {
            tree.into_iter().map(move |(path, node)| (format!("{name}/{path}"), node))
        });
        named.filter_map(file).collect()
    }

    fn write_manifest(&mut self, names: &[&'static str]) {
        self.manifest = names.to_vec();
        let entries: Vec<String> = names.iter().map(|name| format!("./one/{name}")).collect();
        let text = format!("version: 1\nskills: [{}]\n", entries.join(", "));
        fs::write(self.root.join("project/skills.yaml"), text).unwrap();
    }

    fn look(&self) -> Vec<Place> {
        PLACES.iter().map(|place| Place::read(&self.root.join(place))).collect()
    }

    fn is_edited(&self, place: usize, name: &str) -> bool {
        let copy = self.places[place].copy(name);
        let installed = self.pristine[place].get(name);
        copy.is_some_and(|copy| installed.is_none_or(|installed| !is_same(installed, copy)))
    }

    fn is_owned(record: Option<&Value>) -> bool {
        record.is_some_and(|record| record.get("owner").is_some())
    }

    /// The source of a recorded skill.
    fn origin(record: Option<&Value>) -> Option<usize> {
        let source = record?["source"].as_str()?;
        ["/one/", "/two/", "pack.zip", "git+file"].iter().position(|part| source.contains(part))
    }

    fn take(&mut self, step: &Step) -> Law {
        let home = |place: usize, name| self.root.join(PLACES[place]).join("skills").join(name);
        match *step {
            Step::Run(ref call) => {
                return self.run(call).map_err(|broken| {
                    let mut story = format!("{broken}\n{}\n", self.said);
                    for (place, (before, after)) in self.places.iter().zip(self.look()).enumerate()
                    {
                        let (before, after) = (before.lines(), after.lines());
                        before
                            .difference(&after)
                            .for_each(|line| story += &format!("  - {} {line}\n", PLACES[place]));
                        after
                            .difference(&before)
                            .for_each(|line| story += &format!("  + {} {line}\n", PLACES[place]));
                    }
                    story
                });
            }
            Step::Release { source, name, version } => self.release(source, name, version),
            Step::Manifest(ref names) => self.write_manifest(names),
            Step::Edit { place, name, number } => self.edit(place, name, number),
            Step::Delete { place, name } => {
                if fs::remove_file(home(place, name)).is_err() {
                    unlock(&home(place, name));
                    let _ = fs::remove_dir_all(home(place, name));
                }
            }
            Step::Foreign { place, name, .. } if self.places[place].enabled.contains_key(name) => {}
            Step::Foreign { place, name, number } => {
                let mut tree = self.content(0, name, false).unwrap_or_default();
                // Sometimes it is the skill that a source has.
                if number % 4 != 0 || tree.is_empty() {
                    let text = text(name, &format!("license: edit-{number}.\n"));
                    tree.insert("SKILL.md".into(), Node::File(0o600, text.into()));
                }
                fs::create_dir_all(home(place, name)).unwrap();
                write_tree(&home(place, name), &tree);
            }
        }
        self.places = self.look();
        Ok(())
    }

    fn edit(&self, place: usize, name: &str, number: u32) {
        let there = &self.places[place];
        let Some(tree) = there.copy(name).filter(|tree| link_of(tree).is_none()) else { return };
        let room =
            if there.enabled.contains_key(name) { "skills" } else { ".skills-disabled/of-skills" };
        let path = self.root.join(PLACES[place]).join(room).join(name);
        unlock(&path);
        let add = |file: &str, mode: u32| {
            let text = fs::read_to_string(path.join(file)).unwrap_or_default();
            fs::write(path.join(file), format!("{text}edit-{number}.\n")).unwrap();
            fs::set_permissions(path.join(file), Permissions::from_mode(mode)).unwrap();
        };
        let script = path.join("scripts/run.sh");
        match (number % 5, tree.get("scripts/run.sh")) {
            (0, _) => add("SKILL.md", 0o644),
            (1, _) => add(".env", 0o600),
            (2, Some(Node::File(mode, _))) => {
                fs::set_permissions(script, Permissions::from_mode((mode | 0o200) ^ 0o111))
                    .unwrap();
            }
            (3, Some(_)) => fs::remove_file(script).unwrap(),
            _ => {
                let _ = fs::create_dir(path.join("data"));
                add("data/own.txt", 0o640);
            }
        }
    }

    /// Runs the program: its exit code, none if it was killed, and its report.
    fn execute(&mut self, call: &Call, words: &str, dry: bool) -> (Option<i32>, Value) {
        self.tally.runs += 1;
        let mut command = Command::new(env!("CARGO_BIN_EXE_skills"));
        let mishap = call.mishap.as_ref().filter(|_| !dry && self.setting.has_strace);
        if let Some((_, inject)) = mishap {
            command = Command::new("strace");
            let trace = inject.replace("inject=", "trace=").split(':').next().unwrap().to_owned();
            command.args(["-f", "-qq", "-o"]).arg(self.root.join("trace"));
            command.args(["-e", &trace, "-e", inject]);
            command.arg(env!("CARGO_BIN_EXE_skills"));
        }
        let words = words.replace("$ROOT", self.root.to_str().unwrap());
        command.args(words.split_whitespace()).args(["--format", "json"]);
        command.args(dry.then_some("--dry-run"));
        command.args((mishap.is_none() && call.writes()).then_some("--no-sync"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.root.join("home")).env("TMPDIR", self.root.join("tmp"));
        command.env("SKILLS_THREADS", "1").current_dir(self.root.join("project"));
        let output = command.stdin(Stdio::null()).output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        self.said = format!("{document}{}", String::from_utf8_lossy(&output.stderr));
        if let Some((mishap, _)) = mishap {
            self.tally.mishaps += 1;
            let is_killed = *mishap == Mishap::Kill && output.status.code().is_none();
            self.tally.kills += u64::from(is_killed);
            self.has_happened = is_killed;
            let trace = fs::read(self.root.join("trace")).unwrap_or_default();
            let is_told = trace.windows(10).any(|part| part == b"(INJECTED)");
            let is_failed = *mishap != Mishap::Kill && is_told;
            self.tally.errors += u64::from(is_failed);
            self.has_happened |= is_failed;
        }
        (output.status.code(), document)
    }

    // The laws.

    fn run(&mut self, call: &Call) -> Law {
        let (words, mut planned) = (call.words(), None);
        if call.dry {
            planned = Some(self.execute(call, &words, true));
            law!(self.look() == self.places, "a-dry-run-writes");
        }
        let (code, document) = self.execute(call, &words, false);
        let after = self.look();
        law!(!self.said.contains("panicked"), "a-panic");
        if let Some((mishap, _)) = call.mishap.as_ref().filter(|_| self.setting.has_strace) {
            let planned = planned.unwrap_or_default().1;
            return self.survive(call, *mishap, code, planned, &after);
        }
        let expected = self.expected_code(call);
        law!(matches!(code, Some(0..=2)), "an-exit-code: {code:?}");
        law!(
            expected.is_none_or(|one| code == Some(one)),
            "an-exit-code: not {expected:?}, but {code:?}"
        );
        law!(code == Some(0) || call.is_partial() || after == self.places, "a-refused-run-changes");
        if let Some((planned_code, planned)) = planned {
            law!(
                planned_code == code,
                "a-dry-run-tells-another-code: {planned_code:?}, not {code:?}: {planned}"
            );
            law!(
                alike(planned.clone()) == alike(document.clone()),
                "a-dry-run-tells-otherwise: {planned}"
            );
        }
        self.settle(call, code, &document, after)
    }

    /// After a kill or a full disk: nothing is torn or lost, and the next run makes it what it was
    /// or what it was to be.
    fn survive(
        &mut self,
        call: &Call,
        mishap: Mishap,
        code: Option<i32>,
        mut planned: Value,
        after: &[Place],
    ) -> Law {
        let changes = self.changes(&planned)?;
        for (place, (before, after)) in self.places.iter().zip(after).enumerate() {
            let kept = after.edits();
            law!(before.edits().keys().all(|edit| kept.contains_key(edit)), "an-edit-is-lost");
            for name in NAMES {
                let is_asked = call.verb == Verb::Enable && call.names.contains(&name);
                let is_disabled =
                    before.disabled.contains_key(name) && !before.enabled.contains_key(name);
                law!(
                    is_asked || !is_disabled || !after.enabled.contains_key(name),
                    "a-disabled-skill-is-enabled: {name}"
                );
                let known = [before.enabled.get(name), before.disabled.get(name)];
                let wanted = self.wanted(call, place, name);
                // A read-only copy is sealed when it is in place.
                let is_whole = |tree: &Tree| {
                    known.iter().copied().flatten().chain(&wanted).any(|one| is_same(one, tree))
                };
                law!(
                    after
                        .enabled
                        .get(name)
                        .into_iter()
                        .chain(after.disabled.get(name))
                        .all(is_whole),
                    "a-torn-skill: {name}"
                );
                let may_go = before.copy(name).is_none()
                    || changes.get(&(place, name)).is_some_and(|action| action == "removed");
                law!(may_go || after.copy(name).is_some(), "a-lost-skill: {name}");
            }
        }
        let is_refusal = matches!(code, Some(1 | 2)) && !self.said.contains("standard output");
        if mishap == Mishap::Once && is_refusal && !call.is_partial() {
            let is_as_before =
                |(before, after): (&Place, &Place)| after.shows_as(before) && after.is_tidy();
            law!(self.places.iter().zip(after).all(is_as_before), "a-failed-run-changes");
        }
        let reader = Call { mishap: None, verb: Verb::Verify, ..call.clone() };
        let readers: &[&str] = if self.has_happened { &["verify", "list"] } else { &[] };
        for place in call.places() {
            for verb in readers {
                let (read, _) =
                    self.execute(&reader, &format!("{verb} {}", CHOICES[*place].0), false);
                law!(matches!(read, Some(0..=2)), "a-reader-fails: {verb}");
                law!(self.look() == after, "a-reader-writes: {verb}");
            }
        }
        for place in call.places() {
            let is_there = self.root.join(PLACES[*place]).join("skills").join(REPAIR).exists();
            let number = self.tally.runs as usize % if is_there { REPAIRS.len() } else { 2 };
            // An update of a project includes the directories of its user.
            let number = if (*place, number) == (2, 2) { 0 } else { number };
            self.tally.repairs[number] += u64::from(self.has_happened);
            // An update without a new version writes nothing, and so repairs nothing.
            let version = text(REPAIR, &format!("license: {}\n", self.tally.runs));
            fs::write(self.root.join("project/fixed/repair/SKILL.md"), version).unwrap();
            let words = format!("{} {}", REPAIRS[number], CHOICES[*place].0);
            let (repaired, _) = self.execute(call, &words, true);
            law!(repaired == Some(0), "a-dry-run-after-it-fails: {words}");
            let plain = Call { mishap: None, ..call.clone() };
            let (repaired, document) = self.execute(&plain, &words, false);
            law!(repaired == Some(0), "the-next-run-fails: {words}");
            // What `sync` installed is not updated.
            if number == 2 && document["skills"][0]["action"] != "updated" {
                let words = format!("{} {}", REPAIRS[0], CHOICES[*place].0);
                let (repaired, _) = self.execute(&plain, &words, false);
                law!(repaired == Some(0), "the-next-run-fails: {words}");
            }
        }
        let after = self.look();
        let is_undone = |skill: &Value| {
            let path = skill["path"].as_str().unwrap_or_default();
            let mut places = PLACES.iter().zip(self.places.iter().zip(&after));
            places.any(|(place, (before, after))| path.contains(place) && after.shows_as(before))
        };
        if let Some(skills) = planned["skills"].as_array_mut().filter(|_| code != Some(0)) {
            skills.retain(|skill| !is_undone(skill));
        }
        self.settle(call, None, &planned, after)
    }

    /// By place and name, what a report says was done.
    fn changes(&self, document: &Value) -> Result<BTreeMap<(usize, &'static str), String>, String> {
        let mut changes = BTreeMap::new();
        for skill in document["skills"].as_array().into_iter().flatten() {
            let path = Path::new(skill["path"].as_str().unwrap_or_default());
            let is_parent =
                |place: &&str| path.parent() == Some(&self.root.join(place).join("skills"));
            let place = PLACES.iter().position(is_parent);
            law!(place.is_some(), "a-place-that-was-not-asked-for: {}", path.display());
            let word = skill["action"].as_str().or(skill["status"].as_str()).unwrap_or_default();
            let name = NAMES.into_iter().find(|name| path.ends_with(name));
            changes.extend(place.zip(name).map(|key| (key, word.to_owned())));
        }
        Ok(changes)
    }

    /// What was said to be done was done, and nothing else; the model learns it.
    fn settle(
        &mut self,
        call: &Call,
        code: Option<i32>,
        document: &Value,
        after: Vec<Place>,
    ) -> Law {
        let changes = self.changes(document)?;
        if call.verb == Verb::Verify {
            law!(changes == self.statuses(call), "verify: {:?}", self.statuses(call));
        }
        for (place, a) in after.iter().enumerate() {
            let b = &self.places[place];
            law!(call.places().contains(&place) || a == b, "another-place-changes");
            law!(a.is_tidy(), "leftovers");
            let (old, new) = (b.edits(), a.edits());
            for (edit, modes) in &old {
                law!(new.contains_key(edit), "an-edit-is-lost: {edit}");
                law!(
                    new[edit].is_subset(modes),
                    "an-edit-has-another-mode: {edit}, {modes:?}, {:?}",
                    new[edit]
                );
            }
            for name in NAMES {
                let action = changes.get(&(place, name)).map_or("unchanged", String::as_str);
                self.check(call, (place, name), action, a)?;
                if document["skills"].is_array() {
                    self.check_purpose(call, code, (place, name), a)?;
                }
            }
        }
        for (place, a) in after.iter().enumerate() {
            let mut replaced = BTreeMap::new();
            for name in NAMES {
                let action = changes.get(&(place, name)).map_or("unchanged", String::as_str);
                replaced.extend(self.learn(call, (place, name), action, a).map(|old| (name, old)));
            }
            if matches!(call.verb, Verb::Update { .. }) && !replaced.is_empty() {
                self.undo[place] = replaced;
            }
            let recorded = a.record.keys();
            law!(self.pristine[place].keys().eq(recorded), "the-record-names-others");
        }
        self.places = after;
        Ok(())
    }

    fn check(&self, call: &Call, (place, name): (usize, &str), action: &str, a: &Place) -> Law {
        let b = &self.places[place];
        let (old, new) = (
            (b.enabled.get(name), b.disabled.get(name)),
            (a.enabled.get(name), a.disabled.get(name)),
        );
        let (old_record, new_record) = (b.record.get(name), a.record.get(name));
        let wanted = self.wanted(call, place, name);
        let may_replace = call.force
            || !self.is_edited(place, name)
            || wanted.as_ref().zip(b.copy(name)).is_some_and(|(one, other)| is_same(one, other));
        match action {
            "disabled" if call.verb == Verb::Disable => {
                law!(new == (None, old.0) && old_record == new_record, "disabled: {name}");
            }
            "enabled" => law!(new == (old.1, None) && old_record == new_record, "enabled: {name}"),
            "removed" => {
                law!(new == (None, None) && new_record.is_none(), "removed: {name}");
                law!(
                    call.verb != Verb::Sync || Self::is_owned(old_record),
                    "a-manifest-removes-others: {name}"
                );
                law!(
                    call.force || !self.is_edited(place, name),
                    "an-edited-skill-is-removed: {name}"
                );
            }
            "created" | "updated" | "replaced" => {
                law!(old.1.is_none() && new.1.is_none(), "what-is-disabled-stays-disabled: {name}");
                law!(new.0 == wanted.as_ref(), "another-skill-than-wanted: {name} {wanted:?}");
                law!(may_replace, "an-edited-skill-is-replaced: {name}");
                law!(
                    (new_record.map(|record| record["linked"] == true))
                        == Some(wanted.as_ref().and_then(link_of).is_some()),
                    "a-record: {name}"
                );
                let restored = self.undo[place].get(name).filter(|_| call.verb == Verb::Undo);
                law!(
                    restored.is_none_or(|(_, record, _)| new_record == Some(record)),
                    "a-restored-record: {name}"
                );
            }
            _ => {
                law!(old == new, "an-unreported-change: {name}");
                // The record of an equal skill may name the source that was asked for last.
                let brings = matches!(call.verb, Verb::Install { .. } | Verb::Sync);
                // An update finds the new version there already, whoever put it there.
                let is_there = matches!(call.verb, Verb::Update { .. })
                    && wanted.as_ref().zip(new.0).is_some_and(|(one, other)| is_same(one, other));
                law!(
                    brings || is_there || old_record == new_record,
                    "an-unreported-record: {name}"
                );
            }
        }
        Ok(())
    }

    /// What the verb is to put there.
    fn wanted(&self, call: &Call, place: usize, name: &str) -> Option<Tree> {
        let record = self.places[place].record.get(name);
        match call.verb {
            Verb::Install { source, link: true, .. } => {
                let target = self.root.join("project").join(SOURCES[source]).join(name);
                Some(Tree::from([(String::new(), Node::Link(target))]))
            }
            Verb::Install { source, read_only, .. } => self.content(source, name, read_only),
            Verb::Sync => self.content(0, name, false),
            Verb::Update { .. } => {
                self.content(Self::origin(record)?, name, record?["read_only"] == true)
            }
            Verb::Undo => self.undo[place].get(name).map(|(tree, ..)| tree.clone()),
            _ => None,
        }
    }

    /// The verb does what it is for: it updates what is outdated, and removes what is dropped.
    fn check_purpose(
        &self,
        call: &Call,
        code: Option<i32>,
        (place, name): (usize, &'static str),
        a: &Place,
    ) -> Law {
        let b = &self.places[place];
        let (record, origin) = (b.record.get(name), Self::origin(b.record.get(name)));
        let is_plain = b.enabled.get(name).is_some_and(|tree| link_of(tree).is_none())
            && !b.disabled.contains_key(name);
        if !call.places().contains(&place)
            || code.is_none()
            || !is_plain
            || self.is_edited(place, name)
        {
            return Ok(());
        }
        let is_named = self.manifest.contains(&name);
        let wanted = match call.verb {
            // A project's record cannot ask for repositories of this machine.
            Verb::Update { .. }
                if (place, origin) != (2, Some(GIT))
                    && call.names.contains(&name)
                    && !Self::is_owned(record) =>
            {
                self.wanted(call, place, name)
            }
            Verb::Sync if code == Some(0) && is_named => self.wanted(call, place, name),
            Verb::Sync if code == Some(0) && Self::is_owned(record) => {
                law!(!a.enabled.contains_key(name), "a-dropped-skill-stays: {name}");
                None
            }
            _ => None,
        };
        let is_there = |wanted| a.enabled.get(name).is_some_and(|tree| is_same(tree, &wanted));
        law!(wanted.is_none_or(is_there), "an-outdated-skill-stays: {name}");
        Ok(())
    }

    /// Learns what is installed now; returns what was replaced.
    fn learn(
        &mut self,
        call: &Call,
        (place, name): (usize, &'static str),
        action: &str,
        a: &Place,
    ) -> Option<(Tree, Value, Tree)> {
        let b = &self.places[place];
        let known = &mut self.pristine[place];
        let before = b.copy(name).cloned().zip(b.record.get(name).cloned());
        let installed = known.get(name).cloned();
        match action {
            "removed" => drop(known.remove(name)),
            "created" | "updated" | "replaced" => {
                let restored = self.undo[place].get(name).filter(|_| call.verb == Verb::Undo);
                let tree = restored.map_or_else(|| a.enabled.get(name), |(.., tree)| Some(tree));
                known.extend(tree.map(|tree| (name, tree.clone())));
            }
            _ if b.record.get(name) != a.record.get(name) => {
                known.extend(a.enabled.get(name).map(|tree| (name, tree.clone())));
                return None;
            }
            _ => return None,
        }
        before.zip(installed).map(|((tree, record), installed)| (tree, record, installed))
    }

    /// The exit code, where the state alone decides it.
    fn expected_code(&self, call: &Call) -> Option<i32> {
        let places = call.places();
        let mut all =
            places.iter().flat_map(|place| call.names.iter().map(move |name| (*place, *name)));
        let is_twice = |place: &Place, name| {
            place.enabled.contains_key(name) && place.disabled.contains_key(name)
        };
        if all.clone().any(|(place, name)| is_twice(&self.places[place], name)) {
            return None;
        }
        let is_at = |place: usize, name: &str| {
            self.places[place].copy(name).is_some()
                || call.verb == Verb::Remove && self.pristine[place].contains_key(name)
        };
        let is_nowhere = |name: &&str| !places.iter().any(|place| is_at(*place, name));
        let is_refused = match call.verb {
            Verb::Install { source, .. }
                if call.names.iter().any(|name| !self.versions.contains_key(&(source, *name))) =>
            {
                return None;
            }
            Verb::Install { source, .. } => {
                all.any(|(place, name)| self.is_in_the_way(call, source, place, name))
            }
            Verb::Remove if !call.names.iter().any(is_nowhere) => {
                !call.force && all.any(|(place, name)| self.is_edited(place, name))
            }
            Verb::Remove | Verb::Disable | Verb::Enable => call.names.iter().any(is_nowhere),
            Verb::Verify => self
                .statuses(call)
                .values()
                .any(|status| ["modified", "missing", "dropped"].contains(&&**status)),
            Verb::Sync | Verb::Update { .. } | Verb::Undo => return None,
        };
        Some(i32::from(is_refused))
    }

    fn is_in_the_way(&self, call: &Call, source: usize, place: usize, name: &str) -> bool {
        let (there, wanted) =
            (&self.places[place], self.wanted(call, place, name).unwrap_or_default());
        let Some(copy) = there.enabled.get(name) else { return there.disabled.contains_key(name) };
        match (link_of(copy).is_some(), link_of(&wanted).is_some()) {
            (true, true) => copy != &wanted && !call.force,
            (false, false) if is_same(copy, &wanted) || call.force => false,
            (false, false) => {
                self.is_edited(place, name) || Self::origin(there.record.get(name)) != Some(source)
            }
            _ => true,
        }
    }

    /// What `verify` is to say.
    fn statuses(&self, call: &Call) -> BTreeMap<(usize, &'static str), String> {
        let status = |(place, name): (usize, &'static str)| {
            let there = &self.places[place];
            let Some(installed) = self.pristine[place].get(name) else {
                return there.enabled.contains_key(name).then_some("unrecorded");
            };
            let Some(copy) = there.enabled.get(name) else {
                return Some(if there.disabled.contains_key(name) {
                    "disabled"
                } else {
                    "missing"
                });
            };
            let is_dropped =
                Self::is_owned(there.record.get(name)) && !self.manifest.contains(&name);
            Some(match link_of(installed) {
                _ if !is_same(installed, copy) => "modified",
                Some(target) if !target.exists() => "missing",
                Some(_) => "linked",
                None if is_dropped => "dropped",
                None => "ok",
            })
        };
        let all = call.places().iter().flat_map(|place| NAMES.map(|name| (*place, name)));
        all.filter_map(|key| Some((key, status(key)?.to_owned()))).collect()
    }
}

// The runner.

/// A repository with one commit for each version.
fn repository(world: &mut World<'_>, path: &Path) -> Vec<String> {
    let mut stream = String::new();
    for version in 0..VERSIONS {
        world.release(GIT, NAMES[0], Some(version));
        let who = "committer Ann <ann@example.com> 1700000000 +0000";
        stream += &format!("commit refs/heads/main\n{who}\ndata 1\n{version}\ndeleteall\n");
        for (path, mode, text) in world.files_of(GIT) {
            let mode = if mode & 0o100 == 0 { 644 } else { 755 };
            stream += &format!("M 100{mode} inline skills/{path}\ndata {}\n{text}\n", text.len());
        }
    }
    fs::create_dir_all(path).unwrap();
    fs::write(path.join("stream"), stream).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-ec", "git init -q --bare -b main .; git fast-import --quiet <stream; git rev-list --reverse main"]);
    let output = shell.current_dir(path).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| format!("{line}\n")).collect()
}

/// Takes the steps. If one breaks a law: its number, and what was seen.
fn play(setting: &Setting, steps: &[Step], tally: &Mutex<Tally>) -> Option<(usize, String)> {
    let mut world = World::new(setting);
    let broken =
        steps.iter().enumerate().find_map(|(number, step)| Some((number, world.take(step).err()?)));
    tally.lock().unwrap().add(world.tally);
    PLACES.iter().for_each(|place| unlock(&world.root.join(place)));
    broken
}

/// A part of a sequence that breaks the same law, and of which every step is needed.
fn shrink(setting: &Setting, mut steps: Vec<Step>, mut broken: String) -> (Vec<Step>, String) {
    let law = |broken: &str| broken.split([':', '\n']).next().unwrap_or_default().to_owned();
    let mut size = steps.len().div_ceil(2);
    loop {
        let (mut end, mut has_dropped) = (steps.len(), false);
        while end > 0 {
            let start = end.saturating_sub(size);
            let fewer = [&steps[..start], &steps[end..]].concat();
            match play(setting, &fewer, &Mutex::default()) {
                Some((last, how)) if law(&how) == law(&broken) => {
                    (steps, broken, has_dropped) = (fewer[..=last].to_vec(), how, true);
                }
                _ => {}
            }
            end = start.min(steps.len());
        }
        if size == 1 && !has_dropped {
            return (steps, broken);
        }
        size = size.div_ceil(2);
    }
}

#[test]
fn random_sequences_of_verbs_keep_every_promise() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect(name))
    };
    let (first, count) = (number("SKILLS_MODEL_SEED", 1), number("SKILLS_MODEL_SEQUENCES", 30));
    let length = number("SKILLS_MODEL_STEPS", 200) as u32;
    let memory = Path::new("/dev/shm");
    let scratch = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let temp = tempfile::tempdir_in(&scratch).unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=none", "true"]);
    let has_strace = !lacks(&["strace"]) && strace.status().is_ok_and(|status| status.success());
    if !has_strace {
        skip("without strace, no run is killed and no disk is full");
    }
    let mut setting = Setting { scratch, repository: None, has_strace };
    if !lacks(&["git"]) {
        let path = temp.path().join("repository");
        let commits = repository(&mut World::new(&setting), &path);
        setting.repository = Some((path, commits));
    }
    let (next, tally, started) = (AtomicU64::new(first), Mutex::default(), Instant::now());
    let failed: Mutex<Option<(u64, Vec<Step>, String)>> = Mutex::new(None);
    let work = || {
        while failed.lock().unwrap().is_none() {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            let steps = Dice::sequence(seed, length);
            if let Some((last, broken)) = play(&setting, &steps, &tally) {
                failed.lock().unwrap().get_or_insert((seed, steps[..=last].to_vec(), broken));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            thread::Builder::new().spawn_scoped(scope, work).unwrap();
        }
    });
    let tally: Tally = tally.into_inner().unwrap();
    println!(
        "{count} sequences of {length} steps from seed {first}: {tally:?} in {:.1?}",
        started.elapsed()
    );
    if let Some((seed, steps, broken)) = failed.into_inner().unwrap() {
        let whole = steps.len();
        let (steps, broken) = shrink(&setting, steps, broken);
        let lines: String = steps.iter().map(|step| format!("\n  {step}")).collect();
        panic!(
            "the sequence of seed {seed} breaks a law with step {whole}; {} steps are enough:{lines}\n\
             broken: {broken}again: SKILLS_MODEL_SEED={seed} SKILLS_MODEL_SEQUENCES=1 cargo test --test cli model::",
            steps.len()
        );
    }
    // A few steps may have none.
    let is_long = has_strace && count * u64::from(length) >= 5000;
    assert!(!is_long || (tally.kills > 0 && tally.errors > 0), "no injection happened: {tally:?}");
}
