//! Prompts as a model sees them, for scripts.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::{ToolDefinition, VERSION, text};
use crate::output::json;
use crate::skills::show::layout::Prompt;
use crate::skills::show::prompt::PromptSkill;

#[derive(Serialize)]
struct PromptReport<'a> {
    version: u32,
    title: &'a str,
    skills: Vec<CatalogueRow<'a>>,
    sections: Vec<SectionRow<'a>>,
}

#[derive(Serialize)]
struct CatalogueRow<'a> {
    name: &'a str,
    description: Option<&'a str>,
    location: Option<&'a str>,
    section: Option<&'a str>,
}

#[derive(Serialize)]
struct SectionRow<'a> {
    name: Option<&'a str>,
    kind: &'static str,
    key: &'a str,
    title: &'a str,
    section: Option<&'a str>,
    visibility: &'static str,
    tools: Vec<&'a str>,
    tool_definitions: Vec<ToolDefinition<'a>>,
    text: &'a str,
}

/// A catalogue and sections.
pub fn prompt(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    let skills = prompt.lines.iter().map(|line| CatalogueRow {
        name: &line.name,
        description: line.description.as_deref(),
        location: line.location.as_deref(),
        section: line.section.as_deref(),
    });
    let sections = prompt.sections.iter().map(|section| SectionRow {
        name: section.skill.as_deref(),
        kind: if section.skill.is_some() { "skill" } else { "section" },
        key: &section.key,
        title: &section.title,
        section: section.section.as_deref(),
        visibility: section.visibility.as_str(),
        tools: section.tools.iter().map(|tool| tool.name.as_str()).collect(),
        tool_definitions: section.tools.iter().map(ToolDefinition::from).collect(),
        text: &section.text,
    });
    let (title, skills, sections) = (&prompt.title, skills.collect(), sections.collect());
    json::write(out, &PromptReport { version: VERSION, title, skills, sections })
}

#[derive(Serialize)]
struct ContentReport<'a> {
    version: u32,
    skills: Vec<ContentRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
}

#[derive(Serialize)]
struct ContentRow<'a> {
    name: &'a str,
    description: Option<&'a str>,
    location: String,
    directory: Option<String>,
    content: &'a str,
    files: Vec<String>,
    total_files: usize,
}

/// Whole skills, with the user's request if there is one.
pub fn contents(
    out: &mut dyn Write,
    skills: &[&PromptSkill],
    user: Option<&str>,
) -> io::Result<()> {
    let rows = skills.iter().map(|skill| ContentRow {
        name: skill.name(),
        description: skill.description.as_deref(),
        location: skill.location(None),
        directory: skill.directory().map(Cow::into_owned),
        content: skill.body.trim(),
        files: skill.files.0.iter().map(|file| text(file)).collect(),
        total_files: skill.files.1,
    });
    json::write(out, &ContentReport { version: VERSION, skills: rows.collect(), user })
}
