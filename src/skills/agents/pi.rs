//! Pi 0.73.1: strict YAML without repairs; shows values unchanged.

use crate::skills::agents::readers::{AgentReading, RawSkill, listed, lost, mapping};
use crate::skills::agents::table::{home, target, variable};
use crate::skills::agents::walk::{RootSkill, WalkBounds};
use crate::skills::agents::{
    Agent, AgentDirectory, LoadingRules, Login, Mounting, Root, dialects, listing,
};
use crate::skills::model::environment::{Climb, HomeRule, OutsideRule, RepositoryMark, UserRoot};
use crate::skills::text::yaml::{Duplicate, Mapping, Value};

/// The row of Pi.
pub const AGENT: Agent = Agent {
    id: "pi",
    title: "Pi",
    aliases: &["pi-coding-agent"],
    packages: &["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
    observed: "Pi 0.73.1",
    target: target("pi", ".agents/skills", home(".agents/skills")),
    mounting: Mounting {
        set: &[],
        // The second has the user's sessions.
        unset: &["PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"],
        settings: &[],
        logins: &[Login {
            inside: ".pi/agent/auth.json",
            real: variable("PI_CODING_AGENT_DIR", ".pi/agent", "auth.json"),
        }],
        keys: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"],
        amazon: true,
        confinement: Err("has no sandbox"),
    },
    loading: LoadingRules {
        places: &[
            AgentDirectory {
                provider: "pi",
                root: Root::Project(".pi/skills", Climb::NONE),
                files: true,
                ..PLACE
            },
            AgentDirectory {
                provider: "agents",
                root: Root::Project(
                    ".agents/skills",
                    Climb {
                        git: RepositoryMark::AnyEntry,
                        outside: OutsideRule::Top,
                        home: HomeRule::Counts,
                    },
                ),
                ..PLACE
            },
            AgentDirectory {
                provider: "pi",
                root: Root::User(UserRoot::Variable {
                    name: "PI_CODING_AGENT_DIR",
                    fallback: ".pi/agent",
                    below: "skills",
                }),
                files: true,
                ..PLACE
            },
            AgentDirectory {
                provider: "agents",
                root: Root::User(UserRoot::Home(".agents/skills")),
                ..PLACE
            },
        ],
        ignore_files: true,
        read,
        ..LoadingRules::USUAL
    },
    budget: None,
    open_elements: &[],
    listing: |skills, _| listing::xml(skills, escaped, escaped).into(),
};

/// How far Pi searches its skills directories.
pub(crate) const BOUNDS: WalkBounds =
    WalkBounds { root_skill: RootSkill::HidesOthers, ..WalkBounds::ENDLESS };

const PLACE: AgentDirectory = AgentDirectory { bounds: BOUNDS, ..AgentDirectory::FLAT };

fn escaped(text: &str) -> String {
    listing::escaped(text, "&apos;")
}

/// Reads a skill as Pi does.
fn read(candidate: &RawSkill<'_>) -> AgentReading {
    let text = String::from_utf8_lossy(candidate.bytes).replace("\r\n", "\n").replace('\r', "\n");
    let Some(yaml) = front_matter(&text) else {
        return lost("it has no front matter between two lines of `---`");
    };
    mapping(yaml, dialects::YAML_2, |fields, duplicates| {
        take(fields, duplicates, candidate.directory)
    })
    .unwrap_or_else(AgentReading::Lost)
}

/// From the fifth character to the next line that starts with `---`.
fn front_matter(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---")?;
    let end = rest.find("\n---")?;
    // Pi skips the character after the opening `---`, whatever it is.
    let skipped = rest.chars().next().map_or(0, char::len_utf8);
    Some(rest.get(skipped..end).unwrap_or_default())
}

fn take(fields: &Mapping<'_>, duplicates: &[Duplicate], directory: &str) -> AgentReading {
    if let Some(duplicate) = duplicates.first() {
        return lost(format!("`{}` appears twice", duplicate.key));
    }
    let value = |key: &str| fields.get(key).map(|node| &node.value);
    let description = match value("description") {
        Some(Value::String(text)) if !text.trim().is_empty() => text,
        Some(Value::String(_) | Value::Null) | None => return lost("it has no description"),
        Some(_) => return lost("`description` is not a string"),
    };
    let name = match value("name") {
        None | Some(Value::Null) => directory,
        Some(Value::String(text)) if text.is_empty() => directory,
        Some(Value::String(text)) => text.as_ref(),
        Some(_) => return lost("`name` is not a string"),
    };
    if value("disable-model-invocation") == Some(&Value::Bool(true)) {
        return AgentReading::Hidden(
            name.to_owned(),
            "`disable-model-invocation: true`".to_owned(),
        );
    }
    listed(name, description.as_ref())
}
