//! Reads the zip format so strictly that no two readers can disagree about the content.
//!
//! Every byte of the file has one meaning: entries one after the other from the first byte on, then
//! the directory that lists them, then the end record. The two descriptions of an entry must agree.
//! There are no gaps and no overlaps.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs::File;
use std::ops::Range;

use crate::skills::files;

/// An entry as the archive describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEntry {
    pub name: Vec<u8>,
    pub is_utf8: bool,
    pub is_deflated: bool,
    pub crc: u32,
    pub size: usize,
    pub data: Range<usize>,
    /// The Unix mode, or zero. It counts for archives from any system, because programs differ in
    /// whether they check the system first.
    pub mode: u32,
    /// MS-DOS and Windows attributes.
    pub attributes: u16,
}

pub const LOCAL: u32 = 0x0403_4b50;

pub const CENTRAL: u32 = 0x0201_4b50;

const DESCRIPTOR: u32 = 0x0807_4b50;

const CENTRAL_BYTES: usize = 46;

const LOCAL_BYTES: usize = 30;

/// Flags that do not change the content: the compression level, and the two below.
const HARMLESS_FLAGS: u16 = 0b110 | STREAMED | UTF8;

/// The sizes come after the data.
const STREAMED: u16 = 1 << 3;

pub const UTF8: u16 = 1 << 11;

const ENCRYPTED: u16 = 1;

/// The newest version of the format that is read: 4.5, which has zip64.
pub const KNOWN_VERSION: u16 = 45;

/// Extra fields that replace the name or content for programs that know them.
const AMBIGUOUS_EXTRAS: [(u16, &str); 2] = [(0x7075, "a second name"), (0x9901, "encryption")];

/// The extra field with sizes that do not fit into the record.
const LONG_SIZES: u16 = 0x0001;

/// The placeholder in the record.
const NO_ROOM: u32 = u32::MAX;

pub type ZipResult<T> = std::result::Result<T, String>;

/// Lists the entries of an archive with this directory.
pub fn entries(bytes: &dyn ZipBytes, directory: &CentralDirectory) -> ZipResult<Vec<RawEntry>> {
    let (Range { start, end }, count) = (directory.place.clone(), directory.count);
    let mut listed = Vec::new();
    let mut at = start;
    for _ in 0..count {
        let (entry, offset, next) = central(bytes, at, end)?;
        listed.push((offset, entry));
        at = next;
    }
    // Entries must be adjacent, in any order.
    listed.sort_by_key(|(offset, _)| *offset);
    let mut entries = Vec::new();
    let mut expected = 0;
    for (offset, entry) in listed {
        if offset != expected {
            return Err("its entries overlap or have gaps between them".to_owned());
        }
        let (data, after) = local(bytes, offset, start, &entry)?;
        entries.push(RawEntry { data, ..entry.raw });
        expected = after;
    }
    if at != end || expected != start {
        return Err("it contains bytes that belong to no entry".to_owned());
    }
    Ok(entries)
}

/// An entry in the central directory, with the fields to compare.
struct CentralEntry {
    raw: RawEntry,
    flags: u16,
    method: u16,
    compressed: usize,
}

/// Reads a record of the directory; returns it, the offset of its entry, and that of the next
/// record.
fn central(bytes: &dyn ZipBytes, at: usize, end: usize) -> ZipResult<(CentralEntry, usize, usize)> {
    if u32_at(bytes, at)? != CENTRAL || at + CENTRAL_BYTES > end {
        return Err("its directory is damaged".to_owned());
    }
    let field = |offset: usize| u16_at(bytes, at + offset);
    let (flags, method) = (field(8)?, field(10)?);
    check_version(field(6)?)?;
    if flags & ENCRYPTED != 0 {
        return Err("it is encrypted".to_owned());
    }
    if flags & !HARMLESS_FLAGS != 0 || !matches!(method, 0 | 8) {
        return Err("it uses an unknown compression method".to_owned());
    }
    let lengths = [28, 30, 32].map(field);
    let [name, extra, comment] = lengths;
    let (name, extra, comment) = (usize::from(name?), usize::from(extra?), usize::from(comment?));
    let name_at = at + CENTRAL_BYTES;
    let next = name_at + name + extra + comment;
    if next > end || field(34)? != 0 {
        return Err("its directory is damaged".to_owned());
    }
    let extra = bytes.part(name_at + name..name_at + name + extra)?;
    let long = extras(&extra)?;
    let short = |offset: usize| u32_at(bytes, at + offset);
    let [size, compressed, offset] = sizes([short(24)?, short(20)?, short(42)?], long)?;
    let [mode, attributes] = [field(40)?, field(38)?];
    let raw = RawEntry {
        name: bytes.part(name_at..name_at + name)?.into_owned(),
        is_utf8: flags & UTF8 != 0,
        is_deflated: method == 8,
        crc: u32_at(bytes, at + 16)?,
        size,
        data: 0..0,
        mode: mode.into(),
        attributes,
    };
    Ok((CentralEntry { raw, flags, method, compressed }, offset, next))
}

