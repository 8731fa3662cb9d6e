//! Codex 0.169.0: strict YAML with one repair; drops skills without a description.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::skills::agents::listing::ShownSkill;
use crate::skills::agents::readers::{
    AgentReading, RawSkill, folded, is_flow_collection, listed, lost, mapping, scalar,
};
use crate::skills::agents::table::{self, target};
use crate::skills::agents::walk::{RootSkill, WalkBounds};
use crate::skills::agents::{
    Agent, AgentDirectory, Beside, Budget, LoadingRules, Login, Mounting, Order, Root,
    VariableValue, Winner, confinement, dialects,
};
use crate::skills::model::environment::{Climb, HomeRule, OutsideRule, RepositoryMark, UserRoot};
use crate::skills::text::document::{DESCRIPTION_CHARS, NAME_CHARS};
use crate::skills::text::yaml::{self, Duplicate, Mapping, Node, Value, Yaml};

/// The row of Codex.
pub const AGENT: Agent = Agent {
    id: "codex",
    title: "Codex",
    aliases: &["codex-cli"],
    packages: &["@openai/codex"],
    observed: "Codex 0.169.0",
    target: target("codex", ".agents/skills", table::home(".agents/skills")),
    mounting: Mounting {
        // A directory of its own, because the user's has skills.
        set: &[("CODEX_HOME", VariableValue::Below(".codex"))],
        // The user's sessions.
        unset: &["CODEX_SQLITE_HOME"],
        settings: &[],
        logins: &[Login { inside: ".codex/auth.json", real: home("auth.json") }],
        keys: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        amazon: false,
        confinement: Ok(confinement::CODEX),
    },
    loading: LoadingRules {
        places: &[
            AgentDirectory {
                provider: "codex",
                root: Root::Project(
                    ".codex/skills",
                    Climb { git: RepositoryMark::MadeByGit, ..CLIMB },
                ),
                group: 2,
                ..PLACE
            },
            AgentDirectory {
                provider: "codex",
                root: Root::User(home("skills")),
                group: 3,
                ..PLACE
            },
            AgentDirectory {
                provider: "agents",
                root: Root::User(UserRoot::Home(".agents/skills")),
                group: 3,
                ..PLACE
            },
            AgentDirectory {
                provider: "codex",
                root: Root::User(home("skills/.system")),
                group: 0,
                ..PLACE
            },
            AgentDirectory {
                provider: "codex",
                root: Root::User(UserRoot::Absolute("/etc/codex/skills")),
                group: 1,
                ..PLACE
            },
            AgentDirectory {
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
        ..LoadingRules::USUAL
    },
    budget: Some(Budget {
        characters: 20_000,
        effect: "beyond that Codex cuts descriptions short",
    }),
    open_elements: &["skills_instructions"],
    listing: |skills, roots| listing(skills, roots).into(),
};

/// Tokens of the lines with skills: 2% of the usual context.
const LISTING_TOKENS: usize = 5_440;

/// Characters of these lines together with those of the skills directories.
const LISTING_CHARS: usize = 21_899;

/// Codex's built-in skills: bytes of each line without its description, characters of the
/// description, and the positions of three-byte characters in it.
const BUILT_IN: [(usize, usize, &[usize]); 4] =
    [(40, 570, &[]), (46, 624, &[]), (50, 106, &[]), (54, 225, &[])];

/// The skills directories with short names, then one line per skill.
fn listing(skills: &[ShownSkill], all_roots: &[PathBuf]) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let is_system = |number: usize| all_roots[number].ends_with("skills/.system");
    let is_used = |number: &usize| {
        is_system(*number) || skills.iter().any(|skill| skill.root_number == *number)
    };
    let roots: Vec<usize> = (0..all_roots.len()).filter(is_used).collect();
    let mut out = String::from("### Skill roots\n");
    for (alias, number) in roots.iter().enumerate() {
        let root = &all_roots[*number];
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        let _ = writeln!(out, "- `r{alias}` = `{}`", real.display());
    }
    let tokens = tokens_beside(out.lines().skip(1).map(|line| line.chars().count()).sum());
    out += "### Available skills\n";
    let file = |skill: &ShownSkill| {
        let alias = roots.iter().position(|number| *number == skill.root_number);
        format!("(file: r{}/{})", alias.unwrap_or_default(), skill.relative().display())
    };
    let files: Vec<String> = skills.iter().map(file).collect();
    let own: &[(usize, usize, &[usize])] =
        if skills.iter().any(|skill| is_system(skill.root_number)) { &[] } else { &BUILT_IN };
    let lines = skills.iter().zip(&files).map(|(skill, file)| ShortenedLine {
        bare: format!("- {}: {file}", skill.listed.name).len(),
        ends: char_ends(&skill.listed.description),
    });
    let own = own.iter().map(|(bare, characters, wide)| {
        let end = |at: usize| at + 1 + 2 * wide.iter().filter(|wide| **wide <= at).count();
        ShortenedLine { bare: *bare, ends: (0..*characters).map(end).collect() }
    });
    let lines: Vec<ShortenedLine> = own.chain(lines).collect();
    let kept = cut_to(&lines, tokens);
    let ours = kept.into_iter().skip(lines.len() - skills.len());
    for ((skill, file), kept) in skills.iter().zip(&files).zip(ours) {
        let description = &skill.listed.description[..kept];
        let gap = if description.is_empty() { "" } else { " " };
        let _ = writeln!(out, "- {}: {description}{gap}{file}", skill.listed.name);
    }
    out
}

/// Tokens that remain for the skills beside this many characters of skills directories.
fn tokens_beside(directories: usize) -> usize {
    LISTING_TOKENS.min(LISTING_CHARS.saturating_sub(directories) / 4)
}

/// A line of the listing that may be cut.
struct ShortenedLine {
    /// Bytes without the description.
    bare: usize,
    /// Where each character of the description ends.
    ends: Vec<usize>,
}

impl ShortenedLine {
    /// Tokens with this many characters of the description.
    fn cost(&self, characters: usize) -> usize {
        let bytes = characters.checked_sub(1).map_or(0, |last| 1 + self.ends[last]);
        (self.bare + bytes + 1).div_ceil(4)
    }
}

/// How many bytes of each description fit: all; or else as many characters as fit when each line
/// gets one in turn; or else none, for as many skills as fit.
fn cut_to(lines: &[ShortenedLine], tokens: usize) -> Vec<usize> {
    let bytes = |line: &ShortenedLine, characters: usize| {
        characters.checked_sub(1).map_or(0, |last| line.ends[last])
    };
    if lines.iter().map(|line| line.cost(line.ends.len())).sum::<usize>() <= tokens {
        return lines.iter().map(|line| bytes(line, line.ends.len())).collect();
    }
    let mut room = tokens;
    let fitting = lines.iter().take_while(|line| {
        let less = room.checked_sub(line.cost(0));
        room = less.unwrap_or(room);
        less.is_some()
    });
    let fitting = fitting.count();
    if fitting < lines.len() {
        return vec![0; fitting];
    }
    let mut kept = vec![0; lines.len()];
    let mut granted = true;
    while granted {
        granted = false;
        for (line, kept) in lines.iter().zip(&mut kept) {
            if *kept == line.ends.len() {
                continue;
            }
            if let Some(less) = room.checked_sub(line.cost(*kept + 1) - line.cost(*kept)) {
                room = less;
                *kept += 1;
                granted = true;
            }
        }
    }
    lines.iter().zip(kept).map(|(line, kept)| bytes(line, kept)).collect()
}

/// Where each character ends, in bytes.
fn char_ends(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, character)| at + character.len_utf8()).collect()
}

