//! Signals and the ends of processes, on Unix.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithRawSiginfo;

/// Signals that end a process by default.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// A signal that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrivedSignal {
    /// Its number.
    signal: i32,
    /// Whether another process sent it, maybe to this process only. A terminal sends typed signals
    /// to the whole group.
    is_sent: bool,
}

impl ArrivedSignal {
    /// What the system says about a signal.
    const fn of(signal: i32, code: i32) -> Self {
        // Other systems do not report the sender; signals then count as typed.
        const SENT: i32 =
            if cfg!(any(target_os = "macos", target_os = "freebsd")) { 0x10001 } else { 0 };
        let is_sent = if cfg!(target_os = "linux") { code <= 0 } else { code == SENT };
        Self { signal, is_sent }
    }
}

/// Signals that arrive from now on.
#[derive(Debug)]
pub struct IncomingSignals(SignalsInfo<WithRawSiginfo>);

impl IncomingSignals {
    /// Takes over signals that would end the process or that a child should receive.
    pub fn listen() -> io::Result<Self> {
        SignalGuard::hand_over();
        let all = [SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH];
        SignalsInfo::new(wanted(&all)).map(Self)
    }

    /// The signals that have arrived by now.
    pub fn arrived(&mut self) -> Vec<ArrivedSignal> {
        self.0.pending().map(|info| ArrivedSignal::of(info.si_signo, info.si_code)).collect()
    }

    /// Waits for signals; the end of a child is one.
    pub fn wait(&mut self) -> Vec<ArrivedSignal> {
        self.0.wait().map(|info| ArrivedSignal::of(info.si_signo, info.si_code)).collect()
    }

    /// The signal that would have ended the process by now, if there was one.
    pub fn ending(&mut self) -> Option<i32> {
        self.0.pending().map(|info| info.si_signo).find(|signal| ENDING.contains(signal))
    }
}

/// The `signals` to handle: not those that the parent ignored on purpose, as nohup does.
fn wanted(signals: &[i32]) -> impl Iterator<Item = i32> {
    let ignored = ignored();
    signals.iter().copied().filter(move |signal| ignored & (1 << (signal - 1)) == 0)
}

/// The signals that were ignored when this process started, one bit each; none if unknown.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Remembers signals that would end the process, and lets it go on.
#[derive(Debug)]
pub struct Interrupts {
    /// The last signal that was not reported yet, or 0.
    arrived: Arc<AtomicUsize>,
    /// The first, or 0.
    first: AtomicUsize,
    /// How many arrived; several between two calls count as one.
    count: AtomicUsize,
}

impl Interrupts {
    /// From now on.
    pub fn listen() -> io::Result<Self> {
        SignalGuard::hand_over();
        let interrupts = Self::new();
        for signal in wanted(&ENDING) {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&interrupts.arrived), number)?;
        }
        Ok(interrupts)
    }

    fn new() -> Self {
        let (first, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { arrived: Arc::default(), first, count }
    }

    /// The first of them, if there was one.
    pub fn signal(&self) -> Option<i32> {
        let arrived = self.arrived.swap(0, Ordering::SeqCst);
        if arrived != 0 {
            let _ = self.first.compare_exchange(0, arrived, Ordering::SeqCst, Ordering::SeqCst);
            self.count.fetch_add(1, Ordering::SeqCst);
        }
        let first = self.first.load(Ordering::SeqCst);
        i32::try_from(first).ok().filter(|signal| *signal != 0)
    }

    /// Whether there was more than one.
    pub fn is_repeated(&self) -> bool {
        self.signal().is_some() && self.count.load(Ordering::SeqCst) > 1
    }
}

/// Lets a command lead its own process group, so that it can be ended with its children.
pub fn lead_group(command: &mut Command) {
    command.process_group(0);
}

/// Passes the name as it was typed as argument 0, not the path that was found.
pub fn named(command: &mut Command, name: &OsStr) {
    command.arg0(name);
}

/// Whether a child has ended, and if so, whether it succeeded. Does not reap it, so that its
/// process and group numbers are not reused.
pub fn ended(child: &mut Child) -> io::Result<Option<bool>> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let Some(pid) = pid(child) else { return Ok(None) };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options))?;
    Ok(status.map(|status| status.exit_status() == Some(0)))
}

/// Kills the rest of the process group that a child leads.
pub fn kill_group(child: &Child) {
    send_to_group(child, Signal::KILL);
}

