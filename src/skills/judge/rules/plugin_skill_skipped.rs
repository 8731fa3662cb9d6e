//! `plugin-skill-skipped`: clients of Agent Plugins load every skill of a plugin.

use std::collections::HashMap;
use std::path::Path;

use crate::skills::judge::rule::{CheckedSkill, SetReport, Severity};
use crate::skills::judge::rules::{Check, Example, Rule};
use crate::skills::model::plugin::SKILLS;

/// Rules of the specification of skills. A skill that breaks one is not loaded.
const SPECIFICATION: [&str; 16] = [
    "missing-skill-md",
    "skill-md-case",
    "not-utf8",
    "missing-frontmatter",
    "unclosed-frontmatter",
    "invalid-yaml",
    "duplicate-key",
    "field-type",
    "missing-name",
    "name-format",
    "name-too-long",
    "name-directory-mismatch",
    "missing-description",
    "description-empty",
    "description-too-long",
    "compatibility-length",
];

pub static RULE: Rule = Rule {
    id: "plugin-skill-skipped",
    severity: Severity::Warning,
    summary: "clients of Agent Plugins load every skill of a plugin",
    why: "In a plugin of Agent Plugins 1.0.0, clients look for skills one level below `skills`, and \
        skip those that break the specification of skills, even where other agents load them.",
    bad: Example::Text(
        "\
plugin.json
skills/
└── office/
    └── pdf/
        └── SKILL.md
",
    ),
    good: Example::Text(
        "\
plugin.json
skills/
└── pdf/
    └── SKILL.md
",
    ),
    check: Check::Set(check),
    ..Rule::BASE
};

fn check(skills: &[CheckedSkill], report: &mut SetReport<'_>) {
    let of_plugins = |checked: &&CheckedSkill| {
        checked.skill.plugin.as_ref().is_some_and(|plugin| plugin.is_portable)
    };
    let mut skills = skills.iter().filter(of_plugins).peekable();
    if skills.peek().is_none() {
        return;
    }
    let broken: HashMap<_, _> = report
        .errors()
        .filter(|(_, rule)| SPECIFICATION.contains(rule))
        .map(|(path, rule)| (path.to_owned(), rule))
        .collect();
    for checked in skills {
        let (path, plugin) = (&checked.skill.path, &checked.skill.plugin);
        let Some(plugin) = plugin else { continue };
        let is_found = path.parent().is_some_and(|parent| parent == plugin.root.join(SKILLS));
        if !is_found {
            let place = path.strip_prefix(&plugin.root).unwrap_or(path).display();
            report.file_of(
                checked,
                format!("clients of Agent Plugins do not find it in `{place}`"),
                format!("they look for `{}`", Path::new(SKILLS).join("NAME/SKILL.md").display()),
            );
        } else if let Some(rule) = broken.get(path) {
            report.file_of(
                checked,
                format!("clients of Agent Plugins skip it, because it breaks `{rule}`"),
                "repair that error".to_owned(),
            );
        }
    }
}
