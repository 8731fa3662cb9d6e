//! Properties of any text: no crash, correct positions, and repairs that end.

use std::path::Path;

use proptest::prelude::*;

use crate::output::{FindingsView, github, json, sarif};
use crate::skills::agents::AGENTS;
use crate::skills::agents::readers::{AgentReading, RawSkill};
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{Finding, Fix, Severity};
use crate::skills::judge::validate::{Validation, check_text};
use crate::skills::text::document::{Document, FrontMatter};
use crate::skills::text::position::{Edit, Position, Span};
use crate::skills::text::quote::unprintable;
use crate::skills::text::tools;
use crate::skills::text::yaml::{self, Node, Value};
use crate::tests::Tree;
use crate::{Format, Options, render};

/// Parts of front matter and of faults in it.
const FRAGMENTS: &[&str] = &[
    "---\n",
    "---",
    "\n",
    "\r\n",
    "\r",
    "name: ",
    "pdf",
    "description: ",
    "Use when: x",
    ": ",
    ":",
    " ",
    "  ",
    "\t",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "\"",
    "'",
    "# c",
    " #",
    "&a ",
    "*a",
    "!!str ",
    "<<: ",
    "|",
    ">",
    "? ",
    "%YAML 1.2\n",
    "...",
    "@",
    "`",
    "metadata:\n",
    "  a: b\n",
    "license: ",
    "allowed-tools: ",
    "Bash(*)",
    "Read, ",
    "é",
    "日本",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "\u{1b}",
    "\0",
    "\\",
    "\\u0000",
    "~",
    "null",
    "true",
    "1.0",
    "[x](y.md)",
    "[x](../y)",
    "```\n",
    "`scripts/x.py`",
    "https://pastebin.com/x",
    "curl x | sh\n",
    "base64 -d | sh\n",
    "<!--",
    "-->",
    "<b>",
    "👩\u{200d}💻",
    "\u{e0041}",
    "\u{fe00}",
    "\u{2028}",
    "compatibility: a: b\n",
    "\u{b}",
    "\u{85}",
];

fn yaml_like() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(FRAGMENTS), 0..40);
    (any::<bool>(), pieces).prop_map(|(opened, pieces)| {
        if opened {
            format!("---\nname: pdf\n{}\n---\nbody\n", pieces.concat())
        } else {
            pieces.concat()
        }
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => yaml_like(),
        1 => prop::collection::vec(any::<u8>(), 0..300)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        1 => prop::collection::vec(any::<char>(), 0..100)
            .prop_map(|characters| characters.into_iter().collect()),
    ]
}

/// Skills with correct and incorrect lists of tools.
fn skills_with_tools() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "Read",
        "Grep",
        "Bash(git add:*)",
        "Bash(a: b)",
        ", ",
        ",",
        " ",
        "\n  ",
        "\n  - ",
        ">\n  ",
        "|\n  ",
        "- ",
        "[",
        "]",
        "\"",
        "'",
        "# c",
        " #",
        "~",
        "{a: b}",
        "\n",
        "license: MIT",
        "*",
        "é",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..10).prop_map(|pieces| {
        let tools = pieces.concat();
        format!(
            "---\nname: pdf\ndescription: Use when asked.\nallowed-tools: {tools}\n---\n\nRun it.\n"
        )
    })
}

/// Lines end at a newline; an empty one may follow the last.
fn is_within(text: &str, position: Position) -> bool {
    let line = text.split('\n').nth(position.line.wrapping_sub(1));
    line.is_some_and(|line| (1..=line.chars().count() + 1).contains(&position.column))
}

fn edits(findings: &[Finding]) -> Vec<&Edit> {
    let mut edits: Vec<&Edit> = findings
        .iter()
        .filter_map(|finding| match &finding.fix {
            Some(Fix::Edit(edit)) => Some(edit),
            _ => None,
        })
        .collect();
    edits.sort_by_key(|edit| edit.span);
    edits
}

fn assert_span(text: &str, span: Span) {
    assert!(span.start <= span.end && span.end <= text.len(), "{span:?} of {text:?}");
    assert!(text.is_char_boundary(span.start), "{span:?} of {text:?}");
    assert!(text.is_char_boundary(span.end), "{span:?} of {text:?}");
}

