//! Finds the skills that are already on a machine, where agents look for them.

pub mod disabled_skills;
pub mod notice;
pub mod plugins;
pub mod providers;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::agents::table::KnownAgent;
use crate::skills::agents::walk;
use crate::skills::files::parallel;
pub use crate::skills::find::discovery::notice::DiscoveryNotice;
use crate::skills::find::discovery::providers::{CLAUDE_PLUGINS, CUSTOM, Provider};
use crate::skills::find::scan::{self, Reading};
use crate::skills::find::settle::{self, Namespace, Precedence};
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::verdict::Judged;
use crate::skills::model::environment::{Environment, normalized};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::filter::{self, NameFilter, PathFilter};
use crate::skills::model::plugin::Plugin;
use crate::skills::model::scope::{Provenance, Scope};
use crate::skills::model::source::Skill;

/// Which skills to discover: source enabled, then not ignored, then included.
#[derive(Debug, Clone, Default)]
pub struct DiscoveryOptions {
    /// Which providers to search.
    pub sources: ProviderChoice,
    /// Additional directories; they come last.
    pub directories: Vec<PathBuf>,
    /// Whether they belong to agents, so that skills without a description count there.
    pub are_of_agents: bool,
    /// Filters of the manifest and of the command line; a name must pass each.
    pub names: Vec<NameFilter>,
    /// Exactly these names, when not empty.
    pub only: Vec<String>,
    /// Only skills of these plugins, when not empty.
    pub plugins: Vec<String>,
    /// Maximum levels below a skills directory.
    pub max_depth: Option<usize>,
    /// Paths below a skills directory to exclude.
    pub exclude: PathFilter,
    /// Threads to use.
    pub threads: usize,
}

/// Which providers to search; all by default.
#[derive(Debug, Clone, Default)]
pub struct ProviderChoice {
    /// Only these, when not empty.
    pub only: Vec<ProviderName>,
    /// Not these.
    pub without: Vec<ProviderName>,
    /// Whether discovery is disabled.
    pub off: bool,
}

/// `claude`, or `claude:user`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderName {
    provider: &'static str,
    scope: Option<Scope>,
}

impl ProviderName {
    /// Reads `PROVIDER` or `PROVIDER:SCOPE`.
    pub fn parse(text: &str) -> Result<Self> {
        let (provider, scope) = match text.split_once(':') {
            None => (text, None),
            Some((provider, word)) => {
                let scope = Scope::parse(word).ok_or_else(|| {
                    err!(Usage, "unknown scope `{word}` in `{text}`")
                        .help("a scope is `user` or `project`")
                })?;
                (provider, Some(scope))
            }
        };
        Ok(Self { provider: providers::find(provider)?, scope })
    }

    fn means(self, provider: &str, scope: Option<Scope>) -> bool {
        self.provider == provider && (self.scope.is_none() || self.scope == scope)
    }
}

impl DiscoveryOptions {
    /// Whether the filters accept a skill.
    pub fn accepts(&self, skill: &Skill) -> bool {
        self.accepts_names(skill.names(), skill.plugin_name())
    }

    /// Whether the filters accept a skill with these names, of this plugin.
    pub fn accepts_names<'a>(
        &self,
        names: impl Iterator<Item = &'a str> + Clone,
        plugin: Option<&str>,
    ) -> bool {
        filter::accept_plugin(plugin, &self.plugins)
            && filter::accept(names, plugin, &self.names, &self.only)
    }
}

impl ProviderChoice {
    /// Only the directories of these agents.
    pub fn of_agents(agents: &[KnownAgent]) -> Self {
        let names = agents.iter().flat_map(|agent| providers::of_agent(*agent));
        let only = names.map(|(provider, scope)| ProviderName { provider, scope }).collect();
        Self { only, ..Self::default() }
    }

    /// Only directories that the user names.
    pub fn only_custom() -> Self {
        Self { only: vec![ProviderName { provider: CUSTOM, scope: None }], ..Self::default() }
    }

    /// Whether to search directories that were named, which is the case unless discovery is
    /// disabled.
    fn accept_custom(&self) -> bool {
        !self.off && !self.without.iter().any(|name| name.means(CUSTOM, None))
    }

    /// Whether to search this provider at this level.
    pub fn accept(&self, provider: &str, scope: Option<Scope>) -> bool {
        let listed = |names: &[ProviderName]| names.iter().any(|name| name.means(provider, scope));
        !self.off && (self.only.is_empty() || listed(&self.only)) && !listed(&self.without)
    }
}

