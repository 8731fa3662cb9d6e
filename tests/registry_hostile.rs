//! A registry that lies, asks for too much or never ends changes nothing here.

use serde_json::{Value, json};

use crate::harness::good_text;
use crate::registry_server::*;
use crate::server::{Asked, Reply, Sending};
use crate::tarball::maker::{archive, entry, file};

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

#[test]
fn skills_of_a_collection_share_one_limit_for_what_they_unpack_to() {
    let (sandbox, registry) = (skills(), Registry::new());
    // The zeros are beside the skill, so they would not be installed, and take time all the same.
    let zeros = vec![0; 130 * 1024 * 1024];
    let entries = [file("pdf/SKILL.md", &good_text("pdf")), entry(b'0', b"more/zeros", &zeros)];
    let layer_type = "application/vnd.oci.image.layer.v1.tar+gzip";
    let layer = registry.blob("x", layer_type, &gzip(&archive(&entries)));
    let config = registry.blob("x", "application/vnd.oci.empty.v1+json", b"{}");
    let manifest = |name: &str| {
        let text =
            json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer],
            "annotations": {"io.agentskills.skill.name": name}})
            .to_string();
        let digest = registry.put("x", name, MANIFEST, text.as_bytes());
        json!({"mediaType": MANIFEST, "digest": digest, "size": text.len()})
    };
    let collection = |names: &[&str]| {
        let entries: Vec<Value> = names.iter().map(|name| manifest(name)).collect();
        let annotations = json!({"io.agentskills.collection.name": "x"});
        json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries, "annotations": annotations})
            .to_string()
    };
    registry.put("x", "two", INDEX, collection(&["a", "b"]).as_bytes());
    let run = install(&sandbox, &registry.at("x:two"));
    refused(&sandbox, &run, &["its skills unpack to more than 256 MiB together"]);
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
