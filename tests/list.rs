//! `skills list`: sources, filters, and the status of each skill.

use serde_json::Value;

use crate::harness::{Sandbox, good_text, lacks, skip, text};

/// `name status provider/scope` of every row.
pub(crate) fn rows(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let mut all = vec!["list", "--format", "json"];
    all.extend(args);
    let report = sandbox.document(all);
    let rows = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    rows.iter().map(row).collect()
}

fn row(skill: &Value) -> String {
    let word = |key: &str| skill[key].as_str().unwrap_or("-").to_owned();
    format!("{} {} {}/{}", word("name"), word("status"), word("provider"), word("scope"))
}

#[test]
fn explicit_sources_are_filtered_by_name() {
    let sandbox = Sandbox::new();
    for name in ["pdf-forms", "pdf-old", "csv"] {
        sandbox.good_skill(&format!("skills/{name}"));
    }
    let run = sandbox.run(["list", "./skills", "--allow", "pdf-*", "--deny", "*-old"]);
    assert_eq!(run.code, 0, "{}", run.all());
    insta::assert_snapshot!(run.stdout, @r"
    pdf-forms  Extract text from PDF files. Use when the user mentions PDFs.
    1 skill: 1 active; catalogue of 75 characters, about 19 tokens
    ");
    assert_eq!(
        sandbox.run(["list", "skills", "--format", "names"]).stdout,
        "csv\npdf-forms\npdf-old\n"
    );
    assert_eq!(
        sandbox.run(["list", "skills", "--only", "csv", "--format", "paths"]).stdout,
        "[DIR]/project/skills/csv\n"
    );
}

#[test]
fn json_has_every_field_of_version_1() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    sandbox.write("skills/pdf/scripts/run.sh", "#!/bin/sh\n");
    let report = sandbox.document(["list", "skills", "--format", "json"]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap(), @r#"
    {
      "skills": [
        {
          "bytes": 121,
          "description": "Extract text from PDF files. Use when the user mentions PDFs.",
          "files": 2,
          "linked": false,
          "name": "pdf",
          "nested": false,
          "path": "[DIR]/project/skills/pdf",
          "placement": "native",
          "plugin": null,
          "provider": null,
          "reason": null,
          "rules": [],
          "scope": null,
          "section": null,
          "status": "active",
          "tokens": {
            "body": 5,
            "catalog": 17
          }
        }
      ],
      "version": 1
    }
    "#);
}

#[test]
fn every_status_has_its_reason() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.skill("../home/.agents/skills/pdf", &(good_text("pdf") + "More.\n"));
    sandbox.skill(".claude/skills/off", &text("off", "enabled: false\n"));
    sandbox.skill(".claude/skills/quiet", &text("quiet", "disable-model-invocation: true\n"));
    sandbox
        .skill(".claude/skills/colon", "---\nname: colon\ndescription: Use when: x\n---\n\nBody\n");
    sandbox.mkdir(".claude/skills/void");
    let run = sandbox.run(["list"]);
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.all(), @r#"
    colon  active    claude/project  [!invalid-yaml] Use when: x
    off    disabled  claude/project  `enabled: false`
    pdf    active    claude/project  [shown by Claude, OpenCode and Copilot] Extract text from PDF files. Use when the user mentions PDFs.
    quiet  hidden    claude/project  Extract text from PDF files. Use when the user mentions PDFs.
    void   invalid   claude/project  missing-skill-md: this directory promises a skill but has no `SKILL.md`
    pdf    shadowed  agents/user     shown by Codex, Gemini and Pi; differs from .claude/skills/pdf/SKILL.md
    6 skills: 2 active, 1 hidden, 1 shadowed, 1 disabled, 1 invalid; catalogue of 90 characters, about 23 tokens
    warning: name collision: "pdf" already loaded from [DIR]/project/.claude/skills/pdf/SKILL.md, skipping this one ([DIR]/home/.agents/skills/pdf/SKILL.md)
    "#);
}

