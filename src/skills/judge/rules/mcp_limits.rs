//! `mcp-limits`: a skill that is served over MCP has at most 512 files and 16 MiB.

use crate::skills::files::inventory::is_part_of_skill;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::{MCP_BYTES, MCP_FILES};

pub static RULE: Rule = Rule {
    id: "mcp-limits",
    severity: Severity::Warning,
    summary: "a skill that is served over MCP has at most 512 files and 16 MiB (with --agent mcp)",
    why: "Hosts of the Model Context Protocol must accept skills up to these limits, and may refuse \
        larger ones. `skills serve` does not list such a skill. This rule runs only with \
        `--agent mcp`.",
    bad: Example::Text(
        "\
pdf/
├── SKILL.md
└── samples/    600 files
",
    ),
    good: Example::Text(
        "\
pdf/
├── SKILL.md
└── samples.zip
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if !subject.options.mcp {
        return;
    }
    let inventory = subject.inventory;
    let files = inventory.files().filter(|file| is_part_of_skill(&file.path)).count();
    if files > MCP_FILES {
        report
            .directory(format!("{files} files; hosts of MCP accept {MCP_FILES}"))
            .help("keep the files elsewhere, or pack those that belong together");
    }
    if inventory.bytes > MCP_BYTES {
        report
            .directory(format!("{} bytes; hosts of MCP accept {MCP_BYTES}", inventory.bytes))
            .help("keep large or generated material outside the skill");
    }
}
