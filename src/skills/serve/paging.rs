//! Long lists in parts. A cursor names the last thing that was sent, so that it still means the same
//! when things come and go, and in another run.

use crate::skills::serve::message::RpcError;

/// The longest cursor that is read.
const CURSOR_BYTES: usize = 8 * 1024;

#[derive(Debug, Clone)]
pub struct ListPart<T> {
    /// What is in it.
    pub rows: Vec<T>,
    /// Where the next part starts, unless this is the last.
    pub next: Option<String>,
}

impl<T> ListPart<T> {
    /// A list of one part.
    pub const fn all(rows: Vec<T>) -> Self {
        Self { rows, next: None }
    }
}

/// The cursor behind a thing of a list.
pub fn cursor(list: &str, last: &str) -> String {
    format!("{list}:{last}")
}

/// What stands in a cursor of this list; none at the start.
pub fn last_of<'a>(list: &str, cursor: Option<&'a str>) -> Result<Option<&'a str>, RpcError> {
    let Some(text) = cursor else { return Ok(None) };
    let last = text.strip_prefix(list).and_then(|rest| rest.strip_prefix(':'));
    let is_plain = |last: &&str| {
        !last.is_empty() && text.len() <= CURSOR_BYTES && !last.contains(char::is_control)
    };
    match last.filter(is_plain) {
        Some(last) => Ok(Some(last)),
        None => Err(RpcError::params("the cursor is not one of this list; start without a cursor")),
    }
}

/// The part of a sorted list behind `last`, with at most this many rows.
pub fn part<T>(
    list: &str,
    rows: Vec<T>,
    key: impl Fn(&T) -> &str,
    last: Option<&str>,
    most: usize,
) -> ListPart<T> {
    let mut rows: Vec<T> =
        rows.into_iter().filter(|row| last.is_none_or(|last| key(row) > last)).collect();
    if rows.len() <= most {
        return ListPart::all(rows);
    }
    rows.truncate(most);
    let next = rows.last().map(|row| cursor(list, key(row)));
    ListPart { rows, next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_though_the_list_changes() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let take = |rows, last: Option<&str>| part("x", rows, |row: &String| row, last, 2);
        let first = take(list(&["a", "b", "c", "d"]), None);
        assert_eq!((first.rows.join(""), first.next.as_deref()), ("ab".to_owned(), Some("x:b")));
        let last = last_of("x", first.next.as_deref()).unwrap();
        let second = take(list(&["a", "aa", "c", "d"]), last);
        assert_eq!((second.rows.join(""), second.next), ("cd".to_owned(), None));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in ["", "x", "x:", "y:a", "x:a\nb", &format!("x:{}", "a".repeat(CURSOR_BYTES))] {
            assert!(last_of("x", Some(text)).is_err(), "{text}");
        }
        assert_eq!(last_of("x", None).unwrap(), None);
        assert_eq!(last_of("x", Some("x:a:b")).unwrap(), Some("a:b"));
    }
}
