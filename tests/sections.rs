//! Sections of a manifest: the line of a closed section in a prompt, and what opening it adds.

use serde_json::Value;

use crate::harness::{Run, Sandbox};
use crate::inline::inline;
use crate::render::names;

const MANIFEST: &str = r#"version: 1
key_prefix: team
params: { language: python }
skills:
  - ./skills
  - source: ./extra/zip
    section: archives
  - inline:
      name: tar
      title: Tar
      description: Reads tape archives. Use for tar files.
      template: Run tar.
      tools: [untar, list_files]
    section: archives
  - source: ./extra/gzip
    section: streams
  - source: ./extra/off
    section: never
sections:
  archives:
    visibility: summary
    title: Archives
    description: Packs and unpacks archives.
    enabled: { param: language, equals: python }
    children: [streams]
  streams: full
  never: { visibility: summary, enabled: false }
  empty: summary
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    for skill in ["skills/pdf", "extra/zip", "extra/gzip", "extra/off"] {
        sandbox.good_skill(skill);
    }
    sandbox.write("skills.yaml", MANIFEST);
    sandbox
}

fn events(sandbox: &Sandbox, log: &str) -> Vec<Value> {
    sandbox.read(log).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_closed_section_leaves_a_line_with_the_key_to_open_it() {
    let sandbox = sandbox();
    let line = "[Section: Archives] Packs and unpacks archives.\n\n---\n[This section is \
        summarized. Call `open_sections` with key \"team.archives\" to view its skills and access \
        tools: untar, list_files.]\n";
    let run = sandbox.run(["render"]);
    assert_eq!(names(&run), ["pdf"]);
    assert!(run.stdout.ends_with(&format!("\n\n{line}")), "{}", run.stdout);
    // A section without skills or a disabled one cannot be opened.
    assert!(!run.stdout.contains("never") && !run.stdout.contains("empty"), "{}", run.stdout);
    assert_eq!(sandbox.run(["render", "--prompt-only"]).stdout, format!("## Skills\n\n{line}"));
    let run = sandbox.run(["render", "--sections"]);
    assert!(run.stdout.contains("\"team.pdf\"") && run.stdout.ends_with(line), "{}", run.stdout);
    // Without a title, the key names the section.
    sandbox
        .write("skills.yaml", "skills: [{source: extra/zip, section: a}]\nsections: {a: summary}");
    let line = "[Section: a]\n\n---\n[This section is summarized. Call `open_sections` with key \
        \"skills.a\" to view its skills.]\n";
    assert_eq!(sandbox.run(["render", "--no-instructions"]).stdout, line);
}

#[test]
fn an_open_section_is_a_heading_above_its_skills() {
    let sandbox = sandbox();
    let bare = |args: &[&str]| sandbox.run([args, &["--no-instructions"]].concat()).stdout;
    let opened = ["render", "--prompt-only", "--expand", "archives", "--expand", "tar"];
    let archives = "## Archives\n\nPacks and unpacks archives.\n\n### Tar\n\nRun tar.\n\n\
                    Tools: untar, list_files\n";
    assert_eq!(bare(&opened), archives);
    // Below the heading of the manifest, all are one level deeper.
    let deeper = archives.replace("## ", "### ");
    assert_eq!(sandbox.run(opened).stdout, format!("## Skills\n\n{deeper}"));
    // A section in it comes after its skills, and skills in no section before it.
    let first = inline("first", ", tools: [x]");
    let manifest = MANIFEST.replace("sections:\n", &format!("{first}sections:\n"));
    let manifest = manifest.replace("\n- inline", "\n  - inline");
    let described = manifest
        .replace("streams: full", "streams: { title: Streams, description: All that  flows. }");
    sandbox.write("skills.yaml", &described);
    let prompt = bare(&opened);
    assert!(prompt.starts_with("[Skill: first]"), "{prompt}");
    let streams = "### Streams\n\nAll that flows.\n";
    assert!(prompt.ends_with(&format!("\n\n{archives}\n{streams}")), "{prompt}");
    // It can be opened alone, and is then in nothing.
    let alone = bare(&["render", "--prompt-only", "--expand", "streams"]);
    assert!(alone.ends_with("to view its skills and access tools: untar, list_files.]\n\n## Streams\n\nAll that flows.\n"), "{alone}");
    // Without a description, there must be something below it.
    sandbox.write("skills.yaml", manifest.replace("streams: full", "streams: { title: Streams }"));
    assert!(bare(&opened).ends_with(archives), "{}", bare(&opened));
    let every = ["render", "--sections", "--expand", "archives"];
    assert!(bare(&every).contains("\n\n### Streams\n\n[Skill: gzip]"), "{}", bare(&every));
    // Neither a title nor a description: its skills stand with those around it.
    sandbox.write("skills.yaml", MANIFEST);
    let prompt = bare(&every);
    let [archives, gzip] = ["## Archives", "[Skill: gzip]"].map(|text| prompt.find(text).unwrap());
    assert!(archives < gzip && !prompt.to_lowercase().contains("# streams"), "{prompt}");
}

#[test]
fn a_prompt_has_headings_unless_it_has_no_instructions() {
    let sandbox = sandbox();
    for (format, catalogue) in [("xml", "<available_skills>"), ("markdown", "- **pdf**")] {
        let args = ["render", "--format", format];
        let run = sandbox.run(args);
        assert!(
            run.stdout.starts_with(&format!("## Agent Skills\n\n{catalogue}")),
            "{}",
            run.stdout
        );
        assert!(run.stdout.contains("as needed\n\n## Skills\n\n[Section: "), "{}", run.stdout);
        let bare = sandbox.run(args.iter().chain(&["--no-instructions"])).stdout;
        assert!(bare.starts_with(catalogue) && !bare.contains("## "), "{bare}");
    }
    sandbox.write("skills.yaml", format!("title: \"Our `work`\"\n{MANIFEST}"));
    assert!(
        sandbox.run(["render", "--prompt-only"]).stdout.starts_with("## Our `work`\n\n[Section")
    );
    assert_eq!(sandbox.document(["render", "--format", "json"])["title"], "Our `work`");
    // There is nothing to stand above.
    assert_eq!(sandbox.run(["render", "skills", "--prompt-only"]).stdout, "");
    sandbox.write("skills.yaml", "title: Ours\nskills: [./skills]\n");
    assert!(!sandbox.run(["render"]).stdout.contains("Ours"));
}

#[test]
fn json_names_the_section_of_each_skill() {
    let sandbox = sandbox();
    let sections = |verb: &str, key: &str| -> Vec<String> {
        let args = [verb, "--expand", "archives", "--format", "json"];
        let report = sandbox.document(args);
        let rows = report[key].as_array().unwrap();
        rows.iter().map(|row| format!("{} in {}", row["name"], row["section"])).collect()
    };
    let [pdf, zip] = ["\"pdf\" in null", "\"zip\" in \"archives\""];
    let [tar, gzip] = ["\"tar\" in \"archives\"", "\"gzip\" in \"streams\""];
    assert_eq!(sections("list", "skills"), [pdf, zip, tar, gzip]);
    assert_eq!(sections("render", "skills"), [pdf, zip, gzip]);
    assert_eq!(sections("render", "sections"), ["null in null", tar]);
    let report = sandbox.document(["render", "--expand", "archives", "--format", "json"]);
    let heading = &report["sections"][0];
    assert_eq!((&heading["kind"], &heading["visibility"]), (&"section".into(), &"full".into()));
    assert_eq!(heading["text"], "### Archives\n\nPacks and unpacks archives.");
    // Skills that are discovered come from no entry, whatever is written there.
    sandbox.good_skill(".claude/skills/found");
    let entry = "skills: [{source: extra/zip, section: a, mount_path: there}]\n";
    sandbox.write("skills.yaml", format!("{entry}sections: {{a: summary}}\n"));
    for verb in ["list", "render"] {
        let found = sandbox.document([verb, "--discover", "--expand", "a", "--format", "json"]);
        let row = &found["skills"][0];
        assert_eq!((&row["name"], &row["section"]), (&"found".into(), &Value::Null));
        assert!(!row.to_string().contains("there/found"), "{row}");
    }
}

const REVIEW: &str = "skills:
  - inline:
      name: review
      title: Review
      description: Reviews changes.
      template: Review it.
      children: [style, checks]
  - inline:
      name: style
      title: Style
      description: Minds the style.
      template: Mind it.
      tools: [format_code]
  - { source: ./extra/zip, section: checks }
sections:
  checks: { title: Checks, description: What to check. }
";

#[test]
fn children_of_an_inline_skill_wait_until_it_is_expanded() {
    let sandbox = sandbox();
    sandbox.write("skills.yaml", REVIEW);
    let listed = |args: &[&str]| {
        let run = sandbox.run([&["list", "--format", "names"], args].concat());
        run.stdout.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let prompt = |args: &[&str]| {
        sandbox.run([&["render", "--prompt-only", "--no-instructions"], args].concat()).stdout
    };
    // A model can open only what a prompt names, so the skill stays in the prompt, without tools.
    let closed = "[Skill: review] Reviews changes.\n\n---\n[This skill is summarized. Call \
                  `open_sections` with key \"skills.review\" to view full workflow and its skills";
    assert_eq!(listed(&[]), ["review"]);
    assert_eq!(prompt(&[]), format!("{closed} and access tools: format_code.]\n"));
    let style = "[Skill: style] Minds the style.\n\n---\n[This skill is summarized. Call \
                 `open_sections` with key \"skills.style\" to view full workflow and access tools: \
                 format_code.]\n";
    let open = format!("## Review\n\nReview it.\n\n{style}\n### Checks\n\nWhat to check.\n");
    assert_eq!(listed(&["--expand", "skills.review"]), ["review", "style", "zip"]);
    assert_eq!(prompt(&["--expand", "review"]), open);
    // A child can be opened alone; its parent stays closed.
    assert_eq!(listed(&["--expand", "checks"]), ["review", "zip"]);
    assert_eq!(listed(&["--expand", "style"]), ["review", "style"]);
    let alone = format!("{closed}.]\n\n## Style\n\nMind it.\n\nTools: format_code\n");
    assert_eq!(prompt(&["--expand", "style"]), alone);
    // In full without being expanded, it still says how to get the rest.
    let full = "## Review\n\nReview it.\n\n---\n[This section is summarized. Call `open_sections` with \
                key \"skills.review\" to view its skills and access tools: format_code.]\n";
    assert_eq!(prompt(&["--visibility", "full"]), full);
    // In full from the start, it has its children with it.
    sandbox.write("skills.yaml", REVIEW.replace("children:", "visibility: full\n      children:"));
    assert_eq!(listed(&[]), ["review", "style", "zip"]);
    assert_eq!(prompt(&[]), open);
}

#[test]
fn children_of_an_inline_skill_go_where_it_goes() {
    let sandbox = sandbox();
    sandbox.write("skills.yaml", REVIEW);
    let run = sandbox.run(["list", "--only", "style"]);
    let waits = "error: `style` waits for its section `review`\nhelp: add `--expand review`\n";
    assert_eq!(run.stderr, waits);
    let run = sandbox.run(["install", "--dir", "there", "--expand", "review", "--events", "log"]);
    for note in ["`review` has children and stays", "`style` has tools and stays"] {
        assert!(run.stderr.contains(note), "{}", run.stderr);
    }
    assert!(sandbox.path("there/zip/SKILL.md").exists() && !sandbox.path("there/review").exists());
    let logged = events(&sandbox, "log");
    let keys: Vec<&Value> = logged.iter().map(|event| &event["skill_key"]).collect();
    assert_eq!(keys[..3], ["skills.review", "skills.style", "skills.zip"]);
    assert!(sandbox.run(["validate"]).stdout.contains("3 skills"), "all of them are checked");
    let with = |key: &str| {
        REVIEW.replacen(
            "\n  - inline:\n      name: style",
            &format!("\n    {key}\n  - inline:\n      name: style"),
            1,
        )
    };
    // Where it is disabled, its children are not read.
    std::fs::remove_dir_all(sandbox.path("extra")).unwrap();
    sandbox.write("skills.yaml", with("enabled: { env: NOT_SET }"));
    let run =
        sandbox.run(["list", "--expand", "review", "--expand", "checks", "--expand", "style"]);
    assert!(run.code == 0 && run.stdout.contains("no skills"), "{}", run.all());
    // Where it waits, so do they.
    sandbox.write("skills.yaml", with("section: later") + "  later: summary\n");
    let line = "[Section: later]\n\n---\n[This section is summarized. Call `open_sections` with key \
                \"skills.later\" to view its skills.]\n";
    assert_eq!(sandbox.run(["render", "--no-instructions"]).stdout, line);
    let run = sandbox.run(["list", "--format", "names", "--expand", "later"]);
    assert_eq!(run.stdout, "review\n", "{}", run.stderr);
}

#[test]
fn opening_a_section_brings_its_skills_and_those_of_full_sections_in_it() {
    let sandbox = sandbox();
    for key in ["archives", "team.archives"] {
        let run = sandbox.run(["render", "--expand", key]);
        assert_eq!(names(&run), ["pdf", "zip", "gzip"], "{key}");
        assert!(!run.stdout.contains("[Section:"), "{}", run.stdout);
        assert!(run.stdout.contains("key \"team.tar\""), "{}", run.stdout);
    }
    // A child can be opened alone; its parent stays closed.
    let run = sandbox.run(["render", "--expand", "streams"]);
    assert_eq!(names(&run), ["pdf", "gzip"]);
    assert!(run.stdout.contains("[Section: Archives]"), "{}", run.stdout);
    // A closed section inside an open one has its own line.
    sandbox.write("skills.yaml", MANIFEST.replace("streams: full", "streams: summary"));
    let run = sandbox.run(["render", "--expand", "archives"]);
    assert_eq!(names(&run), ["pdf", "zip"]);
    assert!(run.stdout.contains("[Section: streams]"), "{}", run.stdout);
    for verb in ["install", "mount"] {
        sandbox.write("skills.yaml", MANIFEST);
        let report = sandbox.document([verb, "--expand", "archives", "--format", "json"]);
        let names: Vec<&str> = report["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["gzip", "zip", "pdf"], "{verb}");
    }
}

#[test]
fn a_section_that_is_switched_off_is_not_read() {
    let sandbox = sandbox();
    std::fs::remove_dir_all(sandbox.path("extra")).unwrap();
    let off = ["--param", "language=rust", "--expand", "never", "--expand", "archives"];
    for verb in ["render", "list", "validate"] {
        let run = sandbox.run([verb].iter().chain(&off));
        assert_eq!(run.code, 0, "{verb}: {}", run.all());
        assert!(!run.stdout.contains("zip") && !run.stdout.contains("[Section"), "{}", run.stdout);
    }
}

#[test]
fn opening_a_section_is_logged_for_every_skill_that_it_brings() {
    let sandbox = sandbox();
    let args = ["render", "--expand", "archives", "--expand", "tar", "--events", "log"];
    sandbox.run(args);
    let logged: Vec<(String, String)> = events(&sandbox, "log")
        .iter()
        .map(|event| {
            assert_eq!(event["type"], "skill_expanded");
            let text = |key: &str| event[key].as_str().unwrap().to_owned();
            (text("skill_name"), text("skill_key"))
        })
        .collect();
    let expected = [("tar", "team.tar"), ("zip", "team.zip"), ("gzip", "team.gzip")];
    assert_eq!(logged, expected.map(|(name, key)| (name.to_owned(), key.to_owned())));
    // Expanding an open section adds nothing.
    sandbox.write("skills.yaml", "skills: [{source: skills, section: a}]\nsections: {a: full}\n");
    sandbox.run(["render", "--expand", "a", "--events", "open"]);
    assert_eq!(sandbox.read("open"), "");
}

#[test]
fn installing_an_opened_section_is_logged_like_rendering_it() {
    for verb in ["install", "sync", "mount"] {
        let sandbox = sandbox();
        let mut args = vec![verb, "--expand", "archives", "--expand", "tar", "--events", "log"];
        args.extend(if verb == "mount" { vec!["--", "true"] } else { vec!["--dir", "out"] });
        let run = sandbox.run(&args);
        assert_eq!(run.code, 0, "{verb}: {}", run.all());
        let events = events(&sandbox, "log");
        let text = |event: &Value, key: &str| event[key].as_str().unwrap_or("-").to_owned();
        let logged: Vec<[String; 3]> = events
            .iter()
            .map(|event| ["type", "skill_name", "skill_key"].map(|key| text(event, key)))
            .collect();
        let expected = [
            ["skill_expanded", "zip", "team.zip"],
            ["skill_expanded", "tar", "team.tar"],
            ["skill_expanded", "gzip", "team.gzip"],
            ["skills_installed", "-", "-"],
        ];
        assert_eq!(logged, expected.map(|line| line.map(str::to_owned)), "{verb}");
        assert_eq!(events[0]["prompt_key"], *verb);
        // Nothing was opened, or nothing happened.
        sandbox.shell("rm -r log out");
        let flags: &[&str] = if verb == "mount" { &["--", "true"] } else { &["--dir", "out"] };
        sandbox.run([&[verb, "--events", "log"], flags].concat());
        assert_eq!(sandbox.read("log").matches("skill_expanded").count(), 0, "{verb}");
        if verb != "mount" {
            sandbox.shell("rm log");
            let dry = ["--dry-run", "--dir", "out", "--expand", "archives", "--events", "log"];
            sandbox.run([&[verb][..], &dry].concat());
            assert!(!sandbox.path("log").exists(), "{verb}");
        }
    }
}

#[test]
fn json_sections_have_tools_and_say_what_they_are() {
    let sandbox = sandbox();
    let closed = sandbox.document(["render", "--format", "json"]);
    let section = &closed["sections"][0];
    assert_eq!(section["kind"], "section");
    assert_eq!(section["name"], Value::Null);
    assert_eq!(section["key"], "team.archives");
    assert_eq!(section["tools"], serde_json::json!(["untar", "list_files"]));
    let open = sandbox.document(["render", "--expand", "archives", "--format", "json"]);
    let section = &open["sections"][1];
    assert_eq!((&section["kind"], &section["name"]), (&"skill".into(), &"tar".into()));
    assert_eq!(section["tools"], serde_json::json!(["untar", "list_files"]));
}

#[test]
fn the_warning_about_isolation_says_what_to_do_and_doing_it_works() {
    let sandbox = sandbox();
    for args in [&["render"][..], &["render", "--sections"]] {
        let run = sandbox.run(args);
        assert!(
            run.stderr.starts_with("warning: Skills installation requires hermetic isolation\n"),
            "{}",
            run.stderr
        );
        for way in [
            "`skills mount -- COMMAND`",
            "`skills render --prompt-only`",
            "`install_skills: false`",
        ] {
            assert!(run.stderr.contains(way), "{}", run.stderr);
        }
    }
    assert_eq!(sandbox.run(["render", "--prompt-only"]).stderr, "");
    assert_eq!(sandbox.run(["mount", "--", "true"]).code, 0);
    sandbox.write("skills.yaml", format!("{MANIFEST}install_skills: false\n"));
    assert_eq!(sandbox.run(["render"]).stderr, "");
}

#[test]
fn nothing_is_copied_where_the_manifest_keeps_all_skills_in_the_prompt() {
    let sandbox = sandbox();
    let manifest = format!("{MANIFEST}install_skills: false\nisolation: {{}}\n");
    sandbox.write("skills.yaml", &manifest);
    let sections = sandbox.run(["render"]);
    assert!(sections.stdout.starts_with("## Skills\n\n[Skill: pdf]"), "{}", sections.stdout);
    assert_eq!(sandbox.run(["render", "--prompt-only"]).stdout, sections.stdout);
    let note = "nothing is copied: `install_skills: false` keeps 1 skill in the prompt";
    let run = sandbox.run(["install", "--dir", "there"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains(note), "{}", run.stderr);
    assert!(!sandbox.path("there/pdf").exists());
    let script = "ls \"$HOME/.claude/skills\" 2>/dev/null | wc -l";
    let args = ["mount", "--prompt", "prompt.txt", "--agent", "claude", "--", "sh", "-c", script];
    let run = sandbox.run_with(args, |command| {
        command.env("ANTHROPIC_API_KEY", "k");
    });
    assert_eq!((run.code, run.stdout.trim()), (0, "0"), "{}", run.all());
    assert_eq!(sandbox.read("prompt.txt"), sections.stdout);
    // `prompt_only` does not apply to locks and archives.
    assert_eq!(sandbox.run(["lock"]).code, 0);
    assert!(sandbox.read("skills.lock").contains("pdf"));
    let listed = sandbox.document(["list", "--format", "json"]);
    assert_eq!(listed["skills"][0]["placement"], "prompt");
}

#[test]
fn parameters_of_an_inline_skill_are_defaults() {
    let sandbox = Sandbox::repository();
    let manifest = |params: &str| {
        format!(
            "{params}skills:\n- inline: {{name: a, title: T, description: D, template: \"$who $what\", \
             params: {{who: own, what: 3}}}}\n  enabled: {{param: who}}\n"
        )
    };
    let text = |run: &Run| run.stdout.lines().nth(2).unwrap_or_default().to_owned();
    let preload = ["render", "--preload", "a"];
    sandbox.write("skills.yaml", manifest(""));
    assert_eq!(text(&sandbox.run(preload)), "own 3");
    sandbox.write("skills.yaml", manifest("params: {who: all}\n"));
    assert_eq!(text(&sandbox.run(preload)), "all 3");
    let run = sandbox.run(preload.iter().chain(&["--param", "who=run"]));
    assert_eq!(text(&run), "run 3");
    // An empty value of the run switches it off.
    let run = sandbox.run(["list", "--param", "who="]);
    assert!(run.stdout.contains("no skills"), "{}", run.all());
}

#[test]
fn conditions_can_be_turned_round_and_joined() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("one");
    for (condition, expected) in [
        ("{not: {env: WANTED}}", false),
        ("{not: {env: OTHER}}", true),
        ("{any: [{env: OTHER}, {param: level, equals: 3}]}", true),
        ("{any: [{env: OTHER}, {param: level, equals: 4}]}", false),
        ("{all: [{env: WANTED}, {param: level, equals: 3}]}", true),
        ("{all: [{env: WANTED}, {not: {param: level, equals: 3}}]}", false),
        ("{not: {all: [true, {any: [false, {env: OTHER}]}]}}", true),
        ("[{env: WANTED}, {not: {env: WANTED}}]", false),
        ("{any: [true, {param: unknown}]}", true),
    ] {
        let manifest =
            format!("params: {{level: 3}}\nskills: [{{source: one, enabled: {condition}}}]\n");
        sandbox.write("skills.yaml", &manifest);
        let run = sandbox.run_with(["list", "--format", "names"], |command| {
            command.env("WANTED", "1");
        });
        assert_eq!(run.stdout == "one\n", expected, "{condition}: {}", run.all());
    }
    sandbox.write("skills.yaml", "skills: [{source: one, enabled: {not: {param: unknown}}}]\n");
    let run = sandbox.run(["list"]);
    assert!(
        run.stderr.contains("skills.yaml:1:39: no value for the parameter `unknown`"),
        "{}",
        run.stderr
    );
}

#[test]
fn events_name_the_prompt_and_the_session() {
    let sandbox = sandbox();
    let flags = ["--prompt-ns", "review", "--prompt-key", "nightly", "--session-id", "s-1"];
    let runs: [&[&str]; 4] = [
        &["render", "--expand", "archives"],
        &["render", "--activate", "pdf"],
        &["install", "--dir", "there"],
        &["mount"],
    ];
    for args in runs {
        let events_flag = ["--events", "log"];
        let run = sandbox.run(args.iter().chain(&events_flag).chain(&flags));
        assert_eq!(run.code, 0, "{}", run.all());
        let run = sandbox.run_with(args.iter().chain(&events_flag), |command| {
            command.env("SKILLS_PROMPT_NS", "review").env("SKILLS_PROMPT_KEY", "nightly");
            command.env("SKILLS_SESSION_ID", "s-1");
        });
        assert_eq!(run.code, 0, "{}", run.all());
        for event in events(&sandbox, "log") {
            assert_eq!(event["prompt_ns"], "review", "{event}");
            assert_eq!(event["prompt_key"], "nightly", "{event}");
            assert_eq!(event["session_id"], "s-1", "{event}");
        }
        std::fs::remove_file(sandbox.path("log")).unwrap();
        sandbox.run(args.iter().chain(&events_flag));
        let plain = &events(&sandbox, "log")[0];
        assert_eq!(
            (&plain["prompt_ns"], &plain["prompt_key"]),
            (&"skills".into(), &args[0].into())
        );
        assert_eq!(plain["session_id"], Value::Null);
        std::fs::remove_file(sandbox.path("log")).unwrap();
    }
    for bad in ["", " ", "a\nb", "a\u{1b}[2J", &"x".repeat(257)] {
        let run = sandbox.run(["render", "--events", "log", "--session-id", bad]);
        assert_eq!(run.code, 2, "{bad:?}");
        assert!(run.stderr.contains("`--session-id` must be one line of 1 to 256 characters"));
        assert!(!run.stderr.contains('\u{1b}'));
    }
    assert_eq!(sandbox.run(["render", "--session-id", "x"]).code, 2, "it needs --events");
    let run = sandbox.run_with(["render"], |command| {
        command.env("SKILLS_SESSION_ID", "a\nb");
    });
    assert_eq!(run.code, 0, "nobody reads it without events");
}

#[test]
fn activating_a_skill_is_logged() {
    let sandbox = sandbox();
    sandbox.run(["render", "--activate", "pdf", "--events", "log"]);
    let event = &events(&sandbox, "log")[0];
    assert_eq!(event["type"], "skill_activated");
    assert_eq!(event["skill_name"], "pdf");
    assert_eq!(event["skill_path"], sandbox.path("skills/pdf/SKILL.md").to_str().unwrap());
    let body = sandbox.read("skills/pdf/SKILL.md");
    let body = body.rsplit("---\n").next().unwrap();
    assert_eq!(event["bytes"], body.len());
    assert_eq!(event["tokens"], body.len().div_ceil(4));
    let run = sandbox.run(["render", "--activate", "pdf", "--events", "-", "--format", "json"]);
    assert_eq!(run.code, 2);
}

#[test]
fn several_directories_are_joined_under_one_mount_path() {
    let sandbox = Sandbox::repository();
    for skill in ["org/pdf", "project/csv"] {
        sandbox.good_skill(skill);
    }
    sandbox
        .write("skills.yaml", "skills: [{source: [./org, ./project], mount_path: skills/all}]\n");
    let run = sandbox.run(["render"]);
    let found: Vec<_> = crate::render::catalogue(&run).into_iter().map(|one| one.2).collect();
    assert_eq!(found, ["skills/all/pdf", "skills/all/csv"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    assert!(sandbox.read("skills.lock").contains("./project"));
    assert_eq!(sandbox.run(["install", "--frozen", "--dir", "there"]).code, 0);
    // Two skills of one name conflict.
    sandbox.skill("project/pdf", &(crate::harness::good_text("pdf") + "More.\n"));
    let run = sandbox.run(["list"]);
    assert!(run.stdout.contains("duplicate-name"), "{}", run.all());
    sandbox.write("skills.yaml", "skills: [{source: [./org, ./missing]}]\n");
    let run = sandbox.run(["list"]);
    assert!(run.stderr.contains("skills.yaml:1:27: cannot read `./missing`"), "{}", run.stderr);
}

#[test]
fn wrong_keys_types_and_values_have_a_place_and_a_suggestion() {
    let sandbox = Sandbox::repository();
    let section = |more: &str| format!("sections:\n  a: {{{more}}}\n");
    let skill = |more: &str| format!("skills:\n  - {{source: x, {more}}}\n");
    for (manifest, expected) in [
        ("sections: [a]\n".to_owned(), "1:11: `sections` must be a mapping, this is a list"),
        ("sections: {a: 3}\n".to_owned(), "1:15: a section must be `full`, `summary` or a mapping"),
        ("sections: {a: hidden}\n".to_owned(), "1:15: a visibility is full or summary"),
        (
            "sections: {\"a\\nb\": full}\n".to_owned(),
            "1:12: the key of a section must be plain text",
        ),
        ("sections: {\"\": full}\n".to_owned(), "1:12: the key of a section must not be empty"),
        (section("titel: x"), "2:7: unknown key `titel`\nhelp: did you mean `title`?"),
        (section("visibility: none"), "2:19: a visibility is full or summary"),
        (section("title: 3"), "2:14: `title` must be a string"),
        (section("title: \"a\\nb\""), "2:14: `title` must be plain text on one line"),
        (section("description: \"\""), "2:20: `description` must not be empty"),
        (
            section(&format!("description: {}", "x".repeat(1_025))),
            "2:20: `description` has more than 1024 characters",
        ),
        (section("enabled: 3"), "2:16: `enabled` must be true, false or a condition"),
        (section("children: b"), "2:17: `children` must be a list"),
        (section("children: [b]"), "2:18: no section or inline skill `b`\nhelp: keys: a"),
        (section("children: [{b: c}]"), "2:18: the key of a section must be a string, a number or"),
        (section("children: [a]"), "2:18: `a` would be inside itself"),
        (
            "sections:\n  archives: full\n  a: {children: [archivse]}\n".to_owned(),
            "3:18: no section or inline skill `archivse`\nhelp: did you mean `archives`?",
        ),
        (
            "sections:\n  a: {children: [b]}\n  b: {children: [a]}\n".to_owned(),
            "2:18: `b` would be inside itself",
        ),
        (
            "sections:\n  a: {children: [c]}\n  b: {children: [c]}\n  c: full\n".to_owned(),
            "3:18: `c` is already a child of `a`",
        ),
        (
            format!("skills:\n{}", inline("a", ", children: [b]")),
            "2:73: no section or inline skill `b`\nhelp: keys: a",
        ),
        (
            format!("skills:\n{}", inline("a", ", children: [a]")),
            "2:73: `a` would be inside itself",
        ),
        (
            format!(
                "skills:\n{}{}",
                inline("a", ", children: [b]"),
                inline("b", ", children: [a]")
            ),
            "2:73: `b` would be inside itself",
        ),
        (
            format!(
                "skills:\n{}  section: s\nsections: {{s: full}}\n",
                inline("a", ", children: [s]")
            ),
            "2:73: `s` would be inside itself",
        ),
        (
            format!(
                "skills:\n{}sections: {{s: {{children: [a]}}, t: {{children: [a]}}}}\n",
                inline("a", "")
            ),
            "3:47: `a` is already a child of `s`",
        ),
        (
            format!(
                "skills:\n{}  section: s\nsections: {{t: {{children: [a]}}}}\n",
                inline("a", "")
            ),
            "4:27: `a` is already in the section `s`",
        ),
        (format!("skills:\n{}", inline("a", ", children: b")), "2:72: `children` must be a list"),
        ("title: [x]\n".to_owned(), "1:8: `title` must be a string, this is a list"),
        ("title: \"a\\e[2Jb\"\n".to_owned(), "1:8: `title` must be plain text on one line"),
        ("titel: x\n".to_owned(), "1:1: unknown key `titel`\nhelp: did you mean `title`?"),
        ("key_prefix: 3\n".to_owned(), "1:13: `key_prefix` must be a string"),
        ("key_prefix: \"a b\"\n".to_owned(), "1:13: `key_prefix` must be 1 to 64 letters"),
        (format!("key_prefix: {}\n", "x".repeat(65)), "1:13: `key_prefix` must be 1 to 64 letters"),
        ("install_skills: no thanks\n".to_owned(), "1:17: `install_skills` must be a boolean"),
        (
            "instal_skills: true\n".to_owned(),
            "1:1: unknown key `instal_skills`\nhelp: did you mean `install_skills`?",
        ),
        (skill("enabled: {nto: true}"), "2:27: unknown key `nto`\nhelp: did you mean `not`?"),
        (skill("enabled: {not: 3}"), "2:32: `enabled` must be true, false or a condition"),
        (skill("enabled: {any: {env: A}}"), "2:32: `any` must be a list"),
        (skill("enabled: {all: []}"), "2:32: `all` needs at least one condition"),
        (skill("enabled: {not: true, env: A}"), "2:38: a condition has one of `env`, `param`"),
        (skill("enabled: {not: true, equals: A}"), "2:38: `equals` belongs to `env` or `param`"),
        (skill("section: \"a\\nb\""), "2:26: `section` must be plain text on one line"),
        ("skills: [{source: []}]\n".to_owned(), "1:19: `source` must not be an empty list"),
        ("skills: [{source: [x, 3]}]\n".to_owned(), "1:23: `source` must be a string"),
        ("skills: [{source: [x, \"\"]}]\n".to_owned(), "1:23: a source must not be empty"),
        ("skills: [{source: [x], name: a}]\n".to_owned(), "1:24: `name` is for one skill"),
        (format!("skills:\n{}", inline("a", ", params: [x]")), "2:70: `params` must be a mapping"),
        (
            format!("skills:\n{}", inline("a", ", params: {x: [1]}")),
            "2:74: a value of `params` must be",
        ),
        (
            format!("skills:\n{}", inline("a", ", parms: {}")),
            "2:62: unknown key `parms`\nhelp: did you mean `params`?",
        ),
    ] {
        sandbox.write("skills.yaml", &manifest);
        let run = sandbox.run(["list"]);
        assert_eq!(run.code, 2, "{manifest}");
        let expected = format!("error: skills.yaml:{expected}");
        assert!(run.stderr.starts_with(&expected), "{manifest}\n{expected}\n{}", run.stderr);
    }
}

#[test]
fn deep_and_many_sections_end_at_once() {
    let sandbox = Sandbox::repository();
    let chain = |number: usize| -> String {
        let line = |at: usize| format!("  s{at}: {{children: [s{}]}}\n", at + 1);
        format!("sections:\n{}  s{number}: full\n", (0..number).map(line).collect::<String>())
    };
    sandbox.good_skill("one");
    sandbox.write("skills.yaml", format!("skills: [{{source: one, section: s15}}]\n{}", chain(16)));
    assert_eq!(names(&sandbox.run(["render"])), ["one"]);
    sandbox.write("skills.yaml", chain(1_000));
    let run = sandbox.run(["list"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("sections lie at most 16 deep in each other"), "{}", run.stderr);
}

#[test]
fn every_key_of_the_schema_is_on_the_page_about_manifests() {
    fn collect(value: &Value, keys: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::Object(properties)) = members.get("properties") {
                    keys.extend(properties.keys().cloned());
                }
                members.values().for_each(|member| collect(member, keys));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, keys)),
            _ => {}
        }
    }
    let schema: Value =
        serde_json::from_str(&Sandbox::repository().run(["schema"]).stdout).unwrap();
    let mut keys = Vec::new();
    collect(&schema, &mut keys);
    assert!(keys.iter().any(|key| key == "children"), "{keys:?}");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/manifest.md");
    let page = std::fs::read_to_string(path).unwrap();
    // Rules have their own page, and `list` documents discovery.
    let rules: Vec<&str> = schema["properties"]["rules"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let discovery = &schema["$defs"]["discovery"]["properties"];
    for key in keys
        .iter()
        .filter(|key| !rules.contains(&key.as_str()) && discovery[key.as_str()].is_null())
    {
        assert!(page.contains(&format!("`{key}`")), "docs/manifest.md does not explain `{key}`");
    }
}
