//! `skills pack`, and archives as sources everywhere.

#![cfg(unix)]

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Sandbox, good_text, lacks, text};
use crate::install::{SKILLS, sandbox, snapshot};
use crate::origin::Origin;

/// Runs a line of Python; false if there is no Python.
#[track_caller]
fn python(sandbox: &Sandbox, line: &str) -> bool {
    if lacks(&["python3"]) {
        return false;
    }
    let mut command = Command::new("python3");
    let run = command.args(["-c", line]).current_dir(sandbox.path(".")).status().unwrap();
    assert!(run.success(), "python3 fails: {line}");
    true
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let (one, other) = (sandbox(), sandbox());
    // The same files in another order, with other times and modes.
    fs::remove_dir_all(other.path("src/pdf")).unwrap();
    other.write("src/pdf/scripts/run.sh", "#!/bin/sh\necho run\n");
    other.chmod("src/pdf/scripts/run.sh", 0o711);
    other.write("src/pdf/data/notes.txt", "notes\n");
    other.chmod("src/pdf/data/notes.txt", 0o600);
    other.good_skill("src/pdf");
    other.shell("touch -d 2001-01-01 src/pdf/SKILL.md");
    for sandbox in [&one, &other] {
        let run = sandbox.run(["pack", "src", "-o", "dist"]);
        assert_eq!(run.code, 0, "{}", run.all());
    }
    let bytes = |sandbox: &Sandbox| fs::read(sandbox.path("dist/pdf.skill")).unwrap();
    assert_eq!(bytes(&one), bytes(&other));
    insta::assert_snapshot!("packed", one.run(["pack", "src", "-o", "dist"]).stdout);
    // Once installed and packed again, it is the same.
    assert_eq!(one.run(["install", "dist/pdf.skill", "dist/csv.skill"]).code, 0);
    assert_eq!(one.mode(format!("{SKILLS}/pdf/scripts/run.sh")), 0o755);
    let installed = one.run(["pack", &format!("{SKILLS}/pdf"), "-o", "again"]);
    assert_eq!(installed.code, 0, "{}", installed.all());
    assert_eq!(fs::read(one.path("again/pdf.skill")).unwrap(), bytes(&one));
    // All agree on the digest.
    let packed = one.document(["pack", "src/pdf", "-o", "dist", "--format", "json"]);
    let listed = one.document(["list", "dist/pdf.skill", "--long", "--format", "json"]);
    let installed = one.document(["install", "dist/pdf.skill", "--format", "json"]);
    let digest = &packed["archives"][0]["digest"];
    assert_eq!(digest, &listed["skills"][0]["digest"]);
    assert_eq!(digest, &installed["skills"][0]["digest"]);
    assert_eq!(installed["skills"][0]["kind"], "archive");
}

