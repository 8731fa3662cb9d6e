//! Front matter that the program writes: every reader gets the same values.

use crate::skills::model::inline::front_matter;
use crate::skills::text::document::Document;
use proptest::prelude::*;

/// Reads written front matter with our reader and with another library.
fn read_back(description: &str) -> Result<(), String> {
    let yaml = front_matter("pdf", description).map_err(|error| format!("{error:?}"))?;
    let other: serde_yaml::Value =
        serde_yaml::from_str(&yaml).map_err(|error| format!("{yaml:?}: other: {error}"))?;
    if other["description"].as_str() != Some(description) {
        return Err(format!("{yaml:?}: other"));
    }
    let text = format!("---\n{yaml}---\n\nBody\n");
    let document = Document::parse(&text);
    let read = [document.string("name"), document.string("description")];
    if read != [Some("pdf"), Some(description)] {
        return Err(format!("{yaml:?}: {read:?}"));
    }
    Ok(())
}

#[test]
fn every_character_comes_back_from_written_front_matter() {
    let mut faults = Vec::new();
    // One letter represents all.
    let every = (0..=0x3100_u32).chain(0xd7f0..=0x1_0100).chain(0xe_0000..=0xe_0200);
    for character in every.filter_map(char::from_u32).filter(|one| !one.is_alphanumeric()) {
        for text in [
            format!("{character}"),
            format!("a{character}b"),
            format!("a\n{character}b\n"),
            format!("a: {character}"),
            format!("{character} a\n"),
            format!("1{character}2"),
        ] {
            if let Err(fault) = read_back(&text) {
                faults.push(format!("U+{:04X} in {text:?}: {fault}", character as u32));
            }
        }
    }
    assert!(faults.is_empty(), "{}: {}", faults.len(), faults[..faults.len().min(40)].join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every reader gets the same value.
    #[test]
    fn written_front_matter_comes_back(
        description in "[ -~é—😀\n\t]{1,60}|\\PC{1,40}|(.|\n){1,20}|[\\x00-\\xa0\u{2028}\u{2029}\u{feff} a:#'\"-]{1,20}"
    ) {
        read_back(&description).map_err(TestCaseError::fail)?;
    }
}

/// No seed file, because it would be committed.
#[test]
fn properties_that_fail_leave_no_files_behind() {
    let mut places = ["src", "tests"]
        .map(|room| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(room))
        .to_vec();
    while let Some(place) = places.pop() {
        if place.is_dir() {
            places.extend(std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
        } else if place.extension().is_some_and(|kind| kind == "rs") {
            let text = std::fs::read_to_string(&place).unwrap();
            let count = |what: [&str; 2]| text.matches(&what.concat()).count();
            let blocks = count(["proptest", "! {"]);
            assert_eq!(blocks, count(["failure_persistence", ": None"]), "{}", place.display());
        }
    }
}
