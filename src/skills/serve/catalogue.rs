//! The served skills: found once, in the order of their sources, and by their addresses.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use crate::skills::judge::verdict::{Judged, Verdict};
use crate::skills::model::error::Result;
use crate::skills::model::source::Skill;
use crate::skills::serve::address;
use crate::skills::serve::skill::{DraftSkill, ServedSkill};
use crate::skills::show::layout::{Prompt, PromptOptions};
use crate::skills::show::prompt::{self, PromptSkill};
use crate::skills::show::uri::SCHEME;
use crate::skills::text::document::SKILL_MD;
use crate::skills::text::suggest;

/// The served skills.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// In the order of their sources.
    pub skills: Vec<ServedSkill>,
    /// How a prompt about them is laid out.
    pub layout: PromptOptions,
    /// Places in `skills` by path.
    by_path: BTreeMap<String, usize>,
}

/// What decides which skills are served, and what is said about them.
pub struct CatalogueOptions<'a> {
    /// Whether skills that lie below other skills are served.
    pub nested: bool,
    /// Which sources wait in a closed section.
    pub waiting: &'a [bool],
    /// How a prompt is laid out.
    pub layout: &'a PromptOptions,
    /// The most bytes of a skill, if the user changed the limit.
    pub most_bytes: Option<u64>,
    /// Whether files must stay as they are now.
    pub is_frozen: bool,
    /// The name that stands before the name of a skill in its path, such as that of its plugin.
    pub prefix: &'a dyn Fn(&Skill) -> Option<String>,
}

/// Skills that are not served, or not as skills: the file of each, and why.
#[derive(Debug, Default)]
pub struct NotServed {
    /// Those that are not served.
    pub left_out: Vec<(PathBuf, String)>,
    /// Those that hosts are not told of.
    pub unlisted: Vec<(PathBuf, String)>,
}

impl Catalogue {
    /// Decides which skills are served.
    pub fn of(
        found: Vec<Judged<DraftSkill>>,
        options: &CatalogueOptions<'_>,
    ) -> Result<(Self, NotServed)> {
        let (mut catalogue, mut not) = (Self::default(), NotServed::default());
        let mut paths: HashMap<PathBuf, String> = HashMap::new();
        for Judged { skill, verdict, made, .. } in found {
            let file = skill.file();
            match verdict {
                _ if skill.is_nested && !options.nested => continue,
                Verdict::Active | Verdict::Hidden(_) => {}
                Verdict::Invalid(unusable) => {
                    not.left_out.push((file, unusable.to_string()));
                    continue;
                }
                Verdict::Shadowed(shadow) if shadow.is_identical() => continue,
                Verdict::Shadowed(shadow) => {
                    not.left_out.push((file, shadow.reason));
                    continue;
                }
                Verdict::Disabled(_) => continue,
            }
            let path = path_of(&skill, &paths, options);
            if options.nested {
                paths.insert(skill.path.clone(), path.clone());
            }
            if let Some(other) = catalogue.by_path.get(&path) {
                let other = catalogue.skills[*other].skill().file();
                not.left_out.push((file, format!("{} has its address", other.display())));
                continue;
            }
            let is_waiting = options.waiting.get(skill.source).is_some_and(|waits| *waits);
            let DraftSkill { prompt, unlisted, is_for_people } = made;
            let most_bytes = options.most_bytes;
            let mut served = ServedSkill {
                prompt,
                path,
                is_waiting,
                unlisted,
                is_for_people,
                most_bytes,
                pinned: None,
            };
            served.prompt.address = Some(served.root());
            if options.is_frozen {
                served.pin()?;
            }
            if let Some(reason) =
                served.unlisted.as_ref().filter(|_| !served.prompt.stays_in_prompt())
            {
                not.unlisted.push((file, reason.clone()));
            }
            catalogue.by_path.insert(served.path.clone(), catalogue.skills.len());
            catalogue.skills.push(served);
        }
        catalogue.layout = options.layout.clone();
        if !catalogue.layout.expanded.is_empty() {
            catalogue.layout.check_expanded(&catalogue.told())?;
        }
        Ok((catalogue, not))
    }

    /// What a prompt says about the skills. It is made when somebody asks for it, because it would
    /// take as much memory as the rest.
    pub fn prompt(&self) -> Prompt {
        let told = self.told();
        // Keys to expand were checked at the start.
        self.layout.lay_out(&told).map(|laid| laid.prompt).unwrap_or_default()
    }

