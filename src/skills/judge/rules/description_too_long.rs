//! `description-too-long`: a description has at most 1,024 characters.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::DESCRIPTION_CHARS;

pub static RULE: Rule = Rule {
    id: "description-too-long",
    severity: Severity::Error,
    summary: "a description has at most 1,024 characters",
    why: "Copilot drops the skill, and Codex cuts the text. Every prompt contains the \
        descriptions of all skills.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: >-
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
  Extract text, tables and images from PDF files of any size and age.
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
    let length = text.chars().count();
    if length > DESCRIPTION_CHARS {
        report
            .at(node.span, format!("a description has at most {DESCRIPTION_CHARS} characters, this one has {length}"))
            .help("move details into the body");
    }
}
