//! Finds the skills that an agent would show its model from here, by the agent's row of the table.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::skills::agents::listing::{self, ShownSkill};
use crate::skills::agents::readers::{
    self, AgentReading, FileBytes, ModelEntry, markdown_files, name, real_file,
};
use crate::skills::agents::walk::{self, IgnoreRules, MissedBecause, Problem};
use crate::skills::agents::{Agent, AgentDirectory, LoadingRules, Order, Root, Winner};
use crate::skills::files::parallel;
use crate::skills::model::environment::{Climb, Environment};
use crate::skills::model::scope::Scope;
use crate::skills::model::source::NamedRoot;
use crate::skills::text::document::SKILL_MD;

/// A skill as an agent finds it, with the caller's own reading of its file.
#[derive(Debug, Clone)]
pub struct AgentSkill<T = ()> {
    /// Its directory or file.
    pub path: PathBuf,
    pub is_file: bool,
    /// The provider it belongs to.
    pub provider: &'static str,
    /// Whether it belongs to the user or to the project.
    pub scope: Scope,
    /// How the agent treats it.
    pub fate: Fate,
    /// The caller's own reading of it.
    pub made: T,
    group: u8,
    sort: RootKind,
    root: PathBuf,
    root_number: usize,
}

impl AgentSkill {
    /// What the model sees, unless it is hidden.
    pub fn into_shown(self) -> Option<ShownSkill> {
        let Fate::Shown(listed) = self.fate else { return None };
        let file = if self.is_file { self.path } else { self.path.join(SKILL_MD) };
        let (root, root_number, scope) = (self.root, self.root_number, self.scope);
        Some(ShownSkill { listed, file, root, root_number, scope })
    }

    /// The same skill, once it has been read.
    fn read<T>(self, fate: Fate, made: T) -> AgentSkill<T> {
        let Self { path, is_file, provider, scope, group, sort, root, root_number, .. } = self;
        AgentSkill { path, is_file, provider, scope, fate, made, group, sort, root, root_number }
    }
}

/// How an agent treats a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It has not been read yet.
    Open,
    /// The model sees it.
    Shown(ModelEntry),
    /// It is loaded under this name but hidden from the model, for this reason.
    Hidden(String, String),
    /// Another skill of this name is shown instead.
    Shadowed(String, PathBuf),
    /// It is dropped, for this reason, but keeps this name from other skills.
    Unseen(String, String),
    /// It is dropped, for this reason.
    Lost(String),
}

impl From<AgentReading> for Fate {
    fn from(reading: AgentReading) -> Self {
        match reading {
            AgentReading::Listed(listed) => Self::Shown(listed),
            AgentReading::Hidden(name, reason) => Self::Hidden(name, reason),
            AgentReading::Unseen(name, reason) => Self::Unseen(name, reason),
            AgentReading::Lost(reason) => Self::Lost(reason),
        }
    }
}

impl Fate {
    /// The name it is loaded under, if any.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Shown(listed) => Some(&listed.name),
            Self::Hidden(name, _) | Self::Unseen(name, _) => Some(name),
            Self::Open | Self::Shadowed(..) | Self::Lost(_) => None,
        }
    }
}

/// How a directory relates to the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RootKind {
    Here,
    Above,
    User(usize),
}

/// All skills that an agent finds: the shown ones in its order, then the others by path.
#[derive(Debug)]
pub struct AgentSkills<T = ()> {
    pub skills: Vec<AgentSkill<T>>,
    /// Directories that could not be searched completely.
    pub problems: Vec<Problem>,
    /// The directories it searches, including missing ones.
    pub roots: Vec<PathBuf>,
}

/// Finds what `agent` would load in `environment`; with `roots`, from these directories instead of
/// its own.
pub fn load(
    agent: &Agent,
    environment: &Environment,
    roots: Option<&[NamedRoot]>,
    threads: usize,
) -> AgentSkills {
    load_with(agent, environment, roots, threads, &|_, _| ())
}

