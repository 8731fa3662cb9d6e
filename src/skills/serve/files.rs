//! The files of a served skill, read when somebody asks for them. They are the files that installing
//! the skill would copy, and what is said about a file belongs to the bytes that were read.

use std::path::Path;

use crate::skills::files::digest::{self, FileHash, TreeFile, portable};
use crate::skills::files::inventory::is_part_of_skill;
use crate::skills::judge::deep::FileJudge;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RuleOptions;
use crate::skills::judge::verdict::{self, Judged};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::source::SkillKind;
use crate::skills::put::install::candidate::{self, Candidate, CandidateOptions, Item, Prepared};
use crate::skills::put::install::rename;
use crate::skills::put::install::source_files::Allowance;
use crate::skills::serve::skill::{self, ServedSkill};
use crate::skills::serve::{address, media};
use crate::skills::show::prompt::{self, KeptParts, PromptSkill};
use crate::skills::show::uri::{PathTrust, SkillUri};
use crate::skills::text::document::{Document, MCP_BYTES, MCP_FILES, SKILL_MD};
use crate::skills::text::field_values::FieldValues;

/// A skill as hosts are told of it: all of its front matter, and all of its files.
#[derive(Debug, Clone)]
pub struct SkillEntry {
    /// Its address.
    pub uri: String,
    pub front_matter: FieldValues,
    pub files: Vec<HashedFile>,
}

/// A file that was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedFile {
    /// Its address.
    pub uri: String,
    /// The hash of its bytes.
    pub hash: FileHash,
    /// Their number.
    pub size: u64,
}

/// A file or directory, listed and not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRow {
    /// Its address.
    pub uri: String,
    /// What it is called.
    pub name: String,
    /// What it is about, for a skill.
    pub description: Option<String>,
    /// Its kind, if its name says it.
    pub media: Option<&'static str>,
    /// Its bytes, for a file.
    pub size: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// Its address.
    pub uri: String,
    /// Its kind, if its name says it.
    pub media: Option<&'static str>,
    /// All of it.
    pub bytes: Vec<u8>,
}

impl ServedSkill {
    /// What hosts are told of it, with all files as they are now; none if it has changed so that it
    /// is not this skill any more.
    pub fn entry(&self) -> Result<Option<SkillEntry>> {
        let Some(candidate) = self.candidate()? else { return Ok(None) };
        let document = Document::parse(candidate.skill_md.as_deref().unwrap_or_default());
        let front_matter = FieldValues::of(&document);
        let is_skill = skill::nonconforming(self.skill(), &document).is_none();
        let Some(front_matter) = front_matter.filter(|_| is_skill) else { return Ok(None) };
        // The verdict has limits of its own.
        let tree = candidate.tree(&Allowance::new(u64::MAX, u64::MAX))?;
        let file = |file: &TreeFile| {
            let uri = address::of_file(&self.path, &file.path);
            Some(HashedFile { uri, hash: file.sha256?, size: file.bytes })
        };
        let files: Vec<HashedFile> = tree.files.iter().filter_map(file).collect();
        if self.pinned.is_some() && tree.digest() != self.pinned {
            return Err(changed());
        }
        let is_small = files.len() <= MCP_FILES && tree.bytes() <= MCP_BYTES;
        Ok(is_small.then(|| SkillEntry { uri: self.uri(), front_matter, files }))
    }

    /// All of its files, sorted by address.
    pub fn resources(&self) -> Result<Vec<ResourceRow>> {
        let items = self.items()?;
        let files = items.iter().filter(|item| !item.is_directory);
        let mut rows: Vec<ResourceRow> = files.map(|item| self.row(item)).collect();
        rows.sort_unstable_by(|one, other| one.uri.cmp(&other.uri));
        Ok(rows)
    }

    /// What lies directly in one of its directories; none if there is no such directory.
    pub fn children(&self, inner: &str) -> Result<Option<Vec<ResourceRow>>> {
        let items = self.items()?;
        let is_directory = |item: &Item| item.is_directory && portable(&item.path) == inner;
        if !inner.is_empty() && !items.iter().any(is_directory) {
            return Ok(None);
        }
        let is_child = |item: &&Item| item.path.parent().map(portable).unwrap_or_default() == inner;
        let mut rows: Vec<ResourceRow> =
            items.iter().filter(is_child).map(|item| self.row(item)).collect();
        rows.sort_unstable_by(|one, other| one.uri.cmp(&other.uri));
        Ok(Some(rows))
    }

