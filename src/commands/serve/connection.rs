//! One connection: which revision it speaks, what it listens to, and how its messages are answered.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tracing::debug;

use crate::commands::serve::host::{Host, NewsSink, SharedListener, lock};
use crate::output::mcp;
use crate::skills::serve::call::Call;
use crate::skills::serve::changes::MOST_WATCHED;
use crate::skills::serve::listeners::{Listener, NewsFilter};
use crate::skills::serve::message::{
    BadMessage, INVALID_REQUEST, Incoming, ParsedLine, RequestId, RpcError,
};
use crate::skills::serve::revision::{self, Era};

/// From so many bytes of answers on, the rest of a batch is not answered.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Subscriptions of one connection.
const MOST_SUBSCRIPTIONS: usize = 64;

/// A connection over pipes, or a session over HTTP.
pub struct Connection {
    pub host: Arc<Host>,
    /// The revision that was agreed on, if any.
    version: Option<&'static str>,
    /// What the session hears.
    pub session: SharedListener,
    /// Whether the session is told of news.
    listens: bool,
    /// Subscriptions that stand for themselves.
    subscriptions: Vec<SharedListener>,
}

impl Connection {
    pub fn new(host: &Arc<Host>) -> Self {
        let listener = Listener { subscription: None, wants: NewsFilter::lists() };
        Self {
            host: Arc::clone(host),
            version: None,
            session: Arc::new(Mutex::new(listener)),
            listens: false,
            subscriptions: Vec::new(),
        }
    }

    /// Answers the messages of a line; nothing where no answer is wanted.
    pub fn answer(
        &mut self,
        line: ParsedLine,
        is_cancelled: &dyn Fn(&RequestId) -> bool,
        sink: &dyn Fn() -> NewsSink,
    ) -> Vec<Value> {
        match line {
            ParsedLine::One(message) => self.message(message, is_cancelled, sink),
            ParsedLine::Batch(_) if !self.has_batches() => {
                let error = RpcError::new(INVALID_REQUEST, "send one message a line, not a batch");
                vec![mcp::error(None, &error)]
            }
            ParsedLine::Batch(messages) => {
                let (mut answers, mut bytes) = (Vec::new(), 0);
                for message in messages {
                    answers.extend(match message {
                        Ok(Incoming::Request { id, .. }) if bytes > BATCH_BYTES => {
                            let message = "the answers of the batch are too long together";
                            vec![mcp::error(Some(&id), &RpcError::new(INVALID_REQUEST, message))]
                        }
                        message => {
                            let own = self.message(message, is_cancelled, sink);
                            bytes += own.iter().map(mcp::weight).sum::<usize>();
                            own
                        }
                    });
                }
                if answers.is_empty() { Vec::new() } else { vec![Value::Array(answers)] }
            }
        }
    }

    fn has_batches(&self) -> bool {
        self.version.is_some_and(|version| Era::Session(version).has_batches())
    }

    fn message(
        &mut self,
        message: Result<Incoming, BadMessage>,
        is_cancelled: &dyn Fn(&RequestId) -> bool,
        sink: &dyn Fn() -> NewsSink,
    ) -> Vec<Value> {
        match message {
            Err(BadMessage { id, error }) => vec![mcp::error(id.as_ref(), &error)],
            Ok(Incoming::Response) => Vec::new(),
            Ok(Incoming::Notification { method, params }) => {
                self.notified(&method, &params, sink);
                Vec::new()
            }
            Ok(Incoming::Request { id, method, params }) => {
                debug!(method, "asked");
                self.request(&id, &method, &params, is_cancelled, sink)
                    .unwrap_or_else(|error| vec![mcp::error(Some(&id), &error)])
            }
        }
    }

