//! Reads the file of one skill as its agent does.

use std::path::{Path, PathBuf};

use super::loading_rules::{Beside, LoadingRules};
use super::readers::{AgentReading, RawSkill};
use crate::skills::files::content::{self, Content};
use crate::skills::files::platform::FileStat;
use crate::skills::text::document::SKILL_MD;

/// The content of a skill's file.
#[derive(Debug)]
pub struct FileBytes {
    /// All of it.
    pub bytes: Vec<u8>,
    /// What the system says about the file.
    pub stat: FileStat,
}

/// What an agent makes of the skill at this path, and its file, unless that is a link.
pub(super) fn read(
    loading: &LoadingRules,
    path: &Path,
    is_file: bool,
) -> (AgentReading, Option<FileBytes>) {
    let lost = |reason: String| (AgentReading::Lost(reason), None);
    let file = if is_file { path.to_owned() } else { path.join(SKILL_MD) };
    let is_link = match file.symlink_metadata() {
        Ok(data) => data.file_type().is_symlink(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return lost("its file is not called SKILL.md".to_owned());
        }
        Err(error) => return lost(content::system_message(&error)),
    };
    if is_link && !loading.linked_skill_md {
        return lost("its SKILL.md is a link".to_owned());
    }
    let real = file.canonicalize().unwrap_or(file);
    let (bytes, stat) = match content::bytes(&real) {
        Ok(read) => read,
        Err(Content::TooLarge { bytes }) => {
            return lost(format!(
                "not known: its SKILL.md has {bytes} bytes, more than is read here"
            ));
        }
        Err(_) => return lost("its SKILL.md cannot be read".to_owned()),
    };
    // A `SKILL.md` that is a link keeps the directory of the link.
    let real_directory = loading.real_directory_name.then(|| path.canonicalize().ok()).flatten();
    let own = real_directory.as_deref().unwrap_or(path);
    let directory = if is_file { own.parent() } else { Some(own) };
    let directory = directory.map(name).unwrap_or_default();
    let reading = reading(loading, &directory, &bytes, &|file| bytes_beside(path, file));
    (reading, (!is_link).then_some(FileBytes { bytes, stat }))
}

/// What an agent makes of a `SKILL.md` with these bytes, in a directory of this name. `beside` reads
/// the other files of the skill that the agent looks at.
pub fn reading(
    loading: &LoadingRules,
    directory: &str,
    bytes: &[u8],
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> AgentReading {
    let is_withheld = |file: &Beside| {
        beside(file.file).is_some_and(|bytes| (file.withholds)(&String::from_utf8_lossy(&bytes)))
    };
    match (loading.read)(&RawSkill { directory, bytes }) {
        AgentReading::Listed(listed) => match loading.beside.filter(is_withheld) {
            Some(file) => AgentReading::Hidden(listed.name, format!("`{}`", file.file)),
            None => AgentReading::Listed(listed),
        },
        other => other,
    }
}

/// The last part of a path.
pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn bytes_beside(skill: &Path, file: &str) -> Option<Vec<u8>> {
    let path = skill.join(file);
    let real = path.canonicalize().unwrap_or(path);
    content::bytes(&real).ok().map(|(bytes, _)| bytes)
}

/// The file of a skill, where links lead.
pub(super) fn real_file(path: &Path, is_file: bool) -> Option<PathBuf> {
    let file = if is_file { path.to_owned() } else { path.join(SKILL_MD) };
    file.canonicalize().ok()
}

/// Markdown files directly in `root`, except `SKILL.md`.
pub(super) fn markdown_files(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let is_skill = |path: &PathBuf| {
        let name = name(path);
        name.ends_with(".md") && !name.starts_with('.') && name != SKILL_MD && path.is_file()
    };
    entries.map(|entry| entry.path()).filter(is_skill).collect()
}
