//! The JSON Schema of `skills.yaml`, so that editors complete it, and a first manifest to start
//! from.

use serde_json::{Value, json};

use crate::skills::judge::rule::Rule;
use crate::skills::judge::rules::{Level, RULES};
use crate::skills::model::inline::Visibility;
use crate::skills::text::document::{DESCRIPTION_CHARS, NAME_CHARS};

/// A manifest with everything in it, most of it commented out.
pub const EXAMPLE: &str = "\
# `skills validate`, `list`, `render`, `install` and `mount` use this file if no source is given.
version: 1

# Values for `enabled:` and for templates of inline skills; `--param NAME=VALUE` overrides them.
# params: { language: python }

# Globs on skill names. Deny wins; without allow, all names pass.
# allow: [\"*\"]
# deny: [\"*-deprecated\"]

# Levels of rules: off, note, warning or error. `skills rules` lists them.
# rules: { unknown-field: warning }

# Maximum size of one skill, and of all installed skills together.
# limits: { max_skill_size: 10MiB, max_total_size: 50MiB }

# What refuses an installation: `strict` (every error), `usable` (the default) or `off`.
# validate: usable

skills:
  # A skill, or a directory to search for skills, relative to this file.
  - .
  # - gh:team/skills/review@v2         # a git repository; `skills lock` pins its commit
  # - source: [./org-skills, ./team-skills]
  #   mount_path: skills               # both appear below skills/ in a prompt
  # - source: ./internal/review-v2
  #   name: code-review                # install it under this name
  #   enabled: { env: ENABLE_REVIEW, equals: \"1\" }
  #   section: reviews
  # - inline:                          # a skill written here
  #     name: python-review
  #     title: Python Review
  #     description: Python-specific review guidance. Use when reviewing Python code.
  #     template: |
  #       # Reviewing $language
  #     params: { language: python }   # defaults of its own
  #     tools:                         # a skill with tools stays in the prompt
  #       - lint_code
  #       - { name: run_tests, description: Runs the tests., parameters: { type: object } }
  #   enabled: { not: { any: [{ env: CI }, { param: language, equals: rust }] } }

# Skills of a `summary` section wait in the prompt until `--expand KEY`.
# sections: { reviews: { visibility: summary, title: Reviews, description: How we review. } }

# The heading above the skills and sections of a prompt.
# title: Skills

# Before the keys of a prompt: `skills` in `skills.reviews`.
# key_prefix: skills

# Whether skills are installed. With false, all of them stay in the prompt.
# install_skills: true

# Where `skills list` searches for skills.
# discovery: { sources: [claude, agents:project], directories: [~/team-skills] }
";

/// The fixed part of the schema.
const FRAME: &str = include_str!("schema.json");

pub fn schema() -> Value {
    let mut schema: Value = serde_json::from_str(FRAME).unwrap_or_default();
    let rule = |rule: &&Rule| {
        (rule.id.to_owned(), json!({ "$ref": "#/$defs/level", "description": rule.summary }))
    };
    let rules: serde_json::Map<String, Value> = RULES.iter().map(rule).collect();
    for (place, value) in [
        ("/properties/rules/properties", Value::Object(rules)),
        ("/$defs/level/enum", json!(Level::WORDS)),
        ("/$defs/visibility/enum", json!(Visibility::WORDS)),
        ("/$defs/name/maxLength", json!(NAME_CHARS)),
        ("/$defs/inline/properties/description/maxLength", json!(DESCRIPTION_CHARS)),
        ("/$defs/section/oneOf/1/properties/description/maxLength", json!(DESCRIPTION_CHARS)),
    ] {
        if let Some(frame) = schema.pointer_mut(place) {
            *frame = value;
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::find::manifest::conditions::CONDITION_KEYS;
    use crate::skills::find::manifest::inline::{INLINE_KEYS, TOOL_KEYS};
    use crate::skills::find::manifest::parse::{
        DISCOVERY_KEYS, ENTRY_KEYS, ISOLATION_KEYS, KEYS, LIMIT_KEYS,
    };
    use crate::skills::find::manifest::sandbox::SANDBOX_KEYS;
    use crate::skills::find::manifest::sections::SECTION_KEYS;

    #[test]
    fn the_schema_knows_every_key_that_the_reader_knows() {
        let schema = schema();
        for (place, keys) in [
            ("", &KEYS[..]),
            ("/$defs/entry/oneOf/1", &ENTRY_KEYS),
            ("/$defs/inline", &INLINE_KEYS),
            ("/$defs/condition/oneOf/1", &CONDITION_KEYS),
            ("/$defs/discovery", &DISCOVERY_KEYS),
            ("/$defs/isolation", &ISOLATION_KEYS),
            ("/$defs/limits", &LIMIT_KEYS),
            ("/$defs/sandbox/oneOf/1", &SANDBOX_KEYS),
            ("/$defs/section/oneOf/1", &SECTION_KEYS),
            ("/$defs/tool/oneOf/1", &TOOL_KEYS),
        ] {
            let properties = schema.pointer(&format!("{place}/properties")).unwrap();
            let mut known: Vec<&str> =
                properties.as_object().unwrap().keys().map(String::as_str).collect();
            let mut keys = keys.to_vec();
            known.sort_unstable();
            keys.sort_unstable();
            assert_eq!(known, keys, "{place}");
        }
    }
}
