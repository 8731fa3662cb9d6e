//! The one module that names the HTTP and TLS crates. It does one exchange: no redirect, no retry, no
//! decision about where to go; it watches how fast that goes, and how long a server may take.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::{self, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, NextTimeout, RustlsConnector,
    TcpConnector, Transport,
};
use ureq::{Agent, Error, Proxy, SendBody, Timeout};

use crate::skills::fetch::http::url::{HostReach, Url, reach_of};
use crate::skills::files::content::system_message;
use crate::skills::model::environment::Environment;

/// How the program introduces itself.
const USER_AGENT: &str = concat!("skills/", env!("CARGO_PKG_VERSION"));

/// The most bytes that come before a body.
const HEADER_BYTES: usize = 32 * 1024;

/// The buffers of a connection, in each direction. Larger than a header, which is read as a whole.
const BUFFER_BYTES: usize = 64 * 1024;

/// What is sent.
pub struct WireExchange<'a> {
    pub method: &'static str,
    pub url: &'a Url,
    pub headers: &'a [(String, String)],
    pub body: ExchangeBody<'a>,
    /// The proxy, with its login.
    pub proxy: Option<&'a str>,
    /// A host that means a nearer machine than this is not connected to.
    pub at_least: HostReach,
}

/// The body that is sent.
pub enum ExchangeBody<'a> {
    Nothing,
    Bytes(&'a [u8]),
    /// A part of a file, and its length.
    Part(io::Take<&'a File>),
}

/// What came back, before its body.
pub struct Received {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Box<dyn Read + Send>,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nobody knows the host.
    UnknownHost,
    /// The host means a machine that must not be asked.
    Nearby,
    /// No connection, for this reason.
    Connect(String),
    /// No connection in time.
    ConnectTimeout,
    /// No answer in time.
    AnswerTimeout,
    /// Silence in the middle.
    Silence,
    /// Bytes that come or go too slowly, or without end.
    Slow,
    /// The connection ended in the middle.
    Cut,
    /// The server's certificate is not trusted, for this reason.
    Untrusted(String),
    /// No secure connection for another reason.
    Tls(String),
    /// The proxy refused or could not be understood.
    Proxy(String),
    /// The answer is not HTTP as it should be.
    Protocol(String),
}

impl Fault {
    /// Whether another attempt may succeed.
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::Cut | Self::Silence)
    }
}

/// Agents are made when the first request needs one, because certificates take time to read.
pub struct Engine {
    tolerance: Tolerance,
    certificate_file: Option<PathBuf>,
    certificate_directory: Option<PathBuf>,
    roots: OnceLock<RootCerts>,
    /// By whether they need certificates, and by how near a host may be.
    agents: [OnceLock<Agent>; 6],
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    pub fn new(environment: &Environment, tolerance: Tolerance) -> Self {
        let path = |name| environment.variable(name).map(PathBuf::from);
        Self {
            tolerance,
            certificate_file: path("SSL_CERT_FILE"),
            certificate_directory: path("SSL_CERT_DIR"),
            roots: OnceLock::new(),
            agents: Default::default(),
        }
    }

