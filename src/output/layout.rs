//! Text in columns and lines, as wide as a terminal shows it, and paths as people write them.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::path::Path;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::sanitize;
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

// Breaks lines between words; a terminal would break them anywhere.

/// With less room, text starts on a new line.
const LEAST_ROOM: usize = 20;

/// The indentation of such lines.
const BELOW: &str = "    ";

/// Wraps `text` to `width` columns. The first line starts at column `indent`; the others start with
/// `margin`. Without a width the text is unchanged.
pub fn wrap(text: &str, width: Option<usize>, indent: usize, margin: &str) -> String {
    beside("", text, width, indent, margin)
}

/// The same after `gap`, which ends at column `indent`. Without room beside the gap, the text goes
/// below.
pub fn beside(gap: &str, text: &str, width: Option<usize>, indent: usize, margin: &str) -> String {
    let Some(width) = width else { return format!("{gap}{text}") };
    let room = width.saturating_sub(indent);
    if room >= LEAST_ROOM || indent <= BELOW.len() || self::width(text) <= room {
        return format!("{gap}{}", lines(text, room, margin));
    }
    format!("\n{BELOW}{}", lines(text, width.saturating_sub(BELOW.len()), BELOW))
}

/// `text` in lines of at most `room` columns, except for longer words; all but the first start with
/// `margin`.
pub fn lines(text: &str, room: usize, margin: &str) -> String {
    let mut wrapped = String::with_capacity(text.len());
    let mut used = 0;
    for word in text.split(' ') {
        let width = self::width(word);
        if used > 0 && used + 1 + width > room {
            wrapped.push('\n');
            wrapped.push_str(margin);
            used = 0;
        } else if used > 0 {
            wrapped.push(' ');
            used += 1;
        }
        wrapped.push_str(word);
        used += width;
    }
    wrapped
}

// Writes paths: relative where that is shorter and safe, and as URIs.

/// `path` relative to `directory` if it is below it, else unchanged.
pub fn relative(path: &Path, directory: &Path) -> String {
    match path.strip_prefix(directory) {
        Ok(inner) if inner.as_os_str().is_empty() => ".".to_owned(),
        Ok(inner) => inner.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

/// The same for people: paths below the home start with `~`.
pub fn shown(path: &Path, directory: &Path, home: Option<&Path>) -> String {
    let below_home = home.and_then(|home| path.strip_prefix(home).ok());
    let text = match below_home {
        Some(rest) if !path.starts_with(directory) => format!("~/{}", rest.display()),
        _ => relative(path, directory),
    };
    sanitize::line(&text).into_owned()
}

/// Percent-encodes a path for use in a URI; slashes stay.
pub fn uri(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            _ => {
                encoded.push('%');
                encoded.extend([byte >> 4, byte & 15].map(hex_digit));
            }
        }
    }
    encoded
}

fn hex_digit(value: u8) -> char {
    char::from_digit(u32::from(value), 16).unwrap_or('0').to_ascii_uppercase()
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

#[cfg(test)]
mod wrap_tests {
    use super::{beside, wrap};

    #[test]
    fn lines_break_between_words_and_wide_characters_count_twice() {
        assert_eq!(
            wrap("aaaa bbbb cccc dddd eeee", Some(24), 4, "    "),
            "aaaa bbbb cccc dddd\n    eeee"
        );
        assert_eq!(
            wrap("日本日本日本 日本日本日本", Some(24), 0, ""),
            "日本日本日本\n日本日本日本"
        );
        assert_eq!(wrap("a b", None, 0, ""), "a b");
        assert_eq!(wrap("aaa bbb", Some(5), 0, ""), "aaa\nbbb");
    }

    #[test]
    fn text_without_room_goes_below() {
        let text = "aaaa bbbb cccc dddd eeee";
        assert_eq!(beside("  ", text, Some(24), 10, ""), "\n    aaaa bbbb cccc dddd\n    eeee");
        assert_eq!(beside("  ", "aaaa", Some(14), 10, ""), "  aaaa", "it fits");
        assert_eq!(beside("  ", text, None, 10, ""), format!("  {text}"));
    }
}

#[cfg(test)]
mod paths_tests {
    use super::*;

    #[test]
    fn paths_below_the_directory_are_relative() {
        assert_eq!(relative(Path::new("/a/b/c"), Path::new("/a")), "b/c");
        assert_eq!(relative(Path::new("/a"), Path::new("/a")), ".");
        assert_eq!(relative(Path::new("/x/y"), Path::new("/a")), "/x/y");
    }

    #[test]
    fn uris_escape_everything_unusual() {
        assert_eq!(uri("a b/ü%.md"), "a%20b/%C3%BC%25.md");
    }
}
