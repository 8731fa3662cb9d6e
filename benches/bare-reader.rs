//! The least a validator can do: find every directory with a `SKILL.md` and read that file.
//!
//! `bare-reader DIRECTORY THREADS` prints how many it read, and their bytes. With `all` as a third
//! word it also lists the other files of each skill and asks for their sizes, as a validator
//! that checks links must.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Directories a thread takes at once.
const BATCH: usize = 16;

/// Files read, and their bytes.
#[derive(Clone, Copy, Default)]
struct Read {
    files: usize,
    bytes: usize,
}

impl Read {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.bytes += other.bytes;
    }
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let root = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    let threads = arguments.next().and_then(|word| word.to_str()?.parse().ok()).unwrap_or(1);
    let mut directories = Vec::new();
    for entry in fs::read_dir(&root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            directories.push(entry.path());
        }
    }
    let all = arguments.next().is_some_and(|word| word == "all");
    let read = read_all(&directories, threads, all)?;
    println!("{} {}", read.files, read.bytes);
    Ok(())
}

fn read_all(directories: &[PathBuf], threads: usize, all: bool) -> io::Result<Read> {
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<Read> {
        let mut read = Read::default();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= directories.len() {
                return Ok(read);
            }
            for directory in &directories[start..directories.len().min(start + BATCH)] {
                read.add(read_below(directory)?);
                if all {
                    list_below(directory)?;
                }
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut read = work()?;
        for worker in workers {
            read.add(worker.join().expect("a reader panicked")?);
        }
        Ok(read)
    })
}

/// A directory with a `SKILL.md` is a leaf; any other is searched.
fn read_below(directory: &Path) -> io::Result<Read> {
    let mut inner = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name() == "SKILL.md" {
            return Ok(Read { files: 1, bytes: fs::read(entry.path())?.len() });
        }
        if entry.file_type()?.is_dir() {
            inner.push(entry.path());
        }
    }
    let mut read = Read::default();
    for directory in inner {
        read.add(read_below(&directory)?);
    }
    Ok(read)
}

/// Lists everything below a directory, and asks for the size of every file.
fn list_below(directory: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => list_below(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}
