//! `skills serve --http`: who is let in, sessions, streams, and what a hostile client can do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Sandbox, good_text};
use crate::serve_client::{meta, two_skills};

const PATIENCE: Duration = Duration::from_secs(60);
const TOKEN: &str = "a-token-for-tests-only";

struct Site {
    child: Child,
    address: String,
    token: String,
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

impl Site {
    fn start(sandbox: &Sandbox, token: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skills"));
        command
            .args(["serve", "skills", "--http", "127.0.0.1:0"])
            .env_clear()
            .env("HOME", sandbox.path("../home"))
            .current_dir(sandbox.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(token) = token {
            command.env("SKILLS_SERVE_TOKEN", token);
        }
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.next().unwrap();
        let url = line
            .strip_prefix("note: serving 2 skills at http://")
            .unwrap_or_else(|| panic!("{line}"));
        let address = url.strip_suffix("/mcp").unwrap().to_owned();
        let token = match token {
            Some(token) => token.to_owned(),
            None => lines.next().unwrap().strip_prefix("token: ").unwrap().to_owned(),
        };
        Self { child, address, token }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a whole request as it is, and reads the answer.
    fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        let _ = stream.write_all(request);
        reply(&mut BufReader::new(stream)).expect("an answer")
    }

    fn head(&self, method: &str, headers: &[(&str, &str)], length: usize) -> String {
        let mut head = format!("{method} /mcp HTTP/1.1\r\n");
        let has = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !has("Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        if !has("Authorization") {
            head += &format!("Authorization: Bearer {}\r\n", self.token);
        }
        head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            head += &format!("{name}: {value}\r\n");
        }
        format!("{head}Content-Length: {length}\r\n\r\n")
    }

    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let head = self.head(method, headers, body.len());
        self.raw(format!("{head}{body}").as_bytes())
    }

    fn post(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        self.send("POST", headers, &body.to_string())
    }

    /// A request of the newest revision, with its headers.
    fn modern(&self, method: &str, mut params: Value, more: &[(&str, &str)]) -> Reply {
        params["_meta"] = meta();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut headers = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        headers.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
        headers.extend(more);
        self.post(&headers, &body)
    }

    /// The status of a request; none if the connection ends before.
    fn try_modern(&self, method: &str) -> Option<u16> {
        let params = json!({ "_meta": meta() });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        let body = body.to_string();
        let mut stream = self.connect();
        let _ = stream.write_all((self.head("POST", &headers, body.len()) + &body).as_bytes());
        Some(reply(&mut BufReader::new(stream))?.status)
    }

    fn session(&self, version: &str) -> String {
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": {} });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let reply = self.post(&[], &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(reply.json()["result"]["protocolVersion"], version);
        reply.header("Mcp-Session-Id").unwrap().to_owned()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads one answer with a length; none at the end of the connection.
fn reply(input: &mut BufReader<TcpStream>) -> Option<Reply> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head += &line;
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut reply = Reply { status, head, body: String::new() };
    let length = reply.header("Content-Length").map_or(0, |text| text.parse().unwrap());
    let mut body = vec![0; length];
    input.read_exact(&mut body).unwrap();
    reply.body = String::from_utf8(body).unwrap();
    Some(reply)
}

/// The next event of a stream.
fn event(input: &mut BufReader<TcpStream>) -> Value {
    loop {
        let mut line = String::new();
        assert!(input.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(data) = line.strip_prefix("data: ") {
            return serde_json::from_str(data).unwrap();
        }
    }
}

fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })
}

#[test]
fn nobody_gets_in_without_the_token() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    for authorization in
        ["Bearer wrong", "Bearer", "Basic YTpi", &format!("Bearer {TOKEN}x"), TOKEN]
    {
        let reply = site.post(&[("Authorization", authorization)], &ping());
        assert_eq!(reply.status, 401, "{authorization}");
        assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"));
        assert!(!reply.body.contains("skill://"));
    }
    assert_eq!(site.post(&[("Authorization", "")], &ping()).status, 401);
    assert_eq!(site.modern("skills/list", json!({}), &[]).status, 200);
    // Nobody chose one, so there is a random one.
    let other = Site::start(&sandbox, None);
    assert!(other.token.len() >= 32, "{}", other.token);
    assert_ne!(other.token, Site::start(&sandbox, None).token);
    assert_eq!(other.modern("skills/list", json!({}), &[]).status, 200);
    assert_eq!(other.post(&[("Authorization", "Bearer ")], &ping()).status, 401);
}

