//! Breaks lines between words, where a terminal would break them anywhere.

use super::columns;

/// With less room than this, text starts on a line of its own.
const LEAST_ROOM: usize = 20;
/// What stands before such lines.
const BELOW: &str = "    ";

/// `text` in lines that fit `width` columns, the first of which starts at column `indent`; the
/// others start behind `margin`. Without a width the text stays as it is.
#[must_use]
pub fn wrap(text: &str, width: Option<usize>, indent: usize, margin: &str) -> String {
    beside("", text, width, indent, margin)
}

/// The same behind `gap`, which ends at column `indent`. Where there is no room beside what stands
/// before the gap, the text goes below it.
#[must_use]
pub fn beside(gap: &str, text: &str, width: Option<usize>, indent: usize, margin: &str) -> String {
    let Some(width) = width else { return format!("{gap}{text}") };
    let room = width.saturating_sub(indent);
    if room >= LEAST_ROOM || indent <= BELOW.len() || columns::width(text) <= room {
        return format!("{gap}{}", lines(text, room, margin));
    }
    format!("\n{BELOW}{}", lines(text, width.saturating_sub(BELOW.len()), BELOW))
}

/// `text` in lines of at most `room` columns, but for words that are longer; all but the first start
/// behind `margin`.
#[must_use]
pub fn lines(text: &str, room: usize, margin: &str) -> String {
    let mut wrapped = String::with_capacity(text.len());
    let mut used = 0;
    for word in text.split(' ') {
        let width = columns::width(word);
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

#[cfg(test)]
mod tests {
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
