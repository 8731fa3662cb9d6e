//! Reads YAML as the reader of an agent does, with our parser.
//!
//! Where that reader accepts more than our parser, the text is changed until our parser accepts it.
//! Control characters and leading commas get stand-ins, which are changed back in the values. The
//! stand-ins come from the last private-use plane, which no text uses.

use std::borrow::Cow;

use crate::skills::text::position::Span;
use crate::skills::text::yaml::{self, Controls, Lenience, Yaml, YamlFault, YamlFaultKind, simple};

/// The stand-in of U+0000; those of the other control characters follow it.
const FIRST: u32 = 0x10_FE00;

/// The stand-in of a comma that starts a value.
const COMMA: char = '\u{10FEFF}';

/// Additional line breaks of YAML 1.1.
const OLD_BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// The maximum number of changes, because the text is read again after each.
const MOST_CHANGES: usize = 20;

/// Reads `text` with this `lenience`, and passes the document to `use_it`. For simulating an agent,
/// not for judging.
///
/// # Errors
/// The first fault that the agent does not accept, and the text that its place refers to.
pub fn read_as<R>(
    text: &str,
    lenience: Lenience,
    use_it: impl FnOnce(&Yaml<'_>) -> R,
) -> Result<R, Box<(YamlFault, String)>> {
    if let Some(yaml) = simple::read(text, 0) {
        return Ok(use_it(&yaml));
    }
    let mut text = disguised(text, lenience);
    let mut changes = 0;
    loop {
        let fault = match yaml::read_permissively(&text, lenience) {
            Ok(yaml) => return Ok(use_it(&yaml)),
            Err(fault) => fault,
        };
        match changed(&text, &fault, lenience) {
            Some(next) if changes < MOST_CHANGES => text = Cow::Owned(next),
            _ => return Err(Box::new((fault, text.into_owned()))),
        }
        changes += 1;
    }
}

/// `text` with stand-ins for control characters, and with other line breaks as newlines.
fn disguised(text: &str, lenience: Lenience) -> Cow<'_, str> {
    if lenience.controls != Controls::Refused && text.contains(is_text_control) {
        return Cow::Owned(text.chars().map(stand_in).collect());
    }
    if lenience.old_breaks && text.contains(OLD_BREAKS) {
        return Cow::Owned(text.replace(OLD_BREAKS, "\n"));
    }
    Cow::Borrowed(text)
}

/// The text with one change that removes this fault.
fn changed(text: &str, fault: &YamlFault, lenience: Lenience) -> Option<String> {
    let (before, behind) = (text.get(..fault.span.start)?, text.get(fault.span.start..)?);
    let follows = |ends: &[char]| before.trim_end().ends_with(ends);
    let in_tag =
        || before.rsplit(char::is_whitespace).next().is_some_and(|tag| tag.starts_with('!'));
    let in_brackets = || {
        let line = &before[before.rfind('\n').map_or(0, |newline| newline + 1)..];
        let colon = [": ", ":\t"].iter().filter_map(|colon| line.find(colon)).min();
        colon.is_some_and(|at| line[at + 1..].trim_start().starts_with(['[', '{']))
    };
    match behind.chars().next() {
        Some(',') if lenience.leading_comma && (follows(&[':']) || in_tag()) => {
            let gap = if in_tag() { " " } else { "" };
            return Some(format!("{before}{gap}{COMMA}{}", &behind[1..]));
        }
        Some(',') if lenience.empty_items && follows(&['[', '{', ',']) => {
            return Some(format!("{before}~ {behind}"));
        }
        Some('#') if lenience.attached_comments && before.ends_with(['"', '\'', ']', '}']) => {
            return Some(format!("{before} {behind}"));
        }
        Some(':') if lenience.key_behind_brackets && follows(&[']', '}']) && in_brackets() => {
            return Some(format!("{before}\n{}\"\"{behind}", indentation(before)));
        }
        Some(_) if lenience.entries_in_a_line && fault.kind == YamlFaultKind::TrailingText => {
            return Some(format!("{before}\n{}{behind}", indentation(before)));
        }
        _ => {}
    }
    if lenience.shallow_quotes && fault.kind == YamlFaultKind::UnclosedQuote {
        return with_deeper_quote(text, fault.span.start);
    }
    // Only spaces indent; tabs at the start of a line are ignored.
    let has_tab = |line: &str| line.trim_start_matches(' ').starts_with('\t');
    let ignored = lenience.ignored_tabs && !starts_with_tab(text);
    (ignored && text.lines().any(has_tab)).then(|| without_tabs(text))
}

