//! Answers requests about the served skills. Any number of threads may ask at once.

use std::sync::{Arc, PoisonError, RwLock};

use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::serve::answer::{McpAnswer, OpenedSections, PromptRow, ToolAnswer, UsedSkill};
use crate::skills::serve::call::{Call, ToolCall};
use crate::skills::serve::catalogue::Catalogue;
use crate::skills::serve::files::{FileContent, ResourceRow};
use crate::skills::serve::message::{INTERNAL_ERROR, RpcError};
use crate::skills::serve::paging::{self, ListPart};
use crate::skills::serve::skill::ServedSkill;
use crate::skills::serve::{address, media};
use crate::skills::show::uri::SCHEME;
use crate::skills::text::document::{SKILL_MD, tokens};
use crate::skills::text::suggest;

/// Skills in one part of their list.
const SKILLS: usize = 100;

/// Bytes of files that are read for one part of the list of skills, unless one skill has more.
const PART_BYTES: u64 = 32 * 1024 * 1024;

/// Files of skills in one part of their list.
const PART_FILES: usize = 2_000;

/// Files and prompts in one part of their lists.
const ROWS: usize = 200;

/// Opens sections of the prompt by their keys.
pub type SectionOpener = dyn Fn(&[String]) -> Result<OpenedSections, Error> + Send + Sync;

/// Answers requests about the served skills.
pub struct Server {
    catalogue: RwLock<Arc<Catalogue>>,
    open_sections: Box<SectionOpener>,
}

/// Whether a client has lost interest in its answer.
pub type IsCancelled<'a> = dyn Fn() -> bool + 'a;

/// Why there is no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// The client has lost interest.
    Cancelled,
    /// Something is wrong.
    Failed(RpcError),
}

impl From<RpcError> for NoAnswer {
    fn from(error: RpcError) -> Self {
        Self::Failed(error)
    }
}

impl Server {
    /// Serves these skills.
    pub fn new(catalogue: Catalogue, open_sections: Box<SectionOpener>) -> Self {
        Self { catalogue: RwLock::new(Arc::new(catalogue)), open_sections }
    }

    /// The skills that are served now.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Serves other skills from now on, and returns those before.
    pub fn replace(&self, catalogue: Catalogue) -> Arc<Catalogue> {
        let mut current = self.catalogue.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut current, Arc::new(catalogue))
    }

    /// Answers a request that is not about a connection.
    ///
    /// # Errors
    /// Something that is not there or cannot be read, and a client that has lost interest.
    pub fn answer(
        &self,
        call: &Call,
        is_cancelled: &IsCancelled<'_>,
    ) -> Result<McpAnswer, NoAnswer> {
        let catalogue = self.catalogue();
        Ok(match call {
            Call::Discover => McpAnswer::Discovered,
            Call::Ping | Call::Subscribe(_) | Call::Unsubscribe(_) | Call::Listen(_) => {
                McpAnswer::Done
            }
            Call::ListSkills(cursor) => skills(&catalogue, cursor.as_deref(), is_cancelled)?,
            Call::GetSkill(uri) => skill(&catalogue, uri)?,
            Call::ListResources(cursor) => resources(&catalogue, cursor.as_deref(), is_cancelled)?,
            Call::ListTemplates(cursor) => {
                only_part("templates", cursor.as_deref())?;
                McpAnswer::Templates
            }
            Call::ReadResource(uri) => resource(&catalogue, uri)?,
            Call::ReadDirectory(uri, cursor) => directory(&catalogue, uri, cursor.as_deref())?,
            Call::ListTools(cursor) => {
                only_part("tools", cursor.as_deref())?;
                McpAnswer::Tools
            }
            Call::UseTool(tool) => McpAnswer::Tool(self.tool(&catalogue, tool)),
            Call::ListPrompts(cursor) => prompts(&catalogue, cursor.as_deref())?,
            Call::GetPrompt(name, request) => prompt(&catalogue, name, request.as_deref())?,
        })
    }

    fn tool(&self, catalogue: &Catalogue, tool: &ToolCall) -> ToolAnswer {
        let answer = match tool {
            ToolCall::OpenSkill(None) => Ok(ToolAnswer::Catalogue(catalogue.prompt())),
            ToolCall::OpenSkill(Some(name)) => for_models(catalogue, name).and_then(|skill| {
                let whole = skill.whole().map_err(|error| lost(skill, &error))?;
                let opened = opened(skill, &whole.body);
                Ok(ToolAnswer::Skill(Box::new(whole), opened))
            }),
            ToolCall::ReadFile { skill, path } => for_models(catalogue, skill)
                .and_then(|skill| tool_file(catalogue, skill, path).map(ToolAnswer::File)),
            ToolCall::OpenSections(keys) => (self.open_sections)(keys)
                .map(ToolAnswer::Sections)
                .map_err(|error| unopened(&error)),
            ToolCall::Misused(message) => Err(message.clone()),
        };
        answer.unwrap_or_else(ToolAnswer::Failed)
    }
}

