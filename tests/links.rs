//! Links inside a skill are copied as their targets; links that leave it are refused.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::harness::{Run, Sandbox, good_text};
use crate::origin::Origin;
use crate::zip::maker::{Entry, archive, file};

/// A skill with links to a file, to a directory, to nothing, and in a circle.
fn plant(sandbox: &Sandbox, skill: &str) {
    sandbox.good_skill(skill);
    sandbox.write(format!("{skill}/references/guide.md"), "Guide.\n");
    sandbox.write(format!("{skill}/scripts/run.sh"), "#!/bin/sh\n");
    sandbox.chmod(format!("{skill}/scripts/run.sh"), 0o755);
    sandbox.symlink("references/guide.md", format!("{skill}/GUIDE.md"));
    sandbox.symlink("../references", format!("{skill}/assets/more"));
    sandbox.symlink("scripts/run.sh", format!("{skill}/run"));
    sandbox.symlink("nowhere", format!("{skill}/dangling"));
    sandbox.symlink("circle", format!("{skill}/circle"));
    sandbox.symlink("..", format!("{skill}/references/up"));
}

fn assert_copied(sandbox: &Sandbox, run: &Run, copy: &str) {
    assert_eq!(run.code, 0, "{}", run.all());
    let is_file = |path: &str| {
        let data = sandbox.path(copy).join(path).symlink_metadata();
        data.is_ok_and(|data| data.is_file())
    };
    for path in ["GUIDE.md", "assets/more/guide.md", "references/guide.md", "run"] {
        assert!(is_file(path), "{path}: {}", run.all());
    }
    assert_eq!(sandbox.read(format!("{copy}/GUIDE.md")), "Guide.\n");
    assert_eq!(sandbox.mode(format!("{copy}/run")) & 0o111, 0o111 & !0o022 | 0o011);
    for path in ["dangling", "circle", "references/up"] {
        assert!(sandbox.path(copy).join(path).symlink_metadata().is_err(), "{path}");
        assert!(run.stderr.contains(path) || run.stderr.contains("more link"), "{}", run.stderr);
    }
}

#[test]
fn links_inside_a_skill_are_copied_from_a_directory() {
    let sandbox = Sandbox::new();
    plant(&sandbox, "skills/pdf");
    let run = sandbox.run(["-v", "install", "skills", "--dir", "out"]);
    assert_copied(&sandbox, &run, "out/pdf");
    assert_eq!(sandbox.run(["verify", "--dir", "out"]).code, 0);
    let again = sandbox.run(["install", "skills", "--dir", "out"]);
    assert!(again.stdout.contains("1 unchanged"), "{}", again.all());
    // Every verb agrees that it can be used.
    let names = sandbox.run(["list", "skills", "--format", "names"]);
    assert_eq!(names.stdout, "pdf\n", "{}", names.all());
    assert!(sandbox.run(["render", "skills"]).stdout.contains("<name>pdf</name>"));
}

