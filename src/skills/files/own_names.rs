//! The names of what this program puts beside other people's files for a while, so that whoever
//! meets one after a killed run knows what it is.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};

/// What files are called that are about to take the place of others.
const TEMPORARY: &str = ".skills-temporary-";
/// Hexadecimal digits after that.
const DIGITS: usize = 16;
/// What staging directories are called, before the mark of their skills directory.
pub const STAGING: &str = ".skills-staging-";
/// Where what a user edited is kept when it is replaced or removed.
pub const BACKUPS: &str = ".skills-backup";
/// Where disabled skills wait.
pub const DISABLED: &str = ".skills-disabled";

/// What an update replaced, before the mark of its skills directory.
pub const UNDO: &str = ".skills-undo-";

/// A name for a temporary file that is unique in practice.
#[must_use]
pub fn temporary() -> OsString {
    // Each of these hashes in a way of its own.
    let random = RandomState::new().build_hasher().finish();
    format!("{TEMPORARY}{random:0DIGITS$x}").into()
}

/// Whether this name is reserved for temporary files: such an entry is never part of a skill.
#[must_use]
pub fn is_reserved(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

/// Whether this is exactly what a temporary file is called.
#[must_use]
pub fn is_temporary(name: &OsStr) -> bool {
    let digits = name.as_encoded_bytes().strip_prefix(TEMPORARY.as_bytes());
    digits.is_some_and(|digits| {
        digits.len() == DIGITS
            && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Whether a directory of this name is one that installing makes beside skills.
#[must_use]
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
