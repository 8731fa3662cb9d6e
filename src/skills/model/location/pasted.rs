//! Repositories as people paste them: the addresses of web pages, what `git clone` takes, and
//! `OWNER/REPO`. Each is read as the canonical form that it means.

use crate::skills::model::location::{
    GITHUB, Location, PROTECTED, UNPROTECTED, check_authority, github, is_ref_name, remote,
};
use crate::skills::text::document::is_skill_md;
use crate::skills::text::markdown::percent_decode;
use crate::skills::text::unicode::is_unprintable;

/// The start of addresses that git accepts without a scheme. For other users, the path is relative
/// to their home, which `ssh://` cannot express on every server.
pub const SSH_USER: &str = "git@";

/// Browsers and hosting sites add these, and they may contain tokens.
const EXTRA: &str = "the part after `?` or `#` is not supported; remove it";

/// Endings of addresses that lead to one file.
const ARCHIVES: [&str; 4] = [".skill", ".zip", ".tar.gz", ".tgz"];

/// Endings of `OWNER/REPO` that more likely mean a missing file.
const FILES: [&str; 4] = [".md", ".yaml", ".yml", ".json"];

/// Sites whose addresses need no `.git` at their end.
struct HostingSite {
    host: &'static str,
    /// How many parts name a repository.
    parts: std::ops::RangeInclusive<usize>,
}

const SITES: [HostingSite; 4] = [
    HostingSite { host: "github.com", parts: 2..=2 },
    // Groups can be nested, up to twenty levels.
    HostingSite { host: "gitlab.com", parts: 2..=21 },
    HostingSite { host: "bitbucket.org", parts: 2..=2 },
    HostingSite { host: "codeberg.org", parts: 2..=2 },
];

/// Whether a host is a git hosting site, which publishes no skills itself.
pub fn is_hosting_site(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    SITES.iter().any(|site| site.host == host)
}

/// The location that a pasted address means; none if it is a path.
pub fn read(text: &str) -> Option<Result<Location, String>> {
    let read = match (text.split_once("://"), text.strip_prefix(SSH_USER)) {
        (Some((scheme @ ("https" | "http"), rest)), _) => web(scheme, rest),
        (Some(("ssh", _)), _) => remote(text),
        (Some((scheme, _)), _) if PROTECTED.contains(&scheme) || UNPROTECTED.contains(&scheme) => {
            Err(format!("`{scheme}` URLs need the prefix `git+`"))
        }
        (Some(_), _) => Err("unknown protocol".to_owned()),
        (None, Some(rest)) => {
            let (host, path) = rest.split_once(':').filter(|(host, _)| is_plain(host))?;
            remote(&format!("ssh://{SSH_USER}{host}/{}", path.trim_start_matches('/')))
        }
        (None, None) => return None,
    };
    Some(if text.contains(['?', '#']) { Err(EXTRA.to_owned()) } else { read })
}

/// The address of a repository, or of a page that shows a directory or a file of one.
fn web(scheme: &str, rest: &str) -> Result<Location, String> {
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    check_authority(scheme, authority)?;
    let host = authority.to_ascii_lowercase();
    let site = host.strip_prefix("www.").unwrap_or(&host);
    let site = SITES.iter().find(|one| one.host == site);
    let host = site.map_or(&*host, |site| site.host);
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err("the repository is missing".to_owned());
    }
    let (repository, inner) = split(site, &parts).ok_or_else(|| {
        let is_archive = ARCHIVES.iter().any(|end| path.to_ascii_lowercase().ends_with(end));
        match site {
            _ if is_archive => "it is an archive, not a repository".to_owned(),
            Some(site) => format!("it is not a repository page of {}", site.host),
            None => "it does not end with `.git`".to_owned(),
        }
    })?;
    let place = repository.join("/");
    let place = place.strip_suffix(".git").unwrap_or(&place);
    let location = if GITHUB.ends_with(&format!("/{host}/")) && scheme == "https" {
        github(place)?
    } else {
        remote(&format!("{scheme}://{host}/{}.git", place.replace('@', "%40")))?
    };
    inside(location, inner)
}