/// The text with the lines of the quoted value at `open` indented more than the first of them.
fn with_deeper_quote(text: &str, open: usize) -> Option<String> {
    let quote = text[open..].chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inside = &text[open + 1..];
    let mut escaped = false;
    let end = inside.find(|character: char| {
        let ends = character == quote && !escaped;
        escaped = quote == '"' && character == '\\' && !escaped;
        ends
    })?;
    let deeper = format!("\n{} ", indentation(&text[..open]));
    let value = inside[..end].replace('\n', &deeper);
    let result = format!("{}{value}{}", &text[..=open], &inside[end..]);
    (value.len() > end).then_some(result)
}

/// Whether a tab indents the first line, which no reader accepts.
pub fn starts_with_tab(text: &str) -> bool {
    let is_empty = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    text.lines().find(|line| !is_empty(line)).is_some_and(|line| line.starts_with('\t'))
}

/// The blanks that the last line of `text` starts with.
fn indentation(text: &str) -> &str {
    let line = &text[text.rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

fn without_tabs(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        format!("{}{}", &line[..blanks], line[blanks..].trim_start_matches([' ', '\t']))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The first place in the flow collection `value` that is not indented more than its `key`.
pub fn shallow_line(text: &str, key: Span, value: Span, lenience: Lenience) -> Option<Span> {
    if !lenience.deep_brackets || !value.slice(text).starts_with(['[', '{']) {
        return None;
    }
    let line = text[..key.start].rfind('\n').map_or(0, |newline| newline + 1);
    let column = key.start - line;
    let mut at = value.start;
    value.slice(text).split_inclusive('\n').enumerate().find_map(|(number, line)| {
        let content = line.trim_start_matches(' ');
        let start = at + line.len() - content.len();
        at += line.len();
        let is_fine = content.trim().is_empty()
            || content.starts_with([']', '}', '#'])
            || content.starts_with(',') && lenience.leading_comma;
        let is_shallow = number > 0 && line.len() - content.len() <= column && !is_fine;
        is_shallow.then(|| Span::of_char(text, start))
    })
}

/// The original characters, and whether a control character is among them.
pub fn revealed(text: Cow<'_, str>) -> (Cow<'_, str>, bool) {
    if !text.contains(is_stand_in) {
        return (text, false);
    }
    let text: String = text.chars().map(original).collect();
    let has_control = text.contains(is_text_control);
    (Cow::Owned(text), has_control)
}

/// Control characters except blanks and line breaks.
const fn is_text_control(character: char) -> bool {
    matches!(character, '\0'..='\x08' | '\x0b'..='\x0c' | '\x0e'..='\x1f' | '\x7f'..='\u{84}')
        || matches!(character, '\u{86}'..='\u{9f}')
}

fn stand_in(character: char) -> char {
    if !is_text_control(character) {
        return character;
    }
    char::from_u32(FIRST + u32::from(character)).unwrap_or(character)
}

fn original(character: char) -> char {
    if character == COMMA {
        return ',';
    }
    let code = u32::from(character).checked_sub(FIRST);
    let control = code.and_then(char::from_u32).filter(|control| is_text_control(*control));
    control.unwrap_or(character)
}

fn is_stand_in(character: char) -> bool {
    original(character) != character
}

// How agents that do not insist on YAML read front matter: line by line.

/// The value of the first top-level `key: value` line, without surrounding quotes.
pub fn field<'a>(yaml: &'a str, key: &str) -> Option<&'a str> {
    let value = yaml
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value.trim())?;
    let unquoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value);
    Some(unquoted).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn takes_everything_after_the_first_colon() {
        let yaml = "name: pdf\ndescription: Use when: x\nempty:\nquoted: \"a b\"\n";
        assert_eq!(field(yaml, "description"), Some("Use when: x"));
        assert_eq!(field(yaml, "quoted"), Some("a b"));
        assert_eq!(field(yaml, "empty"), None);
        assert_eq!(field(yaml, "absent"), None);
    }
}
