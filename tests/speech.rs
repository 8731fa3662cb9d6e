//! Output in general: quiet, colour, pipes, threads, and the working directory.

use crate::harness::{Sandbox, good_text, skip, text};

/// 300 skills, all of them with findings.
fn large(sandbox: &Sandbox) {
    for number in 0..300 {
        let more = match number % 4 {
            0 => "licence: MIT\nlicense: MIT\nlicense: ISC\n",
            1 => "metadata:\n  version: 1.0\nallowed-tools: [Bash(*)]\n",
            2 => "compatibility: a: b\n",
            _ => "colour: blue\nname: again\n",
        };
        let directory = format!("all/group-{}/skill-{number}", number % 7);
        sandbox.skill(&directory, &text(&format!("skill-{}", number % 250), more));
    }
}

#[test]
fn any_number_of_threads_prints_the_same_bytes() {
    let sandbox = Sandbox::new();
    large(&sandbox);
    let run = |threads: &str, format: &str| {
        let args = ["validate", "-v", "all", "--format", format];
        let run = sandbox.run_with(args, |command| {
            command.env("SKILLS_THREADS", threads);
        });
        assert_eq!(run.code, 1, "{}", run.stderr);
        run.stdout
    };
    for format in ["human", "json", "sarif", "github", "gitlab", "junit"] {
        let one = run("1", format);
        assert!(one.len() > 10_000);
        assert!(one == run("2", format), "2 threads, {format}");
        assert!(one == run("7", format), "7 threads, {format}");
    }
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let sandbox = Sandbox::new();
    large(&sandbox);
    let run = sandbox.shell("{ \"$SKILLS\" validate all; echo \"code $?\" >&2; } | head -1");
    assert_eq!(run.stdout.lines().count(), 1);
    assert_eq!(run.stderr, "code 0\n");
}

#[test]
fn quiet_leaves_out_hints_and_warnings_but_not_results() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "license: a: b\n"));
    let normal = sandbox.run(["validate", "pdf"]);
    assert!(normal.stdout.contains("1 finding can be repaired with `skills validate --fix`"));
    assert!(normal.stdout.ends_with("why, and what to do: `skills explain invalid-yaml`\n"));
    let quiet = sandbox.run(["validate", "-q", "pdf"]);
    assert_eq!(quiet.code, 1);
    assert!(quiet.stdout.ends_with("1 skill checked: 1 error\n"), "{}", quiet.stdout);
    let missing = sandbox.run(["-q", "validate", "missing"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (2, ""));
    assert!(missing.stderr.starts_with("error: "), "errors are said in any case");
}

