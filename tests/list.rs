//! `skills list`: sources, discovery, filters, and what becomes of skills among others.

use serde_json::Value;

use crate::harness::{Sandbox, lacks, skip, text};

/// `name status provider/scope` of every row.
fn rows(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
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
          "name": "pdf",
          "path": "[DIR]/project/skills/pdf",
          "provider": null,
          "reason": null,
          "scope": null,
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
fn discovery_orders_project_before_user_and_then_by_priority() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".omp/agent/skills/a");
    sandbox.home_skill(".claude/skills/b");
    sandbox.home_skill(".codex/skills/c");
    sandbox.home_skill(".agents/skills/d");
    sandbox.home_skill(".config/opencode/skills/e");
    sandbox.home_skill(".qwen/skills/f");
    sandbox.home_skill(".omp/agent/managed-skills/g");
    sandbox.good_skill(".github/skills/h");
    sandbox.good_skill(".claude/skills/i");
    sandbox.good_skill(".omp/skills/j");
    assert_eq!(
        rows(&sandbox, &[]),
        [
            "j active omp/project",
            "i active claude/project",
            "h active github/project",
            "a active omp/user",
            "b active claude/user",
            "d active agents/user",
            "c active codex/user",
            "e active opencode/user",
            "f active qwen-code/user",
            "g active omp-managed/user",
        ]
    );
}

#[test]
fn every_status_has_its_reason() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.home_skill(".agents/skills/pdf");
    sandbox.skill(".claude/skills/off", &text("off", "enabled: false\n"));
    sandbox.skill(".claude/skills/quiet", &text("quiet", "disable-model-invocation: true\n"));
    sandbox
        .skill(".claude/skills/colon", "---\nname: colon\ndescription: Use when: x\n---\n\nBody\n");
    sandbox.mkdir(".claude/skills/void");
    let run = sandbox.run(["list"]);
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.all(), @r#"
    colon  invalid   claude/project  invalid-yaml: an unquoted value cannot contain `: `
    off    disabled  claude/project  `enabled: false`
    pdf    active    claude/project  Extract text from PDF files. Use when the user mentions PDFs.
    quiet  hidden    claude/project  Extract text from PDF files. Use when the user mentions PDFs.
    void   invalid   claude/project  missing-skill-md: this directory promises a skill but has no `SKILL.md`
    pdf    shadowed  agents/user     by .claude/skills/pdf/SKILL.md
    6 skills: 1 active, 1 hidden, 1 shadowed, 1 disabled, 2 invalid; catalogue of 69 characters, about 18 tokens
    warning: name collision: "pdf" already loaded from [DIR]/project/.claude/skills/pdf/SKILL.md, skipping this one ([DIR]/home/.agents/skills/pdf/SKILL.md)
    "#);
}

#[test]
fn a_disabled_or_invalid_skill_shadows_nothing() {
    let sandbox = Sandbox::repository();
    sandbox.skill(".omp/skills/pdf", &text("pdf", "enabled: false\n"));
    sandbox.skill(".claude/skills/pdf", "no front matter\n");
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

#[test]
fn ancestors_are_searched_to_the_top_of_the_repository_nearest_first() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".agents/skills/both");
    sandbox.good_skill(".agents/skills/top");
    sandbox.good_skill("packages/app/.agents/skills/both");
    sandbox.good_skill("packages/app/.agent/skills/single");
    sandbox.good_skill("../.agents/skills/outside");
    assert_eq!(
        rows(&sandbox, &["-C", "packages/app"]),
        [
            "both active agents/project",
            "single active agents/project",
            "both shadowed agents/project",
            "top active agents/project",
        ]
    );
}

#[test]
fn the_home_is_never_a_project() {
    let sandbox = Sandbox::new();
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.mkdir("../home/work/app");
    assert_eq!(
        rows(&sandbox, &["-C", "../home/work/app", "--source", "claude"]),
        ["pdf active claude/user"]
    );
}

