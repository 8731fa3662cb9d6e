//! Views of skills, as values: lists, prompts, `skill://` files and events.
//!
//! `crate::output` turns these values into text.

pub mod agent_view;
pub mod card;
pub mod events;
pub mod file_pass;
pub mod groups;
pub mod layout;
pub mod listing;
pub mod loading;
pub mod prompt;
pub mod tools;
pub mod uri;
