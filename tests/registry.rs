//! Registries, with a small one of our own on this machine: what is pushed comes back, nothing is
//! sent twice, and a registry that lies changes nothing here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Run, Sandbox, good_text, text};
use crate::server::{Asked, Reply, Sending, Server};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const COLLECTION: &str = "application/vnd.agentskills.collection.v1";

/// Changes an answer.
type Fault = Box<dyn Fn(&Asked, Reply) -> Reply + Send + Sync>;

/// What a registry holds, by repository and digest or tag.
#[derive(Default)]
struct Store {
    blobs: BTreeMap<(String, String), Vec<u8>>,
    documents: BTreeMap<(String, String), (String, Vec<u8>)>,
}

/// A registry that keeps everything in memory.
pub(crate) struct Registry {
    server: Server,
    store: Arc<Mutex<Store>>,
}

fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    let hash = sha2::Sha256::digest(bytes);
    format!("sha256:{}", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self::with(Box::new(|_, reply| reply))
    }

    /// A registry whose answers are changed before they are sent.
    fn with(fault: Fault) -> Self {
        let store = Arc::new(Mutex::new(Store::default()));
        let own = Arc::clone(&store);
        let server = Server::start(move |asked| fault(asked, answer(asked, &own)));
        Self { server, store }
    }

    /// The address of a repository.
    pub(crate) fn at(&self, repository: &str) -> String {
        format!("oci://{}/{repository}", self.server.host())
    }

    /// How many requests have this method, and this in their path.
    fn asked(&self, method: &str, part: &str) -> usize {
        let is_it = |one: &&Asked| one.method == method && one.path.contains(part);
        self.server.asked().iter().filter(is_it).count()
    }

    fn document(&self, repository: &str, reference: &str) -> (String, Vec<u8>) {
        let key = (repository.to_owned(), reference.to_owned());
        self.store.lock().unwrap().documents[&key].clone()
    }

    fn parsed(&self, repository: &str, reference: &str) -> Value {
        serde_json::from_slice(&self.document(repository, reference).1).unwrap()
    }

    /// Stores a document under a tag and its digest, and returns its digest.
    fn put(&self, repository: &str, tag: &str, media_type: &str, bytes: &[u8]) -> String {
        let digest = digest(bytes);
        let mut store = self.store.lock().unwrap();
        for reference in [tag, &digest] {
            let key = (repository.to_owned(), reference.to_owned());
            store.documents.insert(key, (media_type.to_owned(), bytes.to_vec()));
        }
        digest
    }

    /// Stores a blob, and returns what points to it.
    fn blob(&self, repository: &str, media_type: &str, bytes: &[u8]) -> Value {
        let digest = digest(bytes);
        let key = (repository.to_owned(), digest.clone());
        self.store.lock().unwrap().blobs.insert(key, bytes.to_vec());
        json!({"mediaType": media_type, "digest": digest, "size": bytes.len()})
    }
}