#[test]
fn sources_are_switched_before_names_collide() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.home_skill(".agents/skills/csv");
    assert_eq!(
        rows(&sandbox, &["--source", "claude:user,agents"]),
        ["pdf active claude/user", "csv active agents/user"]
    );
    assert_eq!(
        rows(&sandbox, &["--no-source", "claude:project", "--no-source", "agents"]),
        ["pdf active claude/user"]
    );
    let run = sandbox.run(["list", "--source", "cluade"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `claude`?"), "{}", run.stderr);
    let run = sandbox.run(["list", "--source", "claude:team"]);
    assert!(run.stderr.contains("a scope is `user` or `project`"), "{}", run.stderr);
}

#[test]
fn custom_directories_come_last_and_one_level_deep() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.good_skill("team/pdf");
    sandbox.good_skill("team/csv");
    sandbox.good_skill("team/group/nested");
    sandbox.skill("team/bare", "---\nname: bare\n---\n\nBody\n");
    let args = ["--skills-dir", "team"];
    assert_eq!(
        rows(&sandbox, &args),
        [
            "pdf active claude/project",
            "bare invalid custom/-",
            "csv active custom/-",
            "pdf shadowed custom/-"
        ]
    );
    let run = sandbox.run(["list", "--skills-dir", "team", "--source", "custom"]);
    assert!(
        run.stderr.contains("`team/group/nested` is not listed: custom looks only one level deep"),
        "{}",
        run.stderr
    );
    assert_eq!(rows(&sandbox, &["--skills-dir", "team", "--source", "custom"]).len(), 3);
    sandbox.home_skill("mine/home-skill");
    assert_eq!(
        rows(&sandbox, &["--skills-dir", "~/mine", "--source", "custom"]),
        ["home-skill active custom/-"]
    );
}

#[test]
fn the_manifest_steers_discovery() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.good_skill(".claude/skills/pdf-old");
    sandbox.good_skill(".agents/skills/csv");
    sandbox.good_skill("team/xml");
    sandbox.write(
        "skills.yaml",
        "discovery:\n  sources: [claude, custom]\n  directories: [./team]\n  ignore: ['*-old']\n",
    );
    assert_eq!(rows(&sandbox, &[]), ["pdf active claude/project", "xml active custom/-"]);
    assert_eq!(rows(&sandbox, &["--source", "agents"]), ["csv active agents/project"]);
    sandbox.write("skills.yaml", "discovery: {ignore: [pdf], include: ['pdf*']}\n");
    assert_eq!(rows(&sandbox, &[]), ["pdf-old active claude/project"]);
    sandbox.write("skills.yaml", "discovery: {enabled: false}\n");
    assert!(rows(&sandbox, &[]).is_empty());
    sandbox.write("skills.yaml", "skills: [./team]\ndiscovery: {no_sources: [agents]}\n");
    assert_eq!(rows(&sandbox, &[]), ["xml active -/-"]);
    assert_eq!(
        rows(&sandbox, &["--discover"]),
        ["pdf active claude/project", "pdf-old active claude/project"]
    );
    sandbox.write("skills.yaml", "discovery: {sources: [claud]}\n");
    let run = sandbox.run(["list"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("skills.yaml:1:23: unknown source `claud`"), "{}", run.stderr);
    sandbox.write("skills.yaml", "discovery: {source: [claude]}\n");
    assert!(sandbox.run(["list"]).stderr.contains("did you mean `sources`?"));
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
fn what_cannot_be_searched_is_said_and_the_rest_is_listed() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.good_skill(".agents/skills/csv");
    sandbox.symlink(".", ".agents/skills/loop");
    sandbox.write(".codex/skills", "a file");
    let run = sandbox.run(["list", "--format", "names"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "pdf\ncsv\n"), "{}", run.stderr);
    assert!(run.stderr.contains("`.agents/skills/loop` is a link to a directory above it"));
    assert!(run.stderr.contains("`.codex/skills` is not a directory, so it holds no skills"));
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
fn nothing_to_discover_is_an_answer_too() {
    let sandbox = Sandbox::repository();
    let run = sandbox.run(["list"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "no skills\n", ""));
    let run = sandbox.run(["list", "--only", "pdf"]);
    assert_eq!(run.code, 2);
    let run = sandbox.run(["list", "--allow", "[a"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("invalid glob `[a`"), "{}", run.stderr);
}

#[test]
fn without_a_home_only_the_project_is_searched() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    for home in ["", "relative"] {
        let run = sandbox.run_with(["list", "--format", "names"], |command| {
            command.env("HOME", home);
        });
        assert_eq!((run.code, run.stdout.as_str()), (0, "pdf\n"));
        assert!(run.stderr.contains("HOME is not set to an absolute path"), "{}", run.stderr);
    }
}

#[test]
fn variables_move_the_directories_of_the_user() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("moved/skills/pdf");
    sandbox.home_skill(".claude/skills/not-here");
    let run = sandbox.run_with(["list", "--source", "claude", "--format", "names"], |command| {
        command.env("CLAUDE_CONFIG_DIR", "moved");
    });
    assert_eq!(run.stdout, "pdf\n", "{}", run.stderr);
}

