//! Lists the skipped tests at the end of a run, with the reasons.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]
#![allow(clippy::unwrap_used, reason = "a panic is how tests fail")]

#[allow(dead_code, reason = "the tests use the rest")]
mod skips;

use std::collections::BTreeMap;

fn main() {
    let record = skips::record();
    let text = std::fs::read_to_string(&record).unwrap_or_default();
    let _ = std::fs::remove_file(record);
    println!("\n{}", summary(&text));
}

/// The skipped tests, by reason.
fn summary(record: &str) -> String {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (test, because) in record.lines().filter_map(|line| line.split_once(": ")) {
        let tests = reasons.entry(because).or_default();
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
    if reasons.is_empty() {
        return "no test was skipped".to_owned();
    }
    let mut text = "skipped, wholly or in part:".to_owned();
    for (because, mut tests) in reasons {
        tests.sort_unstable();
        text += &format!("\n  because {because}: {}\n    {}", tests.len(), tests.join("\n    "));
    }
    text
}