/// The parts of an address that name a repository, and those that name a revision and a path in it.
fn split<'a>(
    site: Option<&HostingSite>,
    parts: &'a [&'a str],
) -> Option<(&'a [&'a str], &'a [&'a str])> {
    let is_repository =
        |parts: &[&str]| site.map_or(!parts.is_empty(), |site| site.parts.contains(&parts.len()));
    let at = |repository: usize, page: usize| (&parts[..repository], &parts[page..]);
    let mark = parts.iter().position(|part| *part == "-");
    let found = match (site.map(|site| site.host), parts) {
        (Some("github.com"), [_, _, "tree" | "blob", ..])
        | (Some("bitbucket.org"), [_, _, "src", ..]) => at(2, 3),
        // Addresses of Gitea and Forgejo.
        (None | Some("codeberg.org"), [_, _, "src", "branch" | "tag" | "commit", ..]) => at(2, 4),
        // Addresses of GitLab.
        (None | Some("gitlab.com"), _) if mark.is_some() => {
            let mark = mark?;
            parts.get(mark + 1).filter(|page| ["tree", "blob"].contains(page))?;
            at(mark, mark + 2)
        }
        (Some(_), _) => at(parts.len(), parts.len()),
        (None, [.., last]) if last.ends_with(".git") => at(parts.len(), parts.len()),
        (None, _) => return None,
    };
    Some(found).filter(|(repository, _)| is_repository(repository))
}

/// A revision and a path of a repository, in one text.
fn inside(location: Location, parts: &[&str]) -> Result<Location, String> {
    let text = percent_decode(&parts.join("/"));
    let mut parts: Vec<&str> = text.split('/').collect();
    // A page that shows a `SKILL.md` stands for its directory.
    if parts.len() > 1 && parts.last().is_some_and(|last| is_skill_md(last.as_ref())) {
        parts.pop();
    }
    let is_wrong = |part: &&str| matches!(*part, "" | "." | "..") || part.contains(is_unprintable);
    match parts[..] {
        [""] => return Ok(location),
        [first, ..] if parts.iter().any(is_wrong) || !is_ref_name(first) => {
            return Err("invalid revision or path".to_owned());
        }
        _ => {}
    }
    let (first, path) = (parts[0], parts[1..].join("/"));
    let decided = location.at(&path, first);
    if path.is_empty() || decided.commit().is_some() {
        return Ok(decided);
    }
    Ok(Location { undecided: Some(parts.join("/")), ..location })
}

/// The repository that another spelling may mean.
pub fn suggest(text: &str) -> Option<String> {
    let meant = |text: &str| match read(text)?.ok()? {
        Location { undecided: Some(_), .. } => Some(text.to_owned()),
        location => Some(location.to_string()),
    };
    match text.split_once("://") {
        Some(("http", rest)) => suggest(&format!("https://{rest}")),
        Some((scheme, rest)) => meant(text).or_else(|| {
            if let Some(path) = text.strip_prefix(GITHUB) {
                let (owner, rest) = path.split_once('/')?;
                let repository = rest.split(['/', '@']).next().unwrap_or_default();
                return github(&format!("{owner}/{repository}")).ok().map(|one| one.to_string());
            }
            let is_archive = ARCHIVES.iter().any(|end| text.ends_with(end));
            let is_address = PROTECTED.contains(&scheme) && !is_archive && rest.contains('/');
            is_address.then(|| format!("git+{text}"))
        }),
        None => {
            // `me@host:team/repo.git`, which git accepts.
            if let Some((host, path)) = text.split_once(':')
                && let Some((user, name)) = host.split_once('@')
                && is_plain(user)
                && is_plain(name)
            {
                return Some(format!("git+ssh://{host}/{}", path.trim_start_matches('/')));
            }
            let first = text.split('/').next().unwrap_or_default();
            if first.contains('.') && is_plain(first) {
                return meant(&format!("https://{text}"));
            }
            in_short(text).map(|(location, _)| location.to_string())
        }
    }
}

/// `OWNER/REPO` and `OWNER/REPO@SKILL`, as a repository on GitHub and the name of a skill.
pub fn in_short(text: &str) -> Option<(Location, Option<&str>)> {
    let (place, skill) = match text.split_once('@') {
        Some((place, skill)) => (place, Some(skill)),
        None => (text, None),
    };
    let (owner, repository) = place.split_once('/')?;
    let is_file = FILES.iter().chain(&ARCHIVES).any(|end| repository.ends_with(end));
    let is_name = |skill: &str| !skill.is_empty() && !skill.contains('/');
    if is_file || !is_plain(owner) || !is_plain(repository) || !skill.is_none_or(is_name) {
        return None;
    }
    github(place).ok().map(|location| (location, skill))
}

