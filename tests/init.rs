//! `skills init`, and the small commands around it: a new skill must validate clean.

use crate::harness::Sandbox;

#[test]
fn a_new_skill_validates_clean() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["init", "pdf-forms"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "./pdf-forms/SKILL.md\n"));
    let text = sandbox.read("pdf-forms/SKILL.md");
    assert!(text.starts_with("---\nname: pdf-forms\ndescription: "), "{text}");
    assert!(text.contains("\n# Pdf Forms\n"), "{text}");
    let run = sandbox.run(["validate", "--strict", "-v", "pdf-forms"]);
    assert_eq!(run.stdout, "1 skill checked: no problems\n");
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
