//! Looks programs up in a PATH, without running them.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::skills::files;

/// The default PATH.
const USUAL_PATH: &str = "/bin:/usr/bin";

/// Endings of scripts, on systems where programs have an ending.
const SCRIPT_SUFFIXES: [&str; 4] = [".cmd", ".bat", ".com", ".ps1"];

/// The candidates for a command: its path, or the files of that name in PATH. Directories of PATH
/// without access are skipped.
pub fn candidates(program: &OsStr, path: Option<&OsStr>) -> Vec<PathBuf> {
    if is_path(program) {
        return vec![PathBuf::from(program)];
    }
    files_named(&names(program, &[EXE_SUFFIX]), path).collect()
}

/// Whether a command exists at its path or in a directory of this PATH.
pub fn is_anywhere(program: &OsStr, path: Option<&OsStr>) -> bool {
    is_path(program) || !candidates(program, path).is_empty()
}

/// Whether a directory of this PATH has a program of this name that can be run.
pub fn is_on_path(program: &str, path: Option<&OsStr>) -> bool {
    let suffixes: Vec<&str> = std::iter::once(EXE_SUFFIX).chain(SCRIPT_SUFFIXES).collect();
    let can_run =
        |file: PathBuf| file.metadata().is_ok_and(|metadata| files::is_executable(&metadata));
    !is_path(OsStr::new(program))
        && files_named(&names(OsStr::new(program), &suffixes), path).any(can_run)
}

/// A name, and the same with the endings that programs have on this system.
fn names(program: &OsStr, suffixes: &[&str]) -> Vec<OsString> {
    let mut names = vec![program.to_owned()];
    if !EXE_SUFFIX.is_empty() && Path::new(program).extension().is_none() {
        let with = |suffix: &&str| [program, OsStr::new(suffix)].into_iter().collect();
        names.extend(suffixes.iter().map(with));
    }
    names
}

fn files_named<'a>(
    names: &'a [OsString],
    path: Option<&OsStr>,
) -> impl Iterator<Item = PathBuf> + use<'a> {
    let path = path.unwrap_or(OsStr::new(USUAL_PATH));
    let directories: Vec<PathBuf> = std::env::split_paths(path).collect();
    directories
        .into_iter()
        // An empty part means the current directory.
        .map(|directory| Path::new(".").join(directory))
        .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
        .filter(|file| file.is_file())
}

/// Whether a command is a path, which is not looked up in PATH.
fn is_path(program: &OsStr) -> bool {
    let bytes = program.as_encoded_bytes();
    bytes.is_empty() || bytes.iter().any(|byte| std::path::is_separator(char::from(*byte)))
}
