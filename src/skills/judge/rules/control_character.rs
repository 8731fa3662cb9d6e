//! `control-character`: `SKILL.md` contains no control characters, neither raw nor as escapes.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::text::document::Document;
use crate::skills::text::position::Span;
use crate::skills::text::signals::ContentSignals;
use crate::skills::text::unicode::is_control;

pub static RULE: Rule = Rule {
    id: "control-character",
    severity: Severity::Error,
    summary: "`SKILL.md` contains no control characters, neither raw nor as escapes",
    why: "Escape sequences can rewrite what a terminal shows. A NUL cuts text short in many \
        programs. U+2028 is a line break to some readers and not to others.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: \"Extract text\\u001b[2K from PDF files. Use when needed.\"
---

# PDF

Run `pdftotext` on the file.
",
    ),
    unusable: UnusableIn::FrontMatter,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    if subject.signals.has_odd_characters() {
        raw(document, document.head(), report);
        raw(document, document.body, report);
    }
    if let Some(fields) = document.fields() {
        // Characters that only an escape such as `"\u0000"` can produce.
        fields.mapping.each_rewritten_string(&mut |node, value| {
            if !ContentSignals::of_characters(value).has_odd_characters() {
                return;
            }
            let written = node.span.slice(document.text);
            let found = value.chars().find(|c| is_control(*c) && !written.contains(*c));
            if let Some(character) = found {
                let code = character as u32;
                let message = format!("an escape produces the control character U+{code:04X}");
                report.at(node.span, message).help("delete the escape");
            }
        });
    }
}

/// Reports the first control character in the file, and how many more there are.
fn raw(document: &Document<'_>, part: Span, report: &mut Report<'_>) {
    let text = part.slice(document.text);
    let crlf = |at: usize| text[at..].starts_with("\r\n");
    let mut found = text.char_indices().filter(|(at, c)| is_control(*c) && !crlf(*at));
    let Some((at, character)) = found.next() else {
        return;
    };
    let more = match found.count() {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    let code = character as u32;
    let span = Span::of_char(document.text, part.start + at);
    match misread(text, at) {
        Some(meant) => report
            .at(span, format!("text in a wrong encoding: these characters were `{meant}`{more}"))
            .help("restore the original text and save it as UTF-8"),
        None => report.at(span, format!("control character U+{code:04X}{more}")).help("delete it"),
    };
}

/// The original characters, if UTF-8 was read as Latin-1: `â\u{80}\u{99}` was `’`.
fn misread(text: &str, at: usize) -> Option<String> {
    const LONGEST: usize = 4;
    let byte = |c: char| u8::try_from(u32::from(c)).ok().filter(|byte| *byte >= 0x80);
    let before: Vec<u8> = text[..at].chars().rev().take(LONGEST - 1).map_while(byte).collect();
    let lead = before.iter().position(|byte| *byte >= 0xc0)?;
    let behind = text[at..].chars().map_while(byte);
    let bytes: Vec<u8> =
        before[..=lead].iter().rev().copied().chain(behind.take(LONGEST)).collect();
    let meant = (2..=bytes.len()).find_map(|length| std::str::from_utf8(&bytes[..length]).ok())?;
    Some(meant.to_owned())
}
