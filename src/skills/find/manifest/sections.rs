//! Sections: groups of skills that stay collapsed in a prompt until a model opens them.
//!
//! A section is open when it is expanded, or when it is `full` and the section around it is open. A
//! closed one leaves a line in the prompt, with the key to open it; sections in it leave none.

use std::collections::{HashMap, HashSet};

use super::conditions::Condition;
use super::reader::ManifestReader;
use super::{ManifestEntry, ManifestEntryKind};
use crate::skills::model::error::Result;
use crate::skills::model::inline::{Tool, Visibility};
use crate::skills::text::limits::DESCRIPTION_CHARS;
use crate::skills::text::similar;
use crate::skills::text::yaml::{MappingEntry, Node};

pub(super) const SECTION_KEYS: [&str; 5] =
    ["visibility", "title", "description", "enabled", "children"];

/// How deep sections may be nested.
const MOST_LEVELS: usize = 16;

/// A section as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestSection {
    /// Its key for `open_sections` and `--expand`.
    pub key: String,
    /// Whether its skills stay hidden until it is opened.
    pub visibility: Visibility,
    /// Its title in a prompt.
    pub title: Option<String>,
    /// Its description in a prompt.
    pub description: Option<String>,
    /// Whether it counts at all.
    pub enabled: Condition,
    /// The keys of the sections in it.
    pub children: Vec<String>,
}

/// A closed section, with the data for its line in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedSection {
    /// Its key, without a prefix.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: Option<String>,
    /// The tools that come with it.
    pub tools: Vec<Tool>,
}

/// The sections of a manifest in one run.
pub(super) struct SectionTree<'a> {
    sections: &'a [ManifestSection],
    by_key: HashMap<&'a str, &'a ManifestSection>,
    /// The parent of each section.
    around: HashMap<&'a str, &'a str>,
    /// Those whose condition does not hold.
    disabled: HashSet<&'a str>,
    expanded: HashSet<&'a str>,
}

impl<'a> SectionTree<'a> {
    pub(super) fn new(
        sections: &'a [ManifestSection],
        disabled: HashSet<&'a str>,
        expanded: &'a [String],
    ) -> Self {
        let children = |section: &'a ManifestSection| {
            section.children.iter().map(|child| (child.as_str(), section.key.as_str()))
        };
        Self {
            sections,
            by_key: sections.iter().map(|section| (section.key.as_str(), section)).collect(),
            around: sections.iter().flat_map(children).collect(),
            disabled,
            expanded: expanded.iter().map(String::as_str).collect(),
        }
    }

    /// A section, its parent, and so on. Manifests with a cycle are refused earlier.
    fn upwards<'k>(&'k self, key: &'k str) -> impl Iterator<Item = &'k str> {
        std::iter::successors(Some(key), |key| self.around.get(key).copied())
    }

    /// Whether it and all its parents are enabled.
    pub(super) fn is_enabled(&self, key: &str) -> bool {
        !self.upwards(key).any(|one| self.disabled.contains(one))
    }

    /// Whether its skills are collected.
    pub(super) fn is_open(&self, key: &str) -> bool {
        // The first expanded section opens everything below it.
        for one in self.upwards(key) {
            if self.expanded.contains(one) {
                return true;
            }
            if self.waits(one) {
                return false;
            }
        }
        true
    }

    /// Whether its skills are collected only because it or a parent is expanded.
    pub(super) fn is_opened(&self, key: &str) -> bool {
        self.is_open(key) && self.upwards(key).any(|one| self.waits(one))
    }

    fn waits(&self, key: &str) -> bool {
        self.by_key.get(key).is_some_and(|section| section.visibility == Visibility::Summary)
    }

    /// The closed section that must be opened before this one, if there is one.
    fn door<'k>(&'k self, key: &'k str) -> Option<&'k str> {
        self.upwards(key).take_while(|one| !self.is_open(one)).last()
    }

    /// The closed sections in the order of the manifest, with the tools of each. Sections without
    /// entries do not count, nor do those inside a closed one.
    pub(super) fn closed(&self, entries: &[&ManifestEntry]) -> Vec<ClosedSection> {
        let mut tools: HashMap<&str, Vec<Tool>> = HashMap::new();
        for entry in entries {
            let Some(key) = entry.section.as_deref() else { continue };
            let Some(door) = self.door(key) else { continue };
            let known = tools.entry(door).or_default();
            let is_brought =
                self.upwards(key).take_while(|one| *one != door).all(|one| !self.waits(one));
            if let (ManifestEntryKind::Inline(inline), true) = (&entry.kind, is_brought) {
                known.extend(inline.tools.iter().cloned());
            }
        }
        let line = |section: &ManifestSection| {
            let mut tools = tools.remove(section.key.as_str())?;
            let mut seen = HashSet::new();
            tools.retain(|tool| seen.insert(tool.name.clone()));
            Some(ClosedSection {
                key: section.key.clone(),
                title: section.title.clone().unwrap_or_else(|| section.key.clone()),
                description: section.description.clone(),
                tools,
            })
        };
        self.sections.iter().filter_map(line).collect()
    }
}

