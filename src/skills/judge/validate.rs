//! Runs the rules: on each skill alone, in the thread that found it, then on all skills together.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::skills::files::content::Content;
use crate::skills::files::inventory::Inventory;
use crate::skills::judge::deep;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{
    Check, CheckedSkill, DeclaredName, Finding, Fix, ManifestSubject, Report, SetReport, Severity,
    Subject, excerpt,
};
use crate::skills::judge::rules::RULES;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::plugin::PluginSet;
use crate::skills::model::source::Skill;
use crate::skills::text::document::{Document, SKILL_MD};
use crate::skills::text::json::JsonNode;
use crate::skills::text::markdown;
use crate::skills::text::position::PositionRange;
use crate::skills::text::quote::is_edit_printable;
use crate::skills::text::signals::ContentSignals;

/// The result of a run.
#[derive(Debug, Clone, Default)]
pub struct Validation {
    /// The skills, sorted by path.
    pub skills: Vec<CheckedSkill>,
    /// All findings, sorted by path, place and rule.
    pub findings: Vec<Finding>,
    /// Whether warnings fail.
    pub strict: bool,
}

impl Validation {
    /// Whether a finding makes the run fail.
    pub const fn fails(&self, finding: &Finding) -> bool {
        match finding.severity {
            Severity::Error => true,
            Severity::Warning => self.strict,
            Severity::Note => false,
        }
    }

    /// Whether any finding makes the run fail.
    pub fn has_failed(&self) -> bool {
        self.findings.iter().any(|finding| self.fails(finding))
    }

    /// The kind of error that all failing findings share.
    pub fn failure(&self) -> ErrorKind {
        let failing = self.findings.iter().filter(|finding| self.fails(finding));
        let mut kinds = failing.map(|finding| finding.rule.failure);
        let first = kinds.next().unwrap_or(ErrorKind::Validation);
        if kinds.all(|kind| kind == first) { first } else { ErrorKind::Validation }
    }

    /// Fails if no `SKILL.md` could be read.
    pub fn require_read(&self) -> Result<()> {
        let unreadable = |one: &CheckedSkill| {
            one.unreadable.as_ref().map(|reason| one.skill.unreadable(None, reason))
        };
        match self.skills.first().and_then(unreadable) {
            Some(error) if self.skills.iter().all(|one| one.unreadable.is_some()) => Err(error),
            _ => Ok(()),
        }
    }

    /// Keeps only the skills that satisfy `holds`, and the manifests whose paths satisfy
    /// `holds_manifest`, with their findings.
    pub fn keep(
        &mut self,
        holds: impl Fn(&CheckedSkill) -> bool,
        holds_manifest: impl Fn(&Path) -> bool,
    ) {
        self.skills.retain(holds);
        let kept: HashSet<&Path> = self.skills.iter().map(|one| one.skill.path.as_path()).collect();
        self.findings.retain(|finding| match finding.is_about_manifest() {
            true => holds_manifest(&finding.path),
            false => kept.contains(finding.skill_path.as_path()),
        });
    }

    /// Adds findings that belong to no skill.
    pub fn add(&mut self, mut findings: Vec<Finding>) {
        if !findings.is_empty() {
            self.findings.append(&mut findings);
            sort(&mut self.findings);
        }
    }

    /// The paths of skills with a finding that satisfies `holds`.
    pub fn skills_with(&self, holds: impl Fn(&Finding) -> bool) -> HashSet<&Path> {
        let found = self.findings.iter().filter(|finding| holds(finding));
        found.map(|finding| finding.skill_path.as_path()).collect()
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Combines skills that were judged one by one: runs the rules about all of them, and sorts.
pub fn conclude(mut skills: Vec<CheckedSkill>, options: &JudgeOptions) -> Validation {
    let mut findings: Vec<Finding> = Vec::new();
    for skill in &mut skills {
        findings.append(&mut skill.findings);
    }
    for rule in RULES {
        let Check::Set(check) = rule.check else { continue };
        let Some(severity) = options.levels.severity(rule) else { continue };
        let mut report = SetReport::new(rule, severity, &options.directory, &mut findings);
        check(&skills, &mut report);
    }
    sort(&mut findings);
    Validation { skills, findings, strict: options.rules.strict }
}

/// Sorts findings. At one place, the most severe comes first.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let key = |one: &Finding| (one.place, std::cmp::Reverse(one.severity), one.rule.id);
        (&a.path, key(a), &a.message).cmp(&(&b.path, key(b), &b.message))
    });
}

/// Judges the manifests of plugins and marketplaces, which belong to no skill.
pub fn check_manifests(plugins: &PluginSet, options: &JudgeOptions) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in plugins.manifests() {
        let text = match &file.content {
            Content::Text(text) => text.as_str(),
            _ => "",
        };
        let json = matches!(file.content, Content::Text(_)).then(|| JsonNode::parse(text));
        let subject = ManifestSubject { file, json: json.as_ref() };
        let nobody = Skill { name: String::new(), ..Skill::in_file(&file.path) };
        let mut report = Report::new(RULES[0], &nobody, text);
        for rule in RULES {
            if let Check::Manifest(check) = rule.check
                && let Some(severity) = options.asks(rule)
            {
                report.begin(rule, severity);
                check(&subject, &mut report);
            }
        }
        findings.append(&mut report.into_findings());
    }
    findings
}

