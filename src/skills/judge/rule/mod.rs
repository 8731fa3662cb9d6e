//! The types of a rule: its data, the skill it checks, its report and its findings.

mod finding;
pub mod report;

use std::path::{Path, PathBuf};

use crate::skills::agents::Agent;
use crate::skills::files::content::Content;
use crate::skills::files::inventory::Inventory;
use crate::skills::files::platform::Directory;
use crate::skills::model::error::ErrorKind;
use crate::skills::model::plugin::ManifestFile;
use crate::skills::model::source::Skill;
use crate::skills::text::carriers::Carried;
use crate::skills::text::document::Document;
use crate::skills::text::frontmatter::Fields;
use crate::skills::text::json::{JsonError, JsonNode};
use crate::skills::text::markdown::Reference;
use crate::skills::text::signals::ContentSignals;
use crate::skills::text::yaml::Node;
pub use finding::{CheckedSkill, DeclaredName, Excerpt, Finding, Fix, RepairScope, Severity};
use report::{Report, SetReport};

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
    pub(in crate::skills::judge) const BASE: Self = Self {
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
    pub(in crate::skills::judge) const PLAIN: Self = Self::SkillMd(
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
