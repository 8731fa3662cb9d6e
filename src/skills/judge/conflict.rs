//! The markers of an unresolved merge conflict.

use crate::skills::text::position::Span;

pub const MESSAGE: &str = "this is an unresolved merge conflict";

pub const HELP: &str =
    "keep one of the two versions, and delete the lines `<<<<<<<`, `=======` and `>>>>>>>`";

/// The first line of a part of `text` that opens or closes a conflict.
pub fn marker(text: &str, part: Span) -> Option<Span> {
    let mut at = part.start;
    for line in part.slice(text).split_inclusive('\n') {
        let content = line.trim_end();
        if content.starts_with("<<<<<<< ") || content.starts_with(">>>>>>> ") {
            return Some(Span::new(at, at + content.len()));
        }
        at += line.len();
    }
    None
}
