//! `xml-in-description`: a description contains no XML tags.

use crate::skills::agents::{AGENTS, Agent, join_titles, listing};
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::position::Span;

pub static RULE: Rule = Rule {
    id: "xml-in-description",
    severity: Severity::Warning,
    summary: "a description contains no XML tags",
    why: "OpenCode, Gemini and Codex put descriptions into their prompts without escaping \
        them: a tag such as `</skill>` can close the listing and forge the rest. With one that \
        does, the skill is not usable for that agent.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract <b>text</b> from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    safety: Some(3),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = subject.string("description") else { return };
    let closed = |agent: &Agent| listing::closing(text, agent.open_elements);
    let agents: Vec<&'static Agent> = AGENTS.iter().filter(|one| closed(one).is_some()).collect();
    let tags = agents.iter().filter_map(|one| closed(one));
    let first = tags.min_by_key(|tag| text.find(tag)).or_else(|| first_tag(text));
    if let Some(tag) = first {
        // With an escape or line break, the tag may not appear in the file as it is read.
        let written = subject.document.map_or("", |document| node.span.slice(document.text));
        let span = match written.find(tag) {
            Some(at) => Span::new(at, at + tag.len()).shifted(node.span.start),
            None => node.span,
        };
        let effect = match agents.as_slice() {
            [] => String::new(),
            agents => {
                format!(", which closes an element of the catalogue of {}", join_titles(agents))
            }
        };
        // Behind the end of an element, every word is a part of the prompt that was forged.
        let forged = &text[text.find(tag).unwrap_or_default()..];
        report
            .at(span, format!("the description contains the tag `{tag}`{effect}"))
            .help("describe it in words; some agents do not escape tags")
            .matched(forged)
            .agents(agents);
    }
}

/// The first XML tag.
fn first_tag(text: &str) -> Option<&str> {
    let last = text.rfind('>')?;
    let start = text[..last].match_indices('<').map(|(at, _)| at).find(|at| {
        let second = text[at + 1..].chars().next();
        second.is_some_and(|c| c.is_alphabetic() || matches!(c, '/' | '!' | '?'))
    })?;
    let end = text[start..].find('>')?;
    Some(&text[start..=start + end])
}
