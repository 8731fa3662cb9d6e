//! Settings of `skills init`.

use std::path::PathBuf;

use crate::cli::args::{self, TemplateArg};
use crate::skills::model::error::{Result, err};
use crate::skills::model::name::{self, SkillName};
use crate::skills::publish::new::SkillTemplate;

/// Settings of `skills init`.
#[derive(Debug, Clone)]
pub struct InitSettings {
    /// What to create.
    pub what: InitTarget,
    /// Where to create it.
    pub parent: PathBuf,
}

/// What `skills init` creates.
#[derive(Debug, Clone)]
pub enum InitTarget {
    /// A skill of this name and shape, with this description.
    Skill(SkillName, SkillTemplate, Option<String>),
    Manifest,
}

impl InitSettings {
    /// Resolves the flags of `skills init`.
    pub fn resolve(args: &args::InitArgs) -> Result<Self> {
        let parent = args.dir.clone();
        let Some(text) = &args.name else {
            return Ok(Self { what: InitTarget::Manifest, parent });
        };
        let name = SkillName::new(text).map_err(|error| {
            let failure = err!(Usage, "`{text}` is not a valid skill name: {error}");
            match name::suggest(text) {
                Some(better) => failure.help(format!("try `skills init {better}`")),
                None => failure,
            }
        })?;
        let template = match args.template {
            TemplateArg::Plain => SkillTemplate::Plain,
            TemplateArg::Scripts => SkillTemplate::Scripts,
            TemplateArg::References => SkillTemplate::References,
        };
        let description = args.description.clone();
        Ok(Self { what: InitTarget::Skill(name, template, description), parent })
    }
}
