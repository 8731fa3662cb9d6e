//! `skills install`: the files, modes and records afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Sandbox, skip, text};

/// Every path below a directory, with the content of files and the targets of links.
pub(crate) fn snapshot(root: &Path) -> BTreeMap<String, String> {
    fn walk(root: &Path, path: &Path, seen: &mut BTreeMap<String, String>) {
        let Ok(entries) = fs::read_dir(path) else { return };
        for entry in entries {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let kind = entry.file_type().unwrap();
            let what = if name.ends_with(".skills-index.lock") {
                "lock".to_owned()
            } else if kind.is_symlink() {
                format!("-> {}", fs::read_link(entry.path()).unwrap().display())
            } else if kind.is_dir() {
                "directory".to_owned()
            } else if kind.is_file() {
                String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned()
            } else {
                "special".to_owned()
            };
            seen.insert(name, what);
            if kind.is_dir() {
                walk(root, &entry.path(), seen);
            }
        }
    }
    let mut seen = BTreeMap::new();
    walk(root, root, &mut seen);
    seen
}

/// A sandbox with a collection of two skills, one of them with a script and an empty directory.
pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    sandbox.good_skill("src/csv");
    sandbox.write("src/pdf/scripts/run.sh", "#!/bin/sh\necho run\n");
    sandbox.write("src/pdf/data/notes.txt", "notes\n");
    sandbox.mkdir("src/pdf/assets/empty");
    #[cfg(unix)]
    sandbox.chmod("src/pdf/scripts/run.sh", 0o755);
    sandbox
}

/// The skills directory of Claude in the home.
pub(crate) const SKILLS: &str = "../home/.claude/skills";

fn actions(report: &Value) -> Vec<(String, String)> {
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    let word = |skill: &Value, key: &str| skill[key].as_str().unwrap().to_owned();
    skills.iter().map(|skill| (word(skill, "name"), word(skill, "action"))).collect()
}

#[test]
fn installed_skills_are_not_sources_in_any_order() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/csv");
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.mkdir(".claude/skills/broken");
    for sources in [["./.claude/skills/pdf", "."], [".", "./.claude/skills/pdf"]] {
        let flags = ["--agent", "claude", "--scope", "project", "--dry-run"];
        let run = sandbox.run([&["install"], &sources[..], &flags].concat());
        assert_eq!(run.code, 0, "{sources:?} {}", run.all());
    }
}

