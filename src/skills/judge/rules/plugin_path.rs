//! `plugin-path`: the paths in manifests of plugins exist and stay inside.

use std::path::Path;

use crate::skills::files::FileKind;
use crate::skills::files::content::LinkEnd;
use crate::skills::judge::rule::{ManifestSubject, Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule};
use crate::skills::model::plugin::{self, ManifestKind};
use crate::skills::text::document::is_skill_md;
use crate::skills::text::json::JsonNode;

/// As much of a path as a message shows.
const SHOWN: usize = 200;

pub static RULE: Rule = Rule {
    id: "plugin-path",
    severity: Severity::Error,
    summary: "the paths in manifests of plugins exist and stay inside",
    why: "Agents copy a plugin by itself, so a path that leaves it leads nowhere afterwards, and one \
        that leads to other files of the machine is refused. Skills at a path that does not exist \
        are lost.",
    bad: Example::Text(
        "\
{
  \"name\": \"docs\",
  \"skills\": [\"../common/pdf\", \"./skills/cvs\"]
}
",
    ),
    good: Example::Text(
        "\
{
  \"name\": \"docs\",
  \"skills\": [\"./skills/pdf\", \"./skills/csv\"]
}
",
    ),
    check: Check::Manifest(check),
    ..Rule::BASE
};

fn check(subject: &ManifestSubject<'_>, report: &mut Report<'_>) {
    let Some(Ok(json)) = subject.json else { return };
    if subject.file.format.kind != ManifestKind::Marketplace {
        skills(subject, json, Path::new(""), report);
        return;
    }
    let base = json.get("metadata").and_then(|metadata| metadata.get("pluginRoot"));
    let base = base.and_then(|base| {
        let inner = plugin::inner_path(base.as_str()?);
        if inner.is_none() {
            leaves(base, "the directory of the marketplace", report);
        }
        inner
    });
    let entries = json.get("plugins").and_then(JsonNode::elements).unwrap_or_default();
    for entry in entries {
        let Some(source) = entry.get("source") else { continue };
        let Some(written) = plugin::local_source(source) else { continue };
        let Some(root) = plugin::inner_source(written, base.as_deref()) else {
            leaves(source, "the directory of the marketplace", report);
            continue;
        };
        if is_there(subject, source, written, &root, Wanted::Directory, report) {
            skills(subject, entry, &root, report);
        }
    }
}

/// Checks the `skills` of a plugin whose directory is `root`, below that of the manifest.
fn skills(
    subject: &ManifestSubject<'_>,
    json: &JsonNode<'_>,
    root: &Path,
    report: &mut Report<'_>,
) {
    let Some(listed) = json.get("skills") else { return };
    for node in listed.elements().unwrap_or(std::slice::from_ref(listed)) {
        let Some(written) = node.as_str() else { continue };
        match plugin::inner_path(written) {
            None => leaves(node, "the plugin", report),
            Some(inner) => {
                let path = root.join(inner);
                // Agents do not mind if the usual directory is missing.
                let usual = root.join(plugin::SKILLS);
                if path != usual || subject.file.end_of(&path) != Some(LinkEnd::Nowhere) {
                    is_there(subject, node, written, &path, Wanted::Skills, report);
                }
            }
        }
    }
}

fn leaves(node: &JsonNode<'_>, what: &str, report: &mut Report<'_>) {
    let written = short(node.as_str().unwrap_or_default());
    let message = match written.is_empty() {
        true => format!("the path leaves {what}"),
        false => format!("`{written}` leaves {what}, or is not a relative path"),
    };
    report
        .at(node.span, message)
        .help("write a path that starts with `./`, with `/` between parts");
}

/// What a path should lead to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Directory,
    /// A directory, or a `SKILL.md`.
    Skills,
}

/// Reports a path that leads nowhere, or out of the plugin through a link.
fn is_there(
    subject: &ManifestSubject<'_>,
    node: &JsonNode<'_>,
    written: &str,
    path: &Path,
    wanted: Wanted,
    report: &mut Report<'_>,
) -> bool {
    let is_skill = path.file_name().is_some_and(is_skill_md);
    let problem = match subject.file.end_of(path) {
        None | Some(LinkEnd::Inside(FileKind::Directory)) => return true,
        Some(LinkEnd::Inside(FileKind::Regular)) if wanted == Wanted::Skills && is_skill => {
            return true;
        }
        Some(LinkEnd::Inside(_)) => "is not a directory",
        Some(LinkEnd::Outside) => "leads out of the plugin",
        Some(LinkEnd::Nowhere) => "does not exist",
        Some(LinkEnd::Loop) => "is a link that leads in a circle",
    };
    report.at(node.span, format!("`{}` {problem}", short(written)));
    false
}

/// The start of a text, which may be very long.
fn short(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
