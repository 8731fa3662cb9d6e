//! The transport against a server on this machine that misbehaves.

#![allow(clippy::disallowed_methods)]

pub mod reused;
pub mod slow;

use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::skills::fetch::http::*;
use crate::skills::files::digest;
use crate::skills::model::error::ErrorKind;
use crate::tests::server::{Reply, Sending, Server};

const MIB: u64 = 1024 * 1024;

fn http_with(rules: NetworkAccess, variables: &[(&str, &str)]) -> Http {
    let patience = [("SKILLS_TEST_PATIENCE_MS", "400")];
    let variables = patience.iter().chain(variables);
    let variables = variables.map(|(name, value)| ((*name).into(), (*value).into()));
    Http::new(&Environment::new("/".into(), variables), rules, Box::new(Unwatched))
}

fn http() -> Http {
    http_with(NetworkAccess::default(), &[])
}

fn get(server: &Server, path: &str) -> HttpRequest<'static> {
    HttpRequest::get(Url::parse(&server.url(path)).unwrap())
}

fn failed(http: &Http, request: &HttpRequest<'_>) -> Error {
    match http.send(request) {
        Ok(answer) => answer.bytes(MIB).unwrap_err(),
        Err(error) => error,
    }
}

fn download(http: &Http, request: &HttpRequest<'_>, expected: Expected) -> (Result<u64>, Vec<u8>) {
    let mut file = tempfile::tempfile().unwrap();
    let bytes = match http.download(request, &mut file, expected) {
        Ok(Outcome::Complete(done)) => Ok(done.bytes),
        Ok(Outcome::Other(answer)) => Err(answer.refusal()),
        Err(error) => Err(error),
    };
    let mut content = Vec::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut content).unwrap();
    (bytes, content)
}

fn any(limit: u64) -> Expected {
    Expected { hash: None, bytes: None, limit }
}

#[test]
fn any_status_is_an_answer_with_its_headers() {
    let server = Server::start(|asked| {
        Reply::new(401, "no").header("WWW-Authenticate", format!("Bearer for={}", asked.method))
    });
    let http = http();
    for method in [HttpMethod::Get, HttpMethod::Post] {
        let url = Url::parse(&server.url("/a?b=c")).unwrap();
        let answer = http.send(&HttpRequest::new(method, url).header("X-Own", "1")).unwrap();
        assert_eq!(answer.status(), 401);
        let expected = format!("Bearer for={}", method.as_str());
        assert_eq!(answer.header("www-authenticate"), Some(expected.as_str()));
        assert_eq!(answer.refusal().kind, ErrorKind::Auth);
        assert_eq!(answer.bytes(2).unwrap(), b"no");
    }
    let asked = server.asked();
    assert_eq!((asked[0].query("b"), asked[0].header("x-own")), (Some("c"), Some("1")));
    assert!(asked[0].header("user-agent").unwrap().starts_with("skills/"));
}

#[test]
fn bytes_and_parts_of_files_are_uploaded() {
    let server = Server::start(|asked| {
        Reply::new(202, asked.body.clone()).header("Location", "../uploads/1?state=s3cret")
    });
    let http = http();
    let url = Url::parse(&server.url("/v2/a/uploads")).unwrap();
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, b"0123456789").unwrap();
    for (method, body, sent) in [
        (HttpMethod::Post, UploadBody::Nothing, &b""[..]),
        (HttpMethod::Put, UploadBody::Bytes(b"bytes"), b"bytes"),
        (HttpMethod::Patch, UploadBody::Part(&file, 3, 4), b"3456"),
        (HttpMethod::Put, UploadBody::Part(&file, 0, 10), b"0123456789"),
    ] {
        let answer = http.send(&HttpRequest::new(method, url.clone()).body(body)).unwrap();
        let location = answer.location().unwrap();
        assert_eq!(location.path(), "/v2/uploads/1");
        assert!(!format!("{location} {location:?}").contains("s3cret"));
        assert_eq!(answer.bytes(100).unwrap(), sent);
    }
    let lengths: Vec<_> =
        server.asked().iter().map(|one| one.header("content-length").map(str::to_owned)).collect();
    assert_eq!(lengths, ["0", "5", "4", "10"].map(|length| Some(length.to_owned())));
}

#[test]
fn nothing_is_asked_offline_and_plain_http_stays_here() {
    let server = Server::start(|_| Reply::ok("x"));
    let offline = http_with(NetworkAccess { offline: true, insecure: false }, &[]);
    let error = failed(&offline, &get(&server, "/"));
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("--offline"), "{}", error.message);
    let elsewhere = HttpRequest::get(Url::parse("http://skills.invalid/").unwrap());
    assert!(failed(&http(), &elsewhere).message.contains("not encrypted"));
    assert!(server.asked().is_empty());
    assert!(http().send(&get(&server, "/")).is_ok());
}

