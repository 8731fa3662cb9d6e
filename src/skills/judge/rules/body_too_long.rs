//! `body-too-long`: the body has at most 500 lines and about 5,000 tokens.

use memchr::memchr_iter;

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::{BODY_LINES, BODY_TOKENS, tokens};
use crate::skills::text::position::Span;

pub static RULE: Rule = Rule {
    id: "body-too-long",
    severity: Severity::Warning,
    summary: "the body has at most 500 lines and about 5,000 tokens",
    why: "The whole body enters the context when the model picks the skill. Move details that \
        are not always needed to files, and link to them.",
    bad: Example::Text(
        "\
SKILL.md           812 lines
",
    ),
    good: Example::Text(
        "\
SKILL.md           140 lines
references/api.md  690 lines
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let body = document.body_text();
    // A line or character has at least one byte, so most bodies need no counting.
    if body.len() <= BODY_LINES {
        return;
    }
    let breaks = memchr_iter(b'\n', body.as_bytes()).count();
    let lines = breaks + usize::from(!body.ends_with('\n'));
    let estimate = if body.len() > BODY_TOKENS * 4 { tokens(body.chars().count()) } else { 0 };
    if lines > BODY_LINES || estimate > BODY_TOKENS {
        let estimate = tokens(body.chars().count());
        report
            .at_without_excerpt(
                Span::new(document.body.start, document.body.start),
                format!("{lines} lines, about {estimate} tokens; {BODY_LINES} lines and {BODY_TOKENS} tokens are plenty"),
            )
            .help("move details into `references/` and link to them");
    }
}
