//! The head of an HTTP request, and who may send one: programs of this machine that know the token.

use std::net::SocketAddr;

use serde_json::{Map, Value};

use crate::skills::serve::message::{HEADER_MISMATCH, RpcError};
use crate::skills::serve::revision::{self, MODERN};
use crate::skills::text::base64;

/// The longest head that is read.
pub const HEAD_BYTES: usize = 16 * 1024;
/// The most headers.
const HEADERS: usize = 100;
/// Where the protocol is spoken.
pub const ENDPOINT: &str = "/mcp";

/// The header with the revision of the protocol.
const VERSION_HEADER: &str = "mcp-protocol-version";
/// The header with the session.
pub const SESSION_HEADER: &str = "mcp-session-id";

/// The head of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpHead {
    /// `GET`, `POST`, …
    pub method: String,
    /// What it is about.
    pub target: String,
    /// Whether it speaks HTTP/1.0, in which a connection ends with the answer.
    is_old: bool,
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
}

/// A request that is not answered, with its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRefusal {
    pub status: u16,
    /// What is wrong.
    pub message: &'static str,
}

const fn refuse<T>(status: u16, message: &'static str) -> Result<T, HttpRefusal> {
    Err(HttpRefusal { status, message })
}

impl HttpHead {
    /// Reads a head without its last, empty line.
    pub fn parse(bytes: &[u8]) -> Result<Self, HttpRefusal> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return refuse(400, "the head is not text");
        };
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let (Some(method), Some(target), Some(version @ ("HTTP/1.1" | "HTTP/1.0")), None) =
            (method, target, version, words.next())
        else {
            return refuse(400, "this is not HTTP/1.1");
        };
        let is_old = version == "HTTP/1.0";
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(':') else {
                return refuse(400, "a header has no colon");
            };
            let is_token =
                |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_token) {
                return refuse(400, "a header has an invalid name");
            }
            if value.contains(|one: char| one.is_control() && one != '\t') {
                return refuse(400, "a header has an invalid value");
            }
            if headers.len() == HEADERS {
                return refuse(431, "there are too many headers");
            }
            headers.push((name.to_ascii_lowercase(), value.trim_matches([' ', '\t']).to_owned()));
        }
        let head = Self { method: method.to_owned(), target: target.to_owned(), is_old, headers };
        for once in
            ["host", "origin", "authorization", "content-length", VERSION_HEADER, SESSION_HEADER]
        {
            if head.headers.iter().filter(|(name, _)| name == once).count() > 1 {
                return refuse(400, "a header that may stand once stands there twice");
            }
        }
        Ok(head)
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The bytes of the body that follows.
    pub fn body_length(&self, most: usize) -> Result<usize, HttpRefusal> {
        if self.header("transfer-encoding").is_some() {
            return refuse(411, "the length of the body must be said in `Content-Length`");
        }
        match self.header("content-length") {
            None if self.method == "POST" => refuse(411, "there is no `Content-Length`"),
            None => Ok(0),
            Some(text) if text.is_empty() || !text.bytes().all(|one| one.is_ascii_digit()) => {
                refuse(400, "`Content-Length` is not a number")
            }
            Some(text) => match text.parse::<usize>() {
                Ok(length) if length <= most => Ok(length),
                _ => refuse(413, "the message is too long"),
            },
        }
    }

    /// Whether the client wants the connection to end with the answer.
    pub fn is_last(&self) -> bool {
        let is_close = |one: &str| one.trim().eq_ignore_ascii_case("close");
        self.is_old || self.header("connection").is_some_and(|all| all.split(',').any(is_close))
    }

    /// Whether the client accepts a stream of events.
    pub fn accepts_events(&self) -> bool {
        self.header("accept").is_none_or(|accept| {
            accept.contains("text/event-stream")
                || accept.contains("*/*")
                || accept.contains("text/*")
        })
    }
}

/// Who may send requests.
#[derive(Debug, Clone)]
pub struct Gate {
    /// Where requests arrive.
    pub address: SocketAddr,
    /// What they must know.
    pub token: String,
}

