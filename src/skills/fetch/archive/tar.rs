//! The tar format, read so strictly that no two readers can disagree about what is in an archive.
//!
//! Tar grew in layers: names may come from the header, from an entry of GNU tar before it, or from a
//! list of attributes (pax) before it. Programs that do not know a layer see other names or sizes.
//! So each entry may use one layer only, and anything a second program could read differently is
//! refused.

use std::io::{self, Read};

const BLOCK: usize = 512;

/// The longest name or list of attributes.
const TEXT_BYTES: u64 = 64 * 1024;

/// One entry of an archive, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarEntry {
    pub name: Vec<u8>,
    pub kind: TarKind,
    pub mode: u32,
    /// Bytes that follow it.
    pub size: u64,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TarKind {
    File,
    Directory,
    /// A symbolic link to this path.
    Symlink(Vec<u8>),
    /// Another name of a file that came before.
    HardLink(Vec<u8>),
}

/// Why an archive is not read.
#[derive(Debug)]
pub enum TarFault {
    /// Its content is refused for this reason.
    Refused(String),
    /// It unpacks to too many bytes.
    TooLarge,
    /// It cannot be read.
    Io(io::Error),
    /// Its content cannot be kept.
    Spool(io::Error),
}

impl From<io::Error> for TarFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData => Self::Refused(error.to_string()),
            io::ErrorKind::UnexpectedEof => refused("it ends too early"),
            _ => Self::Io(error),
        }
    }
}

type TarResult<T> = Result<T, TarFault>;

fn refused(reason: &str) -> TarFault {
    TarFault::Refused(reason.to_owned())
}

/// Reads the entries of an archive one by one.
#[derive(Debug)]
pub struct TarReader<R> {
    input: R,
    /// Bytes that may still be unpacked, headers and padding included.
    left: u64,
    /// Bytes of the current entry that were not read yet, without its padding.
    unread: u64,
    padding: usize,
}

/// What entries before a file say about it.
#[derive(Debug, Default)]
struct Attributes {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    has_pax: bool,
    has_gnu: bool,
}

impl<R: Read> TarReader<R> {
    /// Reads an archive that unpacks to at most `limit` bytes.
    pub const fn new(input: R, limit: u64) -> Self {
        Self { input, left: limit, unread: 0, padding: 0 }
    }

    /// The next entry; none at the end of the archive, after which nothing may follow.
    pub fn next(&mut self) -> TarResult<Option<TarEntry>> {
        self.pass_over_rest()?;
        let mut attributes = Attributes::default();
        loop {
            let block = self.block()?;
            if block == [0; BLOCK] {
                if attributes.has_pax || attributes.has_gnu {
                    return Err(refused("it ends with attributes of no entry"));
                }
                self.finish()?;
                return Ok(None);
            }
            let header = Header(block);
            header.check()?;
            let size = header.number(124..136, "size")?;
            match header.0[156] {
                b'x' => {
                    let text = self.text(size)?;
                    attributes.take_pax(&text)?;
                }
                b'g' => {
                    let text = self.text(size)?;
                    check_global(&text)?;
                }
                b'L' => attributes.take_gnu(self.text(size)?, false)?,
                b'K' => attributes.take_gnu(self.text(size)?, true)?,
                kind => {
                    let entry = header.entry(kind, size, attributes)?;
                    self.begin(entry.size);
                    return Ok(Some(entry));
                }
            }
        }
    }

    /// Reads a part of the current entry's bytes; zero at their end.
    pub fn content(&mut self, buffer: &mut [u8]) -> TarResult<usize> {
        let most = usize::try_from(self.unread).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        self.read_exact(&mut buffer[..most])?;
        self.unread -= most as u64;
        Ok(most)
    }

    fn begin(&mut self, size: u64) {
        self.unread = size;
        let over = usize::try_from(size % BLOCK as u64).unwrap_or_default();
        self.padding = if over == 0 { 0 } else { BLOCK - over };
    }

    /// Passes over what is left of the current entry.
    fn pass_over_rest(&mut self) -> TarResult<()> {
        let mut buffer = [0; BLOCK];
        while self.content(&mut buffer)? > 0 {}
        let padding = std::mem::take(&mut self.padding);
        self.read_exact(&mut buffer[..padding])
    }

    /// The bytes of an entry that holds attributes.
    fn text(&mut self, size: u64) -> TarResult<Vec<u8>> {
        let length = usize::try_from(size.min(TEXT_BYTES + 1)).unwrap_or_default();
        if size > TEXT_BYTES {
            return Err(refused("an entry has a name or attributes that are too long"));
        }
        self.begin(size);
        let mut text = vec![0; length];
        let mut read = 0;
        while read < length {
            read += self.content(&mut text[read..])?;
        }
        self.pass_over_rest()?;
        Ok(text)
    }

