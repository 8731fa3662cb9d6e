//! Tests that cannot run here. Libtest cannot mark a test as skipped, so they pass. Each notes the
//! reason, and `skipped.rs`, which cargo runs after all tests except doctests, lists them.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::Mutex;

/// If set, tests fail instead of being skipped when a program is missing.
pub(crate) const REQUIRED: &str = "SKILLS_REQUIRE_TOOLS";

/// Notes that the current test is skipped, in full or in part. The test then returns.
///
/// For reasons that installing a program cannot change, such as the user; see [`lacks`].
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

/// Whether one of these programs is missing. Then the test is skipped, or fails if all are
/// required.
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

/// The file in which this run of cargo collects skipped tests.
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
