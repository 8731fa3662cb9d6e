//! Fixtures that a repository cannot contain: special files, twins, huge files, forbidden names,
//! and keys that would alarm scanners for leaks.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::harness::{DESCRIPTION, Sandbox, good_text, text};

/// Adds to the fixture in the directory of this name.
pub(crate) type Build = fn(&Sandbox, &str);

/// Makes a rule fire, besides `fixtures/invalid/<rule>`.
pub(crate) fn invalid(rule: &str) -> Option<Build> {
    Some(match rule {
        "file-too-large" => file_too_large,
        "skill-too-large" => skill_too_large,
        "mcp-limits" => too_much_for_hosts,
        "symlink" => symlink,
        "special-file" => special_file,
        "name-collision" => name_collision,
        "unsafe-file-name" => unsafe_file_name,
        "portable-file-name" => portable_file_name,
        "version-control-files" => version_control_files,
        "secret-in-file" => secret_in_file,
        "agent-compat" => agent_compat,
        _ => return None,
    })
}

/// Must not make a rule fire, besides `fixtures/valid/<rule>`.
pub(crate) fn valid(rule: &str) -> Option<Build> {
    Some(match rule {
        "file-too-large" => file_just_fits,
        "skill-too-large" => skill_just_fits,
        "mcp-limits" => just_enough_for_hosts,
        "secret-in-file" => almost_secrets,
        "unsafe-file-name" => names_with_emoji,
        "version-control-files" => repository_above,
        _ => return None,
    })
}

/// Whether this system stores the names that the rule is about.
pub(crate) fn can_be_built(rule: &str) -> bool {
    cfg!(target_os = "linux") || !["name-collision", "unsafe-file-name"].contains(&rule)
}

fn front_matter_of(bytes: usize, name: &str) -> String {
    let fields = format!("name: {name}\ndescription: {DESCRIPTION}\n");
    let comment = "# ".to_owned() + &"x".repeat(bytes - fields.len() - 3) + "\n";
    format!("---\n{fields}{comment}---\n\n# Title\n\nRun it.\n")
}

fn file_too_large(sandbox: &Sandbox, base: &str) {
    let filler = "x".repeat(1024 * 1024);
    sandbox.skill(&format!("{base}/one-megabyte"), &(good_text("one-megabyte") + &filler));
    let long = front_matter_of(64 * 1024 + 1, "long-front-matter");
    sandbox.skill(&format!("{base}/long-front-matter"), &long);
}

fn file_just_fits(sandbox: &Sandbox, base: &str) {
    let text = front_matter_of(64 * 1024, "front-matter-just-fits");
    sandbox.skill(&format!("{base}/front-matter-just-fits"), &text);
}

/// A sparse file of this size.
fn sparse(sandbox: &Sandbox, path: &str, bytes: u64) {
    File::create(sandbox.path(path)).unwrap().set_len(bytes).unwrap();
}

fn many_files(sandbox: &Sandbox, skill: &str, count: usize) {
    for number in 0..count {
        File::create(sandbox.path(format!("{skill}/{number:05}"))).unwrap();
    }
}

fn skill_too_large(sandbox: &Sandbox, base: &str) {
    let skill = |name: &str| {
        let directory = format!("{base}/{name}");
        sandbox.good_skill(&directory);
        directory
    };
    sparse(sandbox, &format!("{}/data.bin", skill("many-bytes")), 10 * 1024 * 1024);
    many_files(sandbox, &skill("many-files"), 5_000);
    sandbox.mkdir(format!("{}/{}", skill("many-levels"), "d/".repeat(33)));
    let long = format!("{}/", "n".repeat(205)).repeat(5);
    sandbox.mkdir(format!("{}/{long}", skill("long-path")));
}