/// The result of discovery.
#[derive(Debug)]
pub struct Discovered<T> {
    /// The skills with the verdict on each: project before user, then by priority, then by path.
    pub skills: Vec<(Provenance, Judged<T>)>,
    /// The names of all skills of these sources, including filtered ones.
    pub names: Vec<String>,
    /// The names of the plugins that have skills, sorted.
    pub plugins: Vec<String>,
    /// Notices for the user.
    pub notices: Vec<DiscoveryNotice>,
}

impl<T> Discovered<T> {
    /// Checks that every requested plugin is installed.
    pub fn require_plugins(&self, wanted: &[String]) -> Result<()> {
        let names: Vec<&str> = self.plugins.iter().map(String::as_str).collect();
        match wanted.iter().find(|name| !names.contains(&name.as_str())) {
            Some(missing) => Err(crate::skills::find::plugins::unknown(missing, &names)),
            None => Ok(()),
        }
    }
}

/// Checks that a directory that the user named exists.
pub fn named_directory(path: &Path) -> Result<PathBuf> {
    match path.metadata() {
        Ok(data) if data.is_dir() => Ok(normalized(path)),
        Ok(_) => Err(err!(NotDirectory, "`{}` is not a directory", path.display()).at(path)),
        Err(error) => Err(Error::io("read", path, &error)),
    }
}

/// Searches the directories of the chosen providers, and reads the skills that pass the filters.
pub fn discover<T: Send>(
    environment: &Environment,
    options: &DiscoveryOptions,
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<Judged<T>> + Sync),
) -> Discovered<T> {
    let mut search = DiscoverySearch {
        options,
        seen: HashSet::new(),
        met: HashMap::new(),
        found: Vec::new(),
        replaced: HashSet::new(),
        notices: Vec::new(),
    };
    let providers = providers::all();
    for scope in [Scope::Project, Scope::User] {
        for provider in &providers {
            if options.sources.accept(provider.id, Some(scope)) {
                for (root, plugin) in roots(provider, scope, environment, &mut search.notices) {
                    search.root(&root, plugin.as_ref(), provider, Some(scope));
                }
            }
        }
    }
    if options.sources.accept_custom() {
        let needs_description = !options.are_of_agents;
        let provider = Provider { id: CUSTOM, needs_description, ..providers::NONE };
        for root in &options.directories {
            search.root(root, None, &provider, None);
        }
    }
    search.finish(read)
}

/// A skills directory, and the plugin that it belongs to, if it belongs to one.
type SkillsRoot = (PathBuf, Option<Arc<Plugin>>);

/// The directories of a provider in one scope, nearest first.
fn roots(
    provider: &Provider,
    scope: Scope,
    environment: &Environment,
    notices: &mut Vec<DiscoveryNotice>,
) -> Vec<SkillsRoot> {
    if provider.id == CLAUDE_PLUGINS {
        return plugins::roots(environment, scope).unwrap_or_else(|problem| {
            // Both scopes use the same file; report it once.
            notices.extend((scope == Scope::User).then_some(DiscoveryNotice::Problem(problem)));
            Vec::new()
        });
    }
    let roots: Vec<PathBuf> = match scope {
        Scope::User => {
            provider.user.iter().filter_map(|root| environment.user_root(*root)).collect()
        }
        Scope::Project => {
            let directories = environment.project(provider.climb).into_iter();
            let below = |directory: &Path| {
                provider.project.iter().map(|path| directory.join(path)).collect::<Vec<_>>()
            };
            directories.flat_map(below).collect()
        }
    };
    roots.into_iter().map(|root| (root, None)).collect()
}

/// A skill that was found.
struct FoundPath {
    origin: Provenance,
    path: PathBuf,
    plugin: Option<Arc<Plugin>>,
    needs_description: bool,
}

struct DiscoverySearch<'a> {
    options: &'a DiscoveryOptions,
    /// Real paths of searched directories.
    seen: HashSet<PathBuf>,
    /// The index of each real path in `found`.
    met: HashMap<PathBuf, usize>,
    found: Vec<FoundPath>,
    /// Indices of skills that a later path replaced.
    replaced: HashSet<usize>,
    notices: Vec<DiscoveryNotice>,
}

