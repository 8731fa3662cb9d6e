//! `--help`, usage errors and tips.

use crate::harness::{Run, Sandbox, verbs};

/// Runs the program as if the terminal had this many columns.
fn at(columns: &str, args: &[&str]) -> Run {
    Sandbox::new().run_with(args, |command| {
        command.env("COLUMNS", columns);
    })
}

#[test]
fn every_command_has_examples_that_can_be_typed() {
    for verb in verbs() {
        let help = at("100", &[&verb, "--help"]).stdout;
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{verb}"));
        assert!(examples.contains("skills "), "{verb}: {examples}");
        assert!(examples.lines().all(|line| line.starts_with("  ")), "{verb}: {examples}");
    }
}

#[test]
fn help_for_a_command_is_the_long_text() {
    for verb in verbs() {
        let long = at("80", &["help", &verb]).stdout;
        assert_eq!(long, at("80", &[&verb, "--help"]).stdout);
        assert!(long.len() > 200, "{verb}");
    }
}

#[test]
fn examples_and_their_words_do_not_mix_on_a_narrow_terminal() {
    for verb in verbs() {
        let wide = at("100", &[&verb, "-h"]).stdout;
        let narrow = at("40", &[&verb, "-h"]).stdout;
        for line in narrow.lines().filter(|line| !line.starts_with("Usage:")) {
            let fits = line.chars().count() <= 40 || !line.trim().contains(' ');
            assert!(fits, "{verb}: {line}");
        }
        let (_, wide) = wide.split_once("\nExamples:\n").unwrap();
        let (_, narrow) = narrow.split_once("\nExamples:\n").unwrap();
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(flat(wide), flat(narrow), "{verb}: nothing is lost");
        for line in narrow.lines() {
            assert!(!line.trim().contains("  "), "{verb}: two columns in {line:?}");
        }
    }
}

#[test]
fn examples_fit_on_a_manual_page() {
    let sandbox = Sandbox::new();
    sandbox.run(["man", "--dir", "man"]);
    for verb in verbs() {
        let page = sandbox.read(format!("man/skills-{verb}.1"));
        let (_, examples) = page.split_once("Examples:").unwrap();
        let room = examples.lines().map(|line| line.replace('\\', "").chars().count()).max();
        // The longest command does not fit on a page, and has a line of its own.
        assert!(room <= Some(72) || verb == "completions", "{verb}: {room:?}");
    }
}

#[test]
fn examples_stand_beside_their_words_at_the_usual_width() {
    for verb in verbs().iter().map(String::as_str).chain([""]) {
        let args: Vec<&str> = [verb, "-h"].into_iter().filter(|word| !word.is_empty()).collect();
        let (wide, usual) = (at("100", &args).stdout, at("80", &args).stdout);
        let examples = |help: &str| help.split_once("\nExamples:\n").unwrap().1.to_owned();
        assert_eq!(examples(&wide), examples(&usual), "{verb}");
    }
}

