//! Which installed skills a user means: names, globs, or all of them.

use std::path::PathBuf;

use crate::skills::find::record::Index;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::filter::NameFilter;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::destination::real_path;
use crate::skills::put::install::site;
use crate::skills::text::suggest;

/// Characters that make a word a glob.
const GLOB: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Names and globs of installed skills.
#[derive(Debug, Clone, Default)]
pub struct InstalledChoice {
    names: Vec<SkillName>,
    globs: Vec<(String, NameFilter)>,
    /// Whether every skill is chosen.
    all: bool,
}

impl InstalledChoice {
    /// Every skill.
    pub fn all() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// Reads names and globs.
    pub fn of(words: &[String]) -> Result<Self> {
        let mut choice = Self::default();
        for word in words {
            if word.contains(GLOB) {
                let filter = NameFilter::new(std::slice::from_ref(word), &[])?;
                choice.globs.push((word.clone(), filter));
                continue;
            }
            let name = SkillName::new(word)
                .map_err(|error| err!(Usage, "`{word}` is not a valid skill name: {error}"))?;
            if !choice.names.contains(&name) {
                choice.names.push(name);
            }
        }
        Ok(choice)
    }

    /// Whether only names were given, so that no list of skills is needed.
    pub fn is_exact(&self) -> bool {
        self.globs.is_empty() && !self.all
    }

    /// The chosen skills: the names, and the known skills that a glob matches.
    pub fn among(&self, known: &[SkillName]) -> Result<Vec<SkillName>> {
        let mut chosen = if self.all { known.to_vec() } else { self.names.clone() };
        for (glob, filter) in &self.globs {
            let matches = |name: &&SkillName| filter.accepts(std::iter::once(name.as_str()));
            let mut matching = known.iter().filter(matches).peekable();
            if matching.peek().is_none() {
                let names: Vec<&str> = known.iter().map(SkillName::as_str).collect();
                let error = err!(NotFound, "no installed skill matches `{glob}`");
                return Err(match names.as_slice() {
                    [] => error.help("nothing was installed there"),
                    names => error.help(format!("installed there: {}", names.join(", "))),
                });
            }
            for name in matching {
                if !chosen.contains(name) {
                    chosen.push(name.clone());
                }
            }
        }
        Ok(chosen)
    }
}

/// The skills that were installed in these directories, by their records.
pub fn recorded(directories: &[PathBuf]) -> Result<Vec<SkillName>> {
    let mut names = Vec::new();
    for path in directories {
        if let Some((real, directory)) = site::existing_directory(path)? {
            names.extend(Index::read(&directory, &real)?.records.into_keys());
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The names in these records.
pub fn recorded_names<'a>(
    indexes: impl Iterator<Item = &'a Index>,
) -> impl Iterator<Item = String> {
    indexes.flat_map(|index| index.records.keys().map(ToString::to_string))
}

/// The error for a skill that no directory has.
pub fn unknown(
    name: &SkillName,
    known: impl Iterator<Item = String>,
    directories: &[PathBuf],
) -> Error {
    let mut known: Vec<String> = known.collect();
    known.sort_unstable();
    known.dedup();
    let shown: Vec<String> =
        directories.iter().map(|path| format!("`{}`", path.display())).collect();
    let mut error = err!(NotFound, "no skill named `{name}` in {}", shown.join(" or "))
        .about(name.as_str(), None);
    if let [directory] = directories {
        let directory = real_path(directory);
        error = error.at(directory.join(name.as_str())).within(&directory);
    }
    let near = suggest::nearest(name.as_str(), known.iter().map(String::as_str));
    match near {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => error.help("nothing was installed there"),
        None => error.help(format!("installed there: {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_choose_among_known_skills_and_names_stay() {
        let known: Vec<SkillName> =
            ["csv", "pdf", "pdf-forms"].map(|name| SkillName::new(name).unwrap()).into();
        let chosen = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let chosen = InstalledChoice::of(&words).and_then(|choice| choice.among(&known));
            chosen.map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(chosen(&["pdf*"]).unwrap(), "pdf pdf-forms");
        assert_eq!(chosen(&["other", "c?v", "csv"]).unwrap(), "other csv");
        assert!(chosen(&["x*"]).is_err() && chosen(&["[a"]).is_err() && chosen(&["../x"]).is_err());
        assert_eq!(InstalledChoice::all().among(&known).unwrap(), known);
    }
}
