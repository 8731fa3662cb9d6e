//! What happened, for whoever keeps a log: one JSON object a line.

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// The namespace of prompts that this tool makes.
pub const PROMPT_NS: &str = "skills";

/// Something that happened.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A skill of a prompt was opened.
    SkillExpanded {
        /// Its name.
        skill_name: String,
        /// Its key, with `skills.` before it.
        skill_key: String,
        /// Everything that all events have.
        #[serde(flatten)]
        common: Common,
    },
    /// Skills were installed.
    SkillsInstalled {
        /// Those that a manifest holds.
        inline_skills: Vec<String>,
        /// Those that were copied.
        referenced_skills: Vec<String>,
        /// Where they are now.
        skills_dir: String,
        /// Everything that all events have.
        #[serde(flatten)]
        common: Common,
    },
}

/// What all events have.
#[derive(Debug, Clone, Serialize)]
pub struct Common {
    /// The namespace of the prompt.
    pub prompt_ns: String,
    /// The key of the prompt: the verb that made it.
    pub prompt_key: String,
    /// The session, where there is one.
    pub session_id: Option<String>,
    /// When, in UTC.
    pub created_at: String,
    /// Different for every event.
    pub event_id: String,
}

impl Common {
    /// An event that happens now, in a run of this verb.
    #[must_use]
    pub fn now(verb: &str) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            prompt_ns: PROMPT_NS.to_owned(),
            prompt_key: verb.to_owned(),
            session_id: None,
            created_at: timestamp(now),
            event_id: random_uuid(now),
        }
    }
}

/// `2026-11-16T04:05:06.789Z`
fn timestamp(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(i64::try_from(days).unwrap_or_default());
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let millis = since_epoch.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a number of days since 1970-01-01, counted in eras of 400 years that
/// start in March.
const fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
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
    fn times_and_ids_have_their_form() {
        assert_eq!(timestamp(Duration::from_millis(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(Duration::from_millis(951_782_400_007)), "2000-02-29T00:00:00.007Z");
        assert_eq!(timestamp(Duration::from_secs(1_794_801_906)), "2026-11-16T04:05:06.000Z");
        let ids: std::collections::HashSet<String> =
            (0..100).map(|_| Common::now("render").event_id).collect();
        assert_eq!(ids.len(), 100);
        assert!(ids.iter().all(|id| id.len() == 36 && id.as_bytes()[14] == b'4'));
    }
}
