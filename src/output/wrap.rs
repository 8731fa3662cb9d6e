//! Breaks lines between words; a terminal would break them anywhere.

use super::columns;

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
    if room >= LEAST_ROOM || indent <= BELOW.len() || columns::width(text) <= room {
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
