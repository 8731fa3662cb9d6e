//! Compressed bytes, and the checksum that archives keep of them.

use std::fmt;
use std::io::{self, Read};
use std::iter::Peekable;
use std::ops::Range;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// The error for wrong bytes.
const DAMAGED: &str = "is damaged: its checksum is wrong";

/// The error for too many bytes, too few, or none that can be decompressed.
const WRONG_SIZE: &str = "is damaged: it does not unpack to its stated size";

/// Decompresses bytes that come in parts. The end is an error unless all of it had the stated
/// length and checksum.
#[derive(Debug)]
pub struct Inflate<I: Iterator<Item = Result<B, String>>, B> {
    parts: Peekable<I>,
    /// The current part, and how much of it was used.
    part: Option<(B, usize)>,
    window: Window,
    size: u64,
    crc: u32,
    is_done: bool,
}

impl<I: Iterator<Item = Result<B, String>>, B: AsRef<[u8]>> Inflate<I, B> {
    /// Reads nothing yet.
    pub fn new(parts: I, size: usize, crc: u32) -> Self {
        let (parts, window, size) = (parts.peekable(), Window::new(), size as u64);
        Self { parts, part: None, window, size, crc, is_done: false }
    }

    /// Decompresses the next bytes, at least one unless this is the end.
    fn advance(&mut self) -> Result<(), String> {
        while self.window.is_empty() && !self.is_done {
            let Some((part, used)) = &mut self.part else {
                let next = self.parts.next().unwrap_or_else(|| Err(WRONG_SIZE.to_owned()));
                self.part = Some((next?, 0));
                continue;
            };
            let (bytes, is_last) = (part.as_ref(), self.parts.peek().is_none());
            let (status, taken) = self.window.inflate(&bytes[*used..], !is_last);
            *used += taken;
            let is_used = *used == bytes.len();
            if self.window.length > self.size {
                return Err(WRONG_SIZE.to_owned());
            }
            match status {
                TINFLStatus::HasMoreOutput => {}
                TINFLStatus::NeedsMoreInput => self.part = None,
                TINFLStatus::Done if is_used && is_last && self.window.length == self.size => {
                    if self.window.crc() != self.crc {
                        return Err(DAMAGED.to_owned());
                    }
                    self.is_done = true;
                }
                _ => return Err(WRONG_SIZE.to_owned()),
            }
        }
        Ok(())
    }

    /// Decompresses everything, without keeping it.
    pub fn check(mut self) -> Result<(), String> {
        while !self.is_done {
            self.window.discard();
            self.advance()?;
        }
        Ok(())
    }
}

impl<I: Iterator<Item = Result<B, String>>, B: AsRef<[u8]>> Read for Inflate<I, B> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        self.advance().map_err(invalid)?;
        let length = self.window.hand_out(buffer);
        // Whoever knows the size may not ask again, and must hear of a wrong checksum.
        if self.window.length == self.size {
            self.advance().map_err(invalid)?;
        }
        Ok(length)
    }
}

/// Checks bytes that are not compressed and come in parts.
pub fn check_plain<B: AsRef<[u8]>>(
    parts: impl Iterator<Item = Result<B, String>>,
    crc: u32,
) -> Result<(), String> {
    let mut sum = Crc::new();
    for part in parts {
        sum.add(part?.as_ref());
    }
    if sum.value() == crc { Ok(()) } else { Err(DAMAGED.to_owned()) }
}

// The checksum of zip and gzip.

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
}

/// The CRC-32 of bytes that come in parts.
#[derive(Debug, Clone, Copy)]
pub struct Crc(u32);

impl Crc {
    /// Of nothing yet.
    pub const fn new() -> Self {
        Self(!0)
    }

    /// Adds the next part.
    pub fn add(&mut self, bytes: &[u8]) {
        let step =
            |crc: u32, byte: &u8| TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ (crc >> 8);
        self.0 = bytes.iter().fold(self.0, step);
    }

    /// The checksum of all parts.
    pub const fn value(self) -> u32 {
        !self.0
    }
}

/// The CRC-32 of these bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.add(bytes);
    crc.value()
}

