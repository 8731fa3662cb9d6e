//! Everything about one skill, from one pass over its files.

use std::path::{Path, PathBuf};

use crate::skills::files::content::OpenDirectory;
use crate::skills::files::inventory::{Excess, InventoryDepth, nested_skills};
use crate::skills::find::scan::Reading;
use crate::skills::judge::needs::{Availability, Machine, Need, Requirement, Requirements};
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{Check, Finding};
use crate::skills::judge::validate;
use crate::skills::judge::verdict::{Judged, TargetAgents, makes_unusable};
use crate::skills::model::request::Request;
use crate::skills::model::scope::Provenance;
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::show::file_pass::{CardFile, FilePass};
use crate::skills::show::listing::{self, ListLine, ListingOptions, SkillSummary, Status};
use crate::skills::show::loading::{self, AgentVerdict, InstalledFile};
use crate::skills::text::document::SKILL_MD;

/// The file with a signature.
const SIGNATURE: &str = "skill.oms.sig";

/// The data of a card that a list does not have.
#[derive(Debug, Clone, Default)]
pub struct SkillDetails {
    /// Its files, sorted by path, including links and special files.
    pub files: Vec<CardFile>,
    /// Files that were not read, because all files together are too large.
    pub unread: usize,
    /// The bound that ended the search for files, if one did.
    pub excess: Option<Excess>,
    /// Findings of the safety rules in all files, the most severe first.
    pub findings: Vec<Finding>,
    /// How each agent treats it.
    pub agents: Vec<AgentVerdict>,
    /// The requirements it states.
    pub requirements: Requirements,
    /// The directories of skills below it.
    pub nested: Vec<PathBuf>,
    /// Whether a file claims to sign it. Nothing verifies that file.
    pub has_signature: bool,
}

/// Everything about one skill.
#[derive(Debug, Clone)]
pub struct SkillCard {
    /// Its line in a list.
    pub row: ListLine,
    /// The rest.
    pub details: SkillDetails,
    /// Where it came from, if that is known.
    pub origin: Option<SkillOrigin>,
    /// Other skills of its name on this machine.
    pub copies: Vec<OtherCopy>,
    /// Its requirements, and whether this machine meets them.
    pub needs: Vec<CardNeed>,
}

/// One thing that a skill needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardNeed {
    /// What it is.
    pub need: Need,
    /// The field that says so.
    pub field: String,
    /// Whether this machine has it.
    pub availability: Availability,
}

/// Where a skill came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillOrigin {
    pub source: String,
    /// How it was stored there.
    pub kind: String,
    /// The source as it was written, with its branch or tag.
    pub requested: Option<String>,
    /// The commit it resolved to.
    pub commit: Option<String>,
    /// When it was installed; none for a source.
    pub installed_at: Option<String>,
    /// Whether it was edited since; none if unknown.
    pub edited: Option<bool>,
}

/// Another skill of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherCopy {
    /// Its directory.
    pub path: PathBuf,
    /// Where it was found.
    pub origin: Provenance,
    /// Whether it has the same files; none if unknown.
    pub is_same: Option<bool>,
}

impl SkillCard {
    /// A card for the copy that is used, or else the first, listing the other copies.
    pub fn of_copies(mut copies: Vec<(ListLine, SkillDetails)>, name: &str) -> Option<Self> {
        let is_usable = |row: &ListLine| matches!(row.status, Status::Active | Status::Hidden);
        let is_named = |row: &ListLine| row.entry.skill.name == name;
        let rank = |row: &ListLine| (!is_named(row), !is_usable(row));
        let best = (0..copies.len()).min_by_key(|at| rank(&copies[*at].0))?;
        let (row, details) = copies.remove(best);
        let other = |(copy, _): &(ListLine, SkillDetails)| OtherCopy {
            path: copy.entry.skill.path.clone(),
            origin: copy.origin,
            is_same: row.entry.digest.zip(copy.entry.digest).map(|(one, other)| one == other),
        };
        let copies = copies.iter().map(other).collect();
        Some(Self { row, details, origin: None, copies, needs: Vec::new() })
    }

    /// Compares its requirements with this machine.
    pub fn compare_needs(&mut self, machine: &Machine<'_>) {
        let need = |one: &Requirement| CardNeed {
            need: one.need.clone(),
            field: one.field.clone(),
            availability: machine.has(&one.need),
        };
        self.needs = self.details.requirements.all.iter().map(need).collect();
    }
}