/// Whether this can be the name of a host, an owner or a repository.
fn is_plain(part: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-".contains(one);
    !part.is_empty() && !part.starts_with(['.', '-']) && part.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_repositories_mean_the_canonical_form() {
        for (text, canonical) in [
            ("https://github.com/o/r", "gh:o/r"),
            ("https://github.com/o/r/", "gh:o/r"),
            ("https://github.com/o/r.git", "gh:o/r"),
            ("https://www.github.com/o/r", "gh:o/r"),
            ("https://GitHub.com/o/r", "gh:o/r"),
            ("https://github.com/o/r/tree", "gh:o/r"),
            ("https://github.com/o/r@v1", "gh:o/r@v1"),
            ("https://github.com/o/r/tree/v1.2", "gh:o/r@v1.2"),
            ("https://github.com/o/r/tree/v1/", "gh:o/r@v1"),
            ("https://github.com/o/r/blob/main/SKILL.md", "gh:o/r@main"),
            ("https://gitlab.com/g/r", "git+https://gitlab.com/g/r.git"),
            ("https://gitlab.com/g/s/t/r", "git+https://gitlab.com/g/s/t/r.git"),
            ("https://gitlab.com/g/s/r.git", "git+https://gitlab.com/g/s/r.git"),
            ("https://gitlab.com/g/r/-/tree/main", "git+https://gitlab.com/g/r.git@main"),
            ("https://h.example/a/r/-/tree/v1", "git+https://h.example/a/r.git@v1"),
            ("https://h.example:8443/r.git", "git+https://h.example:8443/r.git"),
            ("https://h.example/r.git/", "git+https://h.example/r.git"),
            ("https://h.example/@me/r.git", "git+https://h.example/%40me/r.git"),
            ("https://bitbucket.org/w/r/src/main/", "git+https://bitbucket.org/w/r.git@main"),
            ("https://codeberg.org/o/r", "git+https://codeberg.org/o/r.git"),
            ("https://codeberg.org/o/r/src/tag/v1", "git+https://codeberg.org/o/r.git@v1"),
            ("https://h.example/o/r/src/branch/x", "git+https://h.example/o/r.git@x"),
            ("http://127.0.0.1:3000/o/r.git", "git+http://127.0.0.1:3000/o/r.git"),
            ("git@h.example:t/r.git", "git+ssh://git@h.example/t/r.git"),
            ("git@github.com:o/r", "git+ssh://git@github.com/o/r"),
            ("ssh://git@h.example/t/r.git", "git+ssh://git@h.example/t/r.git"),
            ("ssh://h.example:22/t/r.git@v1", "git+ssh://h.example:22/t/r.git@v1"),
        ] {
            let location = Location::parse(text).unwrap().unwrap();
            assert_eq!(location.to_string(), canonical, "{text}");
            assert_eq!(location.undecided, None, "{text}");
            assert_eq!(Location::parse(canonical).unwrap(), Some(location), "{text}");
        }
    }

    #[test]
    fn a_page_inside_a_repository_may_mean_several_revisions() {
        let commit = "0a".repeat(20);
        for (text, readings) in [
            (
                "https://github.com/o/r/tree/main/s/pdf",
                &["gh:o/r@main/s/pdf", "gh:o/r/pdf@main/s", "gh:o/r/s/pdf@main"][..],
            ),
            ("https://github.com/o/r/blob/v1/pdf/SKILL.md", &["gh:o/r@v1/pdf", "gh:o/r/pdf@v1"]),
            ("https://github.com/o/r/tree/a%2Fb/my%20s", &["gh:o/r/my s@a/b", "gh:o/r/b/my s@a"]),
            (
                "https://gitlab.com/g/s/r/-/blob/x/p/SKILL.md",
                &["git+https://gitlab.com/g/s/r.git@x/p", "git+https://gitlab.com/g/s/r.git//p@x"],
            ),
            (
                "https://h.example/o/r/src/branch/x/p%40q",
                &["git+https://h.example/o/r.git@x/p@q", "git+https://h.example/o/r.git//p%40q@x"],
            ),
            (
                &format!("https://github.com/o/r/tree/{commit}/s/pdf"),
                &[&format!("gh:o/r/s/pdf@{commit}")],
            ),
        ] {
            let location = Location::parse(text).unwrap().unwrap();
            let all: Vec<String> = location.readings().iter().map(ToString::to_string).collect();
            assert_eq!(all, readings, "{text}");
            assert_eq!(location.to_string(), *readings.last().unwrap(), "{text}");
            for reading in location.readings() {
                assert_eq!(Location::parse(&reading.to_string()).unwrap(), Some(reading), "{text}");
            }
        }
    }

    #[test]
    fn other_addresses_are_refused_with_a_suggestion() {
        for (text, reason, better) in [
            ("https://github.com/o", "not a repository page of github.com", None),
            ("https://github.com/", "the repository is missing", None),
            ("https://github.com", "the repository is missing", None),
            (
                "https://github.com/o/r/issues/3",
                "not a repository page of github.com",
                Some("gh:o/r"),
            ),
            ("https://github.com/o/r/archive/v1.zip", "it is an archive", Some("gh:o/r")),
            (
                "https://github.com/o/r/tree/main/%2e%2e/x",
                "invalid revision or path",
                Some("gh:o/r"),
            ),
            ("https://github.com/o/r/tree/-x/y", "invalid revision or path", Some("gh:o/r")),
            (
                "https://github.com/o/r?tab=readme-ov-file",
                "is not supported; remove it",
                Some("gh:o/r"),
            ),
            ("https://github.com/o/r#readme", "is not supported; remove it", Some("gh:o/r")),
            (
                "https://github.com/o/r/tree/main/s?x=1#y",
                "is not supported; remove it",
                Some("https://github.com/o/r/tree/main/s"),
            ),
            (
                "https://gitlab.com/g/r/-/tree/main?ref_type=heads",
                "is not supported; remove it",
                Some("git+https://gitlab.com/g/r.git@main"),
            ),
            (
                "git@h.example:r.git?token=x",
                "is not supported; remove it",
                Some("git+ssh://git@h.example/r.git"),
            ),
            (
                "https://gitlab.com/g/r/-/issues",
                "not a repository page of gitlab.com",
                Some("git+https://gitlab.com/g/r/-/issues"),
            ),
            (
                "https://h.example/o/r",
                "does not end with `.git`",
                Some("git+https://h.example/o/r"),
            ),
            ("https://h.example/x.tar.gz", "it is an archive", None),
            ("https://h.example", "the repository is missing", None),
            ("https://-x/r.git", "invalid host", Some("git+https://-x/r.git")),
            ("http://github.com/o/r", "use https", Some("gh:o/r")),
            ("file:///srv/r.git", "need the prefix `git+`", Some("git+file:///srv/r.git")),
            ("git://127.0.0.1/r.git", "need the prefix `git+`", None),
            ("ftp://h/r", "unknown protocol", None),
            (
                "https://me@bitbucket.org/w/r.git",
                "contains a login",
                Some("git+https://bitbucket.org/w/r.git"),
            ),
        ] {
            let error = Location::parse(text).unwrap_err();
            assert!(error.message.contains(reason), "{text}: {}", error.message);
            let help = error.help.unwrap();
            match better {
                Some(better) => assert_eq!(help, format!("did you mean `{better}`?"), "{text}"),
                None => assert!(help.starts_with("write `gh:"), "{text}: {help}"),
            }
        }
    }

    #[test]
    fn a_missing_path_may_have_been_meant_as_a_repository() {
        for (text, better) in [
            ("o/r", "gh:o/r"),
            ("o/r@pdf", "gh:o/r"),
            ("github.com/o/r", "gh:o/r"),
            ("github.com/o/r/tree/main/s", "https://github.com/o/r/tree/main/s"),
            ("gitlab.com/g/r", "git+https://gitlab.com/g/r.git"),
            ("me@h.example:t/r.git", "git+ssh://me@h.example/t/r.git"),
        ] {
            assert_eq!(suggest(text).as_deref(), Some(better), "{text}");
            assert_eq!(Location::parse(text).unwrap(), None, "{text}");
            assert!(Location::parse(better).unwrap().is_some(), "{better}");
        }
        for text in ["./a", "../a", "a", "a/b/c", "a/b.md", "a.b/c", "a/", "/a/b", "~/a"] {
            assert_eq!(suggest(text), None, "{text}");
        }
    }

    #[test]
    fn an_owner_and_a_repository_may_name_a_skill() {
        let short = |text| in_short(text).map(|(location, skill)| (location.to_string(), skill));
        assert_eq!(short("o/r"), Some(("gh:o/r".to_owned(), None)));
        assert_eq!(short("o/r.git"), Some(("gh:o/r".to_owned(), None)));
        assert_eq!(short("o/r.js@pdf"), Some(("gh:o/r.js".to_owned(), Some("pdf"))));
        assert_eq!(short("o/r@a@b"), Some(("gh:o/r".to_owned(), Some("a@b"))));
        for text in [
            "o",
            "o/",
            "/r",
            "./r",
            "../r",
            "o/..",
            "o/.r",
            "o/r/",
            "o/r/s",
            "o/r@",
            "o/r@a/b",
            "-o/r",
            "~o/r",
            "o/x.md",
            "o/x.skill",
            "o r/x",
            "o:/r",
        ] {
            assert_eq!(short(text), None, "{text}");
        }
    }
}