#[test]
fn archives_are_exchanged_with_other_programs() {
    let sandbox = sandbox();
    sandbox.run(["pack", "src", "-o", "dist"]);
    let read = "import zipfile; z = zipfile.ZipFile('dist/pdf.skill'); assert z.testzip() is None; \
        names = z.namelist(); assert names == sorted(names) and 'pdf/SKILL.md' in names, names; \
        assert z.getinfo('pdf/scripts/run.sh').external_attr >> 16 == 0o100755; z.extractall('out')";
    if !python(&sandbox, read) {
        return;
    }
    assert_eq!(sandbox.read("out/pdf/SKILL.md"), good_text("pdf"));
    // As Anthropic's packager and most others write it, with and without entries for directories.
    for method in ["ZIP_DEFLATED", "ZIP_STORED"] {
        let write = format!(
            "import zipfile, os\nz = zipfile.ZipFile('made.zip', 'w', zipfile.{method})\n\
             for d, _, fs in os.walk('src'):\n  z.write(d) if d != 'src' else None\n  \
             [z.write(os.path.join(d, f)) for f in fs]\nz.close()"
        );
        assert!(python(&sandbox, &write));
        let run = sandbox.run(["validate", "made.zip"]);
        assert_eq!(run.code, 0, "{}", run.all());
        let list = sandbox.document(["list", "made.zip", "--format", "json"]);
        assert_eq!(list["skills"].as_array().unwrap().len(), 2, "{list:#}");
    }
    // An archive from a stream, with the sizes after the data.
    let stream = "import zipfile, sys\n\
        class Out:\n  def __init__(s): s.f = open('stream.zip', 'wb')\n  def write(s, b): return s.f.write(b)\n  def flush(s): s.f.flush()\n\
        o = Out(); z = zipfile.ZipFile(o, 'w', zipfile.ZIP_DEFLATED); z.write('src/pdf/SKILL.md', 'pdf/SKILL.md'); z.close(); o.f.close()";
    assert!(python(&sandbox, stream));
    let run = sandbox.run(["validate", "stream.zip"]);
    assert_eq!(run.code, 0, "{}", run.all());
    // An archive with sizes of 64 bits, although 32 would do.
    let long = "import zipfile\nz = zipfile.ZipFile('long.zip', 'w', zipfile.ZIP_DEFLATED)\n\
        with z.open('pdf/SKILL.md', 'w', force_zip64=True) as f: f.write(open('src/pdf/SKILL.md', 'rb').read())\n\
        z.close()";
    assert!(python(&sandbox, long));
    let run = sandbox.run(["install", "long.zip", "--dir", "long"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("long/pdf/SKILL.md"), good_text("pdf"));
}

#[test]
fn archives_are_sources_everywhere() {
    let sandbox = sandbox();
    sandbox.run(["pack", "src", "-o", "dist"]);
    let rendered = sandbox.run(["render", "dist/pdf.skill", "--no-instructions"]);
    assert!(rendered.stdout.contains("<name>pdf</name>"), "{}", rendered.all());
    let read = sandbox.run(["read", "skill://pdf/data/notes.txt", "dist/pdf.skill"]);
    assert_eq!(read.stdout, "notes\n");
    assert_eq!(sandbox.run(["read", "skill://pdf/../x", "dist/pdf.skill"]).code, 2);
    let same = sandbox.run(["read", "skill://pdf/./data//notes.txt", "dist/pdf.skill"]);
    assert_eq!((same.code, same.stdout), (0, read.stdout), "{}", same.stderr);
    let directory = sandbox.run(["read", "skill://pdf/data", "dist/pdf.skill"]).stderr;
    assert!(directory.contains("this is a directory; it contains notes.txt"), "{directory}");
    let mounted =
        sandbox.run(["mount", "dist/pdf.skill", "--", "sh", "-c", "ls \"$HOME/.claude/skills\""]);
    assert_eq!(mounted.stdout, "pdf\n", "{}", mounted.stderr);
    sandbox.write(
        "skills.yaml",
        "version: 1\nskills:\n  - {source: ./dist/pdf.skill, name: papers}\n",
    );
    assert_eq!(sandbox.run(["install"]).code, 0);
    assert!(sandbox.read(format!("{SKILLS}/papers/SKILL.md")).contains("name: papers\n"));
    // Findings point into the archive, and cannot be repaired there.
    sandbox.skill("bad/broken", &text("other", ""));
    let run = sandbox.run(["pack", "bad", "-o", "dist"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path("dist/other.skill").is_file());
    sandbox.skill("bad/broken", "---\nname: broken\ndescription: Use when: x\n---\n\nBody.\n");
    assert_eq!(sandbox.run(["pack", "bad", "-o", "dist"]).code, 0);
    let report = sandbox.json(["dist/broken.skill"]);
    let path = report["findings"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("dist/broken.skill/broken/SKILL.md"), "{path}");
    assert_eq!(report["findings"][0]["fixable"], false);
}

#[test]
fn files_that_do_not_belong_in_an_archive_are_left_out() {
    let sandbox = sandbox();
    for file in [
        ".git/config",
        "node_modules/x/index.js",
        "scripts/__pycache__/x.pyc",
        "x.pyc",
        ".DS_Store",
        "evals/cases.json",
        "references/evals/kept.md",
        "drafts/a.md",
        "drafts/keep.md",
        "private.txt",
    ] {
        sandbox.write(format!("src/pdf/{file}"), "x");
    }
    sandbox.write("src/pdf/.skillignore", "# not ready\ndrafts/*\n!drafts/keep.md\n");
    let names = |flags: &[&str]| -> Vec<String> {
        let run = sandbox.run([&["pack", "src/pdf", "-o", "dist", "--force"], flags].concat());
        assert_eq!(run.code, 0, "{}", run.all());
        let _ = fs::remove_dir_all(sandbox.path("out"));
        assert_eq!(sandbox.run(["install", "dist/pdf.skill", "--dir", "out"]).code, 0);
        let there = snapshot(&sandbox.path("out/pdf"));
        there.into_iter().filter(|(_, what)| what != "directory").map(|(path, _)| path).collect()
    };
    assert_eq!(
        names(&["--exclude", "private.txt"]),
        [
            "SKILL.md",
            "data/notes.txt",
            "drafts/keep.md",
            "references/evals/kept.md",
            "scripts/run.sh"
        ]
    );
    let with =
        names(&["--exclude", "private.txt", "--include", "./evals", "--include", "./evals/*"]);
    assert!(with.contains(&"evals/cases.json".to_owned()), "{with:?}");
}

#[test]
fn it_is_left_out_wherever_the_skill_lies() {
    let sandbox = sandbox();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    for (file, content) in [
        (".skillignore", "drafts\n/top\n"),
        ("drafts/a.md", "x"),
        ("top/a.md", "x"),
        ("deep/top/kept.md", "x"),
        ("node_modules/x/index.js", "x"),
        ("evals/cases.json", "x"),
        ("private.txt", "x"),
    ] {
        sandbox.write(format!("src/pdf/{file}"), content);
    }
    // Too many files for a skill, unless some are left out.
    for number in 0..5_001 {
        sandbox.write(format!("src/pdf/node_modules/many/{number}"), "");
    }
    assert!(sandbox.shell("cp -R src/pdf ../origin/").code == 0);
    origin.commit("Begin");
    let zip = "import zipfile, os\nz = zipfile.ZipFile('pdf.zip', 'w')\n\
        for d, _, fs in os.walk('src/pdf'):\n  \
        [z.write(os.path.join(d, f), os.path.relpath(os.path.join(d, f), 'src')) for f in fs]\nz.close()";
    let mut sources = vec!["src/pdf".to_owned(), origin.source("//pdf")];
    sources.extend(python(&sandbox, zip).then(|| "pdf.zip".to_owned()));
    for source in &sources {
        for (flags, more) in [(&[][..], None), (&["--include", "drafts"], Some("drafts/a.md"))] {
            let flags = [&["--exclude", "private.txt", "-o", "dist", "--force"], flags].concat();
            let run = sandbox.run(["pack", source].iter().chain(&flags));
            assert_eq!(run.code, 0, "{source}: {}", run.all());
            let _ = fs::remove_dir_all(sandbox.path("out"));
            assert_eq!(sandbox.run(["install", "dist/pdf.skill", "--dir", "out"]).code, 0);
            let there = snapshot(&sandbox.path("out/pdf"));
            let files = there.iter().filter(|(_, what)| *what != "directory");
            let files: Vec<&str> = files.map(|(path, _)| path.as_str()).collect();
            let mut expected = vec!["SKILL.md", "data/notes.txt", "deep/top/kept.md"];
            expected.extend(more);
            expected.push("scripts/run.sh");
            assert_eq!(files, expected, "{source} {flags:?}");
        }
    }
    // An invalid line refuses the archive, too.
    fs::remove_dir_all(origin.path.join("pdf/node_modules")).unwrap();
    origin.write("pdf/.skillignore", b"drafts\n\xff\n");
    origin.commit("Break it");
    let run = sandbox.run(["pack", &origin.source("//pdf"), "-o", "broken"]);
    assert!(run.code == 1 && run.stderr.contains(".skillignore"), "{}", run.all());
    assert!(!sandbox.path("broken").exists());
}

#[test]
fn an_ignore_file_that_cannot_be_understood_packs_nothing() {
    let sandbox = sandbox();
    sandbox.write("src/pdf/.env", "SECRET");
    for file in [&b".env\n[bad\n"[..], b".env\n\xff\n"] {
        sandbox.write("src/pdf/.skillignore", file);
        let run = sandbox.run(["pack", "src/pdf"]);
        assert_ne!(run.code, 0, "{}", run.all());
        assert!(run.stderr.contains(".skillignore"), "{}", run.stderr);
        assert!(!sandbox.path("pdf.skill").exists());
    }
    // The command line overrides the file.
    sandbox.write("src/pdf/.skillignore", "*.txt\n!keep.txt\n*.md\n");
    sandbox.write("src/pdf/keep.txt", "x");
    sandbox.write("src/pdf/node_modules/a/x.js", "x");
    let packed = |flags: &[&str]| {
        let run = sandbox.run([&["pack", "src/pdf", "--force", "--no-validate"], flags].concat());
        assert_eq!(run.code, 0, "{}", run.all());
        let _ = fs::remove_dir_all(sandbox.path("out"));
        sandbox.run(["install", "pdf.skill", "--dir", "out", "--no-validate"]);
        snapshot(&sandbox.path("out/pdf"))
    };
    assert!(packed(&[]).contains_key("keep.txt"));
    assert!(packed(&[]).contains_key("SKILL.md"), "a skill is not packed without it");
    assert!(!packed(&["--exclude", "keep.txt"]).contains_key("keep.txt"));
    assert!(packed(&["--include", "node_modules/a/*"]).contains_key("node_modules/a/x.js"));
    assert!(!packed(&[]).contains_key("node_modules"));
}

#[test]
fn an_archive_in_a_skill_is_a_file_like_any_other() {
    let sandbox = sandbox();
    sandbox.run(["pack", "src/csv", "-o", "csv.zip"]);
    let noise: Vec<u8> =
        (0_u32..5_000).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let inner = [noise, fs::read(sandbox.path("csv.zip")).unwrap()].concat();
    sandbox.write("src/pdf/assets/inner.zip", &inner);
    sandbox.write("src/pdf/zz.zip", fs::read(sandbox.path("csv.zip")).unwrap());
    let run = sandbox.run(["pack", "src/pdf"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.run(["install", "pdf.skill", "--dir", "out"]).code, 0);
    assert_eq!(fs::read(sandbox.path("out/pdf/assets/inner.zip")).unwrap(), inner);
}

#[test]
fn many_skills_in_one_archive_take_no_longer_than_they_should() {
    let sandbox = Sandbox::new();
    let line = "import zipfile\nz = zipfile.ZipFile('many.zip', 'w')\nfor n in range(8000): z.writestr(f's{n}/SKILL.md', f'---\\nname: s{n}\\ndescription: Skill number {n}. Use when counting.\\n---\\n\\nCount.\\n')\nz.close()";
    if !python(&sandbox, line) {
        return;
    }
    // The harness ends a run that takes a minute.
    let run = sandbox.run(["list", "many.zip", "--format", "names"]);
    assert_eq!(run.stdout.lines().count(), 8000, "{}", run.stderr);
}

#[test]
fn existing_archives_are_not_overwritten_without_force() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(["pack", "src/pdf"]).code, 0);
    assert!(sandbox.path("pdf.skill").is_file());
    assert_eq!(sandbox.run(["pack", "src/pdf"]).code, 0, "the same is no conflict");
    sandbox.write("src/pdf/more.txt", "x");
    let before = fs::read(sandbox.path("pdf.skill")).unwrap();
    assert_eq!(sandbox.run(["pack", "src/pdf"]).code, 1);
    assert_eq!(fs::read(sandbox.path("pdf.skill")).unwrap(), before);
    assert_eq!(sandbox.run(["pack", "src/pdf", "--force"]).code, 0);
    assert_eq!(sandbox.run(["pack", "src/pdf", "-o", "deep/er/x.zip"]).code, 0);
    assert!(sandbox.path("deep/er/x.zip").is_file());
    let run = sandbox.run(["pack", "src", "-o", "one.skill"]);
    assert_eq!(run.code, 2, "two do not fit: {}", run.all());
    assert!(!sandbox.path("one.skill").exists());
}

#[test]
fn a_pipe_does_not_block() {
    let sandbox = sandbox();
    sandbox.fifo("x.skill");
    for flags in [&[][..], &["--force"]] {
        let run = sandbox.run(["pack", "src/pdf", "-o", "x.skill"].iter().chain(flags));
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("x.skill` already exists and is not a file"), "{}", run.stderr);
    }
    // A link to an archive is the user's own.
    assert_eq!(sandbox.run(["pack", "src/pdf", "-o", "real.skill"]).code, 0);
    sandbox.symlink("real.skill", "link.skill");
    assert_eq!(sandbox.run(["pack", "src/pdf", "-o", "link.skill"]).code, 0);
}

