//! Asks every source once, as it was requested, and finds its version of each installed skill.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use crate::skills::fetch::Remotes;
use crate::skills::files::parallel;
use crate::skills::find::disabled;
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RuleOptions;
use crate::skills::judge::verdict::Judged;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::location::{Commit, Location};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::request::Request;
use crate::skills::put::install::candidate::{self, Candidate, CandidateOptions, Prepared};
use crate::skills::put::install::choice::CopyPolicy;
use crate::skills::put::install::destination::real_path;
use crate::skills::put::install::gather::{self, Gathered};
use crate::skills::put::install::site;
use crate::skills::put::update::asking::asked;
use crate::skills::put::update::news::{self, News};
use crate::skills::put::update::places::Place;
use crate::skills::put::update::{UpdateState, servers};
use crate::skills::text::document::SKILL_BYTES;
use crate::skills::text::suggest;

/// What to ask, and how.
#[derive(Debug)]
pub struct SurveyOptions<'a> {
    /// Only these skills; all when empty.
    pub names: &'a [SkillName],
    /// Whether to read the contents of changed files.
    pub versions: bool,
    /// Threads to use.
    pub threads: usize,
    /// The servers of this run.
    pub remotes: &'a Arc<Remotes>,
}

/// The sources' versions of installed skills.
#[derive(Debug, Default)]
pub struct Survey {
    /// The skills, directory by directory.
    pub skills: Vec<SurveyedSkill>,
    /// New versions; each may be for several copies.
    pub candidates: Vec<Candidate>,
    /// Directories whose record cannot be read.
    pub failures: Vec<Error>,
    /// Warnings about details that could not be determined.
    pub warnings: Vec<String>,
}

/// One installed skill, and its source's version.
#[derive(Debug)]
pub struct SurveyedSkill {
    /// The index of its directory among the places.
    pub place: usize,
    /// The real path of its directory.
    pub path: PathBuf,
    pub name: SkillName,
    pub record: InstallRecord,
    /// The commit or digest that its source means now.
    pub to: Option<String>,
    /// The answer of its source.
    pub answer: Answer,
}

/// The answer of a source for an installed skill.
#[derive(Debug)]
pub enum Answer {
    /// The version that is installed.
    Same,
    /// Another version.
    New(Box<News>),
    /// No version that can be installed.
    None(UpdateState, Error),
}

/// A source, and the installed skills from it.
pub struct Group {
    pub request: Request,
    /// The commit that it means now.
    pub commit: Option<String>,
    pub members: Vec<usize>,
}

