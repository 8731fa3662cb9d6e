//! Text in a skill cannot give commands to a CI service that reads the log.

use crate::harness::{Run, Sandbox};

/// The commands of CI services.
fn obeyed(text: &str) -> Vec<String> {
    let is_order = |line: &str| {
        let mut after = line.match_indices("##").filter_map(|(at, _)| line[at..].split_once('['));
        let is_word = |(word, _): (&str, &str)| {
            word.trim_start_matches('#').chars().all(|one| one.is_ascii_alphanumeric())
        };
        line.trim_start().starts_with("::") || after.any(is_word)
    };
    text.lines().filter(|line| is_order(line)).map(str::to_owned).collect()
}

/// A skill with such commands wherever possible.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    let text = "---\nname: pdf\ndescription: \"##[error]one ##vso[task.complete]two. Use when: asked.\"\n\
                license: \"##[error]\"\nextra##[key]: ##[value]\n---\n\n::error::body\n\n  ::stop-commands::x\n\n\
                ##[group]body\n\n```sh\n::set-output name=x::y\n```\n";
    sandbox.skill(".claude/skills/pdf", text);
    sandbox.write(".claude/skills/pdf/##[error]file.md", "x");
    sandbox
}

fn assert_harmless(run: &Run, what: &str) {
    for text in [&run.stdout, &run.stderr] {
        assert_eq!(obeyed(text), [""; 0], "{what}: {text}");
    }
}

#[test]
fn no_format_of_any_verb_prints_an_order() {
    let sandbox = sandbox();
    for line in [
        "validate --format json",
        "validate --format sarif",
        "validate --format junit",
        "validate -v",
        "list --format json",
        "list --long --format json",
        "list",
        "list --agent claude",
        "render --format xml",
        "render --format markdown",
        "render --format json",
        "render --sections",
        "render --sections --visibility full",
        "render --sections --visibility full --format json",
        "render --preload pdf",
        "render --preload pdf --format markdown",
        "render --activate pdf --user ##[x]",
        "render --activate pdf --user ::x --format markdown",
        "render --activate pdf --format json",
        "read skill://pdf --format json",
    ] {
        let (verb, flags) = line.split_once(' ').unwrap_or((line, ""));
        let source = if verb == "read" { ".claude/skills" } else { ".claude" };
        let source = if flags.contains("--agent") { "" } else { source };
        let words = line.split(' ').chain((!source.is_empty()).then_some(source));
        let run = sandbox.run(words);
        assert!(run.code != 2, "{line}: {}", run.stderr);
        assert!(!run.stdout.is_empty(), "{line}");
        assert_harmless(&run, line);
    }
    for agent in ["claude", "codex", "opencode", "copilot", "gemini", "pi"] {
        assert_harmless(&sandbox.run(["render", "--as", agent, ".claude/skills"]), agent);
    }
}

#[test]
fn readers_of_json_get_the_same_text_back() {
    let sandbox = sandbox();
    let run = sandbox.document(["read", "skill://pdf", ".claude/skills", "--format", "json"]);
    let text = sandbox.read(".claude/skills/pdf/SKILL.md");
    assert!(run.to_string().contains("##[group]body"), "{run:#}");
    assert!(run.as_object().unwrap().values().any(|value| *value == text.as_str()), "{run:#}");
}

#[test]
#[cfg(unix)]
fn a_directory_name_is_on_one_line_of_a_section() {
    let sandbox = Sandbox::new();
    let text = crate::harness::text("No Name", "");
    sandbox.skill("skills/a\n## Forged\n::error::b", &text);
    for visibility in ["full", "summary"] {
        let run = sandbox.run(["render", "--sections", "--visibility", visibility, "skills"]);
        assert!(run.stderr.contains("is left out"), "{}", run.stderr);
        assert!(!run.stdout.lines().any(|line| line == "## Forged"), "{}", run.stdout);
        assert_harmless(&run, visibility);
    }
}
