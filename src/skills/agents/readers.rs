//! The types and functions that the agents' readers of a `SKILL.md` share.
//!
//! `text::document` reads strictly. The readers here say what an agent shows its model of the same
//! file: a name and a description, or why there is none.

use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;

use crate::skills::agents::{Beside, LoadingRules};
use crate::skills::files::FileStat;
use crate::skills::files::content::{self, Content};
use crate::skills::text::document::{SHAPE, SKILL_MD};
use crate::skills::text::yaml::{self, Lenience, Mapping, Node, Value};

/// A `SKILL.md` where an agent would read it.
#[derive(Debug, Clone, Copy)]
pub struct RawSkill<'a> {
    /// The name of its directory.
    pub directory: &'a str,
    /// The content of the file.
    pub bytes: &'a [u8],
}

/// How an agent treats a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentReading {
    /// The model sees it.
    Listed(ModelEntry),
    /// It is loaded under this name but hidden from the model, for this reason.
    Hidden(String, String),
    /// It is dropped, for this reason, but keeps this name from other skills.
    Unseen(String, String),
    /// It is dropped, for this reason.
    Lost(String),
}

/// What a model sees of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEntry {
    pub name: String,
    /// A second name shown with it.
    pub title: Option<String>,
    pub description: String,
}

pub fn listed(name: impl Into<String>, description: impl Into<String>) -> AgentReading {
    AgentReading::Listed(ModelEntry {
        name: name.into(),
        title: None,
        description: description.into(),
    })
}

pub fn lost(reason: impl Into<String>) -> AgentReading {
    AgentReading::Lost(reason.into())
}

pub const NOT_A_MAPPING: &str = "its front matter is not a mapping";

/// Reads YAML in the dialect of an agent; otherwise returns the message of the first fault.
pub fn mapping<R>(
    text: &str,
    lenience: Lenience,
    use_it: impl FnOnce(&Mapping<'_>, &[yaml::Duplicate]) -> R,
) -> Result<R, String> {
    let read = yaml::read_as(text, lenience, |yaml| match &yaml.root.value {
        Value::Mapping(mapping) => Ok(use_it(mapping, &yaml.duplicates)),
        Value::Null => Ok(use_it(&Mapping::default(), &[])),
        _ => Err(NOT_A_MAPPING.to_owned()),
    });
    read.unwrap_or_else(|refusal| {
        let (fault, text) = *refusal;
        let fault = yaml::find_typo(&text, 0, fault, &SHAPE);
        Err(format!("its YAML does not parse: {}", fault.message))
    })
}

/// Whether YAML reads `text` as a complete `[…]` or `{…}`.
pub fn is_flow_collection(text: &str, lenience: Lenience) -> bool {
    let is_collection =
        |yaml: &yaml::Yaml<'_>| matches!(yaml.root.value, Value::Sequence(_) | Value::Mapping(_));
    yaml::read_as(text, lenience, is_collection).unwrap_or(false)
}

/// Whether js-yaml reads this as a date: `2024-01-02`, with or without a
/// time.
pub fn is_timestamp(text: &str) -> bool {
    let date = text.get(..10).unwrap_or_default();
    let shaped = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    date.len() == 10
        && shaped
        && text.get(10..).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(['T', 't', ' ']) && rest.contains(':')
        })
}

/// Whether JavaScript treats this as white space; Unicode differs.
pub fn is_js_space(character: char) -> bool {
    character == '\u{feff}' || character != '\u{85}' && character.is_whitespace()
}

/// `text` trimmed as JavaScript does it.
pub fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// The words of `text` with single spaces between them.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a scalar as written; none for null and collections.
pub fn scalar<'n>(node: Option<&'n Node<'_>>) -> Option<&'n str> {
    let node = node?;
    match node.value {
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => None,
        _ => Some(node.scalar_text()),
    }
}

// Reads the file of one skill as its agent does.

/// The content of a skill's file.
#[derive(Debug)]
pub struct FileBytes {
    /// All of it.
    pub bytes: Vec<u8>,
    /// What the system says about the file.
    pub stat: FileStat,
}

