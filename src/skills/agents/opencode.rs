//! OpenCode 1.18.33: strict YAML with one repair for colons; shows values unchanged.

use std::ffi::OsStr;

use crate::skills::agents::readers::{AgentReading, RawSkill, is_timestamp, listed, lost, mapping};
use crate::skills::agents::table::{home, target, variable};
use crate::skills::agents::walk::{RootSkill, WalkBounds};
use crate::skills::agents::{
    Agent, AgentDirectory, LoadingRules, Login, Mounting, Order, Root, SettingsVariable,
    VariableValue, Winner, dialects, listing,
};
use crate::skills::model::environment::{Climb, HomeRule, OutsideRule, RepositoryMark, UserRoot};
use crate::skills::text::document::BOM;
use crate::skills::text::yaml::{Duplicate, Mapping, Value};

/// The row of OpenCode.
pub const AGENT: Agent = Agent {
    id: "opencode",
    title: "OpenCode",
    aliases: &["opencode-ai"],
    packages: &["opencode-ai"],
    observed: "OpenCode 1.18.33",
    target: target("opencode", ".claude/skills", home(".claude/skills")),
    mounting: Mounting {
        set: &[
            ("XDG_CONFIG_HOME", VariableValue::Below(".config")),
            ("XDG_DATA_HOME", VariableValue::Below(".local/share")),
            ("XDG_STATE_HOME", VariableValue::Below(".local/state")),
            ("XDG_CACHE_HOME", VariableValue::Below(".cache")),
        ],
        unset: &[
            "OPENCODE_CONFIG_DIR",
            "OPENCODE_DISABLE_CLAUDE_CODE",
            "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
            "OPENCODE_DISABLE_EXTERNAL_SKILLS",
            "OPENCODE_TEST_HOME",
            "OPENCODE_TEST_MANAGED_CONFIG_DIR",
            // The user's sessions.
            "OPENCODE_DB",
        ],
        settings: &[
            // The file can change before OpenCode reads it.
            SettingsVariable { name: "OPENCODE_CONFIG", passes: |_| false },
            SettingsVariable { name: "OPENCODE_CONFIG_CONTENT", passes: names_no_skills },
        ],
        // Only this file: the directory also has a database that other runs use.
        logins: &[Login {
            inside: ".local/share/opencode/auth.json",
            real: variable("XDG_DATA_HOME", ".local/share", "opencode/auth.json"),
        }],
        keys: &["OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"],
        amazon: true,
        confinement: Err("has no sandbox"),
    },
    loading: LoadingRules {
        places: &[
            AgentDirectory {
                provider: "claude",
                root: Root::User(UserRoot::Home(".claude/skills")),
                off: &CLAUDE_OFF,
                ..EXTERNAL
            },
            AgentDirectory {
                provider: "agents",
                root: Root::User(UserRoot::Home(".agents/skills")),
                ..EXTERNAL
            },
            AgentDirectory {
                provider: "claude",
                root: Root::ProjectOutermostFirst(".claude/skills", CLIMB),
                off: &CLAUDE_OFF,
                ..EXTERNAL
            },
            AgentDirectory {
                provider: "agents",
                root: Root::ProjectOutermostFirst(".agents/skills", CLIMB),
                ..EXTERNAL
            },
            AgentDirectory { root: Root::User(config("opencode/skill")), ..OWN },
            AgentDirectory { root: Root::User(config("opencode/skills")), ..OWN },
            AgentDirectory { root: Root::User(UserRoot::Home(".opencode/skill")), ..OWN },
            AgentDirectory { root: Root::User(UserRoot::Home(".opencode/skills")), ..OWN },
            AgentDirectory { root: Root::User(added("skill")), ..OWN },
            AgentDirectory { root: Root::User(added("skills")), ..OWN },
            AgentDirectory {
                root: Root::ProjectOutermostFirst(".opencode/skill", CLIMB),
                off: &["OPENCODE_DISABLE_PROJECT_CONFIG"],
                ..OWN
            },
            AgentDirectory {
                root: Root::ProjectOutermostFirst(".opencode/skills", CLIMB),
                off: &["OPENCODE_DISABLE_PROJECT_CONFIG"],
                ..OWN
            },
        ],
        winner: Winner::Anyone,
        order: Order::CollatedName,
        real_path_once: false,
        read,
        ..LoadingRules::USUAL
    },
    budget: None,
    open_elements: listing::ELEMENTS,
    listing: |skills, _| {
        listing::xml(skills, str::to_owned, |path| listing::escaped(path, "&#39;")).into()
    },
};

const CLAUDE_OFF: [&str; 3] = [
    "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
];

const CLIMB: Climb =
    Climb { git: RepositoryMark::Working, outside: OutsideRule::Top, home: HomeRule::Counts };

