use proptest::prelude::*;

use crate::skills::text::document::SHAPE;
use crate::skills::text::typo::*;
use crate::skills::text::yaml::read;

/// The first line to change, its underlined part, and the help.
fn typo(text: &str) -> (usize, &str, String) {
    let fault = find_typo(text, 0, read(text, 0).unwrap_err(), &SHAPE);
    let line = 1 + text[..fault.span.start].matches('\n').count();
    (line, fault.span.slice(text), fault.help.unwrap_or(fault.message))
}

#[test]
fn points_at_the_line_that_has_to_be_changed() {
    for (text, line, marked, help) in [
        ("name k11\ndescription: foo", 1, "name", "write `name: k11`"),
        ("name:k18\ndescription: foo", 1, "name", "write `name: k18`"),
        ("name=k\ndescription: foo", 1, "name", "write `name: k`"),
        ("name：k\ndescription: foo", 1, "name", "write `name: k`"),
        ("name:\u{a0}k\nlicense: foo", 1, "name", "type a space in its place"),
        ("name: k\n# c\ndescription foo", 3, "description", "write `description: foo`"),
        ("name: k\n  description: foo", 2, "description", "remove the spaces before `description`"),
        (" name: k\ndescription: foo", 1, "name", "remove the space before `name`"),
        ("name: k\n\tlicense: foo", 2, "license", "remove the tab before `license`"),
        ("name: k\nlicense: [a, b\nmodel: x", 2, "[", "write `]` behind it"),
        ("name: k\nlicense: {\"}\": b\nmodel: x", 2, "{", "write `}` behind it"),
        ("name: k\n- license: x", 2, "-", "remove the `- ` before it"),
        ("- name: k\nlicense: x", 1, "-", "remove the `- ` before it"),
        ("name: k\n...\nlicense: x", 2, "...", "delete the line"),
        ("name: k\n--\nlicense: x", 2, "--", "write `---` if the front matter ends here"),
        ("name: 'k\nlicense: x", 1, "'", "write `'` at the end of the value"),
        ("name: k\n}", 2, "}", "delete it"),
        ("name: k\ndescription: |\ntext", 3, "text", "indent all its lines by two spaces"),
        ("a: b\nm:\n  c: d\n    e: f", 4, "e", "indent it like the one above it"),
        (
            "name: k\n\n# Title\n\nSome words\n- one",
            3,
            "# Title",
            "write `---` on a line of its own above it",
        ),
        (
            "name: k\nname or by number",
            2,
            "name or by number",
            "indent it by two spaces if it belongs to `name`, else write `key: value`",
        ),
    ] {
        assert_eq!(typo(text), (line, marked, help.to_owned()), "{text:?}");
    }
}

#[test]
fn leaves_other_faults_where_they_are() {
    for text in [
        "name: k\ndescription: Use when: x",
        "name: k\ndescription: wraps\n  over two: lines",
        "name: [\"[\", b]\nlicense: x\nmodel: a: b",
        "name: \"a\n  b: c\"\nmodel: a: b",
        "  name: k\n  model: a: b",
        "m:\n- a\n- b\nmodel: a: b",
        "name: k\n\n# comment\nmodel: a: b",
        "name: @k",
    ] {
        let fault = read(text, 0).unwrap_err();
        assert_eq!(find_typo(text, 0, fault.clone(), &SHAPE), fault, "{text:?}");
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    /// The place of a typo is always inside the text and not after the fault.
    #[test]
    fn a_slip_has_a_place(
        text in "(([ \t]{0,2})(name|description|a b|- |\\.\\.\\.|--|#|[\\[{}\\]\"'|>\u{a0}é]){0,3}(: |:|=|)[ -~é：\u{a0}]{0,8}(\r\n|\n)){1,6}",
        offset in 0..9_usize,
    ) {
        let Err(fault) = read(&text, offset) else { return Ok(()) };
        let line_end = text[fault.span.start - offset..].find('\n').map_or(text.len(), |end| fault.span.start - offset + end);
        let typo = find_typo(&text, offset, fault, &SHAPE);
        let span = Span::new(typo.span.start - offset, typo.span.end - offset);
        prop_assert!(text.get(span.start..span.end).is_some());
        prop_assert!(span.start <= line_end, "{typo:?}");
        if let Some(edit) = typo.edit {
            prop_assert!(text.get(edit.span.start - offset..edit.span.end - offset).is_some());
        }
        let _ = typo_in_text(&text, offset, &SHAPE);
    }
}
