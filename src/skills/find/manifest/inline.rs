//! Inline skills: from YAML to an [`Inline`].

use super::reader::ManifestReader;
use super::{Inline, TextPlace};
use crate::skills::model::error::Result;
use crate::skills::model::inline::Visibility;
use crate::skills::text::yaml::Node;

pub(super) const INLINE_KEYS: [&str; 9] =
    ["name", "title", "description", "template", "params", "key", "tools", "summary", "visibility"];

impl ManifestReader<'_> {
    pub(super) fn inline(&self, node: &Node<'_>) -> Result<Inline> {
        let inline = self.mapping(node, "`inline`")?;
        self.only_keys(inline, &INLINE_KEYS)?;
        let required = |key: &str| {
            let missing = || self.error(node.span, format!("this inline skill has no `{key}`"));
            inline.get(key).ok_or_else(missing)
        };
        let name_node = required("name")?;
        let name = self.name(name_node)?;
        let text = |key: &str| -> Result<String> {
            required(key)?;
            Ok(self.text(inline, key)?.unwrap_or_default())
        };
        Ok(Inline {
            title: self.line(required("title")?, "`title`")?,
            description: text("description")?,
            template: text("template")?,
            summary: self.text(inline, "summary")?,
            params: self.scalars(inline, "params")?,
            key: match inline.get("key") {
                Some(node) => self.line(node, "`key`")?,
                None => name.as_str().to_owned(),
            },
            tools: match inline.get("tools") {
                Some(node) => self
                    .items(node, "`tools`")?
                    .iter()
                    .map(|item| self.line(item, "the name of a tool"))
                    .collect::<Result<_>>()?,
                None => Vec::new(),
            },
            visibility: match inline.get("visibility") {
                Some(node) => self.visibility(node)?,
                None => Visibility::Summary,
            },
            place: self.place(name_node.span),
            template_place: self.text_place(required("template")?),
            summary_place: self.text_place(inline.get("summary").unwrap_or(name_node)),
            name,
        })
    }

    fn text_place(&self, node: &Node<'_>) -> TextPlace {
        let place = self.place(node.span);
        let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let block = || {
            // The value of a block starts with the line after its header.
            let (before, after) = self.text.split_at_checked(node.span.start)?;
            let is_modifier = |one: char| matches!(one, '-' | '+' | '0'..='9');
            before.trim_end().trim_end_matches(is_modifier).strip_suffix('|')?;
            let start = before.rfind('\n')? + 1;
            let written = before[start..].len() + blanks(after);
            let inside = node.as_str()?.lines().find(|line| !line.trim().is_empty())?;
            Some((place.start.line, written.checked_sub(blanks(inside))?))
        };
        TextPlace { place, block: block() }
    }
}