#[test]
fn a_disabled_or_invalid_skill_shadows_nothing() {
    let sandbox = Sandbox::repository();
    sandbox.skill(".omp/skills/pdf", &text("pdf", "enabled: false\n"));
    sandbox.skill(".claude/skills/pdf", &text("pdf", "license: \u{202e}\n"));
    sandbox.good_skill(".agents/skills/pdf");
    assert_eq!(
        rows(&sandbox, &[]),
        ["pdf disabled omp/project", "pdf invalid claude/project", "pdf active agents/project",]
    );
}

#[test]
fn a_directory_that_is_named_twice_does_not_shadow_itself() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("team/pdf");
    sandbox.good_skill("team/csv");
    for sources in [["team/pdf", "team"], ["team", "team/pdf"], ["team", "team"]] {
        let flags = ["list", "--agent", "gemini", "-v", "--format", "json"];
        let report = sandbox.document(flags.into_iter().chain(sources));
        let skills = report["skills"].as_array().unwrap();
        let statuses: Vec<&str> = skills.iter().filter_map(|one| one["status"].as_str()).collect();
        assert_eq!(statuses, ["active", "active"], "{sources:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_same_real_path_counts_once() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.symlink("../.claude/skills", ".agents/skills");
    sandbox.symlink("pdf", ".claude/skills/zzz");
    assert_eq!(rows(&sandbox, &[]), ["pdf active claude/project"]);
}

#[cfg(unix)]
#[test]
fn unsearchable_directories_are_reported_and_the_rest_is_listed() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.good_skill(".agents/skills/csv");
    sandbox.symlink(".", ".agents/skills/loop");
    sandbox.write(".codex/skills", "a file");
    let run = sandbox.run(["list", "--format", "names"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "pdf\ncsv\n"), "{}", run.stderr);
    assert!(run.stderr.contains("`.agents/skills/loop` is a link to a directory above it"));
    assert!(run.stderr.contains("`.codex/skills` is not a directory, so it contains no skills"));
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_read_fails_the_run_after_the_rest_is_listed() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.good_skill(".agents/skills/csv");
    sandbox.chmod(".agents/skills", 0o000);
    let run = sandbox.run(["list", "--format", "names"]);
    sandbox.chmod(".agents/skills", 0o755);
    if run.stdout == "pdf\ncsv\n" {
        skip("root may read everything");
        return;
    }
    assert_eq!((run.code, run.stdout.as_str()), (2, "pdf\n"), "{}", run.stderr);
    assert!(run.stderr.contains("permission denied"), "{}", run.stderr);
}

#[test]
fn names_and_descriptions_cannot_steer_the_terminal() {
    let sandbox = Sandbox::new();
    sandbox.skill("skills/x", "---\nname: x\ndescription: \"a\\e[2Jb\\nsecond\"\n---\n\nBody\n");
    for format in ["human", "json"] {
        let run = sandbox.run(["list", "skills", "--format", format]);
        assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
        assert!(run.stdout.lines().count() < 40);
    }
    assert!(!sandbox.run(["list", "skills", "--long"]).stdout.contains('\u{1b}'));
}

#[test]
fn long_has_sizes_tokens_path_and_a_digest_that_a_shell_can_compute() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    sandbox.write("skills/pdf/scripts/run.sh", "#!/bin/sh\n");
    sandbox.write("skills/pdf/b.md", "b");
    #[cfg(unix)]
    sandbox.chmod("skills/pdf/scripts/run.sh", 0o755);
    let run = sandbox.run(["list", "skills", "--long"]);
    insta::assert_snapshot!(run.stdout);
    let report = sandbox.document(["list", "skills", "--long", "--format", "json"]);
    let digest = report["skills"][0]["digest"].as_str().unwrap();
    if !lacks(&["sha256sum"]) {
        assert_eq!(digest, digest_of_the_shell(&sandbox));
    }
}

