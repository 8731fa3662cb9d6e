//! Runs commands in turn, several times over, and prints the median time and the peak memory
//! of each.
//!
//! `stopwatch SAMPLES SECONDS < PLAN`
//!
//! A line of the plan is a label, `VARIABLE=VALUE` or nothing, a program and its arguments,
//! separated by tabs; `{n}` in an argument stands for the number of the run. Every command runs once unmeasured; then all of them run in the order of
//! the plan, SAMPLES times or until SECONDS have passed. A line of the result is the label, the
//! median in microseconds, the peak in KiB, the exit code and the number of samples, separated
//! by tabs.

use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Candidate {
    label: String,
    variable: Option<(String, String)>,
    words: Vec<String>,
    times: Vec<Duration>,
    peak_kib: i64,
    code: i32,
    runs: usize,
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
    for one in &mut candidates {
        one.run()?;
        // The first run is slower: it fills caches.
        one.times.clear();
    }
    for round in 0..samples.max(1) {
        if round > 0 && begun.elapsed() > limit {
            break;
        }
        for one in &mut candidates {
            one.run()?;
        }
    }
    for one in &mut candidates {
        one.times.sort_unstable();
        let median = one.times[one.times.len() / 2].as_micros();
        let (label, peak, code, count) = (&one.label, one.peak_kib, one.code, one.times.len());
        println!("{label}\t{median}\t{peak}\t{code}\t{count}");
    }
    Ok(())
}

fn candidate(line: &str) -> Option<Candidate> {
    let mut parts = line.split('\t').map(str::to_owned);
    let label = parts.next()?;
    let variable = parts.next()?;
    let variable =
        variable.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let words: Vec<String> = parts.collect();
    let times = Vec::new();
    let (peak_kib, code, runs) = (0, 0, 0);
    let candidate = Candidate { label, variable, words, times, peak_kib, code, runs };
    (!candidate.words.is_empty()).then_some(candidate)
}

impl Candidate {
    fn run(&mut self) -> io::Result<()> {
        let mut command = Command::new(&self.words[0]);
        let run = self.runs.to_string();
        self.runs += 1;
        command.args(self.words[1..].iter().map(|word| word.replace("{n}", &run)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some((name, value)) = &self.variable {
            command.env(name, value);
        }
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