#[test]
fn busy_servers_are_asked_again_and_not_for_ever() {
    let server = Server::start(|asked| match (asked.path.as_str(), asked.before) {
        ("/429", 0) => Reply::status(429).header("Retry-After", "0"),
        ("/503", 0 | 1) => Reply::status(503),
        ("/cut", 0) => Reply::status(200).sent(Sending::Reset),
        ("/later", _) => Reply::status(503).header("Retry-After", "3600"),
        ("/never", _) => Reply::status(502),
        _ => Reply::ok("done"),
    });
    let http = http();
    for (path, times) in [("/429", 2), ("/503", 3), ("/cut", 2)] {
        assert_eq!(http.send(&get(&server, path)).unwrap().bytes(9).unwrap(), b"done", "{path}");
        assert_eq!(server.asked_for(path), times, "{path}");
    }
    for (path, status, times) in [("/later", 503, 1), ("/never", 502, 4)] {
        let answer = http.send(&get(&server, path)).unwrap();
        assert_eq!((answer.status(), server.asked_for(path)), (status, times));
        assert_eq!(answer.refusal().kind, ErrorKind::Network);
    }
    // What changes something is not repeated.
    let url = Url::parse(&server.url("/never")).unwrap();
    assert_eq!(http.send(&HttpRequest::new(HttpMethod::Post, url)).unwrap().status(), 502);
    assert_eq!(server.asked_for("/never"), 5);
}

#[test]
fn bodies_are_bounded_in_size_and_time() {
    let drip = Sending::Drip(1, Duration::from_millis(50));
    let slow = drip.clone();
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/endless" => Reply::ok(vec![b'x'; 60_000]).sent(Sending::Endless),
        "/lying" => Reply::ok("x").header("Content-Length", "999999999999"),
        "/drip" => Reply::ok("x".repeat(1000)).sent(slow.clone()),
        "/silent" => Reply::ok("x").sent(Sending::Silent(Duration::from_secs(5))),
        "/header" => Reply::ok("x").header("X-Long", "x".repeat(100_000)),
        "/headers" => {
            let many = Reply::ok("x");
            (0..5000).fold(many, |reply, number| reply.header(&format!("X-{number}"), "y"))
        }
        _ => Reply::ok("no HTTP at all\r\n\r\n").sent(Sending::Raw),
    });
    let http = http();
    let begun = Instant::now();
    for (path, kind, words) in [
        ("/endless", ErrorKind::TooLarge, "at most 1 MiB"),
        ("/lying", ErrorKind::TooLarge, "at most 1 MiB"),
        ("/drip", ErrorKind::Network, "too slow"),
        ("/silent", ErrorKind::Network, "silent"),
        ("/header", ErrorKind::Network, "understood"),
        ("/headers", ErrorKind::Network, "understood"),
        ("/raw", ErrorKind::Network, "understood"),
    ] {
        let error = failed(&http, &get(&server, path));
        assert_eq!(error.kind, kind, "{path}: {}", error.message);
        assert!(error.message.contains(words), "{path}: {}", error.message);
        assert!(error.message.contains(&server.host()), "{path}: {}", error.message);
    }
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

#[test]
fn redirects_are_followed_as_far_as_they_may() {
    let other = Arc::new(Server::start(|_| Reply::ok("other")));
    let target = Arc::clone(&other);
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/a" => Reply::redirect("/b"),
        "/b" => Reply::redirect("c?token=s3cret"),
        "/c" => Reply::ok("here"),
        "/loop" => Reply::redirect("/loop"),
        "/plain" => Reply::redirect("http://skills.invalid/"),
        "/login" => Reply::redirect("http://me:s3cret@127.0.0.1/"),
        "/other" => Reply::redirect(target.url("/")),
        _ => Reply::redirect("ftp://h/"),
    });
    let http = http();
    let answer = http.send(&get(&server, "/a")).unwrap();
    assert_eq!(answer.url().to_string(), server.url("/c?…"));
    assert_eq!(answer.bytes(9).unwrap(), b"here");
    for (path, words) in [
        ("/loop", "more than 5 times"),
        ("/plain", "not encrypted"),
        ("/login", "must not contain a login"),
        ("/ftp", "invalid address"),
    ] {
        let error = failed(&http, &get(&server, path));
        assert!(error.message.contains(words), "{path}: {}", error.message);
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
    assert_eq!(server.asked_for("/loop"), 6);
    // Another port is another server: it gets no credentials.
    let request = get(&server, "/other").authorization("Bearer s3cret");
    assert_eq!(http.send(&request).unwrap().bytes(9).unwrap(), b"other");
    let authorization = |server: &Server| {
        let last = server.asked().pop().unwrap();
        last.header("authorization").map(str::to_owned)
    };
    assert_eq!(authorization(&server).as_deref(), Some("Bearer s3cret"));
    assert_eq!(authorization(&other), None);
}

