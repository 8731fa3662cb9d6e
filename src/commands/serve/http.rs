//! HTTP on a loopback address: one thread a connection, within bounds of number, size and time.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;
use tracing::debug;

use crate::cli::exit::ExitStatus;
use crate::commands::serve::host::{Host, NewsSink, SharedListener, lock};
use crate::commands::serve::replies::{HttpSite, Reply, busy};
use crate::commands::serve::sessions::Sessions;
use crate::output::mcp;
use crate::skills::files::digest::hex;
use crate::skills::model::error::{Error, err};
use crate::skills::serve::http::{Gate, HEAD_BYTES, HttpHead, HttpRefusal};
use crate::skills::serve::message::{INVALID_REQUEST, MESSAGE_BYTES, RpcError};

/// Connections at once.
const MOST_CONNECTIONS: usize = 64;

/// How long a connection may be idle between requests.
const IDLE: Duration = Duration::from_secs(60);

/// How long the first request of a connection may take: until then, anybody may have opened it.
const FIRST: Duration = Duration::from_secs(5);

/// How long the rest of a refused request is read.
const DRAIN: Duration = Duration::from_millis(500);

/// How long a request may take to arrive, once it has begun, and an answer to leave.
const TRANSFER: Duration = Duration::from_secs(20);

/// How often a stream without news shows that it is alive.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// How often it is seen whether somebody still listens.
const LOOK: Duration = Duration::from_millis(500);

/// News that may wait for a stream.
const NEWS: usize = 64;

/// A longer answer is not copied for its head.
const LONG: usize = 64 * 1024;

/// Takes an address of this machine.
pub fn listen(address: SocketAddr, token: Option<&str>) -> Result<(TcpListener, Gate), Error> {
    let refused = |error: &io::Error| {
        err!(Io, "cannot listen on {address}: {error}").help("use another port, or port 0 for any")
    };
    let listener = TcpListener::bind(address).map_err(|error| refused(&error))?;
    let address = listener.local_addr().map_err(|error| refused(&error))?;
    let token = match token {
        Some(token) => token.to_owned(),
        None => random()?,
    };
    Ok((listener, Gate { address, token }))
}

/// A name that nobody can guess.
pub fn random() -> Result<String, Error> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|error| err!(Io, "the system has no random numbers: {error}"))?;
    Ok(hex(&bytes))
}

