//! How agents that do not insist on YAML read front matter: line by line.

/// The value of the first top-level `key: value` line, without surrounding quotes.
pub fn field<'a>(yaml: &'a str, key: &str) -> Option<&'a str> {
    let value = yaml
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value.trim())?;
    let unquoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value);
    Some(unquoted).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn takes_everything_after_the_first_colon() {
        let yaml = "name: pdf\ndescription: Use when: x\nempty:\nquoted: \"a b\"\n";
        assert_eq!(field(yaml, "description"), Some("Use when: x"));
        assert_eq!(field(yaml, "quoted"), Some("a b"));
        assert_eq!(field(yaml, "empty"), None);
        assert_eq!(field(yaml, "absent"), None);
    }
}
