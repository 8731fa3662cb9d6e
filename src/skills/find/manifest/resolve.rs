//! Resolves a manifest for one run: conditions, sections and templates.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::skills::find::manifest::conditions::{MissingParam, ParamValues};
use crate::skills::find::manifest::sections::{Item, Outline, PromptSection, SectionTree};
use crate::skills::find::manifest::{
    Inline, Manifest, ManifestEntry, ManifestEntryKind, SourceLocation, TextPlace, TreeRoot,
    WrittenSource,
};
use crate::skills::model::address::Pins;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::inline::{InlineSkill, Tool, default_summary, duplicate_name};
use crate::skills::model::location::Location;
use crate::skills::model::request::{NetworkSource, Request, RequestedSource};
use crate::skills::text::position::{Position, PositionRange};
use crate::skills::text::suggest;
use crate::skills::text::template::{self, TemplateError};

/// The most text that all inline skills of a run may have together.
const FILLED_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone, Default)]
pub struct RunChoices {
    /// Parameters that override those of the manifest.
    pub params: BTreeMap<String, String>,
    /// Keys of expanded sections and skills, without their prefix.
    pub expanded: Vec<String>,
    /// Whether collapsed sections are included.
    pub every_section: bool,
}

/// The requested skills, in the order of the manifest. A disabled entry is not read.
pub fn requests(
    manifest: &Manifest,
    choices: &RunChoices,
    environment: &Environment,
) -> Result<Vec<Request>> {
    let run = ManifestRun::new(manifest, choices, environment)?;
    let counting = run.counting()?;
    run.refuse_twice(&counting)?;
    let outline = run.sections.outline(&counting);
    let mut filled = 0;
    let mut requests = Vec::new();
    for at in counting.into_iter().filter(|at| run.is_collected(*at)) {
        let request = run.request(at, &outline)?;
        if let RequestedSource::Inline(skill) = &request.what {
            filled += skill.body.len() + skill.summary.len();
        }
        // A few parameters can make many long texts.
        if filled > FILLED_BYTES {
            let mebibytes = FILLED_BYTES / 1024 / 1024;
            let message = format!("the inline skills have more than {mebibytes} MiB together");
            return Err(run.error(manifest.entries[at].place, message));
        }
        requests.push(request);
    }
    Ok(requests)
}

/// The requests of closed sections, if all their templates can be filled in.
pub fn waiting(
    manifest: &Manifest,
    choices: RunChoices,
    environment: &Environment,
) -> Vec<Request> {
    if choices.every_section {
        return Vec::new();
    }
    let choices = RunChoices { every_section: true, ..choices };
    let mut all = requests(manifest, &choices, environment).unwrap_or_default();
    all.retain(|request| request.is_waiting);
    all
}

/// The sections that a prompt names: closed ones, and the headings of open ones.
pub fn prompt_sections(
    manifest: &Manifest,
    choices: &RunChoices,
    environment: &Environment,
) -> Result<Vec<PromptSection>> {
    if choices.every_section {
        return Ok(Vec::new());
    }
    let run = ManifestRun::new(manifest, choices, environment)?;
    Ok(run.sections.in_prompt(&run.sections.outline(&run.counting()?)))
}

/// The keys that `--expand` knows: sections, and inline skills that stay in the prompt.
pub fn expandable(manifest: &Manifest) -> Vec<String> {
    let inline = manifest.entries.iter().filter_map(|entry| match &entry.kind {
        ManifestEntryKind::Inline(inline) => Some(inline.key.clone()),
        ManifestEntryKind::Source(..) => None,
    });
    let sections = manifest.entries.iter().filter_map(|entry| entry.section.clone());
    let keys: BTreeSet<String> =
        manifest.sections.iter().map(|one| one.key.clone()).chain(sections).chain(inline).collect();
    keys.into_iter().collect()
}

/// Checks that every key exists.
pub fn check_expanded(expanded: &[String], known: &[String]) -> Result<()> {
    let Some(unknown) = expanded.iter().find(|key| !known.contains(key)) else { return Ok(()) };
    let error = err!(NotFound, "nothing to expand has the key `{unknown}`");
    let keys = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let candidates = known.iter().map(String::as_str);
    Err(error.help(suggest::help(unknown, candidates, format!("keys: {keys}"))))
}

pub struct ManifestRun<'a> {
    manifest: &'a Manifest,
    every_section: bool,
    params: BTreeMap<String, String>,
    sections: SectionTree<'a>,
    /// Sections whose condition does not hold.
    disabled: HashSet<&'a str>,
    environment: &'a Environment,
}

impl<'a> ManifestRun<'a> {
    pub fn new(
        manifest: &'a Manifest,
        choices: &'a RunChoices,
        environment: &'a Environment,
    ) -> Result<Self> {
        let mut params = manifest.params.clone();
        params.extend(choices.params.clone());
        let mut disabled = HashSet::new();
        for section in &manifest.sections {
            let values = ParamValues { shared: &params, own: None };
            let holds = section.enabled.holds(values, environment);
            if !holds.map_err(|missing| without_value(manifest, &missing))? {
                disabled.insert(section.key.as_str());
            }
        }
        let sections = SectionTree::new(&manifest.sections, &manifest.entries, &choices.expanded);
        let every_section = choices.every_section;
        Ok(Self { manifest, every_section, params, sections, disabled, environment })
    }

