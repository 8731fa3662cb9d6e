//! A small registry on this machine that keeps everything in memory, and skills to push to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Run, Sandbox, text};
use crate::server::{Asked, Reply, Server};

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
pub(crate) const COLLECTION: &str = "application/vnd.agentskills.collection.v1";

/// Changes an answer.
pub(crate) type Fault = Box<dyn Fn(&Asked, Reply) -> Reply + Send + Sync>;

/// What a registry holds, by repository and digest or tag.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) blobs: BTreeMap<(String, String), Vec<u8>>,
    pub(crate) documents: BTreeMap<(String, String), (String, Vec<u8>)>,
}

/// A registry that keeps everything in memory.
pub(crate) struct Registry {
    pub(crate) server: Server,
    pub(crate) store: Arc<Mutex<Store>>,
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    let hash = sha2::Sha256::digest(bytes);
    format!("sha256:{}", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self::with(Box::new(|_, reply| reply))
    }

    /// A registry whose answers are changed before they are sent.
    pub(crate) fn with(fault: Fault) -> Self {
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
    pub(crate) fn asked(&self, method: &str, part: &str) -> usize {
        let is_it = |one: &&Asked| one.method == method && one.path.contains(part);
        self.server.asked().iter().filter(is_it).count()
    }

    pub(crate) fn document(&self, repository: &str, reference: &str) -> (String, Vec<u8>) {
        let key = (repository.to_owned(), reference.to_owned());
        self.store.lock().unwrap().documents[&key].clone()
    }

    pub(crate) fn parsed(&self, repository: &str, reference: &str) -> Value {
        serde_json::from_slice(&self.document(repository, reference).1).unwrap()
    }

    /// Stores a document under a tag and its digest, and returns its digest.
    pub(crate) fn put(
        &self,
        repository: &str,
        tag: &str,
        media_type: &str,
        bytes: &[u8],
    ) -> String {
        let digest = digest(bytes);
        let mut store = self.store.lock().unwrap();
        for reference in [tag, &digest] {
            let key = (repository.to_owned(), reference.to_owned());
            store.documents.insert(key, (media_type.to_owned(), bytes.to_vec()));
        }
        digest
    }

    /// Stores a blob, and returns what points to it.
    pub(crate) fn blob(&self, repository: &str, media_type: &str, bytes: &[u8]) -> Value {
        let digest = digest(bytes);
        let key = (repository.to_owned(), digest.clone());
        self.store.lock().unwrap().blobs.insert(key, bytes.to_vec());
        json!({"mediaType": media_type, "digest": digest, "size": bytes.len()})
    }
}

/// What a registry answers that does what it should.
pub(crate) fn answer(asked: &Asked, store: &Mutex<Store>) -> Reply {
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
pub(crate) fn skills() -> Sandbox {
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
pub(crate) fn works(run: &Run) {
    assert_eq!(run.code, 0, "{}", run.all());
}

/// The run failed, said all of this, and installed nothing.
#[track_caller]
pub(crate) fn refused(sandbox: &Sandbox, run: &Run, words: &[&str]) {
    assert_ne!(run.code, 0, "{}", run.all());
    for word in words {
        assert!(run.stderr.contains(word), "`{word}` is missing: {}", run.stderr);
    }
    assert!(!sandbox.path("out").join("pdf").exists(), "something was installed");
}

pub(crate) fn install(sandbox: &Sandbox, source: &str) -> Run {
    sandbox.run(["install", source, "--dir", "out"])
}
