//! What an agent would load, as rows of a list.

use crate::skills::agents::Agent;
use crate::skills::agents::loading_rules::Winner;
use crate::skills::agents::simulate::{self, AgentSkill, Fate};
use crate::skills::agents::walk::Problem;
use crate::skills::find::scan;
use crate::skills::model::environment::Environment;
use crate::skills::model::scope::Provenance;
use crate::skills::model::source::NamedRoot;
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::show::listing::{self, ListLine, ListingOptions, SkillSummary, Status};

/// What an agent would load.
#[derive(Debug)]
pub struct AgentView {
    /// What it shows its model, in its order; then what it does not, by path.
    pub rows: Vec<ListLine>,
    /// Names of which it shows one of several skills, and not always the same one.
    pub ambiguous: Vec<String>,
    /// Directories that could not be searched as a whole.
    pub problems: Vec<Problem>,
}

/// Finds out what `agent` would load; with `roots`, from these directories instead of its own.
#[must_use]
pub fn of(
    agent: &Agent,
    environment: &Environment,
    roots: Option<&[NamedRoot]>,
    options: &ListingOptions,
    threads: usize,
) -> AgentView {
    let loaded = simulate::load(agent, environment, roots, threads);
    let rows: Vec<ListLine> =
        loaded.skills.into_iter().map(|met| row(agent, met, options)).collect();
    let mut ambiguous: Vec<String> = Vec::new();
    if agent.loading.winner == Winner::Anyone {
        let shadowed = rows.iter().filter(|row| row.status == Status::Shadowed);
        ambiguous.extend(shadowed.map(|row| row.shown_name().to_owned()));
        ambiguous.sort();
        ambiguous.dedup();
    }
    AgentView { rows, ambiguous, problems: loaded.problems }
}

fn row(agent: &Agent, met: AgentSkill, options: &ListingOptions) -> ListLine {
    let origin = Provenance { provider: Some(met.provider), scope: Some(met.scope) };
    let mut entry = read(&met, options);
    let mut shadowed_by = None;
    let (status, alias, reason) = match met.fate {
        Fate::Shown(listed) => {
            let alias = match listed.title {
                Some(title) => format!("{} ({title})", listed.name),
                None => listed.name,
            };
            entry.catalog_chars = listing::catalog_chars(&alias, &listed.description);
            entry.description = Some(listed.description);
            (Status::Active, Some(alias), None)
        }
        Fate::Hidden(name, reason) => (Status::Hidden, Some(name), Some(reason)),
        Fate::Shadowed(name, winner) => {
            let reason = format!("{} shows {} under this name", agent.title, winner.display());
            shadowed_by = Some(winner);
            (Status::Shadowed, Some(name), Some(reason))
        }
        Fate::Lost(reason) => (Status::Invalid, None, Some(reason)),
        Fate::Open => (Status::Invalid, None, None),
    };
    ListLine { entry, origin, status, reason, shadowed_by, alias, record: None }
}

fn read(met: &AgentSkill, options: &ListingOptions) -> SkillSummary {
    if met.is_file {
        return listing::read(Skill::at(SkillKind::File, &met.path, None), None, options);
    }
    let (skill, open) = scan::open_skill(&met.path);
    listing::read(skill, open, options)
}
