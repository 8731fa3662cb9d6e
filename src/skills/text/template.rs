//! Templates of inline skills: `$name`, `${name}` and `$$`, exactly as Python's `string.Template`
//! reads them, and the removal of common indentation, as `textwrap.dedent` does it.

use crate::skills::text::document::SKILL_MD_BYTES;

/// Why a template cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A `$` that starts no placeholder.
    #[error("invalid placeholder in string: line {line}, col {column}")]
    Invalid {
        /// Counted from one.
        line: usize,
        /// The place of the `$`, in characters from 1.
        column: usize,
    },
    /// A placeholder without a value.
    #[error("no value for the parameter `{0}`")]
    Missing(String),
    /// More text than a `SKILL.md` may have.
    #[error("the text becomes longer than {SKILL_MD_BYTES} bytes")]
    TooLong,
}

/// Fills in the placeholders.
pub fn substitute<'v>(
    template: &str,
    value_of: impl Fn(&str) -> Option<&'v str>,
) -> Result<String, TemplateError> {
    let mut result = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(behind) = after.strip_prefix('$') {
            result.push('$');
            rest = behind;
            continue;
        }
        let (name, behind) = placeholder(after).ok_or_else(|| {
            let position = template.len() - after.len();
            invalid(&template[..position])
        })?;
        let value = value_of(name).ok_or_else(|| TemplateError::Missing(name.to_owned()))?;
        result.push_str(value);
        if result.len() as u64 > SKILL_MD_BYTES {
            return Err(TemplateError::TooLong);
        }
        rest = behind;
    }
    result.push_str(rest);
    Ok(result)
}

/// The name of a placeholder, and the rest of the text.
fn placeholder(after: &str) -> Option<(&str, &str)> {
    let (braced, text) = match after.strip_prefix('{') {
        Some(inner) => (true, inner),
        None => (false, after),
    };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.bytes().take_while(is_word).count();
    let name = text.get(..length).filter(|name| !name.is_empty())?;
    if name.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    let behind = &text[length..];
    Some((name, if braced { behind.strip_prefix('}')? } else { behind }))
}

/// The place of the `$` at the end of `before`, which ends behind it.
fn invalid(before: &str) -> TemplateError {
    let is_break = |character: char| {
        matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}')
            || matches!(character, '\u{2028}' | '\u{2029}')
    };
    // A carriage return and a newline are one break.
    let text = before.replace("\r\n", "\n");
    let line_start = text
        .rfind(is_break)
        .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    TemplateError::Invalid {
        line: 1 + text.chars().filter(|character| is_break(*character)).count(),
        column: text[line_start..].chars().count(),
    }
}

/// Removes the blanks that all lines start with; lines of blanks become empty.
pub fn dedent(text: &str) -> String {
    let is_blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
    let margin = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let lines: Vec<&str> = text.split('\n').collect();
    let mut common: Option<&str> = None;
    for line in lines.iter().copied().filter(|line| !is_blank(line)) {
        let own = &line[..margin(line)];
        common = Some(match common {
            None => own,
            Some(before) => shared(before, own),
        });
    }
    let width = common.unwrap_or_default().len();
    let cut = lines.into_iter().map(|line| if is_blank(line) { "" } else { &line[width..] });
    cut.collect::<Vec<_>>().join("\n")
}

/// The common start of two margins. Tabs and spaces differ.
fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    &one[..same]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str) -> Result<String, TemplateError> {
        let values = [("x", "1"), ("Long_name2", "two"), ("_", "u")];
        substitute(template, |name| Some(values.iter().find(|(one, _)| *one == name)?.1))
    }

    #[test]
    fn placeholders_are_those_of_python() {
        assert_eq!(fill("a $x b"), Ok("a 1 b".to_owned()));
        assert_eq!(fill("${x}y $xé $_"), Ok("1y 1é u".to_owned()));
        assert_eq!(fill("$Long_name2-${Long_name2}"), Ok("two-two".to_owned()));
        assert_eq!(fill("$$x $$$x $${x}"), Ok("$x $1 ${x}".to_owned()));
        assert_eq!(fill("$y"), Err(TemplateError::Missing("y".to_owned())));
        assert_eq!(fill("${y}"), Err(TemplateError::Missing("y".to_owned())));
        let long = "y".repeat(100_000);
        assert_eq!(substitute(&"$x".repeat(100), |_| Some(&long)), Err(TemplateError::TooLong));
        assert_eq!(fill("no placeholders {x}"), Ok("no placeholders {x}".to_owned()));
    }

    #[test]
    fn invalid_utf8_has_the_place_that_python_reports() {
        let at = |line, column| Err(TemplateError::Invalid { line, column });
        assert_eq!(fill("$"), at(1, 1));
        assert_eq!(fill("costs 5 $"), at(1, 9));
        assert_eq!(fill("a\nb $1"), at(2, 3));
        assert_eq!(fill("a\r\nb\r\n $ "), at(3, 2));
        assert_eq!(fill("${x"), at(1, 1));
        assert_eq!(fill("${}"), at(1, 1));
        assert_eq!(fill("${x y}"), at(1, 1));
        assert_eq!(fill("é$ü"), at(1, 2));
    }

    #[test]
    fn dedent_is_that_of_python() {
        assert_eq!(dedent("  a\n    b\n  c\n"), "a\n  b\nc\n");
        assert_eq!(dedent("\n    a\n\n  \n    b"), "\na\n\n\nb");
        assert_eq!(dedent("  a\n\tb"), "  a\n\tb");
        assert_eq!(dedent("a\n  b"), "a\n  b");
        assert_eq!(dedent(" \ta\n \tb"), "a\nb");
        assert_eq!(dedent("   "), "");
    }
}
