//! The plugins of a run, and the plugin of each skill.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::declared::{DeclaredPlugins, declared};
use super::{ElsewherePlugin, ManifestFile, ManifestKind, PlaceDepth, Plugin, PluginName};

/// The plugins of a run, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub struct PluginSet {
    plugins: Vec<Arc<Plugin>>,
    /// The plugins that have skills in a directory. Those that describe themselves come first.
    places: HashMap<PathBuf, Vec<PlaceClaim>>,
    /// The directories with a manifest of their own, which decides where their skills are.
    described: HashSet<PathBuf>,
    /// What marketplaces call the plugin in a directory.
    undescribed: HashMap<PathBuf, Vec<usize>>,
    /// The place of each plugin in `plugins`.
    numbers: HashMap<(PathBuf, PluginName), usize>,
    elsewhere: Vec<ElsewherePlugin>,
    seen: HashSet<ElsewherePlugin>,
    manifests: Vec<ManifestFile>,
}

/// Who says that the skills in a directory belong to a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The plugin itself.
    Own,
    /// A marketplace that lists them.
    Listed,
    /// A marketplace that names the plugin only.
    Undescribed,
}

/// A plugin that has skills in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlaceClaim {
    rank: Rank,
    number: usize,
    reach: PlaceDepth,
}

/// How many plugins may claim one directory, because each skill is compared with all of them.
const MOST_AT_PLACE: usize = 64;

impl PluginSet {
    pub fn manifests(&self) -> &[ManifestFile] {
        &self.manifests
    }

    /// Plugins that lie somewhere else.
    pub fn elsewhere(&self) -> &[ElsewherePlugin] {
        &self.elsewhere
    }

    /// The names of the plugins that are here, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Adds what a manifest declares, and keeps the manifest.
    pub fn add(&mut self, file: ManifestFile) {
        self.declare(&file);
        self.manifests.push(file);
    }

    /// Adds what a manifest declares that lies above the source.
    pub fn declare(&mut self, file: &ManifestFile) {
        let DeclaredPlugins { local, undescribed, elsewhere } = declared(file);
        let rank = match file.format.kind {
            ManifestKind::Marketplace => Rank::Listed,
            ManifestKind::Plugin | ManifestKind::Portable => Rank::Own,
        };
        local.into_iter().for_each(|plugin| self.insert(plugin, rank));
        undescribed.into_iter().for_each(|plugin| self.insert(plugin, Rank::Undescribed));
        for plugin in elsewhere {
            if self.seen.insert(plugin.clone()) {
                self.elsewhere.push(plugin);
            }
        }
    }

    fn insert(&mut self, plugin: Plugin, rank: Rank) {
        let key = (plugin.root.clone(), plugin.name.clone());
        let number = *self.numbers.entry(key).or_insert(self.plugins.len());
        match self.plugins.get_mut(number) {
            Some(known) if plugin.is_portable => Arc::make_mut(known).is_portable = true,
            Some(_) => {}
            None => self.plugins.push(Arc::new(plugin.clone())),
        }
        match rank {
            Rank::Own => {
                self.described.insert(plugin.root);
            }
            Rank::Undescribed => {
                let here = self.undescribed.entry(plugin.root).or_default();
                if here.len() < MOST_AT_PLACE {
                    here.push(number);
                }
            }
            Rank::Listed => {}
        }
        for (place, reach) in plugin.places {
            let claim = PlaceClaim { rank, number, reach };
            let here = self.places.entry(place).or_default();
            if here.len() < MOST_AT_PLACE && !here.contains(&claim) {
                let after = here.partition_point(|known| known.rank <= rank);
                here.insert(after, claim);
            }
        }
    }

