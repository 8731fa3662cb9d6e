//! `link-escapes-skill`: relative links stay inside the skill.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::is_skill_md;
use crate::skills::text::markdown::{self, LinkTarget, ReferenceKind};

pub static RULE: Rule = Rule {
    id: "link-escapes-skill",
    severity: Severity::Warning,
    summary: "relative links stay inside the skill",
    why: "Only the skill's own directory is installed. A file beside it exists on the author's \
        machine and nowhere else. Another skill may be installed elsewhere, or not at all: skills \
        refer to each other by name.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

Read [the style guide](../../docs/style.md) first.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

Read [the style guide](https://example.com/style) first.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for reference in subject.references {
        if reference.kind != ReferenceKind::Link {
            continue;
        }
        let climbs = reference.target.contains("..") || reference.target.contains('%');
        if climbs && markdown::resolve(reference.target) == LinkTarget::Outside {
            let target = reference.target;
            let (message, help) = match other_skill(target) {
                Some(name) => (
                    format!("`{target}` leads to another skill"),
                    format!(
                        "agents cannot follow it: name the skill instead, \"use the `{name}` skill\""
                    ),
                ),
                None => (
                    format!("`{target}` leads out of the skill"),
                    "copy the file into the skill and link to the copy, or link to its address"
                        .to_owned(),
                ),
            };
            report.at(reference.span, message).help(help);
        }
    }
}

/// The directory of the skill that a link leads to: the link names its `SKILL.md`, or a directory
/// beside this skill.
fn other_skill(target: &str) -> Option<&str> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let inner = path.trim_start_matches("../");
    let (directory, file) = inner.rsplit_once('/').unwrap_or((inner, ""));
    let is_directory = file.is_empty() && !directory.contains(['/', '.']);
    let name = directory.rsplit('/').next().unwrap_or_default();
    let is_sibling = is_directory && path.starts_with("../") && !path.starts_with("../../");
    (!name.is_empty() && name != ".." && (is_skill_md(file.as_ref()) || is_sibling)).then_some(name)
}
