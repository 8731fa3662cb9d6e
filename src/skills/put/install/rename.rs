//! Gives the copy of a skill another name: the value of `name:` changes, and nothing else.

use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::text::document::{Document, FrontMatter};
use crate::skills::text::quote;

/// The text of a `SKILL.md` under this name. Text without a `name:` in its front matter is
/// unchanged.
pub fn renamed(text: &str, name: &SkillName) -> Result<String> {
    let document = Document::parse(text);
    let names = |document: &Document<'_>| {
        let entries = document.fields().map(|fields| fields.mapping.entries.iter());
        entries.into_iter().flatten().filter(|entry| entry.key.as_str() == Some("name")).count()
    };
    let Some(node) = document.field("name") else {
        // Some agents find a name even in invalid YAML.
        return match document.front_matter {
            FrontMatter::Invalid { .. } => Err(cannot(name)),
            _ => Ok(text.to_owned()),
        };
    };
    if names(&document) > 1 {
        return Err(cannot(name));
    }
    if node.as_str() == Some(name.as_str()) {
        return Ok(text.to_owned());
    }
    let span = node.span;
    let result =
        format!("{}{}{}", &text[..span.start], quote::scalar(name.as_str()), &text[span.end..]);
    // Some values span several lines, such as block scalars, so check the result.
    let again = Document::parse(&result);
    let is_renamed = again.string("name") == Some(name.as_str());
    let keys = |document: &Document<'_>| -> Vec<Option<String>> {
        let fields = document.fields().map(|fields| fields.mapping.entries.iter());
        fields.into_iter().flatten().map(|entry| entry.key.as_str().map(str::to_owned)).collect()
    };
    let rest_is_kept = document.body_text() == again.body_text() && keys(&document) == keys(&again);
    if is_renamed && rest_is_kept {
        return Ok(result);
    }
    Err(cannot(name))
}

/// The error for a name that cannot be changed.
pub fn cannot(name: &SkillName) -> Error {
    err!(InvalidName, "the `name:` of this skill cannot be changed to `{name}`")
        .help("run `skills validate` to see what is wrong")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_value_changes() {
        let name = SkillName::new("new").unwrap();
        for (before, after) in [
            ("name: old\n", "name: new\n"),
            ("name: \"old\" # why\r\n", "name: new # why\r\n"),
            ("# first\nname:   'old'\n", "# first\nname:   new\n"),
            ("license: x\n", "license: x\n"),
            ("name: new\n", "name: new\n"),
        ] {
            let text = |fields| format!("---\n{fields}description: d\n---\n\nname: old\n");
            assert_eq!(renamed(&text(before), &name).unwrap(), text(after), "{before}");
        }
    }

    #[test]
    fn names_that_yaml_takes_for_something_else_are_quoted() {
        let text = "---\nname: old\ndescription: d\n---\n";
        for name in ["123", "true", "null", "1e3", "0x10", "no"] {
            let result = renamed(text, &SkillName::new(name).unwrap()).unwrap();
            assert_eq!(Document::parse(&result).string("name"), Some(name), "{result}");
        }
    }

    #[test]
    fn a_name_in_a_block_is_replaced_or_refused_but_never_torn() {
        let name = SkillName::new("new").unwrap();
        for value in ["|\n  old\n", ">-\n  old\n", "\n  old\n", "old\n  wrapped\n"] {
            let text = format!("---\nname: {value}description: d\n---\n\nBody.\n");
            if let Ok(result) = renamed(&text, &name) {
                let document = Document::parse(&result);
                assert_eq!(document.string("name"), Some("new"));
                assert_eq!(document.string("description"), Some("d"), "{result}");
            }
        }
    }
}