/// Compares an entry with its record in the directory; returns its bytes, and its end.
fn local(
    bytes: &dyn ZipBytes,
    at: usize,
    directory: usize,
    central: &CentralEntry,
) -> ZipResult<(Range<usize>, usize)> {
    let damaged = || "an entry is damaged".to_owned();
    if at + LOCAL_BYTES > directory || u32_at(bytes, at)? != LOCAL {
        return Err(damaged());
    }
    let field = |offset: usize| u16_at(bytes, at + offset);
    let name = usize::from(field(26)?);
    let extra = usize::from(field(28)?);
    let name_at = at + LOCAL_BYTES;
    let start = name_at + name + extra;
    let stop = start.checked_add(central.compressed).filter(|stop| *stop <= directory);
    let stop = stop.ok_or_else(damaged)?;
    check_version(field(4)?)?;
    let extra = bytes.part(name_at + name..start)?;
    let long = extras(&extra)?;
    let is_streamed = central.flags & STREAMED != 0;
    if is_streamed && !central.raw.is_deflated && central.compressed > 0 {
        // A streaming reader cannot tell where such an entry ends.
        return Err("an entry does not declare its size".to_owned());
    }
    let short = |offset: usize| u32_at(bytes, at + offset);
    let short_sizes = [short(22)?, short(18)?];
    let [size, compressed] = sizes(short_sizes, long)?;
    if long.is_some() && short_sizes != [NO_ROOM; 2] {
        // Unlike in the central directory, both are present or neither.
        return Err(AMBIGUOUS_SIZES.to_owned());
    }
    // A streaming writer does not know these values yet.
    let is_same = |told: usize, listed: usize| told == listed || (is_streamed && told == 0);
    let crc = short(14)?;
    let same = *bytes.part(name_at..name_at + name)? == central.raw.name[..]
        && field(6)? == central.flags
        && field(8)? == central.method
        && (crc == central.raw.crc || (is_streamed && crc == 0))
        && is_same(compressed, central.compressed)
        && is_same(size, central.raw.size);
    if !same {
        return Err("its directory and an entry disagree".to_owned());
    }
    let after = if is_streamed {
        let listed = (central.raw.crc, central.compressed, central.raw.size);
        descriptor(bytes, stop, directory, long.is_some(), listed)?
    } else {
        stop
    };
    Ok((start..stop, after))
}

/// Reads the sizes after the data, with or without a signature; 64-bit sizes if the entry has a
/// zip64 field.
fn descriptor(
    bytes: &dyn ZipBytes,
    at: usize,
    directory: usize,
    is_long: bool,
    listed: (u32, usize, usize),
) -> ZipResult<usize> {
    let signed = u32_at(bytes, at) == Ok(DESCRIPTOR);
    let first = if signed { at + 4 } else { at };
    let width = if is_long { 8 } else { 4 };
    let size_at = |at: usize| {
        if is_long { as_usize(u64_at(bytes, at)?) } else { as_usize(u32_at(bytes, at)?.into()) }
    };
    let told = (u32_at(bytes, first)?, size_at(first + 4)?, size_at(first + 4 + width)?);
    let after = first + 4 + 2 * width;
    if told == listed && after <= directory {
        return Ok(after);
    }
    Err("an entry does not have its declared size".to_owned())
}

