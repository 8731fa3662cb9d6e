//! Connections that are used for a second request.

#![allow(clippy::disallowed_methods)]

use std::io::Write;
use std::sync::mpsc;

use crate::skills::fetch::http::tests::*;

#[test]
fn the_beginning_of_a_second_answer_on_one_connection_may_take_as_long() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("http://{}/x", listener.local_addr().unwrap())).unwrap();
    let connections = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&connections);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            *counted.lock().unwrap() += 1;
            std::thread::spawn(move || {
                for wait in [0, 2_300] {
                    let _ = stream.read(&mut [0; 4_000]);
                    std::thread::sleep(Duration::from_millis(wait));
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                }
            });
        }
    });
    // Two seconds of silence, four for the beginning.
    let http = http_with(NetworkAccess::default(), &[("SKILLS_TEST_PATIENCE_MS", "2000")]);
    for _ in 0..2 {
        let answer = http.send(&HttpRequest::get(url.clone())).and_then(|one| one.bytes(MIB));
        assert_eq!(answer.unwrap(), b"ok");
    }
    assert_eq!(*connections.lock().unwrap(), 1, "nothing was asked again");
}

#[test]
fn a_connection_that_the_server_has_closed_is_not_used_again() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("http://{}/x", listener.local_addr().unwrap())).unwrap();
    let (closed, closings) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4_000]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            drop(stream);
            let _ = closed.send(());
        }
    });
    let http = http_with(NetworkAccess::default(), &[("SKILLS_TEST_PATIENCE_MS", "10000")]);
    for _ in 0..2 {
        // A failed POST is not sent again.
        let answer = http.send(&HttpRequest::new(HttpMethod::Post, url.clone()));
        assert_eq!(answer.and_then(|answer| answer.bytes(MIB)).unwrap(), b"ok");
        closings.recv().unwrap();
    }
}
