//! Settings of `skills init`.

use std::path::PathBuf;

use crate::cli::args;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::name::{self, SkillName};

/// Settings of `skills init`.
#[derive(Debug, Clone)]
pub struct Init {
    /// The name.
    pub name: SkillName,
    /// The description.
    pub description: Option<String>,
    /// Where the directory is made.
    pub parent: PathBuf,
}

impl Init {
    /// Resolves the flags of `skills init`.
    ///
    /// # Errors
    /// A name or description that would not validate.
    pub fn resolve(args: &args::Init) -> Result<Self> {
        let name = SkillName::new(&args.name).map_err(|error| {
            let message = format!("`{}` is not a name for a skill: {error}", args.name);
            let failure = Error::new(ErrorKind::InvalidName, message);
            match name::suggest(&args.name) {
                Some(better) => failure.help(format!("try `skills init {better}`")),
                None => failure,
            }
        })?;
        Ok(Self { name, description: args.description.clone(), parent: args.dir.clone() })
    }
}
