//! Every verb reports that it could not write its results.

#![cfg(target_os = "linux")]

use crate::harness::Sandbox;

const UNWRITTEN: &str = "error: cannot write to standard output: no space left on device\n";

/// One call of every verb that writes results, and the formats that it has.
const VERBS: [(&str, &[&str]); 30] = [
    ("validate skills", &["human", "json", "sarif", "junit"]),
    ("validate bad", &["human", "json", "github"]),
    ("mount skills --agent claude", &["json", "env"]),
    ("validate --diff skills", &[]),
    ("list skills", &["human", "json", "names", "paths"]),
    ("list", &["human", "json"]),
    ("render skills", &["xml", "markdown", "json"]),
    ("read skill://pdf skills", &["human", "json"]),
    ("install skills --dir out", &["human", "json"]),
    ("sync --dir synced", &["human", "json"]),
    ("verify --dir out", &["human", "json"]),
    ("remove pdf --dir out", &["human", "json"]),
    ("disable pdf --dir out", &["human", "json"]),
    ("enable pdf --dir out", &["human", "json"]),
    ("pack skills/pdf -o pdf.skill --force", &["human", "json"]),
    ("lock", &["human", "json"]),
    ("outdated", &["human", "json"]),
    ("show skills/pdf", &["human", "json"]),
    ("update --dir out", &["human", "json"]),
    ("cache", &["human", "json"]),
    ("init other", &[]),
    ("explain symlink", &[]),
    ("rules", &["human", "json"]),
    ("schema", &[]),
    ("completions bash", &[]),
    ("man", &[]),
    ("--version", &[]),
    ("--help", &[]),
    ("list --help", &[]),
    ("unmount --help", &[]),
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.skill("bad/pdf", "no front matter");
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    sandbox
}

#[test]
fn results_that_cannot_be_written_are_an_error_in_every_format() {
    for (verb, formats) in VERBS {
        let formats = formats.iter().map(|format| format!(" --format {format}"));
        let formats: Vec<String> = formats.chain([String::new()]).collect();
        for format in formats {
            let sandbox = sandbox();
            if ["remove", "disable", "enable", "verify", "outdated", "update"]
                .iter()
                .any(|word| verb.starts_with(word))
            {
                assert_eq!(sandbox.run(["install", "skills", "--dir", "out"]).code, 0);
                assert_eq!(sandbox.run(["lock"]).code, 0);
            }
            let run = sandbox.shell(&format!("$SKILLS {verb}{format} >/dev/full"));
            assert!(run.stderr.ends_with(UNWRITTEN), "{verb}{format}: {:?}", run.stderr);
            assert_eq!(run.stderr.matches("error:").count(), 1, "{verb}{format}: {}", run.stderr);
            assert_eq!(run.code, 2, "{verb}{format}");
        }
    }
}

#[test]
fn errors_that_cannot_be_written_as_json_are_told_to_people() {
    for (line, message, code) in [
        ("list nowhere --format json", "`nowhere`", 2),
        ("list --formt --format json", "'--formt'", 2),
        ("read skill://nobody skills --format json", "nobody", 2),
    ] {
        let sandbox = sandbox();
        let run = sandbox.shell(&format!("$SKILLS {line} >/dev/full"));
        assert!(run.stderr.contains(message), "{line}: {:?}", run.stderr);
        assert!(run.stderr.ends_with(UNWRITTEN), "{line}: {:?}", run.stderr);
        assert_eq!(run.code, code, "{line}");
    }
}

#[test]
fn a_closed_pipe_still_ends_quietly() {
    let sandbox = sandbox();
    for verb in ["rules", "rules --format json", "man", "--help"] {
        let line = format!("{{ sleep 0.2; $SKILLS {verb}; echo $? >&2; }} | true");
        let run = sandbox.shell(&line);
        assert_eq!(run.stderr, "0\n", "{verb}");
    }
}
