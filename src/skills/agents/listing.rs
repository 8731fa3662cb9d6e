//! The listing of skills that an agent sends its model, and the parts that several agents share.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::skills::agents::load::AgentSkill;
use crate::skills::agents::readers::ModelEntry;
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
pub const ELEMENTS: &[&str] = &["available_skills", "skill", "description"];

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
pub fn xml(
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
pub fn escaped(text: &str, apostrophe: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', apostrophe)
}

// The order of `localeCompare` in JavaScript, as far as names of skills need it: the root
// collation of Unicode, in which punctuation counts.

/// Punctuation and symbols of ASCII in the order of the root collation; digits and letters follow.
const ORDER: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Compares by letters, then by accents, then by case with lower case first.
pub fn compare(one: &str, other: &str) -> Ordering {
    let primary = |text: &str| -> Vec<(u8, u32)> { bases(text).map(weight).collect() };
    let accents = |text: &str| -> Vec<Vec<char>> { accents(text) };
    let cases = |text: &str| -> Vec<bool> { bases(text).map(char::is_uppercase).collect() };
    primary(one)
        .cmp(&primary(other))
        .then_with(|| accents(one).cmp(&accents(other)))
        .then_with(|| cases(one).cmp(&cases(other)))
        .then_with(|| one.cmp(other))
}

fn bases(text: &str) -> impl Iterator<Item = char> {
    text.nfd().filter(|character| !is_combining_mark(*character))
}

/// The marks on each letter.
fn accents(text: &str) -> Vec<Vec<char>> {
    let mut marks: Vec<Vec<char>> = Vec::new();
    for character in text.nfd() {
        match marks.last_mut() {
            Some(last) if is_combining_mark(character) => last.push(character),
            _ => marks.push(Vec::new()),
        }
    }
    marks
}

fn weight(character: char) -> (u8, u32) {
    if character.is_whitespace() {
        return (0, character as u32);
    }
    if let Some(rank) = ORDER.find(character) {
        return (1, u32::try_from(rank).unwrap_or(u32::MAX));
    }
    if !character.is_alphanumeric() {
        return (1, ORDER.len() as u32 + character as u32);
    }
    if character.is_numeric() {
        return (2, character as u32);
    }
    (3, character.to_lowercase().next().unwrap_or(character) as u32)
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

#[cfg(test)]
mod collation_tests {
    use super::*;

    #[test]
    fn the_order_is_the_one_that_was_observed() {
        let observed = "_y|.x|@y|#y|+y|=y|~y|$y|a a|a_a|a-|a--b|a-a|a-b|a,a|a!a|a.a|a'a|a(a|a@a|\
            a#a|a+a|a~a|a$a|a1|a10|a2|aa|aA|Aa|AA|äa|ab|ab_c|ab-c|abc|abC|co op|co-op|co-opx|coop|\
            coöp|e|é|f|n|ñ|o|re-sort|re-sume|resort|resume|y|z|Z|中";
        let expected: Vec<&str> = observed.split('|').collect();
        let mut names = expected.clone();
        names.sort_unstable();
        names.sort_by(|one, other| compare(one, other));
        assert_eq!(names, expected);
    }
}
