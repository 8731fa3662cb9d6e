//! `skills sync`: a skills directory gets exactly the skills of a manifest and its lock.

use std::fs;

use serde_json::Value;

use crate::harness::{Sandbox, good_text};
use crate::origin::Origin;
use crate::remote_manifest::mirror;

/// A manifest with these entries, and the local skills `pdf` and `csv` to choose from.
fn local(entries: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    sandbox.good_skill("skills/csv");
    manifest(&sandbox, entries);
    sandbox
}

fn manifest(sandbox: &Sandbox, entries: &[&str]) {
    sandbox.write("skills.yaml", format!("skills: [{}]\n", entries.join(", ")));
}

/// Syncs into `out`, with these flags: the exit code, and each skill with its action and state.
#[track_caller]
fn sync(sandbox: &Sandbox, flags: &[&str]) -> (i32, Vec<String>) {
    let run = sandbox.run([&["sync", "--dir", "out", "--format", "json"], flags].concat());
    let report: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.all()));
    let Some(skills) = report["skills"].as_array() else {
        return (run.code, vec![report["error"]["kind"].as_str().unwrap().to_owned()]);
    };
    let text = |skill: &Value, key: &str| skill[key].as_str().unwrap().to_owned();
    let line = |skill: &Value| ["name", "action", "state"].map(|key| text(skill, key)).join(" ");
    (run.code, skills.iter().map(line).collect())
}

fn done(lines: &[&str]) -> (i32, Vec<String>) {
    (0, lines.iter().map(|line| (*line).to_owned()).collect())
}

/// Checks that a dry run predicts the result of the next run.
#[track_caller]
fn predicted(sandbox: &Sandbox, flags: &[&str]) -> (i32, Vec<String>) {
    let before = sandbox.shell("cat out/.skills-index.json; find out -type f | sort").stdout;
    let foreseen = sync(sandbox, &[flags, &["--dry-run"]].concat());
    let after = sandbox.shell("cat out/.skills-index.json; find out -type f | sort").stdout;
    assert_eq!(before, after, "a dry run writes nothing");
    let real = sync(sandbox, flags);
    assert_eq!(foreseen, real);
    real
}

#[test]
fn what_the_manifest_drops_goes_and_nothing_else() {
    let sandbox = local(&["./skills"]);
    sandbox.good_skill("own/mine");
    sandbox.good_skill("out/loose");
    assert_eq!(sandbox.run(["install", "own", "--dir", "out"]).code, 0);
    let first = predicted(&sandbox, &[]);
    assert_eq!(first, done(&["csv created synced", "pdf created synced"]));
    assert_eq!(predicted(&sandbox, &[]), done(&["csv unchanged synced", "pdf unchanged synced"]));
    // A new version, and one that is gone.
    sandbox.write("skills/pdf/new.md", "New.\n");
    fs::remove_dir_all(sandbox.path("skills/csv")).unwrap();
    assert_eq!(predicted(&sandbox, &[]), done(&["csv removed dropped", "pdf updated synced"]));
    manifest(&sandbox, &[]);
    assert_eq!(predicted(&sandbox, &[]), done(&["pdf removed dropped"]));
    for name in ["mine", "loose"] {
        assert!(sandbox.path(format!("out/{name}/SKILL.md")).is_file(), "{name}");
    }
    assert!(!sandbox.path("out/pdf").exists() && !sandbox.path("out/csv").exists());
    assert!(!sandbox.path("skills.lock").exists());
}

