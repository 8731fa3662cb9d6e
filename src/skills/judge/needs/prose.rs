//! Reads `compatibility`, which is free text for people.
//!
//! A sentence counts only when all of it is understood: `Requires git, docker and Python 3.10+`.
//! Items that are names and nothing else, such as `poppler-utils`, stay text beside the others. Any
//! other word, such as `optional`, `either` or `unless`, may change what the others mean, so the whole
//! sentence stays text.

use memchr::memchr2_iter;

use crate::skills::agents::AGENTS;
use crate::skills::agents::table::TARGETS;
use crate::skills::judge::needs::words::{AGENT_NAMES, ENDINGS, NETWORK, PROGRAMS, WEIGHTY};
use crate::skills::judge::needs::{Need, OperatingSystem, ProgramNeed, is_program};
use crate::skills::model::environment::is_variable_name;

/// How a sentence begins, and what follows.
const OPENINGS: [(&str, SentenceKind); 21] = [
    ("requirements:", SentenceKind::Requires),
    ("requirements are", SentenceKind::Requires),
    ("prerequisites:", SentenceKind::Requires),
    ("requires:", SentenceKind::Requires),
    ("requires", SentenceKind::Requires),
    ("require", SentenceKind::Requires),
    ("required:", SentenceKind::Requires),
    ("needs", SentenceKind::Requires),
    ("need", SentenceKind::Requires),
    ("depends on", SentenceKind::Requires),
    ("runs on", SentenceKind::SuitedTo),
    ("works on", SentenceKind::SuitedTo),
    ("designed for", SentenceKind::SuitedTo),
    ("made for", SentenceKind::SuitedTo),
    ("built for", SentenceKind::SuitedTo),
    ("works with", SentenceKind::SuitedTo),
    ("works in", SentenceKind::SuitedTo),
    ("compatible with", SentenceKind::SuitedTo),
    ("platforms:", SentenceKind::SuitedTo),
    ("platform:", SentenceKind::SuitedTo),
    ("os:", SentenceKind::SuitedTo),
];

/// What a sentence says of the items in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SentenceKind {
    /// Each is needed.
    Requires,
    /// Systems and agents that the skill is for; each is enough.
    SuitedTo,
}

/// Whether an item is only a name: up to three words without other characters.
fn is_name(item: &str) -> bool {
    const MOST_WORDS: usize = 3;
    let words: Vec<&str> = item.split_whitespace().collect();
    let is_word = |word: &&str| {
        word.starts_with(|first: char| first.is_alphanumeric())
            && word.chars().all(|c| c.is_alphanumeric() || "._+-@".contains(c))
    };
    (1..=MOST_WORDS).contains(&words.len())
        && words.iter().all(is_word)
        && !words.iter().any(|word| WEIGHTY.contains(&word.to_lowercase().as_str()))
}

/// What a text says is needed, sentence by sentence.
pub fn needs(text: &str) -> Vec<Need> {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences = sentences(&folded);
    let understood: Vec<Option<Vec<Need>>> =
        sentences.iter().map(|sentence| understand(sentence)).collect();
    let mut needs = Vec::new();
    for (sentence, found) in sentences.into_iter().zip(understood) {
        match found {
            Some(found) => needs.extend(found),
            None => needs.push(Need::Text(sentence.to_owned())),
        }
    }
    needs
}

/// An upper bound on the sets of systems that a text asks for: one a sentence, and none without a part
/// of the names that systems have.
pub fn most_systems(text: &str) -> usize {
    let text = text.trim_end().trim_end_matches('.');
    match 1 + memchr2_iter(b'.', b';', text.as_bytes()).count() {
        1 => 1,
        several => {
            let lower = text.to_ascii_lowercase();
            let parts = ["linux", "mac", "os", "darwin", "win", "unix"];
            if parts.iter().any(|part| lower.contains(part)) { several } else { 0 }
        }
    }
}

