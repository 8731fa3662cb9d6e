//! Locks of skills directories, and directories that come and go.

use super::*;
use crate::skills::model::reporter::Silent;
use crate::skills::put::install::staging::Staging;
use crate::skills::put::install::watch::Watch;

#[test]
fn a_lock_that_another_run_holds_stays() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("skills");
    let made = make(&path).unwrap();
    let file = File::create(path.join(LOCK_NAME)).unwrap();
    file.lock().unwrap();
    let (path, directory) = real_directory(&path).unwrap();
    let opened = Opened { named: path.clone(), path: path.clone(), directory, made };
    assert!(Site::lock(opened, Duration::ZERO, 1, &Silent).is_err());
    assert!(path.join(LOCK_NAME).exists());
}

/// Runs a function when a lock is taken.
struct Waiting<F>(F);

impl<F: Fn() + Send + Sync> Reporter for Waiting<F> {
    fn waiting(&self, _: &Path, _: Option<&str>) {
        (self.0)();
    }
}

#[test]
#[cfg(unix)]
fn a_lock_that_was_removed_or_replaced_meanwhile_does_not_count() {
    for is_replaced in [false, true] {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join(LOCK_NAME);
        let file = File::create(&path).unwrap();
        file.lock().unwrap();
        let held = std::sync::Mutex::new(Some(file));
        let directory = Directory::open(temp.path()).unwrap();
        // The holder removes it, as a run does that removes an empty directory.
        let reporter = Waiting(|| {
            fs::remove_file(&path).unwrap();
            if is_replaced {
                File::create(&path).unwrap();
            }
            held.lock().unwrap().take();
        });
        let timeout = Duration::from_secs(60);
        let lock = lock(&directory, temp.path(), timeout, &reporter).unwrap().unwrap();
        let there = directory.identity_of(OsStr::new(LOCK_NAME)).unwrap();
        assert_eq!(FileIdentity::of(&lock.metadata().unwrap()), there);
        let other = File::open(&path).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
    }
}

#[test]
#[cfg(unix)]
fn a_lock_holds_only_while_its_name_leads_to_it() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join(LOCK_NAME);
    let file = File::create(&path).unwrap();
    let metadata = file.metadata().unwrap();
    let directory = Directory::open(temp.path()).unwrap();
    let hold = || try_hold(&directory, OsStr::new(LOCK_NAME), &file, &metadata).unwrap();
    assert!(hold());
    fs::remove_file(&path).unwrap();
    assert!(!hold(), "it was removed");
    File::create(&path).unwrap();
    assert!(!hold(), "it was replaced");
}

#[test]
fn created_directories_are_removed_even_with_files_that_close_late() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a/skills");
    let open = || {
        let timeout = Duration::from_secs(60);
        Site::open_all(std::slice::from_ref(&path), timeout, 1, &Silent).unwrap().remove(0)
    };
    open().abandon();
    assert!(!temp.path().join("a").exists());
    // Like a file system that renames an open file when it is removed.
    let site = open();
    let hidden = path.join(".fuse_hidden0001");
    fs::write(&hidden, "").unwrap();
    std::thread::scope(|scope| {
        let close = || {
            thread::sleep(PATIENCE);
            fs::remove_file(&hidden).unwrap();
        };
        thread::Builder::new().spawn_scoped(scope, close).unwrap();
        site.abandon();
    });
    assert!(!temp.path().join("a").exists());
    // A pending undo needs the directory, and files of others stay.
    let site = open();
    let staging = Staging::make(&site.directory, &site.path).unwrap();
    site.abandon();
    assert!(path.exists());
    staging.erase(&Watch::silent()).unwrap();
    let site = open();
    fs::write(path.join("mine"), "").unwrap();
    site.abandon();
    assert!(path.join("mine").exists());
}

#[test]
#[cfg(unix)]
fn a_directory_that_is_gone_has_no_lock_and_one_that_cannot_be_locked_is_an_error() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("skills");
    std::fs::create_dir_all(path.join(LOCK_NAME)).unwrap();
    let directory = Directory::open(&path).unwrap();
    assert!(
        lock(&directory, &path, Duration::ZERO, &Silent).is_err(),
        "a directory is in its place"
    );
    std::fs::remove_dir_all(&path).unwrap();
    assert!(lock(&directory, &path, Duration::ZERO, &Silent).unwrap().is_none());
}

#[test]
fn a_lock_names_its_process_or_nobody() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("lock");
    for (text, process) in [("123\n", Some("123")), ("", None), ("12x", None), ("\u{1b}[31m", None)]
    {
        std::fs::write(&path, text).unwrap();
        assert_eq!(holder(&mut File::open(&path).unwrap()).as_deref(), process, "{text:?}");
    }
}
