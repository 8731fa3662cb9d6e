//! The name of a skill. Every `SkillName` is valid, so it can be used as a directory name without
//! another check.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::skills::text::document::NAME_CHARS;

/// 1 to 64 characters of `a-z`, `0-9` and single inner hyphens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillName(String);

/// Why a string is not a skill name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No characters at all.
    #[error("a name cannot be empty")]
    Empty,
    /// More than 64 characters.
    #[error("a name has at most {NAME_CHARS} characters, this one has {0}")]
    TooLong(usize),
    /// A character outside `a-z 0-9 -`, with its byte offset.
    #[error("a name consists of a-z, 0-9 and hyphens")]
    Character(usize),
    /// Hyphens at either end or side by side, with the byte offset of the wrong one.
    #[error("hyphens in a name stand alone, between letters or digits")]
    Hyphen(usize),
}

impl SkillName {
    /// Checks `text` against the rules for names.
    ///
    /// # Errors
    /// The first broken rule: length last, because a wrong character is more useful to know.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check(text)?;
        Ok(Self(text.to_owned()))
    }

    /// Whether `text` is a name.
    pub fn is_valid(text: &str) -> bool {
        check(text).is_ok()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn check(text: &str) -> Result<(), NameError> {
    check_format(text)?;
    // All of its characters are ASCII.
    if text.len() > NAME_CHARS {
        return Err(NameError::TooLong(text.len()));
    }
    Ok(())
}

/// Everything but the length.
pub fn check_format(text: &str) -> Result<(), NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    let mut previous = b'-';
    // The first byte of another character is the offset of that character.
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => {}
            b'-' if previous == b'-' => return Err(NameError::Hyphen(offset)),
            b'-' => {}
            _ => return Err(NameError::Character(offset)),
        }
        previous = byte;
    }
    if previous == b'-' {
        return Err(NameError::Hyphen(text.len() - 1));
    }
    Ok(())
}

/// The nearest valid name: `My Skill_v2` gives `my-skill-v2`. None when nothing is left.
pub fn suggest(text: &str) -> Option<SkillName> {
    let mut slug = String::new();
    // Letters without their accents: `Übung` gives `ubung`.
    for character in text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' => slug.push(character),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
        if slug.len() == NAME_CHARS {
            break;
        }
    }
    SkillName::new(slug.trim_end_matches('-')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_the_specification_accepts() {
        for name in ["my-skill", "code-review", "123-test", "a", "skill2", "my-skill-v2"] {
            assert_eq!(SkillName::new(name).unwrap().as_str(), name);
        }
        assert!(SkillName::new(&"a".repeat(64)).is_ok());
    }

    #[test]
    fn refuses_names_that_could_be_a_path_a_flag_or_another_name() {
        for name in [
            "",
            "Upper",
            "under_score",
            "-lead",
            "trail-",
            "a--b",
            "a/b",
            "a\\b",
            "..evil",
            ".",
            "..",
            "-rf",
            "a\0b",
            "a\nb",
            "é",
            "a b",
            "~",
        ] {
            assert!(SkillName::new(name).is_err(), "{name:?}");
        }
        assert_eq!(SkillName::new(&"a".repeat(65)), Err(NameError::TooLong(65)));
    }

    #[test]
    fn suggests_the_nearest_valid_name() {
        assert_eq!(suggest("My Skill_v2").unwrap().as_str(), "my-skill-v2");
        assert_eq!(suggest("--a--b--").unwrap().as_str(), "a-b");
        assert_eq!(suggest(&"x".repeat(200)).unwrap().as_str().len(), 64);
        assert_eq!(suggest("Übung").unwrap().as_str(), "ubung");
        assert_eq!(suggest("日本"), None);
    }
}
