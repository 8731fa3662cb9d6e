//! Where a request may go from where it is.

use std::net::ToSocketAddrs;

use super::url::{HostReach, Url, reach_of};
use crate::skills::model::error::{Error, Result, err};

/// The most redirects of one request.
const HOPS: usize = 5;

/// The address that a server redirects to, as the hop with this number.
pub(super) fn target(from: &Url, location: &str, hops: usize) -> Result<Url> {
    if hops > HOPS {
        return Err(err!(Network, "`{}` redirects more than {HOPS} times", from.authority()));
    }
    from.join(location).map_err(|error| {
        err!(Network, "`{}` redirects to an invalid address: {error}", from.authority())
    })
}

/// Checks a step from one address to another that it names. Returns how far away the next host must
/// be: what one host names is never nearer to this machine than that host itself.
pub(super) fn check(
    from: &Url,
    to: &Url,
    at_least: HostReach,
    by_proxy: bool,
) -> Result<HostReach> {
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
pub(super) fn unprotected(from: &Url, to: &Url) -> Error {
    err!(Network, "`{}` leads to `{to}`, which is not encrypted", from.authority())
        .help("ask whoever runs that server to use `https://` there")
}

/// The refusal to go there.
pub(super) fn nearby(from: &str, to: &Url) -> Error {
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
