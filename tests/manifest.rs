//! `skills.yaml`: what it selects, what it sets, and how errors in it are reported.

use crate::harness::{Sandbox, text};

fn names<const N: usize>(sandbox: &Sandbox, args: [&str; N]) -> Vec<String> {
    let report = sandbox.json(args);
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

fn three_skills(sandbox: &Sandbox) {
    for name in ["csv", "pdf", "pdf-old"] {
        sandbox.good_skill(&format!("store/{name}"));
    }
    sandbox.good_skill("elsewhere/zip");
}

#[test]
fn the_manifest_is_used_when_no_source_is_given() {
    let sandbox = Sandbox::new();
    three_skills(&sandbox);
    assert_eq!(names(&sandbox, []), ["zip", "csv", "pdf", "pdf-old"]);
    sandbox.write("skills.yaml", "version: 1\nskills:\n  - store\n");
    assert_eq!(names(&sandbox, []), ["csv", "pdf", "pdf-old"]);
    assert_eq!(names(&sandbox, ["elsewhere"]), ["zip"], "a source goes first");
}

#[test]
fn filters_of_manifest_and_command_line_both_hold() {
    let sandbox = Sandbox::new();
    three_skills(&sandbox);
    sandbox.write("skills.yaml", "allow: [\"pdf*\", csv]\ndeny: [\"*-old\"]\nskills: [./store]\n");
    assert_eq!(names(&sandbox, []), ["csv", "pdf"]);
    assert_eq!(names(&sandbox, ["--allow", "pdf*"]), ["pdf"]);
    let run = sandbox.run(["validate", "--allow", "zip"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("no skill matches the filters, of 3 found"), "{}", run.stderr);
}

#[test]
fn entries_are_paths_or_mappings_with_a_name() {
    let sandbox = Sandbox::new();
    three_skills(&sandbox);
    let manifest = "skills:\n  - store/csv\n  - source: store/pdf\n  - source: elsewhere/zip\n    \
                    name: archives\n";
    sandbox.write("skills.yaml", manifest);
    assert_eq!(names(&sandbox, []), ["archives", "csv", "pdf"]);
    assert_eq!(sandbox.rules_fired([""; 0]), [""; 0], "the given name settles which one counts");
}

#[test]
fn a_named_entry_promises_a_skill() {
    let sandbox = Sandbox::new();
    sandbox.write("store/README.md", "# Nothing here\n");
    sandbox.write("skills.yaml", "skills:\n  - source: store\n    name: promised\n");
    assert_eq!(sandbox.rules_fired([""; 0]), ["missing-skill-md"]);
}

#[test]
fn rule_levels_come_from_the_manifest_and_flags_win() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "licence: MIT\n"));
    sandbox.write("skills.yaml", "rules:\n  unknown-field: error\nskills: [pdf]\n");
    assert_eq!(sandbox.run(["validate"]).code, 1);
    assert_eq!(sandbox.run(["validate", "pdf"]).code, 0, "with a source it is not read");
    assert_eq!(sandbox.run(["validate", "--rule", "unknown-field=note"]).code, 0);
    let run = sandbox.run(["validate", "pdf", "--manifest", "skills.yaml"]);
    assert_eq!(run.code, 1, "levels hold for sources too when it is named");
}

#[test]
fn a_manifest_may_lie_anywhere_and_its_paths_are_relative_to_it() {
    let sandbox = Sandbox::new();
    three_skills(&sandbox);
    sandbox.write("config/all.yaml", "skills: [../store/pdf]\n");
    assert_eq!(names(&sandbox, ["--manifest", "config/all.yaml"]), ["pdf"]);
    assert_eq!(names(&sandbox, ["-C", "elsewhere", "--manifest", "../config/all.yaml"]), ["pdf"]);
    let run = sandbox.run(["validate", "--manifest", "missing.yaml"]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (
            2,
            "error: no manifest at `missing.yaml`\nhelp: run `skills init --manifest` to write one\n"
        )
    );
}

