//! Tests that cannot run here. Libtest knows no word for that: they pass. So each says why it did not
//! run, and `skipped.rs`, which cargo starts after all tests but doctests, prints them all in one place.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::Mutex;

/// Where set, a missing program fails its tests: somebody has made sure that all are there.
pub(crate) const REQUIRED: &str = "SKILLS_REQUIRE_TOOLS";

/// Says that the test at hand does not run, or not in full. It then returns.
///
/// Meant for what no installation of anything changes, such as who runs the tests; see [`lacks`].
#[track_caller]
pub(crate) fn skip(because: &str) {
    static FIRST: Mutex<bool> = Mutex::new(true);
    let line = format!("{}: {because}\n", test_at_hand());
    let mut first = FIRST.lock().unwrap();
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(*first).append(!*first);
    options.open(record()).and_then(|mut file| file.write_all(line.as_bytes())).unwrap();
    *first = false;
}

/// Whether one of these programs is missing, which skips the test, or fails it where all are required.
#[track_caller]
pub(crate) fn lacks(programs: &[&str]) -> bool {
    let Some(program) = programs.iter().find(|program| !is_installed(program)) else {
        return false;
    };
    let is_required = std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty());
    assert!(!is_required, "`{program}` is not installed, and {REQUIRED} is set");
    skip(&format!("`{program}` is not installed"));
    true
}

/// Where this run of cargo keeps what was skipped.
pub(crate) fn record() -> PathBuf {
    #[cfg(unix)]
    let cargo = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let cargo = 0;
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("skipped-{cargo}"))
}

fn is_installed(program: &str) -> bool {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(&name).is_file())
}

/// Libtest names its threads after tests, unless it runs them on the first one.
#[track_caller]
fn test_at_hand() -> String {
    let place = Location::caller();
    let thread = std::thread::current();
    match thread.name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => format!("{}:{}", place.file(), place.line()),
    }
}

#[cfg(unix)]
#[test]
fn a_test_that_cannot_run_says_so_or_fails_where_everything_is_required() {
    let test = "git::a_repository_may_be_a_skill_itself";
    let run = |required: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test]).env("PATH", "/nowhere").env(REQUIRED, required);
        command.output().unwrap().status.success()
    };
    let record = record().with_file_name(format!("skipped-{}", std::process::id()));
    assert!(!run("1") && !record.exists());
    assert!(run(""));
    assert_eq!(
        std::fs::read_to_string(&record).unwrap(),
        format!("{test}: `git` is not installed\n")
    );
    std::fs::remove_file(record).unwrap();
}