/// A list of one part has no cursors.
fn only_part(list: &str, cursor: Option<&str>) -> Result<(), RpcError> {
    match paging::last_of(list, cursor)? {
        None => Ok(()),
        Some(_) => Err(RpcError::params("the cursor is not one of this list")),
    }
}

fn skills(
    catalogue: &Catalogue,
    cursor: Option<&str>,
    is_cancelled: &IsCancelled<'_>,
) -> Result<McpAnswer, NoAnswer> {
    let last = paging::last_of("skills", cursor)?;
    let listed = catalogue.after(last).filter(|one| !one.is_waiting && one.unlisted.is_none());
    let (mut rows, mut bytes, mut files) = (Vec::new(), 0, 0);
    let mut before: Option<&ServedSkill> = None;
    for skill in listed {
        let is_full = rows.len() >= SKILLS || bytes >= PART_BYTES || files >= PART_FILES;
        if let (Some(before), true) = (before, is_full) {
            let next = Some(paging::cursor("skills", &before.path));
            return Ok(McpAnswer::Skills(ListPart { rows, next }));
        }
        if is_cancelled() {
            return Err(NoAnswer::Cancelled);
        }
        before = Some(skill);
        // What cannot be read at this moment is not listed at this moment.
        match skill.entry() {
            Ok(Some(entry)) => {
                bytes += entry.files.iter().map(|file| file.size).sum::<u64>();
                files += entry.files.len();
                rows.push(entry);
            }
            Ok(None) => tracing::debug!(skill = skill.path, "not a skill any more"),
            Err(error) => tracing::warn!(skill = skill.path, %error, "left out of the list"),
        }
    }
    Ok(McpAnswer::Skills(ListPart::all(rows)))
}

fn skill(catalogue: &Catalogue, uri: &str) -> Result<McpAnswer, RpcError> {
    let unknown = || RpcError::params(format!("no skill is served at {uri}"));
    let (skill, inner) = find(catalogue, uri)?.ok_or_else(unknown)?;
    if inner != SKILL_MD || skill.unlisted.is_some() {
        return Err(unknown());
    }
    match skill.entry() {
        Ok(Some(entry)) => Ok(McpAnswer::Skill(entry)),
        Ok(None) => Err(unknown()),
        Err(error) => Err(failure(uri, &error)),
    }
}