/// What an agent makes of the skill at this path, and its file, unless that is a link.
pub fn read(
    loading: &LoadingRules,
    path: &Path,
    is_file: bool,
) -> (AgentReading, Option<FileBytes>) {
    let lost = |reason: String| (AgentReading::Lost(reason), None);
    let file = if is_file { path.to_owned() } else { path.join(SKILL_MD) };
    let is_link = match file.symlink_metadata() {
        Ok(data) => data.file_type().is_symlink(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return lost("its file is not called SKILL.md".to_owned());
        }
        Err(error) => return lost(content::system_message(&error)),
    };
    if is_link && !loading.linked_skill_md {
        return lost("its SKILL.md is a link".to_owned());
    }
    let real = file.canonicalize().unwrap_or(file);
    let (bytes, stat) = match content::bytes(&real) {
        Ok(read) => read,
        Err(Content::TooLarge { bytes }) => {
            return lost(format!(
                "not known: its SKILL.md has {bytes} bytes, more than is read here"
            ));
        }
        Err(_) => return lost("its SKILL.md cannot be read".to_owned()),
    };
    // A `SKILL.md` that is a link keeps the directory of the link.
    let real_directory = loading.real_directory_name.then(|| path.canonicalize().ok()).flatten();
    let own = real_directory.as_deref().unwrap_or(path);
    let directory = if is_file { own.parent() } else { Some(own) };
    let directory = directory.map(name).unwrap_or_default();
    let reading = reading(loading, &directory, &bytes, &|file| bytes_beside(path, file));
    (reading, (!is_link).then_some(FileBytes { bytes, stat }))
}

/// What an agent makes of a `SKILL.md` with these bytes, in a directory of this name. `beside` reads
/// the other files of the skill that the agent looks at.
pub fn reading(
    loading: &LoadingRules,
    directory: &str,
    bytes: &[u8],
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> AgentReading {
    let is_withheld = |file: &Beside| {
        beside(file.file).is_some_and(|bytes| (file.withholds)(&String::from_utf8_lossy(&bytes)))
    };
    match (loading.read)(&RawSkill { directory, bytes }) {
        AgentReading::Listed(listed) => match loading.beside.filter(is_withheld) {
            Some(file) => AgentReading::Hidden(listed.name, format!("`{}`", file.file)),
            None => AgentReading::Listed(listed),
        },
        other => other,
    }
}

/// The last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn bytes_beside(skill: &Path, file: &str) -> Option<Vec<u8>> {
    let path = skill.join(file);
    let real = path.canonicalize().unwrap_or(path);
    content::bytes(&real).ok().map(|(bytes, _)| bytes)
}

/// The file of a skill, where links lead.
pub fn real_file(path: &Path, is_file: bool) -> Option<PathBuf> {
    let file = if is_file { path.to_owned() } else { path.join(SKILL_MD) };
    file.canonicalize().ok()
}

/// Markdown files directly in `root`, except `SKILL.md`.
pub fn markdown_files(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let is_skill = |path: &PathBuf| {
        let name = name(path);
        name.ends_with(".md") && !name.starts_with('.') && name != SKILL_MD && path.is_file()
    };
    entries.map(|entry| entry.path()).filter(is_skill).collect()
}

// Terminal escape sequences, which Claude removes from what it shows.

const ESCAPE: char = '\x1b';

const STRING_END: char = '\u{9c}';

const BELL: char = '\x07';

/// `text` without escape sequences; one without an end extends to the end of the text.
pub fn without_escape_sequences(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let introducer = if character == ESCAPE { rest.next() } else { eight_bit(character) };
        match introducer {
            _ if !(character == ESCAPE || eight_bit(character).is_some()) => result.push(character),
            Some('[') => skip_past(&mut rest, |one| matches!(one, '@'..='~')),
            Some(']') => skip_string(&mut rest, true),
            Some('P' | 'X' | '^' | '_') => skip_string(&mut rest, false),
            // Intermediate characters, then a last one.
            Some(' '..='/') => skip_past(&mut rest, |one| matches!(one, '0'..='~')),
            Some(_) | None => {}
        }
    }
    result
}