#[test]
fn whoever_is_refused_may_send_a_long_message_to_its_end() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let body = "x".repeat(900_000);
    let request = site.head("POST", &[("Authorization", "Bearer wrong")], body.len()) + &body;
    let is_heard_out = || {
        let mut stream = site.connect();
        let is_sent = stream.write_all(request.as_bytes()).is_ok();
        let reply = reply(&mut BufReader::new(stream.try_clone().unwrap()));
        let is_told = reply.is_some_and(|reply| reply.status == 401);
        // If the server left something unread, its system says so now.
        thread::sleep(Duration::from_millis(100));
        is_sent && is_told && stream.take_error().unwrap().is_none()
    };
    // On a busy machine, it may lose its patience once.
    assert!((0..5).any(|_| is_heard_out()));
}

#[test]
fn foreign_pages_and_names_that_were_rebound_are_refused() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example"] {
        assert_eq!(site.post(&[("Origin", origin)], &ping()).status, 403, "{origin}");
    }
    for host in ["evil.example", "evil.example:80", "127.0.0.1", "0.0.0.0:80"] {
        assert_eq!(site.post(&[("Host", host)], &ping()).status, 403, "{host}");
    }
    let port = site.address.rsplit(':').next().unwrap();
    let local = format!("localhost:{port}");
    let origin = format!("http://{local}");
    let reply = site.modern("skills/list", json!({}), &[("Host", &local), ("Origin", &origin)]);
    assert_eq!(reply.status, 200, "{}", reply.body);
    // No page of another origin may read an answer.
    assert_eq!(reply.header("Access-Control-Allow-Origin"), None);
    assert_eq!(site.send("OPTIONS", &[], "").status, 405);
    let body = "POST /other HTTP/1.1\r\nHost: ";
    let request = format!(
        "{body}{}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 0\r\n\r\n",
        site.address
    );
    assert_eq!(site.raw(request.as_bytes()).status, 404);
}

#[test]
fn requests_of_the_newest_revision_need_headers_that_agree() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let list = site.modern("skills/list", json!({}), &[]);
    assert_eq!((list.status, list.header("Content-Type")), (200, Some("application/json")));
    assert_eq!(list.json()["result"]["skills"].as_array().unwrap().len(), 2);
    assert_eq!(list.header("Mcp-Session-Id"), None);
    let uri = "skill://pdf/SKILL.md";
    let read = site.modern("resources/read", json!({ "uri": uri }), &[("Mcp-Name", uri)]);
    assert_eq!(read.json()["result"]["contents"][0]["text"], good_text("pdf"));
    for more in [
        &[][..],
        &[("Mcp-Name", "skill://csv/SKILL.md")],
        &[("Mcp-Name", uri), ("Mcp-Method", "tools/call")],
        &[("Mcp-Name", uri), ("Mcp-Method", "")],
        &[("Mcp-Name", uri), ("MCP-Protocol-Version", "2025-11-25")],
        &[("Mcp-Name", uri), ("MCP-Protocol-Version", "")],
    ] {
        let reply = site.modern("resources/read", json!({ "uri": uri }), more);
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"]),
            (400, &json!(-32_020)),
            "{more:?}"
        );
    }
    let reply = site.modern("skills/list", json!({}), &[("MCP-Protocol-Version", "1900-01-01")]);
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(-32_022)));
    let reply = site.modern("nonsense", json!({}), &[]);
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (404, &json!(-32_601)));
    let reply = site.modern("skills/get", json!({ "uri": "skill://none/SKILL.md" }), &[]);
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (200, &json!(-32_602)));
}

