//! Skills by name: what `read`, `render --preload` and `render --activate` find, and how a prompt
//! contains whole skills.

use proptest::prelude::*;

use crate::harness::{Sandbox, text};
use crate::render::names;

const MANIFEST: &str = r#"version: 1
params: { language: python }
skills:
  - source: ./skills/pdf
    name: reader
  - source: ./skills/zip
    section: archives
  - inline:
      name: naming
      title: Naming
      description: Naming conventions. Use when naming things.
      template: "Name things in ${language}."
sections: { archives: summary }
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.good_skill("skills/zip");
    sandbox.home_skill(".claude/skills/tables");
    sandbox.write("skills.yaml", MANIFEST);
    sandbox
}

#[test]
fn what_a_catalogue_names_can_be_read() {
    let sandbox = sandbox();
    let locations: Vec<String> =
        crate::render::catalogue(&sandbox.run(["render"])).into_iter().map(|one| one.2).collect();
    assert_eq!(locations[1], "skill://naming");
    let inline = sandbox.run(["read", &locations[1]]);
    assert_eq!(inline.code, 0, "{}", inline.all());
    assert!(inline.stdout.ends_with("\nName things in python.\n"), "{}", inline.stdout);
    let run = sandbox.run(["read", "naming", "--param", "language=rust"]);
    assert!(run.stdout.ends_with("\nName things in rust.\n"), "{}", run.stdout);
    // The name that the manifest gives counts.
    assert!(sandbox.run(["read", "skill://reader"]).stdout.starts_with("---\nname: pdf\n"));
    let run = sandbox.run(["read", "pdf"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.stderr,
        "error: Unknown skill: pdf\n       Available: naming, reader, tables, zip\n"
    );
}

#[test]
fn a_name_is_as_good_as_an_address() {
    let sandbox = sandbox();
    sandbox.write("skills/zip/more/notes.md", "Notes.\n");
    for (one, other) in
        [("reader", "skill://reader"), ("zip/more/notes.md", "skill://zip/more/notes.md")]
    {
        let run = sandbox.run(["read", one]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert_eq!(run.stdout, sandbox.run(["read", other]).stdout);
        let report = sandbox.document(["read", one, "--format", "json"]);
        assert_eq!(report["url"], other);
    }
    for path in ["./skills/zip", "/etc", "~/x", "https://example.com"] {
        let run = sandbox.run(["read", path]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("is not a skill:// URL"), "{}", run.stderr);
    }
    let run = sandbox.run(["read", "./skills/zip"]);
    assert!(run.stderr.contains("`skills read NAME ./skills/zip`"), "{}", run.stderr);
    assert_eq!(sandbox.run(["read", "zip", "./skills/zip"]).code, 0);
}

#[test]
fn a_manifest_comes_before_discovery_and_a_named_one_alone() {
    let sandbox = sandbox();
    sandbox.home_skill(".claude/skills/zip");
    let report = sandbox.document(["read", "zip", "--format", "json"]);
    assert_eq!(report["path"], "[DIR]/project/skills/zip/SKILL.md");
    assert_eq!(sandbox.run(["read", "tables"]).code, 0);
    let run = sandbox.run(["read", "tables", "--manifest", "skills.yaml"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Available: naming, reader, zip"), "{}", run.stderr);
    assert_eq!(sandbox.run(["read", "zip", "--manifest", "missing.yaml"]).code, 2);
    // A broken manifest is reported, and does not hide installed skills.
    sandbox.write("skills.yaml", "skills: [./missing]\n");
    let run = sandbox.run(["read", "tables"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(
        run.stderr.contains("warning: skills.yaml:1:10: cannot read `./missing`"),
        "{}",
        run.stderr
    );
    assert!(sandbox.run(["read", "other"]).stderr.contains("cannot read `./missing`"));
}

#[test]
fn whole_skills_are_found_wherever_read_finds_them() {
    let sandbox = sandbox();
    for flag in ["--preload", "--activate"] {
        for name in ["reader", "zip", "naming", "tables"] {
            let run = sandbox.run(["render", flag, name]);
            assert_eq!(run.code, 0, "{flag} {name}: {}", run.all());
            assert!(run.stdout.contains(&format!("name=\"{name}\"")), "{}", run.stdout);
        }
        let run = sandbox.run(["render", flag, "tabels"]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("did you mean `tables`?"), "{}", run.stderr);
        // Named sources and manifests replace discovery.
        assert_eq!(sandbox.run(["render", "skills", flag, "tables"]).code, 2);
        assert_eq!(sandbox.run(["render", "--manifest", "skills.yaml", flag, "tables"]).code, 2);
    }
}

#[test]
fn discovery_can_be_rendered_beside_a_manifest() {
    let sandbox = sandbox();
    assert_eq!(names(&sandbox.run(["render", "--discover"])), ["tables"]);
    assert_eq!(names(&sandbox.run(["render", "--source", "claude:user"])), ["tables"]);
    assert_eq!(names(&sandbox.run(["render", "--no-source", "claude"])), [""; 0]);
    assert_eq!(names(&sandbox.run(["render", "--skills-dir", "skills"])), ["tables", "pdf", "zip"]);
    assert_eq!(sandbox.run(["render", "--discover", "skills"]).code, 2);
    assert_eq!(sandbox.run(["render", "--discover", "--as", "codex"]).code, 2);
}

#[test]
fn a_list_says_which_skills_stay_in_the_prompt() {
    let sandbox = crate::render::sandbox();
    let run = sandbox.run(["list"]);
    let line = run.stdout.lines().find(|line| line.starts_with("linting")).unwrap();
    assert!(line.contains("[in prompt] Code linting"), "{line}");
    assert!(
        run.stdout.contains("4 skills: 4 active; 3 native, 1 in the prompt;"),
        "{}",
        run.stdout
    );
    let run = sandbox.run(["list", "--long"]);
    assert!(run.stdout.contains("  stays in the prompt, with the tools lint_code, run_tests\n"));
    let report = sandbox.document(["list", "--format", "json"]);
    let placed = |name: &str| {
        let skills = report["skills"].as_array().unwrap();
        skills.iter().find(|one| one["name"] == name).unwrap()["placement"].clone()
    };
    assert_eq!((placed("linting"), placed("pdf")), ("prompt".into(), "native".into()));
    // Without skills, there is no message.
    let run = sandbox.run(["list", "skills"]);
    assert!(!run.stdout.contains("native") && !run.stdout.contains("prompt"), "{}", run.stdout);
}

#[test]
fn filters_that_let_nothing_pass_end_alike_everywhere() {
    let sandbox = sandbox();
    let deny = ["--deny", "*"];
    for (args, code) in [
        (&["list", "skills"][..], 0),
        (&["list"], 0),
        (&["list", "--discover"], 0),
        (&["list", "--agent", "claude"], 0),
        (&["render", "skills"], 0),
        (&["render"], 0),
        (&["render", "--discover"], 0),
        (&["render", "--as", "claude"], 0),
        (&["validate", "skills"], 0),
        (&["validate"], 0),
        (&["install", "skills", "--dir", "there"], 1),
        (&["install", "--dir", "there"], 1),
        (&["mount", "skills"], 1),
        (&["mount"], 1),
    ] {
        let run = sandbox.run(args.iter().chain(&deny));
        assert_eq!(run.code, code, "{args:?}: {}", run.all());
        let start = if code == 0 { "warning" } else { "error" };
        let said = format!("{start}: no skill matches the filters, of ");
        assert!(run.stderr.contains(&said), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("available: "), "{args:?}: {}", run.stderr);
    }
    let run = sandbox.run(["mount", "skills", "--deny", "*", "--", "true"]);
    assert_eq!(run.code, 125, "{}", run.all());
    // The same for filters of the manifest.
    sandbox.write("skills.yaml", format!("{MANIFEST}deny: [\"*\"]\n"));
    for (verb, code) in [("list", 0), ("render", 0), ("validate", 0), ("install", 1), ("mount", 1)]
    {
        assert_eq!(sandbox.run([verb]).code, code, "{verb}");
    }
    // An unknown name is no filter.
    assert_eq!(sandbox.run(["list", "skills", "--only", "other"]).code, 2);
}

/// Pieces of text that could end a tag, and pieces that could not.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("</skill>".to_owned()),
        Just("</preloaded_skills>".to_owned()),
        Just("<skill name=\"x\">".to_owned()),
        Just("< / SKILL".to_owned()),
        Just("</s\u{200d}kill\u{fe0f}>".to_owned()),
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
        Just("<![CDATA[".to_owned()),
        Just("<".to_owned()),
        Just("/".to_owned()),
        Just("skill".to_owned()),
        Just(" && a < b ".to_owned()),
        Just("&lt;/skill&gt;".to_owned()),
        Just("\n".to_owned()),
        "[a-z<>/& _-]{0,6}",
    ]
}

/// The tags of these names in a text, as a forgiving reader sees them: `+` opens, `-` closes.
fn tags(text: &str, names: &[&str]) -> String {
    let hidden = ['\u{200c}', '\u{200d}', '\u{fe0f}'];
    let text: String = text.chars().filter(|one| !hidden.contains(one)).collect();
    let text = text.to_lowercase();
    let mut found = String::new();
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        let (sign, rest) = match rest.trim_start().strip_prefix('/') {
            Some(rest) => ('-', rest.trim_start()),
            None => ('+', rest),
        };
        let is_end = |rest: &str| {
            rest.chars().next().is_none_or(|one| !one.is_alphanumeric() && !"_-.:".contains(one))
        };
        if names.iter().any(|name| rest.strip_prefix(name).is_some_and(is_end)) {
            found.push(sign);
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_body_breaks_out_of_its_tags(pieces in prop::collection::vec(piece(), 0..12)) {
        let body = pieces.concat();
        let sandbox = Sandbox::repository();
        sandbox.skill("skills/pdf", &text("pdf", "").replace("Run it.", &body));
        sandbox.good_skill("skills/csv");
        let run = sandbox.run(["render", "skills", "--preload", "pdf", "--preload", "csv"]);
        prop_assert_eq!(run.code, 0, "{}", run.all());
        prop_assert_eq!(tags(&run.stdout, &["skill"]), "+-+-", "{}", run.stdout);
        prop_assert_eq!(tags(&run.stdout, &["preloaded_skills"]), "+-", "{}", run.stdout);
        // Nothing else is changed.
        let plain = |text: &str| text.replace("&lt;", "<");
        let written = plain(&run.stdout);
        prop_assert!(written.contains(plain(&format!("# Title\n\n{body}")).trim()), "{}", run.stdout);
        let run = sandbox.run(["render", "skills", "--activate", "pdf"]);
        let around = ["skill_content", "skill_directory", "skill_files"];
        prop_assert_eq!(tags(&run.stdout, &around), "++-+--", "{}", run.stdout);
    }
}

#[test]
fn packages_of_other_tools_lead_to_the_address_of_their_archive() {
    let sandbox = Sandbox::new();
    sandbox.write("skills.yaml", "skills: ['npm:@team/skills']\n");
    for (args, what, help) in [
        (&["install", "npm:x"][..], "`npm:x` is an npm package", "`npm view x dist.tarball`"),
        (&["list"], "`npm:@team/skills` is an npm", "`npm view @team/skills dist.tarball`"),
        (&["show", "npm:x; reboot"], "is an npm package", "`npm view NAME dist.tarball`"),
        (&["validate", "pypi:x"], "`pypi:x` is a Python package", "--no-binary :all: x`"),
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{}", run.all());
        assert!(run.stderr.contains(what) && run.stderr.contains(help), "{}", run.stderr);
        assert!(run.stderr.contains("`skills install https://….tgz`"), "{}", run.stderr);
    }
    // A path that exists is a path.
    sandbox.skill("npm:x", &text("x", ""));
    assert_eq!(sandbox.run(["install", "npm:x", "--dir", "out"]).code, 0);
}