// gzip as a stream, read strictly: one member, nothing after it, and a checksum over all of it.
//
// Some programs read several members one after the other, others stop after the first. A file with
// more than one could hold different content for each of them, so it is refused.

/// Bytes that are read at once.
const BUFFER: usize = 32 * 1024;

/// The first bytes: the magic number, and deflate, the only method.
const START: [u8; 3] = [0x1f, 0x8b, 8];

/// Flags for parts of the header.
const HEADER_CHECKSUM: u8 = 1 << 1;

const EXTRA: u8 = 1 << 2;

const NAME: u8 = 1 << 3;

const COMMENT: u8 = 1 << 4;

const RESERVED: u8 = 0b1110_0000;

/// Decompresses a gzip stream. Errors of the format have the kind
/// [`InvalidData`](io::ErrorKind::InvalidData).
#[derive(Debug)]
pub struct Gunzip<R> {
    input: InputBuffer<R>,
    window: Window,
    is_done: bool,
}

impl<R: Read> Gunzip<R> {
    /// Reads the header.
    pub fn new(input: R) -> io::Result<Self> {
        let mut input = InputBuffer { input, bytes: vec![0; BUFFER], ready: 0..0, is_ended: false };
        header(&mut input)?;
        Ok(Self { input, window: Window::new(), is_done: false })
    }

    /// Decompresses the next bytes, at least one unless this is the end.
    fn advance(&mut self) -> io::Result<()> {
        while self.window.is_empty() && !self.is_done {
            let input = self.input.fill()?;
            let (status, taken) = self.window.inflate(input, !input.is_empty());
            self.input.ready.start += taken;
            match status {
                TINFLStatus::HasMoreOutput | TINFLStatus::NeedsMoreInput => {}
                TINFLStatus::Done => {
                    self.is_done = true;
                    self.trailer()?;
                }
                TINFLStatus::FailedCannotMakeProgress => return Err(too_early()),
                _ => return Err(invalid("its compressed data is damaged")),
            }
        }
        Ok(())
    }

    /// Compares the checksum and the length, and requires that nothing follows.
    fn trailer(&mut self) -> io::Result<()> {
        let crc = u32::from_le_bytes(self.input.take()?);
        let length = u32::from_le_bytes(self.input.take()?);
        // Lengths are written modulo 2^32.
        let is_as_long = u64::from(length) == self.window.length & u64::from(u32::MAX);
        if crc != self.window.crc() || !is_as_long {
            return Err(invalid("its checksum is wrong"));
        }
        if !self.input.fill()?.is_empty() {
            return Err(invalid("there are bytes after its end"));
        }
        Ok(())
    }
}

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.advance()?;
        Ok(self.window.hand_out(buffer))
    }
}

/// Compressed bytes that were read and not used yet.
#[derive(Debug)]
struct InputBuffer<R> {
    input: R,
    bytes: Vec<u8>,
    ready: Range<usize>,
    is_ended: bool,
}

