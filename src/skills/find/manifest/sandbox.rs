//! `isolation.sandbox`: how the commands of an isolated agent are confined, and which settings a
//! stranger's manifest may use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::skills::find::manifest::reader::ManifestReader;
use crate::skills::find::manifest::trust::IsolationRequest;
use crate::skills::model::error::Result;
use crate::skills::text::markdown;
use crate::skills::text::position::PositionRange;
use crate::skills::text::yaml::{Mapping, Node, Value};

pub(crate) const SANDBOX_KEYS: [&str; 12] = [
    "enabled",
    "readable_paths",
    "writable_paths",
    "excluded_commands",
    "auto_allow_bash",
    "allow_unsandboxed_commands",
    "weaker_nested_sandbox",
    "ignore_violations",
    "unix_sockets",
    "local_binding",
    "http_proxy_port",
    "socks_proxy_port",
];

/// The sandbox of an isolated agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxBlock {
    /// Whether there is one.
    pub enabled: bool,
    /// Paths that commands may read despite other restrictions.
    pub readable_paths: Vec<SandboxPath>,
    /// Paths that commands may write to.
    pub writable_paths: Vec<SandboxPath>,
    /// Commands that run outside of it.
    pub excluded_commands: Vec<String>,
    /// Whether commands in it run without asking.
    pub auto_allow_bash: bool,
    /// Whether the agent may ask to run a command outside of it.
    pub allow_unsandboxed_commands: bool,
    /// Whether it may be weaker where it is inside another.
    pub weaker_nested_sandbox: bool,
    /// Paths whose violations are not reported, by command.
    pub ignore_violations: BTreeMap<String, Vec<String>>,
    /// Unix sockets that commands may use.
    pub unix_sockets: UnixSockets,
    /// Whether commands may listen on local ports.
    pub local_binding: bool,
    /// The local port of an HTTP proxy.
    pub http_proxy_port: Option<u16>,
    /// The local port of a SOCKS proxy.
    pub socks_proxy_port: Option<u16>,
    /// The positions of its keys.
    places: BTreeMap<String, PositionRange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPath {
    /// Relative to the current directory or absolute; `~` is not expanded yet.
    pub path: PathBuf,
    /// Whether it is below the directory of the manifest.
    is_inner: bool,
    /// As it is written.
    text: String,
}

/// Unix sockets that commands may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnixSockets {
    /// All of them.
    All,
    These(Vec<String>),
}

impl Default for SandboxBlock {
    fn default() -> Self {
        Self {
            enabled: true,
            readable_paths: Vec::new(),
            writable_paths: Vec::new(),
            excluded_commands: Vec::new(),
            auto_allow_bash: true,
            allow_unsandboxed_commands: false,
            weaker_nested_sandbox: false,
            ignore_violations: BTreeMap::new(),
            unix_sockets: UnixSockets::These(Vec::new()),
            local_binding: false,
            http_proxy_port: None,
            socks_proxy_port: None,
            places: BTreeMap::new(),
        }
    }
}

impl SandboxBlock {
    /// Takes relative paths from the current directory instead of the manifest's.
    pub fn take_paths_from_here(&mut self) {
        for path in self.readable_paths.iter_mut().chain(&mut self.writable_paths) {
            path.path = PathBuf::from(&path.text);
        }
    }
}

