//! `plugin-manifest`: the manifests of plugins and marketplaces are valid.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::skills::files::FileKind;
use crate::skills::files::content::{Content, LinkEnd};
use crate::skills::judge::rule::{ManifestSubject, Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule};
use crate::skills::model::plugin::{
    ManifestFile, ManifestKind, PORTABLE_SCHEMA, PORTABLE_SCHEMAS, PluginName, inner_path,
    inner_source, local_source,
};
use crate::skills::text::json::{JsonNode, JsonValue};
use crate::skills::text::position::Span;

/// As much of a name as a message shows.
const SHOWN: usize = 80;

/// The fields of a portable manifest, and whether they are plain strings.
const PORTABLE_FIELDS: [(&str, bool); 10] = [
    ("$schema", true),
    ("name", true),
    ("version", true),
    ("description", true),
    ("homepage", true),
    ("repository", true),
    ("license", true),
    ("author", false),
    ("keywords", false),
    ("extensions", false),
];

/// What the `source` of a plugin that lies elsewhere needs, by its kind.
const SOURCES: [(&str, &str); 7] = [
    ("github", "repo"),
    ("url", "url"),
    ("git", "url"),
    ("git-subdir", "url"),
    ("npm", "package"),
    ("pip", "package"),
    ("local", "path"),
];

/// What an entry of a marketplace may say in the place of a plugin's own manifest.
const PARTS: [&str; 3] = ["skills", "commands", "hooks"];

/// Where Claude looks for that manifest.
const OWN_MANIFEST: &str = ".claude-plugin/plugin.json";

pub static RULE: Rule = Rule {
    id: "plugin-manifest",
    severity: Severity::Error,
    summary: "the manifests of plugins and marketplaces are valid",
    why: "Agents refuse a plugin or a marketplace whose manifest they cannot read, and all of its \
        skills with it. The fields and names of a `plugin.json` at the top of a plugin are those of \
        Agent Plugins 1.0.0. Other manifests are held to what their agents need.",
    bad: Example::Text(
        "\
{
  \"$schema\": \"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\",
  \"name\": \"My Plugin\",
  \"author\": \"me\"
}
",
    ),
    good: Example::Text(
        "\
{
  \"$schema\": \"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\",
  \"name\": \"my-plugin\",
  \"author\": { \"name\": \"me\" }
}
",
    ),
    check: Check::Manifest(check),
    ..Rule::BASE
};

fn check(subject: &ManifestSubject<'_>, report: &mut Report<'_>) {
    let json = match (subject.json, &subject.file.content) {
        (Some(Ok(json)), _) => json,
        (Some(Err(error)), _) => {
            let message = format!("invalid JSON: {}", error.message);
            report
                .at(error.span, message)
                .help("agents ignore the whole file until it is repaired");
            return;
        }
        (None, content) => return unreadable(content, report),
    };
    if json.members().is_none() {
        report.at(start(json), format!("the manifest is {}, not an object", json.kind()));
        return;
    }
    once(json, report);
    match subject.file.format.kind {
        ManifestKind::Portable => portable(json, report),
        ManifestKind::Plugin => plugin(json, report),
        ManifestKind::Marketplace => marketplace(json, subject.file, report),
    }
}

fn unreadable(content: &Content, report: &mut Report<'_>) {
    match content {
        Content::NotUtf8 { place, .. } => {
            report.at_place(*place, "the manifest is not UTF-8");
        }
        Content::TooLarge { bytes } => {
            report
                .skill_md(format!("the manifest has {bytes} bytes; more than 1 MiB are not read"));
        }
        Content::NotAFile(kind) => {
            let what = match kind {
                FileKind::Symlink => "a link that leads out of its plugin or in a circle",
                FileKind::Directory => "a directory",
                FileKind::Special(what) => what,
                FileKind::Regular => return,
            };
            let message = format!("the manifest is not read, because it is {what}");
            report.skill_md(message).help("put a regular file there");
        }
        Content::Unreadable(reason) => {
            report.skill_md(format!("the manifest cannot be read: {reason}"));
        }
        Content::Text(_) | Content::Missing => {}
    }
}

/// Reports keys that appear twice, of which parsers keep one.
fn once(json: &JsonNode<'_>, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    for member in json.members().unwrap_or_default() {
        if !seen.insert(member.key.as_ref()) {
            let key = short(&member.key);
            report.at(member.key_span, format!("the key `{key}` appears twice"));
        }
    }
}

