//! Decides what a prompt contains: a catalogue of skills that can be installed, and sections for
//! the others.

use crate::skills::find::manifest::resolve;
use crate::skills::find::manifest::sections::PromptSection;
use crate::skills::find::selection;
use crate::skills::model::error::Result;
use crate::skills::model::inline::Visibility;
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::model::request::{PromptPosition, Request};
use crate::skills::show::prompt::{PromptSkill, Section};

/// The heading of a catalogue.
pub const HEADING: &str = "## Agent Skills";

/// The heading of the sections after it, unless the manifest has another one.
const TITLE: &str = "Skills";

/// How to use the skills of a catalogue.
pub const INSTRUCTIONS: &str = "\
When a task matches an available skill:
1. Read the skill's SKILL.md file for full instructions
2. Follow the instructions step-by-step
3. Use scripts or references in the skill directory as needed";

/// A prompt: a catalogue, and sections after it.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The catalogue.
    pub lines: Vec<CatalogueLine>,
    /// The skills and sections after it.
    pub sections: Vec<Section>,
    /// The heading of these.
    pub title: String,
    /// Whether there are headings above both, and [`INSTRUCTIONS`] after the catalogue.
    pub instructions: bool,
}

/// One skill of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueLine {
    pub name: String,
    /// Its description; none where only names are listed.
    pub description: Option<String>,
    /// Where it is.
    pub location: Option<String>,
    /// The key of its section in the manifest.
    pub section: Option<String>,
}

/// Which skills a prompt contains, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PromptParts {
    /// A catalogue, and sections for skills with tools.
    #[default]
    Catalogue,
    /// Only those sections.
    SectionsWithTools,
    /// Sections for all skills.
    AllSections,
}

/// How a prompt is laid out.
#[derive(Debug, Clone, Default)]
pub struct PromptOptions {
    /// Which skills it contains.
    pub parts: PromptParts,
    /// The default visibility of skills.
    pub visibility: Option<Visibility>,
    /// Keys that are expanded.
    pub expanded: Vec<String>,
    /// Keys of the manifest that can be expanded.
    pub expandable: Vec<String>,
    pub key_prefix: KeyPrefix,
    /// The heading of what comes after the catalogue.
    pub title: Option<String>,
    /// Sections of the manifest.
    pub sections: Vec<PromptSection>,
    /// The sources, which say where their skills are in the manifest.
    pub requests: Vec<Request>,
    /// Whether to say how a skill is used.
    pub instructions: bool,
    /// The location of skills in the catalogue, unless their source sets one.
    pub mount_path: Option<String>,
}

/// A prompt, and the skills it is made of.
#[derive(Debug)]
pub struct Layout<'a> {
    pub prompt: Prompt,
    /// The skills of its sections.
    pub in_prompt: Vec<&'a PromptSkill>,
    /// The skills that can be installed.
    pub native: Vec<&'a PromptSkill>,
}

