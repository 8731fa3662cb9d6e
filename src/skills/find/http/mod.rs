//! One small transport for everything that is fetched from or sent to a server.
//!
//! Certificates are those that the system trusts, proxies those of the environment. Redirects never
//! leave `https`, never lead from the public internet into a private network, and never take
//! credentials to another host. Every transfer is bounded in size and time. Requests that may be
//! repeated are repeated when a server is busy or a connection breaks. Nothing that is secret is
//! shown: neither queries nor the values of headers.
//!
//! `url` reads addresses, `request` and `response` are what callers see, `redirect` decides where a
//! request may go, `download` writes large bodies to a file, and `engine` does the exchange. Only
//! `engine` names the crates.

mod download;
mod engine;
mod failure;
mod proxy;
mod redirect;
mod request;
mod response;
mod tolerance;
mod url;

use std::fmt;
use std::thread;
use std::time::Duration;

use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};
use engine::{Engine, Fault, WireExchange};
use proxy::Proxies;
use tolerance::Tolerance;

pub use download::{Expected, Outcome};
pub use request::{HttpMethod, HttpRequest, UploadBody};
pub use response::HttpResponse;
pub use url::{HostReach, Url};

/// What a run may ask servers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NetworkAccess {
    /// Whether no server is asked.
    pub offline: bool,
    /// Whether other machines may be asked over connections that are not protected.
    pub insecure: bool,
}

/// Is told how transfers go, from any thread. The default does nothing.
pub trait TransferWatcher: Send + Sync {
    /// A body begins that is worth showing, of this size if the server says so.
    fn begun(&self, _url: &Url, _bytes: Option<u64>) {}
    /// So many more bytes have come or gone.
    fn moved(&self, _bytes: u64) {}
    /// A body is complete, or was given up.
    fn ended(&self) {}
    /// A request is sent again after a pause.
    fn pausing(&self, _url: &Url, _reason: &str, _pause: Duration) {}
}

/// Shows nothing.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

#[cfg(test)]
impl TransferWatcher for Unwatched {}

/// The transport of a run. It costs nothing until it is used.
pub struct Http {
    access: NetworkAccess,
    tolerance: Tolerance,
    proxies: Proxies,
    engine: Engine,
    watcher: Box<dyn TransferWatcher>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("access", &self.access).finish_non_exhaustive()
    }
}

impl Http {
    /// A transport with the variables of this environment.
    pub fn new(
        environment: &Environment,
        access: NetworkAccess,
        watcher: Box<dyn TransferWatcher>,
    ) -> Self {
        let tolerance = Tolerance::new(environment);
        let proxies = Proxies::new(environment);
        let engine = Engine::new(environment, tolerance);
        Self { access, tolerance, proxies, engine, watcher }
    }

    /// What may be asked.
    pub const fn access(&self) -> NetworkAccess {
        self.access
    }

