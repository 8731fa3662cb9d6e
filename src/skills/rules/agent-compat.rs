//! `agent-compat`: every agent reads the skill as written.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::agents::quirks::{self, Quirk};
use crate::skills::agents::{Agent, detect};
use crate::skills::finding::Severity;
use crate::skills::frontmatter::FrontMatter;
use crate::skills::quote;

pub(super) static RULE: Rule = Rule {
    id: "agent-compat",
    severity: Severity::Warning,
    summary: "every agent reads the skill as written",
    why: "Agents are lenient in different ways, and a skill they cannot read just is not there. \
        This rule knows what each of them was seen to do. Without `--agent` it speaks up only \
        where an agent loses the skill.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Use when: the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: \"Use when: the user mentions PDFs.\"
---

# PDF

Run `pdftotext` on the file.
",
    ),
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let asked = &subject.options.agents;
    let includes = |agent: &Agent| asked.is_empty() || asked.iter().any(|one| one.id == agent.id);
    for (quirk, span) in detect::quirks_of(subject) {
        let verdict = quirk.verdict(includes);
        if verdict.affected.is_empty() || (asked.is_empty() && !verdict.dropped) {
            continue;
        }
        let draft = match span {
            Some(span) => report.at(span, verdict.sentence),
            None => report.skill_md(verdict.sentence),
        };
        let draft = draft.agents(verdict.affected);
        if let Some(help) = lenient_reading(quirk, subject) {
            draft.help(help);
        }
    }
}

/// What agents make of a description that strict readers refuse.
fn lenient_reading(quirk: &Quirk, subject: &Subject<'_>) -> Option<String> {
    const SHOWN: usize = 60;
    let document = subject.document?;
    let FrontMatter::Invalid { yaml, fault } = &document.front_matter else { return None };
    let field = quote::field_at(document.text, *yaml, fault.span.start)?;
    let is_readable =
        [&quirks::UNQUOTED_COLON, &quirks::FINAL_COLON, &quirks::RESERVED_START].contains(&quirk);
    if field.key != "description" || !is_readable {
        return None;
    }
    let description = document.lenient_field("description")?;
    let start: String = description.chars().take(SHOWN).collect();
    let dots = if start.len() < description.len() { "…" } else { "" };
    Some(format!("those that read it take the description to be `{start}{dots}`"))
}
