//! Claude Code 2.1.327: loads almost any file and fills in what is missing.

use std::path::PathBuf;

use unicode_normalization::UnicodeNormalization;
use unicode_width::UnicodeWidthStr;

use crate::skills::agents::listing::{AgentListing, ShownSkill};
use crate::skills::agents::readers::{
    AgentReading, ModelEntry, RawSkill, folded, is_flow_collection, is_js_space, js_trim, lost,
    mapping, without_escape_sequences,
};
use crate::skills::agents::table::{InstallTarget, target, variable};
use crate::skills::agents::walk::WalkBounds;
use crate::skills::agents::{
    Agent, AgentDirectory, Budget, LoadingRules, Login, Mounting, Order, Root, VariableValue,
    confinement, dialects,
};
use crate::skills::model::environment::{Climb, HomeRule, UserRoot};
use crate::skills::text::document::BOM;
use crate::skills::text::unicode::{is_bidirectional, is_control, is_tag, is_zero_width};
use crate::skills::text::yaml::{Mapping, Node, Value};

/// Longest description it shows, in UTF-16 units.
const DESCRIPTION_UNITS: usize = 1_536;

/// Longest body line it shows as a description, in UTF-16 units.
const BODY_LINE_UNITS: usize = 100;

/// The longest name.
const NAME_CHARS: usize = 256;

/// The name, and with a colon the prefix, of the skills that Claude syncs from an account.
const RESERVED: &str = "anthropic-skills";

/// Claude quotes values with these characters when the YAML does not parse.
const SPECIAL: [char; 13] = ['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`'];

