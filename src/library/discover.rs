//! `skills::discover`.

use std::path::{Path, PathBuf};

use crate::library::{Error, Options, Result, Scope, Status, threads};
use crate::skills::find::discovery::{self, DiscoveryNotice, DiscoveryOptions};
use crate::skills::find::selection;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::model::error::err;
use crate::skills::model::filter;
use crate::skills::show::agent_view;
use crate::skills::show::listing::{self, ListLine, ListingOptions};

/// The result of [`discover`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Discovery {
    /// The skills: those of the project before those of the user.
    pub skills: Vec<DiscoveredSkill>,
    /// What kept skills from being found, in words.
    pub warnings: Vec<String>,
    /// Files and directories that could not be read.
    pub unread: Vec<Error>,
}

/// A skill that was found where agents look for skills.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiscoveredSkill {
    /// The name.
    pub name: String,
    /// The description, if the front matter has one.
    pub description: Option<String>,
    /// The directory, or the file of a skill that is a single file.
    pub path: PathBuf,
    /// The program that reads this directory, such as `claude`.
    pub provider: Option<&'static str>,
    /// Whether it belongs to the user or to the project.
    pub scope: Option<Scope>,
    /// Whether it is used.
    pub status: Status,
    /// Why it is not used, or not shown to models.
    pub reason: Option<String>,
}

/// Finds the skills that agents on this machine would find, as `skills list --discover` does. With
/// [`Options::agent`], finds what this agent would load.
///
/// # Errors
/// A directory that cannot be read, an unknown agent or name, or several agents.
///
/// ```
/// use skills::{Options, Status};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let home = tempfile::tempdir()?;
/// let skill = home.path().join(".claude/skills/pdf");
/// std::fs::create_dir_all(&skill)?;
/// let text = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead the file.\n";
/// std::fs::write(skill.join("SKILL.md"), text)?;
///
/// let options = Options::new().directory(home.path()).home(home.path());
/// let discovery = skills::discover(&options)?;
/// assert_eq!(discovery.skills[0].name, "pdf");
/// assert_eq!(discovery.skills[0].provider, Some("claude"));
/// assert_eq!(discovery.skills[0].status, Status::Active);
/// # Ok(())
/// # }
/// ```
pub fn discover(options: &Options) -> Result<Discovery> {
    let mut environment = options.environment()?;
    if let Some(home) = &options.home {
        environment = environment.with_home(home);
    }
    let judge =
        JudgeOptions { levels: options.levels()?, errors_only: true, ..JudgeOptions::default() };
    let read_options = ListingOptions { judge, ..ListingOptions::default() };
    let (rows, notices) = match options.agents()?.as_slice() {
        [] => {
            let discovery = DiscoveryOptions {
                names: options.names()?,
                only: options.only.clone(),
                threads: threads(),
                ..DiscoveryOptions::default()
            };
            let read = |opened: &OpenedSkill<'_>| listing::read(opened, &read_options);
            let found = discovery::discover(&environment, &discovery, &read);
            selection::require(&options.only, &found.names)?;
            let row = |(origin, judged)| ListLine::of(judged, origin);
            (found.skills.into_iter().map(row).collect::<Vec<_>>(), found.notices)
        }
        [agent] => {
            let view = agent_view::of(agent, &environment, None, &read_options, threads());
            let names: Vec<String> =
                view.rows.iter().map(|row| row.shown_name().to_owned()).collect();
            selection::require(&options.only, &names)?;
            let filters = options.names()?;
            let mut rows = view.rows;
            rows.retain(|row| {
                let names = std::iter::once(row.shown_name());
                filter::accept(names, None, &filters, &options.only)
            });
            (rows, view.problems.into_iter().map(DiscoveryNotice::Problem).collect())
        }
        _ => {
            return Err(err!(Usage, "`discover` takes one agent at a time"));
        }
    };
    let shown = |path: &Path| path.display().to_string();
    let unseen = rows.iter().flat_map(|row| &row.entry.unseen);
    let unread = notices.iter().filter_map(DiscoveryNotice::error).chain(unseen).cloned().collect();
    Ok(Discovery {
        warnings: notices.iter().filter_map(|notice| notice.warning(&shown)).collect(),
        unread,
        skills: rows.into_iter().map(skill).collect(),
    })
}

fn skill(row: ListLine) -> DiscoveredSkill {
    DiscoveredSkill {
        name: row.shown_name().to_owned(),
        description: row.entry.description,
        path: row.entry.skill.path,
        provider: row.origin.provider,
        scope: row.origin.scope,
        status: row.status,
        reason: row.reason,
    }
}
