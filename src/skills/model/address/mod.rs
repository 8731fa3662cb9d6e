//! Parses addresses on the network, except git repositories: `https://…zip` (an archive),
//! `https://HOST` (a site that publishes skills) and `oci://…` (an artifact in a registry).

pub mod host;
mod pins;
mod registry;

use std::fmt;

use crate::skills::files::digest::Digest;
use crate::skills::model::error::{Result, err};
use crate::skills::model::location::{Location, pasted, secrets};
use crate::skills::text::unicode::is_unprintable;
pub use pins::Pins;
pub use registry::{RegistryReference, is_tag};

/// How the address of a registry starts.
const REGISTRY: &str = "oci://";
/// Endings of addresses that lead to an archive.
pub const ARCHIVES: [&str; 4] = [".skill", ".zip", ".tar.gz", ".tgz"];
/// The last part of the address of an index.
const INDEX: &str = "/index.json";
/// Precedes the digest of an archive.
const FRAGMENT: &str = "sha256=";

const LOGIN: &str = "it contains a login, which would be recorded with every skill; remove it";
const QUERY: &str = "it contains a query, which may hold a token and would be recorded with every \
    skill; remove it";
const FORMS: &str = "write `https://HOST`, `https://HOST/…/NAME.zip` (also .skill, .tar.gz, .tgz, \
    with `#sha256=DIGEST` for exactly that one), or `oci://HOST/REPOSITORY[:TAG][@sha256:DIGEST]`";

/// A place on the network.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    Archive {
        /// Where it is.
        url: String,
        /// The digest of its bytes, if the address pins one.
        digest: Option<Digest>,
    },
    /// A site that publishes skills: its root, or the address of its index.
    Site(String),
    /// An artifact or a collection in a registry.
    Registry(RegistryReference),
}

impl Address {
    /// Reads an address; none when the text is a path or names a git repository.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let read = match text.strip_prefix(REGISTRY) {
            Some(rest) => RegistryReference::parse(rest).map(|one| Some(Self::Registry(one))),
            None => web(text),
        };
        read.map_err(|reason| {
            let shown = secrets::hidden(text);
            err!(Usage, "`{shown}` is not a source of skills: {reason}").help(FORMS)
        })
    }

    /// The host that is asked, with its port.
    pub fn host(&self) -> &str {
        match self {
            Self::Registry(reference) => &reference.host,
            Self::Archive { url, .. } | Self::Site(url) => {
                let (_, rest) = url.split_once("://").unwrap_or(("", url));
                rest.split('/').next().unwrap_or_default()
            }
        }
    }

    /// Whether it is on another machine, and reached over a protected connection.
    pub fn is_public(&self) -> bool {
        let is_protected = match self {
            Self::Registry(_) => true,
            Self::Archive { url, .. } | Self::Site(url) => url.starts_with("https://"),
        };
        is_protected && !host::is_loopback(self.host())
    }

    /// The same place without a version.
    pub fn place(&self) -> Self {
        match self {
            Self::Archive { url, .. } => Self::Archive { url: url.clone(), digest: None },
            Self::Site(url) => Self::Site(url.clone()),
            Self::Registry(reference) => {
                Self::Registry(RegistryReference { tag: None, digest: None, ..reference.clone() })
            }
        }
    }

    /// The digest that it names, if it names one.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::Archive { digest, .. } => *digest,
            Self::Site(_) => None,
            Self::Registry(reference) => reference.digest,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive { url, digest: None } | Self::Site(url) => formatter.write_str(url),
            Self::Archive { url, digest: Some(digest) } => {
                let digest = digest.to_string();
                let hex = digest.rsplit(':').next().unwrap_or_default();
                write!(formatter, "{url}#{FRAGMENT}{hex}")
            }
            Self::Registry(reference) => write!(formatter, "{REGISTRY}{reference}"),
        }
    }
}

