//! Sections: groups of skills that stay collapsed in a prompt until a model opens them. An inline
//! skill with children is such a group, too.
//!
//! A section is open when it is expanded, or when it is `full` and the section around it is open. A
//! closed one leaves a line in the prompt, with the key to open it; sections in it leave none.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::skills::find::manifest::conditions::Condition;
use crate::skills::find::manifest::reader::ManifestReader;
use crate::skills::find::manifest::{Inline, ManifestEntry, ManifestEntryKind};
use crate::skills::model::error::{Error, Result};
use crate::skills::model::inline::{Tool, Visibility};
use crate::skills::model::request::PromptPosition;
use crate::skills::text::document::DESCRIPTION_CHARS;
use crate::skills::text::position::Span;
use crate::skills::text::suggest;
use crate::skills::text::yaml::{Mapping, MappingEntry, Node};

pub const SECTION_KEYS: [&str; 5] = ["visibility", "title", "description", "enabled", "children"];

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
    /// The sections and inline skills in it.
    pub children: Vec<Child>,
}

/// The key of a section or of an inline skill that is in another one, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    key: String,
    span: Span,
}

impl Child {
    const fn fault(&self, message: String) -> ChildFault {
        ChildFault { span: self.span, message, help: None }
    }
}

/// What a prompt says about a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSection {
    /// Its key, without a prefix.
    pub key: String,
    pub title: String,
    pub description: Option<String>,
    /// Whether it is a heading, and not closed.
    pub is_open: bool,
    /// The tools that opening it brings.
    pub tools: Vec<Tool>,
    /// The key of the section or inline skill around it.
    pub section: Option<String>,
    /// Its position in a prompt.
    pub position: PromptPosition,
}

/// A section, or an entry of `skills` by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item<'a> {
    Section(&'a str),
    Entry(usize),
}

/// What each section and entry is in.
type Parents<'a> = HashMap<Item<'a>, Item<'a>>;

/// What is wrong with a key in `children`.
struct ChildFault {
    span: Span,
    message: String,
    help: Option<String>,
}

/// The sections of a manifest in one run.
pub struct SectionTree<'a> {
    sections: &'a [ManifestSection],
    entries: &'a [ManifestEntry],
    by_key: HashMap<&'a str, &'a ManifestSection>,
    parents: Parents<'a>,
    expanded: HashSet<&'a str>,
}

/// What a prompt has, in order.
pub struct Outline<'a> {
    positions: HashMap<Item<'a>, PromptPosition>,
    waiting: HashMap<Item<'a>, Vec<Tool>>,
}

impl Outline<'_> {
    /// The position of an entry; the start for one that waits.
    pub fn position(&self, entry: usize) -> PromptPosition {
        self.positions.get(&Item::Entry(entry)).copied().unwrap_or_default()
    }

    /// The tools that come with the skills that wait in an inline skill; none if no skill does.
    pub fn waiting(&self, entry: usize) -> Option<&[Tool]> {
        self.waiting.get(&Item::Entry(entry)).map(Vec::as_slice)
    }
}

impl<'a> SectionTree<'a> {
    pub fn new(
        sections: &'a [ManifestSection],
        entries: &'a [ManifestEntry],
        expanded: &'a [String],
    ) -> Self {
        Self {
            sections,
            entries,
            by_key: sections.iter().map(|section| (section.key.as_str(), section)).collect(),
            // A manifest with a fault in it was refused when it was read.
            parents: parents(sections, entries).unwrap_or_default(),
            expanded: expanded.iter().map(String::as_str).collect(),
        }
    }

    /// What a section or entry is in, from the inside out.
    pub fn ancestors(&self, item: Item<'a>) -> impl Iterator<Item = Item<'a>> {
        std::iter::successors(self.parents.get(&item).copied(), |one| {
            self.parents.get(one).copied()
        })
    }

    /// The key of the section or inline skill that an entry is in.
    pub fn section_of(&self, entry: usize) -> Option<&'a str> {
        self.ancestors(Item::Entry(entry)).next().and_then(|one| self.key(one))
    }

