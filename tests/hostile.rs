//! Hostile input: in every format, each run ends in time, does not crash, and prints nothing that
//! controls a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use crate::harness::{Run, Sandbox, good_text, text};
use crate::sarif;

const FORMATS: [&str; 6] = ["human", "json", "sarif", "github", "gitlab", "junit"];

/// Far more than any of these needs, far less than a hang.
const LIMIT: Duration = Duration::from_secs(20);

/// Validates `source` in every format; the exit code must be one of `codes`.
fn survives(sandbox: &Sandbox, source: &str, codes: &[i32]) -> Run {
    let mut human = None;
    for format in FORMATS {
        let started = Instant::now();
        let run = sandbox.run(["validate", "-v", source, "--format", format]);
        let time = started.elapsed();
        assert!(time < LIMIT, "{format} took {time:?}");
        assert!(codes.contains(&run.code), "{format} gave {}: {}", run.code, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{format}: {}", run.stderr);
        let all = run.all();
        if let Some(bad) = all.chars().find(|c| is_dangerous(*c)) {
            panic!("{format} prints U+{:04X}: {all:?}", bad as u32);
        }
        if run.code < 2 {
            match format {
                "json" | "gitlab" => {
                    drop(serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap())
                }
                "sarif" => drop(sarif::parse(&run.stdout)),
                "junit" => drop(roxmltree::Document::parse(&run.stdout).unwrap()),
                "github" => assert!(run.stdout.lines().all(|line| line.starts_with("::"))),
                _ => human = Some(run),
            }
        } else if format == "human" {
            assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
            human = Some(run);
        }
    }
    human.unwrap()
}

/// Control characters except tab and newline, and characters that hide or reorder text.
fn is_dangerous(character: char) -> bool {
    (character.is_control() && character != '\n' && character != '\t')
        || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn skill_with(text: impl AsRef<[u8]>) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/SKILL.md", text);
    sandbox
}

#[test]
fn a_path_that_is_not_there() {
    let sandbox = Sandbox::new();
    for path in ["missing", "a\u{1b}[2J\u{202e}\n", "", "/dev/null/x", &"x".repeat(5_000)] {
        survives(&sandbox, path, &[2]);
    }
}

#[test]
fn a_device_as_a_source() {
    let sandbox = Sandbox::new();
    survives(&sandbox, "/dev/zero", &[2]);
    survives(&sandbox, "/dev/null", &[2]);
}

#[test]
fn a_source_that_is_a_pipe() {
    let sandbox = Sandbox::new();
    sandbox.fifo("pipe.md");
    survives(&sandbox, "pipe.md", &[2]);
}

#[test]
fn bytes_that_are_not_utf8() {
    survives(&skill_with(b"---\nname: \xff\xfe\n---\n"), "pdf", &[1]);
    survives(&skill_with([0xff; 4096]), "pdf", &[1]);
    let utf16: Vec<u8> = good_text("pdf").encode_utf16().flat_map(u16::to_le_bytes).collect();
    survives(&skill_with([&[0xff, 0xfe], utf16.as_slice()].concat()), "pdf", &[1]);
    survives(&skill_with(&utf16), "pdf", &[1]);
}

#[test]
fn control_characters_everywhere() {
    let all: String = (0..0xa0).filter_map(char::from_u32).collect();
    survives(&skill_with(&all), "pdf", &[1]);
    survives(&skill_with(format!("---\nname: {all}\ndescription: x\n---\n{all}")), "pdf", &[1]);
    survives(&skill_with(good_text("pdf") + "\0\0\0"), "pdf", &[1]);
    survives(&skill_with([0; 100_000]), "pdf", &[1]);
}

#[test]
fn a_name_with_escapes_and_bidirectional_controls() {
    for name in ["\"\\e[31mred\\u202e\"", "\u{1b}[31mred", "\u{202e}fdp", "\"a\\nb\\r\\u2028\""] {
        let text = good_text(name).replace("Run it", "Run \u{200b}\u{e0041}\u{2066}it");
        survives(&skill_with(text), "pdf", &[1]);
    }
}

#[test]
fn an_empty_file_and_one_newline() {
    for text in ["", "\n", "---", "---\n", "---\n---", "\u{feff}", "\r", "--- \r\n---"] {
        survives(&skill_with(text), "pdf", &[1]);
    }
}

#[test]
fn a_front_matter_of_64_mebibytes() {
    let sandbox = skill_with("---\n");
    let file = File::options().write(true).open(sandbox.path("pdf/SKILL.md")).unwrap();
    file.set_len(64 * 1024 * 1024).unwrap();
    let run = survives(&sandbox, "pdf", &[1]);
    assert!(run.stdout.contains("67108864 bytes"), "{}", run.stdout);
}

#[test]
fn a_front_matter_that_fills_all_that_is_read() {
    let key = "a".repeat(1000);
    let long: String = (0..1000).map(|number| format!("{key}{number}: x\n")).collect();
    survives(&skill_with(text("pdf", &long)), "pdf", &[1]);
    let line = format!("description: {}: x\n", "a".repeat(60_000));
    survives(&skill_with(format!("---\nname: pdf\n{line}---\n\nRun it.\n")), "pdf", &[1]);
}

#[test]
fn brackets_aliases_and_other_bombs() {
    let indented: String = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let keys: String = (0..6_000).map(|number| format!("k{number}: 1\n")).collect();
    let bomb = "a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: [*c,*c,*c]\n";
    for more in [
        format!("metadata: {}\n", "[".repeat(60_000)),
        format!("metadata: {}\n", "{a: ".repeat(15_000)),
        format!("metadata: {}\n", "- ".repeat(30_000)),
        format!("metadata: {}\n", "? ".repeat(30_000)),
        format!("metadata:\n{}", &indented[..60_000]),
        bomb.to_owned(),
        keys,
        format!("metadata: {}x\n", "!".repeat(60_000)),
        format!("metadata: \"{}\n", "\\".repeat(60_000)),
        format!("metadata: |\n{}", " \n".repeat(30_000)),
    ] {
        survives(&skill_with(text("pdf", &more)), "pdf", &[0, 1]);
    }
    survives(&skill_with("[".repeat(100_000)), "pdf", &[1]);
    survives(&skill_with(format!("---\n{}\n---\n", "[".repeat(100_000))), "pdf", &[1]);
}

#[test]
fn duplicate_keys_deep_inside() {
    let more = "metadata: {a: {b: {c: {d: 1, d: 2}, c: 3}}, a: 4}\n";
    let run = survives(&skill_with(text("pdf", more)), "pdf", &[1]);
    assert_eq!(run.stdout.matches("error[duplicate-key]").count(), 3, "{}", run.stdout);
    let many = "metadata:\n".to_owned() + &"  a: x\n".repeat(5_000);
    survives(&skill_with(text("pdf", &many)), "pdf", &[1]);
}

#[test]
fn a_body_made_to_be_slow() {
    for body in [
        "`".repeat(200_000),
        "[](".repeat(100_000),
        "[a](".repeat(100_000) + &")".repeat(100_000),
        "<!--".repeat(100_000),
        "](x) `a` ".repeat(50_000),
        "[x](y.md)\n".repeat(50_000),
        "curl | ".repeat(50_000),
        "base64 -d | ".repeat(50_000),
        "://".repeat(100_000),
        "-----BEGIN ".repeat(50_000),
        "AKIA".repeat(100_000),
        "\u{200b}".repeat(100_000),
    ] {
        survives(&skill_with(good_text("pdf") + &body), "pdf", &[0, 1]);
    }
}

#[test]
fn a_skill_md_that_is_not_a_file() {
    let sandbox = Sandbox::new();
    sandbox.mkdir("directory/SKILL.md");
    sandbox.fifo("pipe/SKILL.md");
    sandbox.symlink("SKILL.md", "loop/SKILL.md");
    sandbox.symlink("missing.md", "dangling/SKILL.md");
    sandbox.symlink("/dev/zero", "zero/SKILL.md");
    sandbox.symlink("..", "up/SKILL.md");
    for name in ["directory", "pipe", "loop", "dangling", "zero", "up"] {
        survives(&sandbox, name, &[1]);
        survives(&sandbox, &format!("{name}/SKILL.md"), &[1, 2]);
    }
    survives(&sandbox, ".", &[1]);
}

#[test]
fn an_unreadable_skill_md() {
    let sandbox = skill_with(good_text("pdf"));
    sandbox.chmod("pdf/SKILL.md", 0o000);
    if File::open(sandbox.path("pdf/SKILL.md")).is_err() {
        survives(&sandbox, "pdf", &[2]);
    }
}

#[test]
fn links_that_go_round_in_circles() {
    let sandbox = skill_with(good_text("pdf"));
    sandbox.symlink("b", "a");
    sandbox.symlink("a", "b");
    sandbox.symlink(".", "pdf/self");
    sandbox.symlink("..", "group/up");
    survives(&sandbox, ".", &[1]);
    survives(&sandbox, "a", &[2]);
}

#[test]
fn names_that_lie() {
    let sandbox = Sandbox::new();
    let names: [&[u8]; 9] = [
        b"esc\x1b[2J\x1b]0;title\x07",
        b"two\nlines",
        b"tab\there",
        "bidi\u{202e}txt\u{2066}".as_bytes(),
        "zero\u{200b}\u{feff}\u{e0041}".as_bytes(),
        "c1\u{9b}31m".as_bytes(),
        b"not\xff\xfeutf8",
        b"\xe2\x80",
        b"'\"<&>%,:;`$(x)",
    ];
    for name in names {
        let name = OsStr::from_bytes(name);
        let directory = std::path::Path::new("all").join(name);
        sandbox.write(directory.join("SKILL.md"), text("x", "licence: MIT\n"));
        sandbox.write(directory.join(name), "x");
        sandbox.symlink(name, directory.join("link"));
        sandbox.symlink(sandbox.path("all"), std::path::Path::new("all").join("l").join(name));
    }
    survives(&sandbox, "all", &[1]);
    let run = sandbox.run(["validate", "all", "--only", "two\nlines\u{1b}"]);
    assert_eq!(run.code, 2);
    assert!(!run.stderr.chars().any(is_dangerous), "{:?}", run.stderr);
}

#[test]
fn repairs_of_hostile_skills_print_nothing_dangerous() {
    let sandbox = Sandbox::new();
    let name = "a\u{1b}[2J\u{202e}";
    let text = text("x", "license: a\u{1b}: \u{202e}b\n").replace("Title", "\u{1b}Title");
    sandbox.write(format!("all/{name}/skill.md"), text);
    sandbox.write(format!("all/{name}/{name}.sh"), "#!/bin/sh\n");
    for flag in ["--diff", "--fix"] {
        let run = sandbox.run(["validate", "all", flag]);
        assert!(!run.all().chars().any(is_dangerous), "{flag}: {:?}", run.all());
    }
}

#[test]
fn six_thousand_files_in_a_skill() {
    let sandbox = skill_with(good_text("pdf"));
    for number in 0..6_000 {
        File::create(sandbox.path(format!("pdf/{number}"))).unwrap();
    }
    let run = survives(&sandbox, "pdf", &[1]);
    assert!(run.stdout.contains("more than 5000 files"), "{}", run.stdout);
}

#[test]
fn directories_nested_very_deeply() {
    let sandbox = skill_with(good_text("pdf"));
    sandbox.mkdir(format!("pdf/{}", "d/".repeat(100)));
    survives(&sandbox, "pdf", &[1]);
    let deep = format!("all/{}csv", "d/".repeat(200));
    sandbox.good_skill(&deep);
    let run = survives(&sandbox, "all", &[0]);
    assert_eq!(run.stdout, "1 skill checked: no problems\n");
}