    /// The enabled entries in enabled sections, by number.
    fn counting(&self) -> Result<Vec<usize>> {
        let mut counting = Vec::new();
        for (at, entry) in self.manifest.entries.iter().enumerate() {
            let (is_enabled, is_collected) = (self.is_enabled(at)?, self.is_collected(at));
            let line = entry.place.start.line;
            tracing::debug!(
                line,
                is_enabled,
                is_collected,
                "decided about an entry of the manifest"
            );
            if is_enabled {
                counting.push(at);
            }
        }
        Ok(counting)
    }

    /// Whether the conditions of an entry and of all that it is in hold. Those inside something
    /// disabled are not evaluated.
    pub fn is_enabled(&self, entry: usize) -> Result<bool> {
        let item = Item::Entry(entry);
        let inside_out: Vec<Item<'_>> =
            std::iter::once(item).chain(self.sections.ancestors(item)).collect();
        for one in inside_out.into_iter().rev() {
            let holds = match one {
                Item::Section(key) => !self.disabled.contains(key),
                Item::Entry(at) => self.holds(&self.manifest.entries[at])?,
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&self, entry: &ManifestEntry) -> Result<bool> {
        let own = match &entry.kind {
            ManifestEntryKind::Inline(inline) => Some(&inline.params),
            ManifestEntryKind::Source(_) => None,
        };
        let values = ParamValues { shared: &self.params, own };
        let holds = entry.enabled.holds(values, self.environment);
        holds.map_err(|missing| without_value(self.manifest, &missing))
    }

    /// Whether its section is open, or all are.
    pub fn is_collected(&self, entry: usize) -> bool {
        self.every_section || self.sections.is_collected(entry)
    }

    /// Refuses inline skills that share a name or a key.
    fn refuse_twice(&self, entries: &[usize]) -> Result<()> {
        let (mut names, mut keys) = (HashMap::new(), HashMap::new());
        for entry in entries.iter().map(|at| &self.manifest.entries[*at]) {
            let ManifestEntryKind::Inline(inline) = &entry.kind else { continue };
            let path = self.manifest.path.display();
            if let Some(first) = names.insert(&inline.name, inline.place) {
                let message = duplicate_name(inline.name.as_str());
                let (one, other) = (first.start, inline.place.start);
                let help = format!(
                    "the inline skills at {path}:{one} and {path}:{other} have this name; change \
                     the `name` of one"
                );
                let error = Error::new(ErrorKind::Duplicate, message).at(&self.manifest.path);
                return Err(error.about(inline.name.as_str(), Some("inline")).help(help));
            }
            if let Some(first) = keys.insert(&inline.key, inline.place) {
                let message = format!(
                    "the inline skill at {path}:{} has the key `{}`, too",
                    first.start, inline.key
                );
                return Err(self.error(inline.place, message).help("change the `key` of one"));
            }
        }
        Ok(())
    }

    fn request(&self, at: usize, outline: &Outline<'_>) -> Result<Request> {
        let entry = &self.manifest.entries[at];
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
                    SourceLocation::Network(address) => {
                        RequestedSource::of_address(address.clone())
                    }
                };
                (what, Some(source.as_ref()))
            }
            ManifestEntryKind::Inline(inline) => {
                let inline = self.inline(inline, outline.waiting(at))?;
                (RequestedSource::Inline(Arc::new(inline)), None)
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
            is_opened: self.sections.is_opened(at),
            section: self.sections.section_of(at).map(str::to_owned),
            position: outline.position(at),
            is_waiting: !self.sections.is_collected(at),
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
            TreeRoot::Network(address, digest) => RequestedSource::Network(NetworkSource {
                address: address.clone(),
                pins: Pins { whole: *digest, ..Pins::default() },
                directory: inner,
            }),
        })
    }

    fn inline(&self, inline: &Inline, waiting: Option<&[Tool]>) -> Result<InlineSkill> {
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
            has_children: !inline.children.is_empty(),
            waiting: waiting.map(<[Tool]>::to_vec),
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
        let values = ParamValues { shared: &self.params, own: Some(&inline.params) };
        template::substitute(text.trim(), |name| values.get(name)).map_err(|error| match error {
            TemplateError::Missing(name) => {
                without_value(self.manifest, &MissingParam { name, place: place.place })
            }
            TemplateError::TooLong => self
                .error(place.place, format!("in the {what} of `{}`: {error}", inline.name))
                .about(inline.name.as_str(), Some("inline")),
            TemplateError::Invalid { line, column } => {
                let blanks = |text: &str| {
                    let first = text.lines().find(|line| !line.trim().is_empty());
                    first.map_or(0, |line| line.len() - line.trim_start_matches([' ', '\t']).len())
                };
                // The first line lost all its indentation, the others only the common part of it.
                let lost = blanks(written) - if line == 1 { 0 } else { blanks(text) };
                let place = place.block.map_or(place.place, |(first_line, indent)| {
                    let column = indent + lost + column;
                    let start = Position { line: first_line + line - 1, column };
                    PositionRange { start, end: start }
                });
                let message = format!("in the {what} of `{}`: {error}", inline.name);
                self.error(place, message)
                    .about(inline.name.as_str(), Some("inline"))
                    .help("write `$$` for a dollar sign")
            }
        })
    }

    fn error(&self, place: PositionRange, message: impl AsRef<str>) -> Error {
        error(self.manifest, place, message)
    }
}

fn without_value(manifest: &Manifest, missing: &MissingParam) -> Error {
    let name = &missing.name;
    error(manifest, missing.place, format!("no value for the parameter `{name}`"))
        .help(format!("give it under `params:`, or with `--param {name}=VALUE`"))
}

fn error(manifest: &Manifest, place: PositionRange, message: impl AsRef<str>) -> Error {
    let path = &manifest.path;
    err!(Manifest, "{}:{}: {}", path.display(), place.start, message.as_ref()).at(path)
}
