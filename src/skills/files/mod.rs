//! Files and directories: opening them without following links, reading them within bounds,
//! replacing them atomically, and computing digests.
//!
//! Nothing here knows what a skill means. `platform` is the only place with `cfg`.

pub mod atomic;
pub mod content;
pub mod descent;
pub mod digest;
pub mod directory;
pub mod inflate;
pub mod inventory;
pub mod links;
pub mod nested;
pub mod opaque;
pub mod own_names;
pub mod parallel;
pub mod platform;
pub mod programs;
pub mod skipped;
pub mod tree;
pub mod watch;
