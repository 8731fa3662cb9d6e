//! `skills validate`: exit codes, selection, levels and messages.

use crate::harness::{Sandbox, good_text, text};

/// The names of the skills that were checked.
fn names<const N: usize>(sandbox: &Sandbox, args: [&str; N]) -> Vec<String> {
    let report = sandbox.json(args);
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_clean_run_prints_one_line_and_succeeds() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    let run = sandbox.run(["validate", "pdf"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 skill checked: no problems\n"));
    assert_eq!(run.stderr, "");
}

#[test]
fn an_unquoted_colon_is_found_explained_and_repaired() {
    let sandbox = Sandbox::new();
    let file = "pdf/SKILL.md";
    sandbox.skill("pdf", "---\nname: pdf\ndescription: Use when: x\n---\n\n# PDF\n\nRun it.\n");
    let report = sandbox.json(["pdf"]);
    let finding = &report["findings"][0];
    assert_eq!(finding["rule"], "invalid-yaml");
    assert_eq!((finding["line"].as_u64(), finding["column"].as_u64()), (Some(3), Some(22)));
    assert_eq!(finding["help"], "quote the value: `description: \"Use when: x\"`");
    assert_eq!(finding["fixable"], true);
    let run = sandbox.run(["validate", "pdf"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("--> pdf/SKILL.md:3:22"), "{}", run.stdout);
    let fixed = sandbox.run(["validate", "--fix", "pdf"]);
    assert_eq!(fixed.code, 0, "{}", fixed.all());
    assert_eq!(
        sandbox.read(file),
        "---\nname: pdf\ndescription: \"Use when: x\"\n---\n\n# PDF\n\nRun it.\n"
    );
}

#[test]
fn errors_give_exit_code_one_and_warnings_only_with_strict() {
    let sandbox = Sandbox::new();
    sandbox.skill("broken", "# No front matter\n");
    assert_eq!(sandbox.run(["validate", "broken"]).code, 1);
    sandbox.skill("slip", &text("slip", "licence: MIT\n"));
    let run = sandbox.run(["validate", "slip"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("1 skill checked: 1 warning\n"), "{}", run.stdout);
    assert_eq!(sandbox.run(["validate", "--strict", "slip"]).code, 1);
}

#[test]
fn strict_makes_fields_outside_the_specification_errors() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "model: large\n"));
    assert_eq!(sandbox.run(["validate", "pdf"]).stdout, "1 skill checked: no problems\n");
    let report = sandbox.json(["--strict", "pdf"]);
    let finding = &report["findings"][0];
    assert_eq!(
        (finding["rule"].as_str(), finding["severity"].as_str()),
        (Some("unknown-field"), Some("error"))
    );
    assert_eq!(report["skills"][0]["valid"], false);
}

#[test]
fn a_missing_path_is_an_operational_error_that_suggests_a_neighbour() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills-dir/pdf-forms");
    let run = sandbox.run(["validate", "skills-dir/pdf-from"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stdout, "");
    assert_eq!(
        run.stderr,
        "error: cannot read `skills-dir/pdf-from`: no such file or directory\n\
         help: did you mean `skills-dir/pdf-forms`?\n"
    );
    let run = sandbox.run(["validate", "nothing-like-it"]);
    assert_eq!(
        run.stderr,
        "error: cannot read `nothing-like-it`: no such file or directory\n\
         help: name a directory, a `SKILL.md`, another `.md` file, an archive (.skill, .zip, .tar.gz) or a git source\n"
    );
}

#[test]
fn a_place_without_skills_is_an_operational_error() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/README.md", "# Docs\n");
    for args in [&["validate"][..], &["validate", "docs"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{}", run.all());
        assert!(run.stderr.starts_with("error: no skill in `"), "{}", run.stderr);
        assert!(run.stderr.contains("run `skills init NAME` to make one"), "{}", run.stderr);
    }
}

#[test]
fn a_file_that_nearly_has_the_right_name_is_pointed_out() {
    for (name, meant) in [
        ("SKILLS.md", "SKILL.md"),
        ("SKILL.txt", "SKILL.md"),
        ("SKILL", "SKILL.md"),
        ("skills.yml", "skills.yaml"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(format!("s1/{name}"), good_text("s1"));
        let run = sandbox.run(["validate", "s1"]);
        let help = format!("help: found `{name}`; did you mean `{meant}`?\n");
        assert_eq!((run.code, run.stderr), (2, format!("error: no skill in `s1`\n{help}")));
    }
    let sandbox = Sandbox::new();
    sandbox.write("s1/SKILLS.md/x", "a directory is no file");
    let run = sandbox.run(["validate", "s1"]);
    assert!(run.stderr.contains("run `skills init NAME` to make one"), "{}", run.stderr);
    sandbox.write("skills.yml", "skills: []\n");
    let run = sandbox.run(["validate", "--manifest", "skills.yaml"]);
    assert!(
        run.stderr.ends_with("help: found `skills.yml`; did you mean that?\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_strict_run_says_that_warnings_failed_it() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", "---\nname: pdf\ndescription: Extract. Use when asked.\n---\n");
    let end = |args: &[&str]| {
        let run = sandbox.run(args);
        (run.code, run.stdout.lines().find(|line| line.contains(" checked: ")).unwrap().to_owned())
    };
    let warning = "1 skill checked: 1 warning";
    let empty = "--rule=empty-body=warning";
    assert_eq!(end(&["validate", empty, "pdf"]), (0, warning.to_owned()));
    let strict = format!("{warning}, which fails with --strict");
    assert_eq!(end(&["validate", "--strict", empty, "pdf"]), (1, strict));
    let error = "--rule=empty-body=error";
    assert_eq!(end(&["validate", "--strict", error, "pdf"]).1, "1 skill checked: 1 error");
}

#[test]
fn only_the_right_name_is_suggested() {
    for (directory, name, help) in [
        ("skill-085", "Skill 85", "write `name: skill-085`"),
        ("my skill", "my skill", "write `name: my-skill`, and rename the directory to `my-skill`"),
        ("My_Skill", "Other", "write `name: other`, and rename the directory to `other`"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.skill(directory, &good_text(name));
        let report = sandbox.json([directory]);
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|one| one["rule"] == "name-format").unwrap();
        assert_eq!(found["help"], help, "{directory}");
    }
    let sandbox = Sandbox::new();
    sandbox.write("notes.md", good_text("My Notes"));
    let report = sandbox.json(["notes.md"]);
    assert_eq!(report["findings"][0]["help"], "write `name: my-notes`");
}

#[test]
fn a_description_that_claude_takes_from_the_body_is_reported_as_such() {
    let sandbox = Sandbox::new();
    for (text, shows) in [
        ("", "Claude shows `Skill` as its description"),
        ("\n\n", "Claude shows `Skill` as its description"),
        ("Some words.\n", "Claude shows its first line as its description"),
        ("# Title\n", "Claude shows its heading as its description"),
        (
            "---\nname pdf\ndescription: Use when asked.\n---\n\n# Title\n",
            "Claude shows a line of the body as its description",
        ),
    ] {
        sandbox.skill("pdf", text);
        let run = sandbox.run(["validate", "pdf"]);
        assert!(run.stdout.contains(shows), "{}", run.stdout);
    }
}

#[test]
fn sources_that_cannot_be_skills_are_refused_with_a_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "x");
    for (source, message) in [
        ("notes.txt", "error: `notes.txt` is not a skill\n"),
        ("https://example.com/skills", "it does not end with `.git`"),
        ("gh:owner", "an owner and a repository are required"),
    ] {
        let run = sandbox.run(["validate", source]);
        assert_eq!(run.code, 2, "{source}");
        assert!(run.stderr.contains(message) && run.stderr.contains("help: "), "{}", run.stderr);
    }
}

#[test]
fn unknown_rules_levels_and_agents_are_refused_with_a_suggestion() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    for (args, message, help) in [
        (["--rule", "invalid-yml=off"], "unknown rule `invalid-yml`", "mean `invalid-yaml`?"),
        (["--rule", "zzz=off"], "unknown rule `zzz`", "`skills rules` lists them all"),
        (["--rule", "invalid-yaml"], "has no level", "write `--rule invalid-yaml=LEVEL`"),
        (["--rule", "invalid-yaml=loud"], "unknown level `loud`", "off, note, warning, error"),
        (["--agent", "cladue"], "unknown agent `cladue`", "did you mean `claude`?"),
        (["--agent", "vim"], "unknown agent `vim`", "known agents: claude, codex"),
    ] {
        let run = sandbox.run(["validate", "pdf", args[0], args[1]]);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.stderr.contains(message) && run.stderr.contains(help), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn unknown_flags_and_bad_globs_are_operational_errors() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    for args in [
        &["validate", "--nope"][..],
        &["validate", "pdf", "--format", "xml"],
        &["validate", "pdf", "--allow", "[a"],
        &["validate", "pdf", "--diff", "--format", "json"],
        &["validate", "pdf", "--diff", "--fix"],
        &["explain", "nope"],
        &["-C", "missing", "validate"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.all());
        assert!(run.all().contains("error"), "{}", run.all());
    }
}

#[test]
fn allow_and_deny_choose_by_name_and_deny_wins() {
    let sandbox = Sandbox::new();
    for name in ["csv", "pdf", "pdf-forms", "pdf-old"] {
        sandbox.good_skill(&format!("all/{name}"));
    }
    assert_eq!(names(&sandbox, ["all", "--allow", "pdf*"]), ["pdf", "pdf-forms", "pdf-old"]);
    assert_eq!(names(&sandbox, ["all", "--deny", "pdf*"]), ["csv"]);
    assert_eq!(
        names(&sandbox, ["all", "--allow", "pdf*", "--allow", "csv", "--deny", "*-old"]),
        ["csv", "pdf", "pdf-forms"]
    );
    let run = sandbox.run(["validate", "all", "--allow", "zip"]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("no skill matches the filters, of 4 found"), "{}", run.stderr);
}

#[test]
fn only_takes_exact_names_and_lists_the_available_ones() {
    let sandbox = Sandbox::new();
    for name in ["csv", "pdf", "pdf-forms"] {
        sandbox.good_skill(&format!("all/{name}"));
    }
    assert_eq!(names(&sandbox, ["all", "--only", "pdf", "--only", "csv"]), ["csv", "pdf"]);
    let run = sandbox.run(["validate", "all", "--only", "pdf-form"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.stderr,
        "error: no skill named `pdf-form`\n\
         help: did you mean `pdf-forms`? available: csv, pdf, pdf-forms\n"
    );
}

#[test]
fn exclude_and_max_depth_limit_the_search() {
    let sandbox = Sandbox::new();
    for path in ["top", "group/one", "group/drafts/two", "group/deep/er/three"] {
        sandbox.good_skill(&format!("all/{path}"));
    }
    assert_eq!(names(&sandbox, ["all"]), ["three", "two", "one", "top"]);
    assert_eq!(names(&sandbox, ["all", "--exclude", "drafts"]), ["three", "one", "top"]);
    assert_eq!(names(&sandbox, ["all", "--exclude", "group/d*"]), ["one", "top"]);
    assert_eq!(names(&sandbox, ["all", "--max-depth", "1"]), ["top"]);
    assert_eq!(names(&sandbox, ["all", "--max-depth", "2"]), ["one", "top"]);
    assert_eq!(names(&sandbox, ["all/top", "--max-depth", "0"]), ["top"]);
}

#[test]
#[cfg(unix)]
fn directories_that_were_not_searched_do_not_miss_a_skill_md() {
    let sandbox = Sandbox::new();
    let ways = [&["all"][..], &["all", "--max-depth", "3"], &["all", "--exclude", "pdf"]];
    let broken = |args: &[&str]| {
        let fired = sandbox.rules_fired(args);
        fired.iter().filter(|rule| *rule == "missing-skill-md").count()
    };
    sandbox.good_skill("all/csv");
    sandbox.good_skill("all/.claude/skills/group/pdf");
    sandbox.symlink("../../../csv", "all/.claude/skills/linked/csv");
    for args in ways {
        assert_eq!(broken(args), 0, "{args:?}");
    }
    // None of these can contain a skill.
    sandbox.mkdir("all/.claude/skills/empty");
    sandbox.mkdir("all/.claude/skills/vendored/node_modules/x");
    for args in ways {
        assert_eq!(broken(args), 2, "{args:?}");
    }
}

#[test]
fn a_source_is_a_directory_a_skill_md_a_markdown_file_or_a_collection() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("all/pdf");
    sandbox.good_skill("all/csv");
    sandbox.write("single.md", good_text("another-name"));
    assert_eq!(names(&sandbox, ["all/pdf"]), ["pdf"]);
    assert_eq!(names(&sandbox, ["all/pdf/SKILL.md"]), ["pdf"]);
    assert_eq!(names(&sandbox, ["all"]), ["csv", "pdf"]);
    // A file skill has no directory name to compare with.
    assert_eq!(names(&sandbox, ["single.md"]), ["single"]);
    assert_eq!(sandbox.rules_fired(["single.md"]), [""; 0]);
    assert_eq!(names(&sandbox, ["single.md", "all/csv"]), ["csv", "single"]);
    assert_eq!(names(&sandbox, []), ["csv", "pdf"]);
}

#[test]
fn a_skill_that_is_named_in_several_ways_counts_once() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("all/pdf");
    sandbox.symlink("all/pdf", "link");
    let sources = ["all/pdf", "all/pdf/", "./all/../all/pdf", "all/pdf/SKILL.md", "link", "all"];
    assert_eq!(names(&sandbox, sources), ["pdf"]);
}

