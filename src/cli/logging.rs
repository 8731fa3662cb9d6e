//! Logs for `-v`, on standard error. Without the flag nothing is installed and nothing runs.

use std::io::IsTerminal;

use tracing::Level;

/// Installs a subscriber for one `-v` or more.
pub fn init(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => Level::INFO,
        2 => Level::DEBUG,
        _ => Level::TRACE,
    };
    let colored = std::io::stderr().is_terminal()
        && anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(colored)
        .without_time()
        .with_target(false)
        .try_init();
}
