//! `skills.yaml` in full: inline skills, templates, conditions, sections, and its schema.

use serde_json::Value;

use crate::harness::Sandbox;
use crate::render::{MANIFEST, catalogue, names, sandbox};

#[test]
fn a_waiting_section_is_collected_when_it_is_expanded() {
    let sandbox = sandbox();
    assert_eq!(names(&sandbox.run(["render"])), ["naming", "csv", "pdf"]);
    let run = sandbox.run(["render", "--expand", "archives"]);
    assert_eq!(names(&run), ["naming", "csv", "pdf", "zip"]);
    assert_eq!(catalogue(&run)[3].2, "tools/archives/zip");
    let run = sandbox.run(["render", "--expand", "archvies"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("did you mean `archives`? keys: archives, linting, naming"),
        "{}",
        run.stderr
    );
}

#[test]
fn conditions_decide_which_entries_count() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("a/one");
    sandbox.write(
        "skills.yaml",
        "params: {language: python, level: 3}\nskills:\n\
         - {source: ./missing, enabled: false}\n\
         - {source: ./missing, enabled: {env: NOT_SET}}\n\
         - {source: ./missing, enabled: {param: language, equals: rust}}\n\
         - {source: ./missing, enabled: [true, {param: level, equals: 4}]}\n\
         - {source: ./a/one, enabled: [{env: WANTED, equals: \"1\"}, {param: level, equals: 3}]}\n",
    );
    assert_eq!(sandbox.run(["render"]).stdout, "", "disabled entries are not even looked for");
    let run = sandbox.run_with(["render"], |command| {
        command.env("WANTED", "1");
    });
    assert_eq!(names(&run), ["one"]);
    let run = sandbox.run(["render", "--param", "language=rust"]);
    assert!(run.stderr.contains("cannot read `./missing`"), "{}", run.stderr);
    sandbox.write("skills.yaml", "skills: [{source: x, enabled: {param: none}}]\n");
    let run = sandbox.run(["render"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("skills.yaml:1:31: no value for the parameter `none`"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--param none=VALUE"), "{}", run.stderr);
}

#[test]
fn faults_of_templates_have_a_place() {
    let sandbox = Sandbox::repository();
    let manifest = |template: &str| {
        format!(
            "skills:\n- inline:\n    name: a\n    title: A\n    description: D\n    \
             template: \"{template}\"\n"
        )
    };
    sandbox.write("skills.yaml", manifest("costs 5 $"));
    let run = sandbox.run(["render"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains(
            "skills.yaml:6:15: in the template of `a`: invalid placeholder in string: line 1, col 9"
        ),
        "{}",
        run.stderr
    );
    sandbox.write("skills.yaml", manifest("$who"));
    assert!(sandbox.run(["list"]).stderr.contains("no value for the parameter `who`"));
    assert_eq!(names(&sandbox.run(["render", "--param", "who=me"])), ["a"]);
    assert_eq!(sandbox.run(["render", "--param", "who"]).code, 2);
}

#[test]
fn an_inline_name_that_is_taken_is_an_error() {
    let sandbox = sandbox();
    sandbox.good_skill("skills/naming");
    for verb in ["render", "list", "validate", "install", "lock", "mount"] {
        let run = sandbox.run([verb]);
        assert_eq!(run.code, 1, "{verb}");
        assert!(
            run.stderr.contains("Duplicate skill name 'naming' registered for prompt."),
            "{}",
            run.stderr
        );
    }
    let report = sandbox.document(["render", "--format", "json"]);
    assert_eq!(report["error"]["kind"], "duplicate");
    // Following the help works.
    let run = sandbox.run(["render"]);
    assert!(run.stderr.contains("change the `name` of the inline skill"), "{}", run.stderr);
    sandbox.write("skills.yaml", MANIFEST.replace("name: naming", "name: names"));
    assert_eq!(sandbox.run(["render"]).code, 0);
}

#[test]
fn a_name_that_is_taken_is_reported_before_a_source_that_is_missing() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("a/foo");
    sandbox.good_skill("b/foo");
    let inline = inline("foo", "");
    let prompt = "Duplicate skill name 'foo' registered for prompt.";
    let is_refused = |manifest: &str, name: &str, message: &str| {
        sandbox.write("skills.yaml", format!("skills:\n{manifest}"));
        for verb in ["render", "list", "install", "lock"] {
            let report = sandbox.document([verb, "--format", "json"]);
            let error = &report["error"];
            assert_eq!(error["message"], message, "{verb}: {manifest}\n{report:#}");
            assert_eq!(error["skill"], name, "{report:#}");
            assert!(error["path"].is_string(), "{report:#}");
            assert_eq!(sandbox.run([verb]).code, 1, "{verb}: {manifest}");
        }
    };
    let missing = "- {source: missing, name: foo}\n";
    is_refused(&format!("{missing}{inline}"), "foo", prompt);
    is_refused(&format!("{inline}{missing}"), "foo", prompt);
    is_refused(&format!("- ./missing/zzz\n{inline}- ./b/foo\n"), "foo", prompt);
    is_refused(&format!("{inline}- ./missing/foo\n"), "foo", prompt);
    let zed = "Duplicate skill name: zed";
    let named = |one: &str, other: &str| {
        format!("- {{source: {one}, name: zed}}\n- {{source: {other}, name: zed}}\n")
    };
    is_refused(&named("./a", "./missing/q"), "zed", zed);
    is_refused(&named("./missing/p", "./missing/q"), "zed", zed);
    is_refused(&named("git+file:///nowhere.git", "./missing/q"), "zed", zed);
    // Copies are no duplicates, and something unread may be a copy.
    for manifest in [
        format!("{}- ./missing/zzz\n", named("./a/foo", "./b/foo")),
        named("./a/foo", "git+file:///nowhere.git"),
    ] {
        sandbox.write("skills.yaml", format!("skills:\n{manifest}"));
        assert_eq!(sandbox.run(["render"]).code, 2, "{manifest}");
    }
}

#[test]
fn inline_skills_are_validated_where_they_are_written() {
    let sandbox = Sandbox::repository();
    let long = "x".repeat(1_025);
    sandbox.write(
        "skills.yaml",
        format!(
            "skills:\n- inline:\n    name: long\n    title: T\n    description: {long}\n    \
             template: Do it.\n"
        ),
    );
    let report = sandbox.json([""; 0]);
    let finding = &report["findings"][0];
    assert_eq!(finding["rule"], "description-too-long");
    assert_eq!((&finding["line"], &finding["column"]), (&3.into(), &11.into()));
    assert_eq!(finding["path"], "[DIR]/project/skills.yaml");
}

#[test]
fn a_manifest_is_not_a_source() {
    let sandbox = sandbox();
    sandbox.write("other/skills.yaml", "skills: [../skills.yaml]\n");
    let run = sandbox.run(["render", "--manifest", "other/skills.yaml"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("is a manifest, not a skill"), "{}", run.stderr);
}

#[test]
fn the_first_manifest_validates_and_is_not_overwritten() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("pdf");
    assert_eq!(sandbox.run(["init", "--manifest"]).stdout, "./skills.yaml\n");
    assert_eq!(names(&sandbox.run(["render"])), ["pdf"]);
    let run = sandbox.run(["init", "--manifest"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("already exists"), "{}", run.stderr);
    // With all comments enabled, it is still a valid manifest.
    let all = sandbox.read("skills.yaml");
    let bare: String = all
        .lines()
        .filter_map(|line| {
            let rest = line.trim_start().strip_prefix("# ");
            let indent = line.len() - line.trim_start().len();
            match rest {
                None => Some(format!("{line}\n")),
                Some(rest)
                    if indent > 0
                        || rest.split_once(": ").is_some_and(|(key, _)| !key.contains(' ')) =>
                {
                    Some(format!("{}{rest}\n", " ".repeat(indent)))
                }
                Some(_) => None,
            }
        })
        .filter(|line| !line.contains("A skill, or a directory"))
        .collect();
    let here = bare.replace("./internal/review-v2", "./pdf");
    let here = here.replace("[./org-skills, ./team-skills]", "[./pdf, ./pdf]");
    sandbox.write("skills.yaml", here.replace("gh:team/skills/review@v2", "./pdf"));
    let schema: Value = serde_json::from_str(&sandbox.run(["schema"]).stdout).unwrap();
    let run = sandbox.run(["render", "--expand", "reviews"]);
    assert_eq!(run.code, 0, "{}\n{}", run.all(), sandbox.read("skills.yaml"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let manifest: Value =
        serde_json::to_value(serde_yaml_value(&sandbox.read("skills.yaml"))).unwrap();
    assert!(
        validator.is_valid(&manifest),
        "{:#?}",
        validator.iter_errors(&manifest).collect::<Vec<_>>()
    );
}

#[test]
fn the_schema_and_the_reader_agree() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    let schema: Value = serde_json::from_str(&sandbox.run(["schema"]).stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (manifest, good) in [
        (MANIFEST.replace("./extra/zip", "./skills/pdf"), true),
        ("version: 1\nrules: {broken-link: off}\nskills: [./skills]\n".to_owned(), true),
        ("discovery: {enabled: true, sources: [claude]}\n".to_owned(), true),
        ("isolation: {env: {A: 1}, api_key_env: K}\nskills: [./skills]\n".to_owned(), true),
        ("sections: {a: {visibility: summary, children: [b]}, b: full}\n".to_owned(), true),
        (
            "sections: {a: {title: T, description: D, enabled: [{not: {env: X}}]}}\n".to_owned(),
            true,
        ),
        ("key_prefix: a.b\ninstall_skills: false\n".to_owned(), true),
        ("skills: [{source: [a, b], enabled: {any: [{env: A, equals: 1}]}}]\n".to_owned(), true),
        (format!("skills:\n{}", inline("a", ", params: {x: 1}")), true),
        (
            format!("title: T\nskills:\n{}", inline("a", ", children: [b], tools: [t]"))
                + "sections: {b: full}\n",
            true,
        ),
        (
            format!("skills:\n{}", inline("a", ", tools: [{name: t, parameters: {type: object}}]")),
            true,
        ),
        (format!("skills:\n{}", inline("a", ", tools: [{name: t, parameters: []}]")), false),
        (format!("skills:\n{}", inline("a", ", tools: [{description: t}]")), false),
        (format!("skills:\n{}", inline("a", ", tools: [{name: t, x: 1}]")), false),
        (format!("skills:\n{}", inline("a", ", tools: [3]")), false),
        (format!("skills:\n{}", inline("a", ", children: b")), false),
        ("title: \"\"\n".to_owned(), false),
        ("sections: {a: {titel: T}}\n".to_owned(), false),
        ("sections: {a: 3}\n".to_owned(), false),
        ("sections: {a: {title: \"\"}}\n".to_owned(), false),
        ("key_prefix: \"\"\n".to_owned(), false),
        ("key_prefix: a.\n".to_owned(), false),
        ("install_skills: 1\n".to_owned(), false),
        ("skills: [{source: []}]\n".to_owned(), false),
        ("skills: [{source: [a], name: x}]\n".to_owned(), false),
        ("skills: [{source: a, enabled: {any: []}}]\n".to_owned(), false),
        ("skills: [{source: a, enabled: {not: true, any: [true]}}]\n".to_owned(), false),
        ("skills: [{source: a, enabled: {not: true, equals: x}}]\n".to_owned(), false),
        (format!("skills:\n{}", inline("a", ", params: {x: []}")), false),
        ("version: 2\n".to_owned(), false),
        ("skils: []\n".to_owned(), false),
        ("skills: [{name: x}]\n".to_owned(), false),
        ("skills: [{source: x, enabled: 3}]\n".to_owned(), false),
        ("skills: [{inline: {name: a}}]\n".to_owned(), false),
        ("sections: {a: hidden}\n".to_owned(), false),
        ("rules: {broken-link: loud}\n".to_owned(), false),
        ("params: {a: [b]}\n".to_owned(), false),
    ] {
        sandbox.write("skills.yaml", &manifest);
        let value = serde_json::to_value(serde_yaml_value(&manifest)).unwrap();
        assert_eq!(validator.is_valid(&value), good, "schema: {manifest}");
        let code = sandbox.run(["list", "--discover"]).code;
        assert_eq!(code == 0, good, "reader: {manifest}");
    }
}

pub(crate) fn inline(name: &str, more: &str) -> String {
    format!("- inline: {{name: {name}, title: T, description: D, template: one{more}}}\n")
}

#[test]
fn two_inline_skills_of_one_name_or_key_are_an_error() {
    let sandbox = Sandbox::repository();
    for key in ["", ", key: k"] {
        sandbox.write("skills.yaml", format!("skills:\n{}{}", inline("x", ""), inline("x", key)));
        for verb in ["render", "list", "validate", "install", "mount", "lock"] {
            let run = sandbox.run([verb]);
            assert_eq!(run.code, 1, "{verb}");
            assert_eq!(
                run.stderr,
                "error: Duplicate skill name 'x' registered for prompt.\nhelp: the inline skills at \
                 skills.yaml:2:18 and skills.yaml:3:18 have this name; change the `name` of one\n"
            );
        }
        sandbox.write("skills.yaml", format!("skills:\n{}{}", inline("x", ""), inline("y", key)));
        assert_eq!(sandbox.run(["render"]).code, 0, "following the help works");
    }
    sandbox.write(
        "skills.yaml",
        format!("skills:\n{}{}", inline("x", ", key: k"), inline("y", ", key: k")),
    );
    let run = sandbox.run(["render"]);
    assert!(
        run.stderr
            .contains("skills.yaml:3:18: the inline skill at skills.yaml:2:18 has the key `k`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_placeholder_is_found_where_it_stands_in_the_manifest() {
    let sandbox = Sandbox::repository();
    sandbox.write(
        "skills.yaml",
        "skills:\n- inline:\n    name: a\n    title: T\n    description: D\n    template: |\n\n        \
         # Title\n\n          costs 5 $\n",
    );
    let run = sandbox.run(["render"]);
    assert!(
        run.stderr.starts_with("error: skills.yaml:10:19: in the template of `a`"),
        "{}",
        run.stderr
    );
    for (template, place) in
        [("            # Title $\n        x\n", "7:21"), ("            # T\n        x $\n", "8:11")]
    {
        let head =
            "skills:\n- inline:\n    name: a\n    title: T\n    description: D\n    template: |2\n";
        sandbox.write("skills.yaml", format!("{head}{template}"));
        let run = sandbox.run(["render"]);
        assert!(run.stderr.starts_with(&format!("error: skills.yaml:{place}: ")), "{}", run.stderr);
    }
    sandbox.write(
        "skills.yaml",
        "skills:\n- inline:\n    name: a\n    title: T\n    description: D\n    template: fine\n    \
         summary: costs $ 5\n",
    );
    let run = sandbox.run(["render"]);
    assert!(
        run.stderr.starts_with("error: skills.yaml:7:14: in the summary of `a`"),
        "{}",
        run.stderr
    );
}

#[test]
fn templates_cannot_grow_without_bound() {
    let sandbox = Sandbox::repository();
    let manifest = format!(
        "params: {{p: {}}}\nskills:\n- inline: {{name: a, title: T, description: D, template: \"{}\"}}\n",
        "x".repeat(50_000),
        "$p".repeat(50_000)
    );
    sandbox.write("skills.yaml", manifest);
    let run = sandbox.run(["render"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("the text becomes longer than 1048576 bytes"), "{}", run.stderr);
}

#[test]
fn one_source_under_two_names_is_two_skills() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("sk/b");
    sandbox.write(
        "skills.yaml",
        "skills:\n- {source: sk/b, name: one}\n- {source: sk/b, name: two}\n",
    );
    assert_eq!(names(&sandbox.run(["render"])), ["one", "two"]);
}

#[test]
fn faults_of_entries_name_the_manifest() {
    let sandbox = Sandbox::repository();
    for (manifest, expected) in [
        ("skills:\n- ./ok\n- ./missing\n", "skills.yaml:3:3: cannot read `./missing`"),
        ("skills: [\"\"]\n", "skills.yaml:1:10: a source must not be empty"),
        ("allow: [x, \"[a\"]\nskills: []\n", "skills.yaml:1:12: invalid glob `[a`"),
        ("skills: [{source: x, enabled: yes}]\n", "`enabled` must be true, false or a condition"),
    ] {
        sandbox.good_skill("ok");
        sandbox.write("skills.yaml", manifest);
        let run = sandbox.run(["render"]);
        assert_eq!(run.code, 2, "{manifest}");
        assert!(run.stderr.contains(expected), "{manifest}: {}", run.stderr);
    }
}

/// Another YAML reader than the one under test.
fn serde_yaml_value(text: &str) -> serde_yaml::Value {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const TOOLS: &str = r#"skills:
  - inline:
      name: linting
      title: Linting
      description: Lints. Use for linting.
      template: Lint it.
      tools:
        - name: lint_code
          description: "Lints files.\n##[error]x"
          parameters:
            type: object
            properties: { paths: { type: array, maxItems: 30 }, fix: { enum: [true, null, "1.10", 0.5] } }
            required: [paths]
        - run_tests
"#;

#[test]
fn a_tool_may_be_described() {
    let sandbox = Sandbox::repository();
    sandbox.write("skills.yaml", TOOLS);
    let run = sandbox.run(["render", "--no-instructions"]);
    assert!(run.stdout.ends_with("and access tools: lint_code, run_tests.]\n"), "{}", run.stdout);
    let run = sandbox.run(["list", "--tools", "--format", "names"]);
    assert_eq!(run.stdout, "lint_code\nrun_tests\n");
    let run = sandbox.run(["list", "--long"]);
    assert!(run.stdout.contains("with the tools lint_code, run_tests\n"), "{}", run.stdout);
    let parameters = serde_json::json!({
        "type": "object",
        "properties": {
            "paths": { "type": "array", "maxItems": 30 },
            "fix": { "enum": [true, null, "1.10", 0.5] },
        },
        "required": ["paths"],
    });
    let definitions = serde_json::json!([
        { "name": "lint_code", "description": "Lints files.\n##[error]x", "parameters": parameters },
        { "name": "run_tests", "description": null, "parameters": null },
    ]);
    let args = ["render", "--format", "json"];
    let section = &sandbox.document(args)["sections"][0];
    assert_eq!(section["tools"], serde_json::json!(["lint_code", "run_tests"]));
    assert_eq!(section["tool_definitions"], definitions);
    // In the order of the manifest, and without commands to a CI service.
    let text = sandbox.run(args).stdout;
    assert!(text.find("\"paths\"").unwrap() < text.find("\"fix\"").unwrap(), "{text}");
    assert!(!text.contains("##[error]"), "{text}");
    let listed = sandbox.document(["list", "--long", "--format", "json"]);
    assert_eq!(listed["skills"][0]["tool_definitions"], definitions);
    // While it waits, its section has all of them.
    sandbox.write("skills.yaml", format!("{TOOLS}    section: a\nsections: {{ a: summary }}\n"));
    assert_eq!(sandbox.document(args)["sections"][0]["tool_definitions"], definitions);
}

#[test]
fn faults_of_tools_have_a_place_and_say_what_to_write() {
    let sandbox = Sandbox::repository();
    let deep = format!("{}{}", "{a: ".repeat(20), "1".to_owned() + &"}".repeat(20));
    for (tools, expected) in [
        (
            "lint_code",
            "2:69: `tools` must be a list, this is a string\nhelp: write the names of tools: `tools: [lint_code]`",
        ),
        ("{name: t}", "2:69: `tools` must be a list, this is a mapping\nhelp: write"),
        (
            "[3]",
            "2:70: a tool must be a name or a mapping, this is a number\nhelp: write `lint_code`, or `{name: lint_code, ",
        ),
        ("[[t]]", "2:70: a tool must be a name or a mapping, this is a list"),
        ("[~]", "2:70: a tool must be a name or a mapping, this is nothing"),
        ("[\"\"]", "2:70: the name of a tool must not be empty"),
        ("[\"a\\e[2Jb\"]", "2:70: the name of a tool must be plain text on one line"),
        ("[{}]", "2:70: this tool has no `name`\nhelp: write `{name: "),
        ("[{description: x}]", "2:70: this tool has no `name`"),
        ("[{name: [t]}]", "2:77: the name of a tool must be a string, this is a list"),
        ("[{name: t, description: 3}]", "2:93: `description` must be a string, this is a number"),
        ("[{name: t, description: \" \"}]", "2:93: `description` must not be empty"),
        (
            "[{name: t, description: \"a\\u202eb\"}]",
            "2:93: `description` has a control or hidden character",
        ),
        (
            "[{name: t, descripton: x}]",
            "2:80: unknown key `descripton`\nhelp: did you mean `description`?",
        ),
        (
            "[{name: t, inputSchema: {}}]",
            "2:80: unknown key `inputSchema`\nhelp: known keys: name, description, parameters",
        ),
        (
            "[{name: t, parameters: [path]}]",
            "2:92: `parameters` must be a mapping, this is a list\nhelp: write a JSON Schema: `{type: object, ",
        ),
        (
            "[{name: t, parameters: object}]",
            "2:92: `parameters` must be a mapping, this is a string\nhelp: write",
        ),
        (
            "[{name: t, parameters: {1: x}}]",
            "2:93: a key in `parameters` must be a string, this is a number\nhelp: put it in quotes",
        ),
        (
            "[{name: t, parameters: {a: {\"b\\x1b\": x}}}]",
            "2:97: a text in `parameters` has a control",
        ),
        (
            "[{name: t, parameters: {a: [\"\\U000e0041\"]}}]",
            "2:97: a text in `parameters` has a control",
        ),
        (
            "[{name: t, parameters: {a: 0x1F}}]",
            "2:96: `0x1F` is not how JSON writes this number\nhelp: write a number such as `30`",
        ),
        ("[{name: t, parameters: {a: .inf}}]", "2:96: `.inf` is not how JSON writes this number"),
        ("[t, {name: t}]", "2:73: the tool `t` appears twice"),
        (&format!("[{{name: t, parameters: {deep}}}]"), "2:"),
    ] {
        sandbox.write(
            "skills.yaml",
            format!("skills:\n{}", inline("a", &format!(", tools: {tools}"))),
        );
        let run = sandbox.run(["list"]);
        assert_eq!(run.code, 2, "{tools}: {}", run.all());
        let expected = format!("error: skills.yaml:{expected}");
        assert!(run.stderr.starts_with(&expected), "{tools}\n{expected}\n{}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\u{202e}'), "{tools}");
    }
}
