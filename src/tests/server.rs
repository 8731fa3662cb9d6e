//! A web server on this machine that does what a test says, faults included. It answers each
//! connection on its own thread, remembers what it was asked, and ends with the test.
//!
//! ```text
//! let server = Server::start(|asked| match asked.path.as_str() {
//!     "/x.zip" => Reply::file(asked, &bytes),
//!     _ => Reply::status(404),
//! });
//! sandbox.run(["install", &server.url("/x.zip")]);
//! assert_eq!(server.asked_for("/x.zip"), 1);
//! ```

#![allow(dead_code, clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Nobody waits longer than this for anything.
const LIMIT: Duration = Duration::from_secs(20);

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// Without its query.
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// How many requests for this method and path came before.
    pub(crate) before: usize,
}

impl Asked {
    /// The first header of this name, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The value of a query.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let pairs = self.query.as_deref()?.split('&');
        pairs.filter_map(|pair| pair.split_once('=')).find(|(own, _)| *own == name).map(|(_, v)| v)
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) how: Sending,
}

/// How an answer is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sending {
    /// As it should be.
    Whole,
    /// So many bytes of the body, and then the connection ends.
    Cut(usize),
    /// So many bytes of the body at a time, with a pause after each.
    Drip(usize, Duration),
    /// The body over and over, in chunks.
    Endless,
    /// The head, and then nothing for a while.
    Silent(Duration),
    /// Nothing at all: the connection ends at once.
    Reset,
    /// The body is everything, status line included.
    Raw,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), how: Sending::Whole }
    }

    /// An answer without a body.
    pub(crate) fn status(status: u16) -> Self {
        Self::new(status, Vec::new())
    }

    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, body)
    }

    pub(crate) fn redirect(to: impl Into<String>) -> Self {
        Self::status(302).header("Location", to)
    }

    /// A file, or the part of it that was asked for.
    pub(crate) fn file(asked: &Asked, bytes: &[u8]) -> Self {
        let start = asked.header("range").and_then(|range| range.strip_prefix("bytes="));
        let start = start.and_then(|range| range.strip_suffix('-')?.parse::<usize>().ok());
        match start {
            Some(start) if start < bytes.len() => {
                let range = format!("bytes {start}-{}/{}", bytes.len() - 1, bytes.len());
                Self::new(206, &bytes[start..]).header("Content-Range", range)
            }
            Some(_) => Self::status(416),
            None => Self::ok(bytes),
        }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn sent(mut self, how: Sending) -> Self {
        self.how = how;
        self
    }
}

/// A server on a port of its own.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server that answers as `answer` says.
    pub(crate) fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
            is_over: Arc::default(),
        };
        let (asked, is_over) = (Arc::clone(&server.asked), Arc::clone(&server.is_over));
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let (asked, answer) = (Arc::clone(&asked), Arc::clone(&answer));
                thread::spawn(move || serve(&stream, &asked, &*answer));
            }
        });
        server
    }

    /// Serves the files of a directory, as web servers do.
    pub(crate) fn of_directory(directory: &Path) -> Self {
        let directory = directory.to_owned();
        Self::start(move |asked| {
            let path = directory.join(asked.path.trim_start_matches('/'));
            let Ok(bytes) = std::fs::read(&path) else { return Reply::status(404) };
            let kind = match path.extension().and_then(|extension| extension.to_str()) {
                Some("zip" | "skill") => "application/zip",
                Some("gz" | "tgz") => "application/gzip",
                Some("json") => "application/json",
                Some("md") => "text/markdown",
                _ => "application/octet-stream",
            };
            let sum = bytes
                .iter()
                .fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
            let etag = format!("\"{sum:x}\"");
            if asked.header("if-none-match") == Some(&etag) {
                return Reply::status(304).header("ETag", etag);
            }
            Reply::file(asked, &bytes).header("Content-Type", kind).header("ETag", etag)
        })
    }

    /// An address on this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Host and port.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    /// Everything that was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How often a path was asked for.
    pub(crate) fn asked_for(&self, path: &str) -> usize {
        self.asked().iter().filter(|asked| asked.path == path).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers the requests of one connection.
fn serve(stream: &TcpStream, log: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Asked) -> Reply) {
    let _ = stream.set_read_timeout(Some(LIMIT));
    let _ = stream.set_write_timeout(Some(LIMIT));
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    while let Some(mut asked) = read(&mut reader) {
        {
            let mut log = log.lock().unwrap();
            let same = |one: &&Asked| one.method == asked.method && one.path == asked.path;
            asked.before = log.iter().filter(same).count();
            log.push(asked.clone());
        }
        let reply = answer(&asked);
        if !send(stream, &reply, asked.method == "HEAD") {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

/// Reads one request; none at the end of the connection.
fn read(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let header = |name: &str| headers.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let mut body = Vec::new();
    if header("transfer-encoding").is_some_and(|value| value == "chunked") {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).ok()?;
            body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                break;
            }
        }
    } else if let Some(length) = header("content-length").and_then(|value| value.parse().ok()) {
        body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
    }
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (target, None),
    };
    Some(Asked { method, path, query, headers, body, before: 0 })
}

/// Sends an answer; says whether the connection goes on.
fn send(mut stream: &TcpStream, reply: &Reply, is_head: bool) -> bool {
    if reply.how == Sending::Reset {
        return false;
    }
    if reply.how == Sending::Raw {
        let _ = stream.write_all(&reply.body);
        return false;
    }
    let mut head = format!("HTTP/1.1 {} Reply\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let has = |name: &str| reply.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    if reply.how == Sending::Endless {
        head.push_str("Transfer-Encoding: chunked\r\n");
    } else if !has("content-length") && !matches!(reply.status, 204 | 304) {
        head.push_str(&format!("Content-Length: {}\r\n", reply.body.len()));
    }
    head.push_str("\r\n");
    if stream.write_all(head.as_bytes()).is_err() || is_head {
        return is_head;
    }
    match &reply.how {
        Sending::Whole | Sending::Raw | Sending::Reset => stream.write_all(&reply.body).is_ok(),
        Sending::Cut(bytes) => {
            let _ = stream.write_all(&reply.body[..(*bytes).min(reply.body.len())]);
            false
        }
        Sending::Drip(bytes, pause) => reply.body.chunks(*bytes).all(|part| {
            thread::sleep(*pause);
            stream.write_all(part).is_ok()
        }),
        Sending::Endless => {
            let size = format!("{:x}\r\n", reply.body.len());
            let chunk = [size.as_bytes(), &reply.body, b"\r\n"].concat();
            while stream.write_all(&chunk).is_ok() {}
            false
        }
        Sending::Silent(pause) => {
            thread::sleep(*pause);
            false
        }
    }
}
