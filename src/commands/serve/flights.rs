//! Requests on their way, so that clients can cancel them.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::commands::serve::host::lock;
use crate::skills::serve::message::{Incoming, ParsedLine, RequestId};

/// Requests that were read and not yet answered, and whether each was cancelled.
#[derive(Default)]
pub struct Flights(Mutex<HashMap<RequestId, bool>>);

impl Flights {
    /// Notes what is asked, and what is not wanted any more.
    pub fn note(&self, line: &ParsedLine) {
        let messages = match line {
            ParsedLine::One(message) => std::slice::from_ref(message),
            ParsedLine::Batch(messages) => messages,
        };
        let mut flights = lock(&self.0);
        for message in messages.iter().flatten() {
            match message {
                Incoming::Request { id, .. } => {
                    flights.insert(id.clone(), false);
                }
                Incoming::Notification { method, params }
                    if method == "notifications/cancelled" =>
                {
                    let id = params.get("requestId").and_then(RequestId::of);
                    if let Some(flight) = id.as_ref().and_then(|id| flights.get_mut(id)) {
                        *flight = true;
                    }
                }
                Incoming::Notification { .. } | Incoming::Response => {}
            }
        }
    }

    pub fn is_cancelled(&self, id: &RequestId) -> bool {
        lock(&self.0).get(id).is_some_and(|is_cancelled| *is_cancelled)
    }

    /// Whether the only request of a line was cancelled.
    pub fn is_unwanted(&self, ids: &[RequestId]) -> bool {
        matches!(ids, [only] if self.is_cancelled(only))
    }

    /// The requests of this line are over.
    pub fn land(&self, ids: &[RequestId]) {
        let mut flights = lock(&self.0);
        for id in ids {
            flights.remove(id);
        }
    }
}

/// The ids of the requests of a line.
pub fn ids(line: &ParsedLine) -> Vec<RequestId> {
    let messages = match line {
        ParsedLine::One(message) => std::slice::from_ref(message),
        ParsedLine::Batch(messages) => messages,
    };
    let id = |message: &Incoming| match message {
        Incoming::Request { id, .. } => Some(id.clone()),
        Incoming::Notification { .. } | Incoming::Response => None,
    };
    messages.iter().flatten().filter_map(id).collect()
}
