//! Skills as artifacts of OCI registries: their documents, the places where they lie, and logins.

pub mod challenge;
pub mod client;
pub mod collect;
pub mod credentials;
pub mod documents;
mod helper;
pub mod layout;
pub mod media;
pub mod place;
pub mod realm;
pub mod registry;
mod tokens;
