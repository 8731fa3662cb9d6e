//! Settings of `skills show`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{install, read_short_forms};
use crate::cli::args::{self, ReportFormat, ScopeArg};
use crate::cli::context::Context;
use crate::skills::find::discovery::{DiscoveryOptions, ProviderChoice};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Result, err};
use crate::skills::model::request::Request;
use crate::skills::put::install::destination::real_path;
use crate::skills::show::uri::{SCHEME, SkillUri};
use crate::skills::text::document::is_skill_md;

/// Settings of `skills show`.
#[derive(Debug, Clone)]
pub struct ShowSettings {
    /// Settings of every command.
    pub context: Context,
    /// Which skill.
    pub what: SkillToShow,
    /// Where to look for installed copies of it.
    pub places: CopyPlaces,
    /// How it is judged.
    pub judge: JudgeOptions,
    /// Whether to compare the installed skill with its source.
    pub diff: bool,
    /// How to print it.
    pub format: ReportFormat,
}

/// Which skill to show.
#[derive(Debug, Clone)]
pub enum SkillToShow {
    /// The skill of this name, or else the one in this source.
    Named(String, Option<Selection>),
    /// The skill in this source.
    Source(Selection),
}

/// Where to look up a name.
#[derive(Debug, Clone)]
pub struct CopyPlaces {
    /// The directories.
    pub options: DiscoveryOptions,
    /// The home and the project they belong to.
    pub environment: Environment,
    /// Whether agents look there, too.
    pub has_agents: bool,
}

impl ShowSettings {
    /// Resolves the flags of `skills show`.
    pub fn resolve(args: &args::ShowArgs, context: &Context) -> Result<Self> {
        let destination = &args.destination;
        let chooses = destination.scope().is_some()
            || destination.home.is_some()
            || destination.dir.is_some()
            || !destination.agent.is_empty();
        let what = what(args, chooses, context)?;
        if chooses && !args.diff && matches!(what, SkillToShow::Source(_)) {
            let help =
                "name an installed skill, or add `--diff` to compare the source with that copy";
            return Err(err!(
                Usage,
                "`--agent`, `--scope`, `--home` and `--dir` choose an installed copy"
            )
            .help(help));
        }
        let judge =
            JudgeOptions { directory: context.directory.clone(), ..JudgeOptions::default() };
        Ok(Self {
            context: context.clone(),
            what,
            places: if chooses { chosen(destination, context)? } else { everywhere(context) },
            judge,
            diff: args.diff,
            format: args.format,
        })
    }
}

/// Decides between a name and a source. A word is a name if it is not a path, if it is a directory
/// without a `SKILL.md` and a skill has that name, or if flags choose among installed copies.
fn what(args: &args::ShowArgs, chooses: bool, context: &Context) -> Result<SkillToShow> {
    let path = args.skill.as_path();
    let text = path.to_str().unwrap_or_default();
    if text.starts_with(SCHEME) {
        return Ok(SkillToShow::Named(SkillUri::parse(text)?.name, None));
    }
    let chooses_one = args.only.is_some() || args.plugin.is_some();
    let is_word = !text.is_empty() && !text.starts_with('.') && !text.contains(['/', '\\', ':']);
    if is_word && chooses && !chooses_one {
        return Ok(SkillToShow::Named(text.to_owned(), None));
    }
    if !is_word || chooses_one || is_skill(path) {
        return selection(args, context).map(SkillToShow::Source);
    }
    let or_source = path.exists().then(|| selection(args, context)).transpose()?;
    Ok(SkillToShow::Named(text.to_owned(), or_source))
}

/// Whether a path is a file, or a directory with a `SKILL.md`.
fn is_skill(path: &Path) -> bool {
    match path.read_dir() {
        Ok(entries) => entries.flatten().any(|entry| is_skill_md(&entry.file_name())),
        Err(_) => path.symlink_metadata().is_ok_and(|data| !data.is_dir()),
    }
}

fn selection(args: &args::ShowArgs, context: &Context) -> Result<Selection> {
    let mut requests = vec![Request::named(&args.skill)?];
    read_short_forms(&mut requests, context);
    let only = args.only.iter().cloned().collect();
    Ok(Selection {
        requests,
        scan: ScanOptions {
            only,
            plugins: args.plugin.iter().cloned().collect(),
            threads: context.threads,
            ..ScanOptions::default()
        },
        remotes: Arc::clone(&context.remotes),
        ..Selection::default()
    })
}

/// All directories of all agents.
fn everywhere(context: &Context) -> CopyPlaces {
    let options = DiscoveryOptions { threads: context.threads, ..DiscoveryOptions::default() };
    CopyPlaces { options, environment: context.environment.clone(), has_agents: true }
}

/// The directories that the flags name. Without a scope, an agent has those of the project and of
/// the user.
fn chosen(args: &args::DestinationArgs, context: &Context) -> Result<CopyPlaces> {
    let is_open = args.scope().is_none() && args.home.is_none() && args.dir.is_none();
    let scopes = match is_open {
        true => vec![Some(ScopeArg::Project), Some(ScopeArg::User)],
        false => vec![args.scope()],
    };
    let mut directories: Vec<PathBuf> = Vec::new();
    for scope in scopes {
        let one = args::DestinationArgs { scope, ..args.clone() };
        directories.extend(install::destinations(&one, true, context)?.directories);
    }
    directories.retain(|directory| directory.is_dir());
    for directory in &mut directories {
        *directory = real_path(directory);
    }
    let environment = match &args.home {
        Some(home) => context.environment.with_home(home),
        None => context.environment.clone(),
    };
    let options = DiscoveryOptions {
        sources: ProviderChoice::only_custom(),
        directories,
        are_of_agents: true,
        threads: context.threads,
        ..DiscoveryOptions::default()
    };
    Ok(CopyPlaces { options, environment, has_agents: args.dir.is_none() })
}
