//! Repositories as people paste them: addresses of web pages, and arguments of `git clone`.

use std::fs;

use crate::harness::Sandbox;
use crate::lock::manifest;
use crate::origin::Origin;

/// A repository that git finds at every site in these tests.
#[track_caller]
pub(crate) fn mirrored(sandbox: &Sandbox) -> Option<Origin> {
    let mut origin = Origin::new(sandbox)?;
    let path = sandbox.mkdir("../mirror/owner").canonicalize().unwrap().join("repo.git");
    fs::rename(&origin.path, &path).unwrap();
    origin.path = path;
    let mirror = sandbox.path("../mirror").canonicalize().unwrap();
    let sites = [
        "https://github.com/",
        "https://gitlab.com/group/",
        "https://git.example.com/",
        "ssh://git@git.example.com/",
    ];
    let lines: String = sites.iter().map(|site| format!("\tinsteadOf = {site}\n")).collect();
    let settings = format!("[url \"file://{}/\"]\n{lines}", mirror.display());
    sandbox.write("../home/.gitconfig", settings);
    Some(origin)
}

/// The skills of a source, with their recorded origins.
fn installed(sandbox: &Sandbox, source: &str) -> Vec<String> {
    let report =
        sandbox.document(["install", source, "--dir", "out", "--dry-run", "--format", "json"]);
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{source}: {report:#}"));
    skills.iter().map(|skill| skill["source"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_pasted_address_is_a_source() {
    let sandbox = Sandbox::new();
    let Some(origin) = mirrored(&sandbox) else { return };
    let id = origin.git(&["rev-parse", "v1"]);
    let github = "gh:owner/repo";
    let gitlab = "git+https://gitlab.com/group/owner/repo.git/";
    let other = "git+https://git.example.com/owner/repo.git/";
    let ssh = "git+ssh://git@git.example.com/owner/repo.git/";
    let both = &["csv", "pdf"][..];
    for (source, repository, skills) in [
        ("https://github.com/owner/repo", github, both),
        ("https://www.github.com/owner/repo.git/", github, both),
        ("https://github.com/owner/repo/tree/v1", github, both),
        ("https://github.com/owner/repo/tree/main/skills", github, both),
        ("https://github.com/owner/repo/tree/HEAD/skills/pdf", github, &["pdf"]),
        ("https://github.com/owner/repo/tree/refs/heads/main/skills/pdf", github, &["pdf"]),
        ("https://github.com/owner/repo/blob/v1/skills/pdf/SKILL.md", github, &["pdf"]),
        (&format!("https://github.com/owner/repo/tree/{id}/skills/csv"), github, &["csv"]),
        (&format!("https://github.com/owner/repo/tree/{}/skills/csv", &id[..9]), github, &["csv"]),
        ("https://gitlab.com/group/owner/repo", gitlab, both),
        ("https://gitlab.com/group/owner/repo/-/tree/main/skills/pdf", gitlab, &["pdf"]),
        ("https://git.example.com/owner/repo.git", other, both),
        ("https://git.example.com/owner/repo/-/blob/main/skills/pdf/SKILL.md", other, &["pdf"]),
        ("https://git.example.com/owner/repo/src/branch/main/skills/csv", other, &["csv"]),
        ("git@git.example.com:owner/repo.git", ssh, both),
        ("ssh://git@git.example.com/owner/repo.git", ssh, both),
    ] {
        let expected: Vec<String> =
            skills.iter().map(|skill| format!("{repository}/skills/{skill}@{id}")).collect();
        assert_eq!(installed(&sandbox, source), expected, "{source}");
        // The recorded source is a valid source, and means the same.
        for again in expected {
            assert_eq!(installed(&sandbox, &again), [again.as_str()], "{source}");
        }
    }
}

#[test]
fn the_longest_name_of_the_server_is_the_revision() {
    let sandbox = Sandbox::new();
    let Some(origin) = mirrored(&sandbox) else { return };
    origin.git(&["checkout", "--quiet", "-b", "feature/x"]);
    origin.skill("skills/new");
    let feature = origin.commit("New");
    origin.git(&["checkout", "--quiet", "main"]);
    // A tag may have the name of the first part of a branch.
    origin.write("x/skills/odd/SKILL.md", crate::harness::good_text("odd"));
    let odd = origin.commit("Odd");
    origin.git(&["tag", "feature"]);
    let page = "https://github.com/owner/repo/tree/feature/x/skills";
    let sources = installed(&sandbox, page);
    assert_eq!(sources[1], format!("gh:owner/repo/skills/new@{feature}"));
    let run = sandbox.run(["list", page]);
    assert!(run.stdout.contains("new"), "{}", run.all());
    // Without the branch, the tag counts.
    origin.git(&["branch", "-D", "--quiet", "feature/x"]);
    assert_eq!(installed(&sandbox, page), [format!("gh:owner/repo/x/skills/odd@{odd}")]);
    let run = sandbox.run(["list", "https://github.com/owner/repo/tree/nowhere/skills"]);
    assert_eq!(run.code, 2);
    let message =
        "error: `gh:owner/repo` has no revision `nowhere`\nhelp: it has v1, feature, main";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    let run = sandbox.run(["list", "https://github.com/owner/repo/tree/main/skils"]);
    assert!(run.stderr.contains("did you mean `skills`?"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_lock_holds_the_canonical_form_and_needs_no_server() {
    let sandbox = Sandbox::new();
    let Some(origin) = mirrored(&sandbox) else { return };
    origin.git(&["checkout", "--quiet", "-b", "feature/x"]);
    let page = "https://github.com/owner/repo/tree/feature/x/skills/pdf";
    manifest(&sandbox, &[page, "git@git.example.com:owner/repo.git//skills/csv"]);
    let run = sandbox.run(["lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lock = sandbox.read("skills.lock");
    assert!(lock.contains("\"source\": \"gh:owner/repo/skills/pdf@feature/x\""), "{lock}");
    let ssh = "\"source\": \"git+ssh://git@git.example.com/owner/repo.git//skills/csv\"";
    assert!(lock.contains(ssh) && !lock.contains("https://"), "{lock}");
    // The canonical form in the manifest is the same source.
    manifest(
        &sandbox,
        &["gh:owner/repo/skills/pdf@feature/x", "git@git.example.com:owner/repo.git//skills/csv"],
    );
    let run = sandbox.run(["lock"]);
    assert!(run.stdout.contains("up to date"), "{}", run.all());
    manifest(&sandbox, &[page, "ssh://git@git.example.com/owner/repo.git//skills/csv"]);
    let run = sandbox.run(["lock"]);
    assert!(run.stdout.contains("up to date"), "{}", run.all());
    assert_eq!(sandbox.run(["outdated"]).stdout, "skills.lock: up to date, 2 sources, 2 skills\n");
    origin.write("skills/pdf/more.md", "more\n");
    let new = origin.commit("More");
    let run = sandbox.run(["lock", "--upgrade", page]);
    assert!(sandbox.read("skills.lock").contains(&new), "{}", run.all());
    // With the lock and the cache, no server is asked.
    fs::remove_dir_all(&origin.path).unwrap();
    let run = sandbox.run(["install", "--frozen", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(sandbox.path("out/pdf/more.md").is_file());
    let run = sandbox.run(["verify", "--frozen", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn a_disabled_address_that_can_be_read_in_several_ways_stays_locked() {
    let sandbox = Sandbox::new();
    let Some(origin) = mirrored(&sandbox) else { return };
    origin.git(&["checkout", "--quiet", "-b", "feature/x"]);
    sandbox.write(
        "skills.yaml",
        "skills:\n  - source: https://github.com/owner/repo/tree/feature/x/skills/pdf\n    \
         enabled: { env: EXTRA }\n",
    );
    let run = sandbox.run_with(["lock"], |command| {
        command.env("EXTRA", "1");
    });
    assert!(run.stdout.ends_with("written, 1 source, 1 skill\n"), "{}", run.all());
    let lock = sandbox.read("skills.lock");
    let run = sandbox.run(["lock"]);
    assert_eq!(run.stdout, "skills.lock: up to date, 1 source, 1 skill\n", "{}", run.stderr);
    assert_eq!(sandbox.read("skills.lock"), lock);
}

#[test]
fn a_path_that_exists_wins() {
    let sandbox = Sandbox::new();
    for source in ["gh:owner/repo", "git@h.example:owner"] {
        sandbox.good_skill(&format!("{source}/pdf"));
        let run = sandbox.run(["list", source]);
        assert!(run.code == 0 && run.stdout.starts_with("pdf "), "{source}: {}", run.all());
        sandbox.write("skills.yaml", format!("skills: [\"{source}\"]\n"));
        let run = sandbox.run(["list"]);
        assert!(run.code == 0 && run.stdout.starts_with("pdf "), "{source}: {}", run.all());
    }
}

#[test]
fn additions_of_browsers_to_addresses_are_explained() {
    let sandbox = Sandbox::new();
    for (source, better) in [
        ("https://github.com/owner/repo?tab=readme-ov-file#install", "gh:owner/repo"),
        (
            "https://gitlab.com/g/r/-/tree/main/skills?ref_type=heads",
            "https://gitlab.com/g/r/-/tree/main/skills",
        ),
    ] {
        let run = sandbox.run(["install", source, "--dir", "out"]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("?…` is not a source of skills: "), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("did you mean `{better}`?")), "{}", run.stderr);
    }
    for (source, better) in
        [("github.com/owner/repo", "gh:owner/repo"), ("owner/repo", "gh:owner/repo")]
    {
        let run = sandbox.run(["list", source]);
        assert_eq!(run.code, 2);
        let help = format!("help: did you mean the git source `{better}`?");
        assert!(run.stderr.contains(&help), "{}", run.stderr);
    }
}

#[test]
fn an_owner_and_a_repository_are_enough_to_install() {
    let sandbox = Sandbox::new();
    let Some(origin) = mirrored(&sandbox) else { return };
    let id = origin.git(&["rev-parse", "v1"]);
    let run = sandbox.run(["install", "owner/repo", "--dir", "all"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    // The repository is named before anything is fetched.
    let notes = "note: `owner/repo` means `gh:owner/repo`\nnote: fetching `gh:owner/repo`\n";
    assert!(run.stderr.starts_with(notes), "{}", run.stderr);
    assert!(sandbox.path("all/csv/SKILL.md").is_file() && sandbox.path("all/pdf").is_dir());

    let both = ["owner/repo@pdf", "owner/repo@csv"];
    for (sources, names) in [(&both[..1], &["pdf"][..]), (&both, &["csv", "pdf"])] {
        let mut args = vec!["install", "--dir", "some", "--dry-run", "--format", "json"];
        args.extend(sources);
        let report = sandbox.document(&args);
        let skills = report["skills"].as_array().unwrap();
        let from: Vec<_> = skills.iter().map(|skill| skill["source"].as_str().unwrap()).collect();
        let expected = names.iter().map(|name| format!("gh:owner/repo/skills/{name}@{id}"));
        assert_eq!(from, expected.collect::<Vec<_>>());
    }
    let run = sandbox.run(["install", "owner/repo@pdf", "--dir", "some"]);
    let note = "note: `owner/repo@pdf` means the skill `pdf` of `gh:owner/repo`\n";
    assert!(run.code == 0 && run.stderr.starts_with(note), "{}", run.all());
    let run = sandbox.run(["install", "owner/repo@v1", "--dir", "some"]);
    assert_eq!(run.code, 2, "{}", run.all());
    let error = "error: no skill named `v1` in `gh:owner/repo`\nhelp: available: csv, pdf\n";
    assert!(run.stderr.contains(error), "{}", run.stderr);
    assert!(run.stderr.contains("for a revision, write `gh:owner/repo@v1`"), "{}", run.stderr);
}

#[test]
fn a_skill_is_named_by_its_front_matter_or_its_directory() {
    let sandbox = Sandbox::new();
    let Some(origin) = mirrored(&sandbox) else { return };
    origin.write("a/SKILL.md", crate::harness::good_text("long-name"));
    origin.write("b/twice/SKILL.md", crate::harness::good_text("twice"));
    origin.write("c/twice/SKILL.md", crate::harness::good_text("twice"));
    origin.commit("More");
    let install = |source: &str| {
        sandbox.run(["install", source, "--no-validate", "--dir", "out", "--dry-run"])
    };
    // Whether such a skill may be installed is another matter.
    for source in ["owner/repo@long-name", "owner/repo@a"] {
        let run = install(source);
        assert!(!run.stderr.contains("no skill named"), "{source}: {}", run.stderr);
    }
    assert_eq!(install("owner/repo@twice").code, 0);
    origin.write("c/twice/more.md", "more\n");
    origin.commit("Different");
    let run = install("owner/repo@twice");
    assert_eq!(run.code, 1, "{}", run.all());
    let help = "help: name one of them: `gh:owner/repo/b/twice`, `gh:owner/repo/c/twice`";
    assert!(run.stderr.contains(help), "{}", run.stderr);
}

#[test]
fn an_owner_and_a_repository_are_a_path_everywhere_else() {
    let sandbox = Sandbox::new();
    let hint = "help: did you mean the git source `gh:owner/repo`";
    for verb in ["list", "validate", "render", "mount", "pack"] {
        let run = sandbox.run([verb, "owner/repo"]);
        assert!(run.code != 0 && run.stderr.contains(hint), "{verb}: {}", run.all());
        let run = sandbox.run([verb, "owner/repo@pdf"]);
        let only = format!("{hint} with `--only pdf`?");
        assert!(run.code != 0 && run.stderr.contains(&only), "{verb}: {}", run.all());
    }
    sandbox.write("skills.yaml", "skills: [owner/repo]\n");
    for verb in ["list", "install"] {
        let run = sandbox.run([verb]);
        assert!(run.code == 2 && run.stderr.contains(hint), "{}", run.all());
    }
    // An existing first component is enough.
    sandbox.mkdir("owner");
    let run = sandbox.run(["install", "owner/repo", "--dir", "out"]);
    assert!(run.code == 2 && run.stderr.contains(hint), "{}", run.all());
    assert!(!run.stderr.contains("means"), "{}", run.stderr);
    sandbox.good_skill("owner/repo");
    let run = sandbox.run(["install", "owner/repo", "--dir", "out"]);
    assert!(run.code == 0 && sandbox.path("out/repo/SKILL.md").is_file(), "{}", run.all());
    let run = sandbox.run(["install", "skills/pdf.md", "--dir", "out"]);
    assert!(run.code == 2 && !run.stderr.contains("means"), "{}", run.all());
}