/// A `plugin.json` at the top: the whole specification if it names it.
fn portable(json: &JsonNode<'_>, report: &mut Report<'_>) {
    let schema = json.get("$schema").and_then(JsonNode::as_str);
    if !schema.is_some_and(|schema| schema.starts_with(PORTABLE_SCHEMAS)) {
        let place = json.get("$schema").unwrap_or(json);
        report
            .at(start(place), "`$schema` does not name Agent Plugins, so its clients refuse this")
            .help(format!("write `\"$schema\": \"{PORTABLE_SCHEMA}\"`"))
            .severity(Severity::Note);
        return plugin(json, report);
    }
    if let (Some(node), Some(schema)) = (json.get("$schema"), schema)
        && schema != PORTABLE_SCHEMA
    {
        let (message, severity) = match is_other_version(schema) {
            true => {
                ("`$schema` names a version other than 1.0.0, which is checked", Severity::Warning)
            }
            false => ("`$schema` is not the address of a schema for plugins", Severity::Error),
        };
        let help = format!("the address is `{PORTABLE_SCHEMA}`");
        report.at(node.span, message).help(help).severity(severity);
    }
    name(json, Severity::Error, report);
    for member in json.members().unwrap_or_default() {
        let (key, node) = (member.key.as_ref(), &member.node);
        match PORTABLE_FIELDS.iter().find(|(known, _)| *known == key) {
            None => {
                let key = short(key);
                report
                    .at(member.key_span, format!("Agent Plugins has no field `{key}`"))
                    .help("clients ignore it; fields of one client belong below `extensions`")
                    .severity(Severity::Warning);
            }
            Some((_, true)) if key != "name" && node.as_str().is_none() => {
                wrong_type(key, node, "a string", report);
            }
            Some(_) => {}
        }
    }
    if let Some(author) = json.get("author") {
        match author.members() {
            None => wrong_type("author", author, "an object", report),
            Some(members) => members.iter().for_each(|member| {
                let key = member.key.as_ref();
                if !["name", "email", "url"].contains(&key) {
                    let message = format!("`author` has no field `{}`", short(key));
                    report.at(member.key_span, message).help("it may have name, email and url");
                } else if member.node.as_str().is_none() {
                    wrong_type(&format!("author.{key}"), &member.node, "a string", report);
                }
            }),
        }
    }
    if let Some(keywords) = json.get("keywords") {
        strings("keywords", keywords, report);
    }
    if let Some(extensions) = json.get("extensions").filter(|node| node.members().is_none()) {
        let message = format!("`extensions` is {}, not an object", extensions.kind());
        report.at(start(extensions), message).severity(Severity::Warning);
    }
}

/// Whether an address is that of another version of the same schema.
fn is_other_version(schema: &str) -> bool {
    let inner = schema.strip_prefix(PORTABLE_SCHEMAS).and_then(|rest| rest.split_once('/'));
    inner.is_some_and(|(version, file)| {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        file == "plugin.schema.json"
            && version.split('.').count() == 3
            && version.split('.').all(is_number)
    })
}

/// The manifest that one agent reads: its name, and where its skills are.
fn plugin(json: &JsonNode<'_>, report: &mut Report<'_>) {
    name(json, Severity::Warning, report);
    skills(json, report);
}

/// Checks a name. Agents other than those of the specification accept more.
fn name(json: &JsonNode<'_>, severity: Severity, report: &mut Report<'_>) {
    let Some(node) = json.get("name") else {
        report.at(start(json), "`name` is missing").help("give the plugin a name");
        return;
    };
    let Some(text) = node.as_str() else { return wrong_type("name", node, "a string", report) };
    if let Some(problem) = PluginName::problem(text) {
        let severity = if PluginName::new(text).is_none() { Severity::Error } else { severity };
        let message = format!("`{}` is not a valid name for a plugin: {problem}", short(text));
        report.at(node.span, message).severity(severity);
    }
}

fn skills(json: &JsonNode<'_>, report: &mut Report<'_>) {
    match json.get("skills") {
        None => {}
        Some(node) if node.as_str().is_some() => {}
        Some(node) => strings("skills", node, report),
    }
}