fn resources(
    catalogue: &Catalogue,
    cursor: Option<&str>,
    is_cancelled: &IsCancelled<'_>,
) -> Result<McpAnswer, NoAnswer> {
    let last = paging::last_of("resources", cursor)?;
    // The address of the last file, and with it the skill that may have more of them.
    let place = last.map(|last| find(catalogue, last)).transpose()?.flatten();
    let current = place.as_ref().map(|(skill, _)| *skill);
    let before = match (&current, last) {
        (Some(skill), _) => Some(skill.path.clone()),
        (None, Some(last)) => Some(address::parts(last).map_err(refused)?.join("/")),
        (None, None) => None,
    };
    let mut rows: Vec<ResourceRow> = Vec::new();
    for skill in current.into_iter().chain(catalogue.after(before.as_deref())) {
        if is_cancelled() {
            return Err(NoAnswer::Cancelled);
        }
        if skill.is_waiting || skill.prompt.stays_in_prompt() {
            continue;
        }
        let own = skill.resources().unwrap_or_default();
        // A skill inside another one lists its files once.
        let own = own.into_iter().filter(|row| belongs(catalogue, skill, row));
        let is_current = current.is_some_and(|current| current.path == skill.path);
        rows.extend(
            own.filter(|row| !is_current || last.is_none_or(|last| row.uri.as_str() > last)),
        );
        if rows.len() > ROWS {
            rows.truncate(ROWS);
            let next = rows.last().map(|row| paging::cursor("resources", &row.uri));
            return Ok(McpAnswer::Resources(ListPart { rows, next }));
        }
    }
    Ok(McpAnswer::Resources(ListPart::all(rows)))
}

/// Whether a file belongs to this skill, and not to one inside it.
fn belongs(catalogue: &Catalogue, skill: &ServedSkill, row: &ResourceRow) -> bool {
    let parts = address::parts(&row.uri).unwrap_or_default();
    catalogue.around(&parts).is_some_and(|(inner, _)| inner.path == skill.path)
}

fn resource(catalogue: &Catalogue, uri: &str) -> Result<McpAnswer, RpcError> {
    let unknown = || RpcError::params(format!("no file is served at {uri}"));
    let (skill, inner) = find(catalogue, uri)?.ok_or_else(unknown)?;
    if skill.prompt.stays_in_prompt() {
        return Err(unknown());
    }
    match skill.content(&inner) {
        Ok(content) => {
            let opened = (inner == SKILL_MD)
                .then(|| opened(skill, &String::from_utf8_lossy(&content.bytes)));
            Ok(McpAnswer::Content(content, opened))
        }
        Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::Usage) => {
            Err(unknown())
        }
        Err(error) => Err(failure(uri, &error)),
    }
}

fn directory(
    catalogue: &Catalogue,
    uri: &str,
    cursor: Option<&str>,
) -> Result<McpAnswer, RpcError> {
    let last = paging::last_of("directory", cursor)?;
    let parts = address::parts(uri).map_err(refused)?;
    let unknown = || RpcError::params(format!("{uri} is not a directory resource"));
    let mut rows = match catalogue.around(&parts) {
        Some((skill, inner)) if !skill.prompt.stays_in_prompt() => {
            skill.children(&inner).map_err(|error| failure(uri, &error))?.ok_or_else(unknown)?
        }
        _ => Vec::new(),
    };
    // Skills may lie behind a name that they share, or inside a skill.
    let path = parts.join("/");
    for name in catalogue.below(&path) {
        let uri = address::of_file(&path, name);
        if !rows.iter().any(|row| row.uri == uri) {
            let (name, description, size) = (name.to_owned(), None, None);
            let media = Some(media::DIRECTORY);
            rows.push(ResourceRow { uri, name, description, media, size });
        }
    }
    if rows.is_empty() && catalogue.around(&parts).is_none() {
        return Err(unknown());
    }
    rows.sort_unstable_by(|one, other| one.uri.cmp(&other.uri));
    Ok(McpAnswer::Directory(paging::part("directory", rows, |row| &row.uri, last, ROWS)))
}

fn prompts(catalogue: &Catalogue, cursor: Option<&str>) -> Result<McpAnswer, RpcError> {
    let last = paging::last_of("prompts", cursor)?;
    let asked = catalogue.after(last).filter(|one| !one.is_waiting && one.is_for_people);
    let row = |skill: &ServedSkill| PromptRow {
        name: skill.path.clone(),
        description: skill.prompt.description.clone(),
    };
    let rows = asked.take(ROWS + 1).map(row).collect();
    Ok(McpAnswer::Prompts(paging::part("prompts", rows, |row: &PromptRow| &row.name, None, ROWS)))
}

