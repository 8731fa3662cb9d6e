//! What holds for every reader: types of plain values, and keys that appear twice.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Duplicate, Mapping, MappingEntry, Node, Value};
use crate::skills::text::position::Span;

/// The YAML 1.2 core schema: only plain scalars can be anything but strings.
pub(super) fn plain_value(text: Cow<'_, str>) -> Value<'_> {
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other if is_number(other) => Value::Number(text),
        _ => Value::String(text),
    }
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    // Rust also reads `inf`, `nan` and `infinity`, which are words here.
    unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.bytes().any(|byte| byte.is_ascii_digit())
        && unsigned.parse::<f64>().is_ok()
}

/// Replaces `<<: {…}` by the entries it names, but for keys that are there already.
pub(super) fn merge(mapping: &mut Mapping<'_>) {
    let is_merge = |entry: &MappingEntry<'_>| entry.key.as_str() == Some("<<");
    let Some(at) = mapping.entries.iter().position(is_merge) else { return };
    let Value::Mapping(merged) = mapping.entries.remove(at).value.value else { return };
    for entry in merged.entries {
        let same = |other: &MappingEntry<'_>| other.key.scalar_text() == entry.key.scalar_text();
        if !mapping.entries.iter().any(same) {
            mapping.entries.push(entry);
        }
    }
}

/// Adds every key of `mapping` that stood there before.
pub(super) fn collect_duplicates(mapping: &Mapping<'_>, duplicates: &mut Vec<Duplicate>) {
    // Mappings are small: comparing pairs beats hashing until they are not.
    const SMALL: usize = 16;
    let entries = &mapping.entries;
    let mut report = |first: Span, key: &Node<'_>| {
        let name = key.scalar_text().to_owned();
        duplicates.push(Duplicate { key: name, first, again: key.span });
    };
    if entries.len() <= SMALL {
        for (index, entry) in entries.iter().enumerate() {
            let same =
                |other: &&MappingEntry<'_>| other.key.scalar_text() == entry.key.scalar_text();
            if let Some(first) = entries[..index].iter().find(same) {
                report(first.key.span, &entry.key);
            }
        }
        return;
    }
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for entry in entries {
        let first = *seen.entry(entry.key.scalar_text()).or_insert(entry.key.span);
        if first != entry.key.span {
            report(first, &entry.key);
        }
    }
}