/// Splits at semicolons, and at full stops before a blank.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        if c == ';' || (c == '.' && (after.is_empty() || after.starts_with(' '))) {
            sentences.push(text[start..at].trim());
            start = at + 1;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn understand(sentence: &str) -> Option<Vec<Need>> {
    let lower = sentence.to_lowercase();
    // Offsets hold only if the lower-case text has the same length.
    if lower.len() != sentence.len() {
        return None;
    }
    let opening = OPENINGS.iter().find(|(words, _)| {
        lower.strip_prefix(words).is_some_and(|rest| words.ends_with(':') || rest.starts_with(' '))
    });
    let (rest, kind) = match opening {
        Some((words, kind)) => (sentence[words.len()..].trim(), *kind),
        None => (sentence, SentenceKind::Requires),
    };
    let (rest, is_open) = match ["(or similar products)", "(or similar)", "(and compatible)"]
        .iter()
        .find_map(|ending| rest.strip_suffix(ending))
    {
        Some(rest) => (rest.trim(), true),
        None => (rest, false),
    };
    let (rest, only) = match rest.strip_suffix(" only") {
        Some(rest) => (rest.trim(), true),
        None => (rest, false),
    };
    let mut needs: Vec<Need> = Vec::new();
    let (mut systems, mut agents) = (Vec::new(), Vec::new());
    for item in items(rest) {
        match understand_item(item) {
            Some(Need::System(more)) => join(&mut systems, more),
            Some(Need::Agent { ids, .. }) => join(&mut agents, ids),
            Some(need) if kind == SentenceKind::Requires && !only && !is_open => needs.push(need),
            // Without a verb, a name may be anything.
            None if kind == SentenceKind::Requires
                && opening.is_some()
                && !only
                && !is_open
                && is_name(item) =>
            {
                needs.push(Need::Text(item.to_owned()));
            }
            _ => return None,
        }
    }
    let is_suited = kind == SentenceKind::SuitedTo;
    if !agents.is_empty() {
        // Beside programs, the name of an agent may mean its program.
        if !needs.is_empty() {
            return None;
        }
        let only = only || (opening.is_some() && !is_suited && !is_open);
        needs.insert(0, Need::Agent { ids: agents, only });
    }
    if !systems.is_empty() {
        needs.insert(0, Need::System(systems));
    }
    Some(needs).filter(|needs| !needs.is_empty())
}

fn join<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

/// The items of a list with commas, `and`, `&` or `+` between them.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let list = list.strip_suffix('.').unwrap_or(list);
    list.split(',')
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" & "))
        .flat_map(|part| part.split(" + "))
        .map(|item| {
            let item = item.trim();
            item.strip_prefix("and ").unwrap_or(item).trim()
        })
        .filter(|item| !item.is_empty())
}

/// One item, if all of it is understood.
fn understand_item(item: &str) -> Option<Need> {
    let item = without_ends(item);
    if NETWORK.contains(&item.to_lowercase().as_str()) {
        return Some(Need::Network);
    }
    if let Some(program) = program(item) {
        return Some(Need::Program(program));
    }
    let alternatives: Vec<&str> = item.split(" or ").flat_map(|part| part.split('/')).collect();
    let alternatives: Vec<&str> = alternatives.iter().map(|part| part.trim()).collect();
    let systems: Vec<_> = alternatives.iter().map(|word| OperatingSystem::named(word)).collect();
    if systems.iter().all(|systems| !systems.is_empty()) {
        let mut all = Vec::new();
        systems.into_iter().for_each(|systems| join(&mut all, systems.to_vec()));
        return Some(Need::System(all));
    }
    let agents: Option<Vec<&'static str>> = alternatives.iter().map(|word| agent(word)).collect();
    if let Some(ids) = agents {
        return Some(Need::Agent { ids, only: false });
    }
    if let Some(name) = variable(item) {
        return Some(Need::Variable(name.to_owned()));
    }
    // `docker or podman`: one of them is enough, and a version would be of one of them.
    let programs: Option<Vec<ProgramNeed>> = item.split(" or ").map(program).collect();
    let programs = programs?;
    if programs.iter().any(|program| program.version.is_some()) {
        return None;
    }
    let names = programs.into_iter().flat_map(|program| program.names).collect();
    Some(Need::Program(ProgramNeed { names, version: None }))
}

