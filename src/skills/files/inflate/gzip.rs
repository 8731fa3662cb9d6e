//! gzip as a stream, read strictly: one member, nothing after it, and a checksum over all of it.
//!
//! Some programs read several members one after the other, others stop after the first. A file with
//! more than one could hold different content for each of them, so it is refused.

use std::io::{self, Read};
use std::ops::Range;

use miniz_oxide::inflate::TINFLStatus;

use super::window::Window;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::files::inflate::crc32;
    use crate::skills::files::inflate::window::WINDOW;

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