/// How far OpenCode searches its own skills directories.
pub(crate) const BOUNDS: WalkBounds = WalkBounds {
    below_skills: true,
    node_modules: true,
    root_skill: RootSkill::Counts,
    ..WalkBounds::ENDLESS
};

const EXTERNAL: AgentDirectory = AgentDirectory {
    bounds: WalkBounds { hidden: true, ..BOUNDS },
    off: &["OPENCODE_DISABLE_EXTERNAL_SKILLS"],
    ..AgentDirectory::FLAT
};

const OWN: AgentDirectory =
    AgentDirectory { provider: "opencode", bounds: BOUNDS, ..AgentDirectory::FLAT };

const fn config(below: &'static str) -> UserRoot {
    UserRoot::Variable { name: "XDG_CONFIG_HOME", fallback: ".config", below }
}

const fn added(below: &'static str) -> UserRoot {
    UserRoot::OnlyVariable { name: "OPENCODE_CONFIG_DIR", below }
}

/// Whether a configuration names neither skills nor plugins, which can contain skills. False if it
/// is not a JSON object without comments.
fn names_no_skills(configuration: &OsStr) -> bool {
    let keys = configuration
        .to_str()
        .and_then(|text| serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(text).ok());
    keys.is_some_and(|keys| !keys.contains_key("skills") && !keys.contains_key("plugin"))
}

/// Reads a skill as OpenCode does.
fn read(candidate: &RawSkill<'_>) -> AgentReading {
    let text = String::from_utf8_lossy(candidate.bytes);
    let text = text.strip_prefix(BOM).unwrap_or(&text);
    let Some(yaml) = front_matter(text) else {
        return lost("it has no front matter that starts with `---`");
    };
    let read = |yaml: &str| mapping(yaml, dialects::JS_YAML_3, take);
    match read(yaml).and_then(|seen| seen.ok_or_else(|| "a key appears twice".to_owned())) {
        Ok(seen) => seen,
        Err(reason) => {
            // The second attempt requires a closing line.
            let closed = text.contains("\n---");
            let repaired = closed.then(|| read(&repaired(yaml)).ok().flatten()).flatten();
            repaired.unwrap_or_else(|| lost(reason))
        }
    }
}

/// Everything up to the next line that starts with `---`, or to the end of the file.
fn front_matter(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---").filter(|rest| !rest.starts_with('-'))?;
    let (language, _) = rest.split_once('\n')?;
    if !matches!(language.trim(), "" | "yaml") {
        return None;
    }
    let rest = &rest[language.len()..];
    Some(&rest[..rest.find("\n---").unwrap_or(rest.len())])
}

/// Reads the fields; none if a key appears twice, which the YAML parser refuses.
fn take(fields: &Mapping<'_>, duplicates: &[Duplicate]) -> Option<AgentReading> {
    if !duplicates.is_empty() {
        return None;
    }
    let text = |key: &str| match fields.get(key).map(|node| &node.value) {
        Some(Value::String(text)) if !is_timestamp(text) => Ok(text.to_string()),
        None => Err(format!("it has no {key}")),
        Some(_) => Err(format!("`{key}` is not a string")),
    };
    Some(match (text("name"), text("description")) {
        (Ok(name), _) if name == "__proto__" => lost("no skill can have this name"),
        (Ok(name), Ok(description)) => listed(name, description),
        (Ok(name), Err(reason)) if fields.get("description").is_none() => {
            AgentReading::Unseen(name, reason)
        }
        (Err(reason), _) | (_, Err(reason)) => lost(reason),
    })
}

/// The front matter for the second attempt: values with a colon become block scalars.
fn repaired(yaml: &str) -> String {
    let mut lines = Vec::new();
    for line in yaml.lines() {
        match block(line) {
            Some((key, value)) => lines.extend([format!("{key}: |-"), format!("  {value}")]),
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

fn block(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let (key, value) = (key.trim_end(), value.trim());
    let of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_key = key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.bytes().all(of_word);
    let left_alone = value.starts_with(['"', '\'']) || matches!(value, "" | ">" | "|");
    (is_key && !left_alone && value.contains(':')).then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_passes_when_it_can_be_told_that_it_names_no_skills() {
        for passes in ["{}", r#"{"provider": {"x": {}}, "instructions": ["skills"]}"#] {
            assert!(names_no_skills(OsStr::new(passes)), "{passes}");
        }
        for stays in [
            "",
            "[]",
            "x",
            r#"{"skills": {"paths": ["/x"]}}"#,
            r#"{"\u0073kills": {}}"#,
            r#"{"plugin": ["x"]}"#,
            "{} // but",
        ] {
            assert!(!names_no_skills(OsStr::new(stays)), "{stays}");
        }
    }
}