/// The same, and hands each skill to `make` together with what the agent's reader has read of its
/// file, so that no file is read twice. A file that was not read, or read through a link, is not
/// handed on.
pub fn load_with<T: Send>(
    agent: &Agent,
    environment: &Environment,
    roots: Option<&[NamedRoot]>,
    threads: usize,
    make: &(impl Fn(&AgentSkill, Option<FileBytes>) -> T + Sync),
) -> AgentSkills<T> {
    let loading = &agent.loading;
    let mut search = Simulation {
        agent,
        loading,
        seen: HashSet::new(),
        only: Vec::new(),
        loaded: AgentSkills { skills: Vec::new(), problems: Vec::new(), roots: Vec::new() },
    };
    match roots {
        None => own_roots(loading, environment).iter().for_each(|root| search.root(root)),
        Some(named) => {
            let shared = loading.places.iter().find(|place| place.provider == "agents");
            let place = shared.unwrap_or(&loading.places[0]);
            for root in named {
                let (scope, sort) = (Scope::Project, RootKind::Here);
                search.only.clone_from(&root.only);
                search.root(&OwnRoot { place, scope, sort, path: root.path.clone() });
            }
        }
    }
    let Simulation { seen, loaded: AgentSkills { mut skills, problems, roots }, .. } = search;
    // A skill beyond the bounds on one path may be found on another.
    skills.retain(|met| {
        let found = || real_file(&met.path, met.is_file).is_some_and(|real| seen.contains(&real));
        met.fate == Fate::Open || !found()
    });
    let read = parallel::map(&skills, threads, |met| {
        let (fate, file) = match &met.fate {
            Fate::Open => {
                let (reading, file) = readers::read(loading, &met.path, met.is_file);
                (reading.into(), file)
            }
            known => (known.clone(), None),
        };
        (fate, make(met, file))
    });
    let mut skills: Vec<AgentSkill<T>> =
        skills.into_iter().zip(read).map(|(met, (fate, made))| met.read(fate, made)).collect();
    settle(loading, &mut skills);
    let shown = skills.iter_mut().filter_map(|met| match &mut met.fate {
        Fate::Shown(listed) => Some(listed),
        _ => None,
    });
    (loading.settle_titles)(&mut shown.collect::<Vec<_>>());
    AgentSkills { skills: sorted(loading.order, skills), problems, roots }
}

/// A directory that an agent searches from here.
struct OwnRoot<'a> {
    place: &'a AgentDirectory,
    scope: Scope,
    sort: RootKind,
    path: PathBuf,
}

/// The directories of an agent here, in the order in which it reads them.
fn own_roots<'a>(loading: &'a LoadingRules, environment: &Environment) -> Vec<OwnRoot<'a>> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let user_root = |place: &AgentDirectory| match place.root {
        Root::User(root) => environment.user_root(root),
        _ => None,
    };
    let users: HashSet<PathBuf> = if loading.home_is_the_users {
        loading.places.iter().filter_map(user_root).map(|path| real(&path)).collect()
    } else {
        HashSet::new()
    };
    let mut roots = Vec::new();
    let on = |place: &&AgentDirectory| !place.off.iter().any(|name| environment.is_on(name));
    for (number, place) in loading.places.iter().enumerate().filter(|(_, place)| on(place)) {
        let project = |below: &str, climb: Climb| -> Vec<OwnRoot<'a>> {
            let directories = environment.project(climb).into_iter();
            let root = |directory: &Path| OwnRoot {
                place,
                scope: Scope::Project,
                sort: if directory == environment.directory {
                    RootKind::Here
                } else {
                    RootKind::Above
                },
                path: directory.join(below),
            };
            let is_users = |path: &Path| path.exists() && users.contains(&real(path));
            directories.map(root).filter(|root| !is_users(&root.path)).collect()
        };
        match place.root {
            Root::User(_) => roots.extend(user_root(place).map(|path| OwnRoot {
                place,
                scope: Scope::User,
                sort: RootKind::User(number),
                path,
            })),
            Root::Project(below, climb) => roots.extend(project(below, climb)),
            Root::ProjectOutermostFirst(below, climb) => {
                roots.extend(project(below, climb).into_iter().rev());
            }
        }
    }
    roots
}

struct Simulation<'a> {
    agent: &'a Agent,
    loading: &'a LoadingRules,
    /// Real paths of the files found so far.
    seen: HashSet<PathBuf>,
    /// If not empty, only these skills.
    only: Vec<PathBuf>,
    loaded: AgentSkills,
}

