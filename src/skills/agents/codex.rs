//! Codex 0.166.0: strict YAML with one repair, and nothing without a description.

use std::path::{Path, PathBuf};

use super::Agent;
use super::listing::Shown;
use super::loading::{Beside, Budget, Loading, Order, Place, Root, Winner};
use super::reading::{Candidate, Seen, folded, is_flow_collection, listed, lost, mapping, scalar};
use crate::skills::discovery::walk::{Bounds, RootSkill};
use crate::skills::environment::{Climb, Git, Home, Outside, UserRoot};
use crate::skills::limits::{DESCRIPTION_CHARS, NAME_CHARS};
use crate::skills::yaml::{self, Duplicate, Lenience, Mapping, Value};

/// The row of Codex.
pub(super) const AGENT: Agent = Agent {
    id: "codex",
    title: "Codex",
    aliases: &["codex-cli"],
    observed: "Codex 0.166.0",
    loading: Loading {
        places: &[
            Place {
                provider: "codex",
                root: Root::Project(".codex/skills", Climb { git: Git::MadeByGit, ..CLIMB }),
                group: 2,
                ..PLACE
            },
            Place { provider: "codex", root: Root::User(home("skills")), group: 3, ..PLACE },
            Place {
                provider: "agents",
                root: Root::User(UserRoot::Home(".agents/skills")),
                group: 3,
                ..PLACE
            },
            Place {
                provider: "codex",
                root: Root::User(home("skills/.system")),
                group: 0,
                ..PLACE
            },
            Place {
                provider: "codex",
                root: Root::User(UserRoot::Absolute("/etc/codex/skills")),
                group: 1,
                ..PLACE
            },
            Place {
                provider: "agents",
                root: Root::ProjectOutermostFirst(".agents/skills", CLIMB),
                group: 2,
                ..PLACE
            },
        ],
        winner: Winner::Everyone,
        order: Order::Name,
        linked_skill_md: false,
        real_directory_name: true,
        read,
        beside: Some(Beside { file: "agents/openai.yaml", withholds: is_withheld }),
        ..Loading::USUAL
    },
    budget: Some(Budget {
        characters: 20_000,
        effect: "beyond that Codex cuts descriptions short",
    }),
    listing,
};

/// Tokens of all lines together: a fiftieth of the usual context.
const LISTING_TOKENS: usize = 5_440;
/// What Codex's own skills take of them where they are not on the disk yet.
const BUILT_IN_TOKENS: usize = 392;

/// The skills directories with a short name each, then one line a skill.
fn listing(skills: &[Shown]) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let is_system = |root: &Path| root.ends_with("skills/.system");
    let mut roots: Vec<(usize, PathBuf)> =
        skills.iter().map(|skill| (skill.root_number, skill.root.clone())).collect();
    roots.sort();
    roots.dedup();
    let has_system = roots.iter().any(|(_, root)| is_system(root));
    let mut out = String::from("### Skill roots\n");
    for (alias, (_, root)) in roots.iter().enumerate() {
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        out += &format!("- `r{alias}` = `{}`\n", real.display());
    }
    out += "### Available skills\n";
    let file = |skill: &Shown| {
        let alias = roots.iter().position(|(number, _)| *number == skill.root_number);
        format!("(file: r{}/{})", alias.unwrap_or_default(), skill.relative().display())
    };
    let files: Vec<String> = skills.iter().map(file).collect();
    let tokens = LISTING_TOKENS - if has_system { 0 } else { BUILT_IN_TOKENS };
    for (at, description) in cut_to(skills, &files, tokens).into_iter().enumerate() {
        let gap = if description.is_empty() { "" } else { " " };
        out += &format!("- {}: {description}{gap}{}\n", skills[at].listed.name, files[at]);
    }
    out
}

/// The descriptions that fit: all of them, else as many characters as each can have in turn, else
/// none for as many skills as fit without.
fn cut_to<'a>(skills: &'a [Shown], files: &[String], tokens: usize) -> Vec<&'a str> {
    let cost = |bytes: usize| (bytes + 1).div_ceil(4);
    let bare: Vec<usize> = skills
        .iter()
        .zip(files)
        .map(|(skill, file)| format!("- {}: {file}", skill.listed.name).len())
        .collect();
    let whole = skills
        .iter()
        .zip(&bare)
        .map(|(skill, bare)| cost(bare + 1 + skill.listed.description.len()));
    if whole.sum::<usize>() <= tokens {
        return skills.iter().map(|skill| skill.listed.description.as_str()).collect();
    }
    let mut room = tokens;
    let fitting = bare.iter().take_while(|bare| {
        let fits = room.checked_sub(cost(**bare));
        room = fits.unwrap_or(room);
        fits.is_some()
    });
    let fitting = fitting.count();
    let mut kept = vec![0; fitting];
    if fitting == skills.len() {
        let ends: Vec<Vec<usize>> =
            skills.iter().map(|skill| char_ends(&skill.listed.description)).collect();
        let mut granted = true;
        while granted {
            granted = false;
            for at in 0..fitting {
                let Some(end) = ends[at].get(kept[at]) else { continue };
                let before = if kept[at] == 0 {
                    cost(bare[at])
                } else {
                    cost(bare[at] + 1 + ends[at][kept[at] - 1])
                };
                let more = cost(bare[at] + 1 + end) - before;
                if let Some(rest) = room.checked_sub(more) {
                    room = rest;
                    kept[at] += 1;
                    granted = true;
                }
            }
        }
        return skills
            .iter()
            .enumerate()
            .map(|(at, skill)| {
                &skill.listed.description
                    [..kept[at].checked_sub(1).map_or(0, |last| ends[at][last])]
            })
            .collect();
    }
    vec![""; fitting]
}

