//! Skills with ambiguous file names have no digest.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use sha2::{Digest as _, Sha256};

use crate::harness::{Sandbox, good_text};
use crate::skips::skip;

/// The digest that `list --long` shows of `skills/alpha`.
fn digest(sandbox: &Sandbox) -> Option<String> {
    let report = sandbox.document(["list", "skills", "--long", "--format", "json"]);
    report["skills"][0]["digest"].as_str().map(str::to_owned)
}

/// A file name that contains the line of a second, executable file.
fn forged() -> String {
    let hash: String = Sha256::digest("second").iter().map(|byte| format!("{byte:02x}")).collect();
    format!("a.txt\n{hash} x b.sh")
}

#[test]
fn one_file_cannot_have_the_digest_of_two() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    sandbox.write("skills/alpha/a.txt", "first");
    sandbox.write("skills/alpha/b.sh", "second");
    sandbox.chmod("skills/alpha/b.sh", 0o755);
    assert!(digest(&sandbox).is_some());
    for name in ["a.txt", "b.sh"] {
        fs::remove_file(sandbox.path("skills/alpha").join(name)).unwrap();
    }
    sandbox.write(format!("skills/alpha/{}", forged()), "first");
    assert_eq!(digest(&sandbox), None);
}

#[test]
fn names_that_are_not_utf8_have_no_digest_to_share() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    let name = sandbox.path("skills/alpha").join(OsStr::from_bytes(b"a\xff"));
    if fs::write(&name, "x").is_err() {
        return skip("this file system holds no names that are not UTF-8");
    }
    assert_eq!(digest(&sandbox), None);
}

#[test]
fn a_skill_that_forges_the_digest_of_a_lock_is_not_locked() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    sandbox.write("skills/alpha/a.txt", "first");
    sandbox.write("skills/alpha/b.sh", "second");
    sandbox.chmod("skills/alpha/b.sh", 0o755);
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    assert_eq!(sandbox.run(["lock"]).code, 0);
    sandbox.skill("out/alpha", &good_text("alpha"));
    sandbox.write(format!("out/alpha/{}", forged()), "first");
    let report = sandbox.document(["verify", "--frozen", "--dir", "out", "--format", "json"]);
    assert_eq!(report["skills"][0]["status"], "not-locked", "{report:#}");
    assert_eq!(report["skills"][0]["digest"], serde_json::Value::Null);
}

#[test]
fn a_name_that_is_not_utf8_does_not_pass_for_the_character_that_replaces_it() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    sandbox.write("skills/alpha/a\u{fffd}", "x");
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    assert_eq!(sandbox.run(["lock"]).code, 0);
    sandbox.skill("out/alpha", &good_text("alpha"));
    let name = sandbox.path("out/alpha").join(OsStr::from_bytes(b"a\xff"));
    if fs::write(&name, "x").is_err() {
        return skip("this file system holds no names that are not UTF-8");
    }
    let report = sandbox.document(["verify", "--frozen", "--dir", "out", "--format", "json"]);
    assert_eq!(report["skills"][0]["status"], "not-locked", "{report:#}");
}

#[test]
fn a_skill_without_a_digest_is_not_installed_packed_or_locked() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    sandbox.write(format!("skills/alpha/{}", forged()), "first");
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    for args in [&["install", "--dir", "out"][..], &["pack", "skills/alpha"], &["lock"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 1, "{args:?} {}", run.stderr);
        assert!(run.stderr.contains("unsafe-file-name"), "{}", run.stderr);
    }
}

#[test]
fn a_file_without_a_digest_in_an_installed_skill_is_a_change() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    assert_eq!(sandbox.run(["install", "skills", "--dir", "out"]).code, 0);
    sandbox.write(format!("out/alpha/{}", forged()), "first");
    let report = sandbox.document(["verify", "--dir", "out", "--format", "json"]);
    assert_eq!(report["skills"][0]["status"], "modified", "{report:#}");
}
