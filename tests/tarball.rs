//! `.tar.gz` archives as sources, and archives that two programs would read differently.

pub(crate) mod maker;

use crate::harness::{Run, Sandbox, good_text, lacks};
use maker::{TarEntry, archive, attributes, entry, file, gzip, open_archive};

fn skill() -> TarEntry {
    file("pdf/SKILL.md", &good_text("pdf"))
}

fn read(bytes: &[u8]) -> Run {
    let sandbox = Sandbox::new();
    sandbox.write("x.tar.gz", gzip(bytes));
    sandbox.run(["read", "skill://pdf/SKILL.md", "x.tar.gz"])
}

#[track_caller]
fn is_read(what: &str, bytes: &[u8]) {
    let run = read(bytes);
    assert_eq!((run.code, run.stdout), (0, good_text("pdf")), "{what}: {}", run.stderr);
}

#[track_caller]
fn is_refused(what: &str, words: &str, bytes: &[u8]) {
    let run = read(bytes);
    let is_said = run.stderr.contains("x.tar.gz` is refused: ") && run.stderr.contains(words);
    assert!(run.code == 1 && is_said, "{what}: {} {}", run.code, run.all());
}

#[test]
fn archives_of_every_writer_are_read() {
    let long = format!("pdf/{}/data.txt", "d".repeat(120));
    let size = good_text("pdf").len().to_string();
    for (what, entries) in [
        ("plain", vec![skill()]),
        ("with directories", vec![entry(b'5', b"pdf/", b""), skill()]),
        ("from inside", vec![entry(b'5', b"./", b""), file("./pdf/SKILL.md", &good_text("pdf"))]),
        ("the oldest format", vec![skill().set(257, &[0; 8]).set(156, &[0])]),
        ("of GNU tar", vec![skill().set(257, b"ustar  \0")]),
        ("a long name of GNU tar", {
            vec![entry(b'L', b"././@LongLink", long.as_bytes()), file("cut", "x"), skill()]
        }),
        ("a long name in attributes", {
            vec![attributes(b'x', &[("path", &long), ("mtime", "1.5")]), file("cut", "x"), skill()]
        }),
        ("a name in two parts", vec![skill().set(0, b"SKILL.md\0\0\0\0").set(345, b"pdf")]),
        ("the commit that git writes", vec![attributes(b'g', &[("comment", "a1")]), skill()]),
        ("a size said twice", vec![attributes(b'x', &[("size", &size)]), skill()]),
        ("a second name of a file", vec![skill(), entry(b'1', b"pdf/b", b"").link("pdf/SKILL.md")]),
        ("a link inside", vec![skill(), entry(b'2', b"pdf/b", b"").link("SKILL.md")]),
    ] {
        is_read(what, &archive(&entries));
    }
    is_read("padded to a record", &[archive(&[skill()]), vec![0; 10_240]].concat());
}

#[test]
fn archives_that_programs_read_differently_are_refused() {
    const NAMES: &str = "an entry has two names";
    let text = good_text("pdf");
    for (what, words, entries) in [
        ("a duplicate", "appears twice", vec![skill(), skill()]),
        ("the same through `./`", "appears twice", vec![skill(), file("./pdf/SKILL.md", &text)]),
        ("file and directory", "both a file and a directory", vec![skill(), file("pdf", "x")]),
        ("a file with a slash", "is a file and a directory", vec![skill(), file("pdf/x/", "")]),
        ("above", "leads out of the archive", vec![skill(), file("pdf/../../x", "")]),
        ("absolute", "is an absolute path", vec![skill(), file("/etc/x", "")]),
        ("a drive", "is an absolute path", vec![skill(), file("C:/x", "")]),
        ("a backslash", "characters that are not allowed", vec![skill(), file("pdf\\x", "")]),
        ("an escape", "characters that are not allowed", vec![skill(), file("pdf/\u{1b}[m", "")]),
        ("no UTF-8", "is not UTF-8", vec![skill(), entry(b'0', b"pdf/\xff", b"")]),
        ("a device", "neither a file nor a directory", vec![skill(), entry(b'3', b"pdf/x", b"")]),
        ("a pipe", "neither a file nor a directory", vec![skill(), entry(b'6', b"pdf/x", b"")]),
        ("sparse", "neither a file nor a directory", vec![skill(), entry(b'S', b"pdf/x", b"")]),
        ("an empty name", "leads out of the archive", vec![skill(), file("", "x")]),
        ("a hard link out", "an absolute path", {
            vec![skill(), entry(b'1', b"pdf/x", b"").link("/etc/passwd")]
        }),
        ("a hard link to what comes later", "to no file before it", {
            vec![entry(b'1', b"pdf/x", b"").link("pdf/SKILL.md"), skill()]
        }),
        ("a link with bytes", "holds bytes", vec![skill(), entry(b'2', b"pdf/x", b"bytes")]),
        ("a directory with bytes", "holds bytes", vec![skill(), entry(b'5', b"pdf/x", b"bytes")]),
        ("a size that only some read", "size of an entry is not the same", {
            vec![attributes(b'x', &[("size", "512")]), skill()]
        }),
        ("two sets of attributes", NAMES, {
            vec![attributes(b'x', &[("path", "a")]), attributes(b'x', &[("path", "b")]), skill()]
        }),
        ("names of two kinds", NAMES, {
            vec![attributes(b'x', &[("path", "a")]), entry(b'L', b"x", b"b"), skill()]
        }),
        ("one attribute twice", NAMES, {
            vec![attributes(b'x', &[("path", "a"), ("path", "b")]), skill()]
        }),
        ("a name for all", "several entries one name", {
            vec![attributes(b'g', &[("path", "pdf/x")]), skill()]
        }),
        ("holes", "attributes that not every program reads", {
            vec![attributes(b'x', &[("GNU.sparse.major", "1")]), skill()]
        }),
        ("another encoding", "attributes that not every program reads", {
            vec![attributes(b'x', &[("hdrcharset", "BINARY")]), skill()]
        }),
        ("attributes of nothing", "attributes of no entry", {
            vec![skill(), attributes(b'x', &[("path", "a")])]
        }),
        ("a damaged list", "attributes of an entry are damaged", {
            vec![entry(b'x', b"x", b"99 path=a\n"), skill()]
        }),
        ("a zero in a name", NAMES, vec![entry(b'L', b"x", b"a\0b\0"), skill()]),
        ("a start of the name that GNU tar ignores", "name of an entry is not the same", {
            vec![skill().set(257, b"ustar  \0").set(345, b"other")]
        }),
        ("a size in base 256", "size of an entry is not a number", {
            vec![skill().set(124, b"\x80\0\0\0\0\0\0\0\0\0\x01\0")]
        }),
        ("a wrong checksum", "not a tar archive, or damaged", {
            vec![skill().set(148, b"000000\0 ")]
        }),
    ] {
        is_refused(what, words, &archive(&entries));
    }
}

