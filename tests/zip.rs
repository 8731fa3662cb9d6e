//! Zip archives byte by byte: zip64, and archives that two programs would read differently.

pub(crate) mod maker;

use crate::harness::{Run, Sandbox, good_text};
use maker::{End, Entry, FILE, Header, NO_ROOM, UTF8, archive, entry, extra, file, long};

fn skill() -> Entry {
    entry("pdf/SKILL.md", good_text("pdf").as_bytes(), true)
}

fn read(bytes: &[u8]) -> Run {
    let sandbox = Sandbox::new();
    sandbox.write("x.zip", bytes);
    sandbox.run(["read", "skill://pdf/SKILL.md", "x.zip"])
}

fn is_read(what: &str, bytes: &[u8]) {
    let run = read(bytes);
    assert_eq!((run.code, run.stdout), (0, good_text("pdf")), "{what}: {}", run.stderr);
}

fn is_refused(what: &str, words: &str, bytes: &[u8]) {
    let run = read(bytes);
    let is_said = run.stderr.contains("x.zip` is refused: ") && run.stderr.contains(words);
    assert!(run.code == 1 && is_said, "{what}: {} {}", run.code, run.all());
}

const AMBIGUOUS: &str = "the size of an entry is ambiguous";
const DISAGREE: &str = "its directory and an entry disagree";

#[test]
fn archives_of_the_long_kind_are_read() {
    let stored = file("pdf/data.txt", "data\n");
    is_read("plain", &archive(&[skill(), stored.clone()], |_| {}));
    for (what, entry) in [
        ("sizes in the entry", skill().long_local()),
        ("sizes in the entry, streamed", {
            let entry = skill().streamed(8).long_local();
            entry.local(|header| header.extra = long(&[0, 0]))
        }),
        ("only the size is known beforehand", {
            let size = u64::from(skill().central.size);
            let entry = skill().streamed(8).long_local();
            entry.local(|header| header.extra = long(&[size, 0]))
        }),
        ("one size in the directory", {
            skill().long_local().central(|header| {
                header.extra = long(&[header.size.into()]);
                header.size = NO_ROOM;
            })
        }),
        ("both sizes in the directory", {
            skill().central(|header| {
                header.extra = long(&[header.size.into(), header.compressed.into()]);
                (header.size, header.compressed) = (NO_ROOM, NO_ROOM);
            })
        }),
        ("the place in the directory", {
            let entry = skill().central(|header| header.extra = long(&[0]));
            Entry { offset: Some(NO_ROOM), ..entry }
        }),
        ("all of it, and other fields around", {
            let entry = skill().long_local().central(|header| {
                let sizes = long(&[header.size.into(), header.compressed.into(), 0]);
                header.extra = [extra(0x5455, &[0; 5]), sizes, extra(0x7875, &[0; 11])].concat();
                (header.size, header.compressed) = (NO_ROOM, NO_ROOM);
            });
            Entry { offset: Some(NO_ROOM), ..entry }
        }),
    ] {
        let entries = [entry, stored.clone().long_local()];
        is_read(what, &archive(&entries, |_| {}));
        is_read(what, &archive(&entries, |end| _ = end.lengthen()));
        is_read(what, &archive(&entries, End::only_long));
    }
}

#[test]
fn a_directory_may_list_its_entries_in_any_order() {
    let bytes = archive(&[skill(), file("pdf/a", "x"), file("pdf/b", "y")], |_| {});
    let starts = |four: &[u8; 4]| -> Vec<usize> {
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(four)).collect()
    };
    let [records, end] = [starts(b"PK\x01\x02"), starts(b"PK\x05\x06")];
    let (first, others) = (records[0]..records[1], records[1]..end[0]);
    let parts = [&bytes[..records[0]], &bytes[others], &bytes[first], &bytes[end[0]..]];
    is_read("turned around", &parts.concat());
}

/// A change to the end of an archive.
type Change = &'static dyn Fn(&mut End);

