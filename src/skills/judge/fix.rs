//! Repairs findings where the repair is safe. Plans in memory, then writes atomically in the real
//! directory of the skill. Nothing is written through a link.
//!
//! Text is repaired in rounds, because a YAML reader stops at its first fault. Each round applies
//! the offered repairs and reads the result again, until no repair is offered.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{self, Content, OpenDirectory};
use crate::skills::files::{self, Directory, DirectoryEntry, atomic};
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{CheckedSkill, Finding, Fix, RepairScope};
use crate::skills::judge::validate;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::source::{Skill, SkillKind, SkillStorage};
use crate::skills::text::document::SKILL_MD;
use crate::skills::text::position::Edit;

/// The maximum number of rounds.
const MAX_ROUNDS: usize = 64;

/// The help if a skill changed during the repair.
const AGAIN: &str = "run `skills validate --fix` again";

/// The planned repairs of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The directory of the skill, or the file of a file skill.
    pub skill: PathBuf,
    /// The file that is read and, if its text changes, replaced.
    pub file: PathBuf,
    /// Its text before.
    pub before: String,
    /// Its text after.
    pub after: String,
    /// The path the file is renamed to.
    pub rename: Option<PathBuf>,
    /// Files to make executable.
    pub executable: Vec<ModeChange>,
    /// How many of the reported findings it repairs.
    pub settled: usize,
}

/// New permission bits of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeChange {
    /// Its path below the skill.
    pub path: PathBuf,
    /// The bits before.
    pub before: u32,
    /// The bits after.
    pub after: u32,
}

/// Plans the repairs of a skill; none if there is nothing to repair.
pub fn plan(skill: &Skill, options: &JudgeOptions, scope: RepairScope) -> Option<Repair> {
    let open = open(skill).ok()?;
    let open = open.as_ref();
    let (content, inventory) = opened::open(skill.clone(), open, |opened| {
        (opened.content.clone(), opened.inventory(options.look))
    });
    let check = |content: &Content| {
        let mut findings = opened::with_content(skill, open, content, None, |opened| {
            validate::check(opened, &inventory, options)
        });
        findings.retain(|finding| finding.is_fixable(scope));
        findings
    };
    let mut findings = check(&content);
    let before = match content {
        Content::Text(text) => text,
        _ => String::new(), // A file that is not text has no edits, but can be renamed.
    };
    let mut repair = Repair {
        skill: skill.path.clone(),
        file: skill.file(),
        before: before.clone(),
        after: before,
        rename: None,
        executable: Vec::new(),
        // Findings that only later rounds reveal were not reported, so they do not count.
        settled: findings.len(),
    };
    for finding in &findings {
        match &finding.fix {
            Some(Fix::RenameToSkillMd) => repair.rename = Some(skill.path.join(SKILL_MD)),
            Some(Fix::SetExecutable(path)) => repair.executable.extend(mode_change(open, path)),
            Some(Fix::Edit(_)) | None => {}
        }
    }
    for _ in 0..MAX_ROUNDS {
        let edits = applicable(&findings);
        if edits.is_empty() {
            break;
        }
        let next = apply_edits(&repair.after, &edits);
        if next == repair.after {
            break;
        }
        repair.after = next;
        findings = check(&Content::Text(repair.after.clone()));
    }
    (repair.settled > 0).then_some(repair)
}

/// Judges a skill as it would be after a repair; none if it can no longer be opened.
pub fn outcome(skill: &Skill, repair: &Repair, options: &JudgeOptions) -> Option<CheckedSkill> {
    let open = open(skill).ok()?;
    let (mut content, mut inventory) = opened::open(skill.clone(), open.as_ref(), |opened| {
        (opened.content.clone(), opened.inventory(options.look))
    });
    let mut skill = skill.clone();
    let file = repair.file.file_name().map(PathBuf::from);
    for entry in &mut inventory.entries {
        entry.executable |= repair.executable.iter().any(|change| change.path == entry.path);
        if repair.rename.is_some() && file.as_ref() == Some(&entry.path) {
            entry.path = PathBuf::from(SKILL_MD);
        }
    }
    inventory.entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    if repair.rename.is_some() {
        skill.storage = SkillStorage::Directory(Some(SKILL_MD.into()));
    }
    if repair.before != repair.after {
        content = Content::Text(repair.after.clone());
    }
    let judge = |opened: &OpenedSkill<'_>| validate::judge(opened, &inventory, options);
    Some(opened::with_content(&skill, open.as_ref(), &content, None, judge))
}

