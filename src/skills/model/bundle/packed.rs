//! One skill of a bundle, handled as if it were on disk.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::files::FileKind;
use crate::skills::files::content::{self, Content, LinkEnd};
use crate::skills::files::digest::{self, Digest, DigestBuilder, portable};
use crate::skills::files::inventory::{Inventory, is_part_of_skill};
use crate::skills::model::bundle::links::{self, Resolved};
use crate::skills::model::bundle::{Bundle, BundleOrigin};

/// A skill in a bundle.
#[derive(Debug, Clone)]
pub struct PackedSkill {
    pub bundle: Arc<Bundle>,
    /// Where in the bundle it is; empty for the bundle's own root.
    pub root: String,
    /// The entry that stands for `SKILL.md`.
    pub skill_md: String,
    /// Whether it is inside another skill.
    pub is_nested: bool,
}

impl PackedSkill {
    /// The bytes of one of its files, through links that stay inside it.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let Resolved::Inside(real) = self.resolved(path) else { return None };
        self.bundle.read(&real)
    }

    /// Reads one of its files part by part, through links that stay inside it. Bytes that are not what they should
    /// be are an error.
    pub fn reader(&self, path: &Path) -> Option<Box<dyn Read + '_>> {
        let Resolved::Inside(real) = self.resolved(path) else { return None };
        let file = self.bundle.file(&real).filter(|file| file.kind == FileKind::Regular)?;
        Some(self.bundle.reader(file))
    }

    /// Where a link in it leads.
    pub fn link_end(&self, path: &Path) -> LinkEnd {
        match self.resolved(path) {
            Resolved::Inside(real) if self.bundle.has_directory(&real) => {
                LinkEnd::Inside(FileKind::Directory)
            }
            Resolved::Inside(_) => LinkEnd::Inside(FileKind::Regular),
            Resolved::Other(end) => end,
        }
    }

    fn resolved(&self, path: &Path) -> Resolved {
        links::resolve(&self.bundle, &self.root, &self.inner(path))
    }

    /// The content of its `SKILL.md`.
    pub fn content(&self) -> Content {
        self.content_of(Path::new(&self.skill_md))
    }

    /// The content of one of its files, read like a `SKILL.md`.
    pub fn content_of(&self, path: &Path) -> Content {
        let path = match self.resolved(path) {
            Resolved::Inside(real) => real,
            Resolved::Other(_) => self.inner(path),
        };
        match self.bundle.files.get(&path).map(|file| file.kind) {
            Some(FileKind::Regular) => {
                self.bundle.read(&path).map_or(Content::Missing, content::of_bytes)
            }
            Some(kind) => Content::NotAFile(kind),
            None if self.bundle.directories.contains(&path) => {
                Content::NotAFile(FileKind::Directory)
            }
            None => Content::Missing,
        }
    }

    /// What a link in it leads to.
    pub fn link_target(&self, path: &Path) -> PathBuf {
        let file = self.bundle.files.get(&self.inner(path));
        let text = file.and_then(|file| self.bundle.content(file).ok()).unwrap_or_default();
        PathBuf::from(String::from_utf8_lossy(&text).into_owned())
    }

    fn inner(&self, path: &Path) -> String {
        let path = portable(path);
        if self.root.is_empty() { path } else { format!("{}/{path}", self.root) }
    }

    /// Its files, as on disk.
    pub fn inventory(&self) -> Inventory {
        self.inventory_without(&|_, _| false)
    }

    /// The same, without entries that `skip` accepts by their path below the skill.
    pub fn inventory_without(&self, skip: &dyn Fn(&Path, FileKind) -> bool) -> Inventory {
        self.bundle.inventory(&self.root, skip)
    }

    /// Its digest; none if a path cannot be part of one.
    pub fn digest(&self) -> Option<Digest> {
        let mut digest = DigestBuilder::default();
        for entry in self.inventory().files() {
            if !is_part_of_skill(&entry.path) {
                continue;
            }
            let content = digest::of_reader(self.reader(&entry.path)?).ok()?;
            digest.add(&entry.path, entry.executable, content);
        }
        digest.finish()
    }

    /// The source that names exactly this skill.
    pub fn source(&self) -> PathBuf {
        match &self.bundle.origin {
            BundleOrigin::Archive => self.bundle.path.clone(),
            BundleOrigin::Commit(commit) => PathBuf::from(commit.source_of(&self.root)),
            BundleOrigin::Network(fetched) => match fetched.artifact(&self.root) {
                Some(artifact) => PathBuf::from(&artifact.source),
                None => PathBuf::from(fetched.address.to_string()),
            },
        }
    }
}
