//! Writes YAML values so that they read back as themselves, and finds the value that has to
//! be quoted when an unquoted one breaks the front matter.

use std::borrow::Cow;

use crate::skills::text::document::{BOM, EXTENSION_FIELDS, STANDARD_FIELDS};
use crate::skills::text::position::{Edit, Span};
use crate::skills::text::unicode::{
    Hidden, can_vary, hidden, is_bidirectional, is_control, is_mongolian_selector, is_unprintable,
    is_variation_selector, orders,
};
use crate::skills::text::yaml::{self, Value, YamlFault, YamlFaultKind};

/// Blanks between a value and the end of its line. Other white space is text to YAML.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A value that should be in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoting {
    /// Puts the quotes there.
    pub edit: Edit,
    /// The first line as it should read.
    pub line: String,
    /// Whether the author can have meant nothing else.
    pub is_certain: bool,
}

/// Finds the unquoted value around `fault` and quotes it. None unless
/// the reader gets past that value afterwards.
pub fn repair(text: &str, front_matter: Span, fault: &YamlFault) -> Option<Quoting> {
    let field = field_at(text, front_matter, fault.span.start)?;
    let span = value_span(text, front_matter, field.value_start, field.indentation)?;
    if fault.span.start > span.end || find(text, front_matter, span).is_some() {
        return None;
    }
    if field.indentation > 0 && is_below_description(&text[front_matter.start..span.start]) {
        return None;
    }
    let raw = span.slice(text);
    let is_prose = match fault.kind {
        YamlFaultKind::TrailingText => true,
        // Inside brackets, quoting everything would turn a list or a mapping into text.
        YamlFaultKind::UnquotedColon | YamlFaultKind::ReservedCharacter => {
            !raw.starts_with(['[', '{'])
        }
        // `*bold* text`; but an intended alias, anchor or tag must not become text.
        YamlFaultKind::Forbidden => raw.starts_with('*') && raw.contains(' '),
        YamlFaultKind::Tab
        | YamlFaultKind::UnclosedQuote
        | YamlFaultKind::Budget
        | YamlFaultKind::Syntax => false,
    };
    if !is_prose {
        return None;
    }
    let (value, is_certain) = match Quotes::of(raw) {
        Quotes::Text => (raw, true),
        Quotes::Around(inner) => (inner, false),
        Quotes::Unclear => return None,
    };
    let edit = Edit { span, replacement: quoted(value) };
    let line = repaired_line(text, front_matter, &edit)?;
    Some(Quoting { edit, line, is_certain })
}

/// The field that lost its line break and became part of the value around `fault`.
pub fn swallowed_field(text: &str, front_matter: Span, fault: &YamlFault) -> Option<Span> {
    if !matches!(fault.kind, YamlFaultKind::UnquotedColon | YamlFaultKind::TrailingText) {
        return None;
    }
    let field = field_at(text, front_matter, fault.span.start)?;
    let line_end = text[fault.span.start..front_matter.end]
        .find('\n')
        .map_or(front_matter.end, |newline| fault.span.start + newline);
    let span = value_span(text, front_matter, field.value_start, field.indentation)
        .unwrap_or(Span::new(field.value_start, line_end));
    find(text, front_matter, span)
}

/// The meaning of the quotes in a value that YAML cannot read.
enum Quotes<'a> {
    /// Part of the text: `"Read" is all it does`. Also for a value without quotes.
    Text,
    /// The first and the last quote enclose this text: `'it's'`.
    Around(&'a str),
    /// Only the author knows.
    Unclear,
}