/// What a registry answers that does what it should.
fn answer(asked: &Asked, store: &Mutex<Store>) -> Reply {
    let mut store = store.lock().unwrap();
    let Some(rest) = asked.path.strip_prefix("/v2/") else { return Reply::status(404) };
    if rest.is_empty() {
        return Reply::ok("{}");
    }
    if let Some((repository, id)) = rest.split_once("/blobs/uploads/") {
        let from = (asked.query("from"), asked.query("mount"));
        if let ("POST", (Some(from), Some(mounted))) = (asked.method.as_str(), from) {
            let known = store.blobs.get(&(from.to_owned(), mounted.to_owned())).cloned();
            if let Some(bytes) = known {
                store.blobs.insert((repository.to_owned(), mounted.to_owned()), bytes);
                return Reply::status(201);
            }
        }
        let location = format!("/v2/{repository}/blobs/uploads/one");
        return match (asked.method.as_str(), id) {
            ("POST", "") => Reply::status(202).header("Location", location),
            ("PATCH", _) => {
                let key = (repository.to_owned(), "upload".to_owned());
                store.blobs.entry(key).or_default().extend(&asked.body);
                Reply::status(202).header("Location", location)
            }
            ("PUT", _) => {
                let key = (repository.to_owned(), "upload".to_owned());
                let mut bytes = store.blobs.remove(&key).unwrap_or_default();
                bytes.extend(&asked.body);
                if asked.query("digest") != Some(&digest(&bytes)) {
                    return Reply::status(400);
                }
                store.blobs.insert((repository.to_owned(), digest(&bytes)), bytes);
                Reply::status(201)
            }
            _ => Reply::status(405),
        };
    }
    if let Some((repository, wanted)) = rest.split_once("/blobs/") {
        let found = store.blobs.get(&(repository.to_owned(), wanted.to_owned()));
        return found.map_or_else(|| Reply::status(404), |bytes| Reply::file(asked, bytes));
    }
    let Some((repository, reference)) = rest.split_once("/manifests/") else {
        return Reply::status(404);
    };
    let key = (repository.to_owned(), reference.to_owned());
    if asked.method == "PUT" {
        let media_type = asked.header("content-type").unwrap_or_default().to_owned();
        let value: Value = serde_json::from_slice(&asked.body).unwrap();
        // Registries refuse a list whose entries they do not hold.
        for entry in value["manifests"].as_array().into_iter().flatten() {
            let entry = entry["digest"].as_str().unwrap().to_owned();
            if !store.documents.contains_key(&(repository.to_owned(), entry)) {
                return Reply::new(400, r#"{"errors":[{"code":"MANIFEST_BLOB_UNKNOWN"}]}"#);
            }
        }
        let found = digest(&asked.body);
        for key in [key, (repository.to_owned(), found.clone())] {
            store.documents.insert(key, (media_type.clone(), asked.body.clone()));
        }
        return Reply::status(201).header("Docker-Content-Digest", found);
    }
    let Some((media_type, bytes)) = store.documents.get(&key) else { return Reply::status(404) };
    let found = digest(bytes);
    if asked.header("if-none-match") == Some(&format!("\"{found}\"")) {
        return Reply::status(304);
    }
    Reply::ok(bytes.clone())
        .header("Content-Type", media_type.clone())
        .header("Docker-Content-Digest", found)
}

/// A sandbox with three skills.
fn skills() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["csv", "doc", "pdf"] {
        sandbox.skill(&format!("skills/{name}"), &text(name, "metadata:\n  version: '1.2+b'\n"));
    }
    sandbox.write("skills/pdf/scripts/run.sh", "#!/bin/sh\n");
    #[cfg(unix)]
    sandbox.chmod("skills/pdf/scripts/run.sh", 0o755);
    sandbox
}

#[track_caller]
fn works(run: &Run) {
    assert_eq!(run.code, 0, "{}", run.all());
}

/// The run failed, said all of this, and installed nothing.
#[track_caller]
fn refused(sandbox: &Sandbox, run: &Run, words: &[&str]) {
    assert_ne!(run.code, 0, "{}", run.all());
    for word in words {
        assert!(run.stderr.contains(word), "`{word}` is missing: {}", run.stderr);
    }
    assert!(!sandbox.path("out").join("pdf").exists(), "something was installed");
}

fn install(sandbox: &Sandbox, source: &str) -> Run {
    sandbox.run(["install", source, "--dir", "out"])
}

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

/// Installs from a registry with a skill whose answers are changed.
#[track_caller]
fn lies(words: &[&str], fault: impl Fn(&Asked, Reply) -> Reply + Send + Sync + 'static) {
    let (sandbox, honest) = (skills(), Registry::new());
    works(&sandbox.run(["push", "skills/pdf", &honest.at("pdf")]));
    let registry = Registry::with(Box::new(fault));
    std::mem::swap(&mut *registry.store.lock().unwrap(), &mut *honest.store.lock().unwrap());
    let _ = std::fs::remove_dir_all(sandbox.path("../home/.cache"));
    let run = sandbox.run_with(["install", &registry.at("pdf"), "--dir", "out"], |command| {
        command.env("SKILLS_TEST_PATIENCE_MS", "500");
    });
    refused(&sandbox, &run, words);
    assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
}

