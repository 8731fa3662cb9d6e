//! One file a verb: each tells the story of its command in a screen or two.

pub mod completions;
pub mod explain;
pub mod init;
pub mod man;
pub mod rules;
pub mod validate;