impl<'a> Quotes<'a> {
    fn of(raw: &'a str) -> Self {
        const TYPOGRAPHIC: [char; 4] = ['“', '”', '„', '‘'];
        if let Some(rest) = raw.strip_prefix(TYPOGRAPHIC) {
            return match rest.strip_suffix(['“', '”', '’']) {
                Some(inner) => Self::Around(inner),
                None => Self::Text,
            };
        }
        let Some(quote) = raw.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
            return Self::Text;
        };
        let rest = &raw[1..];
        // An escape shows that the quotes were meant as such. Quoted again, it would become text.
        if rest.split_once(quote).is_some_and(|(inner, after)| match quote {
            '"' => inner.contains('\\'),
            _ => after.starts_with(quote),
        }) {
            return Self::Unclear;
        }
        // As in JSON: `"text",`.
        let item = rest.strip_suffix(',').and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = item.filter(|inner| !inner.contains(quote)) {
            return Self::Around(inner);
        }
        let closes = |at: usize| !rest[at + 1..].starts_with(char::is_alphanumeric);
        // Pairs of quotes are quotations if the first pair closes after a word.
        let in_pairs = raw.matches(quote).count() % 2 == 0;
        match rest.strip_suffix(quote) {
            _ if in_pairs && rest.find(quote).is_some_and(closes) => Self::Text,
            Some(inner) => Self::Around(inner),
            None => Self::Unclear,
        }
    }
}

/// The first line that `edit` changes, after the change. None if the reader would still stop at or
/// above it: then something else is wrong.
pub fn repaired_line(text: &str, front_matter: Span, edit: &Edit) -> Option<String> {
    let mut repaired = String::with_capacity(text.len() + 2);
    repaired.push_str(text.get(front_matter.start..edit.span.start)?);
    let start = repaired.len();
    repaired.push_str(&edit.replacement);
    let value_end = repaired.len();
    repaired.push_str(text.get(edit.span.end..front_matter.end)?);
    let line_end = repaired[value_end..].find('\n').map_or(repaired.len(), |end| value_end + end);
    if yaml::read(&repaired, 0).is_err_and(|fault| fault.span.start < line_end) {
        return None;
    }
    let line_start = repaired[..start].rfind('\n').map_or(0, |newline| newline + 1);
    Some(repaired[line_start..].lines().next().unwrap_or_default().trim().to_owned())
}

/// A `key: value` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldAt<'a> {
    pub key: &'a str,
    /// Where its value starts.
    pub value_start: usize,
    indentation: usize,
}

/// The field whose value, wrapped lines included, holds the byte at `offset`.
pub fn field_at(text: &str, front_matter: Span, offset: usize) -> Option<FieldAt<'_>> {
    let mut at = offset.min(front_matter.end);
    loop {
        let start = text[front_matter.start..at]
            .rfind('\n')
            .map_or(front_matter.start, |newline| front_matter.start + newline + 1);
        let line = text[start..front_matter.end].lines().next().unwrap_or_default();
        match key_and_value(line) {
            Some((key, value)) if start + value <= offset => {
                return Some(FieldAt {
                    key,
                    value_start: start + value,
                    indentation: indent(line),
                });
            }
            // A wrapped line: the value starts further up.
            _ if start > front_matter.start && indent(line) > 0 => at = start - 1,
            _ => return None,
        }
    }
}

/// `key: value` at any indentation: the key, and the offset of the value in the line.
fn key_and_value(line: &str) -> Option<(&str, usize)> {
    let (head, rest) = line.split_once(':')?;
    let key = head.trim_start_matches(' ');
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if key.is_empty() || !key.chars().all(is_word) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let value = rest.trim_start_matches([' ', '\t']);
    if value.trim_end().is_empty() || value.starts_with(['|', '>']) {
        return None;
    }
    Some((key, line.len() - value.len()))
}

/// Whether an indented line after `text` belongs to a description. Such a line is text, even if it
/// looks like a key.
fn is_below_description(text: &str) -> bool {
    let mut lines = text.rsplit('\n');
    lines
        .find(|line| line.starts_with(|first: char| !BLANKS.contains(&first) && first != '#'))
        .is_some_and(|line| line.starts_with("description:"))
}

