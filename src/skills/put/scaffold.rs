//! Writes a new skill that validates clean.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::skills::find::manifest::{FILE_NAME, schema};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::inline;
use crate::skills::model::name::SkillName;
use crate::skills::text::document::SKILL_MD;

/// The text of a new `SKILL.md`.
///
/// # Errors
/// A description that cannot be written as YAML.
pub fn skill_md(name: &SkillName, description: Option<&str>) -> Result<String> {
    let title = title(name);
    let described = format!(
        "Describe in one sentence what {title} does. Use when the user asks for it by name."
    );
    let yaml = inline::front_matter(name.as_str(), description.unwrap_or(&described))?;
    Ok(format!(
        "---\n{yaml}---\n\n# {title}\n\n\
         ## When to use\n\n\
         Say which requests this skill is for, and which it is not for.\n\n\
         ## Steps\n\n\
         1. Say what to do first.\n\
         2. Say how to check the result.\n"
    ))
}

/// Creates `parent/name/SKILL.md` with this text and returns its path.
///
/// # Errors
/// A directory that exists already, or that cannot be made.
pub fn create(parent: &Path, name: &SkillName, text: &str) -> Result<PathBuf> {
    let directory = parent.join(name.as_str());
    std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, &error))?;
    std::fs::create_dir(&directory).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            let message = format!("`{}` already exists", directory.display());
            Error::new(ErrorKind::Conflict, message)
                .at(&directory)
                .help("choose another name, or another directory with `--dir`")
        }
        _ => Error::io("create", &directory, &error),
    })?;
    let file = directory.join(SKILL_MD);
    if let Err(error) = std::fs::write(&file, text) {
        // Do not leave half a skill. If this fails too, report the first error.
        let _ = std::fs::remove_dir_all(&directory);
        return Err(Error::io("write", &file, &error));
    }
    Ok(file)
}

/// Creates a commented manifest in `parent` and returns its path.
///
/// # Errors
/// A manifest that exists already, or that cannot be written.
pub fn create_manifest(parent: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, &error))?;
    let file = parent.join(FILE_NAME);
    let created = std::fs::File::create_new(&file)
        .and_then(|mut opened| opened.write_all(schema::EXAMPLE.as_bytes()));
    match created {
        Ok(()) => Ok(file),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let message = format!("`{}` already exists", file.display());
            Err(Error::new(ErrorKind::Conflict, message).at(file))
        }
        Err(error) => Err(Error::io("write", file, &error)),
    }
}

/// `pdf-forms` gives `Pdf Forms`.
fn title(name: &SkillName) -> String {
    let capitalise = |word: &str| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    };
    name.as_str().split('-').map(capitalise).collect::<Vec<_>>().join(" ")
}
