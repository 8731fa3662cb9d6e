//! Web addresses: read strictly, resolved against each other, and shown without secrets.
//!
//! Only `http` and `https`. A login in an address is refused, because it would end up in logs and
//! records. A query may be a signed permission (registries redirect to such addresses), so it is
//! sent, but never shown.

#[cfg(test)]
mod tests;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest address.
const MAX_BYTES: usize = 8 * 1024;

/// An absolute `http` or `https` address without a login and without a fragment.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Url {
    is_secure: bool,
    /// In lower case; an IPv6 address in brackets.
    host: String,
    /// None for the scheme's own port.
    port: Option<u16>,
    /// Starts with `/`.
    path: String,
    /// Without `?`.
    query: Option<String>,
}

/// Why a text is not an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// It has no scheme, or one that is not spoken here.
    #[error("only `https://` and `http://` addresses can be fetched")]
    Scheme,
    /// It has a user name or a password.
    #[error("an address must not contain a login")]
    Login,
    /// The host or the port is not one.
    #[error("the host is invalid")]
    Host,
    /// It has characters that must be escaped.
    #[error("it has characters that no address may have")]
    Character,
    #[error("it is too long")]
    TooLong,
}

/// Which part of the internet an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostReach {
    /// This machine.
    Loopback,
    /// A network that only its members see.
    Private,
    /// Everybody's.
    Public,
}

impl Url {
    /// Reads an absolute address. A fragment is dropped: servers never see it.
    pub fn parse(text: &str) -> Result<Self, InvalidUrl> {
        check_characters(text)?;
        let (scheme, rest) = text.split_once("://").ok_or(InvalidUrl::Scheme)?;
        let is_secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(InvalidUrl::Scheme),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, after) = rest.split_at(end);
        let (host, port) = host_and_port(authority)?;
        let port = port.filter(|port| *port != default_port(is_secure));
        let url = Self { is_secure, host, port, path: "/".to_owned(), query: None };
        Ok(url.with_reference(after))
    }

    /// What a reference means on a page with this address.
    pub fn join(&self, reference: &str) -> Result<Self, InvalidUrl> {
        check_characters(reference)?;
        let scheme_end = reference.find([':', '/', '?', '#']);
        let has_scheme = scheme_end.is_some_and(|at| reference[at..].starts_with(':'));
        if has_scheme {
            return Self::parse(reference);
        }
        if let Some(rest) = reference.strip_prefix("//") {
            return Self::parse(&format!("{}://{rest}", self.scheme()));
        }
        Ok(self.with_reference(reference))
    }

    /// The same host with a path and a query, which are relative to those here.
    fn with_reference(&self, reference: &str) -> Self {
        let reference = reference.split('#').next().unwrap_or_default();
        let (path, query) = match reference.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (reference, None),
        };
        let (path, query) = match path {
            "" if query.is_none() => (self.path.clone(), self.query.clone()),
            "" => (self.path.clone(), query),
            path if path.starts_with('/') => (without_dots(path), query),
            path => {
                let directory = self.path.rsplit_once('/').map_or("", |(above, _)| above);
                (without_dots(&format!("{directory}/{path}")), query)
            }
        };
        Self { path, query, ..self.clone() }
    }

    /// The same address with a value added to its query.
    pub fn with_query(&self, name: &str, value: &str) -> Self {
        let pair = format!("{}={}", escaped(name), escaped(value));
        let query = match &self.query {
            Some(query) if !query.is_empty() => format!("{query}&{pair}"),
            _ => pair,
        };
        Self { query: Some(query), ..self.clone() }
    }

    /// `https` or `http`.
    pub const fn scheme(&self) -> &'static str {
        if self.is_secure { "https" } else { "http" }
    }

    /// Whether it is an `https` address.
    pub const fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The host, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port that is connected to.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(default_port(self.is_secure))
    }

    /// The host, and the port if it is not the usual one.
    pub fn authority(&self) -> String {
        self.port.map_or_else(|| self.host.clone(), |port| format!("{}:{port}", self.host))
    }

    /// The path, which starts with `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether both have one scheme, host and port: whoever answers for one answers for the other.
    pub fn has_same_origin(&self, other: &Self) -> bool {
        self.is_secure == other.is_secure && self.host == other.host && self.port == other.port
    }

    /// Which part of the internet the host says that it belongs to. None for a name, whose meaning
    /// only a resolver knows.
    pub fn reach(&self) -> Option<HostReach> {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        if bare == "localhost" || bare.ends_with(".localhost") {
            return Some(HostReach::Loopback);
        }
        bare.parse().ok().map(reach_of)
    }

    /// The whole address with its query, to send, and never to show.
    pub fn revealed(&self) -> String {
        let query = self.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{}://{}{}{query}", self.scheme(), self.authority(), self.path)
    }
}

