//! What went wrong with a server, in words.

use super::engine::Fault;
use super::redirect;
use super::tolerance::Tolerance;
use super::url::Url;
use crate::skills::model::error::{Error, ErrorKind};

/// The error for a failed exchange.
pub(super) fn error(fault: &Fault, url: &Url, proxy: Option<&str>, tolerance: &Tolerance) -> Error {
    let host = url.authority();
    let whom = match proxy {
        Some(proxy) => format!("`{host}` through the proxy `{proxy}`"),
        None => format!("`{host}`"),
    };
    let seconds = |duration: std::time::Duration| match duration.as_secs() {
        0 => format!("{} milliseconds", duration.as_millis()),
        1 => "1 second".to_owned(),
        more => format!("{more} seconds"),
    };
    let (message, help) = match fault {
        Fault::Nearby => return redirect::nearby("a public server", url),
        Fault::UnknownHost => (
            format!("cannot reach {whom}: the host is unknown"),
            "check the spelling, and that this machine is connected",
        ),
        Fault::Connect(reason) => (
            format!("cannot reach {whom}: {reason}"),
            "check the address, and that the server is running",
        ),
        Fault::ConnectTimeout => (
            format!("cannot reach {whom}: no connection within {}", seconds(tolerance.connect)),
            "check the address; a firewall may need a proxy (`https_proxy`)",
        ),
        Fault::AnswerTimeout => {
            (format!("{whom} did not answer within {}", seconds(tolerance.answer)), AGAIN)
        }
        Fault::Silence => (format!("{whom} went silent for {}", seconds(tolerance.silence)), AGAIN),
        Fault::Slow => (
            format!("{whom} is too slow: less than 1 KiB a second, or no end within an hour"),
            AGAIN,
        ),
        Fault::Cut => (format!("{whom} ended the connection too early"), AGAIN),
        Fault::Untrusted(reason) => (
            format!("the certificate of `{host}` is not trusted: {reason}"),
            "if your organisation has a certificate authority of its own, name its file in SSL_CERT_FILE",
        ),
        Fault::Tls(reason) => (
            format!("cannot reach {whom} securely: {reason}"),
            "check that the port is the one for https",
        ),
        Fault::Proxy(reason) => (
            format!("cannot reach {whom}: {reason}"),
            "check `https_proxy`, `http_proxy` and `all_proxy`",
        ),
        Fault::Protocol(reason) => (
            format!("{whom} cannot be understood: {reason}"),
            "check that the address is that of a web server",
        ),
    };
    Error::new(ErrorKind::Network, message).help(help)
}

const AGAIN: &str = "try again later";