#[test]
fn older_revisions_have_sessions() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let session = site.session("2025-06-18");
    let own = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let reply = site.post(&own, &note);
    assert_eq!((reply.status, reply.body.as_str()), (202, ""));
    let list = json!({ "jsonrpc": "2.0", "id": "x", "method": "skills/list" });
    let reply = site.post(&own, &list);
    assert_eq!((reply.status, &reply.json()["id"]), (200, &json!("x")));
    assert_eq!(site.post(&[], &list).status, 400);
    assert_eq!(site.post(&[("Mcp-Session-Id", "none")], &list).status, 404);
    assert_eq!(site.post(&[own[0], ("MCP-Protocol-Version", "x")], &list).status, 400);
    assert_eq!(site.send("GET", &[], "").status, 405);
    assert_eq!(site.send("PUT", &own, "").status, 405);
    assert_eq!(site.send("DELETE", &own, "").status, 204);
    assert_eq!(site.post(&own, &list).status, 404);
    assert_eq!(site.send("DELETE", &own, "").status, 404);
    // Batches belong to one revision.
    let batch = json!([ping(), note, ping()]);
    assert_eq!(site.post(&own, &batch).status, 404);
    let session = site.session("2025-03-26");
    let reply = site.post(&[("Mcp-Session-Id", &session)], &batch);
    assert_eq!(reply.json().as_array().unwrap().len(), 2);
    // Sessions are forgotten when there are too many, and never grow without end.
    for _ in 0..70 {
        site.session("2025-11-25");
    }
    assert_eq!(site.post(&[("Mcp-Session-Id", &session)], &ping()).status, 404);
}

#[test]
fn a_request_of_a_session_can_be_cancelled() {
    let sandbox = two_skills();
    for number in 0..50 {
        sandbox.write(format!("skills/pdf/data-{number}"), vec![b'x'; 200_000]);
    }
    let site = Site::start(&sandbox, Some(TOKEN));
    let session = site.session("2025-03-26");
    let own = [("Mcp-Session-Id", session.as_str())];
    let list =
        |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "skills/list", "params": {} });
    let mut batch: Vec<Value> = (0..50).map(|number| list(json!(number))).collect();
    batch.push(list(json!("last")));
    let params = json!({ "requestId": "last" });
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    let reply = thread::scope(|scope| {
        let asking = scope.spawn(|| site.post(&own, &Value::Array(batch)));
        // What is cancelled before it was asked for is asked for later.
        while !asking.is_finished() {
            assert_eq!(site.post(&own, &cancel).status, 202);
        }
        asking.join().unwrap()
    });
    let answers = reply.json();
    let ids: Vec<&Value> = answers.as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, (0..50).map(Value::from).collect::<Vec<_>>().iter().collect::<Vec<_>>());
}

