//! What agents make of a `SKILL.md`, and what their readers have in common.
//!
//! The strict reading of `skills::document` says what is right. This says what an agent makes of a
//! file all the same: the name and description its model gets to see, or why it gets none.

use crate::skills::text::frontmatter::SHAPE;
use crate::skills::text::yaml::{self, Lenience, Mapping, Node, Value};

/// A `SKILL.md` where an agent would read it.
#[derive(Debug, Clone, Copy)]
pub struct RawSkill<'a> {
    /// The name of its directory.
    pub directory: &'a str,
    /// What the file holds.
    pub bytes: &'a [u8],
}

/// What an agent makes of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentReading {
    /// Its model is told of it.
    Listed(ModelEntry),
    /// It is loaded under this name, but the model is not told, for this reason.
    Hidden(String, String),
    /// It is as if it were not there, for this reason.
    Lost(String),
}

/// What a model is told of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEntry {
    /// The name it goes by.
    pub name: String,
    /// A second name that is shown with it.
    pub title: Option<String>,
    /// The description.
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

/// Reads YAML as agents do; the message of the first fault otherwise.
pub(super) fn mapping<R>(
    text: &str,
    lenience: Lenience,
    use_it: impl FnOnce(&Mapping<'_>, &[yaml::Duplicate]) -> R,
) -> Result<R, String> {
    let document = yaml::read_permissively(text, lenience).map_err(|fault| {
        let fault = yaml::find_typo(text, 0, fault, &SHAPE);
        format!("its YAML does not parse: {}", fault.message)
    })?;
    match &document.root.value {
        Value::Mapping(mapping) => Ok(use_it(mapping, &document.duplicates)),
        Value::Null => Ok(use_it(&Mapping::default(), &[])),
        _ => Err(NOT_A_MAPPING.to_owned()),
    }
}

/// Whether YAML reads `text` as a complete `[…]` or `{…}`.
pub(super) fn is_flow_collection(text: &str) -> bool {
    yaml::read_permissively(text, Lenience::default())
        .is_ok_and(|yaml| matches!(yaml.root.value, Value::Sequence(_) | Value::Mapping(_)))
}

/// Whether the YAML readers of JavaScript take this for a date: `2024-01-02`, with or without a
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

/// Words with single blanks between them.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a scalar as it is written; none for nothing and for collections.
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
    use crate::skills::agents::AGENTS;

    /// Every case was put before the real agent, in the version that its row names.
    #[test]
    fn agents_read_what_the_real_ones_were_seen_to_read() {
        let observed = include_str!("../../../tests/agents/observed.json");
        let cases: Vec<Json> = serde_json::from_str(observed).unwrap();
        assert!(cases.len() > 250);
        let mut wrong = Vec::new();
        for case in &cases {
            let directory = case["directory"].as_str().unwrap();
            let bytes = match case["text"].as_str() {
                Some(text) => text.as_bytes().to_vec(),
                None => unhex(case["hex"].as_str().unwrap()),
            };
            for agent in &AGENTS {
                let seen = (agent.loading.read)(&RawSkill { directory, bytes: &bytes });
                let ours = match seen {
                    AgentReading::Listed(ModelEntry { name, title: Some(title), description }) => {
                        Json::from(vec![format!("{name} ({title})"), description])
                    }
                    AgentReading::Listed(ModelEntry { name, title: None, description }) => {
                        Json::from(vec![name, description])
                    }
                    AgentReading::Hidden(..) | AgentReading::Lost(_) => Json::Null,
                };
                if case[agent.id] != ours {
                    wrong.push(format!("{directory} {}: {} not {ours}", agent.id, case[agent.id]));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        /// No file makes a reader panic, and what a model is told is text of a bounded length.
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
