//! Finds nested skills in the list of a skill's files.

use std::path::{Path, PathBuf};

use crate::skills::files::inventory::Inventory;
use crate::skills::files::skipped::{CACHE_TAG, is_skipped};
use crate::skills::text::document::{SKILL_MD, is_skill_md};

/// The directories below a skill with a `SKILL.md` of their own, as a scan would find them.
pub fn nested_skills(inventory: &Inventory) -> Vec<PathBuf> {
    let mut nested: Vec<PathBuf> = Vec::new();
    for entry in &inventory.entries {
        // Most files lie beside the `SKILL.md` or have another name.
        if entry.name().len() != SKILL_MD.len() || !entry.path.file_name().is_some_and(is_skill_md)
        {
            continue;
        }
        let parent = entry.path.parent().unwrap_or(Path::new(""));
        let is_below = !parent.as_os_str().is_empty() && !parent.iter().any(is_skipped);
        if is_below && nested.last().is_none_or(|last| last != parent) {
            nested.push(parent.to_owned());
        }
    }
    let is_cache = |path: &Path| {
        let tag = path.join(CACHE_TAG);
        inventory.entries.binary_search_by(|entry| entry.path.as_path().cmp(&tag)).is_ok()
    };
    let lies_in_cache =
        |path: &Path| path.ancestors().filter(|above| !above.as_os_str().is_empty()).any(is_cache);
    nested.retain(|path| !lies_in_cache(path));
    nested
}