impl PromptOptions {
    /// Lays out a prompt.
    pub fn lay_out<'a>(&self, skills: &'a [PromptSkill]) -> Result<Layout<'a>> {
        self.check_expanded(skills)?;
        let told = skills.iter().filter(|skill| !skill.hidden);
        let (in_prompt, native): (Vec<&PromptSkill>, Vec<&PromptSkill>) =
            told.partition(|skill| self.has_section(skill));
        let is_catalogued = self.parts == PromptParts::Catalogue;
        let skills = in_prompt.iter().map(|skill| {
            let position = self.request(skill).map(|request| request.position).unwrap_or_default();
            (position, self.section(skill, self.level(position)))
        });
        let of_manifest = self.sections.iter().map(|section| {
            let level = self.level(section.position);
            (section.position, Section::of(section, &self.key_prefix, level))
        });
        let mut ordered: Vec<(PromptPosition, Section)> = skills.chain(of_manifest).collect();
        ordered.sort_by_key(|(position, _)| position.order);
        let prompt = Prompt {
            lines: native.iter().filter(|_| is_catalogued).map(|one| self.line(one)).collect(),
            sections: without_empty_headings(ordered),
            title: self.title.clone().unwrap_or_else(|| TITLE.to_owned()),
            instructions: self.instructions,
        };
        Ok(Layout { prompt, in_prompt, native })
    }

    /// Whether this skill is in the prompt because its key or its section was expanded.
    pub fn is_expanded(&self, skill: &PromptSkill) -> bool {
        let is_opened = self.request(skill).is_some_and(|request| request.is_opened);
        is_opened || (self.has_section(skill) && self.has_expanded(skill.key()))
    }

    fn has_expanded(&self, key: &str) -> bool {
        self.expanded.iter().any(|expanded| expanded == key)
    }

    /// Checks that every key to expand belongs to a section of the manifest or of the prompt.
    pub fn check_expanded(&self, skills: &[PromptSkill]) -> Result<()> {
        let mut known = self.expandable.clone();
        let in_prompt = skills.iter().filter(|skill| self.has_section(skill));
        known.extend(in_prompt.map(|skill| skill.key().to_owned()));
        known.sort_unstable();
        known.dedup();
        resolve::check_expanded(&self.expanded, &known)
    }

    fn has_section(&self, skill: &PromptSkill) -> bool {
        self.parts == PromptParts::AllSections || skill.stays_in_prompt()
    }

    /// The source of a skill.
    fn request(&self, skill: &PromptSkill) -> Option<&Request> {
        self.requests.get(skill.skill.source)
    }

    /// The level of a heading: below the title of all sections, if that is shown.
    const fn level(&self, position: PromptPosition) -> usize {
        let top = if self.instructions { 3 } else { 2 };
        top + position.depth
    }

    fn section(&self, skill: &PromptSkill, level: usize) -> Section {
        let visibility = match self.visibility {
            _ if self.has_expanded(skill.key()) => Visibility::Full,
            Some(visibility) => visibility,
            None => skill.visibility(),
        };
        let section = self.request(skill).and_then(|request| request.section.as_deref());
        skill.section(visibility, &self.key_prefix, section, level)
    }

    fn line(&self, skill: &PromptSkill) -> CatalogueLine {
        let names_only = self.visibility == Some(Visibility::Summary);
        let request = self.request(skill);
        let own = request.and_then(|request| request.mount_path.as_deref());
        let mount_path = own.or(self.mount_path.as_deref());
        CatalogueLine {
            name: skill.name().to_owned(),
            description: skill.description.clone().filter(|_| !names_only),
            location: (!names_only).then(|| skill.location(mount_path)),
            section: request.and_then(|request| request.section.clone()),
        }
    }
}

/// Leaves out headings with nothing below them, because all their skills are in the catalogue.
fn without_empty_headings(ordered: Vec<(PromptPosition, Section)>) -> Vec<Section> {
    let (mut kept, mut depth_below) = (Vec::new(), 0);
    for (position, section) in ordered.into_iter().rev() {
        let is_title_alone = section.is_heading() && !section.text.contains('\n');
        if !is_title_alone || depth_below > position.depth {
            depth_below = position.depth;
            kept.push(section);
        }
    }
    kept.reverse();
    kept
}

/// The skills of these names, in this order, each once.
pub fn chosen<'a>(skills: &'a [PromptSkill], names: &[String]) -> Result<Vec<&'a PromptSkill>> {
    let named = |name: &String| {
        let by_folder = || skills.iter().find(|one| one.skill.names().any(|known| known == name));
        skills.iter().find(|skill| skill.name() == *name).or_else(by_folder)
    };
    let available: Vec<String> = skills.iter().map(|skill| skill.name().to_owned()).collect();
    let unknown: Vec<String> = names.iter().filter(|name| named(name).is_none()).cloned().collect();
    selection::require(&unknown, &available)?;
    let mut chosen: Vec<&PromptSkill> = Vec::new();
    for skill in names.iter().filter_map(named) {
        if !chosen.iter().any(|other| other.name() == skill.name()) {
            chosen.push(skill);
        }
    }
    Ok(chosen)
}