impl Gate {
    /// Lets a request in, or not.
    ///
    /// # Errors
    /// A name of this machine that only a web page could have made up, a foreign page, no token.
    pub fn check(&self, head: &HttpHead) -> Result<(), HttpRefusal> {
        let host = head.header("host").unwrap_or_default();
        if host != self.address.to_string() && !is_here(host, Some(self.address.port())) {
            return refuse(403, "the `Host` header does not name this machine");
        }
        if let Some(origin) = head.header("origin") {
            let scheme = ["http://", "https://"].iter().find_map(|one| origin.strip_prefix(one));
            if !scheme.is_some_and(|authority| is_here(authority, None)) {
                return refuse(403, "requests of this origin are refused");
            }
        }
        let given = head.header("authorization").unwrap_or_default();
        let (scheme, token) = given.split_once(' ').unwrap_or((given, ""));
        if !scheme.eq_ignore_ascii_case("bearer") || !is_same(token.trim(), &self.token) {
            return refuse(401, "the bearer token is missing or wrong");
        }
        if head.target.split('?').next() != Some(ENDPOINT) {
            return refuse(404, "there is nothing here but `/mcp`");
        }
        Ok(())
    }
}

/// Whether a name, with or without a port, is one that this machine has for itself.
fn is_here(authority: &str, port: Option<u16>) -> bool {
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
        let start = authority.get(..name.len());
        if !start.is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return false;
        }
        let rest = &authority[name.len()..];
        let given = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            None => return false,
            Some(digits) => match digits.parse::<u16>() {
                Ok(port) => Some(port),
                Err(_) => return false,
            },
        };
        port.is_none_or(|port| given.unwrap_or(80) == port)
    })
}

/// Compares in a time that tells nothing about where two texts differ.
fn is_same(given: &str, wanted: &str) -> bool {
    let differences =
        given.bytes().zip(wanted.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == wanted.len() && !wanted.is_empty() && differences == 0
}

/// Whether a request stands for itself, without a session.
pub fn stands_for_itself(
    head: &HttpHead,
    method: &str,
    params: &Map<String, Value>,
) -> Result<bool, RpcError> {
    let mismatch = |message: String| Err(RpcError::new(HEADER_MISMATCH, message));
    let header = head.header(VERSION_HEADER);
    let named = revision::named_in(params).map(|value| value.as_str().unwrap_or_default());
    match (header, named) {
        (Some(header), _) if !revision::all().any(|known| known == header) => {
            return Err(revision::unsupported(header));
        }
        (None, None) => return Ok(false),
        (Some(header), None) if header != MODERN => return Ok(false),
        (header, named) if header != named => {
            return mismatch("the `MCP-Protocol-Version` header and the body differ".to_owned());
        }
        _ => {}
    }
    if head.header("mcp-method") != Some(method) {
        return mismatch(format!("the `Mcp-Method` header is not `{method}`"));
    }
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(true),
    };
    let wanted = params.get(key).and_then(Value::as_str).unwrap_or_default();
    let given = head.header("mcp-name").and_then(plain);
    if given.as_deref() != Some(wanted) {
        return mismatch(format!("the `Mcp-Name` header is not the `{key}` of the body"));
    }
    Ok(true)
}