#[test]
fn a_team_syncs_from_its_repository() {
    let sandbox = Sandbox::new();
    let Some(team) = Origin::new(&sandbox) else { return };
    team.write("skills.yaml", "skills: [./skills]\n");
    team.commit("Add a manifest");
    let source = team.source("@main");
    let flags = ["--manifest", source.as_str()];
    assert_eq!(predicted(&sandbox, &flags), done(&["csv created synced", "pdf created synced"]));
    let index = sandbox.read("out/.skills-index.json");
    let owner = format!("\"owner\": \"git+file://{}\"", team.path.display());
    assert_eq!(index.matches(&owner).count(), 2, "{index}");
    assert!(index.contains("//skills@main\""), "{index}");

    team.write("skills/pdf/new.md", "New.\n");
    fs::remove_dir_all(team.path.join("skills/csv")).unwrap();
    team.commit("Change");
    // Another revision, or the file itself, is the same owner.
    let other = team.source("//skills.yaml");
    let run = sandbox.run(["sync", "--manifest", &other, "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(
        run.stdout,
        "removed  csv  1 file, 111 bytes\nupdated  pdf  3 files, 134 bytes\nout: 1 updated, 1 removed\n"
    );

    // Without the server, everything comes from the cache.
    fs::rename(&team.path, team.path.with_extension("away")).unwrap();
    let run = sandbox.run(["sync", "--manifest", &source, "--dir", "out"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("`--offline` uses what was fetched last"), "{}", run.stderr);
    let offline = ["--manifest", source.as_str(), "--offline"];
    assert_eq!(predicted(&sandbox, &offline), done(&["pdf unchanged synced"]));
    sandbox.shell("rm -r ../home/.cache");
    assert_eq!(sync(&sandbox, &offline).0, 2);
    assert!(sandbox.path("out/pdf/new.md").is_file());
}

#[test]
fn json_says_what_is_new() {
    let sandbox = Sandbox::new();
    let Some(team) = Origin::new(&sandbox) else { return };
    let text = |words: &str| {
        let inline = "inline: {name: style, title: Style, description: Use when writing.";
        format!("skills:\n  - ./skills\n  - {inline}, template: {words}}}\n")
    };
    team.write("skills.yaml", text("Write."));
    team.commit("Add a manifest");
    let source = team.source("@main");
    let sync =
        || sandbox.document(["sync", "--manifest", &source, "--dir", "out", "--format", "json"]);
    let report = sync();
    let files = &report["skills"][1]["files"];
    assert_eq!(files["added"], serde_json::json!(["SKILL.md", "scripts/run.sh"]), "{report:#}");
    team.write("skills/pdf/new.md", "New.\n");
    let commit = team.commit("Say more");
    team.write("skills.yaml", text("Write well."));
    team.commit("Change the style");
    let report = sync();
    let pdf = &report["skills"][1];
    assert_eq!(pdf["changes"][1]["commit"], commit.as_str(), "{report:#}");
    assert_eq!(pdf["changes"][0]["subject"], "Change the style");
    assert_eq!(pdf["files"]["added"], serde_json::json!(["new.md"]));
    // An inline skill comes from the repository, too.
    let style = &report["skills"][2];
    assert_eq!((&style["action"], &style["kind"]), (&"updated".into(), &"inline".into()));
    assert_eq!(style["files"]["changed"], serde_json::json!(["SKILL.md"]));
    assert!(style["source"].as_str().unwrap().contains("//skills.yaml@"), "{report:#}");
    // `install` recognises it, too.
    let install = ["install", "--manifest", &source, "--dir", "plain"];
    assert_eq!(sandbox.run(install).code, 0);
    team.write("skills.yaml", text("Write best."));
    team.commit("Change it again");
    let run = sandbox.run(install);
    assert!(run.stdout.contains("updated    style"), "{}", run.all());
}

#[test]
fn what_was_edited_stays() {
    let sandbox = local(&["./skills"]);
    sync(&sandbox, &[]);
    sandbox.write("out/csv/notes.md", "Mine.\n");
    fs::remove_dir_all(sandbox.path("skills/csv")).unwrap();
    let (code, lines) = predicted(&sandbox, &[]);
    assert_eq!((code, lines), (1, done(&["csv unchanged edited", "pdf unchanged synced"]).1));
    let run = sandbox.run(["sync", "--dir", "out"]);
    assert!(
        run.stderr.contains("kept `out/csv`, which the manifest no longer names"),
        "{}",
        run.stderr
    );
    // One that the manifest still names is refused, as `install` does.
    sandbox.write("out/pdf/notes.md", "Mine.\n");
    assert_eq!(sync(&sandbox, &[]), (1, vec!["conflict".to_owned()]));
    assert_eq!(
        predicted(&sandbox, &["--force"]),
        done(&["csv removed dropped", "pdf replaced synced"])
    );
    assert!(sandbox.shell("find . ../tmp -name notes.md").stdout.lines().count() >= 2, "backups");
}

#[test]
fn an_entry_that_is_disabled_or_unusable_keeps_its_copy() {
    let sandbox = Sandbox::new();
    for name in ["one/a", "two/b", "three/c", "four/d"] {
        sandbox.good_skill(name);
    }
    let write = |condition: &str| {
        let sections = "sections: {later: summary}\n";
        sandbox.write(
            "skills.yaml",
            format!(
                "{sections}skills:\n  - {{source: ./one, enabled: {condition}}}\n  \
                 - {{source: ./two/b, name: renamed, enabled: {condition}}}\n  \
                 - {{source: ./three}}\n  - {{source: ./four, section: later}}\n  \
                 - inline: {{name: text, title: Text, description: Use it when asked., template: Hello.}}\n    \
                   enabled: {condition}\n"
            ),
        );
    };
    write("true");
    let all = ["a", "c", "d", "renamed", "text"];
    let created: Vec<String> = all.iter().map(|name| format!("{name} created synced")).collect();
    assert_eq!(predicted(&sandbox, &["--expand", "later"]), (0, created));
    write("{env: NOT_SET}");
    sandbox.skill("three/c", &good_text("c").replace("PDFs", "\u{e0041}"));
    sandbox.good_skill("three/e");
    let expected = [
        "a unchanged disabled",
        "c unchanged unusable",
        "d unchanged disabled",
        "e created synced",
        "renamed unchanged disabled",
        "text unchanged disabled",
    ];
    assert_eq!(predicted(&sandbox, &[]), done(&expected));
    for name in all {
        assert!(sandbox.path(format!("out/{name}/SKILL.md")).is_file(), "{name}");
    }
}

#[test]
fn nothing_goes_while_a_source_cannot_be_read() {
    let sandbox = local(&[]);
    let Some(other) = Origin::empty(&sandbox, "other") else { return };
    other.skill("xls");
    other.commit("One");
    mirror(&sandbox, "other", &other);
    let source = "\"git+https://git.example/other.git\"";
    manifest(&sandbox, &["./skills", source]);
    assert_eq!(predicted(&sandbox, &[]).1.len(), 3);
    fs::rename(&other.path, other.path.with_extension("away")).unwrap();
    fs::remove_dir_all(sandbox.path("skills/csv")).unwrap();
    sandbox.write("skills/pdf/new.md", "New.\n");
    let expected = ["csv unchanged unknown", "pdf updated synced", "xls unchanged unknown"];
    assert_eq!(predicted(&sandbox, &[]), (2, done(&expected).1));
    let run = sandbox.run(["sync", "--dir", "out"]);
    assert!(
        run.stderr.contains("cannot reach `git+https://git.example/other.git`"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("kept `out/csv`"), "{}", run.stderr);
    // When nothing can be read, nothing changes.
    manifest(&sandbox, &[source]);
    assert_eq!(sync(&sandbox, &[]).0, 2);
    manifest(&sandbox, &["./nowhere"]);
    assert_eq!(sync(&sandbox, &[]), (2, vec!["not_found".to_owned()]));
    assert!(sandbox.path("out/xls/SKILL.md").is_file());
}

#[test]
fn two_manifests_keep_apart_what_each_owns() {
    let sandbox = local(&["./skills"]);
    sandbox.good_skill("team/own/xls");
    sandbox.write("team/skills.yaml", "skills: [./own]\n");
    let team = ["--manifest", "team"];
    sync(&sandbox, &[]);
    assert_eq!(predicted(&sandbox, &team), done(&["xls created synced"]));
    assert_eq!(predicted(&sandbox, &[]).1.len(), 2);
    // Both manifests name the same skill: identical content is accepted, different content refused.
    sandbox.good_skill("team/own/pdf");
    assert_eq!(predicted(&sandbox, &team), done(&["pdf unchanged synced", "xls unchanged synced"]));
    sandbox.write("team/own/pdf/more.md", "More.\n");
    assert_eq!(predicted(&sandbox, &team), (1, vec!["conflict".to_owned()]));
    let run = sandbox.run(["sync", "--dir", "out", "--manifest", "team"]);
    let words = format!("belongs to the manifest `{}`", sandbox.path("skills.yaml").display());
    assert!(
        run.stderr.contains(
            &words.replace(sandbox.path("..").canonicalize().unwrap().to_str().unwrap(), "[DIR]")
        ) || run.stderr.contains("belongs to the manifest `"),
        "{}",
        run.stderr
    );
    assert!(!sandbox.path("out/pdf/more.md").exists());
    // Each manifest removes only its own skills.
    manifest(&sandbox, &["./skills/csv"]);
    assert_eq!(predicted(&sandbox, &[]), done(&["csv unchanged synced", "pdf removed dropped"]));
    assert_eq!(predicted(&sandbox, &team), done(&["pdf created synced", "xls unchanged synced"]));
    sandbox.write("team/skills.yaml", "skills: []\n");
    assert_eq!(predicted(&sandbox, &team), done(&["pdf removed dropped", "xls removed dropped"]));
    assert!(sandbox.path("out/csv/SKILL.md").is_file());
}

#[test]
fn what_a_user_installed_is_taken_over_only_by_force() {
    let sandbox = local(&["./skills"]);
    assert_eq!(sandbox.run(["install", "./skills/pdf", "--dir", "out"]).code, 0);
    sync(&sandbox, &[]);
    sandbox.write("skills/pdf/new.md", "New.\n");
    // A newer version from the same place is an update, and still belongs to the user.
    assert_eq!(predicted(&sandbox, &[]), done(&["csv unchanged synced", "pdf updated synced"]));
    manifest(&sandbox, &["./skills/csv"]);
    assert_eq!(predicted(&sandbox, &[]), done(&["csv unchanged synced"]));
    manifest(&sandbox, &["./skills"]);
    assert_eq!(
        predicted(&sandbox, &["--force"]),
        done(&["csv unchanged synced", "pdf unchanged synced"])
    );
    manifest(&sandbox, &["./skills/csv"]);
    assert_eq!(predicted(&sandbox, &[]), done(&["csv unchanged synced", "pdf removed dropped"]));
    // A plain `install` does not change the owner of a manifest's skill.
    assert_eq!(sandbox.run(["install", "./skills/csv", "--dir", "out"]).code, 0);
    manifest(&sandbox, &[]);
    assert_eq!(predicted(&sandbox, &[]), done(&["csv removed dropped"]));
}

#[test]
fn locks_are_obeyed_and_upgraded() {
    let sandbox = local(&[]);
    let Some(other) = Origin::empty(&sandbox, "other") else { return };
    other.skill("xls");
    let one = other.commit("One");
    let source = other.source("@main");
    manifest(&sandbox, &["./skills", &format!("\"{source}\"")]);
    assert_eq!(sync(&sandbox, &["--frozen"]).0, 2, "there is no lock");
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let lock = sandbox.read("skills.lock");
    other.write("xls/new.md", "New.\n");
    let two = other.commit("Two");
    assert_eq!(predicted(&sandbox, &["--frozen"]).1.len(), 3);
    assert!(!sandbox.path("out/xls/new.md").exists());
    assert_eq!(sandbox.run(["verify", "--frozen", "--dir", "out"]).code, 0);

    let expected = ["csv unchanged synced", "pdf unchanged synced", "xls updated synced"];
    assert_eq!(sync(&sandbox, &["--upgrade", "--dry-run"]), done(&expected));
    assert_eq!(sandbox.read("skills.lock"), lock, "a dry run writes no lock");
    assert_eq!(sync(&sandbox, &["--upgrade"]), done(&expected));
    assert_eq!(
        sandbox.read("skills.lock"),
        lock.replace(&one, &two).replace(
            lock.split("\"xls\",\"digest\":\"").nth(1).unwrap().split('"').next().unwrap(),
            sandbox
                .read("skills.lock")
                .split("\"xls\",\"digest\":\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap(),
        )
    );
    assert!(sandbox.path("out/xls/new.md").is_file());
    // Back to the old lock, as version control may bring it.
    sandbox.write("skills.lock", lock);
    assert_eq!(predicted(&sandbox, &["--frozen"]), done(&expected));
    assert!(!sandbox.path("out/xls/new.md").exists());
    // A refusal writes no lock, either.
    sandbox.write("out/xls/notes.md", "Mine.\n");
    let before = sandbox.read("skills.lock");
    assert_eq!(sync(&sandbox, &["--upgrade"]), (1, vec!["conflict".to_owned()]));
    assert_eq!(sandbox.read("skills.lock"), before);
    let run = sandbox.run(["sync", "--upgrade", "--frozen"]);
    assert_eq!(run.code, 2, "{}", run.all());
}

#[test]
fn without_a_manifest_there_is_nothing_to_sync() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["sync"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("there is no skills.yaml here"), "{}", run.stderr);
    assert!(!sandbox.path("../home/.claude").exists());
}

#[test]
fn a_project_owns_its_skills_in_every_clone() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.good_skill("skills/csv");
    manifest(&sandbox, &["./skills"]);
    let run = sandbox.run(["sync", "--scope", "project"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let index = sandbox.read(".claude/skills/.skills-index.json");
    assert_eq!(index.matches("\"owner\": \"skills.yaml\"").count(), 2, "{index}");
}

#[test]
fn a_manifest_knows_the_skills_that_it_brought_into_its_project() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    for (flags, directory) in [("--scope=project", ".claude/skills"), ("--dir=out", "out")] {
        manifest(&sandbox, &["./skills"]);
        assert_eq!(sandbox.run(["sync", flags]).code, 0);
        let run = sandbox.run(["verify", flags]);
        assert_eq!((run.code, run.stdout.contains("1 ok")), (0, true), "{}", run.all());
        manifest(&sandbox, &["{source: ./skills, enabled: false}"]);
        assert_eq!(sandbox.run(["sync", flags]).code, 0);
        assert!(sandbox.path(directory).join("pdf").exists(), "{flags}: its entry is disabled");
    }
}

#[test]
fn verify_knows_what_a_manifest_no_longer_names() {
    let sandbox = local(&["./skills"]);
    sandbox.good_skill("more/xls");
    manifest(&sandbox, &["./skills", "./more"]);
    assert_eq!(sandbox.run(["lock"]).code, 0);
    sync(&sandbox, &[]);
    assert_eq!(sandbox.run(["verify", "--dir", "out"]).code, 0);
    manifest(&sandbox, &["./skills"]);
    let run = sandbox.run(["verify", "--dir", "out"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(
        run.stdout.contains("dropped  xls  the manifest no longer names it; `skills sync`"),
        "{}",
        run.stdout
    );
    // The lock shows which skills a collection lost.
    fs::remove_dir_all(sandbox.path("skills/csv")).unwrap();
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let report = sandbox.document(["verify", "--dir", "out", "--format", "json"]);
    assert_eq!(
        (&report["summary"]["dropped"], &report["summary"]["ok"]),
        (&2.into(), &1.into()),
        "{report:#}"
    );
    // Another manifest does not affect it.
    sandbox.write("other.yaml", "skills: []\n");
    assert_eq!(sandbox.run(["verify", "--dir", "out", "--manifest", "other.yaml"]).code, 0);
    sync(&sandbox, &[]);
    assert_eq!(sandbox.run(["verify", "--dir", "out"]).code, 0);
}

#[test]
fn a_record_of_another_owner_is_left_alone() {
    let sandbox = local(&["./skills"]);
    sync(&sandbox, &[]);
    let index = sandbox.read("out/.skills-index.json");
    let owner = sandbox.path("skills.yaml").canonicalize().unwrap();
    assert!(index.contains(owner.to_str().unwrap()), "{index}");
    sandbox
        .write("out/.skills-index.json", index.replace(owner.to_str().unwrap(), "gh:other/skills"));
    manifest(&sandbox, &[]);
    assert_eq!(predicted(&sandbox, &[]), done(&[]));
    assert!(sandbox.path("out/pdf/SKILL.md").is_file());
}

#[test]
#[cfg(unix)]
fn a_signal_undoes_installs_and_removals_alike() {
    let sandbox = local(&["./skills"]);
    sync(&sandbox, &[]);
    fs::remove_dir_all(sandbox.path("skills/csv")).unwrap();
    for number in 0..300 {
        sandbox.good_skill(&format!("skills/skill-{number}"));
    }
    let before = sandbox.read("out/.skills-index.json");
    // Stopped in the middle of copying. A run that is quicker than the shell is tried again.
    let run = sandbox.shell(
        "for attempt in 1 2 3 4 5 6 7 8 9; do
            rm -rf made; mkdir made; cp -r out made/out
            SKILLS_THREADS=1 \"$SKILLS\" sync --dir made/out >said 2>&1 & pid=$!
            while kill -0 $pid 2>/dev/null && ! [ -e made/.skills-staging-*/new/skill-1 ]; do :; done
            kill -STOP $pid
            if [ -e made/.skills-staging-*/new ] && ! [ -e made/.skills-staging-*/index ]; then
                kill -TERM $pid; kill -CONT $pid; wait $pid; exit $?
            fi
            kill -CONT $pid; wait $pid
        done",
    );
    let said = sandbox.read("said");
    assert_eq!(run.code, 143, "{said}{}", run.all());
    assert!(said.contains("interrupted; nothing was changed"), "{said}");
    assert_eq!(sandbox.read("made/out/.skills-index.json"), before);
    assert!(sandbox.path("made/out/csv").exists() && !sandbox.path("made/out/skill-1").exists());
}

#[test]
fn what_install_takes_from_a_manifest_belongs_to_the_manifest() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("all/pdf");
    sandbox.good_skill("all/csv");
    sandbox.write("skills.yaml", "version: 1\nskills: [./all]\n");
    assert_eq!(sandbox.run(["install"]).code, 0);
    sandbox.write("all/pdf/more.md", "more\n");
    let run = sandbox.run(["update"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("managed  pdf"), "{}", run.stdout);
    assert!(!sandbox.path("../home/.claude/skills/pdf/more.md").exists());
    std::fs::remove_dir_all(sandbox.path("all/csv")).unwrap();
    let run = sandbox.run(["sync"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(
        run.stdout.contains("updated  pdf") && run.stdout.contains("removed  csv"),
        "{}",
        run.stdout
    );
    assert!(!sandbox.path("../home/.claude/skills/csv").exists());
}

#[test]
fn skills_that_stay_in_the_prompt_keep_their_copies() {
    let sandbox = local(&["./skills", "./more"]);
    sandbox.good_skill("more/zip");
    assert_eq!(sync(&sandbox, &[]).0, 0);
    // The same skills, all of them in the prompt; one entry is gone from the manifest.
    sandbox.write("skills.yaml", "skills: [./skills]\ninstall_skills: false\n");
    let expected =
        done(&["csv unchanged in_prompt", "pdf unchanged in_prompt", "zip removed dropped"]);
    assert_eq!(predicted(&sandbox, &[]), expected);
    let run = sandbox.run(["sync", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.ends_with("out: 2 unchanged\n"), "{}", run.stdout);
    for words in [
        "nothing is copied: `install_skills: false` keeps 2 skills in the prompt",
        "kept `out/csv`, which this manifest had installed: agents still load it",
        "`skills remove pdf --dir out` removes it",
    ] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    // Edits do not matter, and a source that has changed brings nothing.
    sandbox.write("out/csv/SKILL.md", "edited");
    sandbox.write("skills/pdf/new.md", "New.\n");
    sandbox.good_skill("skills/new");
    let expected = done(&["csv unchanged in_prompt", "pdf unchanged in_prompt"]);
    assert_eq!(predicted(&sandbox, &["--force"]), expected);
    assert_eq!(sandbox.read("out/csv/SKILL.md"), "edited");
    assert!(!sandbox.path("out/pdf/new.md").exists() && !sandbox.path("out/new").exists());
    // Nobody has to install anything first, and nothing is made.
    let run = sandbox.run(["sync", "--dir", "fresh"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(!sandbox.path("fresh").exists());
    // Once they are copied again, everything is as the manifest says.
    sandbox.write("skills.yaml", "skills: [./skills]\n");
    sandbox.run(["remove", "csv", "--dir", "out", "--force"]);
    let expected = done(&["csv created synced", "new created synced", "pdf updated synced"]);
    assert_eq!(predicted(&sandbox, &[]), expected);
}

#[test]
fn a_manifest_that_brings_nothing_says_so() {
    let sandbox = local(&["{source: ./skills, enabled: false}"]);
    for verb in ["install", "sync"] {
        let run = sandbox.run([verb, "--dir", "out"]);
        assert_eq!(run.code, 0, "{}", run.all());
        let words =
            "the manifest has no skill that is enabled and expanded, so nothing is installed";
        assert!(run.stderr.contains(words), "{verb}: {}", run.stderr);
        assert!(!sandbox.path("out").exists());
    }
}
