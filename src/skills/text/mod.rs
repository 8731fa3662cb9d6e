//! Text and its meaning: positions, Unicode, YAML, front matter, Markdown, quoting.
//!
//! Everything here is a function of the text it is given. Nothing here knows files, agents or
//! rules.

pub mod base64;
pub mod carriers;
pub mod dialect;
pub mod document;
pub mod field_values;
pub mod json;
pub mod markdown;
pub mod position;
pub mod quote;
pub mod secrets;
pub mod shell;
pub mod signals;
pub mod size;
pub mod suggest;
pub mod template;
pub mod tools;
pub mod typo;
pub mod unicode;
pub mod yaml;
