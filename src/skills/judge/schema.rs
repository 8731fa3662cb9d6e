//! The JSON Schema of the front matter of a `SKILL.md`, so that editors complete and check it.

use serde_json::{Map, Value, json};

use crate::skills::text::document::{
    COMPATIBILITY_CHARS, DESCRIPTION_CHARS, EXTENSION_FIELDS, NAME_CHARS,
};

/// The schema. It refuses what `skills validate` reports as an error about a field by itself.
pub fn schema() -> Value {
    let mut properties = standard();
    for field in EXTENSION_FIELDS {
        let description = "Not in the specification, but some agents use it.";
        properties.insert(field.to_owned(), json!({ "description": description }));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "SKILL.md",
        "description": "The front matter of an Agent Skill, between the two `---` lines.",
        "type": "object",
        "required": ["name", "description"],
        "properties": properties,
    })
}

/// The fields of the specification.
fn standard() -> Map<String, Value> {
    let fields = json!({
        "name": {
            "description": "The name of the skill: a-z, 0-9 and single hyphens, as its directory.",
            "type": "string",
            "minLength": 1,
            "maxLength": NAME_CHARS,
            "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
        },
        "description": {
            "description": "What the skill does, and when to use it.",
            "type": "string",
            "minLength": 1,
            "maxLength": DESCRIPTION_CHARS,
            "pattern": "\\S",
        },
        "license": {
            "description": "A license, or the name of the file with its text.",
            "type": "string",
        },
        "compatibility": {
            "description": "What the skill needs: programs, network access, an agent.",
            "type": "string",
            "minLength": 1,
            "maxLength": COMPATIBILITY_CHARS,
        },
        "metadata": {
            "description": "Anything else, as keys and strings.",
            "type": ["object", "null"],
        },
        "allowed-tools": {
            "description": "Tools that need no confirmation, separated by blanks.",
            "type": ["string", "array"],
        },
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::text::document::STANDARD_FIELDS;

    #[test]
    fn the_schema_has_every_field_that_the_reader_knows() {
        let schema = schema();
        let properties = schema["properties"].as_object().unwrap();
        let known = STANDARD_FIELDS.iter().chain(&EXTENSION_FIELDS);
        assert_eq!(known.clone().count(), properties.len());
        for field in known {
            assert!(properties.contains_key(*field), "{field}");
        }
    }
}
