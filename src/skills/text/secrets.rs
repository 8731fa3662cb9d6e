//! Credentials in the formats of well-known providers.

use crate::skills::text::position::{Span, floor_char_boundary};

/// Something that looks like a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like.
    pub what: &'static str,
    /// Where it stands.
    pub span: Span,
}

/// A prefix that only keys have, and how many more characters follow at least.
struct KeyFormat {
    what: &'static str,
    prefix: &'static str,
    at_least: usize,
}

/// Bytes of a key that are looked at.
const LONGEST_KEY: usize = 200;

static FORMATS: [KeyFormat; 13] = [
    KeyFormat { what: "an AWS access key", prefix: "AKIA", at_least: 16 },
    KeyFormat { what: "an AWS access key", prefix: "ASIA", at_least: 16 },
    KeyFormat { what: "a GitHub token", prefix: "ghp_", at_least: 36 },
    KeyFormat { what: "a GitHub token", prefix: "gho_", at_least: 36 },
    KeyFormat { what: "a GitHub token", prefix: "ghs_", at_least: 36 },
    KeyFormat { what: "a GitHub token", prefix: "github_pat_", at_least: 40 },
    KeyFormat { what: "an Anthropic key", prefix: "sk-ant-", at_least: 40 },
    KeyFormat { what: "an OpenAI key", prefix: "sk-proj-", at_least: 40 },
    KeyFormat { what: "a Slack token", prefix: "xoxb-", at_least: 24 },
    KeyFormat { what: "a Slack token", prefix: "xoxp-", at_least: 24 },
    KeyFormat { what: "a Google API key", prefix: "AIza", at_least: 35 },
    KeyFormat { what: "a Stripe key", prefix: "sk_live_", at_least: 24 },
    KeyFormat { what: "a GitLab token", prefix: "glpat-", at_least: 20 },
];

/// The start of a private key.
const PRIVATE_KEY: &str = "-----BEGIN ";

/// One of these is in every text that [`find`] finds something in.
pub fn needles() -> impl Iterator<Item = &'static str> {
    // All of its dashes would match in every rule of dashes, and each match has to be verified.
    let key = PRIVATE_KEY.trim_start_matches("----");
    FORMATS.iter().map(|format| format.prefix).chain([key])
}

/// Every credential in `text`, in order.
#[must_use]
pub fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for format in &FORMATS {
        for (at, _) in text.match_indices(format.prefix) {
            if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &text[at + format.prefix.len()..];
            let length =
                rest.bytes().take(LONGEST_KEY).take_while(|byte| is_key_byte(*byte)).count();
            if length >= format.at_least && !is_placeholder(&rest[..length]) {
                let span = Span::new(at, at + format.prefix.len() + length);
                found.push(Secret { what: format.what, span });
            }
        }
    }
    for (at, _) in text.match_indices(PRIVATE_KEY) {
        let line = first_line(&text[at..]);
        // A whole key follows; a mention in prose is not one.
        let body = first_line(text[at + line.len()..].trim_start_matches(['\r', '\n']));
        if line.ends_with("PRIVATE KEY-----") && body.trim().len() >= 40 && !is_placeholder(body) {
            found.push(Secret { what: "a private key", span: Span::new(at, at + line.len()) });
        }
    }
    found.sort_by_key(|secret| secret.span);
    found
}

/// The first line, as far as the line of a key file could reach.
fn first_line(text: &str) -> &str {
    const LONGEST: usize = 200;
    let text = &text[..floor_char_boundary(text, LONGEST)];
    text.lines().next().unwrap_or_default()
}

/// Whether a file of this name usually holds credentials.
#[must_use]
pub fn is_secret_file(name: &[u8]) -> bool {
    let ends_with = |word: &&str| name.ends_with(word.as_bytes());
    let is_example = || ["example", "sample", "template", "dist"].iter().any(ends_with);
    let is_env = name == b".env" || (name.starts_with(b".env.") && !is_example());
    is_env
        || matches!(
            name,
            b"id_rsa" | b"id_dsa" | b"id_ecdsa" | b"id_ed25519" | b".netrc" | b".pgpass"
        )
        || [".p12", ".pfx"].iter().any(ends_with)
}

const fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// `AKIAXXXXXXXXXXXXXXXX`, `sk-ant-your-key-here`, `AKIAIOSFODNN7EXAMPLE`.
fn is_placeholder(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    let first = lower.bytes().find(u8::is_ascii_alphanumeric);
    let monotone = lower.bytes().filter(u8::is_ascii_alphanumeric).all(|byte| Some(byte) == first);
    monotone
        || ["example", "your", "xxxx", "placeholder", "1234567890", "abcdef", "..."]
            .iter()
            .any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembled here, so that no scanner takes this file for a leak.
    fn key(prefix: &str, length: usize) -> String {
        let body = "q7Zk2Lw9Tb4Rm8Xc1Vn5Hs3Jd6Gf0PyQ7Zk2Lw9Tb4Rm8";
        format!("{prefix}{}", &body[..length])
    }

    #[test]
    fn finds_keys_of_providers() {
        for (prefix, length) in [("AKIA", 16), ("ghp_", 36), ("sk-ant-", 40), ("AIza", 35)] {
            let text = format!("token: {}\n", key(prefix, length));
            assert_eq!(find(&text).len(), 1, "{prefix}");
        }
        let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", key("", 45));
        assert_eq!(find(&pem)[0].what, "a private key");
    }

    #[test]
    fn placeholders_and_prose_are_not_keys() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "AKIAXXXXXXXXXXXXXXXX",
            "sk-ant-your-key-goes-here-and-is-long-enough-to-count",
            "a key that starts with ghp_",
            "starts with `-----BEGIN RSA PRIVATE KEY-----`",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }

    #[test]
    fn examples_of_env_files_are_fine() {
        let is_secret = |name: &str| is_secret_file(name.as_bytes());
        assert!(is_secret(".env") && is_secret(".env.local") && is_secret("id_rsa"));
        assert!(is_secret("key.p12") && !is_secret(".env.example") && !is_secret("env.md"));
    }
}
