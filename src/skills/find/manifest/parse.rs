//! From YAML to a [`Manifest`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::skills::find::discovery::{ProviderChoice, ProviderName};
use crate::skills::find::manifest::conditions::Condition;
use crate::skills::find::manifest::reader::ManifestReader;
use crate::skills::find::manifest::{
    DiscoveryBlock, Isolation, Limits, Manifest, ManifestEntry, ManifestEntryKind, SourceLocation,
    Strictness, WrittenSource,
};
use crate::skills::judge::rules::{self, Level, Levels};
use crate::skills::model::error::Result;
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::model::name::SkillName;
use crate::skills::model::request::RequestedSource;
use crate::skills::text::position::PositionRange;
use crate::skills::text::yaml::{self, Mapping, MappingEntry as YamlEntry, Node, Shape, Value};
use crate::skills::text::{markdown, size};

pub const KEYS: [&str; 14] = [
    "version",
    "params",
    "allow",
    "deny",
    "rules",
    "limits",
    "validate",
    "skills",
    "sections",
    "title",
    "key_prefix",
    "install_skills",
    "discovery",
    "isolation",
];

pub const ENTRY_KEYS: [&str; 6] = ["source", "inline", "name", "enabled", "section", "mount_path"];

pub const DISCOVERY_KEYS: [&str; 6] =
    ["enabled", "sources", "no_sources", "directories", "ignore", "include"];

pub const LIMIT_KEYS: [&str; 2] = ["max_skill_size", "max_total_size"];

pub const ISOLATION_KEYS: [&str; 5] =
    ["allowed_domains", "sandbox", "env", "include_host_env", "api_key_env"];

/// The fields of a manifest, to recognise typos.
const MANIFEST: Shape = Shape { is_field: |key| KEYS.contains(&key), has_body: false };

pub fn parse(text: &str, path: &Path) -> Result<Manifest> {
    let reader = ManifestReader { text, path };
    let document = yaml::read(text, 0).map_err(|fault| {
        let fault = yaml::find_typo(text, 0, fault, &MANIFEST);
        let help = fault.help.unwrap_or_else(|| fault.kind.advice().to_owned());
        reader.error(fault.span, fault.message).help(help)
    })?;
    if let Some(duplicate) = document.duplicates.first() {
        return Err(reader.error(duplicate.again, format!("`{}` appears twice", duplicate.key)));
    }
    let root = reader.mapping(&document.root, "a manifest")?;
    reader.only_keys(root, &KEYS)?;
    reader.version(root)?;
    let mut manifest = Manifest {
        path: path.to_owned(),
        params: reader.scalars(root, "params")?,
        allow: reader.globs(root, "allow")?,
        deny: reader.globs(root, "deny")?,
        ..Manifest::default()
    };
    if let Some(node) = root.get("rules") {
        for entry in &reader.mapping(node, "`rules`")?.entries {
            reader.level(entry, &mut manifest.levels)?;
        }
    }
    if let Some(node) = root.get("limits") {
        let block = reader.mapping(node, "`limits`")?;
        reader.only_keys(block, &LIMIT_KEYS)?;
        manifest.limits = Limits {
            max_skill_size: reader.size(block, "max_skill_size")?,
            max_total_size: reader.size(block, "max_total_size")?,
        };
    }
    if let Some(node) = root.get("validate") {
        manifest.validate = Some(reader.strictness(node)?);
    }
    if let Some(node) = root.get("sections") {
        for entry in &reader.mapping(node, "`sections`")?.entries {
            manifest.sections.push(reader.section(entry)?);
        }
    }
    if let Some(node) = root.get("key_prefix") {
        manifest.key_prefix = reader.key_prefix(node)?;
    }
    manifest.title = root.get("title").map(|node| reader.line(node, "`title`")).transpose()?;
    manifest.prompt_only = reader.boolean(root, "install_skills")? == Some(false);
    if let Some(node) = root.get("discovery") {
        let discovery = reader.discovery(reader.mapping(node, "`discovery`")?)?;
        let place = Some(reader.place(node.span));
        manifest.discovery = DiscoveryBlock { place, ..discovery };
    }
    if let Some(node) = root.get("isolation") {
        manifest.isolation = Some(reader.isolation(reader.mapping(node, "`isolation`")?)?);
    }
    match root.get("skills") {
        Some(node) => {
            manifest.names_skills = true;
            for item in reader.items(node, "`skills`")? {
                manifest.entries.extend(reader.entries(item)?);
            }
        }
        None => {
            let target = SourceLocation::Path(reader.resolve("."));
            let written = WrittenSource { text: ".".to_owned(), target, name: None };
            let kind = ManifestEntryKind::Source(Box::new(written));
            manifest.entries.push(plain_entry(kind, reader.place(document.root.span)));
        }
    }
    reader.check_children(&manifest.sections, &manifest.entries)?;
    Ok(manifest)
}

