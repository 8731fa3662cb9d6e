//! Standard input and output: one thread reads, one answers and writes, and this one waits for the end
//! of either. A client that stops reading cannot keep the end of its input from being seen.

use std::io::{self, BufReader, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel,
};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;
use tracing::debug;

use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::commands::serve::connection::Connection;
use crate::commands::serve::flights::{Flights, ids};
use crate::commands::serve::host::{Host, NewsSink, lock};
use crate::output::mcp;
use crate::skills::files;
use crate::skills::serve::message::{self, InputLine, ParsedLine, RequestId};

/// Messages that may wait.
const QUEUE: usize = 512;

/// Their bytes. Once read, they take up to sixteen times as much memory.
const QUEUE_BYTES: usize = 1024 * 1024;

/// How long nothing of an answer may be read once there is no more input.
const LAST_WRITE: Duration = Duration::from_secs(3);

/// Bytes that are written at once.
const PART: usize = 64 * 1024;

/// What the answering thread does next.
enum Work {
    /// A line of this many bytes.
    Answer(ParsedLine, usize),
    Tell(Value),
    End,
}

/// Why it is over.
enum ServingEnd {
    Input,
    Output(io::Error),
    Work,
}

/// Serves until the input ends, or nobody reads the output.
pub fn serve(host: &Arc<Host>) -> Result<ExitStatus> {
    let (work, todo) = sync_channel(QUEUE);
    let (end, ended) = channel();
    let flights = Arc::new(Flights::default());
    let queue: Arc<Queue> = Arc::default();
    let reading = InputThread {
        work: work.clone(),
        end: end.clone(),
        flights: Arc::clone(&flights),
        queue: Arc::clone(&queue),
    };
    thread::Builder::new().name("input".to_owned()).spawn(move || read(&reading))?;
    let connection = Connection::new(host);
    let answering = Answering { connection, flights, work, queue: Arc::clone(&queue) };
    thread::Builder::new().name("answers".to_owned()).spawn(move || {
        let over = answering.run(&todo).err().map_or(ServingEnd::Work, ServingEnd::Output);
        let _ = end.send(over);
    })?;
    match ended.recv() {
        Ok(ServingEnd::Input) => finish(&ended, &queue, &host.printer),
        Ok(ServingEnd::Output(error)) => debug!(%error, "nobody reads the answers"),
        Ok(ServingEnd::Work) | Err(_) => {}
    }
    Ok(ExitStatus::Success)
}

/// Waits for the answers to what was asked, unless nobody reads them.
fn finish(ended: &Receiver<ServingEnd>, queue: &Queue, printer: &Printer) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(20)) {
        if queue.is_stuck() {
            printer.warning("the last answers were not read, and are lost");
            return;
        }
    }
}

/// Reads lines until the input ends. While too many wait, no more are read; a client that is gone is
/// noticed all the same.
fn read(reader: &InputThread) {
    let InputThread { work, end, flights, queue } = reader;
    let mut input = BufReader::with_capacity(64 * 1024, io::stdin());
    'lines: loop {
        let (line, bytes) = match message::next_line(&mut input) {
            Ok(Some(InputLine::Message(line))) => (message::parse(&line), line.len()),
            Ok(Some(InputLine::TooLong)) => (ParsedLine::One(Err(message::too_long())), 0),
            Ok(None) => break,
            Err(error) => {
                debug!(%error, "the input cannot be read");
                break;
            }
        };
        flights.note(&line);
        let mut waiting = Work::Answer(line, bytes);
        loop {
            if queue.has_room(bytes) {
                // Counted first, because it may be answered at once.
                queue.bytes.fetch_add(bytes, Ordering::AcqRel);
                match work.try_send(waiting) {
                    Ok(()) => break,
                    Err(TrySendError::Disconnected(_)) => return,
                    Err(TrySendError::Full(again)) => waiting = again,
                }
                queue.bytes.fetch_sub(bytes, Ordering::AcqRel);
            }
            if queue.is_stuck() && files::has_hung_up(&io::stdin()) {
                break 'lines;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
    let _ = end.send(ServingEnd::Input);
    let _ = work.send(Work::End);
}

/// What the reading thread needs.
struct InputThread {
    work: SyncSender<Work>,
    end: Sender<ServingEnd>,
    flights: Arc<Flights>,
    queue: Arc<Queue>,
}

/// What waits on both sides.
#[derive(Default)]
struct Queue {
    /// The bytes of messages that were read and not answered.
    bytes: AtomicUsize,
    /// When something was last written of an answer that is being written.
    writing: Mutex<Option<Instant>>,
}

impl Queue {
    /// Whether one more message may wait; one always may.
    fn has_room(&self, more: usize) -> bool {
        let waiting = self.bytes.load(Ordering::Acquire);
        waiting == 0 || waiting + more <= QUEUE_BYTES
    }

    /// Whether nobody has read an answer for long.
    fn is_stuck(&self) -> bool {
        lock(&self.writing).is_some_and(|since| since.elapsed() > LAST_WRITE)
    }
}

/// The thread that answers and writes.
struct Answering {
    connection: Connection,
    flights: Arc<Flights>,
    work: SyncSender<Work>,
    queue: Arc<Queue>,
}

impl Answering {
    fn run(mut self, todo: &Receiver<Work>) -> io::Result<()> {
        for work in todo {
            match work {
                Work::End => break,
                // The client may have ended the subscription while they waited.
                Work::Tell(news) if !self.connection.is_awaited(&news) => {}
                Work::Tell(news) => self.write(&news)?,
                Work::Answer(line, bytes) => {
                    let ids = ids(&line);
                    let (flights, work) = (Arc::clone(&self.flights), self.work.clone());
                    let is_cancelled = |id: &RequestId| flights.is_cancelled(id);
                    let sink = || sink(work.clone());
                    let answers = match flights.is_unwanted(&ids) {
                        true => Vec::new(),
                        false => self.connection.answer(line, &is_cancelled, &sink),
                    };
                    let is_unwanted = flights.is_unwanted(&ids);
                    flights.land(&ids);
                    self.queue.bytes.fetch_sub(bytes, Ordering::AcqRel);
                    for answer in answers.iter().filter(|_| !is_unwanted) {
                        self.write(answer)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn write(&self, message: &Value) -> io::Result<()> {
        let line = mcp::line(message)?;
        let mut out = io::stdout().lock();
        let mut write = || {
            for part in line.chunks(PART) {
                *lock(&self.queue.writing) = Some(Instant::now());
                out.write_all(part)?;
            }
            out.flush()
        };
        let written = write();
        *lock(&self.queue.writing) = None;
        written
    }
}

/// News wait behind the answers; those that find no room are lost, and the next say the same.
fn sink(work: SyncSender<Work>) -> NewsSink {
    Box::new(move |message| {
        !matches!(work.try_send(Work::Tell(message)), Err(TrySendError::Disconnected(_)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_wait_up_to_their_limit_and_one_always_may() {
        let queue = Queue::default();
        for (waiting, more, has_room) in [
            (0, 2 * QUEUE_BYTES, true),
            (1, QUEUE_BYTES - 1, true),
            (1, QUEUE_BYTES, false),
            (QUEUE_BYTES, 0, true),
            (QUEUE_BYTES - 10, 11, false),
        ] {
            queue.bytes.store(waiting, Ordering::Release);
            assert_eq!(queue.has_room(more), has_room, "{waiting} and {more}");
        }
    }
}
