//! `skill-md-case`: the file is called `SKILL.md`, in exactly these letters.

use crate::skills::judge::rule::{Fix, Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::text::document::SKILL_MD;

pub static RULE: Rule = Rule {
    id: "skill-md-case",
    severity: Severity::Error,
    summary: "the file is called `SKILL.md`, in exactly these letters",
    why: "No agent loads `skill.md` or `Skill.md` on a case-sensitive file system: the skill \
        works on the author's laptop and is missing on Linux.",
    bad: Example::Text(
        "\
pdf/
└── skill.md
",
    ),
    good: Example::Text(
        "\
pdf/
└── SKILL.md
",
    ),
    fixable: true,
    unusable: UnusableIn::Anywhere,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(name) = subject.skill.skill_md().filter(|name| *name != SKILL_MD) else {
        return;
    };
    let draft = report.skill_md(format!("`{name}` must be called `{SKILL_MD}`"));
    if subject.skill.is_promised() {
        draft.help(format!("rename it: `mv {name} {SKILL_MD}`")).fix(Fix::RenameToSkillMd);
    } else {
        // The file may be a page about skills, not a skill.
        draft.help(format!("if it is a skill, rename it: `mv {name} {SKILL_MD}`"));
    }
}
