//! The types of a rule: its data, the skill it checks, its report and its findings.

use std::path::{Path, PathBuf};

use crate::skills::agents::Agent;
use crate::skills::files::Directory;
use crate::skills::files::content::Content;
use crate::skills::files::digest::{self, FileHash};
use crate::skills::files::inventory::Inventory;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::plugin::ManifestFile;
use crate::skills::model::source::Skill;
use crate::skills::text::carriers::Carried;
use crate::skills::text::document::{Document, Fields};
use crate::skills::text::json::{JsonError, JsonNode};
use crate::skills::text::markdown::Reference;
use crate::skills::text::position::{Edit, PositionRange, Span, floor_char_boundary};
use crate::skills::text::signals::ContentSignals;
use crate::skills::text::yaml::Node;

/// One rule, with everything its documentation needs.
#[derive(Debug)]
pub struct Rule {
    /// Kebab case; also the name of its fixtures and its anchor in the docs, and with underscores of
    /// its file.
    pub id: &'static str,
    /// The severity, unless settings or the finding itself override it.
    pub severity: Severity,
    /// What it checks, in one line.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// A bad example.
    pub bad: Example,
    /// A good example.
    pub good: Example,
    /// Whether `--fix` can repair at least some findings.
    pub fixable: bool,
    /// Where an error of it makes a skill unusable. No setting disables that where skills are
    /// copied.
    pub unusable: UnusableIn,
    /// For what a person must know before an agent reads a skill: its place among these rules, the
    /// gravest first.
    pub safety: Option<u8>,
    /// The kind of error when a skill that breaks this rule refuses a run.
    pub failure: ErrorKind,
    /// The check itself.
    pub check: Check,
}

/// The parts of a skill in which an error makes it unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableIn {
    /// In none.
    Nowhere,
    /// In the front matter only.
    FrontMatter,
    /// In every part.
    Anywhere,
}

impl Rule {
    /// What most rules have in common.
    pub const BASE: Self = Self {
        id: "",
        severity: Severity::Error,
        summary: "",
        why: "",
        bad: Example::PLAIN,
        good: Example::PLAIN,
        fixable: false,
        unusable: UnusableIn::Nowhere,
        safety: None,
        failure: ErrorKind::Validation,
        check: Check::Set(|_, _| ()),
    };

    /// The scope of `--fix` that includes it at its default severity; none without a safe repair.
    pub fn repair_scope(&self) -> Option<RepairScope> {
        let scope = match self.severity {
            Severity::Error | Severity::Warning => RepairScope::Faults,
            Severity::Note => RepairScope::All,
        };
        self.fixable.then_some(scope)
    }
}

/// An example for the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Example {
    /// The whole `SKILL.md` of a skill in a directory named `pdf`. Tests run it.
    SkillMd(&'static str),
    /// Anything that is not one file: a listing, a command.
    Text(&'static str),
}

impl Example {
    /// A plain, valid skill.
    pub const PLAIN: Self = Self::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    );

    /// What it says.
    pub const fn text(self) -> &'static str {
        match self {
            Self::SkillMd(text) | Self::Text(text) => text,
        }
    }
}

/// What a rule checks.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// One skill.
    Skill(fn(&Subject<'_>, &mut Report<'_>)),
    /// One skill, and with `--deep` each of its files.
    Safety(fn(&Subject<'_>, &mut Report<'_>), fn(&JudgedFile<'_>, &mut Report<'_>)),
    /// One manifest of a plugin or a marketplace.
    Manifest(fn(&ManifestSubject<'_>, &mut Report<'_>)),
    /// All skills of the run, sorted by path.
    Set(fn(&[CheckedSkill], &mut SetReport<'_>)),
}

/// One skill, ready to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Where it is.
    pub skill: &'a Skill,
    /// Its directory, if it is open.
    pub directory: Option<&'a Directory>,
    /// The content of its `SKILL.md`.
    pub content: &'a Content,
    /// The parsed text; none if it is not text.
    pub document: Option<&'a Document<'a>>,
    /// Its files; empty for a file skill.
    pub inventory: &'a Inventory,
    /// Links and code spans of the body.
    pub references: &'a [Reference<'a>],
    /// What the first pass over the text found.
    pub signals: ContentSignals,
    /// Settings for the rules.
    pub options: &'a RuleOptions,
}

