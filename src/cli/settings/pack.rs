//! Settings of `skills pack`.

use std::path::{Path, PathBuf};

use crate::cli::args::{self, ReportFormat};
use crate::cli::context::Context;
use crate::cli::settings::install::CopySettings;
use crate::cli::settings::verb::Verb;
use crate::skills::find::left_out::Globs;
use crate::skills::model::environment::normalized;
use crate::skills::model::error::Result;
use crate::skills::model::filter::PathFilter;
use crate::skills::publish::archive::ArchivePlace;
use crate::skills::publish::artifact::PushTarget;
use crate::skills::publish::layout::LayoutPlace;

/// Settings of `skills pack`.
#[derive(Debug, Clone)]
pub struct PackSettings {
    /// Settings of every command.
    pub context: Context,
    /// The skills and how they are read.
    pub skills: CopySettings,
    /// Where archives go.
    pub place: ArchivePlace,
    /// The directory of a site that is written instead.
    pub index: Option<PathBuf>,
    /// Where they go as artifacts instead.
    pub layout: Option<(LayoutPlace, PushTarget)>,
    /// How to print what was done.
    pub format: ReportFormat,
}

impl PackSettings {
    /// Resolves the flags of `skills pack`.
    pub fn resolve(args: &args::PackArgs, context: &Context) -> Result<Self> {
        let selection = args::SelectionArgs {
            sources: args.sources.clone(),
            plugin: args.plugin.clone(),
            ..args::SelectionArgs::default()
        };
        let reading = args::ReadingArgs {
            no_validate: args.no_validate,
            nested: args.nested,
            ..args::ReadingArgs::default()
        };
        let mut skills = CopySettings::resolve(&selection, &reading, Verb::Pack, context)?;
        // Archives are independent, so there is no total limit.
        skills.max_total_bytes = u64::MAX;
        // Report an invalid glob once, not for every skill.
        PathFilter::new(&args.include)?;
        PathFilter::new(&args.exclude)?;
        skills.read.pack =
            Some(Globs { include: args.include.clone(), exclude: args.exclude.clone() });
        let layout = args.oci.as_ref().map(|path| layout(&normalized(path), args.force));
        let output = args.output.clone().unwrap_or_default();
        let is_archive =
            output.extension().is_some_and(|extension| extension == "skill" || extension == "zip");
        Ok(Self {
            context: context.clone(),
            skills,
            place: ArchivePlace {
                is_file: is_archive && !output.is_dir(),
                output: normalized(&context.directory.join(output)),
                force: args.force,
            },
            index: args.index.as_deref().map(normalized),
            layout,
            format: args.format,
        })
    }
}

/// A layout, and what is said about where its artifacts are.
fn layout(path: &Path, force: bool) -> (LayoutPlace, PushTarget) {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let target = PushTarget {
        host: String::new(),
        repository: String::new(),
        tag: None,
        collection: None,
        usual_collection: name.unwrap_or_else(|| "skills".to_owned()),
    };
    (LayoutPlace { path: path.to_owned(), force }, target)
}
