//! `skills serve` with clients that ask for much, read slowly or not at all, and leave.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::Sandbox;
use crate::serve_client::{PATIENCE, Served, meta, two_skills};

fn spawned(sandbox: &Sandbox, input: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_skills"))
        .args(["serve", "skills"])
        .env_clear()
        .env("HOME", sandbox.path("../home"))
        .current_dir(sandbox.path(""))
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn ask(id: u64, method: &str, mut params: Value) -> String {
    params["_meta"] = meta();
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    format!("{message}\n")
}

#[track_caller]
fn ends_well(child: &mut Child) {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < PATIENCE, "it waits for a reader that does not come");
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_client_that_stops_reading_cannot_keep_it_alive() {
    let sandbox = two_skills();
    sandbox.write("skills/pdf/big.txt", "x".repeat(300_000));
    let mut child = spawned(&sandbox, Stdio::piped());
    let mut input = child.stdin.take().unwrap();
    for id in 0..20 {
        let asked = ask(id, "resources/read", json!({ "uri": "skill://pdf/big.txt" }));
        input.write_all(asked.as_bytes()).unwrap();
    }
    drop(input);
    ends_well(&mut child);
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("warning: the last answers were not read, and are lost"), "{said}");
}

#[test]
#[cfg(unix)]
fn the_end_of_a_client_is_seen_though_it_left_more_than_is_read() {
    let sandbox = two_skills();
    sandbox.write("skills/pdf/big.txt", "x".repeat(300_000));
    let asked = ask(1, "resources/read", json!({ "uri": "skill://pdf/big.txt" }));
    sandbox.write("asked", asked);
    let mut client = Command::new("sh")
        // One process, so that nobody else holds the pipe when it is killed.
        .args(["-c", "exec yes \"$(cat asked)\""])
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = spawned(&sandbox, client.stdout.take().unwrap().into());
    thread::sleep(Duration::from_secs(1));
    client.kill().unwrap();
    client.wait().unwrap();
    ends_well(&mut child);
}

#[test]
fn a_client_that_pauses_gets_every_answer() {
    let sandbox = two_skills();
    let mut child = spawned(&sandbox, Stdio::piped());
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let writing = thread::spawn(move || {
        for id in 0..1_500 {
            input.write_all(ask(id, "tools/list", json!({})).as_bytes()).unwrap();
        }
    });
    thread::sleep(Duration::from_secs(4));
    let mut answers = String::new();
    output.read_to_string(&mut answers).unwrap();
    writing.join().unwrap();
    assert_eq!(answers.lines().count(), 1_500);
    ends_well(&mut child);
}

#[test]
fn the_last_answer_comes_whole_to_a_client_that_reads_slowly() {
    let sandbox = two_skills();
    sandbox.write("skills/pdf/big.txt", "x".repeat(1_000_000));
    let mut child = spawned(&sandbox, Stdio::piped());
    let asked = ask(1, "resources/read", json!({ "uri": "skill://pdf/big.txt" }));
    child.stdin.take().unwrap().write_all(asked.as_bytes()).unwrap();
    let mut output = child.stdout.take().unwrap();
    let (mut answer, mut part) = (Vec::new(), vec![0; 200_000]);
    loop {
        // Longer together than the server waits for one part.
        thread::sleep(Duration::from_millis(400));
        match output.read(&mut part).unwrap() {
            0 => break,
            length => answer.extend_from_slice(&part[..length]),
        }
    }
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["result"]["contents"][0]["text"].as_str().unwrap().len(), 1_000_000);
    ends_well(&mut child);
}

#[test]
fn long_addresses_are_refused_at_once() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills"]);
    let long = format!("skill://pdf{}", "/b".repeat(300_000));
    let start = Instant::now();
    for method in ["resources/read", "skills/get", "resources/directory/read"] {
        assert_eq!(served.code(method, json!({ "uri": long })), -32602);
    }
    assert_eq!(served.code("resources/subscribe", json!({ "uri": long })), -32602);
    assert!(served.tool("open_skill", json!({ "name": long })).1);
    let path = &long["skill://".len()..];
    assert!(served.tool("read_skill_file", json!({ "name": "pdf", "path": path })).1);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_batch_is_answered_as_long_as_its_answers_are_short() {
    let sandbox = two_skills();
    sandbox.write("skills/pdf/big.txt", "x".repeat(1_000_000));
    let mut served = Served::silent(&sandbox, &["skills"]);
    let params = json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {} });
    served.result("initialize", params);
    let read = |id: u64| {
        let params = json!({ "uri": "skill://pdf/big.txt" });
        json!({ "jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params })
    };
    served.send(&(10..40).map(read).collect());
    let answers = served.next_message();
    let answers = answers.as_array().unwrap();
    let answered = answers.iter().filter(|one| one.get("result").is_some()).count();
    assert_eq!((answers.len(), answered), (30, 5));
    assert!(answers[29]["error"]["message"].as_str().unwrap().contains("too long together"));
}

#[test]
fn no_more_addresses_are_kept_than_are_watched() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills"]);
    for number in 0..2_000 {
        let uri = format!("skill://pdf/{number}.md");
        served.send(&json!({
            "jsonrpc": "2.0", "id": uri, "method": "resources/subscribe", "params": { "uri": uri },
        }));
    }
    let refused = served.ask("resources/subscribe", json!({ "uri": "skill://pdf/more.md" }));
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("too many addresses"), "{refused}");
    // One that is watched already may be named again, and room can be made.
    served.result("resources/subscribe", json!({ "uri": "skill://pdf/7.md" }));
    served.result("resources/unsubscribe", json!({ "uri": "skill://pdf/7.md" }));
    served.result("resources/subscribe", json!({ "uri": "skill://pdf/more.md" }));
}

#[test]
#[cfg(unix)]
fn a_link_to_what_does_not_belong_to_the_skill_is_not_followed() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills"]);
    sandbox.write("skills/pdf/.git/config", "secret");
    sandbox.symlink(".git/config", "skills/pdf/link.txt");
    sandbox.symlink(".git", "skills/pdf/directory");
    for file in ["link.txt", "directory/config", ".git/config"] {
        let uri = format!("skill://pdf/{file}");
        let answer = served.ask("resources/read", json!({ "uri": uri }));
        assert!(
            answer.get("error").is_some() && !answer.to_string().contains("secret"),
            "{answer}"
        );
        let (text, is_error) =
            served.tool("read_skill_file", json!({ "name": "pdf", "path": file }));
        assert!(is_error && !text.contains("secret"), "{text}");
    }
}
