//! One pass over the files of a skill: for hashes, for the safety rules, and for what agents read.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::skills::agents::AGENTS;
use crate::skills::files::FileKind;
use crate::skills::files::content::Content;
use crate::skills::files::digest::{self, Digest, DigestBuilder, FileHash};
use crate::skills::files::inventory::{Descent, FileEntry, Inventory, is_part_of_skill};
use crate::skills::judge::deep::{FILE_BYTES, FileJudge, READ_BYTES, ReadFile};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::model::error::Error;
use crate::skills::model::source::SkillKind;
use crate::skills::text::document::SKILL_MD;

/// Endings of files that an interpreter runs.
const SCRIPTS: [&str; 17] = [
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "r",
    "ps1", "bat", "cmd",
];

/// One entry of a skill that is not a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFile {
    /// Its path below the skill.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
    pub bytes: u64,
    /// Whether it has an execute bit.
    pub executable: bool,
    /// Whether an interpreter runs it.
    pub is_script: bool,
    /// The SHA-256 of its bytes, if they were read.
    pub sha256: Option<FileHash>,
}

/// The one pass over the files of a skill.
pub struct FilePass<'a> {
    opened: &'a OpenedSkill<'a>,
    pub judge: FileJudge<'a>,
    pub files: Vec<CardFile>,
    /// Bytes that may still be read.
    left: u64,
    pub unread: usize,
    /// Whether every file that is part of the skill was read.
    is_whole: bool,
    pub skill_md: Option<Vec<u8>>,
    /// Other files besides the `SKILL.md` that an agent reads.
    pub beside: HashMap<&'static str, Vec<u8>>,
}

impl<'a> FilePass<'a> {
    pub fn new(opened: &'a OpenedSkill<'a>, options: &JudgeOptions) -> Self {
        Self {
            opened,
            judge: FileJudge::new(opened.skill, opened.document.is_some(), options),
            files: Vec::new(),
            left: READ_BYTES,
            unread: 0,
            is_whole: true,
            skill_md: match opened.content {
                Content::Text(text) => Some(text.clone().into_bytes()),
                _ => None,
            },
            beside: HashMap::new(),
        }
    }

    /// A skill that is a single file, which is installed as a `SKILL.md`.
    pub fn only_file(&mut self) {
        let Some(bytes) = &self.skill_md else { return };
        let skill = self.opened.skill;
        let name = match skill.kind() {
            SkillKind::File => skill.path.file_name().unwrap_or_default().to_owned(),
            _ => SKILL_MD.into(),
        };
        self.files.push(CardFile {
            path: PathBuf::from(name),
            kind: FileKind::Regular,
            bytes: bytes.len() as u64,
            executable: false,
            is_script: false,
            sha256: Some(digest::of_bytes(bytes)),
        });
    }

    pub fn all(&mut self, inventory: &Inventory, unseen: &mut Vec<Error>) {
        let mut descent = self.opened.directory.map(|open| Descent::new(&open.directory));
        for entry in &inventory.entries {
            if entry.kind == FileKind::Directory && !is_left_alone(entry) {
                continue;
            }
            let mut file = CardFile {
                path: entry.path.clone(),
                kind: entry.kind,
                bytes: entry.bytes,
                executable: entry.executable,
                is_script: false,
                sha256: None,
            };
            if entry.kind == FileKind::Regular && is_part_of_skill(&entry.path) {
                match self.read(entry, descent.as_mut()) {
                    Ok(Some((read, hash))) => {
                        file.is_script = is_script(&entry.path, &read.start);
                        file.sha256 = Some(hash);
                        self.look_at(&entry.path, read);
                    }
                    Ok(None) => self.unread += 1,
                    Err(error) => {
                        let path = self.opened.skill.path.join(&entry.path);
                        unseen.push(Error::io("read", path, &error));
                    }
                }
                self.is_whole &= file.sha256.is_some();
            }
            self.files.push(file);
        }
    }

    /// A file for the rules, and its hash; none if it is too much to read.
    fn read<'e>(
        &mut self,
        entry: &'e FileEntry,
        descent: Option<&mut Descent<'_>>,
    ) -> io::Result<Option<(ReadFile<'e>, FileHash)>> {
        let Some(left) = self.left.checked_sub(entry.bytes) else { return Ok(None) };
        self.left = left;
        let skill = self.opened.skill;
        let is_skill_md = skill.skill_md().is_some_and(|name| entry.path == Path::new(name));
        if let Some(bytes) = self.skill_md.as_ref().filter(|_| is_skill_md) {
            return Ok(Some((ReadFile::new(&entry.path, 0), digest::of_bytes(bytes))));
        }
        let file: Box<dyn Read> = match (skill.packed(), descent) {
            (Some(packed), _) => packed.reader(&entry.path).ok_or(io::ErrorKind::InvalidData)?,
            // A growing file must not keep us reading forever.
            (None, Some(descent)) => Box::new(descent.file(&entry.path)?.take(entry.bytes)),
            (None, None) => return Err(io::ErrorKind::NotFound.into()),
        };
        let mut read = ReadFile::new(&entry.path, entry.bytes);
        let hash = digest::of_reader(Seen { file, read: &mut read })?;
        if is_skill_md && entry.bytes <= FILE_BYTES as u64 {
            self.skill_md = Some(read.start.clone());
        }
        Ok(Some((read, hash)))
    }

    /// Passes a file to the rules, and its start to agents.
    fn look_at(&mut self, path: &Path, file: ReadFile<'_>) {
        if !file.start.is_empty() && self.judge.wants(path) {
            self.judge.read_file(&file);
        }
        let beside = AGENTS.iter().filter_map(|agent| agent.loading.beside);
        if let Some(known) = beside.map(|one| one.file).find(|file| path == Path::new(file)) {
            self.beside.insert(known, file.start);
        }
    }

    /// The digest of the skill; none unless all of it was read.
    pub fn digest(&self, inventory: &Inventory) -> Option<Digest> {
        if !self.is_whole || !inventory.is_complete() || self.opened.skill.skill_md().is_none() {
            return None;
        }
        let mut digest = DigestBuilder::default();
        for file in &self.files {
            if let Some(hash) = file.sha256 {
                digest.add(&file.path, file.executable, hash);
            }
        }
        digest.finish()
    }
}

/// A file whose bytes are kept for the rules while somebody else reads them.
struct Seen<'a, 'b, R> {
    file: R,
    read: &'a mut ReadFile<'b>,
}

impl<R: Read> Read for Seen<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read.push(&buffer[..length]);
        Ok(length)
    }
}

/// Whether a directory is listed but not searched.
fn is_left_alone(entry: &FileEntry) -> bool {
    entry.path.file_name().is_some_and(|name| !is_part_of_skill(Path::new(name)))
}

fn is_script(path: &Path, start: &[u8]) -> bool {
    let by_name = path
        .extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| SCRIPTS.iter().any(|known| known.eq_ignore_ascii_case(ending)));
    by_name || start.starts_with(b"#!")
}
