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

/// A prefix that only keys have, and the characters that follow it.
struct KeyFormat {
    what: &'static str,
    prefix: &'static str,
    at_least: usize,
    is_key_byte: fn(u8) -> bool,
}

/// Bytes of a key that are looked at.
const LONGEST_KEY: usize = 200;

const fn format(what: &'static str, prefix: &'static str, at_least: usize) -> KeyFormat {
    KeyFormat { what, prefix, at_least, is_key_byte: is_word_byte }
}

/// An access key of AWS is Base32 throughout, and always of one length.
const fn aws(prefix: &'static str) -> KeyFormat {
    KeyFormat { what: "an AWS access key", prefix, at_least: AWS_LENGTH, is_key_byte: is_base32 }
}

const AWS_LENGTH: usize = 16;

static FORMATS: [KeyFormat; 19] = [
    aws("AKIA"),
    aws("ASIA"),
    format("a GitHub token", "ghp_", 36),
    format("a GitHub token", "gho_", 36),
    format("a GitHub token", "ghs_", 36),
    format("a GitHub token", "github_pat_", 40),
    format("an Anthropic key", "sk-ant-", 40),
    format("an OpenAI key", "sk-proj-", 40),
    format("a Slack token", "xoxb-", 24),
    format("a Slack token", "xoxp-", 24),
    format("a Slack token", "xoxa-", 24),
    format("a Slack token", "xoxr-", 24),
    format("a Slack token", "xoxs-", 24),
    format("a Google API key", "AIza", 35),
    format("a Stripe key", "sk_live_", 24),
    format("a Stripe key", "rk_live_", 24),
    format("a GitLab token", "glpat-", 20),
    format("a Hugging Face token", "hf_", 34),
    format("an npm token", "npm_", 36),
];

/// The start of a private key.
const PRIVATE_KEY: &str = "-----BEGIN ";
/// Separates the two halves of a Telegram bot's token.
const TELEGRAM: &str = ":AA";
/// Part of every OpenAI key, whatever its prefix.
const OPENAI: &str = "T3BlbkFJ";

/// Every text in which [`find`] finds something contains one of these.
pub fn needles() -> impl Iterator<Item = &'static str> {
    // With all its dashes it would match every horizontal rule, and each match has to be verified.
    let private_key = PRIVATE_KEY.trim_start_matches("----");
    // One needle for several prefixes, because the search takes only a few.
    let shared = |prefix: &str| prefix.starts_with("xox") || prefix.ends_with("k_live_");
    let prefixes = FORMATS.iter().map(|format| format.prefix).filter(move |one| !shared(one));
    prefixes.chain(["xox", "k_live_", private_key, TELEGRAM, OPENAI])
}

/// Every credential in `text`, in order.
pub fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for format in &FORMATS {
        for (at, _) in text.match_indices(format.prefix) {
            let rest = &text[at + format.prefix.len()..];
            let length = run(rest, format.is_key_byte);
            let is_whole = length >= format.at_least
                && (format.at_least != AWS_LENGTH
                    || (length == AWS_LENGTH && run(rest, is_word_byte) == AWS_LENGTH));
            if is_whole && starts_word(text, at) && is_random(&rest[..length]) {
                let span = Span::new(at, at + format.prefix.len() + length);
                found.push(Secret { what: format.what, span });
            }
        }
    }
    found.extend(text.match_indices(TELEGRAM).filter_map(|(at, _)| telegram(text, at)));
    found.extend(text.match_indices(OPENAI).filter_map(|(at, _)| openai(text, at)));
    found.extend(text.match_indices(PRIVATE_KEY).filter_map(|(at, _)| private_key(text, at)));
    found.sort_by_key(|secret| secret.span);
    // Two formats can match the same key.
    found.dedup_by_key(|secret| secret.span.start);
    found
}

/// `123456789:AA…`
fn telegram(text: &str, colon: usize) -> Option<Secret> {
    let digits = text[..colon].bytes().rev().take_while(u8::is_ascii_digit).take(12).count();
    let start = colon - digits;
    let length = run(&text[colon + 1..], is_word_byte);
    let fits = (8..=10).contains(&digits) && length == 35 && starts_word(text, start);
    let span = Span::new(start, colon + 1 + length);
    (fits && is_random(&text[colon + TELEGRAM.len()..span.end]))
        .then_some(Secret { what: "a Telegram bot token", span })
}

