//! The domain, in layers. A layer may name the layers listed before it, and none after it: a test
//! holds that.
//!
//! Nothing here knows flags, colours or terminals. Functions take values and return values.

pub mod text;

pub mod files;

pub mod model;

pub mod agents;

pub mod judge;

pub mod fetch;

pub mod find;

pub mod show;

pub mod put;

pub mod mount;

pub mod publish;

pub mod serve;
