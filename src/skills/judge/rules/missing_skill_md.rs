//! `missing-skill-md`: a directory that promises a skill contains a readable `SKILL.md`.

use crate::skills::files::FileKind;
use crate::skills::files::content::Content;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::model::error::ErrorKind;

pub static RULE: Rule = Rule {
    id: "missing-skill-md",
    severity: Severity::Error,
    summary: "a directory that promises a skill contains a readable `SKILL.md`",
    why: "Agents look for a file with exactly this name. A directory in `.claude/skills` or \
        `.agents/skills` without one looks installed, but no agent loads it.",
    bad: Example::Text(
        "\
.claude/skills/pdf/
└── README.md
",
    ),
    good: Example::Text(
        "\
.claude/skills/pdf/
├── README.md
└── SKILL.md
",
    ),
    unusable: UnusableIn::Anywhere,
    failure: ErrorKind::MissingSkillMd,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    match subject.content {
        Content::Missing => {
            report
                .directory("this directory promises a skill but has no `SKILL.md`")
                .help("add a `SKILL.md`, or move the directory elsewhere");
        }
        Content::NotAFile(FileKind::Directory) => {
            report.skill_md("`SKILL.md` is a directory").help("make it a file");
        }
        Content::Unreadable(reason) => {
            report.skill_md(format!("`SKILL.md` cannot be read: {reason}"));
        }
        _ => {}
    }
}
