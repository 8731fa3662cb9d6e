//! Runs a git command with time and size limits.

use std::io::{self, ErrorKind as IoErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crate::skills::fetch::git::program::{GitFailure, reason};
use crate::skills::files::{self, SignalGuard};
use crate::skills::model::error::{Error, Result, err};

/// Maximum total time.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// How long programs that git leaves behind may keep its output open before they are killed.
const AFTERMATH: Duration = Duration::from_secs(5);

/// How long the rest of the output may take to arrive after that.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// How often to check whether git has ended.
const TICK: Duration = Duration::from_millis(20);

/// Maximum size of git's standard output.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// How much of git's standard error is kept.
const WORDS_BYTES: usize = 16 * 1024;

/// Capacity of the output queue, which limits memory.
const WAITING: usize = 8;

/// Work for another thread.
type BackgroundTask = Box<dyn FnOnce() + Send>;

/// Runs a command and returns its output, and checks regularly whether to go on.
pub fn run(
    command: Command,
    input: &[u8],
    patience: Duration,
    still: &dyn Fn() -> Result<()>,
) -> Result<Vec<u8>, GitFailure> {
    run_beside(command, input, patience, still, &spawn)
}

fn run_beside(
    mut command: Command,
    input: &[u8],
    patience: Duration,
    still: &dyn Fn() -> Result<()>,
    spawn: &dyn Fn(BackgroundTask) -> io::Result<()>,
) -> Result<Vec<u8>, GitFailure> {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    // Log only the arguments, because the environment contains secrets. Skip the settings, which
    // come first, each after a `-c`.
    let words: Vec<_> = command.get_args().collect();
    let settings = words.chunks(2).take_while(|pair| pair[0] == "-c").count() * 2;
    let arguments = words.get(settings..).unwrap_or_default();
    tracing::debug!(?arguments, "running git");
    let started = Instant::now();
    // A signal that ends this process must also end git and its children.
    let attention = SignalGuard::begin()
        .map_err(|error| GitFailure::Ours(Error::io("listen for signals of", "git", &error)))?;
    files::lead_group(&mut command);
    let mut child = start(&mut command).map_err(GitFailure::Ours)?;
    let ended = listen(&mut child, input, spawn)
        .map_err(|error| GitFailure::Ours(Error::io("start a thread to listen to", "git", &error)))
        .and_then(|signs| attend(&mut child, &signs, patience, still, &attention));
    if ended.is_err() {
        files::end_group(&mut child);
    }
    drop(attention);
    let (status, output) = ended?;
    tracing::debug!(%status, took = ?started.elapsed(), "git has ended");
    if status.success() {
        Ok(output.stdout.bytes)
    } else {
        Err(GitFailure::Refused(reason(&output.stderr.bytes)))
    }
}

/// Starts a git command.
pub fn start(command: &mut Command) -> Result<Child> {
    command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            err!(NotFound, "`git` is not installed, and git sources need it")
        }
        _ => Error::io("run", "git", &error),
    })
}

/// A stream that git writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Stdout,
    Stderr,
}

/// A piece of what git wrote. An empty piece is the end of the stream.
struct OutputPiece {
    stream: Stream,
    piece: io::Result<Vec<u8>>,
}

/// Writes git's input and forwards its output, on threads.
fn listen(
    child: &mut Child,
    input: &[u8],
    spawn: &dyn Fn(BackgroundTask) -> io::Result<()>,
) -> io::Result<Receiver<OutputPiece>> {
    let (sender, signs) = mpsc::sync_channel(WAITING);
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // If git does not read all its input, its exit status says why.
        spawn(Box::new(move || drop(stdin.write_all(&input))))?;
    }
    if let Some(stdout) = child.stdout.take() {
        let sender = sender.clone();
        spawn(Box::new(move || pass_on(stdout, Stream::Stdout, &sender)))?;
    }
    if let Some(stderr) = child.stderr.take() {
        spawn(Box::new(move || pass_on(stderr, Stream::Stderr, &sender)))?;
    }
    Ok(signs)
}

/// Starts a thread without panicking on failure.
fn spawn(work: BackgroundTask) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Reads a stream to its end.
fn pass_on(mut from: impl Read, stream: Stream, sender: &SyncSender<OutputPiece>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let piece = match from.read(&mut buffer) {
            Ok(length) => Ok(buffer[..length].to_vec()),
            Err(error) if error.kind() == IoErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = piece.as_ref().map_or(true, Vec::is_empty);
        if sender.send(OutputPiece { stream, piece }).is_err() || is_last {
            return;
        }
    }
}

