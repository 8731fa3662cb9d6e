//! The JSON Schema of `skills.yaml`, so that editors complete it, and a first manifest to start
//! from.

use serde_json::{Value, json};

use crate::skills::inline::Visibility;
use crate::skills::limits::{DESCRIPTION_CHARS, NAME_CHARS};
use crate::skills::rules::{Level, RULES};

/// A manifest with everything in it, most of it commented out.
pub const EXAMPLE: &str = "\
# What `skills validate`, `list`, `render`, `install` and `mount` work on when no source is named.
version: 1

# Values for `enabled:` and for the templates of inline skills; `--param NAME=VALUE` wins.
# params: { language: python }

# Globs on names of skills. Deny wins; no allow means all.
# allow: [\"*\"]
# deny: [\"*-deprecated\"]

# Levels of rules: off, note, warning or error. `skills rules` lists them.
# rules: { unknown-field: warning }

# How large skills may be: each of them, and all that are installed together.
# limits: { max_skill_size: 10MiB, max_total_size: 50MiB }

skills:
  # A skill, or a directory that is searched for skills; relative to this file.
  - .
  # - gh:team/skills/review@v2         # a git repository; `skills lock` pins its commit
  # - source: ./internal/review-v2
  #   name: code-review                # installed under this name
  #   enabled: { env: ENABLE_REVIEW, equals: \"1\" }
  #   section: reviews
  #   mount_path: skills
  # - inline:                          # a skill that is written here
  #     name: python-review
  #     title: Python Review
  #     description: Python-specific review guidance. Use when reviewing Python code.
  #     template: |
  #       # Reviewing $language
  #     tools: [lint_code]             # with tools, it stays in the prompt
  #   enabled: { param: language, equals: python }

# Skills of a `summary` section wait for `--expand KEY`.
# sections: { reviews: summary }

# Where `skills list` looks when skills are discovered.
# discovery: { sources: [claude, agents:project], directories: [~/team-skills] }
";

