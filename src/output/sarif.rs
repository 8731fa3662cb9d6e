//! SARIF 2.1.0, for code scanning services. Rule texts come from the registry.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::output::{FindingsView, json as json_text, layout};
use crate::skills::judge::rule::{Finding, Rule};
use crate::skills::judge::rules::RULES;
use crate::skills::judge::validate::Validation;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const ROOT: &str = "SRCROOT";

#[derive(Serialize)]
struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Value; 1],
}

/// The whole run as one document.
pub fn validation(
    out: &mut dyn Write,
    validation: &Validation,
    view: &FindingsView<'_>,
) -> io::Result<()> {
    let shown = validation.findings.iter().filter(|finding| view.shows(finding));
    let results: Vec<Value> = shown.map(|finding| result(finding, view)).collect();
    let root = layout::uri(&view.directory.to_string_lossy());
    // Only the root of the file system ends with a slash itself.
    let root = format!("file://{}/", root.trim_end_matches('/'));
    let run = json!({
        "tool": {
            "driver": {
                "name": crate::PROGRAM,
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": { ROOT: { "uri": root } },
        "results": results,
    });
    json_text::write(out, &SarifLog { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

fn descriptor(rule: &Rule) -> Value {
    let (bad, good) = (rule.bad.text(), rule.good.text());
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.why },
        "help": {
            "text": format!("{}\n\nBad:\n\n{bad}\nGood:\n\n{good}", rule.why),
            "markdown": format!(
                "{}\n\n**Bad**\n\n````text\n{bad}````\n\n**Good**\n\n````text\n{good}````\n",
                rule.why
            ),
        },
        "defaultConfiguration": { "level": rule.severity.as_str() },
    })
}

fn result(finding: &Finding, view: &FindingsView<'_>) -> Value {
    let path = layout::relative(&finding.path, view.directory);
    let location = if finding.path.starts_with(view.directory) {
        json!({ "uri": layout::uri(&path), "uriBaseId": ROOT })
    } else {
        json!({ "uri": format!("file://{}", layout::uri(&path)) })
    };
    let mut physical = json!({ "artifactLocation": location });
    if let Some(place) = finding.place {
        physical["region"] = json!({
            "startLine": place.start.line,
            "startColumn": place.start.column,
            "endLine": place.end.line,
            "endColumn": place.end.column,
        });
    }
    let index = RULES.iter().position(|rule| rule.id == finding.rule.id);
    let text = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": finding.severity.as_str(),
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical }],
        "properties": {
            "skill": finding.skill,
            "agents": finding.agents.iter().map(|agent| agent.id).collect::<Vec<_>>(),
        },
    })
}
