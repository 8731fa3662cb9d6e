//! Watches directories for changes through inotify.

use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use std::{io, thread};

use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

/// Bytes of events that are read at once.
const BUFFER: usize = 16 * 1024;

/// The watched directories.
#[derive(Debug)]
pub struct Notifier {
    events: Arc<OwnedFd>,
    /// One message per batch of events; closed if events cannot be read.
    changes: Receiver<()>,
}

impl Notifier {
    /// A notifier without directories; none if the system has no more notifiers.
    pub fn new() -> Option<Self> {
        let events = Arc::new(inotify::init(CreateFlags::CLOEXEC).ok()?);
        // One waiting message is enough, because all say the same.
        let (tell, changes) = sync_channel(1);
        let read = Arc::clone(&events);
        let listen = move || {
            let mut buffer = [MaybeUninit::uninit(); BUFFER];
            let mut reader = inotify::Reader::new(&*read, &mut buffer);
            while let Ok(event) = reader.next() {
                // Skip the end of a watch: the removal of its directory was reported already.
                let is_news = !event.events().contains(ReadFlags::IGNORED);
                if is_news && tell.try_send(()).is_err_and(|error| is_closed(&error)) {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(listen).ok()?;
        Some(Self { events, changes })
    }

    /// Watches this directory, without its subdirectories.
    pub fn add(&self, directory: &Path) -> io::Result<()> {
        let wanted = WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        inotify::add_watch(&*self.events, directory, wanted)?;
        Ok(())
    }

    /// Waits until something changes, at most this long; whether something did.
    pub fn wait(&self, longest: Duration) -> bool {
        match self.changes.recv_timeout(longest) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                // No more events will come. Returning at once would cause a busy loop.
                thread::sleep(longest);
                true
            }
        }
    }
}

const fn is_closed(error: &std::sync::mpsc::TrySendError<()>) -> bool {
    matches!(error, std::sync::mpsc::TrySendError::Disconnected(()))
}