#[test]
fn two_ends_say_the_same_or_nothing_is_read() {
    let changes: [(&str, Change); 19] = [
        ("its end is damaged", &|end| end.lengthen().locator.0 = 1),
        ("its end is damaged", &|end| end.lengthen().locator.1 += 1),
        ("its end is damaged", &|end| end.lengthen().locator.1 -= 1),
        ("its end is damaged", &|end| end.lengthen().locator.1 = u64::MAX),
        ("its end is damaged", &|end| end.lengthen().locator.2 = 2),
        ("an unknown format", &|end| end.lengthen().rest += 1),
        ("an unknown format", &|end| end.lengthen().rest = 0),
        ("an unknown format", &|end| end.lengthen().needed = 46),
        ("two end records", &|end| end.lengthen().disks[0] = 1),
        ("two end records", &|end| end.lengthen().disks[1] = 1),
        ("two end records", &|end| end.lengthen().numbers[0] += 1),
        ("two end records", &|end| end.lengthen().numbers[1] += 1),
        ("two end records", &|end| end.lengthen().numbers[2] += 1),
        ("two end records", &|end| end.lengthen().numbers[3] += 1),
        ("a part of a larger archive", &|end| {
            end.lengthen().numbers[0] = 1;
            end.counts[2] = u16::MAX;
        }),
        ("a part of a larger archive", &|end| {
            end.counts[0] = u16::MAX;
            end.lengthen().disks[0] = 1;
        }),
        ("the offset of its directory is wrong", &|end| {
            end.lengthen().numbers[3] += 1;
            end.start = NO_ROOM;
        }),
        ("the offset of its directory is wrong", &|end| {
            end.lengthen().numbers[3] = u64::MAX;
            end.start = NO_ROOM;
        }),
        // No zip64 record, although it is needed.
        ("the offset of its directory is wrong", &|end| end.start = NO_ROOM),
    ];
    for (number, (words, change)) in changes.into_iter().enumerate() {
        let bytes = archive(&[skill(), file("pdf/a", "x")], change);
        is_refused(&format!("{number}"), words, &bytes);
    }
    let bytes = archive(&[skill()], |end| _ = end.lengthen());
    // Bytes between the directory and the end record belong to nothing.
    let at = bytes.windows(4).position(|four| four == b"PK\x06\x06").unwrap();
    let gap = [&bytes[..at], b"x", &bytes[at..]].concat();
    is_refused("a gap before the long end", "", &gap);
    let at = bytes.windows(4).position(|four| four == b"PK\x05\x06").unwrap();
    let gap = [&bytes[..at], b"x", &bytes[at..]].concat();
    is_refused("a gap after the locator", "the offset of its directory is wrong", &gap);
    // The last bytes of a directory can look like the locator of a zip64 record.
    let mut last = b"PK\x06\x07".to_vec();
    last.extend([0; 16]);
    let entry = skill().central(|header| header.extra = extra(0xcafe, &last));
    is_refused("a locator in an extra field", "its end is damaged", &archive(&[entry], |_| {}));
}

