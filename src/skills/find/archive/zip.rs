//! Reads the zip format so strictly that no two readers can disagree about the content.
//!
//! Every byte of the file has one meaning: entries one after the other from the first byte on, then
//! the directory that lists them, then the end record. The two descriptions of an entry must agree.
//! There are no gaps and no overlaps.

use std::ops::Range;

use super::end::CentralDirectory;
use super::zip_bytes::ZipBytes;

/// An entry as the archive describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawEntry {
    pub(super) name: Vec<u8>,
    pub(super) is_utf8: bool,
    pub(super) is_deflated: bool,
    pub(super) crc: u32,
    pub(super) size: usize,
    pub(super) data: Range<usize>,
    /// The Unix mode, or zero. It counts for archives from any system, because programs differ in
    /// whether they check the system first.
    pub(super) mode: u32,
    /// MS-DOS and Windows attributes.
    pub(super) attributes: u16,
}

pub(super) const LOCAL: u32 = 0x0403_4b50;
pub(super) const CENTRAL: u32 = 0x0201_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;
const CENTRAL_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;

/// Flags that do not change the content: the compression level, and the two below.
const HARMLESS_FLAGS: u16 = 0b110 | STREAMED | UTF8;
/// The sizes come after the data.
const STREAMED: u16 = 1 << 3;
pub(super) const UTF8: u16 = 1 << 11;
const ENCRYPTED: u16 = 1;

/// The newest version of the format that is read: 4.5, which has zip64.
pub(super) const KNOWN_VERSION: u16 = 45;

/// Extra fields that replace the name or content for programs that know them.
const AMBIGUOUS_EXTRAS: [(u16, &str); 2] = [(0x7075, "a second name"), (0x9901, "encryption")];
/// The extra field with sizes that do not fit into the record.
const LONG_SIZES: u16 = 0x0001;
/// The placeholder in the record.
const NO_ROOM: u32 = u32::MAX;

pub(super) type ZipResult<T> = std::result::Result<T, String>;

/// Lists the entries of an archive with this directory.
pub(super) fn entries(
    bytes: &dyn ZipBytes,
    directory: &CentralDirectory,
) -> ZipResult<Vec<RawEntry>> {
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

pub(super) fn u16_at(bytes: &dyn ZipBytes, at: usize) -> ZipResult<u16> {
    chunk(bytes, at).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &dyn ZipBytes, at: usize) -> ZipResult<u32> {
    chunk(bytes, at).map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &dyn ZipBytes, at: usize) -> ZipResult<u64> {
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