    fn told(&self) -> Vec<PromptSkill> {
        let told = self.skills.iter().filter(|one| !one.is_waiting);
        let mut told: Vec<PromptSkill> = told.map(|one| one.prompt.clone()).collect();
        prompt::qualify(&mut told);
        told
    }

    /// Skills by path, from the first behind this path.
    pub fn after<'a>(&'a self, path: Option<&str>) -> impl Iterator<Item = &'a ServedSkill> {
        use std::ops::Bound::{Excluded, Unbounded};
        let start = path.map_or(Unbounded, |path| Excluded(path.to_owned()));
        self.by_path.range((start, Unbounded)).map(|(_, at)| &self.skills[*at])
    }

    /// The skill at exactly this path.
    pub fn at(&self, path: &str) -> Option<&ServedSkill> {
        self.by_path.get(path).map(|at| &self.skills[*at])
    }

    /// The innermost skill that a file of these parts belongs to, and the path of the file below it.
    pub fn around(&self, parts: &[String]) -> Option<(&ServedSkill, String)> {
        (1..=parts.len()).rev().find_map(|length| {
            let skill = self.at(&parts[..length].join("/"))?;
            Some((skill, parts[length..].join("/")))
        })
    }

    /// The names of what lies directly below a path that is above skills, each once.
    pub fn below(&self, path: &str) -> Vec<&str> {
        let prefix = format!("{path}/");
        let inner = self.by_path.range(prefix.clone()..);
        let inner = inner.take_while(|(known, _)| known.starts_with(&prefix));
        let mut names: Vec<&str> =
            inner.filter_map(|(known, _)| known[prefix.len()..].split('/').next()).collect();
        names.dedup();
        names
    }

    /// The skill that a model means: by its path, its name, what agents call it, or its address.
    pub fn named(&self, word: &str) -> Result<&ServedSkill, String> {
        let word = word.trim();
        if word.starts_with(SCHEME) {
            let parts = address::parts(word).map_err(|error| error.message)?;
            let found =
                self.around(&parts).filter(|(_, inner)| inner.is_empty() || inner == SKILL_MD);
            return found.map(|(skill, _)| skill).ok_or_else(|| self.unknown(word));
        }
        if let Some(skill) = self.at(word) {
            return Ok(skill);
        }
        let is_meant = |one: &&ServedSkill| {
            one.name() == word
                || one.skill().plugin.is_some() && one.skill().qualified_name() == word
        };
        let named: Vec<&ServedSkill> = self.skills.iter().filter(is_meant).collect();
        match named.as_slice() {
            [only] => Ok(only),
            [] => Err(self.unknown(word)),
            several => {
                let paths: Vec<&str> = several.iter().map(|skill| skill.path.as_str()).collect();
                Err(format!("Several skills are named {word}. Use one of: {}", paths.join(", ")))
            }
        }
    }

    fn unknown(&self, word: &str) -> String {
        let told = self.skills.iter().filter(|skill| !skill.is_waiting && !skill.prompt.hidden);
        let mut names: Vec<&str> = told.map(|skill| skill.path.as_str()).collect();
        names.sort_unstable();
        if names.is_empty() {
            return format!("Unknown skill: {word}. There are no skills.");
        }
        let available = format!("Available: {}", suggest::some(&names));
        format!("Unknown skill: {word}. {}", suggest::help(word, names.iter().copied(), available))
    }
}

/// The path of a skill: its name, behind that of the skill that it lies in, or of its plugin.
fn path_of(
    skill: &Skill,
    paths: &HashMap<PathBuf, String>,
    options: &CatalogueOptions<'_>,
) -> String {
    let outer = skill.path.ancestors().skip(1).find_map(|above| Some((above, paths.get(above)?)));
    if let (Some((above, outer)), true) = (outer, skill.is_nested) {
        let inner = skill.path.parent().and_then(|parent| parent.strip_prefix(above).ok());
        let inner = inner.map(|inner| inner.to_string_lossy().into_owned()).unwrap_or_default();
        let parts =
            outer.split('/').chain(inner.split(['/', '\\'])).filter(|part| !part.is_empty());
        return parts.chain([skill.name.as_str()]).collect::<Vec<_>>().join("/");
    }
    match (options.prefix)(skill) {
        Some(prefix) => format!("{prefix}/{}", skill.name),
        None => skill.name.clone(),
    }
}
