//! Compressed bytes, and the checksum that archives keep of them.

mod crc;
mod gzip;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crc::Crc;
pub use crc::crc32;
pub use gzip::Gunzip;

/// The error for wrong bytes.
const DAMAGED: &str = "is damaged: its checksum is wrong";
/// How far back compressed bytes may refer.
const WINDOW: usize = 32 * 1024;

/// The decompressed bytes, if they have this length and checksum.
///
/// # Errors
/// Bytes that are not what they should be.
pub fn inflate(data: &[u8], size: usize, crc: u32) -> Result<Vec<u8>, String> {
    let mut content = Vec::with_capacity(size);
    inflate_to(data, size, crc, |part| content.extend_from_slice(part))?;
    Ok(content)
}

/// Checks compressed bytes that come in parts, without keeping what they were.
///
/// # Errors
/// Bytes that cannot be read or are not what they should be.
pub fn check_deflated<B: AsRef<[u8]>>(
    parts: impl Iterator<Item = Result<B, String>>,
    size: usize,
    crc: u32,
) -> Result<(), String> {
    let wrong = || Err(WRONG_SIZE.to_owned());
    let mut parts = parts.peekable();
    let mut window = vec![0; WINDOW];
    let mut state = DecompressorOxide::new();
    let (mut written, mut sum) = (0, Crc::new());
    while let Some(part) = parts.next() {
        let part = part?;
        let (part, mut read) = (part.as_ref(), 0);
        let flags = if parts.peek().is_some() { TINFL_FLAG_HAS_MORE_INPUT } else { 0 };
        loop {
            let start = written % WINDOW;
            let (status, taken, made) =
                decompress(&mut state, &part[read..], &mut window, start, flags);
            read += taken;
            written += made;
            if written > size {
                return wrong();
            }
            sum.add(&window[start..start + made]);
            match status {
                TINFLStatus::HasMoreOutput => {}
                TINFLStatus::NeedsMoreInput => break,
                TINFLStatus::Done
                    if read == part.len() && parts.peek().is_none() && written == size =>
                {
                    return if sum.value() == crc { Ok(()) } else { Err(DAMAGED.to_owned()) };
                }
                _ => return wrong(),
            }
        }
    }
    wrong()
}

/// Checks bytes that are not compressed and come in parts.
///
/// # Errors
/// Bytes that cannot be read or are not what they should be.
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

/// The same, passed on in parts before the checksum is checked.
///
/// # Errors
/// Bytes that are not what they should be.
fn inflate_to(
    data: &[u8],
    size: usize,
    crc: u32,
    mut take: impl FnMut(&[u8]),
) -> Result<(), String> {
    let mut window = vec![0; WINDOW];
    let mut state = DecompressorOxide::new();
    let (mut read, mut written, mut sum) = (0, 0, Crc::new());
    loop {
        let start = written % WINDOW;
        let (status, taken, made) = decompress(&mut state, &data[read..], &mut window, start, 0);
        read += taken;
        written += made;
        if written > size {
            break;
        }
        let part = &window[start..start + made];
        sum.add(part);
        take(part);
        match status {
            TINFLStatus::HasMoreOutput => {}
            TINFLStatus::Done if read == data.len() && written == size => {
                return if sum.value() == crc { Ok(()) } else { Err(DAMAGED.to_owned()) };
            }
            _ => break,
        }
    }
    Err(WRONG_SIZE.to_owned())
}

const WRONG_SIZE: &str = "is damaged: it does not unpack to its stated size";