/// Serves until the process is ended.
pub fn serve(host: &Arc<Host>, listener: &TcpListener, gate: Gate) -> Result<ExitStatus> {
    let (host, sessions, load) = (Arc::clone(host), Sessions::default(), Arc::default());
    let site = Arc::new(HttpSite { host, gate, sessions, load });
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                debug!(%error, "cannot accept");
                thread::sleep(Duration::from_millis(50));
                continue;
            }
        };
        let mut exchange = HttpExchange { stream, rest: Vec::new(), site: Arc::clone(&site) };
        if open.fetch_add(1, Ordering::AcqRel) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::AcqRel);
            exchange.turn_away();
            continue;
        }
        let counter = Arc::clone(&open);
        let talk = move || {
            if let Err(error) = exchange.run() {
                debug!(%error, "a connection ended");
            }
            counter.fetch_sub(1, Ordering::AcqRel);
        };
        if thread::Builder::new().name("http".to_owned()).spawn(talk).is_err() {
            open.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// One connection.
struct HttpExchange {
    stream: TcpStream,
    /// Bytes that were read and belong to what follows.
    rest: Vec<u8>,
    site: Arc<HttpSite>,
}

impl HttpExchange {
    fn run(&mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        self.stream.set_write_timeout(Some(TRANSFER))?;
        let mut is_first = true;
        loop {
            let Some(head) = self.head(std::mem::take(&mut is_first))? else { return Ok(()) };
            let (head, length) = match self.checked(&head) {
                Ok(checked) => checked,
                Err(refusal) => {
                    self.refuse(&refusal);
                    return Ok(());
                }
            };
            if head.header("expect").is_some_and(|one| one.eq_ignore_ascii_case("100-continue")) {
                self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            }
            let body = self.body(length)?;
            match self.site.reply(&head, &body) {
                Reply::Message { status, message, session, turn } => {
                    let body = message.map(|one| mcp::line(&one)).transpose()?.unwrap_or_default();
                    match turn.map(|turn| turn.send(body.len())) {
                        Some(None) => {
                            drop(body);
                            let body = mcp::line(&mcp::error(None, &busy()))?;
                            self.write(503, &body, None, head.is_last())?;
                        }
                        // Kept until the answer is sent.
                        _sending => {
                            self.write(status, &body, session.as_deref(), head.is_last())?;
                        }
                    }
                }
                Reply::News { listener, first } => return self.news(&listener, first),
            }
            if head.is_last() {
                return Ok(());
            }
        }
    }

    fn checked(&self, head: &[u8]) -> Result<(HttpHead, usize), HttpRefusal> {
        let head = HttpHead::parse(head)?;
        self.site.gate.check(&head)?;
        let length = head.body_length(MESSAGE_BYTES)?;
        Ok((head, length))
    }

    /// Reads up to the empty line; none at the end of the connection.
    fn head(&mut self, is_first: bool) -> io::Result<Option<Vec<u8>>> {
        let opened = Instant::now();
        let mut begun: Option<Instant> = (!self.rest.is_empty()).then(Instant::now);
        loop {
            let end = memchr::memmem::find(&self.rest, b"\r\n\r\n");
            if let Some(at) = end.filter(|at| *at <= HEAD_BYTES) {
                let after = self.rest.split_off(at + 4);
                let mut head = std::mem::replace(&mut self.rest, after);
                head.truncate(at);
                return Ok(Some(head));
            }
            if self.rest.len() > HEAD_BYTES {
                self.refuse(&HttpRefusal { status: 431, message: "the head is too long" });
                return Ok(None);
            }
            let opened = is_first.then(|| opened.elapsed());
            if self.receive(time_left(opened, begun.map(|begun| begun.elapsed())))? == 0 {
                return Ok(None);
            }
            begun.get_or_insert_with(Instant::now);
        }
    }

    fn body(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let begun = Instant::now();
        while self.rest.len() < length {
            if self.receive(TRANSFER.saturating_sub(begun.elapsed()))? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let after = self.rest.split_off(length);
        Ok(std::mem::replace(&mut self.rest, after))
    }

    fn receive(&mut self, longest: Duration) -> io::Result<usize> {
        // No time at all would mean to wait forever.
        self.stream.set_read_timeout(Some(longest.max(Duration::from_millis(1))))?;
        let mut chunk = [0; 8 * 1024];
        let length = self.stream.read(&mut chunk)?;
        self.rest.extend_from_slice(&chunk[..length]);
        Ok(length)
    }

    fn write(
        &mut self,
        status: u16,
        body: &[u8],
        session: Option<&str>,
        is_last: bool,
    ) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
        if !body.is_empty() {
            head += "Content-Type: application/json\r\n";
        }
        if status == 401 {
            head += "WWW-Authenticate: Bearer\r\n";
        }
        if status == 405 {
            head += "Allow: POST, GET, DELETE\r\n";
        }
        if let Some(session) = session {
            head += &format!("Mcp-Session-Id: {session}\r\n");
        }
        if is_last {
            head += "Connection: close\r\n";
        }
        head += &format!("Cache-Control: no-store\r\nContent-Length: {}\r\n\r\n", body.len());
        match body.len() {
            // In one packet.
            ..LONG => self.stream.write_all(&[head.as_bytes(), body].concat()),
            _ => self.stream.write_all(head.as_bytes()).and_then(|()| self.stream.write_all(body)),
        }
    }

    /// Says why, and ends the connection.
    fn refuse(&mut self, refusal: &HttpRefusal) {
        let HttpRefusal { status, message } = refusal;
        debug!(status, message, "refused");
        let error = mcp::error(None, &RpcError::new(INVALID_REQUEST, *message));
        let _ = self.stream.set_write_timeout(Some(DRAIN));
        let _ = mcp::line(&error).and_then(|body| self.write(*status, &body, None, true));
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
        // What is still on its way would make the system drop the answer.
        let end = Instant::now() + DRAIN;
        self.rest.clear();
        while self.rest.len() < MESSAGE_BYTES {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.receive(left).is_ok_and(|length| length > 0) {
                return;
            }
        }
    }

    /// Refuses a connection at once, because others wait behind it.
    fn turn_away(&mut self) {
        let busy = HttpRefusal { status: 503, message: "there are too many connections" };
        let error = mcp::error(None, &RpcError::new(INVALID_REQUEST, busy.message));
        let _ = self.stream.set_nonblocking(true);
        let _ = mcp::line(&error).and_then(|body| self.write(busy.status, &body, None, true));
        // What has arrived by now would make the system drop the answer.
        let _ = self.stream.read(&mut [0; 8 * 1024]);
    }

    /// Sends news until nobody listens.
    fn news(&mut self, listener: &SharedListener, first: Option<Value>) -> io::Result<()> {
        let (tell, told) = sync_channel::<Value>(NEWS);
        let sink: NewsSink =
            Box::new(move |one| !matches!(tell.try_send(one), Err(TrySendError::Disconnected(_))));
        let host = Arc::clone(&self.site.host);
        // One stream a session: whoever comes back may come before the old one is seen to be gone.
        host.forget(listener);
        let number = host.listen(listener, sink);
        let addresses = lock(listener).wants.addresses.clone();
        // Those that find no room were refused when they were named.
        let _ = host.watch(&addresses);
        let ended = self.stream_news(&told, first);
        host.forget_sink(number);
        ended
    }

    fn stream_news(&mut self, told: &Receiver<Value>, first: Option<Value>) -> io::Result<()> {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\
            X-Accel-Buffering: no\r\nConnection: close\r\n\r\n";
        self.stream.write_all(head.as_bytes())?;
        if let Some(first) = first {
            self.event(&first)?;
        }
        let mut last = Instant::now();
        loop {
            match told.recv_timeout(LOOK) {
                Ok(message) => {
                    self.event(&message)?;
                    last = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) if self.is_gone()? => return Ok(()),
                Err(RecvTimeoutError::Timeout) if last.elapsed() >= SIGN_OF_LIFE => {
                    self.stream.write_all(b":\r\n\r\n")?;
                    last = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn event(&mut self, message: &Value) -> io::Result<()> {
        let line = mcp::line(message)?;
        self.stream.write_all(&[b"event: message\ndata: ", line.as_slice(), b"\n"].concat())
    }

    /// Whether the client has closed the connection.
    fn is_gone(&self) -> io::Result<bool> {
        self.stream.set_read_timeout(Some(Duration::from_millis(1)))?;
        match self.stream.peek(&mut [0]) {
            Ok(length) => Ok(length == 0),
            Err(error) => {
                Ok(!matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
            }
        }
    }
}

/// How long the next bytes of a head may take. `opened` is the age of a connection without a request so
/// far, `begun` that of the head itself.
const fn time_left(opened: Option<Duration>, begun: Option<Duration>) -> Duration {
    match (opened, begun) {
        (Some(opened), _) => FIRST.saturating_sub(opened),
        (None, None) => IDLE,
        (None, Some(begun)) => TRANSFER.saturating_sub(begun),
    }
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_less_time_for_its_first_request_than_between_requests() {
        let second = Duration::from_secs(1);
        for (opened, begun, left) in [
            (Some(second), None, FIRST - second),
            (Some(second), Some(Duration::ZERO), FIRST - second),
            (Some(FIRST + second), None, Duration::ZERO),
            (None, None, IDLE),
            (None, Some(second), TRANSFER - second),
            (None, Some(TRANSFER + second), Duration::ZERO),
        ] {
            assert_eq!(time_left(opened, begun), left, "{opened:?} {begun:?}");
        }
        assert!(FIRST < TRANSFER && TRANSFER < IDLE);
    }
}