#[test]
fn long_sizes_are_there_exactly_where_they_are_needed() {
    let size = u64::from(skill().central.size);
    let compressed = u64::from(skill().central.compressed);
    let no_room = |header: &mut Header| (header.size, header.compressed) = (NO_ROOM, NO_ROOM);
    for (what, words, entry) in [
        ("no long sizes in the entry", AMBIGUOUS, skill().local(no_room)),
        ("no long sizes in the directory", AMBIGUOUS, skill().central(no_room)),
        (
            "nobody needs them in the entry",
            AMBIGUOUS,
            skill().local(|header| header.extra = long(&[size, compressed])),
        ),
        (
            "nobody needs them in the directory",
            AMBIGUOUS,
            skill().central(|header| header.extra = long(&[size, compressed])),
        ),
        ("an empty field", AMBIGUOUS, skill().central(|header| header.extra = long(&[]))),
        (
            "one is needed, two are there",
            AMBIGUOUS,
            skill().central(|header| {
                header.extra = long(&[size, compressed]);
                header.size = NO_ROOM;
            }),
        ),
        (
            "two are needed, one is there",
            AMBIGUOUS,
            skill().central(|header| {
                header.extra = long(&[size]);
                no_room(header);
            }),
        ),
        (
            "half a number",
            AMBIGUOUS,
            skill().local(|header| {
                header.extra = extra(1, &[0; 12]);
                no_room(header);
            }),
        ),
        (
            "one of two in the entry",
            AMBIGUOUS,
            skill().local(|header| {
                header.extra = long(&[size]);
                header.size = NO_ROOM;
            }),
        ),
        (
            "twice",
            AMBIGUOUS,
            skill().long_local().local(|header| header.extra = header.extra.repeat(2)),
        ),
        (
            "a field that is cut off",
            "an entry is damaged",
            skill().local(|header| header.extra = vec![1, 0, 16, 0, 1]),
        ),
        (
            "another size in the entry",
            DISAGREE,
            skill().long_local().local(|header| header.extra = long(&[size + 1, compressed])),
        ),
        (
            "another length in the entry",
            DISAGREE,
            skill().long_local().local(|header| header.extra = long(&[size, compressed + 1])),
        ),
        (
            "no sizes in an entry that is not streamed",
            DISAGREE,
            skill().long_local().local(|header| header.extra = long(&[0, 0])),
        ),
        (
            "another size in the directory",
            DISAGREE,
            skill().long_local().central(|header| {
                header.extra = long(&[size + 1]);
                header.size = NO_ROOM;
            }),
        ),
        (
            "more than anything holds",
            "an entry is damaged",
            skill().central(|header| {
                header.extra = long(&[u64::MAX, u64::MAX]);
                no_room(header);
            }),
        ),
        (
            "another place",
            "its entries overlap",
            Entry {
                offset: Some(NO_ROOM),
                ..skill().central(|header| header.extra = long(&[u64::MAX]))
            },
        ),
        (
            "short numbers after the bytes of a long entry",
            "does not have its declared size",
            skill().streamed(4).long_local().local(|header| header.extra = long(&[0, 0])),
        ),
        (
            "long numbers after the bytes of a short entry",
            "does not have its declared size",
            skill().streamed(8),
        ),
    ] {
        is_refused(what, words, &archive(&[entry, file("pdf/a", "x")], |_| {}));
    }
    let mut entry = skill().streamed(8).long_local().local(|header| header.extra = long(&[0, 0]));
    entry.descriptor[15] = 1;
    is_refused(
        "another long size after the bytes",
        "does not have its declared size",
        &archive(&[entry], |_| {}),
    );
}

#[test]
fn entries_that_are_not_files_are_refused_from_any_system() {
    // MS-DOS, OpenVMS, Unix, Macintosh, NTFS, VFAT, OS X, and an unknown one.
    for made_by in [0, 2, 3, 7, 10, 14, 19, 200] {
        for (mode, words) in [
            (0o010_644, "neither a file nor a directory"),
            (0o020_644, "neither a file nor a directory"),
            (0o060_644, "neither a file nor a directory"),
            (0o140_644, "neither a file nor a directory"),
            (0o040_755, "neither a file nor a directory"),
        ] {
            let mut entry = file("pdf/x", "/etc/passwd");
            (entry.made_by, entry.attributes) = (made_by, mode << 16);
            let what = format!("{mode:o} made by {made_by}");
            is_refused(&what, words, &archive(&[skill(), entry], |_| {}));
        }
        // For a plain archive, only names and content count.
        for attributes in [FILE, 0, 0x20, 0o644 << 16] {
            let mut entry = skill();
            (entry.made_by, entry.attributes) = (made_by, attributes);
            is_read(&format!("{attributes:x} made by {made_by}"), &archive(&[entry], |_| {}));
        }
    }
    for (attributes, words) in [
        (0x08, "neither a file nor a directory"),
        (0x40, "neither a file nor a directory"),
        (0x400, "neither a file nor a directory"),
        (0x10, "a file and a directory"),
    ] {
        let mut entry = file("pdf/x", "x");
        (entry.made_by, entry.attributes) = (0, attributes);
        is_refused(&format!("{attributes:x}"), words, &archive(&[skill(), entry], |_| {}));
    }
    let directory = |name: &str| Entry { attributes: (0o040_755 << 16) | 0x10, ..file(name, "") };
    is_read("a directory", &archive(&[skill(), directory("pdf/sub/")], |_| {}));
    is_read("its own directory", &archive(&[directory("pdf/"), skill()], |_| {}));
    // The name of a directory, and something else in the rest.
    for (mode, content, words) in [
        (0o040_755, "x", "is a directory with content"),
        (0o100_644, "", "neither a file nor a directory"),
        (0o120_777, "", "neither a file nor a directory"),
    ] {
        let entry = Entry { attributes: mode << 16, ..file("pdf/sub/", content) };
        is_refused(&format!("{mode:o}"), words, &archive(&[skill(), entry], |_| {}));
    }
}

