//! Compares skills with the lock of their manifest, for every command that reads skills.

use anyhow::Result;

use crate::cli::context::Context;
use crate::cli::printer::Printer;
use crate::commands::notices;
use crate::skills::find::scan::{Reading, Scan};
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::verdict::Judged;
use crate::skills::model::error::Error;
use crate::skills::model::reporter::{Reporter, Silent};
use crate::skills::put::install::candidate::{self, Candidate, CandidateOptions, Prepared};
use crate::skills::put::install::choice::{Choice, CopyPolicy};
use crate::skills::put::locking::check::{self, Deviation, ReadLimits};

/// Refuses differences that are not allowed, and reports the others.
pub fn compare(
    selection: &Selection,
    candidates: &[Candidate],
    bounds: ReadLimits,
    context: &Context,
    printer: &Printer,
) -> Result<(), Error> {
    let Some(locked) = &selection.lock else { return Ok(()) };
    let deviations = check::compare(&locked.lock, selection, candidates, bounds)?;
    let said = check::judge(locked, deviations)?;
    let words = said.iter().map(Deviation::message);
    notices::some(words, ("more skill", " not as it was locked"), context.verbose, printer);
    Ok(())
}

/// When a command that installs nothing compares skills with the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockUse {
    /// If there is one.
    Always,
    /// Only with `--frozen`.
    Frozen,
    /// Not at all: it was done before.
    Never,
}

/// Finds and reads skills in one pass, and compares them with the lock if it applies.
pub fn find<T: Send>(
    selection: &Selection,
    lock: LockUse,
    context: &Context,
    (reporter, printer): (&dyn Reporter, &Printer),
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<T> + Sync),
) -> Result<(Vec<T>, Scan)> {
    let frozen = selection.lock.as_ref().is_some_and(|locked| locked.frozen);
    let compares = match lock {
        LockUse::Always => selection.lock.is_some(),
        LockUse::Frozen => frozen,
        LockUse::Never => false,
    };
    let judge = JudgeOptions { errors_only: true, ..JudgeOptions::default() };
    let options = CandidateOptions { judge, ..CandidateOptions::default() };
    let read_both = |opened: &OpenedSkill<'_>| {
        let Reading { made, nested } = read(opened);
        // In a box, because most runs compare nothing and keep thousands of results.
        let prepared = compares.then(|| Box::new(candidate::read(opened, &options).made));
        reporter.step();
        Reading { made: (made, prepared), nested }
    };
    let (found, scan) = selection::find(selection, &read_both)?;
    reporter.finish();
    let (made, prepared): (Vec<T>, Vec<Option<_>>) = found.into_iter().unzip();
    if compares {
        let unboxed = |one: Box<Judged<Prepared>>| *one;
        let prepared = prepared.into_iter().flatten().map(unboxed).collect();
        let mut prepared = selection::settled(prepared);
        selection::flatten(&mut prepared);
        // A lock has every skill that can be used. The command reports the others.
        let policy = CopyPolicy { nested: true, ..CopyPolicy::default() };
        let taken = Choice::of(prepared, policy).taken.into_iter();
        let mut candidates: Vec<Candidate> =
            taken.filter_map(|judged| judged.made.candidate.ok()).collect();
        candidate::attribute(&mut candidates, &scan.again, &selection.requests);
        let bounds = ReadLimits { skill: u64::MAX, total: u64::MAX, threads: context.threads };
        compare(selection, &candidates, bounds, context, printer)?;
    }
    Ok((made, scan))
}

/// Compares skills with a frozen lock, for commands that then search them as an agent does.
pub fn hold_frozen(selection: &Selection, context: &Context, printer: &Printer) -> Result<()> {
    if selection.lock.as_ref().is_some_and(|locked| locked.frozen) {
        let output: (&dyn Reporter, &Printer) = (&Silent, printer);
        let read = |_: &OpenedSkill<'_>| Reading { made: (), nested: Vec::new() };
        find(selection, LockUse::Frozen, context, output, &read)?;
    }
    Ok(())
}