impl ManifestReader<'_> {
    /// A boolean, or a mapping with the details.
    pub fn sandbox(&self, isolation: &Mapping<'_>) -> Result<SandboxBlock> {
        let usual = SandboxBlock::default();
        let block = match isolation.get("sandbox") {
            None => return Ok(usual),
            Some(Node { value: Value::Bool(enabled), .. }) => {
                return Ok(SandboxBlock { enabled: *enabled, ..usual });
            }
            Some(node) => node.as_mapping().ok_or_else(|| {
                let found = node.value.type_name();
                let message = format!("`sandbox` must be a boolean or a mapping, this is {found}");
                self.error(node.span, message)
            })?,
        };
        self.only_keys(block, &SANDBOX_KEYS)?;
        let flag = |key: &str, usual: bool| Ok(self.boolean(block, key)?.unwrap_or(usual));
        let place = |key: &Node<'_>| (key.scalar_text().to_owned(), self.place(key.span));
        Ok(SandboxBlock {
            enabled: flag("enabled", usual.enabled)?,
            readable_paths: self.sandbox_paths(block, "readable_paths")?,
            writable_paths: self.sandbox_paths(block, "writable_paths")?,
            excluded_commands: self.sandbox_words(block, "excluded_commands")?,
            auto_allow_bash: flag("auto_allow_bash", usual.auto_allow_bash)?,
            allow_unsandboxed_commands: flag("allow_unsandboxed_commands", false)?,
            weaker_nested_sandbox: flag("weaker_nested_sandbox", false)?,
            ignore_violations: self.violations(block)?,
            unix_sockets: match block.get("unix_sockets") {
                Some(Node { value: Value::Bool(true), .. }) => UnixSockets::All,
                Some(Node { value: Value::Bool(false), .. }) => usual.unix_sockets,
                _ => UnixSockets::These(self.sandbox_words(block, "unix_sockets")?),
            },
            local_binding: flag("local_binding", false)?,
            http_proxy_port: self.port(block, "http_proxy_port")?,
            socks_proxy_port: self.port(block, "socks_proxy_port")?,
            places: block.entries.iter().map(|entry| place(&entry.key)).collect(),
        })
    }

    /// Strings that are not empty.
    fn sandbox_words(&self, block: &Mapping<'_>, key: &str) -> Result<Vec<String>> {
        let Some(node) = block.get(key) else { return Ok(Vec::new()) };
        let what = format!("an item of `{key}`");
        let items = self.items(node, &format!("`{key}`"))?;
        items.iter().map(|item| self.line(item, &what)).collect()
    }

    fn sandbox_paths(&self, block: &Mapping<'_>, key: &str) -> Result<Vec<SandboxPath>> {
        let path = |text: String| SandboxPath {
            path: self.resolve(&text),
            is_inner: markdown::is_inner_path(&text),
            text,
        };
        Ok(self.sandbox_words(block, key)?.into_iter().map(path).collect())
    }

    fn violations(&self, block: &Mapping<'_>) -> Result<BTreeMap<String, Vec<String>>> {
        let Some(node) = block.get("ignore_violations") else { return Ok(BTreeMap::new()) };
        let commands = self.mapping(node, "`ignore_violations`")?;
        let pair = |entry: &crate::skills::text::yaml::MappingEntry<'_>| {
            let command = self.line(&entry.key, "a command of `ignore_violations`")?;
            Ok((command.clone(), self.sandbox_words(commands, &command)?))
        };
        commands.entries.iter().map(pair).collect()
    }

    fn port(&self, block: &Mapping<'_>, key: &str) -> Result<Option<u16>> {
        let Some(node) = block.get(key) else { return Ok(None) };
        let port = match &node.value {
            Value::Number(text) => text.parse::<u16>().ok().filter(|port| *port > 0),
            _ => None,
        };
        let wrong = || self.error(node.span, format!("`{key}` is a port from 1 to 65535"));
        port.ok_or_else(wrong).map(Some)
    }
}

