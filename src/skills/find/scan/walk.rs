//! Walks a directory level by level.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::skills::files::content::OpenDirectory;
use crate::skills::files::inventory::{CACHE_TAG, is_skipped};
use crate::skills::files::{self, Directory, FileKind, parallel};
use crate::skills::find::plugins;
use crate::skills::find::scan::{Scanner, Visited, skill_md};
use crate::skills::model::error::{Error, Result};
use crate::skills::model::plugin::{ManifestFile, PluginSet};
use crate::skills::model::source::{Skill, is_agent_directory};

/// Maximum directories of one level to keep open for their subdirectories.
const MOST_OPEN: usize = 128;

/// The fraction of the limit on open files to use for them.
const SHARE: usize = 8;

/// A directory still to be listed.
struct Pending {
    path: PathBuf,
    depth: usize,
    above: ParentDirectory,
    /// Whether its parent is an agent's skills directory, in which every directory should be a
    /// skill.
    promised: bool,
}

/// How to open a directory without following a link.
enum ParentDirectory {
    /// From its parent, which is open.
    Open(Arc<Directory>),
    /// From the root, component by component, because too many directories are open or it is the
    /// root.
    Closed,
}

/// The content of one directory.
enum ListedDirectory {
    Skill(Visited, Vec<ManifestFile>),
    Group {
        manifests: Vec<ManifestFile>,
        open: Option<Directory>,
        directories: Vec<OsString>,
        links: Vec<PathBuf>,
        is_cache: bool,
    },
    Failed(Error),
}

impl Scanner<'_> {
    /// Finds the skills in a directory and below it.
    pub fn descend(&mut self, root: &Path) -> Result<()> {
        let path = root.to_owned();
        self.declare_above(root);
        let first = self.skills.len();
        let mut level =
            vec![Pending { path, depth: 0, above: ParentDirectory::Closed, promised: false }];
        let most = MOST_OPEN.min(files::open_files() / SHARE);
        while !level.is_empty() {
            level.retain(|pending| !self.meets_again(&pending.path));
            let room = AtomicUsize::new(most);
            let list = |pending: &Pending| self.list(pending, &room);
            let listings = parallel::map(&level, self.options.threads, list);
            let mut next = Vec::new();
            for (pending, listed) in level.into_iter().zip(listings) {
                match listed {
                    ListedDirectory::Skill(visited, manifests) => {
                        self.skills.push((pending.path, visited));
                        self.declare(manifests);
                    }
                    ListedDirectory::Failed(error) if pending.depth == 0 => return Err(error),
                    ListedDirectory::Failed(error) => {
                        self.met.unreadable.push(error);
                        self.not_entered.push(pending.path);
                    }
                    // Caches are skipped unless the user named them.
                    ListedDirectory::Group { is_cache: true, .. } if pending.depth > 0 => {}
                    ListedDirectory::Group { open, directories, links, manifests, .. } => {
                        self.met.links.extend(links);
                        // The skills of a plugin lie below its manifest, so they are read later.
                        self.declare(manifests);
                        next.extend(self.below(&pending, open, directories, root));
                        if pending.promised {
                            self.promised.push((self.source, pending.path));
                        }
                    }
                }
            }
            level = next;
        }
        self.visit_nested(first, root);
        Ok(())
    }

    /// The directories of a group to list next; skipped ones are remembered.
    fn below(
        &mut self,
        group: &Pending,
        open: Option<Directory>,
        mut directories: Vec<OsString>,
        root: &Path,
    ) -> Vec<Pending> {
        let options = self.options;
        directories.retain(|name| !is_skipped(name));
        if options.max_depth.is_some_and(|depth| group.depth >= depth) {
            if !directories.is_empty() {
                self.not_entered.push(group.path.clone());
            }
            return Vec::new();
        }
        if group.depth > 0 && options.installed.contains(&group.path) {
            return Vec::new();
        }
        let promised = is_agent_directory(&group.path);
        let open = open.map(Arc::new);
        let pending = |name: OsString| {
            // Allocate once.
            let mut path = PathBuf::with_capacity(group.path.as_os_str().len() + 1 + name.len());
            path.push(&group.path);
            path.push(&name);
            let is_excluded = || {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                options.exclude.matches(relative)
            };
            if !options.exclude.is_empty() && is_excluded() {
                self.not_entered.push(path);
                return None;
            }
            let above = open
                .as_ref()
                .map_or(ParentDirectory::Closed, |open| ParentDirectory::Open(Arc::clone(open)));
            Some(Pending { path, depth: group.depth + 1, above, promised })
        };
        directories.into_iter().filter_map(pending).collect()
    }

    /// Lists a directory, and keeps it open if it has subdirectories and the limit allows.
    fn list(&self, pending: &Pending, room: &AtomicUsize) -> ListedDirectory {
        let path = pending.path.as_path();
        let open = match pending.open() {
            Ok(open) => open,
            Err(error) => {
                return ListedDirectory::Failed(Error::io("read directory", path, &error));
            }
        };
        let manifests = plugins::in_directory(path, &open);
        if let Some(skill_md) = skill_md(&open.entries) {
            let skill = Skill::in_directory(path, Some(skill_md));
            let mut skill = Skill { is_named: pending.depth == 0, ..skill };
            if !manifests.is_empty() {
                let mut own = PluginSet::default();
                manifests.iter().for_each(|file| own.declare(file));
                skill = self.with_plugin(skill, &own);
            }
            return ListedDirectory::Skill(self.read(skill, Some(open)), manifests);
        }
        let mut directories = Vec::new();
        let mut links = Vec::new();
        let mut is_cache = false;
        for (name, kind) in open.entries {
            is_cache |= name == CACHE_TAG;
            match kind {
                FileKind::Directory => directories.push(name),
                FileKind::Symlink if open.directory.leads_to_directory(&name) => {
                    links.push(path.join(name))
                }
                _ => {}
            }
        }
        let take = |left: usize| left.checked_sub(1);
        let stays_open = !directories.is_empty()
            && room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        let open = stays_open.then_some(open.directory);
        ListedDirectory::Group { manifests, open, directories, links, is_cache }
    }

    fn declare(&mut self, manifests: Vec<ManifestFile>) {
        manifests.into_iter().for_each(|file| self.met.plugins.add(file));
    }
}

impl Pending {
    fn open(&self) -> io::Result<OpenDirectory> {
        match (&self.above, self.path.file_name()) {
            (ParentDirectory::Open(above), Some(name)) => OpenDirectory::list(above.child(name)?),
            _ => OpenDirectory::open_real(&self.path),
        }
    }
}
