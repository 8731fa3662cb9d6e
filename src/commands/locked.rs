//! Compares skills with the lock of their manifest, for every command that has read them.

use anyhow::Result;

use crate::cli::printer::Printer;
use crate::cli::settings::CommonSettings;
use crate::commands::notices;
use crate::skills::files::directory::OpenDirectory;
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::validate::JudgeOptions;
use crate::skills::model::error::Error;
use crate::skills::model::source::Skill;
use crate::skills::put::install::candidate::{self, Candidate, CandidateOptions};
use crate::skills::put::locking::check::{self, Deviation, ReadLimits};

/// Refuses what must not be different, and says what may be.
///
/// # Errors
/// A file that cannot be read, and whatever is refused.
pub(super) fn compare(
    selection: &Selection,
    candidates: &[Candidate],
    bounds: ReadLimits,
    common: &CommonSettings,
    printer: &Printer,
) -> Result<(), Error> {
    let Some(locked) = &selection.lock else { return Ok(()) };
    let deviations = check::compare(&locked.lock, selection, candidates, bounds)?;
    let said = check::judge(locked, deviations)?;
    let words = said.iter().map(Deviation::message);
    notices::some(words, ("more skill", " not as it was locked"), common.verbose, printer);
    Ok(())
}

/// Where nothing but the lock counts, it counts for what is only looked at as well.
///
/// # Errors
/// Whatever is refused.
pub(super) fn hold_frozen(
    selection: &Selection,
    common: &CommonSettings,
    printer: &Printer,
) -> Result<()> {
    match &selection.lock {
        Some(locked) if locked.frozen => read_and_compare(selection, common, printer),
        _ => Ok(()),
    }
}

/// The same for commands that do not read all of a skill otherwise. What cannot be read is theirs
/// to say.
///
/// # Errors
/// Whatever is refused.
pub(super) fn read_and_compare(
    selection: &Selection,
    common: &CommonSettings,
    printer: &Printer,
) -> Result<()> {
    if selection.lock.is_none() {
        return Ok(());
    }
    let levels = candidate::levels(&JudgeOptions::default().levels, false);
    let judge = JudgeOptions { levels, errors_only: true, ..JudgeOptions::default() };
    let options = CandidateOptions { judge, ..CandidateOptions::default() };
    let read = |skill: Skill, open: Option<OpenDirectory>| candidate::read(skill, open, &options);
    let (read, scan) = selection::find(selection, &read)?;
    let mut candidates: Vec<Candidate> = read.into_iter().filter_map(|(_, one)| one.ok()).collect();
    candidate::attribute(&mut candidates, &scan.again);
    let bounds = ReadLimits { skill: u64::MAX, total: u64::MAX, threads: common.threads };
    Ok(compare(selection, &candidates, bounds, common, printer)?)
}