impl ManifestReader<'_> {
    pub(super) fn section(&self, entry: &MappingEntry<'_>) -> Result<ManifestSection> {
        let key = self.key(&entry.key)?;
        let Some(section) = entry.value.as_mapping() else {
            if entry.value.as_str().is_none() {
                let found = entry.value.value.type_name();
                let message =
                    format!("a section must be `full`, `summary` or a mapping, this is {found}");
                return Err(self.error(entry.value.span, message));
            }
            let visibility = self.visibility(&entry.value)?;
            return Ok(ManifestSection { key, visibility, ..ManifestSection::default() });
        };
        self.only_keys(section, &SECTION_KEYS)?;
        let line = |key: &str| {
            let node = section.get(key);
            node.map(|node| self.line(node, &format!("`{key}`"))).transpose()
        };
        let description = line("description")?;
        if let (Some(text), Some(node)) = (&description, section.get("description"))
            && text.chars().count() > DESCRIPTION_CHARS
        {
            let message = format!("`description` has more than {DESCRIPTION_CHARS} characters");
            return Err(self.error(node.span, message));
        }
        let visibility = section.get("visibility").map(|node| self.visibility(node)).transpose()?;
        Ok(ManifestSection {
            key,
            visibility: visibility.unwrap_or_default(),
            title: line("title")?,
            description,
            enabled: self.enabled(section)?,
            children: match section.get("children") {
                Some(node) => self
                    .items(node, "`children`")?
                    .iter()
                    .map(|item| self.key(item))
                    .collect::<Result<_>>()?,
                None => Vec::new(),
            },
        })
    }

    /// Checks that `children` name other sections, each in one section only, and not in a circle.
    pub(super) fn check_children(
        &self,
        node: &Node<'_>,
        sections: &[ManifestSection],
        entries: &[ManifestEntry],
    ) -> Result<()> {
        let written = sections.iter().map(|section| section.key.as_str());
        let used = entries.iter().filter_map(|entry| entry.section.as_deref());
        let known: Vec<&str> = written.chain(used).collect();
        let known: HashSet<&str> = known.into_iter().collect();
        let mut placed: Vec<(&Node<'_>, &str)> = Vec::new();
        let mut around: HashMap<&str, &str> = HashMap::new();
        for section in &self.mapping(node, "`sections`")?.entries {
            let outer = section.key.scalar_text();
            let children = section.value.as_mapping().and_then(|one| one.get("children"));
            for child in children.map_or(Ok(&[][..]), |node| self.items(node, "`children`"))? {
                let key = child.scalar_text();
                if !known.contains(key) {
                    let mut known: Vec<&str> = known.into_iter().collect();
                    known.sort_unstable();
                    let help = format!("sections: {}", similar::some(&known));
                    let help = similar::help(key, known.iter().copied(), help);
                    return Err(self.error(child.span, format!("no section `{key}`")).help(help));
                }
                if let Some(other) = around.insert(key, outer) {
                    let message = format!("`{key}` is already a child of `{other}`");
                    return Err(self.error(child.span, message));
                }
                placed.push((child, key));
            }
        }
        for (child, key) in placed {
            let mut above = around.get(key).copied();
            for level in 0.. {
                let Some(one) = above else { break };
                if one == key {
                    return Err(self.error(child.span, format!("`{key}` would be inside itself")));
                }
                if level == MOST_LEVELS {
                    let message = format!("sections lie at most {MOST_LEVELS} deep in each other");
                    return Err(self.error(child.span, message));
                }
                above = around.get(one).copied();
            }
        }
        Ok(())
    }

    /// A key that fits on one line of a prompt.
    fn key(&self, node: &Node<'_>) -> Result<String> {
        match node.as_str() {
            Some(_) => self.line(node, "the key of a section"),
            // A number or a boolean becomes a key as written.
            None => self.scalar(node, "the key of a section"),
        }
    }
}
