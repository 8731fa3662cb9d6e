//! JSON that is safe to print. Characters that could control a terminal, or a CI service that reads
//! its log, are escaped, so that a JSON reader gets them back and a screen never does.

pub mod report;
pub mod skills;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use crate::output::json::skills::AnyValue;
use crate::skills::files::digest::{Differences, Digest};
use crate::skills::find::record::InstallRecord;
use crate::skills::judge::rule::{Finding, RepairScope, Severity};
use crate::skills::judge::rules::RULES;
use crate::skills::judge::validate::Validation;
use crate::skills::model::environment::normalized;
use crate::skills::model::error::Error;
use crate::skills::model::inline::Tool;
use crate::skills::show::uri::{SkillFile, SkillUri};
use crate::skills::text::quote::{revealed, unprintable};
use crate::skills::text::unicode::orders;

/// Writes `value`, indented, with a final newline.
pub fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let formatter = Indented(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    writeln!(out)
}

/// Writes `value` on one line of its own, for logs.
pub fn line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, OnOneLine))?;
    writeln!(out)
}

/// Part of a string, without the characters that JSON itself escapes.
fn escaped<W: ?Sized + Write>(writer: &mut W, fragment: &str) -> io::Result<()> {
    let mut written = 0;
    // No line begins with a string, so only brackets can form a command.
    let orders = orders(fragment);
    let mut unprintable = unprintable(fragment).map(|(at, _)| at).peekable();
    let is_escaped = |(at, one): &(usize, char)| {
        unprintable.next_if_eq(at).is_some() || (*one == '[' && orders.binary_search(at).is_ok())
    };
    for (at, character) in fragment.char_indices().filter(is_escaped) {
        writer.write_all(&fragment.as_bytes()[written..at])?;
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            write!(writer, "\\u{unit:04x}")?;
        }
        written = at + character.len_utf8();
    }
    writer.write_all(&fragment.as_bytes()[written..])
}

struct OnOneLine;

impl Formatter for OnOneLine {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        w: &mut W,
        text: &str,
    ) -> io::Result<()> {
        escaped(w, text)
    }
}

struct Indented<'a>(PrettyFormatter<'a>);

impl Formatter for Indented<'_> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        w: &mut W,
        text: &str,
    ) -> io::Result<()> {
        escaped(w, text)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(w, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(w, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

// The JSON formats, version 1. They have separate types, so that they change only on purpose.

const VERSION: u32 = 1;

#[derive(Serialize)]
struct ValidateReport<'a> {
    version: u32,
    skills: Vec<ValidatedSkillRow<'a>>,
    findings: Vec<FindingRow<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct ValidatedSkillRow<'a> {
    name: &'a str,
    path: String,
    valid: bool,
}

#[derive(Serialize)]
struct FindingRow<'a> {
    rule: &'static str,
    severity: &'static str,
    message: Cow<'a, str>,
    help: Option<Cow<'a, str>>,
    path: String,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    skill: Option<&'a str>,
    agents: Vec<&'static str>,
    fixable: bool,
}

impl<'a> From<&'a Finding> for FindingRow<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            rule: finding.rule.id,
            severity: finding.severity.as_str(),
            message: revealed(&finding.message),
            help: finding.help.as_deref().map(revealed),
            path: text(&finding.path),
            line: finding.place.map(|place| place.start.line),
            column: finding.place.map(|place| place.start.column),
            end_line: finding.place.map(|place| place.end.line),
            end_column: finding.place.map(|place| place.end.column),
            skill: (!finding.is_about_manifest()).then_some(&finding.skill),
            agents: finding.agents.iter().map(|agent| agent.id).collect(),
            fixable: finding.is_fixable(RepairScope::Faults),
        }
    }
}

#[derive(Serialize)]
struct Summary {
    skills: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

/// The result of `skills validate`.
pub fn validation(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    let failing = validation.skills_with(|finding| validation.fails(finding));
    let skills = validation.skills.iter().map(|checked| ValidatedSkillRow {
        name: &checked.skill.name,
        path: text(&checked.skill.path),
        valid: !failing.contains(checked.skill.path.as_path()),
    });
    let report = ValidateReport {
        version: VERSION,
        skills: skills.collect(),
        findings: validation.findings.iter().map(FindingRow::from).collect(),
        summary: Summary {
            skills: validation.skills.len(),
            errors: validation.count(Severity::Error),
            warnings: validation.count(Severity::Warning),
            notes: validation.count(Severity::Note),
        },
    };
    write(out, &report)
}

/// The record of an installed skill.
#[derive(Serialize)]
struct RecordRow<'a> {
    source: &'a str,
    kind: &'a str,
    digest: Digest,
    installed_at: &'a str,
    tool: &'a str,
}

impl<'a> From<&'a InstallRecord> for RecordRow<'a> {
    fn from(record: &'a InstallRecord) -> Self {
        Self {
            source: &record.source,
            kind: record.kind.as_str(),
            digest: record.digest,
            installed_at: &record.installed_at,
            tool: &record.tool,
        }
    }
}

