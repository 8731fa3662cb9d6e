//! Asks a credential helper (`docker-credential-NAME get`) for a login, with limits of time and size.
//! What it prints is never shown.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::credentials::HiddenText;
use crate::skills::files::platform::{self, SignalGuard};
use crate::skills::files::programs;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Result, err};

/// How long a helper may take. Some ask a server.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often to check whether it has ended.
const TICK: Duration = Duration::from_millis(5);
/// How much of its answer is read.
const ANSWER_BYTES: u64 = 64 * 1024;
/// What helpers print when they have no login.
const NOT_FOUND: &str = "credentials not found";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperAnswer {
    username: String,
    secret: String,
}

/// The name and secret that a helper has for a server; none when it has none.
pub(super) fn get(
    name: &str,
    server: &str,
    environment: &Environment,
) -> Result<Option<(String, HiddenText)>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(err!(Auth, "`{}` is not the name of a credential helper", name.escape_debug())
            .help("correct Docker's configuration"));
    }
    let program = format!("docker-credential-{name}");
    let failed = |reason: &str| {
        err!(Auth, "`{program}` gave no login for `{server}`: {reason}")
            .help(format!("run `echo {server} | {program} get` to see why"))
    };
    let path = find(&program, environment)
        .ok_or_else(|| failed("it is not on PATH, and Docker's configuration names it"))?;
    let mut command = Command::new(path);
    command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (succeeded, answer) = run(command, server).map_err(|reason| failed(&reason))?;
    if !succeeded {
        let has_none = String::from_utf8_lossy(&answer).to_lowercase().contains(NOT_FOUND);
        return if has_none { Ok(None) } else { Err(failed("it failed")) };
    }
    let answer: HelperAnswer =
        serde_json::from_slice(&answer).map_err(|_| failed("its answer is not valid"))?;
    Ok((!answer.secret.is_empty()).then(|| (answer.username, HiddenText::new(answer.secret))))
}

/// The program, from a directory of PATH that is named in full: others depend on where one stands.
fn find(program: &str, environment: &Environment) -> Option<PathBuf> {
    let path = environment.variable("PATH")?;
    let absolute = std::env::split_paths(path).filter(|directory| directory.is_absolute());
    let path: OsString = std::env::join_paths(absolute).ok()?;
    let can_run =
        |file: &PathBuf| file.metadata().is_ok_and(|metadata| platform::is_executable(&metadata));
    programs::candidates(program.as_ref(), Some(&path)).into_iter().find(can_run)
}

/// Runs a helper; returns whether it succeeded, and what it printed.
fn run(mut command: Command, input: &str) -> Result<(bool, Vec<u8>), String> {
    let reason = |error: std::io::Error| error.to_string();
    // A signal that ends this process must also end the helper and its children.
    let attention = SignalGuard::begin().map_err(reason)?;
    platform::lead_group(&mut command);
    let mut child = command.spawn().map_err(reason)?;
    let ended = attend(&mut child, input, &attention);
    if ended.is_err() {
        platform::end_group(&mut child);
    }
    ended
}

fn attend(
    child: &mut Child,
    input: &str,
    attention: &SignalGuard,
) -> Result<(bool, Vec<u8>), String> {
    let reason = |error: std::io::Error| error.to_string();
    let (mut stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let input = format!("{input}\n");
    let (sender, answers) = mpsc::sync_channel(1);
    let talk = move || {
        // A helper that does not read its input says so by its exit code.
        drop(stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
        drop(stdin);
        let mut bytes = Vec::new();
        let read = stdout.map(|stdout| stdout.take(ANSWER_BYTES + 1).read_to_end(&mut bytes));
        let _ = sender.send(read.map_or(Ok(0), |read| read).map(|_| bytes));
    };
    thread::Builder::new().spawn(talk).map_err(reason)?;
    let started = Instant::now();
    let mut answer = None;
    loop {
        if answer.is_none() {
            answer = answers.recv_timeout(TICK).ok();
        } else {
            thread::sleep(TICK);
        }
        if attention.is_over() {
            return Err("interrupted".to_owned());
        }
        if started.elapsed() > PATIENCE {
            return Err(format!("it took more than {} seconds", PATIENCE.as_secs()));
        }
        let too_long = matches!(&answer, Some(Ok(bytes)) if bytes.len() as u64 > ANSWER_BYTES);
        if too_long {
            return Err("its answer is too long".to_owned());
        }
        let Some(status) = child.try_wait().map_err(reason)? else { continue };
        if let Some(answer) = answer.take() {
            return Ok((status.success(), answer.map_err(reason)?));
        }
    }
}
