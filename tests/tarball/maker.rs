//! Makes tar archives in which every field can be wrong on its own.

/// One entry: its header, and the bytes that follow.
#[derive(Clone)]
pub(crate) struct TarEntry {
    header: [u8; 512],
    data: Vec<u8>,
}

/// A file.
pub(crate) fn file(name: &str, content: &str) -> TarEntry {
    entry(b'0', name.as_bytes(), content.as_bytes())
}

/// An entry of this type, in the standard format.
pub(crate) fn entry(kind: u8, name: &[u8], data: &[u8]) -> TarEntry {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name);
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    let entry = TarEntry { header, data: data.to_vec() };
    entry.set(100, b"0000644\0").size(data.len())
}

/// A list of attributes for the next entry, or for all that follow.
pub(crate) fn attributes(kind: u8, records: &[(&str, &str)]) -> TarEntry {
    let record = |(key, value): &(&str, &str)| {
        let rest = format!(" {key}={value}\n");
        let digits = |length: usize| length.to_string().len();
        let mut length = rest.len() + 1;
        while length != rest.len() + digits(length) {
            length = rest.len() + digits(length);
        }
        format!("{length}{rest}")
    };
    entry(kind, b"PaxHeader", records.iter().map(record).collect::<String>().as_bytes())
}

impl TarEntry {
    /// Puts bytes into the header.
    pub(crate) fn set(mut self, at: usize, bytes: &[u8]) -> Self {
        self.header[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Claims this size.
    pub(crate) fn size(self, size: usize) -> Self {
        self.set(124, format!("{size:011o}\0").as_bytes())
    }

    /// Leads there.
    pub(crate) fn link(self, target: &str) -> Self {
        self.set(157, target.as_bytes())
    }

    fn bytes(&self) -> Vec<u8> {
        let mut header = self.header;
        if header[148..156] == [0; 8] {
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
        let mut bytes = [&header, &self.data[..]].concat();
        bytes.resize(bytes.len().div_ceil(512) * 512, 0);
        bytes
    }
}

/// An archive without its end.
pub(crate) fn open_archive(entries: &[TarEntry]) -> Vec<u8> {
    entries.iter().flat_map(TarEntry::bytes).collect()
}

/// A whole archive.
pub(crate) fn archive(entries: &[TarEntry]) -> Vec<u8> {
    [open_archive(entries), vec![0; 1024]].concat()
}

/// The gzip form of bytes.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    packed
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    let add = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(!0, add)
}
