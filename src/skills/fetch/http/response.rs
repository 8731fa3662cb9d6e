//! What a server answered, with a body that ends: it has a limit, and a server that sends too slowly
//! is left.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::skills::fetch::http::engine::{Fault, Received, Tolerance, fault_of_io};
use crate::skills::fetch::http::url::Url;
use crate::skills::fetch::http::{Http, HttpRequest, TransferWatcher, policy};
use crate::skills::files::digest::FileHash;
use crate::skills::model::error::{Error, ErrorKind, Result, err};

/// Bytes that are read at once.
const CHUNK: usize = 32 * 1024;

/// An answer, whatever its status. Its headers are not shown.
pub struct HttpResponse<'w> {
    url: Url,
    status: u16,
    headers: Vec<(String, String)>,
    body: Box<dyn Read + Send>,
    tolerance: Tolerance,
    watcher: &'w dyn TransferWatcher,
}

impl fmt::Debug for HttpResponse<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpResponse")
            .field("url", &self.url)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// Why a body is not complete.
pub enum BodyFault {
    /// The server's part of it.
    Fault(Fault),
    /// Another reason, which another attempt does not change.
    Error(Error),
}

impl<'w> HttpResponse<'w> {
    pub fn new(
        received: Received,
        url: Url,
        tolerance: Tolerance,
        watcher: &'w dyn TransferWatcher,
    ) -> Self {
        let Received { status, headers, body } = received;
        Self { url, status, headers, body, tolerance, watcher }
    }

    /// Where it came from, after redirects.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Whether the status says that it worked.
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(own, _): &&(String, String)| own.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// All headers of this name.
    pub fn headers<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        let named = move |(own, _): &&(String, String)| own.eq_ignore_ascii_case(name);
        self.headers.iter().filter(named).map(|(_, value)| value.as_str())
    }

    /// The address in its `Location`, relative to where it came from.
    pub fn location(&self) -> Result<Url> {
        let location = self.header("location").ok_or_else(|| self.unclear("it names no location"));
        self.url.join(location?).map_err(|error| self.unclear(&format!("its location: {error}")))
    }

    /// The size that the server announces.
    pub fn announced_bytes(&self) -> Option<u64> {
        self.header("content-length")?.trim().parse().ok()
    }

    /// The status with its usual name.
    pub fn status_text(&self) -> String {
        let name = match self.status {
            401 => "login needed",
            403 => "not allowed",
            404 => "not found",
            410 => "gone",
            429 => "too many requests",
            500 => "internal error",
            502 => "bad gateway",
            503 => "unavailable",
            504 => "gateway timeout",
            status => return format!("status {status}"),
        };
        format!("{name}, {}", self.status)
    }

    /// The error for an answer that does not help.
    pub fn refusal(&self) -> Error {
        let (url, status) = (&self.url, self.status_text());
        match self.status {
            401 | 403 => err!(Auth, "`{url}` answers: {status}"),
            404 | 410 => err!(NotFound, "`{url}` answers: {status}").help("check the address"),
            429 | 500..=599 => err!(Network, "`{url}` answers: {status}").help("try again later"),
            _ => err!(Network, "`{url}` answers: {status}"),
        }
    }

    /// The body, if it has at most `limit` bytes.
    pub fn bytes(mut self, limit: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let done = self.copy(&mut bytes, limit, &mut Sha256::new());
        done.map_err(|fault| self.error(fault)).map(|_| bytes)
    }

    /// Copies the body, and returns its size.
    pub fn copy(
        &mut self,
        to: &mut dyn Write,
        limit: u64,
        hash: &mut Sha256,
    ) -> Result<u64, BodyFault> {
        if self.announced_bytes().is_some_and(|announced| announced > limit) {
            return Err(BodyFault::Error(self.too_large(limit)));
        }
        let mut pace = Pace::new(&self.tolerance);
        let mut chunk = vec![0; CHUNK];
        let mut copied: u64 = 0;
        loop {
            let length = match self.body.read(&mut chunk) {
                Ok(0) => return Ok(copied),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(BodyFault::Fault(fault_of_io(error))),
            };
            copied += length as u64;
            if copied > limit {
                return Err(BodyFault::Error(self.too_large(limit)));
            }
            let part = &chunk[..length];
            hash.update(part);
            to.write_all(part).map_err(|error| BodyFault::Error(Error::keeping(&error)))?;
            self.watcher.moved(length as u64);
            if let Some(reason) = pace.add(length as u64) {
                let error =
                    err!(Network, "`{}` {reason}", self.url.authority()).help("try again later");
                return Err(BodyFault::Error(error));
            }
        }
    }

    /// How long the server asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        // A date, which clocks may disagree about, is a hint to wait as long as usual.
        self.header("retry-after")?.trim().parse().ok().map(Duration::from_secs)
    }

    pub fn error(&self, fault: BodyFault) -> Error {
        match fault {
            BodyFault::Error(error) => error,
            BodyFault::Fault(fault) => policy::error(&fault, &self.url, None, &self.tolerance),
        }
    }

    fn unclear(&self, reason: &str) -> Error {
        err!(Network, "the answer of `{}` is unclear: {reason}", self.url.authority())
    }

    fn too_large(&self, limit: u64) -> Error {
        let (size, unit) = match limit {
            limit if limit >= 1024 * 1024 => (limit / 1024 / 1024, "MiB"),
            limit if limit >= 1024 => (limit / 1024, "KiB"),
            limit => (limit, "bytes"),
        };
        err!(TooLarge, "`{}` is too large: at most {size} {unit} are read", self.url)
    }
}

/// Notices a body that drips.
struct Pace {
    tolerance: Tolerance,
    begun: Instant,
    span_begun: Instant,
    in_span: u64,
}