/// How far Codex searches its skills directories.
pub(crate) const BOUNDS: WalkBounds = WalkBounds {
    depth: Some(6),
    below_skills: true,
    root_skill: RootSkill::Counts,
    directories: Some(2_000),
    ..WalkBounds::FLAT
};

const PLACE: AgentDirectory = AgentDirectory { bounds: BOUNDS, ..AgentDirectory::FLAT };

const CLIMB: Climb =
    Climb { git: RepositoryMark::AnyEntry, outside: OutsideRule::Here, home: HomeRule::Counts };

const fn home(below: &'static str) -> UserRoot {
    UserRoot::Variable { name: "CODEX_HOME", fallback: ".codex", below }
}

/// Reads a skill as Codex does.
fn read(candidate: &RawSkill<'_>) -> AgentReading {
    let Ok(text) = std::str::from_utf8(candidate.bytes) else {
        return lost("it is not UTF-8");
    };
    let Some(yaml) = front_matter(text) else {
        return lost("it has no front matter between two lines of `---`");
    };
    let take = |fields: &Mapping<'_>, duplicates: &[Duplicate]| {
        take(fields, duplicates, candidate.directory)
    };
    let mapping = |yaml: &str| mapping(yaml, dialects::LIBYAML, take);
    match mapping(&yaml) {
        Ok(Ok(seen)) => seen,
        // The repair can also change a value of the wrong type.
        Ok(Err(reason)) | Err(reason) => match mapping(&repaired(&yaml)) {
            Ok(Ok(seen)) => seen,
            _ => lost(reason),
        },
    }
}

