//! Where rules put what they find. Turns spans into places and keeps the lines around them.

use std::path::{Path, PathBuf};

use super::Rule;
use crate::skills::agents::Agent;
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::rule::{Excerpt, Finding, Fix, Severity};
use crate::skills::model::source::Skill;
use crate::skills::text::document::Document;
use crate::skills::text::position::{Edit, PositionRange, Span, floor_char_boundary};

/// A line longer than this is shown in part: nobody reads on, and memory is bounded.
const EXCERPT_LINE_BYTES: usize = 2_000;
/// Findings of one rule about one skill that are kept. The rest is counted: a hostile body could
/// hold a hundred thousand broken links.
const MOST_PER_RULE: usize = 100;

/// Findings of one skill, under the rule that is running.
#[derive(Debug)]
pub struct Report<'a> {
    rule: &'static Rule,
    severity: Option<Severity>,
    skill: &'a Skill,
    text: &'a str,
    findings: Vec<Finding>,
    /// Where the findings of the running rule start.
    first_of_rule: usize,
    /// Findings of the running rule beyond those that are kept; the last of them is at the end
    /// of `findings` until the rule ends.
    surplus: usize,
}

/// The finding a rule has just reported, open to additions.
#[derive(Debug)]
pub struct FindingDraft<'a> {
    finding: &'a mut Finding,
    fixed_severity: bool,
}

impl<'a> Report<'a> {
    /// An empty report that `rule` begins; `text` is the `SKILL.md`, or empty when it could not be read.
    #[must_use]
    pub fn new(rule: &'static Rule, skill: &'a Skill, text: &'a str) -> Self {
        Self {
            rule,
            severity: None,
            skill,
            text,
            findings: Vec::new(),
            first_of_rule: 0,
            surplus: 0,
        }
    }

    /// Makes `rule` the one that reports next, with the severity that the user set, if one.
    pub fn begin(&mut self, rule: &'static Rule, severity: Option<Severity>) {
        self.end_rule();
        self.rule = rule;
        self.severity = severity;
    }

    /// Something at a place of the `SKILL.md`.
    pub fn at(&mut self, span: Span, message: impl Into<String>) -> FindingDraft<'_> {
        let (mut place, mut lines) = (None, None);
        if !self.is_full() {
            let found = PositionRange::of(self.text, span);
            place = Some(found);
            lines = Some(excerpt(self.text, span, found));
        }
        let path = self.skill.file();
        self.push(path, place, lines, message.into())
    }

    /// Something at a place of the `SKILL.md` whose text must not be repeated.
    pub fn at_without_excerpt(
        &mut self,
        span: Span,
        message: impl Into<String>,
    ) -> FindingDraft<'_> {
        let place = (!self.is_full()).then(|| PositionRange::of(self.text, span));
        let path = self.skill.file();
        self.push(path, place, None, message.into())
    }

    /// Something at a known line of a `SKILL.md` that is not text.
    pub fn at_place(
        &mut self,
        place: PositionRange,
        message: impl Into<String>,
    ) -> FindingDraft<'_> {
        let path = self.skill.file();
        self.push(path, Some(place), None, message.into())
    }

    /// Something about the `SKILL.md` as a whole.
    pub fn skill_md(&mut self, message: impl Into<String>) -> FindingDraft<'_> {
        let path = self.skill.file();
        self.push(path, None, None, message.into())
    }

    /// Something about another file, given relative to the skill.
    pub fn file(&mut self, relative: &Path, message: impl Into<String>) -> FindingDraft<'_> {
        let path = self.skill.path.join(relative);
        self.push(path, None, None, message.into())
    }

    /// Something about the skill's directory.
    pub fn directory(&mut self, message: impl Into<String>) -> FindingDraft<'_> {
        let path = self.skill.path.clone();
        self.push(path, None, None, message.into())
    }

    /// The findings, in the order in which they were reported.
    #[must_use]
    pub fn into_findings(mut self) -> Vec<Finding> {
        self.end_rule();
        self.findings
    }

    /// Whether the running rule has reported all that is kept.
    fn is_full(&self) -> bool {
        // Repairs are not dropped: they belong to files, of which there are never too many.
        !self.rule.fixable && self.findings.len() - self.first_of_rule >= MOST_PER_RULE
    }

    fn end_rule(&mut self) {
        if self.surplus > 0 {
            self.count_surplus();
        }
        self.first_of_rule = self.findings.len();
    }

    /// Replaces the surplus of the running rule by its number.
    #[cold]
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
            skill: self.skill.name.clone(),
            skill_path: self.skill.path.clone(),
            agents: Vec::new(),
            fix: None,
        });
        FindingDraft { finding: &mut self.findings[index], fixed_severity: self.severity.is_some() }
    }
}

impl FindingDraft<'_> {
    /// What to do about it.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.finding.help = Some(help.into());
        self
    }

    /// Another severity than the rule's own, unless the user set one.
    pub fn severity(self, severity: Severity) -> Self {
        if !self.fixed_severity {
            self.finding.severity = severity;
        }
        self
    }

    /// Agents that lose, cut or misread the skill for this.
    pub fn agents(self, agents: Vec<&'static Agent>) -> Self {
        self.finding.agents = agents;
        self
    }

    /// How to repair it.
    pub fn fix(self, fix: Fix) -> Self {
        self.finding.fix = Some(fix);
        self
    }

    /// Repairs it by replacing a part of the `SKILL.md`.
    pub fn edit(self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix(Fix::Edit(Edit { span, replacement: replacement.into() }))
    }
}

/// Findings about the run as a whole.
#[derive(Debug)]
pub struct SetReport<'a> {
    rule: &'static Rule,
    severity: Severity,
    findings: &'a mut Vec<Finding>,
}

impl<'a> SetReport<'a> {
    /// Reports of `rule` go to `findings`.
    pub fn new(rule: &'static Rule, severity: Severity, findings: &'a mut Vec<Finding>) -> Self {
        Self { rule, severity, findings }
    }

    /// Something about the declared name of one of the skills.
    pub fn name_of(&mut self, checked: &CheckedSkill, message: String, help: String) {
        self.findings.push(Finding {
            rule: self.rule,
            severity: self.severity,
            message,
            help: Some(help),
            path: checked.skill.file(),
            place: checked.declared.as_ref().map(|declared| declared.place),
            excerpt: checked.declared.as_ref().map(|declared| declared.excerpt.clone()),
            skill: checked.skill.name.clone(),
            skill_path: checked.skill.path.clone(),
            agents: Vec::new(),
            fix: None,
        });
    }
}

/// The lines that `span` touches, at most two of them.
#[must_use]
pub fn excerpt(text: &str, span: Span, place: PositionRange) -> Excerpt {
    let start = floor_char_boundary(text, span.start);
    let end = floor_char_boundary(text, span.end.max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |from: usize| text[from..].find('\n').map_or(text.len(), |length| from + length);
    let mut last = line_end(start);
    if end > last {
        last = line_end(last + 1);
    }
    // Of an endless line, what surrounds the mark.
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

/// Runs `matches` over the lines of the body and reports each hit: from the offset it returns
/// to the end of the line.
pub fn report_lines(
    document: &Document<'_>,
    report: &mut Report<'_>,
    matches: impl Fn(&str) -> Option<usize>,
    emit: impl Fn(&mut Report<'_>, Span),
) {
    let mut offset = document.body.start;
    for line in document.body_text().split_inclusive('\n') {
        let content = line.trim_end();
        if let Some(at) = matches(content) {
            emit(report, Span::new(offset + at, offset + content.len()));
        }
        offset += line.len();
    }
}