    fn notified(&mut self, method: &str, params: &Map<String, Value>, sink: &dyn Fn() -> NewsSink) {
        match method {
            "notifications/initialized" if self.version.is_some() && !self.listens => {
                self.listens = true;
                self.host.listen(&self.session, sink());
            }
            "notifications/cancelled" => {
                if let Some(id) = params.get("requestId").and_then(RequestId::of) {
                    self.unsubscribe(&id);
                }
            }
            _ => debug!(method, "a notification that nobody waits for"),
        }
    }

    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: &Map<String, Value>,
        is_cancelled: &dyn Fn(&RequestId) -> bool,
        sink: &dyn Fn() -> NewsSink,
    ) -> Result<Vec<Value>, RpcError> {
        if method == "initialize" {
            let (version, result) = self.host.initialize(params)?;
            self.version = Some(version);
            return Ok(vec![mcp::response(id, result)]);
        }
        // A sign of life needs no session.
        let era = match revision::of_request(params, self.version) {
            Err(_) if method == "ping" => Era::Session(revision::WITH_SESSIONS[0]),
            era => era?,
        };
        let call = Call::of(method, params, era)?;
        match &call {
            Call::Listen(filter) => return self.subscribe(id, filter, sink),
            Call::Subscribe(uri) => self.watch(uri)?,
            Call::Unsubscribe(uri) => lock(&self.session).wants.addresses.retain(|one| one != uri),
            _ => {}
        }
        let answer = self.host.answer(id, &call, &|| is_cancelled(id));
        Ok(answer.into_iter().collect())
    }

    /// Tells the session of changes at this address, if there is room for it.
    fn watch(&self, uri: &str) -> Result<(), RpcError> {
        let mut session = lock(&self.session);
        if session.wants.addresses.iter().any(|known| known == uri) {
            return Ok(());
        }
        if session.wants.addresses.len() >= MOST_WATCHED {
            return Err(RpcError::params("too many addresses are watched"));
        }
        session.wants.addresses.push(uri.to_owned());
        drop(session);
        self.host.watch(&[uri.to_owned()]).inspect_err(|_| {
            lock(&self.session).wants.addresses.retain(|known| known != uri);
        })
    }

    /// Opens a subscription, which is answered when it ends.
    fn subscribe(
        &mut self,
        id: &RequestId,
        filter: &NewsFilter,
        sink: &dyn Fn() -> NewsSink,
    ) -> Result<Vec<Value>, RpcError> {
        if self.subscriptions.len() >= MOST_SUBSCRIPTIONS {
            return Err(RpcError::params("there are too many subscriptions"));
        }
        let (listener, acknowledged) = subscribe(&self.host, id, filter)?;
        self.host.listen(&listener, sink());
        self.subscriptions.push(listener);
        Ok(vec![acknowledged])
    }

    /// Whether the client still wants to hear these news.
    pub fn is_awaited(&self, news: &Value) -> bool {
        let params = &news["params"];
        match (RequestId::of(&params["_meta"][mcp::SUBSCRIPTION]), params["uri"].as_str()) {
            (Some(id), _) => {
                self.subscriptions.iter().any(|one| lock(one).subscription.as_ref() == Some(&id))
            }
            (None, Some(uri)) => lock(&self.session).wants.addresses.iter().any(|one| one == uri),
            (None, None) => true,
        }
    }

    fn unsubscribe(&mut self, id: &RequestId) {
        self.subscriptions.retain(|listener| {
            let is_meant = lock(listener).subscription.as_ref() == Some(id);
            if is_meant {
                self.host.forget(listener);
            }
            !is_meant
        });
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.host.forget(&self.session);
        self.subscriptions.iter().for_each(|listener| self.host.forget(listener));
    }
}

/// A listener for a request that wants news, and the first message that it gets.
pub fn subscribe(
    host: &Host,
    id: &RequestId,
    filter: &NewsFilter,
) -> Result<(SharedListener, Value), RpcError> {
    host.watch(&filter.addresses)?;
    let listener = Listener { subscription: Some(id.clone()), wants: filter.clone() };
    let acknowledged = mcp::acknowledged(&listener, host.words.has_news);
    Ok((Arc::new(Mutex::new(listener)), acknowledged))
}