/// The row of Claude Code.
pub const AGENT: Agent = Agent {
    id: "claude",
    title: "Claude",
    aliases: &["claude-code"],
    packages: &["@anthropic-ai/claude-code"],
    observed: "Claude Code 2.1.327",
    target: InstallTarget {
        user_wins: true,
        ..target("claude", ".claude/skills", variable("CLAUDE_CONFIG_DIR", ".claude", "skills"))
    },
    mounting: Mounting {
        set: &[("DISABLE_AUTOUPDATER", VariableValue::Text("1"))],
        unset: &[
            "CLAUDE_CONFIG_DIR",
            // Plugins and other sources of skills.
            "CLAUDE_CODE_PLUGIN_DIRS",
            "CLAUDE_CODE_PLUGIN_CACHE_DIR",
            "CLAUDE_CODE_PLUGIN_SEED_DIR",
            "CLAUDE_CODE_DESKTOP_SKILLS_PLUGIN_DIR",
            "CLAUDE_CODE_SHOWN_PLUGINS_DIR",
            "CLAUDE_RELAUNCH_SESSION_ADD_DIRS",
            // Skills and plugins of the account.
            "CLAUDE_CODE_SYNC_PLUGINS",
            "CLAUDE_CODE_SYNC_SKILLS",
        ],
        settings: &[],
        // Not `.claude.json`: it holds projects, history and servers.
        logins: &[Login {
            inside: ".claude/.credentials.json",
            real: variable("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),
        }],
        keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
        amazon: true,
        confinement: Ok(confinement::CLAUDE),
    },
    loading: LoadingRules {
        places: &[
            AgentDirectory {
                provider: "claude",
                root: Root::User(UserRoot::Absolute("/etc/claude-code/.claude/skills")),
                ..PLACE
            },
            AgentDirectory {
                provider: "claude",
                root: Root::User(UserRoot::Variable {
                    name: "CLAUDE_CONFIG_DIR",
                    fallback: ".claude",
                    below: "skills",
                }),
                ..PLACE
            },
            AgentDirectory {
                provider: "claude",
                root: Root::Project(".claude/skills", Climb { home: HomeRule::Ends, ..Climb::ALL }),
                ..PLACE
            },
        ],
        order: Order::Collated,
        hidden_keeps_name: false,
        read,
        settle_titles,
        ..LoadingRules::USUAL
    },
    budget: Some(Budget {
        characters: 24_000,
        effect: "beyond that Claude shows names without descriptions, first of skills that it has not \
            used before (on models with a context of \
            200,000 tokens already beyond 8,000)",
    }),
    open_elements: &[],
    listing,
};

/// Columns of the whole listing for the default model.
const LISTING_COLUMNS: usize = 30_000;

/// Columns of eleven built-in skills, which are never cut.
const BUILT_IN_COLUMNS: usize = 6_029;

const BUILT_IN_LINES: usize = 13;

/// Columns of the names of two more, which come last and can lose their descriptions.
const LAST_BUILT_IN_COLUMNS: usize = 23;

/// One line per skill, which keeps its description only while there is room for it.
fn listing(skills: &[ShownSkill], _: &[PathBuf]) -> AgentListing {
    let name = |skill: &ShownSkill| match &skill.listed.title {
        Some(title) => format!("- {} ({title})", skill.listed.name),
        None => format!("- {}", skill.listed.name),
    };
    let names: Vec<String> = skills.iter().map(name).collect();
    let rests: Vec<String> =
        skills.iter().map(|skill| format!(": {}", skill.listed.description)).collect();
    let columns = |texts: &[String]| texts.iter().map(|text| text.width()).sum::<usize>();
    let breaks = skills.len() + BUILT_IN_LINES - 1;
    let bare = BUILT_IN_COLUMNS + LAST_BUILT_IN_COLUMNS + columns(&names) + breaks;
    let mut room = LISTING_COLUMNS.saturating_sub(bare);
    let (mut text, mut cut) = (String::new(), 0);
    for (name, rest) in names.iter().zip(&rests) {
        text += name;
        match room.checked_sub(rest.width()) {
            Some(less) => {
                room = less;
                text += rest;
            }
            None => cut += 1,
        }
        text.push('\n');
    }
    let caveat = (cut > 0).then(|| {
        format!(
            "Claude has no room for {cut} of {} descriptions; where it was used before, it prefers \
             those of the skills that were used, and leaves out others",
            skills.len()
        )
    });
    AgentListing { text, caveat }
}

const PLACE: AgentDirectory = AgentDirectory {
    bounds: WalkBounds { hidden: true, ..WalkBounds::FLAT },
    ..AgentDirectory::FLAT
};

/// Reads a skill as Claude does.
fn read(candidate: &RawSkill<'_>) -> AgentReading {
    let directory = candidate.directory;
    if !is_listable(directory) {
        return lost("no directory of this name is listed");
    }
    let text = String::from_utf8_lossy(candidate.bytes);
    let text = text.strip_prefix(BOM).unwrap_or(&text);
    let (yaml, body) = split(text);
    let fields = yaml.map(fields).unwrap_or_default();
    if is_reserved(directory) || fields.name.as_deref().is_some_and(is_reserved) {
        return lost(format!("the name `{RESERVED}` is kept for the skills of an account"));
    }
    if fields.hidden {
        return AgentReading::Hidden(directory.to_owned(), "`disable-model-invocation`".to_owned());
    }
    if fields.waits {
        let reason = "`paths`: until a file that matches is touched".to_owned();
        return AgentReading::Hidden(directory.to_owned(), reason);
    }
    let mut description = fields.description.unwrap_or_else(|| first_line(body));
    if let Some(when) = fields.when_to_use {
        description = format!("{description} - {when}");
    }
    AgentReading::Listed(ModelEntry {
        name: directory.to_owned(),
        title: fields.name.filter(|name| name != directory && is_word(name)),
        description: cut(&sanitised(&without_escape_sequences(&description))),
    })
}

#[derive(Default)]
struct ClaudeFields {
    name: Option<String>,
    description: Option<String>,
    when_to_use: Option<String>,
    hidden: bool,
    waits: bool,
}

/// Front matter and body. Any later `---` closes it, even in the middle of a line.
fn split(text: &str) -> (Option<&str>, &str) {
    let inner = || {
        let after = text.strip_prefix("---")?;
        let blanks = after.len() - after.trim_start().len();
        let start = after[..blanks].rfind('\n')? + 1;
        let end = start + after[start..].find("---")?;
        Some((&after[start..end], after[end + 3..].trim_start()))
    };
    inner().map_or((None, text), |(yaml, body)| (Some(yaml), body))
}

fn fields(yaml: &str) -> ClaudeFields {
    mapping(yaml, dialects::BUN, |fields, _| take(fields))
        .or_else(|_| mapping(&repaired(yaml), dialects::BUN, |fields, _| take(fields)))
        .unwrap_or_default()
}

fn take(fields: &Mapping<'_>) -> ClaudeFields {
    let filled = |text: Option<String>| {
        text.map(|text| js_trim(&text).to_owned()).filter(|text| !text.is_empty())
    };
    let scalar = |key: &str| {
        let collection =
            |node: &&Node<'_>| !matches!(node.value, Value::Sequence(_) | Value::Mapping(_));
        filled(fields.last(key).filter(collection).and_then(js_string))
    };
    let word = scalar("disable-model-invocation").unwrap_or_default().to_lowercase();
    ClaudeFields {
        name: fields.last("name").and_then(js_string),
        description: scalar("description"),
        when_to_use: scalar("when_to_use"),
        hidden: matches!(word.as_str(), "1" | "true" | "yes" | "on"),
        waits: fields.last("paths").is_some_and(has_pattern),
    }
}

/// The value converted to a string as JavaScript does it.
fn js_string(node: &Node<'_>) -> Option<String> {
    match &node.value {
        Value::Null | Value::Mapping(_) => None,
        Value::Number(text) => Some(js_number(text)),
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().filter_map(js_string).collect();
            Some(items.join(","))
        }
        Value::Bool(_) | Value::String(_) => Some(node.scalar_text().to_owned()),
    }
}

