//! Memory and time stay in proportion to the size of the input.

use std::fmt::Write as _;
use std::fs::File;

use serde_json::Value;

use crate::harness::{Sandbox, good_text, skip, text};

/// Runs a shell line with a memory limit of 150 MB, if the system supports it.
fn run_bounded(sandbox: &Sandbox, line: &str) -> crate::harness::Run {
    sandbox.shell(&format!("ulimit -d 150000; {line}"))
}

#[test]
fn ignore_files_that_are_too_large_are_named_and_not_used() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".agents/skills/kept");
    let mut rules = String::new();
    for number in 0..100_000 {
        let _ = writeln!(rules, "*{number}?");
    }
    for name in [".gitignore", ".ignore", ".fdignore"] {
        sandbox.write(format!(".agents/skills/{name}"), &rules);
    }
    let run = run_bounded(&sandbox, "$SKILLS list --agent pi --format names");
    assert_eq!((run.code, run.stdout.as_str()), (0, "kept\n"), "{}", run.stderr);
    for name in [".gitignore", ".ignore", ".fdignore"] {
        let warning = format!("warning: `.agents/skills/{name}` is not used: ignore files of one");
        assert!(run.stderr.contains(&warning), "{}", run.stderr);
    }
}

#[test]
fn records_and_locks_that_are_too_large_are_not_read() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    assert_eq!(sandbox.run(["install", "skills", "--dir", "out"]).code, 0);
    let enlarge = |path: &str, mebibytes: u64| {
        let path = sandbox.write(path, "{");
        File::options().write(true).open(path).unwrap().set_len(mebibytes << 20).unwrap();
    };
    enlarge("out/.skills-index.json", 512);
    for line in ["verify --dir out", "install skills --dir out", "remove alpha --dir out"] {
        let run = run_bounded(&sandbox, &format!("$SKILLS {line}"));
        assert_eq!(run.code, 2, "{line}: {}", run.stderr);
        assert!(run.stderr.contains("more than 16777216 bytes"), "{line}: {}", run.stderr);
    }
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    enlarge("skills.lock", 64);
    for line in ["lock", "validate", "install --dir new"] {
        let run = run_bounded(&sandbox, &format!("$SKILLS {line}"));
        assert_eq!(run.code, 2, "{line}: {}", run.stderr);
        assert!(run.stderr.contains("more than 8388608 bytes"), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_record_of_the_largest_size_is_read_in_little_memory() {
    let sandbox = Sandbox::new();
    // As many files as possible, with minimal text for each.
    let hash = "0".repeat(64);
    let file = format!(r#"{{"path":"","mode":"","bytes":0,"sha256":"{hash}"}},"#);
    let skill = |name: &str, files: usize| {
        let files = file.repeat(files);
        let files = files.trim_end_matches(',');
        format!(
            r#"{{"name":"{name}","source":"","kind":"","digest":"sha256:{hash}","installed_at":"","tool":"","files":[{files}]}}"#
        )
    };
    let record = |skills: Vec<String>| {
        let text = format!(r#"{{"version":1,"skills":[{}]}}"#, skills.join(","));
        sandbox.write("out/.skills-index.json", text);
        run_bounded(&sandbox, "$SKILLS verify --dir out")
    };
    let most = (16 * 1024 * 1024 - 1024) / file.len();
    let run = record(vec![skill("alpha", most)]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("more files than a skill may have"), "{}", run.stderr);
    let skills = (0..most / 5_010).map(|number| skill(&format!("s-{number}"), 5_000)).collect();
    let run = record(skills);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("missing"), "{}", run.stdout);
}

#[test]
fn many_skills_of_one_name_do_not_all_name_each_other() {
    let sandbox = Sandbox::new();
    for number in 0..100 {
        let text = text("same", &format!("license: '{number}'\n"));
        sandbox.skill(&format!("skills/{number}/same"), &text);
    }
    let listing = sandbox.document(["list", "skills", "--format", "json"]);
    let skills = listing["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 100);
    for skill in skills {
        let reason = skill["reason"].as_str().unwrap();
        assert_eq!(reason.matches("same`").count(), 11, "{reason}");
        assert!(reason.ends_with(" and 89 more"), "{reason}");
    }
    let report = sandbox.json(["skills"]);
    let messages = report["findings"].as_array().unwrap().iter();
    let messages: Vec<_> = messages
        .filter(|finding| finding["rule"] == "duplicate-name")
        .map(|finding| finding["message"].as_str().unwrap())
        .collect();
    assert_eq!(messages.len(), 100);
    assert!(messages.iter().all(|message| message.ends_with(" and 96 more")), "{messages:?}");
}

#[test]
fn skills_of_one_name_name_the_others_and_count_the_rest() {
    // A skill names at most ten others in a list, and at most three in a finding.
    for (count, more, more_in_findings) in
        [(4, None, None), (5, None, Some(1)), (11, None, Some(7)), (12, Some(1), Some(8))]
    {
        let sandbox = Sandbox::new();
        for number in 0..count {
            let text = text("same", &format!("license: '{number}'\n"));
            sandbox.skill(&format!("skills/{number}/same"), &text);
        }
        let check = |own: &Value, message: &Value, more: Option<usize>| {
            let (own, message) = (own.as_str().unwrap(), message.as_str().unwrap());
            let own = own.strip_suffix("/SKILL.md").unwrap_or(own);
            let own = &own[own.find("skills/").unwrap()..];
            assert!(!message.contains(&format!("{own}`")), "{own}: {message}");
            match more {
                Some(more) => assert!(message.ends_with(&format!(" and {more} more")), "{message}"),
                None => assert!(!message.contains(" more"), "{message}"),
            }
        };
        let listing = sandbox.document(["list", "skills", "--format", "json"]);
        for skill in listing["skills"].as_array().unwrap() {
            check(&skill["path"], &skill["reason"], more);
        }
        let report = sandbox.json(["skills"]);
        let findings = report["findings"].as_array().unwrap().iter();
        let findings: Vec<_> =
            findings.filter(|finding| finding["rule"] == "duplicate-name").collect();
        assert_eq!(findings.len(), count);
        for finding in findings {
            check(&finding["path"], &finding["message"], more_in_findings);
        }
    }
}

#[test]
fn parameters_cannot_make_many_long_texts() {
    let sandbox = Sandbox::new();
    let manifest = |count: usize, texts: &str| {
        let mut manifest = format!("version: 1\nparams: {{x: {}}}\nskills:\n", "x".repeat(50_000));
        for number in 0..count {
            let _ = writeln!(
                manifest,
                "  - inline: {{name: s{number}, title: S, description: Use when asked., {texts}}}",
            );
        }
        sandbox.write("skills.yaml", manifest);
    };
    let long = "$x".repeat(20);
    let template = format!("template: {long}");
    manifest(16, &template);
    let run = run_bounded(&sandbox, "$SKILLS list --format names");
    assert_eq!((run.code, run.stdout.lines().count()), (0, 16), "{}", run.stderr);
    manifest(400, &format!("template: Hi., summary: {long}"));
    let words = "the inline skills have more than 16 MiB together";
    let run = run_bounded(&sandbox, "$SKILLS list");
    assert!(run.code == 2 && run.stderr.contains(words), "{}", run.all());
    manifest(400, &template);
    for verb in ["list", "validate", "render", "install --dry-run --dir out", "serve </dev/null"] {
        let run = run_bounded(&sandbox, &format!("$SKILLS {verb}"));
        assert_eq!(run.code, 2, "{verb}: {}", run.all());
        assert!(run.stderr.contains(words), "{verb}: {}", run.stderr);
    }
}

#[test]
fn a_manifest_cannot_name_one_source_again_and_again() {
    let sandbox = Sandbox::new();
    for number in 0..500 {
        sandbox.good_skill(&format!("skills/s{number}"));
    }
    let again = |count: usize| {
        let sources = vec!["./skills"; count].join(", ");
        sandbox.write("skills.yaml", format!("version: 1\nskills:\n  - source: [{sources}]\n"));
        run_bounded(&sandbox, "$SKILLS list --format names")
    };
    let run = again(20);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 500), "{}", run.stderr);
    let run = again(2_000);
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("the same skills more than 100000 times"), "{}", run.stderr);
    let named = |count: usize| {
        let mut manifest = "version: 1\nskills:\n".to_owned();
        for number in 0..count {
            let _ = writeln!(manifest, "  - {{source: ./skills/s1, name: n{number}}}");
        }
        sandbox.write("skills.yaml", manifest);
        run_bounded(&sandbox, "$SKILLS list --format names")
    };
    let run = named(100);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 100), "{}", run.stderr);
    let run = named(101);
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("has more than 100 names"), "{}", run.stderr);
}

