//! Compressed bytes, and the checksum that archives keep of them.

mod crc;
mod gzip;
mod window;

use std::io::{self, Read};
use std::iter::Peekable;

use miniz_oxide::inflate::TINFLStatus;

use crc::Crc;
pub use crc::crc32;
pub use gzip::Gunzip;
use window::Window;

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

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;

    use super::window::WINDOW;
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