fn js_number(text: &str) -> String {
    let hexadecimal = text.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let octal = text.strip_prefix("0o").and_then(|octal| u64::from_str_radix(octal, 8).ok());
    match (hexadecimal.or(octal), text.parse::<f64>()) {
        (Some(number), _) => number.to_string(),
        (None, Ok(number)) => number.to_string(),
        (None, Err(_)) => text.to_owned(),
    }
}

/// Whether `paths` has a pattern other than `**`.
fn has_pattern(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Sequence(items) => items.iter().any(has_pattern),
        Value::String(text) => text.split(',').any(|part| !matches!(part.trim(), "" | "**")),
        _ => false,
    }
}

/// The front matter for the second attempt: suspicious values quoted, tabs replaced.
fn repaired(yaml: &str) -> String {
    let lines = yaml.split('\n').map(|line| {
        let tabs = line.len() - line.trim_start_matches('\t').len();
        let line = format!("{}{}", "  ".repeat(tabs), &line[tabs..]);
        quoted(&line).unwrap_or(line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Quotes a value. Claude never repairs a line that ends in a carriage return.
fn quoted(line: &str) -> Option<String> {
    let (key, rest) =
        line.split_once(':').filter(|_| !line.contains(['\r', '\u{2028}', '\u{2029}']))?;
    let value = rest.trim_start_matches(is_js_space);
    let is_key = key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let suspicious = value.contains(SPECIAL) || value.contains(": ");
    if !is_key || key.is_empty() || value.len() == rest.len() || !suspicious {
        return None;
    }
    let closed = |quote: char| value.starts_with(quote) && value.ends_with(quote);
    let list =
        value.starts_with('[') && value.ends_with(']') && is_flow_collection(value, dialects::BUN);
    if closed('"') || closed('\'') || list {
        return None;
    }
    Some(format!("{key}: \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// The description if there is none: the first body line that is not blank, without `#`.
fn first_line(body: &str) -> String {
    let Some(line) = body.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return "Skill".to_owned();
    };
    let heading = line.trim_start_matches('#');
    let is_heading = heading.len() < line.len() && heading.starts_with(char::is_whitespace);
    let text = if is_heading { heading.trim() } else { line };
    let units: Vec<u16> = text.encode_utf16().collect();
    if units.len() > BODY_LINE_UNITS {
        format!("{}...", String::from_utf16_lossy(&units[..BODY_LINE_UNITS - 3]))
    } else {
        text.to_owned()
    }
}

/// Characters that Claude treats as invisible.
const fn is_unseen(character: char) -> bool {
    is_control(character)
        || is_bidirectional(character)
        || is_zero_width(character)
        || is_tag(character)
}

/// Replaces each run of invisible characters by a space, and escapes angle brackets.
fn sanitised(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut in_run = false;
    for character in text.chars() {
        let unseen = is_unseen(character) || matches!(character, '\n' | '\t');
        match character {
            _ if unseen && in_run => {}
            _ if unseen => result.push(' '),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            other => result.push(other),
        }
        in_run = unseen;
    }
    result
}

fn cut(text: &str) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    if units.len() <= DESCRIPTION_UNITS {
        return text.to_owned();
    }
    format!("{}…", String::from_utf16_lossy(&units[..DESCRIPTION_UNITS - 1]))
}

/// Whether Claude shows this name from the front matter.
fn is_word(name: &str) -> bool {
    let of_word = |character: char| character.is_alphanumeric() || "_:.-".contains(character);
    let marks = unicode_normalization::char::is_combining_mark;
    !name.is_empty()
        && name.chars().count() <= NAME_CHARS
        && name.chars().all(|one| of_word(one) || marks(one))
}

/// Whether Claude may drop a skill because it or its directory has this name.
pub fn keeps(name: &str) -> bool {
    is_reserved(name) || !is_listable(name)
}

/// Whether a name is the reserved one, or starts with it and a colon or two other characters that
/// are neither letters nor digits. Letters and hyphens that look like those of ASCII count as these.
fn is_reserved(name: &str) -> bool {
    let dash = |one: char| if matches!(one, '\u{2010}'..='\u{2015}') { '-' } else { one };
    let plain: String = name.nfkc().map(dash).flat_map(char::to_lowercase).collect();
    let unseen = |one: char| one != ' ' && (is_js_space(one) || is_unseen(one));
    let odd = |one: char| !one.is_ascii_alphanumeric() && one != '-';
    let odds = |rest: &str| rest.replace(':', "__").chars().take_while(|one| odd(*one)).count();
    let is_its = |rest: &str| rest.is_empty() || odds(rest) > 1;
    !name.contains(unseen) && plain.strip_prefix(RESERVED).is_some_and(is_its)
}

/// Whether Claude lists a directory of this name.
fn is_listable(directory: &str) -> bool {
    let odd =
        |character: char| matches!(character, '<' | '>' | '\n' | '\t') || is_unseen(character);
    directory.chars().count() <= NAME_CHARS
        && !directory.contains(odd)
        && folded(directory) == directory
        && !directory.starts_with(':')
        && !directory.ends_with(':')
        && !directory.eq_ignore_ascii_case("synced")
}

/// Names of built-in skills; Claude does not show them as second names.
static BUILT_IN: [&str; 13] = [
    "dataviz",
    "update-config",
    "keybindings-help",
    "code-review",
    "simplify",
    "fewer-permission-prompts",
    "loop",
    "claude-api",
    "workflow-authoring",
    "run",
    "plugin-authoring",
    "init",
    "security-review",
];

/// Keeps a second name only if no other skill has that name and no earlier one the same second name.
fn settle_titles(listed: &mut [&mut ModelEntry]) {
    let names: Vec<String> = listed.iter().map(|one| one.name.clone()).collect();
    let mut taken: Vec<String> = Vec::new();
    for one in listed {
        let Some(title) = one.title.take() else { continue };
        let free = !names.contains(&title)
            && !BUILT_IN.contains(&title.as_str())
            && !taken.contains(&title)
            && !one.name.ends_with(&format!(":{title}"));
        if free {
            taken.push(title.clone());
            one.title = Some(title);
        }
    }
}
