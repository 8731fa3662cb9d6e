//! `not-utf8`: `SKILL.md` is UTF-8 text.

use crate::skills::files::content::Content;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

pub static RULE: Rule = Rule {
    id: "not-utf8",
    severity: Severity::Error,
    summary: "`SKILL.md` is UTF-8 text",
    why: "Codex drops a skill with a single byte that is not UTF-8, and other agents show \
        replacement characters to the model.",
    bad: Example::Text(
        "\
SKILL.md saved as Latin-1 or UTF-16
",
    ),
    good: Example::Text(
        "\
SKILL.md saved as UTF-8 without a byte order mark
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Content::NotUtf8 { place, utf16 } = subject.content else {
        return;
    };
    let message = if *utf16 { "the file is UTF-16, not UTF-8" } else { "this byte is not UTF-8" };
    report.at_place(*place, message).help("save the file as UTF-8");
}
