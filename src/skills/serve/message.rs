//! JSON-RPC messages, one a line: whatever a client sends becomes a message or an error, and nothing
//! that is sent can fill the memory.

use std::io::{self, BufRead};

use memchr::memchr;
use serde_json::{Map, Number, Value};

/// The longest message that is read.
pub const MESSAGE_BYTES: usize = 1024 * 1024;
/// The most messages in one batch.
const BATCH: usize = 100;

/// The text is not JSON.
pub const PARSE_ERROR: i64 = -32_700;
/// The JSON is not a request.
pub const INVALID_REQUEST: i64 = -32_600;
/// Nobody knows the method.
pub const METHOD_NOT_FOUND: i64 = -32_601;
/// The method does not accept these parameters, or nothing is there that they name.
pub const INVALID_PARAMS: i64 = -32_602;
/// Something went wrong here.
pub const INTERNAL_ERROR: i64 = -32_603;
/// The headers of an HTTP request contradict its body.
pub const HEADER_MISMATCH: i64 = -32_020;
/// The revision of the protocol is not spoken here.
pub const UNSUPPORTED_VERSION: i64 = -32_022;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputLine {
    /// The line, without its end.
    Message(Vec<u8>),
    /// A line with more than [`MESSAGE_BYTES`], of which nothing was kept.
    TooLong,
}

/// Reads the next line that is not blank; none at the end of the input.
pub fn next_line(input: &mut impl BufRead) -> io::Result<Option<InputLine>> {
    let (mut line, mut is_too_long) = (Vec::new(), false);
    loop {
        let read = match input.fill_buf() {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = memchr(b'\n', read);
        let part = &read[..end.unwrap_or(read.len())];
        let is_input_over = read.is_empty();
        if line.len() + part.len() > MESSAGE_BYTES {
            (line, is_too_long) = (Vec::new(), true);
        }
        if !is_too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() || is_input_over {
            match (is_too_long, line.trim_ascii().is_empty()) {
                (true, _) => return Ok(Some(InputLine::TooLong)),
                (false, false) => return Ok(Some(InputLine::Message(line))),
                (false, true) if is_input_over => return Ok(None),
                (false, true) => line.clear(),
            }
        }
    }
}

/// What a client calls a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// An integer.
    Number(Number),
    Text(String),
}

impl RequestId {
    /// The id in a message; none for anything but a text or an integer.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) if number.is_i64() || number.is_u64() => {
                Some(Self::Number(number.clone()))
            }
            _ => None,
        }
    }

    /// As it is written.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
        }
    }
}

/// An error as a client gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    pub code: i64,
    /// What is wrong.
    pub message: String,
    /// More about it, for programs.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Parameters that are wrong, or name nothing.
    pub fn params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }
}

/// A message that cannot be used, and the id to answer it with, if it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct BadMessage {
    /// The id of the request.
    pub id: Option<RequestId>,
    /// What is wrong with it.
    pub error: RpcError,
}

/// A message of a client.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// It wants an answer.
    Request {
        /// What it calls this.
        id: RequestId,
        /// What it wants.
        method: String,
        /// About what.
        params: Map<String, Value>,
    },
    /// It wants none.
    Notification {
        /// What happened.
        method: String,
        /// To what.
        params: Map<String, Value>,
    },
    /// It answers, though nobody asked.
    Response,
}

/// The messages of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum ParsedLine {
    /// One message.
    One(Result<Incoming, BadMessage>),
    /// Several, in brackets.
    Batch(Vec<Result<Incoming, BadMessage>>),
}

/// Reads the messages of a line.
pub fn parse(line: &[u8]) -> ParsedLine {
    let bad = |code: i64, message: String| {
        ParsedLine::One(Err(BadMessage { id: None, error: RpcError::new(code, message) }))
    };
    let Ok(text) = std::str::from_utf8(line) else {
        return bad(PARSE_ERROR, "the message is not UTF-8".to_owned());
    };
    match serde_json::from_str::<Value>(text) {
        Err(error) => bad(PARSE_ERROR, format!("the message is not JSON: {error}")),
        Ok(Value::Array(messages)) if messages.is_empty() => {
            bad(INVALID_REQUEST, "the batch is empty".to_owned())
        }
        Ok(Value::Array(messages)) if messages.len() > BATCH => {
            bad(INVALID_REQUEST, format!("the batch has more than {BATCH} messages"))
        }
        Ok(Value::Array(messages)) => {
            ParsedLine::Batch(messages.into_iter().map(message).collect())
        }
        Ok(value) => ParsedLine::One(message(value)),
    }
}

/// The error for a line that is too long to be read.
pub fn too_long() -> BadMessage {
    let message = format!("the message has more than {MESSAGE_BYTES} bytes");
    BadMessage { id: None, error: RpcError::new(INVALID_REQUEST, message) }
}

