//! Writes results to standard output, and everything else to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice, StripStream};
use anstyle::{AnsiColor, Style};

use crate::cli::args::Color;
use crate::output::layout::lines;
use crate::output::sanitize;
use crate::skills::files;
use crate::skills::files::content::system_message;
use crate::skills::model::error::{Error, ErrorKind};

/// Size of the buffer for results, in bytes.
const BUFFER: usize = 64 * 1024;

const ERROR: Style = AnsiColor::Red.on_default().bold();

const WARNING: Style = AnsiColor::Yellow.on_default().bold();

const HELP: Style = AnsiColor::Cyan.on_default().bold();

/// Sets the use of colour for all streams.
pub fn use_color(color: Color) {
    let choice = match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    choice.write_global();
}

/// Writes and flushes. Errors name standard output.
fn finish(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write(out).and_then(|()| out.flush()).map_err(|error| unwritten(&error))
}

/// The message for an error of standard output.
pub fn unwritten(error: &io::Error) -> io::Error {
    let message = format!("cannot write to standard output: {}", system_message(error));
    io::Error::new(error.kind(), message)
}

/// Writes to the two streams. Colour is dropped where the stream does not show it.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    quiet: bool,
    silent: bool,
}

impl Printer {
    /// A printer; a quiet one prints only results and errors.
    pub const fn new(quiet: bool) -> Self {
        Self { quiet, silent: false }
    }

    /// A printer that writes nothing to standard error.
    pub const fn silent() -> Self {
        Self { quiet: true, silent: true }
    }

    /// Whether only results are wanted.
    pub const fn is_quiet(self) -> bool {
        self.quiet
    }

    /// Writes results through a buffer.
    pub fn results(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.shows_styles() {
            let mut out = BufWriter::with_capacity(BUFFER, anstream::stdout().lock());
            return finish(&mut out, write);
        }
        // Buffer below, too: otherwise each piece of text between two styles would be a write of
        // its own.
        let mut below = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        let plain = StripStream::new(&mut below as &mut (dyn Write + 'static));
        let mut out = BufWriter::with_capacity(BUFFER, plain);
        finish(&mut out, write)
    }

    /// Writes results without styles through a buffer.
    pub fn text(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        finish(&mut out, write)
    }

    /// Writes bytes as they are.
    pub fn bytes(&self, bytes: &[u8]) -> io::Result<()> {
        finish(&mut io::stdout().lock(), |out| out.write_all(bytes))
    }

    /// Writes an error as a document for machines; if that fails, prints it for people.
    pub fn error_document(
        &self,
        error: &Error,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) {
        match self.text(write) {
            Err(failure) if failure.kind() != io::ErrorKind::BrokenPipe => {
                self.error(error);
                let unwritten = failure.to_string();
                if error.message != unwritten {
                    self.error(&Error::new(ErrorKind::Io, unwritten));
                }
            }
            _ => {}
        }
    }

    /// Writes findings to standard error.
    pub fn diagnostics(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let mut text = Vec::new();
        if write(&mut text).is_ok() {
            self.say(&String::from_utf8_lossy(&text));
        }
    }

    /// Writes to standard error in one call, because other programs may write there, too.
    fn say(&self, text: &str) {
        if self.silent {
            return;
        }
        // If the stream is closed, there is no place left to report it.
        let _ = if AutoStream::choice(&io::stderr()) == ColorChoice::Never {
            io::stderr().lock().write_all(strip_str(text).to_string().as_bytes())
        } else {
            anstream::stderr().lock().write_all(text.as_bytes())
        };
    }

    /// Whether styles of results are shown.
    pub fn shows_styles(&self) -> bool {
        AutoStream::choice(&io::stdout()) != ColorChoice::Never
    }

    /// Whether results go to a terminal.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Whether results are lost: standard output is closed or discarded.
    pub fn is_unheard(&self) -> bool {
        files::leads_nowhere(&io::stdout())
    }

    /// Columns of the terminal that results go to; none in a pipe.
    pub fn width(&self) -> Option<usize> {
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
    }

    /// Columns of the terminal that everything else goes to.
    pub fn error_width(&self) -> Option<usize> {
        terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0))
    }

    /// Prints a note, unless quiet.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            self.line(HELP, "note", message);
        }
    }

    /// Prints a warning, unless quiet.
    pub fn warning(&self, message: &str) {
        if !self.quiet {
            self.line(WARNING, "warning", message);
        }
    }

    /// Prints an error and its help.
    pub fn error(&self, error: &Error) {
        self.line(ERROR, "error", &error.message);
        if let Some(help) = &error.help {
            self.line(HELP, "help", help);
        }
    }

    fn line(&self, style: Style, label: &str, message: &str) {
        let indent = label.len() + 2;
        let margin = " ".repeat(indent);
        let room = self.error_width().unwrap_or(usize::MAX).saturating_sub(indent);
        let lines = message.lines().map(|line| lines(&sanitize::line(line), room, &margin));
        let message = lines.collect::<Vec<_>>().join(&format!("\n{margin}"));
        self.say(&format!("{style}{label}:{style:#} {message}\n"));
    }
}
