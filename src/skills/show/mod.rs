//! What is shown of skills: lists, prompts, `skill://` files and events, as values.
//!
//! `crate::output` turns these values into text.

pub mod agent_view;
pub mod events;
pub mod layout;
pub mod listing;
pub mod prompt;
pub mod uri;
