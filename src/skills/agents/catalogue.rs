//! The listing of skills that an agent sends its model, and the parts that several agents share.

use std::path::{Path, PathBuf};

use super::readers::ModelEntry;
use super::simulate::AgentSkill;
use crate::skills::model::scope::Scope;
use crate::skills::text::unicode::is_ignorable;

/// What an agent sends its model.
#[derive(Debug)]
pub struct AgentListing {
    pub text: String,
    /// Why the agent may send something else on another machine.
    pub caveat: Option<String>,
}

impl From<String> for AgentListing {
    fn from(text: String) -> Self {
        Self { text, caveat: None }
    }
}

/// A skill that a model sees.
#[derive(Debug, Clone)]
pub struct ShownSkill {
    /// Its name and description.
    pub listed: ModelEntry,
    /// Its file, as the agent reached it.
    pub file: PathBuf,
    /// The skills directory it was found in.
    pub root: PathBuf,
    /// The index of that directory among all that the agent searches.
    pub root_number: usize,
    /// Whether it belongs to the user or to the project.
    pub scope: Scope,
}

impl ShownSkill {
    /// The skills that are shown, in order.
    pub fn of(skills: Vec<AgentSkill>) -> Vec<Self> {
        skills.into_iter().filter_map(AgentSkill::into_shown).collect()
    }

    /// Its file below its skills directory.
    pub fn relative(&self) -> &Path {
        self.file.strip_prefix(&self.root).unwrap_or(&self.file)
    }
}

/// The elements around a description that [`xml`] writes.
pub(super) const ELEMENTS: &[&str] = &["available_skills", "skill", "description"];

/// The first tag of a description that closes one of these elements for a lenient reader, who
/// ignores letter case, blanks, invisible characters and attributes.
pub fn closing<'a>(description: &'a str, elements: &[&str]) -> Option<&'a str> {
    let is_blank = |one: char| one.is_whitespace() || is_ignorable(one);
    let closes = |at: &usize| {
        let rest = description[at + 1..].trim_start_matches(is_blank).strip_prefix('/');
        let is_part = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.' | ':');
        let mut name = String::new();
        for one in rest.unwrap_or_default().chars().filter(|one| !is_ignorable(*one)) {
            if is_part(one) {
                name.extend(one.to_lowercase());
            } else if elements.contains(&name.as_str()) || !one.is_whitespace() {
                break;
            }
        }
        elements.contains(&name.as_str())
    };
    let start = description.match_indices('<').map(|(at, _)| at).find(closes)?;
    let length = description[start..].find('>').map_or(description.len() - start, |at| at + 1);
    Some(&description[start..start + length])
}

/// `<available_skills>` as most agents write it.
pub(super) fn xml(
    skills: &[ShownSkill],
    text: impl Fn(&str) -> String,
    location: impl Fn(&str) -> String,
) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let mut out = String::from("<available_skills>\n");
    for skill in skills {
        let path = skill.file.to_string_lossy();
        for line in [
            "  <skill>",
            &format!("    <name>{}</name>", text(&skill.listed.name)),
            &format!("    <description>{}</description>", text(&skill.listed.description)),
            &format!("    <location>{}</location>", location(&path)),
            "  </skill>",
        ] {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.push_str("</available_skills>\n");
    out
}

/// Escapes the five special characters of XML, the apostrophe as given.
pub(super) fn escaped(text: &str, apostrophe: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', apostrophe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lenient_reader_takes_many_tags_for_an_end() {
        for tag in [
            "</available_skills>",
            "</Available_Skills >",
            "< / available_skills>",
            "</available_skills x=1>",
            "</available_skills\nx=\"1\">",
            "</available_skills/>",
            "</avail able_skills>",
            "</available\u{200b}_skills\u{2060} y>",
            "</available_skills",
        ] {
            let text = format!("Reads <b>files</b>. {tag}");
            assert_eq!(closing(&text, ELEMENTS), Some(tag), "{tag}");
        }
        for fine in ["</skillset>", "</b skill>", "<skill>", "a < b / skill", "</my-skill>"] {
            assert_eq!(closing(fine, ELEMENTS), None, "{fine}");
        }
    }
}
