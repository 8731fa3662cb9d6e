//! `skills disable` and `skills enable`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Run, Sandbox, lacks};
use crate::install::{SKILLS, sandbox, snapshot};

const ROOM: &str = "../home/.claude/.skills-disabled/of-skills";

#[test]
fn a_disabled_skill_is_out_of_sight_and_comes_back_with_its_edits() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(["install", "src"]).code, 0);
    let index = sandbox.read(format!("{SKILLS}/.skills-index.json"));
    sandbox.write(format!("{SKILLS}/pdf/notes.txt"), "edited");
    let dry = sandbox.run(["disable", "pdf", "-n"]);
    assert!(dry.code == 0 && dry.stdout.contains("dry run"), "{}", dry.all());
    assert!(sandbox.path(SKILLS).join("pdf").exists());
    let run = sandbox.run(["disable", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("1 disabled"), "{}", run.stdout);
    assert!(!sandbox.path(SKILLS).join("pdf").exists());
    assert_eq!(sandbox.read(format!("{ROOM}/pdf/notes.txt")), "edited");
    assert_eq!(sandbox.read(format!("{SKILLS}/.skills-index.json")), index, "the record stays");
    // Every verb knows.
    let agents = sandbox.run(["list", "--agent", "claude", "--format", "names"]);
    assert_eq!(agents.stdout, "csv\n");
    let listed = sandbox.document(["list", "--format", "json", "--only", "pdf"]);
    let row = &listed["skills"][0];
    assert_eq!((&row["status"], &row["reason"]), (&"disabled".into(), &"`skills disable`".into()));
    assert!(row["installed"]["source"].is_string(), "{row:#}");
    let card = sandbox.run(["show", "pdf"]);
    assert!(card.code == 0 && card.stdout.starts_with("pdf  disabled\n"), "{}", card.all());
    let verified = sandbox.document(["verify", "--format", "json"]);
    assert_eq!(verified["summary"]["disabled"], 1, "{verified:#}");
    assert_eq!(sandbox.run(["verify"]).code, 0);
    let again = sandbox.run(["install", "src/pdf", "--force"]);
    assert_eq!(again.code, 1, "{}", again.all());
    assert!(again.stderr.contains("use `skills enable pdf` first"), "{}", again.stderr);
    // A second time changes nothing.
    let run = sandbox.run(["disable", "pdf"]);
    assert!(run.code == 0 && run.stdout.contains("1 unchanged"), "{}", run.all());
    let report = sandbox.document(["enable", "pdf", "--format", "json"]);
    assert_eq!(report["skills"][0]["action"], "enabled", "{report:#}");
    assert_eq!(sandbox.read(format!("{SKILLS}/pdf/notes.txt")), "edited");
    assert!(!sandbox.path("../home/.claude/.skills-disabled").exists());
}

#[test]
fn globs_choose_skills_and_unknown_names_are_refused() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.home_skill(".agents/skills/csv-own");
    let run = sandbox.run(["disable", "c*"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path(SKILLS).join("csv").exists());
    assert!(!sandbox.path("../home/.agents/skills/csv-own").exists(), "without an agent, all");
    let lost = sandbox.run(["disable", "x*"]);
    assert!(lost.code == 1 && lost.stderr.contains("no installed skill matches `x*`"));
    let lost = sandbox.run(["enable", "nope"]);
    assert!(lost.code == 1 && lost.stderr.contains("no skill named `nope`"), "{}", lost.stderr);
    assert_eq!(sandbox.run(["enable", "*"]).code, 0);
    assert!(sandbox.path(SKILLS).join("csv").exists());
    assert!(sandbox.path("../home/.agents/skills/csv-own").exists());
}

