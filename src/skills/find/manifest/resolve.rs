//! Resolves a manifest for one run: conditions, sections and templates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{
    Condition, Inline, Manifest, ManifestEntry, ManifestEntryKind, SourceLocation, TextPlace,
    TreeRoot, WrittenSource,
};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::inline::{InlineSkill, Visibility, default_summary};
use crate::skills::model::location::Location;
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::text::position::{Position, PositionRange};
use crate::skills::text::similar;
use crate::skills::text::template::{self, TemplateError};

/// The choices of one run.
#[derive(Debug, Clone, Default)]
pub struct RunChoices {
    /// Parameters that override those of the manifest.
    pub params: BTreeMap<String, String>,
    /// Keys of sections and skills that are expanded, without `skills.` before them.
    pub expanded: Vec<String>,
    /// Whether collapsed sections are included.
    pub every_section: bool,
}

impl RunChoices {
    /// Whether this key is expanded.
    #[must_use]
    pub fn expands(&self, key: &str) -> bool {
        self.expanded.iter().any(|expanded| expanded == key)
    }
}

/// The requested skills, in the order of the manifest. A disabled entry is not read.
///
/// # Errors
/// A missing parameter, or an invalid placeholder.
pub fn requests(
    manifest: &Manifest,
    choices: &RunChoices,
    environment: &Environment,
) -> Result<Vec<Request>> {
    let run = ManifestRun::new(manifest, choices, environment);
    let mut requests = Vec::new();
    let mut keys = BTreeSet::new();
    for entry in &manifest.entries {
        if !run.is_enabled(entry)? || !run.is_collected(entry) {
            continue;
        }
        if let ManifestEntryKind::Inline(inline) = &entry.kind
            && !keys.insert(&inline.key)
        {
            let message = format!("another inline skill has the key `{}`", inline.key);
            return Err(run.error(inline.place, message).help("give one of them a `key`"));
        }
        requests.push(run.request(entry)?);
    }
    Ok(requests)
}

/// The keys that `--expand` knows: sections, and inline skills that stay in the prompt.
#[must_use]
pub fn expandable(manifest: &Manifest) -> Vec<String> {
    let inline = manifest.entries.iter().filter_map(|entry| match &entry.kind {
        ManifestEntryKind::Inline(inline) => Some(inline.key.clone()),
        ManifestEntryKind::Source(..) => None,
    });
    let sections = manifest.entries.iter().filter_map(|entry| entry.section.clone());
    let keys: BTreeSet<String> =
        manifest.sections.keys().cloned().chain(sections).chain(inline).collect();
    keys.into_iter().collect()
}

/// Checks that every key exists.
///
/// # Errors
/// The first unknown one, with the known ones.
pub fn check_expanded(expanded: &[String], known: &[String]) -> Result<()> {
    let Some(unknown) = expanded.iter().find(|key| !known.contains(key)) else { return Ok(()) };
    let error =
        Error::new(ErrorKind::NotFound, format!("nothing to expand has the key `{unknown}`"));
    let keys = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let candidates = known.iter().map(String::as_str);
    Err(error.help(similar::help(unknown, candidates, format!("keys: {keys}"))))
}

/// A manifest in one run.
pub(super) struct ManifestRun<'a> {
    manifest: &'a Manifest,
    choices: &'a RunChoices,
    params: BTreeMap<String, String>,
    environment: &'a Environment,
}

impl<'a> ManifestRun<'a> {
    pub(super) fn new(
        manifest: &'a Manifest,
        choices: &'a RunChoices,
        environment: &'a Environment,
    ) -> Self {
        let mut params = manifest.params.clone();
        params.extend(choices.params.clone());
        Self { manifest, choices, params, environment }
    }