impl<'a> Subject<'a> {
    /// The target of a symbolic link, given by its path below the skill.
    pub fn link_target(&self, path: &Path) -> Option<PathBuf> {
        let (directory, name) = (self.directory?, path.file_name()?);
        match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            None => directory.link_target(name).ok(),
            Some(parent) => directory.directory_below(parent).ok()?.link_target(name).ok(),
        }
    }

    /// The fields, if the front matter is valid.
    pub fn fields(&self) -> Option<&'a Fields<'a>> {
        self.document?.fields()
    }

    /// A field with a string value: its node and its text.
    pub fn string(&self, key: &str) -> Option<(&'a Node<'a>, &'a str)> {
        let node = self.document?.field(key)?;
        Some((node, node.as_str()?))
    }
}

/// A manifest of a plugin or a marketplace, ready to be judged.
#[derive(Debug, Clone, Copy)]
pub struct ManifestSubject<'a> {
    /// Where it is, and what it should be.
    pub file: &'a ManifestFile,
    /// What it says, or why it is not JSON; none if it is not text.
    pub json: Option<&'a Result<JsonNode<'a>, JsonError>>,
}

/// A file of a skill besides its `SKILL.md`, read for safety rules.
#[derive(Debug, Clone, Copy)]
pub struct JudgedFile<'a> {
    /// Its path below the skill.
    pub path: &'a Path,
    /// The part of its content that is judged.
    pub bytes: &'a [u8],
    /// Its text; empty if it is not text.
    pub text: &'a str,
    /// Whether this is certainly text, and not bytes that happen to look like some.
    pub is_certain: bool,
    /// What the first pass over the text found.
    pub signals: ContentSignals,
    /// What is hidden in the parts that are not part of the text.
    pub carried: &'a [Carried],
}

/// Settings that change what rules look for.
#[derive(Debug, Clone, Default)]
pub struct RuleOptions {
    /// Fields outside the specification are errors.
    pub strict: bool,
    /// Agents the user asked about; empty means all, and only losses count.
    pub agents: Vec<&'static Agent>,
    /// Whether skills are meant for hosts of the Model Context Protocol, too.
    pub mcp: bool,
    /// Whether to read the other files of a skill, too.
    pub deep: bool,
    /// The maximum size of a skill in bytes, if the user changed it.
    pub max_skill_bytes: Option<u64>,
}

// One result of validation, and its severity.

/// How serious a finding is, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// A hint. The program shows it with `-v`.
    Note,
    /// A problem that a careful author would fix.
    Warning,
    /// A breach of the specification, or an agent that drops the skill.
    Error,
}

impl Severity {
    /// The word for output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One result of a rule.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The severity, after all settings.
    pub severity: Severity,
    /// The problem: lower case, no full stop.
    pub message: String,
    /// How to solve it.
    pub help: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// The place in the file.
    pub place: Option<PositionRange>,
    /// The line at that place.
    pub excerpt: Option<Excerpt>,
    /// The hash of the text that the rule minds, so that versions can be compared; none for a
    /// finding about a whole file.
    pub matched: Option<FileHash>,
    /// The name of the skill; empty for a finding about a manifest of a plugin.
    pub skill: String,
    /// The directory of the skill, or the file of a file skill, or the manifest.
    pub skill_path: PathBuf,
    /// Agents that lose, cut or misread the skill for this.
    pub agents: Vec<&'static Agent>,
    /// What those agents do with the skill, if the message does not say it.
    pub effect: Option<String>,
    /// The repair, if there is a safe one.
    pub fix: Option<Fix>,
}

/// The scope of `--fix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepairScope {
    /// Errors and warnings.
    #[default]
    Faults,
    /// Also notes, which are about style.
    All,
}

impl Finding {
    /// Whether the finding is about a manifest of a plugin, not about a skill.
    pub const fn is_about_manifest(&self) -> bool {
        matches!(self.rule.check, Check::Manifest(_))
    }