fn prompt(catalogue: &Catalogue, name: &str, request: Option<&str>) -> Result<McpAnswer, RpcError> {
    let found = catalogue.named(name).ok().filter(|skill| skill.is_for_people);
    let skill = found.ok_or_else(|| RpcError::params(format!("there is no prompt `{name}`")))?;
    let whole = skill.whole().map_err(|error| RpcError::params(lost(skill, &error)))?;
    let opened = opened(skill, &whole.body);
    Ok(McpAnswer::Prompt(Box::new(whole), request.map(str::to_owned), opened))
}

/// The skill that a model may open.
fn for_models<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a ServedSkill, String> {
    let skill = catalogue.named(name)?;
    if skill.prompt.hidden {
        return Err(format!("The skill {} is for people only.", skill.path));
    }
    Ok(skill)
}

/// A file of a skill that a model asked for, by its path or its whole address.
fn tool_file(
    catalogue: &Catalogue,
    skill: &ServedSkill,
    path: &str,
) -> Result<FileContent, String> {
    let uri = match path.starts_with(SCHEME) {
        true => path.to_owned(),
        false => format!("{}/{}", skill.root(), path.trim_start_matches("./")),
    };
    let parts = address::parts(&uri).map_err(|error| error.message)?;
    let inner = match catalogue.around(&parts) {
        Some((found, inner)) if found.path == skill.path => inner,
        // A skill inside this one is part of it.
        Some((found, inner)) if found.path.starts_with(&format!("{}/", skill.path)) => {
            format!("{}/{inner}", &found.path[skill.path.len() + 1..])
        }
        _ => return Err(format!("{path} is not a file of the skill {}.", skill.path)),
    };
    skill.content(&inner).map_err(|error| match error.kind {
        ErrorKind::NotFound | ErrorKind::Usage => {
            let files = skill.resources().unwrap_or_default();
            let root = format!("{}/", skill.root());
            let names: Vec<&str> =
                files.iter().map(|row| row.uri.strip_prefix(&root).unwrap_or(&row.uri)).collect();
            let known = suggest::some(&names);
            format!("The skill {} has no file {path}. Its files: {known}", skill.path)
        }
        _ => format!("The file {path} of the skill {} cannot be read.", skill.path),
    })
}

/// The skill of an address, and the path of the file below it.
fn find<'a>(
    catalogue: &'a Catalogue,
    uri: &str,
) -> Result<Option<(&'a ServedSkill, String)>, RpcError> {
    let parts = address::parts(uri).map_err(refused)?;
    Ok(catalogue.around(&parts))
}

fn opened(skill: &ServedSkill, text: &str) -> UsedSkill {
    let path = skill.skill().file().to_string_lossy().into_owned();
    let (bytes, tokens) = (text.len(), tokens(text.chars().count()));
    UsedSkill { name: skill.name().to_owned(), path, bytes, tokens }
}

/// What a client is told of a skill that cannot be opened. Paths of this machine are not its business.
fn lost(skill: &ServedSkill, error: &Error) -> String {
    tracing::warn!(skill = skill.path, %error, "cannot be opened");
    format!("The skill {} has changed or is gone.", skill.path)
}

/// What a model is told of sections that cannot be opened: which keys there are, and no paths.
fn unopened(error: &Error) -> String {
    match (error.kind, &error.path, &error.help) {
        (ErrorKind::NotFound, None, Some(help)) => format!("{}; {help}", error.message),
        (ErrorKind::NotFound, None, None) => error.message.clone(),
        _ => {
            tracing::warn!(%error, "sections cannot be opened");
            "The sections cannot be opened at the moment.".to_owned()
        }
    }
}

fn failure(uri: &str, error: &Error) -> RpcError {
    tracing::warn!(uri, %error, "cannot be read");
    RpcError::new(INTERNAL_ERROR, format!("{uri} cannot be read at the moment"))
}

/// An address that is none.
fn refused(error: Error) -> RpcError {
    RpcError::params(error.message)
}
