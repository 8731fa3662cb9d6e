//! Properties of what clients of `skills serve` send.

use crate::skills::serve::address;
use crate::skills::serve::http::{Gate, HttpHead};
use crate::skills::serve::message::{self, InputLine, ParsedLine};
use crate::skills::text::base64;
use proptest::prelude::*;

/// Parts of messages, and of heads of HTTP requests.
const FRAGMENTS: &[&str] = &[
    "{\"jsonrpc\":\"2.0\",",
    "\"id\":",
    "1",
    "null",
    "\"x\"",
    ",",
    "\"method\":\"ping\"",
    "\"params\":",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\r\n",
    "\u{0}",
    "ü",
    "POST /mcp HTTP/1.1\r\n",
    "Host: ",
    "localhost",
    ": ",
    "Authorization: Bearer ",
    "\r\n\r\n",
    " ",
    "1e9999",
    "\\u0000",
    "\"",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let fragments = prop::collection::vec(prop::sample::select(FRAGMENTS), 0..40);
    prop_oneof![
        fragments.prop_map(|parts| parts.concat().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..200),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_input_becomes_messages_or_errors(input in text()) {
        let mut rest = input.as_slice();
        let mut lines = 0;
        while let Some(line) = message::next_line(&mut rest).unwrap() {
            lines += 1;
            let InputLine::Message(line) = line else { continue };
            prop_assert!(!line.contains(&b'\n'));
            match message::parse(&line) {
                ParsedLine::One(Err(bad)) => prop_assert!(bad.error.code < 0),
                ParsedLine::Batch(all) => prop_assert!(!all.is_empty()),
                ParsedLine::One(Ok(_)) => {}
            }
        }
        prop_assert!(lines <= input.split(|byte| *byte == b'\n').count());
    }

    #[test]
    fn nobody_guesses_the_token(input in text()) {
        if let Ok(head) = HttpHead::parse(&input) {
            let address = "127.0.0.1:80".parse().unwrap();
            let gate = Gate { address, token: "not-in-any-fragment".to_owned() };
            prop_assert!(gate.check(&head).is_err());
        }
    }

    #[test]
    fn an_address_leads_back_to_its_parts(parts in prop::collection::vec("[^/\\\\]{1,12}", 1..6)) {
        let uri = address::of_parts(parts.iter().map(String::as_str));
        prop_assert!(uri.is_ascii());
        if let Ok(back) = address::parts(&uri) {
            let meant: Vec<String> =
                parts[1..].iter().filter(|part| *part != ".").cloned().collect();
            prop_assert_eq!(&back[1..], meant.as_slice());
        }
    }

    #[test]
    fn base64_leads_back_to_its_bytes(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        prop_assert_eq!(base64::decode(&base64::encode(&bytes)), Some(bytes));
    }
}
