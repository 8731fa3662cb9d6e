//! Decides what a prompt contains: a catalogue of skills that can be installed, and sections for
//! the others.

use crate::skills::find::manifest::resolve;
use crate::skills::find::manifest::sections::ClosedSection;
use crate::skills::find::selection;
use crate::skills::model::error::Result;
use crate::skills::model::inline::Visibility;
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::show::prompt::{PromptSkill, Section};

/// The heading of a catalogue.
pub const HEADING: &str = "## Agent Skills";

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
    /// The sections of the prompt: skills, then closed sections.
    pub sections: Vec<Section>,
    /// Whether [`HEADING`] and [`INSTRUCTIONS`] are around the catalogue.
    pub instructions: bool,
}

/// One skill of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueLine {
    /// Its name.
    pub name: String,
    /// Its description; none where only names are listed.
    pub description: Option<String>,
    /// Where it is.
    pub location: Option<String>,
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
    /// The prefix of keys.
    pub key_prefix: KeyPrefix,
    /// Closed sections of the manifest.
    pub closed: Vec<ClosedSection>,
    /// Which sources count only because a section was opened.
    pub opened: Vec<bool>,
    /// Whether to say how a skill is used.
    pub instructions: bool,
    /// The location of skills in the catalogue, unless their source sets one.
    pub mount_path: Option<String>,
    /// The same for each source.
    pub mount_paths: Vec<Option<String>>,
}

/// A prompt, and the skills it is made of.
#[derive(Debug)]
pub struct Layout<'a> {
    /// The prompt.
    pub prompt: Prompt,
    /// The skills of its sections.
    pub in_prompt: Vec<&'a PromptSkill>,
    /// The skills that can be installed.
    pub native: Vec<&'a PromptSkill>,
}

impl PromptOptions {
    /// Lays out a prompt.
    ///
    /// # Errors
    /// An unknown key to expand.
    pub fn lay_out<'a>(&self, skills: &'a [PromptSkill]) -> Result<Layout<'a>> {
        self.check_expanded(skills)?;
        let told = skills.iter().filter(|skill| !skill.hidden);
        let (in_prompt, native): (Vec<&PromptSkill>, Vec<&PromptSkill>) =
            told.partition(|skill| self.has_section(skill));
        let is_catalogued = self.parts == PromptParts::Catalogue;
        let closed = self.closed.iter().map(|section| Section::closed(section, &self.key_prefix));
        let prompt = Prompt {
            lines: native.iter().filter(|_| is_catalogued).map(|one| self.line(one)).collect(),
            sections: in_prompt.iter().map(|one| self.section(one)).chain(closed).collect(),
            instructions: self.instructions,
        };
        Ok(Layout { prompt, in_prompt, native })
    }

    /// Whether this skill is in the prompt because its key or its section was expanded.
    #[must_use]
    pub fn is_expanded(&self, skill: &PromptSkill) -> bool {
        let is_opened = self.opened.get(skill.skill.source).is_some_and(|opened| *opened);
        is_opened || (self.has_section(skill) && self.has_expanded(skill.key()))
    }

    fn has_expanded(&self, key: &str) -> bool {
        self.expanded.iter().any(|expanded| expanded == key)
    }

    /// Checks that every key to expand belongs to a section of the manifest or of the prompt.
    ///
    /// # Errors
    /// The first unknown key.
    pub fn check_expanded(&self, skills: &[PromptSkill]) -> Result<()> {
        let mut known = self.expandable.clone();
        let in_prompt = skills.iter().filter(|skill| self.has_section(skill));
        known.extend(in_prompt.map(|skill| skill.key().to_owned()));
        known.sort_unstable();
        known.dedup();
        resolve::check_expanded(&self.expanded, &known)
    }

    fn has_section(&self, skill: &PromptSkill) -> bool {
        self.parts == PromptParts::AllSections || skill.has_tools()
    }

    fn section(&self, skill: &PromptSkill) -> Section {
        let visibility = match self.visibility {
            _ if self.has_expanded(skill.key()) => Visibility::Full,
            Some(visibility) => visibility,
            None => skill.visibility(),
        };
        skill.section(visibility, &self.key_prefix)
    }

    fn line(&self, skill: &PromptSkill) -> CatalogueLine {
        let names_only = self.visibility == Some(Visibility::Summary);
        let own = self.mount_paths.get(skill.skill.source).and_then(Option::as_deref);
        let mount_path = own.or(self.mount_path.as_deref());
        CatalogueLine {
            name: skill.name().to_owned(),
            description: skill.description.clone().filter(|_| !names_only),
            location: (!names_only).then(|| skill.location(mount_path)),
        }
    }
}

/// The skills of these names, in this order, each once.
///
/// # Errors
/// An unknown name.
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