impl<R: Read> InputBuffer<R> {
    /// Bytes to use; none at the end of the input.
    fn fill(&mut self) -> io::Result<&[u8]> {
        while self.ready.is_empty() && !self.is_ended {
            match self.input.read(&mut self.bytes) {
                Ok(0) => self.is_ended = true,
                Ok(length) => self.ready = 0..length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.bytes[self.ready.clone()])
    }

    fn byte(&mut self) -> io::Result<u8> {
        let first = self.fill()?.first().copied().ok_or_else(too_early)?;
        self.ready.start += 1;
        Ok(first)
    }

    fn take<const LENGTH: usize>(&mut self) -> io::Result<[u8; LENGTH]> {
        let mut bytes = [0; LENGTH];
        for byte in &mut bytes {
            *byte = self.byte()?;
        }
        Ok(bytes)
    }

    /// Passes over a text that ends with a zero.
    fn skip_text(&mut self) -> io::Result<()> {
        while self.byte()? != 0 {}
        Ok(())
    }
}

/// Passes over the header. Names and comments in it do not affect the content.
fn header<R: Read>(input: &mut InputBuffer<R>) -> io::Result<()> {
    let start: [u8; 10] = input.take()?;
    let flags = start[3];
    if start[..3] != START || flags & RESERVED != 0 {
        return Err(invalid("it is not a gzip file"));
    }
    if flags & EXTRA != 0 {
        let length = u16::from_le_bytes(input.take()?);
        for _ in 0..length {
            input.byte()?;
        }
    }
    for flag in [NAME, COMMENT] {
        if flags & flag != 0 {
            input.skip_text()?;
        }
    }
    if flags & HEADER_CHECKSUM != 0 {
        input.take::<2>()?;
    }
    Ok(())
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn too_early() -> io::Error {
    invalid("it ends too early")
}

// The last bytes that were decompressed, which later ones refer to.

/// How far back compressed bytes may refer.
pub const WINDOW: usize = 32 * 1024;

/// A decompressor, and what it made last.
pub struct Window {
    state: Box<DecompressorOxide>,
    bytes: Vec<u8>,
    /// The part that was not handed out yet.
    ready: Range<usize>,
    /// How many bytes were made.
    pub length: u64,
    sum: Crc,
}

impl Window {
    pub fn new() -> Self {
        let state = Box::new(DecompressorOxide::new());
        Self { state, bytes: vec![0; WINDOW], ready: 0..0, length: 0, sum: Crc::new() }
    }

    /// Whether everything that was made has been handed out.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// The checksum of all that was made.
    pub fn crc(&self) -> u32 {
        self.sum.value()
    }

    /// Decompresses until the window is full or the input used up, and says how many bytes of the
    /// input it took. Everything made before must have been handed out.
    pub fn inflate(&mut self, input: &[u8], has_more: bool) -> (TINFLStatus, usize) {
        let flags = if has_more { TINFL_FLAG_HAS_MORE_INPUT } else { 0 };
        let at = usize::try_from(self.length % WINDOW as u64).unwrap_or_default();
        let (status, taken, made) = decompress(&mut self.state, input, &mut self.bytes, at, flags);
        self.ready = at..at + made;
        self.length += made as u64;
        self.sum.add(&self.bytes[self.ready.clone()]);
        (status, taken)
    }

    /// Forgets what is ready.
    pub const fn discard(&mut self) {
        self.ready.start = self.ready.end;
    }

    /// Copies what is ready into a buffer, and returns how many bytes that were.
    pub fn hand_out(&mut self, buffer: &mut [u8]) -> usize {
        let length = self.ready.len().min(buffer.len());
        let part = self.ready.start..self.ready.start + length;
        buffer[..length].copy_from_slice(&self.bytes[part]);
        self.ready.start += length;
        length
    }
}

// The decompressor has none.
impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window").field("length", &self.length).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;

    use super::WINDOW;
    use super::*;

    fn parts(bytes: &[u8], length: usize) -> impl Iterator<Item = Result<&[u8], String>> {
        bytes.chunks(length).map(Ok)
    }

    #[test]
    fn bytes_come_back_whatever_the_parts_and_the_buffer_are() {
        for size in [0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW + 7] {
            let content: Vec<u8> = (0..size).map(|at| (at / 7 % 251) as u8).collect();
            let (packed, crc) = (compress_to_vec(&content, 6), crc32(&content));
            for length in [1, 2, 1_000, 1_000_000] {
                let mut read = Vec::new();
                let mut inflate = Inflate::new(parts(&packed, length), size, crc);
                inflate.read_to_end(&mut read).unwrap();
                assert!(read == content, "{size} in parts of {length}");
                assert_eq!(Inflate::new(parts(&packed, length), size, crc).check(), Ok(()));
            }
        }
    }

    #[test]
    fn whoever_reads_as_much_as_was_stated_hears_what_is_wrong() {
        let content = vec![7; 2 * WINDOW + 5];
        let (packed, crc) = (compress_to_vec(&content, 6), crc32(&content));
        let longer = [packed.clone(), b"x".to_vec()].concat();
        for (what, packed, size, crc) in [
            ("checksum", packed.as_slice(), content.len(), crc ^ 1),
            ("size", &packed, content.len() - 1, crc),
            ("size", &packed, content.len() + 1, crc),
            ("size", &packed[..packed.len() - 1], content.len(), crc),
            ("size", &longer, content.len(), crc),
            ("size", &[], content.len(), crc),
            ("size", &[0xff; 20], content.len(), crc),
        ] {
            let error = Inflate::new(parts(packed, 3), size, crc).check().unwrap_err();
            assert!(error.contains(what), "{error}");
            let mut inflate = Inflate::new(parts(packed, 3), size, crc);
            let error = inflate.read_exact(&mut vec![0; size]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{what}");
        }
        // All bytes are there before the end is: a whole block, and a last one that is empty.
        let block = [&[0, 5, 0, !5, !0], &b"bytes"[..]].concat();
        let ends = || [Ok(&block[..]), Ok(&[1, 0, 0, !0, !0])].into_iter();
        for (crc, is_right) in [(crc32(b"bytes"), true), (crc32(b"bytes") ^ 1, false)] {
            let read = Inflate::new(ends(), 5, crc).read_exact(&mut [0; 5]);
            assert_eq!(read.is_ok(), is_right, "{read:?}");
        }
        let broken = [Ok(&packed[..2]), Err("cannot be read".to_owned())];
        let error = Inflate::new(broken.into_iter(), content.len(), crc).check();
        assert_eq!(error, Err("cannot be read".to_owned()));
    }

    #[test]
    fn what_is_longer_than_stated_is_not_unpacked_to_its_end() {
        let packed = compress_to_vec(&vec![0; 8 * 1024 * 1024], 6);
        let mut taken = 0;
        let counted = parts(&packed, 100).inspect(|_| taken += 1);
        let error = Inflate::new(counted, 10, 0).check().unwrap_err();
        assert_eq!(error, WRONG_SIZE);
        assert!(taken < 10 && packed.len() > 5_000, "{taken} of {} bytes", packed.len());
    }
}

#[cfg(test)]
mod crc_tests {
    use super::crc32;

    #[test]
    fn the_check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}

#[cfg(test)]
mod gzip_tests {
    use super::*;
    use crate::skills::files::inflate::WINDOW;
    use crate::skills::files::inflate::crc32;

    fn gzip(content: &[u8], flags: u8, extra: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
        bytes.extend(extra);
        bytes.extend(miniz_oxide::deflate::compress_to_vec(content, 6));
        bytes.extend(crc32(content).to_le_bytes());
        bytes.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
        bytes
    }

    /// Returns one byte at a time, like a slow connection.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(1).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn read(input: impl Read) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        Gunzip::new(input)?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn content_of_any_length_reads_back() {
        for length in [0, 1, 100, WINDOW - 1, WINDOW, WINDOW + 1, 5 * WINDOW + 7] {
            let content: Vec<u8> = (0..length).map(|at| (at * at % 251) as u8).collect();
            let bytes = gzip(&content, 0, &[]);
            assert_eq!(read(&bytes[..]).unwrap(), content, "{length}");
            assert_eq!(read(Drip(&bytes)).unwrap(), content, "{length}");
        }
    }

    #[test]
    fn parts_of_the_header_are_passed_over() {
        let all = EXTRA | NAME | COMMENT | HEADER_CHECKSUM;
        let bytes = gzip(b"text", all, b"\x02\x00xxname\0comment\0cc");
        assert_eq!(read(&bytes[..]).unwrap(), b"text");
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let content = b"some text, some text, some text".repeat(3);
        let bytes = gzip(&content, 0, &[]);
        for length in 0..bytes.len() {
            let error = read(&bytes[..length]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{length}");
        }
        // The time, the level and the system do not affect the content.
        for at in (0..4 * 8).chain(10 * 8..bytes.len() * 8) {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            // Nor do the padding bits of the last byte.
            assert!(read(&flipped[..]).map_or(true, |read| read == content), "bit {at}");
        }
    }

    #[test]
    fn nothing_may_follow() {
        let one = gzip(b"one", 0, &[]);
        for more in [&one[..], b"\0", b"x"] {
            let error = read(&[&one, more].concat()[..]).unwrap_err();
            assert!(error.to_string().contains("after its end"), "{error}");
        }
    }
}
