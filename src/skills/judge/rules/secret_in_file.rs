//! `secret-in-file`: no credentials in a skill.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, JudgedFile, Rule, Subject};
use crate::skills::text::secrets;
use crate::skills::text::signals::{ContentSignal, ContentSignals};

const HELP: &str = "revoke it, and read it from the environment instead";

pub static RULE: Rule = Rule {
    id: "secret-in-file",
    severity: Severity::Error,
    summary: "no credentials in a skill",
    why: "Everyone who gets the skill gets the key. Keys are recognised by the formats of \
        well-known providers; placeholders and examples are fine. What only may be a credential, by \
        the name of its file or variable, is a warning. Other files than `SKILL.md` are judged by \
        name, and read with `--deep`.",
    bad: Example::Text(
        "\
SKILL.md   export AWS_ACCESS_KEY_ID=AKIA…
.env       OPENAI_API_KEY=…
",
    ),
    good: Example::Text(
        "\
SKILL.md       Set AWS_ACCESS_KEY_ID before you start.
.env.example   OPENAI_API_KEY=
",
    ),
    safety: Some(6),
    check: Check::Safety(check, check_file),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if let Some(document) = subject.document {
        find(document.text, subject.signals, report);
    }
    for entry in subject.inventory.files() {
        if secrets::is_secret_file(entry.name()) {
            report
                .file(&entry.path, "a file of this name holds credentials")
                .help("delete it from the skill")
                .severity(Severity::Warning);
        } else if !subject.options.deep && secrets::is_environment_file(entry.name()) {
            report
                .file(&entry.path, "a file of this name may hold credentials")
                .help("`skills validate --deep` reads it")
                .severity(Severity::Note);
        }
    }
}

fn check_file(file: &JudgedFile<'_>, report: &mut Report<'_>) {
    find(file.text, file.signals, report);
    let is_environment = file
        .path
        .file_name()
        .is_some_and(|name| secrets::is_environment_file(name.as_encoded_bytes()));
    if is_environment {
        let known = secrets::find(file.text);
        for span in secrets::find_assigned(file.text) {
            if !known.iter().any(|secret| secret.span.start == span.start) {
                report
                    .at_without_excerpt(span, "this looks like a credential")
                    .help(HELP)
                    .severity(Severity::Warning);
            }
        }
    }
}

fn find(text: &str, signals: ContentSignals, report: &mut Report<'_>) {
    if !signals.has(ContentSignal::Secret) {
        return;
    }
    for secret in secrets::find(text) {
        report
            .at_without_excerpt(secret.span, format!("this looks like {}", secret.what))
            .help(HELP);
    }
}