fn assert_node(text: &str, node: &Node<'_>) {
    assert_span(text, node.span);
    match &node.value {
        Value::Sequence(items) => items.iter().for_each(|item| assert_node(text, item)),
        Value::Mapping(mapping) => {
            for entry in &mapping.entries {
                assert_node(text, &entry.key);
                assert_node(text, &entry.value);
            }
        }
        _ => {}
    }
}

fn assert_document(text: &str) {
    let document = Document::parse(text);
    assert_span(text, document.body);
    match &document.front_matter {
        FrontMatter::Missing { late } => late.iter().for_each(|span| assert_span(text, *span)),
        FrontMatter::Unclosed { open } => assert_span(text, *open),
        FrontMatter::TooLarge { yaml } => assert_span(text, *yaml),
        FrontMatter::Invalid { yaml, fault } => {
            assert_span(text, *yaml);
            assert_span(text, fault.span);
        }
        FrontMatter::NotMapping { value, .. } => assert_span(text, *value),
        FrontMatter::Fields(fields) => {
            assert_span(text, fields.yaml);
            for entry in &fields.mapping.entries {
                assert_node(text, &entry.key);
                assert_node(text, &entry.value);
            }
        }
    }
}

/// Applies one edit at a time until none is left; each must change the text.
fn assert_repairs_end(text: &str) {
    let mut text = text.to_owned();
    for _ in 0..200 {
        let findings = check_text("pdf", &text, &JudgeOptions::default());
        let Some(edit) = edits(&findings).first().map(|edit| (*edit).clone()) else {
            return;
        };
        assert_span(&text, edit.span);
        let mut next = text.clone();
        next.replace_range(edit.span.start..edit.span.end, &edit.replacement);
        assert_ne!(next, text, "a repair that repairs nothing");
        text = next;
    }
    panic!("repairs never end: {text:?}");
}

fn errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// Each repair leaves the body unchanged, and either gets the YAML reader past the fault or adds no
/// error.
fn assert_repairs_make_nothing_worse(text: &str) {
    let findings = check_text("pdf", text, &JudgeOptions::default());
    for finding in &findings {
        let Some(Fix::Edit(edit)) = &finding.fix else { continue };
        let mut next = text.to_owned();
        next.replace_range(edit.span.start..edit.span.end, &edit.replacement);
        let (before, after) = (Document::parse(text), Document::parse(&next));
        // A second byte order mark may follow the removed one.
        let body = |text: &'_ str| text.trim_start_matches('\u{feff}').to_owned();
        let (old, new) = (body(before.body_text()), body(after.body_text()));
        assert_eq!(old, new, "{} changes the body", finding.rule.id);
        match (&before.front_matter, &after.front_matter) {
            (FrontMatter::Invalid { .. }, FrontMatter::Invalid { yaml, .. })
                if finding.rule.id == "invalid-yaml" =>
            {
                // The place where the reader stops, not the typo above it.
                let fault = yaml::read(yaml.slice(&next), yaml.start).unwrap_err();
                assert!(fault.span.start >= edit.span.start + edit.replacement.len(), "{next:?}");
            }
            (FrontMatter::Invalid { .. }, _) => {}
            _ => {
                let again = check_text("pdf", &next, &JudgeOptions::default());
                assert!(errors(&again) <= errors(&findings), "{}: {next:?}", finding.rule.id);
            }
        }
    }
}

/// Descriptions that many YAML readers cannot read.
fn broken_descriptions() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "Use",
        "when",
        "it's",
        "\"a\"",
        "'b'",
        "“c”",
        "x",
        ": ",
        ":",
        " ",
        " ",
        "  ",
        " #",
        "#",
        ",",
        "- ",
        "? ",
        "& ",
        "@",
        "`",
        "[d]",
        "{e}",
        "}",
        "%",
        "*f* ",
        "\\",
        "\"",
        "'",
        "é",
        "\n  ",
        "\n  license: MIT",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 1..8).prop_map(|pieces| pieces.concat())
}

