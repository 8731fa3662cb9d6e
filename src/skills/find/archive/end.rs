//! Reads the end record of an archive, which has the offset of its directory: 22 bytes and a
//! comment. Zip64 archives have a longer record before it, and a locator for that record.
//!
//! Some programs always use the longer record, others only if a number does not fit into the short
//! one. So both must agree.

use std::ops::Range;

use super::zip::{KNOWN_VERSION, ZipResult, u16_at, u32_at, u64_at};
use super::zip_bytes::ZipBytes;

pub(super) const END: u32 = 0x0605_4b50;
const LONG_END: u32 = 0x0606_4b50;
const LOCATOR: u32 = 0x0706_4b50;
const END_BYTES: usize = 22;
const LONG_END_BYTES: usize = 56;
const LOCATOR_BYTES: usize = 20;

/// The central directory, which lists all entries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CentralDirectory {
    /// Its offsets.
    pub(super) place: Range<usize>,
    /// The number of entries.
    pub(super) count: usize,
}

/// The numbers in an end record: two disk numbers, the entries on this disk and in all, and the
/// length and offset of the directory.
type EndRecord = [u64; 6];

/// The placeholder in the short record for numbers that only fit into the long one.
const NO_ROOM: EndRecord = {
    let (half, full) = (u16::MAX as u64, u32::MAX as u64);
    [half, half, half, half, full, full]
};

/// Finds the central directory.
pub(super) fn directory(bytes: &dyn ZipBytes) -> ZipResult<CentralDirectory> {
    let end = find_end(bytes)?;
    let short = short(bytes, end)?;
    let (told, limit) = match find_long_end(bytes, end)? {
        None => (short, end),
        Some(at) => {
            let long = long(bytes, at)?;
            let agree =
                |number: usize| short[number] == NO_ROOM[number] || short[number] == long[number];
            if !(0..short.len()).all(agree) {
                return Err("it has two end records, which disagree".to_owned());
            }
            (long, at)
        }
    };
    let [disk, other_disk, here, count, length, start] = told;
    if disk != 0 || other_disk != 0 || here != count {
        return Err("it is a part of a larger archive".to_owned());
    }
    let misplaced =
        || "there are bytes before it, or the offset of its directory is wrong".to_owned();
    if start.checked_add(length) != u64::try_from(limit).ok() {
        return Err(misplaced());
    }
    let start = usize::try_from(start).map_err(|_| misplaced())?;
    let count = usize::try_from(count).map_err(|_| misplaced())?;
    Ok(CentralDirectory { place: start..limit, count })
}

/// The offset of the end record. Its comment must reach to the last byte.
fn find_end(bytes: &dyn ZipBytes) -> ZipResult<usize> {
    let least = bytes.length().saturating_sub(END_BYTES + usize::from(u16::MAX));
    let last = bytes.length().checked_sub(END_BYTES).ok_or("it is not a zip archive")?;
    // The last one counts, as for most readers. An earlier one is part of an entry, or is later
    // refused as a gap.
    let found = (least..=last).rev().find(|at| u32_at(bytes, *at) == Ok(END));
    let end = found.ok_or("it is not a zip archive, or it is incomplete")?;
    let comment = usize::from(u16_at(bytes, end + 20)?);
    if end + END_BYTES + comment == bytes.length() {
        return Ok(end);
    }
    Err("there are bytes after its end".to_owned())
}

fn short(bytes: &dyn ZipBytes, at: usize) -> ZipResult<EndRecord> {
    let half = |offset: usize| u16_at(bytes, at + offset).map(u64::from);
    let full = |offset: usize| u32_at(bytes, at + offset).map(u64::from);
    Ok([half(4)?, half(6)?, half(8)?, half(10)?, full(12)?, full(16)?])
}

/// The offset of the long record, if there is one: right before its locator, which is right before
/// the short record. Anything that looks like a locator counts as one.
fn find_long_end(bytes: &dyn ZipBytes, end: usize) -> ZipResult<Option<usize>> {
    let locator = end.checked_sub(LOCATOR_BYTES).filter(|at| u32_at(bytes, *at) == Ok(LOCATOR));
    let Some(locator) = locator else { return Ok(None) };
    let at = locator.checked_sub(LONG_END_BYTES).filter(|at| u32_at(bytes, *at) == Ok(LONG_END));
    let place = u64_at(bytes, locator + 8)?;
    let is_whole = (u32_at(bytes, locator + 4)?, u32_at(bytes, locator + 16)?) == (0, 1);
    match at {
        Some(at) if is_whole && u64::try_from(at) == Ok(place) => Ok(Some(at)),
        _ => Err("its end is damaged".to_owned()),
    }
}

fn long(bytes: &dyn ZipBytes, at: usize) -> ZipResult<EndRecord> {
    // The length of the rest of the record; a longer one has unknown fields.
    let rest = LONG_END_BYTES as u64 - 12;
    if u64_at(bytes, at + 4)? != rest || u16_at(bytes, at + 14)? > KNOWN_VERSION {
        return Err("its end record has an unknown format".to_owned());
    }
    let full = |offset: usize| u32_at(bytes, at + offset).map(u64::from);
    let long = |offset: usize| u64_at(bytes, at + offset);
    Ok([full(16)?, full(20)?, long(24)?, long(32)?, long(40)?, long(48)?])
}
