//! What a client gets: values that `crate::output` writes as JSON.

use crate::skills::serve::files::{FileContent, ResourceRow, SkillEntry};
use crate::skills::serve::paging::ListPart;
use crate::skills::show::layout::Prompt;
use crate::skills::show::prompt::PromptSkill;

/// The answer to a request.
#[derive(Debug)]
pub enum McpAnswer {
    /// What is spoken and offered here, for a session of this revision.
    Initialized(&'static str),
    /// The same, without a session.
    Discovered,
    /// Nothing, but in time.
    Done,
    Skills(ListPart<SkillEntry>),
    Skill(SkillEntry),
    /// Files.
    Resources(ListPart<ResourceRow>),
    /// What lies in a directory.
    Directory(ListPart<ResourceRow>),
    /// The pattern of all addresses.
    Templates,
    /// One file, and whether it is the `SKILL.md` of a skill.
    Content(FileContent, Option<UsedSkill>),
    Tools,
    /// What a tool has to say.
    Tool(ToolAnswer),
    Prompts(ListPart<PromptRow>),
    /// A skill that a user asked for, with the user's words.
    Prompt(Box<PromptSkill>, Option<String>, UsedSkill),
}

/// What a tool has to say to a model.
#[derive(Debug)]
pub enum ToolAnswer {
    /// All skills.
    Catalogue(Prompt),
    /// A whole skill.
    Skill(Box<PromptSkill>, UsedSkill),
    /// A file of a skill.
    File(FileContent),
    /// Sections that were opened.
    Sections(OpenedSections),
    /// What the model should do instead.
    Failed(String),
}

/// Sections of a prompt that were opened.
#[derive(Debug, Default)]
pub struct OpenedSections {
    /// What they say.
    pub prompt: Prompt,
    /// The skills that became visible: name, and key with its prefix.
    pub skills: Vec<(String, String)>,
}

/// A skill whose instructions were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedSkill {
    pub name: String,
    /// Where it is on this machine.
    pub path: String,
    /// The size of what was read.
    pub bytes: usize,
    /// An estimate of its tokens.
    pub tokens: usize,
}

/// A skill that people can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRow {
    /// What it is called.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
}
