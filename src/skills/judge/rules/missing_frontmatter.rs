//! `missing-frontmatter`: `SKILL.md` starts with front matter.

use crate::skills::judge::conflict;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::text::document::{FrontMatter, SKILL_MD};
use crate::skills::text::position::Span;

pub static RULE: Rule = Rule {
    id: "missing-frontmatter",
    severity: Severity::Error,
    summary: "`SKILL.md` starts with front matter",
    why: "The front matter contains name and description. Without it, every agent except \
        Claude drops the skill, and Claude takes a description from the body. Blank lines or \
        comments before the first `---` count as missing front matter.",
    bad: Example::SkillMd(
        "\
# PDF

Run `pdftotext` on the file.
",
    ),
    failure: ErrorKind::InvalidFrontmatter,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let FrontMatter::Missing { late } = document.front_matter else {
        return;
    };
    let skill = subject.skill;
    if skill.skill_md().is_some_and(|name| name != SKILL_MD) && !skill.is_promised() {
        // It may be a page about skills, which needs none. `skill-md-case` reports it.
        return;
    }
    match late {
        Some(span) => report
            .at(span, "front matter must start on the first line")
            .help("delete everything before this `---`"),
        None if is_fenced(document.text) => report
            .at(first_line(document.text), "the front matter is inside a Markdown code block")
            .help("delete this line, and the line that closes the block"),
        None => match conflict::marker(document.text, first_line(document.text)) {
            Some(span) => report.at(span, conflict::MESSAGE).help(conflict::HELP),
            None => report
                .at(Span::new(0, 0), "no front matter")
                .help("start the file with `---`, `name: …`, `description: …`, `---`"),
        },
    };
}

fn first_line(text: &str) -> Span {
    Span::new(0, text.lines().next().unwrap_or_default().trim_end().len())
}

/// Whether the first line opens a code block, and front matter follows at once.
fn is_fenced(text: &str) -> bool {
    let mut lines = text.lines();
    let opens = lines.next().is_some_and(|line| line.starts_with("```") || line.starts_with("~~~"));
    opens && lines.next().is_some_and(|line| line.trim_end() == "---")
}
