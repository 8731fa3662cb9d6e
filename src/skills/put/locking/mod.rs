//! [`check`] compares skills with a lock; [`update`] makes a new lock and reports the changes.

pub mod check;
pub mod update;