impl Simulation<'_> {
    fn root(&mut self, root: &OwnRoot<'_>) {
        self.loaded.roots.push(root.path.clone());
        let bounds = &root.place.bounds;
        let mut rules = IgnoreRules::default();
        let mut unused = Vec::new();
        let honoured = self.loading.ignore_files;
        if honoured {
            rules.read(&root.path, Path::new(""), &mut unused);
        }
        let walked = if self.only.is_empty() {
            walk::walk_except(&root.path, bounds, &mut |path, is_directory| {
                honoured && rules.leave_out(&root.path, path, is_directory, &mut unused)
            })
        } else {
            walk::walk_named(&root.path, &self.only, bounds)
        };
        self.loaded.problems.extend(unused);
        let mut found: Vec<(PathBuf, bool)> =
            walked.skills.into_iter().map(|path| (path, false)).collect();
        if root.place.files && self.only.is_empty() && !walked.hidden_by_root {
            found.extend(markdown_files(&root.path).into_iter().map(|path| (path, true)));
        }
        self.sort_as_read(&root.path, &mut found);
        for (path, is_file) in found {
            // The walk has asked about all others.
            let is_asked = !is_file && self.only.is_empty();
            let fate = if !is_asked && rules.leaves_out(&root.path, &path, is_file) {
                Fate::Lost(MissedBecause::LeftOut.because(self.agent.title))
            } else {
                Fate::Open
            };
            self.meet(root, path, is_file, fate);
        }
        for (path, missed) in walked.missed {
            self.meet(root, path, false, Fate::Lost(missed.because(self.agent.title)));
        }
        self.loaded.problems.extend(walked.problems);
    }

    /// The order in which the agent comes across the skills of one directory.
    fn sort_as_read(&self, root: &Path, found: &mut [(PathBuf, bool)]) {
        match self.loading.order {
            Order::Path | Order::CollatedName => found.sort_unstable(),
            Order::PathDescending => {
                found.sort_by(|one, other| other.cmp(one));
                found.sort_by_key(|(path, _)| path != root);
            }
            Order::Collated => {
                found.sort_by(|one, other| listing::compare(&name(&one.0), &name(&other.0)));
            }
            // The shortest of several paths to a skill wins.
            Order::Name => found.sort_by_key(|(path, _)| path.components().count()),
            Order::Runs => found.sort_by_key(|(path, _)| file_text(path)),
        }
    }

    fn meet(&mut self, root: &OwnRoot<'_>, path: PathBuf, is_file: bool, fate: Fate) {
        if self.loading.real_path_once
            && fate == Fate::Open
            && (self.loading.linked_skill_md || !path.join(SKILL_MD).is_symlink())
            && let Some(real) = real_file(&path, is_file)
            && !self.seen.insert(real)
        {
            return;
        }
        self.loaded.skills.push(AgentSkill {
            path,
            is_file,
            provider: root.place.provider,
            scope: root.scope,
            fate,
            made: (),
            group: root.place.group,
            sort: root.sort,
            root: root.path.clone(),
            root_number: self.loaded.roots.len() - 1,
        });
    }
}

/// The path of the `SKILL.md` as bytes, so that `/` sorts like any other character.
fn file_text(path: &Path) -> Vec<u8> {
    path.join(SKILL_MD).into_os_string().into_encoded_bytes()
}

/// Decides between skills of one name.
fn settle<T>(loading: &LoadingRules, skills: &mut [AgentSkill<T>]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for at in 0..skills.len() {
        let is_hidden = matches!(skills[at].fate, Fate::Hidden(..));
        let name = skills[at].fate.name().filter(|_| !is_hidden || loading.hidden_keeps_name);
        let Some(name) = name.map(str::to_owned) else { continue };
        let Some(&before) = first.get(&name) else {
            first.insert(name, at);
            continue;
        };
        match loading.winner {
            Winner::Everyone => continue,
            Winner::First => {}
            // The later one takes the place of the earlier.
            Winner::Last | Winner::Anyone => skills.swap(before, at),
        }
        skills[at].fate = Fate::Shadowed(name, PathBuf::new());
    }
    // The winners are known only now.
    for at in 0..skills.len() {
        let Fate::Shadowed(name, _) = &skills[at].fate else { continue };
        let winner = first.get(name).map(|winner| skills[*winner].path.clone());
        if let (Fate::Shadowed(_, path), Some(winner)) = (&mut skills[at].fate, winner) {
            *path = winner;
        }
    }
}

/// The shown skills in the agent's order, then the others by path.
fn sorted<T>(order: Order, skills: Vec<AgentSkill<T>>) -> Vec<AgentSkill<T>> {
    let is_used = |met: &AgentSkill<T>| met.fate.name().is_some();
    let (mut used, mut rest): (Vec<_>, Vec<_>) = skills.into_iter().partition(is_used);
    let by_name = |one: &AgentSkill<T>, other: &AgentSkill<T>| {
        let path = |met: &AgentSkill<T>| {
            real_file(&met.path, met.is_file).unwrap_or_default().into_os_string()
        };
        one.fate.name().cmp(&other.fate.name()).then_with(|| path(one).cmp(&path(other)))
    };
    match order {
        Order::Path | Order::PathDescending | Order::Collated => {}
        Order::Name => used.sort_by(by_name),
        Order::CollatedName => used.sort_by(|one, other| {
            let name = |met: &AgentSkill<T>| met.fate.name().unwrap_or_default().to_owned();
            listing::compare(&name(one), &name(other))
        }),
        // Hidden skills still separate their neighbours.
        Order::Runs => used
            .chunk_by_mut(|one, other| one.sort == other.sort)
            .for_each(|run| run.sort_by(by_name)),
    }
    used.sort_by_key(|met| met.group);
    let shown = |met: &AgentSkill<T>| matches!(met.fate, Fate::Shown(_));
    let (mut skills, hidden): (Vec<_>, Vec<_>) = used.into_iter().partition(shown);
    rest.extend(hidden);
    rest.sort_by(|one, other| one.path.cmp(&other.path));
    skills.extend(rest);
    skills
}
