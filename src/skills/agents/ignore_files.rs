//! `.gitignore` and similar files in a skills directory, for the agents that honour them.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use crate::skills::agents::walk::Problem;
use crate::skills::files::content::{self, Content};
use crate::skills::text::document::SKILL_MD;

/// The files that are read.
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".fdignore"];
/// Most bytes of all ignore files below one skills directory. A rule takes about a hundred times its
/// size in memory.
const MOST_BYTES: usize = 64 * 1024;
/// Most rules of all ignore files below one skills directory.
const MOST_RULES: usize = 2_000;

/// The rules for a directory tree, in the order of reading.
#[derive(Debug, Clone, Default)]
pub(super) struct IgnoreRules {
    rules: Vec<IgnoreRule>,
    /// Bytes read so far.
    bytes: usize,
}

#[derive(Debug, Clone)]
struct IgnoreRule {
    glob: GlobMatcher,
    keeps: bool,
    directories_only: bool,
}

impl IgnoreRules {
    /// Adds the ignore files at `path`, which is `directory` below the root of the search, and names
    /// those that exceed the limits.
    pub(super) fn read(&mut self, path: &Path, directory: &Path, problems: &mut Vec<Problem>) {
        // The order matters: the last matching line wins.
        for name in NAMES {
            let file = path.join(name);
            let is_used = match content::read(&file) {
                Content::Text(text) => self.add(directory, &text),
                Content::TooLarge { .. } => false,
                _ => true,
            };
            if !is_used {
                let reason = format!(
                    "ignore files of one skills directory hold at most {} KiB and {MOST_RULES} rules",
                    MOST_BYTES / 1024
                );
                problems.push(Problem::Unusable(file, reason));
            }
        }
    }

    /// Whether a search leaves out an entry of a directory below `root`. Adds the ignore files of a
    /// directory that it does not leave out.
    pub(super) fn leave_out(
        &mut self,
        root: &Path,
        path: &Path,
        is_directory: bool,
        problems: &mut Vec<Problem>,
    ) -> bool {
        let relative = path.strip_prefix(root).unwrap_or(path);
        let is_ignored = self.ignores(relative, is_directory);
        if is_directory && !is_ignored {
            self.read(path, relative, problems);
        }
        is_ignored
    }

    /// Whether a skill, a directory or file, is left out by itself or by a directory above it.
    pub(super) fn leaves_out(&self, root: &Path, skill: &Path, is_file: bool) -> bool {
        let file = if is_file { skill.to_owned() } else { skill.join(SKILL_MD) };
        let relative = file.strip_prefix(root).unwrap_or(&file);
        !self.rules.is_empty()
            && relative
                .ancestors()
                .filter(|above| !above.as_os_str().is_empty())
                .any(|above| self.ignores(above, above != relative))
    }

    /// Adds the lines of a file in `directory`, a path below the root of the search; none if they
    /// are too many.
    fn add(&mut self, directory: &Path, text: &str) -> bool {
        let lines = text.lines().filter(|line| is_rule(line));
        if self.bytes + text.len() > MOST_BYTES
            || self.rules.len() + lines.clone().count() > MOST_RULES
        {
            return false;
        }
        self.bytes += text.len();
        self.rules.extend(lines.filter_map(|line| rule(directory, line)));
        true
    }

    /// Whether an entry, a path below the root of the search, is left out.
    fn ignores(&self, path: &Path, is_directory: bool) -> bool {
        let matches = |rule: &&IgnoreRule| {
            (is_directory || !rule.directories_only) && rule.glob.is_match(path)
        };
        self.rules.iter().rev().find(matches).is_some_and(|rule| !rule.keeps)
    }
}

/// Whether a line is a rule.
fn is_rule(line: &str) -> bool {
    !line.trim_end().is_empty() && !line.starts_with('#')
}