    fn key(&self, item: Item<'a>) -> Option<&'a str> {
        match item {
            Item::Section(key) => Some(key),
            Item::Entry(at) => inline(&self.entries[at]).map(|inline| inline.key.as_str()),
        }
    }

    fn is_expanded(&self, item: Item<'a>) -> bool {
        self.key(item).is_some_and(|key| self.expanded.contains(key))
    }

    fn is_summary(&self, item: Item<'a>) -> bool {
        let visibility = match item {
            Item::Section(key) => self.by_key.get(key).map(|section| section.visibility),
            Item::Entry(at) => inline(&self.entries[at]).map(|inline| inline.visibility),
        };
        visibility == Some(Visibility::Summary)
    }

    /// Whether the skills in it are collected.
    fn is_open(&self, item: Item<'a>) -> bool {
        // The first expanded section opens everything below it.
        for one in std::iter::once(item).chain(self.ancestors(item)) {
            if self.is_expanded(one) {
                return true;
            }
            if self.is_summary(one) {
                return false;
            }
        }
        true
    }

    /// Whether the skills of an entry are collected: what it is in is open, or its own key is
    /// expanded.
    pub fn is_collected(&self, entry: usize) -> bool {
        let item = Item::Entry(entry);
        self.is_expanded(item) || self.ancestors(item).next().is_none_or(|one| self.is_open(one))
    }

    /// Whether they are collected only because something was expanded.
    pub fn is_opened(&self, entry: usize) -> bool {
        self.is_collected(entry)
            && self.ancestors(Item::Entry(entry)).any(|one| self.is_summary(one))
    }

    /// The tools that come with the skills that wait in each closed section or inline skill.
    fn waiting(&self, entries: &[usize]) -> HashMap<Item<'a>, Vec<Tool>> {
        let mut waiting: HashMap<Item<'a>, Vec<Tool>> = HashMap::new();
        for &at in entries.iter().filter(|at| !self.is_collected(**at)) {
            let ancestors = || self.ancestors(Item::Entry(at));
            let outermost = ancestors().take_while(|one| !self.is_open(*one)).last();
            let Some(closed) = outermost else { continue };
            let tools = waiting.entry(closed).or_default();
            let is_brought =
                ancestors().take_while(|one| *one != closed).all(|one| !self.is_summary(one));
            if let (Some(inline), true) = (inline(&self.entries[at]), is_brought) {
                tools.extend(inline.tools.iter().cloned());
            }
        }
        for tools in waiting.values_mut() {
            let mut seen = HashSet::new();
            tools.retain(|tool| seen.insert(tool.name.clone()));
        }
        waiting
    }

    /// The order of a prompt with these entries: skills in the order of the manifest, each followed
    /// by its children, then closed sections, and at last open ones, whose headings begin what is
    /// in them.
    pub fn outline(&self, entries: &[usize]) -> Outline<'a> {
        let waiting = self.waiting(entries);
        let used: HashSet<Item<'a>> =
            entries.iter().flat_map(|at| self.ancestors(Item::Entry(*at))).collect();
        let sections = self.sections.iter().map(|section| Item::Section(section.key.as_str()));
        let (open, closed): (Vec<Item<'a>>, Vec<Item<'a>>) =
            sections.filter(|one| used.contains(one)).partition(|one| self.is_open(*one));
        let collected = entries.iter().filter(|at| self.is_collected(**at));
        let skills = collected.map(|at| Item::Entry(*at));
        let closed = closed.into_iter().filter(|one| waiting.contains_key(one));
        let open = open.into_iter().filter(|one| self.has_heading(*one));
        let mut inside: HashMap<Option<Item<'a>>, Vec<Item<'a>>> = HashMap::new();
        for item in skills.chain(closed).chain(open) {
            let heading = self.ancestors(item).find(|one| self.has_heading(*one));
            inside.entry(heading).or_default().push(item);
        }
        let mut positions = HashMap::new();
        number(None, 0, &inside, &mut positions);
        Outline { positions, waiting }
    }

    /// Whether something stands above the skills in it: an inline skill, or a title or description.
    fn has_heading(&self, item: Item<'a>) -> bool {
        let has_text = match item {
            Item::Section(key) => self
                .by_key
                .get(key)
                .is_some_and(|section| section.title.is_some() || section.description.is_some()),
            Item::Entry(_) => true,
        };
        has_text && self.is_open(item)
    }

    /// What a prompt says about sections.
    pub fn in_prompt(&self, outline: &Outline<'a>) -> Vec<PromptSection> {
        let section = |section: &'a ManifestSection| {
            let item = Item::Section(section.key.as_str());
            let waiting = outline.waiting.get(&item);
            Some(PromptSection {
                key: section.key.clone(),
                title: section.title.clone().unwrap_or_else(|| section.key.clone()),
                description: section.description.clone(),
                is_open: waiting.is_none(),
                tools: waiting.cloned().unwrap_or_default(),
                section: self
                    .ancestors(item)
                    .next()
                    .and_then(|one| self.key(one))
                    .map(str::to_owned),
                position: *outline.positions.get(&item)?,
            })
        };
        self.sections.iter().filter_map(section).collect()
    }
}

