//! A skill to install: read once, judged, with a list of its files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::skills::agents::{AGENTS, Agent};
use crate::skills::files::FileKind;
use crate::skills::files::content::{self, Content};
use crate::skills::files::digest::{self, Tree};
use crate::skills::files::inventory::{FileEntry, Inventory, is_part_of_skill, nested_skills};
use crate::skills::find::left_out::Globs;
use crate::skills::find::scan::Reading;
use crate::skills::judge::needs::Requirements;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::validate;
use crate::skills::judge::verdict::{self, Judged, Obstacle, TargetAgents, Verdict};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::name::{self, SkillName};
use crate::skills::model::request::Request;
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::put::install::skill_files::{self, BaseDirectory, SkillFiles};
use crate::skills::put::install::source_files::{self, Allowance, FileLook, KeptFile, KeptFiles};
use crate::skills::put::install::undo::Restored;
use crate::skills::put::install::{follow, rename};
use crate::skills::show::listing;
use crate::skills::text::document::{Document, SKILL_MD};
use crate::skills::text::field_values;

/// A skill that can be copied.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The name it gets.
    pub name: SkillName,
    /// Where it comes from.
    pub skill: Skill,
    /// The directory to read its files from; none for an inline skill.
    pub base: Option<BaseDirectory>,
    /// Its files and directories. A directory comes before its content; `SKILL.md` comes last, so
    /// that half a copy never looks like a skill.
    pub items: Vec<Item>,
    /// The text of the installed `SKILL.md`, if it was read.
    pub skill_md: Option<String>,
    /// Its files with their digests, computed on first use.
    tree: OnceLock<Tree>,
    /// Files that were judged and are copied from memory, by their path below the skill.
    kept: OnceLock<Arc<KeptFiles>>,
    /// Characters of its line in a catalogue, when an agent was chosen.
    pub catalog_chars: usize,
    /// Other sources that also contain it.
    pub again: Vec<usize>,
    /// The source as the user wrote it.
    pub requested: Option<String>,
    /// The requirements it states.
    pub requirements: Requirements,
    /// What to restore, if this was kept for `update --undo`. It is moved instead of copied.
    pub restores: Option<Box<Restored>>,
}

/// One file or directory to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its path below the skill.
    pub path: PathBuf,
    /// The path of the original, below the base.
    pub from: PathBuf,
    pub is_directory: bool,
    /// Its size when it was listed.
    pub bytes: u64,
    /// Whether it was executable when it was listed.
    pub executable: bool,
}

/// Options for reading skills to install.
#[derive(Debug, Clone, Default)]
pub struct CandidateOptions {
    /// How they are judged.
    pub judge: JudgeOptions,
    /// The agents to install them for.
    pub audience: TargetAgents,
    /// The agents that the user chose, for additional notices.
    pub chosen: Vec<&'static Agent>,
    /// The directories below which links are followed, one per source; empty to follow none.
    pub follow: Vec<Option<PathBuf>>,
    /// The files to leave out of an archive.
    pub pack: Option<Globs>,
}