    /// Sends a request, follows redirects, and tries again what may be tried again. Any status is
    /// an answer, also 401 and 404.
    ///
    /// # Errors
    /// `--offline`, plain `http` to another machine, a redirect that is not followed, and a server
    /// that does not answer.
    pub fn send(&self, request: &HttpRequest<'_>) -> Result<HttpResponse<'_>> {
        let mut attempt = 1;
        loop {
            let sent = self.follow(request);
            let (pause, reason) = match &sent {
                Ok(answer) if is_busy(answer.status()) => {
                    (self.tolerance.pause(attempt, answer.retry_after()), answer.status_text())
                }
                Err(Failed::Fault(fault, _)) if fault.is_passing() => {
                    (self.tolerance.pause(attempt, None), "the connection broke".to_owned())
                }
                _ => (None, String::new()),
            };
            match pause.filter(|_| request.method().may_be_repeated()) {
                Some(pause) => self.pause(request.url(), &reason, pause),
                None => return sent.map_err(|failed| failed.into_error(&self.tolerance)),
            }
            attempt += 1;
        }
    }

    fn pause(&self, url: &Url, reason: &str, pause: Duration) {
        tracing::debug!(%url, reason, ?pause, "trying again");
        self.watcher.pausing(url, reason, pause);
        thread::sleep(pause);
    }

    /// Sends a request to where redirects lead.
    fn follow(&self, request: &HttpRequest<'_>) -> Result<HttpResponse<'_>, Failed> {
        let mut url = request.url().clone();
        let mut hops = 0;
        let mut at_least = HostReach::Loopback;
        if let Some(from) = request.origin() {
            at_least = self.check_hop(from, &url, at_least)?;
        }
        self.check(&url).map_err(|reason| reason.into_failed(request.origin(), &url))?;
        loop {
            let headers = request.headers_for(&url);
            let answer = self.exchange(request, &url, &headers, at_least)?;
            let answer = HttpResponse::new(answer, url.clone(), self.tolerance, &*self.watcher);
            let Some(next) = request.redirect(&answer) else { return Ok(answer) };
            hops += 1;
            let next = redirect::target(&url, &next, hops)?;
            at_least = self.check_hop(&url, &next, at_least)?;
            self.check(&next).map_err(|reason| reason.into_failed(Some(&url), &next))?;
            tracing::debug!(from = %url, to = %next, status = answer.status(), "following");
            url = next;
        }
    }

    fn exchange(
        &self,
        request: &HttpRequest<'_>,
        url: &Url,
        headers: &[(String, String)],
        at_least: HostReach,
    ) -> Result<engine::Received, Failed> {
        let proxy = self.proxies.of(url);
        let method = request.method().as_str();
        tracing::debug!(method, %url, proxy = proxy.map(Proxies::shown), "asking");
        let body = request.exchange_body().map_err(|error| Failed::Error(Box::new(error)))?;
        let exchange = WireExchange { method, url, headers, body, proxy, at_least };
        let answer = self.engine.exchange(exchange).map_err(|fault| {
            tracing::debug!(%url, ?fault, "no answer");
            let proxy = proxy.map(|proxy| Proxies::shown(proxy).to_owned());
            Failed::Fault(fault, Box::new(FailedPlace { url: url.clone(), proxy }))
        })?;
        tracing::debug!(%url, status = answer.status, "answered");
        Ok(answer)
    }

    /// Whether an address may be asked at all.
    fn check(&self, url: &Url) -> Result<(), Unasked> {
        if self.access.offline {
            return Err(Unasked::Offline);
        }
        let is_fine = url.is_secure()
            || self.access.insecure
            || url.reach().is_some_and(|reach| reach == HostReach::Loopback);
        if is_fine { Ok(()) } else { Err(Unasked::Plain) }
    }

    fn check_hop(&self, from: &Url, to: &Url, at_least: HostReach) -> Result<HostReach, Failed> {
        let by_proxy = self.proxies.of(to).is_some();
        Ok(redirect::check(from, to, at_least, by_proxy)?)
    }
}

/// Why an address is not asked.
enum Unasked {
    Offline,
    Plain,
}

impl Unasked {
    /// The error, which names the server that named the address, unless the user did.
    fn into_failed(self, from: Option<&Url>, url: &Url) -> Failed {
        let error = match (self, from) {
            (Self::Offline, _) => offline(url),
            (Self::Plain, Some(from)) => redirect::unprotected(from, url),
            (Self::Plain, None) => plain(url),
        };
        error.into()
    }
}

/// Why a request has no answer.
enum Failed {
    Fault(Fault, Box<FailedPlace>),
    Error(Box<Error>),
}

/// Where it was sent.
struct FailedPlace {
    url: Url,
    proxy: Option<String>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

impl Failed {
    fn into_error(self, tolerance: &Tolerance) -> Error {
        match self {
            Self::Error(error) => *error,
            Self::Fault(fault, place) => {
                failure::error(&fault, &place.url, place.proxy.as_deref(), tolerance)
            }
        }
    }
}

/// Whether a server says that it cannot answer now.
const fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

fn offline(url: &Url) -> Error {
    err!(Network, "`{url}` is not in the cache, and `--offline` asks nobody")
        .help("run the command once without `--offline`")
}

fn plain(url: &Url) -> Error {
    err!(Network, "`{url}` is not encrypted, so anybody on the way could change it")
        .help("use `https://`, or `--insecure` to allow plain http beyond this machine")
}

#[cfg(test)]
mod tests;
