//! Decides what kind of source a path is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::fetch::oci::{collect, layout};
use crate::skills::fetch::{archive, site};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::location::pasted;
use crate::skills::model::source::Source;
use crate::skills::text::document::is_skill_md;
use crate::skills::text::suggest;

/// The valid sources, for messages.
const SOURCES: &str = "name a directory, a `SKILL.md`, another `.md` file, an archive (.skill, .zip, .tar.gz) or a git source";

/// Decides what `path` is, following links.
pub fn resolve(path: &Path) -> Result<Source> {
    if let Some(parent) = directory_of_skill_md(path) {
        return parent
            .canonicalize()
            .map(Source::Directory)
            .map_err(|error| Error::io("read", parent, &error));
    }
    let real = path.canonicalize().map_err(|error| missing(path, &error))?;
    if real.is_dir() && layout::is_layout(&real) {
        return collect::of_layout(&real).map(|bundle| Source::Bundle(Arc::new(bundle)));
    }
    if real.is_dir() {
        return Ok(Source::Directory(real));
    }
    if real.is_file() && has_extension(&real, "md") {
        return Ok(Source::File(real));
    }
    if real.is_file() && archive::is_archive(&real) {
        return archive::open(&real).map(|bundle| Source::Bundle(Arc::new(bundle)));
    }
    if real.is_file() && site::is_index(&real) {
        return site::open(&real).map(|bundle| Source::Bundle(Arc::new(bundle)));
    }
    Err(not_a_skill(path, &real))
}

/// The real directory that a path stands for, if any.
pub fn directory(path: &Path) -> Option<PathBuf> {
    let real = directory_of_skill_md(path).unwrap_or(path).canonicalize().ok()?;
    real.is_dir().then_some(real)
}

/// The directory of a `SKILL.md` that the user named, even if that entry is not a file.
fn directory_of_skill_md(path: &Path) -> Option<&Path> {
    let is_entry = path.symlink_metadata().is_ok_and(|data| !data.is_dir());
    if !is_entry || !path.file_name().is_some_and(is_skill_md) {
        return None;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Some(parent.unwrap_or(Path::new(".")))
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Packages of other tools: the prefix, what it names, and how to get the address of an archive.
const PACKAGES: [(&str, &str, &str); 2] = [
    ("npm:", "an npm package", "`npm view {} dist.tarball` prints it"),
    (
        "pypi:",
        "a Python package",
        "the list of its files has it; or install the file that `pip download --no-deps \
         --no-binary :all: {}` fetches",
    ),
];

/// The error for a package, which its own tool turns into an address.
fn package(path: &Path) -> Option<Error> {
    let text = path.to_str()?;
    let named = |(prefix, what, way): &(&str, &str, &str)| {
        let at = text.find(prefix).filter(|at| *at == 0 || text[..*at].ends_with('/'))?;
        let (written, name) = (&text[at..], &text[at + prefix.len()..]);
        // The help is for copying into a shell.
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "@/._-=".contains(one);
        let is_name = !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain);
        let way = way.replace("{}", if is_name { name } else { "NAME" });
        let help = format!(
            "install its archive by its address, `skills install https://….tgz` or \
             `….tar.gz`: {way}"
        );
        Some(err!(NotFound, "`{written}` is {what}, which is not a source of skills").help(help))
    };
    PACKAGES.iter().find_map(named)
}

fn missing(path: &Path, error: &std::io::Error) -> Error {
    if path.symlink_metadata().is_ok_and(|data| data.file_type().is_symlink()) {
        return err!(NotFound, "`{}` is a dangling link", path.display()).at(path);
    }
    let failure = Error::io("read", path, error);
    if failure.kind != ErrorKind::NotFound {
        return failure;
    }
    if let Some(error) = package(path) {
        return error;
    }
    match (neighbour(path), path.to_str().and_then(pasted::suggest)) {
        (Some(name), _) => {
            failure.help(format!("did you mean `{}`?", path.with_file_name(name).display()))
        }
        (None, Some(better)) => {
            let short = path.to_str().and_then(pasted::in_short);
            let only = short.and_then(|(_, skill)| Some(format!(" with `--only {}`", skill?)));
            let only = only.unwrap_or_default();
            failure.help(format!("did you mean the git source `{better}`{only}?"))
        }
        (None, None) => failure.help(SOURCES),
    }
}

/// An existing sibling with nearly the same name.
fn neighbour(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let names: Vec<String> = std::fs::read_dir(parent.unwrap_or(Path::new(".")))
        .ok()?
        .take(1_000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    suggest::nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

fn not_a_skill(path: &Path, real: &Path) -> Error {
    if has_extension(real, "yaml") || has_extension(real, "yml") {
        let shown = path.display();
        let help =
            format!("`skills list --manifest {shown}` reads it; a manifest cannot name another");
        return err!(NotDirectory, "`{}` is a manifest, not a skill", path.display())
            .at(path)
            .help(help);
    }
    err!(NotDirectory, "`{}` is not a skill", path.display()).at(path).help(SOURCES)
}
