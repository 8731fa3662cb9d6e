//! Manifests from repositories, archives and directories, with their locks; what they must not
//! name; and runs without a network.

use std::fs;

use crate::harness::{Run, Sandbox, good_text};
use crate::origin::Origin;
use crate::zip::maker;

/// A repository with a manifest and the skills `pdf` and `csv` beside it.
#[track_caller]
fn team(sandbox: &Sandbox) -> Option<Origin> {
    let origin = Origin::new(sandbox)?;
    origin.write("skills.yaml", "skills: [./skills]\n");
    origin.commit("Add a manifest");
    Some(origin)
}

/// Lets git find `https://git.example/NAME.git` on this disk, as a mirror would.
pub(crate) fn mirror(sandbox: &Sandbox, name: &str, origin: &Origin) {
    let text = format!(
        "[url \"file://{}\"]\n  insteadOf = https://git.example/{name}.git\n",
        origin.path.display()
    );
    let path = sandbox.path("../home/.gitconfig");
    let before = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, before + &text).unwrap();
}

fn names(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let report = sandbox.document([args, &["--format", "json"]].concat());
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn refused(run: &Run, words: &[&str]) {
    assert_eq!(run.code, 2, "{}", run.all());
    for word in words {
        assert!(run.stderr.contains(word), "no `{word}` in {}", run.stderr);
    }
}

#[test]
fn every_verb_reads_the_manifest_of_a_repository() {
    let sandbox = Sandbox::new();
    let Some(origin) = team(&sandbox) else { return };
    let manifest = origin.source("@main");
    let with = |verb: &'static str| [verb, "--manifest", manifest.as_str()];

    let run = sandbox.run(with("validate"));
    assert_eq!((run.code, run.stdout.as_str()), (0, "2 skills checked: no problems\n"));
    assert_eq!(names(&sandbox, &with("list")), ["csv", "pdf"]);
    let run = sandbox.run([&with("render")[..], &["--prompt-only"]].concat());
    assert_eq!(run.code, 0, "{}", run.all());
    let run = sandbox.run([&with("render")[..], &["--format", "json"]].concat());
    assert!(run.stdout.contains("\"pdf\""), "{}", run.all());
    let ls = ["--", "sh", "-c", "ls $HOME/.claude/skills"];
    let run = sandbox.run([&with("mount")[..], &ls].concat());
    assert_eq!((run.code, run.stdout.as_str()), (0, "csv\npdf\n"), "{}", run.stderr);
    assert_eq!(
        names(&sandbox, &[&with("install")[..], &["--dir", "out"]].concat()),
        ["csv", "pdf"]
    );
    assert!(sandbox.path("out/pdf/scripts/run.sh").is_file());

    // It has no lock, and none can be written there.
    refused(
        &sandbox.run([&with("install")[..], &["--dir", "out", "--frozen"]].concat()),
        &["skills.lock"],
    );
    refused(&sandbox.run(with("outdated")), &["there is no `", "skills.lock`"]);
    refused(&sandbox.run(with("lock")), &["is not a file", "clone the repository"]);
}

#[test]
fn a_manifest_is_found_by_every_name_of_it() {
    let sandbox = Sandbox::new();
    let Some(origin) = team(&sandbox) else { return };
    origin.skill("common/both");
    origin.write("teams/web/skills.yaml", "skills: [../../common/both]\n");
    origin.write("teams/all.yaml", "skills: [web/skills.yaml/../../../skills/pdf]\n");
    origin.write("bare/skills.yaml", "allow: [inner]\n");
    origin.skill("bare/inner");
    origin.skill("bare/other");
    origin.commit("Teams");
    for (rest, expected) in [
        ("", &["csv", "pdf"][..]),
        ("//skills.yaml@main", &["csv", "pdf"]),
        ("//teams/web", &["both"]),
        ("//teams/web/skills.yaml", &["both"]),
        ("//teams/all.yaml", &["pdf"]),
        // Without a `skills` key, it means the skills beside it, never those of this machine.
        ("//bare", &["inner"]),
    ] {
        let manifest = origin.source(rest);
        assert_eq!(names(&sandbox, &["list", "--manifest", &manifest]), expected, "{rest}");
    }
    for (rest, words) in [
        ("//docs", "there is no `"),
        ("//teams/wbe", "did you mean `teams/web`?"),
        ("//docs/guide.md/x", "`guide.md` is not a directory"),
        ("@nowhere", "has no revision `nowhere`"),
    ] {
        refused(&sandbox.run(["list", "--manifest", &origin.source(rest)]), &[words]);
    }
    let run = sandbox.run(["list", "--manifest", "team/skills"]);
    refused(&run, &["no manifest at `team/skills`", "did you mean `gh:team/skills`?"]);
    refused(&sandbox.run(["list", "--manifest", "https://example.com/x"]), &["is not a source"]);
}

#[test]
fn directories_and_archives_hold_manifests_too() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("team/skills/pdf");
    sandbox.write("team/skills.yaml", "skills: [./skills]\n");
    assert_eq!(names(&sandbox, &["list", "--manifest", "team"]), ["pdf"]);
    refused(
        &sandbox.run(["list", "--manifest", "team/skills"]),
        &["no manifest at `team/skills/skills.yaml`"],
    );

    let zip = |name: &str, prefix: &str, manifest: &str| {
        let files = [("skills.yaml", manifest), ("skills/pdf/SKILL.md", &good_text("pdf"))];
        let entries: Vec<_> = files
            .iter()
            .map(|(path, text)| maker::file(&format!("{prefix}{path}"), text))
            .collect();
        sandbox.write(name, maker::archive(&entries, |_| {}));
    };
    for (name, prefix) in [("top.zip", ""), ("nested.skill", "team-main/")] {
        zip(name, prefix, "skills: [./skills]\n");
        assert_eq!(names(&sandbox, &["list", "--manifest", name]), ["pdf"], "{name}");
        let out = format!("out-{name}");
        let installed = names(&sandbox, &["install", "--manifest", name, "--dir", &out]);
        assert_eq!(installed, ["pdf"]);
    }
    zip("hostile.zip", "", "skills: [../secret]\n");
    refused(
        &sandbox.run(["list", "--manifest", "hostile.zip"]),
        &["`../secret` is a path outside its own directory"],
    );
    zip("missing.zip", "", "skills: [./skils]\n");
    refused(
        &sandbox.run(["list", "--manifest", "missing.zip"]),
        &["there is no directory `skils`"],
    );
}