#[test]
fn a_disabled_skill_can_be_removed_and_stays_disabled_if_it_is_not() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    assert_eq!(sandbox.run(["disable", "pdf", "csv"]).code, 0);
    sandbox.write(format!("{ROOM}/csv/SKILL.md"), "edited");
    let run = sandbox.run(["remove", "csv"]);
    assert!(run.code == 1 && run.stderr.contains("was edited"), "{}", run.all());
    assert!(sandbox.path(ROOM).join("csv").exists());
    let run = sandbox.run(["remove", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path(ROOM).join("pdf").exists() && !sandbox.path(SKILLS).join("pdf").exists());
    assert_eq!(sandbox.run(["remove", "csv", "--force"]).code, 0);
    assert!(!sandbox.path("../home/.claude/.skills-disabled").exists());
}

#[test]
fn a_skill_that_is_there_twice_is_moved_nowhere() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.run(["disable", "pdf"]);
    sandbox.home_skill(".claude/skills/pdf");
    for verb in ["disable", "enable"] {
        let run = sandbox.run([verb, "pdf", "csv"]);
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("both exist"), "{}", run.stderr);
    }
    assert!(sandbox.path(SKILLS).join("csv").exists(), "all or nothing");
    assert!(sandbox.path(ROOM).join("pdf").exists());
}

