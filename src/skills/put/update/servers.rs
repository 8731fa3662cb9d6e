//! Asks servers what revisions, tags and addresses mean now: each once, several in parallel.

use std::collections::{BTreeMap, BTreeSet};

use crate::skills::fetch::Remotes;
use crate::skills::fetch::git::History;
use crate::skills::files::parallel;
use crate::skills::model::address::{Address, Pins};
use crate::skills::model::error::{ErrorKind, Result};
use crate::skills::model::location::Location;
use crate::skills::model::request::RequestedSource;
use crate::skills::put::update::UpdateState;
use crate::skills::put::update::survey::{Answer, Group, Survey, SurveyedSkill};

/// An address and two commits.
type CommitSpan = (String, String, String);

/// Asks git servers for the current commits. Skills from that commit are up to date.
pub fn ask(groups: &mut [Group], remotes: &Remotes, survey: &mut Survey) {
    let mut remote: Vec<&mut Group> =
        groups.iter_mut().filter(|group| group.request.location().is_some()).collect();
    let locations: Vec<Location> =
        remote.iter().filter_map(|group| group.request.location().cloned()).collect();
    // Ask each server once, several servers in parallel.
    let mut servers: BTreeMap<&str, Vec<&Location>> = BTreeMap::new();
    for location in &locations {
        servers.entry(&location.url).or_default().push(location);
    }
    let servers: Vec<Vec<&Location>> = servers.into_values().collect();
    let ask = |asked: &Vec<&Location>| -> Vec<(Location, Result<String>)> {
        let ask = |one: &&Location| ((*one).clone(), remotes.git.current(one));
        asked.iter().map(ask).collect()
    };
    let answers: Vec<(Location, Result<String>)> =
        parallel::map_waiting(&servers, ask).into_iter().flatten().collect();
    for group in &mut remote {
        let answer = answers.iter().find(|(one, _)| Some(one) == group.request.location());
        match answer.map(|(_, answer)| answer) {
            Some(Ok(commit)) => {
                group.members.retain(|member| {
                    let skill = &mut survey.skills[*member];
                    skill.to = Some(commit.clone());
                    skill.record.commit.as_ref() != Some(commit)
                });
                if let RequestedSource::Git(_, pin) = &mut group.request.what {
                    *pin = Some(commit.clone());
                }
                group.commit = Some(commit.clone());
            }
            Some(Err(error)) => {
                for member in group.members.drain(..) {
                    let answer = Answer::None(UpdateState::Unreachable, error.clone());
                    survey.skills[member].answer = answer;
                }
            }
            None => {}
        }
    }
}

/// Asks other servers for the current artifacts. Skills from that artifact are up to date.
pub fn ask_network(groups: &mut [Group], remotes: &Remotes, survey: &mut Survey) {
    let mut asked: Vec<&mut Group> =
        groups.iter_mut().filter(|group| group.request.network().is_some()).collect();
    let addresses: Vec<Address> = asked
        .iter()
        .filter_map(|group| group.request.network().map(|source| source.address.clone()))
        .collect();
    let answers =
        parallel::map_waiting(&addresses, |address: &Address| remotes.network.current(address));
    for (group, answer) in asked.iter_mut().zip(answers) {
        match answer {
            Ok(current) => {
                group.members.retain(|member| {
                    let skill = &mut survey.skills[*member];
                    let now =
                        current.whole.or_else(|| current.skills.get(skill.name.as_str()).copied());
                    skill.to = now.map(|digest| digest.to_string());
                    now.is_none() || skill.record.artifact != now
                });
                // Pin the digest, because a tag may move before the files are fetched.
                if let RequestedSource::Network(source) = &mut group.request.what {
                    source.pins = narrowed(
                        current,
                        group.members.iter().map(|member| survey.skills[*member].name.as_str()),
                    );
                }
            }
            Err(error) => {
                for member in group.members.drain(..) {
                    let state = match error.kind {
                        ErrorKind::NotFound => UpdateState::Gone,
                        _ => UpdateState::Unreachable,
                    };
                    survey.skills[member].answer = Answer::None(state, error.clone());
                }
            }
        }
    }
}

/// The pins of these skills alone, if each has one: nothing else is fetched then.
fn narrowed<'a>(mut pins: Pins, names: impl Iterator<Item = &'a str>) -> Pins {
    let names: BTreeSet<&str> = names.collect();
    if names.iter().all(|name| pins.skills.contains_key(*name)) {
        pins.skills.retain(|name, _| names.contains(name.as_str()));
    }
    pins
}

/// Fetches what several sources of one commit need at once.
pub fn fetch(groups: &[Group], remotes: &Remotes) {
    let mut together: BTreeMap<(&str, &str), Vec<Location>> = BTreeMap::new();
    for group in groups {
        if let (Some(location), Some(commit)) = (group.request.location(), &group.commit) {
            together.entry((&location.url, commit)).or_default().push(location.clone());
        }
    }
    let together: Vec<_> = together.into_iter().filter(|(_, places)| places.len() > 1).collect();
    parallel::map_waiting(&together, |((_, commit), places)| {
        remotes.git.fetch_together(places, commit);
    });
}

/// The histories to show, as pairs of commits of a repository.
pub fn wanted_histories(groups: &[Group], survey: &Survey) -> BTreeMap<CommitSpan, Location> {
    let mut wanted = BTreeMap::new();
    for group in groups {
        let Some(location) = group.request.location() else { continue };
        let spans = group.members.iter().filter_map(|member| span(&survey.skills[*member]));
        wanted.extend(spans.map(|span| (span, location.clone())));
    }
    wanted
}

/// Asks for them, each once.
pub fn histories(
    wanted: &BTreeMap<CommitSpan, Location>,
    remotes: &Remotes,
) -> Vec<(CommitSpan, Result<History>)> {
    let wanted: Vec<_> = wanted.iter().collect();
    let ask = |asked: &(&CommitSpan, &Location)| {
        let ((_, from, to), location) = asked;
        remotes.git.history(location, from, to)
    };
    let answers = parallel::map_waiting(&wanted, ask);
    wanted.into_iter().map(|(span, _)| span.clone()).zip(answers).collect()
}

/// Adds them to the skills that have something new.
pub fn add_histories(histories: Vec<(CommitSpan, Result<History>)>, survey: &mut Survey) {
    let known: BTreeMap<CommitSpan, Result<History>> = histories.into_iter().collect();
    let mut warnings = Vec::new();
    for skill in &mut survey.skills {
        let answer = span(skill).and_then(|span| known.get(&span));
        let Answer::New(news) = &mut skill.answer else { continue };
        match answer {
            Some(Ok(history)) => news.history = Some(history.clone()),
            // The differences are known, so a missing history is only a warning.
            Some(Err(error)) => warnings.push(error.message.clone()),
            None => {}
        }
    }
    warnings.dedup();
    survey.warnings.extend(warnings);
}

fn span(skill: &SurveyedSkill) -> Option<CommitSpan> {
    let url = Location::parse(skill.record.requested.as_deref()?).ok()??.url;
    Some((url, skill.record.commit.clone()?, skill.to.clone()?))
}