#[test]
fn faults_of_the_manifest_have_a_place_and_a_suggestion() {
    for (manifest, expected) in [
        (
            "version: 1\nskils: []\n",
            "skills.yaml:2:1: unknown key `skils`\nhelp: did you mean `skills`?",
        ),
        (
            "rules:\n  brokn-link: off\n",
            "skills.yaml:2:3: unknown rule `brokn-link`\nhelp: did you mean `broken-link`?",
        ),
        (
            "rules: {broken-link: loud}\n",
            "skills.yaml:1:22: a level is one of off, note, warning, error",
        ),
        (
            "discovery: {directories: [3]}\n",
            "skills.yaml:1:27: an entry of `directories` must be a string, this is a number",
        ),
        (
            "limits: {max_skill_sizes: 1}\n",
            "skills.yaml:1:10: unknown key `max_skill_sizes`\nhelp: did you mean `max_skill_size`?",
        ),
        ("version: 2\n", "skills.yaml:1:10: this tool reads manifests of version 1"),
        ("allow: pdf\n", "skills.yaml:1:8: `allow` must be a list, this is a string"),
        (
            "skills:\n  - 5\n",
            "skills.yaml:2:5: an entry of `skills` must be a path or a mapping, this is a number",
        ),
        (
            "skills:\n  - sorce: x\n",
            "skills.yaml:2:5: unknown key `sorce`\nhelp: did you mean `source`?",
        ),
        (
            "skills:\n  - source: x\n    name: Bad_Name\n",
            "skills.yaml:3:11: a name consists of a-z, 0-9 and hyphens",
        ),
        ("skills: []\nskills: []\n", "skills.yaml:2:1: `skills` appears twice"),
        ("- x\n", "skills.yaml:1:1: a manifest must be a mapping, this is a list"),
        (
            "a: b: c\n",
            "skills.yaml:1:5: an unquoted value cannot contain `: `\n\
             help: put the whole value in quotes",
        ),
        (
            "version 1\nskills: []\n",
            "skills.yaml:1:1: this line has no `: ` after its key\nhelp: write `version: 1`",
        ),
        (
            "version: 1\n\n# comment\nskils\n",
            "skills.yaml:4:1: this line has no `: ` after its key\nhelp: indent it by two spaces",
        ),
        (
            "version: 1\n  skills: []\n",
            "skills.yaml:2:3: this key is indented\nhelp: remove the spaces before `skills`",
        ),
        ("skills: [&a x, *a]\n", "skills.yaml:1:10: YAML anchors are not allowed here"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("skills.yaml", manifest);
        let run = sandbox.run(["validate"]);
        assert_eq!(run.code, 2, "{manifest}");
        assert!(run.stderr.starts_with(&format!("error: {expected}")), "{}", run.stderr);
    }
}

#[test]
fn a_manifest_that_is_not_text_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("bytes.yaml", b"skills: [\xff]\n");
    sandbox.mkdir("directory.yaml/skills.yaml");
    sandbox.fifo("pipe.yaml");
    sandbox.symlink("pipe.yaml", "link.yaml");
    for name in ["bytes.yaml", "directory.yaml/skills.yaml", "pipe.yaml", "link.yaml"] {
        let run = sandbox.run(["validate", "--manifest", name.split('/').next().unwrap()]);
        assert_eq!(run.code, 2, "{name}");
        assert!(run.stderr.contains(&format!("cannot read `{name}`: it is not")), "{}", run.stderr);
    }
}

#[test]
fn limits_raise_and_lower_what_a_skill_may_have() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("store/pdf");
    sandbox.write("store/pdf/data.bin", vec![0; 2_000]);
    sandbox.write("skills.yaml", "limits: {max_skill_size: 1K}\nskills: [./store]\n");
    assert_eq!(sandbox.rules_fired([""; 0]), ["skill-too-large"]);
    sandbox.write("skills.yaml", "limits: {max_skill_size: 20MiB}\nskills: [./store]\n");
    sandbox.write("store/pdf/data.bin", vec![0; 11 * 1024 * 1024]);
    assert_eq!(sandbox.rules_fired([""; 0]), [""; 0]);
    assert_eq!(sandbox.rules_fired(["store"]), ["skill-too-large"]);
}

#[test]
fn a_parameter_that_says_no_disables() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    let rows = |value: &str| {
        let entry = "skills: [{source: ./pdf, enabled: {param: on}}]";
        sandbox.write("skills.yaml", format!("params: {{on: {value}}}\n{entry}\n"));
        sandbox.run(["list", "--format", "names"]).stdout
    };
    for no in ["false", "\"false\"", "False", "0", "no", "off", "OFF", "''", "' '"] {
        assert_eq!(rows(no), "", "{no}");
    }
    for yes in ["true", "1", "yes", "on", "python", "00"] {
        assert_eq!(rows(yes), "pdf\n", "{yes}");
    }
    assert_eq!(sandbox.run(["list", "--format", "names", "--param", "on=no"]).stdout, "");
}

#[test]
fn only_says_which_section_holds_a_skill_back() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    sandbox.good_skill("csv");
    sandbox.write(
        "skills.yaml",
        "skills:\n  - ./csv\n  - {source: ./skills, section: inner}\n\
         \x20 - {source: ./csv, name: own, section: inner}\n\
         sections:\n  outer: {visibility: summary, children: [inner]}\n  inner: full\n",
    );
    for verb in [&["list"][..], &["render"], &["install", "--dir", "out"]] {
        for name in ["pdf", "own"] {
            let run = sandbox.run([verb, &["--only", name]].concat());
            assert_eq!(run.code, 2, "{}", run.all());
            let message = format!("error: `{name}` waits for its section `inner`\n");
            assert!(run.stderr.contains(&message), "{}", run.stderr);
            assert!(run.stderr.contains("help: add `--expand inner`"), "{}", run.stderr);
            let run = sandbox.run([verb, &["--only", name, "--expand", "inner"]].concat());
            assert_eq!(run.code, 0, "{}", run.all());
        }
    }
    let run = sandbox.run(["list", "--only", "nope"]);
    assert!(run.stderr.contains("no skill named `nope`"), "{}", run.stderr);
}
