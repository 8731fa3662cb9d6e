//! Copilot CLI 1.0.102: strict YAML and names; takes the description from the body if the key is
//! missing.

use crate::skills::agents::listing::{self, ShownSkill};
use crate::skills::agents::readers::{
    AgentReading, NOT_A_MAPPING, RawSkill, js_trim, listed, lost, mapping,
};
use crate::skills::agents::table::{home, target};
use crate::skills::agents::walk::{RootSkill, WalkBounds};
use crate::skills::agents::{
    Agent, AgentDirectory, Budget, LoadingRules, Mounting, Order, Root, dialects,
};
use crate::skills::model::environment::{Climb, HomeRule, OutsideRule, RepositoryMark, UserRoot};
use crate::skills::text::document::{BOM, DESCRIPTION_CHARS, NAME_CHARS};
use crate::skills::text::yaml::{Duplicate, Mapping, Value};

/// Body lines that it shows as a description.
const BODY_LINES: usize = 3;

/// The row of the Copilot CLI.
pub const AGENT: Agent = Agent {
    id: "copilot",
    title: "Copilot",
    aliases: &["github-copilot", "copilot-cli"],
    packages: &["@github/copilot"],
    observed: "Copilot CLI 1.0.102",
    target: target("copilot", ".agents/skills", home(".agents/skills")),
    mounting: Mounting {
        set: &[],
        unset: &["COPILOT_HOME", "COPILOT_SKILLS_DIRS"],
        settings: &[],
        logins: &[],
        keys: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
        amazon: false,
        confinement: Err("runs commands without its sandbox where it finds no bubblewrap"),
    },
    loading: LoadingRules {
        places: &[
            AgentDirectory {
                provider: "github",
                root: Root::Project(".github/skills", CLIMB),
                ..PLACE
            },
            AgentDirectory {
                provider: "agents",
                root: Root::Project(".agents/skills", CLIMB),
                ..PLACE
            },
            AgentDirectory {
                provider: "claude",
                root: Root::Project(".claude/skills", Climb { home: HomeRule::Skipped, ..CLIMB }),
                ..PLACE
            },
            AgentDirectory {
                provider: "copilot",
                root: Root::User(UserRoot::Variable {
                    name: "COPILOT_HOME",
                    fallback: ".copilot",
                    below: "skills",
                }),
                ..PLACE
            },
            AgentDirectory {
                provider: "agents",
                root: Root::User(UserRoot::HomeUnless {
                    name: "COPILOT_HOME",
                    below: ".agents/skills",
                }),
                ..PLACE
            },
        ],
        order: Order::Runs,
        home_is_the_users: false,
        read,
        ..LoadingRules::USUAL
    },
    budget: Some(Budget {
        characters: 14_000,
        effect: "beyond that Copilot shows names without descriptions",
    }),
    open_elements: &[],
    listing: |skills, _| write_listing(skills).into(),
};

/// Characters of all complete entries.
const ENTRY_CHARS: usize = 15_000;

/// Characters of the line that names the remaining skills.
const NAMES_CHARS: usize = 5_000;

/// Complete entries while they fit, then a line with the remaining names.
fn write_listing(skills: &[ShownSkill]) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let entry = |skill: &ShownSkill| {
        let escaped = |text: &str| listing::escaped(text, "&apos;");
        let (name, description) = (escaped(&skill.listed.name), escaped(&skill.listed.description));
        let location = skill.scope.as_str();
        format!(
            "<skill>\n  <name>{name}</name>\n  <description>{description}</description>\n  \
             <location>{location}</location>\n</skill>\n"
        )
    };
    let mut out = String::from("<available_skills>\n");
    let mut used = 0;
    for (at, skill) in skills.iter().enumerate() {
        let entry = entry(skill);
        used += entry.chars().count();
        if used > ENTRY_CHARS {
            out += &names(&skills[at..]);
            break;
        }
        out += &entry;
    }
    out + "</available_skills>\n"
}

fn names(skills: &[ShownSkill]) -> String {
    let mut line = String::from("Additional skills available (invoke by name): ");
    for (at, skill) in skills.iter().enumerate() {
        let gap = if at > 0 { ", " } else { "" };
        let next = format!("{gap}{}", skill.listed.name);
        if line.chars().count() + next.chars().count() > NAMES_CHARS {
            line += &format!("... and {} more", skills.len() - at);
            break;
        }
        line += &next;
    }
    line + "\n"
}

/// How far Copilot searches its skills directories.
pub(crate) const BOUNDS: WalkBounds = WalkBounds {
    node_modules: true,
    root_skill: RootSkill::HidesOthersAlways,
    ..WalkBounds::ENDLESS
};