/// The second character of the sequence that this one abbreviates.
const fn eight_bit(character: char) -> Option<char> {
    match character {
        '\u{90}' => Some('P'),
        '\u{98}' => Some('X'),
        '\u{9b}' => Some('['),
        '\u{9d}' => Some(']'),
        '\u{9e}' => Some('^'),
        '\u{9f}' => Some('_'),
        _ => None,
    }
}

/// Whether this character ends any sequence at once.
const fn cancels(character: char) -> bool {
    matches!(character, '\x18' | '\x1a')
}

fn skip_past(rest: &mut Peekable<Chars<'_>>, is_last: impl Fn(char) -> bool) {
    rest.find(|one| is_last(*one) || cancels(*one));
}

fn skip_string(rest: &mut Peekable<Chars<'_>>, bell_ends: bool) {
    while let Some(character) = rest.next() {
        let ends = match character {
            STRING_END => true,
            BELL => bell_ends,
            ESCAPE => rest.next_if_eq(&'\\').is_some(),
            _ => cancels(character),
        };
        if ends {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;
    use crate::skills::agents::{AGENTS, Agent};

    /// Every case was observed in the real agent, in the version that its row names.
    #[test]
    fn agents_read_what_the_real_ones_were_seen_to_read() {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agents");
        let mut wrong = Vec::new();
        for file in ["observed.json", "observed-random.json"] {
            let observed = std::fs::read_to_string(directory.join(file)).unwrap();
            let cases: Vec<Json> = serde_json::from_str(&observed).unwrap();
            assert!(cases.len() > 250);
            wrong.extend(cases.iter().flat_map(differences));
        }
        assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
    }

    /// Where our reading of a file differs from what the agents showed.
    fn differences(case: &Json) -> Vec<String> {
        let directory = case["directory"].as_str().unwrap();
        let bytes = match case["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => unhex(case["hex"].as_str().unwrap()),
        };
        let read = |agent: &Agent| {
            let seen = (agent.loading.read)(&RawSkill { directory, bytes: &bytes });
            match seen {
                AgentReading::Listed(ModelEntry { name, title: Some(title), description }) => {
                    Json::from(vec![format!("{name} ({title})"), description])
                }
                AgentReading::Listed(ModelEntry { name, title: None, description }) => {
                    Json::from(vec![name, description])
                }
                _ => Json::Null,
            }
        };
        let different = AGENTS.iter().map(|agent| (agent, read(agent)));
        let different = different.filter(|(agent, ours)| case[agent.id] != *ours);
        different
            .map(|(agent, ours)| format!("{} {directory}: {} not {ours}", agent.id, case[agent.id]))
            .collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        /// No file makes a reader panic, and the text for a model has a bounded length.
        #[test]
        fn readers_survive_anything(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            head in "(---|--- |----|\u{feff}---|---yaml|)\n?",
            lines in "(([ \t]{0,3})(name|description|paths|metadata|<<|a b)?:?[ -~é😀\t]{0,20}(\r\n|\n|\r)){0,6}",
            tail in "(---|\n---|...|)[ -~é\n]{0,20}",
        ) {
            let mut shaped = format!("{head}{lines}{tail}").into_bytes();
            for agent in &AGENTS {
                let read = |bytes: &[u8]| (agent.loading.read)(&RawSkill { directory: "pdf", bytes });
                read(&bytes);
                let seen = read(&shaped);
                if let AgentReading::Listed(listed) = seen {
                    proptest::prop_assert!(listed.description.len() <= 4 * shaped.len() + 100);
                }
            }
            shaped.extend(bytes);
            for agent in &AGENTS {
                let _ = (agent.loading.read)(&RawSkill { directory: "é:", bytes: &shaped });
            }
        }
    }

    fn unhex(text: &str) -> Vec<u8> {
        let pairs = text.as_bytes().chunks(2);
        pairs
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }
}