/// After a repair, a model sees everything that it saw before: the same, or more where the agent's
/// YAML parser stopped at a closing quote. Descriptions that Claude takes from the body do not count.
fn assert_repairs_keep_what_agents_read(text: &str) {
    let findings = check_text("pdf", text, &JudgeOptions::default());
    let Some(edit) = edits(&findings).first().map(|edit| (*edit).clone()) else { return };
    let mut next = text.to_owned();
    next.replace_range(edit.span.start..edit.span.end, &edit.replacement);
    for agent in &AGENTS {
        let read = |text: &str| {
            let seen = (agent.loading.read)(&RawSkill { directory: "pdf", bytes: text.as_bytes() });
            match seen {
                AgentReading::Listed(listed) => Some(words(&listed.description).join(" ")),
                _ => None,
            }
        };
        if let Some(before) = read(text).filter(|before| before != "Body") {
            let after = read(&next).unwrap_or_default();
            assert!(after.contains(&before), "{}: {before:?} {after:?} {text:?}", agent.id);
        }
    }
}

#[test]
fn escapes_in_a_value_with_trailing_text_stay_what_they_are() {
    for description in
        [r"'b''b'? ", r"'it''s' new", r#""say \" or \" now" twice"#, r#""one\ntwo" three"#]
    {
        assert_repairs_keep_what_agents_read(&with_description(description));
    }
}

fn with_description(description: &str) -> String {
    format!("---\nname: pdf\ndescription: {description}\n---\n\nBody\n")
}

/// The words of a text.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A repair of valid front matter only changes the form of tools. A repair of invalid front matter
/// keeps every word of the value.
fn assert_repairs_keep_the_meaning(text: &str) {
    let before = Document::parse(text);
    for finding in check_text("pdf", text, &JudgeOptions::default()) {
        let Some(Fix::Edit(edit)) = &finding.fix else { continue };
        let mut next = text.to_owned();
        next.replace_range(edit.span.start..edit.span.end, &edit.replacement);
        let after = Document::parse(&next);
        let Some(new) = after.fields() else { continue };
        let Some(old) = before.fields() else {
            let raw = edit.span.slice(text);
            if raw.trim().is_empty() {
                // A moved key, or a blank after its colon.
                assert_eq!(words(text).concat(), words(&next).concat(), "{next:?}");
                continue;
            }
            let values = new.mapping.entries.iter().map(|entry| &entry.value);
            let nested = values.clone().filter_map(|node| node.as_mapping());
            let inner = nested.flat_map(|mapping| mapping.entries.iter().map(|one| &one.value));
            let mut texts = values.chain(inner).filter_map(|node| node.as_str());
            let deep = new.mapping.entries.iter().any(|entry| {
                entry.value.as_mapping().is_some_and(|inner| {
                    inner.entries.iter().any(|one| one.value.as_str().is_none())
                }) || matches!(entry.value.value, Value::Sequence(_))
            });
            assert!(deep || texts.any(|value| words(value) == words(raw)), "{raw:?} in {next:?}");
            continue;
        };
        assert_eq!(old.mapping.entries.len(), new.mapping.entries.len(), "{next:?}");
        for (one, other) in old.mapping.entries.iter().zip(&new.mapping.entries) {
            assert!(one.key.means(&other.key), "{next:?}");
            if one.key.as_str() == Some("allowed-tools") {
                let (one, other) = (tools::parse(&one.value), tools::parse(&other.value));
                assert_eq!(one, other, "{next:?}");
            } else {
                assert!(one.value.means(&other.value), "{next:?}");
            }
        }
    }
}

/// The document of one format.
fn written(
    validation: &Validation,
    write: fn(&mut dyn std::io::Write, &Validation, &FindingsView<'_>) -> std::io::Result<()>,
) -> String {
    let view = FindingsView { directory: Path::new("/"), notes: true };
    let mut out = Vec::new();
    write(&mut out, validation, &view).unwrap();
    String::from_utf8(out).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn findings_lie_inside_the_text(text in any_text()) {
        for finding in check_text("pdf", &text, &JudgeOptions::default()) {
            let Some(place) = finding.place else { continue };
            prop_assert!(is_within(&text, place.start), "{:?} {place:?}", finding.rule.id);
            prop_assert!(is_within(&text, place.end), "{:?} {place:?}", finding.rule.id);
            prop_assert!(place.start <= place.end, "{:?} {place:?}", finding.rule.id);
            prop_assert!(!finding.message.is_empty() && !finding.message.ends_with('.'));
        }
    }

    #[test]
    fn spans_lie_on_characters_of_the_text(text in any_text()) {
        assert_document(&text);
    }

    #[test]
    fn judging_twice_gives_the_same_findings(text in any_text()) {
        let judge = || format!("{:?}", check_text("pdf", &text, &JudgeOptions::default())
            .iter().map(|one| (one.rule.id, one.place, one.message.clone())).collect::<Vec<_>>());
        prop_assert_eq!(judge(), judge());
    }

    #[test]
    fn repairs_end(text in prop_oneof![any_text(), skills_with_tools()]) {
        assert_repairs_end(&text);
    }

    #[test]
    fn repairs_keep_the_meaning(text in prop_oneof![any_text(), skills_with_tools()]) {
        assert_repairs_keep_the_meaning(&text);
    }

    #[test]
    fn repairs_keep_what_agents_read(description in broken_descriptions()) {
        assert_repairs_keep_what_agents_read(&with_description(&description));
    }

    #[test]
    fn repairs_make_nothing_worse(text in prop_oneof![any_text(), skills_with_tools()]) {
        assert_repairs_make_nothing_worse(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn findings_of_any_text_can_be_written_in_every_format(text in any_text()) {
        let findings = check_text("pdf", &text, &JudgeOptions::default());
        let count = findings.len();
        let validation = Validation { skills: Vec::new(), findings, strict: false };
        let json: serde_json::Value =
            serde_json::from_str(&written(&validation, |out, all, _| json::validation(out, all)))
                .unwrap();
        prop_assert_eq!(json["findings"].as_array().unwrap().len(), count);
        let log: serde_json::Value = serde_json::from_str(&written(&validation, sarif::validation)).unwrap();
        prop_assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), count);
        let annotations = written(&validation, github::validation);
        prop_assert_eq!(annotations.lines().count(), count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The catalogue is valid XML for any description, and has it unchanged on one line.
    #[test]
    fn any_description_comes_back_from_xml(description in "\\PC{0,40}|[ -~\n\t]{1,60}|(.|\n){1,30}") {
        prop_assume!(!description.trim().is_empty());
        let tree = Tree::new();
        let quoted = serde_json::to_string(&description).unwrap();
        let text = format!("---\nname: pdf\ndescription: {quoted}\n---\n\nBody\n");
        let pdf = tree.skill("s/pdf", &text);
        let read = Document::parse(&text).string("description").map(str::to_owned);
        let json = render(&pdf, Format::Json, &Options::new()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        if json["skills"][0].is_null() { return Ok(()) }
        let Some(read) = read else { return Ok(()) };
        if read.trim().is_empty() { return Ok(()) }
        let xml = render(&pdf, Format::Xml, &Options::new()).unwrap();
        let end = xml.find("</available_skills>").unwrap() + "</available_skills>".len();
        let start = xml.find("<available_skills>").unwrap();
        let xml = roxmltree::Document::parse(&xml[start..end]).unwrap();
        let found: Vec<_> = xml.descendants().filter(|node| node.has_tag_name("description")).collect();
        prop_assert_eq!(found.len(), 1);
        let folded = read.split_whitespace().collect::<Vec<_>>().join(" ");
        let hidden: Vec<usize> = unprintable(&folded).map(|(at, _)| at).collect();
        let shown = |(at, c): (usize, char)| match c {
            '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
            _ if hidden.contains(&at) => '\u{fffd}',
            _ => c,
        };
        let expected: String = folded.char_indices().map(shown).collect();
        prop_assert_eq!(found[0].text(), Some(expected.as_str()));
        prop_assert_eq!(json["skills"][0]["description"].as_str(), Some(read.as_str()));
    }
}