/// From the start of a value to its end, wrapped lines included. None if quoting could
/// change the meaning of something in it.
fn value_span(text: &str, front_matter: Span, start: usize, indentation: usize) -> Option<Span> {
    let rest = &text[start..front_matter.end];
    let mut lines = rest.split_inclusive('\n');
    let first = lines.next()?;
    // Lenient agents disagree about whether this is text or a comment, and only the author knows.
    if has_hash(first) {
        return None;
    }
    let wrapped: Vec<&str> =
        lines.take_while(|line| !line.trim().is_empty() && indent(line) > indentation).collect();
    let length: usize = first.len() + wrapped.iter().map(|line| line.len()).sum::<usize>();
    // A paragraph after a blank line still belongs to the value.
    let next = rest[length..].lines().find(|line| !line.trim().is_empty());
    if next.is_some_and(|line| indent(line) > indentation) {
        return None;
    }
    if wrapped.is_empty() {
        return Some(Span::new(start, start + first.trim_end_matches(BLANKS).len()));
    }
    let looks_like_more = |line: &&str| {
        let line = line.trim_start();
        let key = line.split_once(':').map(|(key, _)| key);
        line.starts_with("- ")
            || line.starts_with('#')
            || key.is_some_and(|key| !key.contains(' '))
            || has_hash(line)
    };
    if wrapped.iter().any(looks_like_more) {
        return None;
    }
    Some(Span::new(start, start + text[start..start + length].trim_end_matches(BLANKS).len()))
}

/// Whether a line contains the start of a YAML comment.
fn has_hash(line: &str) -> bool {
    line.contains(" #") || line.contains("\t#")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// `text` in double quotes, or in single ones if it contains a double quote or a backslash.
fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{text}\"")
    }
}

/// `text` as a YAML scalar on one line: plain when that reads back as the same string.
pub fn scalar(text: &str) -> String {
    let reads_back = |candidate: &str| {
        let line = format!("k: {candidate}");
        yaml::read(&line, 0).is_ok_and(|read| {
            let value = read.root.as_mapping().and_then(|mapping| mapping.get("k"));
            value.is_some_and(|node| node.value == Value::String(text.into()))
        })
    };
    if reads_back(text) && !is_ambiguous(text) { text.to_owned() } else { quoted(text) }
}

/// Whether readers of YAML 1.1 take this plain text for a truth value, a date or a number.
pub fn is_ambiguous(text: &str) -> bool {
    const TRUTHS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    let word = text.to_ascii_lowercase();
    TRUTHS.contains(&word.as_str()) || text.starts_with(|first: char| first.is_ascii_digit())
}

// Finds fields that a lost line break put inside the value above them:
// `description: Extract text.license: MIT`.
//
// Quoting such a value would make it readable and lose the field.

/// The first field name with a `: ` inside `value`, unless the front matter has that field
/// already: then the name is only a word in the text.
pub fn find(text: &str, front_matter: Span, value: Span) -> Option<Span> {
    let raw = value.slice(text);
    let yaml = front_matter.slice(text);
    raw.match_indices(':').find_map(|(colon, _)| {
        let rest = &raw[colon + 1..];
        if !(rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])) {
            return None;
        }
        let field = field_before(&raw[..colon])?;
        let end = value.start + colon;
        (!has_field(yaml, field)).then(|| Span::new(end - field.len(), end))
    })
}

/// The field name that `text` ends with.
fn field_before(text: &str) -> Option<&'static str> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let word = &text[text.trim_end_matches(is_word).len()..];
    let is_whole = |field: &&&str| **field == word;
    let known = STANDARD_FIELDS.iter().chain(&EXTENSION_FIELDS).find(is_whole);
    // `MITmetadata:` has lost its line break too; `filename:` and `image-metadata:` have not.
    let is_glued = |field: &&&str| {
        let before = word.strip_suffix(**field);
        **field != "name" && before.is_some_and(|before| !before.ends_with(['-', '_']))
    };
    known.or_else(|| STANDARD_FIELDS.iter().find(is_glued)).copied()
}

