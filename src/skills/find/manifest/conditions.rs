//! Conditions: when an entry or a section of a manifest counts.

use std::collections::BTreeMap;

use crate::skills::find::manifest::reader::ManifestReader;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::Result;
use crate::skills::text::position::PositionRange;
use crate::skills::text::yaml::{Mapping, Node, Value};

pub const CONDITION_KEYS: [&str; 6] = ["env", "param", "equals", "not", "any", "all"];

/// The keys of which a condition has exactly one.
const KINDS: [&str; 5] = ["env", "param", "not", "any", "all"];

/// When an entry or a section counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Written as a boolean.
    Fixed(bool),
    /// An environment variable has this value, or is not empty.
    Variable(String, Option<String>),
    /// A parameter has this value, or is on.
    Param(String, Option<String>, PositionRange),
    /// Another condition does not hold.
    Not(Box<Condition>),
    /// At least one of these holds.
    Any(Vec<Condition>),
    /// All of these hold.
    All(Vec<Condition>),
}

impl Default for Condition {
    fn default() -> Self {
        Self::Fixed(true)
    }
}

/// A parameter without a value, and the condition that asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingParam {
    pub name: String,
    /// The position of the condition.
    pub place: PositionRange,
}

/// The values of parameters, for one inline skill or for everything else.
#[derive(Debug, Clone, Copy)]
pub struct ParamValues<'a> {
    /// Values of the manifest and of the run.
    pub shared: &'a BTreeMap<String, String>,
    /// Values of the inline skill, which come second.
    pub own: Option<&'a BTreeMap<String, String>>,
}

impl<'a> ParamValues<'a> {
    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let value = self.shared.get(name).or_else(|| self.own?.get(name));
        value.map(String::as_str)
    }
}

impl Condition {
    pub fn holds(
        &self,
        params: ParamValues<'_>,
        environment: &Environment,
    ) -> std::result::Result<bool, MissingParam> {
        Ok(match self {
            Self::Fixed(value) => *value,
            Self::Variable(name, wanted) => {
                let value = environment.variable(name).unwrap_or_default().to_string_lossy();
                wanted.as_ref().map_or(!value.is_empty(), |wanted| value == *wanted)
            }
            Self::Param(name, wanted, place) => {
                let missing = || MissingParam { name: name.clone(), place: *place };
                let value = params.get(name).ok_or_else(missing)?;
                wanted.as_ref().map_or_else(|| is_on(value), |wanted| value == wanted)
            }
            Self::Not(inner) => !inner.holds(params, environment)?,
            Self::Any(several) => {
                for one in several {
                    if one.holds(params, environment)? {
                        return Ok(true);
                    }
                }
                false
            }
            Self::All(several) => {
                for one in several {
                    if !one.holds(params, environment)? {
                        return Ok(false);
                    }
                }
                true
            }
        })
    }
}

/// Whether the value of a parameter means yes.
fn is_on(value: &str) -> bool {
    !["", "false", "0", "no", "off"].iter().any(|word| value.trim().eq_ignore_ascii_case(word))
}

impl ManifestReader<'_> {
    /// The `enabled` key of a mapping; in a list, all conditions must hold.
    pub fn enabled(&self, mapping: &Mapping<'_>) -> Result<Condition> {
        match mapping.get("enabled") {
            None => Ok(Condition::default()),
            Some(Node { value: Value::Sequence(items), .. }) => items
                .iter()
                .map(|item| self.condition(item))
                .collect::<Result<_>>()
                .map(Condition::All),
            Some(node) => self.condition(node),
        }
    }

    fn condition(&self, node: &Node<'_>) -> Result<Condition> {
        if let Value::Bool(value) = node.value {
            return Ok(Condition::Fixed(value));
        }
        let Some(condition) = node.as_mapping() else {
            let found = node.value.type_name();
            let message = format!("`enabled` must be true, false or a condition, this is {found}");
            return Err(self.error(node.span, message));
        };
        self.only_keys(condition, &CONDITION_KEYS)?;
        let kinds: Vec<_> = condition
            .entries
            .iter()
            .filter(|entry| KINDS.contains(&entry.key.scalar_text()))
            .collect();
        let [kind] = kinds.as_slice() else {
            let message = "a condition has one of `env`, `param`, `not`, `any` and `all`";
            return Err(self.error(kinds.get(1).map_or(node.span, |again| again.key.span), message));
        };
        let key = kind.key.scalar_text();
        if let Some(equals) = condition.entry("equals").filter(|_| !matches!(key, "env" | "param"))
        {
            let message = format!("`equals` belongs to `env` or `param`, not to `{key}`");
            return Err(self.error(equals.key.span, message));
        }
        let equals = condition.get("equals");
        let equals = equals.map(|node| self.scalar(node, "`equals`")).transpose()?;
        let name = || Ok(self.text(condition, key)?.unwrap_or_default());
        Ok(match key {
            "env" => Condition::Variable(name()?, equals),
            "param" => Condition::Param(name()?, equals, self.place(node.span)),
            "not" => Condition::Not(Box::new(self.condition(&kind.value)?)),
            "any" => Condition::Any(self.several(&kind.value, key)?),
            _ => Condition::All(self.several(&kind.value, key)?),
        })
    }

    /// The conditions of `any` and `all`. An empty list is refused, because its meaning is unclear.
    fn several(&self, node: &Node<'_>, key: &str) -> Result<Vec<Condition>> {
        let items = self.items(node, &format!("`{key}`"))?;
        if items.is_empty() {
            return Err(self.error(node.span, format!("`{key}` needs at least one condition")));
        }
        items.iter().map(|item| self.condition(item)).collect()
    }
}