/// Opens the directory of a skill; a file skill has none.
fn open(skill: &Skill) -> io::Result<Option<OpenDirectory>> {
    match skill.kind() {
        SkillKind::Directory => OpenDirectory::open_real(&skill.path).map(Some),
        _ => Ok(None),
    }
}

fn mode_change(open: Option<&OpenDirectory>, path: &Path) -> Option<ModeChange> {
    let file = open?.directory.file_below(path).ok()?;
    let (before, after) = files::modes(&file).ok()?;
    Some(ModeChange { path: path.to_owned(), before, after })
}

/// Writes a repair to disk: the text through a temporary file beside it, then the rest.
pub fn apply(repair: &Repair) -> Result<()> {
    let parent = repair.file.parent().unwrap_or(Path::new("/"));
    let directory = Directory::open_real(parent)
        .map_err(|error| Error::io("open", parent, &error).help(AGAIN))?;
    let name = repair.file.file_name().unwrap_or(OsStr::new(SKILL_MD));
    if repair.before != repair.after {
        // Do not lose changes that were saved since the plan was made.
        if content::read_in(&directory, name) != Content::Text(repair.before.clone()) {
            return Err(changed(&repair.file));
        }
        atomic::replace_in(&directory, name, repair.after.as_bytes())
            .map_err(|error| Error::io("write", &repair.file, &error))?;
    }
    if repair.rename.is_some() {
        rename(&directory, name).map_err(|error| Error::io("rename", &repair.file, &error))?;
    }
    for ModeChange { path, .. } in &repair.executable {
        set_executable(&directory, path).map_err(|error| {
            Error::io("change the mode of", repair.skill.join(path), &error).help(AGAIN)
        })?;
    }
    Ok(())
}

fn changed(file: &Path) -> Error {
    err!(Conflict, "`{}` changed while it was being repaired", file.display()).at(file).help(AGAIN)
}

/// Renames a file to `SKILL.md`, unless another file has that name.
fn rename(directory: &Directory, name: &OsStr) -> io::Result<()> {
    let target = OsStr::new(SKILL_MD);
    match directory.rename_new(name, directory, target) {
        // On a file system that ignores case, the file itself already has that name.
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists
                && !holds_skill_md(&directory.entries()?) =>
        {
            directory.rename(name, directory, target)
        }
        done => done,
    }
}

/// Makes a file executable, if it is still a script.
fn set_executable(directory: &Directory, path: &Path) -> io::Result<()> {
    let file = directory.file_below(path)?;
    if !content::is_script(&file) {
        return Err(io::Error::other("it is no longer a script"));
    }
    files::set_executable(&file)
}

/// Whether an entry has exactly this name, even on file systems that ignore case.
fn holds_skill_md(entries: &[DirectoryEntry]) -> bool {
    entries.iter().any(|(name, _)| name == SKILL_MD)
}

/// The offered edits that do not overlap, in file order.
fn applicable(findings: &[Finding]) -> Vec<&Edit> {
    let mut edits: Vec<&Edit> = findings
        .iter()
        .filter_map(|finding| match &finding.fix {
            Some(Fix::Edit(edit)) => Some(edit),
            _ => None,
        })
        .collect();
    edits.sort_by_key(|edit| edit.span);
    let mut end = 0;
    edits.retain(|edit| {
        let fits = edit.span.start >= end;
        if fits {
            end = edit.span.end;
        }
        fits
    });
    edits
}

fn apply_edits(text: &str, edits: &[&Edit]) -> String {
    let mut result = String::with_capacity(text.len() + 16);
    let mut at = 0;
    for edit in edits {
        result.push_str(&text[at..edit.span.start]);
        result.push_str(&edit.replacement);
        at = edit.span.end;
    }
    result.push_str(&text[at..]);
    result
}
