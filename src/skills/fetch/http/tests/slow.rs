//! Servers that drip, or take what they are sent too slowly.

#![allow(clippy::disallowed_methods)]

use std::io::Write;

use crate::skills::fetch::http::tests::*;
use crate::skills::model::error::ErrorKind;

/// A server that answers everything with this, and then sends a part again and again.
fn dripping(head: &'static str, part: &'static str) -> Url {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4_000]);
                let _ = stream.write_all(head.as_bytes());
                while stream.write_all(part.as_bytes()).is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
    });
    Url::parse(&format!("http://{address}/x")).unwrap()
}

#[test]
fn what_drips_between_the_parts_of_a_body_is_noticed() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const CHUNK: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;";
    const END: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    for (head, part) in [(HEAD, "0"), (CHUNK, "e"), (END, "a: b\r\n"), ("HTTP/1.1 200 OK\r\n", "x")]
    {
        let (head, url) = (head.to_owned(), dripping(head, part));
        let start = Instant::now();
        let http = http();
        let answer = http.send(&HttpRequest::get(url));
        let error = answer.and_then(|answer| answer.bytes(1_000)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Network, "{head:?}: {error}");
        assert!(start.elapsed() < Duration::from_secs(15), "{head:?}: {:?}", start.elapsed());
    }
}

#[test]
fn the_beginning_of_an_answer_may_take_longer_than_a_silence_within_it() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("http://{}/x", listener.local_addr().unwrap())).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4_000]);
                std::thread::sleep(Duration::from_millis(1_400));
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            });
        }
    });
    // One second of silence, two for the beginning.
    let http = http_with(NetworkAccess::default(), &[("SKILLS_TEST_PATIENCE_MS", "1000")]);
    let answer = http.send(&HttpRequest::get(url)).and_then(|answer| answer.bytes(MIB));
    assert_eq!(answer.unwrap(), b"ok");
}

#[test]
fn a_server_that_takes_an_upload_too_slowly_is_left() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("http://{}/x", listener.local_addr().unwrap())).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                while stream.read(&mut [0; 500]).is_ok_and(|length| length > 0) {
                    std::thread::sleep(Duration::from_millis(100));
                }
            });
        }
    });
    let bytes = vec![7; 20_000_000];
    let start = Instant::now();
    let error =
        failed(&http(), &HttpRequest::new(HttpMethod::Put, url).body(UploadBody::Bytes(&bytes)));
    assert_eq!(error.kind, ErrorKind::Network, "{error}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}
