//! Reads any bytes as the input of `skills serve`, line by line, and as the head of an HTTP request.

#![no_main]

use libfuzzer_sys::fuzz_target;
use skills::domain::serve::call::Call;
use skills::domain::serve::http::{Gate, HttpHead, stands_for_itself};
use skills::domain::serve::message::{self, BadMessage, Incoming, InputLine, ParsedLine};
use skills::domain::serve::{address, paging, revision};

fuzz_target!(|data: &[u8]| {
    let mut input = data;
    let mut lines = 0;
    while let Ok(Some(line)) = message::next_line(&mut input) {
        lines += 1;
        let InputLine::Message(line) = line else { continue };
        assert!(line.len() <= message::MESSAGE_BYTES && !line.contains(&b'\n'));
        match message::parse(&line) {
            ParsedLine::One(one) => judge(one),
            ParsedLine::Batch(all) => all.into_iter().for_each(judge),
        }
    }
    let written = data.split(|byte| *byte == b'\n').count();
    assert!(lines <= written, "{lines} lines of {written}");
    head(data);
});

/// A message has an answer, or an error that can be sent.
fn judge(message: Result<Incoming, BadMessage>) {
    match message {
        Err(BadMessage { error, .. }) => assert!(!error.message.is_empty() && error.code < 0),
        Ok(Incoming::Request { id, method, params }) => {
            assert!(id.to_value().is_string() || id.to_value().is_number());
            for session in [None, Some("2025-11-25")] {
                let Ok(era) = revision::of_request(&params, session) else { continue };
                match Call::of(&method, &params, era) {
                    Ok(Call::ReadResource(uri) | Call::GetSkill(uri) | Call::ReadDirectory(uri, _)) => {
                        check_address(&uri);
                    }
                    Ok(Call::ListSkills(cursor) | Call::ListResources(cursor)) => {
                        let _ = paging::last_of("skills", cursor.as_deref());
                    }
                    Ok(_) => {}
                    Err(error) => assert!(error.code < 0),
                }
            }
        }
        Ok(Incoming::Notification { .. } | Incoming::Response) => {}
    }
}

/// An address that is accepted cannot leave a skill.
fn check_address(uri: &str) {
    let Ok(parts) = address::parts(uri) else { return };
    let inner = &parts[1..];
    assert!(inner.iter().all(|part| !part.is_empty() && part != "." && part != ".."), "{uri}");
    assert!(inner.iter().all(|part| !part.contains('/')), "{uri}");
    let again = address::parts(&address::of_parts(parts.iter().map(String::as_str)));
    assert!(inner.is_empty() || again.is_err() || again.is_ok_and(|again| again == parts), "{uri}");
}

/// Nobody gets in who does not know the token.
fn head(data: &[u8]) {
    let Ok(head) = HttpHead::parse(data) else { return };
    let token = "a-token-that-no-fuzzer-guesses".to_owned();
    let Ok(address) = "127.0.0.1:80".parse() else { return };
    assert!(Gate { address, token }.check(&head).is_err());
    let _ = head.body_length(10);
    let _ = stands_for_itself(&head, "tools/call", &serde_json::Map::new());
}
