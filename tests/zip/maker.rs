//! Makes zip archives in which every single number can be wrong.

const STREAMED: u16 = 1 << 3;
pub(crate) const UTF8: u16 = 1 << 11;
pub(crate) const FILE: u32 = 0o100_644 << 16;
/// The placeholder for a number that does not fit.
pub(crate) const NO_ROOM: u32 = u32::MAX;

/// The fields that both descriptions of an entry have.
#[derive(Clone)]
pub(crate) struct Header {
    pub(crate) needed: u16,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) compressed: u32,
    pub(crate) size: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) extra: Vec<u8>,
}

/// One entry: its own description, that of the directory, and its bytes.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) local: Header,
    pub(crate) central: Header,
    pub(crate) made_by: u16,
    pub(crate) attributes: u32,
    /// A false offset in the directory, if any.
    pub(crate) offset: Option<u32>,
    pub(crate) data: Vec<u8>,
    pub(crate) descriptor: Vec<u8>,
}

/// The end of an archive: the numbers of its end record, of the zip64 record, and of its locator.
pub(crate) struct End {
    pub(crate) counts: [u16; 4],
    pub(crate) length: u32,
    pub(crate) start: u32,
    pub(crate) long: Option<Long>,
}

/// The zip64 record and its locator.
pub(crate) struct Long {
    pub(crate) rest: u64,
    pub(crate) needed: u16,
    pub(crate) disks: [u32; 2],
    pub(crate) numbers: [u64; 4],
    pub(crate) locator: (u32, u64, u32),
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}

/// The extra field for numbers that do not fit.
pub(crate) fn long(numbers: &[u64]) -> Vec<u8> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    extra(0x0001, &bytes)
}

pub(crate) fn extra(id: u16, bytes: &[u8]) -> Vec<u8> {
    [&id.to_le_bytes()[..], &(bytes.len() as u16).to_le_bytes(), bytes].concat()
}

/// A minimal file.
pub(crate) fn file(name: &str, content: &str) -> Entry {
    entry(name, content.as_bytes(), false)
}

pub(crate) fn entry(name: &str, content: &[u8], is_deflated: bool) -> Entry {
    let data = match is_deflated {
        true => miniz_oxide::deflate::compress_to_vec(content, 6),
        false => content.to_vec(),
    };
    let header = Header {
        needed: 20,
        flags: 0,
        method: if is_deflated { 8 } else { 0 },
        crc: crc32(content),
        compressed: data.len() as u32,
        size: content.len() as u32,
        name: name.as_bytes().to_vec(),
        extra: Vec::new(),
    };
    let central = header.clone();
    let descriptor = Vec::new();
    Entry { local: header, central, made_by: 3, attributes: FILE, offset: None, data, descriptor }
}

impl Entry {
    /// The same with changes to both descriptions.
    pub(crate) fn with(mut self, change: impl Fn(&mut Header)) -> Self {
        change(&mut self.local);
        change(&mut self.central);
        self
    }

    pub(crate) fn local(mut self, change: impl Fn(&mut Header)) -> Self {
        change(&mut self.local);
        self
    }

    pub(crate) fn central(mut self, change: impl Fn(&mut Header)) -> Self {
        change(&mut self.central);
        self
    }

    /// Uses 64-bit sizes in the entry itself, as Python's `force_zip64` does.
    pub(crate) fn long_local(self) -> Self {
        self.local(|header| {
            header.needed = 45;
            header.extra = long(&[header.size.into(), header.compressed.into()]);
            (header.size, header.compressed) = (NO_ROOM, NO_ROOM);
        })
    }

    /// Puts its sizes after its data, in numbers of this many bytes.
    pub(crate) fn streamed(mut self, width: usize) -> Self {
        let Header { crc, compressed, size, .. } = self.central;
        let number = |number: u32| u64::from(number).to_le_bytes()[..width].to_vec();
        let parts = [crc.to_le_bytes().to_vec(), number(compressed), number(size)].concat();
        self.descriptor = [b"PK\x07\x08".to_vec(), parts].concat();
        self.local(|header| (header.crc, header.compressed, header.size) = (0, 0, 0))
            .with(|header| header.flags |= STREAMED)
    }
}

fn written(header: &Header, bytes: &mut Vec<u8>) {
    for number in [header.needed, header.flags, header.method, 0, (1 << 5) | 1] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [header.crc, header.compressed, header.size] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend((header.name.len() as u16).to_le_bytes());
    bytes.extend((header.extra.len() as u16).to_le_bytes());
}

/// The archive, after `change` has modified its end.
pub(crate) fn archive(entries: &[Entry], change: impl Fn(&mut End)) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = bytes.len() as u32;
        bytes.extend(b"PK\x03\x04");
        written(&entry.local, &mut bytes);
        for part in [&entry.local.name, &entry.local.extra, &entry.data, &entry.descriptor] {
            bytes.extend(part);
        }
        directory.extend(b"PK\x01\x02");
        directory.extend([45, entry.made_by as u8]);
        written(&entry.central, &mut directory);
        directory.extend([0; 6]);
        directory.extend(entry.attributes.to_le_bytes());
        directory.extend(entry.offset.unwrap_or(offset).to_le_bytes());
        directory.extend(&entry.central.name);
        directory.extend(&entry.central.extra);
    }
    let count = entries.len() as u16;
    let (length, start) = (directory.len() as u32, bytes.len() as u32);
    let mut end = End { counts: [0, 0, count, count], length, start, long: None };
    change(&mut end);
    bytes.extend(directory);
    if let Some(long) = end.long {
        bytes.extend(b"PK\x06\x06");
        bytes.extend(long.rest.to_le_bytes());
        bytes.extend([45_u16, long.needed].map(u16::to_le_bytes).concat());
        bytes.extend(long.disks.map(u32::to_le_bytes).concat());
        bytes.extend(long.numbers.map(u64::to_le_bytes).concat());
        bytes.extend(b"PK\x06\x07");
        bytes.extend(long.locator.0.to_le_bytes());
        bytes.extend(long.locator.1.to_le_bytes());
        bytes.extend(long.locator.2.to_le_bytes());
    }
    bytes.extend(b"PK\x05\x06");
    bytes.extend(end.counts.map(u16::to_le_bytes).concat());
    bytes.extend([end.length, end.start].map(u32::to_le_bytes).concat());
    bytes.extend([0, 0]);
    bytes
}

impl End {
    /// Adds a zip64 record with the same numbers.
    pub(crate) fn lengthen(&mut self) -> &mut Long {
        let numbers =
            [self.counts[2].into(), self.counts[3].into(), self.length.into(), self.start.into()];
        let place = u64::from(self.start) + u64::from(self.length);
        self.long.insert(Long {
            rest: 44,
            needed: 45,
            disks: [0, 0],
            numbers,
            locator: (0, place, 1),
        })
    }

    /// Moves all numbers to the zip64 record.
    pub(crate) fn only_long(&mut self) {
        self.lengthen();
        self.counts[2..].fill(u16::MAX);
        (self.length, self.start) = (NO_ROOM, NO_ROOM);
    }
}
