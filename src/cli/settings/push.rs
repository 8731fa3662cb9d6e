//! Settings of `skills push`.

use std::path::PathBuf;

use crate::cli::args::{self, ReportFormat};
use crate::cli::context::Context;
use crate::cli::settings::install::CopySettings;
use crate::cli::settings::verb::Verb;
use crate::skills::fetch::oci::documents::{self, Annotations};
use crate::skills::fetch::oci::layout;
use crate::skills::find::left_out::Globs;
use crate::skills::model::address::{Address, RegistryReference};
use crate::skills::model::error::{Result, err};
use crate::skills::publish::artifact::PushTarget;

/// Settings of `skills push`.
#[derive(Debug, Clone)]
pub struct PushSettings {
    /// Those of every command.
    pub context: Context,
    /// The skills and how they are read.
    pub skills: CopySettings,
    /// The place that is copied byte for byte, if one is.
    pub copied: Option<CopiedPlace>,
    /// Where they go.
    pub target: PushTarget,
    /// What every skill says about itself besides.
    pub annotations: Annotations,
    /// Whether versions are moved.
    pub force: bool,
    /// Whether nothing is sent.
    pub dry_run: bool,
    /// How to print what was done.
    pub format: ReportFormat,
}

/// A place whose artifacts are copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopiedPlace {
    /// A layout in a directory.
    Layout(PathBuf),
    Registry(RegistryReference),
}

impl PushSettings {
    /// Resolves the flags of `skills push`.
    pub fn resolve(args: &args::PushArgs, context: &Context) -> Result<Self> {
        let mut selection = args.selection.clone();
        let target = selection.sources.pop();
        let target = target.as_ref().and_then(|target| target.to_str()).unwrap_or_default();
        let reference = destination(target)?;
        if selection.network.offline {
            return Err(err!(Usage, "`--offline` asks nobody, and pushing needs the registry")
                .help("use `skills pack DIRS --oci DIR` to write the same artifacts here"));
        }
        let copied = copied(&selection.sources)?;
        if copied.is_some() && (!args.annotations.is_empty() || args.collection.is_some()) {
            return Err(err!(
                Usage,
                "artifacts are copied as they are, without new annotations or names"
            )
            .help("remove `--annotation` and `--collection`, or push the skills themselves"));
        }
        let reading = args::ReadingArgs {
            nested: args.nested || copied.is_some(),
            no_skip: args.no_skip || copied.is_some(),
            no_validate: args.no_validate,
            max_skill_size: args.max_skill_size,
            ..args::ReadingArgs::default()
        };
        let mut skills = CopySettings::resolve(&selection, &reading, Verb::Push, context)?;
        // Every artifact is one of its own.
        skills.max_total_bytes = u64::MAX;
        if copied.is_none() {
            skills.read.pack = Some(Globs::default());
        }
        let is_named = |name: &&String| !name.trim().is_empty() && !name.contains(char::is_control);
        if args.collection.as_ref().is_some_and(|name| !is_named(&name)) {
            return Err(err!(
                Usage,
                "the name of a collection must be text without control characters"
            )
            .help("give `--collection` a name"));
        }
        let last = reference.repository.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(Self {
            context: context.clone(),
            skills,
            copied,
            target: PushTarget {
                host: reference.host,
                repository: reference.repository,
                tag: reference.tag,
                collection: args.collection.clone(),
                usual_collection: last,
            },
            annotations: annotations(&args.annotations)?,
            force: args.force,
            dry_run: args.dry_run,
            format: args.format,
        })
    }
}

/// Where the artifacts go.
fn destination(text: &str) -> Result<RegistryReference> {
    let address = match text.contains("://") {
        true => Address::parse(text)?,
        false => None,
    };
    let help = "write `skills push SOURCES oci://HOST/REPO[:TAG]`";
    match address {
        Some(Address::Registry(reference)) if reference.digest.is_some() => {
            Err(err!(Usage, "`{text}` names a digest, which follows from the skill").help(help))
        }
        Some(Address::Registry(reference)) => Ok(reference),
        _ => {
            // People write `ghcr.io/team/skills`.
            let meant = Address::parse(&format!("oci://{text}"));
            let is_likely = text.split('/').next().is_some_and(|host| host.contains(['.', ':']));
            let help = match meant {
                Ok(Some(meant)) if is_likely && !text.starts_with('.') => {
                    format!("did you mean `{meant}`?")
                }
                _ => help.to_owned(),
            };
            Err(err!(Usage, "`{text}` is not a registry to push to").help(help))
        }
    }
}

/// The place that is copied: a layout or a registry, when it is the only source.
fn copied(sources: &[PathBuf]) -> Result<Option<CopiedPlace>> {
    let place = |source: &PathBuf| -> Result<Option<CopiedPlace>> {
        if layout::is_layout(source) {
            return Ok(Some(CopiedPlace::Layout(source.clone())));
        }
        let text = source.to_str().filter(|text| text.starts_with("oci://"));
        Ok(match text.map(Address::parse).transpose()?.flatten() {
            Some(Address::Registry(reference)) => Some(CopiedPlace::Registry(reference)),
            _ => None,
        })
    };
    let mut places = sources.iter().map(place).collect::<Result<Vec<_>>>()?;
    match (places.len(), places.iter().any(Option::is_some)) {
        (_, false) => Ok(None),
        (1, true) => Ok(places.pop().flatten()),
        (_, true) => {
            Err(err!(Usage, "a layout or a registry is copied by itself, without other sources")
                .help("push them one after the other"))
        }
    }
}

/// Annotations as the user wrote them.
fn annotations(words: &[String]) -> Result<Annotations> {
    let mut annotations = Annotations::new();
    for word in words {
        let refused = |reason: &str| {
            Err(err!(Usage, "`--annotation {word}` is not valid: {reason}").help(
                "write `--annotation KEY=VALUE`, such as org.opencontainers.image.source=URL",
            ))
        };
        let Some((key, value)) = word.split_once('=').filter(|(key, _)| !key.trim().is_empty())
        else {
            return refused("it has no key");
        };
        let own = [documents::SKILL_NAME, documents::TITLE];
        if own.contains(&key) {
            return refused("the skill itself says that");
        }
        if word.contains(char::is_control) {
            return refused("it contains a control character");
        }
        if annotations.insert(key.to_owned(), value.to_owned()).is_some() {
            return refused("the key is given twice");
        }
    }
    Ok(annotations)
}
