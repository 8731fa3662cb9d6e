//! Archives by their address.

use super::Network;
use crate::skills::model::address::{Address, Pins};
use crate::skills::model::bundle::Bundle;
use crate::skills::model::error::{Error, ErrorKind, Result};

/// Reads an archive.
pub(super) fn read(_network: &Network, address: &Address, _pins: &Pins) -> Result<Bundle> {
    Err(Error::new(ErrorKind::Io, format!("`{address}` cannot be fetched yet")))
}

/// The digest that an archive has now.
pub(super) fn current(_network: &Network, address: &Address) -> Result<Pins> {
    Err(Error::new(ErrorKind::Io, format!("`{address}` cannot be fetched yet")))
}
