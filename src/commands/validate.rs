//! `skills validate`: finds the skills, judges and repairs them, and prints the findings.

use std::collections::HashMap;
use std::io::{self, Read as _, Write};
use std::path::Path;

use anyhow::Result;
use tracing::debug;

use crate::cli::args::FindingsFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{Repairs, ValidateSettings};
use crate::commands::locked::{self, LockUse};
use crate::commands::narrowing::Narrowing;
use crate::commands::notices;
use crate::output::diff::Diff;
use crate::output::findings::{self, Hints};
use crate::output::layout::{self, wrap};
use crate::output::{FindingsView, Screen, count, github, gitlab, json, junit, sanitize, sarif};
use crate::skills::files::inventory::nested_skills;
use crate::skills::files::{atomic, content};
use crate::skills::find::scan::{Reading, Scan};
use crate::skills::find::selection;
use crate::skills::judge::baseline;
use crate::skills::judge::fix::{self, Repair};
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::validate::{self, Validation, conclude, conclude_with};
use crate::skills::model::error::Error;
use crate::skills::model::name::SkillName;
use crate::skills::model::source::Skill;
use crate::skills::text::document::SKILL_MD_BYTES;

/// Runs the command.
pub fn run(settings: &ValidateSettings, printer: &Printer) -> Result<ExitStatus> {
    let warnings = settings.concerns.warnings();
    warnings.iter().for_each(|warning| printer.warning(warning));
    let narrowing = Narrowing::of(settings)?;
    let (scan, mut validation) = judge(settings, LockUse::Always, &narrowing, printer)?;
    let mut failed =
        notices::scan(&scan, &settings.context.directory, settings.context.verbose, printer);
    narrowing.apply(&mut validation, printer)?;
    validation.require_read()?;

    match settings.repairs {
        _ if settings.writes_baseline().is_some() => {
            write_baseline(settings, &mut validation, printer)?;
        }
        Repairs::Report => print(settings, &validation, printer)?,
        Repairs::Show => show_repairs(settings, &validation, &narrowing, printer)?,
        Repairs::Make => {
            let repaired = make_repairs(settings, &validation, printer);
            failed |= repaired.failed;
            (_, validation) = judge(settings, LockUse::Never, &narrowing, printer)?;
            narrowing.apply(&mut validation, &Printer::silent())?;
            print(settings, &validation, printer)?;
            report_repairs(settings, &repaired, printer)?;
        }
    }
    failed |= notices::errors(validation.skills.iter().flat_map(|one| &one.unseen), printer);
    // A failure to read or write outweighs findings.
    let warned = validation.strict && !warnings.is_empty();
    Ok(match (failed, validation.has_failed() || warned) {
        (true, _) => ExitStatus::Failure,
        (false, true) => ExitStatus::Refused,
        (false, false) => ExitStatus::Success,
    })
}

/// The human format, without hints.
pub fn text(settings: &ValidateSettings) -> Result<Vec<u8>> {
    let printer = Printer::silent();
    let narrowing = Narrowing::of(settings)?;
    let (_, mut validation) = judge(settings, LockUse::Never, &narrowing, &printer)?;
    narrowing.apply(&mut validation, &printer)?;
    let screen = settings.context.screen();
    let mut text = Vec::new();
    write(&mut text, FindingsFormat::Human, &validation, settings, &screen, Hints::None)?;
    Ok(text)
}

/// Finds, reads and judges the skills in one pass.
fn judge(
    settings: &ValidateSettings,
    lock: LockUse,
    narrowing: &Narrowing,
    printer: &Printer,
) -> Result<(Scan, Validation)> {
    let (selection, options, context) = (&settings.selection, &settings.options, &settings.context);
    if settings.reads_stdin {
        return Ok((Scan::default(), judge_stdin(options)?));
    }
    let reporter = progress::reporter(context.progress, "validated");
    let read = |opened: &OpenedSkill<'_>| {
        let (made, inventory) = validate::check_skill(opened, options);
        Reading { made, nested: nested_skills(&inventory) }
    };
    let output = (reporter.as_ref(), printer);
    let (skills, mut scan) = locked::find(selection, lock, context, output, &read)?;
    if !narrowing.allows_none() {
        selection::require_any(selection, &mut scan)?;
        notices::none_pass(skills.len(), &scan.names, printer);
    }
    let mut validation = conclude(skills, options);
    validation.add(validate::check_manifests(&scan.plugins, options));
    debug!(skills = validation.skills.len(), findings = validation.findings.len(), "validated");
    Ok((scan, validation))
}

