//! `--name`: another name for the only skill of a source.

use crate::cli::args;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::text::document::SKILL_MD;

/// Gives the only skill of the only source another name.
pub fn rename_only(
    requests: &mut [Request],
    selected: &args::SelectionArgs,
    name: &str,
) -> Result<()> {
    let usage = |message: String| Error::new(ErrorKind::Usage, message);
    let name = SkillName::new(name)
        .map_err(|error| usage(format!("`--name {name}` is not a valid skill name: {error}")))?;
    let [only] = requests else {
        return Err(usage(format!("`--name {name}` needs exactly one source"))
            .help("install one skill at a time, or give each its `name` in a skills.yaml"));
    };
    if selected.sources.is_empty() {
        return Err(usage(format!("`--name {name}` needs a source, not a manifest"))
            .help("give the entry its `name` in the manifest"));
    }
    if let RequestedSource::Path(path) = &only.what
        && path.is_dir()
        && !path.join(SKILL_MD).exists()
    {
        let shown = path.display();
        return Err(usage(format!("`{shown}` is not a skill, so it cannot be called `{name}`"))
            .at(path)
            .help(format!("name the directory of one skill, such as `{shown}/SKILL`")));
    }
    only.name = Some(name);
    Ok(())
}
