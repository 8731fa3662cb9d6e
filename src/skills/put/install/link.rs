//! Installs links to skills instead of copies, so that agents see the author's working tree. A link
//! is recorded as a link; nothing here follows one.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::{self, Directory, FileKind, atomic};
use crate::skills::find::disabled;
use crate::skills::find::record::{FILE_NAME, Index, InstallRecord};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::plan::{Conflict, Reason};
use crate::skills::put::install::site::{self, Site};
use crate::skills::put::install::{
    Done, InstallOptions, InstallSummary, SkillOutcome, VersionChange, destination, note,
    real_paths, recovered,
};
use crate::skills::text::size;

/// Links skills into every one of the directories, or into none.
///
/// # Errors
/// A skill that is not a directory on this machine, or a link that cannot be created.
pub fn link(
    candidates: &[Candidate],
    directories: &[PathBuf],
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<InstallSummary> {
    candidates.iter().try_for_each(require_directory)?;
    let mut report = InstallSummary::default();
    for (named, real) in &real_paths(directories) {
        destination::refuse_outside(named, real, options.within.as_deref())?;
        candidates.iter().try_for_each(|candidate| refuse_loop(candidate, real))?;
    }
    if options.dry_run {
        for (named, path) in &real_paths(directories) {
            note(named, path, &mut report);
            let directory = site::existing_directory(named)?.map(|(_, directory)| directory);
            let index = directory.as_ref().map(|directory| Index::read(directory, path));
            let index = index.transpose()?.unwrap_or_default();
            decide(candidates, directory.as_ref(), path, &index, options, &mut report)?;
        }
        return Ok(report);
    }
    let sites = Site::open_all(directories, options.lock_timeout, options.threads, reporter)?;
    let done = link_all(candidates, &sites, options, &mut report);
    if done.is_err() || !report.conflicts.is_empty() {
        sites.into_iter().for_each(Site::abandon);
    }
    done.map(|()| report)
}

fn link_all(
    candidates: &[Candidate],
    sites: &[Site],
    options: &InstallOptions,
    report: &mut InstallSummary,
) -> Result<()> {
    for site in sites {
        destination::refuse_outside(&site.named, &site.path, options.within.as_deref())?;
        note(&site.named, &site.path, report);
        report.notices.extend(recovered(site));
        decide(candidates, Some(&site.directory), &site.path, &site.index, options, report)?;
    }
    if !report.conflicts.is_empty() {
        return Ok(());
    }
    let mut made: Vec<(&Site, &Candidate)> = Vec::new();
    let linked = (|| {
        for site in sites {
            for candidate in candidates {
                if make(site, candidate)? {
                    made.push((site, candidate));
                }
            }
        }
        // Create links before records: the next run records a link, but a record without a link is
        // wrong.
        sites.iter().try_for_each(|site| {
            write_index(&site.directory, &site.path, recorded(site, candidates))
        })
    })();
    if linked.is_err() {
        for (site, candidate) in made {
            let _ = site.directory.remove_file(OsStr::new(candidate.name.as_str()));
        }
    }
    linked
}

/// Creates a link; false if it exists already.
fn make(site: &Site, candidate: &Candidate) -> Result<bool> {
    let name = OsStr::new(candidate.name.as_str());
    let path = site.path.join(name);
    let cannot = |error: &io::Error| match error.kind() {
        io::ErrorKind::Unsupported => {
            err!(Usage, "`--link` needs symbolic links, which this system does not allow")
                .help("install a copy instead")
        }
        _ => Error::writing("link", &path, error),
    };
    if target_of(&site.directory, name).is_some_and(|target| target == candidate.skill.path) {
        return Ok(false);
    }
    if target_of(&site.directory, name).is_some() {
        site.directory.remove_file(name).map_err(|error| cannot(&error))?;
    }
    files::link(&candidate.skill.path, &path).map_err(|error| cannot(&error))?;
    Ok(true)
}

/// Decides about every skill: links that are ours may be changed, everything else is in the way.
fn decide(
    candidates: &[Candidate],
    directory: Option<&Directory>,
    path: &Path,
    index: &Index,
    options: &InstallOptions,
    report: &mut InstallSummary,
) -> Result<()> {
    let disabled = disabled::names(path)?;
    for candidate in candidates {
        let name = OsStr::new(candidate.name.as_str());
        let there = path.join(name);
        let record = index.records.get(&candidate.name);
        if disabled.contains(&candidate.name) {
            report.conflicts.push(Conflict::new(there, Reason::Disabled, record));
            continue;
        }
        let kind = match directory.map(|directory| directory.kind(name)).transpose() {
            Ok(kind) => kind,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io("read", &there, &error)),
        };
        let target = directory.and_then(|directory| target_of(directory, name));
        let is_ours = record.is_some_and(|record| record.linked);
        let action = match (kind, target) {
            (None, _) => Done::Created,
            (_, Some(target)) if target == candidate.skill.path => Done::Unchanged,
            (_, Some(_)) if is_ours && options.force => Done::Replaced,
            (kind, _) => {
                let kind = kind.unwrap_or(FileKind::Directory);
                let reason = Reason::NotALink(kind);
                report.conflicts.push(Conflict::new(there, reason, record));
                continue;
            }
        };
        let tree = candidate.tree(&options.allowance())?;
        report.outcomes.push(SkillOutcome {
            name: candidate.name.to_string(),
            folder: candidate.other_folder(),
            path: there,
            source: candidate.source().to_string_lossy().into_owned(),
            kind: RecordedKind::Known(SkillKind::Directory),
            action,
            files: tree.files.len(),
            bytes: tree.bytes(),
            digest: tree.digest(),
            backup: None,
            version: VersionChange::default(),
        });
    }
    Ok(())
}