/// A skill that was read and judged.
#[derive(Debug)]
pub struct Prepared {
    /// The findings of the rules.
    pub checked: CheckedSkill,
    /// The skill to copy, or why it cannot be copied.
    pub candidate: Result<Candidate>,
    /// Dangling or looping links, which are left out of the copy.
    pub left_out: Vec<PathBuf>,
    /// Chosen agents that cannot use it.
    pub lost: Vec<(&'static Agent, Obstacle)>,
}

/// Reads one skill, judges it, and lists the files to copy.
pub fn read(opened: &OpenedSkill<'_>, options: &CandidateOptions) -> Reading<Judged<Prepared>> {
    let skill = opened.skill;
    let mut root = options.follow.get(skill.source).and_then(Option::as_deref);
    let mut looked = match (root, skill.kind()) {
        (Some(root), SkillKind::Directory) => follow::look(skill, root, None),
        _ => skill_files::look(opened, options.pack.as_ref()),
    };
    let is_link = |entry: &FileEntry| entry.kind == FileKind::Symlink;
    let has_links = looked.inventory.entries.iter().any(is_link);
    if root.is_none() && skill.kind() == SkillKind::Directory && has_links {
        // Links inside a skill are copied as the files they lead to.
        let open = opened.directory.map(|open| &open.directory);
        let listed = std::mem::replace(&mut looked, follow::look(skill, &skill.path, open));
        if options.pack.is_some() {
            looked.keep_below(&listed.inventory);
            looked.failure = listed.failure;
        }
        root = Some(&skill.path);
    }
    let left_out: Vec<PathBuf> = looked
        .inventory
        .entries
        .iter()
        .filter(|entry| is_link(entry))
        .map(|entry| entry.path.clone())
        .collect();
    // A linked `SKILL.md` has the text of its target.
    let document = match &looked.content {
        Content::Text(text) if root.is_some() => Some(Document::parse(text)),
        _ => None,
    };
    let seen = match root {
        Some(_) => OpenedSkill { content: &looked.content, document: document.as_ref(), ..*opened },
        None => *opened,
    };
    let checked = validate::judge(&seen, &looked.inventory, &options.judge);
    let nested = nested_skills(&looked.inventory);
    let judged = Judged::new(&seen, checked.findings(), &options.audience, ());
    let Judged { skill, verdict, rules, .. } = judged;
    let lost = seen.document.map(|document| lost(&skill, document, options)).unwrap_or_default();
    let is_shown = !options.chosen.is_empty() && matches!(verdict, Verdict::Active);
    let chars = seen.document.filter(|_| is_shown).map(|document| {
        let description = listing::description(&skill.name, document).unwrap_or_default();
        listing::catalog_chars(&skill.name, &description)
    });
    let catalog_chars = chars.unwrap_or_default();
    let needs = seen.document.map(Requirements::of).unwrap_or_default();
    let candidate = candidate(&skill, looked, needs).map(|one| Candidate { catalog_chars, ..one });
    let made = Prepared { candidate, left_out, lost, checked };
    Reading { made: Judged { skill, verdict, rules, made }, nested }
}

/// Which agents cannot use a skill: of the chosen ones, or of all when its copy keeps a name that is
/// not valid.
fn lost(
    skill: &Skill,
    document: &Document<'_>,
    options: &CandidateOptions,
) -> Vec<(&'static Agent, Obstacle)> {
    let declared = document.string("name").filter(|_| skill.kind().has_directory());
    if declared.is_some_and(|name| SkillName::new(name).is_err()) && !skill.is_renamed {
        return verdict::lost(skill, document, &AGENTS.iter().collect::<Vec<_>>());
    }
    verdict::lost(skill, document, &options.chosen)
}

/// Notes which other sources contain a skill. A scan lists repeats in order of their paths.
pub fn attribute(candidates: &mut [Candidate], again: &[(PathBuf, usize)], requests: &[Request]) {
    for candidate in candidates {
        let request = requests.get(candidate.skill.source);
        let packed = candidate.skill.packed();
        let commit = packed.and_then(|packed| packed.bundle.commit());
        let is_open = |request: &&Request| {
            request.location().is_some_and(|location| location.undecided.is_some())
        };
        // The meaning of a web page's address depends on the server.
        candidate.requested = match (request.filter(is_open), commit) {
            (Some(_), Some(commit)) => Some(commit.location.to_string()),
            _ => request.and_then(Request::asked),
        };
        let path = &candidate.skill.path;
        let first = again.partition_point(|(other, _)| other < path);
        let mine = again[first..].iter().take_while(|(other, _)| other == path);
        candidate.again = mine.map(|(_, source)| *source).collect();
    }
}

fn candidate(skill: &Skill, looked: SkillFiles, needs: Requirements) -> Result<Candidate> {
    if let Some(failure) = looked.failure {
        let path = skill.path.display();
        return Err(Error { message: format!("`{path}`: {}", failure.message), ..failure });
    }
    let name = install_name(skill)?;
    // Without a new name, the file is copied unchanged.
    let gets_name = skill.kind() == SkillKind::File || skill.is_renamed;
    let located = |error: Error| {
        let file = skill.file();
        Error { message: format!("`{}`: {}", file.display(), error.message), ..error }.at(file)
    };
    let skill_md = match looked.content {
        Content::Text(text) if gets_name => Some(rename::renamed(&text, &name).map_err(located)?),
        Content::Text(text) => Some(text),
        _ if gets_name => return Err(located(rename::cannot(&name))),
        _ => None,
    };
    let items = if skill.kind().has_directory() {
        items(&looked.inventory, looked.from)
    } else {
        let from = skill.path.file_name().unwrap_or(OsStr::new(SKILL_MD));
        vec![Item {
            path: PathBuf::from(SKILL_MD),
            from: PathBuf::from(from),
            is_directory: false,
            bytes: skill_md.as_ref().map_or(0, |text| text.len() as u64),
            executable: false,
        }]
    };
    if let Some(item) = items.iter().find(|item| !digest::can_name(&item.path)) {
        return Err(err!(
            Validation,
            "`{}` has a file name that cannot be recorded",
            skill.path.display()
        )
        .at(skill.path.join(&item.path))
        .help("rename the file: names must be UTF-8 without control characters"));
    }
    let candidate = Candidate::new(name, skill.clone(), looked.base, items, skill_md);
    Ok(Candidate { requirements: needs, ..candidate })
}

fn install_name(skill: &Skill) -> Result<SkillName> {
    let text = &skill.name;
    SkillName::new(text).map_err(|error| {
        let message =
            format!("`{}` cannot be installed as `{text}`: {error}", skill.path.display());
        let error = Error::new(ErrorKind::InvalidName, message).at(&skill.path);
        match name::suggest(text) {
            Some(near) => {
                error.help(format!("rename it to `{near}`, or give it a `name` in a skills.yaml"))
            }
            None => error.help("give it a `name` in a skills.yaml"),
        }
    })
}

/// The files and directories of an inventory, without version control.
pub fn items(inventory: &Inventory, from: Option<Vec<PathBuf>>) -> Vec<Item> {
    let mut from = from.unwrap_or_default().into_iter();
    let item = |entry: &FileEntry| {
        let from = from.next().unwrap_or_else(|| entry.path.clone());
        let is_copied = is_part_of_skill(&entry.path)
            && matches!(entry.kind, FileKind::Regular | FileKind::Directory);
        is_copied.then(|| Item {
            path: entry.path.clone(),
            from,
            is_directory: entry.kind == FileKind::Directory,
            bytes: entry.bytes,
            executable: entry.executable,
        })
    };
    let mut items: Vec<Item> = inventory.entries.iter().filter_map(item).collect();
    if let Some(at) = items.iter().position(|item| item.path == Path::new(SKILL_MD)) {
        let skill_md = items.remove(at);
        items.push(skill_md);
    }
    items
}

impl Candidate {
    /// The version that its front matter names.
    pub fn version(&self) -> Option<String> {
        match &self.skill_md {
            Some(text) => field_values::version(&Document::parse(text)),
            // A copy that was kept for `update --undo`.
            None => match content::read_real(&self.skill.path.join(SKILL_MD)) {
                Content::Text(text) => field_values::version(&Document::parse(&text)),
                _ => None,
            },
        }
    }

