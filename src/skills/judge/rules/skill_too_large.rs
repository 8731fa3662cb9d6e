//! `skill-too-large`: a skill has at most 10 MiB, 5,000 entries, 32 levels and paths of 1,024 bytes.

use crate::skills::files::inventory::Excess;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject, UnusableIn};
use crate::skills::model::error::ErrorKind;
use crate::skills::text::document::{RELATIVE_PATH_BYTES, SKILL_BYTES, SKILL_DEPTH, SKILL_ENTRIES};

pub static RULE: Rule = Rule {
    id: "skill-too-large",
    severity: Severity::Error,
    summary: "a skill has at most 10 MiB, 5,000 entries, 32 levels and paths of 1,024 bytes",
    why: "Installers copy skills into every home and every temporary run. Keep data sets and \
        dependencies elsewhere.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── samples/    240 MiB
",
    ),
    good: Example::Text(
        "\
pdf/
├── SKILL.md
└── scripts/fetch-samples.sh
",
    ),
    unusable: UnusableIn::Anywhere,
    failure: ErrorKind::TooLarge,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    const HELP: &str = "keep large or generated material outside the skill";
    let most = subject.options.max_skill_bytes.unwrap_or(SKILL_BYTES);
    let bytes = subject.inventory.bytes;
    if bytes > most {
        let message = format!("{bytes} bytes in all files; at most {most} are installed");
        report.directory(message).help(HELP);
    }
    if let Some(excess) = &subject.inventory.excess {
        let draft = match excess {
            Excess::Entries => {
                report.directory(format!("more than {SKILL_ENTRIES} files and directories"))
            }
            Excess::Depth(path) => {
                report.file(path, format!("more than {SKILL_DEPTH} levels deep"))
            }
            Excess::Path(path) => report
                .file(path, format!("a relative path of more than {RELATIVE_PATH_BYTES} bytes")),
        };
        draft.help(HELP);
    }
}