/// Makes an archive of `tree`; false if that is not possible.
#[track_caller]
fn zip_tree(sandbox: &Sandbox) -> bool {
    let line = "import zipfile, os\nz = zipfile.ZipFile('tree.zip', 'w')\n\
        for d, _, fs in os.walk('tree'):\n  \
        [z.write(os.path.join(d, f), os.path.relpath(os.path.join(d, f), 'tree')) for f in fs]\nz.close()";
    python(sandbox, line)
}

#[test]
fn skills_are_found_in_an_archive_as_in_a_directory() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("tree/skills/pdf");
    sandbox.good_skill("tree/node_modules/dependency");
    sandbox.good_skill("tree/skills/.git/hidden");
    sandbox.good_skill("tree/cache/cached");
    sandbox.write("tree/cache/CACHEDIR.TAG", "");
    if !zip_tree(&sandbox) {
        return;
    }
    for source in ["tree", "tree.zip"] {
        let run = sandbox.run(["list", source, "--format", "names"]);
        assert_eq!(run.stdout, "pdf\n", "{source}: {}", run.stderr);
    }
}

#[test]
fn a_directory_in_place_of_a_skill_md_is_found_wherever_it_lies() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "tree") else { return };
    sandbox.good_skill("../tree/pdf");
    sandbox.write("../tree/odd/SKILL.md/x.txt", "x");
    origin.commit("Begin");
    sandbox.symlink("../tree", "tree");
    let mut sources = vec!["tree".to_owned(), origin.source("")];
    sources.extend(zip_tree(&sandbox).then(|| "tree.zip".to_owned()));
    for source in &sources {
        let run = sandbox.run(["validate", source]);
        assert_eq!(run.code, 1, "{source}: {}", run.all());
        assert!(run.stdout.contains("missing-skill-md"), "{source}: {}", run.all());
        assert!(run.stdout.contains("2 skills checked"), "{source}: {}", run.all());
    }
}