    /// The content of one of its files.
    pub fn content(&self, inner: &str) -> Result<FileContent> {
        let skill = self.skill();
        let not_there = || err!(NotFound, "there is no such file");
        if inner.is_empty() || !is_part_of_skill(Path::new(inner)) {
            return Err(not_there());
        }
        let is_skill_md = inner == SKILL_MD;
        let is_whole = matches!(skill.kind(), SkillKind::File | SkillKind::Inline);
        if is_whole && !is_skill_md {
            return Err(not_there());
        }
        let uri = address::of_file(&self.path, inner);
        let path = (!is_whole).then(|| inner.to_owned());
        let asked = SkillUri { text: uri.clone(), name: skill.name.clone(), path };
        let file = asked.read(skill, PathTrust::Resolved)?;
        // A link may lead to what is not part of the skill, though it lies there.
        if file.path.strip_prefix(&skill.path).is_ok_and(|real| !is_part_of_skill(real)) {
            return Err(not_there());
        }
        let mut bytes = file.bytes;
        if is_skill_md && skill::gets_name(skill) && skill.inline().is_none() {
            bytes = renamed(bytes, &skill.name)?;
        }
        if self.pinned.is_some() {
            self.check_pin(inner, &bytes)?;
        }
        // It may have changed since the skill was judged.
        let options = self.judge();
        let mut judge = FileJudge::new(skill, false, &options);
        judge.file(Path::new(inner), &bytes);
        if verdict::in_files(skill, &judge.finish()).is_some() {
            return Err(changed());
        }
        Ok(FileContent { uri, media: media::of_path(inner), bytes })
    }

    /// Remembers its files as they are now: others are not served.
    pub fn pin(&mut self) -> Result<()> {
        let candidate = self.candidate()?.ok_or_else(changed)?;
        self.pinned = candidate.tree(&Allowance::new(u64::MAX, u64::MAX))?.digest();
        Ok(())
    }

    /// Refuses a file that is not what was pinned.
    fn check_pin(&self, inner: &str, bytes: &[u8]) -> Result<()> {
        let candidate = self.candidate()?.ok_or_else(changed)?;
        let tree = candidate.tree(&Allowance::new(u64::MAX, u64::MAX))?;
        let hash = Some(digest::of_bytes(bytes));
        let is_same = tree.files.iter().any(|file| file.path == inner && file.sha256 == hash);
        if is_same && tree.digest() == self.pinned { Ok(()) } else { Err(changed()) }
    }

    /// The skill with its text and the names of its files, as they are now.
    pub fn whole(&self) -> Result<PromptSkill> {
        if self.pinned.is_some() {
            self.content(SKILL_MD)?;
        }
        let options = self.judge();
        let judged = skill::reopen(self.skill(), |opened| {
            prompt::read(opened, KeptParts::BodyAndFiles, &options).made
        })?;
        if !judged.verdict.is_usable() || judged.skill.name != self.name() {
            return Err(changed());
        }
        let mut whole = judged.made;
        whole.skill.path.clone_from(&self.skill().path);
        whole.address.clone_from(&self.prompt.address);
        Ok(whole)
    }

    fn row(&self, item: &Item) -> ResourceRow {
        let inner = portable(&item.path);
        let uri = address::of_file(&self.path, &inner);
        if inner == SKILL_MD {
            return ResourceRow {
                uri,
                name: self.name().to_owned(),
                description: self.prompt.description.clone(),
                media: Some(media::MARKDOWN),
                size: Some(item.bytes),
            };
        }
        let name =
            item.path.file_name().map_or(inner.clone(), |name| name.to_string_lossy().into());
        ResourceRow {
            uri,
            name,
            description: None,
            media: if item.is_directory { Some(media::DIRECTORY) } else { media::of_path(&inner) },
            size: (!item.is_directory).then_some(item.bytes),
        }
    }

    fn judge(&self) -> JudgeOptions {
        let rules = RuleOptions { max_skill_bytes: self.most_bytes, ..RuleOptions::default() };
        JudgeOptions { rules, errors_only: true, ..JudgeOptions::default() }
    }

    fn items(&self) -> Result<Vec<Item>> {
        Ok(self.candidate()?.map(|candidate| candidate.items).unwrap_or_default())
    }

    /// The skill as it would be copied now; none if it cannot be used any more, or has another name.
    fn candidate(&self) -> Result<Option<Candidate>> {
        let options = CandidateOptions { judge: self.judge(), ..CandidateOptions::default() };
        let read = |opened: &OpenedSkill<'_>| candidate::read(opened, &options).made;
        let Judged { verdict, made, .. } = skill::reopen(self.skill(), read)?;
        let Prepared { candidate, .. } = made;
        if !verdict.is_usable() {
            return Ok(None);
        }
        let candidate = candidate?;
        Ok((candidate.name.as_str() == self.name()).then_some(candidate))
    }
}

/// The bytes of a `SKILL.md` under the name that the skill is given.
fn renamed(bytes: Vec<u8>, name: &str) -> Result<Vec<u8>> {
    let (Ok(text), Ok(name)) = (String::from_utf8(bytes), SkillName::new(name)) else {
        return Err(changed());
    };
    Ok(rename::renamed(&text, &name)?.into_bytes())
}

fn changed() -> Error {
    err!(NotFound, "the skill has changed and cannot be used any more")
}