    pub(super) fn is_enabled(&self, entry: &ManifestEntry) -> Result<bool> {
        for condition in &entry.enabled {
            let holds = match condition {
                Condition::Fixed(value) => *value,
                Condition::Variable(name, wanted) => {
                    let value =
                        self.environment.variable(name).map(|value| value.to_string_lossy());
                    matches(value.as_deref(), wanted.as_deref())
                }
                Condition::Param(name, wanted, place) => {
                    let value = self.params.get(name).ok_or_else(|| self.missing(name, *place))?;
                    matches(Some(value), wanted.as_deref())
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn is_collected(&self, entry: &ManifestEntry) -> bool {
        entry.section.as_ref().is_none_or(|section| {
            self.choices.every_section
                || self.choices.expands(section)
                || self.manifest.sections.get(section) != Some(&Visibility::Summary)
        })
    }

    fn request(&self, entry: &ManifestEntry) -> Result<Request> {
        let (what, source) = match &entry.kind {
            ManifestEntryKind::Source(source) => {
                let what = match &source.target {
                    SourceLocation::Path(_) if self.manifest.tree.is_some() => {
                        self.beside(source, entry.place)?
                    }
                    SourceLocation::Path(path) if path.starts_with("~") => {
                        RequestedSource::Path(self.environment.expand(path))
                    }
                    SourceLocation::Path(path) => RequestedSource::Path(path.clone()),
                    SourceLocation::Git(location) => RequestedSource::Git(location.clone(), None),
                };
                (what, Some(source.as_ref()))
            }
            ManifestEntryKind::Inline(inline) => {
                (RequestedSource::Inline(Arc::new(self.inline(inline)?)), None)
            }
        };
        let start = entry.place.start;
        let place = format!("{}:{start}", self.manifest.path.display());
        Ok(Request {
            what,
            name: source.and_then(|source| source.name.clone()),
            skill: None,
            mount_path: entry.mount_path.clone(),
            place: Some(place),
            written: source.map(WrittenSource::canonical),
            is_beside: self.manifest.tree.is_some()
                && source.is_some_and(|one| matches!(one.target, SourceLocation::Path(_))),
        })
    }

    /// A path in the commit or archive that the manifest came with.
    fn beside(&self, source: &WrittenSource, place: PositionRange) -> Result<RequestedSource> {
        let tree = self.manifest.tree.as_ref();
        let inner = tree.and_then(|tree| Some((tree, tree.inner(&source.text)?)));
        let Some((tree, inner)) = inner else {
            let message = format!("`{}` leads out of what the manifest came with", source.text);
            return Err(self.error(place, message));
        };
        Ok(match &tree.root {
            TreeRoot::Commit(commit) => {
                let location = Location { path: inner, ..commit.location.clone() };
                RequestedSource::Git(location, Some(commit.id.clone()))
            }
            TreeRoot::Archive(path) => RequestedSource::Packed(path.clone(), inner),
        })
    }

    fn inline(&self, inline: &Inline) -> Result<InlineSkill> {
        let text = template::dedent(&inline.template);
        let body =
            self.fill(inline, "template", [&inline.template, &text], inline.template_place)?;
        let summary = match &inline.summary {
            Some(text) => self.fill(inline, "summary", [text, text], inline.summary_place)?,
            None => default_summary(inline.name.as_str(), &inline.description),
        };
        Ok(InlineSkill {
            name: inline.name.clone(),
            title: inline.title.clone(),
            description: inline.description.clone(),
            body,
            summary,
            key: inline.key.clone(),
            tools: inline.tools.clone(),
            visibility: inline.visibility,
            manifest: self.manifest.real_path(),
            commit: self.manifest.commit(),
            place: inline.place,
        })
    }

    /// Fills in the template at `place`, and removes common indentation.
    fn fill(
        &self,
        inline: &Inline,
        what: &str,
        [written, text]: [&str; 2],
        place: TextPlace,
    ) -> Result<String> {
        template::substitute(text.trim(), &self.params).map_err(|error| match error {
            TemplateError::Missing(name) => self.missing(&name, place.place),
            TemplateError::TooLong => {
                self.error(place.place, format!("in the {what} of `{}`: {error}", inline.name))
            }
            TemplateError::Invalid { line, column } => {
                let blanks = |text: &str| {
                    let first = text.lines().find(|line| !line.trim().is_empty());
                    first.map_or(0, |line| line.len() - line.trim_start_matches([' ', '\t']).len())
                };
                // The first line lost all its indentation, the others only the common part.
                let lost = blanks(written) - if line == 1 { 0 } else { blanks(text) };
                let place = place.block.map_or(place.place, |(first_line, indent)| {
                    let column = indent + lost + column;
                    let start = Position { line: first_line + line - 1, column };
                    PositionRange { start, end: start }
                });
                let message = format!("in the {what} of `{}`: {error}", inline.name);
                self.error(place, message).help("write `$$` for a dollar sign")
            }
        })
    }

    fn missing(&self, name: &str, place: PositionRange) -> Error {
        self.error(place, format!("no value for the parameter `{name}`"))
            .help(format!("give it under `params:`, or with `--param {name}=VALUE`"))
    }

    fn error(&self, place: PositionRange, message: impl AsRef<str>) -> Error {
        let path = &self.manifest.path;
        let message = format!("{}:{}: {}", path.display(), place.start, message.as_ref());
        Error::new(ErrorKind::Manifest, message).at(path)
    }
}

/// Whether a value matches; without an expected value, whether it is not empty.
fn matches(value: Option<&str>, wanted: Option<&str>) -> bool {
    match wanted {
        Some(wanted) => value == Some(wanted),
        None => value.is_some_and(|value| !value.is_empty()),
    }
}