/// The digest of `skills/pdf` by the commands in docs/digest.md.
fn digest_of_the_shell(sandbox: &Sandbox) -> String {
    let page = include_str!("../docs/digest.md");
    let lines = page.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    let shell = sandbox.shell(lines);
    let hash = shell.stdout.split_whitespace().next().unwrap_or_default();
    format!("sha256:{hash}")
}

#[test]
fn version_control_data_is_never_part_of_a_digest() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    let digest = |args: &[&str]| {
        let report = sandbox.document([args, &["--format", "json"]].concat());
        report["skills"][0]["digest"].as_str().unwrap_or_else(|| panic!("{report:#}")).to_owned()
    };
    let bare = digest(&["list", "skills", "--long"]);
    // A submodule and a work tree have a file there.
    sandbox.write("skills/pdf/.git", "gitdir: ../../.git/modules/pdf\n");
    sandbox.write("skills/pdf/vendor/.git/config", "[core]\n");
    sandbox.write("skills/pdf/vendor/.Hg", "x");
    assert_eq!(digest(&["list", "skills", "--long"]), bare);
    assert_eq!(digest(&["install", "skills", "--dir", "out", "--no-validate"]), bare);
    if !lacks(&["sha256sum"]) {
        assert_eq!(digest_of_the_shell(&sandbox), bare);
    }
}

#[test]
fn output_does_not_depend_on_threads() {
    let sandbox = Sandbox::repository();
    for number in 0..200 {
        sandbox.good_skill(&format!(".claude/skills/s{number}"));
        sandbox.good_skill(&format!(".agents/skills/s{}", number / 2));
    }
    let run = |threads: &str| {
        sandbox
            .run_with(["list", "--format", "json"], |command| {
                command.env("SKILLS_THREADS", threads);
            })
            .stdout
    };
    let alone = run("1");
    assert_eq!(alone.matches("\"shadowed\"").count(), 100);
    assert_eq!(alone, run("7"));
}

#[cfg(unix)]
#[test]
fn a_link_of_another_name_does_not_hide_the_skill_it_leads_to() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".agents/skills/pdf");
    sandbox.symlink("../../.agents/skills/pdf", ".claude/skills/my-pdf");
    assert_eq!(rows(&sandbox, &[]), ["pdf active agents/project"]);
    sandbox.good_skill(".github/skills/b");
    sandbox.symlink("b", ".github/skills/aaa");
    assert_eq!(rows(&sandbox, &["--source", "github"]), ["b active github/project"]);
}

#[test]
fn named_directories_count_beside_named_sources() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".claude/skills/a");
    sandbox.home_skill("team/t");
    sandbox.write(
        "skills.yaml",
        "discovery: {sources: [claude, agents:project], directories: [~/team]}\n",
    );
    let both = ["a active claude/user", "t active custom/-"];
    assert_eq!(rows(&sandbox, &[]), both);
    assert_eq!(rows(&sandbox, &["--source", "claude"]), both[..1]);
    assert_eq!(rows(&sandbox, &["--source", "claude", "--skills-dir", "~/team"]), both);
    assert_eq!(rows(&sandbox, &["--no-source", "custom"]), both[..1]);
}

#[test]
fn a_manifest_that_is_here_changes_neither_agents_nor_addresses() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("team/t");
    sandbox.home_skill(".claude/skills/a");
    sandbox.write("skills.yaml", "skills: [./team]\n");
    let names = |args: &[&str]| sandbox.run(args).stdout;
    assert_eq!(names(&["list", "--format", "names"]), "t\n");
    assert_eq!(names(&["list", "--agent", "claude", "--format", "names"]), "a\n");
    let named = ["list", "--agent", "claude", "--manifest", "skills.yaml", "--format", "names"];
    assert_eq!(names(&named), "t\n");
    assert_eq!(sandbox.run(["read", "skill://a"]).code, 0);
}

