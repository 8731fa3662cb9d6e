//! What is an address, what is not, and what one means beside another.

use crate::skills::fetch::http::url::*;

#[test]
fn an_address_has_one_spelling() {
    for (text, shown) in [
        ("https://Example.COM", "https://example.com/"),
        ("HTTPS://example.com:443/a", "https://example.com/a"),
        ("http://127.0.0.1:8080/a/../b/./c", "http://127.0.0.1:8080/b/c"),
        ("https://h/a/%2e%2e/b", "https://h/b"),
        ("https://h./a#part", "https://h/a"),
        ("https://[::1]:5000/v2/", "https://[::1]:5000/v2/"),
        ("https://h:/a", "https://h/a"),
        ("https://h/../..", "https://h/"),
        ("https://h?token=s3cret", "https://h/?…"),
    ] {
        let url = Url::parse(text).unwrap();
        assert_eq!(url.to_string(), shown);
        assert!(!format!("{url:?}").contains("s3cret"));
    }
}

#[test]
fn what_others_could_read_differently_is_refused() {
    for (text, reason) in [
        ("ftp://h/a", InvalidUrl::Scheme),
        ("file:///etc/passwd", InvalidUrl::Scheme),
        ("h/a", InvalidUrl::Scheme),
        ("https://user:secret@h/", InvalidUrl::Login),
        ("https://token@h/", InvalidUrl::Login),
        ("https://", InvalidUrl::Host),
        ("https:///a", InvalidUrl::Host),
        ("https://0x7f.1/", InvalidUrl::Host),
        ("https://2130706433/", InvalidUrl::Host),
        ("https://127.1/", InvalidUrl::Host),
        ("https://h:0/", InvalidUrl::Host),
        ("https://h:70000/", InvalidUrl::Host),
        ("https://h:+80/", InvalidUrl::Host),
        ("https://a..b/", InvalidUrl::Host),
        ("https://[::1/", InvalidUrl::Host),
        ("https://h\\@evil/", InvalidUrl::Character),
        ("https://h/a b", InvalidUrl::Character),
        ("https://h/\r\nX: y", InvalidUrl::Character),
        ("https://hé/", InvalidUrl::Character),
    ] {
        assert_eq!(Url::parse(text), Err(reason), "{text}");
    }
    assert_eq!(Url::parse(&format!("https://h/{}", "a".repeat(9000))), Err(InvalidUrl::TooLong));
}

#[test]
fn a_reference_means_what_a_browser_says() {
    let base = Url::parse("https://h:8443/.well-known/agent-skills/index.json?a=b").unwrap();
    for (reference, means) in [
        ("pdf.zip", "https://h:8443/.well-known/agent-skills/pdf.zip"),
        ("./pdf.zip", "https://h:8443/.well-known/agent-skills/pdf.zip"),
        ("../pdf.zip", "https://h:8443/.well-known/pdf.zip"),
        ("../../../../pdf.zip", "https://h:8443/pdf.zip"),
        ("/pdf.zip", "https://h:8443/pdf.zip"),
        ("//other/pdf.zip", "https://other/pdf.zip"),
        ("http://other/pdf.zip", "http://other/pdf.zip"),
        ("", "https://h:8443/.well-known/agent-skills/index.json?…"),
        ("#x", "https://h:8443/.well-known/agent-skills/index.json?…"),
        ("?x", "https://h:8443/.well-known/agent-skills/index.json?…"),
        ("a/sha256:b", "https://h:8443/.well-known/agent-skills/a/sha256:b"),
        ("a/..", "https://h:8443/.well-known/agent-skills/"),
    ] {
        assert_eq!(base.join(reference).unwrap().to_string(), means, "{reference}");
    }
    assert_eq!(base.join("javascript:alert"), Err(InvalidUrl::Scheme));
    assert_eq!(base.join("//user@h/"), Err(InvalidUrl::Login));
    let asked = base.with_query("scope", "repository:a b:pull");
    assert!(asked.revealed().ends_with("?a=b&scope=repository:a%20b:pull"));
}

#[test]
fn addresses_of_this_machine_and_of_private_networks_are_known() {
    for (text, reach) in [
        ("127.0.0.1", HostReach::Loopback),
        ("127.255.0.3", HostReach::Loopback),
        ("::1", HostReach::Loopback),
        ("::ffff:127.0.0.1", HostReach::Loopback),
        ("64:ff9b::7f00:1", HostReach::Loopback),
        ("10.1.2.3", HostReach::Private),
        ("172.31.0.1", HostReach::Private),
        ("192.168.1.1", HostReach::Private),
        ("169.254.169.254", HostReach::Private),
        ("100.64.0.1", HostReach::Private),
        ("0.0.0.0", HostReach::Private),
        ("::", HostReach::Private),
        ("fd00::1", HostReach::Private),
        ("fe80::1", HostReach::Private),
        ("::ffff:10.0.0.1", HostReach::Private),
        ("2002:a00:1::", HostReach::Private),
        ("8.8.8.8", HostReach::Public),
        ("172.32.0.1", HostReach::Public),
        ("2606:4700::1111", HostReach::Public),
    ] {
        assert_eq!(reach_of(text.parse().unwrap()), reach, "{text}");
    }
    let reach = |text| Url::parse(text).unwrap().reach();
    assert_eq!(reach("http://localhost:80/"), Some(HostReach::Loopback));
    assert_eq!(reach("http://a.localhost/"), Some(HostReach::Loopback));
    assert_eq!(reach("https://[fd00::1]/"), Some(HostReach::Private));
    assert_eq!(reach("https://example.com/"), None);
}
