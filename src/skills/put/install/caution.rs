//! Warnings for the user before an agent reads the copied skills: findings of the safety rules in
//! every file, and chosen agents that do not load a skill.
//!
//! Files are read once, so exactly the judged bytes are copied: see `Candidate::show_files`.

use std::cmp::Reverse;
use std::path::PathBuf;

use crate::skills::agents::Agent;
use crate::skills::files::parallel;
use crate::skills::judge::deep::FileJudge;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::Finding;
use crate::skills::judge::verdict::{Judged, Obstacle};
use crate::skills::model::error::Result;
use crate::skills::put::install::candidate::{Candidate, Prepared};
use crate::skills::put::install::source_files::{self, Allowance, FileLook, Room};

/// Bytes of files to keep in memory between judging and copying.
const KEPT_BYTES: u64 = 32 * 1024 * 1024;

/// Warnings for the user before an agent reads the skills.
#[derive(Debug, Clone, Default)]
pub struct Cautions {
    /// Findings of safety rules: the most severe first, then skill by skill.
    pub findings: Vec<Finding>,
    /// Skills that an agent cannot use: a chosen one, or any when the name is not valid.
    pub not_loaded: Vec<NotLoaded>,
}

/// A skill that an agent cannot use.
#[derive(Debug, Clone)]
pub struct NotLoaded {
    pub name: String,
    /// Where it comes from.
    pub path: PathBuf,
    pub agent: &'static Agent,
    /// Why not.
    pub obstacle: Obstacle,
}

/// Reads and judges every file of these skills. Returns the findings of each.
pub fn look(
    taken: &[Judged<Prepared>],
    judge: &JudgeOptions,
    allowance: &Allowance,
    threads: usize,
) -> Result<Vec<Vec<Finding>>> {
    let candidates = taken.iter().filter_map(|judged| judged.made.candidate.as_ref().ok());
    source_files::refuse_too_large(candidates, allowance.total)?;
    let room = Room::new(KEPT_BYTES);
    let look_at = |judged: &Judged<Prepared>| match &judged.made.candidate {
        Ok(candidate) => findings(judged, candidate, judge, (allowance, &room)),
        Err(_) => Ok(Vec::new()),
    };
    parallel::map(taken, threads, look_at).into_iter().collect()
}

impl Cautions {
    /// Orders what is known about these skills.
    pub fn of(taken: &[Judged<Prepared>], mut findings: Vec<Finding>) -> Self {
        findings.retain(Finding::is_told);
        findings.sort_by_cached_key(|one| {
            let key = (one.skill.clone(), one.path.clone(), one.place);
            (Reverse(one.severity), one.rule.weight(), key)
        });
        let not_loaded = taken.iter().flat_map(|judged| {
            judged.made.lost.iter().map(|(agent, obstacle)| NotLoaded {
                name: judged.skill.name.clone(),
                path: judged.skill.path.clone(),
                agent,
                obstacle: obstacle.clone(),
            })
        });
        Self { findings, not_loaded: not_loaded.collect() }
    }
}

/// The findings of the safety rules in one skill.
fn findings(
    judged: &Judged<Prepared>,
    candidate: &Candidate,
    judge: &JudgeOptions,
    (allowance, room): (&Allowance, &Room),
) -> Result<Vec<Finding>> {
    let mut files = FileJudge::new(&judged.skill, candidate.skill_md.is_some(), judge);
    candidate.show_files(
        allowance,
        &mut FileLook {
            room,
            see: &mut |path, file| {
                if files.wants(path) {
                    files.read_file(file);
                }
            },
        },
    )?;
    let found = judged.made.checked.findings().iter().cloned();
    Ok(found.chain(files.finish()).collect())
}
