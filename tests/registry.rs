//! Registries: what is pushed comes back, and nothing is sent twice.

use serde_json::{Value, json};

use crate::harness::{Sandbox, good_text, noise, text};
use crate::registry_server::*;
use crate::server::Reply;

#[test]
fn a_named_skill_goes_to_the_repository_with_its_version() {
    let (sandbox, registry) = (skills(), Registry::new());
    let run = sandbox.run(["push", "skills/pdf", &registry.at("team/pdf"), "--format", "json"]);
    works(&run);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let artifact = &report["artifacts"][0];
    assert_eq!(artifact["reference"], registry.at("team/pdf:1.2_b"));
    assert_eq!(artifact["tags"], json!(["1.2_b", "latest"]));
    assert_eq!(artifact["uploaded"], true);
    let manifest = registry.parsed("team/pdf", "latest");
    assert_eq!(manifest["artifactType"], "application/vnd.agentskills.skill.v1");
    assert_eq!(manifest["annotations"]["io.agentskills.skill.name"], "pdf");
    assert_eq!(manifest["annotations"]["org.opencontainers.image.version"], "1.2+b");
    assert_eq!(manifest["annotations"].get("org.opencontainers.image.created"), None);
    works(&install(&sandbox, &registry.at("team/pdf")));
    assert_eq!(sandbox.read("out/pdf/SKILL.md"), sandbox.read("skills/pdf/SKILL.md"));
    #[cfg(unix)]
    assert_eq!(sandbox.mode("out/pdf/scripts/run.sh") & 0o111, 0o111);
    let record: Value = serde_json::from_str(&sandbox.read("out/.skills-index.json")).unwrap();
    let record = &record["skills"][0];
    assert_eq!(record["kind"], "oci");
    assert_eq!(record["artifact"], artifact["digest"]);
    assert_eq!(record["requested"], registry.at("team/pdf"));
}

/// The manifest of this skill has this digest on every machine and in every version, unless a change
/// is meant: whoever pinned it would not find it again.
#[test]
fn the_digest_of_a_skill_never_changes() {
    let (sandbox, registry) = (Sandbox::new(), Registry::new());
    sandbox.skill("pdf", "---\nname: pdf\ndescription: Reads PDF files.\n---\n\nRead it.\n");
    let run = sandbox.run(["push", "pdf", &registry.at("pdf"), "--format", "json"]);
    works(&run);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        report["artifacts"][0]["digest"],
        "sha256:18b3a5368017de29e1bf02b37f41a6d1e66441d62c74842670f3cdf95474036f"
    );
}

#[test]
fn found_skills_make_a_collection_and_nothing_is_sent_twice() {
    let (sandbox, registry) = (skills(), Registry::new());
    let to = registry.at("team/skills");
    works(&sandbox.run(["push", "skills", &to]));
    let index = registry.parsed("team/skills", "latest");
    assert_eq!(index["artifactType"], COLLECTION);
    assert_eq!(index["annotations"]["io.agentskills.collection.name"], "skills");
    let reference = index["manifests"][2]["annotations"]["io.agentskills.skill.ref"].clone();
    assert_eq!(reference, format!("{}/team/skills/pdf:1.2_b", registry.server.host()));
    let writes =
        || ["PUT", "POST", "PATCH"].iter().map(|one| registry.asked(one, "/")).sum::<usize>();
    let before = writes();
    let again = sandbox.run(["push", "skills", &to]);
    works(&again);
    assert!(again.stdout.contains("nothing to upload"), "{}", again.stdout);
    assert_eq!(writes(), before);
    works(&install(&sandbox, &to));
    let blobs = registry.asked("GET", "/blobs/");
    assert_eq!(blobs, 3);
    std::fs::remove_dir_all(sandbox.path("out")).unwrap();
    works(&install(&sandbox, &to));
    assert_eq!(registry.asked("GET", "/blobs/"), blobs);
    assert_eq!(sandbox.read("out/csv/SKILL.md"), sandbox.read("skills/csv/SKILL.md"));
}

#[test]
fn a_dry_run_sends_nothing_and_predicts_a_refusal() {
    let (sandbox, registry) = (skills(), Registry::new());
    let to = registry.at("pdf");
    let dry = sandbox.run(["push", "skills/pdf", &to, "--dry-run"]);
    works(&dry);
    assert!(dry.stdout.contains("would push"), "{}", dry.stdout);
    assert!(registry.store.lock().unwrap().documents.is_empty());
    works(&sandbox.run(["push", "skills/pdf", &to]));
    sandbox.skill("skills/pdf", &text("pdf", "license: MIT\nmetadata:\n  version: '1.2+b'\n"));
    for flags in [&["--dry-run"][..], &[]] {
        let run = sandbox.run(["push", "skills/pdf", &to].into_iter().chain(flags.iter().copied()));
        assert_eq!(run.code, 1, "{}", run.all());
        assert!(run.stderr.contains("is already sha256:"), "{}", run.stderr);
    }
    assert_eq!(
        registry.parsed("pdf", "latest")["annotations"].get("org.opencontainers.image.licenses"),
        None
    );
    works(&sandbox.run(["push", "skills/pdf", &to, "--force"]));
    assert_eq!(
        registry.parsed("pdf", "1.2_b")["annotations"]["org.opencontainers.image.licenses"],
        "MIT"
    );
    // A tag that is no version moves.
    works(&sandbox.run(["push", "skills/csv", &registry.at("pdf:stable")]));
    works(&sandbox.run(["push", "skills/doc", &registry.at("pdf:stable")]));
}

