//! Gemini CLI 0.61.0: reads YAML, or line by line if the YAML does not parse.

use crate::skills::agents::readers::{
    AgentReading, RawSkill, is_js_space, is_timestamp, js_trim, listed, lost, mapping,
};
use crate::skills::agents::table::target;
use crate::skills::agents::walk::{RootSkill, WalkBounds};
use crate::skills::agents::{
    Agent, AgentDirectory, LoadingRules, Login, Mounting, Order, Root, Winner, confinement,
    dialects, listing,
};
use crate::skills::model::environment::{Climb, UserRoot};
use crate::skills::text::yaml::Value;

/// Characters of a name that become hyphens.
const REPLACED: [char; 9] = [':', '\\', '/', '<', '>', '*', '?', '"', '|'];

/// The row of the Gemini CLI.
pub const AGENT: Agent = Agent {
    id: "gemini",
    title: "Gemini",
    aliases: &["gemini-cli"],
    packages: &["@google/gemini-cli"],
    observed: "Gemini CLI 0.61.0",
    target: target("gemini", ".agents/skills", user(".agents/skills")),
    mounting: Mounting {
        set: &[],
        unset: &["GEMINI_CLI_HOME"],
        settings: &[],
        logins: &[
            Login { inside: ".gemini/oauth_creds.json", real: user(".gemini/oauth_creds.json") },
            Login {
                inside: ".gemini/google_accounts.json",
                real: user(".gemini/google_accounts.json"),
            },
        ],
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        amazon: false,
        confinement: Ok(confinement::GEMINI),
    },
    loading: LoadingRules {
        places: &[
            AgentDirectory {
                provider: "gemini",
                root: Root::User(user(".gemini/skills")),
                ..PLACE
            },
            AgentDirectory {
                provider: "agents",
                root: Root::User(user(".agents/skills")),
                ..PLACE
            },
            AgentDirectory {
                provider: "gemini",
                root: Root::Project(".gemini/skills", Climb::NONE),
                ..PLACE
            },
            AgentDirectory {
                provider: "agents",
                root: Root::Project(".agents/skills", Climb::NONE),
                ..PLACE
            },
        ],
        winner: Winner::Last,
        order: Order::PathDescending,
        real_path_once: false,
        read,
        ..LoadingRules::USUAL
    },
    budget: None,
    open_elements: listing::ELEMENTS,
    listing: |skills, _| listing::xml(skills, str::to_owned, str::to_owned).into(),
};

/// How far Gemini searches its skills directories.
pub(crate) const BOUNDS: WalkBounds =
    WalkBounds { root_skill: RootSkill::Counts, node_modules: false, ..WalkBounds::FLAT };

const PLACE: AgentDirectory = AgentDirectory { bounds: BOUNDS, ..AgentDirectory::FLAT };

const fn user(below: &'static str) -> UserRoot {
    UserRoot::Variable { name: "GEMINI_CLI_HOME", fallback: "", below }
}

/// Reads a skill as Gemini does.
fn read(candidate: &RawSkill<'_>) -> AgentReading {
    let text = String::from_utf8_lossy(candidate.bytes);
    let Some(yaml) = front_matter(&text) else {
        return lost("it has no front matter between two lines of `---`");
    };
    let strict = mapping(yaml, dialects::JS_YAML_4, |fields, duplicates| {
        let text = |key: &str| match fields.get(key).map(|node| &node.value) {
            Some(Value::String(text)) if !is_timestamp(text) => Some(text.to_string()),
            _ => None,
        };
        duplicates.is_empty().then(|| text("name").zip(text("description"))).flatten()
    });
    match strict.ok().flatten().or_else(|| line_by_line(yaml)) {
        Some((name, description)) => {
            let name: String =
                name.chars().map(|one| if REPLACED.contains(&one) { '-' } else { one }).collect();
            listed(name, description)
        }
        None => lost("it has no name or no description"),
    }
}

/// The text between a first line `---` and the next line that starts with `---`.
fn front_matter(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---")?;
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let end = rest.find("\n---")?;
    Some(rest[..end].strip_suffix('\r').unwrap_or(&rest[..end]))
}

/// The last `name:` and `description:` lines, with the indented lines that follow them.
fn line_by_line(yaml: &str) -> Option<(String, String)> {
    let (mut name, mut description) = (None, None);
    let mut lines = yaml.lines().peekable();
    while let Some(line) = lines.next() {
        let value = |key: &str| line.trim_start().strip_prefix(key)?.strip_prefix(':');
        if let Some(value) = value("name") {
            name = Some(js_trim(value).to_owned());
        } else if let Some(value) = value("description") {
            let mut text = js_trim(value).to_owned();
            let indented = |next: &&str| next.starts_with(is_js_space) && !js_trim(next).is_empty();
            while let Some(next) = lines.next_if(indented) {
                text = js_trim(&[text.as_str(), js_trim(next)].join(" ")).to_owned();
            }
            description = Some(text);
        }
    }
    name.zip(description)
}
