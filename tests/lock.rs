//! `skills.lock`: how it is written, enforced and checked.

use std::fs;

use crate::git::cached;
use crate::harness::{Sandbox, good_text, skip};
use crate::origin::Origin;
#[cfg(unix)]
use crate::origin::run_with_git;

/// A locked project with its own skills and those of a repository.
#[track_caller]
pub(crate) fn project(sandbox: &Sandbox) -> Option<Origin> {
    let origin = Origin::new(sandbox)?;
    sandbox.good_skill("own/lint");
    manifest(sandbox, &["./own", &origin.source("//skills@main")]);
    let run = sandbox.run(["lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    Some(origin)
}

pub(crate) fn manifest(sandbox: &Sandbox, sources: &[&str]) {
    let lines: String = sources.iter().map(|source| format!("  - {source}\n")).collect();
    sandbox.write("skills.yaml", format!("version: 1\nskills:\n{lines}"));
}

/// The lock file, with ids replaced.
fn without_digests(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("sha256:") {
        result += &rest[..at];
        result += "sha256:[DIGEST]";
        rest = rest[at + 7..].trim_start_matches(|one: char| one.is_ascii_hexdigit());
    }
    result + rest
}

#[test]
fn a_lock_names_commits_and_digests_in_a_stable_order() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let id = origin.git(&["rev-parse", "HEAD"]);
    sandbox.good_skill("own/lint");
    sandbox.good_skill("own/audit");
    let renamed = format!("source: {}\n    name: pdf-one", origin.source("//skills/pdf@v1"));
    let all = origin.source("");
    manifest(&sandbox, &[&all, &renamed, "./own"]);
    let run = sandbox.run(["lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.ends_with("skills.lock: written, 3 sources, 4 skills\n"), "{}", run.stdout);
    let text = sandbox.read("skills.lock");
    let root = sandbox.path("..").canonicalize().unwrap();
    let shown =
        without_digests(&text).replace(root.to_str().unwrap(), "[DIR]").replace(&id, "[COMMIT]");
    insta::assert_snapshot!(shown);
    // A second run changes nothing, even if the manifest has another order.
    let written = fs::metadata(sandbox.path("skills.lock")).unwrap().modified().unwrap();
    manifest(&sandbox, &["./own", &renamed, &all]);
    let run = sandbox.run(["lock"]);
    assert_eq!(run.stdout, "skills.lock: up to date, 3 sources, 4 skills\n", "{}", run.stderr);
    assert_eq!(sandbox.read("skills.lock"), text);
    assert_eq!(fs::metadata(sandbox.path("skills.lock")).unwrap().modified().unwrap(), written);
}

#[cfg(unix)]
#[test]
fn a_branch_is_one_commit_in_one_run() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let [pdf, csv] = ["//skills/pdf@main", "//skills/csv@main"].map(|rest| origin.source(rest));
    manifest(&sandbox, &[&pdf, &csv, &origin.source("//skills@v1")]);
    // After each question, the server gets a new commit.
    let script = format!(
        "echo \"$*\" >> ~/told\ngit \"$@\"\ncode=$?\n\
         case \"$*\" in *ls-remote*) cd '{}' && unset GIT_DIR &&\n\
         git -c user.name=Ann -c user.email=ann@example.com commit -q --allow-empty -m More;; esac\n\
         exit $code",
        origin.path.display()
    );
    let run = run_with_git(&sandbox, &script, &["lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let first = origin.git(&["rev-parse", "v1"]);
    assert_eq!(sandbox.read("skills.lock").matches(&first).count(), 3);
    // A shared server is asked once.
    let told = sandbox.read("../home/told");
    for words in ["ls-remote", "config --get core.sshCommand"] {
        assert_eq!(told.matches(words).count(), 1, "{words}: {told}");
    }
}

#[test]
fn locked_skills_are_restored_without_a_server() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    origin.write("skills/pdf/SKILL.md", good_text("pdf") + "More.\n");
    origin.commit("More");
    let run = sandbox.run(["install", "--frozen", "--dir", "a"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    fs::rename(&origin.path, sandbox.path("../away")).unwrap();
    // With and without `--frozen`, locked sources need no server and do not change.
    for (flags, to) in [(&["--frozen"][..], "b"), (&[], "c")] {
        let run = sandbox.run(["install", "--dir", to].iter().chain(flags));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert_eq!(sandbox.read(format!("{to}/pdf/SKILL.md")), good_text("pdf"));
    }
    for command in ["validate", "list", "render"] {
        assert_eq!(sandbox.run([command, "--frozen"]).code, 0, "{command}");
    }
    let run =
        sandbox.run(["mount", "--frozen", "--", "sh", "-c", "cat ~/.claude/skills/pdf/SKILL.md"]);
    assert_eq!((run.code, run.stdout), (0, good_text("pdf")), "{}", run.stderr);
    let run = sandbox.run(["verify", "--frozen", "--dir", "a"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "ok  csv\nok  lint\nok  pdf\na: 3 ok\n"));
}

#[test]
fn a_lost_cache_is_fetched_again_at_the_locked_commit() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    origin.write("skills/pdf/SKILL.md", good_text("pdf") + "More.\n");
    origin.commit("More");
    fs::remove_dir_all(sandbox.path("../home/.cache")).unwrap();
    let run = sandbox.run(["install", "--frozen", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(sandbox.read("out/pdf/SKILL.md"), good_text("pdf"));
}

#[test]
fn frozen_refuses_unlocked_and_changed_skills() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    let lock = sandbox.read("skills.lock");
    let refused = |words: &[&str]| {
        for command in [&["install", "--dir", "out"][..], &["validate"], &["list"], &["render"]] {
            let run = sandbox.run(command.iter().chain(&["--frozen"]));
            assert_eq!(run.code, 1, "{command:?}: {}", run.all());
            assert!(words.iter().all(|part| run.stderr.contains(part)), "{}", run.stderr);
            assert!(!sandbox.path("out").exists() && sandbox.read("skills.lock") == lock);
        }
        let run = sandbox.run(["mount", "--frozen", "--", "true"]);
        assert_eq!(run.code, 125, "{}", run.stderr);
    };
    // A skill on this disk that was edited: both digests are named.
    let text = sandbox.read("own/lint/SKILL.md");
    sandbox.write("own/lint/SKILL.md", text.clone() + "x");
    refused(&[
        "`lint` of `./own` is sha256:",
        "but the lock has",
        "run `skills lock` to record it",
    ]);
    sandbox.write("own/lint/SKILL.md", &text);
    // A file beside it.
    sandbox.write("own/lint/more.md", "x");
    refused(&["`lint` of `./own` is sha256:"]);
    fs::remove_file(sandbox.path("own/lint/more.md")).unwrap();
    // One more skill, or one less.
    sandbox.good_skill("own/new");
    refused(&["`new` of `./own` is not in the lock"]);
    fs::rename(sandbox.path("own/new"), sandbox.path("new")).unwrap();
    fs::rename(sandbox.path("own/lint"), sandbox.path("own/other")).unwrap();
    sandbox.write("own/other/SKILL.md", good_text("other"));
    refused(&["2 skills differ from", "`lint` of `./own` is missing", "`other` of"]);
    fs::rename(sandbox.path("own/other"), sandbox.path("own/lint")).unwrap();
    sandbox.write("own/lint/SKILL.md", &text);
    // A source that is not locked, or another revision of one.
    manifest(&sandbox, &["./own", &origin.source("//skills@main"), "./new"]);
    refused(&["`./new` is not in `skills.lock`"]);
    manifest(&sandbox, &["./own", &origin.source("//skills@v1")]);
    refused(&["//skills@v1` is not in `skills.lock`"]);
    manifest(&sandbox, &["./own", &origin.source("//skills@main")]);
    // Asking for less is fine.
    let run = sandbox.run(["install", "--frozen", "--dir", "out", "--only", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn edits_of_local_sources_are_reported_and_other_changes_refused() {
    let sandbox = Sandbox::new();
    if project(&sandbox).is_none() {
        return;
    }
    sandbox.good_skill("own/packed");
    sandbox.run(["pack", "own/packed", "-o", "packed.skill"]);
    fs::remove_dir_all(sandbox.path("own/packed")).unwrap();
    manifest(&sandbox, &["./own", "./packed.skill"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    sandbox.write("own/lint/SKILL.md", good_text("lint") + "x");
    let run = sandbox.run(["install", "--dir", "a"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.starts_with("warning: `lint` of `./own` is sha256:"), "{}", run.stderr);
    // Another archive of that name.
    sandbox.skill("own/packed", &(good_text("packed") + "Other.\n"));
    let run = sandbox.run(["pack", "own/packed", "-o", "packed.skill", "--force"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    fs::remove_dir_all(sandbox.path("own/packed")).unwrap();
    let run = sandbox.run(["install", "--dir", "b"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("`packed` of `./packed.skill` is sha256:"), "{}", run.stderr);
    assert!(!sandbox.path("b").exists());
}

#[test]
fn every_flipped_bit_of_a_lock_is_caught_or_means_the_same() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/lint");
    manifest(&sandbox, &["./own"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let text = sandbox.read("skills.lock").into_bytes();
    // One bit of every byte: all of them are flipped in a unit test.
    for at in 0..text.len() {
        let mut flipped = text.clone();
        flipped[at] ^= 1 << (at % 7);
        sandbox.write("skills.lock", &flipped);
        let run = sandbox.run(["list", "--frozen"]);
        let is_blank = text[at].is_ascii_whitespace();
        assert!(run.code != 0 || is_blank, "byte {at}: {}", run.all());
    }
}

#[test]
fn a_cache_that_was_tampered_with_gives_nothing_else() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    fs::rename(&origin.path, sandbox.path("../away")).unwrap();
    let cache = cached(&sandbox).remove(0);
    let files: Vec<_> = walkdir::WalkDir::new(cache.join("objects"))
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let whole = fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 8 + 1) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            replace(&file, &flipped);
            let run = sandbox.run(["install", "--frozen", "--dir", "out"]);
            match run.code {
                0 => assert_eq!(sandbox.read("out/pdf/SKILL.md"), good_text("pdf")),
                code => assert!(matches!(code, 1 | 2), "{}", run.stderr),
            }
            let _ = fs::remove_dir_all(sandbox.path("out"));
        }
        replace(&file, &whole);
    }
    let run = sandbox.run(["install", "--frozen", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

/// Objects are read-only.
pub(crate) fn replace(file: &std::path::Path, bytes: &[u8]) {
    let _ = fs::remove_file(file);
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_lock_of_a_newer_version_or_a_damaged_one_is_not_touched() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/lint");
    manifest(&sandbox, &["./own"]);
    for (text, words) in [
        ("{\"version\": 2, \"future\": []}", "has version 2, and this program knows version 1"),
        ("{\"version\": 1, \"sources\": [", "is damaged"),
        ("<<<<<<< HEAD\n", "it has an unresolved merge conflict"),
        ("{\"version\": 99999999999, \"sources\": []}", "has version 99999999999"),
        ("{\"version\": \"2.0\", \"sources\": []}", "has version \"2.0\""),
        ("", "is damaged"),
    ] {
        sandbox.write("skills.lock", text);
        for command in
            [&["lock"][..], &["outdated"], &["install", "--dir", "out"], &["validate"], &["verify"]]
        {
            let run = sandbox.run(command);
            assert_eq!(run.code, 2, "{command:?} {text}");
            assert!(run.stderr.contains(words), "{}", run.stderr);
        }
        assert_eq!(sandbox.read("skills.lock"), text);
    }
}

#[test]
fn one_commit_cannot_have_two_digests() {
    let sandbox = Sandbox::new();
    if project(&sandbox).is_none() {
        return;
    }
    let text = sandbox.read("skills.lock");
    let at = text.find("\"pdf\",\"digest\":\"sha256:").unwrap() + 23;
    let digit = if &text[at..=at] == "0" { "1" } else { "0" };
    let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
    sandbox.write("skills.lock", &changed);
    for command in [&["lock"][..], &["lock", "--upgrade"], &["install", "--dir", "out"]] {
        let run = sandbox.run(command);
        assert_eq!(run.code, 1, "{command:?}: {}", run.all());
        assert_eq!(run.stderr.matches("sha256:").count(), 2, "{}", run.stderr);
        assert_eq!(sandbox.read("skills.lock"), changed);
    }
}

#[test]
fn disabled_entries_stay_locked() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/lint");
    sandbox.good_skill("extra/audit");
    sandbox.good_skill("later/deep");
    let text = "version: 1\nskills:\n  - ./own\n  - source: ./extra\n    enabled: { env: EXTRA }\n  \
                - source: ./later\n    section: later\nsections: { later: summary }\n";
    sandbox.write("skills.yaml", text);
    let run = sandbox.run_with(["lock"], |command| {
        command.env("EXTRA", "1");
    });
    assert!(run.stdout.ends_with("written, 3 sources, 3 skills\n"), "{}", run.all());
    let lock = sandbox.read("skills.lock");
    assert_eq!(sandbox.run(["lock"]).stdout, "skills.lock: up to date, 3 sources, 3 skills\n");
    assert_eq!(sandbox.read("skills.lock"), lock);
    let run = sandbox.run(["install", "--frozen", "--dir", "out", "--expand", "later"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    // Sources that the manifest no longer names are removed.
    manifest(&sandbox, &["./own"]);
    let run = sandbox.run(["lock"]);
    assert!(run.stdout.contains("removed  audit") && run.stdout.contains("removed  deep"));
    assert!(!sandbox.read("skills.lock").contains("audit"));
}

#[test]
fn verify_compares_with_the_lock_as_well() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/lint");
    sandbox.good_skill("own/audit");
    manifest(&sandbox, &["./own"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let run = sandbox.run(["verify", "--frozen", "--dir", "out"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("missing  audit"), "{}", run.all());
    // Installed from another source under the same name.
    sandbox.skill("else/lint", &(good_text("lint") + "Other.\n"));
    assert_eq!(sandbox.run(["install", "else", "--dir", "out"]).code, 0);
    // Put there by hand.
    sandbox.good_skill("out/audit");
    let run = sandbox.run(["verify", "--dir", "out"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("not-locked  lint  the lock says sha256:"), "{}", run.stdout);
    let report = sandbox.document(["verify", "--dir", "out", "--format", "json"]);
    assert_eq!(report["summary"]["not_locked"], 1, "{report:#}");
    sandbox.skill("out/audit", &(good_text("audit") + "Other.\n"));
    let report = sandbox.document(["verify", "--dir", "out", "--format", "json"]);
    assert_eq!(report["summary"]["not_locked"], 2, "{report:#}");
    // Skills that are not in the lock are ignored.
    sandbox.good_skill("out/mine");
    let run = sandbox.run(["install", "--frozen", "--force", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(sandbox.run(["verify", "--frozen", "--dir", "out"]).code, 0);
    // The user can name another manifest.
    fs::create_dir(sandbox.path("team")).unwrap();
    for name in ["skills.yaml", "skills.lock"] {
        fs::rename(sandbox.path(name), sandbox.path(format!("team/{name}"))).unwrap();
    }
    let run = sandbox.run(["verify", "--frozen", "--dir", "out"]);
    assert!(run.code == 2 && run.stderr.contains("needs `skills.lock`"), "{}", run.stderr);
    sandbox.run(["install", "else", "--force", "--dir", "out"]);
    assert_eq!(sandbox.run(["verify", "--dir", "out"]).code, 0);
    assert_eq!(sandbox.run(["verify", "--dir", "out", "--manifest", "team/skills.yaml"]).code, 1);
}

#[test]
fn an_unreadable_directory_is_not_a_refusal() {
    if Sandbox::new().shell("id -u").stdout.trim() == "0" {
        skip("root may read everything");
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/pdf");
    sandbox.write("own/pdf/closed.txt", "x");
    manifest(&sandbox, &["./own"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    sandbox.chmod("own/pdf/closed.txt", 0o000);
    for command in [&["install", "--dir", "out"][..], &["lock"], &["mount"]] {
        let run = sandbox.run(command);
        assert_eq!(run.code, 2, "{command:?} {}", run.all());
    }
}

#[test]
fn frozen_applies_to_the_view_of_an_agent() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/pdf");
    manifest(&sandbox, &["./own"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let views = [
        &["list", "--agent", "claude", "--manifest", "skills.yaml", "--frozen"][..],
        &["render", "--as", "claude", "--manifest", "skills.yaml", "--frozen"],
    ];
    for view in views {
        assert_eq!(sandbox.run(view).code, 0, "{view:?}");
    }
    sandbox.write("own/pdf/new.txt", "new");
    for view in views {
        let run = sandbox.run(view);
        assert_eq!(run.code, 1, "{view:?} {}", run.all());
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn frozen_is_about_a_manifest_and_its_lock() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/lint");
    for (args, words) in [
        (&["install", "own", "--frozen", "--dir", "out"][..], "needs a manifest"),
        (&["list", "--frozen"], "needs a manifest"),
        (&["validate", "--frozen"], "needs a manifest"),
        (&["lock"], "there is no skills.yaml here"),
        (&["outdated", "--manifest", "skills.yaml"], "skills.yaml"),
    ] {
        let run = sandbox.run(args);
        assert!(run.code == 2 && run.stderr.contains(words), "{args:?}: {}", run.stderr);
    }
    manifest(&sandbox, &["./own"]);
    let run = sandbox.run(["install", "--frozen", "--dir", "out"]);
    assert!(
        run.code == 2 && run.stderr.contains("run `skills lock` to write it"),
        "{}",
        run.stderr
    );
    let run = sandbox.run(["outdated"]);
    assert!(run.code == 2 && run.stderr.contains("there is no `skills.lock`"), "{}", run.stderr);
    // A lock has the name of its manifest.
    fs::rename(sandbox.path("skills.yaml"), sandbox.path("team.yaml")).unwrap();
    assert_eq!(sandbox.run(["lock", "--manifest", "team.yaml"]).code, 0);
    assert!(sandbox.path("team.lock").is_file());
    let run = sandbox.run(["install", "--manifest", "team.yaml", "--frozen", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_commit_that_a_source_cannot_have_is_refused() {
    let sandbox = Sandbox::new();
    let Some(origin) = project(&sandbox) else { return };
    let first = origin.git(&["rev-parse", "HEAD"]);
    origin.skill("skills/evil");
    let second = origin.commit("Evil");
    manifest(&sandbox, &["./own", &origin.source(&format!("@{second}"))]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    // Change the source to another commit than the locked one.
    for file in ["skills.yaml", "skills.lock"] {
        sandbox
            .write(file, sandbox.read(file).replace(&format!("@{second}"), &format!("@{first}")));
    }
    for command in
        [&["install", "--dir", "out", "--frozen"][..], &["validate"], &["lock"], &["list"]]
    {
        let run = sandbox.run(command);
        assert_eq!(run.code, 1, "{command:?}: {}", run.all());
        assert!(run.stderr.contains("is locked at "), "{}", run.stderr);
    }
    // A directory has no commit.
    manifest(&sandbox, &["./own"]);
    let lock = "\"./own\",\n      \"commit\": \"0123456789012345678901234567890123456789\",";
    fs::remove_file(sandbox.path("skills.lock")).unwrap();
    assert_eq!(sandbox.run(["lock"]).code, 0);
    sandbox.write("skills.lock", sandbox.read("skills.lock").replace("\"./own\",", lock));
    let run = sandbox.run(["validate", "--frozen"]);
    assert!(run.code == 1 && run.stderr.contains("but is not a git source"), "{}", run.stderr);
}

#[test]
fn a_source_that_is_named_twice_is_locked_once() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    sandbox.good_skill("own/lint");
    let source = origin.source("//skills");
    manifest(&sandbox, &["./own", "./own", &source, &source]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    for command in [&["install", "--dir", "out"][..], &["validate"], &["list"]] {
        let run = sandbox.run(command.iter().chain(&["--frozen"]));
        assert_eq!(run.code, 0, "{command:?}: {}", run.stderr);
    }
}

#[test]
fn sources_that_overlap_are_locked_for_all_conditions() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    sandbox.good_skill("own/lint");
    sandbox.good_skill("own/audit");
    let run = |args: &[&str], all: bool| {
        sandbox.run_with(args, |command| {
            if all {
                command.env("ALL", "1");
            }
        })
    };
    let [whole, part] = ["//skills@main", "//skills/pdf@main"].map(|rest| origin.source(rest));
    let whole =
        [&whole, "./own"].map(|all| format!("  - {{source: '{all}', enabled: {{env: ALL}}}}\n"));
    let part = [&part, "./own/lint"].map(|one| format!("  - {one}\n"));
    let [whole, part] = [whole, part].map(|lines| lines.concat());
    for lines in [[&*whole, &part], [&*part, &whole]] {
        let _ = fs::remove_file(sandbox.path("skills.lock"));
        sandbox.write("skills.yaml", format!("version: 1\nskills:\n{}", lines.concat()));
        let locked = run(&["lock"], true);
        assert!(locked.stdout.ends_with("written, 4 sources, 4 skills\n"), "{}", locked.all());
        let lock = sandbox.read("skills.lock");
        assert_eq!(lock.matches("\"lint\"").count(), 2, "{lock}");
        for all in [false, true] {
            let frozen = run(&["install", "--frozen", "--dry-run", "--dir", "out"], all);
            assert_eq!(frozen.code, 0, "{}", frozen.stderr);
            let again = run(&["lock"], all);
            assert!(again.stdout.contains("up to date, 4 sources"), "{}", again.all());
        }
    }
    // Every verb refuses a changed skill.
    sandbox.skill("own/lint", &(good_text("lint") + "More.\n"));
    for all in [false, true] {
        let frozen = run(&["install", "--frozen", "--dir", "out"], all);
        assert_eq!(frozen.code, 1, "{}", frozen.all());
        assert!(frozen.stderr.starts_with("error: `lint` of `./own"), "{}", frozen.all());
    }
}

#[test]
fn disabled_entries_need_not_be_installed() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/lint");
    sandbox.good_skill("extra/audit");
    let text = "version: 1\nskills:\n  - ./own\n  - source: ./extra\n    enabled: { env: EXTRA }\n";
    sandbox.write("skills.yaml", text);
    let with_extra = |args: &[&str]| {
        sandbox.run_with(args, |command| {
            command.env("EXTRA", "1");
        })
    };
    assert_eq!(with_extra(&["lock"]).code, 0);
    assert_eq!(sandbox.run(["install", "--frozen", "--dir", "out"]).code, 0);
    let run = sandbox.run(["verify", "--frozen", "--dir", "out"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "ok  lint\nout: 1 ok\n"));
    let run = with_extra(&["verify", "--frozen", "--dir", "out"]);
    assert!(run.code == 1 && run.stdout.contains("missing  audit"), "{}", run.stdout);
    let run = sandbox.run(["lock", "--upgrade", "audit"]);
    assert!(run.stderr.contains("its entry is not enabled in this run"), "{}", run.stderr);
}

/// Tells a thread to stop when it is dropped.
#[cfg(unix)]
struct Stopped<'a>(&'a std::sync::atomic::AtomicBool);

#[cfg(unix)]
impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(unix)]
#[test]
fn a_skill_that_changes_before_the_copy_is_not_installed() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("own/lint");
    for number in 0..200 {
        sandbox.write(format!("own/lint/f{number}"), vec![b'x'; 20_000]);
    }
    manifest(&sandbox, &["./own"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Stop the thread even after a failure, because a scope waits for its threads.
        let _stopped = Stopped(&stop);
        scope.spawn(|| {
            let file = sandbox.path("own/lint/f199");
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for byte in [b'y', b'x'] {
                    let other = sandbox.path("other");
                    fs::write(&other, vec![byte; 20_000]).unwrap();
                    fs::rename(other, &file).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(3));
                }
            }
        });
        for number in 0..12 {
            let to = format!("out{number}");
            if sandbox.run(["install", "--frozen", "--dir", &to]).code == 0 {
                let text = sandbox.read(format!("{to}/lint/f199"));
                assert!(text.bytes().all(|byte| byte == b'x'), "something else was installed");
            } else {
                assert!(!sandbox.path(to).join("lint").exists());
            }
        }
    });
}