#[cfg(unix)]
#[test]
fn links_in_place_of_the_room_or_a_skill_are_not_followed() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    fs::create_dir_all(sandbox.path("victim")).unwrap();
    let victim = sandbox.path("victim");
    std::os::unix::fs::symlink(&victim, sandbox.path("../home/.claude/.skills-disabled")).unwrap();
    let run = sandbox.run(["disable", "pdf"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(sandbox.path(SKILLS).join("pdf").exists());
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
    fs::remove_file(sandbox.path("../home/.claude/.skills-disabled")).unwrap();
    std::os::unix::fs::symlink(&victim, sandbox.path(SKILLS).join("linked")).unwrap();
    let run = sandbox.run(["disable", "linked"]);
    assert!(run.code == 1 && run.stderr.contains("a symbolic link"), "{}", run.all());
    // A cloned directory for disabled skills can contain names that are not skills.
    sandbox.write(format!("{ROOM}/\u{1b}[2Jevil/SKILL.md"), "x");
    let run = sandbox.run(["list"]);
    assert!(!run.all().contains('\u{1b}'), "{}", run.all());
    let run = sandbox.run(["enable", "../victim"]);
    assert!(run.code == 2 && run.stderr.contains("not a valid skill name"), "{}", run.all());
}

#[test]
fn a_read_only_skill_stays_read_only() {
    let sandbox = sandbox();
    sandbox.run(["install", "src/pdf", "--read-only"]);
    assert_eq!(sandbox.run(["disable", "pdf"]).code, 0);
    assert_eq!(sandbox.run(["enable", "pdf"]).code, 0);
    assert_eq!(sandbox.run(["verify"]).code, 0);
    let skill = sandbox.path(SKILLS).join("pdf");
    assert!(skill.metadata().unwrap().permissions().readonly());
    // Somebody who edits it keeps it writable.
    #[cfg(unix)]
    {
        sandbox.chmod(format!("{SKILLS}/pdf"), 0o755);
        assert_eq!(sandbox.run(["disable", "pdf"]).code, 0);
        assert_eq!(sandbox.mode(format!("{ROOM}/pdf")), 0o755);
        assert_eq!(sandbox.run(["enable", "pdf"]).code, 0);
        assert_eq!(sandbox.mode(format!("{SKILLS}/pdf")), 0o755);
    }
}

/// Both skills directories, each with its directory of disabled skills.
#[cfg(target_os = "linux")]
const SIDES: [[&str; 2]; 2] =
    [[SKILLS, ROOM], ["../home/.agents/skills", "../home/.agents/.skills-disabled/of-skills"]];

/// Runs `disable`, `enable` and `remove` of two disabled skills in two directories, each once for
/// every system call that changes something. One call at a time: strace counts `when` for each call
/// of a list apart.
#[cfg(target_os = "linux")]
fn sweep(injection: &str, least: usize, check: impl Fn(&Sandbox, &str, &str, &Run)) {
    if lacks(&["strace"]) {
        return;
    }
    let sandbox = sandbox();
    sandbox.good_skill("other");
    for (verb, start) in [("install src", "enabled"), ("disable pdf csv", "disabled")] {
        let run = sandbox
            .shell(&format!("$SKILLS {verb} --agent claude,codex && cp -a ../home ../{start}"));
        assert_eq!(run.code, 0, "{}", run.all());
    }
    for (verb, start) in [("disable", "enabled"), ("enable", "disabled"), ("remove", "disabled")] {
        let mut runs = 0;
        for call in "mkdirat write renameat renameat2 unlinkat fsync syncfs".split(' ') {
            for number in 1.. {
                let run = sandbox.shell(&format!(
                    "rm -rf ../home; cp -a ../{start} ../home; export SKILLS_THREADS=1
                    strace -f -qq -o trace -e trace={call} -e inject={call}:{injection}:when={number} \
                        $SKILLS {verb} pdf csv --agent claude,codex"
                ));
                let trace = sandbox.read("trace");
                if !trace.contains("INJECTED") && !trace.contains("killed by SIGKILL") {
                    break;
                }
                runs += 1;
                check(
                    &sandbox,
                    verb,
                    &format!("{verb}, {call} {number}, {injection}: {}", run.all()),
                    &run,
                );
            }
        }
        // A call that strace does not know is swept without a single run.
        assert!(runs >= least, "{verb}: only {runs} runs");
    }
}

/// Where a skill is in each directory: enabled, disabled, both.
#[cfg(target_os = "linux")]
fn states(sandbox: &Sandbox, name: &str) -> [[bool; 2]; 2] {
    SIDES.map(|sides| sides.map(|side| sandbox.path(side).join(name).exists()))
}

/// A later run brings everything to one of both states, and the verb can be repeated.
#[cfg(target_os = "linux")]
fn check_next_run(sandbox: &Sandbox, verb: &str, what: &str) {
    let run = sandbox.run(["install", "other", "-q", "--agent", "claude,codex"]);
    assert_eq!(run.code, 0, "{what}{}", run.all());
    let there = states(sandbox, "pdf");
    assert_eq!(there, states(sandbox, "csv"), "{what}: half a batch");
    let run = sandbox.run(["verify", "--agent", "claude,codex"]);
    assert_eq!(run.code, 0, "{what}{}", run.all());
    let run = sandbox.run([verb, "pdf", "csv", "--agent", "claude,codex"]);
    let is_gone = verb == "remove" && there == [[false; 2]; 2];
    assert_eq!(run.code, i32::from(is_gone), "{what}{}", run.all());
    let wanted = [verb == "enable", verb == "disable"];
    assert_eq!(states(sandbox, "pdf"), [wanted; 2], "{what}");
    assert_eq!(states(sandbox, "csv"), [wanted; 2], "{what}");
    let left = sandbox.shell("cd ../home; ls -A .claude .agents");
    assert!(!left.stdout.contains("staging"), "{what}{}", left.stdout);
    // If removing the empty directory fails, nothing is wrong.
    let is_left = left.stdout.contains(".skills-disabled");
    assert!(
        is_left == wanted[1] || what.contains("unlinkat") && what.contains("EIO"),
        "{what}{}",
        left.stdout
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_loses_nothing_and_enables_nothing() {
    let whole = |sandbox: &Sandbox, path: PathBuf, what: &str| {
        let name = path.file_name().unwrap().to_owned();
        let source = snapshot(&sandbox.path("src").join(name));
        assert_eq!(snapshot(&path), source, "{what}: `{}` is not whole", path.display());
    };
    sweep("signal=KILL", 40, |sandbox, verb, what, _| {
        for name in ["pdf", "csv"] {
            for (sides, there) in SIDES.iter().zip(states(sandbox, name)) {
                match verb {
                    "remove" => assert!(!there[0], "{what}: agents see `{name}`"),
                    _ => assert!(there[0] != there[1], "{what}: `{name}` is not in one place"),
                }
                for (side, _) in sides.iter().zip(there).filter(|(_, there)| *there) {
                    whole(sandbox, sandbox.path(side).join(name), what);
                }
            }
        }
        check_next_run(sandbox, verb, what);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_failure_moves_nothing() {
    sweep("error=EIO", 40, |sandbox, verb, what, run| {
        let is_printing = run.stderr.contains("standard output");
        let wanted = match (verb, run.code == 0 || is_printing) {
            ("remove", true) => [false, false],
            ("disable", true) | ("enable", false) | ("remove", false) => [false, true],
            _ => [true, false],
        };
        assert_eq!(states(sandbox, "pdf"), [wanted; 2], "{what}");
        assert_eq!(states(sandbox, "csv"), [wanted; 2], "{what}");
        check_next_run(sandbox, verb, what);
    });
}

#[test]
fn a_refused_removal_changes_nothing() {
    let sandbox = sandbox();
    for args in ["install src --agent claude,codex", "disable pdf --agent codex"] {
        assert_eq!(sandbox.run(args.split(' ')).code, 0);
    }
    sandbox.write(format!("{SKILLS}/pdf/SKILL.md"), "edited");
    let before = snapshot(&sandbox.path("../home"));
    let run = sandbox.run(["remove", "pdf", "csv", "--agent", "claude,codex"]);
    assert!(run.code == 1 && run.stderr.contains("was edited"), "{}", run.all());
    assert_eq!(snapshot(&sandbox.path("../home")), before);
    let run = sandbox.run(["remove", "pdf", "csv", "--agent", "claude,codex", "--force"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path("../home/.agents/.skills-disabled").exists());
    assert!(!sandbox.path("../home/.agents/skills/csv").exists());
}

#[test]
fn a_dry_run_of_a_removal_says_what_the_removal_says() {
    let sandbox = sandbox();
    sandbox.home_skill(".claude/skills/mine");
    let mut set_up = vec!["install src", "disable *"];
    if cfg!(unix) {
        sandbox.good_skill("work/linked");
        set_up.insert(0, "install work/linked --link");
    }
    for args in set_up {
        assert_eq!(sandbox.run(args.split(' ')).code, 0, "{args}");
    }
    let same = |words: &str| {
        let said = |dry: &str, format: &str| {
            let command = format!("$SKILLS remove {words} {dry} --format {format}");
            let run =
                sandbox.shell(&format!("cp -R ../home ../apart; HOME=$PWD/../apart; {command}"));
            sandbox.shell("rm -rf ../apart");
            let text = run.all().replace(" (dry run: nothing was written)", "");
            (run.code, text.replace("\"dry_run\": true", "\"dry_run\": false"))
        };
        for format in ["human", "json"] {
            assert_eq!(said("--dry-run", format), said("", format), "{words}");
        }
        said("--dry-run", "human")
    };
    let (code, text) = same("pdf");
    assert!(code == 0 && text.contains("removed  pdf  3 files, "), "{text}");
    let (code, text) = same("mine");
    assert!(code == 1 && text.contains("of-skills/mine` was not installed by `skills`"), "{text}");
    same("mine csv");
    same("nothing");
    if cfg!(unix) {
        assert_eq!(same("linked pdf").0, 0);
    }
    sandbox.write(format!("{ROOM}/csv/SKILL.md"), "edited");
    let (code, text) = same("csv pdf");
    assert!(code == 1 && text.contains("of-skills/csv` was edited"), "{text}");
    // A manifest that no longer names a disabled skill leaves it alone.
    sandbox.write("skills.yaml", "version: 1\nskills: [./src/pdf]\n");
    let dry = sandbox.document(["sync", "--dry-run", "--format", "json"]);
    let real = sandbox.document(["sync", "--format", "json"]);
    assert_eq!(dry["skills"], real["skills"]);
}

/// Whoever replaces the directory of disabled skills between two runs leads none of them elsewhere.
#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_disabled_skills_stops_every_verb() {
    let sandbox = sandbox();
    sandbox.write("skills.yaml", "version: 1\nskills: [./src]\n");
    assert_eq!(sandbox.run(["install", "src"]).code, 0);
    assert_eq!(sandbox.run(["disable", "pdf"]).code, 0);
    sandbox.write("src/csv/new.md", "New.\n");
    sandbox.write("src/pdf/new.md", "New.\n");
    let parent = sandbox.path("../home/.claude");
    for name in [".skills-disabled", ".skills-disabled/of-skills"] {
        let victim = sandbox.path("../victim");
        fs::rename(parent.join(name), &victim).unwrap();
        std::os::unix::fs::symlink(&victim, parent.join(name)).unwrap();
        let before = (snapshot(&sandbox.path("../home")), snapshot(&victim));
        for words in [
            "remove pdf",
            "remove csv pdf --force",
            "remove pdf -n",
            "enable pdf",
            "enable * -n",
            "disable csv",
            "install src --force",
            "install src/pdf",
            "install src --link",
            "update",
            "update --check",
            "update --undo",
            "verify",
            "sync",
            "sync -n",
        ] {
            let run = sandbox.run(words.split(' '));
            assert_eq!(run.code, 2, "{words}: {}", run.all());
            let said = format!("{name}` is a symbolic link, which is not followed");
            assert!(run.stderr.contains(&said), "{words}: {}", run.all());
            let after = (snapshot(&sandbox.path("../home")), snapshot(&victim));
            assert_eq!(after, before, "{words}");
        }
        fs::remove_file(parent.join(name)).unwrap();
        fs::rename(&victim, parent.join(name)).unwrap();
    }
    assert_eq!(sandbox.run(["enable", "pdf"]).code, 0);
}

#[test]
fn a_manifest_does_not_enable_a_disabled_skill() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    assert_eq!(sandbox.run(["sync"]).code, 0);
    assert_eq!(sandbox.run(["disable", "pdf"]).code, 0);
    let run = sandbox.run(["sync"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path(ROOM).join("pdf").exists());
    let report: Value = sandbox.document(["sync", "--format", "json"]);
    assert_eq!(report["skills"][0]["action"], "unchanged", "{report:#}");
}

#[test]
fn disabled_copies_are_one_line_of_the_list() {
    let sandbox = sandbox();
    for args in [
        &["install", "src", "--agent", "claude", "--agent", "codex"][..],
        &["disable", "pdf", "--agent", "claude", "--agent", "codex"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{}", run.all());
    }
    let list = |flags: &[&str]| sandbox.run([&["list"], flags].concat()).stdout;
    let lines = |text: &str| text.lines().filter(|line| line.starts_with("pdf")).count();
    let listed = list(&[]);
    assert_eq!(lines(&listed), 1, "{listed}");
    assert!(listed.contains("2 skills in 4 copies: 1 active, 1 disabled"), "{listed}");
    assert_eq!(lines(&list(&["-v"])), 2);
    let json = sandbox.document(["list", "--format", "json", "--only", "pdf"]);
    assert_eq!(json["skills"].as_array().unwrap().len(), 2, "one entry a copy");
    // Copies that differ are two lines.
    sandbox.write(format!("{ROOM}/pdf/notes.txt"), "edited");
    assert_eq!(lines(&list(&[])), 2);
}

#[test]
fn an_update_leaves_disabled_skills_alone() {
    let sandbox = sandbox();
    sandbox.run(["install", "src"]);
    sandbox.run(["disable", "pdf"]);
    sandbox.write("src/pdf/new.md", "New.\n");
    for verb in ["update", "outdated"] {
        let run = sandbox.run([verb]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.stdout.contains("disabled  pdf"), "{}", run.stdout);
        assert!(run.stdout.contains("`skills enable pdf` brings it back"), "{}", run.stdout);
        assert!(!run.stdout.contains("gone"), "{}", run.stdout);
    }
    assert!(!sandbox.path(ROOM).join("pdf/new.md").exists());
    sandbox.run(["enable", "pdf"]);
    assert!(sandbox.run(["update"]).stdout.contains("updated  pdf"));
}
