//! Events for a log: one JSON object per line.

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use serde::Serialize;

use crate::skills::text::size;

/// The prompt and the session that events belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSource {
    /// The namespace of the prompt.
    pub prompt_ns: String,
    pub prompt_key: String,
    /// The session, where there is one.
    pub session_id: Option<String>,
}

impl EventSource {
    /// The default for the events of a verb.
    pub fn of_verb(verb: &str) -> Self {
        let (prompt_ns, prompt_key) = ("skills".to_owned(), verb.to_owned());
        Self { prompt_ns, prompt_key, session_id: None }
    }
}

/// Something that happened.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A skill of a prompt was opened.
    SkillExpanded {
        skill_name: String,
        /// Its key, with the prefix.
        skill_key: String,
        /// The fields of every event.
        #[serde(flatten)]
        common: EventContext,
    },
    /// The full instructions of a skill were read.
    SkillActivated {
        skill_name: String,
        /// Where it is.
        skill_path: String,
        /// The size of what was read.
        bytes: usize,
        /// An estimate of its tokens.
        tokens: usize,
        /// The fields of every event.
        #[serde(flatten)]
        common: EventContext,
    },
    /// Skills were installed.
    SkillsInstalled {
        /// Names of skills that are written in a manifest.
        inline_skills: Vec<String>,
        /// Names of skills that were copied.
        referenced_skills: Vec<String>,
        /// Where they are now.
        skills_dir: String,
        /// The fields of every event.
        #[serde(flatten)]
        common: EventContext,
    },
}

/// The fields of every event.
#[derive(Debug, Clone, Serialize)]
pub struct EventContext {
    /// The namespace of the prompt.
    pub prompt_ns: String,
    pub prompt_key: String,
    /// The session, where there is one.
    pub session_id: Option<String>,
    /// When, in UTC.
    pub created_at: String,
    /// Different for every event.
    pub event_id: String,
}

impl EventContext {
    /// An event that happens now.
    pub fn now(source: &EventSource) -> Self {
        let now = size::now();
        Self {
            prompt_ns: source.prompt_ns.clone(),
            prompt_key: source.prompt_key.clone(),
            session_id: source.session_id.clone(),
            created_at: size::timestamp(now),
            event_id: random_uuid(now),
        }
    }
}

/// A random UUID. The seeds of the standard library's hash maps are random enough for a name.
fn random_uuid(now: Duration) -> String {
    let half = |salt: u8| RandomState::new().hash_one((now, std::process::id(), salt));
    let mut bytes = [half(0).to_be_bytes(), half(1).to_be_bytes()].concat();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_form() {
        let source = EventSource::of_verb("render");
        let ids: std::collections::HashSet<String> =
            (0..100).map(|_| EventContext::now(&source).event_id).collect();
        assert_eq!(ids.len(), 100);
        assert!(ids.iter().all(|id| id.len() == 36 && id.as_bytes()[14] == b'4'));
    }
}
