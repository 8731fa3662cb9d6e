//! Who wants to hear what: notifications go only to those who asked for them.

use crate::skills::serve::address;
use crate::skills::serve::changes::NewState;
use crate::skills::serve::message::RequestId;

/// What somebody wants to hear.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewsFilter {
    /// That the tools have changed.
    pub tools: bool,
    /// That the prompts have changed.
    pub prompts: bool,
    /// That the list of files has changed.
    pub resources: bool,
    /// That the files at these addresses have changed.
    pub addresses: Vec<String>,
}

impl NewsFilter {
    /// What every session of an older revision hears.
    pub const fn lists() -> Self {
        Self { tools: true, prompts: true, resources: true, addresses: Vec::new() }
    }
}

/// Something that a client is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    /// The tools have changed.
    Tools,
    /// The prompts have changed.
    Prompts,
    /// The list of files has changed.
    Resources,
    /// The file at this address has changed.
    Updated(String),
}

/// One who listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// The request that asked for it; none for a session.
    pub subscription: Option<RequestId>,
    /// What it wants to hear.
    pub wants: NewsFilter,
}

impl Listener {
    /// What it is told of these changes.
    pub fn news(&self, changes: &NewState) -> Vec<Announcement> {
        let mut news = Vec::new();
        if self.wants.tools && changes.tools {
            news.push(Announcement::Tools);
        }
        if self.wants.prompts && changes.prompts {
            news.push(Announcement::Prompts);
        }
        if self.wants.resources && changes.resources {
            news.push(Announcement::Resources);
        }
        let is_updated =
            |uri: &&String| address::canonical(uri).is_ok_and(|uri| changes.updated.contains(&uri));
        let updated = self.wants.addresses.iter().filter(is_updated);
        // Under the address that the client knows.
        news.extend(updated.cloned().map(Announcement::Updated));
        news
    }
}