#[test]
fn plugins_of_claude_are_found_through_its_registry() {
    let sandbox = Sandbox::repository();
    let skill = sandbox.home_skill(".claude/plugins/cache/m/tools/1.0.0/skills/pdf");
    let install = skill.ancestors().nth(3).unwrap().to_str().unwrap().to_owned();
    sandbox.write(
        "../home/.claude/plugins/installed_plugins.json",
        serde_json::json!({"version": 2, "plugins": {
            "tools@m": [{"scope": "user", "installPath": install, "version": "1.0.0"}]
        }})
        .to_string(),
    );
    assert_eq!(rows(&sandbox, &[]), ["pdf active claude-plugins/user"]);
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

/// What the lines in docs/digest.md say about `skills/pdf`.
fn digest_of_the_shell(sandbox: &Sandbox) -> String {
    let page = include_str!("../docs/digest.md");
    let lines = page.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    let shell = sandbox.shell(lines);
    let hash = shell.stdout.split_whitespace().next().unwrap_or_default();
    format!("sha256:{hash}")
}

#[test]
fn version_control_is_no_part_of_a_digest_whatever_it_is() {
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

#[cfg(unix)]
#[test]
fn many_ways_to_one_directory_take_no_longer_than_one() {
    let sandbox = Sandbox::repository();
    for level in 0..30 {
        sandbox.symlink(format!("../d{}", level + 1), format!("dag/d{level}/a"));
        sandbox.symlink(format!("../d{}", level + 1), format!("dag/d{level}/b"));
    }
    sandbox.good_skill("dag/d30/deep");
    sandbox.symlink("../../dag/d0", ".opencode/skills/dag");
    assert_eq!(rows(&sandbox, &[]), ["deep active opencode/project"]);
    let run = sandbox.run(["list", "--agent", "opencode", "--format", "names"]);
    assert_eq!(run.stdout, "deep\n");
}

#[test]
fn a_bound_on_directories_keeps_the_upper_levels() {
    let sandbox = Sandbox::repository();
    for number in 0..2_100 {
        sandbox.mkdir(format!(".agents/skills/aa/d{number}"));
    }
    sandbox.good_skill(".agents/skills/zz");
    sandbox.good_skill(".agents/skills/aa/z-lost");
    let names = ["list", "--agent", "codex", "--format", "names"];
    assert_eq!(sandbox.run(names).stdout, "zz\n");
    let run = sandbox.run(["list", "--agent", "codex", "-v"]);
    assert!(run.stdout.contains("Codex enters at most 2000 directories"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn what_a_provider_passes_over_is_named() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/l1/l2/l3/l4/deep");
    sandbox.good_skill(".claude/skills");
    sandbox.good_skill(".agents/skills/.hidden");
    sandbox.good_skill(".agents/skills/.group/inner");
    sandbox.good_skill(".agents/skills/node_modules/nm");
    sandbox.symlink("/nonexistent", ".claude/skills/dangling");
    sandbox.write("../home/.claude/plugins/installed_plugins.json", "{bad");
    let run = sandbox.run(["list", "-v"]);
    for part in [
        "l1/l2/l3/l4/deep` is not listed: claude looks only one level deep",
        "`.claude/skills` is not listed: claude ignores a SKILL.md in the skills directory itself",
        "`.agents/skills/.hidden` is not listed: agents skips directories that start with a dot",
        "`.agents/skills/.group/inner` is not listed: agents skips directories",
        "`.agents/skills/node_modules/nm` is not listed: agents skips `node_modules`",
        "`.claude/skills/dangling` is a link that leads nowhere",
        "installed_plugins.json` is not used: it is not a registry of plugins",
    ] {
        assert!(run.stderr.contains(part), "{part}:\n{}", run.stderr);
    }
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