#[test]
fn a_source_that_is_a_link_goes_by_its_real_directory() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("store/pdf");
    sandbox.symlink("store/pdf", "alias");
    let report = sandbox.json(["alias"]);
    assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{report:#}");
    assert_eq!(report["skills"][0]["name"], "pdf");
    assert_eq!(report["skills"][0]["path"], "[DIR]/project/store/pdf");
}

#[test]
fn version_control_dependencies_and_caches_are_skipped() {
    let sandbox = Sandbox::new();
    for path in [".git/x", "node_modules/x/y", "cache/x", "kept", "a/.hg/z", "a/b/node_modules/q"] {
        sandbox.skill(&format!("all/{path}"), "no front matter\n");
    }
    sandbox.write("all/cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    assert_eq!(names(&sandbox, ["all"]), ["kept"]);
    assert_eq!(names(&sandbox, ["all/node_modules"]), ["y"]);
}

#[test]
fn links_to_directories_are_named_and_not_followed() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("all/pdf");
    for name in ["l1", "l2", "l3", "l4", "l5"] {
        sandbox.symlink("pdf", format!("all/{name}"));
    }
    let run = sandbox.run(["validate", "all"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 skill checked: no problems\n"));
    assert_eq!(
        run.stderr,
        "warning: `all/l1` is a link to a directory and was not followed\n\
         warning: `all/l2` is a link to a directory and was not followed\n\
         warning: `all/l3` is a link to a directory and was not followed\n\
         warning: 2 more links not followed, shown with -v\n"
    );
    let all = sandbox.run(["validate", "-v", "all"]).stderr;
    assert!(all.contains("`all/l5`") && !all.contains("more link"), "{all}");
    assert_eq!(sandbox.run(["validate", "-q", "all"]).stderr, "");
}

#[test]
fn rule_levels_switch_rules_off_and_change_their_severity() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "licence: MIT\n"));
    let severity = |level: &str| {
        let report = sandbox.json(["pdf", "--rule", &format!("unknown-field={level}")]);
        report["findings"][0]["severity"].as_str().map(str::to_owned)
    };
    assert_eq!(severity("off"), None);
    for level in ["note", "warning", "error"] {
        assert_eq!(severity(level).as_deref(), Some(level));
    }
    let args = ["validate", "pdf", "--rule", "unknown-field=error"];
    assert_eq!(sandbox.run(args).code, 1);
    let twice = ["pdf", "--rule", "unknown-field=error", "--rule", "unknown-field=off"];
    assert_eq!(sandbox.rules_fired(twice), [""; 0], "the last one wins");
}

#[test]
fn agent_flag_adds_what_the_agent_does_with_a_skill() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "paths: [\"*.pdf\"]\n"));
    assert_eq!(sandbox.rules_fired(["pdf"]), [""; 0]);
    let report = sandbox.json(["pdf", "--agent", "claude-code"]);
    assert_eq!(report["findings"][0]["rule"], "agent-compat");
    assert_eq!(report["findings"][0]["message"], "Claude hides it until a path matches");
    assert_eq!(report["findings"][0]["agents"], serde_json::json!(["claude"]));
    assert_eq!(sandbox.rules_fired(["pdf", "--agent", "codex"]), [""; 0]);
}