/// Whether a line of the front matter starts with this field.
fn has_field(yaml: &str, field: &str) -> bool {
    let rest = |line: &str| line.strip_prefix(field).map(|rest| rest.starts_with(':'));
    yaml.lines().any(|line| rest(line) == Some(true))
}

// Text that can be printed as it is, because it steers neither a terminal nor a CI service, and hides
// nothing from people.

/// Whether these lines can be printed as they are. A carriage return may only end a line.
pub fn is_printable(lines: &str) -> bool {
    let is_clean = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        unprintable(line).next().is_none()
    };
    lines.split('\n').all(is_clean) && orders(lines).is_empty()
}

/// Whether an edit can be shown as a diff: its own lines, and one more on either side.
pub fn is_edit_printable(text: &str, edit: &Edit) -> bool {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let start = line_start(line_start(edit.span.start).saturating_sub(1));
    let end = line_end((line_end(edit.span.end) + 1).min(text.len()));
    let lines = text[start..end].strip_prefix(BOM).filter(|_| start == 0);
    is_printable(lines.unwrap_or(&text[start..end])) && is_printable(&edit.replacement)
}

/// The characters of a text that must not be printed, each with its byte offset: also variation
/// selectors after characters that do not vary.
pub fn unprintable(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut previous = '\0';
    text.char_indices().filter(move |(_, character)| {
        let before = std::mem::replace(&mut previous, *character);
        match is_variation_selector(*character) || is_mongolian_selector(*character) {
            true => !can_vary(before, *character),
            false => is_unprintable(*character),
        }
    })
}

/// The text with `U+E0041` instead of each hidden character, for messages that a model may read.
pub fn revealed(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut written = 0;
    for (at, character, _) in hidden(text) {
        shown.push_str(&text[written..at]);
        shown.push_str(&format!("U+{:04X}", character as u32));
        written = at + character.len_utf8();
    }
    if written == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[written..]);
    Cow::Owned(shown)
}