#[test]
fn what_cannot_be_used_is_not_pushed() {
    let (sandbox, registry) = (skills(), Registry::new());
    sandbox.skill("skills/bad", &good_text("bad").replace("PDFs", "\u{e0041}"));
    let all = sandbox.run(["push", "skills", &registry.at("all"), "--format", "json"]);
    works(&all);
    let report: Value = serde_json::from_str(&all.stdout).unwrap();
    assert_eq!(report["skipped"][0]["name"], "bad", "{report:#}");
    assert_eq!(report["artifacts"].as_array().unwrap().len(), 4);
    let named = sandbox.run(["push", "skills/bad", &registry.at("bad")]);
    assert_eq!(named.code, 1, "{}", named.all());
    let several = sandbox.run(["push", "skills/pdf", "skills/csv", &registry.at("x")]);
    assert_eq!(several.code, 2, "{}", several.all());
    assert!(several.stderr.contains("has room for one"), "{}", several.stderr);
    let offline = sandbox.run(["push", "skills/pdf", &registry.at("x"), "--offline"]);
    assert_eq!(offline.code, 2, "{}", offline.all());
    assert!(offline.stderr.contains("--oci"), "{}", offline.stderr);
    for name in ["", "  ", "a\u{7}b", "a\nb"] {
        let run = sandbox.run(["push", "skills", &registry.at("x"), "--collection", name]);
        assert_eq!(run.code, 2, "{name:?}: {}", run.all());
        assert!(run.stderr.contains("text without control characters"), "{}", run.stderr);
    }
    assert!(
        !registry.store.lock().unwrap().documents.keys().any(|(repository, _)| repository == "x")
    );
    let nowhere = sandbox.run(["push", "skills/pdf", "127.0.0.1:1/x"]);
    assert!(nowhere.stderr.contains("did you mean `oci://127.0.0.1:1/x`?"), "{}", nowhere.stderr);
}

#[test]
fn only_the_wanted_skills_of_a_collection_are_fetched() {
    let (sandbox, registry) = (skills(), Registry::new());
    works(&sandbox.run(["push", "skills", &registry.at("all")]));
    works(&sandbox.run(["install", &registry.at("all"), "--only", "pdf", "--dir", "out"]));
    assert_eq!(registry.asked("GET", "/blobs/"), 1);
    assert!(!sandbox.path("out/csv").exists());
    let typo = sandbox.run(["install", &registry.at("all"), "--only", "pfd", "--dir", "out"]);
    assert!(typo.stderr.contains("did you mean `pdf`?"), "{}", typo.stderr);
    // Another collection need not have it.
    works(&sandbox.run(["push", "skills/doc", &registry.at("doc")]));
    let both = [registry.at("all"), registry.at("doc")];
    works(&sandbox.run(["install", &both[0], &both[1], "--only", "csv", "--dir", "out"]));
    assert!(sandbox.path("out/csv/SKILL.md").exists());
}

#[test]
fn a_collection_without_its_type_is_still_one() {
    let (sandbox, registry) = (skills(), Registry::new());
    works(&sandbox.run(["push", "skills", &registry.at("all")]));
    let mut index = registry.parsed("all", "latest");
    index.as_object_mut().unwrap().remove("artifactType");
    registry.put("all", "copied", INDEX, index.to_string().as_bytes());
    works(&install(&sandbox, &registry.at("all:copied")));
    index.as_object_mut().unwrap().remove("annotations");
    registry.put("all", "other", INDEX, index.to_string().as_bytes());
    let run = sandbox.run(["list", &registry.at("all:other")]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("not a collection of skills"), "{}", run.stderr);
}

