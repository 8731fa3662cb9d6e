//! Decides what a manifest may do, depending on where it came from.
//!
//! A manifest may come with a repository from a stranger. Settings that choose programs, loaders,
//! endpoints or secrets are reported first, and take effect only with the user's consent.

use std::path::PathBuf;

use crate::skills::find::manifest::power::Power;
use crate::skills::find::manifest::{
    Isolation, Manifest, ManifestEntryKind, SourceLocation, sandbox,
};
use crate::skills::judge::rules::{self, Level};
use crate::skills::model::address::host;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::location::Location;
use crate::skills::text::markdown;
use crate::skills::text::position::PositionRange;

/// Where a manifest came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ManifestOrigin {
    /// The user named the file.
    #[default]
    Named,
    /// It was found in the current directory.
    Found,
    /// It came from a repository, an address or a registry.
    Remote,
}

/// What resolves a concern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remedy {
    /// The user names the file, or trusts it.
    Naming,
    /// The user trusts the manifest.
    Trust,
    /// Nothing: such a manifest may not contain this.
    Nothing,
}

/// Which commands are affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Running an agent.
    Mounting,
    /// Copying skills.
    Copying,
    /// Reading the manifest.
    Reading,
}

/// Something in a manifest that needs the user's consent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Concern {
    /// Its position, and what it would do.
    message: String,
    /// What allows it.
    remedy: Remedy,
    /// Which commands are affected.
    scope: Audience,
}

/// How a manifest is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestUse {
    /// The manifest and its sources are read.
    Read,
    /// Skills are copied.
    Copy {
        /// Whether the user trusts the manifest.
        trusted: bool,
    },
    /// An agent is run.
    Mount {
        /// Whether the user trusts the manifest.
        trusted: bool,
    },
}

/// How many concerns an error lists; the rest are counted.
const SHOWN: usize = 10;

/// Rules that find hidden text. A manifest that was merely found must not lower them.
const REVEALING: [&str; 2] = ["control-character", "hidden-unicode"];

/// Everything in a manifest that needs the user's consent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Concerns {
    /// The manifest, as the user would name it.
    manifest: PathBuf,
    /// One by one, in the order of the manifest's keys.
    all: Vec<Concern>,
}

impl Concerns {
    /// Collects what needs consent, depending on where the manifest came from.
    pub fn of(manifest: &Manifest) -> Self {
        let concern =
            |place: Option<PositionRange>, message: String, remedy: Remedy, scope: Audience| {
                let place = place.map(|place| format!(":{}", place.start)).unwrap_or_default();
                let message = format!("{}{place}: {message}", manifest.path.display());
                Concern { message, remedy, scope }
            };
        // The consent that a manifest needs if the user did not name it.
        let stranger = match manifest.origin {
            ManifestOrigin::Named => None,
            ManifestOrigin::Found => Some(Remedy::Naming),
            ManifestOrigin::Remote => Some(Remedy::Trust),
        };
        let mut all = Vec::new();
        if manifest.origin == ManifestOrigin::Remote {
            all.extend(foreign(manifest).into_iter().map(|(place, message)| {
                concern(Some(place), message, Remedy::Nothing, Audience::Reading)
            }));
        }
        for wish in manifest.isolation.iter().flat_map(wishes) {
            let remedy = if wish.has_power { Some(Remedy::Trust) } else { stranger };
            all.extend(
                remedy.map(|remedy| concern(wish.place, wish.message, remedy, Audience::Mounting)),
            );
        }
        if let Some(remedy) = stranger {
            all.extend(
                lowered(manifest).map(|message| concern(None, message, remedy, Audience::Copying)),
            );
        }
        Self { manifest: manifest.path.clone(), all }
    }

