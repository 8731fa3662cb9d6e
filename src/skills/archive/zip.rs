//! The zip format, read so strictly that no two readers can disagree about what is in an archive.
//!
//! Every byte of the file belongs to exactly one thing: entries one after the other from the first
//! byte on, then the directory that lists them all, then its end. What the two descriptions of an
//! entry say must be the same. Nothing is left over, nothing lies upon anything else.

use crate::skills::order;
use std::ops::Range;

/// An entry as it is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawEntry {
    pub(super) name: Vec<u8>,
    pub(super) is_utf8: bool,
    pub(super) is_deflated: bool,
    pub(super) crc: u32,
    pub(super) size: usize,
    pub(super) data: Range<usize>,
    /// The Unix mode, when the archive was made on such a system.
    pub(super) mode: Option<u32>,
}

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;
const END_BYTES: usize = 22;
const CENTRAL_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;

/// Flags that change nothing about the bytes: how well they are compressed, and the two below.
const HARMLESS_FLAGS: u16 = 0b110 | STREAMED | UTF8;
/// The sizes follow the bytes.
const STREAMED: u16 = 1 << 3;
const UTF8: u16 = 1 << 11;
const ENCRYPTED: u16 = 1;

/// Extra fields that say the name, the size or the content differently to who understands them.
const AMBIGUOUS_EXTRAS: [(u16, &str); 3] =
    [(0x7075, "a second name"), (0x0001, "sizes beyond 4 GiB"), (0x9901, "encryption")];

type Result<T> = std::result::Result<T, String>;

/// Lists what is in an archive.
pub(super) fn entries(bytes: &[u8]) -> Result<Vec<RawEntry>> {
    let end = find_end(bytes)?;
    let number = |at: usize| u16_at(bytes, end + at);
    if number(4)? != 0 || number(6)? != 0 || number(8)? != number(10)? {
        return Err("it is a part of a larger archive".to_owned());
    }
    let count = usize::from(number(10)?);
    let (length, start) = (usize_at(bytes, end + 12)?, usize_at(bytes, end + 16)?);
    if start.checked_add(length) != Some(end) {
        return Err(
            "there are bytes before it, or its directory is not where it should be".to_owned()
        );
    }
    let mut listed = Vec::new();
    let mut at = start;
    for _ in 0..count {
        let (entry, offset, next) = central(bytes, at, end)?;
        listed.push((offset, entry));
        at = next;
    }
    // Entries stand one after the other, without gaps, in whatever order they are listed.
    order::sort_by_key(&mut listed, |(offset, _)| *offset);
    let mut entries = Vec::new();
    let mut expected = 0;
    for (offset, entry) in listed {
        if offset != expected {
            return Err("its entries overlap, or there is something between them".to_owned());
        }
        let (data, after) = local(bytes, offset, start, &entry)?;
        entries.push(RawEntry { data, ..entry.raw });
        expected = after;
    }
    if at != end || expected != start {
        return Err("it holds bytes that no entry speaks of".to_owned());
    }
    Ok(entries)
}

/// Where the end record starts. Its comment must reach to the last byte.
fn find_end(bytes: &[u8]) -> Result<usize> {
    let least = bytes.len().saturating_sub(END_BYTES + usize::from(u16::MAX));
    let last = bytes.len().checked_sub(END_BYTES).ok_or("it is no zip archive")?;
    // The last one counts, as for most readers. What looks like one before it belongs to an entry, or
    // is found to belong to nothing.
    let found = (least..=last).rev().find(|at| u32_at(bytes, *at) == Ok(END));
    let end = found.ok_or("it is no zip archive, or not all of it is there")?;
    let comment = usize::from(u16_at(bytes, end + 20)?);
    if end + END_BYTES + comment == bytes.len() {
        return Ok(end);
    }
    Err("there are bytes after its end".to_owned())
}

/// What the directory says about an entry, and what is needed to compare it.
struct Central {
    raw: RawEntry,
    flags: u16,
    method: u16,
    compressed: usize,
}

/// Reads a record of the directory; returns it, the offset of its entry, and where the next is.
fn central(bytes: &[u8], at: usize, end: usize) -> Result<(Central, usize, usize)> {
    if u32_at(bytes, at)? != CENTRAL || at + CENTRAL_BYTES > end {
        return Err("its directory is damaged".to_owned());
    }
    let field = |offset: usize| u16_at(bytes, at + offset);
    let (system, flags, method) = (field(4)? >> 8, field(8)?, field(10)?);
    if flags & ENCRYPTED != 0 {
        return Err("it is encrypted".to_owned());
    }
    if flags & !HARMLESS_FLAGS != 0 || !matches!(method, 0 | 8) {
        return Err("it is compressed in a way that is not known here".to_owned());
    }
    let lengths = [28, 30, 32].map(field);
    let [name, extra, comment] = lengths;
    let (name, extra, comment) = (usize::from(name?), usize::from(extra?), usize::from(comment?));
    let name_at = at + CENTRAL_BYTES;
    let next = name_at + name + extra + comment;
    if next > end || field(34)? != 0 {
        return Err("its directory is damaged".to_owned());
    }
    check_extras(&bytes[name_at + name..name_at + name + extra])?;
    let attributes = u32_at(bytes, at + 38)?;
    let raw = RawEntry {
        name: bytes[name_at..name_at + name].to_vec(),
        is_utf8: flags & UTF8 != 0,
        is_deflated: method == 8,
        crc: u32_at(bytes, at + 16)?,
        size: usize_at(bytes, at + 24)?,
        data: 0..0,
        mode: (system == 3).then_some(attributes >> 16),
    };
    let compressed = usize_at(bytes, at + 20)?;
    let offset = usize_at(bytes, at + 42)?;
    Ok((Central { raw, flags, method, compressed }, offset, next))
}

