//! The addresses of served files: `skill://`, the path of the skill, the path of the file. Every part
//! is escaped, so that one file has one address.

use std::fmt::Write as _;

use crate::skills::model::error::{Result, err};
use crate::skills::show::uri::{SCHEME, SkillUri};
use crate::skills::text::document::SKILL_MD;

/// The address of a directory or a file, from the parts of its path.
pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let escaped: Vec<String> = parts.into_iter().map(escaped).collect();
    format!("{SCHEME}{}", escaped.join("/"))
}

/// The address of a file below a skill, given with `/` between its parts.
pub fn of_file(skill_path: &str, file: &str) -> String {
    of_parts(skill_path.split('/').chain(file.split('/').filter(|part| !part.is_empty())))
}

/// The address that a skill is known by: that of its `SKILL.md`.
pub fn of_skill(skill_path: &str) -> String {
    of_file(skill_path, SKILL_MD)
}

/// The longest address: a path of the longest kind with every byte escaped, and the path of a skill.
const ADDRESS_BYTES: usize = 4_096;

/// The parts of the path in an address.
pub fn parts(text: &str) -> Result<Vec<String>> {
    if text.len() > ADDRESS_BYTES {
        return Err(err!(Usage, "the address has more than {ADDRESS_BYTES} bytes"));
    }
    let SkillUri { name, path, .. } = SkillUri::parse(text)?;
    let path = path.unwrap_or_default();
    let inner = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned);
    Ok(std::iter::once(name).chain(inner).collect())
}

/// The same address as everybody would write it.
pub fn canonical(text: &str) -> Result<String> {
    let parts = parts(text)?;
    Ok(of_parts(parts.iter().map(String::as_str)))
}

/// Everything but letters, digits, `-`, `.`, `_` and `~` is escaped.
fn escaped(part: &str) -> String {
    let mut text = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_address() {
        assert_eq!(of_skill("pdf"), "skill://pdf/SKILL.md");
        assert_eq!(of_file("acme/pdf", "a b/ü#?.md"), "skill://acme/pdf/a%20b/%C3%BC%23%3F.md");
        for path in ["pdf/SKILL.md", "acme/pdf/a b/ü#?.md", "a/b/c%2e/~x"] {
            let address = of_parts(path.split('/'));
            assert_eq!(parts(&address).unwrap().join("/"), path);
        }
    }

    #[test]
    fn paths_that_could_leave_a_skill_are_refused() {
        for text in [
            "skill://pdf/../x",
            "skill://pdf/%2e%2e/x",
            "skill://pdf/%2E%2E%2Fx",
            "skill://pdf//etc/passwd",
            "skill://pdf/%2Fetc/passwd",
            "skill://pdf/a%5C..%5Cb",
            "skill:///etc/passwd",
            "file:///etc/passwd",
            "pdf/SKILL.md",
            "",
            &format!("skill://pdf/{}", "a/".repeat(3_000)),
        ] {
            assert!(parts(text).is_err(), "{text}");
        }
    }
}