#[test]
fn news_come_on_a_stream() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let params = json!({ "_meta": meta(), "notifications": {
        "promptsListChanged": true, "resourceSubscriptions": ["skill://pdf/SKILL.md"],
    } });
    let body =
        json!({ "jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": params });
    let body = body.to_string();
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "subscriptions/listen")];
    let mut stream = site.connect();
    stream
        .write_all(format!("{}{body}", site.head("POST", &headers, body.len())).as_bytes())
        .unwrap();
    let mut modern = BufReader::new(stream);
    assert_eq!(event(&mut modern)["method"], "notifications/subscriptions/acknowledged");
    let session = site.session("2025-11-25");
    let mut stream = site.connect();
    let own = [("Mcp-Session-Id", session.as_str())];
    stream.write_all(site.head("GET", &own, 0).as_bytes()).unwrap();
    let mut older = BufReader::new(stream);
    thread::sleep(Duration::from_millis(200));
    sandbox.good_skill("skills/new");
    let news = event(&mut modern);
    assert_eq!(news["method"], "notifications/prompts/list_changed");
    assert_eq!(news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    let methods: Vec<Value> = (0..3).map(|_| event(&mut older)["method"].clone()).collect();
    for list in ["tools", "prompts", "resources"] {
        assert!(
            methods.contains(&json!(format!("notifications/{list}/list_changed"))),
            "{methods:?}"
        );
    }
    sandbox.write("skills/pdf/SKILL.md", good_text("pdf") + "More.\n");
    let news = event(&mut modern);
    assert_eq!(
        (&news["method"], &news["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("skill://pdf/SKILL.md"))
    );
    assert_eq!(event(&mut older)["method"], "notifications/resources/list_changed");
}

#[test]
fn broken_requests_end_their_connection_and_nothing_else() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let host = format!("Host: {}\r\nAuthorization: Bearer {TOKEN}\r\n", site.address);
    for (request, status) in [
        ("nonsense\r\n\r\n".to_owned(), 400),
        ("GET /mcp HTTP/3\r\n\r\n".to_owned(), 400),
        (format!("POST /mcp HTTP/1.1\r\n{host}\r\n"), 411),
        (format!("POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 411),
        (format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: 99999999999\r\n\r\n"), 413),
        (
            format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            400,
        ),
        (format!("POST /mcp HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(20_000)), 431),
        (format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: 3\r\n\r\n\u{fffd}"), 400),
    ] {
        assert_eq!(
            site.raw(request.as_bytes()).status,
            status,
            "{}",
            &request[..request.len().min(80)]
        );
    }
    for body in ["{", "[]", "3", "{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"x\"}"] {
        assert_eq!(site.send("POST", &[], body).status, 400, "{body}");
    }
    // Connections that say nothing, or half of something.
    let mut idle: Vec<TcpStream> = (0..20).map(|_| site.connect()).collect();
    for stream in &mut idle {
        stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: x").unwrap();
    }
    assert_eq!(site.modern("skills/list", json!({}), &[]).status, 200);
    drop(idle);
    // Several requests share a connection.
    let mut stream = site.connect();
    let body = ping().to_string();
    let session = site.session("2025-11-25");
    let head = site.head("POST", &[("Mcp-Session-Id", &session)], body.len());
    stream.write_all(format!("{head}{body}{head}{body}").as_bytes()).unwrap();
    let mut input = BufReader::new(stream);
    assert_eq!(reply(&mut input).unwrap().status, 200);
    assert_eq!(reply(&mut input).unwrap().status, 200);
}

#[test]
fn more_connections_than_there_is_room_for_are_turned_away() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let idle: Vec<TcpStream> = (0..64).map(|_| site.connect()).collect();
    let start = std::time::Instant::now();
    while site.post(&[], &ping()).status != 503 {
        assert!(start.elapsed() < PATIENCE);
    }
    drop(idle);
    while site.modern("skills/list", json!({}), &[]).status != 200 {
        assert!(start.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn whoever_is_turned_away_cannot_keep_others_out() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let held: Vec<TcpStream> = (0..64).map(|_| site.connect()).collect();
    thread::sleep(Duration::from_millis(200));
    let mut trickle = site.connect();
    let trickling = thread::spawn(move || {
        for _ in 0..100 {
            let _ = trickle.write_all(b"x");
            thread::sleep(Duration::from_millis(50));
        }
    });
    drop(held);
    thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    while site.try_modern("server/discover") != Some(200) {
        assert!(start.elapsed() < Duration::from_secs(4), "one connection blocks all");
    }
    // Nor can those that send nothing keep a place for long.
    let _held: Vec<TcpStream> = (0..64).map(|_| site.connect()).collect();
    let start = Instant::now();
    while site.try_modern("server/discover") != Some(200) {
        assert!(start.elapsed() < Duration::from_secs(30), "silence blocks all");
        thread::sleep(Duration::from_millis(100));
    }
    trickling.join().unwrap();
}

#[test]
fn a_new_stream_of_a_session_takes_the_place_of_the_old_one() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let session = site.session("2025-11-25");
    let open = || {
        let mut stream = site.connect();
        let head = site.head("GET", &[("Mcp-Session-Id", &session)], 0);
        stream.write_all(head.as_bytes()).unwrap();
        let mut input = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert_ne!(input.read_line(&mut line).unwrap(), 0);
        }
        input
    };
    let (mut first, mut second) = (open(), open());
    let mut rest = Vec::new();
    first.read_to_end(&mut rest).unwrap();
    drop(first);
    thread::sleep(Duration::from_millis(700));
    sandbox.good_skill("skills/new");
    assert!(event(&mut second)["method"].as_str().unwrap().contains("list_changed"));
}

#[test]
fn an_address_that_is_taken_is_an_error() {
    let sandbox = two_skills();
    let site = Site::start(&sandbox, Some(TOKEN));
    let run = sandbox.run(["serve", "skills", "--http", &site.address]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot listen on"), "{}", run.stderr);
}
