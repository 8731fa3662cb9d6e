//! Selects skills with globs on names and paths.

use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::text::suggest;

/// Whether a skill that goes by these names passes every filter, and is one of those that are asked
/// for, if any are. One of its names is enough to be allowed or asked for, and to be denied. The
/// skill of a plugin may also be asked for as `plugin:skill`.
pub fn accept<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    plugin: Option<&str>,
    filters: &[NameFilter],
    only: &[String],
) -> bool {
    let is_name = |wanted: &str, name: &str| match (wanted.split_once(':'), plugin) {
        (Some((of, wanted)), Some(plugin)) => of == plugin && wanted == name,
        _ => wanted == name,
    };
    let is_asked = || names.clone().any(|name| only.iter().any(|wanted| is_name(wanted, name)));
    filters.iter().all(|filter| filter.accepts(names.clone())) && (only.is_empty() || is_asked())
}

/// Whether a skill of this plugin, or of none, is meant by those who want these plugins.
pub fn accept_plugin(plugin: Option<&str>, wanted: &[String]) -> bool {
    wanted.is_empty() || plugin.is_some_and(|plugin| wanted.iter().any(|one| one == plugin))
}

/// Names a user asked for. An empty `allow` allows all; `deny` wins.
#[derive(Debug, Clone, Default)]
pub struct NameFilter {
    allow: Option<GlobSet>,
    deny: Option<GlobSet>,
}

impl NameFilter {
    /// Compiles the globs.
    pub fn new(allow: &[String], deny: &[String]) -> Result<Self> {
        Ok(Self { allow: name_set(allow)?, deny: name_set(deny)? })
    }

    /// Whether a skill with these names is wanted.
    pub fn accepts<'a>(&self, names: impl Iterator<Item = &'a str> + Clone) -> bool {
        let matches = |globs: &GlobSet| names.clone().any(|name| globs.is_match(name));
        self.allow.as_ref().is_none_or(matches) && !self.deny.as_ref().is_some_and(matches)
    }
}

/// Paths below a source that are not entered.
#[derive(Debug, Clone, Default)]
pub struct PathFilter {
    exclude: Option<GlobSet>,
}

impl PathFilter {
    /// Compiles the globs. One without a slash matches at any depth, one that begins with a slash
    /// only at the source itself.
    pub fn new(exclude: &[String]) -> Result<Self> {
        let anywhere = |pattern: &str| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            match pattern.strip_prefix('/') {
                Some(anchored) => anchored.to_owned(),
                None if pattern.contains('/') => pattern.to_owned(),
                None => format!("**/{pattern}"),
            }
        };
        let compile =
            |pattern: &str| GlobBuilder::new(&anywhere(pattern)).literal_separator(true).build();
        Ok(Self { exclude: set(exclude, compile)? })
    }

    /// Whether nothing is left out.
    pub const fn is_empty(&self) -> bool {
        self.exclude.is_none()
    }

    /// Whether this path, relative to its source, is left out.
    pub fn matches(&self, relative: &Path) -> bool {
        self.exclude.as_ref().is_some_and(|globs| globs.is_match(relative))
    }
}

/// The first globs of a list.
fn shown(patterns: &[String]) -> String {
    suggest::some(&patterns.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Most globs of one list.
const MOST_GLOBS: usize = 1_000;

/// Their length together.
const MOST_GLOB_BYTES: usize = 64 * 1024;

fn name_set(patterns: &[String]) -> Result<Option<GlobSet>> {
    set(patterns, Glob::new)
}

fn set(
    patterns: &[String],
    compile: impl Fn(&str) -> Result<Glob, globset::Error>,
) -> Result<Option<GlobSet>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let invalid = |pattern: &str, error: &globset::Error| {
        let reason = error.kind();
        err!(Usage, "invalid glob `{pattern}`: {reason}")
    };
    // A compiled glob takes much more memory than its text.
    let length: usize = patterns.iter().map(String::len).sum();
    if patterns.len() > MOST_GLOBS || length > MOST_GLOB_BYTES {
        let message =
            format!("more than {MOST_GLOBS} globs, or globs of more than {MOST_GLOB_BYTES} bytes");
        return Err(Error::new(ErrorKind::TooLarge, message).help("use fewer or shorter globs"));
    }
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(compile(pattern).map_err(|error| invalid(pattern, &error))?);
    }
    builder.build().map(Some).map_err(|error| invalid(&shown(patterns), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn deny_wins_and_empty_allow_means_all() {
        let filter = NameFilter::new(&[], &strings(&["*-old"])).unwrap();
        let accepts = |filter: &NameFilter, name| filter.accepts(std::iter::once(name));
        assert!(accepts(&filter, "pdf"));
        assert!(!accepts(&filter, "pdf-old"));
        let filter = NameFilter::new(&strings(&["pdf*"]), &strings(&["pdf-old"])).unwrap();
        assert!(accepts(&filter, "pdf-forms"));
        assert!(!accepts(&filter, "pdf-old"));
        assert!(!accepts(&filter, "csv"));
        // Either name is enough.
        assert!(filter.accepts(["csv", "pdf-forms"].into_iter()));
        assert!(!filter.accepts(["pdf-forms", "pdf-old"].into_iter()));
    }

    #[test]
    fn skills_of_plugins_may_be_asked_for_with_their_plugin() {
        let asked =
            |plugin, only: &str| accept(std::iter::once("pdf"), plugin, &[], &strings(&[only]));
        assert!(asked(Some("docs"), "docs:pdf") && asked(Some("docs"), "pdf"));
        assert!(asked(None, "pdf"));
        assert!(!asked(Some("docs"), "other:pdf") && !asked(None, "docs:pdf"));
        assert!(!asked(Some("docs"), "docs:csv"));
    }

    #[test]
    fn paths_match_at_any_depth_unless_they_have_a_slash() {
        let filter = PathFilter::new(&strings(&["drafts", "./a/*", "/top/"])).unwrap();
        assert!(filter.matches(Path::new("drafts")));
        assert!(filter.matches(Path::new("x/y/drafts")));
        assert!(filter.matches(Path::new("a/b")));
        assert!(!filter.matches(Path::new("a")));
        assert!(!filter.matches(Path::new("x/a/b")));
        assert!(filter.matches(Path::new("top")));
        assert!(!filter.matches(Path::new("x/top")));
    }

    #[test]
    fn a_broken_glob_is_named() {
        let error = NameFilter::new(&strings(&["[a"]), &[]).unwrap_err();
        assert!(error.message.contains("`[a`"), "{}", error.message);
    }
}
