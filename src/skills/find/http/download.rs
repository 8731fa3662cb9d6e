//! Large bodies, written to a file and hashed on the way. A download that breaks is taken up where
//! it stopped, if the digest is known and the server can do that.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use sha2::{Digest as _, Sha256};

use super::response::BodyFault;
use super::{Http, HttpRequest, HttpResponse};
use crate::skills::files::digest::FileHash;
use crate::skills::model::error::{Error, ErrorKind, Result, err};

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
