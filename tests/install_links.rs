//! Links in skills, and links at the destination.

use crate::harness::Sandbox;
use crate::install::{sandbox, snapshot};

#[test]
#[cfg(unix)]
fn every_link_to_a_directory_arrives_with_all_its_files() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    sandbox.write("src/pdf/real/x.txt", "x");
    sandbox.write("src/pdf/real/deep/y.txt", "y");
    sandbox.write("src/common/z.txt", "z");
    // Links to siblings, to other links, further down, and to paths outside the skill.
    for (target, link) in [
        ("real", "a"),
        ("real", "b"),
        ("b", "c"),
        ("../../real", "sub/down/d"),
        ("../../real/deep", "sub/down/e"),
        ("../../common", "real/f"),
        ("../common", "g"),
        ("../common", "h"),
    ] {
        sandbox.symlink(target, format!("src/pdf/{link}"));
    }
    let run = sandbox.run(["install", "src", "--dir", "out", "--follow-symlinks"]);
    assert_eq!(run.code, 0, "{}", run.all());
    for directory in ["real", "a", "b", "c", "sub/down/d"] {
        for (file, text) in [("x.txt", "x"), ("deep/y.txt", "y"), ("f/z.txt", "z")] {
            let path = format!("out/pdf/{directory}/{file}");
            assert_eq!(
                std::fs::read_to_string(sandbox.path(&path)).ok().as_deref(),
                Some(text),
                "{path}"
            );
        }
    }
    assert_eq!(sandbox.read("out/pdf/sub/down/e/y.txt"), "y");
    assert_eq!(sandbox.read("out/pdf/g/z.txt"), "z");
    assert_eq!(sandbox.read("out/pdf/h/z.txt"), "z");
    assert_eq!(sandbox.run(["verify", "--dir", "out"]).code, 0);
    let again = sandbox.run(["install", "src", "--dir", "out", "--follow-symlinks"]);
    assert!(again.stdout.contains("unchanged"), "{}", again.all());
}

#[test]
#[cfg(unix)]
fn following_links_ends_where_they_lead_back_or_multiply() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    sandbox.write("src/pdf/real/x.txt", "x");
    sandbox.symlink("..", "src/pdf/real/up");
    let run = sandbox.run(["install", "src", "--dir", "out", "--follow-symlinks"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path("out/pdf/real/up").exists(), "{}", run.all());
    std::fs::remove_dir_all(sandbox.path("out")).unwrap();
    std::fs::remove_file(sandbox.path("src/pdf/real/up")).unwrap();
    // Each of twenty levels contains the next one twice: a million paths.
    sandbox.write("src/pdf/level-20/x.txt", "x");
    for level in 0..20 {
        for link in ["a", "b"] {
            let target = format!("../level-{}", level + 1);
            sandbox.symlink(target, format!("src/pdf/level-{level}/{link}"));
        }
    }
    let run = sandbox.run(["install", "src", "--dir", "out", "--follow-symlinks"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(!sandbox.path("out").exists());
}

#[test]
#[cfg(unix)]
fn a_link_that_a_project_brings_leads_nowhere_outside_it() {
    for (target, link) in [
        ("../../home/.claude/skills", ".claude/skills"),
        ("../home/.claude", ".claude"),
        ("../..", ".claude/skills"),
        ("..", ".claude/skills"),
    ] {
        let sandbox = sandbox();
        sandbox.home_skill(".claude/skills/mine");
        sandbox.run(["install", "src/csv"]);
        sandbox.symlink(target, link);
        sandbox.write("skills.yaml", "version: 1\nskills: [./src]\n");
        let before = snapshot(&sandbox.path(".."));
        for args in [
            &["install", "src"][..],
            &["install", "src", "--link"],
            &["sync"],
            &["disable", "csv"],
            &["enable", "csv"],
            &["install", "src", "--dry-run"],
            &["install", "src", "--force"],
            &["remove", "csv"],
            &["remove", "mine", "--force"],
            &["verify"],
        ] {
            let run = sandbox.run(args.iter().chain(&["--scope", "project"]));
            assert_eq!(run.code, 1, "{link} -> {target}: {args:?} {}", run.all());
            assert!(run.stderr.contains("which is not inside `[DIR]/project`"), "{}", run.stderr);
            assert!(run.stderr.contains("--dir '[DIR]"), "{}", run.stderr);
        }
        assert_eq!(snapshot(&sandbox.path("..")), before, "{link} -> {target}");
        let error = sandbox.document(["install", "src", "--scope", "project", "--format", "json"]);
        assert_eq!(error["error"]["kind"], "unsafe", "{error:#}");
    }
}

#[test]
#[cfg(unix)]
fn a_link_that_stays_inside_the_project_is_followed() {
    for (target, link, real) in [
        ("../common/skills", ".claude/skills", "common/skills"),
        ("common", ".claude", "common/skills"),
    ] {
        let sandbox = sandbox();
        sandbox.mkdir(real);
        sandbox.symlink(target, link);
        let run = sandbox.run(["install", "src", "--scope", "project"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.all().contains(real), "{}", run.all());
        assert!(sandbox.path(real).join("pdf/SKILL.md").is_file());
        let run = sandbox.run(["remove", "pdf", "csv", "--scope", "project"]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(!sandbox.path(real).join("pdf").exists());
    }
}
