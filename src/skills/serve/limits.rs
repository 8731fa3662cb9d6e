//! What every host of the protocol accepts of one skill.

/// Files of one skill.
pub const FILES: usize = 512;
/// Bytes of all files of one skill.
pub const BYTES: u64 = 16 * 1024 * 1024;
