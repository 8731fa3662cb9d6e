//! Shared by all readers: types of plain values, and duplicate keys.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Duplicate, Mapping, MappingEntry, Node, Value};
use crate::skills::text::position::Span;

/// The YAML 1.2 core schema: only plain scalars can be anything but strings.
pub(super) fn plain_value(text: Cow<'_, str>) -> Value<'_> {
    match text.as_ref() {
        // Most texts begin with a letter that no other type begins with.
        word if word.starts_with(is_plain_start) => Value::String(text),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other if is_number(other) => Value::Number(text),
        _ => Value::String(text),
    }
}

const fn is_plain_start(first: char) -> bool {
    first.is_ascii_alphabetic() && !matches!(first, 'n' | 'N' | 't' | 'T' | 'f' | 'F')
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

/// Replaces `<<: {…}` by its entries, except for existing keys.
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

/// Adds every repeated key of `mapping`.
pub(super) fn collect_duplicates(mapping: &Mapping<'_>, duplicates: &mut Vec<Duplicate>) {
    // For small mappings, comparing pairs is faster than hashing.
    const SMALL: usize = 16;
    let entries = &mapping.entries;
    let mut report = |first: Span, key: &Node<'_>| {
        let name = key.scalar_text().to_owned();
        duplicates.push(Duplicate { key: name, first, again: key.span });
    };
    if entries.len() <= SMALL {
        for (index, entry) in entries.iter().enumerate() {
            if entry.key.is_collection() {
                continue;
            }
            let same =
                |other: &&MappingEntry<'_>| other.key.scalar_text() == entry.key.scalar_text();
            let mut others = entries[..index].iter().filter(|other| !other.key.is_collection());
            if let Some(first) = others.find(same) {
                report(first.key.span, &entry.key);
            }
        }
        return;
    }
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for entry in entries.iter().filter(|entry| !entry.key.is_collection()) {
        let first = *seen.entry(entry.key.scalar_text()).or_insert(entry.key.span);
        if first != entry.key.span {
            report(first, &entry.key);
        }
    }
}

/// Adds the first repeated key of `mapping` that is a collection.
pub(super) fn collect_duplicate_collections(
    mapping: &Mapping<'_>,
    duplicates: &mut Vec<Duplicate>,
) {
    // Every pair is compared, so the number is limited.
    const MOST_COMPARED: usize = 100;
    let keys = || mapping.entries.iter().take(MOST_COMPARED).map(|entry| &entry.key);
    let again = keys().enumerate().find_map(|(index, key)| {
        let first = keys().take(index).find(|first| first.is_collection() && first.means(key))?;
        Some(Duplicate { key: "[…]".to_owned(), first: first.span, again: key.span })
    });
    duplicates.extend(again);
}
