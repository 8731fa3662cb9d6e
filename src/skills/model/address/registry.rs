//! References to artifacts in a registry: `HOST/REPOSITORY[:TAG][@sha256:DIGEST]`.

use std::fmt;

use crate::skills::files::digest::Digest;
use crate::skills::model::address::host;

/// The longest tag.
const TAG_CHARS: usize = 128;

/// The longest repository.
const REPOSITORY_CHARS: usize = 255;

/// An artifact in a registry.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegistryReference {
    /// The host, with its port.
    pub host: String,
    /// The repository on that host.
    pub repository: String,
    /// The tag; none for `latest`, or for a digest alone.
    pub tag: Option<String>,
    /// The digest of the manifest, if the reference pins one.
    pub digest: Option<Digest>,
}

impl RegistryReference {
    /// Reads the text after `oci://`.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.contains(['?', '#']) {
            return Err("a registry has no `?` and no `#`; remove that part".to_owned());
        }
        let (host, rest) = text.split_once('/').ok_or("the repository is missing")?;
        if host.contains('@') {
            return Err(crate::skills::model::address::LOGIN.to_owned());
        }
        if !host::is_valid(host) {
            return Err("invalid host".to_owned());
        }
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => {
                let digest = Digest::parse(digest).map_err(|error| error.to_string())?;
                (rest, Some(digest))
            }
            None => (rest, None),
        };
        let (repository, tag) = match rest.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag)),
            None => (rest, None),
        };
        if !is_repository(repository) {
            let what = if repository.is_empty() { "the repository is missing" } else { REPOSITORY };
            return Err(what.to_owned());
        }
        if tag.is_some_and(|tag| !is_tag(tag)) {
            return Err("invalid tag: letters, digits, `_`, `.` and `-` are allowed".to_owned());
        }
        Ok(Self {
            host: host.to_ascii_lowercase(),
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest,
        })
    }
}

const REPOSITORY: &str =
    "invalid repository: lower-case letters and digits, with `.`, `_`, `-` or `/` between them";

impl fmt::Display for RegistryReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.host, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(formatter, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(formatter, "@{digest}"),
            None => Ok(()),
        }
    }
}

/// Whether a registry accepts this as a tag.
pub fn is_tag(text: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "_.-".contains(one);
    !text.is_empty()
        && text.len() <= TAG_CHARS
        && !text.starts_with(['.', '-'])
        && text.chars().all(is_plain)
}

/// Whether a registry accepts this as a repository.
fn is_repository(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit();
        let words = part.split(|one: char| !is_plain(one)).count();
        let separators: Vec<&str> = part.split(is_plain).filter(|one| !one.is_empty()).collect();
        let is_separator =
            |one: &&str| matches!(*one, "." | "_" | "__") || one.bytes().all(|byte| byte == b'-');
        words > 0
            && part.starts_with(is_plain)
            && part.ends_with(is_plain)
            && separators.iter().all(is_separator)
    };
    text.len() <= REPOSITORY_CHARS && text.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_and_tags_follow_the_grammar_of_registries() {
        for good in ["a", "team/skills", "a.b/c_d/e__f/g--h", "0"] {
            assert!(is_repository(good), "{good}");
        }
        for bad in ["", "A", "a/", "/a", "a//b", ".a", "a.", "a..b", "a___b", "a b", "a-", "-a"] {
            assert!(!is_repository(bad), "{bad}");
        }
        for good in ["latest", "1.2.0", "_x", "A-b", &"a".repeat(128)] {
            assert!(is_tag(good), "{good}");
        }
        for bad in ["", ".a", "-a", "1+2", "a b", "a/b", &"a".repeat(129)] {
            assert!(!is_tag(bad), "{bad}");
        }
    }
}
