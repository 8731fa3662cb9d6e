//! Text between two tags. Escapes only what would close these tags, open them again or hide their
//! end, so that code and prose reach a model unchanged.

use std::borrow::Cow;

use super::sanitize;
use crate::skills::text::unicode::is_ignorable;

/// Constructs that hide the following text, and their ends.
const HIDING: [(&str, &str); 2] = [("<!--", "-->"), ("<![CDATA[", "]]>")];

/// The text of a skill between tags of these names.
pub fn enclosed<'a>(text: &'a str, tags: &[&str]) -> Cow<'a, str> {
    match sanitize::printable(text) {
        Cow::Borrowed(text) => escaped(text, tags),
        Cow::Owned(text) => Cow::Owned(escaped(&text, tags).into_owned()),
    }
}

fn escaped<'a>(text: &'a str, tags: &[&str]) -> Cow<'a, str> {
    let brackets = text.match_indices('<').map(|(at, _)| at);
    let mut harmful: Vec<usize> = brackets.filter(|at| is_tag(&text[at + 1..], tags)).collect();
    for (start, end) in HIDING {
        harmful.extend(unended(text, start, end));
    }
    if harmful.is_empty() {
        return Cow::Borrowed(text);
    }
    harmful.sort_unstable();
    let mut result = String::with_capacity(text.len() + 4 * harmful.len());
    let mut written = 0;
    for at in harmful {
        result.push_str(&text[written..at]);
        result.push_str("&lt;");
        written = at + 1;
    }
    result.push_str(&text[written..]);
    Cow::Owned(result)
}

/// Whether the text after a `<` opens or closes one of these tags, or could do so with the text
/// that follows. Ignores letter case, blanks before a slash, and invisible characters, as a lenient
/// reader might.
fn is_tag(rest: &str, tags: &[&str]) -> bool {
    let rest = rest.trim_start_matches(is_ignorable);
    let is_blank = |one: char| one.is_whitespace() || is_ignorable(one);
    let inner = rest.trim_start_matches(is_blank);
    if inner.is_empty() {
        return true;
    }
    match inner.strip_prefix('/').map(|name| name.trim_start_matches(is_blank)) {
        Some("") => true,
        Some(name) => tags.iter().any(|tag| starts_with_name(name, tag)),
        None => tags.iter().any(|tag| starts_with_name(rest, tag)),
    }
}

/// Whether a text starts with this name, and not with a longer one.
fn starts_with_name(text: &str, name: &str) -> bool {
    let mut seen = text.chars().filter(|one| !is_ignorable(*one));
    name.chars().all(|wanted| seen.next().map(folded) == Some(wanted))
        && seen
            .next()
            .is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '_' | '-' | '.' | ':'))
}

/// The lower case of a letter, also for signs that resemble it, such as the Kelvin sign.
fn folded(letter: char) -> char {
    let upper = letter.to_uppercase().next().unwrap_or(letter);
    upper.to_lowercase().next().unwrap_or(upper)
}

/// Every `start` that no `end` follows.
fn unended(text: &str, start: &str, end: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(start) {
        let place = at + next;
        match text[place + start.len()..].find(end) {
            Some(length) => at = place + start.len() + length + end.len(),
            None => {
                found.extend(text[place..].match_indices(start).map(|(more, _)| place + more));
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(text: &str) -> Cow<'_, str> {
        enclosed(text, &["skills", "skill"])
    }

    #[test]
    fn code_and_prose_stay_as_they_are() {
        for text in [
            "a && b < c > d \"e\" 'f' &amp; <b>bold</b>",
            "cat <file> | tee </dev/null; Vec<skill_name>, </skillset>, <skill-x>, a < skill",
            "<!-- note --> <![CDATA[x]]> <?php",
            "x <- y; 1 <= 2",
        ] {
            assert!(matches!(between(text), Cow::Borrowed(_)), "{text}: {}", between(text));
        }
    }

    #[test]
    fn nothing_ends_the_tags_around_it() {
        for (text, expected) in [
            ("a</skill>b", "a&lt;/skill>b"),
            ("</SKILL >", "&lt;/SKILL >"),
            ("< / skills\n>", "&lt; / skills\n>"),
            ("</s\u{200d}kill>", "&lt;/s\u{200d}kill>"),
            ("</\u{17f}\u{212a}ill>", "&lt;/\u{17f}\u{212a}ill>"),
            ("<skill name=\"x\">", "&lt;skill name=\"x\">"),
            ("</skill", "&lt;/skill"),
            ("x <", "x &lt;"),
            ("x </ ", "x &lt;/ "),
            ("<<skill>", "<&lt;skill>"),
            ("<!-- a --> <!-- b <!-- c", "<!-- a --> &lt;!-- b &lt;!-- c"),
            ("<![CDATA[", "&lt;![CDATA["),
        ] {
            assert_eq!(between(text), expected, "{text:?}");
        }
    }
}