fn skill_just_fits(sandbox: &Sandbox, base: &str) {
    let text = sandbox.good_skill(&format!("{base}/bytes-just-fit"));
    let rest = 10 * 1024 * 1024 - text.metadata().unwrap().len();
    sparse(sandbox, &format!("{base}/bytes-just-fit/data.bin"), rest);
    sandbox.good_skill(&format!("{base}/files-just-fit"));
    many_files(sandbox, &format!("{base}/files-just-fit"), 4_999);
    sandbox.good_skill(&format!("{base}/levels-just-fit"));
    sandbox.mkdir(format!("{base}/levels-just-fit/{}", "d/".repeat(32)));
    sandbox.good_skill(&format!("{base}/path-just-fits"));
    let long = format!("{}/", "n".repeat(204)).repeat(5);
    sandbox.mkdir(format!("{base}/path-just-fits/{}", &long[..1024]));
}

fn too_much_for_hosts(sandbox: &Sandbox, base: &str) {
    sandbox.good_skill(&format!("{base}/many-files"));
    many_files(sandbox, &format!("{base}/many-files"), 512);
    sandbox.good_skill(&format!("{base}/many-bytes"));
    sparse(sandbox, &format!("{base}/many-bytes/data.bin"), 16 * 1024 * 1024);
}

fn just_enough_for_hosts(sandbox: &Sandbox, base: &str) {
    sandbox.good_skill(&format!("{base}/files-just-fit"));
    many_files(sandbox, &format!("{base}/files-just-fit"), 511);
}

fn symlink(sandbox: &Sandbox, base: &str) {
    sandbox.good_skill(&format!("{base}/link-inside"));
    sandbox.write(format!("{base}/link-inside/guide.md"), "# Guide\n");
    sandbox.symlink("guide.md", format!("{base}/link-inside/copy.md"));
    sandbox.good_skill(&format!("{base}/link-outside"));
    sandbox.symlink("/etc/hosts", format!("{base}/link-outside/references/hosts"));
    sandbox.symlink("..", format!("{base}/link-outside/up"));
    sandbox.good_skill(&format!("{base}/link-to-nothing"));
    sandbox.symlink("missing.md", format!("{base}/link-to-nothing/guide.md"));
    sandbox.write(format!("{base}/common.md"), good_text("linked-skill-md"));
    sandbox.symlink("../common.md", format!("{base}/linked-skill-md/SKILL.md"));
}

fn special_file(sandbox: &Sandbox, base: &str) {
    sandbox.good_skill(&format!("{base}/with-pipe"));
    sandbox.fifo(format!("{base}/with-pipe/scripts/queue"));
    sandbox.fifo(format!("{base}/pipe-as-skill-md/SKILL.md"));
}

fn name_collision(sandbox: &Sandbox, base: &str) {
    for (skill, names) in [
        ("letter-case", ["README.md", "readme.md"]),
        ("unicode-form", ["caf\u{e9}.md", "cafe\u{301}.md"]),
        ("sharp-s", ["strasse.md", "stra\u{df}e.md"]),
        ("directories", ["Docs/a.md", "docs/b.md"]),
        ("second-skill-md", ["notes.md", "skill.md"]),
    ] {
        sandbox.good_skill(&format!("{base}/{skill}"));
        for name in names {
            sandbox.write(format!("{base}/{skill}/{name}"), "# Notes\n");
        }
    }
}

fn unsafe_file_name(sandbox: &Sandbox, base: &str) {
    for (skill, name) in [
        ("backslash", &b"scripts\\run.md"[..]),
        ("newline", b"two\nlines.md"),
        ("tab", b"a\tb.md"),
        ("escape", b"red\x1b[31m.md"),
        ("bidirectional", "exe\u{202e}dm.md".as_bytes()),
        ("not-utf8", b"caf\xe9.md"),
        ("tags", "a\u{e0072}\u{e0075}\u{e006e}.md".as_bytes()),
        ("zero-width", "re\u{200b}adme.md".as_bytes()),
        ("selectors", "a\u{e0162}\u{e0165}.md".as_bytes()),
        ("selector-after-letter", "a\u{fe01}.md".as_bytes()),
    ] {
        sandbox.good_skill(&format!("{base}/{skill}"));
        sandbox.write(Path::new(base).join(skill).join(OsStr::from_bytes(name)), "# Notes\n");
    }
}

fn names_with_emoji(sandbox: &Sandbox, base: &str) {
    sandbox.good_skill(&format!("{base}/names-with-emoji"));
    for name in ["❤️ 1️⃣ 👩‍💻.md", "葛\u{e0100}.md", "می‌خواهم.md", HONEST_FLAG]
    {
        sandbox.write(format!("{base}/names-with-emoji/{name}"), "# Notes\n");
    }
}

