//! The servers of one run: git repositories, and everything else on the network.

use std::sync::Arc;

use crate::skills::find::announce::{Announce, Progress};
use crate::skills::find::git::Repositories;
use crate::skills::find::network::{Network, NetworkAccess};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::Result;
use crate::skills::model::request::{Request, RequestedSource};

/// The servers of one run. No question is asked twice.
#[derive(Debug)]
pub struct Remotes {
    /// Git repositories.
    pub git: Repositories,
    /// Archives, sites and registries.
    pub network: Network,
    announce: Announcer,
}

/// Tells the user about slow steps.
struct Announcer(Arc<Announce>);

impl std::fmt::Debug for Announcer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Announce")
    }
}

impl Default for Remotes {
    fn default() -> Self {
        Self::new(Environment::default(), Arc::new(|_| {}), NetworkAccess::default())
    }
}

impl Remotes {
    /// Servers that were not asked anything yet.
    pub fn new(environment: Environment, announce: Arc<Announce>, access: NetworkAccess) -> Self {
        let git = Repositories::new(environment.clone(), Arc::clone(&announce));
        Self {
            git: git.offline(access.offline),
            network: Network::new(environment, Arc::clone(&announce), access),
            announce: Announcer(announce),
        }
    }

    /// Tells the user about a slow step.
    pub fn announce(&self, progress: Progress<'_>) {
        (self.announce.0)(progress);
    }

    /// Asks the servers of all requests, several at a time, and keeps the answers.
    pub fn prepare(&self, requests: &[Request], wanted: &[String]) {
        let repositories: Vec<_> = requests
            .iter()
            .filter_map(|request| match &request.what {
                RequestedSource::Git(location, pin) => Some((location.clone(), pin.clone())),
                _ => None,
            })
            .collect();
        self.git.prepare(&repositories);
        let sources: Vec<_> = requests.iter().filter_map(Request::network).collect();
        self.network.prepare(&sources, wanted);
    }

    /// Decides what ambiguous addresses of repositories mean.
    pub fn decide(&self, requests: &mut [Request]) -> Result<()> {
        self.git.decide(requests)
    }
}
