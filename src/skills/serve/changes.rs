//! What has changed between two moments: the lists, and files that somebody watches.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::skills::files::digest::{FileHash, of_bytes};
use crate::skills::model::source::SkillKind;
use crate::skills::serve::address;
use crate::skills::serve::catalogue::Catalogue;
use crate::skills::serve::skill::ServedSkill;
use crate::skills::text::document::{SKILL_DEPTH, SKILL_ENTRIES};

/// Addresses that are watched at once.
pub const MOST_WATCHED: usize = 2_000;

/// What has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewState {
    /// What the tools say about themselves.
    pub tools: bool,
    pub prompts: bool,
    /// The files of some skill.
    pub resources: bool,
    /// Watched addresses whose files have changed, as everybody would write them.
    pub updated: BTreeSet<String>,
}

impl NewState {
    /// Whether there is anything to tell.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is remembered of a moment.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Moment {
    prompt: u64,
    prompts: u64,
    /// Changes whenever a file of a skill does.
    files: u64,
    /// When a file was changed last.
    pub newest: Option<SystemTime>,
}

impl Moment {
    /// What there is now.
    pub fn of(catalogue: &Catalogue) -> Self {
        let mut prompts = DefaultHasher::new();
        for skill in catalogue.skills.iter().filter(|one| !one.is_waiting && one.is_for_people) {
            (&skill.path, &skill.prompt.description).hash(&mut prompts);
        }
        let mut prompt = DefaultHasher::new();
        for skill in catalogue.skills.iter().filter(|one| !one.is_waiting) {
            (&skill.path, &skill.prompt.description, skill.prompt.hidden).hash(&mut prompt);
            if let Some(inline) = skill.skill().inline() {
                (&inline.summary, &inline.body, &inline.key).hash(&mut prompt);
                (&inline.tools, &inline.waiting).hash(&mut prompt);
            }
        }
        for section in &catalogue.layout.sections {
            (&section.key, &section.title, &section.description).hash(&mut prompt);
            (&section.tools, section.is_open).hash(&mut prompt);
        }
        let (mut newest, mut files) = (None, DefaultHasher::new());
        for skill in &catalogue.skills {
            skill.path.hash(&mut files);
            newest = newest.max(stamp(skill, &mut files));
        }
        let (prompt, prompts, files) = (prompt.finish(), prompts.finish(), files.finish());
        Self { prompt, prompts, files, newest }
    }

    /// What has changed since, besides watched files.
    pub fn changes(&self, now: &Self) -> NewState {
        NewState {
            tools: self.prompt != now.prompt,
            prompts: self.prompts != now.prompts,
            resources: self.files != now.files,
            updated: BTreeSet::new(),
        }
    }
}

/// Addresses that somebody watches, as everybody would write them, with the content of each when it was
/// last looked at; none for one that could not be read.
#[derive(Debug, Default)]
pub struct WatchedFiles(BTreeMap<String, Option<FileHash>>);

impl WatchedFiles {
    /// Watches an address from now on; whether there was room for it.
    pub fn add(&mut self, uri: &str, catalogue: &Catalogue) -> bool {
        let Ok(uri) = address::canonical(uri) else { return false };
        if self.0.len() >= MOST_WATCHED && !self.0.contains_key(&uri) {
            return false;
        }
        self.0.entry(uri).or_insert_with_key(|uri| hash(catalogue, uri));
        true
    }

    /// Watches only these.
    pub fn keep(&mut self, wanted: &BTreeSet<String>) {
        let wanted: BTreeSet<String> =
            wanted.iter().filter_map(|uri| address::canonical(uri).ok()).collect();
        self.0.retain(|uri, _| wanted.contains(uri));
    }

    /// Those whose content has changed since the last look.
    pub fn look(&mut self, catalogue: &Catalogue) -> BTreeSet<String> {
        let mut changed = BTreeSet::new();
        for (uri, before) in &mut self.0 {
            let now = hash(catalogue, uri);
            if now != *before {
                *before = now;
                changed.insert(uri.clone());
            }
        }
        changed
    }
}

/// The content of the file at an address.
fn hash(catalogue: &Catalogue, uri: &str) -> Option<FileHash> {
    let parts = address::parts(uri).ok()?;
    let (skill, inner) = catalogue.around(&parts)?;
    Some(of_bytes(&skill.content(&inner).ok()?.bytes))
}

/// Adds what changes when a file of a skill does: names, sizes and times, without reading. Returns the
/// time of the last change.
fn stamp(served: &ServedSkill, stamp: &mut DefaultHasher) -> Option<SystemTime> {
    let skill = served.skill();
    served.prompt.description.hash(stamp);
    match skill.kind() {
        SkillKind::Directory | SkillKind::File => walk(&skill.path, stamp),
        SkillKind::Inline => {
            skill.inline().map(|one| &one.body).hash(stamp);
            None
        }
        SkillKind::Archive => skill.packed().and_then(|packed| walk(&packed.bundle.path, stamp)),
        // What came from the network stays as it is.
        SkillKind::Git | SkillKind::Site | SkillKind::Registry => None,
    }
}

fn walk(path: &Path, stamp: &mut DefaultHasher) -> Option<SystemTime> {
    let mut newest = None;
    let entries = WalkDir::new(path).max_depth(SKILL_DEPTH).sort_by_file_name();
    for entry in entries.into_iter().take(SKILL_ENTRIES).flatten() {
        entry.path().hash(stamp);
        let Ok(metadata) = entry.metadata() else { continue };
        let modified = metadata.modified().ok();
        newest = newest.max(modified);
        // A directory tells of its entries, which are asked themselves.
        (!metadata.is_dir()).then_some((metadata.len(), modified)).hash(stamp);
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sessions_together_watch_a_limited_number_of_addresses() {
        let (catalogue, mut watched) = (Catalogue::default(), WatchedFiles::default());
        let uri = |number: usize| format!("skill://pdf/{number}.md");
        for number in 0..MOST_WATCHED {
            assert!(watched.add(&uri(number), &catalogue), "{number}");
        }
        assert!(!watched.add(&uri(MOST_WATCHED), &catalogue));
        // Another session may watch what is watched already.
        assert!(watched.add(&uri(0), &catalogue));
        watched.keep(&BTreeSet::from([uri(0)]));
        assert!(watched.add(&uri(MOST_WATCHED), &catalogue));
    }
}
