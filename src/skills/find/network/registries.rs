//! Artifacts and collections in registries.

use super::Network;
use crate::skills::model::address::{Pins, RegistryReference};
use crate::skills::model::bundle::Bundle;
use crate::skills::model::error::{Error, ErrorKind, Result};

/// Reads an artifact, or the wanted skills of a collection.
pub(super) fn read(
    _network: &Network,
    reference: &RegistryReference,
    _pins: &Pins,
    _wanted: &[String],
) -> Result<Bundle> {
    Err(Error::new(ErrorKind::Io, format!("`oci://{reference}` cannot be fetched yet")))
}

/// The digest of an artifact, or those of the skills of a collection.
pub(super) fn current(_network: &Network, reference: &RegistryReference) -> Result<Pins> {
    Err(Error::new(ErrorKind::Io, format!("`oci://{reference}` cannot be fetched yet")))
}
