//! Makes `.skill` archives; [`place`] decides where they go.

pub mod index;
pub mod place;

use std::path::PathBuf;

use crate::skills::files::digest::{Digest, portable};
use crate::skills::find::archive::{self, NewFile};
use crate::skills::model::error::{Result, err};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::{self, Allowance};

/// An archive that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The skill.
    pub name: String,
    /// The archive.
    pub bytes: Vec<u8>,
    pub files: usize,
    /// The digest of the skill in it, as an installation would record it.
    pub digest: Digest,
}

/// Packs a skill into an archive with one root directory, which has the skill's name.
pub fn pack(candidate: &Candidate, allowance: &Allowance) -> Result<Packed> {
    let name = candidate.name.to_string();
    let contents = source_files::contents(candidate, allowance)?;
    let files: Vec<NewFile> = contents
        .into_iter()
        .map(|(path, executable, content)| NewFile {
            path: format!("{name}/{}", portable(&path)),
            executable,
            content,
        })
        .collect();
    let count = files.len();
    let bytes = archive::write(files)?;
    // Read the archive back, to be sure that it can be installed.
    let path = PathBuf::from(format!("{name}.skill"));
    let archive = std::sync::Arc::new(archive::of_bytes(&path, bytes.clone())?);
    let skills = archive.skills();
    let skill = skills
        .first()
        .ok_or_else(|| err!(MissingSkillMd, "`{name}` was packed without its SKILL.md"))?;
    let digest = skill
        .digest()
        .ok_or_else(|| err!(Validation, "`{name}` has a file name that cannot be recorded"))?;
    Ok(Packed { digest, name, bytes, files: count })
}
