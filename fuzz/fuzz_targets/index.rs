//! Anything may be handed over as the index of a site: what is read has valid names and plain paths.

#![no_main]

use libfuzzer_sys::fuzz_target;
use skills::domain::fetch::site::{EntryContent, SiteIndex};
use skills::domain::model::name::SkillName;

fuzz_target!(|bytes: &[u8]| {
    let Ok(index) = SiteIndex::parse(bytes) else { return };
    for entry in index.entries {
        assert!(SkillName::new(&entry.name).is_ok());
        if let EntryContent::Files(paths) = entry.content {
            assert!(paths.iter().all(|path| path.split('/').all(|part| !matches!(part, "" | "." | ".."))));
        }
    }
});