    fn block(&mut self) -> TarResult<[u8; BLOCK]> {
        let mut block = [0; BLOCK];
        self.read_exact(&mut block)?;
        Ok(block)
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> TarResult<()> {
        self.left = self.left.checked_sub(buffer.len() as u64).ok_or(TarFault::TooLarge)?;
        Ok(self.input.read_exact(buffer)?)
    }

    /// After the first empty block, another must follow, and then zeros only.
    fn finish(&mut self) -> TarResult<()> {
        if self.block()? != [0; BLOCK] {
            return Err(refused("it goes on after its end"));
        }
        let mut buffer = [0; BLOCK];
        loop {
            let length = self.input.read(&mut buffer)?;
            if length == 0 {
                return Ok(());
            }
            self.left = self.left.checked_sub(length as u64).ok_or(TarFault::TooLarge)?;
            if buffer[..length].iter().any(|byte| *byte != 0) {
                return Err(refused("it goes on after its end"));
            }
        }
    }
}

/// The block before an entry.
struct Header([u8; BLOCK]);

impl Header {
    /// Compares the checksum, which counts its own place as spaces.
    fn check(&self) -> TarResult<()> {
        let told = self.number(148..156, "checksum")?;
        let own: u64 = self.0[148..156].iter().map(|byte| u64::from(*byte)).sum();
        let all: u64 = self.0.iter().map(|byte| u64::from(*byte)).sum();
        if all - own + 8 * u64::from(b' ') == told {
            return Ok(());
        }
        Err(refused("it is not a tar archive, or damaged"))
    }

    /// An octal number that ends with a space, a zero or the field.
    fn number(&self, range: std::ops::Range<usize>, what: &str) -> TarResult<u64> {
        let field = &self.0[range];
        let wrong = || TarFault::Refused(format!("the {what} of an entry is not a number"));
        let text = field.trim_ascii_start();
        let length = text.iter().position(|byte| matches!(byte, b' ' | 0)).unwrap_or(text.len());
        let (digits, rest) = text.split_at(length);
        if !rest.iter().all(|byte| matches!(byte, b' ' | 0)) {
            return Err(wrong());
        }
        let digit = |value: u64, byte: &u8| match byte {
            b'0'..=b'7' => value.checked_mul(8)?.checked_add(u64::from(byte - b'0')),
            _ => None,
        };
        digits.iter().try_fold(0, digit).ok_or_else(wrong)
    }

    /// A text that ends with a zero or the field.
    fn text(&self, range: std::ops::Range<usize>) -> &[u8] {
        let field = &self.0[range];
        let length = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        &field[..length]
    }

    /// The name in the header. Only the standard format has a second field for its start.
    fn name(&self) -> TarResult<Vec<u8>> {
        let (name, start) = (self.text(0..100), self.text(345..500));
        let is_standard = &self.0[257..263] == b"ustar\0";
        match (is_standard, start) {
            (_, b"") => Ok(name.to_vec()),
            (true, start) => Ok([start, b"/", name].concat()),
            (false, _) => Err(refused("the name of an entry is not the same for every program")),
        }
    }

    fn entry(&self, kind: u8, size: u64, attributes: Attributes) -> TarResult<TarEntry> {
        if attributes.size.is_some_and(|told| told != size) {
            // Programs that know only one of them would read the rest of the archive differently.
            return Err(refused("the size of an entry is not the same for every program"));
        }
        let name = attributes.name.map_or_else(|| self.name(), Ok)?;
        let link = attributes.link.unwrap_or_else(|| self.text(157..257).to_vec());
        let shown = || String::from_utf8_lossy(&name).escape_default().to_string();
        let kind = match kind {
            // Old programs mark a directory with a slash at the end.
            b'0' | 0 if name.ends_with(b"/") => {
                return Err(TarFault::Refused(format!("`{}` is a file and a directory", shown())));
            }
            b'0' | 0 => TarKind::File,
            b'1' => TarKind::HardLink(link),
            b'2' => TarKind::Symlink(link),
            b'5' => TarKind::Directory,
            _ => {
                let reason = format!("`{}` is neither a file nor a directory", shown());
                return Err(TarFault::Refused(reason));
            }
        };
        if size > 0 && kind != TarKind::File {
            let reason = format!("`{}` holds bytes, but is not a file", shown());
            return Err(TarFault::Refused(reason));
        }
        let mode = self.number(100..108, "mode")?;
        let mode = u32::try_from(mode).map_err(|_| refused("the mode of an entry is too large"))?;
        Ok(TarEntry { name, kind, mode, size })
    }
}

const MIXED: &str = "an entry has two names, and programs differ in which they use";

const BAD_LIST: &str = "the attributes of an entry are damaged";

impl Attributes {
    fn take_gnu(&mut self, mut text: Vec<u8>, is_link: bool) -> TarResult<()> {
        // GNU tar writes a zero at the end.
        if text.last() == Some(&0) {
            text.pop();
        }
        let field = if is_link { &mut self.link } else { &mut self.name };
        if self.has_pax || text.contains(&0) || field.replace(text).is_some() {
            return Err(refused(MIXED));
        }
        self.has_gnu = true;
        Ok(())
    }

