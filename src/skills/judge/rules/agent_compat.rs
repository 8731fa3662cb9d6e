//! `agent-compat`: every agent reads the skill as written.

use crate::skills::agents::quirks::{self, Quirk, QuirkOutcome, QuirkVerdict};
use crate::skills::agents::{AGENTS, Agent};
use crate::skills::judge::rule::{Finding, Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::FrontMatter;
use crate::skills::text::position::Span;
use crate::skills::text::quote;

pub static RULE: Rule = Rule {
    id: "agent-compat",
    severity: Severity::Warning,
    summary: "every agent reads the skill as written",
    why: "Agents tolerate different errors, and silently skip skills that they cannot read. \
        This rule reports what each agent was observed to do. Without `--agent`, it reports \
        only skills that an agent drops. If another rule reports the cause as an error, that \
        error names the agents instead.",
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
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let asked = &subject.options.agents;
    let includes = |agent: &Agent| asked.is_empty() || asked.iter().any(|one| one.id == agent.id);
    let losses = subject.document.and_then(|document| quirks::losses(subject.skill, document));
    let mut explained = false;
    let Subject { skill, content, document, signals, .. } = *subject;
    for (quirk, span) in quirks::quirks_of(skill, content, document, signals) {
        let verdict = QuirkVerdict::of(&outcomes(quirk, span, losses.as_ref(), subject), includes);
        explained |= verdict.dropped;
        if verdict.affected.is_empty() || (asked.is_empty() && !verdict.dropped) {
            continue;
        }
        let error =
            asked.is_empty().then(|| report.error_at(span, rules_of(quirk, subject))).flatten();
        if let Some(error) = error {
            join(error, verdict);
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
    if let Some(losses) = losses.filter(|_| !explained) {
        unexplained(&losses, subject, includes, report);
    }
}

/// Rules that report the same thing, maybe at another place of the file.
fn rules_of(quirk: &Quirk, subject: &Subject<'_>) -> &'static [&'static str] {
    match quirk.id {
        "not-utf8" => &["not-utf8"],
        "wrong-case" => &["skill-md-case"],
        "hidden-directory" | "nested-directory" | "symlinked-skill-md" => &[],
        _ => front_matter_rules(subject),
    }
}

/// Rules that report unreadable front matter.
fn front_matter_rules(subject: &Subject<'_>) -> &'static [&'static str] {
    match subject.document.map(|document| &document.front_matter) {
        Some(FrontMatter::Fields(_)) | None => &[],
        Some(_) => {
            &["invalid-yaml", "missing-frontmatter", "unclosed-frontmatter", "skill-md-case"]
        }
    }
}

/// Adds the effect on agents to an existing error, instead of reporting a second finding.
fn join(error: &mut Finding, verdict: QuirkVerdict) {
    for agent in verdict.affected {
        if !error.agents.iter().any(|known| known.id == agent.id) {
            error.agents.push(agent);
        }
    }
    error.effect.get_or_insert(verdict.sentence);
}

/// The table's row of a quirk, corrected by what the agents' readers do with this file.
fn outcomes(
    quirk: &Quirk,
    span: Option<Span>,
    losses: Option<&[Option<String>; 6]>,
    subject: &Subject<'_>,
) -> [QuirkOutcome; 6] {
    let mut outcomes = quirk.outcomes;
    if *quirk == quirks::NO_FRONT_MATTER {
        outcomes = outcomes.map(|outcome| match outcome {
            QuirkOutcome::Differs(..) => stand_in(subject).unwrap_or(outcome),
            _ => outcome,
        });
    }
    // Readers of the text do not know where the skill is.
    if span.is_none() || subject.document.is_none() || !quirk.loses() {
        return outcomes;
    }
    for (at, outcome) in outcomes.iter_mut().enumerate() {
        match (losses.is_some_and(|losses| losses[at].is_some()), *outcome) {
            (true, _) => *outcome = QuirkOutcome::Drops,
            (false, QuirkOutcome::Drops) => *outcome = QuirkOutcome::Reads,
            (false, _) => {}
        }
    }
    outcomes
}

/// What an agent shows as the description of a file without front matter and heading.
fn stand_in(subject: &Subject<'_>) -> Option<QuirkOutcome> {
    let text = subject.document?.text;
    let what = match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        None => "shows `Skill` as its description",
        Some(line) if line.starts_with('#') => return None,
        Some(_) => "shows its first line as its description",
    };
    Some(QuirkOutcome::Differs(what, what))
}

/// The place where strict readers stop, else the top of the file.
fn place(subject: &Subject<'_>) -> Span {
    match subject.document.map(|document| &document.front_matter) {
        Some(FrontMatter::Invalid { fault, .. }) => fault.span,
        Some(FrontMatter::NotMapping { value, .. }) => *value,
        _ => Span::new(0, 0),
    }
}

/// Reports a loss that has no row in the table.
fn unexplained(
    losses: &[Option<String>; 6],
    subject: &Subject<'_>,
    includes: impl Fn(&Agent) -> bool,
    report: &mut Report<'_>,
) {
    let invented = match subject.document {
        Some(document) => quirks::inventions(subject.skill, document),
        None => [false; 6],
    };
    let mut outcomes = [QuirkOutcome::Reads; 6];
    for (outcome, (loss, invented)) in outcomes.iter_mut().zip(losses.iter().zip(invented)) {
        *outcome = match loss {
            Some(_) => QuirkOutcome::Drops,
            None if invented => quirks::BODY,
            None => QuirkOutcome::Reads,
        };
    }
    let verdict = QuirkVerdict::of(&outcomes, &includes);
    let first = AGENTS.iter().zip(losses).filter(|(agent, _)| includes(agent));
    let Some((agent, reason)) =
        first.filter_map(|(agent, loss)| Some((agent, loss.as_ref()?))).next()
    else {
        return;
    };
    let asked = &subject.options.agents;
    let error = asked
        .is_empty()
        .then(|| report.error_at(Some(place(subject)), front_matter_rules(subject)))
        .flatten();
    if let Some(error) = error {
        join(error, verdict);
        return;
    }
    report
        .at(place(subject), verdict.sentence)
        .agents(verdict.affected)
        .help(format!("to {}, {reason}", agent.title));
}

/// What lenient agents read as the description when strict readers refuse it.
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
