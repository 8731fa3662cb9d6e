//! What servers said last, for runs without a network: which bytes an address or a tag meant.

use std::path::PathBuf;

use super::Cache;
use crate::skills::files::atomic;
use crate::skills::files::content;
use crate::skills::files::digest;
use crate::skills::files::platform;
use crate::skills::model::error::{Error, Result};

/// The directory of answers.
pub(super) const ANSWERS: &str = "answers";
/// The largest answer that is kept.
const ANSWER_BYTES: u64 = 8 * 1024 * 1024;

impl Cache {
    /// What was answered last to a question, such as an address or a tag.
    pub fn answer(&self, question: &str) -> Option<Vec<u8>> {
        let file = platform::open_without_following(&self.answer_path(question)).ok()?;
        let bytes = content::whole(file, ANSWER_BYTES).ok()?;
        // The question stands in the first line, so that nobody else's answer is taken for it.
        let rest = bytes.strip_prefix(question.as_bytes())?.strip_prefix(b"\n")?;
        Some(rest.to_vec())
    }

    /// Keeps an answer, and replaces an older one.
    pub fn keep_answer(&self, question: &str, answer: &[u8]) -> Result<()> {
        self.make(ANSWERS)?;
        let path = self.answer_path(question);
        let text = [question.as_bytes(), b"\n", answer].concat();
        atomic::write(&path, &text).map_err(|error| Error::writing("write", &path, &error))
    }

    fn answer_path(&self, question: &str) -> PathBuf {
        self.path.join(ANSWERS).join(digest::of_bytes(question.as_bytes()).to_string())
    }
}