#[test]
fn links_inside_a_skill_are_copied_from_a_commit_and_an_archive() {
    let sandbox = Sandbox::new();
    plant(&sandbox, "skills/pdf");
    let run = sandbox.run(["pack", "skills", "-o", "dist"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let run = sandbox.run(["install", "dist/pdf.skill", "--dir", "packed"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("packed/pdf/assets/more/guide.md"), "Guide.\n");

    let Some(origin) = Origin::empty(&sandbox, "linked") else { return };
    fs::rename(sandbox.path("skills"), sandbox.path("../linked/skills")).unwrap();
    origin.commit("links");
    let run = sandbox.run(["-v", "install", &origin.source(""), "--dir", "out"]);
    assert_copied(&sandbox, &run, "out/pdf");
}

#[test]
fn a_link_in_an_archive_is_read_as_its_target() {
    let sandbox = Sandbox::new();
    let link =
        |name: &str, target: &str| Entry { attributes: 0o120_777 << 16, ..file(name, target) };
    let entries = [
        file("pdf/SKILL.md", &good_text("pdf")),
        file("pdf/references/guide.md", "Guide.\n"),
        link("pdf/GUIDE.md", "references/guide.md"),
    ];
    sandbox.write("good.zip", archive(&entries, |_| {}));
    let run = sandbox.run(["install", "good.zip", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("out/pdf/GUIDE.md"), "Guide.\n");
    for target in ["../../etc/passwd", "/etc/passwd", "../other/secret"] {
        let entries = [
            file("pdf/SKILL.md", &good_text("pdf")),
            file("other/secret", "secret"),
            link("pdf/notes", target),
        ];
        sandbox.write("bad.zip", archive(&entries, |_| {}));
        let run = sandbox.run(["install", "bad.zip", "--dir", "bad"]);
        assert_eq!(run.code, 1, "{target}: {}", run.all());
        assert!(run.stderr.contains("outside the skill"), "{target}: {}", run.stderr);
        assert!(!sandbox.path("bad").exists(), "{target}");
    }
}

#[test]
fn a_skill_of_many_directories_with_a_link_among_them_is_copied_from_an_archive() {
    let sandbox = Sandbox::new();
    let mut entries = vec![
        file("pdf/SKILL.md", &good_text("pdf")),
        Entry { attributes: 0o120_777 << 16, ..file("pdf/125-again.md", "125/part.md") },
    ];
    for at in 0..250 {
        let directory = file(&format!("pdf/{at:03}/"), "");
        entries.push(Entry { attributes: 0o40_755 << 16, ..directory });
        entries.push(file(&format!("pdf/{at:03}/part.md"), &format!("Part {at}.\n")));
    }
    sandbox.write("x.zip", archive(&entries, |_| {}));
    let run = sandbox.run(["install", "x.zip", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("out/pdf/125-again.md"), "Part 125.\n");
    for at in 0..250 {
        assert_eq!(sandbox.read(format!("out/pdf/{at:03}/part.md")), format!("Part {at}.\n"));
    }
}

#[test]
fn a_link_that_leaves_a_skill_is_refused_in_a_commit_too() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "leaky") else { return };
    origin.write("secret", "secret\n");
    origin.write("pdf/SKILL.md", good_text("pdf"));
    std::os::unix::fs::symlink("../secret", sandbox.path("../leaky/pdf/notes")).unwrap();
    origin.write("csv/SKILL.md", good_text("csv"));
    origin.commit("leak");
    let run = sandbox.run(["install", &origin.source(""), "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("symlink") && run.stdout.contains("1 skipped"), "{}", run.all());
    assert!(!Path::new(&sandbox.path("out/pdf")).exists());
}

#[test]
fn a_linked_skill_md_inside_its_skill_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/pdf/docs/main.md", good_text("pdf"));
    sandbox.symlink("docs/main.md", "skills/pdf/SKILL.md");
    let run = sandbox.run(["list", "skills", "--format", "names"]);
    assert_eq!(run.stdout, "pdf\n", "{}", run.all());
    let run = sandbox.run(["install", "skills", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path("out/pdf/SKILL.md").symlink_metadata().unwrap().is_file());
    assert_eq!(sandbox.read("out/pdf/SKILL.md"), good_text("pdf"));
    // Its text, and not only that there is one.
    let list = sandbox.run(["list", "skills"]);
    assert!(list.stdout.contains("Extract text from PDF"), "{}", list.all());
    assert_eq!(sandbox.rules_fired(["skills"]), ["symlink"]);
    sandbox.write("skills/pdf/docs/main.md", good_text("pdf").replace("Run", "R\u{e0041}un"));
    assert_eq!(sandbox.rules_fired(["skills"]), ["symlink", "hidden-unicode"]);
}

#[test]
fn a_dangling_link_beside_skills_never_ends_a_run() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    sandbox.symlink("LICENSE", "skills/LICENSE");
    sandbox.symlink("loop", "skills/loop");
    for args in [
        &["list", "skills"][..],
        &["list", "skills", "--agent", "codex"],
        &["list", "skills", "--agent", "claude"],
        &["render", "skills", "--as", "pi"],
        &["validate", "skills"],
        &["install", "skills", "--dir", "out"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.all());
    }
}
