//! Serves skills to programs without a file system, over the Model Context Protocol.
//!
//! A request is a value, and so is its answer: `crate::output` writes answers as JSON, and
//! `crate::commands` carries both over pipes and loopback connections. Files are read when somebody
//! asks for them, and a digest always belongs to the bytes that were read with it.

pub mod address;
pub mod answer;
pub mod call;
pub mod catalogue;
pub mod changes;
pub mod files;
pub mod http;
pub mod listeners;
pub mod media;
pub mod message;
pub mod paging;
pub mod revision;
pub mod server;
pub mod skill;
pub mod usage;
