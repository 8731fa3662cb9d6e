//! Inline skills: from YAML to an [`Inline`].

use std::collections::HashSet;

use crate::skills::find::manifest::reader::ManifestReader;
use crate::skills::find::manifest::{Inline, TextPlace};
use crate::skills::model::error::{Error, Result};
use crate::skills::model::inline::{Tool, Visibility};
use crate::skills::text::field_values::FieldValue;
use crate::skills::text::quote::unprintable;
use crate::skills::text::yaml::{Mapping, Node, Value};

pub const INLINE_KEYS: [&str; 10] = [
    "name",
    "title",
    "description",
    "template",
    "params",
    "key",
    "tools",
    "children",
    "summary",
    "visibility",
];

pub const TOOL_KEYS: [&str; 3] = ["name", "description", "parameters"];

impl ManifestReader<'_> {
    pub fn inline(&self, node: &Node<'_>) -> Result<Inline> {
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
            tools: self.tools(inline)?,
            children: self.children(inline)?,
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

    fn tools(&self, inline: &Mapping<'_>) -> Result<Vec<Tool>> {
        let Some(node) = inline.get("tools") else { return Ok(Vec::new()) };
        let help = |error: Error| error.help("write the names of tools: `tools: [lint_code]`");
        let mut tools: Vec<Tool> = Vec::new();
        let mut names = HashSet::new();
        for item in self.items(node, "`tools`").map_err(help)? {
            let tool = self.tool(item)?;
            if !names.insert(tool.name.clone()) {
                return Err(
                    self.error(item.span, format!("the tool `{}` appears twice", tool.name))
                );
            }
            tools.push(tool);
        }
        Ok(tools)
    }

    /// A tool: its name, or a mapping.
    fn tool(&self, node: &Node<'_>) -> Result<Tool> {
        let named = |node| self.line(node, "the name of a tool");
        let Some(tool) = node.as_mapping() else {
            if node.as_str().is_none() {
                let found = node.value.type_name();
                let message = format!("a tool must be a name or a mapping, this is {found}");
                let help =
                    "write `lint_code`, or `{name: lint_code, description: …, parameters: …}`";
                return Err(self.error(node.span, message).help(help));
            }
            return Ok(Tool { name: named(node)?, description: None, parameters: None });
        };
        self.only_keys(tool, &TOOL_KEYS)?;
        let Some(name) = tool.get("name") else {
            let error = self.error(node.span, "this tool has no `name`");
            return Err(error.help("write `{name: lint_code, description: …, parameters: …}`"));
        };
        let description = self.text(tool, "description")?;
        if let Some(node) = tool.get("description") {
            self.check_printable(node, "`description`")?;
        }
        let parameters = tool.get("parameters").map(|node| {
            let help = "write a JSON Schema: `{type: object, properties: {path: {type: string}}}`";
            self.mapping(node, "`parameters`").map_err(|error| error.help(help))?;
            self.check_json(node)?;
            Ok(FieldValue::of(node))
        });
        Ok(Tool { name: named(name)?, description, parameters: parameters.transpose()? })
    }

    /// Refuses what JSON would change, and text that people cannot see. The depth of YAML is limited.
    fn check_json(&self, node: &Node<'_>) -> Result<()> {
        match &node.value {
            Value::Null | Value::Bool(_) => Ok(()),
            Value::Number(written) => match serde_json::from_str::<serde_json::Number>(written) {
                Ok(number) if number.to_string() == **written => Ok(()),
                _ => {
                    let message = format!("`{written}` is not how JSON writes this number");
                    let help = "write a number such as `30` or `1.5`, or put it in quotes";
                    Err(self.error(node.span, message).help(help))
                }
            },
            Value::String(_) => self.check_printable(node, "a text in `parameters`"),
            Value::Sequence(items) => items.iter().try_for_each(|item| self.check_json(item)),
            Value::Mapping(mapping) => mapping.entries.iter().try_for_each(|entry| {
                let help = |error: Error| error.help("put it in quotes");
                self.string(&entry.key, "a key in `parameters`").map_err(help)?;
                self.check_json(&entry.key)?;
                self.check_json(&entry.value)
            }),
        }
    }

    fn check_printable(&self, node: &Node<'_>, what: &str) -> Result<()> {
        let is_hidden = |(_, one)| !matches!(one, '\n' | '\t');
        match unprintable(node.scalar_text()).any(is_hidden) {
            true => Err(self.error(node.span, format!("{what} has a control or hidden character"))),
            false => Ok(()),
        }
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