#[test]
fn flags_that_mean_nothing_to_an_agents_view_are_refused() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".claude/skills/a");
    let run = sandbox.run(["list", "--agent", "claude", "--only", "nope"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("available: a"), "{}", run.stderr);
    for flags in [["--max-depth", "0"], ["--exclude", "a"], ["--skills-dir", "x"]] {
        let run = sandbox.run(["list", "--agent", "claude"].iter().chain(&flags));
        assert_eq!(run.code, 2, "{flags:?}");
    }
}

#[test]
fn losers_are_told_who_has_really_won() {
    let sandbox = Sandbox::repository();
    for directory in ["../home/.gemini", "../home/.agents", ".gemini", ".agents"] {
        sandbox.good_skill(&format!("{directory}/skills/a"));
    }
    let report = sandbox.document(["list", "--agent", "gemini", "-v", "--format", "json"]);
    let rows = report["skills"].as_array().unwrap();
    assert_eq!(rows[0]["path"], "[DIR]/project/.agents/skills/a");
    for row in &rows[1..] {
        let reason = row["reason"].as_str().unwrap();
        assert!(reason.contains("[DIR]/project/.agents/skills/a"), "{reason}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_fails_the_run_in_every_format() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/n");
    sandbox.chmod(".claude/skills/n/SKILL.md", 0o000);
    if std::fs::read(sandbox.path(".claude/skills/n/SKILL.md")).is_ok() {
        skip("root may read everything");
        return;
    }
    for flags in [
        &["list"][..],
        &["list", "--long"],
        &["list", "--format", "json"],
        &["list", "--agent", "claude", "-v"],
    ] {
        let run = sandbox.run(flags);
        assert_eq!(run.code, 2, "{flags:?}: {}", run.all());
    }
}

#[test]
fn flags_that_lead_nowhere_are_mistakes() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.write("file", "x");
    for (arguments, words) in [
        (&["list", "--skills-dir", "nowhere"][..], "no such file"),
        (&["list", "--skills-dir", "file"], "is not a directory"),
        (&["read", "skill://pdf", "--skills-dir", "nowhere"], "no such file"),
        (&["list", "--expand", "nonsense"], "nonsense"),
        (&["list", "--param", "garbage"], "garbage"),
        (&["render", "--preload", "pdf", "--events", "log"], "cannot be used with"),
        (&["render", "--activate", "pdf", "--mount-path", "x"], "cannot be used with"),
    ] {
        let run = sandbox.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?} {}", run.all());
        assert!(run.stderr.contains(words), "{arguments:?} {}", run.stderr);
    }
    sandbox.good_skill("own/csv");
    let run = sandbox.run(["list", "--skills-dir", "./own/.", "--format", "paths"]);
    assert!(run.stdout.contains("[DIR]/project/own/csv\n"), "{}", run.stdout);
}

#[test]
fn one_skill_for_five_agents_is_one_row() {
    let sandbox = Sandbox::repository();
    for name in ["csv", "pdf"] {
        sandbox.good_skill(&format!("skills/{name}"));
    }
    let agents = ["claude", "codex", "opencode", "windsurf", "qwen-code"];
    let agents: Vec<&str> = agents.iter().flat_map(|agent| ["--agent", agent]).collect();
    let run = sandbox.run(["install", "skills"].iter().chain(&agents));
    assert_eq!(run.code, 0, "{}", run.all());
    let run = sandbox.run(["list"]);
    insta::assert_snapshot!(run.all(), @r"
    csv  claude,agents,qwen-code,windsurf/user  skills  Extract text from PDF files. Use when the user mentions PDFs.
    pdf  claude,agents,qwen-code,windsurf/user  skills  Extract text from PDF files. Use when the user mentions PDFs.
    2 skills in 8 copies: 2 active; catalogue of 138 characters, about 35 tokens
    ");
    // JSON and `-v` list every copy.
    let report = sandbox.document(["list", "--format", "json"]);
    assert_eq!(report["skills"].as_array().unwrap().len(), 8);
    let run = sandbox.run(["list", "-v"]);
    assert_eq!(
        run.stdout.matches("identical to ~/.claude/skills/pdf").count(),
        3,
        "{}",
        run.stdout
    );
    // An edited copy is another skill, and each agent decides which one it shows.
    sandbox.skill("../home/.agents/skills/pdf", &(good_text("pdf") + "More.\n"));
    let run = sandbox.run(["list", "--quiet"]);
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("pdf")).collect();
    assert_eq!(rows.len(), 2, "{}", run.stdout);
    assert!(rows[0].contains("[shown by Claude"), "{}", rows[0]);
    assert!(rows[1].contains("shadowed") && rows[1].contains("shown by Codex"), "{}", rows[1]);
    assert!(run.stdout.contains("3 skills in 8 copies: 2 active, 1 shadowed"), "{}", run.stdout);
}

