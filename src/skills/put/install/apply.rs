//! Applies a plan in every skills directory or in none. Before this, only the recovery of killed
//! runs writes anything.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::skills::files::content::system_message;
use crate::skills::files::digest::Tree;
use crate::skills::files::{self, FileIdentity, parallel};
use crate::skills::find::record::{Index, InstallRecord, recorded};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::copy::{Modes, copy};
use crate::skills::put::install::journal::{Action, Operation};
use crate::skills::put::install::plan::{Change, Step};
use crate::skills::put::install::site::Site;
use crate::skills::put::install::transaction::Transaction;
use crate::skills::put::install::undo::{ReplacedSkill, ReplacedSkills};
use crate::skills::put::install::watch::Watch;
use crate::skills::put::install::{Done, InstallNotice, InstallOptions, SkillOutcome};
use crate::skills::text::size;

/// The plan for one skills directory.
#[derive(Debug)]
pub struct DirectoryPlan<'a> {
    /// The directory.
    pub site: &'a Site,
    /// The steps, one per skill.
    pub steps: Vec<Step<'a>>,
}

/// Applies the plans of all directories.
pub fn apply(
    mut works: Vec<DirectoryPlan<'_>>,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<(Vec<SkillOutcome>, Vec<InstallNotice>)> {
    let mut transactions: Vec<(usize, Transaction<'_>)> = Vec::new();
    let mut published = 0;
    let made = (|| {
        for (number, work) in works.iter_mut().enumerate() {
            if work.steps.iter().any(|step| step.change != Change::Keep) {
                transactions.push((number, Transaction::begin(work.site)?));
                if let Some((_, transaction)) = transactions.last_mut() {
                    stage(work, transaction, options, reporter)?;
                }
            }
        }
        reporter.finish();
        for (number, transaction) in &mut transactions {
            let index = new_index(&works[*number], options.project.as_deref());
            let kept = replaced(&works[*number], transaction, options);
            transaction.prepare(&index, &kept, options.sync, reporter)?;
        }
        // The moves take a moment, so this is the last check.
        if reporter.cancelled().is_some() {
            return Err(Error::interrupted());
        }
        for (_, transaction) in &transactions {
            transaction.commit()?;
        }
        for (_, transaction) in &transactions {
            transaction.publish()?;
            tracing::debug!("everything is in place");
            published += 1;
        }
        Ok(())
    })();
    reporter.finish();
    if let Err(error) = made {
        let watch = Watch::undoing(reporter, options.threads);
        reporter.undoing(transactions.iter().map(|(_, one)| one.steps_to_undo()).sum());
        let before = transactions.into_iter().enumerate().map(|(position, (number, one))| {
            (one, (position < published).then_some(&works[number].site.index))
        });
        let error = undo(error, before.collect(), &watch);
        reporter.finish();
        return Err(error);
    }
    let mut kept = vec![HashMap::new(); works.len()];
    let mut notices = Vec::new();
    let watch = Watch::cleaning_up(reporter, options.threads);
    reporter.cleaning_up(transactions.iter().map(|(_, one)| one.steps_to_finish()).sum());
    for (number, transaction) in &mut transactions {
        if let Err(error) = transaction.finish(options.sync, &watch) {
            let path = works[*number].site.path.clone();
            notices.push(InstallNotice::NotCleaned(path, system_message(&error)));
        }
        kept[*number] = transaction.take_kept();
    }
    reporter.finish();
    let mut outcomes = Vec::new();
    for (work, mut kept) in works.iter().zip(kept) {
        for step in &work.steps {
            let outcome = outcome(step, &work.site.path, &work.site.index);
            outcomes.push(SkillOutcome { backup: kept.remove(step.name.as_str()), ..outcome });
        }
    }
    Ok((outcomes, notices))
}

/// Undoes all transactions, the last first. One that was published gets its record back.
pub fn undo(
    error: Error,
    transactions: Vec<(Transaction<'_>, Option<&Index>)>,
    watch: &Watch<'_>,
) -> Error {
    let mut failure = None;
    for (mut transaction, before) in transactions.into_iter().rev() {
        if let Err(error) = transaction.undo(before, watch) {
            failure = Some(error);
        }
    }
    match failure {
        Some(failure) if failure.kind() == io::ErrorKind::Interrupted => {
            err!(Io, "interrupted before everything was undone")
                .help("the next `skills install` or `skills remove` there undoes the rest")
        }
        Some(failure) => {
            let reason = system_message(&failure);
            error.help(format!("it could not be undone ({reason}); the next run will do that"))
        }
        None => error,
    }
}

/// Copies the candidates into the staging directory, and plans the moves.
fn stage(
    work: &mut DirectoryPlan<'_>,
    transaction: &mut Transaction<'_>,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<()> {
    let (allowance, site) = (options.allowance(), work.site);
    let copied: Vec<Result<Option<Tree>>> =
        parallel::map_long(&work.steps, options.threads, |step| {
            match (&step.change, step.candidate) {
                _ if reporter.cancelled().is_some() => Err(Error::interrupted()),
                // It is moved, so that it is exactly what it was.
                (Change::Create | Change::Update(_) | Change::Replace(_), Some(candidate))
                    if candidate.restores.is_some() =>
                {
                    let tree = candidate.tree(&allowance)?.clone();
                    reporter.step();
                    Ok(Some(tree))
                }
                (Change::Create | Change::Update(_) | Change::Replace(_), Some(candidate)) => {
                    let slot = transaction.slot(&step.name)?;
                    let modes = Modes::current(step.read_only);
                    let tree = copy(candidate, &slot, modes, &allowance)
                        .map_err(|error| error.within(&site.path))?;
                    let (skill, bytes) = (step.name.as_str(), candidate.bytes());
                    tracing::debug!(skill, files = candidate.items.len(), bytes, "copied");
                    reporter.step();
                    Ok(Some(tree))
                }
                _ => Ok(None),
            }
        });
    let stamp: String =
        size::timestamp(size::now()).chars().filter(char::is_ascii_alphanumeric).collect();
    for (step, tree) in work.steps.iter_mut().zip(copied) {
        if let Some(tree) = tree? {
            step.tree = Some(tree);
        }
        let (action, existing) = match &step.change {
            Change::Create => (Action::Create, None),
            Change::Update(existing) | Change::Replace(existing) => {
                (Action::Replace, Some(existing))
            }
            Change::Remove(existing) => (Action::Remove, Some(existing)),
            Change::Keep | Change::Record | Change::Forget => continue,
        };
        let is_edited = existing.is_some_and(|existing| existing.edited);
        let restored = step.candidate.and_then(|candidate| candidate.restores.as_deref());
        let kept = restored.filter(|_| action != Action::Remove).map(|restored| &restored.place);
        transaction.add(Operation {
            name: step.name.to_string(),
            action,
            new: match kept {
                Some(kept) => kept.identity(&work.site.directory),
                None => transaction.identity(&step.name),
            },
            new_digest: step.tree.as_ref().and_then(Tree::digest),
            old: existing.and_then(|existing| existing.identity).map(FileIdentity::numbers),
            old_digest: existing.and_then(|existing| existing.digest),
            backup: format!("{}-{stamp}", step.name),
            edited: is_edited,
            seal: restored.map_or(step.read_only, |restored| restored.sealed)
                && action != Action::Remove,
            sealed: false,
            disabled: existing.is_some_and(|existing| existing.disabled),
            kept: kept.cloned(),
        })?;
    }
    Ok(())
}

/// The skills to keep for `update --undo`.
fn replaced(
    work: &DirectoryPlan<'_>,
    transaction: &Transaction<'_>,
    options: &InstallOptions,
) -> ReplacedSkills {
    let replaced = |step: &Step<'_>| {
        let is_replaced =
            matches!(step.change, Change::Update(_) | Change::Replace(_) | Change::Remove(_));
        if !is_replaced {
            return None;
        }
        let record = work.site.index.records.get(&step.name)?.clone();
        let is_new = step.candidate.is_some();
        let after = step.tree.as_ref().filter(|_| is_new).and_then(Tree::digest);
        let backup = transaction.backup_of(&step.name).map(str::to_owned);
        let here = work.site.path.join(step.name.as_str()).symlink_metadata();
        let sealed = here.is_ok_and(|data| data.permissions().readonly());
        Some(ReplacedSkill { record, after, backup, sealed })
    };
    let steps = work.steps.iter().filter(|_| options.keep_replaced);
    ReplacedSkills::new(steps.filter_map(replaced).collect())
}

/// The index after the run.
fn new_index(work: &DirectoryPlan<'_>, project: Option<&Path>) -> Index {
    let mut index = work.site.index.clone();
    let installed_at = size::timestamp(size::now());
    let umask = files::umask();
    for step in &work.steps {
        match (&step.change, step.candidate, &step.tree) {
            (
                Change::Create | Change::Update(_) | Change::Replace(_) | Change::Record,
                Some(candidate),
                Some(tree),
            ) => {
                if let Some(before) = &candidate.restores {
                    index.records.insert(step.name.clone(), before.record.clone());
                    continue;
                }
                // Every candidate was read in full, so its tree has a digest.
                let Some(digest) = tree.digest() else { continue };
                let before =
                    index.records.get(&step.name).filter(|_| step.change == Change::Record);
                let read_only = before.map_or(step.read_only, |record| record.read_only);
                let Some(files) = recorded(tree, read_only, umask) else { continue };
                let record = InstallRecord {
                    name: step.name.to_string(),
                    source: candidate.recorded_source(project),
                    kind: RecordedKind::Known(candidate.skill.kind()),
                    requested: candidate.recorded_request(project),
                    plugin: candidate.skill.plugin_name().map(str::to_owned),
                    commit: candidate.commit().map(str::to_owned),
                    artifact: candidate.artifact(),
                    owner: step.owner.clone(),
                    digest,
                    installed_at: installed_at.clone(),
                    tool: env!("CARGO_PKG_VERSION").to_owned(),
                    read_only,
                    linked: false,
                    files,
                };
                index.records.insert(step.name.clone(), record);
            }
            (Change::Remove(_) | Change::Forget, ..) => {
                index.records.remove(&step.name);
            }
            _ => {}
        }
    }
    index
}

/// The outcome of a step, done or planned.
pub fn outcome(step: &Step<'_>, directory: &Path, index: &Index) -> SkillOutcome {
    let candidate = step.candidate;
    let record = index.records.get(&step.name);
    let tree = step.tree.clone().unwrap_or_default();
    let digest = match (&step.tree, record) {
        // Nothing of a link's target is removed.
        (None, Some(_)) if matches!(step.change, Change::Remove(_)) => None,
        (None, Some(record)) => Some(record.digest),
        _ => tree.digest(),
    };
    let (source, kind) = match (candidate, record) {
        (Some(candidate), _) => {
            let kind = RecordedKind::Known(candidate.skill.kind());
            (candidate.source().to_string_lossy().into_owned(), kind)
        }
        (None, Some(record)) => (record.source.clone(), record.kind.clone()),
        (None, None) => (String::new(), RecordedKind::Known(SkillKind::Directory)),
    };
    SkillOutcome {
        name: step.name.to_string(),
        folder: candidate.and_then(Candidate::other_folder),
        path: directory.join(step.name.as_str()),
        source,
        kind,
        action: match &step.change {
            Change::Create => Done::Created,
            Change::Update(_) => Done::Updated,
            Change::Replace(_) => Done::Replaced,
            Change::Keep | Change::Record => Done::Unchanged,
            Change::Remove(_) | Change::Forget => Done::Removed,
        },
        files: tree.files.len(),
        bytes: tree.bytes(),
        digest,
        backup: None,
        version: step.version.clone(),
    }
}
