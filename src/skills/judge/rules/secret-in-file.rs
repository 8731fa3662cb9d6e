//! `secret-in-file`: no credentials in a skill.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::judge::rule::Severity;
use crate::skills::text::secrets;
use crate::skills::text::signals::ContentSignal;

pub(super) static RULE: Rule = Rule {
    id: "secret-in-file",
    severity: Severity::Warning,
    summary: "no credentials in a skill",
    why: "Whoever gets the skill gets the key. `SKILL.md` is searched for keys in the formats of \
        well-known providers, other files are judged by name.",
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
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if let Some(document) = subject.document
        && subject.signals.has(ContentSignal::Secret)
    {
        for secret in secrets::find(document.text) {
            report
                .at_without_excerpt(secret.span, format!("this looks like {}", secret.what))
                .help("revoke it, and read it from the environment instead");
        }
    }
    for entry in subject.inventory.files() {
        if secrets::is_secret_file(entry.name()) {
            report
                .file(&entry.path, "a file of this name usually holds credentials")
                .help("delete it from the skill; ship an example instead");
        }
    }
}
