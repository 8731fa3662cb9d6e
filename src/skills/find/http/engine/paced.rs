//! Watches how fast bytes move on a connection, below TLS and HTTP: whatever a server drips, it is
//! noticed, and so is one that reads what it is sent too slowly.

use std::fmt;
use std::time::{Duration, Instant};

use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, NextTimeout, RustlsConnector,
    TcpConnector, Transport,
};
use ureq::{Error, Timeout};

use super::Tolerance;

/// Marks a connection that was too slow.
pub(super) const SLOW: &str = "slow";

/// Connects like ureq itself, and watches every connection.
pub(super) fn connector(tolerance: Tolerance) -> impl Connector {
    ().chain(ConnectProxyConnector::default())
        .chain(TcpConnector::default())
        .chain(PacedConnector(tolerance))
        .chain(RustlsConnector::default())
}

#[derive(Debug)]
struct PacedConnector(Tolerance);

impl<In: Transport> Connector<In> for PacedConnector {
    type Out = PacedTransport<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(|inner| PacedTransport { inner, pace: WirePace::new(self.0) }))
    }
}

struct PacedTransport<T> {
    inner: T,
    pace: WirePace,
}

impl<T: Transport> fmt::Debug for PacedTransport<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacedTransport").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<T: Transport> Transport for PacedTransport<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.pace.turn(Way::Out);
        let begun = Instant::now();
        self.inner.transmit_output(amount, timeout)?;
        self.pace.add(begun.elapsed(), amount as u64)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.pace.turn(Way::In);
        let is_first = self.pace.bytes == 0;
        // The beginning of an answer has a limit of its own, which is longer.
        let is_answer = is_first && timeout.reason == Timeout::RecvResponse;
        let per_read = if is_answer { None } else { timeout.per_read };
        let (begun, before) = (Instant::now(), self.inner.buffers().input().len());
        let is_more = self.inner.await_input(NextTimeout { per_read, ..timeout })?;
        let read = self.inner.buffers().input().len().saturating_sub(before) as u64;
        let waited = if is_first { Duration::ZERO } else { begun.elapsed() };
        self.pace.add(waited, read)?;
        Ok(is_more)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// What moved in one direction since the other one, and how long that took.
struct WirePace {
    tolerance: Tolerance,
    way: Way,
    /// In the current span.
    bytes: u64,
    waited: Duration,
    /// In all spans.
    total: Duration,
}

impl WirePace {
    const fn new(tolerance: Tolerance) -> Self {
        let (waited, total) = (Duration::ZERO, Duration::ZERO);
        Self { tolerance, way: Way::Out, bytes: 0, waited, total }
    }

    /// Begins again if bytes move the other way now.
    fn turn(&mut self, way: Way) {
        if self.way != way {
            *self = Self { way, ..Self::new(self.tolerance) };
        }
    }

    /// Counts bytes, and the time that was spent waiting for them.
    fn add(&mut self, waited: Duration, bytes: u64) -> Result<(), Error> {
        self.waited += waited;
        self.total += waited;
        self.bytes += bytes;
        if self.total > self.tolerance.total {
            return Err(Error::Tls(SLOW));
        }
        if self.waited >= self.tolerance.span {
            if self.bytes < self.tolerance.least_bytes {
                return Err(Error::Tls(SLOW));
            }
            // Something has come, so the next byte is not the first.
            (self.waited, self.bytes) = (Duration::ZERO, 1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::model::environment::Environment;

    #[test]
    fn what_moves_too_slowly_in_one_direction_is_noticed() {
        let tolerance = Tolerance::new(&Environment::default());
        let second = Duration::from_secs(1);
        let seconds_until_slow = |bytes: u64| {
            let mut pace = WirePace::new(tolerance);
            (1..=10_000).find(|_| {
                pace.turn(Way::Out);
                pace.add(second, bytes).is_err()
            })
        };
        assert_eq!(seconds_until_slow(1), Some(30));
        assert_eq!(seconds_until_slow(1_000), Some(30));
        // Fast enough, but without end.
        assert_eq!(seconds_until_slow(2_000), Some(3_601));
        // What came long ago does not help.
        let mut pace = WirePace::new(tolerance);
        for _ in 0..60 {
            assert!(pace.add(second, 1_000_000).is_ok());
        }
        assert_eq!((1..=100).find(|_| pace.add(second, 1).is_err()), Some(30));
        let mut pace = WirePace::new(tolerance);
        for _ in 0..1_000 {
            for way in [Way::Out, Way::In] {
                pace.turn(way);
                assert!(pace.add(second, 100).is_ok(), "short messages are not slow");
            }
        }
    }
}
