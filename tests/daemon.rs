//! A git server on this machine.

use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::skip;
use crate::origin::Origin;
use crate::processes::Group;

/// A `git daemon` that ends with the test.
pub(crate) struct Daemon {
    server: Group,
    port: u16,
    repository: String,
}

impl Daemon {
    /// Serves a repository; none where git comes without a server.
    #[track_caller]
    pub(crate) fn serve(origin: &Origin) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("git");
        command.args(["daemon", "--listen=127.0.0.1", "--export-all", "--reuseaddr"]);
        command.arg(format!("--port={port}"));
        command.arg(format!("--base-path={}", origin.path.parent().unwrap().display()));
        // Git starts another program for the transfer.
        let server = Group::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        let Ok(mut server) = server else {
            skip("`git daemon` cannot be started");
            return None;
        };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if server.0.try_wait().unwrap().is_some() || begun.elapsed() > Duration::from_secs(10) {
                skip("this git comes without `git daemon`");
                return None;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let repository = origin.path.file_name().unwrap().to_str().unwrap().to_owned();
        Some(Self { server, port, repository })
    }

    /// This path and revision of the repository, as a source.
    pub(crate) fn source(&self, rest: &str) -> String {
        format!("git+git://127.0.0.1:{}/{}/.git{rest}", self.port, self.repository)
    }

    /// Ends the server with everything it has started.
    pub(crate) fn stop(self) {
        let port = self.port;
        drop(self.server);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_ok() {
            assert!(begun.elapsed() < Duration::from_secs(10), "the server is still there");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
