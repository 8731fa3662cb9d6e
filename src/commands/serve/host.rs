//! What all connections share: the answers, who listens for news, and the log of what was used.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tracing::{debug, info};

use crate::cli::printer::Printer;
use crate::commands::event_log::EventLog;
use crate::output::mcp::{self, ServerWords};
use crate::skills::serve::answer::McpAnswer;
use crate::skills::serve::call::{self, Call};
use crate::skills::serve::changes::{NewState, WatchedFiles};
use crate::skills::serve::listeners::Listener;
use crate::skills::serve::message::{RequestId, RpcError};
use crate::skills::serve::server::{IsCancelled, NoAnswer, Server};
use crate::skills::serve::{revision, usage};
use crate::skills::show::events::EventSource;

/// A listener that its connection can still change.
pub type SharedListener = Arc<Mutex<Listener>>;

/// Takes a notification; false when nobody is there any more.
pub type NewsSink = Box<dyn Fn(Value) -> bool + Send + Sync>;

/// What all connections share.
pub struct Host {
    pub server: Server,
    pub words: ServerWords,
    pub printer: Printer,
    log: Mutex<EventLog>,
    events: EventSource,
    listeners: Mutex<Vec<ToldListener>>,
    /// The number of the last sink.
    last_sink: AtomicU64,
    watched: Mutex<WatchedFiles>,
}

/// A listener, and where its news go.
struct ToldListener {
    listener: SharedListener,
    sink: NewsSink,
    number: u64,
}

/// A lock is taken even if a thread has failed with it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    pub fn new(
        server: Server,
        words: ServerWords,
        log: EventLog,
        events: EventSource,
        printer: Printer,
    ) -> Self {
        Self {
            server,
            words,
            printer,
            log: Mutex::new(log),
            events,
            listeners: Mutex::default(),
            last_sink: AtomicU64::new(0),
            watched: Mutex::default(),
        }
    }

    /// Starts a session: the revision that it speaks, and the answer.
    pub fn initialize(
        &self,
        params: &Map<String, Value>,
    ) -> Result<(&'static str, Value), RpcError> {
        let version = revision::agreed(&call::preferred_revision(params)?);
        let client = params.get("clientInfo").and_then(|info| info.get("name")?.as_str());
        info!(version, client, "a client has come");
        let catalogue = self.server.catalogue();
        Ok((version, self.words.result(&McpAnswer::Initialized(version), &catalogue)))
    }

    /// The message that answers a request; none if its client has lost interest.
    pub fn answer(
        &self,
        id: &RequestId,
        call: &Call,
        is_cancelled: &IsCancelled<'_>,
    ) -> Option<Value> {
        match self.server.answer(call, is_cancelled) {
            Ok(answer) => {
                self.remember(&answer);
                let result = self.words.result(&answer, &self.server.catalogue());
                Some(mcp::response(id, result))
            }
            Err(NoAnswer::Cancelled) => None,
            Err(NoAnswer::Failed(error)) => {
                debug!(code = error.code, message = error.message, "refused");
                Some(mcp::error(Some(id), &error))
            }
        }
    }

    /// Logs what was used.
    fn remember(&self, answer: &McpAnswer) {
        let events = usage::events(answer, &self.events);
        if events.is_empty() {
            return;
        }
        if let Err(failure) = lock(&self.log).append(&events, &self.printer) {
            self.printer.warning(&format!("an event is lost: {failure:#}"));
        }
    }

    /// Tells a listener of news from now on; returns the number of the sink.
    pub fn listen(&self, listener: &SharedListener, sink: NewsSink) -> u64 {
        let number = self.last_sink.fetch_add(1, Ordering::Relaxed);
        let listener = Arc::clone(listener);
        lock(&self.listeners).push(ToldListener { listener, sink, number });
        number
    }

    /// Tells it nothing any more.
    pub fn forget(&self, listener: &SharedListener) {
        lock(&self.listeners).retain(|told| !Arc::ptr_eq(&told.listener, listener));
    }

    /// Tells nothing to this sink any more.
    pub fn forget_sink(&self, number: u64) {
        lock(&self.listeners).retain(|told| told.number != number);
    }

    /// Watches the files at these addresses.
    pub fn watch(&self, addresses: &[String]) -> Result<(), RpcError> {
        let catalogue = self.server.catalogue();
        let wanted: BTreeSet<String> = {
            let listeners = lock(&self.listeners);
            let addresses =
                listeners.iter().flat_map(|told| lock(&told.listener).wants.addresses.clone());
            addresses.collect()
        };
        let mut watched = lock(&self.watched);
        watched.keep(&wanted);
        match addresses.iter().all(|uri| watched.add(uri, &catalogue)) {
            true => Ok(()),
            false => Err(RpcError::params("too many addresses are watched")),
        }
    }

    /// Tells everybody what has changed.
    pub fn tell(&self, mut changes: NewState) {
        changes.updated = lock(&self.watched).look(&self.server.catalogue());
        if changes.is_empty() {
            return;
        }
        debug!(?changes, "telling");
        lock(&self.listeners).retain(|told| {
            let listener = lock(&told.listener);
            let news = listener.news(&changes);
            news.iter().all(|one| (told.sink)(mcp::news(one, &listener)))
        });
    }
}