/// The flag of Wales, as a file name.
const HONEST_FLAG: &str = "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}.md";

fn portable_file_name(sandbox: &Sandbox, base: &str) {
    sandbox.good_skill(&format!("{base}/aux"));
    sandbox.good_skill(&format!("{base}/odd-names"));
    for name in ["nul.txt", "COM1", "lpt9.tar.gz", "dot.", "space ", "what?.md", "a:b/c.md"] {
        sandbox.write(format!("{base}/odd-names/{name}"), "# Notes\n");
    }
}

fn version_control_files(sandbox: &Sandbox, base: &str) {
    sandbox.good_skill(&format!("{base}/with-repository"));
    for path in ["a/.git/config", "a/.git/objects/x", "b/.hg/x", "c/d/.svn/entries", "e/.jj/repo"] {
        sandbox.write(format!("{base}/with-repository/{path}"), "x\n");
    }
    sandbox.good_skill(&format!("{base}/with-submodule"));
    sandbox.write(format!("{base}/with-submodule/vendor/.git"), "gitdir: /elsewhere\n");
}

fn repository_above(sandbox: &Sandbox, base: &str) {
    sandbox.write(format!("{base}/.git/config"), "x\n");
    sandbox.write(format!("{base}/.git/hooks/SKILL.md"), "not a skill\n");
    // The skill is the root of a repository, or of a submodule.
    sandbox.good_skill(&format!("{base}/own-repository"));
    sandbox.write(format!("{base}/own-repository/.git/config"), "x\n");
    sandbox.good_skill(&format!("{base}/own-submodule"));
    sandbox.write(format!("{base}/own-submodule/.git"), "gitdir: /elsewhere\n");
}

/// A random-looking key, assembled only while the test runs.
pub(crate) fn key(prefix: &str, length: usize) -> String {
    // AWS keys have only upper-case letters and few digits.
    let body = match prefix {
        "AKIA" | "ASIA" => "Q7ZK2LW3TB4RM6XC",
        _ => "q7Zk2Lw9Tb4Rm8Xc1Vn5Hs3Jd6Gf0PyQ7Zk2Lw9Tb4Rm8",
    };
    format!("{prefix}{}", &body[..length])
}

fn secret_in_file(sandbox: &Sandbox, base: &str) {
    let provider = [
        ("AKIA", 16),
        ("ASIA", 16),
        ("ghp_", 36),
        ("gho_", 36),
        ("ghs_", 36),
        ("github_pat_", 40),
        ("sk-ant-", 40),
        ("sk-proj-", 40),
        ("xoxb-", 24),
        ("xoxp-", 24),
        ("AIza", 35),
        ("sk_live_", 24),
        ("glpat-", 20),
        ("hf_", 34),
        ("npm_", 36),
        ("712345678:AA", 33),
    ];
    let keys: Vec<String> =
        provider.iter().map(|(prefix, length)| key(prefix, *length) + "\n").collect();
    let body = good_text("provider-keys") + "\n" + &keys.concat();
    sandbox.skill(&format!("{base}/provider-keys"), &body);
    let dashes = "-".repeat(5);
    let pem = format!("\n{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{}\n", key("", 45));
    sandbox.skill(&format!("{base}/private-key"), &(good_text("private-key") + &pem));
    let metadata = format!("metadata:\n  token: {}\n", key("ghp_", 36));
    sandbox.skill(&format!("{base}/key-in-metadata"), &text("key-in-metadata", &metadata));
}

fn almost_secrets(sandbox: &Sandbox, base: &str) {
    let almost = format!("\nx{}\n{}\n", key("AKIA", 16), key("ghp_", 35));
    sandbox.skill(&format!("{base}/almost-keys"), &(good_text("almost-keys") + &almost));
}

fn agent_compat(sandbox: &Sandbox, base: &str) {
    sandbox.write(format!("{base}/common.md"), good_text("linked-skill-md"));
    sandbox.symlink("../common.md", format!("{base}/linked-skill-md/SKILL.md"));
}