fn marketplace(json: &JsonNode<'_>, file: &ManifestFile, report: &mut Report<'_>) {
    name(json, Severity::Warning, report);
    if file.format.is_of_claude {
        match json.get("owner") {
            None => {
                report
                    .at(start(json), "`owner` is missing")
                    .help("Claude needs it: `\"owner\": { \"name\": \"…\" }`");
            }
            Some(owner) if owner.members().is_none() => {
                wrong_type("owner", owner, "an object", report);
            }
            Some(_) => {}
        }
    }
    let Some(plugins) = json.get("plugins") else {
        report.at(start(json), "`plugins` is missing").help("list the plugins of the marketplace");
        return;
    };
    let Some(plugins) = plugins.elements() else {
        return wrong_type("plugins", plugins, "an array", report);
    };
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (number, entry) in plugins.iter().enumerate() {
        if entry.members().is_none() {
            let message = format!("plugin {} is {}, not an object", number + 1, entry.kind());
            report.at(start(entry), message);
            continue;
        }
        once(entry, report);
        name(entry, Severity::Warning, report);
        skills(entry, report);
        source(entry, report);
        if file.format.is_of_claude {
            described_twice(json, entry, file, report);
        }
        if let Some(strict) = entry.get("strict")
            && !matches!(strict.value, JsonValue::Bool(_))
        {
            wrong_type("strict", strict, "a boolean", report);
        }
        if let Some(node) = entry.get("name")
            && let Some(name) = node.as_str()
            && names.insert(name, number).is_some()
        {
            let message = format!("two plugins of the marketplace are named `{}`", short(name));
            report.at(node.span, message).help("agents keep one of them; rename the other");
        }
    }
}

/// Reports a plugin that Claude does not load, because its entry stands in for its manifest, and it
/// has one.
fn described_twice(
    json: &JsonNode<'_>,
    entry: &JsonNode<'_>,
    file: &ManifestFile,
    report: &mut Report<'_>,
) {
    let strict = entry.get("strict").filter(|node| node.value == JsonValue::Bool(false));
    let part = PARTS.iter().find(|part| entry.get(part).is_some());
    let (Some(strict), Some(part)) = (strict, part) else { return };
    let base = json.get("metadata").and_then(|metadata| metadata.get("pluginRoot"));
    let base = base.and_then(JsonNode::as_str).and_then(inner_path);
    let path = entry.get("source").and_then(local_source);
    let Some(inner) = path.and_then(|path| inner_source(path, base.as_deref())) else { return };
    if file.end_of(&inner.join(OWN_MANIFEST)) == Some(LinkEnd::Inside(FileKind::Regular)) {
        let message = "Claude does not load this plugin, because it has a `plugin.json`, too";
        let help = format!("remove `\"strict\": false`, or `{part}` from this entry");
        report.at(strict.span, message).help(help);
    }
}

fn source(entry: &JsonNode<'_>, report: &mut Report<'_>) {
    let Some(source) = entry.get("source") else {
        report.at(start(entry), "`source` is missing").help("say where the plugin is");
        return;
    };
    if source.as_str().is_some() {
        return;
    }
    if source.members().is_none() {
        return wrong_type("source", source, "a string or an object", report);
    }
    let Some(kind) = source.get("source").and_then(JsonNode::as_str) else {
        report.at(start(source), "`source.source` is missing").help("name the kind of place");
        return;
    };
    let needed = SOURCES.iter().find(|(known, _)| *known == kind);
    if let Some((_, needed)) = needed
        && source.get(needed).and_then(JsonNode::as_str).is_none()
    {
        let message = format!("a source of the kind `{kind}` needs the string `{needed}`");
        report.at(start(source), message);
    }
}

fn strings(key: &str, node: &JsonNode<'_>, report: &mut Report<'_>) {
    let Some(elements) = node.elements() else {
        return wrong_type(key, node, "an array of strings", report);
    };
    for element in elements.iter().filter(|element| element.as_str().is_none()) {
        let message = format!("`{key}` contains {}, not only strings", element.kind());
        report.at(start(element), message);
    }
}

fn wrong_type(key: &str, node: &JsonNode<'_>, wanted: &str, report: &mut Report<'_>) {
    report.at(start(node), format!("`{key}` is {}, not {wanted}", node.kind()));
}

/// The place of a value; of an array or object, only its first character.
fn start(node: &JsonNode<'_>) -> Span {
    match node.value {
        JsonValue::Array(_) | JsonValue::Object(_) => {
            Span::new(node.span.start, node.span.start + 1)
        }
        _ => node.span,
    }
}

/// The start of a text, which may be very long.
fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
