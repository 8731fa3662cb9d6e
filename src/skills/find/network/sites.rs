//! Sites that publish skills.

use super::Network;
use crate::skills::model::address::Pins;
use crate::skills::model::bundle::Bundle;
use crate::skills::model::error::{Error, ErrorKind, Result};

/// Reads the wanted skills of a site.
pub(super) fn read(
    _network: &Network,
    url: &str,
    _pins: &Pins,
    _wanted: &[String],
) -> Result<Bundle> {
    Err(Error::new(ErrorKind::Io, format!("`{url}` cannot be fetched yet")))
}

/// The digests of the skills that a site publishes now.
pub(super) fn current(_network: &Network, url: &str) -> Result<Pins> {
    Err(Error::new(ErrorKind::Io, format!("`{url}` cannot be fetched yet")))
}
