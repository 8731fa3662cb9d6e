//! Terminal escape sequences, which Claude removes from what it shows.

use std::iter::Peekable;
use std::str::Chars;

const ESCAPE: char = '\x1b';
const STRING_END: char = '\u{9c}';
const BELL: char = '\x07';

/// `text` without escape sequences; one without an end extends to the end of the text.
pub(super) fn without_escape_sequences(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let introducer = if character == ESCAPE { rest.next() } else { eight_bit(character) };
        match introducer {
            _ if !(character == ESCAPE || eight_bit(character).is_some()) => result.push(character),
            Some('[') => skip_past(&mut rest, |one| matches!(one, '@'..='~')),
            Some(']') => skip_string(&mut rest, true),
            Some('P' | 'X' | '^' | '_') => skip_string(&mut rest, false),
            // Intermediate characters, then a last one.
            Some(' '..='/') => skip_past(&mut rest, |one| matches!(one, '0'..='~')),
            Some(_) | None => {}
        }
    }
    result
}

/// The second character of the sequence that this one abbreviates.
const fn eight_bit(character: char) -> Option<char> {
    match character {
        '\u{90}' => Some('P'),
        '\u{98}' => Some('X'),
        '\u{9b}' => Some('['),
        '\u{9d}' => Some(']'),
        '\u{9e}' => Some('^'),
        '\u{9f}' => Some('_'),
        _ => None,
    }
}

/// Whether this character ends any sequence at once.
const fn cancels(character: char) -> bool {
    matches!(character, '\x18' | '\x1a')
}

fn skip_past(rest: &mut Peekable<Chars<'_>>, is_last: impl Fn(char) -> bool) {
    rest.find(|one| is_last(*one) || cancels(*one));
}

fn skip_string(rest: &mut Peekable<Chars<'_>>, bell_ends: bool) {
    while let Some(character) = rest.next() {
        let ends = match character {
            STRING_END => true,
            BELL => bell_ends,
            ESCAPE => rest.next_if_eq(&'\\').is_some(),
            _ => cancels(character),
        };
        if ends {
            return;
        }
    }
}
