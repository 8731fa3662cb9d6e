//! JUnit XML: one suite per skill, one case per failing finding, or a single passing case.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use crate::output::{FindingsView, layout, sanitize};
use crate::skills::judge::rule::{CheckedSkill, Finding};
use crate::skills::judge::validate::Validation;

/// The whole run as one document.
pub fn validation(
    out: &mut dyn Write,
    validation: &Validation,
    view: &FindingsView<'_>,
) -> io::Result<()> {
    let fails = |finding: &&Finding| validation.fails(finding);
    let failures = validation.findings.iter().filter(fails).count();
    let failing = validation.skills_with(|one| validation.fails(one));
    let is_clean = |checked: &&CheckedSkill| !failing.contains(checked.skill.path.as_path());
    let clean = validation.skills.iter().filter(is_clean).count();
    let mut by_skill: HashMap<&Path, Vec<&Finding>> = HashMap::new();
    for finding in &validation.findings {
        by_skill.entry(&finding.skill_path).or_default().push(finding);
    }
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let tests = failures + clean;
    writeln!(
        out,
        "<testsuites name=\"skills validate\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    for checked in &validation.skills {
        let path = &checked.skill.path;
        let own = by_skill.remove(path.as_path()).unwrap_or_default();
        suite(out, path, own, true, validation, view)?;
    }
    let mut manifests: Vec<(&Path, Vec<&Finding>)> = by_skill.into_iter().collect();
    manifests.sort_by_key(|(path, _)| *path);
    for (path, own) in manifests {
        suite(out, path, own, false, validation, view)?;
    }
    writeln!(out, "</testsuites>")
}

/// The suite of a skill, which has a case of its own if nothing fails, or of a manifest.
fn suite(
    out: &mut dyn Write,
    path: &Path,
    own: Vec<&Finding>,
    is_skill: bool,
    validation: &Validation,
    view: &FindingsView<'_>,
) -> io::Result<()> {
    let fails = |finding: &&Finding| validation.fails(finding);
    let (fails, others): (Vec<&Finding>, Vec<&Finding>) = own.into_iter().partition(fails);
    let suite = layout::relative(path, view.directory);
    let tests = if is_skill { fails.len().max(1) } else { fails.len() };
    writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{}\" errors=\"0\">",
        text(&suite),
        fails.len()
    )?;
    for finding in &fails {
        case(out, finding, view)?;
    }
    if fails.is_empty() && is_skill {
        writeln!(out, "    <testcase classname=\"{}\" name=\"valid\"/>", text(&suite))?;
    }
    if !others.is_empty() {
        writeln!(out, "    <system-out>")?;
        for finding in others {
            let (place, severity) = (place(finding, view), finding.severity.as_str());
            let line = format!("{place}: {severity}[{}]: {}", finding.rule.id, finding.message);
            writeln!(out, "{}", text(&line))?;
        }
        writeln!(out, "    </system-out>")?;
    }
    writeln!(out, "  </testsuite>")
}

fn case(out: &mut dyn Write, finding: &Finding, view: &FindingsView<'_>) -> io::Result<()> {
    let place = place(finding, view);
    let class = layout::relative(&finding.skill_path, view.directory);
    let name = format!("{} at {place}", finding.rule.id);
    writeln!(out, "    <testcase classname=\"{}\" name=\"{}\">", text(&class), text(&name))?;
    let help = finding.help.as_deref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    writeln!(
        out,
        "      <failure type=\"{}\" message=\"{}\">{}: {}{}</failure>",
        finding.rule.id,
        text(&finding.message),
        text(&place),
        text(&finding.message),
        sanitize::escaped(&sanitize::block(&help))
    )?;
    writeln!(out, "    </testcase>")
}

fn place(finding: &Finding, view: &FindingsView<'_>) -> String {
    let path = layout::relative(&finding.path, view.directory);
    match finding.place {
        Some(place) => format!("{path}:{}", place.start),
        None => path,
    }
}

/// Untrusted text on one line. XML cannot represent control characters.
fn text(text: &str) -> String {
    sanitize::escaped(&sanitize::line(text)).into_owned()
}
