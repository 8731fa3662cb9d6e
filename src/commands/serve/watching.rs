//! Notices changes on the disk, serves what is there now, and tells those who listen.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use tracing::debug;

use crate::cli::exit::Ending;
use crate::cli::printer::Printer;
use crate::cli::settings::{ServeSettings, ServeSource};
use crate::commands::serve::host::Host;
use crate::commands::serve::{GatherTime, gather};
use crate::skills::files::watch::{FileWatch, WatchFailure};
use crate::skills::serve::changes;

/// Directories that are watched at most.
const MOST_DIRECTORIES: usize = 200_000;

/// How long the start of a server is left alone.
const PAUSE: Duration = Duration::from_millis(500);

/// How much earlier than it was made the time of a change may be.
const MARGIN: Duration = Duration::from_secs(2);

/// How often everything is looked at where the system cannot tell of changes.
const INTERVAL: Duration = Duration::from_secs(20);

/// Watches what is served, on a thread of its own.
pub fn start(
    host: &Arc<Host>,
    source: Arc<ServeSource>,
    settings: &ServeSettings,
    (said, found): (HashSet<String>, SystemTime),
) {
    let (host, settings) = (Arc::clone(host), settings.clone());
    let watch = move || watch(&host, &source, settings, (said, found));
    // Without the thread, what is read is still what is there.
    if let Err(error) = thread::Builder::new().name("changes".to_owned()).spawn(watch) {
        debug!(%error, "changes are not watched");
    }
}

fn watch(
    host: &Host,
    source: &ServeSource,
    mut settings: ServeSettings,
    (mut said, found): (HashSet<String>, SystemTime),
) {
    // The first answers come first.
    thread::sleep(PAUSE);
    let exclude = settings.selection.scan.exclude.clone();
    let is_excluded = |path: &Path| exclude.matches(path);
    let mut roots = settings.watched();
    let mut watch = begin(&roots, &is_excluded, &host.printer);
    let mut before = changes::Moment::of(&host.server.catalogue());
    let mut last_error = None;
    // Something may have changed since the skills were found; all of it is read again only then.
    let newest = watch.as_ref().and_then(FileWatch::newest).max(before.newest);
    let mut is_first = watch.is_none() || newest.is_none_or(|time| time + MARGIN > found);
    loop {
        if !std::mem::take(&mut is_first) {
            match &mut watch {
                Some(watch) => drop(watch.wait()),
                None => thread::sleep(INTERVAL),
            }
        }
        // What is wrong was said at the start; what is new is an error.
        let now = source.resolve().map_err(|error| error.message).and_then(|resolved| {
            settings = resolved;
            let found = gather(&settings, GatherTime::Later, &mut said, &host.printer);
            found.map_err(|error| Ending::of(error).error.message)
        });
        match now {
            Ok(catalogue) => {
                last_error = None;
                let after = changes::Moment::of(&catalogue);
                host.server.replace(catalogue);
                host.tell(before.changes(&after));
                before = after;
                let wanted = settings.watched();
                roots = if wanted.is_empty() { roots } else { wanted };
            }
            // Until it can be read again, what was there before is served.
            Err(message) => {
                if last_error.as_ref() != Some(&message) {
                    host.printer.warning(&format!("the skills cannot be read again: {message}"));
                }
                last_error = Some(message);
            }
        }
        let is_lost = watch.as_mut().is_some_and(|watch| watch.follow(roots.clone()).is_err());
        if is_lost {
            say_unwatched(&host.printer);
            watch = None;
        }
    }
}

fn begin<'a>(
    roots: &[PathBuf],
    is_excluded: &'a dyn Fn(&Path) -> bool,
    printer: &Printer,
) -> Option<FileWatch<'a>> {
    match FileWatch::begin_with(roots.to_vec(), is_excluded, MOST_DIRECTORIES) {
        Ok(watch) => Some(watch),
        Err(WatchFailure::TooMany | WatchFailure::SystemLimit) => {
            say_unwatched(printer);
            None
        }
    }
}

fn say_unwatched(printer: &Printer) {
    let seconds = INTERVAL.as_secs();
    printer.warning(&format!(
        "there are more directories than the system can watch, so that changes are noticed within \
         {seconds} seconds"
    ));
}
