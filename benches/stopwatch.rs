//! Runs commands in turn, several times over, and prints the median time and the peak memory
//! of each.
//!
//! `stopwatch SAMPLES SECONDS < PLAN`
//!
//! A line of the plan is a label, perhaps a `VARIABLE=VALUE`, a program and its arguments, separated
//! by tabs; `{n}` stands for a number that no other run of the plan has. Every command runs once
//! unmeasured; then all of them run in the order of the plan, SAMPLES times or until SECONDS have
//! passed. A line of the result is the label, the median in microseconds, the peak in KiB and the
//! exit code, separated by tabs.

use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Candidate {
    label: String,
    words: Vec<String>,
    times: Vec<Duration>,
    peak_kib: i64,
    code: i32,
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |index: usize| arguments.get(index).and_then(|word| word.parse::<u32>().ok());
    let (Some(samples), Some(seconds)) = (number(1), number(2)) else {
        return Err(io::Error::other("usage: stopwatch SAMPLES SECONDS < PLAN"));
    };
    let mut plan = String::new();
    io::stdin().read_to_string(&mut plan)?;
    let mut candidates: Vec<Candidate> = plan.lines().filter_map(candidate).collect();
    let limit = Duration::from_secs(u64::from(seconds));
    let begun = Instant::now();
    let mut runs = 0..;
    for (one, run) in candidates.iter_mut().zip(&mut runs) {
        one.run(run)?;
        // The first run is slower: it fills caches.
        one.times.clear();
    }
    for round in 0..samples.max(1) {
        if round > 0 && begun.elapsed() > limit {
            break;
        }
        for (one, run) in candidates.iter_mut().zip(&mut runs) {
            one.run(run)?;
        }
    }
    for one in &mut candidates {
        one.times.sort_unstable();
        let median = one.times[one.times.len() / 2].as_micros();
        println!("{}\t{median}\t{}\t{}", one.label, one.peak_kib, one.code);
    }
    Ok(())
}

fn candidate(line: &str) -> Option<Candidate> {
    let mut parts = line.split('\t').map(str::to_owned);
    let label = parts.next()?;
    let words: Vec<String> = parts.collect();
    let candidate = Candidate { label, words, times: Vec::new(), peak_kib: 0, code: 0 };
    (!candidate.words.is_empty()).then_some(candidate)
}

impl Candidate {
    fn run(&mut self, run: u32) -> io::Result<()> {
        let words: Vec<String> =
            self.words.iter().map(|word| word.replace("{n}", &run.to_string())).collect();
        let variable = words[0].split_once('=');
        let words = if variable.is_some() { &words[1..] } else { &words };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(variable);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let begun = Instant::now();
        let child = command.spawn()?;
        let (code, peak_kib) = wait(child)?;
        self.times.push(begun.elapsed());
        self.peak_kib = self.peak_kib.max(peak_kib);
        self.code = code;
        Ok(())
    }
}

/// Waits, and returns the exit code and the peak memory in KiB.
#[cfg(unix)]
fn wait(child: Child) -> io::Result<(i32, i64)> {
    /// `struct rusage` of 64-bit systems: two times, the peak, and thirteen counters.
    #[repr(C)]
    #[derive(Default)]
    struct Usage {
        times: [i64; 4],
        peak: i64,
        rest: [i64; 13],
    }
    unsafe extern "C" {
        fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut Usage) -> i32;
    }
    use std::os::unix::process::ExitStatusExt;
    let mut usage = Usage::default();
    let mut status = 0;
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    // SAFETY: both pointers are to live values of the types the system expects, and the child
    // is waited for nowhere else.
    while unsafe { wait4(pid, &raw mut status, 0, &raw mut usage) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let code = std::process::ExitStatus::from_raw(status).code().unwrap_or(-1);
    // macOS counts bytes.
    let peak_kib = if cfg!(target_os = "macos") { usage.peak / 1024 } else { usage.peak };
    Ok((code, peak_kib))
}

/// Waits, and returns the exit code; the peak is not known.
#[cfg(not(unix))]
fn wait(mut child: Child) -> io::Result<(i32, i64)> {
    Ok((child.wait()?.code().unwrap_or(-1), 0))
}