/// Where an installed skill came from, by its record or that of another installer.
pub fn recorded(row: &ListLine) -> Option<SkillOrigin> {
    if let Some(other) = &row.other {
        return Some(SkillOrigin {
            source: other.source.clone().unwrap_or_default(),
            kind: other.installer.id().to_owned(),
            requested: None,
            commit: None,
            installed_at: None,
            edited: None,
        });
    }
    let record = row.record.as_ref()?;
    Some(SkillOrigin {
        source: record.source.clone(),
        kind: record.kind.as_str().to_owned(),
        requested: record.requested.clone(),
        commit: record.commit.clone(),
        installed_at: Some(record.installed_at.clone()),
        edited: row.is_edited(),
    })
}

/// The source that a skill is in.
pub fn source(row: &ListLine, request: &Request) -> SkillOrigin {
    let skill = &row.entry.skill;
    let commit = skill.packed().and_then(|packed| packed.bundle.commit());
    SkillOrigin {
        source: skill.source_path(),
        kind: skill.kind().as_str().to_owned(),
        requested: request.asked(),
        commit: commit.map(|commit| commit.id.clone()),
        installed_at: None,
        edited: None,
    }
}

/// The data of a skill, as a line of a list and the rest.
pub fn row(
    judged: Judged<(SkillSummary, SkillDetails)>,
    origin: Provenance,
) -> (ListLine, SkillDetails) {
    let Judged { skill, verdict, rules, made: (summary, details) } = judged;
    (ListLine::of(Judged { skill, verdict, rules, made: summary }, origin), details)
}

/// A skill of a source.
#[derive(Debug)]
pub enum FoundSkill {
    /// The user named it, so it was read.
    Read(Box<Judged<(SkillSummary, SkillDetails)>>),
    /// A search found it; it was not read yet.
    Met(Skill),
}

impl FoundSkill {
    /// Its place and name.
    pub fn skill(&self) -> &Skill {
        match self {
            Self::Read(judged) => &judged.skill,
            Self::Met(skill) => skill,
        }
    }

    /// Reads it, unless that was done already.
    pub fn read(self, options: &JudgeOptions) -> Judged<(SkillSummary, SkillDetails)> {
        match self {
            Self::Read(judged) => *judged,
            Self::Met(skill) => {
                let open = match skill.kind() {
                    SkillKind::Directory => OpenDirectory::open_real(&skill.path).ok(),
                    _ => None,
                };
                opened::open(skill, open.as_ref(), |opened| read(opened, options).made)
            }
        }
    }
}

/// Reads a skill that the user named. Others are read only once they are chosen.
pub fn read_if_named(opened: &OpenedSkill<'_>, options: &JudgeOptions) -> Reading<FoundSkill> {
    if !opened.skill.is_named {
        return Reading { made: FoundSkill::Met(opened.skill.clone()), nested: Vec::new() };
    }
    let Reading { made, nested } = read(opened, options);
    Reading { made: FoundSkill::Read(Box::new(made)), nested }
}

/// Reads one skill and all its files.
pub fn read(
    opened: &OpenedSkill<'_>,
    options: &JudgeOptions,
) -> Reading<Judged<(SkillSummary, SkillDetails)>> {
    let skill = opened.skill;
    let inventory = opened.inventory(InventoryDepth::Through);
    let mut findings = validate::check(opened, &inventory, options);
    let made = ();
    let Judged { verdict, rules, .. } = Judged::new(opened, &findings, &TargetAgents::Any, made);
    let listed = ListingOptions { judge: options.clone(), digest: false, fields: true };
    let mut summary = listing::entry(opened, &inventory, &listed);

    let mut pass = FilePass::new(opened, options);
    match inventory.entries.is_empty() {
        true => pass.only_file(),
        false => pass.all(&inventory, &mut summary.unseen),
    }
    summary.digest = pass.digest(&inventory);
    let bytes = pass.skill_md.take();
    let file = InstalledFile {
        directory: &skill.name,
        skill_md: skill.skill_md().unwrap_or(SKILL_MD),
        bytes: bytes.as_deref(),
    };
    let agents = loading::if_installed(file, &|path| pass.beside.get(path).cloned());

    let is_safety = |finding: &Finding| {
        matches!(finding.rule.check, Check::Safety(..))
            || makes_unusable(skill, finding, opened.document)
    };
    findings.retain(is_safety);
    findings.append(&mut pass.judge.finish());
    findings.sort_by(|one, other| {
        let place = |finding: &Finding| (finding.path.clone(), finding.place);
        other.severity.cmp(&one.severity).then_with(|| place(one).cmp(&place(other)))
    });
    let nested = nested_skills(&inventory);
    let has_signature = pass.files.iter().any(|file| file.path == Path::new(SIGNATURE));
    let details = SkillDetails {
        files: pass.files,
        unread: pass.unread,
        excess: inventory.excess,
        findings,
        agents,
        requirements: opened.document.map(Requirements::of).unwrap_or_default(),
        nested: nested.clone(),
        has_signature,
    };
    let made = (summary, details);
    Reading { made: Judged { skill: skill.clone(), verdict, rules, made }, nested }
}
