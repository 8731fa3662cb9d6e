//! Locks and what was read: [`check`] compares both, [`update`] makes a new lock and says what
//! changes.

pub mod check;
pub mod update;
