//! A Code Quality report, which GitLab shows on a merge request.

use std::io::{self, Write};

use serde::Serialize;

use crate::output::{FindingsView, json, layout};
use crate::skills::judge::baseline;
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::judge::validate::Validation;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: IssueLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<IssueContent<'a>>,
}

#[derive(Serialize)]
struct IssueLocation {
    path: String,
    lines: IssueLines,
}

#[derive(Serialize)]
struct IssueLines {
    begin: usize,
    end: usize,
}

#[derive(Serialize)]
struct IssueContent<'a> {
    body: &'a str,
}

/// One issue for every finding that is shown.
pub fn validation(
    out: &mut dyn Write,
    validation: &Validation,
    view: &FindingsView<'_>,
) -> io::Result<()> {
    let shown: Vec<&Finding> =
        validation.findings.iter().filter(|finding| view.shows(finding)).collect();
    let ids = baseline::ids(&shown, view.directory);
    let issues: Vec<Issue<'_>> =
        shown.into_iter().zip(ids).map(|(finding, id)| issue(finding, id, view)).collect();
    json::write(out, &issues)
}

fn issue<'a>(finding: &'a Finding, fingerprint: String, view: &FindingsView<'_>) -> Issue<'a> {
    let (begin, end) = finding.place.map_or((1, 1), |one| (one.start.line, one.end.line));
    Issue {
        description: format!("{} ({})", finding.message, finding.rule.id),
        check_name: finding.rule.id,
        fingerprint,
        severity: match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: IssueLocation {
            path: layout::relative(&finding.path, view.directory),
            lines: IssueLines { begin, end },
        },
        content: finding.help.as_deref().map(|body| IssueContent { body }),
    }
}
