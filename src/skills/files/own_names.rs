//! The names of files and directories that this program puts beside other people's files. After a
//! killed run, they tell people and the next run what was left.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};

/// Prefix of files that will replace others.
const TEMPORARY: &str = ".skills-temporary-";
/// Hexadecimal digits after that.
const DIGITS: usize = 16;
/// Prefix of staging directories; the mark of the skills directory follows.
pub const STAGING: &str = ".skills-staging-";
/// Keeps edited skills that were replaced or removed.
pub const BACKUPS: &str = ".skills-backup";
/// Keeps disabled skills.
pub const DISABLED: &str = ".skills-disabled";

/// Prefix of what an update replaced; the mark of the skills directory follows.
pub const UNDO: &str = ".skills-undo-";

/// A name for a temporary file that is unique in practice.
pub fn temporary() -> OsString {
    // Each `RandomState` has its own random keys.
    let random = RandomState::new().build_hasher().finish();
    format!("{TEMPORARY}{random:0DIGITS$x}").into()
}

/// Whether this name is reserved for temporary files: such an entry is never part of a skill.
pub fn is_reserved(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

/// Whether this is the exact name of a temporary file.
pub fn is_temporary(name: &OsStr) -> bool {
    let digits = name.as_encoded_bytes().strip_prefix(TEMPORARY.as_bytes());
    digits.is_some_and(|digits| {
        digits.len() == DIGITS
            && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Whether installing creates a directory of this name beside skills.
pub fn is_beside_skills(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    [STAGING, BACKUPS, UNDO, DISABLED].iter().any(|own| name.starts_with(own.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_recognised_and_others_are_not() {
        let name = temporary();
        assert!(is_temporary(&name) && is_reserved(&name), "{}", name.display());
        assert_ne!(name, temporary());
        for other in [
            "SKILL.md",
            ".skills-temporary-",
            ".skills-temporary-0123",
            ".skills-temporary-0123456789abcdeg",
        ] {
            assert!(!is_temporary(OsStr::new(other)), "{other}");
        }
    }
}
