//! `file-too-large`: `SKILL.md` is at most 1 MiB, its front matter at most 64 KiB.

use crate::skills::files::content::Content;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::model::error::ErrorKind;
use crate::skills::text::document::{FRONT_MATTER_BYTES, FrontMatter, SKILL_MD_BYTES};
use crate::skills::text::position::Span;

pub static RULE: Rule = Rule {
    id: "file-too-large",
    severity: Severity::Error,
    summary: "`SKILL.md` is at most 1 MiB, its front matter at most 64 KiB",
    why: "Real skills stay below 300 KB, real front matter below 4 KB. Larger files are \
        accidents or attacks, and fill an agent's context.",
    bad: Example::Text(
        "\
SKILL.md    2.3 MiB
",
    ),
    good: Example::Text(
        "\
SKILL.md    12 KiB
references/ 2.3 MiB
",
    ),
    unusable: UnusableIn::Anywhere,
    failure: ErrorKind::TooLarge,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if let Content::TooLarge { bytes } = subject.content {
        report
            .skill_md(format!("{bytes} bytes; at most {SKILL_MD_BYTES} are read"))
            .help("move material into `references/`");
    }
    if let Some(FrontMatter::TooLarge { yaml }) =
        subject.document.map(|document| &document.front_matter)
    {
        let bytes = yaml.end - yaml.start;
        report
            .at(
                Span::new(yaml.start, yaml.start),
                format!("front matter of {bytes} bytes; at most {FRONT_MATTER_BYTES} are read"),
            )
            .help("keep fields short; everything else belongs in the body");
    }
}
