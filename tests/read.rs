//! `skills read`: one file of a skill, and the guards.

use crate::harness::{Run, Sandbox, good_text};

fn read(sandbox: &Sandbox, uri: &str) -> Run {
    sandbox.run(["read", uri, "skills"])
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.write("skills/pdf/references/a b.md", "forms\n");
    sandbox.write("skills/pdf/data.bin", [0, 159, 146, 150]);
    sandbox.write("secret.txt", "secret");
    sandbox
}

#[test]
fn a_name_is_its_skill_md_and_a_path_is_a_file_in_it() {
    let sandbox = sandbox();
    assert_eq!(read(&sandbox, "skill://pdf").stdout, good_text("pdf"));
    assert_eq!(read(&sandbox, "skill://pdf/SKILL.md").stdout, good_text("pdf"));
    assert_eq!(read(&sandbox, "skill://pdf/references/a%20b.md").stdout, "forms\n");
}

#[test]
fn json_has_the_content_type() {
    let sandbox = sandbox();
    let report =
        sandbox.document(["read", "skill://pdf/references/a%20b.md", "skills", "--format", "json"]);
    assert_eq!(report["content_type"], "text/markdown");
    assert_eq!(report["content"], "forms\n");
    assert_eq!(report["skill"], "pdf");
    sandbox.write("skills/pdf/run.py", "pass\n");
    let report = sandbox.document(["read", "skill://pdf/run.py", "skills", "--format", "json"]);
    assert_eq!(report["content_type"], "text/plain");
    let report = sandbox.document(["read", "skill://pdf/data.bin", "skills", "--format", "json"]);
    assert_eq!(report["error"]["kind"], "io");
}

#[test]
fn a_pipe_gets_every_byte() {
    let sandbox = sandbox();
    let run = sandbox.shell(
        "\"$SKILLS\" read skill://pdf/data.bin skills | cmp - skills/pdf/data.bin && echo same",
    );
    assert_eq!(run.stdout, "same\n", "{}", run.stderr);
}

#[test]
fn the_guards_use_the_words_of_the_protocol() {
    let sandbox = sandbox();
    sandbox.good_skill("skills/csv");
    for (uri, message) in [
        ("skill://", "skill:// URL requires a skill name: skill://<name>"),
        ("skill://nope", "Unknown skill: nope\n       Available: csv, pdf"),
        ("skill://pdf//etc/passwd", "Absolute paths are not allowed in skill:// URLs"),
        ("skill://pdf/%2fetc/passwd", "Absolute paths are not allowed in skill:// URLs"),
        ("skill://pdf/../../secret.txt", "Path traversal (..) is not allowed in skill:// URLs"),
        ("skill://pdf/%2e%2e/x", "Path traversal (..) is not allowed in skill:// URLs"),
        ("skill://pdf/none.md", "File not found: [DIR]/project/skills/pdf/none.md"),
        ("skill://pdf/references", "File not found: [DIR]/project/skills/pdf/references"),
        (
            "skill://PDF",
            "Unknown skill: PDF\n       Available: csv, pdf\nhelp: did you mean `pdf`?",
        ),
    ] {
        let run = read(&sandbox, uri);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{uri}");
        assert!(run.stderr.starts_with(&format!("error: {message}\n")), "{uri}: {}", run.stderr);
    }
    let report = sandbox.document(["read", "skill://nope", "skills", "--format", "json"]);
    assert_eq!(report["error"]["message"], "Unknown skill: nope\nAvailable: csv, pdf");
    assert_eq!(report["error"]["kind"], "not_found");
    let empty = sandbox.run(["read", "skill://nope"]);
    assert!(empty.stderr.contains("Available: none"), "{}", empty.stderr);
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_skill_are_refused_and_inner_ones_are_not() {
    let sandbox = sandbox();
    sandbox.symlink("../../secret.txt", "skills/pdf/out.txt");
    sandbox.symlink("../..", "skills/pdf/up");
    sandbox.symlink("references/a b.md", "skills/pdf/in.md");
    for uri in ["skill://pdf/out.txt", "skill://pdf/up/secret.txt"] {
        let run = read(&sandbox, uri);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{uri}");
        assert!(run.stderr.starts_with("error: Path traversal is not allowed\n"), "{}", run.stderr);
    }
    assert_eq!(read(&sandbox, "skill://pdf/in.md").code, 1, "the links make the skill unusable");
    for link in ["out.txt", "up"] {
        std::fs::remove_file(sandbox.path(format!("skills/pdf/{link}"))).unwrap();
    }
    assert_eq!(read(&sandbox, "skill://pdf/in.md").stdout, "forms\n");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_skill_does_not_hang_the_reader() {
    let sandbox = sandbox();
    sandbox.fifo("skills/pdf/pipe");
    let run = read(&sandbox, "skill://pdf/pipe");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("is a named pipe, not a file"), "{}", run.stderr);
}

#[test]
fn names_resolve_over_discovery_or_over_the_directories_named() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.home_skill(".agents/skills/csv");
    sandbox.good_skill("team/xml");
    assert_eq!(sandbox.run(["read", "skill://pdf"]).stdout, good_text("pdf"));
    assert_eq!(sandbox.run(["read", "skill://csv"]).stdout, good_text("csv"));
    let run = sandbox.run(["read", "skill://xml", "--skills-dir", "team"]);
    assert_eq!(run.stdout, good_text("xml"));
    let run = sandbox.run(["read", "skill://pdf", "--skills-dir", "team"]);
    assert!(run.stderr.contains("Available: xml"), "{}", run.stderr);
}

#[test]
fn a_skill_that_is_not_valid_can_still_be_read() {
    let sandbox = Sandbox::repository();
    sandbox.skill("skills/broken", "no front matter\n");
    assert_eq!(read(&sandbox, "skill://broken").stdout, "no front matter\n");
}

#[test]
fn a_file_of_more_than_ten_mebibytes_is_refused() {
    let sandbox = sandbox();
    sandbox.write("skills/pdf/big.txt", vec![b'x'; 10 * 1024 * 1024 + 1]);
    let report = sandbox.document(["read", "skill://pdf/big.txt", "skills", "--format", "json"]);
    assert_eq!(report["error"]["kind"], "too_large");
}

#[cfg(unix)]
#[test]
fn a_skill_that_is_not_usable_is_refused() {
    let sandbox = sandbox();
    sandbox.good_skill("skills/leaky");
    sandbox.symlink("/etc/passwd", "skills/leaky/link");
    let run = read(&sandbox, "skill://leaky");
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let message = "error: `leaky` cannot be read: symlink: link: symbolic link to `/etc/passwd`";
    assert!(run.stderr.starts_with(message), "{}", run.stderr);
    assert!(read(&sandbox, "nope").stderr.contains("Available: pdf\n"));

    sandbox.skill("skills/other/pdf", &(good_text("pdf") + "More.\n"));
    let run = read(&sandbox, "pdf");
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("error: Duplicate skill name: pdf\n"), "{}", run.stderr);
    assert!(run.stderr.contains("help: name one of them as the source"), "{}", run.stderr);
}

#[test]
fn errors_name_the_skill_and_its_place() {
    let sandbox = sandbox();
    let report = sandbox.document(["read", "pdf/none.md", "../project/skills", "--format", "json"]);
    let error = &report["error"];
    assert_eq!(error["path"], "[DIR]/project/skills/pdf/none.md");
    assert_eq!((&error["skill"], &error["skill_kind"]), (&"pdf".into(), &"directory".into()));
    assert_eq!(error["skills_dir"], "[DIR]/project/skills");
}
