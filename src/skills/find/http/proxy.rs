//! Proxies from the environment, as other programs read them: `https_proxy` or `http_proxy` by the
//! scheme of an address, else `all_proxy`; `no_proxy` lists hosts that are asked directly. Capital
//! letters count too. This machine is always asked directly.

use std::fmt;
use std::net::IpAddr;

use super::url::{HostReach, Url};
use crate::skills::model::environment::Environment;

/// The proxies of a run.
#[derive(Clone, Default)]
pub(super) struct Proxies {
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
    pub(super) fn new(environment: &Environment) -> Self {
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
    pub(super) fn of(&self, url: &Url) -> Option<&str> {
        let proxy = if url.is_secure() { &self.secure } else { &self.plain };
        let is_direct = url.reach() == Some(HostReach::Loopback)
            || self.without.iter().any(|pattern| is_match(pattern, url));
        proxy.as_deref().filter(|_| !is_direct)
    }

    /// The host of a proxy, to show.
    pub(super) fn shown(proxy: &str) -> &str {
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
