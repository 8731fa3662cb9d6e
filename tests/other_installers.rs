//! Skills that npm `skills` and `gh skill` installed: recognised, and left to them.

use std::fs;

use crate::harness::{Sandbox, good_text, text};

const LOCK: &str = "../home/.agents/.skill-lock.json";

/// A home as npm `skills add owner/repo -g` leaves it: a store, a link to it, and a record.
fn npm_home() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".agents/skills/alpha");
    fs::create_dir_all(sandbox.path("../home/.claude/skills")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        "../../.agents/skills/alpha",
        sandbox.path("../home/.claude/skills/alpha"),
    )
    .unwrap();
    sandbox.write(
        LOCK,
        r#"{"version":3,"skills":{"alpha":{"source":"owner/repo","sourceType":"github",
        "sourceUrl":"https://github.com/owner/repo.git","skillPath":"skills/alpha/SKILL.md",
        "skillFolderHash":"x","installedAt":"2026-01-01T00:00:00.000Z"}},"dismissed":{}}"#,
    );
    sandbox
}

#[cfg(unix)]
#[test]
fn links_of_npm_skills_are_recognised_and_replaced_only_by_force() {
    let sandbox = npm_home();
    let record = sandbox.read(LOCK);
    let listed = sandbox.document(["list", "--format", "json", "--only", "alpha"]);
    let by = &listed["skills"][0]["installed_by"];
    assert_eq!((&by["tool"], &by["source"]), (&"npm-skills".into(), &"owner/repo".into()));
    let long = sandbox.run(["list", "--long"]);
    assert!(long.stdout.contains("installed by npm `skills` from owner/repo"), "{}", long.stdout);
    let removed = sandbox.run(["remove", "alpha"]);
    assert_eq!(removed.code, 1, "{}", removed.all());
    assert!(
        removed.stderr.contains("that npm `skills` made from `owner/repo`"),
        "{}",
        removed.all()
    );
    assert!(removed.stderr.contains("`npx skills remove alpha -g`"), "{}", removed.stderr);
    sandbox.good_skill("src/alpha");
    let refused = sandbox.run(["install", "src/alpha"]);
    assert_eq!(refused.code, 1, "{}", refused.all());
    assert!(refused.stderr.contains("use `--force` to replace the link"), "{}", refused.stderr);
    for flags in [&["--dry-run"][..], &[]] {
        let run = sandbox.run(["install", "src/alpha", "--force"].iter().chain(flags));
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.stdout.contains("replaced  alpha"), "{}", run.stdout);
    }
    let copy = sandbox.path("../home/.claude/skills/alpha");
    assert!(copy.symlink_metadata().unwrap().is_dir());
    assert!(sandbox.path("../home/.agents/skills/alpha/SKILL.md").exists(), "the store stays");
    assert_eq!(sandbox.read(LOCK), record, "never written");
    assert_eq!(sandbox.run(["verify"]).code, 0);
    let kept = fs::read_dir(sandbox.path("../home/.claude")).unwrap().count();
    assert_eq!(kept, 1, "nothing is left beside the skills");
}

#[test]
fn an_identical_skill_of_another_installer_is_recorded() {
    let sandbox = npm_home();
    sandbox.good_skill("src/alpha");
    let store = sandbox.run(["remove", "alpha", "--agent", "codex"]);
    assert!(
        store.code == 1 && store.stderr.contains("was installed by npm `skills`"),
        "{}",
        store.all()
    );
    let run = sandbox.run(["install", "src/alpha", "--agent", "codex"]);
    assert!(run.code == 0 && run.stdout.contains("unchanged"), "{}", run.all());
    assert_eq!(sandbox.run(["remove", "alpha", "--agent", "codex"]).code, 0);
}

#[test]
fn skills_of_gh_are_recognised_by_their_front_matter() {
    let sandbox = Sandbox::repository();
    let metadata = "metadata:\n    github-path: skills/beta\n    github-ref: refs/tags/v1\n    \
        github-repo: https://github.com/o/r\n    github-tree-sha: 0123\n";
    sandbox.write("../home/.claude/skills/beta/SKILL.md", text("beta", metadata));
    let listed = sandbox.document(["list", "--format", "json", "--only", "beta"]);
    let by = &listed["skills"][0]["installed_by"];
    assert_eq!(by["tool"], "gh-skill", "{listed:#}");
    assert_eq!(by["source"], "https://github.com/o/r@v1");
    let run = sandbox.run(["remove", "beta"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("installed by `gh skill` from `https://github.com/o/r@v1`"));
    assert!(run.stderr.contains("`gh skill remove beta --scope user`"), "{}", run.stderr);
    assert_eq!(sandbox.run(["remove", "beta", "--force"]).code, 0);
}

#[test]
fn forged_records_harm_nobody() {
    let sandbox = npm_home();
    let evil = "\u{1b}]0;x\u{7}\u{202e}".repeat(100);
    let deep = "[".repeat(100_000);
    for record in [
        format!(r#"{{"version":3,"skills":{{"alpha":{{"source":{}}}}}}}"#, serde_json::json!(evil)),
        r#"{"version":3,"skills":{"../../etc":{"source":"x"},"alpha":{"source":["x"]}}}"#
            .to_owned(),
        r#"{"version":99,"skills":{"alpha":{"source":"x"}}}"#.to_owned(),
        r#"{"version":3,"skills":[]}"#.to_owned(),
        deep,
        "not json".to_owned(),
    ] {
        sandbox.write(LOCK, &record);
        for arguments in
            [&["list", "--long"][..], &["list", "--format", "json"], &["remove", "alpha"]]
        {
            let run = sandbox.run(arguments);
            assert!(run.code < 2, "{arguments:?} {}", run.all());
            assert!(!run.all().contains(['\u{1b}', '\u{7}', '\u{202e}']), "{}", run.all());
        }
    }
    #[cfg(unix)]
    {
        fs::remove_file(sandbox.path(LOCK)).unwrap();
        sandbox.fifo(LOCK);
        assert_eq!(sandbox.run(["list", "--long"]).code, 0, "a pipe does not block");
    }
}

#[cfg(unix)]
#[test]
fn links_elsewhere_are_not_links_of_an_installer() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/alpha");
    fs::create_dir_all(sandbox.path("victim/alpha")).unwrap();
    fs::create_dir_all(sandbox.path("../home/.claude/skills")).unwrap();
    let link = sandbox.path("../home/.claude/skills/alpha");
    for target in ["../../../work/victim/alpha", "/etc", "../../.agents/skills/other", "alpha"] {
        std::os::unix::fs::symlink(target, &link).unwrap();
        let run = sandbox.run(["install", "src/alpha", "--force"]);
        assert_eq!(run.code, 1, "{target}: {}", run.all());
        assert!(run.stderr.contains("a symbolic link"), "{}", run.stderr);
        assert!(link.is_symlink());
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(fs::read_dir(sandbox.path("victim/alpha")).unwrap().count(), 0);
    assert!(good_text("alpha").contains("alpha"));
}