#[test]
fn a_registry_that_lies_is_refused() {
    let is_manifest = |asked: &Asked| asked.path.contains("/manifests/") && asked.method == "GET";
    let is_blob = |asked: &Asked| asked.path.contains("/blobs/") && asked.method == "GET";
    // The manifest is not what the registry says it is.
    lies(&["is refused", "has the digest"], move |asked, mut reply| {
        if is_manifest(asked) {
            reply.body.push(b' ');
        }
        reply
    });
    // It is called something else.
    for other in ["text/html", INDEX, "application/json"] {
        lies(&["is refused"], move |asked, mut reply| {
            if is_manifest(asked) {
                reply.headers.retain(|(name, _)| name != "Content-Type");
                reply = reply.header("Content-Type", other);
            }
            reply
        });
    }
    // The layer is something else, too short, too long, or never ends.
    lies(&["127.0.0.1"], move |asked, mut reply| {
        if is_blob(asked) {
            reply.body[30] ^= 1;
        }
        reply
    });
    lies(&["127.0.0.1"], move |asked, mut reply| {
        if is_blob(asked) {
            reply.body.truncate(30);
        }
        reply
    });
    lies(
        &["127.0.0.1"],
        move |asked, reply| {
            if is_blob(asked) { reply.sent(Sending::Endless) } else { reply }
        },
    );
    lies(
        &["127.0.0.1"],
        move |asked, reply| {
            if is_manifest(asked) { reply.sent(Sending::Endless) } else { reply }
        },
    );
    // It leads elsewhere without protection.
    lies(&["127.0.0.1"], move |asked, reply| {
        if is_blob(asked) { Reply::redirect("http://192.0.2.1/x") } else { reply }
    });
}

#[test]
fn a_manifest_that_asks_for_too_much_is_refused() {
    let (sandbox, registry) = (skills(), Registry::new());
    let config = registry.blob("x", "application/vnd.oci.empty.v1+json", b"{}");
    let layer_type = "application/vnd.oci.image.layer.v1.tar+gzip";
    let manifest = |layers: Value| json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers});
    let huge = json!({"mediaType": layer_type, "digest": digest(b"x"), "size": 1_u64 << 40});
    let layer = registry.blob("x", layer_type, b"no archive");
    let empty = registry.blob("x", layer_type, &gzip(&[0; 1024]));
    let bomb = registry.blob("x", layer_type, &gzip(&vec![0; 600 * 1024 * 1024]));
    for (name, layers, words) in [
        ("huge", json!([huge]), "is too large"),
        ("two", json!([layer, layer]), "has 2 layers"),
        ("none", json!([]), "has 0 layers"),
        ("many", Value::Array(vec![layer.clone(); 200]), "it has 200 layers"),
        (
            "text",
            json!([{"mediaType": "text/plain", "digest": digest(b"x"), "size": 1}]),
            "has 0 layers",
        ),
        ("noise", json!([layer]), "is refused"),
        ("empty", json!([empty]), "no `SKILL.md`"),
        ("bomb", json!([bomb]), "bomb"),
        (
            "size",
            json!([{"mediaType": layer_type, "digest": digest(b"x"), "size": -1}]),
            "invalid manifest",
        ),
        (
            "sha512",
            json!([{"mediaType": layer_type, "digest": "sha512:00", "size": 1}]),
            "invalid digest",
        ),
    ] {
        registry.put("x", name, MANIFEST, manifest(layers).to_string().as_bytes());
        let run = install(&sandbox, &registry.at(&format!("x:{name}")));
        refused(&sandbox, &run, &[words]);
    }
    let both = json!({"schemaVersion": 2, "config": config, "layers": [layer], "manifests": []});
    registry.put("x", "both", MANIFEST, both.to_string().as_bytes());
    refused(&sandbox, &install(&sandbox, &registry.at("x:both")), &["is not the"]);
}

