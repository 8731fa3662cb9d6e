//! Standard input and output: one thread reads, one answers and writes, and this one waits for the end
//! of either. A client that stops reading cannot keep the end of its input from being seen.

use std::io::{self, BufReader, Write};
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
use crate::commands::serve::connection::Connection;
use crate::commands::serve::flights::{Flights, ids};
use crate::commands::serve::host::{Host, NewsSink, lock};
use crate::output::mcp;
use crate::skills::serve::message::{self, InputLine, ParsedLine, RequestId};

/// Messages that may wait.
const QUEUE: usize = 512;
/// How long an answer may take to be written once there is no more input.
const LAST_WRITE: Duration = Duration::from_millis(500);

/// How long an answer may take to be written before messages that find no room are passed over.
const STUCK: Duration = Duration::from_secs(2);

/// What the answering thread does next.
enum Work {
    Answer(ParsedLine),
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
pub(super) fn serve(host: &Arc<Host>) -> Result<ExitStatus> {
    let (work, todo) = sync_channel(QUEUE);
    let (end, ended) = channel();
    let flights = Arc::new(Flights::default());
    let writing: Arc<Mutex<Option<Instant>>> = Arc::default();
    let reading = InputThread {
        work: work.clone(),
        end: end.clone(),
        flights: Arc::clone(&flights),
        writing: Arc::clone(&writing),
    };
    thread::Builder::new().name("input".to_owned()).spawn(move || read(&reading))?;
    let answering = Answering {
        connection: Connection::new(host),
        flights,
        work,
        writing: Arc::clone(&writing),
    };
    thread::Builder::new().name("answers".to_owned()).spawn(move || {
        let over = answering.run(&todo).err().map_or(ServingEnd::Work, ServingEnd::Output);
        let _ = end.send(over);
    })?;
    match ended.recv() {
        Ok(ServingEnd::Input) => finish(&ended, &writing),
        Ok(ServingEnd::Output(error)) => debug!(%error, "nobody reads the answers"),
        Ok(ServingEnd::Work) | Err(_) => {}
    }
    Ok(ExitStatus::Success)
}

/// Waits for the answers to what was asked, unless nobody reads them.
fn finish(ended: &Receiver<ServingEnd>, writing: &Mutex<Option<Instant>>) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(20)) {
        if is_stuck(writing, LAST_WRITE) {
            debug!("the last answers are not read");
            return;
        }
    }
}

/// Reads lines until the input ends. Waits while there are too many of them, but not for a client that
/// does not read its answers: the end of the input must be seen.
fn read(reader: &InputThread) {
    let InputThread { work, end, flights, writing } = reader;
    let mut input = BufReader::with_capacity(64 * 1024, io::stdin());
    loop {
        let line = match message::next_line(&mut input) {
            Ok(Some(InputLine::Message(line))) => message::parse(&line),
            Ok(Some(InputLine::TooLong)) => ParsedLine::One(Err(message::too_long())),
            Ok(None) => break,
            Err(error) => {
                debug!(%error, "the input cannot be read");
                break;
            }
        };
        flights.note(&line);
        let mut waiting = Work::Answer(line);
        while let Err(refused) = work.try_send(waiting) {
            match refused {
                TrySendError::Disconnected(_) => return,
                TrySendError::Full(Work::Answer(line)) if is_stuck(writing, STUCK) => {
                    debug!("too many messages wait");
                    flights.land(&ids(&line));
                    break;
                }
                TrySendError::Full(again) => waiting = again,
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
    writing: Arc<Mutex<Option<Instant>>>,
}

/// Whether an answer has been on its way for longer than this.
fn is_stuck(writing: &Mutex<Option<Instant>>, longest: Duration) -> bool {
    lock(writing).is_some_and(|since| since.elapsed() > longest)
}

/// The thread that answers and writes.
struct Answering {
    connection: Connection,
    flights: Arc<Flights>,
    work: SyncSender<Work>,
    /// Since when something is being written.
    writing: Arc<Mutex<Option<Instant>>>,
}

impl Answering {
    fn run(mut self, todo: &Receiver<Work>) -> io::Result<()> {
        for work in todo {
            match work {
                Work::End => break,
                Work::Tell(message) => self.write(&message)?,
                Work::Answer(line) => {
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
        *lock(&self.writing) = Some(Instant::now());
        let mut out = io::stdout().lock();
        let written = out.write_all(&line).and_then(|()| out.flush());
        *lock(&self.writing) = None;
        written
    }
}

/// News wait behind the answers; those that find no room are lost, and the next say the same.
fn sink(work: SyncSender<Work>) -> NewsSink {
    Box::new(move |message| {
        !matches!(work.try_send(Work::Tell(message)), Err(TrySendError::Disconnected(_)))
    })
}