fn rule(directory: &Path, line: &str) -> Option<IgnoreRule> {
    let line = line.trim_end();
    let (keeps, pattern) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix('\\').unwrap_or(line)),
    };
    let directories_only = pattern.ends_with('/');
    let pattern = pattern.trim_end_matches('/');
    let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
    if pattern.is_empty() {
        return None;
    }
    // Pi puts the directory before the pattern, and a slash inside ties it to its place.
    let anchored = pattern.contains('/') || !directory.as_os_str().is_empty();
    let prefix = globset::escape(&directory.to_string_lossy());
    let mut whole = PathBuf::from(prefix);
    if !anchored {
        whole.push("**");
    }
    whole.push(pattern);
    let glob = GlobBuilder::new(&whole.to_string_lossy()).literal_separator(true).build().ok()?;
    Some(IgnoreRule { glob: glob.compile_matcher(), keeps, directories_only })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: &Path) -> (IgnoreRules, Vec<Problem>) {
        let (mut rules, mut problems) = (IgnoreRules::default(), Vec::new());
        rules.read(root, Path::new(""), &mut problems);
        (rules, problems)
    }

    #[test]
    fn patterns_mean_what_they_mean_to_pi() {
        let mut rules = IgnoreRules::default();
        rules.add(Path::new(""), "# comment\n*-old\n!keep-old\n/top\nsub/deep\nonly-dir/\n");
        rules.add(Path::new("group"), "inner\n");
        let ignored = |path: &str| rules.ignores(Path::new(path), true);
        assert!(ignored("pdf-old"));
        assert!(ignored("a/pdf-old"));
        assert!(!ignored("keep-old"));
        assert!(ignored("top") && ignored("a/top"));
        assert!(ignored("sub/deep") && !ignored("x/sub/deep"));
        assert!(ignored("only-dir") && !rules.ignores(Path::new("only-dir"), false));
        assert!(ignored("group/inner") && !ignored("group/x/inner") && !ignored("inner"));
        assert!(rule(Path::new(""), "/").is_none() && rule(Path::new(""), "!/").is_none());
    }

    #[test]
    fn exceeded_limits_are_reported_and_the_rest_is_checked() {
        let temp = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(temp.path().join(name), text).unwrap();
        let unused = || {
            let (rules, problems) = read(temp.path());
            let name = |problem: &Problem| match problem {
                Problem::Unusable(path, _) => path.file_name().unwrap().to_owned(),
                other => panic!("{other:?}"),
            };
            (rules.rules.len(), problems.iter().map(name).collect::<Vec<_>>())
        };
        write(".gitignore", &"a\n".repeat(MOST_RULES));
        assert_eq!(unused(), (MOST_RULES, vec![]));
        write(".ignore", "# nothing\n\n");
        assert_eq!(unused(), (MOST_RULES, vec![]));
        write(".ignore", "b\n");
        assert_eq!(unused(), (MOST_RULES, vec![".ignore".into()]));
        write(".gitignore", &"#".repeat(MOST_BYTES));
        write(".ignore", "");
        assert_eq!(unused(), (0, vec![]));
        write(".gitignore", &"#".repeat(MOST_BYTES + 1));
        assert_eq!(unused(), (0, vec![".gitignore".into()]));
        write(".gitignore", &"#".repeat(2 * 1024 * 1024));
        assert_eq!(unused(), (0, vec![".gitignore".into()]));
    }

    #[test]
    fn files_count_in_one_order_whichever_was_made_first() {
        for names in [[".gitignore", ".ignore"], [".ignore", ".gitignore"]] {
            let temp = tempfile::tempdir().unwrap();
            for name in names {
                let text = if name == ".gitignore" { "*-old\n" } else { "!keep-old\n" };
                std::fs::write(temp.path().join(name), text).unwrap();
            }
            let (rules, _) = read(temp.path());
            assert!(!rules.leaves_out(temp.path(), &temp.path().join("keep-old"), false));
            assert!(rules.leaves_out(temp.path(), &temp.path().join("other-old"), false));
        }
    }
}