const PLACE: AgentDirectory = AgentDirectory { bounds: BOUNDS, ..AgentDirectory::FLAT };

const CLIMB: Climb =
    Climb { git: RepositoryMark::MadeByGit, outside: OutsideRule::Home, home: HomeRule::Counts };

/// Reads a skill as Copilot does.
fn read(candidate: &RawSkill<'_>) -> AgentReading {
    let text = String::from_utf8_lossy(candidate.bytes).replace("\r\n", "\n");
    let text = text.strip_prefix(BOM).unwrap_or(&text);
    let Some((yaml, body)) = split(text) else {
        return lost("it has no front matter between two lines of `---`");
    };
    let take = |fields: &Mapping<'_>, duplicates: &[Duplicate]| {
        take(fields, duplicates, candidate, yaml, body)
    };
    match mapping(yaml, dialects::LIBYAML, take) {
        Ok(result) => result.unwrap_or_else(AgentReading::Lost),
        // Copilot reads a list or a scalar as empty front matter.
        Err(reason) if reason == NOT_A_MAPPING => {
            take(&Mapping::default(), &[]).unwrap_or_else(AgentReading::Lost)
        }
        Err(reason) => lost(reason),
    }
}

fn split(text: &str) -> Option<(&str, &str)> {
    let is_delimiter = |line: &str| line.trim_end_matches([' ', '\t']) == "---";
    let (first, rest) = text.split_once('\n')?;
    if !is_delimiter(first) {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if is_delimiter(line.trim_end_matches('\n')) {
            let yaml = &rest[..at];
            return Some((yaml.strip_suffix('\n').unwrap_or(yaml), &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn take(
    fields: &Mapping<'_>,
    duplicates: &[Duplicate],
    candidate: &RawSkill<'_>,
    yaml: &str,
    body: &str,
) -> Result<AgentReading, String> {
    if let Some(duplicate) = duplicates.first() {
        return Err(format!("`{}` appears twice", duplicate.key));
    }
    let value = |key: &str| fields.get(key).map(|node| &node.value);
    let name = match value("name") {
        None => candidate.directory,
        Some(Value::String(text)) => js_trim(text),
        Some(_) => return Err("`name` is not a string".to_owned()),
    };
    let name = name.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    check_name(&name)?;
    let description = match value("description") {
        None => from_body(body),
        Some(Value::String(text)) => {
            // The newline that ends the last line of the front matter is not part of it.
            let ends = fields.get("description").map(|node| node.span.end);
            let last = ends == Some(yaml.trim_end().len()) && !yaml.ends_with('\n');
            text.strip_suffix('\n').filter(|_| last).unwrap_or(text).to_owned()
        }
        // Copilot reads digits after a leading zero as a string.
        Some(Value::Number(text))
            if text.len() > 1
                && text.bytes().all(|b| b.is_ascii_digit())
                && text.starts_with('0') =>
        {
            text.to_string()
        }
        Some(_) => return Err("`description` is not a string".to_owned()),
    };
    if description.encode_utf16().count() > DESCRIPTION_CHARS {
        return Err(format!("its description has more than {DESCRIPTION_CHARS} characters"));
    }
    for key in ["disable-model-invocation", "user-invocable"] {
        if !matches!(value(key), None | Some(Value::Bool(_))) {
            return Err(format!("`{key}` is not a boolean"));
        }
    }
    if !matches!(value("argument-hint"), None | Some(Value::String(_) | Value::Null)) {
        return Err("`argument-hint` is not a string".to_owned());
    }
    if !matches!(value("allowed-tools"), None | Some(Value::String(_) | Value::Sequence(_))) {
        return Err("`allowed-tools` is neither a string nor a list".to_owned());
    }
    Ok(if value("disable-model-invocation") == Some(&Value::Bool(true)) {
        AgentReading::Hidden(name, "`disable-model-invocation: true`".to_owned())
    } else {
        listed(name, description)
    })
}

fn check_name(name: &str) -> Result<(), String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if name.len() > NAME_CHARS {
        return Err(format!("its name has more than {NAME_CHARS} characters"));
    }
    if !starts_well || !name.bytes().all(allowed) {
        return Err(format!("`{name}` is not a name that Copilot takes"));
    }
    Ok(())
}

/// The first lines that are neither blank nor headings.
fn from_body(body: &str) -> String {
    let lines = body.lines().map(str::trim);
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let text = said.take(BODY_LINES).collect::<Vec<_>>().join(" ");
    let units: Vec<u16> = text.encode_utf16().take(DESCRIPTION_CHARS).collect();
    String::from_utf16_lossy(&units)
}