#[test]
fn locks_pin_artifacts_and_need_no_registry_afterwards() {
    let (sandbox, registry) = (skills(), Registry::new());
    works(&sandbox.run(["push", "skills", &registry.at("all")]));
    works(&sandbox.run(["push", "skills/pdf", &registry.at("one")]));
    let manifest = format!(
        "version: 1\nskills:\n  - {}\n  - source: {}\n    name: reader\n",
        registry.at("all"),
        registry.at("one")
    );
    sandbox.write("skills.yaml", manifest);
    works(&sandbox.run(["lock"]));
    let lock: Value = serde_json::from_str(&sandbox.read("skills.lock")).unwrap();
    assert!(lock["sources"][0]["skills"][0]["artifact"].is_string(), "{lock:#}");
    assert_eq!(lock["sources"][1]["digest"], digest(&registry.document("one", "latest").1));
    sandbox.skill("skills/pdf", &text("pdf", "metadata:\n  version: '2.0'\n"));
    works(&sandbox.run(["push", "skills", &registry.at("all")]));
    std::fs::remove_dir_all(sandbox.path("../home/.cache")).unwrap();
    works(&sandbox.run(["install", "--frozen", "--dir", "out"]));
    assert!(sandbox.read("out/pdf/SKILL.md").contains("1.2+b"));
    works(&sandbox.run(["verify", "--frozen", "--dir", "out"]));
    let asked = registry.server.asked().len();
    works(&sandbox.run(["sync", "--frozen", "--dir", "out"]));
    assert_eq!(registry.server.asked().len(), asked);
    let outdated = sandbox.run(["outdated"]);
    assert!(outdated.stdout.contains("pdf"), "{}", outdated.all());
    works(&sandbox.run(["lock", "--upgrade"]));
    works(&sandbox.run(["install", "--frozen", "--dir", "out"]));
    assert!(sandbox.read("out/pdf/SKILL.md").contains("2.0"));
    // What a tag meant is remembered for runs without a network.
    drop(registry);
    works(&sandbox.run(["list", "--offline"]));
}

#[test]
fn update_follows_a_tag_and_stays_at_a_digest() {
    let (sandbox, registry) = (skills(), Registry::new());
    works(&sandbox.run(["push", "skills/pdf", &registry.at("pdf")]));
    let first = digest(&registry.document("pdf", "latest").1);
    works(&install(&sandbox, &registry.at("pdf")));
    let pinned = registry.at(&format!("pdf@{first}"));
    works(&sandbox.run(["install", &pinned, "--dir", "pinned"]));
    sandbox.skill("skills/pdf", &text("pdf", "metadata:\n  version: '2.0'\n"));
    works(&sandbox.run(["push", "skills/pdf", &registry.at("pdf")]));
    let check = sandbox.run(["update", "--check", "--dir", "out"]);
    assert_eq!(check.code, 1, "{}", check.all());
    works(&sandbox.run(["update", "--dir", "out"]));
    assert!(sandbox.read("out/pdf/SKILL.md").contains("2.0"));
    works(&sandbox.run(["update", "--dir", "pinned"]));
    assert!(sandbox.read("pinned/pdf/SKILL.md").contains("1.2+b"));
    let current = sandbox.run(["update", "--dir", "out"]);
    works(&current);
    assert!(current.stdout.contains("unchanged"), "{}", current.stdout);
}

#[test]
fn layouts_are_written_read_and_copied_with_signatures() {
    let (sandbox, registry) = (skills(), Registry::new());
    works(&sandbox.run(["pack", "skills/pdf", "--oci", "layout"]));
    works(&sandbox.run(["pack", "skills/pdf", "--oci", "layout"]));
    let other = sandbox.run(["pack", "skills/csv", "--oci", "layout"]);
    assert_eq!(other.code, 1, "{}", other.all());
    let busy = sandbox.run(["pack", "skills/csv", "--oci", "skills"]);
    assert!(busy.stderr.contains("is not an OCI layout"), "{}", busy.stderr);
    let names = sandbox.run(["list", "layout", "--format", "names"]);
    assert_eq!(names.stdout, "pdf\n", "{}", names.stderr);
    // A signature of somebody else.
    let mut index: Value = serde_json::from_str(&sandbox.read("layout/index.json")).unwrap();
    let subject = index["manifests"][0]["digest"].as_str().unwrap().to_owned();
    let blob = |bytes: &[u8]| {
        let digest = digest(bytes);
        sandbox.write(format!("layout/blobs/sha256/{}", &digest[7..]), bytes);
        json!({"mediaType": "text/plain", "digest": digest, "size": bytes.len()})
    };
    let signature = json!({
        "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": "x/signature",
        "config": blob(b"{}"), "layers": [blob(b"signed")],
        "subject": {"mediaType": MANIFEST, "digest": subject, "size": index["manifests"][0]["size"]},
    });
    let mut entry = blob(signature.to_string().as_bytes());
    entry["mediaType"] = MANIFEST.into();
    let signature = entry["digest"].clone();
    index["manifests"].as_array_mut().unwrap().push(entry);
    sandbox.write("layout/index.json", index.to_string());
    works(&sandbox.run(["push", "layout", &registry.at("copied")]));
    assert_eq!(digest(&registry.document("copied", "1.2_b").1), subject);
    let list = registry.parsed("copied", &subject.replace(':', "-"));
    assert_eq!(list["manifests"][0]["digest"], signature);
    assert_eq!(list["manifests"][0]["artifactType"], "x/signature");
    let again = sandbox.run(["push", "layout", &registry.at("copied")]);
    assert!(again.stdout.contains("nothing to upload"), "{}", again.all());
    // From registry to registry, too.
    let other = Registry::new();
    works(&sandbox.run(["push", &registry.at("copied:1.2_b"), &other.at("onwards")]));
    assert_eq!(
        other.parsed("onwards", &subject.replace(':', "-"))["manifests"][0]["digest"],
        signature
    );
}