fn check_version(needed: u16) -> ZipResult<()> {
    if needed <= KNOWN_VERSION {
        return Ok(());
    }
    Err("it needs an unknown version of the format".to_owned())
}

/// Reads the extra fields; returns the zip64 field, if there is one.
fn extras(mut extras: &[u8]) -> ZipResult<Option<&[u8]>> {
    let mut long = None;
    while extras.len() >= 4 {
        let field = |at: usize| u16::from_le_bytes([extras[at], extras[at + 1]]);
        let (id, length) = (field(0), usize::from(field(2)));
        if let Some((_, what)) = AMBIGUOUS_EXTRAS.iter().find(|(known, _)| *known == id) {
            return Err(format!("an entry has {what}, which not every program reads"));
        }
        let (field, rest) = extras[4..].split_at_checked(length).ok_or("an entry is damaged")?;
        if id == LONG_SIZES && long.replace(field).is_some() {
            return Err(AMBIGUOUS_SIZES.to_owned());
        }
        extras = rest;
    }
    Ok(long)
}

const AMBIGUOUS_SIZES: &str = "the size of an entry is ambiguous";

/// Sizes and offsets from the record, and from the extra field exactly those that do not fit into
/// the record.
fn sizes<const COUNT: usize>(
    short: [u32; COUNT],
    long: Option<&[u8]>,
) -> ZipResult<[usize; COUNT]> {
    let mut rest = long.unwrap_or_default();
    let mut sizes = [0; COUNT];
    for (size, short) in sizes.iter_mut().zip(short) {
        if short != NO_ROOM {
            *size = as_usize(short.into())?;
            continue;
        }
        let (first, after) = rest.split_at_checked(8).ok_or(AMBIGUOUS_SIZES)?;
        let first: [u8; 8] = first.try_into().map_err(|_| AMBIGUOUS_SIZES)?;
        *size = as_usize(u64::from_le_bytes(first))?;
        rest = after;
    }
    let is_idle = long.is_some() && !short.contains(&NO_ROOM);
    if is_idle || !rest.is_empty() { Err(AMBIGUOUS_SIZES.to_owned()) } else { Ok(sizes) }
}

pub fn u16_at(bytes: &dyn ZipBytes, at: usize) -> ZipResult<u16> {
    chunk(bytes, at).map(u16::from_le_bytes)
}

pub fn u32_at(bytes: &dyn ZipBytes, at: usize) -> ZipResult<u32> {
    chunk(bytes, at).map(u32::from_le_bytes)
}

pub fn u64_at(bytes: &dyn ZipBytes, at: usize) -> ZipResult<u64> {
    chunk(bytes, at).map(u64::from_le_bytes)
}

fn chunk<const LENGTH: usize>(bytes: &dyn ZipBytes, at: usize) -> ZipResult<[u8; LENGTH]> {
    let too_early = || "it ends too early".to_owned();
    let end = at.checked_add(LENGTH).ok_or_else(too_early)?;
    bytes.part(at..end)?.as_ref().try_into().map_err(|_| too_early())
}

fn as_usize(number: u64) -> ZipResult<usize> {
    usize::try_from(number).map_err(|_| "it is too large".to_owned())
}

// Reads the end record of an archive, which has the offset of its directory: 22 bytes and a
// comment. Zip64 archives have a longer record before it, and a locator for that record.
//
// Some programs always use the longer record, others only if a number does not fit into the short
// one. So both must agree.

pub const END: u32 = 0x0605_4b50;

const LONG_END: u32 = 0x0606_4b50;

const LOCATOR: u32 = 0x0706_4b50;

const END_BYTES: usize = 22;

const LONG_END_BYTES: usize = 56;

const LOCATOR_BYTES: usize = 20;

/// The central directory, which lists all entries.
#[derive(Debug, PartialEq, Eq)]
pub struct CentralDirectory {
    /// Its offsets.
    pub place: Range<usize>,
    /// The number of entries.
    pub count: usize,
}

