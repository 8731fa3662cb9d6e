//! Follows links inside a skill of a bundle.

use std::collections::VecDeque;

use crate::skills::files::FileKind;
use crate::skills::files::content::LinkEnd;
use crate::skills::files::digest::portable;
use crate::skills::files::inventory::FileEntry;
use crate::skills::model::bundle::{Bundle, BundledFile};
use crate::skills::text::document::{RELATIVE_PATH_BYTES, SKILL_DEPTH, SKILL_ENTRIES};

/// A chain of more links counts as a loop, as on Linux.
const MOST_LINKS: usize = 40;

/// A path in a bundle, after all links on the way were followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// A file or directory below the skill.
    Inside(String),
    /// Something else.
    Other(LinkEnd),
}

/// Follows every link in `path`, which is below `root`; none of them may leave `root`.
pub fn resolve(bundle: &Bundle, root: &str, path: &str) -> Resolved {
    let depth = if root.is_empty() { 0 } else { root.split('/').count() };
    let mut rest: VecDeque<String> = path.split('/').map(str::to_owned).collect();
    let mut reached: Vec<String> = Vec::new();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                reached.pop();
            }
            _ => reached.push(part),
        }
        // The directories above the skill do not count as leaving it.
        let is_below = rest.is_empty() && links == 0 || reached.len() >= depth;
        let here = reached.join("/");
        if links > 0 && (!is_below || !is_within(&here, root)) {
            return Resolved::Other(LinkEnd::Outside);
        }
        let Some(link) = bundle.file(&here).filter(|file| file.kind == FileKind::Symlink) else {
            continue;
        };
        links += 1;
        if links > MOST_LINKS {
            return Resolved::Other(LinkEnd::Loop);
        }
        let Some(target) = target_of(bundle, link) else {
            return Resolved::Other(LinkEnd::Outside);
        };
        reached.pop();
        for part in target.split('/').rev() {
            rest.push_front(part.to_owned());
        }
    }
    let end = reached.join("/");
    if bundle.file(&end).is_some() || bundle.has_directory(&end) {
        Resolved::Inside(end)
    } else {
        Resolved::Other(LinkEnd::Nowhere)
    }
}

/// The entries of a skill, with links replaced by what they lead to inside it. Links that lead
/// outside, or to a directory above them, stay links. So do all others where there are more entries
/// than a skill may have, or longer paths: the inventory reports that, and a few links can stand for
/// millions of files.
pub fn through_links(
    bundle: &Bundle,
    root: &str,
    entries: Vec<FileEntry>,
    is_kept: &dyn Fn(&FileEntry) -> bool,
) -> Vec<FileEntry> {
    let mut seen: Vec<FileEntry> = Vec::new();
    let mut pending: VecDeque<(FileEntry, Vec<String>)> =
        entries.into_iter().map(|entry| (entry, Vec::new())).collect();
    while let Some((entry, inside)) = pending.pop_front() {
        let is_too_far = entry.path.as_os_str().len() > RELATIVE_PATH_BYTES
            || entry.path.components().count() > SKILL_DEPTH
            || seen.len() + pending.len() >= SKILL_ENTRIES;
        if entry.kind != FileKind::Symlink || is_too_far {
            seen.push(entry);
            continue;
        }
        let path = portable(&entry.path);
        let whole = if root.is_empty() { path.clone() } else { format!("{root}/{path}") };
        match resolve(bundle, root, &whole) {
            Resolved::Inside(real) if bundle.has_directory(&real) => {
                let is_back = whole.starts_with(&format!("{real}/"))
                    || real == root
                    || inside.contains(&real);
                if is_back {
                    seen.push(entry);
                    continue;
                }
                let mut inside = inside;
                inside.push(real.clone());
                let kind = FileKind::Directory;
                seen.push(FileEntry::new(entry.path.clone(), kind, 0, entry.executable));
                // One more than the limit is enough to report it.
                let room = (SKILL_ENTRIES + 1).saturating_sub(seen.len() + pending.len());
                let below = bundle.listed(&real).into_iter().map(|one| {
                    let path = entry.path.join(&one.path);
                    (one.moved(path), inside.clone())
                });
                pending.extend(below.filter(|(one, _)| is_kept(one)).take(room));
            }
            Resolved::Inside(real) => {
                let file = bundle.file(&real);
                seen.push(FileEntry::new(
                    entry.path,
                    file.map_or(FileKind::Symlink, |file| file.kind),
                    file.map_or(0, |file| file.size as u64),
                    file.is_some_and(|file| file.executable),
                ));
            }
            Resolved::Other(_) => seen.push(entry),
        }
    }
    seen
}

/// The target of a link; none if it is absolute or not UTF-8.
fn target_of(bundle: &Bundle, link: &BundledFile) -> Option<String> {
    let text = String::from_utf8(bundle.content(link).ok()?).ok()?;
    let is_path = !text.is_empty() && !text.starts_with(['/', '\\']) && !text.contains('\0');
    is_path.then_some(text)
}

fn is_within(path: &str, root: &str) -> bool {
    root.is_empty()
        || path == root
        || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
}
