//! The state of the search for a typo: before the first key, or at the value of a key.

use super::line::{TrimmedLine, ValueKind};

#[derive(Clone, Copy)]
pub(super) enum SearchState<'a> {
    /// Before the first key that is not indented.
    BeforeKeys {
        /// The first indented key.
        indented: Option<TrimmedLine<'a>>,
        /// The first item of a list.
        item: Option<TrimmedLine<'a>>,
    },
    /// At the value of a key that is not indented.
    InField(Field<'a>),
}

/// A key that is not indented, and its value so far.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) value: ValueKind,
    /// Whether the value may continue on the next line.
    pub(super) is_prose: bool,
}