/// The numbers in an end record: two disk numbers, the entries on this disk and in all, and the
/// length and offset of the directory.
type EndRecord = [u64; 6];

/// The placeholder in the short record for numbers that only fit into the long one.
const NO_END: EndRecord = {
    let (half, full) = (u16::MAX as u64, u32::MAX as u64);
    [half, half, half, half, full, full]
};

/// Finds the central directory.
pub fn directory(bytes: &dyn ZipBytes) -> ZipResult<CentralDirectory> {
    let end = find_end(bytes)?;
    let short = short(bytes, end)?;
    let (told, limit) = match find_long_end(bytes, end)? {
        None => (short, end),
        Some(at) => {
            let long = long(bytes, at)?;
            let agree =
                |number: usize| short[number] == NO_END[number] || short[number] == long[number];
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

// The bytes of a zip archive: in memory, or in a file that nobody else changes, so that a large
// download need not fit into memory.

/// Bytes of a file that are kept at hand.
const WINDOW: usize = 64 * 1024;

/// Bytes that are read at any place.
pub trait ZipBytes {
    /// How many there are.
    fn length(&self) -> usize;
    /// Those in a range.
    fn part(&self, range: Range<usize>) -> ZipResult<Cow<'_, [u8]>>;
}

impl ZipBytes for Vec<u8> {
    fn length(&self) -> usize {
        self.len()
    }

    fn part(&self, range: Range<usize>) -> ZipResult<Cow<'_, [u8]>> {
        self.get(range).map(Cow::Borrowed).ok_or_else(too_early)
    }
}

/// A file that nobody else changes.
#[derive(Debug)]
pub struct KeptBytes<'f> {
    file: &'f File,
    length: usize,
    window: RefCell<(usize, Vec<u8>)>,
}

impl<'f> KeptBytes<'f> {
    pub const fn new(file: &'f File, length: usize) -> Self {
        Self { file, length, window: RefCell::new((0, Vec::new())) }
    }

    fn read(&self, range: &Range<usize>) -> ZipResult<Vec<u8>> {
        let mut bytes = vec![0; range.len()];
        files::read_at(self.file, &mut bytes, range.start as u64)
            .map_err(|error| format!("it cannot be read: {error}"))?;
        Ok(bytes)
    }
}

impl ZipBytes for KeptBytes<'_> {
    fn length(&self) -> usize {
        self.length
    }

    fn part(&self, range: Range<usize>) -> ZipResult<Cow<'_, [u8]>> {
        if range.start > range.end || range.end > self.length {
            return Err(too_early());
        }
        if range.len() > WINDOW / 2 {
            return self.read(&range).map(Cow::Owned);
        }
        let mut window = self.window.borrow_mut();
        let (start, bytes) = &*window;
        if range.start < *start || range.end > start + bytes.len() {
            // The middle, because the end is searched backwards.
            let first = (range.start / (WINDOW / 2)) * (WINDOW / 2);
            let last = (first + WINDOW).min(self.length);
            *window = (first, self.read(&(first..last))?);
        }
        let (start, bytes) = &*window;
        bytes
            .get(range.start - start..range.end - start)
            .map(<[u8]>::to_vec)
            .map(Cow::Owned)
            .ok_or_else(too_early)
    }
}

fn too_early() -> String {
    "it ends too early".to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_reads_like_memory() {
        let memory: Vec<u8> = (0..300_000_u32).map(|number| (number % 253) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&memory).unwrap();
        let bytes = KeptBytes::new(&file, memory.len());
        for (start, length) in [
            (0, 4),
            (299_996, 4),
            (65_534, 8),
            (32_767, 2),
            (98_303, 30_000),
            (10, 100_000),
            (0, 300_000),
            (300_000, 0),
        ] {
            let range = start..start + length;
            assert_eq!(bytes.part(range.clone()).unwrap(), memory.part(range).unwrap(), "{start}");
        }
        assert!(bytes.part(299_999..300_001).is_err() && memory.part(299_999..300_001).is_err());
        for at in (0..299_990).rev().step_by(997) {
            assert_eq!(*bytes.part(at..at + 4).unwrap(), memory[at..at + 4]);
        }
    }
}
