//! Text and its meaning: positions, Unicode, YAML, front matter, Markdown, quoting.
//!
//! Everything here is a function of the text it is given. Nothing here knows files, agents or
//! rules.

pub mod base64;
pub mod carriers;
pub mod clock;
pub mod document;
pub mod field_values;
pub mod frontmatter;
pub mod json;
pub mod lenient;
pub mod limits;
pub mod link;
pub mod lookalike;
pub mod lost_break;
pub mod markdown;
pub mod orders;
pub mod position;
pub mod printable;
pub mod quote;
pub mod secrets;
pub mod shell;
pub mod signals;
pub mod similar;
pub mod simple_commands;
pub mod size;
pub mod template;
pub mod tools;
pub mod unicode;
pub mod yaml;
