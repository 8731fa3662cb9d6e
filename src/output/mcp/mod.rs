//! Answers as JSON of the Model Context Protocol.

pub mod config;

use std::collections::HashMap;
use std::{io, iter};

use serde_json::{Map, Value, json};

use crate::output::json::ToolDefinition;
pub use crate::output::mcp::config::{ConfigClient, ServerCommand, config};
use crate::output::{count, json as text, prompt as prompts};
use crate::skills::model::inline::{Tool, Visibility};
use crate::skills::serve::answer::{McpAnswer, OpenedSections, PromptRow, ToolAnswer};
use crate::skills::serve::call::{OPEN_SECTIONS, OPEN_SKILL, READ_SKILL_FILE};
use crate::skills::serve::catalogue::Catalogue;
use crate::skills::serve::files::{FileContent, HashedFile, ResourceRow, SkillEntry};
use crate::skills::serve::listeners::{Announcement, Listener};
use crate::skills::serve::message::{RequestId, RpcError};
use crate::skills::serve::paging::ListPart;
use crate::skills::serve::revision;
use crate::skills::show::layout::{CatalogueLine, Prompt};
use crate::skills::show::prompt::{PromptSkill, Section};
use crate::skills::text::base64;
use crate::skills::text::field_values::FieldValue;

/// The extension for skills.
const SKILLS: &str = "io.modelcontextprotocol/skills";

/// The key of what a server says about itself.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The key that tells which subscription a notification belongs to.
pub const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// What answers say besides what was asked.
#[derive(Debug, Clone, Copy)]
pub struct ServerWords {
    /// How skills are told to clients that know none.
    pub catalog: CatalogWords,
    /// How long an answer stays true, in milliseconds.
    pub ttl: u64,
    /// Whether anything can change.
    pub has_news: bool,
}

impl ServerWords {
    /// The result of a request.
    pub fn result(&self, answer: &McpAnswer, catalogue: &Catalogue) -> Value {
        let (mut fields, is_cacheable) = self.fields(answer, catalogue);
        if is_cacheable {
            fields.insert("ttlMs".to_owned(), json!(self.ttl));
            // Skills may be the secrets of a team, whoever asks for them.
            fields.insert("cacheScope".to_owned(), json!("private"));
        }
        fields.insert("resultType".to_owned(), json!("complete"));
        fields.insert("_meta".to_owned(), json!({ SERVER_INFO: server_info() }));
        Value::Object(fields)
    }

    /// The fields of an answer, and whether it may be kept.
    fn fields(&self, answer: &McpAnswer, catalogue: &Catalogue) -> (Map<String, Value>, bool) {
        let (value, is_cacheable) = match answer {
            McpAnswer::Initialized(version) => (self.initialized(version, catalogue), false),
            McpAnswer::Discovered => (self.discovered(catalogue), true),
            McpAnswer::Done => (json!({}), false),
            McpAnswer::Skills(part) => (list("skills", part, skill), true),
            McpAnswer::Skill(entry) => (json!({ "skill": skill(entry) }), true),
            McpAnswer::Resources(part) => (list("resources", part, resource), true),
            McpAnswer::Directory(part) => (list("resources", part, resource), false),
            McpAnswer::Templates => (templates(), true),
            McpAnswer::Content(content, _) => (json!({ "contents": [contents(content)] }), true),
            McpAnswer::Tools => (json!({ "tools": self.catalog.tools(&catalogue.prompt()) }), true),
            McpAnswer::Tool(answer) => (tool(answer), false),
            McpAnswer::Prompts(part) => (list("prompts", part, prompt_row), true),
            McpAnswer::Prompt(skill, user, _) => (prompt(skill, user.as_deref()), false),
        };
        match value {
            Value::Object(fields) => (fields, is_cacheable),
            _ => (Map::new(), is_cacheable),
        }
    }