/// The record of a directory with these links.
fn recorded(site: &Site, candidates: &[Candidate]) -> Index {
    let mut index = site.index.clone();
    let installed_at = size::timestamp(size::now());
    for candidate in candidates {
        let Some(digest) = candidate.known_tree().and_then(|tree| tree.digest()) else { continue };
        let before = index.records.get(&candidate.name);
        let source = candidate.source().to_string_lossy().into_owned();
        if before.is_some_and(|record| record.linked && record.source == source) {
            continue;
        }
        let record = InstallRecord {
            name: candidate.name.to_string(),
            source,
            kind: RecordedKind::Known(SkillKind::Directory),
            requested: candidate.requested.clone(),
            plugin: candidate.skill.plugin_name().map(str::to_owned),
            commit: None,
            artifact: None,
            owner: None,
            digest,
            installed_at: installed_at.clone(),
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            read_only: false,
            linked: true,
            // The files of a linked skill can change at any time.
            files: Vec::new(),
        };
        index.records.insert(candidate.name.clone(), record);
    }
    index
}

/// Whether a skill is recorded as a link, and is one.
pub fn is_link(directory: &Directory, index: &Index, name: &SkillName) -> bool {
    index.records.get(name).is_some_and(|record| record.linked)
        && directory.kind(OsStr::new(name.as_str())).is_ok_and(|kind| kind == FileKind::Symlink)
}

fn write_index(directory: &Directory, path: &Path, index: Index) -> Result<()> {
    let text = index.to_json()?;
    atomic::replace_in(directory, OsStr::new(FILE_NAME), text.as_bytes())
        .map_err(|error| Error::writing("write", path.join(FILE_NAME), &error))
}

/// The target of a link; none for anything else.
fn target_of(directory: &Directory, name: &OsStr) -> Option<PathBuf> {
    directory.link_target(name).ok()
}

fn require_directory(candidate: &Candidate) -> Result<()> {
    let skill = &candidate.skill;
    if skill.kind() == SkillKind::Directory && !skill.is_renamed {
        return Ok(());
    }
    let path = skill.source_path();
    let (message, help) = if skill.is_renamed {
        let message = format!("`{path}` gets another name, so it cannot be linked");
        (message, "a link shows the skill as it is; remove `name` from the manifest")
    } else {
        let message =
            format!("`{path}` is not a directory on this machine, so it cannot be linked");
        (message, "`--link` is for skills that you are writing; install a copy of others")
    };
    Err(Error::new(ErrorKind::Usage, message).help(help))
}

/// Refuses a link inside its own target, which would be a loop.
fn refuse_loop(candidate: &Candidate, directory: &Path) -> Result<()> {
    let path = &candidate.skill.path;
    if !directory.starts_with(path) && path.parent() != Some(directory) {
        return Ok(());
    }
    let message =
        format!("`{}` lies in the directory that it would be linked into", path.display());
    Err(Error::new(ErrorKind::Usage, message).help("link a skill from where you write it"))
}