/// Without its query.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query = if self.query.is_some() { "?…" } else { "" };
        write!(f, "{}://{}{}{query}", self.scheme(), self.authority(), self.path)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

const fn default_port(is_secure: bool) -> u16 {
    if is_secure { 443 } else { 80 }
}

fn check_characters(text: &str) -> Result<(), InvalidUrl> {
    if text.len() > MAX_BYTES {
        return Err(InvalidUrl::TooLong);
    }
    let is_fine = |byte: u8| byte.is_ascii_graphic() && !br#"\"<>^`{|}"#.contains(&byte);
    if text.bytes().all(is_fine) { Ok(()) } else { Err(InvalidUrl::Character) }
}

fn host_and_port(authority: &str) -> Result<(String, Option<u16>), InvalidUrl> {
    if authority.contains('@') {
        return Err(InvalidUrl::Login);
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (inner, after) = rest.split_once(']').ok_or(InvalidUrl::Host)?;
            let address: Ipv6Addr = inner.parse().map_err(|_| InvalidUrl::Host)?;
            let port = match after {
                "" => None,
                after => Some(after.strip_prefix(':').ok_or(InvalidUrl::Host)?),
            };
            (format!("[{address}]"), port)
        }
        None => {
            let (host, port) = match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            };
            (name(host)?, port)
        }
    };
    let port = match port {
        None | Some("") => None,
        Some(port) if port.bytes().all(|one| one.is_ascii_digit()) => {
            let port: u16 = port.parse().map_err(|_| InvalidUrl::Host)?;
            Some(port).filter(|port| *port > 0).ok_or(InvalidUrl::Host).map(Some)?
        }
        Some(_) => return Err(InvalidUrl::Host),
    };
    Ok((host, port))
}

/// A name or an IPv4 address. What programs may read as an address in another notation, such as
/// `0x7f.1` or `2130706433`, is neither.
fn name(host: &str) -> Result<String, InvalidUrl> {
    let host = host.to_ascii_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len()) && label.chars().all(is_plain) && !label.starts_with('-')
    };
    if host.is_empty() || host.len() > 253 || !host.split('.').all(is_label) {
        return Err(InvalidUrl::Host);
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|one| one.is_ascii_digit()) || last.starts_with("0x");
    if is_number && host.parse::<Ipv4Addr>().is_err() {
        return Err(InvalidUrl::Host);
    }
    Ok(host.to_owned())
}

/// A path without `.` and `..` (RFC 3986, 5.2.4).
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let parts: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len();
        let plain = part.replace("%2e", ".").replace("%2E", ".");
        match plain.as_str() {
            "." | ".." => {
                if plain == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            _ => kept.push(part),
        }
    }
    format!("/{}", kept.join("/"))
}

/// A value as it stands in a query.
fn escaped(value: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/".contains(&byte);
    value.bytes().fold(String::new(), |mut text, byte| {
        if is_plain(byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}

/// Which part of the internet a machine is in.
pub fn reach_of(address: IpAddr) -> HostReach {
    match address {
        IpAddr::V4(address) => reach_of_v4(address),
        IpAddr::V6(address) => {
            let segments = address.segments();
            // An IPv4 address in the clothes of IPv6: mapped, translated (NAT64) or 6to4.
            let inner = match segments {
                [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                    Some((high, low))
                }
                [0x2002, high, low, ..] => Some((high, low)),
                _ => None,
            };
            if let Some((high, low)) = inner {
                let number = u32::from(high) << 16 | u32::from(low);
                return reach_of_v4(Ipv4Addr::from_bits(number));
            }
            if address.is_loopback() {
                HostReach::Loopback
            } else if segments[0] & 0xe000 == 0x2000 && segments[..2] != [0x2001, 0xdb8] {
                // All that is handed out lies in 2000::/3.
                HostReach::Public
            } else {
                HostReach::Private
            }
        }
    }
}

fn reach_of_v4(address: Ipv4Addr) -> HostReach {
    let [first, second, third, _] = address.octets();
    if address.is_loopback() {
        return HostReach::Loopback;
    }
    let is_private = address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || first == 0
        || first >= 240
        // Shared by customers of a provider, protocol assignments, and benchmarks.
        || (first == 100 && second & 0xc0 == 64)
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && second & 0xfe == 18);
    if is_private { HostReach::Private } else { HostReach::Public }
}