#[test]
fn an_address_that_a_stranger_names_is_checked_like_a_redirect() {
    let server = Server::start(|_| Reply::ok("secret"));
    let public = Url::parse("https://8.8.8.8/index.json").unwrap();
    for rules in [false, true] {
        let http = http_with(NetworkAccess { offline: false, insecure: rules }, &[]);
        let error = failed(&http, &get(&server, "/").named_by(&public));
        assert_eq!(error.kind, ErrorKind::Network);
        let insecure = Url::parse("http://8.8.8.8/index.json").unwrap();
        let error = failed(&http, &get(&server, "/").named_by(&insecure));
        assert!(error.message.contains("private network"), "{}", error.message);
    }
    assert!(server.asked().is_empty());
}

#[test]
fn a_name_that_means_this_machine_is_noticed_when_it_is_resolved() {
    let server = Server::start(|_| Reply::ok("secret"));
    let Ok(mut found) = std::net::ToSocketAddrs::to_socket_addrs("ip6-localhost:80") else {
        return;
    };
    if !found.any(|address| address.ip().is_loopback()) {
        return;
    }
    let port = server.host().rsplit(':').next().unwrap().to_owned();
    let url = Url::parse(&format!("http://ip6-localhost:{port}/")).unwrap();
    let public = Url::parse("http://8.8.8.8/").unwrap();
    let http = http_with(NetworkAccess { offline: false, insecure: true }, &[]);
    let error = failed(&http, &HttpRequest::get(url).named_by(&public));
    assert!(error.message.contains("private network"), "{}", error.message);
}

#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    let bytes: Vec<u8> = (0..300_000_u32).map(|number| (number % 251) as u8).collect();
    let (content, wrong) = (bytes.clone(), bytes.clone());
    let server = Server::start(move |asked| match (asked.path.as_str(), asked.before) {
        ("/file" | "/unknown", 0) => Reply::file(asked, &content).sent(Sending::Cut(100_000)),
        ("/file", 1) => Reply::file(asked, &content).sent(Sending::Cut(50_000)),
        ("/whole", 0) => Reply::ok(content.clone()).sent(Sending::Cut(100_000)),
        ("/whole", _) => Reply::ok(content.clone()),
        ("/liar", 0) => Reply::file(asked, &content).sent(Sending::Cut(100_000)),
        ("/liar", 1) => Reply::new(206, &content[..9]).header("Content-Range", "bytes 0-8/300000"),
        ("/never", _) => Reply::ok(content.clone()).sent(Sending::Cut(10)),
        _ => Reply::file(asked, &wrong),
    });
    let hash = Some(digest::of_bytes(&bytes));
    let known = Expected { hash, bytes: Some(300_000), limit: MIB };
    let http = http();
    for (path, expected) in
        [("/file", known), ("/whole", known), ("/liar", known), ("/unknown", any(MIB))]
    {
        let (done, content) = download(&http, &get(&server, path), expected);
        assert_eq!(done.unwrap(), 300_000, "{path}");
        assert!(content == bytes, "{path}");
    }
    let ranges: Vec<_> = server
        .asked()
        .iter()
        .filter(|asked| asked.path == "/file")
        .map(|asked| asked.header("range").map(str::to_owned))
        .collect();
    let range = |start: &str| Some(format!("bytes={start}-"));
    assert_eq!(ranges, [None, range("100000"), range("150000")]);
    let (done, _) = download(&http, &get(&server, "/never"), known);
    assert!(done.unwrap_err().message.contains("too early"));
    assert!(server.asked_for("/never") <= 5);
}