/// The lines between two lines of `---`, which may have spaces around them.
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

/// Reads the fields; an error if the repair may help.
fn take(
    fields: &Mapping<'_>,
    duplicates: &[Duplicate],
    directory: &str,
) -> Result<AgentReading, String> {
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
    if !fields.get("metadata").is_none_or(is_metadata) {
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

/// Whether Codex accepts this `metadata`: a mapping with scalar keys, or no value, but not `null`.
fn is_metadata(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Mapping(mapping) => mapping.entries.iter().all(|entry| !entry.key.is_collection()),
        Value::Null => node.span.start == node.span.end,
        _ => false,
    }
}

fn cut(description: &str) -> String {
    if description.chars().count() <= DESCRIPTION_CHARS {
        return description.to_owned();
    }
    let kept: String = description.chars().take(DESCRIPTION_CHARS - 3).collect();
    format!("{kept}...")
}

/// The front matter for the second attempt: values quoted that YAML does not accept unquoted.
fn repaired(yaml: &str) -> String {
    let lines = yaml.lines().map(|line| quoted(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

fn quoted(line: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    let value = value.strip_prefix([' ', '\t'])?.trim();
    if value.starts_with(['"', '\'', '|', '>', '#'])
        || key.trim().is_empty()
        || key.trim_start().starts_with(['-', '#'])
    {
        return None;
    }
    let value = value.split(" #").next().unwrap_or(value).trim_end();
    let misread = match value.chars().next()? {
        '@' | '`' => true,
        '[' | '{' => !is_flow_collection(value, dialects::LIBYAML),
        _ => false,
    };
    let has_colon = value.contains(": ") || value.contains(":\t");
    (misread || has_colon).then(|| format!("{key}: '{}'", value.replace('\'', "''")))
}

/// Whether this `agents/openai.yaml` hides the skill from the model.
fn is_withheld(openai_yaml: &str) -> bool {
    yaml::read_as(openai_yaml, dialects::LIBYAML, is_withheld_by).unwrap_or(false)
}

fn is_withheld_by(settings: &Yaml<'_>) -> bool {
    let policy = settings.root.as_mapping().and_then(|root| root.get("policy")?.as_mapping());
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

#[cfg(test)]
mod tests {
    use super::tokens_beside;

    #[test]
    fn long_paths_leave_fewer_tokens() {
        // Codex 0.169.0 cut its lines to exactly these tokens.
        for (directories, tokens) in
            [(107, 5440), (156, 5435), (179, 5430), (307, 5398), (312, 5396), (423, 5369)]
        {
            assert_eq!(tokens_beside(directories), tokens, "{directories}");
        }
    }
}
