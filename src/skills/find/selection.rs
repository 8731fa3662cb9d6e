//! Selects the skills of a command: sources or a manifest, then filters.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::fetch::{Remotes, archive};
use crate::skills::find::lock::OpenedLock;
use crate::skills::find::scan::{self, Reading, Scan, ScanOptions};
use crate::skills::find::settle::{self, Namespace, Precedence};
use crate::skills::find::{manifest, plugins, resolve};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::verdict::Judged;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::model::source::{NamedRoot, Source};
use crate::skills::text::document::SKILL_MD;
use crate::skills::text::suggest;

/// The selection of a command.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The requested sources.
    pub requests: Vec<Request>,
    /// Options for scanning.
    pub scan: ScanOptions,
    /// The servers of this run.
    pub remotes: Arc<Remotes>,
    /// The lock of the manifest that named the requests.
    pub lock: Option<Arc<OpenedLock>>,
    /// Whether filters narrow the requests.
    pub is_narrowed: bool,
    /// Requests of closed sections, to explain why one of their skills is not found.
    pub waiting: Vec<Request>,
}

impl Selection {
    /// The real directory of each request, if it is a directory.
    pub fn roots(&self) -> Vec<Option<PathBuf>> {
        let root = |request: &Request| match &request.what {
            RequestedSource::Path(path) => resolve::directory(path),
            RequestedSource::Git(..)
            | RequestedSource::Packed(..)
            | RequestedSource::Network(_)
            | RequestedSource::Inline(_) => None,
        };
        self.requests.iter().map(root).collect()
    }

    /// The directories to use as the skills directories of an agent. For a single skill, this is
    /// its parent, without the other skills there.
    pub fn directories(&self) -> Result<Vec<NamedRoot>> {
        let refused = |what: String| {
            let error = err!(NotDirectory, "{what} is not a skills directory");
            Err(error.help("for an agent's view, name directories of skills"))
        };
        let mut roots: Vec<NamedRoot> = Vec::new();
        for request in &self.requests {
            let path = match source(request, self)? {
                Source::Directory(path) => path,
                Source::File(path) => return refused(format!("`{}`", path.display())),
                Source::Bundle(bundle) => {
                    return refused(format!("`{}`", bundle.path.display()));
                }
                Source::Inline(inline) => {
                    return refused(format!("the inline skill `{}`", inline.name));
                }
            };
            match path.parent().filter(|_| path.join(SKILL_MD).exists()) {
                None => match roots.iter_mut().find(|root| root.path == path) {
                    Some(root) => root.only.clear(),
                    None => roots.push(NamedRoot { path, only: Vec::new() }),
                },
                Some(parent) => match roots.iter_mut().find(|root| root.path == parent) {
                    // The whole directory was already named.
                    Some(root) if root.only.is_empty() => {}
                    Some(root) => root.only.push(path),
                    None => roots.push(NamedRoot { path: parent.to_owned(), only: vec![path] }),
                },
            }
        }
        Ok(roots)
    }
}

/// Finds and reads the selected skills.
pub fn select<T: Send>(
    selection: &Selection,
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<T> + Sync),
) -> Result<(Vec<T>, Scan)> {
    let (skills, mut scan) = find(selection, read)?;
    require_some(selection, skills.len(), &mut scan)?;
    Ok((skills, scan))
}

/// Refuses a search that found nothing.
pub fn require_some(selection: &Selection, found: usize, scan: &mut Scan) -> Result<()> {
    require_any(selection, scan)?;
    none_pass(found, &scan.names).map_or(Ok(()), Err)
}

/// Refuses sources without any skill. Filters do not matter.
pub fn require_any(selection: &Selection, scan: &mut Scan) -> Result<()> {
    if scan.names.is_empty() {
        return Err(scan.unreadable.pop().unwrap_or_else(|| nothing_found(selection)));
    }
    Ok(())
}

/// The message if filters exclude every skill: an error for commands that copy, else a warning.
pub fn none_pass(found: usize, names: &[String]) -> Option<Error> {
    if found > 0 || names.is_empty() {
        return None;
    }
    Some(err!(Usage, "no skill matches the filters, of {} found", names.len()).help(list(names)))
}

