//! Reads `skills.yaml`: which sources, which names, which rule levels.
//!
//! It is read as strictly as a `SKILL.md`. Every fault has a line and a column, and a key
//! that is almost right comes with a suggestion.

use std::path::{Path, PathBuf};

use crate::skills::content::{self, Content};
use crate::skills::discovery::{SourceName, Sources};
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::name::SkillName;
use crate::skills::position::{Place, Span};
use crate::skills::rules::{self, Level, Levels};
use crate::skills::selection::Request;
use crate::skills::similar;
use crate::skills::yaml::{self, Entry, Mapping, Node, Value};

/// The name of a manifest.
pub const FILE_NAME: &str = "skills.yaml";

const KEYS: [&str; 6] = ["version", "allow", "deny", "rules", "skills", "discovery"];
const DISCOVERY_KEYS: [&str; 6] =
    ["enabled", "sources", "no_sources", "directories", "ignore", "include"];
const ENTRY_KEYS: [&str; 2] = ["source", "name"];

/// What a manifest says.
#[derive(Debug, Clone, Default)]
pub struct Manifest {
    /// Globs of names that are wanted.
    pub allow: Vec<String>,
    /// Globs of names that are not.
    pub deny: Vec<String>,
    /// Levels of rules.
    pub levels: Levels,
    /// The sources, with paths relative to the manifest made whole; without a `skills` key, the
    /// directory of the manifest.
    pub requests: Vec<Request>,
    /// Whether there is a `skills` key.
    pub names_skills: bool,
    /// What to look for when skills are discovered.
    pub discovery: Discovery,
}

/// The `discovery` block.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// Which providers are asked.
    pub sources: Sources,
    /// More directories; `~` is not written out yet.
    pub directories: Vec<PathBuf>,
    /// Globs of names that are left out.
    pub ignore: Vec<String>,
    /// Globs of names that are wanted; empty means all.
    pub include: Vec<String>,
}

impl Manifest {
    /// Reads the manifest at `path`.
    ///
    /// # Errors
    /// A file that cannot be read, or the first thing in it that is wrong.
    pub fn read(path: &Path) -> Result<Self> {
        let unreadable = |reason: String| {
            let message = format!("cannot read `{}`: {reason}", path.display());
            Error::new(ErrorKind::Manifest, message).at(path)
        };
        // A manifest is the user's own: where it is a link, it is followed.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match content::read(&real) {
            Content::Text(text) => parse(&text, path),
            Content::Missing => {
                let message = format!("no manifest at `{}`", path.display());
                Err(Error::new(ErrorKind::NotFound, message).at(path))
            }
            Content::NotUtf8 { .. } => Err(unreadable("it is not UTF-8".to_owned())),
            Content::TooLarge { bytes } => Err(unreadable(format!("{bytes} bytes are too many"))),
            Content::NotAFile(_) => Err(unreadable("it is not a regular file".to_owned())),
            Content::Unreadable(reason) => Err(unreadable(reason)),
        }
    }
}

fn parse(text: &str, path: &Path) -> Result<Manifest> {
    let reader = Reader { text, path };
    let document = yaml::read(text, 0).map_err(|fault| reader.error(fault.span, fault.message))?;
    if let Some(duplicate) = document.duplicates.first() {
        return Err(reader.error(duplicate.again, format!("`{}` appears twice", duplicate.key)));
    }
    let root = reader.mapping(&document.root, "a manifest")?;
    reader.only_keys(root, &KEYS)?;
    reader.version(root)?;
    let mut manifest = Manifest {
        allow: reader.strings(root, "allow")?,
        deny: reader.strings(root, "deny")?,
        ..Manifest::default()
    };
    if let Some(node) = root.get("rules") {
        for entry in &reader.mapping(node, "`rules`")?.entries {
            reader.level(entry, &mut manifest.levels)?;
        }
    }
    if let Some(node) = root.get("discovery") {
        manifest.discovery = reader.discovery(reader.mapping(node, "`discovery`")?)?;
    }
    match root.get("skills") {
        Some(node) => {
            manifest.names_skills = true;
            for item in reader.items(node, "`skills`")? {
                manifest.requests.push(reader.request(item)?);
            }
        }
        None => manifest.requests.push(Request { path: reader.resolve("."), name: None }),
    }
    Ok(manifest)
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
}

