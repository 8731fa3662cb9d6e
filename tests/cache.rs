//! `skills cache`: what was fetched, and how it goes.

use std::fs;

use crate::harness::Sandbox;
use crate::server::Server;

fn fetched(sandbox: &Sandbox) -> Server {
    for name in ["csv", "pdf"] {
        sandbox.good_skill(&format!("src/{name}"));
    }
    assert_eq!(sandbox.run(["pack", "src", "--output", "web"]).code, 0);
    let server = Server::of_directory(&sandbox.path("web"));
    for name in ["csv", "pdf"] {
        assert_eq!(sandbox.run(["list", &server.url(&format!("/{name}.skill"))]).code, 0);
    }
    server
}

#[test]
fn the_cache_is_shown_and_emptied() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["cache"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("git         0 entries, 0 bytes"), "{}", run.stdout);
    assert!(!sandbox.path("../home/.cache").exists(), "looking creates nothing");
    let server = fetched(&sandbox);
    let report = sandbox.document(["cache", "--format", "json"]);
    assert_eq!(report["shelves"][1]["shelf"], "archives");
    assert_eq!(report["shelves"][1]["entries"], 4, "two archives, two answers: {report:#}");
    assert!(report["shelves"][1]["latest_use"].is_string());
    let bytes = report["bytes"].as_u64().unwrap();
    assert!(bytes > 500, "{report:#}");
    let run = sandbox.run(["cache", "clean", "--older-than", "30d"]);
    assert!(run.stdout.starts_with("removed 0 entries"), "{}", run.stdout);
    let report = sandbox.document(["cache", "clean", "--max-size", "600", "--format", "json"]);
    assert!(report["removed"]["entries"].as_u64().unwrap() > 0, "{report:#}");
    assert!(report["bytes"].as_u64().unwrap() <= 600, "{report:#}");
    let run = sandbox.run(["cache", "clean"]);
    assert!(run.stdout.contains("archives    0 entries, 0 bytes"), "{}", run.stdout);
    // It is only a cache.
    assert_eq!(sandbox.run(["list", &server.url("/pdf.skill")]).code, 0);
    assert_eq!(sandbox.run(["list", "--offline", &server.url("/csv.skill")]).code, 2);
}

#[test]
fn cleaning_goes_by_the_last_use() {
    let sandbox = Sandbox::new();
    let server = fetched(&sandbox);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(90 * 24 * 3600);
    for entry in walkdir::WalkDir::new(sandbox.path("../home/.cache/skills/archives")) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let file = fs::File::options().append(true).open(entry.path()).unwrap();
            file.set_modified(long_ago).unwrap();
        }
    }
    assert_eq!(sandbox.run(["list", "--offline", &server.url("/pdf.skill")]).code, 0);
    let report = sandbox.document(["cache", "clean", "--older-than", "30d", "--format", "json"]);
    assert_eq!(report["shelves"][1]["entries"], 1, "the archive that was used: {report:#}");
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_can_write_to_is_not_read() {
    for directory in ["", "archives", "archives/answers"] {
        let sandbox = Sandbox::new();
        let server = fetched(&sandbox);
        let args = ["list", "--offline", &server.url("/pdf.skill")];
        assert_eq!(sandbox.run(args).code, 0);
        sandbox.chmod(format!("../home/.cache/skills/{directory}"), 0o777);
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{directory}: {}", run.all());
        assert!(run.stderr.contains("others can write to"), "{directory}: {}", run.stderr);
    }
}

#[test]
fn whatever_lies_in_the_place_of_an_entry_is_replaced() {
    let sandbox = Sandbox::new();
    let server = fetched(&sandbox);
    let shelf = sandbox.path("../home/.cache/skills/archives/sha256");
    for start in fs::read_dir(&shelf).unwrap() {
        for entry in fs::read_dir(start.unwrap().path()).unwrap() {
            let path = entry.unwrap().path();
            fs::remove_file(&path).unwrap();
            fs::create_dir_all(path.join("inner")).unwrap();
        }
    }
    for _ in 0..2 {
        let run = sandbox.run(["list", &server.url("/pdf.skill")]);
        assert_eq!(run.code, 0, "{}", run.all());
    }
}

#[test]
fn flags_of_cleaning_need_the_word() {
    let sandbox = Sandbox::new();
    for args in [&["cache", "--older-than", "1d"][..], &["cache", "--max-size", "1GiB"]] {
        assert_eq!(sandbox.run(args).code, 2, "{args:?}");
    }
    let run = sandbox.run(["cache", "clean", "--older-than", "1"]);
    assert!(run.stderr.contains("30m, 12h or 7d"), "{}", run.stderr);
    let run = sandbox.run(["cache", "clean", "--max-size", "much"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
#[cfg(unix)]
fn a_download_that_is_killed_leaves_the_cache_whole() {
    use crate::server::{Reply, Sending};
    use std::time::Duration;
    let sandbox = Sandbox::new();
    let slow = Server::start(|_| {
        Reply::ok(vec![b'x'; 100_000]).sent(Sending::Drip(1000, Duration::from_millis(50)))
    });
    let line = format!(
        "$SKILLS list {} & sleep 0.7; kill -9 $!; wait $! 2>/dev/null; ls -A \
        $HOME/.cache/skills/archives/sha256",
        slow.url("/x.zip")
    );
    let run = sandbox.shell(&line);
    assert!(run.stdout.contains(".skills-temporary-"), "{}", run.all());
    let server = fetched(&sandbox);
    let left = fs::read_dir(sandbox.path("../home/.cache/skills/archives/sha256")).unwrap();
    let left: Vec<_> = left.flatten().filter(|entry| entry.path().is_file()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(sandbox.run(["list", "--offline", &server.url("/pdf.skill")]).code, 0);
}

#[test]
fn what_cannot_be_removed_is_an_error_with_its_reason() {
    let sandbox = Sandbox::new();
    let repositories = sandbox.path("../home/.cache/skills/git");
    fs::create_dir_all(repositories.join("r-1.git")).unwrap();
    fs::write(repositories.join("r-1.git/HEAD"), "ref").unwrap();
    // Not even root can write to a directory as to a file.
    fs::create_dir(repositories.join("r-1.lock")).unwrap();
    let run = sandbox.run(["cache", "clean"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    let said = "removed 0 entries, 0 bytes\ncould not remove 1 entry, 3 bytes\n";
    assert!(run.stdout.starts_with(said), "{}", run.stdout);
    assert!(run.stderr.contains("r-1.lock"), "{}", run.stderr);
    let run = sandbox.run(["cache", "clean", "--format", "json"]);
    assert_eq!(run.code, 2);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["kept"]["entries"], &report["failed"]["entries"]), (&0.into(), &1.into()));
}