/// Compares the entry itself with what the directory says; returns its bytes, and where it ends.
fn local(
    bytes: &[u8],
    at: usize,
    directory: usize,
    central: &Central,
) -> Result<(Range<usize>, usize)> {
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
    check_extras(&bytes[name_at + name..start])?;
    let is_streamed = central.flags & STREAMED != 0;
    if is_streamed && !central.raw.is_deflated && central.compressed > 0 {
        // Who reads from the front cannot tell where such an entry ends.
        return Err("an entry does not say how long it is".to_owned());
    }
    let sums = [14, 18, 22].map(|offset| u32_at(bytes, at + offset));
    let [crc, compressed, size] = sums;
    let told = (crc?, as_usize(compressed?)?, as_usize(size?)?);
    let listed = (central.raw.crc, central.compressed, central.raw.size);
    let same = bytes[name_at..name_at + name] == central.raw.name[..]
        && field(6)? == central.flags
        && field(8)? == central.method
        && (told == listed || (is_streamed && told == (0, 0, 0)));
    if !same {
        return Err("its directory says one thing about an entry, and the entry another".to_owned());
    }
    let after = if is_streamed { descriptor(bytes, stop, directory, listed)? } else { stop };
    Ok((start..stop, after))
}

/// Sizes that follow the bytes, with or without a signature.
fn descriptor(
    bytes: &[u8],
    at: usize,
    directory: usize,
    listed: (u32, usize, usize),
) -> Result<usize> {
    let signed = u32_at(bytes, at) == Ok(DESCRIPTOR);
    let first = if signed { at + 4 } else { at };
    let told = (u32_at(bytes, first)?, usize_at(bytes, first + 4)?, usize_at(bytes, first + 8)?);
    if told == listed && first + 12 <= directory {
        return Ok(first + 12);
    }
    Err("an entry is not as long as it says".to_owned())
}

fn check_extras(mut extras: &[u8]) -> Result<()> {
    while extras.len() >= 4 {
        let (id, length) = (u16_at(extras, 0)?, usize::from(u16_at(extras, 2)?));
        if let Some((_, what)) = AMBIGUOUS_EXTRAS.iter().find(|(known, _)| *known == id) {
            return Err(format!("an entry has {what}, which not every program reads"));
        }
        extras = extras.get(4 + length..).ok_or("an entry is damaged")?;
    }
    Ok(())
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let two = bytes.get(at..).and_then(|rest| rest.first_chunk());
    two.map(|two| u16::from_le_bytes(*two)).ok_or_else(|| "it ends too early".to_owned())
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk());
    four.map(|four| u32::from_le_bytes(*four)).ok_or_else(|| "it ends too early".to_owned())
}

fn usize_at(bytes: &[u8], at: usize) -> Result<usize> {
    as_usize(u32_at(bytes, at)?)
}

fn as_usize(number: u32) -> Result<usize> {
    usize::try_from(number).map_err(|_| "it is too large".to_owned())
}

/// Writes archives of the simplest kind, the same bytes for the same entries.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// 1980-01-01, the first day that the format knows.
const DATE: u16 = (1 << 5) | 1;
/// The version that knows directories and compression.
const VERSION: u16 = 20;

impl Writer {
    /// Adds a file; its bytes and its mode are all that counts.
    pub(super) fn add(&mut self, name: &str, mode: u32, content: &[u8], crc: u32) -> Result<()> {
        let deflated = miniz_oxide::deflate::compress_to_vec(content, 6);
        // What does not get smaller is stored as it is.
        let (method, data) =
            if deflated.len() < content.len() { (8, &deflated[..]) } else { (0, content) };
        let flags = if name.is_ascii() { 0 } else { UTF8 };
        let too_large = || "it is too large for an archive".to_owned();
        let small = |length: usize| u32::try_from(length).map_err(|_| too_large());
        let name_length = u16::try_from(name.len()).map_err(|_| too_large())?;
        let offset = small(self.bytes.len())?;
        let mut common = Vec::new();
        for number in [VERSION, flags, method, 0, DATE] {
            common.extend(number.to_le_bytes());
        }
        for number in [crc, small(data.len())?, small(content.len())?] {
            common.extend(number.to_le_bytes());
        }
        common.extend(name_length.to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        self.bytes.extend(LOCAL.to_le_bytes());
        self.bytes.extend(&common);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(data);
        self.directory.extend(CENTRAL.to_le_bytes());
        self.directory.extend((3 << 8 | VERSION).to_le_bytes());
        self.directory.extend(&common);
        self.directory.extend([0; 6]);
        self.directory.extend((mode << 16).to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count = self.count.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    /// All of the archive.
    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        let too_large = |_| "it is too large for an archive".to_owned();
        let start = u32::try_from(self.bytes.len()).map_err(too_large)?;
        let length = u32::try_from(self.directory.len()).map_err(too_large)?;
        self.bytes.append(&mut self.directory);
        self.bytes.extend(END.to_le_bytes());
        for number in [0, 0, self.count, self.count] {
            self.bytes.extend(number.to_le_bytes());
        }
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend(0_u16.to_le_bytes());
        Ok(self.bytes)
    }
}