    fn take_pax(&mut self, text: &[u8]) -> TarResult<()> {
        if self.has_pax || self.has_gnu {
            return Err(refused(MIXED));
        }
        self.has_pax = true;
        for (key, value) in pax(text)? {
            let is_again = match key {
                b"path" => self.name.replace(value.to_vec()).is_some(),
                b"linkpath" => self.link.replace(value.to_vec()).is_some(),
                b"size" => self.size.replace(decimal(value)?).is_some(),
                _ => false,
            };
            if is_again {
                return Err(refused(MIXED));
            }
            check_attribute(key, value)?;
        }
        let is_cut = |text: &Option<Vec<u8>>| text.as_ref().is_some_and(|text| text.contains(&0));
        if is_cut(&self.name) || is_cut(&self.link) { Err(refused(BAD_LIST)) } else { Ok(()) }
    }
}

/// Attributes for all following entries. They must not set names or content.
fn check_global(text: &[u8]) -> TarResult<()> {
    for (key, value) in pax(text)? {
        if matches!(key, b"path" | b"linkpath" | b"size") {
            return Err(refused("it gives several entries one name or size"));
        }
        check_attribute(key, value)?;
    }
    Ok(())
}

/// Refuses attributes that change the content of an entry for programs that know them.
fn check_attribute(key: &[u8], value: &[u8]) -> TarResult<()> {
    let is_sparse = key.starts_with(b"GNU.sparse.") || key == b"SCHILY.realsize";
    let is_encoded = key == b"hdrcharset" && value != b"ISO-IR 10646 2000 UTF-8";
    if is_sparse || is_encoded || key.starts_with(b"GNU.volume") {
        return Err(refused("an entry has attributes that not every program reads"));
    }
    Ok(())
}

/// The records of a list of attributes: `LENGTH KEY=VALUE\n`, where the length counts all of it.
fn pax(mut text: &[u8]) -> TarResult<Vec<(&[u8], &[u8])>> {
    let mut records = Vec::new();
    while !text.is_empty() {
        let bad = || refused(BAD_LIST);
        let space = text.iter().position(|byte| *byte == b' ').ok_or_else(bad)?;
        let length = usize::try_from(decimal(&text[..space])?).map_err(|_| bad())?;
        let (record, rest) = text.split_at_checked(length).ok_or_else(bad)?;
        let inner = record.get(space + 1..).and_then(|inner| inner.strip_suffix(b"\n"));
        let inner = inner.ok_or_else(bad)?;
        let equals = inner.iter().position(|byte| *byte == b'=').ok_or_else(bad)?;
        records.push((&inner[..equals], &inner[equals + 1..]));
        text = rest;
    }
    Ok(records)
}

fn decimal(digits: &[u8]) -> TarResult<u64> {
    let digit = |value: u64, byte: &u8| match byte {
        b'0'..=b'9' => value.checked_mul(10)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    };
    let number = digits.iter().try_fold(0, digit).filter(|_| !digits.is_empty());
    number.ok_or_else(|| refused(BAD_LIST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_unpacked_than_allowed() {
        let zeros = [0; 64 * BLOCK];
        let read = |limit: usize| TarReader::new(&zeros[..], limit as u64).next();
        assert!(matches!(read(zeros.len()), Ok(None)));
        assert!(matches!(read(zeros.len() - 1), Err(TarFault::TooLarge)));
        assert!(matches!(read(BLOCK), Err(TarFault::TooLarge)));
    }

    #[test]
    fn attributes_are_records_of_their_own_length() {
        let text = b"12 path=a/b\n19 comment=a=b=c=d\n";
        assert_eq!(pax(text).unwrap(), [(&b"path"[..], &b"a/b"[..]), (b"comment", b"a=b=c=d")]);
        for bad in [&b"12 path=a/b"[..], b"0 a=b\n", b"3 a\n", b" a=b\n", b"x a=b\n", b"6 a=bb\n"] {
            assert!(pax(bad).is_err(), "{bad:?}");
        }
    }
}