/// The rights that a sandbox grants beyond the defaults.
pub fn wishes(sandbox: &SandboxBlock) -> Vec<IsolationRequest> {
    // Without a sandbox, an agent asks before it runs anything.
    if !sandbox.enabled {
        return Vec::new();
    }
    let mut wishes = Vec::new();
    let mut wish = |key: &str, has_power: bool, deed: &str| {
        let message = format!("`isolation.sandbox.{key}` {deed}");
        let place = sandbox.places.get(key).copied();
        wishes.push(IsolationRequest { place, message, has_power });
    };
    let paths = |paths: &[SandboxPath]| quoted(paths.iter().map(|path| path.text.as_str()));
    if !sandbox.readable_paths.is_empty() {
        let deed = format!("lets commands read {}", paths(&sandbox.readable_paths));
        wish("readable_paths", false, &deed);
    }
    if !sandbox.writable_paths.is_empty() {
        // Files outside the project may run at the next login.
        let is_outside = sandbox.writable_paths.iter().any(|path| !path.is_inner);
        let deed = format!("lets commands write to {} unasked", paths(&sandbox.writable_paths));
        wish("writable_paths", is_outside, &deed);
    }
    if !sandbox.excluded_commands.is_empty() {
        let commands = quoted(sandbox.excluded_commands.iter().map(String::as_str));
        wish("excluded_commands", true, &format!("lets {commands} run outside the sandbox"));
    }
    if sandbox.allow_unsandboxed_commands {
        wish("allow_unsandboxed_commands", true, "lets the agent run commands outside the sandbox");
    }
    if sandbox.weaker_nested_sandbox {
        wish("weaker_nested_sandbox", true, "weakens the sandbox");
    }
    if !sandbox.ignore_violations.is_empty() {
        wish("ignore_violations", false, "keeps violations of the sandbox from being reported");
    }
    match &sandbox.unix_sockets {
        UnixSockets::All => {
            wish(
                "unix_sockets",
                true,
                "lets commands reach every local service through its socket",
            );
        }
        UnixSockets::These(sockets) if !sockets.is_empty() => {
            let sockets = quoted(sockets.iter().map(String::as_str));
            wish(
                "unix_sockets",
                true,
                &format!("lets commands reach the service behind {sockets}"),
            );
        }
        UnixSockets::These(_) => {}
    }
    if sandbox.local_binding {
        wish("local_binding", false, "lets commands listen on local ports");
    }
    for (key, port) in [
        ("http_proxy_port", sandbox.http_proxy_port),
        ("socks_proxy_port", sandbox.socks_proxy_port),
    ] {
        if let Some(port) = port {
            let deed = format!("sends the traffic of commands through port {port} of this machine");
            wish(key, true, &deed);
        }
    }
    wishes
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

impl SandboxPath {
    /// The absolute path, with `~` expanded.
    pub fn absolute(&self, expand: &dyn Fn(&Path) -> PathBuf) -> String {
        let path: PathBuf = expand(&self.path).components().collect();
        path.to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::find::manifest::Isolation;
    use crate::skills::find::manifest::parse::{self, ISOLATION_KEYS};

    fn read(text: &str) -> Result<Isolation> {
        let text = format!("isolation: {{sandbox: {text}}}\n");
        Ok(parse::parse(&text, Path::new("dir/skills.yaml"))?.isolation.unwrap_or_default())
    }

    #[test]
    fn the_short_form_is_the_switch_of_the_long_one() {
        assert_eq!(read("true").unwrap().sandbox, SandboxBlock::default());
        assert!(!read("false").unwrap().sandbox.enabled);
        let long = read("{enabled: false, writable_paths: [out, ~/x], http_proxy_port: 8080}");
        let long = long.unwrap().sandbox;
        assert!(!long.enabled);
        let paths: Vec<&Path> = long.writable_paths.iter().map(|one| one.path.as_path()).collect();
        assert_eq!(paths, [Path::new("dir/out"), Path::new("~/x")]);
        assert_eq!(long.http_proxy_port, Some(8080));
    }

    #[test]
    fn every_fault_has_a_place() {
        for (text, expected) in [
            ("maybe", "`sandbox` must be a boolean or a mapping, this is a string"),
            ("{enable: true}", "unknown key `enable`"),
            ("{enabled: 1}", "`enabled` must be a boolean, this is a number"),
            ("{readable_paths: x}", "`readable_paths` must be a list, this is a string"),
            ("{writable_paths: [1]}", "an item of `writable_paths` must be a string"),
            ("{writable_paths: [\"\"]}", "an item of `writable_paths` must not be empty"),
            ("{http_proxy_port: 0}", "`http_proxy_port` is a port from 1 to 65535"),
            ("{socks_proxy_port: 65536}", "`socks_proxy_port` is a port from 1 to 65535"),
            ("{socks_proxy_port: \"80\"}", "`socks_proxy_port` is a port from 1 to 65535"),
            ("{ignore_violations: [x]}", "`ignore_violations` must be a mapping, this is a list"),
            ("{unix_sockets: 3}", "`unix_sockets` must be a list, this is a number"),
        ] {
            let message = read(text).unwrap_err().message;
            assert!(message.starts_with("dir/skills.yaml:1:"), "{text}: {message}");
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn every_key_can_be_ignored_and_a_typo_is_suggested() {
        let all = "{readable_paths: [a], writable_paths: [b], excluded_commands: [c], \
            auto_allow_bash: false, allow_unsandboxed_commands: true, weaker_nested_sandbox: true, \
            ignore_violations: {a: [b]}, unix_sockets: true, local_binding: true, \
            http_proxy_port: 1, socks_proxy_port: 2}";
        let mut isolation = read(all).unwrap();
        for key in SANDBOX_KEYS.iter().filter(|key| **key != "enabled").chain(&["env"]) {
            isolation.ignore(key).unwrap();
        }
        let places = isolation.sandbox.places.clone();
        assert_eq!(isolation.sandbox, SandboxBlock { places, ..SandboxBlock::default() });
        for key in ISOLATION_KEYS {
            isolation.ignore(key).unwrap();
        }
        assert!(!isolation.sandbox.enabled);
        let error = isolation.ignore("writeable_paths").unwrap_err();
        assert!(error.help.unwrap().starts_with("did you mean `writable_paths`?"));
    }

    #[test]
    fn what_opens_the_sandbox_is_told_and_what_closes_it_is_not() {
        let told = |text: &str| -> Vec<(bool, String)> {
            let sandbox = read(text).unwrap().sandbox;
            wishes(&sandbox).into_iter().map(|wish| (wish.has_power, wish.message)).collect()
        };
        for closed in ["true", "false", "{}", "{auto_allow_bash: false}", "{unix_sockets: false}"] {
            assert!(told(closed).is_empty(), "{closed}");
        }
        for (text, has_power) in [
            ("{readable_paths: [/etc]}", false),
            ("{writable_paths: [out]}", false),
            ("{writable_paths: [out, ~/.config]}", true),
            ("{writable_paths: [../x]}", true),
            ("{writable_paths: [/]}", true),
            ("{excluded_commands: [git]}", true),
            ("{allow_unsandboxed_commands: true}", true),
            ("{weaker_nested_sandbox: true}", true),
            ("{ignore_violations: {\"*\": [/x]}}", false),
            ("{unix_sockets: true}", true),
            ("{unix_sockets: [/var/run/docker.sock]}", true),
            ("{local_binding: true}", false),
            ("{http_proxy_port: 1}", true),
            ("{socks_proxy_port: 1}", true),
        ] {
            let told = told(text);
            assert_eq!(told.len(), 1, "{text}: {told:?}");
            assert_eq!(told[0].0, has_power, "{text}: {told:?}");
        }
    }
}
