//! `skills init`, and the small commands around it: a new skill must validate clean.

use serde_json::Value;

use crate::harness::{Sandbox, fixtures, rule_ids};

#[test]
fn a_new_skill_validates_clean() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["init", "pdf-forms"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "./pdf-forms/SKILL.md\n"));
    let text = sandbox.read("pdf-forms/SKILL.md");
    assert!(text.starts_with("---\nname: pdf-forms\ndescription: "), "{text}");
    assert!(text.contains("\n# Pdf Forms\n"), "{text}");
    let run = sandbox.run(["validate", "pdf-forms"]);
    let clean = "1 skill checked: no problems (1 note, shown with -v)\n";
    assert_eq!((run.code, run.stdout.as_str()), (0, clean));
}

#[test]
fn the_placeholder_is_refused_until_it_is_replaced() {
    let sandbox = Sandbox::new();
    sandbox.run(["init", "pdf"]);
    let strict = ["validate", "--strict", "-v", "pdf"];
    let run = sandbox.run(strict);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("error[description-placeholder]"), "{}", run.stdout);
    assert!(run.stdout.contains("1 skill checked: 1 error\n"), "{}", run.stdout);
    let text = sandbox.read("pdf/SKILL.md");
    let line = text.lines().find(|line| line.starts_with("description: ")).unwrap();
    sandbox.write("pdf/SKILL.md", text.replace(line, "description: Reads PDFs. Use when asked."));
    let run = sandbox.run(strict);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 skill checked: no problems\n"));
}

#[test]
fn every_template_is_a_skill_without_faults() {
    let sandbox = Sandbox::new();
    for (template, files) in [
        ("plain", &["SKILL.md"][..]),
        ("scripts", &["SKILL.md", "scripts/run.sh"]),
        ("references", &["SKILL.md", "references/examples.md", "references/guide.md"]),
    ] {
        let text = "Reads PDFs. Use when asked.";
        let run = sandbox.run(["init", template, "--template", template, "--description", text]);
        assert_eq!(run.code, 0, "{}", run.all());
        let run = sandbox.run(["validate", template, "--strict", "--deep", "-v"]);
        assert_eq!(run.stdout, "1 skill checked: no problems\n", "{template}");
        for file in files {
            assert!(sandbox.path(format!("{template}/{file}")).is_file(), "{template}/{file}");
        }
        let entries = walkdir::WalkDir::new(sandbox.path(template)).into_iter();
        let count = entries.filter(|entry| entry.as_ref().unwrap().file_type().is_file()).count();
        assert_eq!(count, files.len(), "{template}");
    }
    let run =
        sandbox.shell("scripts/scripts/run.sh a b; echo $?; scripts/scripts/run.sh a; echo $?");
    assert_eq!(run.stdout, "2\n1\n", "the script can be run: {}", run.stderr);
    let run = sandbox.run(["init", "x", "--template", "zzz"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("plain, scripts, references"), "{}", run.stderr);
    assert_eq!(sandbox.run(["init", "--manifest", "--template", "scripts"]).code, 2);
}

/// Rules about one field by itself, which a schema can express.
const FIELD_RULES: [&str; 8] = [
    "missing-name",
    "name-format",
    "name-too-long",
    "missing-description",
    "description-empty",
    "description-too-long",
    "compatibility-length",
    "field-type",
];

#[test]
fn the_schema_of_front_matter_and_the_rules_agree() {
    let sandbox = Sandbox::new();
    let schema: Value = serde_json::from_str(&sandbox.run(["schema", "skill"]).stdout).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let long = format!("name: a\ndescription: {}\n", "x".repeat(1025));
    let accents = format!("name: a\ndescription: {}\n", "é".repeat(1024));
    let mut texts: Vec<String> = [
        "name: a-1\ndescription: x\n",
        "name: a\ndescription: x\nmetadata:\n  a: 1\nallowed-tools: [Read]\nlicense: MIT\n",
        "name: a\ndescription: x\nmetadata:\nmodel: opus\nunknown: {a: [1]}\n",
        "name: -a\ndescription: x\n",
        "name: a--b\ndescription: x\n",
        "name: 1\ndescription: x\n",
        "name: a\ndescription: true\n",
        "name: a\ndescription: \"  \"\n",
        "name: a\ndescription:\n",
        "description: x\n",
        "name: a\ndescription: x\ncompatibility: \"\"\n",
        "name: a\ndescription: x\nlicense: 1\n",
        "name: a\ndescription: x\nallowed-tools: {a: b}\n",
        "name: a\ndescription: x\nmetadata: text\n",
        &long,
        &accents,
    ]
    .map(str::to_owned)
    .to_vec();
    let texts_here = texts.len();
    for entry in walkdir::WalkDir::new(fixtures()) {
        let path = entry.unwrap().into_path();
        let text = path.ends_with("SKILL.md").then(|| std::fs::read_to_string(&path).ok());
        let matter = text.flatten().and_then(|text| {
            let rest = text.strip_prefix("---\n")?;
            Some(rest.split_once("\n---\n")?.0.to_owned() + "\n")
        });
        texts.extend(matter);
    }
    assert!(texts.len() > texts_here + 100);
    let mut seen = [0, 0];
    for text in texts {
        let Ok(value) = serde_yaml::from_str::<Value>(&text) else { continue };
        sandbox.write("../input", format!("---\n{text}---\n\nText.\n"));
        let run = sandbox.shell("\"$SKILLS\" validate - --format json <../input");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let rules = rule_ids(&report);
        if rules.iter().any(|rule| ["invalid-yaml", "duplicate-key"].contains(&rule.as_str())) {
            continue;
        }
        let messages = report["findings"].to_string();
        let is_refused = rules.iter().any(|rule| FIELD_RULES.contains(&rule.as_str()))
            || messages.contains("`metadata` must be a mapping");
        assert_eq!(schema.is_valid(&value), !is_refused, "{text}\n{rules:?}");
        seen[usize::from(is_refused)] += 1;
    }
    assert!(seen[0] > 50 && seen[1] > 20, "{seen:?}");
}

#[test]
fn a_description_is_written_so_that_it_reads_back() {
    let sandbox = Sandbox::new();
    for (number, description) in [
        "Use when: x",
        "it's \"quoted\" when asked",
        "- when @ # * & !",
        "true when 5",
        "two\nlines when asked",
        "ends when:",
        "123",
        "null",
        "日本 when é",
    ]
    .iter()
    .enumerate()
    {
        let name = format!("skill-{number}");
        let run = sandbox.run(["init", &name, &format!("--description={description}")]);
        assert_eq!(run.code, 0, "{description}: {}", run.all());
        let strict = sandbox.run(["validate", "--strict", &name]);
        assert_eq!(strict.code, 0, "{description}: {}", strict.stdout);
    }
}

#[test]
fn a_description_that_would_not_validate_is_refused_and_nothing_is_made() {
    let sandbox = Sandbox::new();
    for description in ["", "   ", &"x".repeat(1025), "a\u{202e}b", "a\u{7}b"] {
        let run = sandbox.run(["init", "pdf", "--description", description]);
        assert_eq!(run.code, 2, "{description:?}: {}", run.all());
        assert!(!sandbox.path("pdf").exists(), "{description:?}");
    }
}

#[test]
fn a_bad_name_is_refused_with_a_better_one() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["init", "My Skill_v2"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.stderr,
        "error: `My Skill_v2` is not a valid skill name: a name consists of a-z, 0-9 and hyphens\n\
         help: try `skills init my-skill-v2`\n"
    );
    for name in ["../up", "a/b", ".", "", "日本", &"a".repeat(65), "a\u{1b}[2J"] {
        let run = sandbox.run(["init", name]);
        assert_eq!(run.code, 2, "{name}");
        assert!(!run.all().contains('\u{1b}'));
    }
    assert_eq!(std::fs::read_dir(sandbox.path("")).unwrap().count(), 0);
}

