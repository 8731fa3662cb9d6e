//! Logs for `-v`, on standard error. Without the flag, there is no subscriber and no cost.
//!
//! Logs are written only here. Each event is one line with the time since the start, sanitised for
//! terminals, and without credentials in addresses.

use std::fmt::{self, Write as _};
use std::io::IsTerminal;
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

use crate::output::sanitize;

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
        .event_format(LogLine { start: Instant::now() })
        .try_init();
}

/// Writes an event as one line: ` 0.012s DEBUG copied skill="pdf"`.
struct LogLine {
    start: Instant,
}

impl<S, N> FormatEvent<S, N> for LogLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = LogFields::default();
        event.record(&mut fields);
        let text = format!("{}{}", fields.message, fields.others);
        let text = without_credentials(&text);
        let (seconds, level) = (self.start.elapsed().as_secs_f64(), event.metadata().level());
        let (dim, plain) =
            if writer.has_ansi_escapes() { ("\u{1b}[2m", "\u{1b}[0m") } else { ("", "") };
        writeln!(writer, "{dim}{seconds:7.3}s {level:>5}{plain} {}", sanitize::line(&text))
    }
}

/// The fields of an event as text.
#[derive(Default)]
struct LogFields {
    message: String,
    others: String,
}

impl Visit for LogFields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.others, " {name}={value:?}"),
        };
    }
}

/// The text without the part between `://` and `@` in addresses.
fn without_credentials(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`');
        let authority = &after[..after.find(ends).unwrap_or(after.len())];
        rest = match authority.rfind('@') {
            Some(end) => {
                clean.push_str("***");
                &after[end..]
            }
            None => after,
        };
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::without_credentials;

    #[test]
    fn credentials_of_addresses_are_not_logged() {
        for (text, clean) in [
            ("running git", "running git"),
            ("[\"https://me:secret@h.example/r\"]", "[\"https://***@h.example/r\"]"),
            ("https://token@h https://h/a@b x://p@ss@h", "https://***@h https://h/a@b x://***@h"),
            ("ssh://git@h/r and https://", "ssh://***@h/r and https://"),
        ] {
            assert_eq!(without_credentials(text), clean, "{text}");
        }
    }
}
