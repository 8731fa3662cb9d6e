//! Skills on the network that are not in git repositories. An archive, the skills of a site, and
//! those of a registry are read into a bundle each; after that they are like any other skills.

mod archives;
mod registries;
mod sites;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::skills::files::parallel;
use crate::skills::find::announce::Announce;
use crate::skills::model::address::{Address, Pins};
use crate::skills::model::bundle::Bundle;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::request::NetworkSource;

/// What a run may ask servers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NetworkAccess {
    /// Whether no server is asked.
    pub offline: bool,
    /// Whether other machines may be asked over connections that are not protected.
    pub insecure: bool,
}

/// A source, and the names of the skills that are wanted of it.
type Asked = (NetworkSource, Vec<String>);

/// The addresses of one run. Each is read once.
pub struct Network {
    environment: Environment,
    announce: Arc<Announce>,
    access: NetworkAccess,
    bundles: Mutex<HashMap<Asked, Result<Arc<Bundle>>>>,
}

impl fmt::Debug for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Network").finish_non_exhaustive()
    }
}

impl Network {
    /// Nothing has been asked yet.
    #[must_use]
    pub fn new(environment: Environment, announce: Arc<Announce>, access: NetworkAccess) -> Self {
        Self { environment, announce, access, bundles: Mutex::default() }
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
    ///
    /// # Errors
    /// A server that cannot be reached, or nothing there.
    pub fn current(&self, address: &Address) -> Result<Pins> {
        match address {
            Address::Archive { .. } => archives::current(self, address),
            Address::Site(url) => sites::current(self, url),
            Address::Registry(reference) => registries::current(self, reference),
        }
    }

    fn read(&self, source: &NetworkSource, wanted: &[String]) -> Result<Bundle> {
        let NetworkSource { address, pins, directory } = source;
        let bundle = match address {
            Address::Archive { .. } => archives::read(self, address, pins),
            Address::Site(url) => sites::read(self, url, pins, wanted),
            Address::Registry(reference) => registries::read(self, reference, pins, wanted),
        }?;
        if directory.is_empty() {
            return Ok(bundle);
        }
        bundle.within(directory).ok_or_else(|| {
            let message = format!("there is no directory `{directory}` in `{address}`");
            Error::new(ErrorKind::NotFound, message)
        })
    }
}