/// Waits until git has ended and all its output has arrived, unless it is silent for too long.
fn attend(
    child: &mut Child,
    signs: &Receiver<OutputPiece>,
    patience: Duration,
    still: &dyn Fn() -> Result<()>,
    attention: &SignalGuard,
) -> Result<(ExitStatus, Output), GitFailure> {
    let begun = Instant::now();
    let mut last_sign = begun;
    let mut heard = Output::default();
    // Whether git succeeded, and when its end was noticed.
    let mut ended: Option<(bool, Instant)> = None;
    let mut is_group_ended = false;
    let cannot_wait = |error: io::Error| GitFailure::Ours(Error::io("wait for", "git", &error));
    loop {
        match signs.recv_timeout(TICK) {
            Ok(sign) => {
                last_sign = Instant::now();
                heard.take(sign).map_err(GitFailure::Ours)?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(1)),
        }
        if ended.is_none() {
            let success = files::ended(child).map_err(cannot_wait)?;
            ended = success.map(|success| (success, Instant::now()));
        }
        still().map_err(GitFailure::Ours)?;
        if attention.is_over() {
            return Err(GitFailure::Ours(Error::interrupted()));
        }
        match ended {
            // Only the end of a stream means that nothing more will come.
            Some((success, at)) => {
                let is_over = at.elapsed() > AFTERMATH + LAST_WORDS;
                // After a failure, do not wait longer for standard error.
                if heard.is_complete(success) || (is_over && !success) {
                    let status = child.wait().map_err(cannot_wait)?;
                    return Ok((status, heard));
                }
                if is_over {
                    return Err(GitFailure::Ours(held_open()));
                }
                if at.elapsed() > AFTERMATH && !std::mem::replace(&mut is_group_ended, true) {
                    tracing::debug!("killing processes that git left behind");
                    files::kill_group(child);
                }
            }
            None if last_sign.elapsed() > patience => return Err(GitFailure::Silent(patience)),
            None if begun.elapsed() > LONGEST => return Err(GitFailure::Endless(LONGEST)),
            None => {}
        }
    }
}

/// The output of git so far.
#[derive(Default)]
struct Output {
    stdout: StreamOutput,
    stderr: StreamOutput,
}

/// The output of one stream so far.
#[derive(Default)]
struct StreamOutput {
    bytes: Vec<u8>,
    is_ended: bool,
}

impl StreamOutput {
    fn take(&mut self, piece: &[u8]) {
        self.is_ended = piece.is_empty();
        self.bytes.extend_from_slice(piece);
    }
}

impl Output {
    fn take(&mut self, OutputPiece { stream, piece }: OutputPiece) -> Result<()> {
        match stream {
            Stream::Stdout => {
                let piece =
                    piece.map_err(|error| Error::io("read the answer of", "git", &error))?;
                self.stdout.take(&piece);
                if self.stdout.bytes.len() > ANSWER_BYTES {
                    return Err(err!(TooLarge, "the output of git is too large"));
                }
            }
            Stream::Stderr => {
                self.stderr.take(&piece.unwrap_or_default());
                let words = &mut self.stderr.bytes;
                words.drain(..words.len().saturating_sub(WORDS_BYTES));
            }
        }
        Ok(())
    }

    /// Whether the relevant output has arrived: after a success, only standard output. A background
    /// process, such as a shared ssh connection, may keep standard error open.
    fn is_complete(&self, success: bool) -> bool {
        self.stdout.is_ended && (success || self.stderr.is_ended)
    }
}

/// The output may be incomplete.
fn held_open() -> Error {
    err!(Io, "git has ended, but a process that it started keeps its output open")
        .help("end that process, or remove it from git's settings, and try again")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_system_that_allows_no_more_threads_is_an_error() {
        for allowed in 0..=3_usize {
            // Any program that writes something and ends.
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg("--list").stdout(Stdio::piped()).stderr(Stdio::piped());
            let left = Cell::new(allowed);
            let limited = |work: BackgroundTask| match left.get().checked_sub(1) {
                Some(less) => {
                    left.set(less);
                    spawn(work)
                }
                None => Err(io::Error::from(IoErrorKind::WouldBlock)),
            };
            let answer = run_beside(command, b"x", LONGEST, &|| Ok(()), &limited);
            match (allowed, answer) {
                (3, Ok(answer)) => {
                    let answer = String::from_utf8_lossy(&answer).into_owned();
                    assert!(answer.contains("a_system_that_allows_no_more_threads"), "{answer}");
                }
                (0..3, Err(GitFailure::Ours(error))) => {
                    assert!(error.message.starts_with("cannot start a thread"), "{error}");
                }
                (_, other) => panic!("{allowed}: {other:?}"),
            }
        }
    }
}