#[test]
fn an_archive_has_one_end() {
    let whole = archive(&[skill()]);
    is_refused("no end", "ends too early", &open_archive(&[skill()]));
    is_refused("half an end", "ends too early", &whole[..whole.len() - 512]);
    is_refused("a cut entry", "ends too early", &whole[..600]);
    let late = [vec![0; 512], whole.clone()].concat();
    is_refused("one empty block between", "goes on after its end", &late);
    is_refused("a second archive", "goes on after its end", &[&whole[..], &whole].concat());
    let sandbox = Sandbox::new();
    let packed = gzip(&whole);
    for (what, bytes) in [
        ("two members", [&packed[..], &gzip(b"")].concat()),
        ("a byte more", [&packed[..], b"\0"].concat()),
        ("a byte less", packed[..packed.len() - 1].to_vec()),
        ("no gzip", whole.clone()),
        ("nothing", Vec::new()),
        ("a zip", b"PK\x05\x06".to_vec()),
    ] {
        sandbox.write("x.tgz", bytes);
        let run = sandbox.run(["list", "x.tgz"]);
        assert!(run.code == 1 && run.stderr.contains("is refused"), "{what}: {}", run.all());
    }
}

#[test]
fn a_link_that_leaves_the_skill_is_unsafe() {
    let sandbox = Sandbox::new();
    let link = entry(b'2', b"pdf/secrets", b"").link("../../.ssh/id");
    sandbox.write("x.tgz", gzip(&archive(&[skill(), link])));
    let run = sandbox.run(["install", "x.tgz", "--only", "pdf"]);
    assert!(run.code == 1 && run.stderr.contains("symlink"), "{}", run.all());
    assert!(!sandbox.path("home/.claude/skills/pdf").exists());
}

#[test]
fn an_archive_that_unpacks_to_much_is_refused_before_it_is_unpacked() {
    let sandbox = Sandbox::new();
    let large = file("pdf/large", "").size(257 << 20);
    sandbox.write("much.tgz", gzip(&archive(&[skill(), large])));
    let run = sandbox.run(["list", "much.tgz"]);
    assert!(run.code == 1 && run.stderr.contains("much.tgz` is too large"), "{}", run.all());
    let parts = (0..3).map(|number| file(&format!("large/{number}"), &"x".repeat(4 << 20)));
    let entries: Vec<TarEntry> = parts.chain([skill()]).collect();
    sandbox.write("fits.tgz", gzip(&archive(&entries)));
    let run = sandbox.run(["read", "skill://pdf", "fits.tgz"]);
    assert_eq!((run.code, run.stdout), (0, good_text("pdf")), "{}", run.stderr);
}

#[test]
fn what_tar_packs_is_installed_as_it_was() {
    if lacks(&["tar", "gzip"]) {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.good_skill("src/pdf");
    sandbox.write("src/pdf/scripts/run.sh", "#!/bin/sh\n");
    sandbox.chmod("src/pdf/scripts/run.sh", 0o755);
    sandbox.write(format!("src/pdf/{}/é.txt", "long".repeat(40)), "text\n");
    sandbox.shell("ln src/pdf/scripts/run.sh src/pdf/scripts/same.sh");
    let expected = sandbox.document(["list", "src/pdf", "--long", "--format", "json"]);
    for (number, line) in [
        "tar czf ARCHIVE -C src pdf",
        "tar czf ARCHIVE -C src/pdf .",
        "tar czf ARCHIVE --format=posix -C src pdf",
        "tar czf ARCHIVE --format=gnu src",
    ]
    .iter()
    .enumerate()
    {
        let archive = format!("{number}.tar.gz");
        let made = sandbox.shell(&line.replace("ARCHIVE", &archive));
        assert_eq!(made.code, 0, "{line}: {}", made.all());
        let target = format!("out{number}");
        let run = sandbox.document(["install", &archive, "--dir", &target, "--format", "json"]);
        assert_eq!(run["skills"][0]["digest"], expected["skills"][0]["digest"], "{line}");
        assert_eq!(run["skills"][0]["name"], "pdf", "{line}");
        assert_eq!(run["skills"][0]["kind"], "archive", "{line}");
        assert_eq!(sandbox.mode(format!("{target}/pdf/scripts/run.sh")), 0o755, "{line}");
    }
}
