//! The types and functions that the agents' readers of a `SKILL.md` share.
//!
//! `text::document` reads strictly. The readers here say what an agent shows its model of the same
//! file: a name and a description, or why there is none.

use crate::skills::text::frontmatter::SHAPE;
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

pub(super) fn listed(name: impl Into<String>, description: impl Into<String>) -> AgentReading {
    AgentReading::Listed(ModelEntry {
        name: name.into(),
        title: None,
        description: description.into(),
    })
}

pub(super) fn lost(reason: impl Into<String>) -> AgentReading {
    AgentReading::Lost(reason.into())
}

pub(super) const NOT_A_MAPPING: &str = "its front matter is not a mapping";

/// Reads YAML in the dialect of an agent; otherwise returns the message of the first fault.
pub(super) fn mapping<R>(
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
pub(super) fn is_flow_collection(text: &str, lenience: Lenience) -> bool {
    let is_collection =
        |yaml: &yaml::Yaml<'_>| matches!(yaml.root.value, Value::Sequence(_) | Value::Mapping(_));
    yaml::read_as(text, lenience, is_collection).unwrap_or(false)
}

/// Whether js-yaml reads this as a date: `2024-01-02`, with or without a
/// time.
pub(super) fn is_timestamp(text: &str) -> bool {
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
pub(super) fn is_js_space(character: char) -> bool {
    character == '\u{feff}' || character != '\u{85}' && character.is_whitespace()
}

/// `text` trimmed as JavaScript does it.
pub(super) fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// The words of `text` with single spaces between them.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a scalar as written; none for null and collections.
pub(super) fn scalar<'n>(node: Option<&'n Node<'_>>) -> Option<&'n str> {
    let node = node?;
    match node.value {
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => None,
        _ => Some(node.scalar_text()),
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