/// Bytes as gzip stores them, in blocks that refer to each other.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 1));
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
    packed
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (byte, value) in (0_u32..).zip(table.iter_mut()) {
        *value = (0..8)
            .fold(byte, |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 });
    }
    let step = |crc: u32, byte: &u8| table[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ (crc >> 8);
    !bytes.iter().fold(!0, step)
}

#[test]
fn indexes_that_never_end_are_left() {
    let (sandbox, registry) = (skills(), Registry::new());
    let annotations = json!({"io.agentskills.collection.name": "x"});
    let index = |entries: Value| {
        json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries, "annotations": annotations})
            .to_string()
    };
    // An index cannot hold its own digest, but each may hold another one.
    let mut inner = registry.put("x", "0", INDEX, index(json!([])).as_bytes());
    let mut size = index(json!([])).len();
    for depth in 1..8 {
        let text = index(json!([{"mediaType": INDEX, "digest": inner, "size": size}]));
        size = text.len();
        inner = registry.put("x", &depth.to_string(), INDEX, text.as_bytes());
    }
    refused(&sandbox, &install(&sandbox, &registry.at("x:7")), &["nested more than"]);
    // The same one, over and over, is read once.
    let (_, bytes) = registry.document("x", "0");
    let entry = json!({"mediaType": INDEX, "digest": digest(&bytes), "size": bytes.len()});
    registry.put("x", "again", INDEX, index(Value::Array(vec![entry; 100])).as_bytes());
    let before = registry.server.asked().len();
    let run = install(&sandbox, &registry.at("x:again"));
    assert_ne!(run.code, 0, "{}", run.all());
    assert!(registry.server.asked().len() < before + 5);
    let entry = json!({"mediaType": MANIFEST, "digest": digest(b"x"), "size": 1});
    registry.put("x", "many", INDEX, index(Value::Array(vec![entry; 10_001])).as_bytes());
    refused(&sandbox, &install(&sandbox, &registry.at("x:many")), &["10001 entries"]);
}

/// A skill in a layer, as others make them.
#[test]
fn artifacts_of_other_programs_are_read() {
    let (sandbox, registry) = (skills(), Registry::new());
    works(&sandbox.run(["push", "skills/pdf", &registry.at("pdf")]));
    let manifest = registry.parsed("pdf", "latest");
    let layer = manifest["layers"][0].clone();
    let image = |layer: &Value, name: &str| {
        let config = registry.blob("pdf", "application/vnd.oci.image.config.v1+json", b"{}");
        let mut layer = layer.clone();
        layer["mediaType"] = "application/vnd.docker.image.rootfs.diff.tar.gzip".into();
        let media_type = "application/vnd.docker.distribution.manifest.v2+json";
        let document = json!({
            "schemaVersion": 2, "mediaType": media_type, "config": config, "layers": [layer],
        });
        registry.put("pdf", name, media_type, document.to_string().as_bytes());
        document.to_string()
    };
    let text = image(&layer, "image");
    works(&install(&sandbox, &registry.at("pdf:image")));
    // An image for several systems.
    let media_type = "application/vnd.docker.distribution.manifest.v2+json";
    let entry = |os: &str, architecture: &str| {
        json!({"mediaType": media_type, "digest": digest(text.as_bytes()), "size": text.len(),
               "platform": {"os": os, "architecture": architecture}})
    };
    let list = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [
        entry("linux", "arm64"), entry("linux", "amd64"), entry("unknown", "unknown"),
    ]});
    registry.put("pdf", "systems", INDEX, list.to_string().as_bytes());
    works(&install(&sandbox, &registry.at("pdf:systems")));
}

const LOGIN: &str = "reader:s3cret";
const LOGIN_BASE64: &str = "cmVhZGVyOnMzY3JldA==";

fn with_login(sandbox: &Sandbox, registry: &Registry, args: &[&str]) -> Run {
    let token = format!("{}={LOGIN}", registry.server.host());
    let run = sandbox.run_with(args.iter().copied().chain(["-vvv"]), |command| {
        command.env("SKILLS_REGISTRY_TOKEN", token);
    });
    for secret in ["s3cret", LOGIN_BASE64, "t0ken"] {
        assert!(!run.all().contains(secret), "a secret was shown: {}", run.all());
    }
    run
}

