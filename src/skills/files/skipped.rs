//! Directories that a search for skills skips.

use std::ffi::OsStr;

use crate::skills::files::inventory::is_version_control;
use crate::skills::files::own_names;

/// The file that marks a directory as a cache.
pub const CACHE_TAG: &str = "CACHEDIR.TAG";

/// Whether a directory of this name is never searched for skills.
pub fn is_skipped(name: &OsStr) -> bool {
    is_version_control(name) || name == "node_modules" || own_names::is_beside_skills(name)
}
