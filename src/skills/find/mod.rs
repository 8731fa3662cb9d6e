//! Finds skills: scans directories, reads archives, git repositories and the network, follows
//! manifests and locks, and discovers the skills of agents.
//!
//! Only the cache and lock files are written here. Nothing here decides what a user sees.

pub mod disabled;
pub mod discovery;
pub mod left_out;
pub mod lock;
pub mod manifest;
pub mod other_installers;
pub mod plugins;
pub mod record;
pub mod resolve;
pub mod scan;
pub mod selection;
pub mod settle;
