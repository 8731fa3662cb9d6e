//! `name-format`: a name consists of `a-z`, `0-9` and single hyphens between them.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::name::{self, NameError, SkillName};
use crate::skills::model::source::SkillKind;
use crate::skills::text::position::Span;
use crate::skills::text::yaml::Node;

pub static RULE: Rule = Rule {
    id: "name-format",
    severity: Severity::Error,
    summary: "a name consists of `a-z`, `0-9` and single hyphens between them",
    why: "The name becomes a directory and a command. Capitals, underscores and double hyphens \
        violate the specification. A leading hyphen, a slash or other letters make Copilot \
        drop the skill.",
    bad: Example::SkillMd(
        "\
---
name: PDF_Tools
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    failure: ErrorKind::InvalidName,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    check_stem(subject, report);
    let Some((node, text)) = subject.string("name") else { return };
    let Err(error) = name::check_format(text) else { return };
    report.at(mark(subject, node, text, error), error.to_string()).help(better(subject, text));
}

/// A file skill is installed under the stem of its file.
fn check_stem(subject: &Subject<'_>, report: &mut Report<'_>) {
    let skill = subject.skill;
    if skill.kind() != SkillKind::File || skill.is_renamed {
        return;
    }
    let Err(error) = SkillName::new(&skill.name) else { return };
    let message = format!("`{}` is not a valid skill name: {error}", skill.name);
    let help = match name::suggest(&skill.name) {
        Some(better) => format!("rename the file to `{better}.md`, or install it with `--name`"),
        None => "rename the file, or install it with `--name`".to_owned(),
    };
    report.skill_md(message).help(help);
}

/// Suggests a valid name: the directory's, if that is valid.
fn better(subject: &Subject<'_>, name: &str) -> String {
    let skill = subject.skill;
    // A file skill has no directory, and a given name is used for both on install.
    let directory = (skill.kind().has_directory() && !skill.is_renamed).then_some(&skill.folder);
    match (directory, name::suggest(name)) {
        (Some(directory), _) if SkillName::new(directory).is_ok() => {
            format!("write `name: {directory}`")
        }
        (Some(_), Some(better)) => {
            format!("write `name: {better}`, and rename the directory to `{better}`")
        }
        (None, Some(better)) => format!("write `name: {better}`"),
        (_, None) => "write a name such as `pdf-forms`".to_owned(),
    }
}

/// The invalid character, if it can be found in the file; else the whole value.
fn mark(subject: &Subject<'_>, node: &Node<'_>, name: &str, error: NameError) -> Span {
    match (subject.document, error) {
        (Some(document), NameError::Character(at) | NameError::Hyphen(at))
            if node.span.slice(document.text) == name =>
        {
            Span::of_char(document.text, node.span.start + at)
        }
        _ => node.span,
    }
}
