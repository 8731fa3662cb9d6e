//! Compares skills with the lock of their manifest, for every command that has read them.

use anyhow::Result;

use crate::cli::printer::Printer;
use crate::cli::settings::CommonSettings;
use crate::commands::notices;
use crate::skills::files::content::Content;
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::inventory::{Inventory, InventoryDepth};
use crate::skills::find::scan::Scan;
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::validate;
use crate::skills::model::error::Error;
use crate::skills::model::reporter::{Reporter, Silent};
use crate::skills::model::source::Skill;
use crate::skills::put::install::candidate::{self, Candidate};
use crate::skills::put::locking::check::{self, Deviation, ReadLimits};

/// Refuses what must not be different, and says what may be.
///
/// # Errors
/// A file that cannot be read, and skills that must be as they were locked.
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

/// When a command that installs nothing compares skills with the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockUse {
    /// Whenever there is one.
    Always,
    /// Only with `--frozen`.
    Frozen,
    /// Not at all: it was done before.
    Never,
}

/// Finds and reads skills in one pass, and compares them with the lock where it counts. `make` gets
/// the files down to `depth`.
///
/// # Errors
/// A source that cannot be read, and whatever the lock refuses.
pub(super) fn find<R: Send>(
    selection: &Selection,
    lock: LockUse,
    depth: InventoryDepth,
    common: &CommonSettings,
    (reporter, printer): (&dyn Reporter, &Printer),
    make: &(impl Fn(Skill, Option<&OpenDirectory>, &Content, &Inventory) -> R + Sync),
) -> Result<(Vec<R>, Scan)> {
    let frozen = selection.lock.as_ref().is_some_and(|locked| locked.frozen);
    let compares = match lock {
        LockUse::Always => selection.lock.is_some(),
        LockUse::Frozen => frozen,
        LockUse::Never => false,
    };
    let read = |skill: Skill, open: Option<OpenDirectory>| {
        let open = open.as_ref();
        let loaded = if compares { InventoryDepth::Through } else { depth };
        let (content, mut inventory) = validate::load(&skill, open, loaded);
        // Skills that cannot be copied are reported by the command.
        let candidate = compares
            .then(|| candidate::of_read(&skill, open, content.clone(), inventory.clone()).ok());
        if let Some(open) = open.filter(|_| depth != loaded) {
            inventory = Inventory::glance(open);
        }
        let made = make(skill, open, &content, &inventory);
        reporter.step();
        (made, candidate.flatten())
    };
    let (read, scan) = selection::find(selection, &read)?;
    reporter.finish();
    let (made, candidates): (Vec<R>, Vec<Option<Candidate>>) = read.into_iter().unzip();
    if compares {
        let mut candidates: Vec<Candidate> = candidates.into_iter().flatten().collect();
        candidate::attribute(&mut candidates, &scan.again);
        let bounds = ReadLimits { skill: u64::MAX, total: u64::MAX, threads: common.threads };
        compare(selection, &candidates, bounds, common, printer)?;
    }
    Ok((made, scan))
}

/// Compares skills with a frozen lock, for commands that then search them as an agent does.
///
/// # Errors
/// Whatever the lock refuses.
pub(super) fn hold_frozen(
    selection: &Selection,
    common: &CommonSettings,
    printer: &Printer,
) -> Result<()> {
    if selection.lock.as_ref().is_some_and(|locked| locked.frozen) {
        let depth = InventoryDepth::Through;
        let output: (&dyn Reporter, &Printer) = (&Silent, printer);
        find(selection, LockUse::Frozen, depth, common, output, &|_, _, _, _| ())?;
    }
    Ok(())
}