/// A tool that comes with an inline skill.
#[derive(Serialize)]
pub struct ToolDefinition<'a> {
    name: &'a str,
    description: Option<&'a str>,
    parameters: Option<AnyValue<'a>>,
}

impl<'a> From<&'a Tool> for ToolDefinition<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self {
            name: &tool.name,
            description: tool.description.as_deref(),
            parameters: tool.parameters.as_ref().map(AnyValue),
        }
    }
}

/// The files of a skill that are new, changed or gone.
#[derive(Serialize)]
struct ChangedFiles<'a> {
    added: &'a [String],
    changed: &'a [String],
    removed: &'a [String],
}

impl<'a> From<&'a Differences> for ChangedFiles<'a> {
    fn from(Differences { changed, added, removed }: &'a Differences) -> Self {
        Self { added, changed, removed }
    }
}

/// Something that kept a part of the work from being done.
#[derive(Serialize)]
struct FailureRow<'a> {
    kind: &'static str,
    message: Cow<'a, str>,
    path: Option<String>,
}

impl<'a> From<&'a Error> for FailureRow<'a> {
    fn from(error: &'a Error) -> Self {
        let path = error.path.as_deref().map(|path| text(&normalized(path)));
        Self { kind: error.kind.as_str(), message: revealed(&error.message), path }
    }
}

#[derive(Serialize)]
struct FileReport<'a> {
    version: u32,
    url: &'a str,
    skill: &'a str,
    path: String,
    content_type: &'static str,
    bytes: usize,
    content: &'a str,
}

/// The result of `skills read`.
pub fn skill_file(
    out: &mut dyn Write,
    uri: &SkillUri,
    skill: &str,
    file: &SkillFile,
    content: &str,
) -> io::Result<()> {
    let report = FileReport {
        version: VERSION,
        url: &uri.text,
        skill,
        path: text(&file.path),
        content_type: file.content_type,
        bytes: file.bytes.len(),
        content,
    };
    write(out, &report)
}

#[derive(Serialize)]
struct ErrorReport<'a> {
    version: u32,
    error: ErrorRow<'a>,
}

#[derive(Serialize)]
struct ErrorRow<'a> {
    kind: &'static str,
    message: Cow<'a, str>,
    path: Option<String>,
    details: Option<Cow<'a, str>>,
    skill: Option<&'a str>,
    skill_kind: Option<&'static str>,
    skills_dir: Option<String>,
}

/// An operation that could not be done.
pub fn error(out: &mut dyn Write, error: &Error) -> io::Result<()> {
    let skill = error.skill.as_deref();
    let row = ErrorRow {
        kind: error.kind.as_str(),
        message: revealed(&error.message),
        path: error.path.as_deref().map(|path| text(&normalized(path))),
        details: error.help.as_deref().map(revealed),
        skill: skill.map(|skill| skill.name.as_str()),
        skill_kind: skill.and_then(|skill| skill.kind),
        skills_dir: skill.and_then(|one| Some(text(&normalized(one.skills_dir.as_deref()?)))),
    };
    write(out, &ErrorReport { version: VERSION, error: row })
}

#[derive(Serialize)]
struct RuleList {
    version: u32,
    rules: Vec<RuleRow>,
}

#[derive(Serialize)]
struct RuleRow {
    id: &'static str,
    severity: &'static str,
    summary: &'static str,
    why: &'static str,
    fixable: bool,
}

/// The result of `skills rules`.
pub fn rules(out: &mut dyn Write) -> io::Result<()> {
    let rules = RULES.iter().map(|rule| RuleRow {
        id: rule.id,
        severity: rule.severity.as_str(),
        summary: rule.summary,
        why: rule.why,
        fixable: rule.repair_scope() == Some(RepairScope::Faults),
    });
    write(out, &RuleList { version: VERSION, rules: rules.collect() })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::text::unicode::is_unprintable;

    #[test]
    fn dangerous_characters_are_escaped_and_come_back() {
        let text = "a\u{fe00}\u{1b}\u{9b}\u{202e}\u{e0041}é\n##[error]\"##vso[x] [y]::z";
        let (mut indented, mut on_one_line) = (Vec::new(), Vec::new());
        write(&mut indented, &[text]).unwrap();
        line(&mut on_one_line, &[text]).unwrap();
        assert_eq!(on_one_line.iter().filter(|byte| **byte == b'\n').count(), 1);
        for json in [indented, on_one_line].map(|json| String::from_utf8(json).unwrap()) {
            assert!(!json.trim_end().replace('\n', "").chars().any(is_unprintable), "{json:?}");
            assert!(!json.contains('\u{fe00}'), "{json:?}");
            assert!(orders(&json).is_empty() && json.contains(" [y]"), "{json:?}");
            let back: Vec<String> = serde_json::from_str(&json).unwrap();
            assert_eq!(back, [text]);
        }
    }
}
