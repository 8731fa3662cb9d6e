//! The front matter of a skill, for scripts: common fields by name, and all of it unchanged.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::skills::text::field_values::{FieldValue, FieldValues};

/// The common fields, and all of the front matter.
#[derive(Serialize)]
pub(super) struct FieldsRow<'a> {
    version: Option<&'a str>,
    license: Option<&'a str>,
    compatibility: Option<&'a str>,
    allowed_tools: &'a [String],
    front_matter: Option<MappingValue<'a>>,
}

impl<'a> From<Option<&'a FieldValues>> for FieldsRow<'a> {
    fn from(fields: Option<&'a FieldValues>) -> Self {
        let text = |key| fields.and_then(|fields| fields.text(key));
        Self {
            version: fields.and_then(FieldValues::version),
            license: text("license"),
            compatibility: text("compatibility"),
            allowed_tools: fields.map(|fields| fields.tools.as_slice()).unwrap_or_default(),
            front_matter: fields.map(|fields| MappingValue(&fields.entries)),
        }
    }
}

/// Keys and values, in the order of the file.
struct MappingValue<'a>(&'a [(String, FieldValue)]);

impl Serialize for MappingValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_entry(key, &AnyValue(value))?;
        }
        map.end()
    }
}

/// A value as the file has it.
pub(super) struct AnyValue<'a>(pub(super) &'a FieldValue);

impl Serialize for AnyValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FieldValue::Null => serializer.serialize_unit(),
            FieldValue::Bool(value) => serializer.serialize_bool(*value),
            FieldValue::Number(text) => number(text, serializer),
            FieldValue::Text(text) => serializer.serialize_str(text),
            FieldValue::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&AnyValue(item))?;
                }
                list.end()
            }
            FieldValue::Mapping(entries) => MappingValue(entries).serialize(serializer),
        }
    }
}

/// A number, if it comes back as it was written. Others, such as the version `1.10`, stay text.
fn number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::from_str::<serde_json::Number>(text) {
        Ok(number) if number.to_string() == text => number.serialize(serializer),
        _ => serializer.serialize_str(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_would_change_stay_text() {
        let json = |text: &str| {
            serde_json::to_string(&AnyValue(&FieldValue::Number(text.to_owned()))).unwrap()
        };
        for (written, expected) in [
            ("1", "1"),
            ("-2.5", "-2.5"),
            ("1.10", "\"1.10\""),
            ("0x1F", "\"0x1F\""),
            (".inf", "\".inf\""),
            ("1e400", "\"1e400\""),
            ("99999999999999999999999", "\"99999999999999999999999\""),
        ] {
            assert_eq!(json(written), expected, "{written}");
        }
    }
}
