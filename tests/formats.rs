//! The formats for machines: JSON version 1, GitHub annotations, JUnit, and `--output`.

use serde_json::Value;

use crate::harness::{Sandbox, text};

/// A skill with an error, a warning and a note.
fn mixed(sandbox: &Sandbox) {
    let more = "licence: MIT\ncolour: blue\nlicense: MIT\nlicense: ISC\n";
    sandbox.skill("all/mixed", &text("mixed", more));
    sandbox.good_skill("all/good");
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn json_has_every_key_with_its_type() {
    let sandbox = Sandbox::new();
    mixed(&sandbox);
    sandbox.write("all/mixed/.env", "x\n");
    let report = sandbox.json(["all"]);
    let mut top = keys(&report);
    top.sort_unstable();
    assert_eq!(top, ["findings", "skills", "summary", "version"]);
    assert_eq!(report["version"], 1);
    for skill in report["skills"].as_array().unwrap() {
        assert!(skill["name"].is_string() && skill["valid"].is_boolean(), "{skill:#}");
        assert!(skill["path"].as_str().unwrap().starts_with("[DIR]/project/all/"), "absolute");
    }
    let findings = report["findings"].as_array().unwrap();
    for finding in findings {
        let mut names = keys(finding);
        names.sort_unstable();
        let expected = [
            "agents",
            "column",
            "end_column",
            "end_line",
            "fixable",
            "help",
            "line",
            "message",
            "path",
            "rule",
            "severity",
            "skill",
        ];
        assert_eq!(names, expected);
        for name in ["rule", "severity", "message", "path", "skill"] {
            assert!(finding[name].is_string(), "{name}: {finding:#}");
        }
        for name in ["line", "column", "end_line", "end_column"] {
            assert!(finding[name].is_u64() || finding[name].is_null(), "{name}: {finding:#}");
        }
        assert!(finding["help"].is_string() || finding["help"].is_null());
        assert!(finding["agents"].is_array() && finding["fixable"].is_boolean());
        assert!(finding["path"].as_str().unwrap().starts_with("[DIR]/project/all/mixed/"));
    }
    let file = findings.iter().find(|finding| finding["rule"] == "secret-in-file").unwrap();
    assert_eq!((&file["line"], &file["column"]), (&Value::Null, &Value::Null));
    let summary = &report["summary"];
    assert_eq!(summary["skills"], 2);
    for (severity, count) in [("error", "errors"), ("warning", "warnings"), ("note", "notes")] {
        let found = findings.iter().filter(|finding| finding["severity"] == severity).count();
        assert!(found > 0, "{severity}");
        assert_eq!(summary[count], found, "{severity}");
    }
    let valid = |name: &str| {
        let skills = report["skills"].as_array().unwrap();
        skills.iter().find(|skill| skill["name"] == name).unwrap()["valid"].clone()
    };
    assert_eq!((valid("mixed"), valid("good")), (Value::Bool(false), Value::Bool(true)));
}

#[test]
fn json_of_a_clean_run_has_empty_findings() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    let report = sandbox.json(["pdf"]);
    assert_eq!(report["findings"], serde_json::json!([]));
    assert_eq!(
        report["summary"],
        serde_json::json!({"skills": 1, "errors": 0, "warnings": 0, "notes": 0})
    );
}

#[test]
fn json_gives_hostile_text_back_exactly() {
    let sandbox = Sandbox::new();
    let name = "a\u{1b}[2J\u{202e}\u{e0041}b\n";
    sandbox.skill(&format!("all/{name}"), "# No front matter\n");
    let run = sandbox.run(["validate", "all", "--format", "json"]);
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}', '\u{e0041}']));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["skills"][0]["name"], name);
}

#[test]
fn failures_are_json_too_when_json_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("all/pdf");
    sandbox.write("bad.yaml", "skils: []\n");
    for (args, kind, path, details) in [
        (&["missing"][..], "not_found", Value::from("missing"), "name a directory"),
        (&["all", "--only", "pdg"], "not_found", Value::Null, "available: pdf"),
        (&["all", "--rule", "x"], "usage", Value::Null, "a level is one of"),
        (&["--manifest", "bad.yaml"], "manifest", "bad.yaml".into(), "did you mean"),
        (&["https://x.y/z"], "usage", Value::Null, "git+https://x.y/z"),
        (
            &["bad.yaml"],
            "not_directory",
            "bad.yaml".into(),
            "`skills list --manifest bad.yaml` reads it",
        ),
    ] {
        let run = sandbox.run(["validate", "--format", "json"].iter().chain(args));
        assert_eq!((run.code, run.stderr.as_str()), (2, ""), "{args:?}");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["version"], 1);
        assert_eq!(keys(&report).len(), 2, "{report:#}");
        let error = &report["error"];
        let mut names = keys(error);
        names.sort_unstable();
        assert_eq!(
            names,
            ["details", "kind", "message", "path", "skill", "skill_kind", "skills_dir"]
        );
        // Paths are absolute, so that they mean the same to every reader.
        let path = path.as_str().map(|path| format!("[DIR]/project/{path}"));
        assert_eq!(
            (&error["kind"], &error["path"]),
            (&Value::from(kind), &path.into()),
            "{error:#}"
        );
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()));
        assert!(error["details"].as_str().unwrap().contains(details), "{error:#}");
    }
}