/// Like [`select`], but finding no skill is not an error.
pub fn find<T: Send>(
    selection: &Selection,
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<T> + Sync),
) -> Result<(Vec<T>, Scan)> {
    let (skills, scan) = scan::scan(&sources(selection)?, &selection.scan, read)?;
    if let Some(name) = &scan.taken_twice {
        return Err(settle::inline_twice(&selection.requests, name));
    }
    plugins::require(&selection.scan.plugins, &scan.plugins)?;
    let is_there = |name: &String| {
        [&scan.names, &scan.folders, &scan.qualified].iter().any(|known| known.contains(name))
    };
    match selection.scan.only.iter().find(|name| !is_there(name)) {
        Some(missing) if missing.contains(':') && !scan.qualified.is_empty() => {
            Err(unknown_name(missing, &scan.qualified))
        }
        Some(missing) => {
            let waiting = selection.waiting.iter().find(|one| provides(one, missing, selection));
            let section = waiting.and_then(|request| request.section.as_deref());
            Err(section.map_or_else(
                || unknown_name(missing, &scan.names),
                |section| {
                    let error = err!(NotFound, "`{missing}` waits for its section `{section}`")
                        .about(missing, None);
                    error.help(format!("add `--expand {section}`"))
                },
            ))
        }
        None => Ok((skills, scan)),
    }
}

/// Finds the selected skills with their verdicts, in the order of their sources.
pub fn judge<T: Send>(
    selection: &Selection,
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<Judged<T>> + Sync),
) -> Result<(Vec<Judged<T>>, Scan)> {
    let (skills, scan) = find(selection, read)?;
    Ok((settled(skills), scan))
}

/// The same, but finding no skill is an error, unless a manifest names none.
pub fn judge_some<T: Send>(
    selection: &Selection,
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<Judged<T>> + Sync),
) -> Result<(Vec<Judged<T>>, Scan)> {
    match selection.requests.is_empty() {
        true => judge(selection, read),
        false => {
            let (skills, scan) = select(selection, read)?;
            Ok((settled(skills), scan))
        }
    }
}

/// Sorts skills in the order of their sources, and decides between those of one name.
pub fn settled<T>(mut skills: Vec<Judged<T>>) -> Vec<Judged<T>> {
    skills.sort_by_key(|judged| judged.skill.source);
    settle::settle(&mut skills, Precedence::Named, Namespace::Plugins, 1);
    skills
}

/// Decides between skills of one name in different plugins, where all go into one directory.
pub fn flatten<T>(skills: &mut [Judged<T>]) {
    settle::settle(skills, Precedence::Named, Namespace::Directory, 1);
}

/// Why each request cannot be read; none for one that can.
pub fn try_sources(selection: &Selection) -> Vec<Option<Error>> {
    prepare(selection);
    selection.requests.iter().map(|request| source(request, selection).err()).collect()
}

/// Asks the servers of all requests at once.
fn prepare(selection: &Selection) {
    selection.remotes.prepare(&selection.requests, &selection.scan.only);
}

/// Whether a request has a skill of this name. Servers are not asked.
fn provides(request: &Request, name: &str, selection: &Selection) -> bool {
    if let Some(own) = &request.name {
        return own.as_str() == name;
    }
    if matches!(request.what, RequestedSource::Git(..) | RequestedSource::Network(_)) {
        return false;
    }
    let Ok(source) = source(request, selection) else { return false };
    let options = ScanOptions { only: vec![name.to_owned()], ..ScanOptions::default() };
    let read = |_: &OpenedSkill<'_>| Reading { made: (), nested: Vec::new() };
    scan::scan(&[(source, None)], &options, &read).is_ok_and(|(found, _)| !found.is_empty())
}

/// Resolves the requests to sources.
fn sources(selection: &Selection) -> Result<Vec<(Source, Option<SkillName>)>> {
    prepare(selection);
    let named = |request: &Request| Ok((source(request, selection)?, request.name.clone()));
    let sources: Result<_> = selection.requests.iter().map(named).collect();
    if sources.is_err() {
        settle::refuse_named_together(&selection.requests)?;
    }
    sources
}

