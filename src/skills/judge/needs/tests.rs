use std::ffi::OsString;
use std::path::Path;

use crate::skills::judge::needs::{Availability, Machine, *};
use crate::skills::model::environment::Environment;

fn read(front: &str) -> Requirements {
    let text = format!("---\nname: pdf\ndescription: Read PDFs.\n{front}\n---\nbody\n");
    Requirements::of(&Document::parse(&text))
}

/// The requirements as `kind: description`.
fn told(front: &str) -> Vec<String> {
    read(front)
        .all
        .iter()
        .map(|one| format!("{}: {}", one.need.kind(), one.need.describe()))
        .collect()
}

fn prose(text: &str) -> Vec<String> {
    told(&format!("compatibility: \"{text}\""))
}

#[test]
fn free_text_is_read_where_all_of_it_is_understood() {
    for (text, expected) in [
        (
            "Requires git, docker, jq, and access to the internet",
            &["program: `git`", "program: `docker`", "program: `jq`", "network: a network"][..],
        ),
        (
            "Requires Python 3.14+ and uv",
            &["program: `python3` or `python` 3.14+", "program: `uv`"],
        ),
        ("Needs `pdftotext` on PATH.", &["program: `pdftotext`"]),
        ("Requires Node.js >= 20", &["program: `node` >= 20"]),
        ("Node.js 18 or later", &["program: `node` 18 or later"]),
        ("Requires docker or podman", &["program: `docker` or `podman`"]),
        ("Requires the GitHub CLI", &["program: `gh`"]),
        ("Requires gh CLI", &["program: `gh`"]),
        ("Requires OPENAI_API_KEY", &["variable: the variable `OPENAI_API_KEY`"]),
        ("Needs the `GH_TOKEN` environment variable", &["variable: the variable `GH_TOKEN`"]),
        ("macOS only", &["system: macOS"]),
        ("Works on Linux, macOS, and Windows.", &["system: Linux, macOS or Windows"]),
        ("Requires Linux/macOS and git", &["system: Linux or macOS", "program: `git`"]),
        ("Designed for Claude Code", &["agent: claude"]),
        ("Designed for Claude Code (or similar products)", &["agent: claude"]),
        ("Works with Claude Code, Codex, and Cursor", &["agent: claude, codex or cursor"]),
        ("Requires poppler-utils and git", &["text: poppler-utils", "program: `git`"]),
        (
            "Requires git. Some features want a GPU",
            &["program: `git`", "text: Some features want a GPU"],
        ),
    ] {
        assert_eq!(prose(text), expected, "{text}");
    }
}

#[test]
fn text_that_is_not_understood_stays_text() {
    for text in [
        "Requires either docker, podman",
        "Optionally uses git",
        "Requires git (optional)",
        "No internet access",
        "Does not need docker",
        "Requires git unless you have jj, docker",
        "Requires Python with numpy, git",
        "Requires Python 3.10 or node",
        "Works with any model that supports tool use",
        "Works on Linux, FreeBSD",
        "Designed for Claude Code, also compatible with Codex and OpenClaw",
        "Requires Node.js 18+ (native fetch)",
        "Requires Claude Code and git",
        "pdftotext mode",
        "on",
        "x",
        "İ Requires git",
        "Requires `npx tsx`",
        "Requires git only",
        "Tested on macOS",
    ] {
        assert_eq!(prose(text), [format!("text: {text}")], "{text}");
    }
    assert!(told("license: MIT").is_empty());
    assert!(told("compatibility: [git]").is_empty());
}

#[test]
fn whether_an_agent_is_the_only_one() {
    let only = |text: &str| match &read(&format!("compatibility: {text}")).all[0].need {
        Need::Agent { only, .. } => *only,
        other => panic!("{other:?}"),
    };
    assert!(only("Claude Code only"));
    assert!(only("Requires Claude Code"));
    assert!(!only("Designed for Claude Code"));
    assert!(!only("Claude Code"));
    assert!(!only("Requires Codex CLI (or similar products)"));
}

#[test]
fn fields_that_agents_document_are_read() {
    let openclaw = r#"metadata: {"openclaw": {"os": ["darwin", "linux"], "requires": {"bins": ["pdftotext"], "anyBins": ["rg", "grep"], "env": ["PDF_KEY"], "config": ["a.b"]}}}"#;
    let expected = [
        "system: macOS or Linux",
        "program: `pdftotext`",
        "program: `rg` or `grep`",
        "variable: the variable `PDF_KEY`",
    ];
    assert_eq!(told(openclaw), expected);
    let as_string = format!("metadata:\n  openclaw: '{}'", &openclaw[22..openclaw.len() - 1]);
    assert_eq!(told(&as_string), expected);
    assert_eq!(read(&as_string).all[1].field, "metadata.openclaw.requires.bins");
    let hermes =
        "platforms: [macos]\nprerequisites:\n  commands: [imsg]\n  env_vars: [TENOR_API_KEY]";
    assert_eq!(
        told(hermes),
        ["system: macOS", "program: `imsg`", "variable: the variable `TENOR_API_KEY`"]
    );
    assert_eq!(told("requires:\n  bins: git, jq"), ["program: `git`", "program: `jq`"]);
    // `platforms` has many meanings.
    assert_eq!(told("platforms: [cli, telegram]"), ["text: platforms: cli, telegram"]);
    assert!(told("requires: [other-skill]\nmetadata: {os: []}").is_empty());
    // Repeated requirements count once.
    assert_eq!(told("compatibility: Requires git\nrequires: {bins: [git]}").len(), 1);
}

