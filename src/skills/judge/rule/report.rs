//! Collects the findings of rules. Turns spans into places, and keeps the line of each.

use std::path::{Path, PathBuf};

use super::{JudgedFile, Rule};
use crate::skills::agents::Agent;
use crate::skills::files::digest;
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::rule::{Excerpt, Finding, Fix, Severity};
use crate::skills::model::source::Skill;
use crate::skills::text::position::{Edit, PositionRange, Span, floor_char_boundary};

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
