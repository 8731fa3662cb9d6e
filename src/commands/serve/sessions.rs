//! Sessions over HTTP, for revisions that have them: each has a random name, and the oldest go when
//! there are too many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::commands::serve::connection::Connection;
use crate::commands::serve::flights::Flights;
use crate::commands::serve::host::lock;

/// Sessions at once.
const MOST: usize = 64;

/// A session that several requests may use at once.
pub struct Session {
    pub connection: Mutex<Connection>,
    /// Apart from the connection, which is taken while a request is answered.
    pub flights: Flights,
}

/// All sessions, by name.
#[derive(Default)]
pub struct Sessions(Mutex<HashMap<String, (Instant, Arc<Session>)>>);

impl Sessions {
    /// Keeps a session under this name.
    pub fn add(&self, name: String, connection: Connection) {
        let mut sessions = lock(&self.0);
        if sessions.len() >= MOST {
            let oldest = sessions.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                sessions.remove(&name);
            }
        }
        let session = Session { connection: Mutex::new(connection), flights: Flights::default() };
        sessions.insert(name, (Instant::now(), Arc::new(session)));
    }

    /// The session of this name.
    pub fn find(&self, name: &str) -> Option<Arc<Session>> {
        let mut sessions = lock(&self.0);
        let (used, session) = sessions.get_mut(name)?;
        *used = Instant::now();
        Some(Arc::clone(session))
    }

    /// Ends the session of this name; whether there was one.
    pub fn end(&self, name: &str) -> bool {
        lock(&self.0).remove(name).is_some()
    }
}
