//! What to write into the configuration of a client, so that it finds this server.

use serde_json::{Map, Value, json};

/// A client whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigClient {
    /// Claude Code.
    Claude,
    Codex,
    /// Visual Studio Code.
    Vscode,
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    Opencode,
}

/// How a client reaches the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerCommand {
    /// It starts the program with these words.
    Started(Vec<String>),
    /// It asks at this address, with a token from the environment.
    At(String),
}

/// The variable that has the token.
pub const TOKEN: &str = "SKILLS_SERVE_TOKEN";

impl ConfigClient {
    /// The file to add the text to.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Claude => ".mcp.json in the project",
            Self::Codex => "~/.codex/config.toml",
            Self::Vscode => ".vscode/mcp.json in the project",
            Self::Cursor => ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
            Self::Gemini => ".gemini/settings.json in the project, or ~/.gemini/settings.json",
            Self::Opencode => "opencode.json in the project",
        }
    }
}

/// What to write into the configuration of a client.
pub fn config(client: ConfigClient, server: &ServerCommand) -> String {
    let own = match client {
        ConfigClient::Codex => return toml(server),
        ConfigClient::Vscode => {
            json!({ "servers": { "skills": typed(server, "${input:skills-token}") } })
        }
        ConfigClient::Claude => {
            json!({ "mcpServers": { "skills": typed(server, &format!("${{{TOKEN}}}")) } })
        }
        ConfigClient::Cursor => {
            json!({ "mcpServers": { "skills": plain(server, "url", &format!("${{env:{TOKEN}}}")) } })
        }
        ConfigClient::Gemini => {
            json!({ "mcpServers": { "skills": plain(server, "httpUrl", &format!("${TOKEN}")) } })
        }
        ConfigClient::Opencode => json!({ "mcp": { "skills": opencode(server) } }),
    };
    let own = match (own, client, server) {
        (Value::Object(mut own), ConfigClient::Vscode, ServerCommand::At(_)) => {
            let input = json!({
                "type": "promptString",
                "id": "skills-token",
                "description": format!("Token of skills serve ({TOKEN})"),
                "password": true,
            });
            own.insert("inputs".to_owned(), json!([input]));
            Value::Object(own)
        }
        (own, _, _) => own,
    };
    format!("{own:#}\n")
}

/// With a word for the kind of server.
fn typed(server: &ServerCommand, token: &str) -> Value {
    let kind = match server {
        ServerCommand::Started(_) => "stdio",
        ServerCommand::At(_) => "http",
    };
    let mut fields = fields(server, "url", token);
    fields.insert("type".to_owned(), json!(kind));
    Value::Object(fields)
}

fn plain(server: &ServerCommand, url: &str, token: &str) -> Value {
    Value::Object(fields(server, url, token))
}

fn fields(server: &ServerCommand, url: &str, token: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    match server {
        ServerCommand::Started(words) => {
            fields.insert("command".to_owned(), json!(crate::PROGRAM));
            fields.insert("args".to_owned(), json!(words));
        }
        ServerCommand::At(address) => {
            fields.insert(url.to_owned(), json!(address));
            let header = format!("Bearer {token}");
            fields.insert("headers".to_owned(), json!({ "Authorization": header }));
        }
    }
    fields
}

fn opencode(server: &ServerCommand) -> Value {
    match server {
        ServerCommand::Started(words) => {
            let command: Vec<&str> =
                std::iter::once(crate::PROGRAM).chain(words.iter().map(String::as_str)).collect();
            json!({ "type": "local", "command": command, "enabled": true })
        }
        ServerCommand::At(address) => json!({
            "type": "remote",
            "url": address,
            "headers": { "Authorization": format!("Bearer {{env:{TOKEN}}}") },
            "enabled": true,
        }),
    }
}

fn toml(server: &ServerCommand) -> String {
    // A JSON string of printable text is a TOML string.
    let quoted = |text: &str| json!(text).to_string();
    match server {
        ServerCommand::Started(words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let program = quoted(crate::PROGRAM);
            format!("[mcp_servers.skills]\ncommand = {program}\nargs = [{}]\n", words.join(", "))
        }
        ServerCommand::At(address) => format!(
            "[mcp_servers.skills]\nurl = {}\nbearer_token_env_var = {}\n",
            quoted(address),
            quoted(TOKEN)
        ),
    }
}