#[test]
fn without_arguments_everything_is_named_with_examples() {
    let run = Sandbox::new().run([""; 0]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    for verb in verbs() {
        assert!(run.stderr.contains(&format!("\n  {verb} ")), "{verb}");
    }
    assert!(run.stderr.contains("\nExamples:\n  skills validate "), "{}", run.stderr);
}

#[test]
fn mistakes_say_what_to_run_next() {
    let sandbox = Sandbox::new();
    for (args, hint) in [
        (&["lst"][..], "`skills list`"),
        (&["explain", "zzz"], "help: `skills rules` lists them all"),
        (&["validate", "--rule", "zzz=off"], "help: `skills rules` lists them all"),
        (&["validate"], "run `skills init NAME` to make one"),
        (&["install"], "`skills install .`"),
        (&["mount"], "`skills mount .`"),
        (&["list", "--agent", "cluade"], "did you mean `claude`?"),
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{args:?}: {}", run.stderr);
    }
    sandbox.good_skill("pdf");
    let run = sandbox.run(["mount", "pdf", "--", "no-such-program"]);
    assert_eq!(run.code, 127);
    assert!(run.stderr.contains("\nhelp: install it"), "{}", run.stderr);
}

/// What a run says after `tip:`.
fn tips(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter_map(|line| line.trim().strip_prefix("tip: ")).collect()
}

#[test]
fn other_names_of_commands_and_flags_work() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("tools/pdf");
    sandbox.good_skill("tools/csv");
    for args in [&["check", "tools"][..], &["lint", "tools"], &["ls", "tools"]] {
        assert_eq!(sandbox.run(args).code, 0, "{args:?}");
    }
    for (add, remove) in [("add", "rm"), ("i", "uninstall")] {
        let run = sandbox.run([add, "tools", "--skill", "pdf", "-a", "codex", "-g", "-y"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{add}");
        assert!(sandbox.path("../home/.agents/skills/pdf/SKILL.md").is_file());
        assert!(!sandbox.path("../home/.agents/skills/csv").exists(), "--skill selects");
        let run = sandbox.run([remove, "pdf", "-a", "codex", "-g", "-y"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{remove}");
        assert!(!sandbox.path("../home/.agents/skills/pdf").exists());
    }
    assert_eq!(sandbox.run(["new", "fresh"]).code, 0);
    for word in ["cat", "view"] {
        let run = sandbox.run([word, "skill://pdf", "tools"]);
        assert!(run.stdout.starts_with("---\nname: pdf\n"), "{}", run.stderr);
    }
    assert_eq!(sandbox.run(["list", "-a", "claude"]).code, 0);
    assert_eq!(sandbox.run(["validate", "tools", "-a", "claude"]).code, 0);
    let run = sandbox.run(["install", "tools", "-g", "--scope", "project"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`--global` cannot be used with `--scope project`"));
}

#[test]
fn other_names_are_listed_in_help_and_on_manual_pages() {
    let sandbox = Sandbox::new();
    sandbox.run(["man", "--dir", "man"]);
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let all = flat(at("100", &["--help"]).stdout);
    for verb in verbs() {
        let about = flat(at("100", &[&verb, "--help"]).stdout);
        let about = about.split(" Usage: ").next().unwrap();
        let Some((_, listed)) = about.rsplit_once(" [alias") else { continue };
        let listed = listed.trim_start_matches("es");
        assert!(all.contains(listed), "{listed}");
        let page = sandbox.read(format!("man/skills-{verb}.1"));
        assert!(page.contains(listed), "{listed}");
        for alias in listed.trim_matches([':', ' ', ']']).split(", ") {
            assert!(flat(at("100", &[alias, "--help"]).stdout).contains(listed), "{alias}");
        }
    }
    assert!(all.contains("[aliases: add, i]"), "{all}");
    assert!(at("100", &["install", "-h"]).stdout.contains("[alias: --skill]"));
    assert!(sandbox.read("man/skills-install.1").contains("[also: \\-\\-skill]"));
}

#[test]
fn words_of_other_programs_get_the_tip_that_was_written_for_them() {
    let sandbox = Sandbox::new();
    for (word, tip) in [
        ("search", "searches no catalogue"),
        ("rename", "change `name` in SKILL.md"),
        ("publish", "`skills pack`"),
        ("login", "stores no logins"),
        ("delete", "`skills remove`"),
        ("vaildate", "`skills validate`"),
        ("version", "`skills --version`"),
    ] {
        let run = sandbox.run([word]);
        let tips = tips(&run);
        assert_eq!((run.code, tips.len()), (2, 1), "{word}: {}", run.stderr);
        assert!(tips[0].contains(tip), "{word}: {}", run.stderr);
    }
    // These look like a command, but nobody who types them means it.
    for word in ["unmounted", "exlain", "lint2", "removed", "instant", "", "\u{1b}[2J", "../list"] {
        let run = sandbox.run([word]);
        assert_eq!((run.code, tips(&run)), (2, vec![]), "{word}: {}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    }
    let run = sandbox.run(["search", "pdf", "--format", "json"]);
    assert!(run.stdout.contains("\"usage\"") && run.stdout.contains("tip: "), "{}", run.stdout);
}

#[test]
fn flags_of_other_programs_are_understood() {
    let sandbox = Sandbox::new();
    let cases: [(&[&str], &str); 2] = [
        (&["validate", "--json"], "'--format json'"),
        (&["mount", "src", "sh", "-c", "x"], "the command goes after `--`"),
    ];
    for (arguments, tip) in cases {
        let run = sandbox.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        let tips = tips(&run);
        assert_eq!(tips.len(), 1, "{arguments:?} {}", run.stderr);
        assert!(tips[0].contains(tip), "{arguments:?} {}", run.stderr);
    }
    // The tip suggests neither a value nor a flag of another command.
    for arguments in [&["rules", "--all"][..], &["validate", "--global"], &["init", "--json", "x"]]
    {
        let run = sandbox.run(arguments);
        assert!(!run.stderr.contains("tip:"), "{arguments:?} {}", run.stderr);
    }
    // A misspelled flag is not mistaken for one of another program.
    let run = sandbox.run(["mount", "--hom", "x"]);
    assert_eq!(tips(&run).len(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("'--home'"), "{}", run.stderr);
}