#[test]
fn a_skill_at_the_root_of_an_archive_is_named_by_its_front_matter() {
    let sandbox = sandbox();
    let line = "import zipfile; z = zipfile.ZipFile('loose.zip', 'w'); z.write('src/pdf/SKILL.md', 'SKILL.md'); z.close()";
    if !python(&sandbox, line) {
        return;
    }
    let run = sandbox.run(["install", "loose.zip"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(
        run.stderr.contains("warning: `loose.zip` has its SKILL.md at the top"),
        "{}",
        run.stderr
    );
    assert!(sandbox.path(SKILLS).join("pdf/SKILL.md").is_file());
}

/// Archives that only Python makes: each is refused as a whole, and nothing is written.
#[test]
fn hostile_archives_are_refused_before_anything_is_written() {
    let prelude = "
import zipfile, struct, sys
good = open('src/pdf/SKILL.md').read()
def make(entries, name='evil.zip', method=zipfile.ZIP_DEFLATED):
    z = zipfile.ZipFile(name, 'w', method)
    for e in entries:
        if isinstance(e, tuple): z.writestr(*e)
        else: z.writestr(e, 'x')
    z.close()
    return bytearray(open(name, 'rb').read())
def save(b): open('evil.zip', 'wb').write(bytes(b))
def info(name, mode):
    i = zipfile.ZipInfo(name); i.create_system = 3; i.external_attr = mode << 16; return i
base = [('pdf/SKILL.md', good)]
";
    let cases = [
        ("slip", "make(base + ['pdf/../../evil'])"),
        ("absolute", "make(base + ['/etc/evil'])"),
        ("drive letter", "make(base + ['C:/evil'])"),
        ("backslash", "make(base + ['pdf\\\\..\\\\evil'])"),
        ("device", "make(base + [(info('pdf/dev', 0o060666), '')])"),
        ("duplicate", "make(base + base)"),
        ("file and directory", "make(base + ['pdf/a', 'pdf/a/b'])"),
        ("escape in a name", "make(base + ['pdf/\\x1b[2J'])"),
        ("prefix", "b = make(base); save(b'#!/bin/sh\\n' + b)"),
        ("suffix", "b = make(base); save(b + b'x')"),
        ("bad checksum", "b = make(base, method=zipfile.ZIP_STORED); b[60] ^= 1; save(b)"),
        (
            "two names",
            "b = make(base); i = bytes(b).index(b'pdf/SKILL.md'); b[i] = ord('q'); save(b)",
        ),
        (
            "second name in an extra field",
            "i = zipfile.ZipInfo('pdf/SKILL.md'); i.extra = struct.pack('<HHB4s', 0x7075, 12, 1, b'abcd') + b'pdf/x.m'; make([(i, good)])",
        ),
        (
            "encrypted",
            "b = make(base); b[6] |= 1; i = bytes(b).index(b'PK\\x01\\x02'); b[i + 8] |= 1; save(b)",
        ),
        (
            "lying size",
            "b = make(base); i = bytes(b).index(b'PK\\x01\\x02'); b[i + 24] += 1; b[22] += 1; save(b)",
        ),
        ("truncated", "b = make(base); save(b[:-30])"),
        ("not an archive", "save(b'hello')"),
        ("empty", "save(b'')"),
        ("a bomb", "make(base + [('pdf/bomb', b'0' * (300 * 1024 * 1024))])"),
        (
            "hidden entry",
            "b = make(base + ['pdf/hidden']); i = bytes(b).rindex(b'PK\\x01\\x02'); e = bytes(b).rindex(b'PK\\x05\\x06'); d = b[:i] + b[e:]; n = len(d) - 22; struct.pack_into('<HH', d, n + 8, 1, 1); c = bytes(d).index(b'PK\\x01\\x02'); struct.pack_into('<II', d, n + 12, n - c, c); save(d)",
        ),
    ];
    let sandbox = sandbox();
    if !python(&sandbox, "pass") {
        return;
    }
    for (what, line) in cases {
        assert!(python(&sandbox, &format!("{prelude}{line}")), "{what}");
        let before = snapshot(&sandbox.path("../home"));
        for command in [
            &["install", "evil.zip"][..],
            &["install", "evil.zip", "--no-validate", "--force"],
            &["validate", "evil.zip"],
            &["list", "evil.zip"],
        ] {
            let run = sandbox.run(command.iter());
            assert_eq!(run.code, 1, "{what}: {command:?} {}", run.all());
            assert!(!run.all().contains('\u{1b}'), "{what}");
        }
        let report: Value = sandbox.document(["install", "evil.zip", "--format", "json"]);
        assert!(report["error"]["kind"].is_string(), "{what}");
        assert_eq!(snapshot(&sandbox.path("../home")), before, "{what}");
    }
}

#[test]
fn a_directory_of_archives_says_how_to_name_them() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/pdf");
    assert_eq!(sandbox.run(["pack", "skills", "-o", "dist"]).code, 0);
    let run = sandbox.run(["validate", "dist"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("help: it contains archives; name them as sources: `dist/*.skill`"),
        "{}",
        run.stderr
    );
}
