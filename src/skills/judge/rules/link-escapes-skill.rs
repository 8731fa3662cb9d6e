//! `link-escapes-skill`: relative links stay inside the skill.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::judge::rule::Severity;
use crate::skills::text::link::{self, LinkTarget};

pub(super) static RULE: Rule = Rule {
    id: "link-escapes-skill",
    severity: Severity::Warning,
    summary: "relative links stay inside the skill",
    why: "Only the skill's own directory is installed: what lies beside it on the author's machine \
        is gone on every other.",
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
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for reference in subject.references {
        if !reference.is_link {
            continue;
        }
        let climbs = reference.target.contains("..") || reference.target.contains('%');
        if climbs && link::resolve(reference.target) == LinkTarget::Outside {
            report
                .at(reference.span, format!("`{}` leads out of the skill", reference.target))
                .help("copy the file into the skill and link to that");
        }
    }
}