    /// Refuses a manifest without the user's consent.
    pub fn check(&self, how: ManifestUse) -> Result<()> {
        let counts = |concern: &&Concern| match (how, concern.scope) {
            (_, Audience::Reading) => true,
            (ManifestUse::Read, _) => false,
            (ManifestUse::Copy { trusted }, scope) => !trusted && scope == Audience::Copying,
            (ManifestUse::Mount { trusted }, _) => !trusted,
        };
        let refused: Vec<&Concern> = self.all.iter().filter(counts).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let mut lines: Vec<String> =
            refused.iter().take(SHOWN).map(|concern| concern.message.clone()).collect();
        if refused.len() > SHOWN {
            lines.push(format!("and {} more", refused.len() - SHOWN));
        }
        let needs = |remedy| refused.iter().any(|concern| concern.remedy == remedy);
        let named = format!("`--manifest {}`", self.manifest.display());
        let help = if needs(Remedy::Nothing) {
            "a manifest from elsewhere may name only what came with it, and https, ssh or oci sources"
                .to_owned()
        } else if needs(Remedy::Trust) {
            "read the manifest; if you trust its author, add `--trust-manifest`".to_owned()
        } else {
            format!("read the manifest; if you agree, add {named} or `--trust-manifest`")
        };
        Err(Error::new(ErrorKind::Manifest, lines.join("\n")).at(&self.manifest).help(help))
    }

    /// Notes for the author of the manifest.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |concern: &Concern| {
            let verb = match concern.scope {
                Audience::Mounting => "`skills mount`",
                Audience::Copying => "`skills install`",
                Audience::Reading => "`skills`",
            };
            let needs = match concern.remedy {
                Remedy::Naming => format!("needs `--manifest {}`", self.manifest.display()),
                Remedy::Trust => "needs `--trust-manifest`".to_owned(),
                Remedy::Nothing => "does not accept that".to_owned(),
            };
            format!("{}; {verb} {needs}", concern.message)
        };
        self.all.iter().map(warning).collect()
    }
}

/// Rules about hidden text that a manifest lowers.
fn lowered(manifest: &Manifest) -> impl Iterator<Item = String> {
    let rules = REVEALING.iter().filter_map(|id| rules::find(id).ok());
    let lowered = rules.filter(|rule| {
        manifest.levels.get(rule).is_some_and(|level| level != Level::At(rule.severity))
    });
    lowered.map(|rule| {
        format!("`rules` lowers `{}`, which finds text that is hidden from you", rule.id)
    })
}

/// A request of an `isolation` block.
pub struct IsolationRequest {
    pub place: Option<PositionRange>,
    /// What it would do.
    pub message: String,
    /// Whether it has power over programs, so that naming the file is not enough.
    pub has_power: bool,
}

/// The requests of an `isolation` block.
fn wishes(isolation: &Isolation) -> Vec<IsolationRequest> {
    let wish = |key: &str, message: String| IsolationRequest {
        place: isolation.places.get(key).copied(),
        message,
        has_power: false,
    };
    let mut wishes = Vec::new();
    for name in isolation.env.keys() {
        let sets = format!("`isolation.env` sets `{name}` for the agent");
        let key = format!("env.{name}");
        wishes.push(match Power::of(name) {
            Some(power) => {
                let message = format!("{sets}, which {}", power.deed());
                IsolationRequest { has_power: true, ..wish(&key, message) }
            }
            None => wish(&key, sets),
        });
    }
    if let Some(variable) = &isolation.api_key_env {
        let message =
            format!("`isolation.api_key_env` hands your `{variable}` to the agent as its key");
        wishes.push(wish("api_key_env", message));
    }
    if isolation.include_host_env {
        let message = "`isolation.include_host_env` lets the agent see your environment";
        wishes.push(wish("include_host_env", message.to_owned()));
    }
    if !isolation.allowed_domains.is_empty() {
        // In a sandbox, agents run commands without asking.
        let domains: Vec<String> =
            isolation.allowed_domains.iter().map(|domain| format!("`{domain}`")).collect();
        let domains = domains.join(", ");
        let message =
            format!("`isolation.allowed_domains` lets commands reach {domains} without asking");
        wishes.push(wish("allowed_domains", message));
    }
    wishes.extend(sandbox::wishes(&isolation.sandbox));
    wishes.sort_by_key(|wish| wish.place);
    wishes
}

