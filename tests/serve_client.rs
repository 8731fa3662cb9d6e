//! A client of `skills serve` on pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::Sandbox;

/// How long an answer may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What a request of the newest revision says about itself.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    })
}

/// A server on pipes.
pub(crate) struct Served {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// What came that was not asked for.
    pub(crate) news: Vec<Value>,
    next: u64,
}

impl Served {
    /// A server that nobody has spoken to.
    pub(crate) fn silent(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_skills"))
            .arg("serve")
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", sandbox.path("../home"))
            .current_dir(sandbox.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, input, lines, news: Vec::new(), next: 0 }
    }

    /// A session of the newest revision that has sessions.
    pub(crate) fn session(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut served = Self::silent(sandbox, args);
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = served.ask("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        served.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        served
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        // A server that is gone is noticed when its answer is missing.
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// Asks, and returns the whole answer.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.answer(&json!(id))
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The code of the error of a request.
    #[track_caller]
    pub(crate) fn code(&mut self, method: &str, params: Value) -> i64 {
        let answer = self.ask(method, params);
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    /// The text of a tool's result, and whether it is an error.
    #[track_caller]
    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> (String, bool) {
        let result = self.result("tools/call", json!({ "name": name, "arguments": arguments }));
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (text, result["isError"].as_bool().unwrap())
    }

    /// The next message with this id.
    #[track_caller]
    fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next_message();
            if message.get("id") == Some(id) {
                return message;
            }
            self.news.push(message);
        }
    }

    /// The next message, whatever it is.
    #[track_caller]
    pub(crate) fn next_message(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a message, in time")
    }

    /// Waits for a notification, among those that came and those to come.
    #[track_caller]
    pub(crate) fn hear(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.news.iter().position(|one| one["method"] == method) {
                return self.news.remove(at);
            }
            let message = self.next_message();
            self.news.push(message);
        }
    }

    /// Closes the input, and waits for the end.
    pub(crate) fn end(mut self) -> (ExitStatus, Duration) {
        let start = Instant::now();
        drop(self.input.take());
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, start.elapsed());
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two skills, of which one has files.
pub(crate) fn two_skills() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/csv");
    sandbox.good_skill("skills/pdf");
    sandbox.write("skills/pdf/references/a guide.md", "# Guide\n");
    sandbox.write("skills/pdf/assets/logo.png", b"\x89PNG\r\n\x1a\n\xff");
    sandbox.write("secret.txt", "secret");
    sandbox
}
