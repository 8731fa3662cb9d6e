//! Plugins of a marketplace that lie somewhere else.

use crate::skills::model::location::Location;
use crate::skills::model::plugin::PluginName;
use crate::skills::text::json::JsonNode;

/// A plugin that a marketplace takes from another place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ElsewherePlugin {
    pub name: PluginName,
    /// What to write to get its skills; none if this program cannot get them.
    pub source: Option<String>,
    /// The kind of place, such as `npm`.
    pub kind: String,
}

impl ElsewherePlugin {
    /// The plugin and its source, for people.
    pub fn shown(&self) -> String {
        match &self.source {
            Some(source) => format!("`{}` (`{source}`)", self.name),
            None => format!("`{}` (from {})", self.name, self.kind),
        }
    }

    /// Reads the `source` object of a plugin.
    pub(super) fn of(name: PluginName, source: &JsonNode<'_>) -> Self {
        let text = |key: &str| source.get(key).and_then(JsonNode::as_str);
        let kind = text("source").unwrap_or("another place");
        let revision = text("sha").or_else(|| text("ref"));
        let path = text("path").unwrap_or_default();
        let place = text("repo").or_else(|| text("url")).or_else(|| match kind.contains("://") {
            true => Some(kind),
            false => None,
        });
        Self {
            source: place.and_then(|place| location(place, path, revision)),
            kind: kind.to_owned(),
            name,
        }
    }

    /// Reads a `source` that is an address.
    pub(super) fn at_address(name: PluginName, address: &str) -> Self {
        let kind = "another place".to_owned();
        Self { name, source: location(address, "", None), kind }
    }
}

/// The canonical form of a git source. Only what the network protects is suggested.
fn location(place: &str, path: &str, revision: Option<&str>) -> Option<String> {
    let path = path.trim_start_matches("./").trim_matches('/');
    let revision = revision.map(|revision| format!("@{revision}")).unwrap_or_default();
    let github = place
        .strip_prefix("https://github.com/")
        .map(|rest| rest.trim_end_matches('/').trim_end_matches(".git"))
        .or_else(|| (!place.contains([':', '\\']) && !place.starts_with('.')).then_some(place))
        .filter(|rest| rest.split('/').count() == 2);
    let is_protected = ["https://", "ssh://"].iter().any(|start| place.starts_with(start));
    let text = match github {
        Some(repository) if path.is_empty() => format!("gh:{repository}{revision}"),
        Some(repository) => format!("gh:{repository}/{path}{revision}"),
        None if is_protected && path.is_empty() => format!("git+{place}{revision}"),
        None if is_protected => format!("git+{place}//{path}{revision}"),
        None => return None,
    };
    Location::parse(&text).ok().flatten().map(|location| location.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_places_are_written_as_sources() {
        let source = |json: &str| {
            let node = JsonNode::parse(json).unwrap();
            ElsewherePlugin::of(PluginName::new("a").unwrap(), &node).source
        };
        for (json, written) in [
            (r#"{"source":"github","repo":"o/r"}"#, "gh:o/r"),
            (r#"{"source":"github","repo":"o/r","ref":"v1"}"#, "gh:o/r@v1"),
            (r#"{"source":"url","url":"https://github.com/o/r.git","ref":"main"}"#, "gh:o/r@main"),
            (
                r#"{"source":"git-subdir","url":"https://github.com/o/r","path":"./a/b"}"#,
                "gh:o/r/a/b",
            ),
            (
                r#"{"source":"url","url":"https://example.com/x.git","ref":"v2"}"#,
                "git+https://example.com/x.git@v2",
            ),
        ] {
            assert_eq!(source(json).as_deref(), Some(written), "{json}");
        }
        for json in [
            r#"{"source":"npm","package":"x"}"#,
            r#"{"source":"url","url":"file:///etc"}"#,
            r#"{"source":"url","url":"ext::sh -c id"}"#,
            r#"{"source":"url","url":"http://127.0.0.1/x"}"#,
            r#"{"source":"url","url":"https://user:secret@example.com/x.git"}"#,
            r#"{"source":"github","repo":"../../etc"}"#,
            r#"{"source":"github","repo":"o/r","path":"../x"}"#,
            r#"{"source":7}"#,
            "[]",
        ] {
            assert_eq!(source(json), None, "{json}");
        }
    }
}
