//! `skills serve` on pipes: what a client gets, whatever it sends.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::Sandbox;
use crate::serve_client::{PATIENCE, Served, meta, two_skills};

#[test]
fn every_older_revision_is_agreed_on_and_others_get_the_newest() {
    let sandbox = two_skills();
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let mut served = Served::silent(&sandbox, &["skills"]);
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": {} });
        let result = served.result("initialize", params);
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "skills");
        let skills = &result["capabilities"]["extensions"]["io.modelcontextprotocol/skills"];
        assert_eq!(skills["directoryRead"], true);
        assert_eq!(served.result("ping", json!({}))["resultType"], "complete");
        assert_eq!(served.result("tools/list", json!({}))["tools"].as_array().unwrap().len(), 2);
    }
    for version in ["1900-01-01", "2026-07-28", "x"] {
        let mut served = Served::silent(&sandbox, &["skills"]);
        let params = json!({ "protocolVersion": version });
        assert_eq!(served.result("initialize", params)["protocolVersion"], "2025-11-25");
    }
    let mut served = Served::silent(&sandbox, &["skills"]);
    assert_eq!(served.code("initialize", json!({})), -32_602);
    assert_eq!(served.code("initialize", json!({ "protocolVersion": 1 })), -32_602);
}

#[test]
fn requests_of_the_newest_revision_stand_for_themselves() {
    let sandbox = two_skills();
    let mut served = Served::silent(&sandbox, &["skills"]);
    let found = served.result("server/discover", json!({ "_meta": meta() }));
    assert_eq!(found["supportedVersions"][0], "2026-07-28");
    assert_eq!(
        (&found["resultType"], &found["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    let info = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "skills");
    let list = served.result("skills/list", json!({ "_meta": meta() }));
    assert_eq!(list["skills"].as_array().unwrap().len(), 2);
    // Whatever is on a disk may change at any time.
    assert_eq!(list["ttlMs"], 0);
    let mut old = meta();
    old["io.modelcontextprotocol/protocolVersion"] = json!("1900-01-01");
    let answer = served.ask("skills/list", json!({ "_meta": old }));
    assert_eq!(answer["error"]["code"], -32_022);
    assert_eq!(answer["error"]["data"]["requested"], "1900-01-01");
    assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
    let mut without = meta();
    without.as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(served.code("skills/list", json!({ "_meta": without })), -32_602);
    // Both kinds of clients may share a process.
    assert_eq!(served.code("resources/subscribe", json!({ "_meta": meta(), "uri": "x" })), -32_601);
}

#[test]
fn requests_before_initialisation_are_refused_and_the_server_lives() {
    let sandbox = two_skills();
    let mut served = Served::silent(&sandbox, &["skills"]);
    for method in ["skills/list", "resources/list", "tools/call", "prompts/get", "nonsense"] {
        let answer = served.ask(method, json!({}));
        assert_eq!(answer["error"]["code"], -32_602, "{method}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("initialize"), "{answer}");
    }
    assert!(served.ask("ping", json!({}))["result"].is_object());
    assert!(served.ask("skills/list", json!({ "_meta": meta() }))["result"].is_object());
}

#[test]
fn a_broken_request_gets_an_error_and_the_next_an_answer() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills"]);
    let huge = [vec![b'x'; 100 * 1024 * 1024], b"\n".to_vec()].concat();
    for (line, code) in [
        (&b"{\n"[..], -32_700),
        (b"nonsense\n", -32_700),
        (b"\xff\xfe{}\n", -32_700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n", -32_700),
        (b"[]\n", -32_600),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n", -32_600),
        (b"3\n", -32_600),
        (b"{\"id\":1,\"method\":\"ping\"}\n", -32_600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n", -32_600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n", -32_600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n", -32_600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7}\n", -32_600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":8}\n", -32_600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":[]}\n", -32_602),
        (&huge, -32_600),
    ] {
        served.raw(line);
        let answer = served.next_message();
        let start = String::from_utf8_lossy(&line[..line.len().min(60)]);
        assert_eq!(answer["error"]["code"], code, "{start}: {answer}");
        assert_ne!(answer.get("id"), Some(&Value::Null), "{answer}");
        assert_eq!(served.result("ping", json!({}))["resultType"], "complete");
    }
    // Half a line is a line once the rest of it comes.
    served.raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"ha");
    std::thread::sleep(Duration::from_millis(50));
    served.raw(b"lf\",\"method\":\"ping\"}\r\n\n\n");
    assert_eq!(served.next_message()["id"], "half");
    // Ids come back as they were sent, and notifications get no answer.
    for id in
        [json!(0), json!(-5), json!(9_007_199_254_740_993_u64), json!(""), json!("ü\n\u{202e}")]
    {
        served.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/nonsense", "params": { "x": id } }),
        );
        served.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
        assert_eq!(served.next_message()["id"], id);
    }
    served.send(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    assert_eq!(served.result("ping", json!({}))["resultType"], "complete");
}

#[test]
fn wrong_methods_types_and_cursors_are_errors_of_their_request() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills"]);
    for (method, params, code) in [
        ("nonsense", json!({}), -32_601),
        ("skills/", json!({}), -32_601),
        ("server/nonsense", json!({}), -32_601),
        ("logging/setLevel", json!({ "level": "debug" }), -32_601),
        ("subscriptions/listen", json!({}), -32_601),
        ("skills/get", json!({}), -32_602),
        ("skills/get", json!({ "uri": 1 }), -32_602),
        ("skills/get", json!({ "uri": "skill://none/SKILL.md" }), -32_602),
        ("skills/get", json!({ "uri": "skill://pdf" }), -32_602),
        ("skills/get", json!({ "uri": "skill://pdf/references/a%20guide.md" }), -32_602),
        ("skills/get", json!({ "uri": "https://example.com/SKILL.md" }), -32_602),
        ("skills/list", json!({ "cursor": "" }), -32_602),
        ("skills/list", json!({ "cursor": 3 }), -32_602),
        ("skills/list", json!({ "cursor": "eyJwYWdlIjogM30=" }), -32_602),
        ("skills/list", json!({ "cursor": "resources:skill://pdf/SKILL.md" }), -32_602),
        ("resources/list", json!({ "cursor": "skills:pdf" }), -32_602),
        ("resources/list", json!({ "cursor": "resources:nonsense" }), -32_602),
        ("resources/templates/list", json!({ "cursor": "templates:x" }), -32_602),
        ("tools/list", json!({ "cursor": "x" }), -32_602),
        ("prompts/list", json!({ "cursor": "x" }), -32_602),
        ("resources/read", json!({ "uri": "" }), -32_602),
        ("resources/directory/read", json!({ "uri": "skill://pdf/SKILL.md" }), -32_602),
        ("resources/directory/read", json!({ "uri": "skill://none" }), -32_602),
        ("tools/call", json!({ "name": "rm" }), -32_602),
        ("tools/call", json!({ "name": "open_skill", "arguments": [] }), -32_602),
        ("prompts/get", json!({ "name": "none" }), -32_602),
        ("prompts/get", json!({ "name": "pdf", "arguments": { "request": 1 } }), -32_602),
    ] {
        assert_eq!(served.code(method, params.clone()), code, "{method} {params}");
    }
    // A model hears what it did wrong, so that it can do better.
    for (name, arguments, hint) in [
        ("open_skill", json!({ "name": "pfd" }), "did you mean `pdf`?"),
        ("open_skill", json!({ "name": 1 }), "`name` is not a text"),
        ("read_skill_file", json!({ "name": "pdf" }), "`path` is missing"),
        ("read_skill_file", json!({ "name": "pdf", "path": "none.md" }), "references/a%20guide.md"),
        ("read_skill_file", json!({ "name": "pdf", "path": "../csv/SKILL.md" }), "traversal"),
        (
            "read_skill_file",
            json!({ "name": "pdf", "path": "skill://csv/SKILL.md" }),
            "not a file of",
        ),
        ("open_sections", json!({ "keys": ["x"] }), "nothing to expand has the key `x`"),
        ("open_sections", json!({ "keys": "" }), "nothing to expand"),
        ("open_sections", json!({}), "must be a list of texts"),
    ] {
        let (text, is_error) = served.tool(name, arguments.clone());
        assert!(is_error && text.contains(hint), "{name} {arguments}: {text}");
    }
}

#[test]
fn nothing_outside_the_served_skills_is_read() {
    let sandbox = two_skills();
    sandbox.write("skills/pdf/.git/config", "secret");
    #[cfg(unix)]
    sandbox.symlink("references/a guide.md", "skills/pdf/inside.md");
    let mut served = Served::session(&sandbox, &["skills"]);
    #[cfg(unix)]
    {
        let inside = served.result("resources/read", json!({ "uri": "skill://pdf/inside.md" }));
        assert_eq!(inside["contents"][0]["text"], "# Guide\n");
        // A link that appears while skills are served.
        sandbox.symlink(sandbox.path("secret.txt"), "skills/pdf/link.txt");
        sandbox.symlink(sandbox.path(""), "skills/pdf/up");
        sandbox.fifo("skills/pdf/pipe");
    }
    for uri in [
        "skill://pdf/../../secret.txt",
        "skill://pdf/%2e%2e/%2e%2e/secret.txt",
        "skill://pdf/..%2f..%2fsecret.txt",
        "skill://pdf/..%5c..%5csecret.txt",
        "skill://../secret.txt",
        "skill://%2e%2e/secret.txt",
        "skill:///etc/passwd",
        "skill://pdf//etc/passwd",
        "skill://pdf/%2Fetc/passwd",
        "skill://pdf/C:/x",
        "skill://pdf/link.txt",
        "skill://pdf/up/secret.txt",
        "skill://pdf/pipe",
        "skill://pdf/.git/config",
        "skill://pdf/references",
        "skill://pdf",
        "skill://pdf/SKILL.md/",
        "skill://pdf/SKILL.md/x",
        "skill://pdf/SKILL.md%00",
        "skill://PDF/skill.md",
        "skill://pdf/SKILL.md?x",
        "file:///etc/passwd",
        "/etc/passwd",
    ] {
        let answer = served.ask("resources/read", json!({ "uri": uri }));
        // An empty last part means nothing.
        if uri.ends_with("SKILL.md/") {
            continue;
        }
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, Some(-32_602 | -32_603)), "{uri}: {answer}");
        assert!(!answer.to_string().contains(sandbox.root_text()), "{answer}");
        served.tool("read_skill_file", json!({ "name": "pdf", "path": uri }));
    }
    let (text, is_error) =
        served.tool("read_skill_file", json!({ "name": "pdf", "path": "link.txt" }));
    assert!(is_error && !text.contains("secret\n"), "{text}");
}