#[test]
fn a_link_is_a_link_whatever_system_made_it() {
    for made_by in [0, 2, 3, 7, 10, 14, 19, 200] {
        let attributes = 0o120_777 << 16;
        let entry = Entry { attributes, made_by, ..file("pdf/link", "/etc/passwd") };
        let sandbox = Sandbox::new();
        sandbox.write("x.zip", archive(&[skill(), entry], |_| {}));
        assert_eq!(sandbox.rules_fired(["x.zip"]), ["symlink"], "made by {made_by}");
        let run = sandbox.run(["install", "x.zip", "--dir", "out"]);
        assert_eq!(run.code, 1, "made by {made_by}: {}", run.all());
        assert!(!sandbox.path("out/pdf").exists());
    }
}

#[test]
fn a_link_is_kept_as_one_unless_its_target_is_too_long() {
    let link = |bytes: usize| {
        let entry = Entry { attributes: 0o120_777 << 16, ..file("pdf/link", &"x".repeat(bytes)) };
        archive(&[skill(), entry], |_| {})
    };
    for bytes in [1, 4_096] {
        is_read("a link", &link(bytes));
    }
    is_refused("a long one", "is a link to a path that is too long", &link(4_097));
}

#[test]
fn an_archive_that_says_that_it_unpacks_to_much_is_not_unpacked() {
    let claim = |name: &str, mebibytes: u32| {
        entry(name, b"x", true).with(|header| header.size = mebibytes << 20)
    };
    let small = ["pdf/a", "pdf/b", "pdf/c"].map(|name| claim(name, 90));
    for entries in [vec![skill(), claim("pdf/a", 257)], small.to_vec()] {
        let run = read(&archive(&entries, |_| {}));
        assert!(run.code == 1 && run.stderr.contains("x.zip` is too large"), "{}", run.all());
    }
    let words = "does not unpack to its stated size";
    is_refused("a claim within the limit", words, &archive(&[skill(), claim("pdf/a", 90)], |_| {}));
}

#[test]
fn versions_methods_and_flags_that_are_not_known_are_refused() {
    const NEWER: &str = "it needs an unknown version of the format";
    const UNKNOWN: &str = "it uses an unknown compression method";
    let again = |change: &dyn Fn(Entry) -> Entry| archive(&[change(skill())], |_| {});
    for version in [10, 20, 45] {
        is_read("version", &again(&|entry| entry.with(|header| header.needed = version)));
    }
    for version in [46, 51, 63, 0x0114] {
        let what = format!("version {version}");
        is_refused(&what, NEWER, &again(&|entry| entry.local(|header| header.needed = version)));
        is_refused(&what, NEWER, &again(&|entry| entry.central(|header| header.needed = version)));
    }
    for method in [1, 6, 9, 12, 14, 93, 95, 99] {
        let bytes = again(&|entry| entry.with(|header| header.method = method));
        is_refused(&format!("method {method}"), UNKNOWN, &bytes);
    }
    for bit in [4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15] {
        let bytes = again(&|entry| entry.with(|header| header.flags = 1 << bit));
        is_refused(&format!("flag {bit}"), UNKNOWN, &bytes);
    }
    let encrypted = again(&|entry| entry.with(|header| header.flags = 1));
    is_refused("encrypted", "it is encrypted", &encrypted);
}

#[test]
fn both_descriptions_of_an_entry_say_the_same() {
    // Bytes that are valid with both methods: stored, they are the deflated form of another file.
    let inner = miniz_oxide::deflate::compress_to_vec(b"two", 6);
    let stored = entry("pdf/x", &inner, false);
    let deflated = entry("pdf/x", b"two", true);
    assert_eq!(stored.data, deflated.data);
    let changes: [(&str, Entry); 9] = [
        ("method", stored.clone().local(|header| header.method = 8)),
        ("method", deflated.clone().local(|header| header.method = 0)),
        ("flags", stored.clone().local(|header| header.flags = UTF8)),
        ("flags", deflated.clone().local(|header| header.flags = 0b10)),
        ("checksum", stored.clone().local(|header| header.crc ^= 1)),
        ("length", stored.clone().local(|header| header.compressed += 1)),
        ("size", stored.clone().local(|header| header.size += 1)),
        ("name", stored.clone().local(|header| header.name = b"pdf/y".to_vec())),
        ("no sizes", stored.clone().local(|header| (header.size, header.compressed) = (0, 0))),
    ];
    for (what, entry) in changes {
        is_refused(what, DISAGREE, &archive(&[skill(), entry], |_| {}));
    }
    is_read("the same", &archive(&[skill(), stored, file("pdf/y", "")], |_| {}));
}

