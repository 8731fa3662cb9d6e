use proptest::test_runner::Config;

use crate::skills::text::yaml::{self, simple, *};

fn root(text: &str) -> Node<'_> {
    read(text, 0).unwrap().root
}

#[test]
fn spans_cover_exactly_the_keys_and_values() {
    let text = "a: plain value # comment\nb: \"quoted\"\nc: [x, {y: z}]\nd:\n  - one\n  - two\n";
    let root = root(text);
    let mapping = root.as_mapping().unwrap();
    let parts: Vec<(&str, &str)> = mapping
        .entries
        .iter()
        .map(|entry| (entry.key.span.slice(text), entry.value.span.slice(text)))
        .collect();
    assert_eq!(
        parts,
        [("a", "plain value"), ("b", "\"quoted\""), ("c", "[x, {y: z}]"), ("d", "- one\n  - two")]
    );
}

#[test]
fn scalars_follow_the_core_schema() {
    for (text, name) in [
        ("~", "nothing"),
        ("true", "a boolean"),
        ("yes", "a string"),
        ("1.0", "a number"),
        ("-3", "a number"),
        ("0x1F", "a number"),
        ("1e3", "a number"),
        ("inf", "a string"),
        ("1.2.3", "a string"),
        ("2024-01-01", "a string"),
        ("\"1\"", "a string"),
        ("'true'", "a string"),
        ("[]", "a list"),
        ("{}", "a mapping"),
    ] {
        assert_eq!(root(text).value.type_name(), name, "{text}");
    }
}

#[test]
fn every_duplicate_is_collected_at_any_depth() {
    let yaml = read("a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n", 0).unwrap();
    let keys: Vec<&str> = yaml.duplicates.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys, ["c", "a", "a"]);
    let many: String = (0..100).map(|index| format!("k{}: 1\n", index % 50)).collect();
    assert_eq!(read(&many, 0).unwrap().duplicates.len(), 50);
}

#[test]
fn refuses_text_that_agents_read_differently() {
    for (text, at) in [
        ("a: &x 1", 3),
        ("&k a: 1", 0),
        ("a: *x", 3),
        ("a: !!str 1", 3),
        ("<<: {a: 1}", 0),
        ("%YAML 1.2\n---\na: 1", 0),
    ] {
        let fault = read(text, 0).unwrap_err();
        assert_eq!((fault.kind, fault.span.start), (YamlFaultKind::Forbidden, at), "{text}");
    }
    assert_eq!(read("{a: 1}: b", 0).unwrap_err().kind, YamlFaultKind::Syntax);
    assert_eq!(read("a: 1\n...\n---\nb: 1", 0).unwrap_err().kind, YamlFaultKind::Syntax);
}

#[test]
fn budgets_stop_deep_and_long_documents() {
    assert_eq!(read(&"[".repeat(100_000), 0).unwrap_err().kind, YamlFaultKind::Budget);
    let mut deep: String = (0..40).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    deep.push_str(&" ".repeat(41));
    deep.push('b');
    assert_eq!(read(&deep, 0).unwrap_err().kind, YamlFaultKind::Budget);
    let long = "- a\n".repeat(30_000);
    assert_eq!(read(&long, 0).unwrap_err().kind, YamlFaultKind::Budget);
}

#[test]
fn the_fault_everyone_makes_points_at_the_second_colon() {
    let fault = read("description: Use when: x\n", 100).unwrap_err();
    assert_eq!(fault.kind, YamlFaultKind::UnquotedColon);
    assert_eq!(fault.span, Span::new(121, 122));
}

#[test]
fn agents_read_anchors_and_tags() {
    let value = |text: &str| {
        let lenience = Lenience { unknown_tags: true, merge_keys: true, ..Lenience::STRICT };
        let yaml = yaml::read_permissively(text, lenience).map_err(|fault| fault.message)?;
        Ok::<_, String>(yaml.root.as_mapping().unwrap().last("b").unwrap().scalar_text().to_owned())
    };
    assert_eq!(value("a: &x one\nb: *x\n"), Ok("one".to_owned()));
    assert_eq!(value("b: &x bar\n"), Ok("bar".to_owned()));
    assert_eq!(value("b: !foo bar\n"), Ok("bar".to_owned()));
    assert_eq!(value("b: 1\nb: 2\n"), Ok("2".to_owned()));
    assert_eq!(value("a: &x {b: d}\n<<: *x\n"), Ok("d".to_owned()));
    assert!(yaml::read_permissively("b: !foo bar\n", Lenience::STRICT).is_err());
    assert!(yaml::read_permissively("b: !!str 5\n", Lenience::STRICT).is_ok());
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    let fault = yaml::read_permissively(&bomb, Lenience::STRICT).unwrap_err();
    assert_eq!(fault.kind, YamlFaultKind::Budget);
    assert!(value("b: *foo bar\n").is_err());
}