#[test]
fn globs_are_compiled_in_little_memory() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/alpha");
    let deny = |count: usize, glob: &str| {
        let globs: Vec<String> = (0..count).map(|number| format!("\"{glob}{number}\"")).collect();
        let globs = globs.join(", ");
        sandbox.write("skills.yaml", format!("version: 1\ndeny: [{globs}]\nskills: [./skills]\n"));
        run_bounded(&sandbox, "$SKILLS list --format names")
    };
    assert_eq!(deny(1_000, "*-old-").stdout, "alpha\n");
    for run in [deny(1_001, "*-old-"), deny(900, &"*[ab]?".repeat(20))] {
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains("more than 1000 globs"), "{}", run.stderr);
        assert!(run.stderr.len() < 500, "{}", run.stderr);
    }
}

/// The limits are those that the program needed in 2026, and a quarter more.
#[test]
fn fourteen_thousand_skills_fit_in_little_memory() {
    if cfg!(not(target_os = "linux")) {
        return skip("only Linux limits the memory of data");
    }
    let sandbox = Sandbox::new();
    for number in 0..14_000 {
        let name = format!("skill-{number}");
        sandbox.skill(&format!("src/group-{}/{name}", number % 100), &good_text(&name));
    }
    for (line, kilobytes) in [
        ("validate src", 25_000),
        ("list src --format json", 40_000),
        ("render src", 32_000),
        ("install src --dir out --dry-run", 80_000),
    ] {
        let run = sandbox
            .shell(&format!("ulimit -d {kilobytes}; SKILLS_THREADS=2 $SKILLS {line} >/dev/null"));
        assert_eq!(run.code, 0, "{line} in {kilobytes} kB: {}", run.stderr);
    }
}
