//! Writes plain, reproducible zip archives.

use super::end::END;
use super::zip::{CENTRAL, LOCAL, UTF8, ZipResult};

/// An archive in progress.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// 1980-01-01, the earliest date in the format.
const DATE: u16 = (1 << 5) | 1;
/// The version of the format with directories and compression.
const VERSION: u16 = 20;

impl Writer {
    /// Adds a file by its bytes and mode.
    pub(super) fn add(&mut self, name: &str, mode: u32, content: &[u8], crc: u32) -> ZipResult<()> {
        let deflated = miniz_oxide::deflate::compress_to_vec(content, 6);
        // Incompressible files are stored.
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

    /// Returns the archive.
    pub(super) fn finish(mut self) -> ZipResult<Vec<u8>> {
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
