//! Where a request may go from where it is, through which proxy, and what a failure says.

use std::fmt;
use std::net::{IpAddr, ToSocketAddrs};

use crate::skills::fetch::http::engine::{Fault, Tolerance};
use crate::skills::fetch::http::url::{HostReach, Url, reach_of};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result, err};

/// The most redirects of one request.
const HOPS: usize = 5;

/// The address that a server redirects to, as the hop with this number.
pub fn target(from: &Url, location: &str, hops: usize) -> Result<Url> {
    if hops > HOPS {
        return Err(err!(Network, "`{}` redirects more than {HOPS} times", from.authority()));
    }
    from.join(location).map_err(|error| {
        err!(Network, "`{}` redirects to an invalid address: {error}", from.authority())
    })
}

/// Checks a step from one address to another that it names. Returns how far away the next host must
/// be: what one host names is never nearer to this machine than that host itself.
pub fn check(from: &Url, to: &Url, at_least: HostReach, by_proxy: bool) -> Result<HostReach> {
    if from.is_secure() && !to.is_secure() {
        return Err(unprotected(from, to));
    }
    if from.host() == to.host() {
        return Ok(at_least);
    }
    let at_least = at_least.max(from.reach().unwrap_or_else(|| reach_of_name(from)));
    // Behind a proxy, only the proxy knows what a name means.
    let is_near = to.reach().is_some_and(|reach| reach < at_least);
    if is_near {
        return Err(nearby(from.authority().as_str(), to));
    }
    tracing::trace!(%to, ?at_least, by_proxy, "another host");
    Ok(at_least)
}

/// The refusal to leave `https`.
pub fn unprotected(from: &Url, to: &Url) -> Error {
    err!(Network, "`{}` leads to `{to}`, which is not encrypted", from.authority())
        .help("ask whoever runs that server to use `https://` there")
}

/// The refusal to go there.
pub fn nearby(from: &str, to: &Url) -> Error {
    err!(Network, "`{from}` leads to `{}`, a machine in a private network", to.authority()).help(
        "a public server cannot send this program there; name the address yourself if you trust it",
    )
}

/// How far away a named host is. A name that cannot be resolved counts as public.
fn reach_of_name(url: &Url) -> HostReach {
    let addresses = (url.host(), url.port()).to_socket_addrs();
    let reaches = addresses.into_iter().flatten().map(|address| reach_of(address.ip()));
    reaches.max().unwrap_or(HostReach::Public)
}

// What went wrong with a server, in words.

/// The error for a failed exchange.
pub fn error(fault: &Fault, url: &Url, proxy: Option<&str>, tolerance: &Tolerance) -> Error {
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
        Fault::Nearby => return nearby("a public server", url),
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

// Proxies from the environment, as other programs read them: `https_proxy` or `http_proxy` by the
// scheme of an address, else `all_proxy`; `no_proxy` lists hosts that are asked directly. Capital
// letters count too. This machine is always asked directly.

/// The proxies of a run.
#[derive(Clone, Default)]
pub struct Proxies {
    secure: Option<String>,
    plain: Option<String>,
    /// Patterns of hosts.
    without: Vec<String>,
}

/// A proxy may contain a password.
impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies").finish_non_exhaustive()
    }
}

impl Proxies {
    pub fn new(environment: &Environment) -> Self {
        let variable = |name: &str| {
            let value = environment.variable(name);
            value
                .or_else(|| environment.variable(&name.to_uppercase()))?
                .to_str()
                .map(str::to_owned)
        };
        let proxy = |name: &str| variable(name).or_else(|| variable("all_proxy"));
        let without = variable("no_proxy").unwrap_or_default();
        let without = without.split([',', ' ']).map(str::trim).filter(|one| !one.is_empty());
        Self {
            secure: proxy("https_proxy"),
            plain: proxy("http_proxy"),
            without: without.map(str::to_ascii_lowercase).collect(),
        }
    }

    /// The proxy for an address, with its login.
    pub fn of(&self, url: &Url) -> Option<&str> {
        let proxy = if url.is_secure() { &self.secure } else { &self.plain };
        let is_direct = url.reach() == Some(HostReach::Loopback)
            || self.without.iter().any(|pattern| is_match(pattern, url));
        proxy.as_deref().filter(|_| !is_direct)
    }

    /// The host of a proxy, to show.
    pub fn shown(proxy: &str) -> &str {
        let rest = proxy.split_once("://").map_or(proxy, |(_, rest)| rest);
        let rest = rest.split('/').next().unwrap_or_default();
        rest.rsplit_once('@').map_or(rest, |(_, host)| host)
    }
}

fn is_match(pattern: &str, url: &Url) -> bool {
    if pattern == "*" {
        return true;
    }
    let host = url.host().trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = host.parse::<IpAddr>() {
        return is_address_match(pattern, address, url.port());
    }
    let (name, port) = match pattern.rsplit_once(':') {
        Some((name, port)) => (name, port.parse().ok()),
        None => (pattern, None),
    };
    let name = name.trim_start_matches("*.").trim_start_matches('.');
    let below = host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    !name.is_empty() && (host == name || below) && port.is_none_or(|port: u16| port == url.port())
}