#[test]
fn what_no_machine_can_meet_is_impossible() {
    let impossible = |front: &str| -> Vec<String> {
        read(front).impossible.into_iter().map(|one| one.message).collect()
    };
    assert_eq!(impossible("os: [lunix]"), ["`os` names no system: `lunix`"]);
    assert!(read("os: [linx]").impossible[0].help.starts_with("did you mean `linux`?"));
    assert_eq!(
        impossible("requires: {bins: [\"python >= 3\", /usr/bin/git, jq], env: [A=B]}"),
        [
            "`requires.bins` has `python >= 3`, which is not the name of a program",
            "`requires.bins` has `/usr/bin/git`, which is not the name of a program",
            "`requires.env` has `A=B`, which is not the name of a variable",
        ]
    );
    assert_eq!(
        impossible("compatibility: macOS only\nmetadata: {openclaw: {os: [linux, win32]}}"),
        [
            "`compatibility` asks for macOS and `metadata.openclaw.os` for Linux or Windows, which no \
          machine is at once"
        ]
    );
    assert!(impossible("compatibility: Runs on Linux or macOS\nos: [darwin]").is_empty());
    assert!(impossible("os: [linux, plan9]").is_empty(), "one of them can be met");
}

#[test]
fn a_machine_lacks_what_is_not_on_it() {
    let temp = tempfile::tempdir().unwrap();
    let bin = temp.path();
    std::fs::write(bin.join("there"), "").unwrap();
    crate::skills::files::set_executable(&std::fs::File::open(bin.join("there")).unwrap()).unwrap();
    std::fs::write(bin.join("data"), "").unwrap();
    std::fs::create_dir(bin.join("folder")).unwrap();
    let variables = [("PATH", bin.as_os_str().to_owned()), ("SET", "1".into())];
    let variables = variables.map(|(name, value)| (OsString::from(name), value));
    let environment = Environment::new(Path::new("/").to_owned(), variables);
    let machine = Machine {
        environment: &environment,
        system: Some(OperatingSystem::Linux),
        agents: &["codex", "claude"],
    };
    let lacks = |front: &str| -> Vec<String> {
        machine.lacks(&read(front)).into_iter().map(|one| one.sentence).collect()
    };
    assert_eq!(
        lacks("requires: {bins: [there, data, folder, absent], env: [SET, UNSET]}"),
        [
            "needs `data`, which is not on PATH",
            "needs `folder`, which is not on PATH",
            "needs `absent`, which is not on PATH",
            "needs the variable `UNSET`, which is not set",
        ]
    );
    assert_eq!(
        lacks("compatibility: Requires Python 3.10+"),
        ["needs `python3` or `python` 3.10+, and none is on PATH"]
    );
    assert!(lacks("requires: {anyBins: [absent, there]}").is_empty());
    assert_eq!(lacks("compatibility: macOS only"), ["runs on macOS, and this is Linux"]);
    assert_eq!(lacks("compatibility: Claude Code only"), ["is only for claude, not for codex"]);
    assert!(
        lacks("compatibility: Designed for Gemini CLI. Needs internet. Wants a GPU").is_empty()
    );
    assert_eq!(machine.has(&Need::Network), Availability::Unknown);
    let nobody = Machine { agents: &[], system: None, ..machine };
    assert_eq!(nobody.has(&Need::System(vec![OperatingSystem::MacOs])), Availability::Unknown);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    /// The rule skips prose that cannot contradict anything. It must miss nothing.
    #[test]
    fn what_is_impossible_is_found_without_reading_all(
        sentences in proptest::collection::vec(proptest::sample::select(vec![
            "Requires Linux", "Windows only", "macOS", "Needs a POSIX shell", "Runs on Mac OS X", "OS: darwin",
            "Requires git", "Requires unix or win32", "for linux", "optional", "Node.js 20",
        ]), 0..4),
        ends in proptest::sample::select(vec![". ", "; ", ".", ";", ", ", " and "]),
        fields in proptest::sample::select(vec![
            "", "os: linux", "os: [darwin]", "platforms: [windows]", "os: beos",
            "metadata: {openclaw: {os: [win32], requires: {bins: [a b]}}}",
            "os: linux\nplatforms: macos",
        ]),
    ) {
        let compatibility = sentences.join(ends);
        let text = format!(
            "---\nname: pdf\ndescription: Read PDFs.\ncompatibility: \"{compatibility}.\"\n{fields}\n---\nbody\n"
        );
        let document = Document::parse(&text);
        proptest::prop_assert_eq!(
            Requirements::impossible_in(&document),
            Requirements::of(&document).impossible
        );
    }
}