/// `sk-…T3BlbkFJ…`
fn openai(text: &str, middle: usize) -> Option<Secret> {
    let before = text[..middle].bytes().rev().take(LONGEST_KEY);
    let start = middle - before.take_while(|byte| is_word_byte(*byte)).count();
    let end = middle + run(&text[middle..], is_word_byte);
    let is_key = text[start..].starts_with("sk-") && end - start >= 40;
    (is_key && is_random(&text[start + 3..end]))
        .then_some(Secret { what: "an OpenAI key", span: Span::new(start, end) })
}

/// A header followed by key material, on separate lines or in a JSON string. A mere mention does
/// not count.
fn private_key(text: &str, at: usize) -> Option<Secret> {
    const ENOUGH: usize = 40;
    const END: &str = "PRIVATE KEY-----";
    let header = first_line(&text[at..]);
    let header = &header[..header.find(END)? + END.len()];
    let mut body = &text[at + header.len()..];
    body = &body[..floor_char_boundary(body, LONGEST_KEY)];
    while let Some(rest) = body.strip_prefix(['\r', '\n', ' ', '\t', '\\']) {
        // In a string, `\n` stands for the line break.
        body = if body.starts_with('\\') { rest.strip_prefix(['n', 'r'])? } else { rest };
    }
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let body = &body[..run(body, is_digit).min(64)];
    (body.len() >= ENOUGH && variety(body) >= 16 && !has_filler(body))
        .then_some(Secret { what: "a private key", span: Span::new(at, at + header.len()) })
}

/// The values of an environment file that look like credentials, by the names of their variables.
pub fn find_assigned(text: &str) -> Vec<Span> {
    const NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];
    let mut found = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let assignment = line.split_once('=').filter(|(name, _)| {
            let name = name.trim().trim_start_matches("export ").to_ascii_uppercase();
            !name.starts_with('#') && NAMES.iter().any(|known| name.contains(known))
        });
        if let Some((name, value)) = assignment {
            let inner = value.trim().trim_matches(['"', '\'']);
            let is_key = inner.len() >= 16
                && inner
                    .bytes()
                    .all(|byte| is_word_byte(byte) || matches!(byte, b'+' | b'/' | b'.' | b'='))
                && is_random(inner)
                && inner.bytes().any(|byte| byte.is_ascii_digit());
            if is_key {
                let start = offset + name.len() + 1 + value.find(inner).unwrap_or_default();
                found.push(Span::new(start, start + inner.len()));
            }
        }
        offset += line.len();
    }
    found
}

/// The first line, cut at the longest line of a key file.
fn first_line(text: &str) -> &str {
    let text = &text[..floor_char_boundary(text, LONGEST_KEY)];
    text.lines().next().unwrap_or_default()
}

/// Whether a file of this name always counts as a credential.
pub fn is_secret_file(name: &[u8]) -> bool {
    let is_key = matches!(
        name,
        b"id_rsa" | b"id_dsa" | b"id_ecdsa" | b"id_ed25519" | b".netrc" | b".pgpass"
    );
    is_key || name.ends_with(b".p12") || name.ends_with(b".pfx")
}

/// Whether a file of this name sets variables, which may be credentials. Examples do not count.
pub fn is_environment_file(name: &[u8]) -> bool {
    const EXAMPLES: [&str; 5] = ["example", "sample", "template", "dist", "default"];
    let Some(rest) = name.strip_prefix(b".env") else { return false };
    let is_example =
        || String::from_utf8_lossy(rest).split('.').any(|part| EXAMPLES.contains(&part));
    (rest.is_empty() || rest.starts_with(b".")) && !is_example()
}

/// How many bytes at the start of `text` belong to a key.
fn run(text: &str, is_key_byte: impl Fn(u8) -> bool) -> usize {
    text.bytes().take(LONGEST_KEY).take_while(|byte| is_key_byte(*byte)).count()
}

/// Whether a word starts here.
fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

const fn is_base32(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'2'..=b'7')
}

/// How many different characters there are.
fn variety(text: &str) -> usize {
    let seen = text.bytes().fold(0_u128, |seen, byte| seen | 1 << (byte & 0x7f));
    seen.count_ones() as usize
}