/// Whether a pattern is this address, with or without a port, or a network that it belongs to.
fn is_address_match(pattern: &str, address: IpAddr, port: u16) -> bool {
    let same = |text: &str| text.parse() == Ok(address);
    if same(pattern) || same(pattern.trim_start_matches('[').trim_end_matches(']')) {
        return true;
    }
    if let Some((network, bits)) = pattern.split_once('/') {
        let Ok(bits) = bits.parse::<u32>() else { return false };
        return match (network.parse(), address) {
            (Ok(IpAddr::V4(network)), IpAddr::V4(address)) if bits <= 32 => {
                let shift = 32 - bits;
                let start = |one: u32| one.checked_shr(shift).unwrap_or(0);
                start(network.to_bits()) == start(address.to_bits())
            }
            (Ok(IpAddr::V6(network)), IpAddr::V6(address)) if bits <= 128 => {
                let shift = 128 - bits;
                let start = |one: u128| one.checked_shr(shift).unwrap_or(0);
                start(network.to_bits()) == start(address.to_bits())
            }
            _ => false,
        };
    }
    let with_port = pattern.parse::<std::net::SocketAddr>();
    with_port.is_ok_and(|pattern| pattern.ip() == address && pattern.port() == port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::model::error::ErrorKind;

    fn step(from: &str, to: &str) -> Result<HostReach> {
        check(&Url::parse(from).unwrap(), &Url::parse(to).unwrap(), HostReach::Loopback, false)
    }

    #[test]
    fn steps_never_lead_inwards_or_out_of_https() {
        for (from, to) in [
            ("https://8.8.8.8/", "https://127.0.0.1/"),
            ("https://8.8.8.8/", "https://localhost/"),
            ("https://8.8.8.8/", "https://169.254.169.254/latest/meta-data"),
            ("https://8.8.8.8/", "https://[fd00::1]/"),
            ("http://8.8.8.8/", "http://10.0.0.1/"),
            ("https://10.0.0.1/", "https://127.0.0.1/"),
            ("https://8.8.8.8/", "http://9.9.9.9/"),
            ("https://127.0.0.1/", "http://127.0.0.1/"),
        ] {
            assert_eq!(step(from, to).unwrap_err().kind, ErrorKind::Network, "{from} {to}");
        }
        assert_eq!(step("https://8.8.8.8/", "https://9.9.9.9/").unwrap(), HostReach::Public);
        assert_eq!(step("https://10.0.0.1/", "https://10.0.0.2/").unwrap(), HostReach::Private);
        assert_eq!(step("http://127.0.0.1:1/", "https://10.0.0.2/").unwrap(), HostReach::Loopback);
        assert_eq!(
            step("http://127.0.0.1:1/", "http://127.0.0.1:2/").unwrap(),
            HostReach::Loopback
        );
    }

    #[test]
    fn redirects_end() {
        let url = Url::parse("https://h/a").unwrap();
        assert!(target(&url, "/b", HOPS).is_ok());
        assert!(target(&url, "/b", HOPS + 1).is_err());
        let secret = target(&url, "https://me:s3cret@h/", 1).unwrap_err();
        assert!(!secret.message.contains("s3cret"), "{}", secret.message);
    }
}

#[cfg(test)]
mod proxy_tests {
    use super::*;

    fn proxies(variables: &[(&str, &str)]) -> Proxies {
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Proxies::new(&Environment::new("/".into(), variables))
    }

    fn of(proxies: &Proxies, url: &str) -> Option<String> {
        proxies.of(&Url::parse(url).unwrap()).map(str::to_owned)
    }

    #[test]
    fn the_scheme_chooses_and_all_is_the_rest() {
        let two = proxies(&[("https_proxy", "one"), ("ALL_PROXY", "two")]);
        assert_eq!(of(&two, "https://h/"), Some("one".to_owned()));
        assert_eq!(of(&two, "http://h/"), Some("two".to_owned()));
        assert_eq!(of(&proxies(&[("HTTP_PROXY", "x")]), "https://h/"), None);
        assert_eq!(of(&two, "https://127.0.0.1/"), None);
        assert_eq!(of(&two, "https://localhost/"), None);
    }

    #[test]
    fn hosts_that_are_asked_directly() {
        let some = proxies(&[
            ("https_proxy", "p"),
            ("no_proxy", "example.com, .corp,10.0.0.0/8,fd00::/8,192.0.2.1,host:8443,*.wild"),
        ]);
        for direct in [
            "https://example.com/",
            "https://a.example.com/",
            "https://x.corp/",
            "https://10.9.8.7/",
            "https://[fd00::2]/",
            "https://192.0.2.1/",
            "https://host:8443/",
            "https://a.wild/",
        ] {
            assert_eq!(of(&some, direct), None, "{direct}");
        }
        for through in ["https://badexample.com/", "https://11.0.0.1/", "https://host/"] {
            assert_eq!(of(&some, through), Some("p".to_owned()), "{through}");
        }
        let none = proxies(&[("https_proxy", "p"), ("NO_PROXY", "*")]);
        assert_eq!(of(&none, "https://h/"), None);
    }

    #[test]
    fn a_password_of_a_proxy_is_not_shown() {
        let proxy = "http://me:s3cret@proxy.corp:3128/";
        assert_eq!(Proxies::shown(proxy), "proxy.corp:3128");
        assert!(!format!("{:?}", proxies(&[("https_proxy", proxy)])).contains("s3cret"));
    }
}