#[test]
fn the_end_of_the_input_ends_it_at_once_after_the_last_answer() {
    let sandbox = two_skills();
    let served = Served::session(&sandbox, &["skills"]);
    let (status, time) = served.end();
    assert_eq!(status.code(), Some(0));
    assert!(time < Duration::from_secs(10), "{time:?}");
    // What was asked before is answered, with or without the end of the line.
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": { "_meta": meta() } });
    for end in ["\n", ""] {
        let run = sandbox.run_with(["serve", "skills"], |command| {
            command.write_stdin(format!("{asked}{end}"));
        });
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.contains("\"skill://pdf/SKILL.md\""), "{}", run.stdout);
        assert_eq!(run.stderr, "note: serving 2 skills on standard input and output\n");
    }
    let run = sandbox.run_with(["serve", "skills"], |command| {
        command.write_stdin("{\"jsonrpc\":");
    });
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("-32700"), "{}", run.stdout);
}

#[test]
fn a_closed_output_ends_it_quietly() {
    let sandbox = two_skills();
    let mut child = Command::new(env!("CARGO_BIN_EXE_skills"))
        .args(["serve", "skills"])
        .current_dir(sandbox.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let start = Instant::now();
    let status = loop {
        let _ = writeln!(input, "{asked}");
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < PATIENCE, "it writes to nobody");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(said, "note: serving 2 skills on standard input and output\n");
}

#[test]
fn a_cancelled_request_gets_no_answer() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        sandbox.good_skill(&format!("skills/skill-{number}"));
        sandbox.write(format!("skills/skill-{number}/data.bin"), vec![7; 200_000]);
    }
    let mut served = Served::session(&sandbox, &["skills"]);
    // Several are asked for at once, so that the last still waits when it is cancelled.
    let ask = |id: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "skills/list" });
    let mut lines: Vec<String> = (0..20).map(|one| ask(&format!("a{one}")).to_string()).collect();
    lines.push(ask("cancelled").to_string());
    let params = json!({ "requestId": "cancelled", "reason": "changed my mind" });
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    lines.push(cancel.to_string());
    lines.push(json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" }).to_string());
    served.raw(format!("{}\n", lines.join("\n")).as_bytes());
    loop {
        let message = served.next_message();
        assert_ne!(message["id"], "cancelled");
        if message["id"] == "last" {
            break;
        }
    }
    // Nothing happens for requests that nobody knows.
    served.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": [] } }));
    served.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }));
    assert_eq!(served.result("ping", json!({}))["resultType"], "complete");
}

