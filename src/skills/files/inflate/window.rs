//! The last bytes that were decompressed, which later ones refer to.

use std::fmt;
use std::ops::Range;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::crc::Crc;

/// How far back compressed bytes may refer.
pub(super) const WINDOW: usize = 32 * 1024;

/// A decompressor, and what it made last.
pub(super) struct Window {
    state: Box<DecompressorOxide>,
    bytes: Vec<u8>,
    /// The part that was not handed out yet.
    ready: Range<usize>,
    /// How many bytes were made.
    pub(super) length: u64,
    sum: Crc,
}

impl Window {
    pub(super) fn new() -> Self {
        let state = Box::new(DecompressorOxide::new());
        Self { state, bytes: vec![0; WINDOW], ready: 0..0, length: 0, sum: Crc::new() }
    }

    /// Whether everything that was made has been handed out.
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// The checksum of all that was made.
    pub(super) fn crc(&self) -> u32 {
        self.sum.value()
    }

    /// Decompresses until the window is full or the input used up, and says how many bytes of the
    /// input it took. Everything made before must have been handed out.
    pub(super) fn inflate(&mut self, input: &[u8], has_more: bool) -> (TINFLStatus, usize) {
        let flags = if has_more { TINFL_FLAG_HAS_MORE_INPUT } else { 0 };
        let at = usize::try_from(self.length % WINDOW as u64).unwrap_or_default();
        let (status, taken, made) = decompress(&mut self.state, input, &mut self.bytes, at, flags);
        self.ready = at..at + made;
        self.length += made as u64;
        self.sum.add(&self.bytes[self.ready.clone()]);
        (status, taken)
    }

    /// Forgets what is ready.
    pub(super) const fn discard(&mut self) {
        self.ready.start = self.ready.end;
    }

    /// Copies what is ready into a buffer, and returns how many bytes that were.
    pub(super) fn hand_out(&mut self, buffer: &mut [u8]) -> usize {
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