    /// Whether the finding has a repair in this scope.
    pub fn is_fixable(&self, scope: RepairScope) -> bool {
        self.fix.is_some() && (scope == RepairScope::All || self.severity > Severity::Note)
    }
}

/// A few lines of a file, so that the whole file need not stay in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line.
    pub first_line: usize,
    /// Whether the first line is complete at its start, so that columns can be counted.
    pub from_line_start: bool,
    /// The unchanged lines.
    pub text: String,
    /// The marked part, as bytes of `text`.
    pub mark: Span,
}

/// A repair that cannot change what the author meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// Replaces a part of the `SKILL.md`.
    Edit(Edit),
    /// Renames the file to `SKILL.md`.
    RenameToSkillMd,
    /// Sets the execute bit of a file, given relative to the skill.
    SetExecutable(PathBuf),
}

/// A skill, and the findings about it alone.
#[derive(Debug, Clone)]
pub struct CheckedSkill {
    /// Where it is.
    pub skill: Skill,
    /// The name in its front matter.
    pub declared: Option<DeclaredName>,
    /// Why its `SKILL.md` could not be opened, if so.
    pub unreadable: Option<String>,
    /// Its files and directories that could not be read.
    pub unseen: Vec<Error>,
    pub findings: Vec<Finding>,
}

impl CheckedSkill {
    /// The findings about it alone.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// A `name:` with its place, for rules that compare skills.
#[derive(Debug, Clone)]
pub struct DeclaredName {
    /// The name.
    pub name: String,
    /// Its place in the file.
    pub place: PositionRange,
    /// Its line.
    pub excerpt: Excerpt,
}

// Collects the findings of rules. Turns spans into places, and keeps the line of each.

/// Longer lines are shown in part, to bound memory.
const EXCERPT_LINE_BYTES: usize = 2_000;

/// How many findings of one rule about one skill are kept. The rest is counted, because a hostile
/// body could contain a hundred thousand broken links.
const MOST_PER_RULE: usize = 100;

/// The findings of one skill, and the running rule.
#[derive(Debug)]
pub struct Report<'a> {
    rule: &'static Rule,
    severity: Option<Severity>,
    skill: &'a Skill,
    /// The reported file, unless it is the `SKILL.md`.
    other: Option<PathBuf>,
    text: &'a str,
    findings: Vec<Finding>,
    /// The position of the first finding of the running rule.
    first_of_rule: usize,
    /// How many findings of the running rule exceed the limit; the last of them is at the end of
    /// `findings` until the rule ends.
    surplus: usize,
}

/// A finding that the rule can still extend.
#[derive(Debug)]
pub struct FindingDraft<'a> {
    finding: &'a mut Finding,
    fixed_severity: bool,
}

impl<'a> Report<'a> {
    /// An empty report that starts with `rule`; `text` is the `SKILL.md`, or empty if it is
    /// unreadable.
    pub fn new(rule: &'static Rule, skill: &'a Skill, text: &'a str) -> Self {
        Self {
            rule,
            severity: None,
            skill,
            other: None,
            text,
            findings: Vec::new(),
            first_of_rule: 0,
            surplus: 0,
        }
    }

    /// The same for another file of the skill, given relative to it.
    pub fn of_file(rule: &'static Rule, skill: &'a Skill, file: &JudgedFile<'a>) -> Self {
        Self { other: Some(skill.path.join(file.path)), ..Self::new(rule, skill, file.text) }
    }

    /// Makes `rule` the running rule, with the severity that the user set, if any.
    pub fn begin(&mut self, rule: &'static Rule, severity: Option<Severity>) {
        self.end_rule();
        self.rule = rule;
        self.severity = severity;
    }

