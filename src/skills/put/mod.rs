//! Writes skills: into a skills directory, an archive, a temporary home, or a new directory.
//!
//! Plans are pure values. Only applying a plan touches the disk.

pub mod compare;
pub mod install;
pub mod locking;
pub mod sync;
pub mod update;