/// Numbers what is below a heading.
fn number<'a>(
    heading: Option<Item<'a>>,
    depth: usize,
    inside: &HashMap<Option<Item<'a>>, Vec<Item<'a>>>,
    positions: &mut HashMap<Item<'a>, PromptPosition>,
) {
    for item in inside.get(&heading).into_iter().flatten() {
        positions.insert(*item, PromptPosition { order: positions.len(), depth });
        number(Some(*item), depth + 1, inside, positions);
    }
}

fn inline(entry: &ManifestEntry) -> Option<&Inline> {
    match &entry.kind {
        ManifestEntryKind::Inline(inline) => Some(inline),
        ManifestEntryKind::Source(_) => None,
    }
}

/// The sections and inline skills of each key. Where both have one, it is that of the section.
fn items_by_key<'a>(
    sections: &'a [ManifestSection],
    entries: &'a [ManifestEntry],
) -> BTreeMap<&'a str, Vec<Item<'a>>> {
    let used = entries.iter().filter_map(|entry| entry.section.as_deref());
    let keys = sections.iter().map(|section| section.key.as_str()).chain(used);
    let mut items: BTreeMap<&str, Vec<Item<'_>>> =
        keys.map(|key| (key, vec![Item::Section(key)])).collect();
    for (at, entry) in entries.iter().enumerate() {
        let Some(inline) = inline(entry) else { continue };
        let known = items.entry(&inline.key).or_default();
        if !matches!(known.first(), Some(Item::Section(_))) {
            known.push(Item::Entry(at));
        }
    }
    items
}

/// What each section and entry is in, if it is in one thing only, and not in itself.
fn parents<'a>(
    sections: &'a [ManifestSection],
    entries: &'a [ManifestEntry],
) -> Result<Parents<'a>, ChildFault> {
    let items = items_by_key(sections, entries);
    let numbered = || entries.iter().enumerate();
    let in_section = |(at, entry): (usize, &'a ManifestEntry)| {
        Some((Item::Entry(at), Item::Section(entry.section.as_deref()?)))
    };
    let mut parents: Parents<'_> = numbered().filter_map(in_section).collect();
    let of_sections = sections.iter().map(|one| (Item::Section(&one.key), &one.key, &one.children));
    let of_skills = numbered().filter_map(|(at, entry)| {
        inline(entry).map(|one| (Item::Entry(at), &one.key, &one.children))
    });
    // Every child, and the key of its parent.
    let mut placed: HashMap<Item<'_>, &str> = HashMap::new();
    let mut children = Vec::new();
    for (parent, parent_key, keys) in of_sections.chain(of_skills) {
        for child in keys {
            let key = child.key.as_str();
            let Some(named) = items.get(key) else {
                let known: Vec<&str> = items.keys().copied().collect();
                let list = format!("keys: {}", suggest::some(&known));
                let help = Some(suggest::help(key, known, list));
                let message = format!("no section or inline skill `{key}`");
                return Err(ChildFault { help, ..child.fault(message) });
            };
            for item in named {
                if let Some(other) = placed.insert(*item, parent_key) {
                    return Err(child.fault(format!("`{key}` is already a child of `{other}`")));
                }
                if let Some(Item::Section(other)) = parents.insert(*item, parent) {
                    return Err(child.fault(format!("`{key}` is already in the section `{other}`")));
                }
                children.push((*item, child));
            }
        }
    }
    for (item, child) in children {
        let ancestors = std::iter::successors(parents.get(&item), |one| parents.get(one));
        for (level, one) in ancestors.enumerate() {
            if *one == item {
                return Err(child.fault(format!("`{}` would be inside itself", child.key)));
            }
            if level == MOST_LEVELS {
                let message = format!("sections lie at most {MOST_LEVELS} deep in each other");
                return Err(child.fault(message));
            }
        }
    }
    Ok(parents)
}

impl ManifestReader<'_> {
    pub fn section(&self, entry: &MappingEntry<'_>) -> Result<ManifestSection> {
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
            children: self.children(section)?,
        })
    }

    pub fn children(&self, mapping: &Mapping<'_>) -> Result<Vec<Child>> {
        let Some(node) = mapping.get("children") else { return Ok(Vec::new()) };
        let child = |item: &Node<'_>| Ok(Child { key: self.key(item)?, span: item.span });
        self.items(node, "`children`")?.iter().map(child).collect()
    }

    /// Checks that `children` name sections and inline skills, each in one parent only, and not in a
    /// circle.
    pub fn check_children(
        &self,
        sections: &[ManifestSection],
        entries: &[ManifestEntry],
    ) -> Result<()> {
        parents(sections, entries).map(drop).map_err(|fault| {
            let error = self.error(fault.span, fault.message);
            Error { help: fault.help, ..error }
        })
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