#[test]
fn a_download_is_what_was_expected_or_an_error() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/x" => Reply::ok("abc").header("ETag", "\"1\"").header("Content-Type", "a/b"),
        _ => Reply::status(404),
    });
    let http = http();
    let hash = |text: &str| Some(digest::of_bytes(text.as_bytes()));
    let expect = |hash, bytes| Expected { hash, bytes, limit: MIB };
    for (expected, words) in [
        (expect(hash("abd"), None), "not what was expected"),
        (expect(None, Some(4)), "3 bytes instead of 4"),
        (expect(None, Some(2)), "too large"),
        (any(2), "too large"),
    ] {
        let error = download(&http, &get(&server, "/x"), expected).0.unwrap_err();
        assert!(error.message.contains(words), "{}", error.message);
    }
    let missing = download(&http, &get(&server, "/y"), any(9)).0.unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NotFound);
    let mut file = tempfile::tempfile().unwrap();
    let done = http.download(&get(&server, "/x"), &mut file, expect(hash("abc"), Some(3)));
    let Ok(Outcome::Complete(done)) = done else { panic!("{done:?}") };
    assert_eq!((done.etag.as_deref(), done.content_type.as_deref()), (Some("\"1\""), Some("a/b")));
}

#[test]
fn proxies_of_the_environment_are_asked_and_their_passwords_are_not_shown() {
    let proxy = Server::start(|_| Reply::status(403));
    let address = format!("http://me:s3cret@{}", proxy.host());
    let rules = NetworkAccess { offline: false, insecure: true };
    let http = http_with(rules, &[("http_proxy", &address), ("HTTPS_PROXY", &address)]);
    for url in ["http://skills.invalid/", "https://skills.invalid/"] {
        let error = failed(&http, &HttpRequest::get(Url::parse(url).unwrap()));
        assert!(error.message.contains(&proxy.host()), "{}", error.message);
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
    let asked: Vec<_> = proxy.asked().iter().map(|one| one.method.clone()).collect();
    assert_eq!(asked, ["CONNECT", "CONNECT"]);
    let login = proxy.asked()[0].header("proxy-authorization").map(str::to_owned);
    assert_eq!(login.as_deref(), Some("Basic bWU6czNjcmV0"));
}

#[test]
fn a_watcher_sees_bytes_and_pauses() {
    #[derive(Default)]
    struct Log(Mutex<Vec<String>>);
    impl TransferWatcher for Arc<Log> {
        fn begun(&self, url: &Url, bytes: Option<u64>) {
            self.0.lock().unwrap().push(format!("begun {} {bytes:?}", url.path()));
        }
        fn moved(&self, bytes: u64) {
            self.0.lock().unwrap().push(format!("moved {bytes}"));
        }
        fn ended(&self) {
            self.0.lock().unwrap().push("ended".to_owned());
        }
        fn pausing(&self, _: &Url, reason: &str, _: Duration) {
            self.0.lock().unwrap().push(reason.to_owned());
        }
    }
    let server = Server::start(|asked| match asked.before {
        0 => Reply::status(503),
        _ => Reply::ok("abc"),
    });
    let log = Arc::new(Log::default());
    let variables = [("SKILLS_TEST_PATIENCE_MS".into(), "400".into())];
    let environment = Environment::new("/".into(), variables);
    let http = Http::new(&environment, NetworkAccess::default(), Box::new(Arc::clone(&log)));
    let expected = Expected { limit: 9, bytes: None, hash: None };
    let mut saved = tempfile::tempfile().unwrap();
    let Outcome::Complete(saved) =
        http.download(&get(&server, "/x"), &mut saved, expected).unwrap()
    else {
        panic!("not downloaded")
    };
    assert_eq!((saved.hash, saved.bytes), (digest::of_bytes(b"abc"), 3));
    let log = log.0.lock().unwrap().clone();
    assert_eq!(log, ["unavailable, 503", "begun /x Some(3)", "moved 3", "ended"]);
}

#[test]
fn unreachable_servers_are_named_with_a_reason() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = Url::parse(&format!("http://{closed}/a?token=s3cret")).unwrap();
    let error = failed(&http(), &HttpRequest::get(url).authorization("s3cret"));
    assert_eq!(error.kind, ErrorKind::Network);
    assert_eq!(error.message, format!("cannot reach `{closed}`: connection refused"));
    let unknown = Url::parse("https://skills.invalid/").unwrap();
    let error = failed(&http(), &HttpRequest::get(unknown));
    assert!(error.message.starts_with("cannot reach `skills.invalid`: "), "{}", error.message);
    assert!(!format!("{error:?}").contains("s3cret"));
    // A web server without TLS.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let secure = Url::parse(&format!("https://{}/", listener.local_addr().unwrap())).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten().take(1) {
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
            let _ = stream.read(&mut [0; 1000]);
        }
    });
    let error = failed(&http(), &HttpRequest::get(secure));
    assert!(error.message.contains("securely"), "{}", error.message);
}
