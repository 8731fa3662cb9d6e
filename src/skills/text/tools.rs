//! The `allowed-tools` field: names of tools, some with arguments in parentheses.

use crate::skills::text::yaml::{Node, Value};

/// The tools of a string with spaces or commas, or of a list.
pub fn parse(node: &Node<'_>) -> Vec<String> {
    match &node.value {
        Value::Sequence(items) => items
            .iter()
            .map(|item| item.scalar_text().trim().to_owned())
            .filter(|tool| !tool.is_empty())
            .collect(),
        Value::String(text) => split(text),
        _ => Vec::new(),
    }
}

/// Whether a comma outside parentheses separates tools.
pub fn has_separating_comma(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
}

/// The tools of a string, separated by spaces or commas outside parentheses.
pub fn split(text: &str) -> Vec<String> {
    let mut tools = Vec::new();
    let mut current = String::new();
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (character == ',' || character.is_whitespace()) {
            tools.extend((!current.is_empty()).then(|| std::mem::take(&mut current)));
        } else {
            current.push(character);
        }
    }
    tools.extend((!current.is_empty()).then_some(current));
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_keep_their_contents() {
        assert_eq!(split("Read, Bash(git add:*, x)  Grep"), ["Read", "Bash(git add:*, x)", "Grep"]);
        assert!(has_separating_comma("Read, Grep"));
        assert!(!has_separating_comma("Bash(a, b) Read"));
    }
}
