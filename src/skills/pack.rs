//! Makes `.skill` archives: what is left out, and what goes in.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::skills::archive::{self, Archive, NewFile};
use crate::skills::content::{self, Content};
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::filter::PathFilter;
use crate::skills::install::candidate::Candidate;
use crate::skills::install::copy::{self, Allowance};
use crate::skills::install::tree::portable;
use crate::skills::scan::OpenDirectory;

/// The file in a skill that says what is left out of its archive. It is left out, too.
pub const IGNORE_FILE: &str = ".skillignore";
/// What nobody means to pack.
const NEVER: [&str; 5] = ["node_modules", "__pycache__", "*.pyc", ".DS_Store", IGNORE_FILE];
/// The same, but only where it stands beside the `SKILL.md`.
const NEVER_AT_THE_ROOT: &str = "evals";

/// What a user says about what is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// Globs of paths that go in all the same.
    pub include: Vec<String>,
    /// Globs of paths that are left out.
    pub exclude: Vec<String>,
}

/// What is left out of one skill.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    include: PathFilter,
    exclude: PathFilter,
}

impl Choices {
    /// What is left out of the skill in this directory: its own file counts as well.
    ///
    /// # Errors
    /// A glob that is none.
    pub fn filter(&self, open: &OpenDirectory) -> Result<Filter> {
        let mut include = self.include.clone();
        let mut exclude: Vec<String> = NEVER.map(str::to_owned).to_vec();
        if let Content::Text(text) = content::read_in(&open.directory, OsStr::new(IGNORE_FILE)) {
            for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                match (line.strip_prefix('!'), line.starts_with('#')) {
                    (_, true) => {}
                    (Some(glob), _) => include.push(glob.trim_end_matches('/').to_owned()),
                    (None, _) => exclude.push(line.trim_end_matches('/').to_owned()),
                }
            }
        }
        exclude.extend(self.exclude.iter().cloned());
        Ok(Filter { include: PathFilter::new(&include)?, exclude: PathFilter::new(&exclude)? })
    }
}

impl Filter {
    /// Whether this path, below the skill, is left out.
    #[must_use]
    pub fn leaves_out(&self, path: &Path) -> bool {
        let is_left_out = path == Path::new(NEVER_AT_THE_ROOT) || self.exclude.excludes(path);
        is_left_out && !self.include.excludes(path)
    }
}

/// An archive that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The skill.
    pub name: String,
    /// The archive.
    pub bytes: Vec<u8>,
    /// Files in it.
    pub files: usize,
    /// The digest of what is in it, as an installation of it records it.
    pub digest: String,
}

/// Packs a skill: entries below a directory of its name.
///
/// # Errors
/// Files that cannot be read, or that no archive can hold.
pub fn pack(candidate: &Candidate, allowance: &Allowance) -> Result<Packed> {
    let name = candidate.name.to_string();
    let contents = copy::contents(candidate, allowance)?;
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
    // What is handed out must be what any reader takes it for, this one first of all.
    let path = PathBuf::from(format!("{name}.skill"));
    let archive = std::sync::Arc::new(Archive::of_bytes(&path, bytes.clone())?);
    let skills = archive.skills();
    let skill = skills.first().ok_or_else(|| {
        Error::new(ErrorKind::MissingSkillMd, format!("`{name}` was packed without its SKILL.md"))
    })?;
    Ok(Packed { digest: skill.digest(), name, bytes, files: count })
}
