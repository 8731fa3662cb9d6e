//! Sites that publish skills: reading them, making them, and checking an index.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::addresses::run;
use crate::harness::{Sandbox, good_text, noise};
use crate::registry_server::digest;
use crate::server::{Reply, Server};
use crate::tarball::maker as tar;
use crate::zip::maker as zip;

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX: &str = "/.well-known/agent-skills/index.json";

/// Skills `csv` (one file) and `pdf` (several), published below `web`.
fn site(sandbox: &Sandbox) -> Server {
    sandbox.good_skill("src/csv");
    sandbox.good_skill("src/pdf");
    sandbox.write("src/pdf/scripts/run.sh", "#!/bin/sh\necho\n");
    publish(sandbox);
    Server::of_directory(&sandbox.path("web"))
}

fn publish(sandbox: &Sandbox) {
    let run = sandbox.run(["pack", "src", "--index", "web/.well-known/agent-skills", "--force"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

fn index(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.read("web/.well-known/agent-skills/index.json")).unwrap()
}

/// Publishes an archive, and returns its entry for an index.
fn artifact(sandbox: &Sandbox, name: &str, file: &str, bytes: &[u8]) -> Value {
    sandbox.write(Path::new("web/.well-known/agent-skills").join(file), bytes);
    json!({"name": name, "description": "x", "type": "archive", "url": file, "digest": digest(bytes)})
}

fn set_index(sandbox: &Sandbox, index: &Value) {
    sandbox.write("web/.well-known/agent-skills/index.json", index.to_string());
}

#[test]
fn what_pack_writes_is_published_and_installed() {
    let sandbox = Sandbox::new();
    let server = site(&sandbox);
    let written = index(&sandbox);
    assert_eq!(written["$schema"], SCHEMA);
    let entries = written["skills"].as_array().unwrap();
    let field = |key: &str| entries.iter().map(|entry| entry[key].clone()).collect::<Vec<_>>();
    assert_eq!(field("name"), ["csv", "pdf"]);
    assert_eq!(field("type"), ["skill-md", "archive"]);
    assert_eq!(field("url"), ["csv.md", "pdf.zip"]);
    let run = sandbox.run(["list", "--format", "names", &server.url("")]);
    assert_eq!(run.stdout, "csv\npdf\n", "{}", run.stderr);
    let report = sandbox.document(["install", &server.url(""), "--dir", "out", "--format", "json"]);
    let kinds: Vec<_> =
        report["skills"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["site", "site"], "{report:#}");
    for skill in ["csv", "pdf"] {
        assert_eq!(sandbox.read(format!("out/{skill}/SKILL.md")), good_text(skill));
    }
    assert!(sandbox.path("out/pdf/scripts/run.sh").exists());
    // The same by the address of the index, and from the disk.
    for source in [server.url(INDEX), "web/.well-known/agent-skills/index.json".to_owned()] {
        let run = sandbox.run(["list", "--format", "names", &source]);
        assert_eq!(run.stdout, "csv\npdf\n", "{source} {}", run.stderr);
    }
    let run = sandbox.run(["show", &server.url(""), "--only", "pdf"]);
    assert!(run.code == 0 || run.stderr.contains("--only"), "{}", run.all());
}

#[test]
fn the_files_of_a_site_are_reproducible() {
    let sandbox = Sandbox::new();
    drop(site(&sandbox));
    let run = sandbox.run(["pack", "src/pdf", "src/csv", "--index", "again"]);
    assert_eq!(run.code, 0, "{}", run.all());
    for file in ["index.json", "csv.md", "pdf.zip"] {
        let one = fs::read(sandbox.path("web/.well-known/agent-skills").join(file)).unwrap();
        assert!(one == fs::read(sandbox.path("again").join(file)).unwrap(), "{file}");
    }
    let run = sandbox.run(["pack", "src", "--index", "again"]);
    assert!(run.stdout.contains("unchanged") && !run.stdout.contains("created"), "{}", run.stdout);
    sandbox.write("src/csv/SKILL.md", good_text("csv") + "More.\n");
    let run = sandbox.run(["pack", "src", "--index", "again"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("--force"), "{}", run.stderr);
}

#[test]
fn only_the_wanted_artifact_is_fetched() {
    let sandbox = Sandbox::new();
    let server = site(&sandbox);
    let run = sandbox.run(["install", &server.url(""), "--only", "csv", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let asked: Vec<String> = server.asked().iter().map(|asked| asked.path.clone()).collect();
    assert_eq!(asked, [INDEX, "/.well-known/agent-skills/csv.md"]);
    let run = sandbox.run(["install", &server.url(""), "--only", "cvs", "--dir", "out"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("did you mean `csv`? available: csv, pdf"), "{}", run.stderr);
    // Another source may have what a site lacks.
    sandbox.good_skill("more/maps");
    let run = sandbox.run(["install", &server.url(""), "more", "--only", "maps", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(sandbox.path("out/maps/SKILL.md").exists());
}

#[test]
fn a_skill_under_the_name_of_another_is_refused() {
    let sandbox = Sandbox::new();
    let server = site(&sandbox);
    let mut alone = index(&sandbox);
    alone["skills"][0]["name"] = json!("maps");
    let mut packed = index(&sandbox);
    let bytes = zip::archive(&[zip::file("csv/SKILL.md", &good_text("csv"))], |_| {});
    packed["skills"][0] = artifact(&sandbox, "maps", "maps.zip", &bytes);
    for changed in [alone, packed] {
        set_index(&sandbox, &changed);
        for filter in [["--only", "maps"], ["--allow", "maps"]] {
            let run =
                sandbox.run(["install", &server.url(""), filter[0], filter[1], "--dir", "out"]);
            assert_eq!(run.code, 1, "{}", run.all());
            let words = "`maps` is called `csv` in its `SKILL.md`";
            assert!(run.stderr.contains(words), "{}", run.stderr);
            assert!(!sandbox.path("out").exists());
        }
        let run = sandbox.run(["validate", "web/.well-known/agent-skills/index.json"]);
        assert!(run.code == 1 && run.stderr.contains("`maps` is called `csv`"), "{}", run.all());
    }
}

#[test]
fn large_files_of_a_site_arrive_whole() {
    let sandbox = Sandbox::new();
    // Larger than what is copied at once.
    for (seed, name) in [(1, "csv"), (2, "pdf")] {
        sandbox.good_skill(&format!("src/{name}"));
        sandbox.write(format!("src/{name}/noise.bin"), noise(seed, 200_000));
    }
    publish(&sandbox);
    let server = Server::of_directory(&sandbox.path("web"));
    let run = sandbox.run(["install", &server.url(""), "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    for (seed, name) in [(1, "csv"), (2, "pdf")] {
        let installed = fs::read(sandbox.path(format!("out/{name}/noise.bin"))).unwrap();
        assert!(installed == noise(seed, 200_000), "{name}");
    }
}

#[test]
fn skills_of_a_site_share_one_limit_for_what_they_unpack_to() {
    let sandbox = Sandbox::new();
    // The zeros are beside the skill, so they would not be installed, and take time all the same.
    let zeros = vec![0; 140 * 1024 * 1024];
    let skill = tar::file("pdf/SKILL.md", &good_text("pdf"));
    let bytes = tar::gzip(&tar::archive(&[skill, tar::entry(b'0', b"more/zeros", &zeros)]));
    let entries = ["csv", "pdf"].map(|name| artifact(&sandbox, name, "both.tar.gz", &bytes));
    set_index(&sandbox, &json!({"$schema": SCHEMA, "skills": entries}));
    let server = Server::of_directory(&sandbox.path("web"));
    let run = sandbox.run(["install", &server.url(""), "--dir", "out"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("unpack to more than 256 MiB together"), "{}", run.stderr);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn update_lock_and_offline_know_each_skill_by_its_digest() {
    let sandbox = Sandbox::new();
    let server = site(&sandbox);
    let url = server.url("");
    assert_eq!(sandbox.run(["install", &url, "--dir", "out"]).code, 0);
    let run = sandbox.run(["update", "--dir", "out"]);
    assert!(run.stdout.contains("2 unchanged"), "{}", run.all());
    sandbox.write("skills.yaml", format!("version: 1\nskills:\n  - {url}\n"));
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let old = index(&sandbox);
    let digest = old["skills"][0]["digest"].as_str().unwrap();
    assert!(sandbox.read("skills.lock").contains(digest), "{}", sandbox.read("skills.lock"));
    let asked = server.asked().len();
    for flags in [&["--frozen"][..], &["--offline"], &["--frozen", "--offline"]] {
        let run = sandbox.run([&["install", "--dir", "more"][..], flags].concat());
        assert_eq!(run.code, 0, "{flags:?} {}", run.all());
    }
    assert_eq!(server.asked().len(), asked, "the cache had everything");

    sandbox.write("src/csv/SKILL.md", good_text("csv") + "More.\n");
    publish(&sandbox);
    let run = sandbox.run(["update", "--check", "--dir", "out"]);
    assert_eq!(run.code, 1, "{}", run.all());
    let before = server.asked_for("/.well-known/agent-skills/pdf.zip");
    let report = sandbox.document(["update", "--dir", "out", "--format", "json"]);
    let actions: Vec<_> =
        report["skills"].as_array().unwrap().iter().map(|one| one["action"].clone()).collect();
    assert_eq!(actions, ["updated", "unchanged"], "{report:#}");
    assert_eq!(server.asked_for("/.well-known/agent-skills/pdf.zip"), before);
    let run = sandbox.run(["outdated"]);
    assert!(run.stdout.contains("changed  csv"), "{}", run.all());
    // What was pinned is still in the cache, and gone from the site.
    assert_eq!(sandbox.run(["install", "--frozen", "--dir", "more"]).code, 0);
    fs::remove_dir_all(sandbox.path("../home/.cache")).unwrap();
    let run = sandbox.run(["install", "--frozen", "--dir", "other"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("skills lock --upgrade"), "{}", run.stderr);
    assert!(!sandbox.path("other").exists());
    assert_eq!(sandbox.run(["lock", "--upgrade"]).code, 0);
    assert_eq!(sandbox.run(["install", "--frozen", "--dir", "other"]).code, 0);
}

#[test]
fn the_older_version_lists_files() {
    let sandbox = Sandbox::new();
    let index = json!({"skills": [
        {"name": "pdf", "description": "x", "files": ["SKILL.md", "docs/a b.md"]},
    ]});
    sandbox.write("web/.well-known/skills/index.json", index.to_string());
    sandbox.write("web/.well-known/skills/pdf/SKILL.md", good_text("pdf"));
    sandbox.write("web/.well-known/skills/pdf/docs/a%20b.md", "text\n");
    let server = Server::of_directory(&sandbox.path("web"));
    let run = sandbox.run(["install", &server.url(""), "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("out/pdf/docs/a b.md"), "text\n");
    assert_eq!(sandbox.run(["list", "--offline", &server.url("")]).code, 2);
    let run = sandbox.run(["update", "--dir", "out"]);
    assert!(run.stdout.contains("1 unchanged"), "{}", run.all());
    sandbox.write("web/.well-known/skills/pdf/docs/a%20b.md", "new\n");
    let run = sandbox.run(["update", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert_eq!(sandbox.read("out/pdf/docs/a b.md"), "new\n");
}

#[test]
fn sites_that_lie_are_refused_and_strangers_are_passed_over() {
    let sandbox = Sandbox::new();
    let server = site(&sandbox);
    let good = index(&sandbox);
    let with = |number: usize, key: &str, value: Value| {
        let mut changed = good.clone();
        changed["skills"][number][key] = value;
        changed
    };
    let zeros = format!("sha256:{}", "0".repeat(64));
    for (changed, code, words) in [
        (with(0, "digest", json!(zeros)), 1, "not what was expected"),
        (with(0, "url", json!("/nowhere")), 2, "not found, 404"),
        (with(0, "url", json!("http://skills.invalid/x")), 2, "not encrypted"),
        (with(0, "url", json!("file:///etc/passwd")), 1, "invalid address"),
        (with(0, "url", json!("https://u:s3cret@h/x")), 1, "login"),
        (
            json!({"$schema": "https://schemas.agentskills.io/discovery/9/schema.json", "skills": []}),
            1,
            "version is unknown",
        ),
        (json!({"$schema": SCHEMA}), 1, "no list `skills`"),
        (json!({"$schema": SCHEMA, "skills": vec![json!({}); 20_000]}), 1, "more than 10000"),
    ] {
        set_index(&sandbox, &changed);
        let run = run(&sandbox, &["install", &server.url(""), "--dir", "out"]);
        assert_eq!(run.code, code, "{words}: {}", run.all());
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
        assert!(!run.all().contains("s3cret"), "{}", run.all());
        assert!(!sandbox.path("out").exists());
    }
    sandbox.write("web/.well-known/agent-skills/index.json", "<html>");
    assert!(run(&sandbox, &["list", &server.url("")]).stderr.contains("not JSON"));
    // What a newer program may understand, and what nobody can, is named and left out.
    for (changed, words) in [
        (with(1, "type", json!("wasm")), "`pdf` of `http://127.0.0.1"),
        (with(1, "type", json!("wasm")), "is not read: its type `wasm` is unknown"),
        (with(1, "name", json!("../pdf")), "invalid name"),
        (with(1, "name", json!("\u{1b}[31m")), "invalid name"),
    ] {
        set_index(&sandbox, &changed);
        let run = run(&sandbox, &["list", "--format", "names", &server.url("")]);
        assert_eq!((run.stdout.as_str(), run.code), ("csv\n", 0), "{}", run.all());
        assert!(run.stderr.contains(words) && !run.stderr.contains('\u{1b}'), "{}", run.stderr);
    }
}

#[test]
fn a_host_without_skills_says_so() {
    let sandbox = Sandbox::new();
    let server = Server::start(|_| Reply::status(404));
    let run = sandbox.run(["install", &server.url("")]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("publishes no skills") && run.stderr.contains(INDEX),
        "{}",
        run.stderr
    );
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn many_skills_are_fetched_a_few_at_a_time() {
    let sandbox = Sandbox::new();
    for number in 0..200 {
        sandbox.good_skill(&format!("src/skill-{number}"));
    }
    publish(&sandbox);
    let server = Server::of_directory(&sandbox.path("web"));
    let run = sandbox.run(["install", &server.url(""), "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(server.asked().len(), 201);
    let run = sandbox.run(["install", &server.url(""), "--dir", "out"]);
    assert!(run.stdout.contains("200 unchanged"), "{}", run.all());
    assert_eq!(server.asked().len(), 202, "only the index is asked for again");
}

#[test]
fn validate_checks_an_index_and_what_lies_beside_it() {
    let sandbox = Sandbox::new();
    drop(site(&sandbox));
    let path = "web/.well-known/agent-skills/index.json";
    let run = sandbox.run(["validate", path]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("2 skills"), "{}", run.all());
    let good = index(&sandbox);
    for (key, value, words) in [
        ("digest", json!(format!("sha256:{}", "0".repeat(64))), "the digest of `csv.md` is"),
        ("url", json!("nowhere.md"), "is not beside the index"),
        ("url", json!("../../../secret"), "does not lead to a file beside the index"),
        ("name", json!("CSV"), "invalid name"),
        ("type", json!("wasm"), "is unknown"),
    ] {
        let mut changed = good.clone();
        changed["skills"][0][key] = value;
        set_index(&sandbox, &changed);
        let run = sandbox.run(["validate", path]);
        assert_eq!(run.code, 1, "{words}: {}", run.all());
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    let mut both = good.clone();
    both["skills"][0]["url"] = json!("nowhere.md");
    both["skills"][1]["name"] = json!("PDF");
    set_index(&sandbox, &both);
    let run = sandbox.run(["validate", path]);
    assert!(
        run.stderr.contains("for 2 reasons") && run.stderr.contains("nowhere.md"),
        "{}",
        run.stderr
    );
    #[cfg(unix)]
    {
        let secret = sandbox.write("secret", "x");
        fs::remove_file(sandbox.path("web/.well-known/agent-skills/csv.md")).unwrap();
        sandbox.symlink(secret, Path::new("web/.well-known/agent-skills/csv.md"));
        set_index(&sandbox, &good);
        assert_eq!(sandbox.run(["validate", path]).code, 1, "links are not followed");
    }
}