/// Asks for every recorded skill of these directories.
pub fn survey(
    places: &[Place],
    options: &SurveyOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<Survey> {
    let mut survey = Survey::default();
    read_records(places, options, &mut survey)?;
    let mut groups = groups(places, &mut survey);
    servers::ask(&mut groups, options.remotes, &mut survey);
    servers::ask_network(&mut groups, options.remotes, &mut survey);
    groups.retain(|group| !group.members.is_empty());
    let existing: Vec<PathBuf> =
        places.iter().filter_map(|place| place.directory.canonicalize().ok()).collect();
    let look = |group: &Group| {
        let found = look(group, &existing, options, reporter);
        reporter.step();
        found
    };
    let wanted = servers::wanted_histories(&groups, &survey);
    // Fetch the histories while the files are read.
    let (looked, histories) = thread::scope(|scope| {
        let ask = || servers::histories(&wanted, options.remotes);
        let asking = thread::Builder::new().spawn_scoped(scope, ask).ok();
        servers::fetch(&groups, options.remotes);
        let looked = parallel::map_waiting(&groups, look);
        (looked, asking.map_or_else(ask, |asking| asking.join().unwrap_or_default()))
    });
    reporter.finish();
    for (group, found) in groups.iter().zip(looked) {
        settle(group, found, places, options, &mut survey);
    }
    servers::add_histories(histories, &mut survey);
    news::look_closer(places, options.versions, &mut survey);
    Ok(survey)
}

/// Reads the records of all directories.
fn read_records(places: &[Place], options: &SurveyOptions<'_>, survey: &mut Survey) -> Result<()> {
    let mut known = BTreeSet::new();
    for (number, place) in places.iter().enumerate() {
        let opened = site::existing_directory(&place.directory);
        let read = opened.and_then(|opened| match opened {
            Some((real, directory)) => Ok((Index::read(&directory, &real)?, real)),
            None => Ok((Index::default(), place.directory.clone())),
        });
        let (index, real) = match read {
            Ok(read) => read,
            Err(error) => {
                survey.failures.push(error);
                continue;
            }
        };
        for (name, record) in index.records {
            if options.names.is_empty() || options.names.contains(&name) {
                let path = real.join(name.as_str());
                let (to, answer) = (None, Answer::Same);
                survey.skills.push(SurveyedSkill {
                    place: number,
                    path,
                    name: name.clone(),
                    record,
                    to,
                    answer,
                });
            }
            known.insert(name);
        }
    }
    match options.names.iter().find(|name| !known.contains(*name)) {
        Some(missing) if survey.failures.is_empty() => Err(unknown(missing, places, &known)),
        _ => Ok(()),
    }
}

fn unknown(name: &SkillName, places: &[Place], known: &BTreeSet<SkillName>) -> Error {
    let shown: Vec<String> =
        places.iter().map(|place| format!("`{}`", place.directory.display())).collect();
    let message = match shown.is_empty() {
        true => "`skills` has not installed any skill".to_owned(),
        false => format!("no recorded skill named `{name}` in {}", shown.join(" or ")),
    };
    let mut error = Error::new(ErrorKind::NotFound, message).about(name.as_str(), None);
    if let [Place { directory, .. }] = places {
        let directory = real_path(directory);
        error = error.at(directory.join(name.as_str())).within(&directory);
    }
    let names: Vec<&str> = known.iter().map(SkillName::as_str).collect();
    match names.is_empty() {
        true => error.help("install one with `skills install SOURCE`"),
        false => {
            let all = format!("installed: {}", suggest::some(&names));
            error.help(suggest::help(name.as_str(), names.iter().copied(), all))
        }
    }
}

/// Groups the skills by source. Skills without a source to request get their answer here.
fn groups(places: &[Place], survey: &mut Survey) -> Vec<Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for (number, skill) in survey.skills.iter_mut().enumerate() {
        if skill.path.symlink_metadata().is_err() {
            let disabled = match skill.path.parent().map(disabled::names).transpose() {
                Ok(disabled) => disabled.unwrap_or_default(),
                Err(error) => {
                    skill.answer = Answer::None(UpdateState::Failed, error);
                    continue;
                }
            };
            if disabled.contains(&skill.name) {
                let help = format!("`skills enable {}` brings it back", skill.name);
                let error = err!(Conflict, "it is not updated while it is disabled").help(help);
                skill.answer = Answer::None(UpdateState::Disabled, error);
                continue;
            }
            let help = format!("`skills remove {}` forgets it", skill.name);
            let error = err!(NotFound, "its directory is gone").help(help);
            skill.answer = Answer::None(UpdateState::Missing, error);
            continue;
        }
        // A link always shows the current source.
        if skill.record.linked {
            continue;
        }
        match asked(&skill.record, places[skill.place].project.as_deref()) {
            Err(none) => skill.answer = Answer::None(none.state, none.error),
            Ok(request) => {
                let key = request.asked().unwrap_or_default();
                let group = groups.entry(key).or_insert_with(|| Group {
                    request,
                    commit: None,
                    members: Vec::new(),
                });
                group.members.push(number);
            }
        }
    }
    groups.into_values().collect()
}

