//! One small transport for everything that is fetched from or sent to a server.
//!
//! Certificates are those that the system trusts, proxies those of the environment. Redirects never
//! leave `https`, never lead from the public internet into a private network, and never take
//! credentials to another host. Every transfer is bounded in size and time. Requests that may be
//! repeated are repeated when a server is busy or a connection breaks. Nothing that is secret is
//! shown: neither queries nor the values of headers.
//!
//! `url` reads addresses, requests and `response` are what callers see, `policy` decides where a
//! request may go, and `engine` does the exchange. Only `engine` names the crates.

pub mod engine;
pub mod policy;
pub mod response;
#[cfg(test)]
mod tests;
pub mod url;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::time::Duration;
use std::{fmt, thread};

use crate::skills::fetch::http::engine::{Engine, ExchangeBody, Fault, Tolerance, WireExchange};
use crate::skills::fetch::http::policy::Proxies;
pub use crate::skills::fetch::http::response::{Expected, HttpResponse, Outcome};
pub use crate::skills::fetch::http::url::{HostReach, Url};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};

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
            let next = policy::target(&url, &next, hops)?;
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
        Ok(policy::check(from, to, at_least, by_proxy)?)
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
            (Self::Plain, Some(from)) => policy::unprotected(from, url),
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
                policy::error(&fault, &place.url, place.proxy.as_deref(), tolerance)
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

// What a caller asks of a server.

/// The methods that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Reads without the body.
    Head,
    /// Begins something.
    Post,
    /// Writes a whole thing.
    Put,
    /// Writes a part.
    Patch,
}

impl HttpMethod {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
        }
    }

    /// Whether doing it twice is like doing it once.
    pub const fn may_be_repeated(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

/// What is sent along.
#[derive(Clone, Copy)]
pub enum UploadBody<'a> {
    Nothing,
    /// These bytes.
    Bytes(&'a [u8]),
    /// A part of a file: where it begins, and its length.
    Part(&'a File, u64, u64),
}

/// A request. The values of its headers are never shown.
#[derive(Clone)]
pub struct HttpRequest<'a> {
    method: HttpMethod,
    url: Url,
    headers: Vec<(String, String)>,
    authorization: Option<String>,
    origin: Option<Url>,
    body: UploadBody<'a>,
    stays: bool,
}

impl fmt::Debug for HttpRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

impl<'a> HttpRequest<'a> {
    /// A request without headers and body.
    pub const fn new(method: HttpMethod, url: Url) -> Self {
        Self {
            method,
            url,
            headers: Vec::new(),
            authorization: None,
            origin: None,
            body: UploadBody::Nothing,
            stays: false,
        }
    }

    /// Asks for what is at an address.
    pub const fn get(url: Url) -> Self {
        Self::new(HttpMethod::Get, url)
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Adds credentials, for the host of this request alone: a redirect to another does not take
    /// them along.
    pub fn authorization(mut self, value: impl Into<String>) -> Self {
        self.authorization = Some(value.into());
        self
    }

    /// Says who named this address, if no user did: an index, a manifest, an answer. It is then
    /// checked as a redirect from there would be.
    pub fn named_by(mut self, origin: &Url) -> Self {
        self.origin = Some(origin.clone());
        self
    }

    /// Follows no redirect, because the body is a secret of this host.
    pub const fn without_redirects(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Adds a body.
    pub fn body(mut self, body: UploadBody<'a>) -> Self {
        self.body = body;
        self
    }

    /// Where it goes.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    pub const fn method(&self) -> HttpMethod {
        self.method
    }

    pub const fn origin(&self) -> Option<&Url> {
        self.origin.as_ref()
    }

    /// The headers for an address that redirects led to.
    pub fn headers_for(&self, url: &Url) -> Vec<(String, String)> {
        let mut headers = self.headers.clone();
        if url.has_same_origin(&self.url) {
            let value = self.authorization.clone();
            headers.extend(value.map(|value| ("authorization".to_owned(), value)));
        } else {
            headers.retain(|(name, _)| !matches!(name.as_str(), "authorization" | "cookie"));
        }
        headers
    }

    /// Where an answer says to go instead, if that is for this request to follow.
    pub fn redirect(&self, answer: &HttpResponse<'_>) -> Option<String> {
        let reads = matches!(self.method, HttpMethod::Get | HttpMethod::Head);
        let is_redirect = match answer.status() {
            301..=303 => reads,
            // These say that the body goes along.
            307 | 308 => true,
            _ => false,
        };
        answer.header("location").filter(|_| is_redirect && !self.stays).map(str::to_owned)
    }

    pub fn exchange_body(&self) -> Result<ExchangeBody<'a>> {
        Ok(match self.body {
            UploadBody::Nothing
                if matches!(
                    self.method,
                    HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch
                ) =>
            {
                ExchangeBody::Bytes(&[])
            }
            UploadBody::Nothing => ExchangeBody::Nothing,
            UploadBody::Bytes(bytes) => ExchangeBody::Bytes(bytes),
            UploadBody::Part(mut file, start, length) => {
                file.seek(SeekFrom::Start(start))
                    .map_err(|error| Error::io("read", self.url.to_string(), &error))?;
                ExchangeBody::Part(file.take(length))
            }
        })
    }
}

#[cfg(test)]
mod request_tests {
    use super::*;

    #[test]
    fn credentials_stay_with_their_host_and_are_not_shown() {
        let url = Url::parse("https://h/a").unwrap();
        let request = HttpRequest::get(url.clone())
            .header("Accept", "x")
            .header("Cookie", "s3cret")
            .authorization("Bearer s3cret");
        assert!(!format!("{request:?}").contains("s3cret"));
        assert_eq!(request.headers_for(&url.join("/b").unwrap()).len(), 3);
        for other in ["https://other/", "https://h:8443/", "http://h/", "https://a.h/"] {
            let headers = request.headers_for(&Url::parse(other).unwrap());
            assert_eq!(headers, [("accept".to_owned(), "x".to_owned())], "{other}");
        }
    }
}
