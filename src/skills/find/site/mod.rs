//! The index of a site that publishes skills, and the artifacts that it names. `index` reads it,
//! `artifact` what it names, `beside` an index that lies on this disk.

mod artifact;
mod beside;
mod index;

use crate::skills::model::bundle::Bundle;

pub use artifact::{of_archive, of_files, of_skill_md};
pub use beside::{is_index, open};
pub use index::{EntryContent, INDEX_BYTES, SCHEMA, SiteEntry, SiteIndex};

/// The most bytes of one artifact.
pub const ARTIFACT_BYTES: u64 = crate::skills::find::archive::ARCHIVE_BYTES;

/// Puts artifacts into one bundle, each in a directory with its name.
///
/// # Errors
/// Too many files or bytes, and a skill that has another name than the index says: whoever asks for one
/// name must not get another.
pub fn gather(
    bundle: &mut Bundle,
    artifacts: impl IntoIterator<Item = (String, Bundle)>,
) -> Result<(), String> {
    artifacts.into_iter().try_for_each(|(name, artifact)| {
        let root = artifact::root(&artifact)?;
        if let Some(own) = artifact::declared_name(&artifact, &root).filter(|own| *own != name) {
            return Err(format!("`{name}` is called `{own}` in its `SKILL.md`"));
        }
        bundle.absorb(&artifact, &root, &name).map_err(|reason| format!("`{name}`: {reason}"))
    })
}