/// Whether a key looks random, unlike `AKIAXXXXXXXXXXXXXXXX`, `sk-ant-your-key-here` or
/// `AKIAIOSFODNN7EXAMPLE`.
fn is_random(key: &str) -> bool {
    const LONG: usize = 30;
    const WORDS: [&str; 29] = [
        "a1b2c3",
        "key",
        "aws",
        "abc",
        "123",
        "321",
        "xyz",
        "test",
        "fake",
        "demo",
        "mock",
        "your",
        "here",
        "real",
        "leak",
        "live",
        "secret",
        "token",
        "expose",
        "exampl",
        "sample",
        "dummy",
        "change",
        "insert",
        "replace",
        "redact",
        "qwerty",
        "asdf",
        "placeholder",
    ];
    let lower = key.to_ascii_lowercase();
    let has_digit = key.bytes().any(|byte| byte.is_ascii_digit());
    variety(key) >= 8
        && (has_digit || key.len() < LONG)
        && !has_filler(key)
        && !WORDS.iter().any(|word| lower.contains(word))
}

/// Whether a run of one character shows a placeholder: `xxxx`, `....`, `0000`.
fn has_filler(key: &str) -> bool {
    let bytes = key.as_bytes();
    bytes.windows(4).any(|four| four.iter().all(|byte| byte.eq_ignore_ascii_case(&four[0])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembled at run time, so that secret scanners do not report this file.
    fn key(prefix: &str, length: usize) -> String {
        let body = match prefix {
            "AKIA" => "Q7ZK2LW3TB4RM6XC",
            _ => "q7Zk2Lw9Tb4Rm8Xc1Vn5Hs3Jd6Gf0PyQ7Zk2Lw9Tb4Rm8",
        };
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
            "AKIAEXPOSEDKEY123456",
            "AKIAIOSFODNN7RANDOMS2",
            "ghp_aaaabbbbccccddddeeeeffffgggghhhhiiii",
            "123456789:AAExampleTokenOfNobodyAtAllInTheWorld",
            "-----BEGIN PRIVATE KEY-----\\nYOUR_KEY_HERE\\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg...\n",
            "sk-ant-your-key-goes-here-and-is-long-enough-to-count",
            "a key that starts with ghp_",
            "starts with `-----BEGIN RSA PRIVATE KEY-----`",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }

    #[test]
    fn finds_keys_wherever_they_are_written() {
        let json = format!("\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{}\\n\"", key("", 45));
        assert_eq!(find(&json)[0].what, "a private key");
        let bot = format!("bot: 712345678:AA{}", key("", 33));
        assert_eq!(find(&bot)[0].what, "a Telegram bot token");
        let openai = format!("{}T3BlbkFJ{}", key("sk-", 20), key("", 20));
        assert_eq!(find(&openai), [Secret { what: "an OpenAI key", span: Span::new(0, 51) }]);
        let both = format!("{}T3BlbkFJ{}", key("sk-proj-", 45), key("", 20));
        assert_eq!(find(&both).len(), 1);
    }

    #[test]
    fn examples_of_environment_files_are_fine() {
        let is_read = |name: &str| is_environment_file(name.as_bytes());
        assert!(is_read(".env") && is_read(".env.local") && is_read(".env.txt"));
        for name in [".env.example", ".env.example.txt", ".env.sample", "env.md", ".envrc"] {
            assert!(!is_read(name), "{name}");
        }
        let is_secret = |name: &str| is_secret_file(name.as_bytes());
        assert!(is_secret("id_rsa") && is_secret("key.p12") && !is_secret(".env"));
    }

    #[test]
    fn variables_are_judged_by_name_and_value() {
        let value = key("", 32);
        let text = format!("# A_KEY={value}\nMODE={value}\nexport API_KEY=\"{value}\"\n");
        let found = find_assigned(&text);
        assert_eq!(found.iter().map(|span| span.slice(&text)).collect::<Vec<_>>(), [&value]);
        for text in
            ["API_KEY=\n", "API_KEY=your-api-key-goes-here-1\n", "TOKEN=$OTHER_TOKEN_2345678\n"]
        {
            assert_eq!(find_assigned(text), [], "{text}");
        }
    }
}