#[test]
fn stored_bytes_whose_length_follows_them_are_refused() {
    for width in [4, 8] {
        let mut stored = file("pdf/x", "x").streamed(width);
        let mut empty = file("pdf/x", "").streamed(width);
        if width == 8 {
            for entry in [&mut stored, &mut empty] {
                *entry = entry.clone().long_local().local(|header| header.extra = long(&[0, 0]));
            }
        }
        let words = "an entry does not declare its size";
        is_refused("stored", words, &archive(&[skill(), stored], |_| {}));
        // Empty content cannot be read as longer content.
        is_read("empty", &archive(&[skill(), empty], |_| {}));
    }
    for known in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)] {
        let Header { crc, compressed, size, .. } = skill().central;
        let entry = skill().streamed(4).local(|header| {
            header.crc = crc * known.0;
            header.compressed = compressed * known.1;
            header.size = size * known.2;
        });
        is_read("deflated", &archive(std::slice::from_ref(&entry), |_| {}));
        let wrong = entry.local(|header| header.size = size + 1);
        is_refused("deflated", DISAGREE, &archive(&[wrong], |_| {}));
    }
    let mut unsigned = skill().streamed(4);
    unsigned.descriptor.drain(..4);
    is_read("without a signature", &archive(&[unsigned], |_| {}));
}

#[test]
fn a_name_in_an_encoding_that_is_not_said_is_refused() {
    let named = |name: &[u8], flags: u16| {
        let entry = file("", "x").with(|header| {
            header.name = [b"pdf/", name].concat();
            header.flags = flags;
        });
        archive(&[skill(), entry], |_| {})
    };
    is_read("UTF-8 that is said", &named("é".as_bytes(), UTF8));
    let words = "has an unknown encoding";
    is_refused("UTF-8 that is not said", words, &named("é".as_bytes(), 0));
    for flags in [0, UTF8] {
        is_refused("Latin 1", "a name is not UTF-8", &named(b"\xe9", flags));
    }
}

#[test]
fn more_entries_than_the_short_record_counts_are_too_many() {
    let entries: Vec<Entry> =
        (0..65_600).map(|number| file(&format!("pdf/{number}"), "")).collect();
    let bytes = archive(&entries, |end| {
        end.only_long();
        end.lengthen().numbers = [65_600, 65_600, 0, 0];
    });
    // Length and offset fit; only the counts do not.
    let sandbox = Sandbox::new();
    let at = bytes.windows(4).rposition(|four| four == b"PK\x06\x06").unwrap();
    let start = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let mut bytes = bytes;
    bytes[at + 40..at + 48].copy_from_slice(&((at - start) as u64).to_le_bytes());
    bytes[at + 48..at + 56].copy_from_slice(&(start as u64).to_le_bytes());
    let place = at + 56 + 8;
    bytes[place..place + 8].copy_from_slice(&(at as u64).to_le_bytes());
    sandbox.write("x.zip", bytes);
    let run = sandbox.run(["list", "x.zip"]);
    assert!(run.code == 1 && run.stderr.contains("x.zip` is too large"), "{}", run.all());
}

#[test]
fn a_file_that_grows_when_it_is_unpacked_is_never_held_as_a_whole() {
    let sandbox = Sandbox::new();
    let zeros = entry("pdf/zeros.bin", &vec![0; 64 * 1024 * 1024], true);
    sandbox.write("x.zip", archive(&[skill(), zeros], |_| {}));
    for verb in ["list --long", "validate"] {
        // If the system limits memory, this is less than the size of the file.
        let run = sandbox.shell(&format!("ulimit -d 60000; \"$SKILLS\" {verb} x.zip"));
        assert!(run.code < 2 && run.stdout.contains("pdf"), "{verb}: {}", run.all());
    }
}
