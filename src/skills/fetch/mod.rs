//! Everything that is fetched: the servers of one run, git repositories among them.

pub mod archive;
pub mod cache;
pub mod git;
pub mod http;
pub mod oci;
pub mod site;
pub mod web;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::skills::fetch::cache::{Cache, Shelf};
use crate::skills::fetch::git::Repositories;
pub use crate::skills::fetch::http::NetworkAccess;
use crate::skills::fetch::http::{Http, TransferWatcher, Url};
use crate::skills::fetch::oci::{KnownRegistry, collect};
use crate::skills::files::parallel;
use crate::skills::model::address::{Address, Pins};
use crate::skills::model::bundle::Bundle;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Result, err};
use crate::skills::model::reporter::{Announce, Progress};
use crate::skills::model::request::{NetworkSource, Request, RequestedSource};

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

// Skills on the network that are not in git repositories. An archive, the skills of a site, and
// those of a registry are read into a bundle each; after that they are like any other skills.

/// A source, and the names of the skills that are wanted of it.
type FetchKey = (NetworkSource, Vec<String>);

/// The addresses of one run. Each is read once.
pub struct Network {
    environment: Environment,
    announce: Arc<Announce>,
    http: Http,
    bundles: Mutex<HashMap<FetchKey, Result<Arc<Bundle>>>>,
    registries: Mutex<HashMap<String, Arc<KnownRegistry>>>,
}

impl fmt::Debug for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Network").finish_non_exhaustive()
    }
}

impl Network {
    /// Nothing has been asked yet.
    pub fn new(environment: Environment, announce: Arc<Announce>, access: NetworkAccess) -> Self {
        let watcher = Box::new(Announcing(Arc::clone(&announce)));
        let http = Http::new(&environment, access, watcher);
        let (bundles, registries) = (Mutex::default(), Mutex::default());
        Self { environment, announce, http, bundles, registries }
    }

    /// Asks servers.
    pub const fn http(&self) -> &Http {
        &self.http
    }

    /// What was downloaded before.
    pub fn cache(&self, shelf: Shelf) -> Result<Cache> {
        Cache::open(&self.environment, shelf)
    }

    /// Whether no server is asked.
    pub const fn is_offline(&self) -> bool {
        self.http.access().offline
    }

    /// Reads the skills of a source: those that are pinned, else those that are there now. Of a site
    /// or a collection, only the wanted skills are fetched, or all if none is named.
    ///
    /// # Errors
    /// A server that cannot be reached, nothing there, or something else than was promised.
    pub fn open(&self, source: &NetworkSource, wanted: &[String]) -> Result<Arc<Bundle>> {
        let key = (source.clone(), wanted.to_vec());
        let known = || self.bundles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known().get(&key) {
            return answer.clone();
        }
        let answer = self.read(source, wanted).map(Arc::new);
        known().insert(key, answer.clone());
        answer
    }

    /// Reads several sources at a time. [`Self::open`] returns the results, including errors.
    pub fn prepare(&self, sources: &[&NetworkSource], wanted: &[String]) {
        if let [_, _, ..] = sources {
            parallel::map_waiting(sources, |source| drop(self.open(source, wanted)));
        }
    }

    /// What an address means now.
    pub fn current(&self, address: &Address) -> Result<Pins> {
        match address {
            Address::Archive { .. } => web::current_archive(self, address),
            Address::Site(url) => web::current_site(self, url),
            Address::Registry(reference) => collect::current(self, reference),
        }
    }

    fn read(&self, source: &NetworkSource, wanted: &[String]) -> Result<Bundle> {
        let NetworkSource { address, pins, directory } = source;
        let bundle = match address {
            Address::Archive { .. } => web::read_archive(self, address, pins),
            Address::Site(url) => web::read_site(self, url, pins, wanted),
            Address::Registry(reference) => collect::read(self, reference, pins, wanted),
        }?;
        if directory.is_empty() {
            return Ok(bundle);
        }
        bundle
            .within(directory)
            .ok_or_else(|| err!(NotFound, "there is no directory `{directory}` in `{address}`"))
    }
}

/// Tells the user how transfers go.
struct Announcing(Arc<Announce>);

impl TransferWatcher for Announcing {
    fn begun(&self, _: &Url, bytes: Option<u64>) {
        (self.0)(Progress::Begun(bytes));
    }

    fn moved(&self, bytes: u64) {
        (self.0)(Progress::Moved(bytes));
    }

    fn ended(&self) {
        (self.0)(Progress::Ended);
    }

    fn pausing(&self, url: &Url, reason: &str, pause: Duration) {
        (self.0)(Progress::Pausing { host: &url.authority(), reason, pause });
    }
}