/// Why a file name cannot be trusted to be what it looks like. A selector that an emoji left behind
/// is harmless.
pub fn name_problem(name: &str) -> Option<&'static str> {
    if name.chars().any(|one| is_control(one) || matches!(one, '\n' | '\t')) {
        return Some("control character");
    }
    if name.chars().any(is_bidirectional) {
        return Some(Hidden::Bidirectional.as_str());
    }
    let is_harmful = |(_, one, kind): &(usize, char, Hidden)| {
        *kind != Hidden::Invisible || !is_variation_selector(*one)
    };
    hidden(name).find(is_harmful).map(|(_, _, kind)| kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(yaml: &str) -> Option<String> {
        let whole = Span::new(0, yaml.len());
        let fault = yaml::read(yaml, 0).unwrap_err();
        let quoting = repair(yaml, whole, &fault).filter(|quoting| quoting.is_certain)?;
        let edit = quoting.edit;
        Some(format!("{}{}{}", &yaml[..edit.span.start], edit.replacement, &yaml[edit.span.end..]))
    }

    #[test]
    fn quotes_the_value_and_nothing_else() {
        for (broken, fixed) in [
            ("d: Use when: x\n", "d: \"Use when: x\"\n"),
            ("d: Use when: x\r\n", "d: \"Use when: x\"\r\n"),
            ("d: \"a\" or \"b\"\n", "d: '\"a\" or \"b\"'\n"),
            ("d: ? foo\n", "d: \"? foo\"\n"),
            ("d: } foo\n", "d: \"} foo\"\n"),
            ("d: & foo\n", "d: \"& foo\"\n"),
            ("d: , foo\n", "d: \", foo\"\n"),
            ("d: ends with:\n", "d: \"ends with:\"\n"),
            ("d: @mention\n", "d: \"@mention\"\n"),
            ("d: `code` first\n", "d: \"`code` first\"\n"),
            ("d: [a] [b]\n", "d: \"[a] [b]\"\n"),
            ("d: \"a\" b: c\n", "d: '\"a\" b: c'\n"),
            ("d: it's: \"x\"\n", "d: 'it''s: \"x\"'\n"),
            ("d: *bold* text\n", "d: \"*bold* text\"\n"),
            ("m:\n  t: Bash(git: *)\n  u: 1\n", "m:\n  t: \"Bash(git: *)\"\n  u: 1\n"),
            ("d: wraps\n  over two: lines\nn: x\n", "d: \"wraps\n  over two: lines\"\nn: x\n"),
        ] {
            assert_eq!(repaired(broken).as_deref(), Some(fixed), "{broken:?}");
        }
    }

    #[test]
    fn ignores_text_that_is_not_clearly_prose() {
        for broken in [
            "d: a: b\n  key: value\n",
            "d: [a\n",
            "d:\n\t- x\n",
            "- a: b: c\n",
            "d: \"open\n",
            "d: *alias\n",
            "d: &anchor x\n",
            "d: M\u{b}\n",
            "d: Fix bugs: see issue #12 and more\n",
            "d: Use when: x\t# why\n",
            "d: Use when: x # why\n",
            "d: Use when: x   # why\n",
            "d: Use when: x\n  # why\n",
            "description:\n  Usage: ask: me\n",
            "d: 'it's\n",
            "d: - foo\n",
            "d: [Read, @x]\n",
            "d: {a: @me, b: c}\n",
            "d: Use when: x\n\n  second paragraph\n",
            "d: !!str x\n",
            "d: 'it''s' new\n",
            "d: 'b''b'? \n",
            "d: \"say \\\" or \\\" now\" twice\n",
            "d: \"one\\ntwo\" three\n",
        ] {
            assert_eq!(repaired(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn quotes_that_were_meant_as_such_are_only_suggested() {
        for (broken, better) in [
            ("d: 'it's'\n", "d: \"it's\""),
            ("d: 'users' files'\n", "d: \"users' files\""),
            ("d: \"say \"hi\" now\"\n", "d: 'say \"hi\" now'"),
            ("d: “Use when: x”\n", "d: \"Use when: x\""),
            ("d: \"text\",\n", "d: \"text\""),
        ] {
            let fault = yaml::read(broken, 0).unwrap_err();
            let quoting = repair(broken, Span::new(0, broken.len()), &fault).unwrap();
            assert_eq!((quoting.line.as_str(), quoting.is_certain), (better, false), "{broken:?}");
        }
    }

    #[test]
    fn scalars_read_back() {
        assert_eq!(scalar("Read Bash(git:*)"), "Read Bash(git:*)");
        assert_eq!(scalar("Bash(a: b)"), "\"Bash(a: b)\"");
        assert_eq!(scalar("true"), "\"true\"");
        assert_eq!(scalar("no"), "\"no\"");
        assert_eq!(scalar("2024-01-01"), "\"2024-01-01\"");
        assert_eq!(scalar("*"), "\"*\"");
    }
}

#[cfg(test)]
mod lost_break_tests {
    use super::*;

    fn found(yaml: &str) -> Option<&str> {
        let start = yaml.find(": ").unwrap() + 2;
        let end = yaml.find("\nmodel").unwrap_or(yaml.len());
        find(yaml, Span::new(0, yaml.len()), Span::new(start, end)).map(|span| span.slice(yaml))
    }

    #[test]
    fn finds_a_field_that_lost_its_line_break() {
        for (yaml, field) in [
            ("description: 需要时使用。license: Apache-2.0\n", "license"),
            ("description: Extract text. license: MIT\n", "license"),
            ("description: Extract text.allowed-tools: Read\n", "allowed-tools"),
            ("name: pdf description: Extract text\n", "description"),
            ("name: pdfdescription: Extract text\n", "description"),
            ("license: MITmetadata:\n", "metadata"),
            ("description: \"Extract\" version: 1.0\n", "version"),
            ("description: Use when: asked.\n  license: MIT\n", "license"),
        ] {
            assert_eq!(found(yaml), Some(field), "{yaml:?}");
        }
    }

    #[test]
    fn leaves_words_in_a_text_alone() {
        for yaml in [
            "description: Use when: asked\n",
            "description: Checks the filename: it must exist\n",
            "description: Reads image-metadata: all of it\n",
            "description: License: MIT\n",
            "description: see license:MIT\n",
            "description: Pick a model: the best\nmodel: opus\n",
            "description: A description: short\n",
        ] {
            assert_eq!(found(yaml), None, "{yaml:?}");
        }
    }
}

#[cfg(test)]
mod printable_tests {
    use super::*;
    use crate::skills::text::position::Span;

    #[test]
    fn only_plain_lines_are_printable() {
        for text in ["a\r\n\tb", "é 👩‍💻 ❤️ 葛\u{e0100}", "", "a::b"] {
            assert!(is_printable(text), "{text:?}");
        }
        for text in [
            "a\u{fe01}",
            "a\rb",
            "\u{1b}[2J",
            "\u{202e}",
            "\u{feff}",
            "a\n ::error::b",
            "##[group]",
        ] {
            assert!(!is_printable(text), "{text:?}");
        }
    }

    #[test]
    fn an_edit_is_printable_with_the_lines_beside_it() {
        let printable = |text: &str| {
            let at = text.find('x').unwrap();
            is_edit_printable(text, &Edit { span: Span::new(at, at + 1), replacement: "y".into() })
        };
        assert!(printable("\u{feff}x"));
        assert!(printable("\u{1b}\na\nx\nb\n\u{1b}"));
        assert!(!printable("\u{1b}\nx\nb\n"));
        assert!(!printable("a\nx\n\u{1b}"));
        assert!(!printable("a\nx\u{1b}\nb"));
        assert!(!printable("a\n\u{feff}x\nb"));
    }

    #[test]
    fn only_characters_that_vary_keep_a_selector() {
        let parsed = regex_syntax::parse("\\p{Emoji}").unwrap();
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) =
            parsed.kind()
        else {
            panic!("{parsed:?}")
        };
        for range in class.ranges() {
            for character in range.start()..=range.end() {
                assert!(can_vary(character, '\u{fe0f}'), "U+{:04X}", character as u32);
            }
        }
        for text in ["a\u{fe00}", "é\u{e0100}", " \u{fe01}", "🙂\u{fe03}", "🙂\u{fe0f}\u{fe0f}"]
        {
            let kinds: Vec<Hidden> = hidden(text).map(|(_, _, kind)| kind).collect();
            assert_eq!(kinds, [Hidden::VariationRun], "{text:?}");
            assert_eq!(unprintable(text).count(), 1, "{text:?}");
            assert!(revealed(text).is_ascii() || text.starts_with(['é', '🙂']), "{text:?}");
        }
        assert_eq!(revealed("a\u{e0041}b ❤️"), "aU+E0041b ❤️");
    }

    #[test]
    fn names_hide_nothing() {
        for (name, problem) in [
            ("a\u{e0041}.md", Some("tag character")),
            ("a\u{fe01}.md", Some("run of variation selectors")),
            ("a\u{200b}.md", Some("zero-width character")),
            ("a\u{202e}.md", Some("bidirectional control")),
            ("a\n.md", Some("control character")),
            ("❤️ 1️⃣ 葛\u{e0100} می‌خواهم 👩‍💻.md", None),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.md", None),
        ] {
            assert_eq!(name_problem(name), problem, "{name:?}");
        }
    }
}