#[test]
fn an_existing_directory_is_not_touched() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/SKILL.md", "mine\n");
    let run = sandbox.run(["init", "pdf"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("already exists"), "{}", run.stderr);
    assert_eq!(sandbox.read("pdf/SKILL.md"), "mine\n");
}

#[test]
fn the_directory_is_made_where_it_is_wanted() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["init", "pdf", "--dir", ".claude/skills"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ".claude/skills/pdf/SKILL.md\n"));
    assert_eq!(sandbox.run(["validate", ".claude/skills"]).code, 0);
}

#[test]
fn completions_and_manual_pages_are_printed() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = sandbox.run(["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("validate"), "{shell}");
    }
    assert!(sandbox.run(["man"]).stdout.contains(".TH skills"));
    assert_eq!(sandbox.run(["man", "--dir", "pages"]).code, 0);
    assert!(sandbox.read("pages/skills-validate.1").contains("validate"));
}

#[test]
fn help_and_version_go_to_standard_output() {
    let sandbox = Sandbox::new();
    for args in [&["--help"][..], &["validate", "--help"], &["-h"], &["--version"]] {
        let run = sandbox.run(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        assert!(run.stdout.contains("skills"), "{args:?}");
    }
    assert_eq!(sandbox.run([""; 0]).code, 2);
}

#[test]
fn the_version_is_the_same_with_and_without_a_parser() {
    let sandbox = Sandbox::new();
    let parsed = sandbox.run(["--color", "never", "--version"]).stdout;
    assert_eq!(parsed, concat!("skills ", env!("CARGO_PKG_VERSION"), "\n"));
    for args in [["--version"], ["-V"]] {
        assert_eq!(sandbox.run(args).stdout, parsed, "{args:?}");
    }
}
