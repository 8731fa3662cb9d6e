//! Revisions of the protocol. Older ones start with `initialize`, and a session keeps what was agreed;
//! in the newest, every request says for itself which revision it speaks.

use serde_json::{Map, Value, json};

use crate::skills::serve::message::{RpcError, UNSUPPORTED_VERSION};

/// The revision whose requests stand for themselves.
pub const MODERN: &str = "2026-07-28";
/// The revisions that start with `initialize`, the newest first.
pub const WITH_SESSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The only revision with batches.
const WITH_BATCHES: &str = "2025-03-26";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// In a session of this revision.
    Session(&'static str),
    /// In requests that stand for themselves.
    Modern,
}

impl Era {
    /// Whether several messages may share a line.
    pub fn has_batches(self) -> bool {
        self == Self::Session(WITH_BATCHES)
    }
}

/// All revisions, the newest first.
pub fn all() -> impl Iterator<Item = &'static str> {
    std::iter::once(MODERN).chain(WITH_SESSIONS)
}

/// The revision of a session for a client that asks for this one.
pub fn agreed(asked: &str) -> &'static str {
    WITH_SESSIONS.into_iter().find(|known| *known == asked).unwrap_or(WITH_SESSIONS[0])
}

/// The revision that a request names itself.
pub fn named_in(params: &Map<String, Value>) -> Option<&Value> {
    params.get("_meta")?.get(VERSION_KEY)
}

/// How a request is meant, given the session it belongs to.
///
/// # Errors
/// A revision that is not spoken here, and a request that neither belongs to a session nor stands for
/// itself.
pub fn of_request(
    params: &Map<String, Value>,
    session: Option<&'static str>,
) -> Result<Era, RpcError> {
    match (named_in(params), session) {
        (Some(Value::String(version)), _) if version == MODERN => {
            let capabilities = params.get("_meta").and_then(|meta| meta.get(CAPABILITIES_KEY));
            match capabilities {
                Some(Value::Object(_)) => Ok(Era::Modern),
                _ => Err(RpcError::params(format!("`_meta` has no `{CAPABILITIES_KEY}`"))),
            }
        }
        (Some(Value::String(version)), _) => Err(unsupported(version)),
        (Some(_), _) => Err(RpcError::params(format!("`{VERSION_KEY}` is not a text"))),
        (None, Some(version)) => Ok(Era::Session(version)),
        (None, None) => Err(RpcError::params(format!(
            "no `initialize` came before this request, and its `_meta` has no `{VERSION_KEY}`"
        ))),
    }
}

/// The error for a revision that is not spoken here.
pub fn unsupported(version: &str) -> RpcError {
    let supported: Vec<&str> = all().collect();
    let data = json!({ "supported": supported, "requested": version });
    let message = format!("the protocol version `{version}` is not supported");
    RpcError { data: Some(data), ..RpcError::new(UNSUPPORTED_VERSION, message) }
}