    /// Sends, and waits for the first part of the answer.
    pub fn exchange(&self, exchange: WireExchange<'_>) -> Result<Received, Fault> {
        let needs_roots = exchange.url.is_secure()
            || exchange.proxy.is_some_and(|proxy| proxy.starts_with("https:"));
        let agent = self.agent(needs_roots, exchange.at_least);
        let proxy = exchange.proxy.map(Proxy::new).transpose();
        let proxy = proxy.map_err(|_| Fault::Proxy("its address is invalid".to_owned()))?;
        let mut request =
            http::Request::builder().method(exchange.method).uri(exchange.url.revealed());
        for (name, value) in exchange.headers {
            request = request.header(name, value);
        }
        let invalid = |_| Fault::Protocol("the request has an invalid header".to_owned());
        let answer = match exchange.body {
            ExchangeBody::Nothing => {
                let request = request.body(()).map_err(invalid)?;
                agent.run(agent.configure_request(request).proxy(proxy).build())
            }
            ExchangeBody::Bytes(bytes) => {
                let request = request.body(bytes).map_err(invalid)?;
                agent.run(agent.configure_request(request).proxy(proxy).build())
            }
            ExchangeBody::Part(mut part) => {
                let request = request.header("content-length", part.limit());
                let body = SendBody::from_reader(&mut part);
                let request = request.body(body).map_err(invalid)?;
                agent.run(agent.configure_request(request).proxy(proxy).build())
            }
        };
        let answer = answer.map_err(|error| fault(error, exchange.proxy.is_some()))?;
        let (parts, body) = answer.into_parts();
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into();
        let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), text(value)));
        Ok(Received {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            // The limit is the reader's own.
            body: Box::new(body.into_with_config().limit(u64::MAX).reader()),
        })
    }

    fn agent(&self, needs_roots: bool, at_least: HostReach) -> &Agent {
        let slot = usize::from(needs_roots) * 3 + at_least as usize;
        self.agents[slot].get_or_init(|| {
            let roots = if needs_roots { self.roots() } else { RootCerts::new_with_certs(&[]) };
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let tls = TlsConfig::builder()
                .root_certs(roots)
                .unversioned_rustls_crypto_provider(provider)
                .build();
            let config = Agent::config_builder()
                .tls_config(tls)
                .proxy(None)
                .http_status_as_error(false)
                .max_redirects(0)
                .user_agent(USER_AGENT)
                .accept_encoding("identity")
                .max_response_header_size(HEADER_BYTES)
                .input_buffer_size(BUFFER_BYTES)
                // As many as ask at a time.
                .max_idle_connections_per_host(8)
                .output_buffer_size(BUFFER_BYTES)
                .timeout_resolve(Some(self.tolerance.connect))
                .timeout_connect(Some(self.tolerance.connect))
                .timeout_send_request(Some(self.tolerance.silence))
                .timeout_recv_response(Some(self.tolerance.answer))
                .timeout_per_read(Some(self.tolerance.silence))
                .timeout_per_write(Some(self.tolerance.silence))
                .build();
            Agent::with_parts(config, connector(self.tolerance), GuardedResolver::new(at_least))
        })
    }

    /// The certificates that this system trusts; a file or directory that the user names replaces
    /// them.
    fn roots(&self) -> RootCerts {
        let load = || {
            let (file, directory) = (&self.certificate_file, &self.certificate_directory);
            let loaded = if file.is_some() || directory.is_some() {
                rustls_native_certs::load_certs_from_paths(file.as_deref(), directory.as_deref())
            } else {
                rustls_native_certs::load_native_certs()
            };
            for error in &loaded.errors {
                tracing::debug!(%error, "a certificate was not read");
            }
            let own = |der: &[u8]| Certificate::from_der(der).to_owned();
            let certificates: Vec<_> = loaded.certs.iter().map(|one| own(one.as_ref())).collect();
            tracing::debug!(certificates = certificates.len(), "read the trusted certificates");
            RootCerts::new_with_certs(&certificates)
        };
        self.roots.get_or_init(load).clone()
    }
}

/// Asks the system, and refuses machines that are nearer than they may be: a public name must not
/// lead into a private network.
#[derive(Debug)]
struct GuardedResolver {
    at_least: HostReach,
    inner: DefaultResolver,
}

impl GuardedResolver {
    fn new(at_least: HostReach) -> Self {
        Self { at_least, inner: DefaultResolver::default() }
    }
}

/// Marks a refusal of the resolver.
const NEARBY: &str = "nearby";

impl Resolver for GuardedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.inner.resolve(uri, config, timeout)?;
        // With a proxy, this is the proxy's own address, which the user chose.
        let is_proxy = config.proxy().is_some();
        let is_near = addresses.iter().any(|address| reach_of(address.ip()) < self.at_least);
        if is_near && !is_proxy { Err(ureq::Error::Tls(NEARBY)) } else { Ok(addresses) }
    }
}

/// Why an exchange failed, in few words, none of which came from the request.
fn fault(error: ureq::Error, has_proxy: bool) -> Fault {
    use ureq::Error as E;
    match error {
        E::Tls(NEARBY) => Fault::Nearby,
        E::Tls(SLOW) => Fault::Slow,
        E::HostNotFound => Fault::UnknownHost,
        E::Timeout(Timeout::Resolve | Timeout::Connect) => Fault::ConnectTimeout,
        E::Timeout(Timeout::PerRead | Timeout::PerWrite | Timeout::SendRequest) => Fault::Silence,
        E::Timeout(_) => Fault::AnswerTimeout,
        E::ConnectionFailed => Fault::Connect("the connection failed".to_owned()),
        E::ConnectProxyFailed(reason) => Fault::Proxy(reason),
        E::InvalidProxyUrl => Fault::Proxy("its address is invalid".to_owned()),
        E::LargeResponseHeader(..) => {
            Fault::Protocol(format!("its header is larger than {} KiB", HEADER_BYTES / 1024))
        }
        E::Tls(reason) => Fault::Tls(reason.to_owned()),
        E::Rustls(error) => tls_fault(&error),
        E::Io(error) => fault_of_io(error),
        E::Protocol(_) => Fault::Protocol("its answer is not valid HTTP".to_owned()),
        _ if has_proxy => Fault::Proxy("the connection failed".to_owned()),
        _ => Fault::Protocol("its answer is not valid HTTP".to_owned()),
    }
}