/// Judges the `SKILL.md` on standard input, without other files.
fn judge_stdin(options: &JudgeOptions) -> Result<Validation> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(SKILL_MD_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io("read", "standard input", &error))?;
    let content = content::of_bytes(bytes);
    // A name that breaks no rule, because there is no directory to compare with.
    let unnamed = "skill".to_owned();
    let file = Skill::in_file(Path::new("-")).named();
    let skill = Skill { name: unnamed.clone(), folder: unnamed, ..file };
    let checked = opened::with_content(&skill, None, &content, None, |opened| {
        // Only its declared name can identify it.
        let declared = opened.document.and_then(|document| document.string("name"));
        let declared = declared.filter(|name| SkillName::new(name).is_ok());
        let name = declared.unwrap_or(&opened.skill.name).to_owned();
        let skill = Skill { name, ..opened.skill.clone() };
        validate::check_skill(&OpenedSkill { skill: &skill, ..*opened }, options).0
    });
    Ok(conclude(vec![checked], options))
}

/// Writes the findings to the baseline, and drops them.
fn write_baseline(
    settings: &ValidateSettings,
    validation: &mut Validation,
    printer: &Printer,
) -> Result<()> {
    let Some(path) = settings.writes_baseline() else { return Ok(()) };
    let findings = std::mem::take(&mut validation.findings);
    let mut text = Vec::new();
    json::write(&mut text, &baseline::of_findings(&findings, path))?;
    atomic::write_named(path, &text).map_err(|error| Error::writing("write", path, &error))?;
    let path = path.display().to_string();
    let (findings, path) = (count(findings.len(), "finding"), sanitize::line(&path));
    Ok(printer.text(|out| writeln!(out, "wrote {findings} to {path}"))?)
}

fn view(settings: &ValidateSettings) -> FindingsView<'_> {
    FindingsView { directory: &settings.context.directory, notes: settings.context.verbose }
}

/// The repairs in scope, one for each skill. A skill with several names is repaired once.
fn repairs(settings: &ValidateSettings, validation: &Validation) -> impl Iterator<Item = Repair> {
    let scope = settings.repair_scope;
    let mut fixable = validation.skills_with(|finding| finding.is_fixable(scope));
    let skills = validation.skills.iter().map(|checked| &checked.skill);
    skills
        .filter(move |skill| fixable.remove(skill.path.as_path()))
        .filter_map(move |skill| fix::plan(skill, &settings.options, scope))
}

fn show_repairs(
    settings: &ValidateSettings,
    validation: &Validation,
    narrowing: &Narrowing,
    printer: &Printer,
) -> io::Result<()> {
    let base = base_of_diff(settings, validation);
    printer.results(|out| {
        let (mut findings, mut skills) = (0, 0);
        let mut diff = Diff::new(base);
        let mut outcomes = Vec::new();
        let mut by_path: HashMap<&Path, Vec<&Skill>> = HashMap::new();
        for checked in &validation.skills {
            by_path.entry(&checked.skill.path).or_default().push(&checked.skill);
        }
        for repair in repairs(settings, validation) {
            diff.repair(out, &repair)?;
            findings += repair.settled;
            skills += 1;
            let skills = by_path.remove(repair.skill.as_path()).unwrap_or_default();
            let outcome = |skill: &Skill| fix::outcome(skill, &repair, &settings.options);
            outcomes.extend(skills.into_iter().filter_map(outcome));
        }
        diff.finish(out)?;
        let view = view(settings);
        let mut after = conclude_with(validation, outcomes, &settings.options);
        // It was applied before, so it cannot fail now.
        let _ = narrowing.apply(&mut after, &Printer::silent());
        let left = after.findings.iter().filter(|finding| view.shows(finding)).count();
        let (findings, skills) = (count(findings, "finding"), count(skills, "skill"));
        let mut text = format!("{findings} would be repaired in {skills}");
        if left > 0 {
            text += &format!(", {left} would be left (`skills validate` shows what is wrong)");
        }
        writeln!(out, "{}", wrap(&text, printer.width(), 0, ""))
    })
}

