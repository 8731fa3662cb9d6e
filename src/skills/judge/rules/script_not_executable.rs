//! `script-not-executable`: a script with a shebang has the execute bit.

use std::path::Path;

use crate::skills::files::content;
use crate::skills::judge::rule::{Fix, Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

pub static RULE: Rule = Rule {
    id: "script-not-executable",
    severity: Severity::Note,
    summary: "a script with a shebang has the execute bit",
    why: "Without it, `./scripts/run.sh` fails, and the model spends a turn on `chmod`.",
    bad: Example::Text(
        "\
scripts/run.sh   -rw-r--r--   #!/bin/sh
",
    ),
    good: Example::Text(
        "\
scripts/run.sh   -rwxr-xr-x   #!/bin/sh
",
    ),
    fixable: true,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for entry in subject.inventory.files() {
        if entry.executable {
            continue;
        }
        let is_shell = entry.name().ends_with(b".sh") && entry.path.extension().is_some();
        if !is_shell && !is_in_scripts(&entry.path) {
            continue;
        }
        if has_shebang(subject, &entry.path) {
            report
                .file(&entry.path, "a script that cannot be executed")
                .help(format!("chmod +x {}", entry.path.display()))
                .fix(Fix::SetExecutable(entry.path.clone()));
        }
    }
}

/// Whether a path is below `scripts`. Most are not, and their first bytes tell.
fn is_in_scripts(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(b"scripts") && path.starts_with("scripts")
}

fn has_shebang(subject: &Subject<'_>, path: &Path) -> bool {
    if let Some(packed) = subject.skill.packed() {
        return packed.read(path).is_some_and(|bytes| bytes.starts_with(b"#!"));
    }
    let Some(directory) = subject.directory else { return false };
    directory.file_below(path).is_ok_and(|file| content::is_script(&file))
}