#[test]
fn a_token_is_asked_for_where_the_registry_says() {
    let fault: Fault = Box::new(|asked, reply| {
        let host = asked.header("host").unwrap_or_default();
        if asked.path == "/token" {
            let is_known = asked.header("authorization") == Some(&format!("Basic {LOGIN_BASE64}"));
            return match is_known {
                true => Reply::ok("{\"token\": \"t0ken\"}"),
                false => Reply::status(401),
            };
        }
        if asked.header("authorization") == Some("Bearer t0ken") {
            return reply;
        }
        let wanted = format!("Bearer realm=\"http://{host}/token\",service=\"me\"");
        Reply::status(401).header("WWW-Authenticate", wanted)
    });
    let (sandbox, registry) = (skills(), Registry::with(fault));
    let to = registry.at("pdf");
    let anonymous = sandbox.run(["push", "skills/pdf", &to]);
    assert_eq!(anonymous.code, 2, "{}", anonymous.all());
    assert!(anonymous.stderr.contains("docker login"), "{}", anonymous.stderr);
    works(&with_login(&sandbox, &registry, &["push", "skills/pdf", &to]));
    let tokens = registry.server.asked_for("/token");
    assert!(tokens <= 3, "{tokens} tokens were asked for");
    let run = with_login(&sandbox, &registry, &["install", &to, "--dir", "out"]);
    works(&run);
    assert!(!sandbox.read("out/.skills-index.json").contains("s3cret"));
    let scopes: Vec<_> =
        registry.server.asked().into_iter().filter(|one| one.path == "/token").collect();
    let scope = scopes.last().unwrap().query("scope").unwrap().to_owned();
    assert!(scope.contains("repository:pdf:pull"), "{scope}");
}

#[test]
fn an_identity_token_is_exchanged_and_not_carried_elsewhere() {
    let stranger = Server::start(|_| Reply::ok("{\"token\": \"t0ken\"}"));
    let elsewhere = stranger.url("/token");
    for leads_away in [false, true] {
        let elsewhere = elsewhere.clone();
        let fault: Fault = Box::new(move |asked, reply| {
            if asked.path == "/token" {
                let body = String::from_utf8_lossy(&asked.body);
                let is_known = body.contains("grant_type=refresh_token")
                    && body.contains("refresh_token=s3cret")
                    && body.contains("scope=repository%3Apdf%3Apull%2Cpush");
                return match (asked.method.as_str(), is_known, leads_away) {
                    ("POST", true, false) => Reply::ok("{\"access_token\": \"t0ken\"}"),
                    ("POST", true, true) => {
                        Reply::status(307).header("Location", elsewhere.clone())
                    }
                    _ => Reply::status(400),
                };
            }
            if asked.header("authorization") == Some("Bearer t0ken") {
                return reply;
            }
            let host = asked.header("host").unwrap_or_default();
            let wanted = format!("Bearer realm=\"http://{host}/token\"");
            Reply::status(401).header("WWW-Authenticate", wanted)
        });
        let (sandbox, registry) = (skills(), Registry::with(fault));
        let config = json!({"auths": {registry.server.host(): {"identitytoken": "s3cret"}}});
        sandbox.write("../home/.docker/config.json", config.to_string());
        let run = sandbox.run(["push", "skills/pdf", &registry.at("pdf"), "-vvv"]);
        assert_eq!(run.code, if leads_away { 2 } else { 0 }, "{}", run.all());
        assert!(!run.all().contains("s3cret"), "{}", run.all());
    }
    assert!(stranger.asked().is_empty());
}

