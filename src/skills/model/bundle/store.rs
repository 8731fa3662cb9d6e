//! The bytes of a bundle: in memory while they are few, then in a temporary file without a name, so
//! that memory does not grow with the size of a repository or archive.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;

use crate::skills::files;

/// Bytes that stay in memory. Most repositories of skills have fewer.
const MEMORY_BYTES: usize = 8 * 1024 * 1024;

/// Bytes that are read at once.
const PART: usize = 256 * 1024;

/// Bytes that are added once and read often, by several threads.
#[derive(Debug, Default)]
pub struct ByteStore {
    memory: Vec<u8>,
    /// Holds everything once there is too much for memory.
    file: Option<File>,
    length: usize,
}

impl ByteStore {
    /// Keeps bytes that are in memory already.
    pub const fn of(memory: Vec<u8>) -> Self {
        let length = memory.len();
        Self { memory, file: None, length }
    }

    /// Reads from a file that nobody changes. Nothing is added to it.
    pub fn of_file(file: File, length: usize) -> Self {
        Self { memory: Vec::new(), file: Some(file), length }
    }

    /// Adds bytes and returns where they are.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<Range<usize>> {
        let range = self.length..self.length + bytes.len();
        if self.file.is_none() && range.end > MEMORY_BYTES {
            let mut file = tempfile::tempfile()?;
            file.write_all(&self.memory)?;
            self.file = Some(file);
            self.memory = Vec::new();
        }
        match &mut self.file {
            Some(file) => file.write_all(bytes)?,
            None => self.memory.extend_from_slice(bytes),
        }
        self.length = range.end;
        Ok(range)
    }

    /// How many bytes it holds.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The bytes in a range that [`add`](Self::add) returned.
    pub fn read(&self, range: Range<usize>) -> io::Result<Cow<'_, [u8]>> {
        let Some(file) = &self.file else { return Ok(Cow::Borrowed(&self.memory[range])) };
        let mut bytes = vec![0; range.len()];
        files::read_at(file, &mut bytes, range.start as u64)?;
        Ok(Cow::Owned(bytes))
    }

    /// The same, one part after the other.
    pub fn parts(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = Result<Cow<'_, [u8]>, String>> {
        let end = range.end;
        let part = move |start: usize| self.read(start..end.min(start + PART));
        let failed = |error: io::Error| format!("cannot be read: {error}");
        range.step_by(PART).map(move |start| part(start).map_err(failed))
    }

    /// Reads the bytes in a range.
    pub const fn reader(&self, range: Range<usize>) -> StoreReader<'_> {
        StoreReader { store: self, rest: range }
    }
}

/// Bytes that were not read yet.
#[derive(Debug)]
pub struct StoreReader<'a> {
    store: &'a ByteStore,
    rest: Range<usize>,
}

impl Read for StoreReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let part = self.rest.start..self.rest.end.min(self.rest.start + buffer.len());
        let buffer = &mut buffer[..part.len()];
        match &self.store.file {
            Some(file) => files::read_at(file, buffer, part.start as u64)?,
            None => buffer.copy_from_slice(&self.store.memory[part.clone()]),
        }
        self.rest.start = part.end;
        Ok(part.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back_from_memory_and_from_a_file() {
        let mut store = ByteStore::default();
        let part = |number: u8| vec![number; 3 * 1024 * 1024 + 1];
        let ranges: Vec<Range<usize>> =
            (0..5).map(|number| store.add(&part(number)).unwrap()).collect();
        assert!(store.file.is_some() && store.memory.is_empty());
        let empty = store.add(&[]).unwrap();
        assert!(store.read(empty).unwrap().is_empty());
        for (number, range) in (0..5).zip(ranges) {
            let mut read = Vec::new();
            store.reader(range.clone()).read_to_end(&mut read).unwrap();
            assert_eq!(read, part(number));
            let parts: Result<Vec<_>, _> = store.parts(range.clone()).collect();
            assert_eq!(parts.unwrap().concat(), part(number));
            assert_eq!(store.read(range).unwrap(), part(number));
        }
        let mut small = ByteStore::of(b"ab".to_vec());
        let range = small.add(b"cd").unwrap();
        assert_eq!(
            (&*small.read(range).unwrap(), &*small.read(1..3).unwrap()),
            (&b"cd"[..], &b"bc"[..])
        );
        assert!(small.file.is_none());
    }
}
