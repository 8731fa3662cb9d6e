//! The skills that an agent would load, as lines of a list.

use crate::skills::agents::load::{self, AgentSkill, Fate};
use crate::skills::agents::readers::FileBytes;
use crate::skills::agents::walk::Problem;
use crate::skills::agents::{Agent, Winner};
use crate::skills::files::content;
use crate::skills::files::inventory::InventoryDepth;
use crate::skills::find::scan;
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::{validate, verdict};
use crate::skills::model::environment::Environment;
use crate::skills::model::scope::Provenance;
use crate::skills::model::source::{NamedRoot, Skill};
use crate::skills::show::listing::{
    self, ListLine, ListingOptions, Placement, SkillSummary, Status,
};
use crate::skills::text::document::SKILL_MD;

/// The skills that an agent would load.
#[derive(Debug)]
pub struct AgentView {
    /// The skills it shows its model, in its order; then the others, by path.
    pub rows: Vec<ListLine>,
    /// Names of several skills of which it shows one, not always the same.
    pub ambiguous: Vec<String>,
    /// Directories that could not be searched completely.
    pub problems: Vec<Problem>,
}

/// Finds the skills that `agent` would load; with `roots`, from these directories instead of its
/// own.
pub fn of(
    agent: &Agent,
    environment: &Environment,
    roots: Option<&[NamedRoot]>,
    options: &ListingOptions,
    threads: usize,
) -> AgentView {
    let summarize = |met: &AgentSkill, file| summarize(met, file, options);
    let loaded = load::load_with(agent, environment, roots, threads, &summarize);
    let rows: Vec<ListLine> = loaded.skills.into_iter().map(|met| row(agent, met)).collect();
    let mut ambiguous: Vec<String> = Vec::new();
    if agent.loading.winner == Winner::Anyone {
        let shadowed = rows.iter().filter(|row| row.status == Status::Shadowed);
        ambiguous.extend(shadowed.map(|row| row.shown_name().to_owned()));
        ambiguous.sort_unstable();
        ambiguous.dedup();
    }
    AgentView { rows, ambiguous, problems: loaded.problems }
}

/// A skill, and the ids of the safety rules that it breaks with errors.
type Summarized = (SkillSummary, Vec<&'static str>);

fn row(agent: &Agent, met: AgentSkill<Summarized>) -> ListLine {
    let origin = Provenance { provider: Some(met.provider), scope: Some(met.scope) };
    let (mut entry, rules) = met.made;
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
            let reason = format!("{} takes {} for this name", agent.title, winner.display());
            shadowed_by = Some(winner);
            (Status::Shadowed, Some(name), Some(reason))
        }
        Fate::Unseen(_, reason) | Fate::Lost(reason) => (Status::Invalid, None, Some(reason)),
        Fate::Open => (Status::Invalid, None, None),
    };
    let (copy_of, record, other) = (None, None, None);
    let is_loaded = matches!(status, Status::Active | Status::Hidden);
    let placement = is_loaded.then_some(Placement::Native);
    ListLine {
        entry,
        origin,
        status,
        reason,
        unusable: None,
        rules,
        shadowed_by,
        copy_of,
        alias,
        record,
        linked: false,
        other,
        placement,
        section: None,
    }
}

/// Summarizes a skill from the file that the agent's reader read, if any.
fn summarize(met: &AgentSkill, file: Option<FileBytes>, options: &ListingOptions) -> Summarized {
    let (skill, open) =
        if met.is_file { (Skill::in_file(&met.path), None) } else { scan::open_skill(&met.path) };
    let summarize = |opened: &OpenedSkill<'_>| {
        let inventory = opened.inventory(InventoryDepth::Through);
        let findings = validate::check(opened, &inventory, &options.judge);
        let rules = verdict::broken_safety_rules(opened, &findings);
        (listing::entry(opened, &inventory, options), rules)
    };
    let is_same = met.is_file || skill.skill_md() == Some(SKILL_MD);
    match file.filter(|_| is_same) {
        Some(file) => {
            let content = content::of_bytes(file.bytes);
            opened::with_content(&skill, open.as_ref(), &content, Some(file.stat), summarize)
        }
        None => opened::open(skill, open.as_ref(), summarize),
    }
}
