//! Lists the files of a skill, following its links. The target of a link must be inside the source
//! that the user named. It is opened from there component by component, so that no other link is
//! followed.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{Content, system_message};
use crate::skills::files::inventory::{
    Descent, Excess, FileEntry, Inventory, is_part_of_skill, is_version_control,
};
use crate::skills::files::{Directory, DirectoryEntry, FileKind, FileStat};
use crate::skills::model::source::Skill;
use crate::skills::put::install::skill_files::{BaseDirectory, SkillFiles, content_of};
use crate::skills::text::document::SKILL_MD;

/// Lists the files of a skill below `root`, which is a real path. The directory there may be open
/// already.
pub fn look(skill: &Skill, root: &Path, open: Option<&Directory>) -> SkillFiles {
    let unreadable = |error: &io::Error| SkillFiles {
        base: None,
        content: Content::Unreadable(system_message(error)),
        inventory: Inventory::default(),
        from: None,
        failure: None,
    };
    let opened;
    let directory = match open {
        Some(directory) => directory,
        None => match Directory::open_real(root) {
            Ok(directory) => {
                opened = directory;
                &opened
            }
            Err(error) => return unreadable(&error),
        },
    };
    let identity = directory.identity().ok().flatten();
    let inner = skill.path.strip_prefix(root).unwrap_or(Path::new(""));
    let mut walk = LinkWalk {
        root,
        descent: Descent::new(directory),
        inventory: Inventory::default(),
        from: Vec::new(),
        inside: Vec::new(),
    };
    match walk.directory(Path::new(""), inner, 1) {
        Ok(walked) => walk.inventory.excess = walked.break_value(),
        Err(error) => return unreadable(&error),
    }
    let LinkWalk { mut descent, inventory, from, .. } = walk;
    let wanted = Path::new(skill.skill_md().unwrap_or(SKILL_MD));
    let at = inventory.entries.iter().position(|entry| entry.path == wanted);
    let content = match at.map(|at| (inventory.entries[at].kind, &from[at])) {
        None => Content::Missing,
        Some((FileKind::Regular, path)) => content_of(descent.file(path)),
        Some((kind, _)) => Content::NotAFile(kind),
    };
    let base = Some(BaseDirectory { path: root.to_owned(), identity });
    SkillFiles { base, content, inventory, from: Some(from), failure: None }
}

struct LinkWalk<'a> {
    root: &'a Path,
    descent: Descent<'a>,
    inventory: Inventory,
    /// The real path of each entry of the inventory, below the root.
    from: Vec<PathBuf>,
    /// The real paths of the directories from the root down to the current one.
    inside: Vec<PathBuf>,
}

impl LinkWalk<'_> {
    /// Adds the content of the directory at `real` as if it were at `shown`. The walk ends at the
    /// first exceeded bound.
    fn directory(
        &mut self,
        shown: &Path,
        real: &Path,
        depth: usize,
    ) -> io::Result<ControlFlow<Excess>> {
        let entries = self.descent.directory(real)?.entries()?;
        self.inside.push(real.to_owned());
        let walked = entries.iter().try_for_each(|entry| self.entry(shown, real, entry, depth));
        self.inside.pop();
        Ok(walked)
    }

    fn entry(
        &mut self,
        shown: &Path,
        real: &Path,
        entry: &DirectoryEntry,
        depth: usize,
    ) -> ControlFlow<Excess> {
        let (name, kind) = entry;
        let path = shown.join(name);
        self.inventory.within_bounds(&path, depth)?;
        let (kind, at) = match kind {
            FileKind::Symlink => match self.target(&real.join(name)) {
                Some((kind, target)) => (kind, target),
                None => (FileKind::Symlink, real.join(name)),
            },
            kind => (*kind, real.join(name)),
        };
        let mut bytes = 0;
        let mut executable = false;
        if kind == FileKind::Regular {
            match self.stat(&at) {
                Ok(stat) => (bytes, executable) = (stat.bytes, stat.executable),
                Err(error) => {
                    self.inventory.unreadable.push((path, system_message(&error)));
                    return ControlFlow::Continue(());
                }
            }
        }
        self.inventory.bytes = self.inventory.bytes.saturating_add(bytes);
        self.inventory.entries.push(FileEntry::new(path.clone(), kind, bytes, executable));
        self.from.push(at.clone());
        if kind == FileKind::Directory && !is_version_control(name) {
            return self.directory(&path, &at, depth + 1).unwrap_or_else(|error| {
                self.inventory.unreadable.push((path, system_message(&error)));
                ControlFlow::Continue(())
            });
        }
        ControlFlow::Continue(())
    }

    fn stat(&mut self, path: &Path) -> io::Result<FileStat> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.descent.directory(path.parent().unwrap_or(Path::new("")))?.stat(name)
    }

    /// The target of a link, below the root. None if it is outside, missing, or one of the current
    /// directories.
    fn target(&mut self, link: &Path) -> Option<(FileKind, PathBuf)> {
        let real = self.root.join(link).canonicalize().ok()?;
        let inner = real.strip_prefix(self.root).ok()?.to_owned();
        let leads_back = self.inside.iter().any(|directory| directory.starts_with(&inner));
        if leads_back || !is_part_of_skill(&inner) {
            return None;
        }
        let parent = self.descent.directory(inner.parent()?).ok()?;
        let kind = parent.kind(inner.file_name()?).ok()?;
        Some((kind, inner))
    }
}
