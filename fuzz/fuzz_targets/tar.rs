//! Any bytes may follow the gzip header of an archive: they are read or refused, and never more than
//! they say.

#![no_main]

use std::path::Path;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use skills::domain::files::inflate::crc32;
use skills::domain::fetch::archive;

fuzz_target!(|bytes: &[u8]| {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 0));
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    let Ok(bundle) = archive::of_tar_gz(Path::new("x.tgz"), &packed[..]) else { return };
    let bundle = Arc::new(bundle);
    for skill in bundle.skills() {
        for entry in skill.inventory().files() {
            assert!(skill.read(&entry.path).is_some_and(|read| read.len() as u64 == entry.bytes));
            assert!(entry.path.is_relative());
        }
        let _ = skill.digest();
    }
});