impl DiscoverySearch<'_> {
    fn root(
        &mut self,
        root: &Path,
        plugin: Option<&Arc<Plugin>>,
        provider: &Provider,
        scope: Option<Scope>,
    ) {
        // Most directories do not exist, and resolving each would be slow.
        if root.symlink_metadata().is_err() || !self.is_new(root) {
            return;
        }
        let walked = walk::walk(root, &provider.bounds);
        let origin = Provenance { provider: Some(provider.id), scope };
        // Report directories without a `SKILL.md` only where every directory should have one.
        let promised = if provider.promises { walked.empty } else { Vec::new() };
        let mut paths: Vec<PathBuf> = walked.skills.into_iter().chain(promised).collect();
        paths.sort_unstable();
        let needs_description = provider.needs_description;
        for path in paths {
            if self.is_wanted(root, &path) {
                self.meet(FoundPath { origin, path, plugin: plugin.cloned(), needs_description });
            }
        }
        self.notices.extend(walked.problems.into_iter().map(DiscoveryNotice::Problem));
        let missed = walked.missed.into_iter();
        self.notices
            .extend(missed.map(|(path, why)| DiscoveryNotice::Missed(provider.id, path, why)));
    }

    /// Whether `--max-depth` and `--exclude` accept this skill.
    fn is_wanted(&self, root: &Path, path: &Path) -> bool {
        let relative = path.strip_prefix(root).unwrap_or(path);
        let levels = relative.components().count();
        self.options.max_depth.is_none_or(|most| levels <= most)
            && !relative.ancestors().any(|above| self.options.exclude.matches(above))
    }

    /// Adds a skill. Of several paths to one skill, the first with the real name counts, else the
    /// first.
    fn meet(&mut self, found: FoundPath) {
        let Ok(real) = found.path.canonicalize() else {
            self.found.push(found);
            return;
        };
        let Some(&before) = self.met.get(&real) else {
            self.met.insert(real, self.found.len());
            self.found.push(found);
            return;
        };
        let is_real_name = |path: &Path| path.file_name() == real.file_name();
        if is_real_name(&found.path) && !is_real_name(&self.found[before].path) {
            // Keep the replaced entry, so that indices stay valid.
            self.met.insert(real, self.found.len());
            self.replaced.insert(before);
            self.found.push(found);
        }
    }

    /// Whether this real path is new.
    fn is_new(&mut self, path: &Path) -> bool {
        path.canonicalize().map_or(true, |real| self.seen.insert(real))
    }

    fn finish<T: Send>(
        self,
        read: &(impl Fn(&OpenedSkill<'_>) -> Reading<Judged<T>> + Sync),
    ) -> Discovered<T> {
        let options = self.options;
        let read_one = |found: &FoundPath| {
            let (skill, open) = scan::open_skill(&found.path);
            let (plugin, needs_description) = (found.plugin.clone(), found.needs_description);
            let skill = Skill { plugin, needs_description, ..skill };
            opened::open(skill, open.as_ref(), |opened| {
                let skill = opened.skill;
                let is_wanted = options.accepts(skill);
                let mut names: Vec<String> = skill.names().map(str::to_owned).collect();
                names.extend(skill.plugin.as_ref().map(|_| skill.qualified_name().into_owned()));
                (names, is_wanted.then(|| read(opened).made))
            })
        };
        let mut found = self.found;
        let mut number = 0..;
        found.retain(|_| number.next().is_none_or(|number| !self.replaced.contains(&number)));
        let (mut names, mut origins, mut skills) = (Vec::new(), Vec::new(), Vec::new());
        let judged = parallel::map(&found, options.threads, read_one);
        for (found, (known, skill)) in found.iter().zip(judged) {
            names.extend(known);
            origins.extend(skill.is_some().then_some(found.origin));
            skills.extend(skill);
        }
        settle::settle(&mut skills, Precedence::First, Namespace::Plugins, options.threads);
        let skills = origins.into_iter().zip(skills).collect();
        // Drop notices about skills that were found by another path.
        let mut notices = self.notices;
        notices.retain(|notice| match notice {
            DiscoveryNotice::Missed(_, path, _) => {
                !path.canonicalize().is_ok_and(|real| self.met.contains_key(&real))
            }
            DiscoveryNotice::Problem(_) => true,
        });
        let of_plugins = found.iter().filter_map(|found| found.plugin.as_ref());
        let mut plugins: Vec<String> = of_plugins.map(|plugin| plugin.name.to_string()).collect();
        plugins.sort_unstable();
        plugins.dedup();
        Discovered { skills, names, plugins, notices }
    }
}
