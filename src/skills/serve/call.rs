//! What a client asks for: the method and its parameters, checked.

use serde_json::{Map, Value};

use crate::skills::serve::address;
use crate::skills::serve::listeners::NewsFilter;
use crate::skills::serve::message::{METHOD_NOT_FOUND, RpcError};
use crate::skills::serve::revision::Era;

/// Addresses that one subscription may name.
const MOST_ADDRESSES: usize = 1_000;
/// Keys of sections that may be opened at once.
const MOST_KEYS: usize = 100;

/// The tool that opens a skill.
pub const OPEN_SKILL: &str = "open_skill";
/// The tool that reads a file of a skill.
pub const READ_SKILL_FILE: &str = "read_skill_file";
/// The tool that opens sections of the prompt.
pub const OPEN_SECTIONS: &str = "open_sections";

/// What a client asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// What is spoken and offered here.
    Discover,
    /// A sign of life.
    Ping,
    /// Skills, from a cursor on.
    ListSkills(Option<String>),
    /// The skill at an address.
    GetSkill(String),
    /// Files, from a cursor on.
    ListResources(Option<String>),
    /// Patterns of addresses.
    ListTemplates(Option<String>),
    /// The file at an address.
    ReadResource(String),
    /// What lies in the directory at an address, from a cursor on.
    ReadDirectory(String, Option<String>),
    ListTools(Option<String>),
    /// The result of a tool.
    UseTool(ToolCall),
    /// Prompts, from a cursor on.
    ListPrompts(Option<String>),
    /// A prompt, with the user's request.
    GetPrompt(String, Option<String>),
    /// News about the file at an address, in a session.
    Subscribe(String),
    /// No more of them.
    Unsubscribe(String),
    /// News, until the request is cancelled.
    Listen(NewsFilter),
}

/// A call of a tool. What a model gets wrong is told to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolCall {
    /// Opens the skill of this name; without a name, lists all.
    OpenSkill(Option<String>),
    /// Reads this file of the skill of this name.
    ReadFile {
        /// The name of the skill.
        skill: String,
        /// The path of the file below it.
        path: String,
    },
    /// Opens the sections with these keys.
    OpenSections(Vec<String>),
    /// Arguments that do not fit, in words for a model.
    Misused(String),
}

impl Call {
    /// Reads a request, which is not `initialize`.
    pub fn of(method: &str, params: &Map<String, Value>, era: Era) -> Result<Self, RpcError> {
        let is_session = era != Era::Modern;
        Ok(match method {
            "server/discover" => Self::Discover,
            "ping" => Self::Ping,
            "skills/list" => Self::ListSkills(optional(params, "cursor")?),
            "skills/get" => Self::GetSkill(text(params, "uri")?),
            "resources/list" => Self::ListResources(optional(params, "cursor")?),
            "resources/templates/list" => Self::ListTemplates(optional(params, "cursor")?),
            "resources/read" => Self::ReadResource(text(params, "uri")?),
            "resources/directory/read" => {
                Self::ReadDirectory(text(params, "uri")?, optional(params, "cursor")?)
            }
            "resources/subscribe" if is_session => Self::Subscribe(watched(&text(params, "uri")?)?),
            "resources/unsubscribe" if is_session => {
                Self::Unsubscribe(watched(&text(params, "uri")?)?)
            }
            "subscriptions/listen" if !is_session => Self::Listen(filter(params)?),
            "tools/list" => Self::ListTools(optional(params, "cursor")?),
            "tools/call" => Self::UseTool(tool(params)?),
            "prompts/list" => Self::ListPrompts(optional(params, "cursor")?),
            "prompts/get" => Self::GetPrompt(text(params, "name")?, request(params)?),
            _ => {
                let message = format!("there is no method `{method}`");
                return Err(RpcError::new(METHOD_NOT_FOUND, message));
            }
        })
    }
}

/// The parameter of `initialize`: the revision that the client prefers.
pub fn preferred_revision(params: &Map<String, Value>) -> Result<String, RpcError> {
    text(params, "protocolVersion")
}

fn text(params: &Map<String, Value>, key: &str) -> Result<String, RpcError> {
    optional(params, key)?.ok_or_else(|| RpcError::params(format!("`{key}` is missing")))
}

fn optional(params: &Map<String, Value>, key: &str) -> Result<Option<String>, RpcError> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(RpcError::params(format!("`{key}` is not a text"))),
    }
}

fn arguments(params: &Map<String, Value>) -> Result<Map<String, Value>, RpcError> {
    match params.get("arguments") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(arguments)) => Ok(arguments.clone()),
        Some(_) => Err(RpcError::params("`arguments` is not an object")),
    }
}

/// The user's words, which stand behind the skill.
fn request(params: &Map<String, Value>) -> Result<Option<String>, RpcError> {
    optional(&arguments(params)?, "request").map(|request| request.filter(|text| !text.is_empty()))
}

fn tool(params: &Map<String, Value>) -> Result<ToolCall, RpcError> {
    let name = text(params, "name")?;
    let arguments = arguments(params)?;
    let used = match name.as_str() {
        OPEN_SKILL => optional(&arguments, "name").map(ToolCall::OpenSkill),
        READ_SKILL_FILE => text(&arguments, "name")
            .and_then(|skill| Ok(ToolCall::ReadFile { skill, path: text(&arguments, "path")? })),
        OPEN_SECTIONS => keys(&arguments).map(ToolCall::OpenSections),
        _ => return Err(RpcError::params(format!("there is no tool `{name}`"))),
    };
    // A model can do better next time, if it hears what was wrong.
    Ok(used.unwrap_or_else(|error| ToolCall::Misused(error.message)))
}

/// One key or several: the sentence in a prompt speaks of one.
fn keys(arguments: &Map<String, Value>) -> Result<Vec<String>, RpcError> {
    let wrong = || RpcError::params("`keys` must be a list of texts");
    let keys = match arguments.get("keys").or_else(|| arguments.get("key")) {
        Some(Value::String(key)) => vec![key.clone()],
        Some(Value::Array(keys)) if keys.len() <= MOST_KEYS => keys
            .iter()
            .map(|key| key.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect::<Result<_, _>>()?,
        _ => return Err(wrong()),
    };
    if keys.is_empty() { Err(wrong()) } else { Ok(keys) }
}

/// An address to watch. It may be that of a file that is not there yet.
fn watched(uri: &str) -> Result<String, RpcError> {
    match address::parts(uri) {
        Ok(_) => Ok(uri.to_owned()),
        Err(error) => Err(RpcError::params(error.message)),
    }
}

fn filter(params: &Map<String, Value>) -> Result<NewsFilter, RpcError> {
    let empty = Map::new();
    let wanted = match params.get("notifications") {
        Some(Value::Object(wanted)) => wanted,
        None => &empty,
        Some(_) => return Err(RpcError::params("`notifications` is not an object")),
    };
    let flag = |key: &str| match wanted.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(RpcError::params(format!("`{key}` is neither true nor false"))),
    };
    let wrong = || {
        let message =
            format!("`resourceSubscriptions` must be a list of at most {MOST_ADDRESSES} texts");
        RpcError::params(message)
    };
    let addresses = match wanted.get("resourceSubscriptions") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) if list.len() <= MOST_ADDRESSES => list
            .iter()
            .map(|one| one.as_str().ok_or_else(wrong).and_then(watched))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err(wrong()),
    };
    Ok(NewsFilter {
        tools: flag("toolsListChanged")?,
        prompts: flag("promptsListChanged")?,
        resources: flag("resourcesListChanged")?,
        addresses,
    })
}
