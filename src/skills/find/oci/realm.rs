//! Where the login of a registry may go: to the registry, and to a server of tokens that the registry
//! itself names and that belongs to it.
//!
//! A server belongs to a registry when it has the same name, when both lie in the same domain, or
//! when the table says so. There is no list of public suffixes here, so the domain of a registry is
//! its name without the first part, or all of a name that has two parts. Where what remains looks
//! like a suffix for everybody (`co.uk`), and for addresses, only the same name counts.

use std::net::IpAddr;

use crate::skills::find::http::Url;
use crate::skills::model::address::host;

/// Registries whose tokens come from another domain, or that have several names.
const TABLE: [(&str, &str); 3] = [
    ("docker.io", "auth.docker.io"),
    ("index.docker.io", "auth.docker.io"),
    ("registry-1.docker.io", "auth.docker.io"),
];

/// Checks that logins for a registry may be sent to this address.
pub fn check(registry: &str, realm: &Url) -> Result<(), String> {
    let own = host::without_port(registry).trim_end_matches('.').to_ascii_lowercase();
    let other = realm.host();
    let both_are_here = host::is_loopback(&own) && host::is_loopback(other);
    if !realm.is_secure() && !both_are_here {
        return Err("logins are sent over https only".to_owned());
    }
    let is_listed = TABLE.iter().any(|(registry, realm)| own == *registry && other == *realm);
    let is_same_domain = domain(&own).is_some_and(|domain| {
        other == domain || other.strip_suffix(domain).is_some_and(|start| start.ends_with('.'))
    });
    if own == other || both_are_here || is_listed || is_same_domain {
        return Ok(());
    }
    Err(format!("`{other}` does not belong to `{own}`"))
}

/// The domain that a host shares with others of the same owner; none when that is not certain.
fn domain(host: &str) -> Option<&str> {
    if host.starts_with('[') || host.parse::<IpAddr>().is_ok() {
        return None;
    }
    let parts = host.split('.').count();
    let domain = match parts {
        0 | 1 => return None,
        2 => host,
        _ => host.split_once('.')?.1,
    };
    let (second, first) = domain.rsplit_once('.')?;
    // `co.uk`, `com.au`, `ac.jp`: everybody can have a name there.
    let is_everybodys = !second.contains('.') && second.len() <= 3 && first.len() == 2;
    (!is_everybodys || parts == 2).then_some(domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, realm: &str) -> Result<(), String> {
        super::check(host, &Url::parse(realm).map_err(|error| error.to_string())?)
    }

    #[test]
    fn logins_stay_with_the_registry() {
        for (host, realm) in [
            ("ghcr.io", "https://ghcr.io/token"),
            ("registry.gitlab.com", "https://gitlab.com/jwt/auth"),
            ("registry.team.example.com", "https://auth.team.example.com/token"),
            ("quay.io", "https://auth.quay.io/token?x=y"),
            ("docker.io", "https://auth.docker.io/token"),
            ("registry-1.docker.io", "https://auth.docker.io/token"),
            ("Registry.Example.com:5000", "https://registry.example.com/token"),
            ("10.0.0.5:5000", "https://10.0.0.5:5001/token"),
            ("registry", "https://registry:5001/token"),
            ("127.0.0.1:5000", "http://127.0.0.1:5001/token"),
            ("localhost:5000", "http://[::1]:5001/token"),
        ] {
            assert_eq!(check(host, realm), Ok(()), "{host} {realm}");
        }
        for (host, realm) in [
            ("ghcr.io", "https://evil.example/token"),
            ("ghcr.io", "http://ghcr.io/token"),
            ("ghcr.io", "https://ghcr.io.evil.example/token"),
            ("ghcr.io", "https://evilghcr.io/token"),
            ("ghcr.io", "https://ghcr.io@evil.example/token"),
            ("ghcr.io", "https://evil.example\\.ghcr.io/"),
            ("registry.co.uk", "https://other.co.uk/token"),
            ("team.com.au", "https://evil.com.au/token"),
            ("10.0.0.5", "https://10.0.0.6/token"),
            ("10.0.0.5", "https://0.0.5/token"),
            ("registry", "https://other/token"),
            ("registry.example.com", "http://127.0.0.1/token"),
            ("127.0.0.1:5000", "http://registry.example.com/token"),
            ("127.0.0.1:5000", "https://registry.example.com/token"),
            ("docker.io", "https://auth.docker.com/token"),
            ("ghcr.io", "file:///etc/passwd"),
            ("ghcr.io", "ghcr.io/token"),
            ("ghcr.io", "https:///token"),
            ("ghcr.io", "https://ghcr.io/to ken"),
        ] {
            assert!(check(host, realm).is_err(), "{host} {realm}");
        }
    }
}