/// Ends a group and waits for its leader: first with a signal that lets it clean up.
pub fn end_group(child: &mut Child) {
    send_to_group(child, Signal::TERM);
    for _ in 0..50 {
        if !matches!(ended(child), Ok(None)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // End the rest of the group before its number can be reused.
    send_to_group(child, Signal::KILL);
    let _ = child.wait();
}

fn send_to_group(child: &Child, signal: Signal) {
    if let Some(pid) = pid(child) {
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// While a guard exists, signals that end the process are noticed first.
#[derive(Debug)]
pub struct SignalGuard;

/// The state that all guards share.
struct SignalState {
    /// The number of guards. Code that takes signals over for good never drops its own.
    attentive: Mutex<usize>,
    /// Whether signals have their default effect. Changes only together with `attentive`.
    usual: Arc<AtomicBool>,
    /// The last that arrived.
    last: Arc<AtomicUsize>,
    /// Whether signals can be listened to, once that was tried.
    listening: OnceLock<io::Result<()>>,
}

static NOTICED: LazyLock<SignalState> = LazyLock::new(SignalState::new);

impl SignalState {
    fn new() -> Self {
        Self {
            attentive: Mutex::new(0),
            usual: Arc::new(AtomicBool::new(true)),
            last: Arc::default(),
            listening: OnceLock::new(),
        }
    }

    fn listen(&self) -> io::Result<()> {
        for signal in wanted(&ENDING) {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&self.usual))?;
            signal_hook::flag::register_usize(signal, Arc::clone(&self.last), number)?;
        }
        Ok(())
    }

    /// Adds a guard.
    fn begin(&self) {
        let mut attentive = self.attentive.lock().unwrap_or_else(PoisonError::into_inner);
        *attentive += 1;
        self.usual.store(false, Ordering::SeqCst);
    }

    /// Removes a guard.
    fn end(&self) {
        let mut attentive = self.attentive.lock().unwrap_or_else(PoisonError::into_inner);
        *attentive -= 1;
        if *attentive > 0 {
            return;
        }
        self.usual.store(true, Ordering::SeqCst);
        // Deliver a signal that arrived in the meantime, before a new guard could be cut short by
        // it.
        if let Ok(signal @ 1..) = i32::try_from(self.last.load(Ordering::SeqCst)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

impl SignalGuard {
    /// Starts to delay signals.
    pub fn begin() -> io::Result<Self> {
        NOTICED.begin();
        let attention = Self;
        match NOTICED.listening.get_or_init(|| NOTICED.listen()) {
            Ok(()) => Ok(attention),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// Whether a signal has arrived that ends the process.
    pub fn is_over(&self) -> bool {
        NOTICED.last.load(Ordering::SeqCst) != 0
    }

    /// Stops listening to signals.
    fn hand_over() {
        NOTICED.begin();
    }
}

impl Drop for SignalGuard {
    fn drop(&mut self) {
        NOTICED.end();
    }
}

/// Sends a signal to a running child, unless it got it already: a terminal sends typed signals to
/// all processes in the foreground.
pub fn hand_on(arrived: ArrivedSignal, child: &Child) {
    let comes_from_terminals = matches!(arrived.signal, SIGINT | SIGQUIT | SIGWINCH);
    if arrived.is_sent || !comes_from_terminals || !is_in_foreground() {
        send(arrived, child);
    }
}

/// Sends a signal to a running child.
pub fn send(arrived: ArrivedSignal, child: &Child) {
    if let (Some(pid), Some(signal)) = (pid(child), Signal::from_named_raw(arrived.signal))
        && signal != Signal::CHILD
    {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Stops together with a child that has suspended itself, so that a shell gets its terminal back.
/// Not if `kill -STOP` stopped the child: it would be continued alone, and nobody would wake us.
/// Nor without a terminal, where no shell waits.
pub fn stop_with(child: &Child) {
    use rustix::process::{WaitId, WaitIdOptions, getpid, kill_process, waitid};
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    let stopped = pid(child).and_then(|pid| waitid(WaitId::Pid(pid), options).ok().flatten());
    let signal = stopped.and_then(|status| status.stopping_signal());
    let suspends = |signal| {
        [Signal::TSTP, Signal::TTIN, Signal::TTOU].iter().any(|one| one.as_raw() == signal)
    };
    if signal.is_some_and(suspends) && is_in_foreground() {
        let _ = kill_process(getpid(), Signal::STOP);
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

fn is_in_foreground() -> bool {
    let own = rustix::process::getpgrp();
    let terminal = std::fs::File::open("/dev/tty");
    terminal
        .is_ok_and(|terminal| rustix::termios::tcgetpgrp(terminal).is_ok_and(|group| group == own))
}

/// The exit code for the end by a signal.
pub fn code_of_signal(signal: i32) -> u8 {
    u8::try_from((128 + signal) & 0xff).unwrap_or(u8::MAX)
}

/// The exit code for how a child ended: its own, or 128 plus the signal.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn a_second_signal_is_told_from_the_first() {
        let interrupts = Interrupts::new();
        assert_eq!((interrupts.signal(), interrupts.is_repeated()), (None, false));
        interrupts.arrived.store(2, Ordering::SeqCst);
        for _ in 0..2 {
            assert_eq!((interrupts.signal(), interrupts.is_repeated()), (Some(SIGINT), false));
        }
        interrupts.arrived.store(15, Ordering::SeqCst);
        assert!(interrupts.is_repeated());
        assert_eq!(interrupts.signal(), Some(SIGINT), "the first decides about the exit code");
    }

    #[test]
    fn signals_wait_while_anybody_pays_attention() {
        let noticed = SignalState::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        noticed.begin();
                        assert!(!noticed.usual.load(Ordering::SeqCst));
                        noticed.end();
                    }
                });
            }
        });
        assert!(noticed.usual.load(Ordering::SeqCst));
    }

    #[test]
    fn signals_that_were_taken_over_stay_so() {
        let noticed = SignalState::new();
        // Other code takes signals over before the first guard.
        noticed.begin();
        noticed.begin();
        noticed.end();
        assert!(!noticed.usual.load(Ordering::SeqCst));
    }
}