#[test]
fn a_login_never_goes_to_a_stranger() {
    let stranger = Arc::new(Server::start(|_| Reply::ok("{\"token\": \"t0ken\"}")));
    for realm in [
        "https://evil.example/token".to_owned(),
        "http://registry.example/token".to_owned(),
        format!("http://user@{}/token", stranger.host()),
        "file:///etc/passwd".to_owned(),
    ] {
        let wanted = format!("Bearer realm=\"{realm}\"");
        let fault: Fault =
            Box::new(move |_, _| Reply::status(401).header("WWW-Authenticate", wanted.clone()));
        let (sandbox, registry) = (skills(), Registry::with(fault));
        let run =
            with_login(&sandbox, &registry, &["install", &registry.at("pdf"), "--dir", "out"]);
        refused(&sandbox, &run, &["which is refused", "no login was sent"]);
        assert_eq!(run.code, 2, "{}", run.all());
    }
    assert!(stranger.asked().is_empty());
}

#[test]
fn a_registry_that_asks_again_and_again_is_left() {
    for wanted in ["Basic realm=\"x\"", "Bearer realm=\"http://HOST/token\"", "Negotiate", ""] {
        let fault: Fault = Box::new(move |asked, _| {
            if asked.path == "/token" {
                return Reply::ok("{\"token\": \"t0ken\"}");
            }
            let host = asked.header("host").unwrap_or_default();
            Reply::status(401).header("WWW-Authenticate", wanted.replace("HOST", host))
        });
        let (sandbox, registry) = (skills(), Registry::with(fault));
        let run =
            with_login(&sandbox, &registry, &["install", &registry.at("pdf"), "--dir", "out"]);
        refused(&sandbox, &run, &["cannot read from"]);
        assert!(registry.server.asked().len() < 8, "{wanted}");
    }
}

#[test]
#[cfg(unix)]
fn a_helper_is_asked_for_its_host_and_stopped_when_it_talks_too_much() {
    let fault: Fault = Box::new(|asked, reply| {
        let is_known = asked.header("authorization") == Some(&format!("Basic {LOGIN_BASE64}"));
        let refusal = Reply::status(401).header("WWW-Authenticate", "Basic realm=\"x\"");
        if is_known { reply } else { refusal }
    });
    let (sandbox, registry) = (skills(), Registry::with(fault));
    let host = registry.server.host();
    let config = json!({"credHelpers": {host.clone(): "test"}});
    sandbox.write("../home/.docker/config.json", config.to_string());
    let push = |script: &str| {
        sandbox.write("bin/docker-credential-test", format!("#!/bin/sh\n{script}\n"));
        sandbox.chmod("bin/docker-credential-test", 0o755);
        let path = format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap());
        let to = registry.at("pdf");
        let run = sandbox.run_with(["push", "skills/pdf", &to, "--force"], |command| {
            command.env("PATH", path);
        });
        assert!(!run.all().contains("s3cret"), "{}", run.all());
        run
    };
    let good = "read -r host; echo \"$host\" > asked; \
                echo '{\"ServerURL\":\"x\",\"Username\":\"reader\",\"Secret\":\"s3cret\"}'";
    works(&push(good));
    assert_eq!(sandbox.read("asked"), format!("{host}\n"));
    for (script, words) in [
        ("echo 's3cret: credentials not found in native keychain'; exit 1", "docker login"),
        ("echo s3cret; exit 1", "it failed"),
        ("echo s3cret", "its answer is not valid"),
        ("yes s3cret", "its answer is too long"),
    ] {
        let run = push(script);
        assert_eq!(run.code, 2, "{script}: {}", run.all());
        assert!(run.stderr.contains(words), "{script}: {}", run.stderr);
    }
    let config = json!({"credsStore": "../evil"});
    sandbox.write("../home/.docker/config.json", config.to_string());
    let run = push(good);
    assert!(run.stderr.contains("is not the name of a credential helper"), "{}", run.stderr);
}

#[test]
fn large_blobs_are_sent_in_parts() {
    let (sandbox, registry) = (skills(), Registry::new());
    // Noise does not get smaller when it is compressed.
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    })
    .take(17 * 1024 * 1024)
    .collect();
    sandbox.write("skills/pdf/noise.bin", noise);
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