#[test]
fn mistakes_on_the_command_line_are_json_with_all_that_clap_says() {
    let sandbox = Sandbox::new();
    for (args, message, details) in [
        (
            &["remove"][..],
            "the following required arguments were not provided",
            Value::from("<NAMES>..."),
        ),
        (
            &["lock", "--dry-rnu"],
            "unexpected argument '--dry-rnu' found",
            "tip: a similar argument exists: '--dry-run'".into(),
        ),
        (
            &["list", "--color", "blue"],
            "invalid value 'blue' for '--color <WHEN>'",
            "[possible values: auto, always, never]".into(),
        ),
        (&["schema"], "unexpected argument '--format' found", Value::Null),
    ] {
        let error = &sandbox.document(args.iter().chain(&["--format", "json"]))["error"];
        assert_eq!(error["kind"], "usage");
        assert_eq!((&error["message"], &error["details"]), (&message.into(), &details), "{args:?}");
    }
}

#[test]
fn github_annotations_have_place_title_and_help() {
    let sandbox = Sandbox::new();
    mixed(&sandbox);
    let run = sandbox.run(["validate", "all", "--format", "github", "-v"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains(
            "::error file=all/mixed/SKILL.md,line=7,endLine=7,col=1,endColumn=8,\
             title=duplicate-key::`license` appears twice; the first is on line 6\
             %0Ahelp: keep one of them\n"
        ),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("::warning file=") && run.stdout.contains("::notice file="));
    assert!(run.stdout.lines().all(|line| line.starts_with("::")));
    let quiet = sandbox.run(["validate", "all/good", "--format", "github"]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (0, ""));
}

#[test]
fn github_annotations_escape_their_delimiters() {
    let sandbox = Sandbox::new();
    let name = "a,b:c%d\n::error::fake";
    sandbox.skill(&format!("all/{name}"), &text("100%\r", "x%0A::error::y: 1\n"));
    let run = sandbox.run(["validate", "all", "--format", "github", "-v"]);
    assert!(run.stdout.contains("file=all/a%2Cb%3Ac%25d␊%3A%3Aerror%3A%3Afake/SKILL.md,"));
    assert!(run.stdout.contains("%25"), "{}", run.stdout);
    for line in run.stdout.lines() {
        let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (command, properties) = head.split_once(' ').unwrap();
        assert!(["error", "warning", "notice"].contains(&command), "{line}");
        for property in properties.split(',') {
            let (key, value) = property.split_once('=').unwrap();
            let known = ["file", "line", "endLine", "col", "endColumn", "title"];
            assert!(known.contains(&key) && !value.contains(':'), "{line}");
        }
        let escapes = message.match_indices('%').map(|(at, _)| &message[at..at + 3]);
        assert!(escapes.into_iter().all(|one| one == "%25" || one == "%0A"), "{line}");
    }
}

/// The children of this name.
fn all<'a, 'b>(node: roxmltree::Node<'a, 'b>, name: &str) -> Vec<roxmltree::Node<'a, 'b>> {
    node.children().filter(|child| child.has_tag_name(name)).collect()
}

/// The value of an attribute, which must be there.
fn attribute<'a>(node: roxmltree::Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_else(|| panic!("no attribute {name} in {node:?}"))
}

#[test]
fn junit_is_well_formed_and_counts_right() {
    let sandbox = Sandbox::new();
    mixed(&sandbox);
    let run = sandbox.run(["validate", "all", "--format", "junit"]);
    assert_eq!(run.code, 1);
    let document = roxmltree::Document::parse(&run.stdout).unwrap();
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites"));
    assert_eq!((attribute(root, "tests"), attribute(root, "failures")), ("2", "1"));
    let suites = all(root, "testsuite");
    assert_eq!(suites.len(), 2);
    assert_eq!(attribute(suites[0], "name"), "all/good");
    assert_eq!(attribute(all(suites[0], "testcase")[0], "name"), "valid");
    let case = all(suites[1], "testcase")[0];
    assert_eq!(attribute(case, "name"), "duplicate-key at all/mixed/SKILL.md:7:1");
    let failure = all(case, "failure")[0];
    assert_eq!(attribute(failure, "type"), "duplicate-key");
    let message = failure.text().unwrap();
    assert!(message.ends_with("\nhelp: keep one of them"), "{message}");
    let others = all(suites[1], "system-out")[0].text().unwrap();
    assert!(others.contains("warning[unknown-field]") && others.contains("note[unknown-field]"));
    let strict = sandbox.run(["validate", "all", "--strict", "--format", "junit"]);
    let document = roxmltree::Document::parse(&strict.stdout).unwrap();
    let root = document.root_element();
    let cases: usize =
        all(root, "testsuite").into_iter().map(|suite| all(suite, "testcase").len()).sum();
    assert_eq!(attribute(root, "tests"), cases.to_string());
}

