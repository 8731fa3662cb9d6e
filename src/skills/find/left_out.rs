//! Decides which files of a skill stay out of its archive.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::skills::files::FileKind;
use crate::skills::files::content::Content;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::filter::PathFilter;
use crate::skills::text::document::SKILL_MD;

/// The file in a skill with patterns of files to leave out of its archive. It is left out, too.
pub const IGNORE_FILE: &str = ".skillignore";

/// Its maximum size. Compiled patterns take a thousand times the memory, and several skills are
/// packed at once.
pub const IGNORE_FILE_BYTES: usize = 8 * 1024;

/// Default patterns; those of the file come after them.
const NEVER: [&str; 6] =
    ["node_modules", "__pycache__", "*.pyc", ".DS_Store", "/evals", IGNORE_FILE];

/// The user's choice of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Globs {
    /// Globs of paths to include anyway.
    pub include: Vec<String>,
    /// Globs of paths to exclude.
    pub exclude: Vec<String>,
}

/// The files to leave out of one skill. The command line overrides the skill's own file, which
/// overrides the defaults.
#[derive(Debug, Clone)]
pub struct Filter {
    excluded: PathFilter,
    included: PathFilter,
    ignored: Gitignore,
}

impl Globs {
    /// The files to leave out of a skill with this [`IGNORE_FILE`].
    pub fn filter(&self, ignore_file: &Content) -> Result<Filter> {
        Ok(Filter {
            excluded: PathFilter::new(&self.exclude)?,
            included: PathFilter::new(&self.include)?,
            ignored: ignored(ignore_file)?,
        })
    }
}

/// Parses an [`IGNORE_FILE`], which has the syntax of `.gitignore`.
fn ignored(ignore_file: &Content) -> Result<Gitignore> {
    let refused = |kind: ErrorKind, why: &str| Error::new(kind, format!("`{IGNORE_FILE}` {why}"));
    let text = match ignore_file {
        Content::Text(text) if text.len() <= IGNORE_FILE_BYTES => text.as_str(),
        Content::Text(_) | Content::TooLarge { .. } => {
            let why = format!("has more than {} KiB", IGNORE_FILE_BYTES / 1024);
            return Err(refused(ErrorKind::TooLarge, &why)
                .help("use patterns for whole directories or file extensions"));
        }
        Content::Missing => "",
        // An unreadable ignore file must not be ignored.
        _ => return Err(refused(ErrorKind::Validation, "cannot be read as text")),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = GitignoreBuilder::new("");
    // Git ignores an invalid pattern, but then files could be packed by mistake.
    builder.allow_unclosed_class(false);
    for line in NEVER.into_iter().chain(text.lines()) {
        builder.add_line(None, line).map_err(|error| {
            let why = format!("has an invalid line `{line}`: {}", reason(&error));
            refused(ErrorKind::Usage, &why)
        })?;
    }
    builder.build().map_err(|error| refused(ErrorKind::Usage, &reason(&error)))
}

/// Why a glob is invalid, without the glob itself.
fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}

impl Filter {
    /// Whether this path, below the skill, is left out.
    pub fn leaves_out(&self, path: &Path, kind: FileKind) -> bool {
        // A pattern for a directory applies to its content.
        let any = |globs: &PathFilter| {
            path.ancestors()
                .filter(|part| !part.as_os_str().is_empty())
                .any(|part| globs.matches(part))
        };
        if path == Path::new(SKILL_MD) {
            return false;
        }
        if any(&self.excluded) {
            return true;
        }
        if any(&self.included) {
            return false;
        }
        let is_directory = kind == FileKind::Directory;
        // The directory may contain included files.
        let is_entered = is_directory && !self.included.is_empty();
        !is_entered && self.is_ignored(path, is_directory)
    }

    /// Whether the last matching line for this path, or for a directory above it, leaves it out. As
    /// in git, a file cannot be included again if its directory is left out.
    fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        path.ancestors().filter(|part| !part.as_os_str().is_empty()).any(|part| {
            let is_directory = is_directory || part != path;
            self.ignored.matched(part, is_directory).is_ignore()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_about_a_path_counts() {
        let filter = |text: &str| Globs::default().filter(&Content::Text(text.to_owned())).unwrap();
        let file =
            |filter: &Filter, path: &str| filter.leaves_out(Path::new(path), FileKind::Regular);
        let taken_back = filter("*.txt\n!keep.txt\nkeep.txt\n");
        assert!(file(&taken_back, "keep.txt"));
        let put_back = filter("*.txt\n!keep.txt\n");
        assert!(!file(&put_back, "keep.txt") && file(&put_back, "a/other.txt"));
        let lost = filter("drafts/\n!drafts/keep.md\n");
        assert!(file(&lost, "drafts/keep.md") && !file(&lost, "a/drafts"));
        let usual = filter("!evals\n\\!odd\n");
        assert!(!file(&usual, "evals/a.md") && file(&usual, "!odd") && file(&usual, "a.pyc"));
        assert!(file(&usual, ".skillignore") && !file(&usual, "a/evals/b.md"));
    }

    #[test]
    fn a_file_that_is_too_large_is_refused() {
        let of = |bytes: usize| Globs::default().filter(&Content::Text("#".repeat(bytes)));
        assert!(of(IGNORE_FILE_BYTES).is_ok());
        assert_eq!(of(IGNORE_FILE_BYTES + 1).unwrap_err().kind, ErrorKind::TooLarge);
    }
}