/// The value of a header that may be written in Base64.
fn plain(value: &str) -> Option<String> {
    let inner = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match inner {
        Some(inner) => String::from_utf8(base64::decode(inner)?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &str) -> HttpHead {
        HttpHead::parse(format!("POST /mcp HTTP/1.1\r\n{lines}").as_bytes()).unwrap()
    }

    fn gate() -> Gate {
        Gate { address: "127.0.0.1:8080".parse().unwrap(), token: "secret".to_owned() }
    }

    #[test]
    fn only_programs_of_this_machine_that_know_the_token_are_let_in() {
        let check = |lines: &str| gate().check(&head(lines)).map_err(|one| one.status);
        let good = "Host: 127.0.0.1:8080\r\nAuthorization: Bearer secret";
        assert_eq!(check(good), Ok(()));
        for host in ["localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
            assert_eq!(check(&good.replace("127.0.0.1:8080", host)), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "127.0.0.1.evil.example:8080",
            "127.0.0.1",
            "127.0.0.1:80800",
            "127.0.0.1:",
            "localhost.:8080",
            "127.0.0.2:8080",
            "",
        ] {
            assert_eq!(check(&good.replace("127.0.0.1:8080", host)), Err(403), "{host}");
        }
        for origin in ["http://localhost:6274", "http://127.0.0.1:8080", "https://[::1]"] {
            assert_eq!(check(&format!("{good}\r\nOrigin: {origin}")), Ok(()), "{origin}");
        }
        for origin in
            ["https://evil.example", "null", "", "http://localhost.evil.example", "file://"]
        {
            assert_eq!(check(&format!("{good}\r\nOrigin: {origin}")), Err(403), "{origin}");
        }
        for token in
            ["Bearer wrong", "Bearer secre", "Bearer secrets", "Basic secret", "secret", "Bearer"]
        {
            assert_eq!(check(&good.replace("Bearer secret", token)), Err(401), "{token}");
        }
        assert_eq!(check("Host: 127.0.0.1:8080"), Err(401));
        assert_eq!(check("Authorization: Bearer secret"), Err(403));
    }

    #[test]
    fn an_address_of_this_machine_is_known_by_its_own_name() {
        let address = "127.0.0.2:8080".parse().unwrap();
        let gate = Gate { address, token: "secret".to_owned() };
        let check = |host: &str| {
            let head = head(&format!("Host: {host}\r\nAuthorization: Bearer secret"));
            gate.check(&head).map_err(|one| one.status)
        };
        assert_eq!(check("127.0.0.2:8080"), Ok(()));
        assert_eq!(check("127.0.0.3:8080"), Err(403));
        assert_eq!(check("127.0.0.2:8081"), Err(403));
    }

    #[test]
    fn heads_that_two_readers_could_read_differently_are_refused() {
        for bad in [
            "",
            "GET",
            "GET / HTTP/2",
            "GET  / HTTP/1.1",
            "GET / HTTP/1.1\r\nno colon",
            "GET / HTTP/1.1\r\n folded: x",
            "GET / HTTP/1.1\r\nName : x",
            "GET / HTTP/1.1\r\nA: b\nC: d",
            "GET / HTTP/1.1\r\nHost: a\r\nhost: b",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
        ] {
            assert!(HttpHead::parse(bad.as_bytes()).is_err(), "{bad:?}");
        }
        let length = |lines: &str| head(lines).body_length(10).map_err(|one| one.status);
        assert_eq!(length("Content-Length: 10"), Ok(10));
        assert_eq!(length("Content-Length: 11"), Err(413));
        assert_eq!(length("Content-Length: 99999999999999999999999"), Err(413));
        assert_eq!(length("Content-Length: +1"), Err(400));
        assert_eq!(length("Content-Length: -1"), Err(400));
        assert_eq!(length("X: y"), Err(411));
        assert!(!head("X: y").is_last() && head("Connection: keep-alive, Close").is_last());
        assert!(HttpHead::parse(b"POST /mcp HTTP/1.0\r\nX: y").unwrap().is_last());
        assert_eq!(length("Transfer-Encoding: chunked"), Err(411));
    }

    #[test]
    fn headers_must_say_what_the_body_says() {
        let params = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        let modern = r#"{"uri":"skill://ü","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        let encoded = format!("=?base64?{}?=", base64::encode("skill://ü".as_bytes()));
        let ask = |lines: &str, body: &str| {
            stands_for_itself(&head(lines), "resources/read", &params(body)).map_err(|one| one.code)
        };
        let good = format!(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\nMcp-Name: {encoded}"
        );
        assert_eq!(ask(&good, modern), Ok(true));
        for (from, to) in [
            ("2026-07-28", "2025-11-25"),
            ("Mcp-Method: resources/read", "X: y"),
            ("resources/read", "tools/call"),
            ("Mcp-Name", "Other"),
            ("base64", "base46"),
        ] {
            assert_eq!(ask(&good.replace(from, to), modern), Err(HEADER_MISMATCH), "{to}");
        }
        assert_eq!(ask(&good.replace("2026-07-28", "1900-01-01"), modern), Err(-32_022));
        assert_eq!(ask(&good, "{}"), Err(HEADER_MISMATCH));
        assert_eq!(ask("X: y", "{}"), Ok(false));
        assert_eq!(ask("MCP-Protocol-Version: 2025-06-18", "{}"), Ok(false));
    }
}