#[test]
fn skills_are_copied_whole_and_recorded() {
    let sandbox = sandbox();
    let run = sandbox.run(["install", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    insta::assert_snapshot!("installed", run.stdout);
    assert_eq!(run.stderr, "");
    for file in ["SKILL.md", "scripts/run.sh", "data/notes.txt"] {
        assert_eq!(
            sandbox.read(format!("{SKILLS}/pdf/{file}")),
            sandbox.read(format!("src/pdf/{file}"))
        );
    }
    assert!(sandbox.path(SKILLS).join("pdf/assets/empty").is_dir());
    let record: Value =
        serde_json::from_str(&sandbox.read(format!("{SKILLS}/.skills-index.json"))).unwrap();
    assert_eq!(record["version"], 1);
    let pdf = &record["skills"][1];
    assert_eq!(pdf["name"], "pdf");
    assert_eq!(pdf["kind"], "directory");
    assert_eq!(pdf["source"], sandbox.path("src/pdf").to_str().unwrap());
    assert_eq!(pdf["tool"], env!("CARGO_PKG_VERSION"));
    assert_eq!(pdf["files"].as_array().unwrap().len(), 3);
    assert_eq!(pdf["files"][2]["path"], "scripts/run.sh");
    // The record, the report and `list --long` agree on the digest.
    let listed = sandbox.document(["list", "src", "--long", "--format", "json"]);
    assert_eq!(listed["skills"][1]["digest"], pdf["digest"]);
    let again = sandbox.document(["install", "src", "--format", "json"]);
    assert_eq!(again["skills"][1]["digest"], pdf["digest"]);
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
#[cfg(unix)]
fn modes_are_made_and_only_the_execute_bit_is_kept() {
    use std::os::unix::fs::MetadataExt;
    for (umask, file, script) in
        [("000", 0o644, 0o755), ("022", 0o644, 0o755), ("077", 0o600, 0o700)]
    {
        let sandbox = sandbox();
        sandbox.chmod("src/pdf/scripts/run.sh", 0o6711);
        sandbox.chmod("src/pdf/data/notes.txt", 0o666);
        sandbox.chmod("src/pdf/data", 0o777);
        fs::hard_link(sandbox.path("src/pdf/data/notes.txt"), sandbox.path("twin")).unwrap();
        let run = sandbox.shell(&format!("umask {umask}; \"$SKILLS\" install src"));
        assert_eq!(run.code, 0, "{}", run.all());
        let pdf = format!("{SKILLS}/pdf");
        assert_eq!(sandbox.mode(format!("{pdf}/scripts/run.sh")), script, "{umask}");
        assert_eq!(sandbox.mode(format!("{pdf}/data/notes.txt")), file, "{umask}");
        assert_eq!(sandbox.mode(format!("{pdf}/data")), script, "{umask}");
        assert_eq!(sandbox.mode(&pdf), script, "{umask}");
        assert_eq!(fs::metadata(sandbox.path(format!("{pdf}/data/notes.txt"))).unwrap().nlink(), 1);
        let index: Value =
            serde_json::from_str(&sandbox.read(format!("{SKILLS}/.skills-index.json"))).unwrap();
        assert_eq!(index["skills"][1]["files"][2]["mode"], format!("{script:04o}"));
    }
}

#[test]
fn a_dry_run_says_what_would_happen_and_writes_nothing() {
    let sandbox = sandbox();
    let before = snapshot(&sandbox.path(".."));
    let run = sandbox.run(["install", "src", "--dry-run"]);
    assert_eq!(run.code, 0, "{}", run.all());
    insta::assert_snapshot!("dry_run", run.stdout);
    assert_eq!(snapshot(&sandbox.path("..")), before);
    let planned = sandbox.document(["install", "src", "--dry-run", "--format", "json"]);
    let mut done = sandbox.document(["install", "src", "--format", "json"]);
    assert_eq!(planned["dry_run"], true);
    done["dry_run"] = Value::Bool(true);
    assert_eq!(planned, done);
}

#[test]
fn an_existing_archive_is_unchanged_or_a_conflict() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    let same = sandbox.document(["install", "src", "--format", "json"]);
    let unchanged = |name: &str| (name.to_owned(), "unchanged".to_owned());
    assert_eq!(actions(&same), [unchanged("csv"), unchanged("pdf")]);

    sandbox.skill("src/pdf", &text("pdf", "license: MIT\n"));
    sandbox.write("src/pdf/new.txt", "new");
    fs::remove_file(sandbox.path("src/pdf/data/notes.txt")).unwrap();
    // From another source, it is another skill.
    fs::rename(sandbox.path("src"), sandbox.path("other")).unwrap();
    let before = snapshot(&sandbox.path("../home"));
    for flags in [&["--dry-run"][..], &[]] {
        let run = sandbox.run([&["install", "other"], flags].concat());
        assert_eq!(run.code, 1, "{}", run.all());
        assert_eq!(run.stdout, "");
        insta::assert_snapshot!("different_version", run.stderr);
        assert_eq!(snapshot(&sandbox.path("../home")), before);
    }
    let refused = sandbox.document(["install", "other", "--format", "json"]);
    assert_eq!(refused["error"]["kind"], "conflict");
    assert!(refused["error"]["details"].as_str().unwrap().contains("changed SKILL.md"));

    let forced = sandbox.document(["install", "other", "--force", "--format", "json"]);
    assert_eq!(actions(&forced), [unchanged("csv"), ("pdf".to_owned(), "replaced".to_owned())]);
    assert!(forced["skills"][1].get("backup").is_none(), "nobody had edited it");
    assert!(!sandbox.path(SKILLS).join("pdf/data/notes.txt").exists());
    assert_eq!(sandbox.read(format!("{SKILLS}/pdf/new.txt")), "new");
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
fn a_manual_update_is_recorded() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.skill("src/pdf", &text("pdf", "license: MIT\n"));
    sandbox.skill(&format!("{SKILLS}/pdf"), &text("pdf", "license: MIT\n"));
    assert_eq!(sandbox.run(["verify"]).code, 1);
    let report = sandbox.document(["install", "src", "--format", "json"]);
    assert_eq!(actions(&report)[1], ("pdf".to_owned(), "unchanged".to_owned()));
    let run = sandbox.run(["verify"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.run(["remove", "pdf"]).code, 0);

    // The modes change, and no backup is needed.
    sandbox.run(["install", "src"]);
    sandbox.skill("src/pdf", &text("pdf", "license: BSD\n"));
    sandbox.skill(&format!("{SKILLS}/pdf"), &text("pdf", "license: BSD\n"));
    let report = sandbox.document(["install", "src", "--read-only", "--format", "json"]);
    assert_eq!(actions(&report)[1], ("pdf".to_owned(), "replaced".to_owned()));
    assert!(report["skills"][1].get("backup").is_none(), "{report:#}");
    assert_eq!(sandbox.run(["verify"]).code, 0);
}

#[test]
fn an_edited_skill_is_backed_up_even_with_force() {
    for touch in ["SKILL.md", "scripts/mine.sh", ".git/config"] {
        let sandbox = sandbox();
        sandbox.run(["install", "src"]);
        sandbox.write(format!("{SKILLS}/pdf/{touch}"), "written by hand\n");
        sandbox.skill("src/pdf", &text("pdf", "license: MIT\n"));
        let refused = sandbox.run(["install", "src"]);
        assert_eq!(refused.code, 1);
        assert!(refused.stderr.contains("was edited since it was installed"), "{}", refused.stderr);
        let forced = sandbox.document(["install", "src", "--force", "--format", "json"]);
        let backup = forced["skills"][1]["backup"].as_str().unwrap_or_else(|| panic!("{forced:#}"));
        let backup =
            backup.replace("[DIR]", sandbox.path("..").canonicalize().unwrap().to_str().unwrap());
        assert_eq!(
            fs::read_to_string(Path::new(&backup).join(touch)).unwrap(),
            "written by hand\n"
        );
        assert_eq!(sandbox.run(["verify"]).code, 0);
        // Neither an agent nor a scan treats the backup as a skill.
        let listed = sandbox.run(["list", "--format", "names"]);
        assert_eq!(listed.stdout, "csv\npdf\n");
        let below = sandbox.run(["list", "../home", "--format", "names"]);
        assert_eq!(below.stdout, "csv\npdf\n");
    }
}

#[test]
fn a_skill_without_a_record_is_backed_up_too() {
    let sandbox = sandbox();
    sandbox.skill(&format!("{SKILLS}/pdf"), &text("pdf", "license: mine\n"));
    let refused = sandbox.run(["install", "src"]);
    assert_eq!(refused.code, 1);
    insta::assert_snapshot!("somebody_elses", refused.stderr);
    assert!(!sandbox.path(SKILLS).join("csv").exists(), "all or nothing");
    assert_eq!(sandbox.run(["install", "src", "--force"]).code, 0);
    let kept = fs::read_dir(sandbox.path("../home/.claude/.skills-backup")).unwrap().count();
    assert_eq!(kept, 1);

    // An identical skill is no conflict, and is recorded.
    let sandbox = self::sandbox();
    sandbox.home_skill(".claude/skills/csv");
    let report = sandbox.document(["install", "src", "--format", "json"]);
    assert_eq!(actions(&report)[0].1, "unchanged");
    assert_eq!(sandbox.run(["remove", "csv"]).code, 0);
}

#[test]
fn destinations_follow_agents_scope_home_and_dir() {
    let cases: [(&[&str], &[&str]); 10] = [
        (&[], &["../home/.claude/skills"]),
        (&["--agent", "claude-code"], &["../home/.claude/skills"]),
        (&["--agent", "codex", "--agent", "pi", "--agent", "gemini"], &["../home/.agents/skills"]),
        (
            &["--agent", "claude", "--agent", "opencode", "--agent", "copilot"],
            &["../home/.claude/skills", "../home/.agents/skills"],
        ),
        (&["--agent", "windsurf"], &["../home/.codeium/windsurf/skills"]),
        (&["--scope", "project"], &[".claude/skills"]),
        (&["--scope", "project", "--agent", "cursor"], &[".agents/skills"]),
        (&["--home", "other/home"], &["other/home/.claude/skills"]),
        (&["--home", "other", "--agent", "amp"], &["other/.config/agents/skills"]),
        (&["--dir", "some/where"], &["some/where"]),
    ];
    for (flags, directories) in cases {
        let sandbox = sandbox();
        let report =
            sandbox.document([&["install", "src/pdf", "--format", "json"], flags].concat());
        assert_eq!(report["skills"].as_array().unwrap().len(), directories.len(), "{flags:?}");
        for directory in directories {
            assert!(sandbox.path(directory).join("pdf/SKILL.md").is_file(), "{flags:?}");
        }
        assert_eq!(sandbox.run([&["verify"], flags].concat()).code, 0);
        let removed = sandbox.run([&["remove", "pdf"], flags].concat());
        assert_eq!(removed.code, 0, "{}", removed.all());
        for directory in directories {
            assert!(!sandbox.path(directory).join("pdf").exists(), "{flags:?}");
        }
    }
}

#[test]
fn a_project_is_the_repository_around_the_current_directory() {
    let sandbox = sandbox();
    sandbox.mkdir("deep/er");
    let run = sandbox.run(["-C", "deep/er", "install", "../../src", "--scope", "project"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path(".claude/skills/pdf/SKILL.md").is_file());
    // An installed copy below a source does not become a source.
    let again = sandbox.run(["install", ".", "--scope", "project"]);
    assert_eq!(again.code, 0, "{}", again.all());
    // Claude prefers the skill of the user.
    sandbox.home_skill(".claude/skills/csv");
    let warned = sandbox.run(["install", "src", "--scope", "project"]);
    assert!(
        warned.stderr.contains("takes precedence over the project's skill"),
        "{}",
        warned.stderr
    );
}

#[test]
fn variables_that_move_an_agent_move_its_skills() {
    let sandbox = sandbox();
    let config = sandbox.path("config");
    let run = sandbox.run_with(["install", "src"], |command| {
        command.env("CLAUDE_CONFIG_DIR", &config);
    });
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path("config/skills/pdf/SKILL.md").is_file());
    let run = sandbox.run_with(["install", "src", "--home", "h"], |command| {
        command.env("CLAUDE_CONFIG_DIR", &config);
    });
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path("h/.claude/skills/pdf/SKILL.md").is_file());
}

#[test]
fn a_home_that_is_not_there_is_an_error() {
    let sandbox = sandbox();
    for home in [None, Some(""), Some("relative/home")] {
        let run = sandbox.run_with(["install", "src"], |command| {
            match home {
                None => command.env_remove("HOME"),
                Some(home) => command.env("HOME", home),
            };
        });
        assert_eq!(run.code, 2, "{}", run.all());
        assert!(run.stderr.starts_with("error: HOME is not"), "{}", run.stderr);
        assert!(run.stderr.contains("help: set HOME, or use `--home DIR`"), "{}", run.stderr);
        assert!(!sandbox.path("relative").exists());
        let run = sandbox.run_with(["install", "src", "--dir", "x"], |command| {
            command.env_remove("HOME");
        });
        assert_eq!(run.code, 0, "{}", run.all());
    }
}

#[test]
fn mistakes_say_what_to_do() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    let mut said = String::new();
    for (line, code) in [
        ("install", 2),
        ("install nowhere", 2),
        ("install src --agent cladue", 2),
        ("install src --home x --scope project", 2),
        ("install src --only pfd", 2),
        ("install src --max-skill-size many", 2),
        ("remove pfd", 1),
        ("remove ../x", 2),
        ("verify pfd", 2),
    ] {
        let run = sandbox.run(line.split(' '));
        assert_eq!(run.code, code, "{line}: {}", run.all());
        assert_eq!(run.stdout, "");
        said += &format!("$ skills {line}\n{}\n", run.stderr);
    }
    insta::assert_snapshot!("mistakes", said);
}

#[test]
fn a_strict_run_refuses_invalid_skills_all_together() {
    let sandbox = sandbox();
    sandbox.skill("src/broken", "---\nname: broken\ndescription: Use when: x\n---\n\nBody.\n");
    for flags in [&["--dry-run"][..], &[]] {
        let run = sandbox.run([&["install", "src", "--strict"], flags].concat());
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("error[invalid-yaml]"), "{}", run.stderr);
        assert!(run.stderr.contains("1 of 3 skills cannot be installed"), "{}", run.stderr);
        assert!(snapshot(&sandbox.path("../home")).is_empty());
    }
    let report = sandbox.document(["install", "src", "--strict", "--format", "json"]);
    assert_eq!(report["error"]["kind"], "invalid_frontmatter");
    assert!(report["error"]["details"].as_str().unwrap().contains("broken/SKILL.md:3:22"));
    // Agents load it, so it can be used.
    let run = sandbox.run(["install", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path(SKILLS).join("broken/SKILL.md").is_file());
}

#[test]
fn duplicates_are_refused() {
    let sandbox = sandbox();
    sandbox.good_skill("more/pdf");
    let run = sandbox.run(["install", "src/pdf", "more/pdf"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("error: Duplicate skill name: pdf\n"), "{}", run.stderr);
    assert!(snapshot(&sandbox.path("../home")).is_empty());
    assert_eq!(sandbox.run(["install", "src", "more", "--exclude", "pdf", "--dry-run"]).code, 0);
}

#[test]
fn limits_hold_and_can_be_changed() {
    let sandbox = sandbox();
    sandbox.write("src/pdf/data/blob", vec![0; 6 * 1024 * 1024]);
    sandbox.write("src/pdf/data/blob2", vec![0; 5 * 1024 * 1024]);
    for flags in [&["--no-validate"][..], &["--dry-run"], &[]] {
        let run = sandbox.run([&["install", "src/pdf"], flags].concat());
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("skill-too-large"), "{}", run.all());
    }
    let run = sandbox.run(["install", "src", "--max-skill-size", "12MiB"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let sandbox = self::sandbox();
    for flags in [&["--dry-run"][..], &[]] {
        let run = sandbox.run([&["install", "src", "--max-total-size", "200"], flags].concat());
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("larger than 200 bytes together"), "{}", run.stderr);
    }
    assert!(snapshot(&sandbox.path("../home")).is_empty());
    sandbox.write("skills.yaml", "version: 1\nlimits: { max_total_size: 200 }\nskills: [./src]\n");
    assert_eq!(sandbox.run(["install"]).code, 1);
}

#[test]
fn version_control_is_never_copied() {
    let sandbox = sandbox();
    sandbox.write("src/pdf/.git/config", "x");
    sandbox.write("src/pdf/sub/.git", "gitdir: elsewhere");
    sandbox.write("src/pdf/sub/file", "x");
    let run = sandbox.run(["install", "src"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let there = snapshot(&sandbox.path(SKILLS));
    assert!(there.contains_key("pdf/sub/file"));
    assert!(!there.keys().any(|path| path.contains(".git")), "{there:#?}");
}

#[test]
fn names_of_a_manifest_and_file_skills_rewrite_the_name_and_nothing_else() {
    let sandbox = Sandbox::repository();
    let original = "---\n# comment\nname: \"review-v2\"   # why\ndescription: Reviews. Use when reviewing.\n---\n\nname: review-v2\n";
    sandbox.skill("internal/review-v2", original);
    sandbox.write("notes/howto.md", text("other", ""));
    sandbox.write("notes/numbers.md", text("other", ""));
    sandbox.write(
        "skills.yaml",
        "version: 1\nskills:\n  - source: ./internal/review-v2\n    name: code-review\n  - ./notes/howto.md\n  - source: ./notes/numbers.md\n    name: \"123\"\n",
    );
    let report = sandbox.document(["install", "--format", "json"]);
    let kinds: Vec<_> = report["skills"]
        .as_array()
        .unwrap_or_else(|| panic!("{report:#}"))
        .iter()
        .map(|skill| (skill["name"].as_str().unwrap(), skill["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [("code-review", "directory"), ("howto", "file"), ("123", "file")]);
    assert_eq!(
        sandbox.read(format!("{SKILLS}/code-review/SKILL.md")),
        original.replace("\"review-v2\"   # why", "code-review   # why")
    );
    assert_eq!(sandbox.read(format!("{SKILLS}/howto/SKILL.md")), text("howto", ""));
    let quoted = sandbox.read(format!("{SKILLS}/123/SKILL.md"));
    assert!(quoted.contains("\nname: \"123\"\n"), "{quoted}");
    // Every agent and the validator agree on what is installed.
    let run = sandbox.run(["validate", SKILLS]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.run(["install"]).code, 0);
}

#[test]
fn inline_skills_are_installed_unless_they_have_tools() {
    let sandbox = crate::render::sandbox();
    let run = sandbox.run(["install", "--events", "log"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("note: `linting` has tools and stays in the prompt"));
    let names: Vec<String> = snapshot(&sandbox.path(SKILLS))
        .into_iter()
        .filter(|(path, what)| what == "directory" && !path.contains('/'))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(names, ["csv", "naming", "pdf"]);
    insta::assert_snapshot!("inline_skill_md", sandbox.read(format!("{SKILLS}/naming/SKILL.md")));
    let event: Value = serde_json::from_str(&sandbox.read("log")).unwrap();
    assert_eq!(event["type"], "skills_installed");
    assert_eq!(event["inline_skills"], serde_json::json!(["naming"]));
    assert_eq!(event["referenced_skills"], serde_json::json!(["csv", "pdf"]));
    assert_eq!(event["prompt_ns"], "skills");
    assert_eq!(event["prompt_key"], "install");
    assert!(event["skills_dir"].as_str().unwrap().ends_with("/home/.claude/skills"));
    for key in ["session_id", "created_at", "event_id"] {
        assert!(event.get(key).is_some(), "{key}");
    }
    // A collapsed section is installed once it is expanded.
    assert_eq!(sandbox.run(["install", "--expand", "archives", "--param", "language=go"]).code, 0);
    assert_eq!(sandbox.run(["install", "--expand", "archives"]).code, 0);
    assert!(sandbox.path(SKILLS).join("zip/SKILL.md").is_file());
}

#[test]
#[cfg(unix)]
fn a_name_that_cannot_be_changed_is_refused_and_odd_ones_are_quoted() {
    let sandbox = Sandbox::repository();
    sandbox.write("skills.yaml", "version: 1\nskills:\n  - {source: ./orig, name: 'no'}\n");
    for fields in ["name: orig\ndescription: bad: colon\n", "name: &a orig\n", "name: a\nname: b\n"]
    {
        sandbox.skill("orig", &format!("---\n{fields}---\n\nBody.\n"));
        let run = sandbox.run(["install", "--no-validate"]);
        assert_eq!(run.code, 1, "{fields}: {}", run.all());
        assert!(run.stderr.contains("cannot be changed to `no`"), "{}", run.stderr);
    }
    sandbox.good_skill("orig");
    assert_eq!(sandbox.run(["install"]).code, 0);
    // Some readers treat a bare `no` as true.
    assert!(sandbox.read(format!("{SKILLS}/no/SKILL.md")).contains("name: \"no\"\n"));
}

#[test]
#[cfg(unix)]
fn a_umask_without_execute_bits_is_not_an_edit() {
    let sandbox = sandbox();
    if sandbox.shell("id -u").stdout.trim() != "0" {
        skip("only root can look into directories that nobody may enter");
        return;
    }
    let run = sandbox.shell(
        "umask 0111; \"$SKILLS\" install src && \"$SKILLS\" verify && \"$SKILLS\" remove pdf",
    );
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
#[cfg(unix)]
fn read_only_copies_cannot_be_written_to_but_can_be_upgraded_and_removed() {
    let sandbox = sandbox();
    let run = sandbox.run(["install", "src", "--read-only"]);
    assert_eq!(run.code, 0, "{}", run.all());
    for (path, mode) in [
        ("pdf", 0o555),
        ("pdf/SKILL.md", 0o444),
        ("pdf/scripts", 0o555),
        ("pdf/scripts/run.sh", 0o555),
    ] {
        assert_eq!(sandbox.mode(format!("{SKILLS}/{path}")), mode, "{path}");
    }
    assert_eq!(
        actions(&sandbox.document(["install", "src", "--read-only", "--format", "json"]))[1].1,
        "unchanged"
    );
    // `--read-only` changes the modes.
    assert_eq!(actions(&sandbox.document(["install", "src", "--format", "json"]))[1].1, "replaced");
    assert_eq!(sandbox.mode(format!("{SKILLS}/pdf/SKILL.md")), 0o644);
    sandbox.run(["install", "src", "--read-only"]);
    sandbox.skill("src/pdf", &text("pdf", "license: MIT\n"));
    let run = sandbox.run(["install", "src", "--read-only", "--force"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let run = sandbox.run(["remove", "pdf", "csv"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path(SKILLS).join("pdf").exists());
}

#[test]
fn every_agent_is_in_the_documentation() {
    let page = include_str!("../docs/install.md");
    let targets = include_str!("../src/skills/agents/table.rs");
    let ids: Vec<&str> = targets
        .lines()
        .filter_map(|line| line.trim().strip_prefix("target(\"")?.split('"').next())
        .collect();
    assert!(ids.len() > 60);
    for id in ids.into_iter().chain(["claude", "codex", "opencode", "copilot", "gemini", "pi"]) {
        assert!(page.contains(&format!("\n| {id} |")), "docs/install.md does not know {id}");
    }
}

#[test]
fn a_skill_without_a_valid_name_says_which_command_gives_it_one() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/fine");
    for name in ["PDF-Tools", "My Skill"] {
        sandbox.skill(&format!("src/{name}"), &text(name, ""));
        let source = format!("src/{name}");
        for verb in ["install", "mount"] {
            let run = sandbox.run([verb, &source]);
            let shown = if name.contains(' ') { format!("'{source}'") } else { source.clone() };
            let near = name.to_lowercase().replace(' ', "-");
            let help = format!("`skills {verb} {shown} --name {near}` {verb}s it as `{near}`");
            assert!(run.code == 1 && run.stderr.contains(&help), "{help}: {}", run.stderr);
            // Doing what it says works.
            let line = format!("$SKILLS {verb} {shown} --name {near}");
            let run = sandbox.shell(&line);
            assert_eq!(run.code, 0, "{line}: {}", run.all());
        }
    }
    let run = sandbox.run(["install", "src", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let help = "note: `skills install 'src/My Skill' --name my-skill` installs one of them as \
        `my-skill`; a skills.yaml can give each of them a `name`";
    assert!(run.stderr.contains(help), "{}", run.stderr);
    // Other verbs cannot rename.
    let run = sandbox.run(["pack", "src/PDF-Tools"]);
    assert!(run.code == 1 && !run.stderr.contains("--name"), "{}", run.stderr);
}

/// The copies come first by their path, and would be chosen over what they are copies of.
#[test]
fn a_source_that_contains_its_copies_is_installed_and_updated_again() {
    for (source, flags) in [("zeta", &["--dir", "copies"][..]), ("zeta", &["--scope", "project"])] {
        let sandbox = Sandbox::repository();
        sandbox.good_skill(&format!("{source}/pdf"));
        let run = |verb: &[&str]| sandbox.run([verb, flags].concat());
        assert_eq!(run(&["install", "."]).code, 0);
        let again = run(&["install", "."]);
        assert!(again.stdout.contains(": 1 unchanged"), "{}", again.all());
        sandbox.write(format!("{source}/pdf/more.md"), "More.\n");
        let update = run(&["update"]);
        assert_eq!(update.code, 0, "{}", update.all());
        assert!(update.stdout.contains(": 1 updated"), "{}", update.all());
        let prune = run(&["update", "--prune"]);
        assert!(prune.stdout.contains(": 1 unchanged"), "{}", prune.all());
    }
}