impl Reader<'_> {
    fn error(&self, span: Span, message: impl AsRef<str>) -> Error {
        let start = Place::of(self.text, span).start;
        let place = format!("{}:{}:{}", self.path.display(), start.line, start.column);
        Error::new(ErrorKind::Manifest, format!("{place}: {}", message.as_ref())).at(self.path)
    }

    fn mapping<'n, 'a>(&self, node: &'n Node<'a>, what: &str) -> Result<&'n Mapping<'a>> {
        node.as_mapping().ok_or_else(|| {
            let found = node.value.type_name();
            self.error(node.span, format!("{what} must be a mapping, this is {found}"))
        })
    }

    fn items<'n, 'a>(&self, node: &'n Node<'a>, what: &str) -> Result<&'n [Node<'a>]> {
        match &node.value {
            Value::Sequence(items) => Ok(items),
            other => {
                let found = other.type_name();
                Err(self.error(node.span, format!("{what} must be a list, this is {found}")))
            }
        }
    }

    fn string<'n>(&self, node: &'n Node<'_>, what: &str) -> Result<&'n str> {
        node.as_str().ok_or_else(|| {
            let found = node.value.type_name();
            self.error(node.span, format!("{what} must be a string, this is {found}"))
        })
    }

    fn strings(&self, root: &Mapping<'_>, key: &str) -> Result<Vec<String>> {
        let Some(node) = root.get(key) else {
            return Ok(Vec::new());
        };
        self.items(node, &format!("`{key}`"))?
            .iter()
            .map(|item| self.string(item, &format!("an item of `{key}`")).map(str::to_owned))
            .collect()
    }

    fn only_keys(&self, mapping: &Mapping<'_>, known: &[&str]) -> Result<()> {
        let Some(entry) =
            mapping.entries.iter().find(|entry| !known.contains(&entry.key.scalar_text()))
        else {
            return Ok(());
        };
        let key = entry.key.scalar_text();
        let error = self.error(entry.key.span, format!("unknown key `{key}`"));
        Err(match similar::nearest(key, known.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("known keys: {}", known.join(", "))),
        })
    }

    fn version(&self, root: &Mapping<'_>) -> Result<()> {
        match root.get("version") {
            None => Ok(()),
            Some(node) if node.value == Value::Number("1".into()) => Ok(()),
            Some(node) => Err(self.error(node.span, "this tool reads manifests of version 1")),
        }
    }

    fn level(&self, entry: &Entry<'_>, levels: &mut Levels) -> Result<()> {
        let rule = rules::find(entry.key.scalar_text()).map_err(|error| {
            let located = self.error(entry.key.span, &error.message);
            Error { help: error.help, ..located }
        })?;
        let level = entry.value.as_str().and_then(Level::parse).ok_or_else(|| {
            let words = Level::WORDS.join(", ");
            self.error(entry.value.span, format!("a level is one of {words}"))
        })?;
        levels.set(rule, level);
        Ok(())
    }

    fn discovery(&self, block: &Mapping<'_>) -> Result<Discovery> {
        self.only_keys(block, &DISCOVERY_KEYS)?;
        let off = match block.get("enabled").map(|node| (&node.value, node.span)) {
            None => false,
            Some((Value::Bool(enabled), _)) => !enabled,
            Some((other, span)) => {
                let found = other.type_name();
                return Err(
                    self.error(span, format!("`enabled` must be a boolean, this is {found}"))
                );
            }
        };
        Ok(Discovery {
            sources: Sources {
                only: self.source_names(block, "sources")?,
                without: self.source_names(block, "no_sources")?,
                off,
            },
            directories: self
                .strings(block, "directories")?
                .iter()
                .map(|path| if path.starts_with('~') { path.into() } else { self.resolve(path) })
                .collect(),
            ignore: self.strings(block, "ignore")?,
            include: self.strings(block, "include")?,
        })
    }

    fn source_names(&self, block: &Mapping<'_>, key: &str) -> Result<Vec<SourceName>> {
        let Some(node) = block.get(key) else { return Ok(Vec::new()) };
        let name = |item: &Node<'_>| {
            SourceName::parse(self.string(item, "a source")?).map_err(|error| {
                let located = self.error(item.span, &error.message);
                Error { help: error.help, ..located }
            })
        };
        self.items(node, &format!("`{key}`"))?.iter().map(name).collect()
    }

    fn request(&self, item: &Node<'_>) -> Result<Request> {
        if let Some(source) = item.as_str() {
            return Ok(Request { path: self.resolve(source), name: None });
        }
        let entry = self.mapping(item, "an entry of `skills`")?;
        self.only_keys(entry, &ENTRY_KEYS)?;
        let source = entry
            .get("source")
            .ok_or_else(|| self.error(item.span, "this entry has no `source`"))?;
        let name = match entry.get("name") {
            None => None,
            Some(node) => Some(
                SkillName::new(self.string(node, "`name`")?)
                    .map_err(|error| self.error(node.span, error.to_string()))?,
            ),
        };
        Ok(Request { path: self.resolve(self.string(source, "`source`")?), name })
    }

    /// Paths are relative to the manifest, not to whoever runs the tool.
    fn resolve(&self, source: &str) -> PathBuf {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        directory.join(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let error = parse(text, Path::new("skills.yaml")).unwrap_err();
        format!("{} | {}", error.message, error.help.unwrap_or_default())
    }

    #[test]
    fn reads_sources_filters_and_levels() {
        let text = "version: 1\nallow: [\"a*\"]\ndeny: [b]\nrules: {unknown-field: off}\n\
                    skills:\n  - ./x\n  - source: y\n    name: z\n";
        let manifest = parse(text, Path::new("dir/skills.yaml")).unwrap();
        assert_eq!(manifest.allow, ["a*"]);
        assert_eq!(manifest.deny, ["b"]);
        assert_eq!(manifest.requests[0].path, Path::new("dir/./x"));
        assert_eq!(manifest.requests[1].name.as_ref().unwrap().as_str(), "z");
        let rule = rules::find("unknown-field").unwrap();
        assert_eq!(manifest.levels.get(rule), Some(Level::Off));
    }

    #[test]
    fn faults_have_a_place_and_a_suggestion() {
        assert_eq!(
            message("version: 1\nskils: []\n"),
            "skills.yaml:2:1: unknown key `skils` | did you mean `skills`?"
        );
        assert_eq!(
            message("rules:\n  brokn-link: off\n"),
            "skills.yaml:2:3: unknown rule `brokn-link` | did you mean `broken-link`? \
             `skills rules` lists them all"
        );
        assert!(message("rules: {broken-link: loud}\n").starts_with("skills.yaml:1:22: a level"));
        assert!(message("version: 2\n").starts_with("skills.yaml:1:10: this tool reads"));
        assert!(message("a: b: c\n").starts_with("skills.yaml:1:5: an unquoted value"));
        assert!(message("skills: [{name: x}]\n").contains("no `source`"));
        assert!(message("- x\n").contains("a manifest must be a mapping, this is a list"));
    }
}
