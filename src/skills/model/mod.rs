//! The terms of the domain as types: names, skills, sources, errors, the environment of a run.
//!
//! Types here check their own rules when they are built. Nothing here searches, judges or writes.

pub mod address;
pub mod bundle;
pub mod environment;
pub mod error;
pub mod filter;
pub mod inline;
pub mod key_prefix;
pub mod location;
pub mod name;
pub mod plugin;
pub mod reporter;
pub mod request;
pub mod scope;
pub mod source;
