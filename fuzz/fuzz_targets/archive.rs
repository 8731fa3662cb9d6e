//! Anything may be handed over as an archive: it is read or refused, and never more than it says.

#![no_main]

use std::path::Path;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use skills::domain::fetch::archive;

fuzz_target!(|bytes: &[u8]| {
    let Ok(bundle) = archive::of_bytes(Path::new("x.skill"), bytes.to_vec()) else { return };
    let bundle = Arc::new(bundle);
    for skill in bundle.skills() {
        for entry in skill.inventory().files() {
            assert!(skill.read(&entry.path).is_some_and(|read| read.len() as u64 == entry.bytes));
            assert!(entry.path.is_relative());
        }
        let _ = skill.digest();
    }
});
