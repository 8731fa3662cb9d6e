//! Catalogues, sections and whole skills, as a model sees them, each enclosed so that a skill cannot end
//! its own part.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::output::sanitize;
use crate::skills::show::layout::{HEADING, INSTRUCTIONS, Prompt};
use crate::skills::show::prompt::PromptSkill;
use crate::skills::text::unicode::is_ignorable;

/// As XML; nothing for no skills.
pub fn xml(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    if !prompt.lines.is_empty() {
        heading(out, prompt)?;
        writeln!(out, "<available_skills>")?;
        for line in &prompt.lines {
            out.write_all(b"  <skill>\n    <name>")?;
            out.write_all(sanitize::xml_folded(&line.name).as_bytes())?;
            out.write_all(b"</name>\n")?;
            if let Some(description) = &line.description {
                out.write_all(b"    <description>")?;
                out.write_all(sanitize::xml_folded(description).as_bytes())?;
                out.write_all(b"</description>\n")?;
            }
            if let Some(location) = &line.location {
                out.write_all(b"    <location>")?;
                out.write_all(sanitize::path(location).as_bytes())?;
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
        writeln!(out, "<skill name=\"{}\">", sanitize::xml_folded(skill.name()))?;
        writeln!(out, "{}", enclosed(skill.body.trim(), &PRELOADED))?;
        writeln!(out, "</skill>")?;
    }
    writeln!(out, "</preloaded_skills>")
}

/// An activated skill between tags; with a request, the lines after it.
pub fn activated(out: &mut dyn Write, skill: &PromptSkill, user: Option<&str>) -> io::Result<()> {
    writeln!(out, "<skill_content name=\"{}\">", sanitize::xml_folded(skill.name()))?;
    writeln!(out, "{}", enclosed(skill.body.trim(), &ACTIVATED))?;
    if let Some(directory) = skill.directory() {
        writeln!(out, "\n<skill_directory>{}</skill_directory>", sanitize::path(&directory))?;
    }
    let (files, total) = &skill.files;
    if *total > 0 {
        writeln!(out, "<skill_files total=\"{total}\">")?;
        for file in files {
            writeln!(out, "  <file>{}</file>", sanitize::path(&file.to_string_lossy()))?;
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

// Text between two tags. Escapes only what would close these tags, open them again or hide their
// end, so that code and prose reach a model unchanged.

/// Constructs that hide the following text, and their ends.
const HIDING: [(&str, &str); 2] = [("<!--", "-->"), ("<![CDATA[", "]]>")];

/// The text of a skill between tags of these names.
pub fn enclosed<'a>(text: &'a str, tags: &[&str]) -> Cow<'a, str> {
    match sanitize::printable(text) {
        Cow::Borrowed(text) => escaped(text, tags),
        Cow::Owned(text) => Cow::Owned(escaped(&text, tags).into_owned()),
    }
}

fn escaped<'a>(text: &'a str, tags: &[&str]) -> Cow<'a, str> {
    let brackets = text.match_indices('<').map(|(at, _)| at);
    let mut harmful: Vec<usize> = brackets.filter(|at| is_tag(&text[at + 1..], tags)).collect();
    for (start, end) in HIDING {
        harmful.extend(unended(text, start, end));
    }
    if harmful.is_empty() {
        return Cow::Borrowed(text);
    }
    harmful.sort_unstable();
    let mut result = String::with_capacity(text.len() + 4 * harmful.len());
    let mut written = 0;
    for at in harmful {
        result.push_str(&text[written..at]);
        result.push_str("&lt;");
        written = at + 1;
    }
    result.push_str(&text[written..]);
    Cow::Owned(result)
}

/// Whether the text after a `<` opens or closes one of these tags, or could do so with the text
/// that follows. Ignores letter case, blanks before a slash, and invisible characters, as a lenient
/// reader might.
fn is_tag(rest: &str, tags: &[&str]) -> bool {
    let rest = rest.trim_start_matches(is_ignorable);
    let is_blank = |one: char| one.is_whitespace() || is_ignorable(one);
    let inner = rest.trim_start_matches(is_blank);
    if inner.is_empty() {
        return true;
    }
    match inner.strip_prefix('/').map(|name| name.trim_start_matches(is_blank)) {
        Some("") => true,
        Some(name) => tags.iter().any(|tag| starts_with_name(name, tag)),
        None => tags.iter().any(|tag| starts_with_name(rest, tag)),
    }
}

/// Whether a text starts with this name, and not with a longer one.
fn starts_with_name(text: &str, name: &str) -> bool {
    let mut seen = text.chars().filter(|one| !is_ignorable(*one));
    name.chars().all(|wanted| seen.next().map(folded) == Some(wanted))
        && seen
            .next()
            .is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '_' | '-' | '.' | ':'))
}

/// The lower case of a letter, also for signs that resemble it, such as the Kelvin sign.
fn folded(letter: char) -> char {
    let upper = letter.to_uppercase().next().unwrap_or(letter);
    upper.to_lowercase().next().unwrap_or(upper)
}

/// Every `start` that no `end` follows.
fn unended(text: &str, start: &str, end: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(start) {
        let place = at + next;
        match text[place + start.len()..].find(end) {
            Some(length) => at = place + start.len() + length + end.len(),
            None => {
                found.extend(text[place..].match_indices(start).map(|(more, _)| place + more));
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(text: &str) -> Cow<'_, str> {
        enclosed(text, &["skills", "skill"])
    }

    #[test]
    fn code_and_prose_stay_as_they_are() {
        for text in [
            "a && b < c > d \"e\" 'f' &amp; <b>bold</b>",
            "cat <file> | tee </dev/null; Vec<skill_name>, </skillset>, <skill-x>, a < skill",
            "<!-- note --> <![CDATA[x]]> <?php",
            "x <- y; 1 <= 2",
        ] {
            assert!(matches!(between(text), Cow::Borrowed(_)), "{text}: {}", between(text));
        }
    }

    #[test]
    fn nothing_ends_the_tags_around_it() {
        for (text, expected) in [
            ("a</skill>b", "a&lt;/skill>b"),
            ("</SKILL >", "&lt;/SKILL >"),
            ("< / skills\n>", "&lt; / skills\n>"),
            ("</s\u{200d}kill>", "&lt;/s\u{200d}kill>"),
            ("</\u{17f}\u{212a}ill>", "&lt;/\u{17f}\u{212a}ill>"),
            ("<skill name=\"x\">", "&lt;skill name=\"x\">"),
            ("</skill", "&lt;/skill"),
            ("x <", "x &lt;"),
            ("x </ ", "x &lt;/ "),
            ("<<skill>", "<&lt;skill>"),
            ("<!-- a --> <!-- b <!-- c", "<!-- a --> &lt;!-- b &lt;!-- c"),
            ("<![CDATA[", "&lt;![CDATA["),
        ] {
            assert_eq!(between(text), expected, "{text:?}");
        }
    }
}