#[test]
fn copies_that_differ_from_the_first_are_grouped_among_themselves() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    for place in ["../home/.claude", "../home/.agents", "../home/.codex"] {
        sandbox.skill(&format!("{place}/skills/pdf"), &(good_text("pdf") + "More.\n"));
    }
    let run = sandbox.run(["list"]);
    assert_eq!(run.stdout.lines().count(), 3, "{}", run.stdout);
    assert!(run.stdout.contains("claude,agents,codex/user"), "{}", run.stdout);
    assert_eq!(run.stderr.matches("name collision").count(), 1, "{}", run.stderr);
}

#[test]
fn a_manifest_that_is_only_found_here_is_named() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("team/t");
    sandbox.write("skills.yaml", "skills: [./team]\n");
    let note = "these are the skills of skills.yaml";
    assert!(sandbox.run(["list"]).stderr.contains(note));
    for flags in
        [&["list", "--manifest", "skills.yaml"][..], &["list", "--discover"], &["list", "team"]]
    {
        assert!(!sandbox.run(flags).stderr.contains(note), "{flags:?}");
    }
    assert_eq!(sandbox.run(["list", "--quiet"]).stderr, "");
}

#[test]
fn tools_are_listed_with_the_skills_that_ask_for_them() {
    let sandbox = Sandbox::repository();
    sandbox.skill("skills/a", &text("a", "allowed-tools: Read Bash(git add:*, git commit:*)\n"));
    sandbox.skill("skills/b", &text("b", "allowed-tools: [Read, \"E\\e[2Jdit\"]\n"));
    sandbox.skill("skills/off", &text("off", "enabled: false\nallowed-tools: Write\n"));
    let run = sandbox.run(["list", "skills", "--tools", "--only", "a", "--only", "off"]);
    insta::assert_snapshot!(run.all(), @r"
    Bash(git add:*, git commit:*)  a
    Read                           a
    2 tools, asked for by 1 skill
    ");
    let report = sandbox.document(["list", "skills", "--tools", "--format", "json"]);
    let tools = report["tools"].as_array().unwrap();
    let read = tools.iter().find(|one| one["tool"] == "Read").unwrap();
    assert_eq!(read["skills"], serde_json::json!(["a"]), "`b` has a control character");
    let names = sandbox.run(["list", "skills", "--tools", "--format", "names", "--only", "a"]);
    assert_eq!(names.stdout, "Bash(git add:*, git commit:*)\nRead\n");
    assert_eq!(sandbox.run(["list", "skills", "--tools", "--format", "paths"]).code, 2);
    let inline = "{ name: greet, title: Greet, description: Greets., template: Hi, tools: [say] }";
    sandbox.write("skills.yaml", format!("skills: [{{inline: {inline}}}]\n"));
    let run = sandbox.run(["list", "--tools"]);
    assert!(run.stdout.starts_with("say  greet\n1 tool"), "{}", run.all());
    sandbox.good_skill("none/x");
    assert_eq!(sandbox.run(["list", "none", "--tools"]).stdout, "no tools\n");
}
