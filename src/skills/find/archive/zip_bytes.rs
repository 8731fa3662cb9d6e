//! The bytes of a zip archive: in memory, or in a file that nobody else changes, so that a large
//! download need not fit into memory.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs::File;
use std::ops::Range;

use super::zip::ZipResult;
use crate::skills::files::platform;

/// Bytes of a file that are kept at hand.
const WINDOW: usize = 64 * 1024;

/// Bytes that are read at any place.
pub(super) trait ZipBytes {
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
pub(super) struct KeptBytes<'f> {
    file: &'f File,
    length: usize,
    window: RefCell<(usize, Vec<u8>)>,
}

impl<'f> KeptBytes<'f> {
    pub(super) const fn new(file: &'f File, length: usize) -> Self {
        Self { file, length, window: RefCell::new((0, Vec::new())) }
    }

    fn read(&self, range: &Range<usize>) -> ZipResult<Vec<u8>> {
        let mut bytes = vec![0; range.len()];
        platform::read_at(self.file, &mut bytes, range.start as u64)
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
