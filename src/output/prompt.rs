//! Catalogues, sections and whole skills, as a model sees them.

use std::io::{self, Write};

use super::enclosed::enclosed;
use super::{sanitize, xml};
use crate::skills::show::layout::{HEADING, INSTRUCTIONS, Prompt};
use crate::skills::show::prompt::PromptSkill;

/// As XML; nothing for no skills.
pub fn xml(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if !prompt.lines.is_empty() {
        heading(out, prompt)?;
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
pub fn markdown(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if !prompt.lines.is_empty() {
        heading(out, prompt)?;
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

fn heading(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if prompt.instructions { writeln!(out, "{HEADING}\n") } else { Ok(()) }
}

fn instructions(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if prompt.instructions { writeln!(out, "\n{INSTRUCTIONS}") } else { Ok(()) }
}

fn sections(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    let title = (prompt.instructions && !prompt.sections.is_empty())
        .then(|| format!("## {}", prompt.title));
    let texts = title.iter().chain(prompt.sections.iter().map(|section| &section.text));
    for (number, text) in texts.enumerate() {
        if number > 0 || !prompt.lines.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "{}", sanitize::printable(text))?;
    }
    Ok(())
}

/// The tags around preloaded skills.
const PRELOADED: [&str; 2] = ["preloaded_skills", "skill"];
/// The tags around an activated skill, and those beside its text.
const ACTIVATED: [&str; 3] = ["skill_content", "skill_directory", "skill_files"];

/// Whole skills instead of a catalogue, each between tags.
pub fn preloaded(out: &mut dyn Write, skills: &[&PromptSkill]) -> io::Result<()> {
    if skills.is_empty() {
        return Ok(());
    }
    writeln!(out, "<preloaded_skills>")?;
    for skill in skills {
        writeln!(out, "<skill name=\"{}\">", xml::folded(skill.name()))?;
        writeln!(out, "{}", enclosed(skill.body.trim(), &PRELOADED))?;
        writeln!(out, "</skill>")?;
    }
    writeln!(out, "</preloaded_skills>")
}

/// An activated skill between tags; with a request, the lines after it.
pub fn activated(out: &mut dyn Write, skill: &PromptSkill, user: Option<&str>) -> io::Result<()> {
    writeln!(out, "<skill_content name=\"{}\">", xml::folded(skill.name()))?;
    writeln!(out, "{}", enclosed(skill.body.trim(), &ACTIVATED))?;
    if let Some(directory) = skill.directory() {
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
    request(out, skill, user)
}

/// The lines after a skill that the user requested.
fn request(out: &mut dyn Write, skill: &PromptSkill, user: Option<&str>) -> io::Result<()> {
    let Some(user) = user else { return Ok(()) };
    writeln!(out, "\nSkill: {}", sanitize::line(&skill.location(None)))?;
    writeln!(out, "User: {}", sanitize::printable(user))
}

/// Whole skills as Markdown.
pub fn preloaded_markdown(out: &mut dyn Write, skills: &[&PromptSkill]) -> io::Result<()> {
    for (number, skill) in skills.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        content_markdown(out, skill)?;
    }
    Ok(())
}

/// An activated skill as Markdown; with a request, the lines after it.
pub fn activated_markdown(
    out: &mut dyn Write,
    skill: &PromptSkill,
    user: Option<&str>,
) -> io::Result<()> {
    content_markdown(out, skill)?;
    if let Some(directory) = skill.directory() {
        writeln!(out, "\nDirectory: {}", sanitize::line(&directory))?;
    }
    let (files, total) = &skill.files;
    if *total > 0 {
        writeln!(out, "\nFiles ({total}):\n")?;
        for file in files {
            writeln!(out, "- {}", sanitize::line(&file.to_string_lossy()))?;
        }
    }
    request(out, skill, user)
}

fn content_markdown(out: &mut dyn Write, skill: &PromptSkill) -> io::Result<()> {
    writeln!(out, "## Skill: {}\n", sanitize::line(skill.name()))?;
    writeln!(out, "{}", sanitize::printable(skill.body.trim()))
}