/// Content that a remote manifest must not have, with its position.
fn foreign(manifest: &Manifest) -> Vec<(PositionRange, String)> {
    let mut found = Vec::new();
    for entry in &manifest.entries {
        let ManifestEntryKind::Source(source) = &entry.kind else { continue };
        let why = match &source.target {
            SourceLocation::Path(_) if leads_out(manifest, &source.text) => {
                Some("a path outside its own directory")
            }
            SourceLocation::Git(location) if !is_public(location) => {
                Some("a repository that is not reached over https or ssh")
            }
            SourceLocation::Network(address) if !address.is_public() => {
                Some("an address that is not reached over https")
            }
            SourceLocation::Path(_) | SourceLocation::Git(_) | SourceLocation::Network(_) => None,
        };
        if let Some(why) = why {
            found.push((entry.place, format!("`{}` is {why}", source.text)));
        }
    }
    if let Some(place) = manifest.discovery.place {
        found.push((place, "`discovery` reads your own skills".to_owned()));
    }
    found
}

/// Whether a path leaves the tree of the manifest.
fn leads_out(manifest: &Manifest, path: &str) -> bool {
    match &manifest.tree {
        Some(tree) => tree.inner(path).is_none(),
        None => !markdown::is_inner_path(path),
    }
}

/// Whether a repository is on another machine, and reached over an authenticated protocol.
pub fn is_public(location: &Location) -> bool {
    let Some((scheme, rest)) = location.url.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    matches!(scheme, "https" | "ssh") && !host::is_loopback(host)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::skills::find::manifest::parse;

    fn manifest(text: &str, origin: ManifestOrigin) -> Manifest {
        let manifest = parse::parse(text, Path::new("skills.yaml")).unwrap();
        Manifest { origin, ..manifest }
    }

    fn told(text: &str, origin: ManifestOrigin) -> Vec<(Remedy, String)> {
        let concerns = Concerns::of(&manifest(text, origin));
        concerns.all.into_iter().map(|one| (one.remedy, one.message)).collect()
    }

    #[test]
    fn each_request_needs_its_consent() {
        let text = "isolation:\n  env: {PATH: x, EXTRA: y}\n  api_key_env: TOKEN\n  \
                    include_host_env: true\n  allowed_domains: [a.example]\n";
        let path = "skills.yaml:2:9: `isolation.env` sets `PATH` for the agent, which chooses the \
                    programs that run";
        let path = (Remedy::Trust, path.to_owned());
        let rest = |remedy| {
            [
                "skills.yaml:2:18: `isolation.env` sets `EXTRA` for the agent",
                "skills.yaml:3:3: `isolation.api_key_env` hands your `TOKEN` to the agent as its key",
                "skills.yaml:4:3: `isolation.include_host_env` lets the agent see your environment",
                "skills.yaml:5:3: `isolation.allowed_domains` lets commands reach `a.example` without asking",
            ]
            .map(|message| (remedy, message.to_owned()))
        };
        let all = |remedy| [std::slice::from_ref(&path), &rest(remedy)].concat();
        assert_eq!(told(text, ManifestOrigin::Named), std::slice::from_ref(&path));
        assert_eq!(told(text, ManifestOrigin::Found), all(Remedy::Naming));
        assert_eq!(told(text, ManifestOrigin::Remote), all(Remedy::Trust));
        // Stricter isolation needs no consent.
        for harmless in ["isolation: {}\n", "isolation: {sandbox: true, include_host_env: false}\n"]
        {
            assert!(told(harmless, ManifestOrigin::Remote).is_empty(), "{harmless}");
        }
    }

    #[test]
    fn a_remote_manifest_names_only_its_own_files_and_public_repositories() {
        let sources = |text: &str| {
            told(&format!("skills: [\"{text}\"]\n"), ManifestOrigin::Remote)
                .into_iter()
                .map(|(remedy, _)| remedy)
                .collect::<Vec<_>>()
        };
        for fine in [
            "./skills",
            "skills/pdf",
            "gh:o/r",
            "git+https://example.com/r.git",
            "git+ssh://git@example.com/r.git",
            "git+https://localhost.example.com/r.git",
            "https://github.com/o/r/tree/main/skills",
            "https://gitlab.com/g/s/r",
            "https://example.com/o/r/-/tree/main/skills",
            "https://example.com/r.git",
            "git@example.com:o/r.git",
            "ssh://git@example.com/r.git",
            "oci://ghcr.io/team/skills:v1",
            "https://example.com/x.zip",
            "https://example.com",
        ] {
            assert!(sources(fine).is_empty(), "{fine}");
        }
        for foul in [
            "/etc",
            "~",
            "~/x",
            "../x",
            "a/../../x",
            "C:/x",
            "git+file:///x",
            "git+http://localhost/r.git",
            "git+https://localhost/r.git",
            "git+https://LOCALHOST:8080/r.git",
            "git+https://127.0.0.1/r.git",
            "git+https://127.9.9.9/r.git",
            "git+https://[::1]/r.git",
            "git+https://0.0.0.0/r.git",
            "git+https://[::ffff:127.0.0.1]/r.git",
            "git+ssh://me@localhost/r.git",
            "git+https://2130706433/r.git",
            "git+https://127.1/r.git",
            "git+https://a.localhost./r.git",
            "http://127.0.0.1:3000/o/r.git",
            "https://localhost/o/r/-/tree/main/skills",
            "https://127.0.0.1/r.git",
            "git@localhost:o/r.git",
            "ssh://git@127.0.0.1/r.git",
            "oci://127.0.0.1:5000/x",
            "http://example.com/x.zip",
            "https://localhost/x.zip",
            "http://127.0.0.1:8000",
        ] {
            assert_eq!(sources(foul), [Remedy::Nothing], "{foul}");
        }
        let discovery = "discovery: {sources: [claude]}\nskills: []\n";
        assert_eq!(
            told(discovery, ManifestOrigin::Remote),
            [(Remedy::Nothing, "skills.yaml:1:12: `discovery` reads your own skills".to_owned())]
        );
        // No flag allows this for a remote manifest; the user's own manifest may contain all of it.
        let foreign = Concerns::of(&manifest(discovery, ManifestOrigin::Remote));
        for how in [ManifestUse::Copy { trusted: true }, ManifestUse::Mount { trusted: true }] {
            assert!(foreign.check(how).is_err());
        }
        for origin in [ManifestOrigin::Named, ManifestOrigin::Found] {
            assert!(told("skills: [/etc, ~/x]\ndiscovery: {}\n", origin).is_empty());
        }
    }

    #[test]
    fn a_found_manifest_cannot_disable_rules_about_hidden_text() {
        for (rules, lowered) in [
            ("hidden-unicode: off", true),
            ("control-character: note", true),
            ("hidden-unicode: error", false),
            ("broken-link: off", false),
        ] {
            let text = format!("rules: {{{rules}}}\n");
            assert_eq!(!told(&text, ManifestOrigin::Found).is_empty(), lowered, "{rules}");
            assert!(told(&text, ManifestOrigin::Named).is_empty(), "{rules}");
        }
        let found =
            Concerns::of(&manifest("rules: {hidden-unicode: off}\n", ManifestOrigin::Found));
        assert!(found.check(ManifestUse::Copy { trusted: false }).is_err());
        assert!(found.check(ManifestUse::Mount { trusted: true }).is_ok());
        let found = Concerns::of(&manifest("isolation: {env: {A: b}}\n", ManifestOrigin::Found));
        assert!(found.check(ManifestUse::Copy { trusted: false }).is_ok(), "no agent is run");
    }

    #[test]
    fn a_refusal_is_of_a_length_that_can_be_read() {
        let variables: String = (0..40).map(|number| format!("V{number}: x, ")).collect();
        let text = format!("isolation: {{env: {{{variables}}}}}\n");
        let found = Concerns::of(&manifest(&text, ManifestOrigin::Found));
        let error = found.check(ManifestUse::Mount { trusted: false }).unwrap_err();
        assert_eq!(error.message.lines().count(), SHOWN + 1);
        assert!(error.message.ends_with("\nand 30 more"), "{}", error.message);
    }
}