#[test]
fn the_lock_of_a_repository_counts() {
    let sandbox = Sandbox::new();
    let Some(origin) = team(&sandbox) else { return };
    let Some(other) = Origin::empty(&sandbox, "other") else { return };
    other.skill("xls");
    let locked = other.commit("One");
    mirror(&sandbox, "other", &other);
    let manifest = "skills: [./skills, \"git+https://git.example/other.git@main\"]\n";
    origin.write("skills.yaml", manifest);
    let at = origin.path.to_str().unwrap().to_owned();
    let run = sandbox.run(["-C", &at, "lock"]);
    assert_eq!(run.code, 0, "{}", run.all());
    origin.commit("Lock");
    other.write("xls/new.md", "New.\n");
    other.commit("Two");

    let named = origin.source("@main");
    let install = ["install", "--manifest", &named, "--dir", "out", "--frozen"];
    assert_eq!(names(&sandbox, &install), ["csv", "pdf", "xls"]);
    assert!(!sandbox.path("out/xls/new.md").exists());
    assert!(sandbox.read("out/.skills-index.json").contains(&locked));
    let report = sandbox.document(["outdated", "--manifest", &named, "--format", "json"]);
    assert_eq!(report["sources"][0]["from"], locked.as_str(), "{report:#}");
    let run = sandbox.run(["verify", "--manifest", &named, "--dir", "out", "--frozen"]);
    assert_eq!(run.code, 0, "{}", run.all());

    // A lock that does not match the skills beside it.
    origin.write("skills/pdf/more.md", "More.\n");
    origin.commit("Change a skill, not the lock");
    let run = sandbox.run(["install", "--manifest", &named, "--dir", "again", "--frozen"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("`pdf` of `./skills` is sha256:"), "{}", run.stderr);
    assert!(!sandbox.path("again").exists());
    origin.write("skills.lock", "{\"version\": 1, \"sources\": [<<<<<<<");
    origin.commit("Break the lock");
    refused(&sandbox.run(["list", "--manifest", &named]), &["skills.lock` is damaged"]);
}

#[test]
fn a_hostile_manifest_is_refused_before_anything_is_read() {
    let sandbox = Sandbox::new();
    let Some(origin) = team(&sandbox) else { return };
    sandbox.home_skill("secret");
    for (text, words) in [
        ("skills: [/etc]\n", "`/etc` is a path outside its own directory"),
        ("skills: [~/secret]\n", "`~/secret` is a path outside its own directory"),
        ("skills: [../project]\n", "`../project` is a path outside its own directory"),
        ("skills: [skills/../../project]\n", "is a path outside its own directory"),
        (
            "skills: [\"git+file:///srv/r\"]\n",
            "is a repository that is not reached over https or ssh",
        ),
        ("skills: [\"git+http://127.0.0.1:1/r.git\"]\n", "is not reached over https or ssh"),
        ("skills: [\"git+https://localhost/r.git\"]\n", "is not reached over https or ssh"),
        ("discovery: {sources: [claude]}\n", "`discovery` reads your own skills"),
        ("discovery: {directories: [~/secret]}\nskills: []\n", "`discovery` reads your own skills"),
    ] {
        origin.write("skills.yaml", text);
        origin.commit("Try");
        for verb in ["validate", "list", "render", "install", "mount", "outdated", "verify"] {
            let run = sandbox.run([verb, "--manifest", &origin.source("")]);
            assert!(matches!(run.code, 2 | 125), "{verb} {text}: {}", run.all());
            assert!(run.stderr.contains(words), "{verb} {text}: {}", run.stderr);
            assert!(!run.stdout.contains("secret"), "{}", run.stdout);
        }
    }
    assert!(!sandbox.path("../home/.claude").exists());
}

#[test]
fn the_environment_of_an_agent_needs_trust() {
    let sandbox = Sandbox::new();
    let Some(origin) = team(&sandbox) else { return };
    for (block, words) in [
        ("env: {PATH: /tmp/evil}", "sets `PATH`"),
        ("env: {EXTRA: x}", "sets `EXTRA`"),
        ("api_key_env: AWS_SECRET_ACCESS_KEY", "hands your `AWS_SECRET_ACCESS_KEY`"),
        ("include_host_env: true", "lets the agent see your environment"),
    ] {
        origin.write("skills.yaml", format!("skills: [./skills]\nisolation: {{{block}}}\n"));
        origin.commit("Try");
        let source = origin.source("");
        let mount = ["mount", "--manifest", &source, "--", "true"];
        let run = sandbox.run(mount);
        assert_eq!(run.code, 125, "{}", run.all());
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert!(run.stderr.contains("add `--trust-manifest`"), "{}", run.stderr);
        // Nothing is run by an installation.
        assert_eq!(sandbox.run(["install", "--manifest", &source, "--dir", "out"]).code, 0);
    }
    origin.write("skills.yaml", "skills: [./skills]\nrules: {hidden-unicode: off}\n");
    origin.commit("Hide");
    let source = origin.source("");
    let install = ["install", "--manifest", &source, "--dir", "other"];
    refused(&sandbox.run(install), &["lowers `hidden-unicode`", "add `--trust-manifest`"]);
    let run = sandbox.run([&install[..], &["--trust-manifest"]].concat());
    assert_eq!(run.code, 0, "{}", run.all());
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_not_a_plain_file_is_refused() {
    let sandbox = Sandbox::new();
    let Some(origin) = team(&sandbox) else { return };
    let source = origin.source("");
    let list = ["list", "--manifest", &source];
    let manifest = origin.path.join("skills.yaml");

    fs::remove_file(&manifest).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &manifest).unwrap();
    origin.commit("A link");
    refused(&sandbox.run(list), &["skills.yaml` is a symbolic link, not a regular file"]);

    fs::remove_file(&manifest).unwrap();
    origin.write("skills.yaml/inner", "x");
    origin.commit("A directory");
    refused(&sandbox.run(list), &["/skills.yaml`"]);

    fs::remove_dir_all(&manifest).unwrap();
    origin.write("skills.yaml", "#".repeat(100 * 1024 * 1024));
    origin.commit("A large one");
    refused(&sandbox.run(list), &["skills.yaml` is larger than 1048576 bytes"]);

    let bomb: String = (0..40).fold("a: &a0 x\n".to_owned(), |text, at| {
        text + &format!("b{at}: &a{} [*a{at}, *a{at}]\n", at + 1)
    });
    origin.write("skills.yaml", bomb);
    origin.commit("A bomb");
    refused(&sandbox.run(list), &["skills.yaml:"]);

    origin.write("skills.yaml", b"skills: [\xff]\n");
    origin.commit("Not text");
    refused(&sandbox.run(list), &["it is not UTF-8"]);

    // Links that leave the tree are not followed to a source, either.
    origin.write("skills.yaml", "skills: [./outside]\n");
    std::os::unix::fs::symlink(sandbox.path("../home"), origin.path.join("outside")).unwrap();
    origin.commit("A link out");
    refused(&sandbox.run(list), &["`outside` is a symbolic link"]);
}

#[test]
fn offline_reads_the_cache_and_asks_nobody() {
    let sandbox = Sandbox::new();
    let Some(origin) = team(&sandbox) else { return };
    let source = origin.source("@main");
    let list = ["list", "--manifest", &source];
    let offline = [&list[..], &["--offline"]].concat();
    refused(&sandbox.run(&offline), &["is not in the cache, and `--offline` asks nobody"]);
    assert_eq!(names(&sandbox, &list), ["csv", "pdf"]);

    let away = origin.path.with_extension("away");
    fs::rename(&origin.path, &away).unwrap();
    let run = sandbox.run(list);
    refused(&run, &["cannot reach `git+file://", "`--offline` uses what was fetched last"]);
    assert_eq!(names(&sandbox, &offline), ["csv", "pdf"]);
    // The same for a named source, at its last known commit.
    let plain = origin.source("//skills@main");
    assert_eq!(names(&sandbox, &["list", &plain, "--offline"]), ["csv", "pdf"]);
    let run = sandbox.run(["install", &plain, "--offline", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let one = origin.source("//skills/pdf@main");
    assert_eq!(sandbox.run(["show", &one, "--offline"]).code, 0);
    refused(&sandbox.run(["list", &origin.source("@v2"), "--offline"]), &["has no revision `v2`"]);
    fs::rename(&away, &origin.path).unwrap();

    // The error names a source that was never fetched.
    origin.write("skills/pdf/new.md", "New.\n");
    let new = origin.commit("New");
    let run = sandbox.run(["list", &origin.source(&format!("@{new}")), "--offline"]);
    refused(&run, &[&new[..12], "is not in the cache"]);
    assert_eq!(names(&sandbox, &["list", &origin.source("@main"), "--offline"]), ["csv", "pdf"]);
}
