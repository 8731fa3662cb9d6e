//! Decides where a revision ends and a path begins, for addresses such as `…/tree/REV/PATH`.

use super::Repositories;
use super::cache::{Cached, Part};
use crate::skills::files::parallel;
use crate::skills::find::cache::root as cache_root;
use crate::skills::model::error::{Error, Result};
use crate::skills::model::location::Location;
use crate::skills::model::request::{Request, RequestedSource};

impl Repositories {
    /// Resolves every ambiguous address with the references of its server.
    pub fn decide(&self, requests: &mut [Request]) -> Result<()> {
        let is_open = |request: &&mut Request| matches!(&request.what, RequestedSource::Git(location, _) if location.undecided.is_some());
        let mut open: Vec<&mut Request> = requests.iter_mut().filter(is_open).collect();
        let locations: Vec<Location> =
            open.iter().filter_map(|request| request.location().cloned()).collect();
        let decide = |location: &Location| {
            let root = cache_root(&self.environment)?;
            let cached =
                Cached::open(self.git()?, &root, location, Part::Commits, self.announce.as_ref())?;
            self.reading(&cached, location)
        };
        let decided = parallel::map_waiting(&locations, decide);
        for (request, decided) in open.iter_mut().zip(decided) {
            let location = decided.map_err(|error| match &request.place {
                Some(place) => Error { message: format!("{place}: {}", error.message), ..error },
                None => error,
            })?;
            request.decide(location);
        }
        Ok(())
    }

    /// The reading whose revision the server knows. The longest wins, as on hosting sites. If none
    /// is known, the first part may be an abbreviated commit id.
    pub(super) fn reading(&self, cached: &Cached<'_>, location: &Location) -> Result<Location> {
        if location.undecided.is_none() {
            return Ok(location.clone());
        }
        let answer = self.answer(location);
        let refs = self.refs(&answer, cached, location)?;
        let mut readings = location.readings();
        let shortest = readings.pop();
        let known = readings.into_iter().find(|one| refs.find(one.revision.as_deref()).is_some());
        Ok(known.or(shortest).unwrap_or_else(|| location.clone()))
    }
}