#[test]
fn quiet_prints_only_results_even_with_warnings() {
    let sandbox = Sandbox::repository();
    sandbox.copy_from_repository("fixtures/examples");
    sandbox.home_skill(".claude/skills/csv-report");
    sandbox.home_skill(".agents/skills/csv-report");
    for (args, warns) in [
        (&["list"][..], true),
        (&["render", "-C", "fixtures/examples"], true),
        (&["install", "fixtures/examples/skills/csv-report", "--scope", "project"], true),
        (&["mount", "fixtures/examples/skills", "--keep", "--", "true"], true),
        (&["validate", "fixtures/examples/skills"], false),
        (&["verify", "--scope", "project"], false),
        (&["remove", "csv-report", "--scope", "project"], false),
        (&["pack", "fixtures/examples/skills"], false),
        (&["init", "pdf"], false),
        (&["unmount", "--stale"], false),
    ] {
        if warns {
            let run = sandbox.run(args.iter().chain(&["-v"]));
            assert!(!run.stderr.is_empty(), "{args:?} has nothing to say");
        }
        let run = sandbox.run(args.iter().take(1).chain(&["-q"]).chain(&args[1..]));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn notes_are_counted_and_shown_with_verbose() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", &text("pdf", "colour: blue\n"));
    let run = sandbox.run(["validate", "pdf"]);
    assert_eq!(run.stdout, "1 skill checked: no problems (1 note, shown with -v)\n");
    let run = sandbox.run(["validate", "-v", "pdf"]);
    assert!(
        run.stdout.starts_with("note[unknown-field]: `colour` is not a field of the specification"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("1 skill checked: 1 note\n"), "{}", run.stdout);
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", "# No front matter\n");
    let escapes = |args: &[&str], variable: Option<&str>| {
        let run = sandbox.run_with(["validate", "pdf"].iter().chain(args), |command| {
            if let Some(name) = variable {
                command.env(name, "1");
            }
        });
        run.all().contains('\u{1b}')
    };
    assert!(!escapes(&[], None), "a pipe gets none");
    assert!(!escapes(&[], Some("NO_COLOR")));
    assert!(!escapes(&["--color", "never"], Some("CLICOLOR_FORCE")));
    assert!(escapes(&["--color", "always"], None));
    assert!(escapes(&["--color", "always"], Some("NO_COLOR")), "a flag beats a variable");
}

#[test]
fn help_and_mistakes_have_colour_when_it_is_asked_for() {
    let sandbox = Sandbox::new();
    for args in [&["--help"][..], &["validate", "--help"], &["bogus"], &["remove"], &[]] {
        let has_colour = |color: &[&str]| {
            let run = sandbox.run_with(color.iter().chain(args), |command| {
                command.env("CLICOLOR_FORCE", "1");
            });
            run.all().contains('\u{1b}')
        };
        assert!(has_colour(&[]), "{args:?}: the variable asks for it");
        assert!(has_colour(&["--color", "always"]), "{args:?}");
        assert!(!has_colour(&["--color", "never"]), "{args:?}");
        assert!(!has_colour(&["--color=never"]), "{args:?}");
    }
    let run = sandbox.run(["--color", "always", "--help"]);
    assert!(run.stdout.contains('\u{1b}'), "even in a pipe");
}

#[test]
fn machine_formats_have_no_colour_even_when_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.skill("pdf", "# No front matter\n");
    for format in ["json", "sarif", "github", "gitlab", "junit"] {
        let run = sandbox.run(["validate", "pdf", "--color", "always", "--format", format]);
        assert!(!run.all().contains('\u{1b}'), "{format}");
    }
}

#[test]
fn the_directory_flag_changes_where_everything_is_looked_for() {
    let sandbox = Sandbox::new();
    sandbox.skill("sub/all/pdf", "# No front matter\n");
    let run = sandbox.run(["-C", "sub", "validate", "all"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("--> all/pdf/SKILL.md:1:1"), "{}", run.stdout);
    let run = sandbox.run(["validate", "-C", "sub/all/pdf"]);
    assert!(run.stdout.contains("--> SKILL.md:1:1"), "{}", run.stdout);
}

#[test]
fn one_unreadable_skill_is_a_finding_among_others_and_an_error_alone() {
    let sandbox = Sandbox::new();
    sandbox.skill("all/locked", &good_text("locked"));
    sandbox.chmod("all/locked/SKILL.md", 0o000);
    if std::fs::File::open(sandbox.path("all/locked/SKILL.md")).is_ok() {
        skip("root may read everything");
        return;
    }
    let run = sandbox.run(["validate", "all/locked"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("SKILL.md`: permission denied"), "{}", run.stderr);
    sandbox.good_skill("all/pdf");
    assert_eq!(sandbox.rules_fired(["all"]), ["missing-skill-md"]);
}

#[test]
fn an_unreadable_directory_fails_the_run_but_not_the_rest_of_it() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("all/pdf");
    sandbox.mkdir("all/locked");
    sandbox.chmod("all/locked", 0o000);
    let refused = std::fs::read_dir(sandbox.path("all/locked")).is_err();
    let run = sandbox.run(["validate", "all"]);
    sandbox.chmod("all/locked", 0o755);
    if refused {
        assert_eq!((run.code, run.stdout.as_str()), (2, "1 skill checked: no problems\n"));
        assert!(run.stderr.contains("cannot read directory"), "{}", run.stderr);
    }
}

/// Lines that are too long although they could be wrapped.
fn too_long(shown: &str, columns: usize) -> Vec<&str> {
    let width = |text: &str| text.chars().count();
    let is_too_long = |line: &&str| width(line) > columns && line.trim().contains(' ');
    // Excerpts and places are never wrapped, and long names and paths cannot be.
    let is_prose = |line: &&str| !line.contains(" | ") && !line.contains("--> ");
    let can_fit = |line: &&str| line.split(' ').all(|word| width(word) <= columns - 4);
    shown.lines().filter(is_prose).filter(can_fit).filter(is_too_long).collect()
}

#[test]
fn nothing_is_wider_than_a_narrow_terminal() {
    let sandbox = Sandbox::repository();
    sandbox.copy_from_repository("fixtures/examples");
    let long = "a-name-that-is-longer-than-any-column-of-a-narrow-terminal";
    sandbox.good_skill(&format!("src/{long}"));
    sandbox.good_skill("src/pdf");
    sandbox.skill("bad/directory", &text("name", "license: a: b\n"));
    sandbox.skill("other/directory", &text("name", "metadata: 1\n"));
    sandbox.write("skills.yaml", "version: 1\nskills: [./src]\n");
    for line in [
        "rules",
        "validate src bad other",
        "validate bad --diff",
        "validate -v fixtures/examples",
        "install src --dry-run",
        "install src",
        "install src",
        "install bad",
        "list",
        "list --long",
        "verify",
        "lock --dry-run",
        "lock",
        "outdated",
        "pack src --output packed",
        "remove pdf",
        "remove pdf",
        "mount bad --strict -- true",
    ] {
        let Some(run) = sandbox.terminal(40, &format!("\"$SKILLS\" --color never {line}")) else {
            return;
        };
        let is_diff = line.contains("--diff");
        // Lines of files are never wrapped.
        let is_said = |line: &&str| !is_diff || !line.starts_with(['-', '+', '@', ' ']);
        let shown = run.stdout.lines().filter(is_said).collect::<Vec<_>>().join("\n");
        assert!(!shown.is_empty(), "{line}");
        let long = too_long(&shown, 40);
        assert!(long.is_empty(), "{line}: {long:#?}\n{shown}");
        assert!(!shown.lines().any(|line| line.ends_with(' ')), "{line}: {shown}");
    }
    for rule in crate::harness::rules() {
        let line = format!("\"$SKILLS\" explain {rule} | cat; \"$SKILLS\" explain {rule}");
        let Some(run) = sandbox.terminal(40, &line) else { return };
        let words = |line: &&str| !line.starts_with("    ");
        let (_, narrow) = run.stdout.split_once("rules: {").unwrap();
        let prose: Vec<&str> = narrow.lines().skip(1).filter(words).collect();
        let long = too_long(&prose.join("\n"), 40).len();
        assert_eq!(long, 0, "{}", run.stdout);
    }
}

#[test]
fn text_for_standard_error_is_folded_for_the_terminal_that_shows_it() {
    let sandbox = Sandbox::new();
    sandbox.skill("bad/directory", &good_text("name"));
    let line = "\"$SKILLS\" --color never install bad --strict > out.txt";
    let Some(run) = sandbox.terminal(40, line) else { return };
    let shown = run.stdout;
    assert!(shown.starts_with("error[name-directory-mismatch]:\n    the name is"), "{shown}");
    assert_eq!(too_long(&shown, 40), [""; 0], "{shown}");
    let Some(run) = sandbox.terminal(40, "\"$SKILLS\" install bad --strict 2> err.txt") else {
        return;
    };
    assert_eq!(run.stdout, "");
    let whole = sandbox.run(["install", "bad", "--strict"]).stderr;
    assert_eq!(sandbox.read("err.txt").replace(sandbox.root_text(), "[DIR]"), whole);
}

#[test]
fn quiet_omits_hints_about_refusals() {
    let sandbox = Sandbox::new();
    sandbox.skill("bad/pdf", &text("pdf", "license: a: b\n"));
    let run = sandbox.run(["install", "bad", "--strict"]);
    assert!(run.stderr.contains("why, and what to do"), "{}", run.stderr);
    let run = sandbox.run(["-q", "install", "bad", "--strict"]);
    assert!(run.stderr.contains("error[invalid-yaml]"), "{}", run.stderr);
    assert!(!run.stderr.contains("why, and what to do"), "{}", run.stderr);
    assert!(!run.stderr.contains("can be repaired"), "{}", run.stderr);
}