    /// Reports a finding at a place in the file.
    pub fn at(&mut self, span: Span, message: impl Into<String>) -> FindingDraft<'_> {
        let (mut place, mut lines) = (None, None);
        if !self.is_full() {
            let found = PositionRange::of(self.text, span);
            place = Some(found);
            lines = Some(excerpt(self.text, span, found));
        }
        let path = self.path();
        let text = self.text;
        self.push(path, place, lines, message.into()).matched(span.slice(text))
    }

    /// Reports a finding at a place in the file, without quoting the text.
    pub fn at_without_excerpt(
        &mut self,
        span: Span,
        message: impl Into<String>,
    ) -> FindingDraft<'_> {
        let place = (!self.is_full()).then(|| PositionRange::of(self.text, span));
        let path = self.path();
        let text = self.text;
        self.push(path, place, None, message.into()).matched(span.slice(text))
    }

    /// Reports a finding at a known place of a `SKILL.md` that is not text.
    pub fn at_place(
        &mut self,
        place: PositionRange,
        message: impl Into<String>,
    ) -> FindingDraft<'_> {
        let path = self.skill.file();
        self.push(path, Some(place), None, message.into())
    }

    /// Reports a finding about the whole `SKILL.md`.
    pub fn skill_md(&mut self, message: impl Into<String>) -> FindingDraft<'_> {
        let path = self.skill.file();
        self.push(path, None, None, message.into())
    }

    /// Reports a finding about another file, given relative to the skill.
    pub fn file(&mut self, relative: &Path, message: impl Into<String>) -> FindingDraft<'_> {
        let path = self.skill.path.join(relative);
        self.push(path, None, None, message.into())
    }

    /// Reports a finding about the skill's directory.
    pub fn directory(&mut self, message: impl Into<String>) -> FindingDraft<'_> {
        let path = self.skill.path.clone();
        self.push(path, None, None, message.into())
    }

    /// The findings, in the order in which they were reported.
    pub fn into_findings(mut self) -> Vec<Finding> {
        self.end_rule();
        self.findings
    }

    /// The error that another rule reported at a place of the `SKILL.md`, or under one of these ids.
    pub fn error_at(&mut self, span: Option<Span>, ids: &[&str]) -> Option<&mut Finding> {
        let place = span.map(|span| PositionRange::of(self.text, span));
        self.findings.iter_mut().find(|finding| {
            let is_there = place.is_some_and(|place| finding.place == Some(place));
            finding.severity == Severity::Error && (is_there || ids.contains(&finding.rule.id))
        })
    }

    fn path(&self) -> PathBuf {
        self.other.clone().unwrap_or_else(|| self.skill.file())
    }

    /// Whether the running rule has reached its limit of findings.
    fn is_full(&self) -> bool {
        // Keep all repairs: they belong to files, whose number is limited.
        !self.rule.fixable && self.findings.len() - self.first_of_rule >= MOST_PER_RULE
    }

    fn end_rule(&mut self) {
        if self.surplus > 0 {
            self.count_surplus();
        }
        self.first_of_rule = self.findings.len();
    }

    /// Replaces the surplus of the running rule by a count.
    fn count_surplus(&mut self) {
        self.findings.truncate(self.first_of_rule + MOST_PER_RULE);
        if let Some(last) = self.findings.last_mut() {
            last.message.push_str(&format!(" ({} more like this are not shown)", self.surplus));
        }
        self.surplus = 0;
    }

    fn push(
        &mut self,
        path: PathBuf,
        place: Option<PositionRange>,
        excerpt: Option<Excerpt>,
        message: String,
    ) -> FindingDraft<'_> {
        if self.is_full() {
            self.findings.truncate(self.first_of_rule + MOST_PER_RULE);
            self.surplus += 1;
        }
        let index = self.findings.len();
        self.findings.push(Finding {
            rule: self.rule,
            severity: self.severity.unwrap_or(self.rule.severity),
            message,
            help: None,
            path,
            place,
            excerpt,
            matched: None,
            skill: self.skill.name.clone(),
            skill_path: self.skill.path.clone(),
            agents: Vec::new(),
            effect: None,
            fix: None,
        });
        FindingDraft { finding: &mut self.findings[index], fixed_severity: self.severity.is_some() }
    }
}

