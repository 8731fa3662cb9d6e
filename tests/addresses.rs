//! Archives by their address, through every command that reads sources, and servers that misbehave.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Run, Sandbox, good_text, lacks};
use crate::server::{Reply, Sending, Server};
use crate::tarball::maker as tar;

/// Waits are short in tests.
pub(crate) const PATIENCE: &str = "SKILLS_TEST_PATIENCE_MS";

/// Runs the binary against a server that may misbehave.
pub(crate) fn run(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run_with(args, |command| {
        command.env(PATIENCE, "400");
    })
}

/// A directory that is served, with `pdf.skill` in it.
fn published(sandbox: &Sandbox) -> (PathBuf, Server) {
    sandbox.good_skill("src/pdf");
    sandbox.write("src/pdf/scripts/run.sh", "echo\n");
    pack(sandbox);
    let directory = sandbox.path("web");
    let server = Server::of_directory(&directory);
    (directory, server)
}

fn pack(sandbox: &Sandbox) {
    let run = sandbox.run(["pack", "src/pdf", "--output", "web", "--force"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

fn sha256(path: &std::path::Path) -> String {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(fs::read(path).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn installed(sandbox: &Sandbox, name: &str) -> bool {
    sandbox.path("out").join(name).join("SKILL.md").exists()
}

fn error_of(run: &Run) -> Value {
    serde_json::from_str::<Value>(&run.stdout).unwrap()["error"].clone()
}

#[test]
fn an_archive_is_a_source_like_any_other() {
    let sandbox = Sandbox::repository();
    let (web, server) = published(&sandbox);
    let text = good_text("csv");
    let tarball = tar::gzip(&tar::archive(&[tar::file("csv/SKILL.md", &text)]));
    fs::write(web.join("csv.tar.gz"), &tarball).unwrap();
    fs::write(web.join("csv.tgz"), &tarball).unwrap();
    fs::copy(web.join("pdf.skill"), web.join("pdf.zip")).unwrap();
    for (file, name) in
        [("pdf.skill", "pdf"), ("pdf.zip", "pdf"), ("csv.tar.gz", "csv"), ("csv.tgz", "csv")]
    {
        let url = server.url(&format!("/{file}"));
        let run = sandbox.run(["list", "--format", "names", &url]);
        assert_eq!((run.stdout.as_str(), run.code), (format!("{name}\n").as_str(), 0), "{file}");
        assert_eq!(run.stderr, format!("note: fetching `{url}`\n"));
        for verb in ["validate", "show", "render"] {
            let run = sandbox.run([verb, &url]);
            assert_eq!(run.code, 0, "{verb} {file}: {}", run.stderr);
            assert!(run.stdout.contains(name) || verb == "validate", "{}", run.stdout);
        }
        let line = format!("cat $HOME/.claude/skills/{name}/SKILL.md");
        let run = sandbox.run(["mount", &url, "--agent", "claude", "--", "sh", "-c", &line]);
        assert!(run.stdout.contains(&format!("name: {name}")), "{}", run.all());
        let report = sandbox.document(["install", &url, "--dir", "out", "--format", "json"]);
        assert_eq!(report["skills"][0]["name"], name, "{report:#}");
        assert_eq!(report["skills"][0]["kind"], "archive");
    }
    assert!(sandbox.read("out/.skills-index.json").contains(&server.host()));
    let run = sandbox.run(["verify", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn a_digest_in_the_address_means_exactly_that_archive() {
    let sandbox = Sandbox::new();
    let (web, server) = published(&sandbox);
    let digest = sha256(&web.join("pdf.skill"));
    let url = server.url(&format!("/pdf.skill#sha256={digest}"));
    assert_eq!(sandbox.run(["install", &url, "--dir", "out"]).code, 0);
    // It is in the cache now, and nobody has to be asked.
    let before = server.asked().len();
    assert_eq!(sandbox.run(["list", &url]).code, 0);
    assert_eq!(sandbox.run(["list", "--offline", &url]).code, 0);
    assert_eq!(server.asked().len(), before);
    let other = server.url(&format!("/pdf.skill#sha256={}", "0".repeat(64)));
    let run = sandbox.run(["install", &other, "--dir", "other", "--format", "json"]);
    assert_eq!(run.code, 1, "{}", run.all());
    let error = error_of(&run);
    assert_eq!(error["kind"], "validation");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(&server.host()) && message.contains(&digest), "{message}");
    assert!(!sandbox.path("other").exists());
}

#[test]
fn update_takes_what_is_there_now_and_asks_with_the_etag() {
    let sandbox = Sandbox::new();
    let (web, server) = published(&sandbox);
    let url = server.url("/pdf.skill");
    assert_eq!(sandbox.run(["install", &url, "--dir", "out"]).code, 0);
    let run = sandbox.run(["update", "--dir", "out"]);
    assert!(run.stdout.contains("1 unchanged"), "{}", run.all());
    let last = server.asked().pop().unwrap();
    assert!(last.header("if-none-match").is_some(), "{last:?}");
    sandbox.write("src/pdf/SKILL.md", good_text("pdf") + "More.\n");
    pack(&sandbox);
    let run = sandbox.run(["update", "--check", "--dir", "out"]);
    assert_eq!(run.code, 1, "{}", run.all());
    let report = sandbox.document(["update", "--dir", "out", "--format", "json"]);
    assert_eq!(report["skills"][0]["action"], "updated", "{report:#}");
    assert!(sandbox.read("out/pdf/SKILL.md").ends_with("More.\n"));
    fs::remove_file(web.join("pdf.skill")).unwrap();
    let run = sandbox.run(["update", "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.all().contains("gone"), "{}", run.all());
    assert!(installed(&sandbox, "pdf"));
    drop(server);
    let run = run_again(&sandbox, &["update", "--dir", "out", "--format", "json"]);
    assert_eq!(run.code, 2, "{}", run.all());
}

/// A closed port needs no patience.
fn run_again(sandbox: &Sandbox, args: &[&str]) -> Run {
    run(sandbox, args)
}

#[test]
fn a_lock_pins_the_bytes_and_frozen_takes_no_others() {
    let sandbox = Sandbox::new();
    let (web, server) = published(&sandbox);
    let url = server.url("/pdf.skill");
    sandbox.write("skills.yaml", format!("version: 1\nskills:\n  - {url}\n"));
    let run = sandbox.run(["lock"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let digest = sha256(&web.join("pdf.skill"));
    assert!(sandbox.read("skills.lock").contains(&digest), "{}", sandbox.read("skills.lock"));
    // From the cache, without a question.
    let asked = server.asked().len();
    for flags in [&["--frozen"][..], &["--frozen", "--offline"], &["--offline"]] {
        let run = sandbox.run([&["install", "--dir", "out"][..], flags].concat());
        assert_eq!(run.code, 0, "{flags:?} {}", run.all());
    }
    assert_eq!(server.asked().len(), asked);
    // Another machine.
    fs::remove_dir_all(sandbox.path("../home/.cache")).unwrap();
    let run = sandbox.run(["install", "--frozen", "--offline", "--dir", "new", "--format", "json"]);
    assert_eq!((run.code, &error_of(&run)["kind"]), (2, &Value::from("network")), "{}", run.all());
    assert_eq!(sandbox.run(["install", "--frozen", "--dir", "new"]).code, 0);
    assert!(sandbox.path("new/pdf/SKILL.md").exists());
    // The server has something else now.
    fs::remove_dir_all(sandbox.path("../home/.cache")).unwrap();
    sandbox.write("src/pdf/SKILL.md", good_text("pdf") + "More.\n");
    pack(&sandbox);
    let run = sandbox.run(["install", "--frozen", "--dir", "third"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("skills lock --upgrade"), "{}", run.stderr);
    assert!(!sandbox.path("third").exists());
    let run = sandbox.run(["outdated"]);
    assert!(run.stdout.contains("would change"), "{}", run.all());
    assert_eq!(sandbox.run(["lock", "--upgrade"]).code, 0);
    assert_eq!(sandbox.run(["install", "--frozen", "--dir", "third"]).code, 0);
}

#[test]
fn a_damaged_file_of_the_cache_is_fetched_again() {
    let sandbox = Sandbox::new();
    let (web, server) = published(&sandbox);
    let digest = sha256(&web.join("pdf.skill"));
    let url = server.url(&format!("/pdf.skill#sha256={digest}"));
    assert_eq!(sandbox.run(["list", &url]).code, 0);
    let cached = format!("../home/.cache/skills/archives/sha256/{}/{digest}", &digest[..2]);
    sandbox.write(&cached, "damaged");
    assert_eq!(sandbox.run(["list", &url]).code, 0);
    assert_eq!(server.asked_for("/pdf.skill"), 2);
    assert_eq!(fs::read(sandbox.path(&cached)).unwrap(), fs::read(web.join("pdf.skill")).unwrap());
    sandbox.write(&cached, "damaged");
    let run = sandbox.run(["list", "--offline", &url]);
    assert_eq!(run.code, 2, "{}", run.all());
}

#[test]
fn servers_that_lie_or_fail_are_named_and_nothing_is_installed() {
    let sandbox = Sandbox::new();
    let large = tar::entry(b'0', b"a/SKILL.md", b"x").size(300 << 20);
    let bomb = tar::gzip(&tar::archive(&[large]));
    let text = good_text("pdf");
    let good = tar::gzip(&tar::archive(&[tar::file("pdf/SKILL.md", &text)]));
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/endless.zip" => Reply::ok(vec![b'x'; 1 << 20]).sent(Sending::Endless),
        "/drip.zip" => {
            Reply::ok("x".repeat(1000)).sent(Sending::Drip(1, Duration::from_millis(50)))
        }
        "/cut.tgz" => Reply::ok(good.clone()).sent(Sending::Cut(50)),
        "/bomb.tgz" => Reply::ok(bomb.clone()),
        "/page.zip" => Reply::ok("<html>").header("Content-Type", "text/html; charset=utf-8"),
        "/other.zip" => Reply::ok(good.clone()).header("Content-Type", "application/zip"),
        "/empty.zip" => Reply::ok(""),
        "/gone.zip" => Reply::status(410),
        "/login.zip" => Reply::status(401),
        "/broken.zip" => Reply::status(500),
        "/busy.zip" => Reply::status(503),
        "/loop.zip" => Reply::redirect("/loop.zip"),
        "/plain.zip" => Reply::redirect("http://skills.invalid/x.zip"),
        "/secret.zip" => Reply::redirect("http://user:s3cret@127.0.0.1/x.zip"),
        "/header.zip" => Reply::ok("x").header("X-Long", "y".repeat(200_000)),
        _ => Reply::status(404),
    });
    let begun = Instant::now();
    for (file, kind, words) in [
        ("endless.zip", "too_large", "too large"),
        ("drip.zip", "network", "too slow"),
        ("cut.tgz", "network", "too early"),
        ("bomb.tgz", "too_large", "too large"),
        ("page.zip", "validation", "a web page"),
        ("other.zip", "validation", "not an archive"),
        ("empty.zip", "validation", "not an archive"),
        ("gone.zip", "not_found", "gone, 410"),
        ("login.zip", "auth", "login needed"),
        ("broken.zip", "network", "internal error"),
        ("busy.zip", "network", "unavailable"),
        ("loop.zip", "network", "more than 5 times"),
        ("plain.zip", "network", "not encrypted"),
        ("secret.zip", "network", "login"),
        ("header.zip", "network", "header"),
        ("missing.zip", "not_found", "not found, 404"),
    ] {
        let url = server.url(&format!("/{file}"));
        let run = run(&sandbox, &["install", &url, "--dir", "out", "--format", "json", "-vv"]);
        let error = error_of(&run);
        let message = error["message"].as_str().unwrap_or_else(|| panic!("{file}: {}", run.all()));
        assert_eq!(error["kind"], kind, "{file}: {message}");
        assert!(message.contains(words) && message.contains(&server.host()), "{file}: {message}");
        assert!(!run.all().contains("s3cret"), "{}", run.all());
        assert!(!sandbox.path("out").exists(), "{file}");
    }
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
    // No half file stays in the cache.
    let cache = sandbox.path("../home/.cache/skills/archives/sha256");
    let left = fs::read_dir(cache).unwrap().flatten();
    let left: Vec<_> = left.filter(|entry| entry.file_type().unwrap().is_file()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn plain_http_beyond_this_machine_needs_a_flag() {
    let sandbox = Sandbox::new();
    let run = run(&sandbox, &["list", "http://skills.invalid/x.zip"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("not encrypted") && run.stderr.contains("--insecure"),
        "{}",
        run.stderr
    );
    let run =
        sandbox.run_with(["list", "--insecure", "http://skills.invalid/x.zip", "-vv"], |command| {
            command.env(PATIENCE, "2000").env("http_proxy", "http://me:s3cret@127.0.0.1:9");
        });
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("through the proxy `127.0.0.1:9`"), "{}", run.stderr);
    assert!(!run.all().contains("s3cret"), "{}", run.all());
}

#[test]
fn a_broken_download_is_taken_up_again() {
    let sandbox = Sandbox::new();
    let (web, _) = published(&sandbox);
    let bytes = fs::read(web.join("pdf.skill")).unwrap();
    let digest = sha256(&web.join("pdf.skill"));
    let server = Server::start(move |asked| match asked.before {
        0 => Reply::status(429).header("Retry-After", "0"),
        1 => Reply::file(asked, &bytes).sent(Sending::Cut(100)),
        _ => Reply::file(asked, &bytes),
    });
    let url = server.url(&format!("/pdf.skill#sha256={digest}"));
    let run = run(&sandbox, &["install", &url, "--dir", "out"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("too many requests"), "{}", run.stderr);
    assert_eq!(server.asked()[2].header("range"), Some("bytes=100-"));
}

/// An HTTPS server with a certificate of its own authority, by other programs.
const HTTPS: &str = r#"
set -e
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=ca \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout key.pem -out req.pem -subj /CN=localhost 2>/dev/null
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' > ext
openssl x509 -req -in req.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out cert.pem 2>/dev/null
cat > serve.py <<'END'
import http.server, ssl, sys, threading
handler = lambda *rest: http.server.SimpleHTTPRequestHandler(*rest, directory="web")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
open("port", "w").write(str(server.server_address[1]))
threading.Timer(50, server.shutdown).start()
server.serve_forever()
END
python3 serve.py 2>/dev/null &
echo $! > pid
for _ in $(seq 100); do [ -s port ] && break; sleep 0.1; done
URL=https://localhost:$(cat port)/pdf.skill
set +e
echo "[unknown]"; $SKILLS list --format names $URL 2>&1
echo "[insecure]"; $SKILLS list --insecure --format names $URL 2>&1
echo "[known]"; SSL_CERT_FILE=$PWD/ca.pem $SKILLS list --format names $URL 2>&1
echo "[other]"; SSL_CERT_FILE=$PWD/ca.pem $SKILLS list --format names https://other.localhost:$(cat port)/pdf.skill 2>&1
kill $(cat pid)
"#;

#[test]
fn certificates_are_checked_against_the_trusted_ones() {
    if lacks(&["openssl", "python3"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let (_, server) = published(&sandbox);
    drop(server);
    let run = sandbox.shell(HTTPS);
    let part = |name: &str| {
        let part = run.stdout.split(&format!("[{name}]\n")).nth(1).unwrap_or_default();
        part.split("\n[").next().unwrap_or_default().to_owned()
    };
    assert!(part("known").ends_with("\npdf"), "{}", run.all());
    for name in ["unknown", "insecure"] {
        let part = part(name);
        assert!(part.contains("is not trusted: its issuer is unknown"), "{}", run.all());
        assert!(part.contains("SSL_CERT_FILE"), "{}", run.all());
    }
}