const fn plain_entry(kind: ManifestEntryKind, place: PositionRange) -> ManifestEntry {
    let enabled = Condition::Fixed(true);
    ManifestEntry { kind, enabled, section: None, mount_path: None, place }
}

impl ManifestReader<'_> {
    fn version(&self, root: &Mapping<'_>) -> Result<()> {
        match root.get("version") {
            None => Ok(()),
            Some(node) if node.value == Value::Number("1".into()) => Ok(()),
            Some(node) => Err(self.error(node.span, "this tool reads manifests of version 1")),
        }
    }

    fn level(&self, entry: &YamlEntry<'_>, levels: &mut Levels) -> Result<()> {
        let rule = rules::find(entry.key.scalar_text())
            .map_err(|error| self.located(entry.key.span, error))?;
        let level = entry.value.as_str().and_then(Level::parse).ok_or_else(|| {
            let words = Level::WORDS.join(", ");
            self.error(entry.value.span, format!("a level is one of {words}"))
        })?;
        levels.set(rule, level);
        Ok(())
    }

    fn size(&self, mapping: &Mapping<'_>, key: &str) -> Result<Option<u64>> {
        let Some(node) = mapping.get(key) else { return Ok(None) };
        let bytes = size::parse(&self.scalar(node, &format!("`{key}`"))?);
        let wrong = || self.error(node.span, format!("`{key}` is a size such as `10MiB`"));
        bytes.ok_or_else(wrong).map(Some)
    }

    fn discovery(&self, block: &Mapping<'_>) -> Result<DiscoveryBlock> {
        self.only_keys(block, &DISCOVERY_KEYS)?;
        Ok(DiscoveryBlock {
            sources: ProviderChoice {
                only: self.source_names(block, "sources")?,
                without: self.source_names(block, "no_sources")?,
                off: self.boolean(block, "enabled")? == Some(false),
            },
            directories: match block.get("directories") {
                Some(node) => self
                    .items(node, "`directories`")?
                    .iter()
                    .map(|item| self.source(item, "an entry of `directories`"))
                    .collect::<Result<_>>()?,
                None => Vec::new(),
            },
            ignore: self.globs(block, "ignore")?,
            include: self.globs(block, "include")?,
            place: None,
        })
    }

    fn source_names(&self, block: &Mapping<'_>, key: &str) -> Result<Vec<ProviderName>> {
        let Some(node) = block.get(key) else { return Ok(Vec::new()) };
        let name = |item: &Node<'_>| {
            ProviderName::parse(self.string(item, "a source")?)
                .map_err(|error| self.located(item.span, error))
        };
        self.items(node, &format!("`{key}`"))?.iter().map(name).collect()
    }

    fn isolation(&self, block: &Mapping<'_>) -> Result<Isolation> {
        self.only_keys(block, &ISOLATION_KEYS)?;
        Ok(Isolation {
            allowed_domains: self.strings(block, "allowed_domains")?,
            sandbox: self.sandbox(block)?,
            env: self.scalars(block, "env")?,
            include_host_env: self.boolean(block, "include_host_env")?.unwrap_or_default(),
            api_key_env: self.text(block, "api_key_env")?,
            places: self.places(block),
        })
    }

    /// The positions of the keys of an `isolation` block.
    fn places(&self, block: &Mapping<'_>) -> BTreeMap<String, PositionRange> {
        let place = |entry: &YamlEntry<'_>| self.place(entry.key.span);
        let keys = block.entries.iter().map(|one| (one.key.scalar_text().to_owned(), place(one)));
        let variables = block.get("env").and_then(Node::as_mapping);
        let variables = variables.into_iter().flat_map(|env| &env.entries);
        let variables = variables.map(|one| (format!("env.{}", one.key.scalar_text()), place(one)));
        keys.chain(variables).collect()
    }

    /// One item of `skills`; several sources in one item are entries of their own.
    fn entries(&self, item: &Node<'_>) -> Result<Vec<ManifestEntry>> {
        let place = self.place(item.span);
        if item.as_str().is_some() {
            let kind = ManifestEntryKind::Source(Box::new(self.written(item, None)?));
            return Ok(vec![plain_entry(kind, place)]);
        }
        let Some(entry) = item.as_mapping() else {
            let found = item.value.type_name();
            let message =
                format!("an entry of `skills` must be a path or a mapping, this is {found}");
            return Err(self.error(item.span, message));
        };
        self.only_keys(entry, &ENTRY_KEYS)?;
        let kinds = match (entry.get("source"), entry.get("inline")) {
            (Some(source), None) => self.sources(source, entry, place)?,
            (None, Some(inline)) => {
                if let Some(node) = entry.entry("name") {
                    let message = "the name of an inline skill belongs inside `inline`";
                    return Err(self.error(node.key.span, message));
                }
                vec![(ManifestEntryKind::Inline(Box::new(self.inline(inline)?)), place)]
            }
            (None, None) => {
                return Err(self.error(item.span, "this entry has no `source` and no `inline`"));
            }
            (Some(_), Some(inline)) => {
                return Err(self.error(inline.span, "an entry has a `source` or an `inline`"));
            }
        };
        let section = entry.get("section").map(|node| self.line(node, "`section`")).transpose()?;
        let (enabled, mount_path) = (self.enabled(entry)?, self.mount_path(entry)?);
        let entry = |(kind, place)| ManifestEntry {
            kind,
            enabled: enabled.clone(),
            section: section.clone(),
            mount_path: mount_path.clone(),
            place,
        };
        Ok(kinds.into_iter().map(entry).collect())
    }

    /// The source of an entry, or each of its sources.
    fn sources(
        &self,
        source: &Node<'_>,
        entry: &Mapping<'_>,
        place: PositionRange,
    ) -> Result<Vec<(ManifestEntryKind, PositionRange)>> {
        let name = entry.get("name").map(|node| self.name(node)).transpose()?;
        let kind = |written| ManifestEntryKind::Source(Box::new(written));
        let Value::Sequence(items) = &source.value else {
            return Ok(vec![(kind(self.written(source, name)?), place)]);
        };
        if items.is_empty() {
            return Err(self.error(source.span, "`source` must not be an empty list"));
        }
        if let Some(node) = entry.entry("name") {
            let message = "`name` is for one skill, and this entry has several sources";
            return Err(self.error(node.key.span, message));
        }
        let one = |item| Ok((kind(self.written(item, None)?), self.place(item.span)));
        items.iter().map(one).collect()
    }

    fn written(&self, node: &Node<'_>, name: Option<SkillName>) -> Result<WrittenSource> {
        let path = self.source(node, "`source`")?;
        let text = self.string(node, "`source`")?.to_owned();
        let remote = RequestedSource::remote(&text, &path);
        let target = match remote.map_err(|error| self.located(node.span, error))? {
            Some(RequestedSource::Git(location, _)) => SourceLocation::Git(location),
            Some(RequestedSource::Network(source)) => SourceLocation::Network(source.address),
            _ => SourceLocation::Path(path),
        };
        Ok(WrittenSource { text, target, name })
    }

    fn source(&self, node: &Node<'_>, what: &str) -> Result<PathBuf> {
        let text = self.string(node, what)?;
        if text.trim().is_empty() {
            return Err(self.error(node.span, "a source must not be empty"));
        }
        Ok(self.resolve(text))
    }

    pub fn name(&self, node: &Node<'_>) -> Result<SkillName> {
        SkillName::new(self.string(node, "`name`")?)
            .map_err(|error| self.error(node.span, error.to_string()))
    }

    fn mount_path(&self, entry: &Mapping<'_>) -> Result<Option<String>> {
        let path = self.text(entry, "mount_path")?;
        match (&path, entry.get("mount_path")) {
            (Some(text), Some(node)) if !markdown::is_inner_path(text) => {
                let message = "`mount_path` must be a relative path without `..`";
                Err(self.error(node.span, message))
            }
            _ => Ok(path),
        }
    }

    fn key_prefix(&self, node: &Node<'_>) -> Result<KeyPrefix> {
        let prefix = KeyPrefix::new(self.string(node, "`key_prefix`")?);
        prefix.ok_or_else(|| {
            let message = "`key_prefix` must be 1 to 64 letters and digits, with `.`, `-` or `_` \
                           between them";
            self.error(node.span, message)
        })
    }

    fn strictness(&self, node: &Node<'_>) -> Result<Strictness> {
        // YAML reads a plain `off` as a string; `false` is a boolean.
        Strictness::parse(node.scalar_text())
            .ok_or_else(|| self.error(node.span, "`validate` is `strict`, `usable` or `off`"))
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
        let ManifestEntryKind::Source(first) = &manifest.entries[0].kind else { panic!() };
        let SourceLocation::Path(path) = &first.target else { panic!() };
        assert_eq!(path, Path::new("dir/./x"));
        let ManifestEntryKind::Source(second) = &manifest.entries[1].kind else { panic!() };
        let Some(name) = &second.name else { panic!() };
        assert_eq!(name.as_str(), "z");
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
        for (text, expected) in [
            ("rules: {broken-link: loud}\n", "skills.yaml:1:22: a level"),
            ("version: 2\n", "skills.yaml:1:10: this tool reads"),
            ("a: b: c\n", "skills.yaml:1:5: an unquoted value"),
            ("skills: [{name: x}]\n", "skills.yaml:1:10: this entry has no `source` and no"),
            ("- x\n", "skills.yaml:1:1: a manifest must be a mapping, this is a list"),
            ("params: {a: [b]}\n", "skills.yaml:1:13: a value of `params` must be a string"),
            ("sections: {a: hidden}\n", "skills.yaml:1:15: a visibility is full or summary"),
            ("skills: [{source: x, enabled: 3}]\n", "skills.yaml:1:31: `enabled` must be"),
            ("skills: [{source: x, enabled: {}}]\n", "skills.yaml:1:31: a condition has one of"),
            ("skills: [{source: x, mount_path: ../y}]\n", "skills.yaml:1:34: `mount_path` must"),
            ("skills: [{source: x, mount_path: /y}]\n", "skills.yaml:1:34: `mount_path` must"),
            ("skills: [{inline: {name: A}}]\n", "skills.yaml:1:26: a name consists of"),
            (
                "skills: [{inline: {name: a}}]\n",
                "skills.yaml:1:19: this inline skill has no `title`",
            ),
            ("skills: [{source: x, inline: {}}]\n", "skills.yaml:1:30: an entry has a"),
            ("limits: {max_skill_size: big}\n", "skills.yaml:1:26: `max_skill_size` is a size"),
            ("isolation: {sandbox: maybe}\n", "skills.yaml:1:22: `sandbox` must be a boolean or"),
            ("allow: [a]\nallow: [b]\n", "skills.yaml:2:1: `allow` appears twice"),
        ] {
            assert!(message(text).starts_with(expected), "{text}: {}", message(text));
        }
    }
}