impl FindingDraft<'_> {
    /// Adds a help text.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.finding.help = Some(help.into());
        self
    }

    /// Sets the text that the rule minds, if that is not the text at the place.
    pub fn matched(self, text: &str) -> Self {
        self.finding.matched = Some(digest::of_bytes(text.as_bytes()));
        self
    }

    /// Overrides the rule's severity, unless the user set one.
    pub fn severity(self, severity: Severity) -> Self {
        if !self.fixed_severity {
            self.finding.severity = severity;
        }
        self
    }

    /// Adds agents that lose, cut or misread the skill because of this.
    pub fn agents(self, agents: Vec<&'static Agent>) -> Self {
        self.finding.agents = agents;
        self
    }

    /// Adds a repair.
    pub fn fix(self, fix: Fix) -> Self {
        self.finding.fix = Some(fix);
        self
    }

    /// Adds a repair that replaces a part of the `SKILL.md`.
    pub fn edit(self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix(Fix::Edit(Edit { span, replacement: replacement.into() }))
    }
}

/// Findings about the run as a whole.
#[derive(Debug)]
pub struct SetReport<'a> {
    rule: &'static Rule,
    severity: Severity,
    directory: &'a Path,
    findings: &'a mut Vec<Finding>,
}

impl<'a> SetReport<'a> {
    /// Adds the findings of `rule` to `findings`. Paths in messages are relative to `directory`.
    pub fn new(
        rule: &'static Rule,
        severity: Severity,
        directory: &'a Path,
        findings: &'a mut Vec<Finding>,
    ) -> Self {
        Self { rule, severity, directory, findings }
    }

    /// Reports a finding about the declared name of a skill.
    pub fn name_of(&mut self, checked: &CheckedSkill, message: String, help: String) {
        self.findings.push(Finding {
            rule: self.rule,
            severity: self.severity,
            message,
            help: Some(help),
            path: checked.skill.file(),
            place: checked.declared.as_ref().map(|declared| declared.place),
            excerpt: checked.declared.as_ref().map(|declared| declared.excerpt.clone()),
            matched: None,
            skill: checked.skill.name.clone(),
            skill_path: checked.skill.path.clone(),
            agents: Vec::new(),
            effect: None,
            fix: None,
        });
    }

    /// Reports a finding about the whole `SKILL.md` of a skill.
    pub fn file_of(&mut self, checked: &CheckedSkill, message: String, help: String) {
        self.name_of(checked, message, help);
        if let Some(finding) = self.findings.last_mut() {
            (finding.place, finding.excerpt) = (None, None);
        }
    }

    /// The errors so far: the skill, and the id of the rule that it breaks.
    pub fn errors(&self) -> impl Iterator<Item = (&Path, &'static str)> {
        let errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.map(|finding| (finding.skill_path.as_path(), finding.rule.id))
    }

    /// A path for messages, relative to the current directory.
    pub fn relative<'p>(&self, path: &'p Path) -> std::path::Display<'p> {
        path.strip_prefix(self.directory).unwrap_or(path).display()
    }
}

/// The line in which `span` starts. A mark over several lines ends with this line, to save space on
/// the screen.
pub fn excerpt(text: &str, span: Span, place: PositionRange) -> Excerpt {
    let start = floor_char_boundary(text, span.start);
    let end = floor_char_boundary(text, span.end.max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let last = text[start..].find('\n').map_or(text.len(), |length| start + length);
    let end = end.min(last);
    // Show only the part of a long line around the mark.
    let from = floor_char_boundary(text, line_start.max(start.saturating_sub(EXCERPT_LINE_BYTES)));
    let to = floor_char_boundary(text, last.min(start + EXCERPT_LINE_BYTES));
    let mark = Span::new(start - from, end.min(to) - from);
    let lines = text[from..to].trim_end_matches('\r');
    let mark = Span::new(mark.start.min(lines.len()), mark.end.min(lines.len()));
    Excerpt {
        first_line: place.start.line,
        from_line_start: from == line_start,
        text: lines.to_owned(),
        mark,
    }
}

/// Runs `matches` over the lines of a text from byte `start` on and reports each hit: from the
/// offset it returns to the end of the line.
pub fn report_lines(
    text: &str,
    start: usize,
    report: &mut Report<'_>,
    matches: impl Fn(&str) -> Option<usize>,
    emit: impl Fn(&mut Report<'_>, Span),
) {
    let mut offset = start;
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        let content = line.trim_end();
        if let Some(at) = matches(content) {
            emit(report, Span::new(offset + at, offset + content.len()));
        }
        offset += line.len();
    }
}
