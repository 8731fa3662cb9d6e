//! What of a skill does not go into its archive.

use std::path::Path;

use crate::skills::content::Content;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::filter::PathFilter;
use crate::skills::platform::FileKind;
use crate::skills::source::SKILL_MD;

/// The file in a skill that says what is left out of its archive. It is left out, too.
pub const IGNORE_FILE: &str = ".skillignore";
/// What nobody means to pack.
const NEVER: [&str; 5] = ["node_modules", "__pycache__", "*.pyc", ".DS_Store", IGNORE_FILE];
/// The same, but only where it stands beside the `SKILL.md`.
const NEVER_AT_THE_ROOT: &str = "evals";

/// What a user says about what is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Globs {
    /// Globs of paths that go in all the same.
    pub include: Vec<String>,
    /// Globs of paths that are left out.
    pub exclude: Vec<String>,
}

/// What is left out of one skill. What is said on the command line counts more than what the skill
/// says, and that more than what is usual.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    excluded: PathFilter,
    included: PathFilter,
    put_back: PathFilter,
    left_out: PathFilter,
    /// Whether something inside a directory that is left out may go in all the same.
    looks_inside: bool,
}

impl Globs {
    /// What is left out of the skill that has this [`IGNORE_FILE`], which counts as well.
    ///
    /// # Errors
    /// A file that cannot be read, or a glob that is none.
    pub fn filter(&self, ignore_file: &Content) -> Result<Filter> {
        let mut put_back: Vec<String> = Vec::new();
        let mut left_out: Vec<String> = NEVER.map(str::to_owned).to_vec();
        let named = |error: Error| Error {
            message: format!("`{IGNORE_FILE}`: {}", error.message),
            ..error
        };
        match ignore_file {
            Content::Text(text) => {
                for line in text.lines().map(str::trim) {
                    match line.strip_prefix('!') {
                        _ if line.is_empty() || line.starts_with('#') => {}
                        Some(glob) => put_back.push(glob.trim_end_matches('/').to_owned()),
                        None => left_out.push(line.trim_end_matches('/').to_owned()),
                    }
                }
            }
            Content::Missing => {}
            _ => {
                // Who wrote it meant something by it.
                let message = format!("`{IGNORE_FILE}` cannot be read as text");
                return Err(Error::new(ErrorKind::Validation, message));
            }
        }
        Ok(Filter {
            looks_inside: !put_back.is_empty() || !self.include.is_empty(),
            excluded: PathFilter::new(&self.exclude)?,
            included: PathFilter::new(&self.include)?,
            put_back: PathFilter::new(&put_back).map_err(named)?,
            left_out: PathFilter::new(&left_out).map_err(named)?,
        })
    }
}

impl Filter {
    /// Whether this path, below the skill, is left out.
    #[must_use]
    pub fn leaves_out(&self, path: &Path, kind: FileKind) -> bool {
        let is_usual =
            |part: &Path| part == Path::new(NEVER_AT_THE_ROOT) || self.left_out.matches(part);
        // What holds for a directory holds for what is in it.
        let any = |holds: &dyn Fn(&Path) -> bool| {
            path.ancestors().filter(|part| !part.as_os_str().is_empty()).any(holds)
        };
        if path == Path::new(SKILL_MD) {
            return false;
        }
        if any(&|part| self.excluded.matches(part)) {
            return true;
        }
        if any(&|part| self.included.matches(part) || self.put_back.matches(part)) {
            return false;
        }
        let is_entered = kind == FileKind::Directory && self.looks_inside;
        !is_entered && any(&is_usual)
    }
}