    fn initialized(&self, version: &str, catalogue: &Catalogue) -> Value {
        json!({
            "protocolVersion": version,
            "capabilities": self.capabilities(),
            "serverInfo": server_info(),
            "instructions": self.catalog.instructions(catalogue),
        })
    }

    fn discovered(&self, catalogue: &Catalogue) -> Value {
        json!({
            "supportedVersions": revision::all().collect::<Vec<_>>(),
            "capabilities": self.capabilities(),
            "instructions": self.catalog.instructions(catalogue),
        })
    }

    fn capabilities(&self) -> Value {
        let news = self.has_news;
        json!({
            "resources": { "listChanged": news, "subscribe": news },
            "tools": { "listChanged": news },
            "prompts": { "listChanged": news },
            "extensions": { SKILLS: { "directoryRead": true } },
        })
    }
}

/// An answer to a request.
pub fn response(id: &RequestId, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.to_value(), "result": result })
}

/// An error, without an id where none could be read.
pub fn error(id: Option<&RequestId>, error: &RpcError) -> Value {
    let mut fields = Map::new();
    fields.insert("code".to_owned(), json!(error.code));
    fields.insert("message".to_owned(), json!(error.message));
    if let Some(data) = &error.data {
        fields.insert("data".to_owned(), data.clone());
    }
    match id {
        Some(id) => json!({ "jsonrpc": "2.0", "id": id.to_value(), "error": fields }),
        None => json!({ "jsonrpc": "2.0", "error": fields }),
    }
}

/// That news will come, and which.
pub fn acknowledged(listener: &Listener, has_news: bool) -> Value {
    let wants = &listener.wants;
    let mut agreed = Map::new();
    let lists = [
        ("toolsListChanged", wants.tools),
        ("promptsListChanged", wants.prompts),
        ("resourcesListChanged", wants.resources),
    ];
    for (key, _) in lists.into_iter().filter(|(_, wanted)| *wanted && has_news) {
        agreed.insert(key.to_owned(), json!(true));
    }
    if !wants.addresses.is_empty() && has_news {
        agreed.insert("resourceSubscriptions".to_owned(), json!(wants.addresses));
    }
    let method = "notifications/subscriptions/acknowledged";
    notification(method, json!({ "notifications": agreed }), listener)
}

/// One piece of news.
pub fn news(news: &Announcement, listener: &Listener) -> Value {
    let (method, params) = match news {
        Announcement::Tools => ("notifications/tools/list_changed", json!({})),
        Announcement::Prompts => ("notifications/prompts/list_changed", json!({})),
        Announcement::Resources => ("notifications/resources/list_changed", json!({})),
        Announcement::Updated(uri) => ("notifications/resources/updated", json!({ "uri": uri })),
    };
    notification(method, params, listener)
}

