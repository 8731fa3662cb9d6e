//! Judges one skill: the rules, their findings, and repairs.
//!
//! Works on skills that `find` has found. Nothing here searches for skills or copies them.

pub mod baseline;
pub mod conflict;
pub mod deep;
pub mod fix;
pub mod identity;
pub mod needs;
pub mod opened;
pub mod options;
pub mod rule;
pub mod rules;
pub mod schema;
pub mod validate;
pub mod verdict;
