//! Judges any text as a `SKILL.md`, and repairs it until no repair is offered.

#![no_main]

use libfuzzer_sys::fuzz_target;
use skills::domain::judge::rule::{Finding, Fix};
use skills::domain::judge::options::JudgeOptions;
use skills::domain::judge::validate::check_text;
use skills::domain::text::position::{Edit, PositionRange, Position};

/// The rounds that `skills validate --fix` makes at most.
const MAX_ROUNDS: usize = 64;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let options = JudgeOptions::default();
    let mut text = text.to_owned();
    // A YAML reader stops at its first fault, so a round may settle no more than one line.
    let enough = text.lines().count() + 8;
    for round in 0..MAX_ROUNDS {
        let findings = check_text("pdf", &text, &options);
        for finding in &findings {
            check_finding(finding, &text);
        }
        let edits = applicable(&findings, &text);
        if edits.is_empty() {
            return;
        }
        assert!(round < enough, "repairs do not come to an end");
        let repaired = apply(&text, &edits);
        assert_ne!(repaired, text, "a repair changes nothing");
        text = repaired;
    }
});

/// Whatever a finding points at is in the file, and its words can be shown.
fn check_finding(finding: &Finding, text: &str) {
    let rule = finding.rule.id;
    assert!(!finding.message.is_empty(), "{rule} says nothing");
    if let Some(place) = finding.place {
        check_place(rule, place, text);
    }
    if let Some(excerpt) = &finding.excerpt {
        assert!(text.contains(&excerpt.text), "{rule} shows lines that are not in the file");
        let mark = excerpt.mark;
        let inside = excerpt.text.get(mark.start..mark.end).is_some();
        assert!(inside, "{rule} marks {mark:?} of {} bytes", excerpt.text.len());
    }
}

fn check_place(rule: &str, place: PositionRange, text: &str) {
    let PositionRange { start, end } = place;
    assert!(start <= end, "{rule} ends before it starts: {place:?}");
    for Position { line, column } in [start, end] {
        assert!(line >= 1 && column >= 1, "{rule} counts from zero: {place:?}");
        let content = text.split('\n').nth(line - 1);
        let length = content.map(|content| content.chars().count());
        assert!(length.is_some(), "{rule} points past the last line: {place:?}");
        // The end of a line is its newline, one column behind its last character.
        let fits = length.is_some_and(|length| column <= length + 1);
        assert!(fits, "{rule} points past the end of a line: {place:?}");
    }
}

/// The edits on offer that do not overlap, in the order of the file.
fn applicable<'a>(findings: &'a [Finding], text: &str) -> Vec<&'a Edit> {
    let mut edits: Vec<&Edit> = findings
        .iter()
        .filter_map(|finding| match &finding.fix {
            Some(Fix::Edit(edit)) => Some(edit),
            _ => None,
        })
        .collect();
    for edit in &edits {
        let inside = text.get(edit.span.start..edit.span.end).is_some();
        assert!(inside, "a repair is outside the file: {edit:?}");
    }
    edits.sort_by_key(|edit| edit.span);
    let mut end = 0;
    edits.retain(|edit| {
        let fits = edit.span.start >= end;
        if fits {
            end = edit.span.end;
        }
        fits
    });
    edits
}

fn apply(text: &str, edits: &[&Edit]) -> String {
    let mut result = text.to_owned();
    for edit in edits.iter().rev() {
        result.replace_range(edit.span.start..edit.span.end, &edit.replacement);
    }
    result
}