/// An item without articles and filler words.
fn without_ends(item: &str) -> &str {
    let mut item = item;
    for article in ["a ", "an ", "the "] {
        if item.len() > article.len() && item.is_char_boundary(article.len()) {
            let (start, rest) = item.split_at(article.len());
            if start.eq_ignore_ascii_case(article) {
                item = rest;
                break;
            }
        }
    }
    // `GitHub CLI` and `Gemini CLI` are names.
    if agent(item).is_some() || program(item).is_some() {
        return item;
    }
    for ending in ENDINGS {
        let Some(at) = item.len().checked_sub(ending.len()) else { continue };
        if item.is_char_boundary(at) && item[at..].eq_ignore_ascii_case(ending) {
            item = item[..at].trim();
        }
    }
    item
}

/// The agent that this is the name of.
fn agent(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    // Words with other meanings do not count as names.
    if matches!(name.as_str(), "continue" | "warp" | "jazz" | "bob" | "kilo" | "fx" | "mux" | "ona")
    {
        return None;
    }
    let id = name.replace(' ', "-");
    let observed = AGENTS.iter().find(|agent| {
        agent.id == id
            || agent.aliases.contains(&id.as_str())
            || agent.title.eq_ignore_ascii_case(&name)
    });
    let target = || TARGETS.iter().find(|target| target.id == id).map(|target| target.id);
    let other = || AGENT_NAMES.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
    observed.map(|agent| agent.id).or_else(target).or_else(other)
}

/// The variable that this is the name of: `$NAME`, or capitals with an underscore.
fn variable(item: &str) -> Option<&str> {
    let bare = item.trim_matches('`');
    let name = bare.strip_prefix('$').unwrap_or(bare);
    let is_loud = name.contains('_') && !name.chars().any(|c| c.is_ascii_lowercase());
    (is_variable_name(name) && (is_loud || bare.starts_with('$'))).then_some(name)
}

/// A program with its version: a word that is known, or one in backquotes.
fn program(item: &str) -> Option<ProgramNeed> {
    let (name, version) = split_version(item);
    let version = version.map(str::to_owned);
    if let Some(quoted) = name.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        let is_named = is_program(quoted) && variable(quoted).is_none();
        return is_named.then(|| ProgramNeed { names: vec![quoted.to_owned()], version });
    }
    let lower = name.to_lowercase();
    let (_, names) = PROGRAMS.iter().find(|(words, _)| words.contains(&lower.as_str()))?;
    Some(ProgramNeed { names: names.iter().map(|name| (*name).to_owned()).collect(), version })
}

/// Cuts a version off the end: `3.10+`, `>= 18`, `v2`, `1.x or later`.
fn split_version(item: &str) -> (&str, Option<&str>) {
    const LATER: [&str; 4] = [" or later", " or newer", " or higher", " or above"];
    let lower = item.to_ascii_lowercase();
    let end = LATER.iter().find_map(|words| lower.strip_suffix(words)).map_or(item.len(), str::len);
    let Some((name, number)) = item[..end].rsplit_once(' ') else { return (item, None) };
    let digits = number
        .trim_start_matches(['>', '=', '^', '~'])
        .trim_start_matches(['v', 'V'])
        .trim_end_matches('+');
    let is_version = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.' || c == 'x');
    if !is_version {
        return (item, None);
    }
    let name = name.trim_end();
    let bare = name.trim_end_matches(['>', '=']).trim_end();
    (bare, Some(item[bare.len()..].trim()))
}
