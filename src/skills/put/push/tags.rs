//! The tags that an artifact gets.

use crate::skills::files::digest::Digest;

/// The longest tag that registries accept.
const TAG_CHARS: usize = 128;
/// Digits of a digest that stand for a version.
const DIGITS: usize = 12;
/// The tag of the newest version.
const LATEST: &str = "latest";

/// The tags of an artifact, and which of them must not be moved to other content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tags {
    /// All of them.
    pub all: Vec<String>,
    /// The one that names a version.
    pub version: Option<String>,
}

impl Tags {
    /// The tag that the user chose, else the version and `latest`.
    pub(super) fn new(chosen: Option<&str>, version: Option<&str>, digest: &Digest) -> Self {
        if let Some(chosen) = chosen {
            let version = is_version(chosen).then(|| chosen.to_owned());
            return Self { all: vec![chosen.to_owned()], version };
        }
        let version = version.map_or_else(|| short(digest), of_version);
        let mut all = vec![version.clone()];
        if version != LATEST {
            all.push(LATEST.to_owned());
        }
        Self { all, version: Some(version) }
    }
}

/// Whether a tag looks like a version, which never means something else later.
fn is_version(tag: &str) -> bool {
    tag.strip_prefix('v').unwrap_or(tag).starts_with(|first: char| first.is_ascii_digit())
}

/// The first digits of a digest.
fn short(digest: &Digest) -> String {
    let text = digest.to_string();
    text.split(':').next_back().unwrap_or_default().chars().take(DIGITS).collect()
}

/// A version with only the characters that a tag may have.
fn of_version(version: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let tag: String =
        version.chars().take(TAG_CHARS).map(|c| if is_plain(c) { c } else { '_' }).collect();
    match tag.strip_prefix(['.', '-']) {
        Some(rest) => format!("_{rest}"),
        None => tag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(chosen: Option<&str>, version: Option<&str>) -> (Vec<String>, Option<String>) {
        let digest =
            Digest::parse(&format!("sha256:{}", "0123456789ab".repeat(6).get(..64).unwrap()));
        let tags = Tags::new(chosen, version, &digest.unwrap());
        (tags.all, tags.version)
    }

    #[test]
    fn tags_come_from_the_user_the_version_or_the_digest() {
        let of = |all: &[&str], version: Option<&str>| {
            (all.iter().map(|tag| (*tag).to_owned()).collect(), version.map(str::to_owned))
        };
        assert_eq!(tags(None, Some("1.2.0")), of(&["1.2.0", "latest"], Some("1.2.0")));
        assert_eq!(tags(None, Some("1.2+b é")), of(&["1.2_b__", "latest"], Some("1.2_b__")));
        assert_eq!(tags(None, Some(".1")), of(&["_1", "latest"], Some("_1")));
        assert_eq!(tags(None, None), of(&["0123456789ab", "latest"], Some("0123456789ab")));
        assert_eq!(tags(Some("stable"), Some("1.2.0")), of(&["stable"], None));
        assert_eq!(tags(Some("v3"), Some("1.2.0")), of(&["v3"], Some("v3")));
        assert_eq!(tags(None, Some("latest")), of(&["latest"], Some("latest")));
        assert_eq!(tags(None, Some(&"1".repeat(300))).0[0].len(), 128);
    }
}
