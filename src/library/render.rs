//! `skills::render`.

use std::path::Path;

use crate::library::{Error, Options, Result};
use crate::output::{json, prompt as output};
use crate::skills::find::selection;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::verdict::Verdict;
use crate::skills::show::layout::PromptOptions;
use crate::skills::show::prompt::{self, KeptParts};

/// How a catalogue is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `<available_skills>`, which most models know.
    #[default]
    Xml,
    /// A Markdown list.
    Markdown,
    /// The document of `skills render --format json`.
    Json,
}

/// Renders the catalogue that a model sees: name, description and location of each skill, and how
/// to use them. Empty without skills. Skills that are hidden from models or have no description are
/// left out.
///
/// # Errors
/// A source that cannot be read, in whole or in part, or an unknown name.
///
/// ```
/// use skills::{Format, Options};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let skill = directory.path().join("pdf");
/// std::fs::create_dir(&skill)?;
/// let text = "---\nname: pdf\ndescription: Reads <b>PDF</b> files.\n---\nRead the file.\n";
/// std::fs::write(skill.join("SKILL.md"), text)?;
///
/// let prompt = skills::render(directory.path(), Format::Xml, &Options::new())?;
/// assert!(prompt.starts_with("## Agent Skills\n\n<available_skills>"));
/// assert!(prompt.contains("<description>Reads &lt;b&gt;PDF&lt;/b&gt; files.</description>"));
/// # Ok(())
/// # }
/// ```
pub fn render(source: impl AsRef<Path>, format: Format, options: &Options) -> Result<String> {
    let source = source.as_ref();
    let judge = JudgeOptions { errors_only: true, ..JudgeOptions::default() };
    let read = |opened: &OpenedSkill<'_>| prompt::read(opened, KeptParts::Nothing, &judge);
    let (skills, scan) = selection::judge(&options.selection(source)?, &read)?;
    if let Some(error) = scan.unreadable.into_iter().next() {
        return Err(error);
    }
    let shown = skills.into_iter().filter(|judged| {
        matches!(judged.verdict, Verdict::Active | Verdict::Hidden(_)) && !judged.skill.is_nested
    });
    let shown: Vec<_> = shown.map(|judged| judged.made).collect();
    let layout = PromptOptions { instructions: true, ..PromptOptions::default() };
    let prompt = layout.lay_out(&shown)?.prompt;
    let mut text = Vec::new();
    let written = match format {
        Format::Xml => output::xml(&mut text, &prompt),
        Format::Markdown => output::markdown(&mut text, &prompt),
        Format::Json => json::skills::prompt(&mut text, &prompt),
    };
    written.map_err(|error| Error::io("render", source, &error))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
