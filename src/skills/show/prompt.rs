//! What a model gets to see of skills: a catalogue, sections that wait to be opened, or whole skills.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::skills::files::content::Content;
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::inventory::{Inventory, InventoryDepth};
use crate::skills::judge::validate;
use crate::skills::model::inline::{Visibility, default_summary};
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::show::listing::{self, Collision};
use crate::skills::text::document::Document;

/// Files of a skill that are named when it is activated.
const MOST_FILES: usize = 50;

/// What to keep of each skill besides its name and description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptParts {
    /// Nothing.
    Nothing,
    /// Its body.
    Body,
    /// Its body and the paths of its files.
    BodyAndFiles,
}

impl KeptParts {
    /// How much of its files has to be looked at.
    #[must_use]
    pub const fn depth(self) -> InventoryDepth {
        match self {
            Self::BodyAndFiles => InventoryDepth::Through,
            Self::Nothing | Self::Body => InventoryDepth::Glance,
        }
    }
}

/// A skill as a prompt needs it.
#[derive(Debug, Clone)]
pub struct PromptSkill {
    /// Where it is.
    pub skill: Skill,
    /// The description; none when it cannot be read.
    pub description: Option<String>,
    /// Whether it is hidden from models.
    pub hidden: bool,
    /// Its Markdown, when that was asked for.
    pub body: String,
    /// Its files, when they were asked for: the first of them, and how many there are.
    pub files: (Vec<PathBuf>, usize),
}

impl PromptSkill {
    /// The name it goes by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.skill.name
    }

    /// Whether it has tools, and so cannot be installed.
    #[must_use]
    pub fn has_tools(&self) -> bool {
        self.skill.inline.as_ref().is_some_and(|inline| inline.has_tools())
    }

    /// What `open_sections` calls it, without `skills.` before it.
    #[must_use]
    pub fn key(&self) -> &str {
        self.skill.inline.as_ref().map_or(self.name(), |inline| &inline.key)
    }

    /// The directory that its paths are relative to.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        match self.skill.kind {
            SkillKind::Directory => Some(&self.skill.path),
            SkillKind::File => self.skill.path.parent(),
            SkillKind::Inline | SkillKind::Archive | SkillKind::Git => None,
        }
    }

    fn tools(&self) -> &[String] {
        self.skill.inline.as_ref().map_or(&[], |inline| &inline.tools)
    }

    /// Where a model finds it: below the mount path, else its file.
    #[must_use]
    pub fn location(&self, mount_path: Option<&str>) -> String {
        match (mount_path, self.skill.kind) {
            (Some(path), _) => format!("{}/{}", path.trim_end_matches('/'), self.name()),
            (None, SkillKind::Inline) => format!("skill://{}", self.name()),
            (None, _) => self.skill.file().to_string_lossy().into_owned(),
        }
    }

    /// Its section of a prompt.
    #[must_use]
    pub fn section(&self, visibility: Visibility) -> Section {
        let inline = self.skill.inline.as_deref();
        let description = self.description.as_deref().unwrap_or_default();
        // A directory may have a name of several lines, which must not look like lines of the prompt.
        let name = on_one_line(self.name());
        let title = inline.map_or_else(|| name.clone(), |inline| inline.title.clone());
        let tools = self.tools().join(", ");
        let text = match visibility {
            Visibility::Full => {
                let mut text = format!("## {title}\n\n{}", self.body.trim());
                if !tools.is_empty() {
                    text += &format!("\n\nTools: {tools}");
                }
                text
            }
            Visibility::Summary => {
                let summary = inline.map_or_else(
                    || default_summary(&name, description),
                    |inline| inline.summary.clone(),
                );
                let access = if tools.is_empty() {
                    String::new()
                } else {
                    format!(" and access tools: {tools}")
                };
                format!(
                    "{}\n\n---\n[This skill is summarized. Call `open_sections` with key \
                     \"skills.{}\" to view full workflow{access}.]",
                    summary.trim(),
                    on_one_line(self.key())
                )
            }
        };
        Section {
            name: self.name().to_owned(),
            key: self.key().to_owned(),
            title,
            visibility,
            text,
        }
    }

    /// How its section stands in a prompt at first.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        self.skill.inline.as_ref().map_or(Visibility::Summary, |inline| inline.visibility)
    }
}

/// A skill that stands in the prompt itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The name of the skill.
    pub name: String,
    /// What `open_sections` calls it, without `skills.` before it.
    pub key: String,
    /// Its heading.
    pub title: String,
    /// How much of it is there.
    pub visibility: Visibility,
    /// All of it, as Markdown.
    pub text: String,
}

/// The skills of a prompt, and those that are not in it.
#[derive(Debug, Clone, Default)]
pub struct PromptSkills {
    /// In the order in which they were named, each name once.
    pub skills: Vec<PromptSkill>,
    /// Files of skills without a description, of which a model could make nothing.
    pub undescribed: Vec<PathBuf>,
    /// Skills whose name was taken.
    pub collisions: Vec<Collision>,
}

/// Sorts skills by source; of several with one name, the first counts.
#[must_use]
pub fn settle(mut skills: Vec<PromptSkill>) -> PromptSkills {
    skills.sort_by_key(|skill| skill.skill.source);
    let mut settled = PromptSkills::default();
    let mut winners: HashMap<String, usize> = HashMap::new();
    for skill in skills {
        if skill.description.is_none() {
            settled.undescribed.push(skill.skill.file());
        } else if let Some(winner) = winners.get(skill.name()) {
            let winner = &settled.skills[*winner].skill;
            settled.collisions.push(Collision::between(winner, &skill.skill));
        } else {
            winners.insert(skill.name().to_owned(), settled.skills.len());
            settled.skills.push(skill);
        }
    }
    settled
}

/// Reads one skill.
#[must_use]
pub fn read(skill: Skill, open: Option<&OpenDirectory>, keep: KeptParts) -> PromptSkill {
    let (content, inventory) = validate::load(&skill, open, keep.depth());
    of_read(skill, &content, &inventory, keep)
}

/// Takes from a skill that has been read what a prompt needs.
#[must_use]
pub fn of_read(
    skill: Skill,
    content: &Content,
    inventory: &Inventory,
    keep: KeptParts,
) -> PromptSkill {
    let document = validate::document(content);
    let (description, hidden, body) = match (&skill.inline, &document) {
        (Some(inline), _) => (Some(inline.description.clone()), false, inline.body.clone()),
        (None, Some(document)) => {
            let body = if keep == KeptParts::Nothing { "" } else { document.body_text() };
            (description(document), listing::is_hidden(document), body.to_owned())
        }
        (None, None) => (None, false, String::new()),
    };
    let files = if keep == KeptParts::BodyAndFiles {
        files(content, inventory)
    } else {
        Default::default()
    };
    PromptSkill { skill, description, hidden, body, files }
}

fn on_one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn description(document: &Document<'_>) -> Option<String> {
    let text = listing::text_of(document, "description")?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

fn files(content: &Content, inventory: &Inventory) -> (Vec<PathBuf>, usize) {
    if !matches!(content, Content::Text(_)) {
        return (Vec::new(), 0);
    }
    let paths = || inventory.files().map(|file| file.path.clone());
    (paths().take(MOST_FILES).collect(), paths().count())
}