/// The findings of a run if some of its skills were replaced by `outcomes`.
pub fn conclude_with(
    validation: &Validation,
    outcomes: Vec<CheckedSkill>,
    options: &JudgeOptions,
) -> Validation {
    type Key<'a> = (&'a Path, &'a str);
    let key = |one: &CheckedSkill| (one.skill.path.clone(), one.skill.name.clone());
    let mut outcomes: HashMap<_, _> = outcomes.into_iter().map(|one| (key(&one), one)).collect();
    let mut findings: HashMap<Key<'_>, Vec<Finding>> = HashMap::new();
    for finding in &validation.findings {
        if !matches!(finding.rule.check, Check::Set(_)) {
            let key = (finding.skill_path.as_path(), finding.skill.as_str());
            findings.entry(key).or_default().push(finding.clone());
        }
    }
    let skills = validation.skills.iter().map(|checked| {
        outcomes.remove(&key(checked)).unwrap_or_else(|| {
            let key = (checked.skill.path.as_path(), checked.skill.name.as_str());
            CheckedSkill { findings: findings.remove(&key).unwrap_or_default(), ..checked.clone() }
        })
    });
    let mut after = conclude(skills.collect(), options);
    let about_manifests = validation.findings.iter().filter(|finding| finding.is_about_manifest());
    after.add(about_manifests.cloned().collect());
    after
}

/// Judges one opened skill.
pub fn check_skill(opened: &OpenedSkill<'_>, options: &JudgeOptions) -> (CheckedSkill, Inventory) {
    let inventory = opened.inventory(options.look);
    (judge(opened, &inventory, options), inventory)
}

/// Judges one skill whose files were listed.
pub fn judge(
    opened: &OpenedSkill<'_>,
    inventory: &Inventory,
    options: &JudgeOptions,
) -> CheckedSkill {
    let (findings, mut unread) = check_all(opened, inventory, options);
    let mut unseen = unseen(opened.skill, inventory);
    unseen.append(&mut unread);
    CheckedSkill {
        declared: opened.document.and_then(declared_name),
        unreadable: match opened.content {
            Content::Unreadable(reason) => Some(reason.clone()),
            _ => None,
        },
        unseen,
        skill: opened.skill.clone(),
        findings,
    }
}

/// The full paths that could not be read.
pub fn unseen(skill: &Skill, inventory: &Inventory) -> Vec<Error> {
    let failure = |(path, reason): &(PathBuf, String)| skill.unreadable(Some(path), reason);
    inventory.unreadable.iter().map(failure).collect()
}

fn declared_name(document: &Document<'_>) -> Option<DeclaredName> {
    let node = document.field("name")?;
    let place = PositionRange::of(document.text, node.span);
    Some(DeclaredName {
        name: node.as_str()?.to_owned(),
        place,
        excerpt: excerpt(document.text, node.span, place),
    })
}

/// Runs every rule about single skills on an opened skill.
pub fn check(
    opened: &OpenedSkill<'_>,
    inventory: &Inventory,
    options: &JudgeOptions,
) -> Vec<Finding> {
    check_all(opened, inventory, options).0
}

/// The same, with the errors about files that could not be read.
fn check_all(
    opened: &OpenedSkill<'_>,
    inventory: &Inventory,
    options: &JudgeOptions,
) -> (Vec<Finding>, Vec<Error>) {
    let (skill, document) = (opened.skill, opened.document);
    // At default levels, no rule that can make a skill invalid reads the body.
    let reads_body = !options.errors_only || !options.levels.is_empty();
    let references = document
        .filter(|_| reads_body)
        .map(|document| markdown::references(document.text, document.body.start))
        .unwrap_or_default();
    let signals = document.map(|document| match reads_body || options.safety {
        true => ContentSignals::of(document.text),
        false => ContentSignals::of_characters(document.text),
    });
    let subject = Subject {
        skill,
        directory: opened.directory.map(|open| &open.directory),
        content: opened.content,
        document,
        inventory,
        references: &references,
        signals: signals.unwrap_or_default(),
        options: &options.rules,
    };
    let text = document.map_or("", |document| document.text);
    let mut report = Report::new(RULES[0], skill, text);
    for rule in RULES {
        if let Check::Skill(check) | Check::Safety(check, _) = rule.check
            && let Some(severity) = options.asks(rule)
        {
            report.begin(rule, severity);
            check(&subject, &mut report);
        }
    }
    let (mut findings, mut unread) = (report.into_findings(), Vec::new());
    // `--fix` makes no repair that `--diff` cannot show in full.
    let is_hidden = |fix: &Fix| matches!(fix, Fix::Edit(edit) if !is_edit_printable(text, edit));
    for finding in findings.iter_mut().filter(|finding| finding.fix.as_ref().is_some_and(is_hidden))
    {
        finding.fix = None;
    }
    if options.rules.deep {
        let (mut found, failed) = deep::check_files(opened, inventory, options);
        findings.append(&mut found);
        unread = failed;
    }
    if skill.packed().is_some() {
        // Skills in archives are not repaired.
        findings.iter_mut().for_each(|finding| finding.fix = None);
    }
    if let Some(inline) = skill.inline() {
        // The text is generated, so only the manifest can be corrected.
        for finding in &mut findings {
            finding.place = Some(inline.place);
            finding.excerpt = None;
            finding.fix = None;
        }
    }
    (findings, unread)
}

/// Judges text as the `SKILL.md` of a directory with this name and no other files. For examples,
/// property tests and fuzzing.
pub fn check_text(directory: &str, text: &str, options: &JudgeOptions) -> Vec<Finding> {
    let path = Path::new("/").join(directory);
    let skill = Skill::in_directory(&path, Some(SKILL_MD.into()));
    let content = Content::Text(text.to_owned());
    let document = Document::parse(text);
    let opened = OpenedSkill::in_memory(&skill, &content, &document);
    check(&opened, &Inventory::default(), options)
}
