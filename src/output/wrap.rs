//! Breaks lines between words, where a terminal would break them anywhere.

use super::columns;

/// Less room than this is not worth breaking for.
const LEAST_ROOM: usize = 20;

/// `text` in lines that fit `width` columns, the first of which starts at column `indent`; the
/// others start behind `margin`. Without a width the text stays as it is.
#[must_use]
pub fn wrap(text: &str, width: Option<usize>, indent: usize, margin: &str) -> String {
    let room = width.and_then(|width| width.checked_sub(indent)).filter(|room| *room >= LEAST_ROOM);
    let Some(room) = room else { return text.to_owned() };
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
    use super::wrap;

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
        assert_eq!(wrap("a b", Some(5), 4, ""), "a b");
    }
}
