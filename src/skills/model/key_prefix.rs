//! The prefix of the keys in a prompt: `skills` in `skills.linting`.

/// The longest prefix, in characters.
const MOST_CHARS: usize = 64;

/// The prefix of the keys in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPrefix(String);

impl Default for KeyPrefix {
    fn default() -> Self {
        Self("skills".to_owned())
    }
}

impl KeyPrefix {
    /// A valid prefix: ASCII letters and digits, with `.`, `-` and `_` between them.
    pub fn new(text: &str) -> Option<Self> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric();
        let is_inner = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'-' | b'_');
        let bytes = text.as_bytes();
        let ends = [bytes.first()?, bytes.last()?];
        let is_valid = bytes.len() <= MOST_CHARS
            && ends.into_iter().all(|byte| is_word(*byte))
            && bytes.iter().all(|byte| is_inner(*byte));
        is_valid.then(|| Self(text.to_owned()))
    }

    /// A key as a model sees it.
    pub fn with(&self, key: &str) -> String {
        format!("{}.{key}", self.0)
    }

    /// A key as the manifest has it, with or without the prefix.
    pub fn without<'a>(&self, key: &'a str) -> &'a str {
        key.strip_prefix(&self.0).and_then(|rest| rest.strip_prefix('.')).unwrap_or(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_cannot_break_the_sentence_that_it_stands_in() {
        for good in ["skills", "a", "team.skills", "A-1_b", &"x".repeat(64)] {
            assert!(KeyPrefix::new(good).is_some(), "{good}");
        }
        for bad in ["", " ", "a b", ".a", "a.", "-", "a\"b", "a\nb", "é", &"x".repeat(65)] {
            assert!(KeyPrefix::new(bad).is_none(), "{bad:?}");
        }
        let prefix = KeyPrefix::new("team").unwrap();
        assert_eq!(prefix.with("pdf"), "team.pdf");
        assert_eq!(prefix.without("team.pdf"), "pdf");
        assert_eq!(prefix.without("teams.pdf"), "teams.pdf");
        assert_eq!(prefix.without("pdf"), "pdf");
    }
}
