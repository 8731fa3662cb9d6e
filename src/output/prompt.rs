//! Catalogues, sections and whole skills, as a model gets to see them.

use std::io::{self, Write};

use super::{sanitize, xml};
use crate::skills::show::layout::{INSTRUCTIONS, Prompt};
use crate::skills::show::prompt::PromptSkill;

/// As XML; nothing for no skills.
///
/// # Errors
/// Those of the stream.
pub fn xml(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if !prompt.lines.is_empty() {
        writeln!(out, "<available_skills>")?;
        for line in &prompt.lines {
            out.write_all(b"  <skill>\n    <name>")?;
            out.write_all(xml::folded(&line.name).as_bytes())?;
            out.write_all(b"</name>\n")?;
            if let Some(description) = &line.description {
                out.write_all(b"    <description>")?;
                out.write_all(xml::folded(description).as_bytes())?;
                out.write_all(b"</description>\n")?;
            }
            if let Some(location) = &line.location {
                out.write_all(b"    <location>")?;
                out.write_all(xml::path(location).as_bytes())?;
                out.write_all(b"</location>\n")?;
            }
            out.write_all(b"  </skill>\n")?;
        }
        writeln!(out, "</available_skills>")?;
        instructions(out, prompt)?;
    }
    sections(out, prompt)
}

/// As Markdown; nothing for no skills.
///
/// # Errors
/// Those of the stream.
pub fn markdown(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if !prompt.lines.is_empty() {
        writeln!(out, "## Available skills\n")?;
        for line in &prompt.lines {
            write!(out, "- **{}**", sanitize::folded(&line.name))?;
            if let Some(description) = &line.description {
                write!(out, ": {}", sanitize::folded(description))?;
            }
            match &line.location {
                Some(location) => {
                    let location = sanitize::line(location).replace('`', "'");
                    writeln!(out, " (`{location}`)")?;
                }
                None => writeln!(out)?,
            }
        }
        instructions(out, prompt)?;
    }
    sections(out, prompt)
}

fn instructions(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if prompt.instructions { writeln!(out, "\n{INSTRUCTIONS}") } else { Ok(()) }
}

fn sections(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    for (number, section) in prompt.sections.iter().enumerate() {
        if number > 0 || !prompt.lines.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "{}", sanitize::printable(&section.text))?;
    }
    Ok(())
}

/// Whole skills instead of a catalogue, as XML.
///
/// # Errors
/// Those of the stream.
pub fn preloaded(out: &mut dyn Write, skills: &[&PromptSkill]) -> io::Result<()> {
    if skills.is_empty() {
        return Ok(());
    }
    writeln!(out, "<preloaded_skills>")?;
    for skill in skills {
        writeln!(out, "<skill name=\"{}\">", xml::folded(skill.name()))?;
        writeln!(out, "{}", xml::escaped(skill.body.trim()))?;
        writeln!(out, "</skill>")?;
    }
    writeln!(out, "</preloaded_skills>")
}

/// One skill that is being used, as XML; with a request, the lines that follow it.
///
/// # Errors
/// Those of the stream.
pub fn activated(out: &mut dyn Write, skill: &PromptSkill, user: Option<&str>) -> io::Result<()> {
    writeln!(out, "<skill_content name=\"{}\">", xml::folded(skill.name()))?;
    writeln!(out, "{}", xml::escaped(skill.body.trim()))?;
    if let Some(directory) = skill.directory() {
        let directory = directory.to_string_lossy();
        writeln!(out, "\n<skill_directory>{}</skill_directory>", xml::path(&directory))?;
    }
    let (files, total) = &skill.files;
    if *total > 0 {
        writeln!(out, "<skill_files total=\"{total}\">")?;
        for file in files {
            writeln!(out, "  <file>{}</file>", xml::path(&file.to_string_lossy()))?;
        }
        writeln!(out, "</skill_files>")?;
    }
    writeln!(out, "</skill_content>")?;
    if let Some(user) = user {
        let path = skill.location(None);
        writeln!(out, "\nSkill: {}", sanitize::line(&path))?;
        writeln!(out, "User: {}", sanitize::printable(user))?;
    }
    Ok(())
}

/// Whole skills as Markdown.
///
/// # Errors
/// Those of the stream.
pub fn contents_markdown(
    out: &mut dyn Write,
    skills: &[&PromptSkill],
    user: Option<&str>,
) -> io::Result<()> {
    for (number, skill) in skills.iter().enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        writeln!(out, "{gap}## Skill: {}\n", sanitize::line(skill.name()))?;
        writeln!(out, "{}", sanitize::printable(skill.body.trim()))?;
        if let Some(user) = user {
            writeln!(out, "\nSkill: {}", sanitize::line(&skill.location(None)))?;
            writeln!(out, "User: {}", sanitize::printable(user))?;
        }
    }
    Ok(())
}
