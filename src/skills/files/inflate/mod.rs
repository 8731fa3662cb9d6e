//! Compressed bytes, and the checksum that archives keep of them.

mod crc;
mod gzip;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crc::Crc;
pub use crc::crc32;
pub use gzip::Gunzip;

/// The error for wrong bytes.
pub const DAMAGED: &str = "is damaged: its checksum is wrong";
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

/// The same, passed on in parts before the checksum is checked.
///
/// # Errors
/// Bytes that are not what they should be.
pub fn inflate_to(
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
    Err("is damaged: it does not unpack to its stated size".to_owned())
}
