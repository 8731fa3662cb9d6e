//! The checksum of zip and gzip.

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
pub(super) struct Crc(u32);

impl Crc {
    /// Of nothing yet.
    pub(super) const fn new() -> Self {
        Self(!0)
    }

    /// Adds the next part.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let step =
            |crc: u32, byte: &u8| TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ (crc >> 8);
        self.0 = bytes.iter().fold(self.0, step);
    }

    /// The checksum of all parts.
    pub(super) const fn value(self) -> u32 {
        !self.0
    }
}

/// The CRC-32 of these bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.add(bytes);
    crc.value()
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