#[test]
fn a_damaged_layout_is_refused() {
    let sandbox = skills();
    works(&sandbox.run(["pack", "skills/pdf", "--oci", "layout"]));
    let index: Value = serde_json::from_str(&sandbox.read("layout/index.json")).unwrap();
    let manifest = index["manifests"][0]["digest"].as_str().unwrap()[7..].to_owned();
    let path = format!("layout/blobs/sha256/{manifest}");
    let document: Value = serde_json::from_str(&sandbox.read(&path)).unwrap();
    let layer = document["layers"][0]["digest"].as_str().unwrap()[7..].to_owned();
    let layer = format!("layout/blobs/sha256/{layer}");
    let mut bytes = std::fs::read(sandbox.path(&layer)).unwrap();
    bytes[20] ^= 1;
    sandbox.write(&layer, bytes);
    refused(&sandbox, &install(&sandbox, "layout"), &["is refused", "has the digest"]);
    sandbox.write(&path, "{}");
    refused(&sandbox, &install(&sandbox, "layout"), &["is refused", "has the digest"]);
    sandbox.write("layout/index.json", "[]");
    refused(&sandbox, &install(&sandbox, "layout"), &["index.json"]);
    sandbox.write("layout/oci-layout", "{}");
    refused(&sandbox, &install(&sandbox, "layout"), &["is not an OCI layout"]);
}

#[test]
fn large_blobs_are_sent_in_parts() {
    let (sandbox, registry) = (skills(), Registry::new());
    sandbox.write("skills/pdf/noise.bin", noise(1, 17 * 1024 * 1024));
    let to = registry.at("pdf");
    let large = ["--max-skill-size", "64MiB"];
    works(&sandbox.run(["push", "skills/pdf", &to, large[0], large[1]]));
    assert_eq!(registry.asked("PATCH", "/blobs/uploads/"), 2);
    let run = sandbox.run(["install", &to, "--dir", "out", large[0], large[1]]);
    works(&run);
    let read = |path: &str| std::fs::read(sandbox.path(path)).unwrap();
    assert!(read("out/pdf/noise.bin") == read("skills/pdf/noise.bin"));
}

#[test]
fn large_files_of_a_collection_arrive_whole() {
    let (sandbox, registry) = (skills(), Registry::new());
    // Larger than what is copied at once.
    for (seed, name) in [(1, "csv"), (2, "pdf")] {
        sandbox.write(format!("skills/{name}/noise.bin"), noise(seed, 200_000));
    }
    works(&sandbox.run(["pack", "skills", "--oci", "layout"]));
    works(&sandbox.run(["push", "skills", &registry.at("all")]));
    for (number, source) in ["layout", &registry.at("all")].into_iter().enumerate() {
        works(&sandbox.run(["install", source, "--dir", &format!("out{number}")]));
        for (seed, name) in [(1, "csv"), (2, "pdf")] {
            let path = sandbox.path(format!("out{number}/{name}/noise.bin"));
            assert!(std::fs::read(path).unwrap() == noise(seed, 200_000), "{source}: {name}");
        }
    }
}

#[test]
fn a_registry_that_shares_nothing_between_repositories_gets_the_bytes() {
    for status in [202, 400, 401, 403] {
        let fault: Fault = Box::new(move |asked, reply| match (asked.query("mount"), status) {
            (Some(_), 202) => {
                let location = format!("{}one", asked.path);
                Reply::status(202).header("Location", location)
            }
            (Some(_), status) => Reply::status(status),
            (None, _) => reply,
        });
        let (sandbox, registry) = (skills(), Registry::with(fault));
        works(&sandbox.run(["push", "skills", &registry.at("all")]));
        works(&install(&sandbox, &registry.at("all")));
    }
}

#[test]
fn a_narrow_terminal_shows_whole_references() {
    let (sandbox, registry) = (skills(), Registry::new());
    let to = registry.at("team/skills");
    let line = format!("\"$SKILLS\" push skills {to} --no-progress");
    let Some(run) = sandbox.terminal(40, &line) else { return };
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("team/skills/pdf:1.2_b"), "{}", run.stdout);
}
