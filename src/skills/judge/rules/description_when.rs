//! `description-when`: a description says when to use the skill.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

/// Words that tell a model when a skill applies.
const HINTS: [&str; 12] = [
    "when", "use for", "use to", "use this", "used for", "used to", "if the", "if you", "trigger",
    "before ", "after ", "use if",
];

/// Words that are frequent in English and rare in other languages.
const ENGLISH: [&str; 11] =
    ["the", "and", "of", "from", "for", "with", "to", "by", "or", "using", "your"];

/// The same for other languages in Latin letters.
const FOREIGN: [&str; 16] = [
    "de", "la", "el", "los", "para", "una", "que", "les", "des", "und", "der", "die", "di", "che",
    "em", "van",
];

pub static RULE: Rule = Rule {
    id: "description-when",
    severity: Severity::Note,
    summary: "a description says when to use the skill",
    why: "The model decides by the description alone. \"Use when …\" makes it pick the skill at the \
        right moment. Only English descriptions are checked.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extracts text from PDF files.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = subject.string("description") else { return };
    // Most descriptions use this word, which saves the slower check.
    if text.contains(HINTS[0]) {
        return;
    }
    let text = text.to_lowercase();
    if is_english(&text) && !HINTS.iter().any(|hint| text.contains(hint)) {
        report
            .at(node.span, "the description does not say when to use the skill")
            .help("add a sentence such as \"Use when …\"");
    }
}

/// Whether the text is English, so that the hints apply.
fn is_english(lower: &str) -> bool {
    let letters = lower.chars().filter(|c| c.is_alphabetic());
    let (ascii, other) = letters.fold((0_usize, 0_usize), |(ascii, other), letter| {
        if letter.is_ascii() { (ascii + 1, other) } else { (ascii, other + 1) }
    });
    let has_any = |known: &[&str]| {
        lower.split(|c: char| !c.is_alphabetic()).any(|word| known.contains(&word))
    };
    ascii > 4 * other && (has_any(&ENGLISH) || !has_any(&FOREIGN))
}