/// Finds and judges the skills of one source.
fn look(
    group: &Group,
    existing: &[PathBuf],
    options: &SurveyOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<Gathered> {
    let selection = Selection {
        requests: vec![group.request.clone()],
        scan: ScanOptions { threads: options.threads, ..ScanOptions::default() },
        remotes: Arc::clone(options.remotes),
        ..Selection::default()
    };
    let rules = RuleOptions { max_skill_bytes: Some(SKILL_BYTES), ..RuleOptions::default() };
    let judge = JudgeOptions { rules, errors_only: true, safety: true, ..JudgeOptions::default() };
    let read = CandidateOptions { judge, ..CandidateOptions::default() };
    // A skill may have been installed from below another one.
    let policy = CopyPolicy { nested: true, by_plugin: true, ..CopyPolicy::default() };
    gather::gather(&selection, existing, &read, policy, reporter)
}

/// Sets the answer for every skill from a source.
fn settle(
    group: &Group,
    found: Result<Gathered>,
    places: &[Place],
    options: &SurveyOptions<'_>,
    survey: &mut Survey,
) {
    let gathered = match found {
        Ok(gathered) => gathered,
        Err(error) => {
            let state = match is_lost(group, &error, options.remotes) {
                true => UpdateState::Gone,
                false => UpdateState::Unreachable,
            };
            for member in &group.members {
                survey.skills[*member].answer = Answer::None(state, error.clone());
            }
            return;
        }
    };
    // By their numbers in the choice: several copies of a skill get the same candidate.
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    for member in &group.members {
        let skill = &survey.skills[*member];
        let judged = the_one(skill, &gathered);
        let answer =
            match judged.map(|(at, judged)| (at, &judged.made.candidate, &judged.made.checked)) {
                Some((_, _, checked)) if !checked.unseen.is_empty() => {
                    Answer::None(UpdateState::Unreachable, checked.unseen[0].clone())
                }
                Some((_, Err(error), _)) => Answer::None(UpdateState::Refused, error.clone()),
                Some((number, Ok(candidate), checked)) => {
                    let at = *taken.entry(number).or_insert_with(|| {
                        let mut candidate = candidate.clone();
                        let requests = std::slice::from_ref(&group.request);
                        candidate::attribute(std::slice::from_mut(&mut candidate), &[], requests);
                        survey.candidates.push(candidate);
                        survey.candidates.len() - 1
                    });
                    news::compare(&skill.record, &survey.candidates[at], at, checked.findings())
                }
                None => {
                    let project = places[skill.place].project.as_deref();
                    not_taken(skill, group, &gathered, project)
                }
            };
        survey.skills[*member].answer = answer;
    }
}

/// The skill of a source that an installed one is a copy of, and its number. If several plugins have
/// one of this name, it is that of the plugin that was recorded.
fn the_one<'g>(
    skill: &SurveyedSkill,
    gathered: &'g Gathered,
) -> Option<(usize, &'g Judged<Prepared>)> {
    let is_it = |judged: &Judged<Prepared>| judged.skill.name == skill.name.as_str();
    let taken = gathered.choice.taken.iter().enumerate();
    let mut named: Vec<_> = taken.filter(|(_, judged)| is_it(judged)).collect();
    if named.len() > 1 {
        let plugin = skill.record.plugin.as_deref();
        named.retain(|(_, judged)| judged.skill.plugin_name() == plugin);
    }
    named.first().copied()
}

/// Whether a source was read and has no skill where it was asked for.
fn is_lost(group: &Group, error: &Error, remotes: &Remotes) -> bool {
    match (group.request.location(), &group.commit) {
        _ if error.kind == ErrorKind::MissingSkillMd => true,
        _ if group.request.network().is_some() => error.kind == ErrorKind::NotFound,
        (Some(location), Some(commit)) => remotes.git.lacks_path(location, commit),
        _ => false,
    }
}

/// Why a source that could be read does not provide a skill.
fn not_taken(
    skill: &SurveyedSkill,
    group: &Group,
    gathered: &Gathered,
    project: Option<&Path>,
) -> Answer {
    let name = skill.name.as_str();
    let place = place_in(group, &skill.record, project);
    let is_there = |path: &Path| place.as_deref() == Some(path);
    let skipped = gathered.choice.skipped.iter();
    let mut skipped: Vec<_> =
        skipped.filter(|one| one.name == name || is_there(&one.path)).collect();
    skipped.sort_by_key(|one| one.name != name);
    if let Some(skipped) = skipped.first() {
        let error = Error::new(skipped.why.kind(), skipped.why.to_string()).at(&skipped.path);
        let error = match &skipped.why.help {
            Some(help) => error.help(help),
            None => error,
        };
        return Answer::None(UpdateState::Refused, error);
    }
    // The skill may be in a directory that could not be read.
    if let Some(error) = gathered.scan.unreadable.first() {
        return Answer::None(UpdateState::Unreachable, error.clone());
    }
    let source = group.request.asked().unwrap_or_default();
    if let Some(other) = gathered.choice.taken.iter().find(|one| is_there(&one.skill.path)) {
        let other = &other.skill;
        let help = format!(
            "`skills install '{source}' --only {}` installs it, and `skills remove {name}` removes \
             this one",
            other.name
        );
        let error = err!(NotFound, "`{source}` calls it `{}` now", other.name).help(help);
        return Answer::None(UpdateState::Renamed, error);
    }
    let error = err!(NotFound, "`{source}` no longer has it");
    Answer::None(UpdateState::Gone, error.help("`skills update --prune` removes it"))
}

/// The place of the installed version, as a scan of this source would report it.
fn place_in(group: &Group, record: &InstallRecord, project: Option<&Path>) -> Option<PathBuf> {
    let Some(id) = &group.commit else {
        let path = Path::new(&record.source);
        let path = project.map_or_else(|| path.to_owned(), |root| root.join(path));
        return path.canonicalize().ok();
    };
    let location = Location::parse(&record.source).ok()??;
    let root = location.path.clone();
    let whole = PathBuf::from(Commit { location, id: id.clone() }.to_string());
    Some(if root.is_empty() { whole } else { whole.join(root) })
}
