//! What a rule is: the skill it looks at, how it reports, and what it reports.

mod finding;
pub mod report;

use std::path::{Path, PathBuf};

use crate::skills::agents::Agent;
use crate::skills::files::content::Content;
use crate::skills::files::inventory::Inventory;
use crate::skills::files::platform::Directory;
use crate::skills::model::source::Skill;
use crate::skills::text::document::Document;
use crate::skills::text::frontmatter::Fields;
use crate::skills::text::markdown::Reference;
use crate::skills::text::signals::ContentSignals;
use crate::skills::text::yaml::Node;
pub use finding::{CheckedSkill, DeclaredName, Excerpt, Finding, Fix, RepairScope, Severity};
use report::{Report, SetReport};

/// One rule, with everything its documentation needs.
#[derive(Debug)]
pub struct Rule {
    /// Kebab case; also the name of its file, its fixtures and its anchor in the docs.
    pub id: &'static str,
    /// How grave it is unless settings or the finding itself say otherwise.
    pub severity: Severity,
    /// What it checks, as one line.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// Something it fires on.
    pub bad: Example,
    /// The same thing done well.
    pub good: Example,
    /// Whether `--fix` can repair it, at least sometimes.
    pub fixable: bool,
    /// The check itself.
    pub check: Check,
}

impl Rule {
    /// The scope in which it is repaired at its own severity; none when no repair is certain.
    #[must_use]
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
    /// A skill with nothing wrong and nothing special about it.
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
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::SkillMd(text) | Self::Text(text) => text,
        }
    }
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// One skill.
    Skill(fn(&Subject<'_>, &mut Report<'_>)),
    /// One skill; and, where its files are read as well, each of them.
    Safety(fn(&Subject<'_>, &mut Report<'_>), fn(&JudgedFile<'_>, &mut Report<'_>)),
    /// All skills of the run, sorted by path.
    Set(fn(&[CheckedSkill], &mut SetReport<'_>)),
}

/// One skill, read and ready to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Where it is.
    pub skill: &'a Skill,
    /// Its directory, when that is open.
    pub directory: Option<&'a Directory>,
    /// What was read.
    pub content: &'a Content,
    /// The text, parsed; none when it could not be read as text.
    pub document: Option<&'a Document<'a>>,
    /// Its files; empty for a file skill.
    pub inventory: &'a Inventory,
    /// Links and code spans of the body.
    pub references: &'a [Reference<'a>],
    /// What a first look at the text has seen.
    pub signals: ContentSignals,
    /// Settings that rules look at.
    pub options: &'a RuleOptions,
}

impl<'a> Subject<'a> {
    /// What a link in it says, by its path below the skill.
    #[must_use]
    pub fn link_target(&self, path: &Path) -> Option<PathBuf> {
        let (directory, name) = (self.directory?, path.file_name()?);
        match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            None => directory.link_target(name).ok(),
            Some(parent) => directory.directory_below(parent).ok()?.link_target(name).ok(),
        }
    }

    /// The fields, when the front matter could be read.
    #[must_use]
    pub fn fields(&self) -> Option<&'a Fields<'a>> {
        self.document?.fields()
    }

    /// A field that is a string: where it stands, and what it says.
    #[must_use]
    pub fn string(&self, key: &str) -> Option<(&'a Node<'a>, &'a str)> {
        let node = self.document?.field(key)?;
        Some((node, node.as_str()?))
    }
}

/// A file of a skill besides its `SKILL.md`, read for safety rules.
#[derive(Debug, Clone, Copy)]
pub struct JudgedFile<'a> {
    /// Its path below the skill.
    pub path: &'a Path,
    /// Its bytes, as far as they are looked at.
    pub bytes: &'a [u8],
    /// Its text; empty when it has none.
    pub text: &'a str,
    /// Whether the text is exactly what the bytes say.
    pub is_exact: bool,
    /// What a first look at the text has seen.
    pub signals: ContentSignals,
}

/// Settings that change what rules look for.
#[derive(Debug, Clone, Default)]
pub struct RuleOptions {
    /// Fields outside the specification are errors.
    pub strict: bool,
    /// Agents the user asked about; empty means all, and only losses count.
    pub agents: Vec<&'static Agent>,
    /// Whether the other files of a skill are read as well.
    pub deep: bool,
    /// Bytes of all files of a skill, where they are not the usual ones.
    pub max_skill_bytes: Option<u64>,
}
