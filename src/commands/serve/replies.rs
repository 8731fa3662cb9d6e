//! What HTTP requests are answered with: by a session of an older revision, or for themselves.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::commands::serve::connection::{self, Connection};
use crate::commands::serve::flights;
use crate::commands::serve::host::{Host, NewsSink, SharedListener, lock};
use crate::commands::serve::http::random;
use crate::commands::serve::sessions::Sessions;
use crate::commands::serve::workload::{Turn, Workload};
use crate::output::mcp;
use crate::skills::serve::call::{self, Call};
use crate::skills::serve::http::{Gate, HttpHead, SESSION_HEADER};
use crate::skills::serve::message::{
    self, INVALID_REQUEST, Incoming, METHOD_NOT_FOUND, ParsedLine, RequestId, RpcError,
};
use crate::skills::serve::{http as heads, revision};

/// What all connections share.
pub struct HttpSite {
    pub host: Arc<Host>,
    pub gate: Gate,
    pub sessions: Sessions,
    pub load: Arc<Workload>,
}

/// What is answered.
pub enum Reply {
    /// A message, or none, made in this turn.
    Message { status: u16, message: Option<Value>, session: Option<String>, turn: Option<Turn> },
    /// A stream of news, which begins with a message.
    News { listener: SharedListener, first: Option<Value> },
}

impl Reply {
    fn message(status: u16, message: Value) -> Self {
        Self::Message { status, message: Some(message), session: None, turn: None }
    }

    fn error(status: u16, id: Option<&RequestId>, error: &RpcError) -> Self {
        Self::message(status, mcp::error(id, error))
    }

    /// The answer to a request, or nothing if it is not wanted any more.
    fn made(answer: Option<Value>, turn: Turn) -> Self {
        match answer {
            Some(answer) => Self::Message {
                status: 200,
                message: Some(answer),
                session: None,
                turn: Some(turn),
            },
            None => Self::empty(202),
        }
    }

    const fn empty(status: u16) -> Self {
        Self::Message { status, message: None, session: None, turn: None }
    }
}

impl HttpSite {
    /// The answer to a request that was let in.
    pub fn reply(&self, head: &HttpHead, body: &[u8]) -> Reply {
        let named = head.header(SESSION_HEADER);
        match head.method.as_str() {
            "POST" => self.posted(head, message::parse(body)),
            "GET" if head.accepts_events() => match named.map(|name| self.sessions.find(name)) {
                Some(Some(session)) => {
                    let listener = Arc::clone(&lock(&session.connection).session);
                    Reply::News { listener, first: None }
                }
                Some(None) => Reply::error(404, None, &ended()),
                None => Reply::empty(405),
            },
            "DELETE" => match named {
                Some(name) if self.sessions.end(name) => Reply::empty(204),
                Some(_) => Reply::error(404, None, &ended()),
                None => Reply::empty(405),
            },
            _ => Reply::empty(405),
        }
    }

    fn posted(&self, head: &HttpHead, line: ParsedLine) -> Reply {
        if let ParsedLine::One(Ok(Incoming::Request { id, method, params })) = &line {
            if method == "initialize" {
                return self.initialize(id, params, line.clone());
            }
            match heads::stands_for_itself(head, method, params) {
                Err(error) => return Reply::error(400, Some(id), &error),
                Ok(true) => return self.alone(id, method, params),
                Ok(false) => {}
            }
        }
        if let ParsedLine::One(Err(bad)) = &line {
            return Reply::error(400, bad.id.as_ref(), &bad.error);
        }
        let Some(name) = head.header(SESSION_HEADER) else {
            return match &line {
                // Notifications without a session are about nothing.
                ParsedLine::One(Ok(Incoming::Notification { .. } | Incoming::Response)) => {
                    Reply::empty(202)
                }
                _ => {
                    let message = "no session is named; start with `initialize`";
                    Reply::error(400, None, &RpcError::new(INVALID_REQUEST, message))
                }
            };
        };
        let Some(session) = self.sessions.find(name) else {
            return Reply::error(404, None, &ended());
        };
        let (flights, ids) = (&session.flights, flights::ids(&line));
        flights.note(&line);
        // What only tells us something need not wait: it may cancel what others wait for.
        let turn = if ids.is_empty() { None } else { self.load.turn() };
        let answer = match (&turn, ids.first()) {
            (None, Some(first)) => Some(mcp::error(Some(first), &busy())),
            _ if flights.is_unwanted(&ids) => None,
            _ => {
                let mut connection = lock(&session.connection);
                connection.answer(line, &|id| flights.is_cancelled(id), &deaf).pop()
            }
        };
        let answer = answer.filter(|_| !flights.is_unwanted(&ids));
        flights.land(&ids);
        match (answer, turn) {
            (answer, Some(turn)) => Reply::made(answer, turn),
            (Some(answer), None) => Reply::message(if ids.is_empty() { 200 } else { 503 }, answer),
            (None, None) => Reply::empty(202),
        }
    }

    /// Starts a session.
    fn initialize(&self, id: &RequestId, params: &Map<String, Value>, line: ParsedLine) -> Reply {
        let name = match random() {
            Ok(name) => name,
            Err(error) => {
                let error = RpcError::new(message::INTERNAL_ERROR, error.message);
                return Reply::error(500, Some(id), &error);
            }
        };
        let mut connection = Connection::new(&self.host);
        let answer = connection.answer(line, &|_| false, &deaf).pop();
        if call::preferred_revision(params).is_ok() {
            self.sessions.add(name.clone(), connection);
            let session = Some(name);
            return Reply::Message { status: 200, message: answer, session, turn: None };
        }
        Reply::Message { status: 400, message: answer, session: None, turn: None }
    }

    /// Answers a request that stands for itself.
    fn alone(&self, id: &RequestId, method: &str, params: &Map<String, Value>) -> Reply {
        let era = match revision::of_request(params, None) {
            Ok(era) => era,
            Err(error) => return Reply::error(400, Some(id), &error),
        };
        match Call::of(method, params, era) {
            Err(error) if error.code == METHOD_NOT_FOUND => Reply::error(404, Some(id), &error),
            Err(error) => Reply::error(400, Some(id), &error),
            Ok(Call::Listen(filter)) => match connection::subscribe(&self.host, id, &filter) {
                Ok((listener, first)) => Reply::News { listener, first: Some(first) },
                Err(error) => Reply::error(400, Some(id), &error),
            },
            Ok(call) => match self.load.turn() {
                Some(turn) => Reply::made(self.host.answer(id, &call, &|| false), turn),
                None => Reply::error(503, Some(id), &busy()),
            },
        }
    }
}

/// Sessions over HTTP hear news on a stream of their own.
fn deaf() -> NewsSink {
    Box::new(|_| false)
}

/// The error for a request that others kept from being answered.
pub fn busy() -> RpcError {
    RpcError::new(message::INTERNAL_ERROR, "too much is being asked for; try again")
}

fn ended() -> RpcError {
    RpcError::new(INVALID_REQUEST, "there is no such session; start with `initialize`")
}