#[test]
fn batches_are_answered_in_the_one_revision_that_has_them() {
    let sandbox = two_skills();
    let mut served = Served::silent(&sandbox, &["skills"]);
    served.result("initialize", json!({ "protocolVersion": "2025-03-26" }));
    let ping = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/x" });
    served.send(&json!([ping(json!("a")), note, 5, ping(json!(2))]));
    let answers = served.next_message();
    let answers = answers.as_array().unwrap();
    assert_eq!((&answers[0]["id"], &answers[2]["id"]), (&json!("a"), &json!(2)));
    assert_eq!(answers[1]["error"]["code"], -32_600);
    served.send(&json!([note]));
    assert_eq!(served.result("ping", json!({}))["resultType"], "complete");
}

#[test]
fn flags_that_are_wrong_end_it_before_it_serves() {
    let sandbox = two_skills();
    sandbox.mkdir("empty");
    for (args, word) in [
        (&["skills", "--events", "-"][..], "would mix events"),
        (&["skills", "--http", "0.0.0.0:0"], "could be reached from other machines"),
        (&["skills", "--http", "example.com:80"], "is not an address and a port"),
        (&["skills", "--http", "8321"], "is not an address and a port"),
        (&["skills", "--catalog-budget", "10"], "at least 500"),
        (&["skills", "--only", "none"], "no skill named `none`"),
        (&["missing"], "missing"),
        (&["empty"], "no skill in"),
        (&["skills", "--frozen"], "`--frozen` needs a manifest"),
        (&["skills", "--print-config", "claude", "--http", "127.0.0.1:0"], "needs the port"),
    ] {
        let run = sandbox.run(["serve"].iter().chain(args));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?} {}", run.stderr);
        assert!(run.stderr.contains(word), "{args:?}: {}", run.stderr);
    }
    let run = sandbox.run_with(["serve", "skills", "--http", "127.0.0.1:0"], |command| {
        command.env("SKILLS_SERVE_TOKEN", "short");
    });
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("at least 16"), "{}", run.stderr);
}
