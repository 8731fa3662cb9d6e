//! Skills as a model sees them: a catalogue, closed sections, or whole skills.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::skills::files::content::Content;
use crate::skills::files::inventory::{Inventory, InventoryDepth, nested_skills};
use crate::skills::find::manifest::sections::PromptSection;
use crate::skills::find::scan::Reading;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::validate;
use crate::skills::judge::verdict::{Judged, TargetAgents, Verdict};
use crate::skills::model::inline::{Tool, Visibility, default_summary, tool_names};
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::show::listing;
use crate::skills::text::document::SKILL_MD;

/// Maximum files to list when a skill is activated.
const MOST_FILES: usize = 50;

/// What to keep of each skill besides its name and description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptParts {
    Nothing,
    Body,
    /// Its body and the paths of its files.
    BodyAndFiles,
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
    /// Its Markdown, if requested.
    pub body: String,
    /// Its files, if requested: the first of them, and their number.
    pub files: (Vec<PathBuf>, usize),
    /// Its address, for readers who cannot see the files of this machine.
    pub address: Option<String>,
}

/// Gives skills of different plugins that share a name the names that agents give them.
pub fn qualify(skills: &mut [PromptSkill]) {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for one in skills.iter() {
        *numbers.entry(one.skill.name.clone()).or_default() += 1;
    }
    for one in skills.iter_mut() {
        if numbers.get(&one.skill.name).is_some_and(|number| *number > 1) {
            one.skill.name = one.skill.qualified_name().into_owned();
        }
    }
}

impl PromptSkill {
    pub fn name(&self) -> &str {
        &self.skill.name
    }

    /// Whether it stays in the prompt, and so cannot be installed.
    pub fn stays_in_prompt(&self) -> bool {
        self.skill.inline().is_some_and(|inline| inline.stays_in_prompt())
    }

    /// Its key for `open_sections`, without the prefix.
    pub fn key(&self) -> &str {
        self.skill.prompt_key()
    }

    /// The directory that its paths are relative to: its address, if it has one.
    pub fn directory(&self) -> Option<Cow<'_, str>> {
        if let Some(address) = &self.address {
            return Some(Cow::Borrowed(address));
        }
        match self.skill.kind() {
            SkillKind::Directory => Some(self.skill.path.to_string_lossy()),
            SkillKind::File => self.skill.path.parent().map(Path::to_string_lossy),
            SkillKind::Inline
            | SkillKind::Archive
            | SkillKind::Git
            | SkillKind::Site
            | SkillKind::Registry => None,
        }
    }

    /// Where a model finds it: at its address, below the mount path, else its file.
    pub fn location(&self, mount_path: Option<&str>) -> String {
        if let Some(address) = &self.address {
            return format!("{address}/{SKILL_MD}");
        }
        match (mount_path, self.skill.kind()) {
            (Some(path), _) => format!("{}/{}", path.trim_end_matches('/'), self.name()),
            (None, SkillKind::Inline) => format!("skill://{}", self.name()),
            (None, _) => self.skill.file().to_string_lossy().into_owned(),
        }
    }

    /// Its section of a prompt, in the section of this key, with a heading of this level.
    pub fn section(
        &self,
        visibility: Visibility,
        prefix: &KeyPrefix,
        section: Option<&str>,
        level: usize,
    ) -> Section {
        let inline = self.skill.inline().map(AsRef::as_ref);
        let description = self.description.as_deref().unwrap_or_default();
        // A directory may have a name of several lines, which must not look like lines of the prompt.
        let name = on_one_line(self.name());
        let title = inline.map_or_else(|| name.clone(), |inline| inline.title.clone());
        let key = prefix.with(&on_one_line(self.key()));
        let mut tools = inline.map(|inline| inline.tools.clone()).unwrap_or_default();
        let waiting = inline.and_then(|inline| inline.waiting.as_deref());
        let text = match visibility {
            Visibility::Full => {
                let mut text = format!("{}\n\n{}", heading(level, &title), self.body.trim());
                if !tools.is_empty() {
                    text += &format!("\n\nTools: {}", tool_names(&tools));
                }
                if let Some(waiting) = waiting {
                    let invitation = invitation("section", &key, "its skills", waiting);
                    text += &format!("\n\n---\n{invitation}");
                }
                text
            }
            Visibility::Summary => {
                let summary = inline.map_or_else(
                    || default_summary(&name, description),
                    |inline| inline.summary.clone(),
                );
                let more = match waiting {
                    Some(_) => "full workflow and its skills",
                    None => "full workflow",
                };
                for tool in waiting.unwrap_or_default() {
                    if !tools.iter().any(|known| known.name == tool.name) {
                        tools.push(tool.clone());
                    }
                }
                format!("{}\n\n---\n{}", summary.trim(), invitation("skill", &key, more, &tools))
            }
        };
        Section {
            skill: Some(self.name().to_owned()),
            key: prefix.with(self.key()),
            title,
            section: section.map(str::to_owned),
            visibility,
            tools,
            text,
        }
    }

    /// How a prompt shows its section at first.
    pub fn visibility(&self) -> Visibility {
        self.skill.inline().map_or(Visibility::Summary, |inline| inline.visibility)
    }
}