#[test]
fn plain_lines_are_read_without_the_parser() {
    let text = "name: pdf\ndescription: Read it — now (a:b). \"Yes\" & no\nquoted: \"x # y: z\"\n\
                folded: >-\n  One: two\n  # three\nliteral: |\n    a\n    b\n\
                metadata:\n  version: 1.0\n  author: me\nuser-invocable: true";
    let simple = simple::read(text, 7).expect("plain enough");
    assert_eq!(simple, yaml::read_events(text, 7).unwrap());
    for other in [
        "",
        "a",
        "a:",
        "a: b: c",
        "a: b #c",
        "a: 'x'",
        "a: [b]",
        "a: |\n  b",
        "a: |\n  b\n   c\n",
        "a: >\n  b\n\n  c\n",
        "a: >\n",
        "a: >+\n  b\n",
        "a: b\n c",
        "- a: b",
        "a: b\r\n",
        "a: \"b\" c",
        "a: b:",
        "a: b ",
        "a:  b",
        "a: -",
        "a: \tb",
        "# c\na: b",
        "a:\n  b:\n    c: d",
    ] {
        assert_eq!(simple::read(other, 0), None, "{other:?}");
    }
}

proptest::proptest! {
    #![proptest_config(Config { cases: 4_000, failure_persistence: None, ..Config::default() })]

    /// The simple reader agrees with the parser on every text it accepts.
    #[test]
    fn the_simple_reader_agrees_with_the_parser(text in plain_looking()) {
        if let Some(simple) = simple::read(&text, 3) {
            proptest::prop_assert_eq!(yaml::read_events(&text, 3), Ok(simple));
        }
    }
}

/// Folded and literal text, nearly always indented alike.
fn block_looking() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let indicator = prop::sample::select(vec![">", ">-", "|", "|-", ">+", "|2", "> # c", ">- "]);
    let indent = prop_oneof![12 => Just("  "), 1 => Just("   "), 1 => Just(" "), 1 => Just("")];
    let text = prop_oneof![
        6 => "[a-z]{1,4}( [a-z:#-]{1,4}){0,2}",
        1 => prop::sample::select(vec!["", " ", "# c", "- a", "a: b", "---", "...", "\t", "é", "a\r", "a ", "'"])
            .prop_map(str::to_owned),
    ];
    let line = (indent, text).prop_map(|(indent, text)| format!("\n{indent}{text}"));
    (indicator, prop::collection::vec(line, 0..4))
        .prop_map(|(indicator, lines)| indicator.to_owned() + &lines.concat())
}

/// Mostly plain front matter, with a few special characters.
fn plain_looking() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let nasty = prop::sample::select(vec![
        ": ", " #", ":", "#", "\"", "'", "\\", "&", "*", "!", "|", ">", "%", "@", "`", "{", "}",
        "[", "]", ",", "?", "~", ".", "-", "- ", "? ", "...", "---", "<<", "\t", "\u{85}",
        "\u{a0}", "\u{2028}", "\u{feff}", "\u{200b}", "é", "—", "\r",
    ]);
    let word = prop_oneof![
        6 => "[a-zA-Z0-9(/$._]{1,6}",
        1 => prop::sample::select(vec!["true", "null", "1.5", "0x1f", "-3", "2024-01-01", "y", "~"])
            .prop_map(str::to_owned),
    ];
    let piece = prop_oneof![5 => word.clone(), 4 => Just(" ".to_owned()), 1 => nasty.prop_map(str::to_owned)];
    let value =
        (word, prop::collection::vec(piece, 0..5)).prop_map(|(first, rest)| first + &rest.concat());
    let value = prop_oneof![
        5 => value.clone(),
        2 => value.clone().prop_map(|text| format!("\"{text}\"")),
        1 => "[ -~]{0,6}",
        2 => block_looking(),
    ];
    let key = prop_oneof![
        36 => "[a-c]{1,2}",
        4 => "(true|null|e1|a_b|-a|1|a b)",
        1 => (990..1_030_usize).prop_map(|length| "a".repeat(length)),
    ];
    // Few choices, so that the simple reader accepts most documents.
    let mostly = |usual: &'static str, others: Vec<&'static str>| prop_oneof![15 => Just(usual), 1 => prop::sample::select(others)];
    let entry = (
        mostly("", vec![" ", "  ", "\t"]),
        key,
        mostly(": ", vec![":", ":  ", " : ", ":\n  a: "]),
        value,
        mostly("\n", vec!["\n\n", "\r\n", "", " \n"]),
    );
    let entry = entry
        .prop_map(|(indent, key, colon, value, end)| [indent, &key, colon, &value, end].concat());
    prop::collection::vec(entry, 1..4).prop_map(|entries| entries.concat())
}