/// The same for a body.
pub fn fault_of_io(error: io::Error) -> Fault {
    if error.get_ref().is_some_and(|inner| inner.is::<ureq::Error>()) {
        return fault(ureq::Error::from(error), false);
    }
    if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return tls_fault(inner);
    }
    use io::ErrorKind as K;
    match error.kind() {
        K::ConnectionReset | K::ConnectionAborted | K::BrokenPipe | K::UnexpectedEof => Fault::Cut,
        K::TimedOut | K::WouldBlock => Fault::Silence,
        K::ConnectionRefused => Fault::Connect("connection refused".to_owned()),
        K::HostUnreachable | K::NetworkUnreachable => {
            Fault::Connect("there is no route to it".to_owned())
        }
        // Resolvers have errors of their own, without a number.
        _ if error.raw_os_error().is_none() => Fault::UnknownHost,
        _ => Fault::Connect(system_message(&error)),
    }
}

fn tls_fault(error: &rustls::Error) -> Fault {
    use rustls::CertificateError as C;
    match error {
        rustls::Error::InvalidCertificate(reason) => Fault::Untrusted(
            match reason {
                C::UnknownIssuer => "its issuer is unknown",
                C::Expired | C::ExpiredContext { .. } => "it has expired",
                C::NotValidYet | C::NotValidYetContext { .. } => "it is not valid yet",
                C::NotValidForName | C::NotValidForNameContext { .. } => "it is for another name",
                C::Revoked => "it was revoked",
                _ => "it is invalid",
            }
            .to_owned(),
        ),
        rustls::Error::AlertReceived(_) => Fault::Tls("the server ended the handshake".to_owned()),
        rustls::Error::InvalidMessage(_) => Fault::Tls("the server does not speak TLS".to_owned()),
        rustls::Error::PeerIncompatible(_) => {
            Fault::Tls("the server speaks no version of TLS that is safe".to_owned())
        }
        _ => Fault::Tls("the server broke the rules of TLS".to_owned()),
    }
}

// Watches how fast bytes move on a connection, below TLS and HTTP: whatever a server drips, it is
// noticed, and so is one that reads what it is sent too slowly.

/// Marks a connection that was too slow.
pub const SLOW: &str = "slow";

/// Connects like ureq itself, and watches every connection.
pub fn connector(tolerance: Tolerance) -> impl Connector {
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

// How long a server may take, and how often it is asked again.

/// Shortens every wait to this many milliseconds, in builds for tests alone.
const TEST_VARIABLE: &str = "SKILLS_TEST_PATIENCE_MS";

/// How long a server may take.
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the answer begins.
    pub answer: Duration,
    /// Between two parts of a body.
    pub silence: Duration,
    /// In each span of this length, a body must grow by [`Self::least_bytes`].
    pub span: Duration,
    pub least_bytes: u64,
    /// For a whole body.
    pub total: Duration,
    /// Before the second attempt; twice as long before each further one.
    pub pause: Duration,
    /// The longest pause that a server may ask for.
    pub longest_pause: Duration,
    /// How often a request is sent, at most.
    pub attempts: u32,
}

impl Tolerance {
    pub fn new(environment: &Environment) -> Self {
        let usual = Self {
            connect: Duration::from_secs(15),
            answer: Duration::from_secs(60),
            silence: Duration::from_secs(30),
            span: Duration::from_secs(30),
            least_bytes: 30 * 1024,
            total: Duration::from_secs(60 * 60),
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
            attempts: 4,
        };
        let shortened = environment.variable(TEST_VARIABLE).filter(|_| cfg!(debug_assertions));
        let shortened = shortened.and_then(|value| value.to_str()?.parse().ok());
        shortened.map_or(usual, |milliseconds| {
            let short = Duration::from_millis(milliseconds);
            Self {
                connect: short,
                answer: short * 2,
                silence: short,
                span: short,
                pause: short / 20,
                longest_pause: short,
                ..usual
            }
        })
    }

    /// The pause before another attempt, which is the number `attempt` from 1 on; none when there
    /// should be no more. `asked` is what the server asked for.
    pub fn pause(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let own = self.pause * 2_u32.saturating_pow(attempt - 1);
        match asked {
            Some(asked) if asked > self.longest_pause => None,
            Some(asked) => Some(asked.max(own)),
            None => Some(own),
        }
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

#[cfg(test)]
mod tolerance_tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let tolerance = Tolerance::new(&Environment::default());
        let seconds = |attempt, asked: Option<u64>| {
            let pause = tolerance.pause(attempt, asked.map(Duration::from_secs));
            pause.map(|pause| pause.as_secs_f32())
        };
        assert_eq!(
            [1, 2, 3, 4].map(|attempt| seconds(attempt, None)),
            [Some(0.5), Some(1.0), Some(2.0), None]
        );
        assert_eq!(seconds(1, Some(7)), Some(7.0));
        assert_eq!(seconds(3, Some(0)), Some(2.0));
        assert_eq!(seconds(1, Some(61)), None);
    }
}
