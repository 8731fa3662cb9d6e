//! Text in columns, as wide as a terminal shows it.

use std::borrow::Cow;
use std::fmt::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::skills::text::unicode::is_printable_ascii;

/// The columns that a text takes.
pub fn width(text: &str) -> usize {
    match is_printable_ascii(text.as_bytes()) {
        true => text.len(),
        false => UnicodeWidthStr::width(text),
    }
}

/// The text, padded to this width.
pub fn pad(text: &str, columns: usize) -> Padded<'_> {
    Padded { text, blanks: columns.saturating_sub(width(text)) }
}

/// A padded text.
#[derive(Debug, Clone, Copy)]
pub struct Padded<'a> {
    text: &'a str,
    blanks: usize,
}

impl fmt::Display for Padded<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text)?;
        (0..self.blanks).try_for_each(|_| formatter.write_char(' '))
    }
}

/// The text cut to this many columns, with an ellipsis.
pub fn cut<'a>(text: impl Into<Cow<'a, str>>, columns: usize) -> Cow<'a, str> {
    let text = text.into();
    if width(&text) <= columns {
        return text;
    }
    if columns < 2 {
        return Cow::Borrowed("");
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= columns
    };
    let kept: String = text.chars().take_while(fits).collect();
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// The end of the text after an ellipsis, as much as fits this many columns.
pub fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= columns
    };
    let kept: Vec<char> = text.chars().rev().take_while(fits).collect();
    let kept: String = kept.into_iter().rev().collect();
    // Whole parts of a path read better.
    let start = kept.find('/').filter(|at| 2 * at < kept.len()).unwrap_or(0);
    format!("…{}", &kept[start..])
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_columns_not_to_characters() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("日本語日本語", 6), "日本…");
        assert_eq!(cut("abc def", 5), "abc…");
    }

    #[test]
    fn the_end_of_a_path_is_kept() {
        assert_eq!(cut_start("/a/b", 4), "/a/b");
        assert_eq!(cut_start("/home/team/skills", 12), "…/skills");
        assert_eq!(cut_start("/abcdefghijkl", 6), "…hijkl");
        assert_eq!(cut_start("/日本語日本語", 6), "…本語");
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