#[test]
fn junit_survives_hostile_names() {
    let sandbox = Sandbox::new();
    let name = "a\"<b>&\u{1}\u{ffff}]]>\n";
    sandbox.skill(&format!("all/{name}"), &text("<x a=\"&\">]]>", "\"</failure>\": 1\n"));
    let run = sandbox.run(["validate", "all", "--format", "junit", "-v"]);
    let document = roxmltree::Document::parse(&run.stdout).unwrap();
    let suite = all(document.root_element(), "testsuite")[0];
    assert_eq!(attribute(suite, "name"), "all/a\"<b>&␁\u{fffd}]]>␊");
}

#[test]
fn output_writes_the_format_to_a_file_and_human_text_to_the_terminal() {
    let sandbox = Sandbox::new();
    mixed(&sandbox);
    for format in ["json", "sarif", "github", "gitlab", "junit", "human"] {
        let plain = sandbox.run(["validate", "all", "--format", format]);
        let human = sandbox.run(["validate", "all"]);
        let run = sandbox.run(["validate", "all", "--format", format, "--output", "out.txt"]);
        assert_eq!((run.code, run.stdout), (1, human.stdout));
        let file = sandbox
            .read("out.txt")
            .replace(sandbox.path("").parent().unwrap().to_str().unwrap(), "[DIR]");
        let expected = if format == "human" {
            plain
                .stdout
                .lines()
                .take_while(|line| !line.contains("skills explain"))
                .map(|line| format!("{line}\n"))
                .collect()
        } else {
            plain.stdout
        };
        assert_eq!(file, expected, "{format}");
    }
    let run = sandbox.run(["validate", "all", "--format", "json", "-o", "missing/out.json"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot write `missing/out.json`"), "{}", run.stderr);
    let run = sandbox.run(["validate", "all", "--format", "sarif", "--output", "-"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("help: omit `--output`"), "{}", run.stderr);
    assert!(!sandbox.path("-").exists());
}

#[test]
#[cfg(unix)]
fn output_to_a_link_or_a_pipe_leaves_both_in_place() {
    let sandbox = Sandbox::new();
    // More than a pipe holds at once.
    for number in 0..300 {
        sandbox.mkdir(format!("all/.claude/skills/broken-{number}"));
    }
    let expected = sandbox.run(["validate", "all", "--format", "json"]).stdout;
    assert!(expected.len() > 100_000);
    let real = |name: &str| sandbox.read(name).replace(sandbox.root_text(), "[DIR]");

    sandbox.write("real/out.json", "old");
    sandbox.symlink("real/out.json", "link.json");
    sandbox.run(["validate", "all", "--format", "json", "--output", "link.json"]);
    assert!(sandbox.path("link.json").is_symlink());
    assert_eq!(real("real/out.json"), expected);
    sandbox.symlink("real/new.json", "new.json");
    sandbox.run(["validate", "all", "--format", "json", "--output", "new.json"]);
    assert!(sandbox.path("new.json").is_symlink());
    assert_eq!(real("real/new.json"), expected);

    sandbox.fifo("pipe");
    let run = sandbox.shell(
        "(sleep 0.3; cat) <pipe >piped.json & exec 3>pipe
        \"$SKILLS\" validate all --format json --output pipe >human; code=$?
        exec 3>&-; wait; [ -p pipe ] || exit 9; exit $code",
    );
    assert_eq!(run.code, 1, "{}", run.all());
    assert_eq!(real("piped.json"), expected);

    let run = sandbox.shell("\"$SKILLS\" validate all --format json --output /dev/fd/1 | cat");
    assert!(run.stdout.starts_with(&expected), "{}", run.all());
    let run = sandbox.run(["validate", "all", "--output", "all"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot write `all`: is a directory"), "{}", run.stderr);
}

#[test]
fn rules_and_explain_know_every_rule() {
    let sandbox = Sandbox::new();
    let list: Value =
        serde_json::from_str(&sandbox.run(["rules", "--format", "json"]).stdout).unwrap();
    let ids: Vec<&str> =
        list["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), crate::harness::rules().len());
    let table = sandbox.run(["rules"]).stdout;
    let page = sandbox.run(["rules", "--format", "markdown"]).stdout;
    for id in ids {
        assert!(table.contains(&format!("  {id} ")), "{id}");
        assert!(page.contains(&format!("\n## {id}\n")), "{id}");
        let run = sandbox.run(["explain", id]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.starts_with(&format!("{id} (")), "{}", run.stdout);
        assert!(!run.stdout.contains(['\u{1b}', '\u{feff}', '\u{200b}']), "{id}");
    }
    let run = sandbox.run(["explain", "invalid-yml"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `invalid-yaml`?"), "{}", run.stderr);
}
