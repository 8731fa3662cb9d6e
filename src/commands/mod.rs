//! One file a verb: each tells the story of its command in a screen or two.

pub mod completions;
pub mod explain;
pub mod init;
pub mod list;
pub mod man;
mod notices;
pub mod read;
pub mod render;
pub mod rules;
pub mod schema;
pub mod validate;
