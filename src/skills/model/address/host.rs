//! Hosts in addresses.

use std::net::IpAddr;

/// Whether this can be a host, with or without a port.
pub fn is_valid(authority: &str) -> bool {
    let (host, port) = split_port(authority);
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    if port.is_some_and(|port| !is_port(port)) {
        return false;
    }
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    let is_label =
        |label: &str| !label.is_empty() && !label.starts_with('-') && label.chars().all(is_plain);
    host.len() <= 253 && host.strip_suffix('.').unwrap_or(host).split('.').all(is_label)
}

/// The host without its port.
pub fn without_port(authority: &str) -> &str {
    split_port(authority).0
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        // A colon inside brackets belongs to the address.
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// Whether a host, with or without a port, is this machine.
pub fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inner, _)) => inner,
        None => authority.split(':').next().unwrap_or_default(),
    };
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let own = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    let address = match name.parse::<IpAddr>() {
        Ok(IpAddr::V6(six)) => six.to_ipv4_mapped().map_or(IpAddr::V6(six), IpAddr::V4),
        Ok(four) => four,
        // A number can be an address: `127.1`, `2130706433`, `0x7f.1`.
        Err(_) => {
            let last = name.rsplit('.').next().unwrap_or_default();
            let is_number = last.starts_with(|first: char| first.is_ascii_digit());
            return name.is_empty()
                || name == "localhost"
                || name.ends_with(".localhost")
                || is_number;
        }
    };
    own(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_or_addresses_with_ports() {
        for good in
            ["h", "h.example", "h.example.:80", "127.0.0.1:5000", "[::1]:443", "a_b", "[::1]"]
        {
            assert!(is_valid(good), "{good}");
        }
        for bad in ["", "-h", "h..x", "h:0", "h:x", "h:", "a b", "h/x", "[::1", "[x]:1", "h:70000"]
        {
            assert!(!is_valid(bad), "{bad}");
        }
        assert_eq!(without_port("[::1]:443"), "[::1]");
        assert_eq!(without_port("h.example:1"), "h.example");
        assert_eq!(without_port("[::1]"), "[::1]");
    }
}