fn message(value: Value) -> Result<Incoming, BadMessage> {
    let bad = |id: Option<&RequestId>, code: i64, message: &str| {
        Err(BadMessage { id: id.cloned(), error: RpcError::new(code, message) })
    };
    let Value::Object(mut fields) = value else {
        return bad(None, INVALID_REQUEST, "the message is not an object");
    };
    let written = fields.remove("id");
    let id = written.as_ref().and_then(RequestId::of);
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return bad(id.as_ref(), INVALID_REQUEST, "`jsonrpc` is not \"2.0\"");
    }
    if !fields.contains_key("method")
        && (fields.contains_key("result") || fields.contains_key("error"))
    {
        return Ok(Incoming::Response);
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return bad(id.as_ref(), INVALID_REQUEST, "`method` is not a text");
    };
    if written.is_some() && id.is_none() {
        return bad(None, INVALID_REQUEST, "`id` is neither a text nor an integer");
    }
    let params = match fields.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return bad(id.as_ref(), INVALID_PARAMS, "`params` is not an object"),
    };
    Ok(match id {
        Some(id) => Incoming::Request { id, method, params },
        None => Incoming::Notification { method, params },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(input: &[u8]) -> Vec<InputLine> {
        let mut input = io::BufReader::with_capacity(7, input);
        std::iter::from_fn(|| next_line(&mut input).unwrap()).collect()
    }

    fn text(line: &str) -> InputLine {
        InputLine::Message(line.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_read_whatever_their_ends() {
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n \r\n\n"), []);
        assert_eq!(lines(b"{}\n[]\r\nhalf"), [text("{}"), text("[]\r"), text("half")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let mut input = vec![b'x'; MESSAGE_BYTES + 1];
        input.extend_from_slice(b"\n{}\n");
        assert_eq!(lines(&input), [InputLine::TooLong, text("{}")]);
        let fits = [vec![b'x'; MESSAGE_BYTES], b"\n".to_vec()].concat();
        assert!(
            matches!(&lines(&fits)[..], [InputLine::Message(line)] if line.len() == MESSAGE_BYTES)
        );
        assert_eq!(lines(&vec![b'x'; 3 * MESSAGE_BYTES]), [InputLine::TooLong]);
    }

    fn one(message: &Value) -> Result<Incoming, BadMessage> {
        match parse(message.to_string().as_bytes()) {
            ParsedLine::One(one) => one,
            ParsedLine::Batch(_) => panic!("a batch"),
        }
    }

    #[test]
    fn ids_are_texts_or_integers() {
        for id in [json!(0), json!(-1), json!(u64::MAX), json!(""), json!("ü"), json!("1")] {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            let Ok(Incoming::Request { id: read, .. }) = one(&message) else { panic!("{id}") };
            assert_eq!(read.to_value(), id);
        }
        for id in [json!(null), json!(true), json!(1.5), json!(1e300), json!([1]), json!({})] {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            let bad = one(&message).unwrap_err();
            assert_eq!((bad.id, bad.error.code), (None, INVALID_REQUEST), "{id}");
        }
    }

    #[test]
    fn what_is_no_request_has_the_code_that_says_so() {
        let code = |line: &[u8]| match parse(line) {
            ParsedLine::One(Err(bad)) => bad.error.code,
            other => panic!("{other:?}"),
        };
        for line in [&b"{"[..], b"\xff\xfe", b"{\"a\":\xff}", b"nul", b"{}{}"] {
            assert_eq!(code(line), PARSE_ERROR);
        }
        let deep = "[".repeat(100_000);
        assert_eq!(code(deep.as_bytes()), PARSE_ERROR);
        for line in [
            "[]",
            "1",
            "\"x\"",
            "null",
            "{}",
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":2,"method":"x"}"#,
        ] {
            assert_eq!(code(line.as_bytes()), INVALID_REQUEST, "{line}");
        }
        let params = r#"{"jsonrpc":"2.0","id":7,"method":"x","params":[1]}"#;
        assert_eq!(code(params.as_bytes()), INVALID_PARAMS);
        assert!(matches!(
            parse(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            ParsedLine::One(Ok(Incoming::Response))
        ));
    }

    #[test]
    fn a_batch_has_its_messages_in_order() {
        let line = br#"[{"jsonrpc":"2.0","id":1,"method":"a"},3,{"jsonrpc":"2.0","method":"b"}]"#;
        let ParsedLine::Batch(messages) = parse(line) else { panic!() };
        assert!(matches!(&messages[0], Ok(Incoming::Request { method, .. }) if method == "a"));
        assert!(messages[1].is_err());
        assert!(matches!(&messages[2], Ok(Incoming::Notification { method, .. }) if method == "b"));
        let many = format!("[{}1]", "1,".repeat(BATCH));
        assert!(matches!(parse(many.as_bytes()), ParsedLine::One(Err(_))));
    }
}