/// Where each character ends, in bytes.
fn char_ends(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, character)| at + character.len_utf8()).collect()
}

const PLACE: Place = Place {
    bounds: Bounds {
        depth: Some(6),
        below_skills: true,
        root_skill: RootSkill::Counts,
        directories: Some(2_000),
        ..Bounds::FLAT
    },
    ..Place::FLAT
};

const CLIMB: Climb = Climb { git: Git::AnyEntry, outside: Outside::Here, home: Home::Counts };

const fn home(below: &'static str) -> UserRoot {
    UserRoot::Variable { name: "CODEX_HOME", fallback: ".codex", below }
}

/// What Codex makes of a skill.
fn read(candidate: &Candidate<'_>) -> Seen {
    let Ok(text) = std::str::from_utf8(candidate.bytes) else {
        return lost("it is not UTF-8");
    };
    let Some(yaml) = front_matter(text) else {
        return lost("it has no front matter between two lines of `---`");
    };
    let take = |fields: &Mapping<'_>, duplicates: &[Duplicate]| {
        take(fields, duplicates, candidate.directory)
    };
    let lenience = Lenience { unknown_tags: true, merge_keys: false };
    match mapping(&yaml, lenience, take) {
        Ok(Ok(seen)) => seen,
        // A value of the wrong type may be one that YAML misread.
        Ok(Err(reason)) | Err(reason) => match mapping(&repaired(&yaml), lenience, take) {
            Ok(Ok(seen)) => seen,
            _ => lost(reason),
        },
    }
}

/// The lines between the first line and the next `---`, whatever blanks surround them.
fn front_matter(text: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.next().filter(|line| line.trim() == "---")?;
    let mut yaml = Vec::new();
    for line in lines {
        if line.trim() == "---" {
            return (!yaml.is_empty()).then(|| yaml.join("\n"));
        }
        yaml.push(line);
    }
    None
}

/// An error for what YAML may have misread, else what Codex makes of the fields.
fn take(fields: &Mapping<'_>, duplicates: &[Duplicate], directory: &str) -> Result<Seen, String> {
    let known = |duplicate: &&Duplicate| {
        ["name", "description", "metadata"].contains(&duplicate.key.as_str())
    };
    if let Some(duplicate) = duplicates.iter().find(known) {
        return Ok(lost(format!("`{}` appears twice", duplicate.key)));
    }
    for key in ["name", "description"] {
        if let Some(Value::Sequence(_) | Value::Mapping(_)) =
            fields.get(key).map(|node| &node.value)
        {
            return Err(format!("`{key}` is not a string"));
        }
    }
    if let Some(node) = fields.get("metadata")
        && !matches!(node.value, Value::Mapping(_) | Value::Null)
    {
        return Ok(lost("`metadata` is not a mapping"));
    }
    let description = folded(scalar(fields.get("description")).unwrap_or_default());
    if description.is_empty() {
        return Ok(lost("it has no description"));
    }
    let name = folded(scalar(fields.get("name")).unwrap_or_default());
    let name = if name.is_empty() { directory } else { &name };
    if name.chars().count() > NAME_CHARS {
        return Ok(lost(format!("its name has more than {NAME_CHARS} characters")));
    }
    Ok(listed(name, cut(&description)))
}

fn cut(description: &str) -> String {
    if description.chars().count() <= DESCRIPTION_CHARS {
        return description.to_owned();
    }
    let kept: String = description.chars().take(DESCRIPTION_CHARS - 3).collect();
    format!("{kept}...")
}

/// The front matter with values in quotes that YAML would not take plain: the second try.
fn repaired(yaml: &str) -> String {
    let lines = yaml.lines().map(|line| quoted(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

fn quoted(line: &str) -> Option<String> {
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    if value.starts_with(['"', '\'', '|', '>', '#']) || key.trim_start().starts_with(['-', '#']) {
        return None;
    }
    let value = value.split(" #").next().unwrap_or(value).trim_end();
    let misread = match value.chars().next()? {
        '@' | '`' => true,
        '[' | '{' => !is_flow_collection(value),
        _ => false,
    };
    let has_colon = value.contains(": ") || value.contains(":\t");
    (misread || has_colon).then(|| format!("{key}: '{}'", value.replace('\'', "''")))
}

/// Whether a skill's `agents/openai.yaml` keeps it from the model.
fn is_withheld(openai_yaml: &str) -> bool {
    let Ok(document) = yaml::read_permissively(openai_yaml, Lenience::default()) else {
        return false;
    };
    let policy = document.root.as_mapping().and_then(|root| root.get("policy")?.as_mapping());
    let Some(policy) = policy else { return false };
    let implicit = policy.get("allow_implicit_invocation").map(|node| &node.value);
    let elsewhere = policy.get("products").is_some_and(|node| match &node.value {
        Value::Sequence(items) => {
            !items.is_empty() && !items.iter().any(|item| item.as_str() == Some("codex"))
        }
        _ => false,
    });
    implicit == Some(&Value::Bool(false)) || elsewhere
}