/// The schema.
#[must_use]
pub fn schema() -> Value {
    let rules: serde_json::Map<String, Value> = RULES
        .iter()
        .map(|rule| {
            (rule.id.to_owned(), json!({ "$ref": "#/$defs/level", "description": rule.summary }))
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skills.yaml",
        "description": "Which skills a project uses, and how.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "version": { "const": 1, "description": "The version of this format." },
            "params": {
                "description": "Values for `enabled` and for templates; `--param` wins.",
                "$ref": "#/$defs/scalars"
            },
            "allow": {
                "description": "Globs of names that are wanted; none means all.",
                "$ref": "#/$defs/strings"
            },
            "deny": {
                "description": "Globs of names that are not wanted; wins over `allow`.",
                "$ref": "#/$defs/strings"
            },
            "rules": {
                "description": "Levels of rules.",
                "type": "object",
                "additionalProperties": false,
                "properties": rules
            },
            "limits": { "$ref": "#/$defs/limits" },
            "skills": {
                "description": "The skills. Without this key, whatever the directory holds.",
                "type": "array",
                "items": { "$ref": "#/$defs/entry" }
            },
            "sections": {
                "description": "Sections; skills of a `summary` one wait for `--expand KEY`.",
                "type": "object",
                "additionalProperties": { "$ref": "#/$defs/visibility" }
            },
            "discovery": { "$ref": "#/$defs/discovery" },
            "isolation": { "$ref": "#/$defs/isolation" }
        },
        "$defs": {
            "strings": { "type": "array", "items": { "type": "string" } },
            "scalars": {
                "type": "object",
                "additionalProperties": { "type": ["string", "number", "boolean"] }
            },
            "level": { "enum": Level::WORDS },
            "visibility": { "enum": Visibility::WORDS },
            "name": {
                "type": "string",
                "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                "maxLength": NAME_CHARS
            },
            "entry": {
                "oneOf": [
                    { "type": "string", "description": "A source: short for {source: …}." },
                    {
                        "type": "object",
                        "additionalProperties": false,
                        "oneOf": [{ "required": ["source"] }, { "required": ["inline"] }],
                        "properties": {
                            "source": {
                                "type": "string",
                                "description": "A skill, a directory of skills, an archive, or a place in a git repository (gh:OWNER/REPO/PATH@REVISION, git+https://…); paths are relative to the manifest."
                            },
                            "inline": { "$ref": "#/$defs/inline" },
                            "name": {
                                "description": "The name it is installed under.",
                                "$ref": "#/$defs/name"
                            },
                            "enabled": {
                                "description": "Whether it counts; of a list, all must hold.",
                                "oneOf": [
                                    { "$ref": "#/$defs/condition" },
                                    { "type": "array", "items": { "$ref": "#/$defs/condition" } }
                                ]
                            },
                            "section": {
                                "type": "string",
                                "minLength": 1,
                                "description": "The section it belongs to."
                            },
                            "mount_path": {
                                "type": "string",
                                "minLength": 1,
                                "description": "Where a rendered catalogue says it is; relative."
                            }
                        }
                    }
                ]
            },
            "condition": {
                "oneOf": [
                    { "type": "boolean" },
                    {
                        "type": "object",
                        "additionalProperties": false,
                        "oneOf": [{ "required": ["env"] }, { "required": ["param"] }],
                        "properties": {
                            "env": {
                                "type": "string",
                                "minLength": 1,
                                "description": "A variable of the environment."
                            },
                            "param": {
                                "type": "string",
                                "minLength": 1,
                                "description": "A parameter."
                            },
                            "equals": {
                                "type": ["string", "number", "boolean"],
                                "description": "The value it must have; without it, any but nothing."
                            }
                        }
                    }
                ]
            },
            "inline": {
                "description": "A skill that is written here.",
                "type": "object",
                "additionalProperties": false,
                "required": ["name", "title", "description", "template"],
                "properties": {
                    "name": { "$ref": "#/$defs/name" },
                    "title": { "type": "string", "minLength": 1, "description": "Its heading in a prompt." },
                    "description": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": DESCRIPTION_CHARS,
                        "description": "What it does and when to use it."
                    },
                    "template": {
                        "type": "string",
                        "minLength": 1,
                        "description": "Its text; $name and ${name} stand for parameters, $$ for a dollar sign."
                    },
                    "key": {
                        "type": "string",
                        "minLength": 1,
                        "description": "What `--expand` calls it; its name unless given."
                    },
                    "tools": {
                        "description": "Names of tools; a skill with tools stays in the prompt.",
                        "$ref": "#/$defs/strings"
                    },
                    "summary": {
                        "type": "string",
                        "minLength": 1,
                        "description": "What stands in the prompt until it is expanded."
                    },
                    "visibility": { "$ref": "#/$defs/visibility" }
                }
            },
            "discovery": {
                "description": "Where `skills list` looks when skills are discovered.",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "enabled": { "type": "boolean" },
                    "sources": { "description": "Only these: claude, agents:project, …", "$ref": "#/$defs/strings" },
                    "no_sources": { "description": "None of these.", "$ref": "#/$defs/strings" },
                    "directories": { "description": "More directories.", "$ref": "#/$defs/strings" },
                    "ignore": { "description": "Globs of names to leave out.", "$ref": "#/$defs/strings" },
                    "include": { "description": "Globs of names to keep.", "$ref": "#/$defs/strings" }
                }
            },
            "limits": {
                "description": "How large skills may be.",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "max_skill_size": { "$ref": "#/$defs/size" },
                    "max_total_size": { "$ref": "#/$defs/size" }
                }
            },
            "size": {
                "description": "Bytes, or a number with a unit: 10MiB.",
                "type": ["string", "integer"],
                "pattern": "^ *[0-9]+ *([KkMmGg]([Ii]?[Bb])?|[Bb])? *$"
            },
            "isolation": {
                "description": "How a mounted agent is kept apart from the rest of the machine.",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "allowed_domains": { "$ref": "#/$defs/strings" },
                    "sandbox": { "type": "boolean" },
                    "env": { "$ref": "#/$defs/scalars" },
                    "include_host_env": { "type": "boolean" },
                    "api_key_env": { "type": "string", "minLength": 1 }
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse::{
        CONDITION_KEYS, DISCOVERY_KEYS, ENTRY_KEYS, INLINE_KEYS, ISOLATION_KEYS, KEYS, LIMIT_KEYS,
    };
    use super::*;

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