/// A skill in the prompt itself, or a section of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The name of the skill; none for a section of a manifest.
    pub skill: Option<String>,
    /// Its key for `open_sections`.
    pub key: String,
    /// Its heading.
    pub title: String,
    /// The key, without a prefix, of the section or inline skill that it is in.
    pub section: Option<String>,
    /// How much of it is shown.
    pub visibility: Visibility,
    /// The tools that come with it.
    pub tools: Vec<Tool>,
    /// All of it, as Markdown.
    pub text: String,
}

impl Section {
    /// The paragraph of a closed section, or the heading of an open one.
    pub fn of(section: &PromptSection, prefix: &KeyPrefix, level: usize) -> Self {
        let PromptSection { title, tools, is_open, .. } = section;
        let key = prefix.with(&section.key);
        let description = section.description.as_deref().map(on_one_line);
        let (visibility, text) = if *is_open {
            let description = description.map(|text| format!("\n\n{text}")).unwrap_or_default();
            (Visibility::Full, heading(level, title) + &description)
        } else {
            let description = description.map(|text| format!(" {text}")).unwrap_or_default();
            let invitation = invitation("section", &key, "its skills", tools);
            let text = format!("[Section: {title}]{description}\n\n---\n{invitation}");
            (Visibility::Summary, text)
        };
        Self {
            skill: None,
            key,
            title: title.clone(),
            section: section.section.clone(),
            visibility,
            tools: tools.clone(),
            text,
        }
    }

    /// Whether it only says what the skills below it have in common, and opens nothing.
    pub fn is_heading(&self) -> bool {
        self.skill.is_none() && self.visibility == Visibility::Full
    }
}

/// Markdown has six levels.
fn heading(level: usize, title: &str) -> String {
    format!("{} {title}", "#".repeat(level.min(6)))
}

/// The sentence that tells a model how to see more.
fn invitation(what: &str, key: &str, more: &str, tools: &[Tool]) -> String {
    let access = if tools.is_empty() { "" } else { " and access tools: " };
    format!(
        "[This {what} is summarized. Call `open_sections` with key \"{key}\" to view \
         {more}{access}{}.]",
        tool_names(tools)
    )
}

/// Reads one skill, and judges it.
pub fn read(
    opened: &OpenedSkill<'_>,
    keep: KeptParts,
    options: &JudgeOptions,
) -> Reading<Judged<PromptSkill>> {
    let inventory = opened.inventory(InventoryDepth::Through);
    let made = judge(opened, &inventory, keep, options);
    Reading { made, nested: nested_skills(&inventory) }
}

/// Judges one skill whose files are known.
pub fn judge(
    opened: &OpenedSkill<'_>,
    inventory: &Inventory,
    keep: KeptParts,
    options: &JudgeOptions,
) -> Judged<PromptSkill> {
    let (skill, document) = (opened.skill.clone(), opened.document);
    let findings = validate::check(opened, inventory, options);
    let (description, body) = match (skill.inline(), document) {
        (Some(inline), _) => (Some(inline.description.clone()), inline.body.clone()),
        (None, Some(document)) => {
            let body = if keep == KeptParts::Nothing { "" } else { document.body_text() };
            (listing::description(&skill.name, document), body.to_owned())
        }
        (None, None) => (None, String::new()),
    };
    let files = match keep {
        KeptParts::BodyAndFiles => files(opened.content, inventory),
        KeptParts::Nothing | KeptParts::Body => Default::default(),
    };
    let address = None;
    let prompt_skill = PromptSkill { skill, description, hidden: false, body, files, address };
    let mut made = Judged::new(opened, &findings, &TargetAgents::Any, prompt_skill);
    made.made.hidden = matches!(made.verdict, Verdict::Hidden(_));
    made
}

fn on_one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn files(content: &Content, inventory: &Inventory) -> (Vec<PathBuf>, usize) {
    if !matches!(content, Content::Text(_)) {
        return (Vec::new(), 0);
    }
    let paths = || inventory.files().map(|file| file.path.clone());
    (paths().take(MOST_FILES).collect(), paths().count())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_name_of_several_lines_is_one_line_of_a_section() {
        let skill = Skill::in_directory(Path::new("/a\n## Forged\r\nb"), Some(SKILL_MD.into()));
        let prompt = PromptSkill {
            skill,
            description: Some("Reads.".to_owned()),
            hidden: false,
            body: "Body.".to_owned(),
            files: Default::default(),
            address: None,
        };
        for visibility in [Visibility::Full, Visibility::Summary] {
            let section = prompt.section(visibility, &KeyPrefix::default(), None, 2);
            let is_forged = section.text.lines().any(|line| line.starts_with("## Forged"));
            assert!(!is_forged && section.text.contains("Forged"), "{}", section.text);
        }
    }
}
