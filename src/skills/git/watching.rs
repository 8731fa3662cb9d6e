//! Runs a command of git to its end, unless that is too long in coming.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::{Failure, reason};
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::platform::{self, Attention};

/// Not even a server that says something all the time is listened to for longer.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// How long is listened after git has ended to what it has left behind.
const AFTERMATH: Duration = Duration::from_secs(1);
/// How often it is looked whether git has ended.
const TICK: Duration = Duration::from_millis(20);
/// The most that git may answer.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// As much as is kept of what it says besides.
const WORDS_BYTES: usize = 16 * 1024;

/// Runs a command and returns what it answers, and asks now and then whether that is still all
/// right.
pub(super) fn run(
    mut command: Command,
    input: &[u8],
    patience: Duration,
    still: &dyn Fn() -> Result<()>,
) -> Result<Vec<u8>, Failure> {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    // Of a command only its arguments: its environment holds the user's secrets. Settings come
    // first, each behind a `-c`, and are mostly the same.
    let words: Vec<_> = command.get_args().collect();
    let settings = words.chunks(2).take_while(|pair| pair[0] == "-c").count() * 2;
    let arguments = words.get(settings..).unwrap_or_default();
    tracing::debug!(?arguments, "running git");
    // Whoever ends us ends git and all that it has started.
    let attention = Attention::begin()
        .map_err(|error| Failure::Ours(Error::io("listen for signals of", "git", &error)))?;
    platform::lead_group(&mut command);
    let mut child = start(&mut command).map_err(Failure::Ours)?;
    let signs = listen(&mut child, input);
    let ended = attend(&mut child, &signs, patience, still, &attention);
    if ended.is_err() {
        platform::end_group(&mut child);
    }
    drop(attention);
    let (status, [answer, words]) = ended?;
    tracing::debug!(%status, "git has ended");
    if status.success() { Ok(answer) } else { Err(Failure::Refused(reason(&words))) }
}

/// Starts a command of git.
pub(super) fn start(command: &mut Command) -> Result<Child> {
    command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(ErrorKind::NotFound, "`git` is not installed, and git sources need it")
        }
        _ => Error::io("run", "git", &error),
    })
}

/// What git says: 0 is its answer, 1 what it says besides.
type Sign = (usize, Vec<u8>);

/// Feeds git, and passes on what it says.
fn listen(child: &mut Child, input: &[u8]) -> Receiver<Sign> {
    let (sender, signs) = mpsc::channel();
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = input.to_vec();
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let streams: [Option<Box<dyn Read + Send>>; 2] =
        [stdout.map(|stream| Box::new(stream) as _), stderr.map(|stream| Box::new(stream) as _)];
    for (number, stream) in streams.into_iter().enumerate() {
        let sender = sender.clone();
        thread::spawn(move || {
            let Some(mut stream) = stream else { return };
            let mut piece = vec![0; 64 * 1024];
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                if sender.send((number, piece[..length].to_vec())).is_err() {
                    return;
                }
            }
        });
    }
    signs
}

/// Waits until git has ended, for as long as it shows signs of life.
fn attend(
    child: &mut Child,
    signs: &Receiver<Sign>,
    patience: Duration,
    still: &dyn Fn() -> Result<()>,
    attention: &Attention,
) -> Result<(ExitStatus, [Vec<u8>; 2]), Failure> {
    let begun = Instant::now();
    let mut last_sign = begun;
    let mut ended: Option<(ExitStatus, Instant)> = None;
    let mut heard = [Vec::new(), Vec::new()];
    loop {
        let is_quiet = match signs.recv_timeout(TICK) {
            Ok((number, bytes)) => {
                last_sign = Instant::now();
                hear(&mut heard, number, &bytes).map_err(Failure::Ours)?;
                false
            }
            // A program that git leaves behind may keep the streams open.
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(Duration::from_millis(1));
                true
            }
        };
        if let Some((status, at)) = ended
            && (is_quiet || at.elapsed() > AFTERMATH)
        {
            return Ok((status, heard));
        }
        if ended.is_none() {
            let waited = child.try_wait().map_err(|error| Error::io("wait for", "git", &error));
            ended = waited.map_err(Failure::Ours)?.map(|status| (status, Instant::now()));
        }
        still().map_err(Failure::Ours)?;
        if attention.is_over() {
            return Err(Failure::Ours(Error::interrupted()));
        }
        if ended.is_none() && last_sign.elapsed() > patience {
            return Err(Failure::Silent(patience));
        }
        if ended.is_none() && begun.elapsed() > LONGEST {
            return Err(Failure::Endless(LONGEST));
        }
    }
}

fn hear(heard: &mut [Vec<u8>; 2], number: usize, bytes: &[u8]) -> Result<()> {
    heard[number].extend_from_slice(bytes);
    let [answer, words] = heard;
    if answer.len() > ANSWER_BYTES {
        return Err(Error::new(ErrorKind::TooLarge, "git answers with more than can be read"));
    }
    if words.len() > WORDS_BYTES {
        words.drain(..words.len() - WORDS_BYTES);
    }
    Ok(())
}