/// The directory to apply the diff in: the current one, or the root if a skill is outside it,
/// because `patch` refuses paths with `..`.
fn base_of_diff<'a>(settings: &'a ValidateSettings, validation: &Validation) -> &'a Path {
    let current = settings.context.directory.as_path();
    let fixable = validation.skills_with(|finding| finding.is_fixable(settings.repair_scope));
    let is_inside = fixable.iter().all(|path| path.starts_with(current));
    if is_inside { current } else { Path::new("/") }
}

/// The repaired skills, how many findings that settled, and whether a repair failed.
#[derive(Default)]
struct Repaired {
    repairs: Vec<Repair>,
    findings: usize,
    failed: bool,
}

fn make_repairs(
    settings: &ValidateSettings,
    validation: &Validation,
    printer: &Printer,
) -> Repaired {
    let mut repaired = Repaired::default();
    for repair in repairs(settings, validation) {
        // A file that cannot be written must not block other repairs.
        match fix::apply(&repair) {
            Ok(()) => {
                repaired.findings += repair.settled;
                repaired.repairs.push(repair);
            }
            Err(error) => {
                printer.error(&error);
                repaired.failed = true;
            }
        }
    }
    repaired
}

/// Prints one line, and with `-v` one for each file; nothing for machine formats.
fn report_repairs(
    settings: &ValidateSettings,
    repaired: &Repaired,
    printer: &Printer,
) -> io::Result<()> {
    let for_people = settings.format == FindingsFormat::Human || settings.output.is_some();
    if repaired.findings == 0 || !for_people {
        return Ok(());
    }
    let name = |path: &Path| {
        let path = layout::relative(path, &settings.context.directory);
        sanitize::line(&path).into_owned()
    };
    let skills = count(repaired.repairs.len(), "skill");
    printer.text(|out| {
        for repair in repaired.repairs.iter().filter(|_| settings.context.verbose) {
            if repair.before != repair.after {
                writeln!(out, "repaired {}", name(&repair.file))?;
            }
            if let Some(target) = &repair.rename {
                writeln!(out, "renamed {} to {}", name(&repair.file), name(target))?;
            }
            for change in &repair.executable {
                writeln!(out, "made {} executable", name(&repair.skill.join(&change.path)))?;
            }
        }
        writeln!(out, "repaired {} in {skills}", count(repaired.findings, "finding"))
    })
}

/// Prints the chosen format; with `--output`, writes it to a file and prints human text.
fn print(settings: &ValidateSettings, validation: &Validation, printer: &Printer) -> Result<()> {
    // A repair that just failed would fail again.
    let hints = Hints::of(printer.is_quiet(), settings.repairs == Repairs::Report);
    let screen = settings.context.screen();
    let show = |format: FindingsFormat| {
        let write = |out: &mut dyn Write| write(out, format, validation, settings, &screen, hints);
        let has_styles = format == FindingsFormat::Human && screen.styled;
        if has_styles { printer.results(write) } else { printer.text(write) }
    };
    let Some(path) = &settings.output else { return Ok(show(settings.format)?) };
    let plain = Screen { width: None, styled: false, ..screen };
    let mut text = Vec::new();
    write(&mut text, settings.format, validation, settings, &plain, Hints::None)?;
    atomic::write_named(path, &text).map_err(|error| Error::writing("write", path, &error))?;
    Ok(show(FindingsFormat::Human)?)
}

fn write(
    out: &mut dyn Write,
    format: FindingsFormat,
    validation: &Validation,
    settings: &ValidateSettings,
    screen: &Screen<'_>,
    hints: Hints,
) -> io::Result<()> {
    let view = view(settings);
    match format {
        FindingsFormat::Human => findings::validation(out, validation, &view, screen, hints),
        FindingsFormat::Json => json::validation(out, validation),
        FindingsFormat::Sarif => sarif::validation(out, validation, &view),
        FindingsFormat::Github => github::validation(out, validation, &view),
        FindingsFormat::Gitlab => gitlab::validation(out, validation, &view),
        FindingsFormat::Junit => junit::validation(out, validation, &view),
    }
}