impl Pace {
    fn new(tolerance: &Tolerance) -> Self {
        let now = Instant::now();
        Self { tolerance: *tolerance, begun: now, span_begun: now, in_span: 0 }
    }

    /// Counts bytes; says why to give up.
    fn add(&mut self, bytes: u64) -> Option<&'static str> {
        self.in_span += bytes;
        if self.begun.elapsed() > self.tolerance.total {
            return Some("has been sending for too long");
        }
        if self.span_begun.elapsed() >= self.tolerance.span {
            if self.in_span < self.tolerance.least_bytes {
                return Some("sends too slowly: less than 1 KiB a second");
            }
            self.span_begun = Instant::now();
            self.in_span = 0;
        }
        None
    }
}

// Large bodies, written to a file and hashed on the way. A download that breaks is taken up where
// it stopped, if the digest is known and the server can do that.

/// What a body should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// Its hash, if it is known.
    pub hash: Option<FileHash>,
    /// Its size, if it is known.
    pub bytes: Option<u64>,
    /// The most bytes that are read.
    pub limit: u64,
}

/// What a download brought.
#[derive(Debug)]
pub enum Outcome<'w> {
    /// The whole body, in the file.
    Complete(Downloaded),
    /// Another answer, such as 304, 401 or 404.
    Other(HttpResponse<'w>),
}

/// A body that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    /// The hash of all its bytes.
    pub hash: FileHash,
    /// Its size.
    pub bytes: u64,
    /// The server's name for this version of it.
    pub etag: Option<String>,
    /// What the server says that it is.
    pub content_type: Option<String>,
}

impl Http {
    /// Downloads a body into an empty file, and checks it.
    ///
    /// # Errors
    /// Those of [`Http::send`], a body that is too large or not the expected one, and a file that
    /// cannot be written.
    pub fn download(
        &self,
        request: &HttpRequest<'_>,
        file: &mut File,
        expected: Expected,
    ) -> Result<Outcome<'_>> {
        let limit = expected.bytes.map_or(expected.limit, |bytes| bytes.min(expected.limit));
        let mut progress = Partial { hash: Sha256::new(), bytes: 0 };
        let mut attempt = 1;
        loop {
            let start = progress.bytes;
            let asked = match start {
                0 => request.clone(),
                start => request.clone().header("range", format!("bytes={start}-")),
            };
            let mut answer = self.send(&asked)?;
            match answer.status() {
                200 => progress.restart(file)?,
                206 if start > 0 && continues(&answer, start) => {}
                // It cannot be taken up there: from the beginning, then.
                206 | 416 if start > 0 => {
                    progress.restart(file)?;
                    continue;
                }
                _ => return Ok(Outcome::Other(answer)),
            }
            let (etag, content_type) =
                ["etag", "content-type"].map(|name| answer.header(name).map(str::to_owned)).into();
            self.watcher.begun(answer.url(), answer.announced_bytes());
            let copied = progress.copy(&mut answer, file, limit);
            self.watcher.ended();
            let fault = match copied {
                Ok(()) => {
                    let (hash, bytes) = (FileHash::of(progress.hash), progress.bytes);
                    check(&answer, expected, hash, bytes)?;
                    let downloaded = Downloaded { hash, bytes, etag, content_type };
                    return Ok(Outcome::Complete(downloaded));
                }
                Err(fault) => fault,
            };
            let pause = match &fault {
                BodyFault::Fault(fault) if fault.is_passing() => {
                    self.tolerance.pause(attempt, None)
                }
                _ => None,
            };
            let Some(pause) = pause else { return Err(answer.error(fault)) };
            if expected.hash.is_none() {
                // Nobody could tell whether two halves belong together.
                progress.restart(file)?;
            }
            let url = answer.url().clone();
            drop(answer);
            self.pause(&url, "the connection broke", pause);
            attempt += 1;
        }
    }
}

/// What has been downloaded so far.
struct Partial {
    hash: Sha256,
    bytes: u64,
}

impl Partial {
    fn restart(&mut self, file: &mut File) -> Result<()> {
        let emptied = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
        emptied.map_err(|error| Error::keeping(&error))?;
        (self.hash, self.bytes) = (Sha256::new(), 0);
        Ok(())
    }

    fn copy(
        &mut self,
        answer: &mut HttpResponse<'_>,
        file: &mut File,
        limit: u64,
    ) -> Result<(), BodyFault> {
        let mut counted = Counted { file, bytes: 0 };
        let copied = answer.copy(&mut counted, limit - self.bytes.min(limit), &mut self.hash);
        self.bytes += counted.bytes;
        copied.map(drop)
    }
}

/// Counts what was written, also when the rest does not come.
struct Counted<'f> {
    file: &'f mut File,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether a partial answer begins where it should.
fn continues(answer: &HttpResponse<'_>, start: u64) -> bool {
    let range = answer.header("content-range").and_then(|range| range.strip_prefix("bytes "));
    let first = range.and_then(|range| range.split('-').next()?.trim().parse().ok());
    first == Some(start)
}

fn check(answer: &HttpResponse<'_>, expected: Expected, hash: FileHash, bytes: u64) -> Result<()> {
    let url = answer.url();
    if let Some(wanted) = expected.bytes.filter(|wanted| *wanted != bytes) {
        return Err(err!(Validation, "`{url}` has {bytes} bytes instead of {wanted}").help(NOT_IT));
    }
    if let Some(wanted) = expected.hash.filter(|wanted| *wanted != hash) {
        let message =
            format!("`{url}` is not what was expected: sha256:{hash}, not sha256:{wanted}");
        return Err(Error::new(ErrorKind::Validation, message).help(NOT_IT));
    }
    Ok(())
}

const NOT_IT: &str = "it was changed or damaged, so nothing was read from it";
