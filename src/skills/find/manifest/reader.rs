//! Extracts values from a YAML tree, with the position of every error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::filter::NameFilter;
use crate::skills::model::inline::Visibility;
use crate::skills::text::position::{PositionRange, Span};
use crate::skills::text::suggest;
use crate::skills::text::unicode::is_unprintable;
use crate::skills::text::yaml::{Mapping, MappingEntry, Node, Value};

/// A manifest that is being read.
pub struct ManifestReader<'a> {
    pub text: &'a str,
    pub path: &'a Path,
}

impl ManifestReader<'_> {
    pub fn error(&self, span: Span, message: impl AsRef<str>) -> Error {
        let start = self.place(span).start;
        let place = format!("{}:{start}", self.path.display());
        err!(Manifest, "{place}: {}", message.as_ref()).at(self.path)
    }

    /// Adds a position to an error.
    pub fn located(&self, span: Span, error: Error) -> Error {
        Error { help: error.help, ..self.error(span, &error.message) }
    }

    pub fn place(&self, span: Span) -> PositionRange {
        PositionRange::of(self.text, span)
    }

    fn wrong_type(&self, node: &Node<'_>, what: &str, wanted: &str) -> Error {
        let found = node.value.type_name();
        self.error(node.span, format!("{what} must be {wanted}, this is {found}"))
    }

    pub fn mapping<'n, 'a>(&self, node: &'n Node<'a>, what: &str) -> Result<&'n Mapping<'a>> {
        node.as_mapping().ok_or_else(|| self.wrong_type(node, what, "a mapping"))
    }

    pub fn items<'n, 'a>(&self, node: &'n Node<'a>, what: &str) -> Result<&'n [Node<'a>]> {
        match &node.value {
            Value::Sequence(items) => Ok(items),
            _ => Err(self.wrong_type(node, what, "a list")),
        }
    }

    pub fn string<'n>(&self, node: &'n Node<'_>, what: &str) -> Result<&'n str> {
        node.as_str().ok_or_else(|| self.wrong_type(node, what, "a string"))
    }

    /// A string that is not empty.
    pub fn text(&self, mapping: &Mapping<'_>, key: &str) -> Result<Option<String>> {
        let Some(node) = mapping.get(key) else { return Ok(None) };
        let text = self.string(node, &format!("`{key}`"))?;
        if text.trim().is_empty() {
            return Err(self.error(node.span, format!("`{key}` must not be empty")));
        }
        Ok(Some(text.to_owned()))
    }

    pub fn boolean(&self, mapping: &Mapping<'_>, key: &str) -> Result<Option<bool>> {
        match mapping.get(key) {
            None => Ok(None),
            Some(Node { value: Value::Bool(value), .. }) => Ok(Some(*value)),
            Some(node) => Err(self.wrong_type(node, &format!("`{key}`"), "a boolean")),
        }
    }

    /// A string, number or boolean, as it is written.
    pub fn scalar(&self, node: &Node<'_>, what: &str) -> Result<String> {
        match node.value {
            Value::Null | Value::Sequence(_) | Value::Mapping(_) => {
                Err(self.wrong_type(node, what, "a string, a number or a boolean"))
            }
            Value::Bool(_) => Ok(node.span.slice(self.text).to_owned()),
            _ => Ok(node.scalar_text().to_owned()),
        }
    }

    pub fn strings(&self, mapping: &Mapping<'_>, key: &str) -> Result<Vec<String>> {
        let Some(node) = mapping.get(key) else {
            return Ok(Vec::new());
        };
        let what = format!("an item of `{key}`");
        self.items(node, &format!("`{key}`"))?
            .iter()
            .map(|item| self.string(item, &what).map(str::to_owned))
            .collect()
    }

    pub fn only_keys(&self, mapping: &Mapping<'_>, known: &[&str]) -> Result<()> {
        let Some(entry) =
            mapping.entries.iter().find(|entry| !known.contains(&entry.key.scalar_text()))
        else {
            return Ok(());
        };
        let key = entry.key.scalar_text();
        let error = self.error(entry.key.span, format!("unknown key `{key}`"));
        Err(match suggest::nearest(key, known.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("known keys: {}", known.join(", "))),
        })
    }

    pub fn scalars(&self, mapping: &Mapping<'_>, key: &str) -> Result<BTreeMap<String, String>> {
        let Some(node) = mapping.get(key) else { return Ok(BTreeMap::new()) };
        let pair = |entry: &MappingEntry<'_>| {
            let name = entry.key.scalar_text().to_owned();
            Ok((name, self.scalar(&entry.value, &format!("a value of `{key}`"))?))
        };
        self.mapping(node, &format!("`{key}`"))?.entries.iter().map(pair).collect()
    }

    /// A text that fits on one line of a prompt.
    pub fn line(&self, node: &Node<'_>, what: &str) -> Result<String> {
        let text = self.string(node, what)?;
        if text.trim().is_empty() {
            return Err(self.error(node.span, format!("{what} must not be empty")));
        }
        if text.chars().any(|one| is_unprintable(one) || matches!(one, '\n' | '\t')) {
            return Err(self.error(node.span, format!("{what} must be plain text on one line")));
        }
        Ok(text.to_owned())
    }

    pub fn visibility(&self, node: &Node<'_>) -> Result<Visibility> {
        node.as_str().and_then(Visibility::parse).ok_or_else(|| {
            let words = Visibility::WORDS.join(" or ");
            self.error(node.span, format!("a visibility is {words}"))
        })
    }

    /// Valid globs.
    pub fn globs(&self, mapping: &Mapping<'_>, key: &str) -> Result<Vec<String>> {
        let globs = self.strings(mapping, key)?;
        let nodes = mapping.get(key).map(|node| self.items(node, "")).transpose()?;
        for (glob, node) in globs.iter().zip(nodes.unwrap_or_default()) {
            NameFilter::new(std::slice::from_ref(glob), &[])
                .map_err(|error| self.located(node.span, error))?;
        }
        Ok(globs)
    }

    /// Paths are relative to the manifest, not to the current directory; `~` is expanded later.
    pub fn resolve(&self, source: &str) -> PathBuf {
        if source == "~" || source.starts_with("~/") {
            return PathBuf::from(source);
        }
        let directory = self.path.parent().unwrap_or(Path::new(""));
        directory.join(source)
    }
}