fn notification(method: &str, mut params: Value, listener: &Listener) -> Value {
    if let (Some(id), Value::Object(fields)) = (&listener.subscription, &mut params) {
        fields.insert("_meta".to_owned(), json!({ SUBSCRIPTION: id.to_value() }));
    }
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// A message on a line of its own.
pub fn line(message: &Value) -> io::Result<Vec<u8>> {
    // A growing buffer could take twice the memory.
    let mut bytes = Vec::with_capacity(weight(message) + 1_024);
    text::line(&mut bytes, message)?;
    Ok(bytes)
}

/// About how many bytes a message has.
pub fn weight(message: &Value) -> usize {
    match message {
        Value::String(text) => text.len() + 2,
        Value::Array(values) => values.iter().map(|value| weight(value) + 1).sum(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| key.len() + weight(value) + 4).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

fn server_info() -> Value {
    let (name, version) = (crate::PROGRAM, env!("CARGO_PKG_VERSION"));
    json!({ "name": name, "title": "Agent Skills", "version": version })
}

fn list<T>(key: &str, part: &ListPart<T>, row: impl Fn(&T) -> Value) -> Value {
    let mut fields = Map::new();
    fields.insert(key.to_owned(), part.rows.iter().map(row).collect());
    if let Some(next) = &part.next {
        fields.insert("nextCursor".to_owned(), json!(next));
    }
    Value::Object(fields)
}

fn skill(entry: &SkillEntry) -> Value {
    let file = |file: &HashedFile| {
        let digest = format!("sha256:{}", file.hash);
        json!({ "uri": file.uri, "digest": digest, "size": file.size })
    };
    json!({
        "uri": entry.uri,
        "frontmatter": mapping(&entry.front_matter.entries),
        "resources": entry.files.iter().map(file).collect::<Vec<_>>(),
    })
}

/// Front matter as a YAML reader of the core schema gives it.
fn mapping(entries: &[(String, FieldValue)]) -> Value {
    entries.iter().map(|(key, one)| (key.clone(), value(one))).collect::<Map<_, _>>().into()
}

fn value(value: &FieldValue) -> Value {
    match value {
        FieldValue::Null => Value::Null,
        FieldValue::Bool(flag) => json!(flag),
        FieldValue::Number(written) => number(written).unwrap_or_else(|| json!(written)),
        FieldValue::Text(text) => json!(text),
        FieldValue::List(items) => items.iter().map(self::value).collect(),
        FieldValue::Mapping(entries) => mapping(entries),
    }
}

/// The number that is written; none for those that JSON does not have.
fn number(written: &str) -> Option<Value> {
    let whole = |digits: &str, radix: u32| u64::from_str_radix(digits, radix).ok().map(Value::from);
    if let Some(digits) = written.strip_prefix("0x") {
        return whole(digits, 16);
    }
    if let Some(digits) = written.strip_prefix("0o") {
        return whole(digits, 8);
    }
    let plain = written.strip_prefix('+').unwrap_or(written);
    let exact = plain.parse::<i64>().ok().map(Value::from);
    let exact = exact.or_else(|| plain.parse::<u64>().ok().map(Value::from));
    exact.or_else(|| {
        let number = plain.parse::<f64>().ok().filter(|number| number.is_finite())?;
        serde_json::Number::from_f64(number).map(Value::Number)
    })
}

fn resource(row: &ResourceRow) -> Value {
    let mut fields = Map::new();
    fields.insert("uri".to_owned(), json!(row.uri));
    fields.insert("name".to_owned(), json!(row.name));
    if let Some(description) = &row.description {
        fields.insert("description".to_owned(), json!(description));
    }
    if let Some(media) = row.media {
        fields.insert("mimeType".to_owned(), json!(media));
    }
    if let Some(size) = row.size {
        fields.insert("size".to_owned(), json!(size));
    }
    Value::Object(fields)
}

fn templates() -> Value {
    json!({ "resourceTemplates": [{
        "uriTemplate": "skill://{+path}",
        "name": "skill-file",
        "title": "File of a skill",
        "description": "A file of a skill: skill://NAME/SKILL.md has its instructions.",
    }] })
}

/// Text where it is text, else Base64: either way the exact bytes.
fn contents(content: &FileContent) -> Value {
    let (key, body) = match std::str::from_utf8(&content.bytes) {
        Ok(text) => ("text", text.to_owned()),
        Err(_) => ("blob", base64::encode(&content.bytes)),
    };
    let fallback = if key == "text" { "text/plain" } else { "application/octet-stream" };
    let media = content.media.unwrap_or(fallback);
    json!({ "uri": content.uri, "mimeType": media, key: body })
}

fn tool(answer: &ToolAnswer) -> Value {
    let content = match answer {
        ToolAnswer::Catalogue(prompt) => texts([all_skills(prompt)]),
        ToolAnswer::Skill(skill, _) => {
            let tools = skill.skill.inline().into_iter().flat_map(|inline| &inline.tools);
            texts(iter::once(activated(skill, None)).chain(definitions(tools)))
        }
        ToolAnswer::File(file) => tool_file(file),
        ToolAnswer::Sections(OpenedSections { prompt, .. }) => {
            let opened = prompt.sections.iter().filter(|one| one.visibility == Visibility::Full);
            let tools = opened.flat_map(|section| &section.tools);
            texts(iter::once(written(prompt)).chain(definitions(tools)))
        }
        ToolAnswer::Failed(message) => {
            return json!({ "content": texts([message.clone()]), "isError": true });
        }
    };
    json!({ "content": content, "isError": false })
}

fn texts(texts: impl IntoIterator<Item = String>) -> Value {
    texts.into_iter().map(|text| json!({ "type": "text", "text": text })).collect()
}

/// What a manifest says about tools besides their names, for the program that provides them.
fn definitions<'a>(tools: impl Iterator<Item = &'a Tool>) -> Option<String> {
    let says_more = |tool: &&Tool| tool.description.is_some() || tool.parameters.is_some();
    let tools: Vec<ToolDefinition<'_>> =
        tools.filter(says_more).map(ToolDefinition::from).collect();
    let object = HashMap::from([("tools", &tools)]);
    (!tools.is_empty()).then(|| in_memory(|out| text::line(out, &object)))
}

/// A file for a model: pictures as such, text as it is, anything else as a resource.
fn tool_file(file: &FileContent) -> Value {
    match (std::str::from_utf8(&file.bytes), file.media) {
        (Ok(text), _) => json!([{ "type": "text", "text": text }]),
        (Err(_), Some(media)) if media.starts_with("image/") => {
            json!([{ "type": "image", "data": base64::encode(&file.bytes), "mimeType": media }])
        }
        (Err(_), _) => json!([{ "type": "resource", "resource": contents(file) }]),
    }
}

fn prompt_row(row: &PromptRow) -> Value {
    let argument = json!({
        "name": "request",
        "description": "What to do with the skill",
        "required": false,
    });
    let mut fields = Map::new();
    fields.insert("name".to_owned(), json!(row.name));
    fields.insert("arguments".to_owned(), json!([argument]));
    if let Some(description) = &row.description {
        fields.insert("description".to_owned(), json!(description));
    }
    Value::Object(fields)
}

fn prompt(skill: &PromptSkill, user: Option<&str>) -> Value {
    let content = json!({ "type": "text", "text": activated(skill, user) });
    let mut fields = Map::new();
    fields.insert("messages".to_owned(), json!([{ "role": "user", "content": content }]));
    if let Some(description) = &skill.description {
        fields.insert("description".to_owned(), json!(description));
    }
    Value::Object(fields)
}

/// A whole skill, in the words of `skills render --activate`.
fn activated(skill: &PromptSkill, user: Option<&str>) -> String {
    in_memory(|out| prompts::activated(out, skill, user))
}

/// A prompt, in the words of `skills render --format markdown`.
fn written(prompt: &Prompt) -> String {
    in_memory(|out| prompts::markdown(out, prompt))
}

fn in_memory(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = write(&mut bytes);
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

// What a model that knows no skills is told: what the tools do, and which skills there are, in as
// many words as there is room for.

/// Characters of a description that are tried, from many to few, when there is no room for all.
const CUTS: [usize; 4] = [240, 160, 100, 60];

const INSTRUCTIONS: &str = "\
This server has Agent Skills: instructions for certain tasks, with the files they need.
When a task matches a skill, call `open_skill` with its name before you start, and follow it step by \
step. Read its files with `read_skill_file`.";

const OPEN: &str = "\
Opens an Agent Skill: instructions for a certain task, and the names of its files. When a task matches \
one of the skills, call this before you start, then follow the instructions. Without a name, it lists \
all skills.";

const READ: &str = "\
Reads a file of an Agent Skill that `open_skill` has named, such as a reference, a template or a \
script.";

const SECTIONS: &str = "\
Opens sections of the prompt that are summarized: whole workflows, or more skills. Use the keys that \
the summaries give.";

/// Where the skills are listed for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogPlace {
    /// In the description of a tool.
    Tool,
    /// In the instructions of the server.
    Instructions,
    /// Nowhere: `open_skill` without a name lists them.
    Nowhere,
}

/// How skills are told to clients that know none.
#[derive(Debug, Clone, Copy)]
pub struct CatalogWords {
    /// Where they are listed.
    pub place: CatalogPlace,
    /// The most characters of a description or of the instructions.
    pub budget: usize,
}

impl CatalogWords {
    /// What the server says about itself.
    pub fn instructions(self, catalogue: &Catalogue) -> String {
        match self.place {
            CatalogPlace::Instructions => self.with_catalogue(INSTRUCTIONS, &catalogue.prompt()),
            CatalogPlace::Tool | CatalogPlace::Nowhere => INSTRUCTIONS.to_owned(),
        }
    }

    /// The tools, always in the same order.
    pub fn tools(self, prompt: &Prompt) -> Value {
        let name = json!({
            "type": "string",
            "description": "Name of the skill, as it is listed",
        });
        let open = match self.place {
            CatalogPlace::Tool => self.with_catalogue(OPEN, prompt),
            CatalogPlace::Instructions | CatalogPlace::Nowhere => OPEN.to_owned(),
        };
        let path = json!({
            "type": "string",
            "description": "Path of the file below the skill, such as references/guide.md",
        });
        let mut tools = vec![
            tool_words(OPEN_SKILL, "Open a skill", &open, &json!({ "name": name }), &[]),
            tool_words(
                READ_SKILL_FILE,
                "Read a file of a skill",
                READ,
                &json!({ "name": name, "path": path }),
                &["name", "path"],
            ),
        ];
        if !prompt.sections.iter().all(Section::is_heading) {
            let keys = json!({
                "type": "array",
                "items": { "type": "string" },
                "minItems": 1,
                "description": "Keys of the sections, as their summaries give them",
            });
            let about = match self.place {
                CatalogPlace::Nowhere => SECTIONS.to_owned(),
                _ => self.with_sections(&prompt.sections),
            };
            let fields = json!({ "keys": keys });
            tools.push(tool_words(OPEN_SECTIONS, "Open sections", &about, &fields, &["keys"]));
        }
        Value::Array(tools)
    }

    /// A text with the catalogue behind it, as much of it as there is room for.
    fn with_catalogue(self, start: &str, prompt: &Prompt) -> String {
        if prompt.lines.is_empty() {
            return start.to_owned();
        }
        let room = self.budget.saturating_sub(start.chars().count() + 2);
        let fits = |text: &String| text.chars().count() <= room;
        let cut = |most: Option<usize>| catalogue(&prompt.lines, most);
        let tries = std::iter::once(cut(None)).chain(CUTS.iter().map(|most| cut(Some(*most))));
        let names = || names_of(&prompt.lines, room);
        let text = tries.chain([cut(Some(0))]).find(fits).unwrap_or_else(names);
        format!("{start}\n\n{text}")
    }

    /// The same with sections: all of them, else their first lines, else their keys.
    fn with_sections(self, sections: &[Section]) -> String {
        let room = self.budget.saturating_sub(SECTIONS.chars().count() + 2);
        let whole = in_memory(|out| {
            prompts::markdown(out, &Prompt { sections: sections.to_vec(), ..Prompt::default() })
        });
        if whole.chars().count() <= room {
            return format!("{SECTIONS}\n\n{whole}");
        }
        let line =
            |section: &Section| format!("- {}: {}", section.key, shortened(&section.title, 60));
        let lines: Vec<String> =
            sections.iter().filter(|section| !section.is_heading()).map(line).collect();
        format!("{SECTIONS}\n\n{}", some(&lines, "\n", room, "more section"))
    }
}

/// The catalogue for a model that asked for all of it.
pub fn all_skills(prompt: &Prompt) -> String {
    let listed = Prompt { instructions: false, ..prompt.clone() };
    match written(&listed) {
        text if text.is_empty() => "There are no skills.".to_owned(),
        text => text,
    }
}

/// A catalogue in the words of `skills render --format markdown`, with descriptions of at most this
/// many characters.
fn catalogue(lines: &[CatalogueLine], most: Option<usize>) -> String {
    let line = |line: &CatalogueLine| CatalogueLine {
        name: line.name.clone(),
        description: match (&line.description, most) {
            (_, Some(0)) => None,
            (description, None) => description.clone(),
            (description, Some(most)) => {
                description.as_deref().map(|text| shortened(text, most).into_owned())
            }
        },
        location: None,
        section: None,
    };
    let lines = lines.iter().map(line).collect();
    written(&Prompt { lines, ..Prompt::default() })
}

/// As many names as there is room for, and how many more there are.
fn names_of(lines: &[CatalogueLine], room: usize) -> String {
    let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    let heading = "Skills: ";
    format!("{heading}{}", some(&names, ", ", room.saturating_sub(heading.len()), "more skill"))
}

fn some(words: &[String], between: &str, room: usize, more: &str) -> String {
    const TAIL: usize = 32;
    let (mut text, mut used) = (String::new(), 0);
    for (at, word) in words.iter().enumerate() {
        let length = word.chars().count() + between.len();
        if used + length + TAIL > room && at + 1 < words.len() {
            text.push_str(&format!("and {}", count(words.len() - at, more)));
            return text;
        }
        used += length;
        text.push_str(word);
        if at + 1 < words.len() {
            text.push_str(between);
        }
    }
    text
}

/// The start of a text, to the end of a word.
fn shortened(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.into() };
    let start = &text[..end];
    let start = start.rsplit_once(char::is_whitespace).map_or(start, |(words, _)| words);
    format!("{}…", start.trim_end_matches([',', ';', ':', '.'])).into()
}

fn tool_words(
    name: &str,
    title: &str,
    about: &str,
    properties: &Value,
    required: &[&str],
) -> Value {
    json!({
        "name": name,
        "title": title,
        "description": about,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        },
        // Nothing is written, and nothing is run.
        "annotations": {
            "title": title,
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
        // Claude Code shows a model only the names of most tools; a catalogue must be seen.
        "_meta": { "anthropic/alwaysLoad": true },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_a_yaml_reader_gives() {
        for (written, expected) in [
            ("1", json!(1)),
            ("+1", json!(1)),
            ("-007", json!(-7)),
            ("1.10", json!(1.1)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(number(written), Some(expected), "{written}");
        }
        for written in [".inf", "-.INF", ".nan", "0x", "1e400"] {
            assert_eq!(number(written), None, "{written}");
        }
    }
}

#[cfg(test)]
mod words_tests {
    use super::*;

    fn prompt(skills: usize) -> Prompt {
        let line = |number| CatalogueLine {
            name: format!("skill-{number}"),
            description: Some("Extract text from PDF files, fast. ".repeat(10)),
            location: Some("skill://x".to_owned()),
            section: None,
        };
        Prompt { lines: (0..skills).map(line).collect(), ..Prompt::default() }
    }

    #[test]
    fn the_catalogue_gets_shorter_as_it_has_more_skills() {
        let words = CatalogWords { place: CatalogPlace::Tool, budget: 2_000 };
        let mut last = usize::MAX;
        for skills in [1, 3, 5, 8, 12, 40, 100, 1_000, 10_000] {
            let text = words.with_catalogue(OPEN, &prompt(skills));
            let length = text.chars().count();
            assert!(length <= 2_000, "{length} for {skills}");
            let each = length / skills;
            assert!(each <= last, "{each} for {skills}");
            last = each;
            assert!(text.contains("skill-0"), "{text}");
            assert_eq!(text.contains("more skill"), skills >= 1_000, "{text}");
        }
    }

    #[test]
    fn descriptions_end_with_a_word() {
        assert_eq!(shortened("one two three", 20), "one two three");
        assert_eq!(shortened("one two, three", 9), "one two…");
        assert_eq!(shortened("ÄÖÜäöü", 3), "ÄÖÜ…");
    }
}