/// Resolves one request to a source.
fn source(request: &Request, selection: &Selection) -> Result<Source> {
    let remotes = &selection.remotes;
    let resolved = match &request.what {
        RequestedSource::Path(path) => resolve::resolve(path),
        RequestedSource::Git(location, pin) => {
            let opened = match &request.skill {
                Some(skill) => remotes.git.open_skill(location, pin.as_deref(), skill),
                None => remotes.git.open(location, pin.as_deref()),
            };
            opened.map(Source::Bundle)
        }
        RequestedSource::Packed(path, directory) => {
            archive::open_directory(path, directory).map(|bundle| Source::Bundle(Arc::new(bundle)))
        }
        RequestedSource::Network(source) => {
            remotes.network.open(source, &selection.scan.only).map(Source::Bundle)
        }
        RequestedSource::Inline(inline) => Ok(Source::Inline(Arc::clone(inline))),
    };
    resolved.map_err(|error| {
        let error = match request.name.as_ref().map(SkillName::as_str).or(request.skill.as_deref())
        {
            Some(name) => error.about(name, None),
            None => error,
        };
        match &request.place {
            Some(place) => Error { message: format!("{place}: {}", error.message), ..error },
            None => error,
        }
    })
}

/// Checks that every requested name was found.
pub fn require(wanted: &[String], available: &[String]) -> Result<()> {
    match wanted.iter().find(|name| !available.contains(*name)) {
        Some(missing) => Err(unknown_name(missing, available)),
        None => Ok(()),
    }
}

fn nothing_found(selection: &Selection) -> Error {
    let named: Vec<String> = selection
        .requests
        .iter()
        .filter_map(|request| match &request.what {
            RequestedSource::Path(path) => Some(format!("`{}`", path.display())),
            RequestedSource::Git(location, _) => Some(format!("`{location}`")),
            RequestedSource::Packed(path, _) => Some(format!("`{}`", path.display())),
            RequestedSource::Network(source) => Some(format!("`{}`", source.address)),
            RequestedSource::Inline(_) => None,
        })
        .collect();
    let message = if named.is_empty() {
        "the manifest names no skills that are enabled and expanded".to_owned()
    } else {
        format!("no skill in {}", named.join(", "))
    };
    let error = Error::new(ErrorKind::MissingSkillMd, message)
        .help("a skill is a directory with a `SKILL.md`; run `skills init NAME` to make one");
    match selection.requests.as_slice() {
        [Request { what: RequestedSource::Path(only), .. }] if holds_archive(only) => {
            let archives = only.join("*.skill");
            error.at(only).help(format!(
                "it contains archives; name them as sources: `{}`",
                archives.display()
            ))
        }
        [Request { what: RequestedSource::Path(only), .. }] => match near_miss(only) {
            Some((found, meant)) => {
                error.at(only).help(format!("found `{found}`; did you mean `{meant}`?"))
            }
            None => error.at(only),
        },
        _ => error,
    }
}

/// Whether a directory contains archives, which are read only if the user names them.
fn holds_archive(directory: &Path) -> bool {
    entries(directory).any(|path| path.extension().is_some_and(|one| one == "skill"))
}

/// A file with nearly the name of a `SKILL.md` or manifest, and the intended name.
fn near_miss(directory: &Path) -> Option<(String, &'static str)> {
    let names = entries(directory).filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let misses = names.filter_map(|name| {
        let meant = match name.to_ascii_lowercase().as_str() {
            "skill" | "skills.md" | "skill.txt" | "skill.md.txt" | "skill.markdown"
            | "skill.mdx" | "skill-md" | "skillmd" => SKILL_MD,
            "skills.yml" => manifest::FILE_NAME,
            _ => return None,
        };
        Some((name, meant))
    });
    // Sort, because the order of directory entries is arbitrary.
    misses.filter(|(name, _)| directory.join(name).is_file()).min()
}

/// Some entries of the named directory.
fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    const LOOKED_AT: usize = 1_000;
    let entries = directory.read_dir().into_iter().flatten().take(LOOKED_AT).flatten();
    entries.map(|entry| entry.path())
}

fn unknown_name(wanted: &str, available: &[String]) -> Error {
    let error = err!(NotFound, "no skill named `{wanted}`").about(wanted, None);
    error.help(suggest::help(wanted, available.iter().map(String::as_str), list(available)))
}

fn list(available: &[String]) -> String {
    if available.is_empty() {
        return "there are no skills".to_owned();
    }
    let mut names: Vec<&str> = available.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    format!("available: {}", suggest::some(&names))
}