    /// The plugin of a skill at this path. Of several, one that is wanted, else the nearest.
    pub fn of(&self, path: &Path, wanted: &[String]) -> Option<&Arc<Plugin>> {
        if self.places.is_empty() {
            return None;
        }
        let is_wanted = |plugin: &Plugin| wanted.iter().any(|name| name == plugin.name.as_str());
        let mut nearest = None;
        for (level, directory) in path.ancestors().enumerate() {
            for claim in self.places.get(directory).into_iter().flatten() {
                let reaches = match claim.reach {
                    PlaceDepth::Itself => level == 0,
                    PlaceDepth::Children => level == 1,
                    PlaceDepth::Below => true,
                };
                let plugin = &self.plugins[claim.number];
                let is_described = || self.described.contains(&plugin.root);
                if !reaches || (claim.rank == Rank::Undescribed && is_described()) {
                    continue;
                }
                if is_wanted(plugin) {
                    return Some(plugin);
                }
                // The marketplace may call it by another name.
                let names = self.undescribed.get(&plugin.root).filter(|_| claim.rank == Rank::Own);
                let names = names.into_iter().flatten().map(|number| &self.plugins[*number]);
                if let Some(plugin) = names.into_iter().find(|plugin| is_wanted(plugin)) {
                    return Some(plugin);
                }
                nearest = nearest.or(Some(plugin));
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::super::FORMATS;
    use super::*;
    use crate::skills::files::content::Content;

    fn set(files: &[(&str, &str, &str)]) -> PluginSet {
        let mut set = PluginSet::default();
        for (root, file, text) in files {
            let format = FORMATS.iter().find(|format| format.file == *file).unwrap();
            let root = PathBuf::from(root);
            let content = Content::Text((*text).to_owned());
            set.add(ManifestFile { path: root.join(file), root, format, content, packed: None });
        }
        set
    }

    fn of<'a>(set: &'a PluginSet, path: &str, wanted: &[&str]) -> Option<&'a str> {
        let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        set.of(Path::new(path), &wanted).map(|plugin| plugin.name.as_str())
    }

    const CLAUDE: &str = ".claude-plugin/plugin.json";
    const MARKET: &str = ".claude-plugin/marketplace.json";

    #[test]
    fn skills_belong_to_the_plugin_that_lists_them() {
        let set = set(&[(
            "/r",
            MARKET,
            r#"{"plugins":[
                {"name":"docs","source":"./","strict":false,"skills":["./skills/pdf"]},
                {"name":"all","source":"./","skills":["./skills/pdf","./skills/csv"]},
                {"name":"part","source":"./p","strict":false,"skills":["./more/maps"]},
                {"name":"away","source":"../x"},
                {"name":"far","source":{"source":"github","repo":"o/r"}}]}"#,
        )]);
        assert_eq!(of(&set, "/r/skills/pdf", &[]), Some("docs"));
        assert_eq!(of(&set, "/r/skills/pdf", &["all"]), Some("all"));
        assert_eq!(of(&set, "/r/skills/csv", &[]), Some("all"));
        assert_eq!(of(&set, "/r/skills/other", &[]), None);
        assert_eq!(of(&set, "/x/skills/a", &[]), None);
        // Outside the root of the marketplace, the usual directory counts as well.
        assert_eq!(of(&set, "/r/p/more/maps", &[]), Some("part"));
        assert_eq!(of(&set, "/r/p/skills/a", &[]), Some("part"));
        assert_eq!(of(&set, "/r/p/more/other", &[]), None);
        assert_eq!(set.names(), ["all", "docs", "part"]);
        assert_eq!(set.elsewhere().len(), 1);
    }

    #[test]
    fn a_plugin_names_its_own_skills() {
        let set = set(&[
            ("/r", MARKET, r#"{"plugins":[{"name":"entry","source":"./p"}]}"#),
            ("/r/p", CLAUDE, r#"{"name":"own"}"#),
            ("/r/q", CLAUDE, r#"{"name":"listed","skills":["./a/one"]}"#),
            ("/r/bad name", CLAUDE, "{}"),
            ("/m", CLAUDE, r#"{"name":"m","skills":["./skills/a/one"]}"#),
            ("/m", MARKET, r#"{"plugins":[{"name":"m","source":"./"}]}"#),
        ]);
        // The plugin decides what the marketplace leaves open.
        assert_eq!(of(&set, "/m/skills/a/one", &["m"]), Some("m"));
        assert_eq!(of(&set, "/m/skills/a/two", &["m"]), None);
        assert_eq!(of(&set, "/r/p/skills/x", &[]), Some("own"));
        assert_eq!(of(&set, "/r/p/skills/x", &["entry"]), Some("entry"));
        assert_eq!(of(&set, "/r/p/skills/group/x", &[]), Some("own"));
        assert_eq!(of(&set, "/r/p", &[]), Some("own"));
        assert_eq!(of(&set, "/r/p/other/x", &[]), None);
        assert_eq!(of(&set, "/r/q/a/one", &[]), Some("listed"));
        assert_eq!(of(&set, "/r/q/a/two", &[]), None);
        assert_eq!(of(&set, "/r/q/skills/x", &[]), Some("listed"));
        assert_eq!(of(&set, "/r/q/skills/group/x", &[]), None);
        assert_eq!(of(&set, "/r/bad name/skills/x", &[]), None);
    }
}