/// An archive or a site.
fn web(text: &str) -> Result<Option<Address>, String> {
    let Some((scheme @ ("https" | "http"), rest)) = text.split_once("://") else { return Ok(None) };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (rest, None),
    };
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let whole = format!("{scheme}://{rest}");
    // A page of a repository stands for that repository, even if it ends like an archive.
    let is_repository = || matches!(Location::parse(&whole), Ok(Some(_)));
    let lower = path.to_ascii_lowercase();
    let is_archive = ARCHIVES.iter().any(|end| lower.ends_with(end));
    let is_index = format!("/{lower}").ends_with(INDEX);
    let is_site = path.is_empty() && !pasted::is_hosting_site(authority);
    if !(is_archive || is_index || is_site) || is_repository() {
        return Ok(None);
    }
    if authority.contains('@') {
        return Err(LOGIN.to_owned());
    }
    if !host::is_valid(authority) {
        return Err("invalid host".to_owned());
    }
    if query.is_some() {
        return Err(QUERY.to_owned());
    }
    let is_wrong = |part: &str| matches!(part, "." | "..");
    if whole.chars().any(|one| is_unprintable(one) || one.is_whitespace() || one == '\\')
        || path.split('/').any(is_wrong)
    {
        return Err("it contains an invalid character or path".to_owned());
    }
    // Hosts ignore case, so write them in lower case: one place has one address.
    let url = match path {
        "" => format!("{scheme}://{}", authority.to_ascii_lowercase()),
        path => format!("{scheme}://{}/{path}", authority.to_ascii_lowercase()),
    };
    match fragment {
        None if is_archive => Ok(Some(Address::Archive { url, digest: None })),
        Some(fragment) if is_archive => {
            let digest = fragment.strip_prefix(FRAGMENT).map(|hex| format!("sha256:{hex}"));
            let digest = digest.and_then(|digest| Digest::parse(&digest).ok());
            let digest = digest.ok_or("the part after `#` must be `sha256=` and 64 digits")?;
            Ok(Some(Address::Archive { url, digest: Some(digest) }))
        }
        Some(_) => Err("the part after `#` is not supported; remove it".to_owned()),
        None => Ok(Some(Address::Site(url))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Address> {
        Address::parse(text).unwrap()
    }

    #[test]
    fn addresses_are_read_and_written_again() {
        let hex = "0a".repeat(32);
        for text in [
            "https://h.example/x.zip".to_owned(),
            "https://h.example:8443/a/b/x.skill".to_owned(),
            "https://h.example/x.tar.gz".to_owned(),
            format!("https://h.example/x.tgz#sha256={hex}"),
            "https://h.example".to_owned(),
            "http://127.0.0.1:8000".to_owned(),
            "https://h.example/.well-known/agent-skills/index.json".to_owned(),
            "https://github.com/o/r/archive/refs/tags/v1.tar.gz".to_owned(),
            "https://github.com/o/r/releases/download/v1/x.skill".to_owned(),
            "https://gitlab.com/g/r/-/archive/v1/r-v1.tar.gz".to_owned(),
            "oci://ghcr.io/team/skills".to_owned(),
            "oci://127.0.0.1:5000/team/pdf:1.2.0".to_owned(),
            format!("oci://h.example/pdf@sha256:{hex}"),
            format!("oci://h.example/pdf:latest@sha256:{hex}"),
        ] {
            let address = parsed(&text).unwrap();
            assert_eq!(address.to_string(), text);
            assert_eq!(parsed(&address.place().to_string()), Some(address.place()), "{text}");
        }
        assert_eq!(parsed("https://H.Example/"), Some(Address::Site("https://h.example".into())));
    }

    #[test]
    fn paths_and_repositories_are_left_to_others() {
        for text in [
            "./x.zip",
            "x.zip",
            "gh:o/r",
            "https://github.com/o/r",
            "https://github.com",
            "https://github.com/o/r/blob/main/x.skill",
            "https://github.com/o/r/tree/main/index.json",
            "https://h.example/r.git",
            "https://h.example/o/r",
            "git+https://h.example/x.zip",
            "ssh://git@h.example/x.zip",
            "ftp://h.example/x.zip",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn what_could_hide_a_secret_or_mean_two_things_is_refused() {
        for text in [
            "https://me:s3cret@h.example/x.zip",
            "https://s3cret@h.example",
            "https://h.example/x.zip?token=s3cret",
            "https://h.example?token=s3cret",
            "https://h.example/x.zip#s3cret",
            "https://h.example/x.zip#sha256=s3cret",
            "https://h.example/../x.zip",
            "https://h.example/a b.zip",
            "https://h.example/\u{1b}x.zip",
            "https:///x.zip",
            "https://-h/x.zip",
            "https://h:port/x.zip",
            "oci://",
            "oci://h.example",
            "oci://h.example/",
            "oci://h.example/Team/x",
            "oci://h.example/x:",
            "oci://h.example/x:-a",
            "oci://h.example/x:1+2",
            "oci://h.example/x@sha256:abc",
            "oci://h.example/../x",
            "oci://h.example//x",
            "oci://me:s3cret@h.example/x",
            "oci://h.example/x?y=s3cret",
        ] {
            let error = Address::parse(text).expect_err(text);
            let said = format!("{}{}", error.message, error.help.unwrap_or_default());
            assert!(!said.contains("s3cret"), "{said}");
        }
    }

    #[test]
    fn only_protected_addresses_of_other_machines_are_public() {
        for (text, public) in [
            ("https://h.example/x.zip", true),
            ("oci://ghcr.io/o/r", true),
            ("https://h.example", true),
            ("http://h.example/x.zip", false),
            ("https://localhost/x.zip", false),
            ("https://127.0.0.1:8443/x.zip", false),
            ("oci://localhost:5000/x", false),
            ("oci://127.0.0.1:5000/x", false),
        ] {
            assert_eq!(parsed(text).unwrap().is_public(), public, "{text}");
        }
    }
}