    /// A skill with these files and nothing else known yet.
    pub fn new(
        name: SkillName,
        skill: Skill,
        base: Option<BaseDirectory>,
        items: Vec<Item>,
        skill_md: Option<String>,
    ) -> Self {
        Self {
            name,
            skill,
            base,
            items,
            skill_md,
            tree: OnceLock::new(),
            kept: OnceLock::new(),
            catalog_chars: 0,
            again: Vec::new(),
            requested: None,
            requirements: Requirements::default(),
            restores: None,
        }
    }

    /// The size of all files when they were listed.
    pub fn bytes(&self) -> u64 {
        self.items.iter().fold(0, |sum, item| sum.saturating_add(item.bytes))
    }

    /// Its files with their digests and the execute bits they have at the source. The first call
    /// reads them; [`copy`](super::copy::copy) accepts only the same files.
    pub fn tree(&self, allowance: &Allowance) -> Result<&Tree> {
        if let Some(known) = self.tree.get() {
            return Ok(known);
        }
        let read = source_files::tree(self, allowance)?;
        Ok(self.tree.get_or_init(|| read))
    }

    /// Reads all its files and shows them to `look`. Exactly these bytes are copied later: small
    /// files stay in memory as far as `room` allows, the others must not change.
    pub fn show_files(&self, allowance: &Allowance, look: &mut FileLook<'_>) -> Result<()> {
        let (tree, kept) = source_files::shown_tree(self, allowance, Some(look))?;
        self.tree.get_or_init(|| tree);
        self.kept.get_or_init(|| Arc::new(kept));
        Ok(())
    }

    /// A file that was kept in memory when it was judged.
    pub fn kept(&self, path: &Path) -> Option<&KeptFile> {
        self.kept.get()?.get(path)
    }

    /// The tree, if it was computed already.
    pub fn known_tree(&self) -> Option<&Tree> {
        self.tree.get()
    }

    /// The name of its source directory, if the copy gets another name.
    pub fn other_folder(&self) -> Option<String> {
        let skill = &self.skill;
        let is_other = skill.kind().has_directory() && skill.folder != self.name.as_str();
        is_other.then(|| skill.folder.clone())
    }
}
